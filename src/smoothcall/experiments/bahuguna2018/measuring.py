"""The experiments of bahuguna2018, part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
from numba.np.ufunc import parallel
from scipy.special import rel_entr

from smoothcall.evaluation.equilibria import bets_of, equilibrium_distance
from smoothcall.evaluation.exploitability import evaluate
from smoothcall.experiments.bahuguna2018.equations import expected_utilities, furthest, policy_of, variable_keys, variables
from smoothcall.experiments.bahuguna2018.facts import facts
from smoothcall.experiments.bahuguna2018.forms import Form, Sweeps, Timed, pruning_of
from smoothcall.experiments.bahuguna2018.settings import CALIBRATED, GAMES, RPS_ITERATIONS, TRIALS, Size
from smoothcall.experiments.curves import spaced
from smoothcall.experiments.parts import Parts
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.kernels.experiments.iterative import ALL, IN_PLACE, INDEXED, NONE, PRECOMPUTED, REUSED
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.solvers import solver

RPS_LONGER = 1_000_000  # iterations, beyond the document's
POINTS = 40  # evaluations of a trial, log-spaced
CHUNK = 50_000  # iterations of one form before it is the next form's turn
READINGS = ("action", "reach")  # of Section 6.1's threshold, see `kernels.experiments.steps`
THRESHOLDS = (100.0, 1_000.0, 10_000.0, 100_000.0)  # times 1 / iterations: how far pruning may go
NUMBA_THREADS: Any = parallel
IMPROVEMENT_BATCH = 500  # iterations
IMPROVED = {  # forms without pruning whose speed is compared: implementation, improvements of Section 6.3
    "recursive": ("recursive", NONE),
    "iterative": ("iterative", NONE),
    "terminal utilities precomputed": ("iterative", PRECOMPUTED),
    "rows in arrays": ("iterative", INDEXED),
    "nothing passed to functions": ("iterative", IN_PLACE),
    "tables made once": ("iterative", REUSED),
    "optimised: all four": ("iterative", ALL),
    "compact": ("compact", NONE),
}
PLAIN = "recursive"  # the form of the document's Figs 7.2 to 7.4


def measure(parts: Parts, size: Size, folder: Path) -> None:
    parts.measure("games", {}, facts)
    parts.measure("rps", {"trials": TRIALS, "iterations": RPS_LONGER}, _rock_paper_scissors)
    trials = {"iterations": size.iterations, "trials": size.trials}
    readings = parts.measure("readings", trials, partial(_readings, size, parts))
    threshold = readings["action"]["threshold"]
    parts.measure("thresholds", trials, partial(_thresholds, size, parts))
    for played in GAMES:
        bets = []
        for trial in range(size.trials):
            settings = {"seed": trial, "iterations": size.iterations, "threshold": threshold, "points": POINTS}
            name = f"{played}, trial {trial}"
            bets.append(parts.measure(name, settings, partial(_trial, game(played), trial, size, threshold))["bets"][-1])
        parts.measure(f"{played}, mean of trials", trials, partial(_mean_of_trials, game(played), np.mean(bets, axis=0)))
        settings = {**trials, "timed": size.level_iterations, "threshold": threshold, "batches": size.batches}
        parts.measure(f"{played}, threads", settings, partial(_threads, game(played), size, threshold))
        settings = {"trials": size.trials, "batches": size.batches, "batch": IMPROVEMENT_BATCH}
        parts.measure(f"{played}, improvements", settings, partial(_improvements, game(played), size))
        parts.measure(f"{played}, external sampling", trials, partial(_external, game(played), size))


# Fig 7.1


def _rock_paper_scissors() -> dict[str, Any]:
    """Measure [trials, points]: divergence and distance, means of both players; epsilon and the utilities' distance from 0."""
    made, even = game("rps"), np.full(3, 1 / 3)
    points = [*range(1, 21), *range(25, 101, 5), *range(110, RPS_ITERATIONS + 1, 10), *spaced(2_000, RPS_LONGER, 20)]
    found: dict[str, list[list[float]]] = {"kullback_leibler": [], "euclidean": [], "epsilon": [], "utilities_apart": []}
    for trial in range(TRIALS):
        learner = solver("regret-matching", made, seed=trial)
        rows = []
        for point in points:
            learner.run(point - learner.iterations)
            policy = learner.policy()
            divergence = rel_entr(even, policy.table).sum(axis=1).mean()
            distance = np.sqrt(((policy.table - even) ** 2).sum(axis=1)).mean()
            played = evaluate(made, policy)
            rows.append((divergence, distance, played.epsilon, max(map(abs, played.values))))
        for name, column in zip(found, zip(*rows, strict=True), strict=True):
            found[name].append([float(each) for each in column])
    return {"points": points, **found}


