"""Counterfactual regret minimisation, full width: CFR, CFR+, linear, discounted and predictive, as weights over one traversal.

Zinkevich et al. 2007 (CFR), Tammelin 2014 (CFR+), Brown and Sandholm 2019 (linear, discounted), Farina, Kroer and
Sandholm 2021 (predictive).
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import ClassVar

import numpy as np

from smoothcall.information.game import Game
from smoothcall.kernels import cfr as kernels
from smoothcall.kernels.sequences import clear, collect
from smoothcall.kernels.tables import Array
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.solvers.base import Solver


def weights(alpha: float, beta: float, gamma: float, *, predictive: bool = False) -> dict[str, Option]:
    """The options of a member of the family: how it weighs the past."""
    return {
        "alpha": Option(alpha, "after iteration t, positive regrets count t^alpha / (t^alpha + 1); inf keeps them"),
        "beta": Option(beta, "the same for negative regrets; -inf drops them"),
        "gamma": Option(gamma, "iteration t counts t^gamma in the average", low=0),
        "predictive": Option(predictive, "play against the regrets plus the last instantaneous ones"),
        "alternating": Option(True, "players learn in turn; false: all at once"),
        "prune": Option(None, "skip what the others reach with at most this probability; 0 loses nothing", 0, 1, kind=float),
    }


class CFR(Solver):
    """One iteration updates every player once, over all deals. Threads share the sweep over the results."""

    THREADS: ClassVar[str] = "the last digits depend on the number of threads, not on their timing"
    OPTIONS: ClassVar[dict[str, Option]] = weights(inf, inf, 0.0)

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        chosen = self.options
        self._weights = kernels.Weights(chosen["alpha"], chosen["beta"], chosen["gamma"], chosen["predictive"])
        self._threshold = -1.0 if chosen["prune"] is None else float(chosen["prune"])
        self._state = kernels.State(*(np.zeros(len(game.sequence_cells)) for _ in kernels.State._fields))
        self._restored()

    def _restored(self) -> None:
        kernels.restart(self.game.form, self._state, self._weights)

    def tables(self) -> dict[str, Array]:
        return {"regret": self._state.regret, "average": self._state.average, "last": self._state.last}

    def policy(self) -> Policy:
        return Policy.from_plan(self.game, self._state.average, self.card)

    def current_policy(self) -> Policy:
        return Policy.from_plan(self.game, self._state.plan, self.card)

    def _advance(self, count: int) -> int:
        if self.threads > 1:
            return self._advance_on_threads(count)
        alternating = bool(self.options["alternating"])
        return kernels.iterate(self.game.form, self._state, self._weights, self.iterations, count, alternating, self._threshold)

    def _advance_on_threads(self, count: int) -> int:
        """The same iterations, each thread collecting a fixed share of the results; shares are added in order."""
        form, state = self.game.form, self._state
        bounds = np.linspace(0, form.result_sequence.shape[1], self.threads + 1).astype(int)
        gains = np.empty((self.threads, len(state.gain)))

        def share(thread: int, player: int) -> None:
            clear(form, player, gains[thread])
            collect(form, player, state.plan, gains[thread], bounds[thread], bounds[thread + 1])

        with ThreadPoolExecutor(self.threads - 1) as pool:
            for iteration in range(self.iterations + 1, self.iterations + count + 1):
                for player in range(self.game.players):
                    others = [pool.submit(share, thread, player) for thread in range(1, self.threads)]
                    kernels.accumulate(form, player, state, float(iteration) ** self._weights.gamma)
                    share(0, player)
                    for other in others:
                        other.result()
                    kernels.gather(form, player, gains, state.gain)
                    kernels.learn(form, player, state, self._weights, iteration)
                    if self.options["alternating"]:
                        kernels.match_regrets(form, player, state, self._weights.predictive)
                if not self.options["alternating"]:
                    self._restored()
        return count * self.game.players * int(form.node_deals.sum())


class CFRPlus(CFR):
    OPTIONS: ClassVar[dict[str, Option]] = weights(inf, -inf, 1.0)


class LinearCFR(CFR):
    OPTIONS: ClassVar[dict[str, Option]] = weights(1.0, 1.0, 1.0)


class DiscountedCFR(CFR):
    OPTIONS: ClassVar[dict[str, Option]] = weights(1.5, 0.0, 2.0)


class PredictiveCFRPlus(CFR):
    OPTIONS: ClassVar[dict[str, Option]] = weights(inf, -inf, 2.0, predictive=True)
