"""Tree search beside CFR on Kuhn and Leduc: NashConv over iterations, nodes, seconds; and the cost of Smooth UCT's mixing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from smoothcall.evaluation.exploitability import nash_conv
from smoothcall.experiments.curves import follow, spaced
from smoothcall.experiments.heinrich2014.figures import mean, save, spread
from smoothcall.experiments.heinrich2014.kuhn import AGENTS, SMOOTH, UCT
from smoothcall.information.named_games import game
from smoothcall.solvers import Solver, solver

GAMES = ("kuhn", "leduc")
LEDUC_C = 18.0  # of both tree searches on Leduc, as macmanus2019 calibrated it
POINTS = 25  # of a curve
HALF = "Smooth UCT, eta = 1/2"
EARLY = 1_000  # episodes at which initial learning is compared


@dataclass(frozen=True, slots=True)
class Compared:
    """A solver of the comparison."""

    solver: str
    options: dict[str, Any]
    iterations: dict[str, int]  # by game; the tree searches and outcome sampling have as many
    sampled: bool = True  # whether it has a random seed

    def options_on(self, name: str) -> dict[str, Any]:
        return {**self.options, **({"c": LEDUC_C} if "c" in self.options and name == "leduc" else {})}


TIMED: dict[str, tuple[str, dict[str, Any]]] = {  # UCT first
    UCT: ("uct", {}),
    SMOOTH: ("smooth-uct", {"mixing": "greatest"}),
    HALF: ("smooth-uct", {"mixing": "constant", "eta0": 0.5}),
}
EPISODES = {"kuhn": 10_000_000, "leduc": 10_000_000}
OUTCOME = "MCCFR, outcome"
COMPARED = {
    UCT: Compared("uct", {"folds": "sampled", "c": 2.0}, EPISODES),
    SMOOTH: Compared("smooth-uct", {"folds": "sampled", "c": 1.75, "mixing": "greatest"}, EPISODES),
    OUTCOME: Compared("mccfr", {"sampling": "outcome"}, EPISODES),
    "MCCFR, external": Compared("mccfr", {}, {"kuhn": 3_000_000, "leduc": 1_000_000}),
    "CFR+": Compared("cfr+", {}, {"kuhn": 300_000, "leduc": 10_000}, sampled=False),
    "XFP": Compared("xfp", {}, {"kuhn": 300_000, "leduc": 10_000}, sampled=False),
}


def compare(name: str, label: str, share: float, seeds: int) -> dict[str, Any]:
    """Return NashConv over iterations, with the nodes visited and the seconds of CPU time up to each point."""
    made, which = game(name), COMPARED[label]
    points = spaced(10, max(20, round(which.iterations[name] * share)), POINTS)
    found = {kind: np.empty((seeds if which.sampled else 1, len(points))) for kind in ("nodes", "seconds", "nash_conv")}
    for seed in range(len(found["nodes"])):
        learner = solver(which.solver, made, seed=seed, **which.options_on(name))
        learner.prepare()
        spent = 0.0
        for index, point in enumerate(points):
            started = process_time()
            learner.run(point - learner.iterations)
            spent += process_time() - started
            found["nodes"][seed, index], found["seconds"][seed, index] = learner.nodes, spent
            found["nash_conv"][seed, index] = nash_conv(made, learner.policy())
    early = found["nash_conv"][:, int(np.searchsorted(points, min(EARLY, points[-1])))]
    return {
        "iterations": points,
        "nodes": found["nodes"].mean(axis=0),
        "seconds": found["seconds"].mean(axis=0),
        "nash_conv": spread(found["nash_conv"]),
        "early": early,
    }


def first_learning(name: str, points: Sequence[int], seeds: int) -> dict[str, Any]:
    """Return the mean NashConv of UCT, Smooth UCT and outcome sampling after few episodes, by solver and episodes."""
    made, found = game(name), {}
    for label in (UCT, SMOOTH, OUTCOME):
        which = COMPARED[label]

        def build(seed: int, which: Compared = which) -> Solver:
            return solver(which.solver, made, seed=seed, **which.options_on(name))

        followed = follow(build, seeds, points, {"nash_conv": lambda learner: nash_conv(made, learner.policy())})
        found[label] = {
            str(point): save(mean(figure)) for point, figure in zip(points, followed.figures["nash_conv"].T, strict=True)
        }
    return found


def constant_mixing(episodes: int) -> dict[str, Any]:
    """Return the largest difference of visits between UCT and Smooth UCT with eta = 1, by game, seed 0."""
    found = {}
    for name in GAMES:
        made = game(name)
        one = solver("uct", made, c=2.0, folds="sampled")
        other = solver("smooth-uct", made, c=2.0, folds="sampled", mixing="constant", eta0=1.0)
        one.run(episodes)
        other.run(episodes)
        found[name] = float(np.abs(one.tables()["visits"] - other.tables()["visits"]).max())
    return found


def overhead(episodes: int, pairs: int) -> dict[str, Any]:
    """Return the CPU time of a node in Smooth UCT divided by that in UCT, by game and mixing schedule; timed in turns."""
    found = {}
    for name in GAMES:
        made, samples = game(name), np.empty((pairs, len(TIMED)))
        c = LEDUC_C if name == "leduc" else AGENTS[UCT][1]
        for seed in range(pairs):
            for place, (algorithm, options) in enumerate(TIMED.values()):
                learner = solver(algorithm, made, seed=seed, c=c, folds="sampled", **options)
                learner.prepare()
                started = process_time()
                learner.run(episodes)
                samples[seed, place] = (process_time() - started) / learner.nodes
        ratios = samples[:, 1:] / samples[:, :1]
        found[name] = {label: save(mean(ratio)) for label, ratio in zip(list(TIMED)[1:], ratios.T, strict=True)}
    return found