# Table 7.1: the threshold


def _nodes(played: str, rule: str, threshold: float, size: Size) -> list[float]:
    """Return the nodes of an iteration in each trial."""
    found = []
    for seed in range(size.trials):
        form = Form(game(played), "compact", seed=seed, pruning=pruning_of(rule, threshold))
        form.run(size.iterations)
        found.append(form.nodes / size.iterations)
    return found


def _readings(size: Size, parts: Parts) -> dict[str, Any]:
    """Fit the threshold of each reading to the published nodes of two players; count the nodes of both games with it."""
    found = {}
    for rule in READINGS:
        parts.tell(f"threshold, {rule}")
        threshold = _fit(rule, size)
        found[rule] = {"threshold": threshold} | {played: _nodes(played, rule, threshold, size) for played in GAMES}
    return found


def _fit(rule: str, size: Size, steps: int = 3) -> float:
    """Return the threshold, to three digits, at which an iteration has CALIBRATED nodes. Nodes fall with the threshold."""

    def nodes_at(exponent: float) -> float:
        return float(np.mean(_nodes("kuhn", rule, 10**exponent, size)))

    ends = [log10(5 / size.iterations), log10(200 / size.iterations)]
    nodes = [nodes_at(end) for end in ends]
    for _ in range(steps):
        middle = sum(ends) / 2
        found = nodes_at(middle)
        side = 0 if found > CALIBRATED else 1
        ends[side], nodes[side] = middle, found
    return float(f"{10 ** np.interp(CALIBRATED, nodes[::-1], ends[::-1]):.3g}")


def _thresholds(size: Size, parts: Parts) -> list[dict[str, Any]]:
    """Measure nodes of an iteration and epsilon of each trial at other thresholds; our pruning at the largest."""
    found = []
    for rule, times in [*(("action", times) for times in THRESHOLDS), ("unplayed", THRESHOLDS[-1])]:
        threshold = float(f"{times / size.iterations:.2g}")
        parts.tell(f"threshold {threshold:g}, {rule}")
        figures: dict[str, Any] = {"rule": rule, "threshold": threshold}
        for played in GAMES:
            nodes, epsilon = [], []
            for seed in range(size.trials):
                form = Form(game(played), "compact", seed=seed, pruning=pruning_of(rule, threshold))
                form.run(size.iterations)
                nodes.append(form.nodes / size.iterations)
                epsilon.append(evaluate(form.game, form.policy()).epsilon)
            figures[played] = {"nodes": nodes, "epsilon": epsilon}
        found.append(figures)
    return found


# Figs 7.2 to 7.5 and 7.7, Tables 7.1 and 7.3


def _trial(made: Game, seed: int, size: Size, threshold: float) -> dict[str, Any]:
    """Run one trial of all forms with the same deals, by turns, and evaluate them along the way."""
    pruned = pruning_of("action", threshold)
    forms: dict[str, Timed] = {
        PLAIN: Form(made, "recursive", seed=seed),
        "recursive, pruned": Form(made, "recursive", seed=seed, pruning=pruned),
        "iterative": Form(made, "iterative", seed=seed),
        "iterative, pruned": Form(made, "iterative", seed=seed, pruning=pruned),
        "optimised, pruned": Form(made, "optimised", seed=seed, pruning=pruned),
        "sweeps": Sweeps(made, seed=seed, sampling="chance"),
        "sweeps, pruned": Sweeps(made, seed=seed, sampling="chance", prune=threshold),
    }
    points = spaced(100, size.iterations, POINTS)
    epsilon: dict[str, list[float]] = {name: [] for name in forms}
    seconds: dict[str, list[float]] = {name: [] for name in forms}
    values, bets, apart = [], [], []
    for point in points:
        while (left := point - forms[PLAIN].iterations) > 0:
            for form in forms.values():
                form.run(min(left, CHUNK))
        for name, form in forms.items():
            policy, seconds_so_far = form.policy(), form.seconds
            found = evaluate(made, policy)
            epsilon[name].append(found.epsilon)
            seconds[name].append(seconds_so_far)
            if name == PLAIN:
                values.append(found.values)
                apart.append(float(abs(np.subtract(found.values, expected_utilities(variables(policy)))).max()))
                bets.append(bets_of(policy))
    return {
        "points": points,
        "epsilon": epsilon,
        "seconds": seconds,
        "clock": {name: form.wall for name, form in forms.items()},
        "nodes": {name: form.nodes for name, form in forms.items()},
        "values": values,
        "utilities_apart": apart,
        "bets": bets if made.players == 2 else bets[-1:],
        **_tested(forms[PLAIN].policy()),
        "forms_apart": _apart(forms),
    }


