"""The experiments of bahuguna2018, part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf, log10
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numba.np.ufunc import parallel
from scipy.special import rel_entr

from smoothcall.evaluation.equilibria import bets_of, equilibrium_distance
from smoothcall.evaluation.exploitability import evaluate
from smoothcall.experiments.bahuguna2018.equations import expected_utilities, furthest, policy_of, variable_keys, variables
from smoothcall.experiments.bahuguna2018.facts import facts
from smoothcall.experiments.bahuguna2018.forms import NO_PRUNING, Form, Sweeps, Timed, pruning_of
from smoothcall.experiments.bahuguna2018.settings import (
    CALIBRATED,
    GAMES,
    PLAIN,
    POINTS,
    PRUNED,
    RPS_ITERATIONS,
    TRIALS,
    Size,
)
from smoothcall.experiments.curves import spaced
from smoothcall.experiments.parts import Parts
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.kernels.experiments.iterative import ALL, IN_PLACE, INDEXED, NONE, PRECOMPUTED, REUSED
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.solvers import solver

CHUNK = 50_000  # iterations of one form before it is the next form's turn
READINGS = ("action", "reach")  # of Section 6.1's threshold, see `kernels.experiments.steps`
THRESHOLDS = (100.0, 3_000.0, 100_000.0)  # times 1 / iterations: how far pruning may go
NUMBA_THREADS: Any = parallel
BATCH, LEVEL_BATCH, SWEEP_BATCH = 1_000, 5, 20_000  # iterations of a batch: forms on one thread, levels in parallel, sweeps
LEVEL_SECONDS = 10.0  # at most, of a trial of the full size: on a busy machine an iteration may wait 0.2 s for a thread
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
TIMED = {  # the document's forms whose seconds it prints, and the iterative one without pruning
    "recursive": ("recursive", PLAIN),
    "recursive, pruned": ("recursive", PRUNED),
    "iterative": ("iterative", PLAIN),
    "iterative, pruned": ("iterative", PRUNED),
    "optimised, pruned": ("optimised", PRUNED),
}
LARGER = "leduc"
LARGER_THRESHOLD = 1e-4


def measure(parts: Parts, size: Size, folder: Path) -> None:
    parts.measure("games", {}, facts)
    settings: dict[str, Any] = {"trials": TRIALS, "iterations": size.rps_iterations}
    parts.measure("rps", settings, partial(_rock_paper_scissors, size.rps_iterations))
    trials = {"iterations": size.iterations, "trials": size.trials}
    few = {**trials, "trials": size.few}
    readings = parts.measure("readings", few, partial(_readings, size, parts))
    threshold = readings["action"]["threshold"]
    for played in GAMES:
        settings = {**trials, "threshold": threshold, "batches": size.batches, "batch": LEVEL_BATCH}
        parts.measure(f"{played}, threads", settings, partial(_threads, game(played), size, threshold))
        settings = {"trials": size.trials, "batches": size.batches, "batch": BATCH}
        parts.measure(f"{played}, improvements", settings, partial(_improvements, game(played), size))
        settings = {"trials": size.trials, "iterations": size.external_iterations}
        parts.measure(f"{played}, external sampling", settings, partial(_external, game(played), size))
    settings = {"trials": size.trials, "iterations": size.larger_iterations, "threshold": LARGER_THRESHOLD}
    parts.measure("larger game", settings, partial(_larger, size))
    parts.measure(
        "thresholds", {**trials, "trials": size.others, "fitted": threshold}, partial(_thresholds, size, parts, threshold)
    )
    for trial in range(size.trials):
        for played in GAMES:
            settings = {"seed": trial, "iterations": size.iterations, "threshold": threshold, "sample": size.sample}
            parts.measure(f"{played}, trial {trial}", settings, partial(_trial, game(played), trial, size, threshold))
    for played in GAMES:
        bets = [parts.parts[f"{played}, trial {trial}"].figures["bets"][-1] for trial in range(size.trials)]
        parts.measure(f"{played}, mean of trials", trials, partial(_mean_of_trials, game(played), np.mean(bets, axis=0)))
        settings = {"seed": 0, "iterations": size.together, "threshold": threshold}
        parts.measure(f"{played}, forms together", settings, partial(_together, game(played), size.together, threshold))


# Fig 7.1


def _rock_paper_scissors(longer: int) -> dict[str, Any]:
    """Measure [trials, points]: divergence and distance, means of both players; epsilon and the utilities' distance from 0."""
    made, even = game("rps"), np.full(3, 1 / 3)
    points = [*range(1, 21), *range(25, 101, 5), *range(110, RPS_ITERATIONS + 1, 10), *spaced(2_000, longer, 20)]
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


