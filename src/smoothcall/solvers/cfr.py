"""Full-width counterfactual regret minimisation. The members of the family are one traversal with different weights.

CFR: Zinkevich et al. 2007. CFR+: Tammelin 2014. Linear and discounted CFR: Brown and Sandholm 2019. Predictive CFR+: Farina,
Kroer and Sandholm 2021. One iteration updates every player once, over all deals.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import ClassVar

import numpy as np

from smoothcall.information.game import Game
from smoothcall.kernels.solvers import cfr as kernels
from smoothcall.kernels.tables import Array
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.solvers.base import Solver


def weights(alpha: float, beta: float, gamma: float, *, predictive: bool = False) -> dict[str, Option]:
    """Return the options of a member of the family, with its weights as defaults."""
    return {
        "alpha": Option(alpha, "after iteration t positive regrets are multiplied by t^alpha / (t^alpha + 1); inf keeps them"),
        "beta": Option(beta, "after iteration t negative regrets are multiplied by t^beta / (t^beta + 1); -inf drops them"),
        "gamma": Option(gamma, "iteration t counts t^gamma in the average", low=0, high=15),
        "predictive": Option(predictive, "match the regrets plus the last instantaneous regrets"),
        "alternating": Option(True, "update the players in turn; false: all at once"),
        "prune": Option(None, "skip nodes that the others reach with at most this probability; 0 is exact", 0, 1, kind=float),
    }


class CFR(Solver):
    """Runs on one thread only: see docs/threads.md."""

    CHANCE_NODES: ClassVar[bool] = True
    OPTIONS: ClassVar[dict[str, Option]] = weights(inf, inf, 0.0)

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        chosen = self.options
        self._weights = kernels.Weights(chosen["alpha"], chosen["beta"], chosen["gamma"], chosen["predictive"])
        self._threshold = kernels.NO_PRUNING if chosen["prune"] is None else float(chosen["prune"])
        self._state = kernels.State(*(np.zeros(len(game.form.cell)) for _ in kernels.State._fields))
        self._restored()

    def _restored(self) -> None:
        kernels.restart(self.game.form, self._state, self._weights)

    def tables(self) -> dict[str, Array]:
        return {"regret": self._state.regret, "average": self._state.average, "last": self._state.last}

    def policy(self) -> Policy:
        return Policy.from_realisation_plan(self.game, self._state.average, self.card)

    def current_policy(self) -> Policy:
        return Policy.from_realisation_plan(self.game, self._state.plan, self.card)

    def _advance(self, count: int) -> int:
        alternating = bool(self.options["alternating"])
        return kernels.iterate(self.game.form, self._state, self._weights, self.iterations, count, alternating, self._threshold)


class CFRPlus(CFR):
    OPTIONS: ClassVar[dict[str, Option]] = weights(inf, -inf, 1.0)


class LinearCFR(CFR):
    OPTIONS: ClassVar[dict[str, Option]] = weights(1.0, 1.0, 1.0)


class DiscountedCFR(CFR):
    OPTIONS: ClassVar[dict[str, Option]] = weights(1.5, 0.0, 2.0)


class PredictiveCFRPlus(CFR):
    OPTIONS: ClassVar[dict[str, Option]] = weights(inf, -inf, 2.0, predictive=True)