def _tested(policy: Policy) -> dict[str, Any]:
    """Test the last policy as Section 5.2 does, and compare it with the closest equilibrium."""
    distance, variable = furthest(variables(policy))
    closest = equilibrium_distance(policy.game, policy)
    return {
        "equations": distance,
        "variable": variable,
        "closest": float(abs(bets_of(policy) - bets_of(closest.closest)).max()),
        "closest_bets": bets_of(closest.closest),
        "kullback_leibler": closest.kullback_leibler,
        "least": float(policy.table[policy.game.legal].min()),
    }


def _mean_of_trials(made: Game, bets: Array) -> dict[str, Any]:
    """Test the mean of the trials' variables like a single trial."""
    averaged = dict(zip(made.keys, bets.tolist(), strict=True))
    policy = policy_of(made, {name: averaged[key] for name, key in variable_keys(made).items()})
    return {**_tested(policy), "epsilon": evaluate(made, policy).epsilon}


def _apart(forms: Mapping[str, Timed]) -> float:
    """Return the largest difference between the probabilities that the document's forms have learned.

    Our sweeps add numbers in another order, and rounding grows over millions of iterations.
    """
    pairs = [("iterative", PLAIN), ("iterative, pruned", "recursive, pruned"), ("optimised, pruned", "recursive, pruned")]
    return max(float(abs(forms[one].policy().table - forms[other].policy().table).max()) for one, other in pairs)


# Table 7.2, Fig 7.6


def _threads(made: Game, size: Size, threshold: float) -> dict[str, Any]:
    """Time the iterative form on one thread and with the nodes of a level in parallel, and our solver on one thread and two.

    Both continue tables of half a trial, because pruning grows during a trial. Figures are microseconds of an iteration by the
    clock, of the fastest batch: a batch that another program interrupts says nothing about the form.
    """
    pruned, half = pruning_of("action", threshold), size.iterations // 2
    one, levels, ours, shared, apart = [], [], [], [], 0.0
    for seed in range(size.trials):
        start = Form(made, "compact", seed=seed, pruning=pruned)
        start.run(half)
        timed = [Form(made, name, seed=seed, pruning=pruned) for name in ("iterative", "levels")]
        for form in timed:
            form.learned[...], form.generator[...] = start.learned, start.generator
        singly, parallel = _fastest(timed, max(1, size.level_iterations // size.batches), size.batches)
        one.append(singly)
        levels.append(parallel)
        apart = max(apart, float(abs(timed[0].learned - timed[1].learned).max()))
        sweeps = [Sweeps(made, seed=seed, threads=threads, sampling="chance") for threads in (1, 2)]
        singly, parallel = _fastest(sweeps, max(1, size.iterations // 200), size.batches // 2)  # starting threads takes 0.1 ms
        ours.append(singly)
        shared.append(parallel)
    return {
        "threads": NUMBA_THREADS.get_num_threads(),
        "layer": NUMBA_THREADS.threading_layer(),
        "one": one,
        "levels": levels,
        "levels_apart": apart,
        "ours_one": ours,
        "ours_two": shared,
    }


def _fastest(forms: Sequence[Timed], batch: int, batches: int) -> list[float]:
    """Run `batches` of each form, by turns. Return the microseconds of an iteration in the fastest batch of each."""
    best = [np.inf] * len(forms)
    for _ in range(batches):
        for index, form in enumerate(forms):
            before = form.wall
            form.run(batch)
            best[index] = min(best[index], (form.wall - before) / batch * 1e6)
    return best


# Section 6.3


def _improvements(made: Game, size: Size) -> dict[str, list[float]]:
    """Time the improvements of Section 6.3 one by one: microseconds of an iteration by the clock, of the fastest batch."""
    found: dict[str, list[float]] = {name: [] for name in IMPROVED}
    for seed in range(size.trials):
        forms = [Form(made, form, seed=seed, improved=improved) for form, improved in IMPROVED.values()]
        for name, best in zip(IMPROVED, _fastest(forms, IMPROVEMENT_BATCH, size.batches), strict=True):
            found[name].append(best)
    return found


# Section 8.2: Monte-Carlo CFR


def _external(made: Game, size: Size) -> dict[str, Any]:
    """Measure epsilon of external sampling over nodes visited and seconds, up to a tenth of a trial's iterations."""
    points = spaced(100, size.iterations // 10, POINTS)
    found: dict[str, list[list[float]]] = {"epsilon": [], "seconds": [], "nodes": []}
    for seed in range(size.trials):
        learner = Sweeps(made, seed=seed, sampling="external")
        rows = []
        for point in points:
            learner.run(point - learner.iterations)
            rows.append((evaluate(made, learner.policy()).epsilon, learner.seconds, float(learner.nodes)))
        for name, column in zip(found, zip(*rows, strict=True), strict=True):
            found[name].append(list(column))
    return {"points": points, **found}
