"""Matches as epfl2020 plays them: sessions of ten hands from 10,000 chips, with chips kept from hand to hand.

Every session is played twice with the same cards, the players having changed places: what luck of the cards gives to one it
gives to the other. The mean of the two is one sample of the interval; the standard deviation and the win rate, which the paper
prints, are of single sessions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.evaluation.match import Stop, Watch, streams
from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.games.rules import PokerRules
from smoothcall.information.abstraction import Abstraction
from smoothcall.information.game import Game
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.minds.mind import Mind
from smoothcall.minds.room import LENGTH, Room
from smoothcall.options import number

TOGETHER = 2048  # pairs of sessions played at once
MOST = 10**9


@dataclass(frozen=True, slots=True)
class SessionResult:
    """What the first player won of the second, in chips a session."""

    names: tuple[str, str]
    gain: Estimate  # of pairs of sessions with the same cards
    deviation: float  # of single sessions
    wins: float  # share of sessions won; those that end even count half
    sessions: int
    length: int  # hands of a session, at most
    hands: int  # played in all of them
    actions: tuple[tuple[float, ...], ...]  # [2][A] how often each player made each move
    seed: int
    games: int  # simulated for an estimate of a position; 0: positions were exact
    done: bool = True

    def __str__(self) -> str:
        estimated = f", positions from {self.games:,} simulated games" if self.games else ""
        ends = "hands" if self.length <= LENGTH else f"hands at most ({self.hands / self.sessions:.1f} on average)"
        return (
            f"{self.names[0]} against {self.names[1]}: {self.gain.rounded} chips a session of {self.length} {ends} "
            f"(95 %, {self.sessions:,} sessions, every deal in both places), standard deviation {self.deviation:.0f}, {self.wins:.1%} won"
            f"{estimated}"
        )

    def mbb(self, blind: int) -> Estimate:
        """Thousandths of a big blind that were won a hand; how long sessions took is taken as known."""
        return self.gain.scaled(1000 / blind * self.sessions / max(self.hands, 1))

    def as_dict(self) -> dict[str, Any]:
        return {
            "players": list(self.names),
            "gain": self.gain.as_dict(),
            "deviation": self.deviation,
            "wins": self.wins,
            "sessions": self.sessions,
            "length": self.length,
            "hands": self.hands,
            "actions": [list(each) for each in self.actions],
            "seed": self.seed,
            "games": self.games,
            "done": self.done,
        }


def play_sessions(
    rules: PokerRules,
    minds: Sequence[Mind],
    *,
    names: tuple[str, str],
    sessions: int,
    length: int = LENGTH,
    seed: int = 0,
    games: int = 0,
    abstraction: Abstraction | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> SessionResult:
    """At least so many sessions of two minds, an even number: each in both places.

    With `games`, positions are estimated from so many simulated ones: in both places the same. With an abstraction, situations
    are wide.
    """
    known = number(sessions, whole=True)
    if known is None or not 2 <= known <= MOST:
        raise UsageError(f"sessions={sessions} (accepted: a whole number from 2 to {MOST:.0e})")
    pairs, tally, gains, hands = -(-int(known) // 2), Tally(1), list[Array](), 0
    moves = np.zeros((2, 2 + len(rules.menu.items if rules.menu else ())))
    generators = seeded(streams(seed, 1)[0], 3)
    while tally.count < pairs:
        count = min(TOGETHER, pairs - tally.count)
        room = Room(rules, count=2 * count, length=length, generators=generators, games=games, abstraction=abstraction)
        gain, played = _play(room, minds, moves)
        gains.append(gain)
        hands += played
        tally.add(gain.reshape(2, -1).mean(axis=0)[:, None])
        if watch is not None:
            watch(tally.count / pairs)
        if stop is not None and stop():
            break
    gain = np.concatenate(gains)
    return SessionResult(
        names=names,
        gain=tally.estimates(1.0)[0],
        deviation=float(gain.std()),
        wins=float((gain > 0).mean() + (gain == 0).mean() / 2),
        sessions=len(gain),
        length=length,
        hands=hands,
        actions=tuple(tuple((each / max(each.sum(), 1)).tolist()) for each in moves),
        seed=seed,
        games=int(games),
        done=tally.count == pairs,
    )


def _play(room: Room, minds: Sequence[Mind], moves: Array) -> tuple[Array, int]:
    """([2 * pairs] what player 0 won, hands): the second half of sessions has the cards of the first, in the other order."""
    pairs, length = len(room.gain) // 2, room.length
    deals = room.deal(pairs * length)
    room.sessions.first[:] = np.repeat([0, 1], pairs)
    room.sessions.mind[:] = (0, 1)
    gain, going, hands = np.zeros(2 * pairs), np.ones(2 * pairs, bool), 0
    while going.any():
        room.sit()
        number = np.tile(np.arange(pairs) * length, 2) + room.sessions.played
        room.batch.begin_with(deals, np.where(going, number, -1))
        room.move(minds)
        _count_moves(room, going, moves)
        hands += room.settle(going)
        ended = ~np.isnan(room.gain)
        gain[ended] = room.gain[ended]
        going &= ~ended
    return gain, hands


def _count_moves(room: Room, going: Array, moves: Array) -> None:
    """moves[2, A] += the moves of hands that have just ended, by player."""
    hands = room.batch.hands
    made = np.arange(hands.action.shape[2]) < hands.moves[:, :, None]
    for seat in range(2):
        player = room.sessions.first ^ seat
        for each in range(2):
            chosen = hands.over & going & (player == each)
            action = hands.action[chosen, seat][made[chosen, seat]]
            moves[each] += np.bincount(action, minlength=moves.shape[1])


def sample_hands(
    of: Game, minds: Sequence[Mind], deals: int, *, seed: int = 0, watch: Watch | None = None, stop: Stop | None = None
) -> Tally:
    """So many deals of hands with full stacks between two minds that look at wide situations, each deal in both seats: what
    each of them won of a deal, on average."""
    assert isinstance(of.rules, PokerRules)
    tally, generators = Tally(2), seeded(streams(seed, 1)[0], 2)
    while tally.count < deals:
        count = min(TOGETHER, deals - tally.count)
        room = Room(of.rules, count=2 * count, length=1, generators=generators, abstraction=of.abstraction)
        won = _play(room, minds, np.zeros((2, len(of.actions))))[0].reshape(2, -1).mean(axis=0)
        tally.add(np.column_stack([won, -won]))
        if watch is not None:
            watch(tally.count / deals)
        if stop is not None and stop():
            break
    return tally
