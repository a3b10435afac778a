"""Rows on nodes and seconds: Section 7.2.1, Tables 7.1 to 7.3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import hypot, inf, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.bahuguna2018.data import Trials, estimate
from smoothcall.experiments.bahuguna2018.settings import (
    GAMES,
    ITERATIONS,
    NODES,
    NODES_PRUNED,
    NODES_ROUNDING,
    SECONDS,
    SPEEDUPS,
    SPEEDUPS_ITERATIVE,
    TRIALS,
)
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Above, Deviation, Measured, Near, Row, difference, exact
from smoothcall.kernels.tables import Array

OTHER_MACHINE = Deviation("unit", "seconds of another machine, language and year")
FITTED = Deviation("nothing", "the threshold is not published and is chosen to give this figure")
COSTS = "Seconds of a node"  # headings of the page
READINGS = "Pruning"
PERCENT = 0.05  # rounding of printed percentages
Z95 = NormalDist().inv_cdf(0.975)
NAMES = {  # as Table 7.3 has them: pruning is enabled unless it says otherwise
    "recursive": "the recursive form without pruning",
    "recursive, pruned": "the recursive form",
    "iterative, pruned": "the iterative form",
    "optimised, pruned": "the optimised form",
}


def node_rows(two: Trials, three: Trials, readings: Mapping[str, Any], thresholds: list[Mapping[str, Any]]) -> Iterator[Row]:
    """Table 7.1."""
    noise = fit_noise(two)
    slope = _slope(readings["action"], thresholds)
    for found in (two, three):
        for form in ("recursive", "iterative"):
            whole, (nodes, percent) = NODES[found.played], NODES_PRUNED[form, found.played]
            yield Row(
                "Table 7.1",
                f"Kuhn poker, {GAMES[found.played]}, {form}: nodes reached without pruning",
                f"{whole:.2g} nodes",
                (Measured(exact(found.nodes(form)[0]), Near(whole), "nodes of 10 M iterations"),),
                smaller=found.smaller,
            )
            own = estimate(found.nodes(f"{form}, pruned"))
            theirs = Z95 * own.error * sqrt(own.count / TRIALS)  # of the published mean
            ours = Estimate(own.mean, noise if found is two else hypot(own.error, slope * noise), own.count)
            change = Estimate(100 * (ours.mean / whole - 1), 100 * ours.error / whole, ours.count)
            calibrated = (form, found.played) == ("recursive", "kuhn")
            yield Row(
                "Table 7.1, Fig 7.5",
                f"Kuhn poker, {GAMES[found.played]}, {form}: nodes reached with pruning",
                f"{nodes:.2e} nodes, {percent} %",
                (
                    Measured(ours, Near(nodes, max(theirs, NODES_ROUNDING[found.played])), "nodes of 10 M iterations"),
                    Measured(change, Near(percent, max(100 * theirs / whole, PERCENT)), "change", "+.1f", "%"),
                ),
                deviations=(FITTED,) if calibrated else (),
                smaller=found.smaller,
                note="" if calibrated else _reading_note(found, readings["reach"][found.played]),
                cause=f"the threshold is fitted to one of the four figures only. See {READINGS!r}",
            )


def fit_noise(two: Trials) -> float:
    """Return the standard error of the fit, in nodes of two players: two means of as many trials agree, each with its noise."""
    return estimate(two.nodes("recursive, pruned")).error * sqrt(1 + two.count / TRIALS)


def _slope(fitted: Mapping[str, Any], thresholds: list[Mapping[str, Any]]) -> float:
    """Return by how many nodes of three players the threshold changes them when it changes those of two players by one."""
    other = thresholds[0]
    apart = [np.mean(fitted[played]) - np.mean(other[played]["nodes"]) for played in GAMES]
    return float(apart[1] / apart[0]) if apart[0] else inf


def _reading_note(found: Trials, reach: list[float]) -> str:
    if found.played == "kuhn":
        return "the fitted figure; our two forms visit the same nodes"
    return (
        "with the threshold fitted to two players, and the noise of that fit in the interval; the other reading of Section 6.1 "
        f"gives {np.mean(reach) * ITERATIONS:.3g}"
    )


def second_rows(two: Trials, three: Trials, parts: Mapping[str, Part]) -> Iterator[Row]:
    """Table 7.3: each printed second, and each printed percentage."""
    for found in (two, three):
        for form, seconds in SECONDS[found.played].items():
            source = "Table 7.3, Fig 7.7" + (", Abstract" if found.played == "kuhn-3p" and form != "iterative, pruned" else "")
            yield Row(
                source,
                f"Kuhn poker, {GAMES[found.played]}: seconds of {NAMES[form]} for 10 M iterations",
                f"{seconds} s",
                (Measured(estimate(found.seconds(form)), None, "", ".2f", "s"),),
                deviations=(OTHER_MACHINE,),
                smaller=found.smaller,
            )
        improved = parts[f"{found.played}, improvements"].figures
        causes = {
            "recursive, pruned": _pruning_cause(found),
            "iterative, pruned": _order_cause(improved),
            "optimised, pruned": _optimised_cause(improved),
        }
        for form, percent in SPEEDUPS[found.played].items():
            yield _percent_row("Table 7.3, Fig 7.7", found, form, "recursive", percent, causes[form])
        form, percent = "optimised, pruned", SPEEDUPS_ITERATIVE[found.played]
        yield _percent_row("Section 7.2.1", found, form, "iterative, pruned", percent, causes[form])


def _percent_row(source: str, found: Trials, form: str, other: str, percent: float, cause: str) -> Row:
    return Row(
        source,
        f"Kuhn poker, {GAMES[found.played]}: speed gained by {NAMES[form]} over {NAMES[other]}",
        f"+{percent} %",
        (Measured(estimate(found.speedup(form, other)), Near(percent, PERCENT, TRIALS), "", "+.1f", "%"),),
        smaller=found.smaller,
        cause=cause,
    )


def comparison_rows(two: Trials, three: Trials, parts: Mapping[str, Part]) -> Iterator[Row]:
    """The text's comparisons of forms and games."""
    smaller = max(two.smaller, three.smaller)
    for form in ("recursive", "iterative"):
        gains = [found.speedup(f"{form}, pruned", form) for found in (two, three)]
        yield Row(
            "Fig 7.5, Section 7.2.1",
            f"Kuhn poker, {form}: pruning provides a significant speedup, with two and with three players",
            "a significant amount of speedup",
            tuple(
                Measured(estimate(gain), Above(0), GAMES[found.played], "+.1f", "%")
                for found, gain in zip((two, three), gains, strict=True)
            ),
            smaller=smaller,
            cause=f"See {COSTS!r}",
        )
        yield _greater(
            f"Kuhn poker, {form}: pruning gains more with three players", "greater in the 3-player version", gains, smaller
        )
    for found in (two, three):
        yield Row(
            "Fig 7.7, Table 7.3",
            f"Kuhn poker, {GAMES[found.played]}: the iterative form is faster than the recursive one, both pruned",
            "{:.1f} s against {:.1f} s".format(
                *(SECONDS[found.played][form] for form in ("iterative, pruned", "recursive, pruned"))
            ),
            (
                Measured(
                    estimate(found.speedup("iterative, pruned", "recursive, pruned")), Above(0), "speed gained", "+.1f", "%"
                ),
            ),
            smaller=found.smaller,
            cause=_order_cause(parts[f"{found.played}, improvements"].figures),
        )
        times = found.seconds("recursive") / found.seconds("optimised, pruned")
        printed = SECONDS[found.played]["recursive"] / SECONDS[found.played]["optimised, pruned"]
        yield Row(
            "Sections 7.2.1 and 8.1",
            f"Kuhn poker, {GAMES[found.played]}: all optimisations make the original recursive form threefold as fast",
            f"threefold (its seconds: {printed:.2f})",
            (Measured(estimate(times), Near(3, 0.5), "times as fast", ".2f"),),
            smaller=found.smaller,
            cause=_optimised_cause(parts[f"{found.played}, improvements"].figures),
        )
    gains = [found.speedup("optimised, pruned", "iterative, pruned") for found in (two, three)]
    statement = "Kuhn poker: the optimised form gains more over the iterative one with three players"
    yield _greater(statement, "111.7 % against 87.5 %", gains, smaller)
    for found in (two, three):
        lost = found.speedup("recursive, pruned", "recursive") - found.speedup("iterative, pruned", "iterative")
        yield Row(
            "Section 8.2",
            f"Kuhn poker, {GAMES[found.played]}: pruning benefits the iterative form less than the recursive one",
            "not the same amount of benefit",
            (Measured(estimate(lost), Above(0), "speed gained by pruning, recursive less iterative", "+.1f", "%"),),
            smaller=found.smaller,
            cause=f"See {COSTS!r}",
        )