def _learned(played: str, rule: str, threshold: float, iterations: int, trials: int) -> dict[str, list[float]]:
    """Return the nodes of an iteration and the last epsilon of each trial."""
    nodes, epsilon = [], []
    for seed in range(trials):
        form = Form(game(played), "compact", seed=seed, pruning=pruning_of(rule, threshold))
        form.run(iterations)
        nodes.append(form.nodes / iterations)
        epsilon.append(evaluate(form.game, form.policy()).epsilon)
    return {"nodes": nodes, "epsilon": epsilon}


def _readings(size: Size, parts: Parts) -> dict[str, Any]:
    """Fit the threshold of each reading to the published nodes of two players; run both games with it."""
    found = {}
    for rule in READINGS:
        parts.tell(f"threshold, {rule}")
        threshold = _fit(rule, size)
        learned = {played: _learned(played, rule, threshold, size.iterations, size.few) for played in GAMES}
        found[rule] = {"threshold": threshold, **learned}
    return found


def _fit(rule: str, size: Size, steps: int = 3) -> float:
    """Return the threshold, to three digits, at which an iteration has CALIBRATED nodes. Nodes fall with the threshold."""

    def nodes_at(exponent: float) -> float:
        return float(np.mean(_learned("kuhn", rule, 10**exponent, size.iterations, size.few)["nodes"]))

    ends = [log10(5 / size.iterations), log10(200 / size.iterations)]
    nodes = [nodes_at(end) for end in ends]
    for _ in range(steps):
        middle = sum(ends) / 2
        found = nodes_at(middle)
        side = 0 if found > CALIBRATED else 1
        ends[side], nodes[side] = middle, found
    return float(f"{10 ** np.interp(CALIBRATED, nodes[::-1], ends[::-1]):.3g}")


def _thresholds(size: Size, parts: Parts, fitted: float) -> list[dict[str, Any]]:
    """Measure nodes and epsilon at other thresholds, of both readings; of our own pruning at the fitted one and the largest."""
    found, others = [], [float(f"{times / size.iterations:.2g}") for times in THRESHOLDS]
    rules = [*((rule, threshold) for rule in READINGS for threshold in others), ("unplayed", fitted), ("unplayed", others[-1])]
    for rule, threshold in rules:
        parts.tell(f"threshold {threshold:g}, {rule}")
        learned = {played: _learned(played, rule, threshold, size.iterations, size.others) for played in GAMES}
        found.append({"rule": rule, "threshold": threshold, **learned})
    return found


# Figs 7.2 to 7.5 and 7.7, Tables 7.1 and 7.3


