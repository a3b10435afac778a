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
    length: int
    actions: tuple[tuple[float, ...], ...]  # [2][A] how often each player made each move
    seed: int
    done: bool = True

    def __str__(self) -> str:
        gain = f"{self.gain.mean:+.0f} ± {self.gain.half_width():.0f}"
        return (
            f"{self.names[0]} against {self.names[1]}: {gain} chips a session of {self.length} hands (95 %, {self.sessions:,} "
            f"sessions, every deal in both places), standard deviation {self.deviation:.0f}, {self.wins:.1%} won"
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "players": list(self.names),
            "gain": self.gain.as_dict(),
            "deviation": self.deviation,
            "wins": self.wins,
            "sessions": self.sessions,
            "length": self.length,
            "actions": [list(each) for each in self.actions],
            "seed": self.seed,
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
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> SessionResult:
    """At least so many sessions of two minds, an even number: each in both places."""
    known = number(sessions, whole=True)
    if known is None or not 2 <= known <= MOST:
        raise UsageError(f"sessions={sessions} (accepted: a whole number from 2 to {MOST:.0e})")
    pairs, tally, gains = -(-int(known) // 2), Tally(1), list[Array]()
    moves = np.zeros((2, 2 + len(rules.menu.items if rules.menu else ())))
    generators = seeded(streams(seed, 1)[0], 2)
    while tally.count < pairs:
        count = min(TOGETHER, pairs - tally.count)
        gain = _play(rules, minds, count, length, generators, moves)
        gains.append(gain)
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
        actions=tuple(tuple((each / max(each.sum(), 1)).tolist()) for each in moves),
        seed=seed,
        done=tally.count == pairs,
    )


def _play(rules: PokerRules, minds: Sequence[Mind], pairs: int, length: int, generators: Array, moves: Array) -> Array:
    """[2 * pairs] what player 0 won: the second half of the sessions has the cards of the first, and the other order."""
    room = Room(rules, count=2 * pairs, length=length, generators=generators)
    deals = room.deal(pairs * length)
    room.sessions.first[:] = np.repeat([0, 1], pairs)
    room.sessions.mind[:] = (0, 1)
    gain, going = np.zeros(2 * pairs), np.ones(2 * pairs, bool)
    while going.any():
        room.sit()
        number = np.tile(np.arange(pairs) * length, 2) + room.sessions.played
        room.batch.begin_with(deals, np.where(going, number, -1))
        room.move(minds)
        _count_moves(room, going, moves)
        room.settle(going)
        ended = ~np.isnan(room.gain)
        gain[ended] = room.gain[ended]
        going &= ~ended
    return gain


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