def _pruning_cause(found: Trials) -> str:
    gained = 100 * (found.nodes("recursive") / found.nodes("recursive, pruned") - 1).mean()
    return (
        f"at a constant cost of a node the nodes saved gain {gained:.0f} %; ours comes closer to that, so that an iteration of "
        f"the document's program must have other costs. See {COSTS!r}"
    )


def _order_cause(found: Mapping[str, list[float]]) -> str:
    """Say what the iterative form costs without pruning."""
    recursive, iterative, once = (1e3 * np.mean(found[name]) for name in ("recursive", "iterative", "tables made once"))
    return (
        f"without pruning an iteration takes {recursive:.0f} ns recursive and {iterative:.0f} ns iterative, of which making "
        f"tables anew takes {iterative - once:.0f}: visiting nodes by level gains little over compiled recursion, and pruning "
        f"saves the iterative form less. See {COSTS!r}"
    )


def _optimised_cause(found: Mapping[str, list[float]]) -> str:
    """Say what the four improvements save."""
    iterative, optimised = (1e3 * np.mean(found[name]) for name in ("iterative", "optimised: all four"))
    return (
        f"the four improvements of Section 6.3 take an iteration without pruning from {iterative:.0f} to {optimised:.0f} ns; "
        f"what each is worth depends on data structures that the document does not describe. See {COSTS!r}"
    )