def _trial(made: Game, seed: int, size: Size, threshold: float) -> dict[str, Any]:
    """Run one trial without and with pruning, evaluate it along the way, and time all forms on samples of its iterations.

    The compact form learns for all of the document's forms, which learn the same.
    """
    prunings = {PLAIN: NO_PRUNING, PRUNED: pruning_of("action", threshold)}
    compact = {name: Form(made, "compact", seed=seed, pruning=pruning) for name, pruning in prunings.items()}
    forms = {name: Form(made, form, seed=seed, pruning=prunings[learned]) for name, (form, learned) in TIMED.items()}
    points = spaced(100, size.iterations, POINTS)
    epsilon: dict[str, list[float]] = {name: [] for name in compact}
    costs: dict[str, list[float]] = {name: [] for name in forms}
    values, bets, apart = [], [], []
    for point, share in zip(points, _shares(points), strict=True):
        while (left := point - compact[PLAIN].iterations) > 0:
            for learner in compact.values():
                learner.run(min(left, CHUNK))
        policies = {name: learner.policy() for name, learner in compact.items()}
        for name, policy in policies.items():
            epsilon[name].append(evaluate(made, policy).epsilon)
        values.append(evaluate(made, policies[PLAIN]).values)
        apart.append(float(abs(np.subtract(values[-1], expected_utilities(variables(policies[PLAIN])))).max()))
        bets.append(bets_of(policies[PLAIN]))
        for name, cost in _sampled(forms, compact, int(share * size.sample * len(points))).items():
            costs[name].append(cost)
    return {
        "points": points,
        "epsilon": epsilon,
        "seconds": {name: _integrated(points, cost) for name, cost in costs.items()},
        "nodes": {name: learner.nodes for name, learner in compact.items()},
        "values": values,
        "utilities_apart": apart,
        "bets": bets if made.players == 2 else bets[-1:],
        **_tested(compact[PLAIN].policy()),
    }


def _shares(points: Sequence[int]) -> Array:
    """Return the share of all iterations for which each point stands in the trapezoidal rule."""
    ends = np.concatenate([[0], (np.array(points[1:]) + points[:-1]) / 2, points[-1:]])
    return np.diff(ends) / points[-1]


