"""Matches of epfl2020: freezeouts of ten hands, with the moves that each player makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from smoothcall.agents.batch_wrappers import Table
from smoothcall.evaluation.freezeouts import play_freezeouts
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.simulation.observations import EQUITY, STACK, TO_CALL
from smoothcall.kernels.tables import CALL, FOLD_SLOT, Array
from smoothcall.simulation.batch_policy import BatchPolicy

MOVES = ("fold", "check", "call", "raise", "big raise", "stake", "weak raise", "strong raise")
HALF = 0.5  # of the chips behind: a raise of more is big


@dataclass
class Counted:
    """A batch policy that adds up the probabilities of its moves.

    `moves`[6]: folds, checks, calls, raises, raises that put in more than HALF of the chips behind, and the sum over raises of
    the fraction of the chips behind that they put in. `by_equity`[2, 2]: decisions and raises, with an equity below 1/2 and
    from 1/2 on.
    """

    batch_policy: BatchPolicy
    table: Table
    moves: Array = field(default_factory=lambda: np.zeros(6))
    by_equity: Array = field(default_factory=lambda: np.zeros((2, 2)))

    def probabilities(self, observations: Array, legal: Array) -> Array:
        found = self.batch_policy.probabilities(observations, legal)
        owed, behind = observations[:, TO_CALL], np.maximum(observations[:, STACK], 1e-9)
        share = np.minimum((owed[:, None] + np.array(self.table.factors) * self.table.bet) / behind[:, None], 1)
        raises, free = found[:, CALL + 1 :], owed <= 0
        self.moves += [
            found[:, FOLD_SLOT].sum(),
            found[free, CALL].sum(),
            found[~free, CALL].sum(),
            raises.sum(),
            raises[share > HALF].sum(),
            (raises * share).sum(),
        ]
        strong = observations[:, EQUITY] >= 0.5
        for row, chosen in enumerate((~strong, strong)):
            self.by_equity[row] += chosen.sum(), raises[chosen].sum()
        return found

    @property
    def shares(self) -> list[float]:
        """The moves as shares, by MOVES: of all moves, then of the raises, then of the decisions with such an equity."""
        moves, (weak, strong) = self.moves, self.by_equity
        of_raises = moves[4:] / max(moves[3], 1)
        return [*(moves[:4] / max(moves[:4].sum(), 1)), *of_raises, weak[1] / max(weak[0], 1), strong[1] / max(strong[0], 1)]


def meet(
    rules: PokerRules, players: Sequence[BatchPolicy], *, freezeouts: int, seed: int, rollouts: int = 0, length: int = 10
) -> dict[str, Any]:
    """Play a match; return gain, standard deviation and win rate of the first player, and the moves of both as shares."""
    counted = [Counted(player, Table.of(rules)) for player in players]
    found = play_freezeouts(
        rules, counted, names=("one", "other"), freezeouts=freezeouts, seed=seed, rollouts=rollouts, length=length
    )
    return {
        "gain": found.gain.mean,
        "error": found.gain.error,
        "deviation": found.deviation,
        "wins": found.wins,
        "hands": found.hands,
        "moves": [player.shares for player in counted],
    }


def meetings(
    rules: PokerRules, one: BatchPolicy, others: dict[str, BatchPolicy], *, freezeouts: int, seed: int
) -> dict[str, dict[str, Any]]:
    """Return the matches of one player against others, by their names."""
    return {name: meet(rules, [one, other], freezeouts=freezeouts, seed=seed) for name, other in others.items()}
