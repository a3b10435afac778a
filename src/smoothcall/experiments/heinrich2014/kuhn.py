"""IS-UCT and Smooth IS-UCT on Kuhn poker: errors by episodes, initial pot, mixing schedule and exploration constant."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from smoothcall.evaluation.equilibria import dominated_error, equilibrium_distance
from smoothcall.evaluation.exploitability import nash_conv
from smoothcall.experiments.curves import follow
from smoothcall.experiments.heinrich2014.figures import mean, save, spread
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.kernels.tables import CALL, Array
from smoothcall.policy import Policy
from smoothcall.solvers import Solver, solver

EVERY = 10_000  # episodes between measurements (Section Kuhn Poker)
UCT, SMOOTH, SLOW = "UCT", "Smooth UCT (3)", "Smooth UCT (4)"
AGENTS: dict[str, tuple[str, float, dict[str, Any]]] = {  # solver, exploration constant of the document, other options
    UCT: ("uct", 2.0, {}),
    SMOOTH: ("smooth-uct", 1.75, {"mixing": "greatest"}),
    SLOW: ("smooth-uct", 1.75, {"mixing": "slow"}),
}
STANDARD = 2  # the pot of Kuhn poker
POTS = (2, 4, 8, 16)
SWEPT = 8  # the pot of Figure 2
CURVES = ((2, 1.0), (8, 1.0), (8, 4.0))  # pot, and what the document's exploration constants are multiplied by
VARIANTS = tuple((pot, factor) for pot in POTS for factor in sorted({1.0, pot / STANDARD}))
FACTORS = (0.5, 1.0, 2.0, 4.0, 8.0)
MEASURES = {"squared": "SQ-ERR", "dominated": "DOM-ERR", "nash_conv": "NashConv"}
RARE = 1e-4  # of the episodes
CALLED = ("Q:r", "Q:cr")  # information states whose calls keep J from betting
BEFORE = 10  # rates of convergence are measured over the last decade of episodes


def curves_name(pot: int, factor: float) -> str:
    return f"curves, pot {pot}, c x {factor:g}"


def variant_name(pot: int, factor: float) -> str:
    return f"pot {pot}, c x {factor:g}"


def sweep_name(factor: float) -> str:
    return f"exploration constant x {factor:g}"


def calls_name(pot: int) -> str:
    return f"calls with Q, pot {pot}"


def curves(pot: int, factor: float, episodes: int, runs: int) -> dict[str, Any]:
    """Return, by agent, the errors of its average policy every EVERY episodes, and the rates of their decline."""
    made = game("kuhn", pot=pot)
    points = list(range(EVERY, episodes + 1, EVERY))
    found: dict[str, Any] = {}
    for label in AGENTS:
        followed = follow(_builder(made, label, factor), runs, points, _measures(made))
        early = np.searchsorted(points, max(points[0], episodes // BEFORE))
        figures = {name: spread(figure) for name, figure in followed.figures.items()}
        rates = {name: _rate(figure[:, early], figure[:, -1]) for name, figure in followed.figures.items()}
        first = {name: figure[:, 0] for name, figure in followed.figures.items()}
        found[label] = {"points": points, **figures, "rates": rates, "first": first}
    return found


def variant(pot: int, factor: float, episodes: int, seeds: int, rare: float) -> dict[str, Any]:
    """Return, by agent, the mean errors of the average policies after the last episode, and the rates of their decline.

    `stuck` is the share of seeds with an information state that was visited in fewer than `rare` of the episodes.
    """
    made = game("kuhn", pot=pot)
    return {label: _ends(_builder(made, label, factor), made, episodes, seeds, rare) for label in AGENTS}


def calls(pot: int, factor: float, episodes: int, seeds: int) -> dict[str, Any]:
    """Return how often Smooth UCT (3) calls a bet with Q, and how often the closest equilibrium does, by information state."""
    made = game("kuhn", pot=pot)

    def ours(key: str, learner: Solver) -> float:
        return _called(made, learner.policy(), key)

    def closest(key: str, learner: Solver) -> float:
        return _called(made, equilibrium_distance(made, learner.policy()).closest, key)

    measures: dict[str, Callable[[Any], float]] = {}
    for key in CALLED:
        measures |= {f"{key}, ours": partial(ours, key), f"{key}, equilibrium": partial(closest, key)}
    followed = follow(_builder(made, SMOOTH, factor), seeds, [episodes], measures)
    return {name: save(mean(figure[:, -1])) for name, figure in followed.figures.items()}


def _called(made: Game, policy: Policy, key: str) -> float:
    return float(policy.weights[made.rows(key)[0], CALL] / policy.scale)


def exact_folds(episodes: int, seeds: int, rare: float) -> dict[str, Any]:
    """Return the same figures for agents with exact fold values, in standard Kuhn poker."""
    made = game("kuhn")
    return {label: _ends(_builder(made, label, 1.0, folds="exact"), made, episodes, seeds, rare) for label in AGENTS}


def _ends(build: Callable[[int], Solver], made: Game, episodes: int, seeds: int, rare: float) -> dict[str, Any]:
    measures = _measures(made) | {
        "stuck": lambda learner: float(learner.tables()["visits"].sum(axis=1).min() < rare * learner.iterations)
    }
    followed = follow(build, seeds, [max(1, episodes // BEFORE), episodes], measures)
    figures = {name: save(mean(figure[:, -1])) for name, figure in followed.figures.items()}
    rates = {name: save(mean(_rate(*followed.figures[name].T))) for name in MEASURES}
    return {**figures, "rates": rates}


def _rate(early: Array, late: Array) -> Array:
    """Return [seeds] the decline of an error over a decade of episodes, as a power of ten: -1 where it is a tenth."""
    rate: Array = np.log10(late / early)
    return rate


def _measures(made: Game) -> dict[str, Callable[[Any], float]]:
    return {
        "squared": lambda learner: equilibrium_distance(made, learner.policy()).squared_error,
        "dominated": lambda learner: dominated_error(made, learner.policy()),
        "nash_conv": lambda learner: nash_conv(made, learner.policy()),
    }


def _builder(made: Game, label: str, factor: float, folds: str = "sampled") -> Callable[[int], Solver]:
    """Return a function of the seed. The document learns the value of a fold by sampling it."""
    name, c, options = AGENTS[label]
    return lambda seed: solver(name, made, seed=seed, c=c * factor, folds=folds, **options)
