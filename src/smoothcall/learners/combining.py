"""Learn which batch policy to play against an opponent of which habits (`agents.combined`).

In every hand of a freezeout one of the members plays, sampled uniformly. The value of a member in a cell of habits is the mean
of the chips that it won in hands that began with the opponent's habits in this cell; members are sampled without regard to
anything else, so these means compare them fairly. The choice is the member of the highest value in each cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from smoothcall.agents.combined import CELLS, Combined, cells_of
from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.freezeouts import draw_opponents
from smoothcall.kernels.simulation.observations import (
    AGGRESSION,
    CALLED_EVER,
    HANDS,
    OBSERVATION,
    RAISED_EVER,
    RAISED_FIRST,
    RAISES,
    UNKNOWN,
)
from smoothcall.kernels.tables import Array
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.freezeouts import LENGTH, FreezeoutEnv

TOGETHER = 2048  # freezeouts
LEAST = 200  # hands of every member in a cell; where one has fewer, the best member over all cells is chosen


@dataclass(frozen=True, slots=True)
class Choice:
    """What was measured: hands[cells, members], and value[cells, members] in chips a hand."""

    hands: Array
    value: Array

    @property
    def best(self) -> Array:
        """[cells] int64: the member to play."""
        total = self.hands.sum(axis=0)
        overall = int(np.argmax((self.value * self.hands).sum(axis=0) / np.maximum(total, 1)))
        found: Array = np.where((self.hands >= LEAST).all(axis=1), self.value.argmax(axis=1), overall)
        return found.astype(np.int64)


def combine(
    rules: PokerRules, members: Sequence[BatchPolicy], opponents: Sequence[BatchPolicy], *, hands: int, seed: int = 0
) -> tuple[Combined, Choice]:
    """Play at least `hands` hands of freezeouts, opponents sampled uniformly; return the combination and its figures."""
    if not members or not opponents or hands < 1:
        raise UsageError(f"{len(members)} members, {len(opponents)} opponents, hands={hands} (accepted: at least 1 of each)")
    generators, random = seeded(seed, 3), np.random.default_rng(seed)
    env = FreezeoutEnv(rules, count=min(TOGETHER, hands), length=LENGTH, generators=generators)
    shares = np.array([0.0] * len(members) + [1 / len(opponents)] * len(opponents))
    batch, freezeouts, done = env.batch, env.freezeouts, 0
    count, chips = np.zeros((CELLS[0] * CELLS[1], len(members))), np.zeros((CELLS[0] * CELLS[1], len(members)))
    while done < hands:
        draw_opponents(freezeouts, shares, generators[2])
        over = batch.hands.over
        freezeouts.policy[over, 0] = random.integers(len(members), size=int(over.sum()))
        env.sit()
        batch.begin()
        env.move([*members, *opponents])
        ended = np.flatnonzero(batch.hands.over)
        cell, member = cells_of(_observations(freezeouts.habits[ended, 1])), freezeouts.policy[ended, 0]
        np.add.at(count, (cell, member), 1)
        np.add.at(chips, (cell, member), batch.hands.won[ended, freezeouts.first[ended]])
        done += env.settle()
    choice = Choice(count, chips / np.maximum(count, 1))
    return Combined(tuple(members), choice.best), choice


def _observations(habits: Array) -> Array:
    """Return [n, OBSERVATION] with the columns of habits[n, 4] only, as `kernels.simulation.observations` writes them."""
    found = np.zeros((len(habits), OBSERVATION), np.float32)
    raised, called = habits[:, RAISED_EVER], habits[:, CALLED_EVER]
    found[:, RAISES] = habits[:, RAISED_FIRST] / np.maximum(habits[:, HANDS], 1)
    found[:, AGGRESSION] = np.where(raised + called > 0, raised / np.maximum(raised + called, 1), UNKNOWN)
    return found
