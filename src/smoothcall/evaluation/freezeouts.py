"""Freezeouts between batch policies: several hands with chips carried over (epfl2020: ten hands from 10,000 chips).

Every freezeout is played twice with the same cards, the players having changed places. The mean of the two is one sample of the
interval; the standard deviation and the win rate, which epfl2020 prints, are of single freezeouts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.evaluation.policy_match import Engine, Stop, Watch, streams, watched_results
from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.abstraction import Abstraction
from smoothcall.information.game import Game
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.batch import Deals
from smoothcall.kernels.tables import Array
from smoothcall.options import number
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.freezeouts import LENGTH, FreezeoutEnv
from smoothcall.tasks import HERE, Job, Result, Runner, piece, pieces, task_seeds

TOGETHER = 2048  # pairs of freezeouts of a task, played in one batch
AHEAD = LENGTH  # hands of a pair that are dealt at a time
MAX_FREEZEOUTS = 10**9


@dataclass(frozen=True, slots=True)
class FreezeoutResult:
    """Winnings of the first player, in chips a freezeout."""

    names: tuple[str, str]
    gain: Estimate  # of pairs of freezeouts with the same cards
    deviation: float  # of single freezeouts
    wins: float  # share of freezeouts won; a tie counts half
    freezeouts: int
    length: int  # hands of a freezeout, at most
    hands: int  # played in all of them
    actions: tuple[tuple[float, ...], ...]  # [2][A] how often each player made each move
    seed: int
    rollouts: int  # simulated to estimate an equity; 0: equities were exact
    done: bool = True
    game: str = ""
    engine: Engine = Engine.BATCH
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        estimated = f", equities from {self.rollouts:,} simulated rollouts" if self.rollouts else ""
        ends = "hands" if self.length <= LENGTH else f"hands at most ({self.hands / self.freezeouts:.1f} on average)"
        return (
            f"{self.names[0]} against {self.names[1]}: {self.gain.rounded} chips a freezeout of {self.length} {ends} "
            f"(95 %, {self.freezeouts:,} freezeouts, every deal in both places), standard deviation {self.deviation:.0f}, "
            f"{self.wins:.1%} won{estimated}"
        )

    def mbb(self, blind: int) -> Estimate:
        """Winnings in mbb/h; the number of hands of a freezeout is taken as known."""
        return self.gain.scaled(1000 / blind * self.freezeouts / max(self.hands, 1))

    def as_dict(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "engine": str(self.engine),
            "notes": list(self.notes),
            "players": list(self.names),
            "gain": self.gain.as_dict(),
            "deviation": self.deviation,
            "wins": self.wins,
            "freezeouts": self.freezeouts,
            "length": self.length,
            "hands": self.hands,
            "actions": [list(each) for each in self.actions],
            "seed": self.seed,
            "rollouts": self.rollouts,
            "done": self.done,
        }


def play_freezeouts(
    rules: PokerRules,
    batch_policies: Sequence[BatchPolicy],
    *,
    names: tuple[str, str],
    freezeouts: int,
    game: str = "",
    length: int = LENGTH,
    seed: int = 0,
    rollouts: int = 0,
    abstraction: Abstraction | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> FreezeoutResult:
    """Play at least `freezeouts` freezeouts of two batch policies, an even number: each in both places.

    With `rollouts`, equities are estimates from so many simulated rollouts, the same in both places. With an abstraction,
    observations have cards.
    """
    known = number(freezeouts, whole=True)
    if known is None or not 2 <= known <= MAX_FREEZEOUTS:
        raise UsageError(f"freezeouts={freezeouts} (accepted: a whole number from 2 to {MAX_FREEZEOUTS:.0e})")
    pairs, tally, gains, hands = -(-int(known) // 2), Tally(1), list[Array](), 0
    streams(seed, 1)  # verifies the seed
    moves = np.zeros((2, 2 + len(rules.menu.items if rules.menu else ())))
    given = (rules, tuple(batch_policies), pairs, int(seed), length, int(rollouts), abstraction, False)
    job = Job("freezeouts", _Pairs, given, _play_pairs, pieces(pairs, TOGETHER))
    for gain, played, made in watched_results(runner, job, watch, stop):
        gains.append(gain)
        hands += int(played)
        moves += made
        tally.add(gain.reshape(2, -1).mean(axis=0)[:, None])
    gain = np.concatenate(gains)
    return FreezeoutResult(
        names=names,
        gain=tally.estimates(1.0)[0],
        deviation=float(gain.std()),
        wins=float((gain > 0).mean() + (gain == 0).mean() / 2),
        freezeouts=len(gain),
        length=length,
        hands=hands,
        actions=tuple(tuple((each / max(each.sum(), 1)).tolist()) for each in moves),
        seed=seed,
        rollouts=int(rollouts),
        done=tally.count == pairs,
        game=game,
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of freezeouts with the same cards, and what the tasks that play them share."""

    rules: PokerRules
    batch_policies: Sequence[BatchPolicy]
    pairs: int
    seed: int
    length: int
    rollouts: int
    abstraction: Abstraction | None
    full_stacks: bool


