"""How a person plays: the marks kept with every finished hand, and what they come to over many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import isfinite

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.evaluation.statistics import Tally
from smoothcall.games.betting import Call, Fold, Raise
from smoothcall.games.hand import Hand
from smoothcall.games.notation import split_moves
from smoothcall.play.person_view import Figure, signed


@dataclass(frozen=True, slots=True)
class Marks:
    """What one seat did in one hand, as far as statistics need it. Checks leave no mark."""

    vpip: bool  # put chips in voluntarily on the first street: a call, bet or raise; antes and blinds do not count
    preflop_raise: bool  # bet or raised on the first street
    bets: int  # bets and raises, on all streets
    calls: int
    folds: int  # 0 or 1
    showdown: bool  # still in when cards were shown
    won_showdown: float  # 1 won chips there, 1/2 came out even, 0 lost them or was not there


@dataclass(frozen=True, slots=True)
class Played:
    """A finished hand as statistics see it."""

    title: str  # of the game
    won: Fraction  # net chips
    blind: int  # the unit: 1 mbb is a thousandth of it
    luck_adjusted: float | None  # net chips with luck taken out; None where that cannot be told
    marks: Marks


@dataclass(frozen=True, slots=True)
class GameLine:
    """What a person has done in one game."""

    title: str
    hands: int
    won: str
    raw: Figure | None
    luck_adjusted: Figure | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Shares are of the hands, `showdowns_won` of the showdowns; None where there is nothing to take a share of."""

    hands: int
    won: str  # net chips
    raw: Figure | None
    luck_adjusted: Figure | None  # of the hands in which luck can be told from skill
    vpip: float | None
    preflop_raise: float | None
    aggression: float | None  # (bets + raises) / calls; None without calls
    showdowns: float | None
    showdowns_won: float | None
    curve: tuple[float, ...]  # net big blinds after each hand: games of different stakes add up
    by_game: tuple[GameLine, ...]  # in the order in which they were first played


def marks(hand: Hand, seat: int) -> Marks:
    """The marks of a seat in a hand that is over."""
    outcome = hand.outcome
    if outcome is None:
        raise UsageError("the hand is not over yet")
    opening = len(split_moves(hand.text.partition("/")[0]))  # moves on the first street
    early = [_kind(move) for move in hand.moves[:opening] if move.player == seat]
    kinds = [_kind(move) for move in hand.moves if move.player == seat]
    showdown = outcome.reason == "showdown" and hand.alive[seat]
    net = outcome.payoffs[seat]
    return Marks(
        vpip="bet" in early or "call" in early,
        preflop_raise="bet" in early,
        bets=kinds.count("bet"),
        calls=kinds.count("call"),
        folds=kinds.count("fold"),
        showdown=showdown,
        won_showdown=(1.0 if net > 0 else 0.5 if net == 0 else 0.0) if showdown else 0.0,
    )


def summarise(rows: Iterable[Played]) -> Statistics:
    """The statistics of hands in the order in which they were played."""
    hands = list(rows)
    found = [hand.marks for hand in hands]
    games: dict[str, list[Played]] = {}
    for hand in hands:
        games.setdefault(hand.title, []).append(hand)
    calls, showdowns = sum(m.calls for m in found), sum(m.showdown for m in found)
    return Statistics(
        hands=len(hands),
        won=signed(sum((hand.won for hand in hands), Fraction())),
        raw=raw(hands),
        luck_adjusted=luck_adjusted(hands),
        vpip=_share(sum(m.vpip for m in found), len(found)),
        preflop_raise=_share(sum(m.preflop_raise for m in found), len(found)),
        aggression=_share(sum(m.bets for m in found), calls),
        showdowns=_share(showdowns, len(found)),
        showdowns_won=_share(sum(m.won_showdown for m in found), showdowns),
        curve=tuple(map(float, accumulate(hand.won / hand.blind for hand in hands))),
        by_game=tuple(
            GameLine(
                title=title,
                hands=len(played),
                won=signed(sum((hand.won for hand in played), Fraction())),
                raw=raw(played),
                luck_adjusted=luck_adjusted(played),
            )
            for title, played in games.items()
        ),
    )


def raw(hands: Sequence[Played]) -> Figure | None:
    """What the hands won."""
    return figure([1000 * float(hand.won) / hand.blind for hand in hands])


def luck_adjusted(hands: Sequence[Played]) -> Figure | None:
    """The same with luck taken out, of those hands where it can be."""
    return figure([1000 * hand.luck_adjusted / hand.blind for hand in hands if hand.luck_adjusted is not None])


def figure(samples: Sequence[float]) -> Figure | None:
    """The mean of one sample a hand, in their unit, with its interval; None where there are no hands."""
    if not samples:
        return None
    tally = Tally(1)
    tally.add(np.array(samples, float)[:, None])
    estimate = tally.estimates()[0]
    half = estimate.half_width()
    told = isfinite(half) and estimate.error > 0  # hands that are all alike say nothing about others
    return Figure(estimate.mean, half if told else None, estimate.count)


def _kind(move: Fold | Call | Raise) -> str:
    if isinstance(move, Call):
        return "call" if move.amount else "check"
    return "bet" if isinstance(move, Raise) else "fold"


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None
