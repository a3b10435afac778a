"""Playing statistics of a person: marks kept with every finished hand, and their summary over many hands."""

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
    """What one seat did in one hand. Checks are not counted."""

    vpip: bool  # put chips in voluntarily on the first street: a call, bet or raise; antes and blinds do not count
    preflop_raise: bool  # bet or raised on the first street
    bets: int  # bets and raises, on all streets
    calls: int
    folds: int  # 0 or 1
    showdown: bool  # reached a showdown
    won_showdown: float  # 1 won chips, 1/2 broke even, 0 lost or no showdown


@dataclass(frozen=True, slots=True)
class Played:
    """A finished hand, reduced to what statistics need."""

    title: str  # of the game
    won: Fraction  # net chips
    blind: int  # 1 mbb is a thousandth of it
    luck_adjusted: float | None  # net chips by AIVAT; None where it is not available
    marks: Marks


@dataclass(frozen=True, slots=True)
class GameLine:
    """A person's results in one game."""

    title: str
    hands: int
    won: str
    raw: Figure | None
    luck_adjusted: Figure | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Fractions are of the hands, `showdowns_won` of the showdowns; None where the denominator is 0."""

    hands: int
    won: str  # net chips
    raw: Figure | None
    luck_adjusted: Figure | None  # of the hands that AIVAT covers
    vpip: float | None
    preflop_raise: float | None
    aggression: float | None  # (bets + raises) / calls; None without calls
    showdowns: float | None
    showdowns_won: float | None
    curve: tuple[float, ...]  # net big blinds after each hand, comparable across stakes
    by_game: tuple[GameLine, ...]  # in the order in which they were first played


def marks(hand: Hand, seat: int) -> Marks:
    """Return the marks of a seat in a finished hand."""
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
    """Return the statistics of hands, given in the order in which they were played."""
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
    """Return the mean winnings in mbb/h."""
    return figure([1000 * float(hand.won) / hand.blind for hand in hands])


def luck_adjusted(hands: Sequence[Played]) -> Figure | None:
    """Return the luck-adjusted mean winnings in mbb/h, over the hands that AIVAT covers."""
    return figure([1000 * hand.luck_adjusted / hand.blind for hand in hands if hand.luck_adjusted is not None])


def figure(samples: Sequence[float]) -> Figure | None:
    """Return the mean of one sample per hand with its 95 % interval; None without hands."""
    if not samples:
        return None
    tally = Tally(1)
    tally.add(np.array(samples, float)[:, None])
    estimate = tally.estimates()[0]
    half = estimate.half_width()
    told = isfinite(half) and estimate.error > 0  # zero sample variance gives no interval
    return Figure(estimate.mean, half if told else None, estimate.count)


def _kind(move: Fold | Call | Raise) -> str:
    if isinstance(move, Call):
        return "call" if move.amount else "check"
    return "bet" if isinstance(move, Raise) else "fold"


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None