def _sampled(forms: Mapping[str, Form], learners: Mapping[str, Form], count: int) -> dict[str, float]:
    """Continue what the learners have learned by `count` iterations of each form, by turns. Return seconds of an iteration."""
    for name, form in forms.items():
        form.continue_from(learners[TIMED[name][1]])
        form.seconds = 0.0
    done, count = 0, max(count, 100)
    while done < count:
        batch = min(count - done, CHUNK // 10)
        for form in forms.values():
            form.run(batch)
        done += batch
    return {name: form.seconds / count for name, form in forms.items()}


def _integrated(points: Sequence[int], costs: Sequence[float]) -> list[float]:
    """Return the seconds up to each point, from seconds of an iteration at each point."""
    between = np.diff(points) * (np.array(costs[1:]) + costs[:-1]) / 2
    return list(np.cumsum([points[0] * costs[0], *between]))


def _together(made: Game, iterations: int, threshold: float) -> dict[str, Any]:
    """Run all forms with the deals of trial 0, by turns: seconds, nodes, and how far they are from the compact form."""
    prunings = {PLAIN: NO_PRUNING, PRUNED: pruning_of("action", threshold)}
    compact = {name: Form(made, "compact", seed=0, pruning=pruning) for name, pruning in prunings.items()}
    forms = {name: Form(made, form, seed=0, pruning=prunings[learned]) for name, (form, learned) in TIMED.items()}
    while (left := iterations - compact[PLAIN].iterations) > 0:
        for form in (*compact.values(), *forms.values()):
            form.run(min(left, CHUNK))
    return {
        name: {
            "seconds": form.seconds,
            "nodes": form.nodes,
            "apart": float(abs(form.policy().table - compact[TIMED[name][1]].policy().table).max()),
        }
        for name, form in forms.items()
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


# Table 7.2, Fig 7.6


def _threads(made: Game, size: Size, threshold: float) -> dict[str, Any]:
    """Time the iterative form on one thread and with the nodes of a level in parallel, and our solver on one thread and two.

    The forms continue tables of half a trial, because pruning grows during a trial. Figures are microseconds of an iteration by
    the clock, of the fastest batch: a batch that another program interrupts says nothing about the form.
    """
    found: dict[str, list[float]] = {name: [] for name in ("one", "levels", "ours_one", "ours_two")}
    pruned, apart, limit = pruning_of("action", threshold), 0.0, _limit(size)
    start = Form(made, "compact", seed=0, pruning=pruned)
    start.run(size.iterations // 2)
    for seed in range(size.trials):
        forms = [Form(made, name, seed=seed, pruning=pruned) for name in ("iterative", "levels")]
        for form in forms:
            form.continue_from(start)
            form.run(LEVEL_BATCH)
        apart = max(apart, float(abs(forms[0].learned - forms[1].learned).max()))
        times = _fastest(forms, (BATCH, LEVEL_BATCH), size.batches, limit=limit)
        sweeps = [Sweeps(made, seed=seed, threads=threads, sampling="chance") for threads in (1, 2)]
        times += _fastest(sweeps, (SWEEP_BATCH, SWEEP_BATCH), size.batches, limit=limit)
        for name, time in zip(found, times, strict=True):
            found[name].append(time)
    threads = {"threads": NUMBA_THREADS.get_num_threads(), "layer": NUMBA_THREADS.threading_layer()}
    return {**threads, **found, "levels_apart": apart}


def _limit(size: Size) -> float:
    """Return for how many seconds at most the threads of a trial are timed."""
    return LEVEL_SECONDS * size.trials / TRIALS


def _fastest(
    forms: Sequence[Timed], sizes: Sequence[int], batches: int, *, limit: float = inf, clock: bool = True
) -> list[float]:
    """Run `batches` of `sizes` iterations of each form, by turns, for at most `limit` seconds.

    Return the microseconds of an iteration in the fastest batch of each, by the clock or of the processor.
    """
    best, started = [inf] * len(forms), perf_counter()
    for _ in range(batches):
        for index, (form, size) in enumerate(zip(forms, sizes, strict=True)):
            wall, processor = form.wall, form.seconds
            form.run(size)
            best[index] = min(best[index], (form.wall - wall if clock else form.seconds - processor) / size * 1e6)
        if perf_counter() - started > limit:
            break
    return best


# Section 6.3


def _improvements(made: Game, size: Size) -> dict[str, list[float]]:
    """Time the improvements of Section 6.3 one by one: processor microseconds of an iteration, of the fastest batch."""
    found: dict[str, list[float]] = {name: [] for name in IMPROVED}
    for seed in range(size.trials):
        forms = [Form(made, form, seed=seed, improved=improved) for form, improved in IMPROVED.values()]
        times = _fastest(forms, [BATCH] * len(forms), size.batches, clock=False)
        for name, best in zip(IMPROVED, times, strict=True):
            found[name].append(best)
    return found


# Section 8.2: Monte-Carlo CFR


def _external(made: Game, size: Size) -> dict[str, Any]:
    """Measure epsilon of external sampling over nodes visited and seconds."""
    points = spaced(100, size.external_iterations, POINTS)
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


# Section 8.2: a larger game


def _larger(size: Size) -> dict[str, Any]:
    """Measure what pruning and two threads are worth to our sweeps on Leduc hold'em, in each trial."""
    made, names = game(LARGER), ("nodes", "pruned", "epsilon", "pruned_epsilon", "one", "two")
    found: dict[str, list[float]] = {name: [] for name in names}
    for seed in range(size.trials):
        plain, pruned = (Sweeps(made, seed=seed, sampling="chance", prune=prune) for prune in (0.0, LARGER_THRESHOLD))
        for learner in (plain, pruned):
            learner.run(size.larger_iterations)
        threads = [Sweeps(made, seed=seed, threads=threads, sampling="chance") for threads in (1, 2)]
        times = _fastest(threads, (SWEEP_BATCH // 5, SWEEP_BATCH // 5), size.batches, limit=_limit(size))
        nodes = [learner.nodes / size.larger_iterations for learner in (plain, pruned)]
        epsilon = [evaluate(made, learner.policy()).epsilon for learner in (plain, pruned)]
        for name, figure in zip(found, (*nodes, *epsilon, *times), strict=True):
            found[name].append(figure)
    return {"tree": made.tree.nodes, **found}