def _play_pairs(match: _Pairs, number: int) -> Result:
    """Return ([2 * pairs] winnings of player 0, hands, [2, A] moves of each player) of a task's pairs."""
    moves = np.zeros((2, 2 + len(match.rules.menu.items if match.rules.menu else ())))
    env = FreezeoutEnv(
        match.rules,
        count=2 * piece(match.pairs, TOGETHER, number),
        length=match.length,
        generators=seeded(task_seeds(match.seed, number, 1)[0], 3),
        rollouts=match.rollouts,
        abstraction=match.abstraction,
        full_stacks=match.full_stacks,
    )
    gain, hands = _play(env, match.batch_policies, moves)
    return gain, np.array(hands), moves


def _play(env: FreezeoutEnv, batch_policies: Sequence[BatchPolicy], moves: Array) -> tuple[Array, int]:
    """Return ([2 * pairs] winnings of player 0, hands); the second half has the cards of the first, players exchanged."""
    pairs = len(env.gain) // 2
    dealer = _Dealer(env, pairs)
    env.freezeouts.first[:] = np.repeat([0, 1], pairs)
    env.freezeouts.policy[:] = (0, 1)
    gain, going, hands = np.zeros(2 * pairs), np.ones(2 * pairs, bool), 0
    while going.any():
        env.sit()
        env.batch.begin_with(*dealer.next_deals(going))
        env.move(batch_policies)
        _count_moves(env, going, moves)
        hands += env.settle(going)
        ended = ~np.isnan(env.gain)
        gain[ended] = env.gain[ended]
        going &= ~ended
    return gain, hands


class _Dealer:
    """Deals for pairs of freezeouts with the same cards, AHEAD hands of a pair at a time: few freezeouts have many hands."""

    def __init__(self, env: FreezeoutEnv, pairs: int) -> None:
        self._env, self._ahead = env, min(AHEAD, env.length)
        self._first = np.full(
            (pairs, -(-env.length // self._ahead)), -1
        )  # first deal of each pair's next AHEAD hands; -1: none
        self._deals = env.deal(0)

    def next_deals(self, going: Array) -> tuple[Deals, Array]:
        """Return (deals, [B] the deal of the hand that begins in each freezeout, -1 for none)."""
        env = self._env
        begins = np.flatnonzero(going & env.batch.hands.over)
        pair, number = begins % len(self._first), env.freezeouts.played[begins]
        missing = np.unique(np.stack([pair, number // self._ahead])[:, self._first[pair, number // self._ahead] < 0], axis=1)
        if missing.size:
            more, known = env.deal(missing.shape[1] * self._ahead), len(self._deals.outcome)
            self._first[missing[0], missing[1]] = known + self._ahead * np.arange(missing.shape[1])
            self._deals = Deals(*(np.concatenate(both) for both in zip(self._deals, more, strict=True)))
        found = np.full(len(going), -1)
        found[begins] = self._first[pair, number // self._ahead] + number % self._ahead
        return self._deals, found


def _count_moves(env: FreezeoutEnv, going: Array, moves: Array) -> None:
    """Add the moves of hands that have just ended to moves[2, A], by player."""
    hands = env.batch.hands
    made = np.arange(hands.action.shape[2]) < hands.moves[:, :, None]
    for seat in range(2):
        player = env.freezeouts.first ^ seat
        for each in range(2):
            chosen = hands.over & going & (player == each)
            action = hands.action[chosen, seat][made[chosen, seat]]
            moves[each] += np.bincount(action, minlength=moves.shape[1])


def sample_hands(
    of: Game,
    batch_policies: Sequence[BatchPolicy],
    deals: int,
    *,
    seed: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> Tally:
    """Play `deals` deals with full stacks between two batch policies, observations with cards, each deal in both seats.

    Tally the mean of both seats, in chips, for each player.
    """
    assert isinstance(of.rules, PokerRules)
    streams(seed, 1)  # verifies the seed
    tally = Tally(2)
    given = (of.rules, tuple(batch_policies), deals, int(seed), 1, 0, of.abstraction, True)
    job = Job("match", _Pairs, given, _play_pairs, pieces(deals, TOGETHER))
    for gain, _, _ in watched_results(runner, job, watch, stop):
        won = gain.reshape(2, -1).mean(axis=0)
        tally.add(np.column_stack([won, -won]))
    return tally
