"""Rows on what is learned: Sections 7.1 and 7.2, and epsilon with pruning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from smoothcall.experiments.bahuguna2018.data import Trials, estimate, settled
from smoothcall.experiments.bahuguna2018.settings import EPSILON, GAMES, RPS_ITERATIONS
from smoothcall.experiments.verdicts import Above, Below, Deviation, Every, Measured, Row, deviating, difference, share
from smoothcall.kernels.tables import Array

FREE_2P = ("J:", "K:", "Q:cr")  # information states whose equilibrium probability depends on alpha
FIGURES = {"kuhn": "Fig 7.3", "kuhn-3p": "Fig 7.4"}
PLAIN = "recursive"
FAR = 2.0  # "far smaller" is read as at most half
RESAMPLES = 10_000  # of the trials, in `mean_ratio`
NO_NUMBER = Deviation("nothing", "the document gives no number and no criterion")
AFTER_LOOKING = Deviation(
    "nothing", "the document gives no criterion, and the one shown here was chosen after looking at our curves"
)


def rps_rows(found: Mapping[str, Any]) -> Iterator[Row]:
    points = list(found["points"])
    divergence, distance, epsilon = (np.array(found[name], float) for name in ("kullback_leibler", "euclidean", "epsilon"))
    ten, hundred, last = (points.index(point) for point in (10, 100, RPS_ITERATIONS))
    falls = (
        Measured(estimate(divergence[:, hundred] - divergence[:, ten]), Below(0), "from 10 to 100 iterations", "+.2g"),
        Measured(estimate(divergence[:, last] - divergence[:, hundred]), Below(0), "from 100 to 1,000", "+.2g"),
    )
    yield Row(
        "Fig 7.1, Section 3.2",
        "Rock-Paper-Scissors: the average strategy of both players converges to the equilibrium (Kullback-Leibler, (7.2))",
        "converges",
        falls,
        note="mean of both players, nats",
    )
    yield Row(
        "Fig 7.1, Section 7.1",
        "Rock-Paper-Scissors: it converges very quickly",
        "very quickly",
        tuple(
            Measured(estimate(divergence[:, at]), None, f"divergence after {points[at]:,} iterations", ".2g")
            for at in (hundred, last)
        ),
        deviations=(NO_NUMBER,),
    )
    yield Row(
        "(7.1)",
        "Rock-Paper-Scissors: Euclidean distance of the average strategy from the equilibrium",
        None,
        (
            Measured(estimate(distance[:, hundred]), None, "after 100 iterations", ".2g"),
            Measured(estimate(distance[:, last]), None, "after 1,000", ".2g"),
        ),
        note="the document defines it and plots the other measure",
    )
    utilities = np.array(found["utilities_apart"], float)[:, last]
    long = settled(points, epsilon < EPSILON)
    yield Row(
        "Section 8.1",
        "Rock-Paper-Scissors: regret matching finds strategies with epsilon < 0.01 (after the 1,000 iterations of Section 7.1)",
        "epsilon < 0.01",
        (
            Measured(share((epsilon[:, last] < EPSILON).tolist()), Every(), "trials, by best responses"),
            Measured(estimate(epsilon[:, last]), None, "epsilon", ".3f"),
            Measured(share((utilities < EPSILON).tolist()), Every(), "trials, by the utilities' distance from the expected 0"),
        ),
        cause="1,000 iterations are too few for the gain of a best response: epsilon is below 0.01 for good after "
        f"{long.min():,.0f} to {long.max():,.0f}. Section 2.2 words epsilon as a distance of utilities; that one is below 0.01",
    )


def kuhn_rows(found: Trials) -> Iterator[Row]:
    players, figure = GAMES[found.played], FIGURES[found.played]
    epsilon, apart = found.epsilon(PLAIN), found.figure("utilities_apart")
    yield Row(
        f"Abstract, Sections 1.1 and 8.1, {figure}",
        f"Kuhn poker, {players}: every run ends with epsilon < 0.01",
        "epsilon < 0.01",
        (
            Measured(share((epsilon[:, -1] < EPSILON).tolist()), Every(), "trials, by best responses"),
            Measured(share((apart[:, -1] < EPSILON).tolist()), Every(), "trials, by the utilities' distance from the expected"),
            Measured(estimate(epsilon[:, -1]), None, "epsilon", ".5f"),
        ),
        smaller=found.smaller,
        note=f"largest epsilon {epsilon[:, -1].max():.5f}",
    )
    yield _values_first(found, epsilon, apart)
    early, middle, last = (epsilon[:, found.at(share)] for share in (0.01, 0.1, 1))
    yield Row(
        f"{figure}, Section 7.2",
        f"Kuhn poker, {players}: with more iterations epsilon gradually improves",
        "gradually improves",
        (
            Measured(estimate(middle - early), Below(0), "change from 1 % to 10 % of the iterations", "+.2g"),
            Measured(estimate(last - middle), Below(0), "from 10 % to the end", "+.2g"),
        ),
        smaller=found.smaller,
    )
    slopes = [(early - middle) / 0.09, (middle - last) / 0.9]  # of the curve over iterations, in units of all iterations
    yield Row(
        f"{figure}, Section 7.2",
        f"Kuhn poker, {players}: then epsilon stabilises",
        "before stabilizing",
        (Measured(estimate(slopes[0] - slopes[1]), None, "slope from 1 % to 10 % less that from 10 % to the end", "+.2g"),),
        deviations=(AFTER_LOOKING,),
        note="on a linear scale the curve flattens; on a logarithmic one it still falls at the end, by a factor of "
        f"{np.exp(np.log(middle / last).mean()):.1f} in the last 90 % of the iterations",
    )
    yield Row(
        "Section 6.1",
        f"Kuhn poker, {players}: no average probability ever reaches zero",
        "never reaches zero",
        (Measured(share((found.figure("least") > 0).tolist()), Every(), "trials"),),
        smaller=found.smaller,
        note=f"smallest {found.figure('least').min():.1e}",
    )


def _values_first(found: Trials, epsilon: Array, apart: Array) -> Row:
    """Compare the game values with epsilon: which of the two is small first."""
    players, figure = GAMES[found.played], FIGURES[found.played]
    values, exploited = settled(found.points, apart < EPSILON), settled(found.points, epsilon < EPSILON)
    row = Row(
        f"{figure}, Section 7.2",
        f"Kuhn poker, {players}: game values are accurate relatively quickly (read as: before epsilon is small)",
        "to a high degree of accuracy relatively quickly",
        (
            Measured(
                estimate(np.log10(values) - np.log10(exploited)),
                Below(0),
                "decades of iterations by which the values are within 0.01 of the expected before epsilon is below 0.01",
                "+.2f",
            ),
        ),
        smaller=found.smaller,
        note=f"values within 0.01 for good after {values.max():,.0f} iterations at most, epsilon after {exploited.max():,.0f}",
    )
    return deviating(row, "nothing", "the document names neither an accuracy nor a number of iterations; both here are ours")


def free_variable_row(found: Trials, keys: list[str]) -> Row:
    """Fig 7.2: where the equilibria have a free variable, trials differ. `keys`: of the information states, in row order."""
    bets = found.figure("bets")[:, -1]
    away = abs(bets - bets.mean(axis=0))
    free = np.array([key in FREE_2P for key in keys])
    return Row(
        "Fig 7.2",
        "Kuhn poker, two players: betting probabilities with free variables have large errors between trials, others do not",
        "relatively large error rates compared to others",
        (
            Measured(
                estimate(away[:, free].mean(axis=1) - away[:, ~free].max(axis=1)),
                Above(0),
                "distance from the mean of the trials: mean of 3 states with free variables less the largest of the 9 others",
                "+.3f",
            ),
        ),
        smaller=found.smaller,
    )


def pruned_epsilon_rows(
    two: Trials, three: Trials, readings: Mapping[str, Any], thresholds: list[Mapping[str, Any]]
) -> Iterator[Row]:
    """Section 7.2.1: epsilon with pruning is often far smaller than without."""
    ratios: dict[str, Array] = {}
    for found in (two, three):
        without, pruned = found.epsilon(PLAIN)[:, -1], found.epsilon("recursive, pruned")[:, -1]
        ratios[found.played] = np.log10(without / pruned)
        yield Row(
            "Fig 7.5, Section 7.2.1",
            f"Kuhn poker, {GAMES[found.played]}: epsilon after many iterations is often far smaller with pruning (read as: at "
            "most half)",
            "often far smaller",
            (
                Measured(
                    estimate(ratios[found.played]),
                    Above(float(np.log10(FAR))),
                    "log10(epsilon without pruning / epsilon with)",
                    "+.3f",
                ),
                Measured(estimate(without), None, "epsilon without", ".5f"),
                Measured(estimate(pruned), None, "with", ".5f"),
            ),
            smaller=found.smaller,
            cause=_pruned_cause(found, readings, thresholds),
            note=f"at most half in {int((pruned <= without / FAR).sum())} of {found.count} trials, smaller in "
            f"{int((pruned < without).sum())}; the recursive and the iterative form learn the same",
        )
    yield Row(
        "Fig 7.5, Section 7.2.1",
        "Kuhn poker: pruning makes epsilon smaller with three players more than with two",
        "especially in the case of the 3-player version",
        (
            Measured(
                difference(estimate(ratios["kuhn-3p"]), estimate(ratios["kuhn"])),
                Above(0),
                "difference of log10(epsilon without / with), three players less two",
                "+.3f",
            ),
        ),
        smaller=max(two.smaller, three.smaller),
        cause="neither game has the effect at the fitted threshold. See 'Pruning'",
    )
    yield Row(
        "Section 7.2.1",
        "Kuhn poker: epsilon is smaller because pruning focuses on branches that contribute to the game values",
        "a hypothesis",
        deviations=(
            Deviation(
                "nothing", "a hypothesis on an effect that our runs do not have at the fitted threshold, see the rows above"
            ),
        ),
    )


def mean_ratio(epsilon: Array, count: int) -> tuple[float, float]:
    """Return the 95 % range of the ratio of two means of `count` runs each that differ in their deals only, by resampling."""
    drawn = np.random.default_rng(0).choice(epsilon, (2, RESAMPLES, count)).mean(axis=2)
    low, high = np.quantile(drawn[0] / drawn[1], (0.025, 0.975))
    return float(low), float(high)


def _times(epsilon: list[float], without: Array) -> Array:
    """Return epsilon of each trial divided by that without pruning and with the same deals; the last entry is of the means."""
    count = min(len(epsilon), len(without))
    pruned, plain = np.array(epsilon[:count], float), without[:count]
    return np.append(pruned / plain, pruned.mean() / plain.mean())


def _pruned_cause(found: Trials, readings: Mapping[str, Any], thresholds: list[Mapping[str, Any]]) -> str:
    """Say what pruning does at other thresholds and by the other reading, and by how much means of trials differ by chance."""
    others = [each for each in thresholds if each["rule"] != "unplayed"]
    without = found.epsilon(PLAIN)[:, -1]
    times = [_times(each[found.played]["epsilon"], without) for each in (*others, readings["reach"])]
    means, trials = [each[-1] for each in times], np.concatenate([each[:-1] for each in times])
    low, high = mean_ratio(without, found.count)
    return (
        "at the threshold that gives the published nodes, runs with the same deals end almost the same. The document does not "
        f"print its threshold: at {len(times)} others, of both readings, mean epsilon is {min(means):.2f} to {max(means):,.0f} "
        f"times that without pruning, of single trials {trials.min():.2f} to {trials.max():,.0f}. It does not say that runs "
        f"with and without pruning had the same deals; means of {found.count} runs with different deals have ratios of "
        f"{low:.2f} to {high:.2f} by chance alone (95 %, resampled). See 'Pruning'"
    )