def improvement_rows(parts: Mapping[str, Part]) -> Iterator[Row]:
    """Section 6.3: the improvements, one by one."""
    passed = Deviation("algorithm", "our function receives slices of tables, the document's receives objects by value")
    misses = Deviation("unit", "time, not cache misses; the tables of so small a game always stay in the nearest cache")
    claims: dict[str, tuple[str, str, tuple[Deviation, ...]]] = {
        "terminal utilities precomputed": (
            "precomputed terminal utilities save calculation in the iterative form",
            "a significant amount of calculation per iteration",
            (),
        ),
        "rows in arrays": ("arrays in the place of maps make the iterative form faster", "less cache misses", (misses,)),
        "nothing passed to functions": (
            "passing nothing to the function that computes a strategy makes the iterative form faster",
            "avoids expensive copying",
            (passed,),
        ),
        "tables made once": (
            "reusing data structures makes the iterative form faster",
            "avoids repeated object construction every iteration",
            (),
        ),
    }
    for name, (statement, published, deviations) in claims.items():
        gains = []
        for played, players in GAMES.items():
            found = parts[f"{played}, improvements"].figures
            gain = 100 * (np.array(found["iterative"], float) / np.array(found[name], float) - 1)
            gains.append(Measured(estimate(gain), Above(0), f"speed gained, {players}", "+.1f", "%"))
        yield Row("Section 6.3", f"Kuhn poker: {statement}", published, tuple(gains), deviations, cause=f"See {COSTS!r}")


def _greater(statement: str, published: str, gains: list[Array], smaller: float) -> Row:
    two, three = map(estimate, gains)
    measured = Measured(difference(three, two), Above(0), "speed gained, three players less two", "+.1f", "%")
    return Row("Section 7.2.1", statement, published, (measured,), smaller=smaller, cause=f"See {COSTS!r}")


def beyond_rows(parts: Mapping[str, Part], two: Trials, three: Trials) -> Iterator[Row]:
    """Section 8.2's wishes: better pruning, Monte-Carlo CFR; and our own form."""
    for found in (two, three):
        players = GAMES[found.played]
        yield Row(
            "Section 8.2",
            f"Kuhn poker, {players}: our sweeps of the sequence form (`mccfr`, sampling=chance), seconds for 10 M iterations",
            None,
            (
                Measured(estimate(found.seconds("sweeps")), None, "without pruning", ".2f", "s"),
                Measured(estimate(found.seconds("sweeps, pruned")), None, "with our pruning", ".2f", "s"),
            ),
        )
        yield Row(
            "Section 8.2",
            f"Kuhn poker, {players}: our pruning, of unplayed actions only and with a full iteration every 16th",
            None,
            (
                Measured(estimate(found.nodes("sweeps, pruned")), None, "nodes of 10 M iterations"),
                Measured(estimate(found.curves("epsilon", "sweeps, pruned")[:, -1]), None, "epsilon", ".5f"),
            ),
        )
        yield _external_row(parts[f"{found.played}, external sampling"].figures, found)


def _external_row(external: Mapping[str, Any], found: Trials) -> Row:
    """Compare epsilon of external sampling with that of the document's algorithm after as many nodes."""
    nodes = np.array(external["nodes"], float)[:, -1]
    place = [int(abs(np.array(found.points) * NODES[found.played] / ITERATIONS - each).argmin()) for each in nodes]
    plain = found.curves("epsilon", "recursive")
    return Row(
        "Section 8.2",
        f"Kuhn poker, {GAMES[found.played]}: Monte-Carlo CFR (external sampling) after as many nodes as one-deal CFR",
        None,
        (
            Measured(estimate(np.array(external["epsilon"], float)[:, -1]), None, "epsilon", ".5f"),
            Measured(estimate([plain[trial, at] for trial, at in enumerate(place)]), None, "one-deal CFR", ".5f"),
        ),
        note=f"at {nodes.mean():.2g} nodes",
    )
