"""Rows on nodes and seconds: Section 7.2.1, Tables 7.1 to 7.3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.bahuguna2018.data import Trials, estimate, smaller_batches
from smoothcall.experiments.bahuguna2018.settings import (
    GAMES,
    ITERATIONS,
    NODES,
    NODES_PRUNED,
    SECONDS,
    SPEEDUPS,
    SPEEDUPS_ITERATIVE,
    TRIALS,
)
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Above, Deviation, Measured, Near, Row, deviating, difference, exact
from smoothcall.kernels.tables import Array

OTHER_MACHINE = Deviation("unit", "seconds of another machine, language and year")
FITTED = {  # why the nodes of Table 7.1 with pruning decide nothing
    ("recursive", "kuhn"): Deviation("nothing", "the threshold is not published; it is fitted to this figure, by few trials"),
    ("iterative", "kuhn"): Deviation(
        "nothing", "the threshold is fitted to the recursive form; with the same deals our two forms reach equal nodes"
    ),
} | {
    (form, "kuhn-3p"): Deviation(
        "algorithm",
        "the threshold is fitted to two players, and of two readings of Section 6.1 we took the one closer to this figure",
    )
    for form in ("recursive", "iterative")
}
UNPUBLISHED = "the threshold of pruning is not published; ours is fitted to the nodes of two players in Table 7.1"
COSTS = "Seconds of a node"  # headings of the page
READINGS = "Pruning"
PERCENT = 0.05  # rounding of printed percentages
ALSO_IN = {"recursive": ", Abstract, Section 6", "optimised, pruned": ", Abstract"}  # the seconds of three players
NAMES = {  # as Table 7.3 has them: pruning is enabled unless it says otherwise
    "recursive": "the recursive form without pruning",
    "recursive, pruned": "the recursive form",
    "iterative, pruned": "the iterative form",
    "optimised, pruned": "the optimised form",
}


def node_rows(
    two: Trials, three: Trials, readings: Mapping[str, Any], thresholds: Sequence[Mapping[str, Any]]
) -> Iterator[Row]:
    """Table 7.1."""
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
            ours = estimate(found.nodes(f"{form}, pruned"))
            change = ours.scaled(100 / whole)
            yield Row(
                "Table 7.1, Fig 7.5",
                f"Kuhn poker, {GAMES[found.played]}, {form}: nodes reached with pruning",
                f"{nodes:.2e} nodes, {percent} %",
                (
                    Measured(ours, None, "nodes of 10 M iterations"),
                    Measured(Estimate(change.mean - 100, change.error, change.count), None, "change", "+.1f", "%"),
                ),
                deviations=(FITTED[form, found.played],),
                smaller=found.smaller,
                note=_reading_note(found, readings["reach"][found.played]["nodes"]),
            )
    yield _larger_share(two, three, thresholds)


def _larger_share(two: Trials, three: Trials, thresholds: Sequence[Mapping[str, Any]]) -> Row:
    """Judged at every threshold that was tried, because the document prints none."""
    fitted = [100 - 100 * found.nodes("recursive, pruned") / NODES[found.played] for found in (two, three)]
    tried = [({"reach": "product, "}.get(each["rule"], "") + f"{each['threshold']:g}", each) for each in thresholds]
    saved = {"fitted": fitted} | {
        name: [100 - 100 * np.array(each[played]["nodes"]) * ITERATIONS / NODES[played] for played in GAMES]
        for name, each in tried
        if each["rule"] != "unplayed"
    }
    return Row(
        "Table 7.1, Section 7.2.1",
        "Kuhn poker: at any one threshold, pruning saves a larger share of the nodes with three players than with two",
        "-24.9 % and -35.7 % recursive, -25.5 % and -35.1 % iterative",
        tuple(
            Measured(
                difference(estimate(more), estimate(less)), Above(0), f"three players less two, {name}:", "+.1f", "% of all"
            )
            for name, (less, more) in saved.items()
        ),
        smaller=max(two.smaller, three.smaller),
        note=f"the fitted threshold saves {fitted[0].mean():.1f} % with two players",
        cause=f"See {READINGS!r}",
    )


def _reading_note(found: Trials, reach: list[float]) -> str:
    if found.played == "kuhn":
        return ""
    return f"by the other reading of Section 6.1 {np.mean(reach) * ITERATIONS:.3g}"


def second_rows(both: Sequence[Trials], parts: Mapping[str, Part]) -> Iterator[Row]:
    """Table 7.3: each printed second, and each printed percentage."""
    for found in both:
        for form, seconds in SECONDS[found.played].items():
            also = ALSO_IN.get(form, "") if found.played == "kuhn-3p" else ""
            yield Row(
                f"Table 7.3, Fig 7.7{also}",
                f"Kuhn poker, {GAMES[found.played]}: seconds of {NAMES[form]} for 10 M iterations",
                f"{seconds} s",
                (Measured(estimate(found.seconds(form)), None, "", ".2f", "s"),),
                deviations=(OTHER_MACHINE,),
                smaller=found.smaller_timed,
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
        smaller=found.smaller_timed,
        cause=cause,
    )


def comparison_rows(two: Trials, three: Trials, parts: Mapping[str, Part]) -> Iterator[Row]:
    """Return rows for the text's comparisons of forms and games."""
    smaller = max(two.smaller_timed, three.smaller_timed)
    for form in ("recursive", "iterative"):
        gains = [found.speedup(f"{form}, pruned", form) for found in (two, three)]
        faster = Row(
            "Fig 7.5, Section 7.2.1",
            f"Kuhn poker, {form}: pruning provides a significant speedup (read as: beyond noise), with two and three players",
            "a significant amount of speedup",
            tuple(
                Measured(estimate(gain), Above(0), GAMES[found.played], "+.1f", "%")
                for found, gain in zip((two, three), gains, strict=True)
            ),
            smaller=smaller,
            cause=f"See {COSTS!r}",
        )
        statement = f"Kuhn poker, {form}: pruning gains more with three players"
        for row in (faster, _greater(statement, "greater in the 3-player version", gains, smaller)):
            yield deviating(row, "algorithm", UNPUBLISHED)
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
            smaller=found.smaller_timed,
            cause=_order_cause(parts[f"{found.played}, improvements"].figures),
        )
        times = found.seconds("recursive") / found.seconds("optimised, pruned")
        printed = SECONDS[found.played]["recursive"] / SECONDS[found.played]["optimised, pruned"]
        yield Row(
            "Sections 7.2.1 and 8.1",
            f"Kuhn poker, {GAMES[found.played]}: all optimisations make the original recursive form threefold as fast",
            f"threefold (its seconds: {printed:.2f})",
            (Measured(estimate(times), Near(3, 0.5), "times as fast", ".2f"),),
            smaller=found.smaller_timed,
            cause=_optimised_cause(parts[f"{found.played}, improvements"].figures),
        )
    gains = [found.speedup("optimised, pruned", "iterative, pruned") for found in (two, three)]
    statement = "Kuhn poker: the optimised form gains more over the iterative one with three players"
    saved = [_saved(parts[f"{found.played}, improvements"].figures) for found in (two, three)]
    cause = (
        f"of an iteration without pruning the improvements save {saved[0]:.0%} with two players and {saved[1]:.0%} with three"
    )
    yield _greater(statement, "111.7 % against 87.5 %", gains, smaller, cause)
    yield from _benefit_rows(two, three)


def _benefit_rows(two: Trials, three: Trials) -> Iterator[Row]:
    """Section 8.2: what pruning is worth to the recursive and to the iterative form."""
    for found in (two, three):
        lost = found.speedup("recursive, pruned", "recursive") - found.speedup("iterative, pruned", "iterative")
        row = Row(
            "Section 8.2",
            f"Kuhn poker, {GAMES[found.played]}: pruning benefits the iterative form less than the recursive one",
            "not the same amount of benefit",
            (Measured(estimate(lost), Above(0), "speed gained by pruning, recursive less iterative", "+.1f", "%"),),
            smaller=found.smaller_timed,
            cause=f"See {COSTS!r}",
        )
        yield deviating(row, "algorithm", UNPUBLISHED)


def _pruning_cause(found: Trials) -> str:
    ours, theirs = (
        [1e9 * seconds / nodes for seconds, nodes in pairs]
        for pairs in (
            [(found.seconds(form).mean(), found.nodes(form).mean()) for form in ("recursive", "recursive, pruned")],
            [
                (SECONDS[found.played]["recursive"], NODES[found.played]),
                (SECONDS[found.played]["recursive, pruned"], NODES_PRUNED["recursive", found.played][0]),
            ],
        )
    )
    return (
        f"a node costs {ours[0]:.0f} ns without and {ours[1]:.0f} ns with pruning here; by its Tables 7.1 and 7.3 "
        f"{theirs[0]:.0f} and {theirs[1]:.0f} ns there, of a program that is not published. See {COSTS!r}"
    )


def _order_cause(found: Mapping[str, list[float]]) -> str:
    """Say what the iterative form costs without pruning."""
    recursive, iterative, once = (1e3 * np.mean(found[name]) for name in ("recursive", "iterative", "tables made once"))
    return (
        f"without pruning an iteration takes {recursive:.0f} ns recursive and {iterative:.0f} ns iterative, of which making "
        f"tables anew takes {iterative - once:.0f}; why the document's was the faster one cannot be seen from its text. "
        f"See {COSTS!r}"
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
        yield Row(
            "Section 6.3",
            f"Kuhn poker: {statement}",
            published,
            tuple(gains),
            deviations,
            smaller=max(smaller_batches(parts[f"{played}, improvements"]) for played in GAMES),
            cause=f"See {COSTS!r}",
        )


def _saved(found: Mapping[str, list[float]]) -> float:
    """Return the share of an iteration's time that the four improvements save."""
    return float(1 - np.mean(found["optimised: all four"]) / np.mean(found["iterative"]))


def _greater(statement: str, published: str, gains: list[Array], smaller: float, cause: str = "") -> Row:
    two, three = map(estimate, gains)
    measured = Measured(difference(three, two), Above(0), "speed gained, three players less two", "+.1f", "%")
    shown = ". ".join(filter(None, (cause, f"See {COSTS!r}")))
    return Row("Section 7.2.1", statement, published, (measured,), smaller=smaller, cause=shown)


def beyond_rows(parts: Mapping[str, Part], two: Trials, three: Trials) -> Iterator[Row]:
    """Section 8.2's wishes: better pruning, Monte-Carlo CFR; and our own form."""
    for found in (two, three):
        players = GAMES[found.played]
        micro = np.array(parts[f"{found.played}, threads"].figures["ours_one"], float)
        yield Row(
            "Section 8.2",
            f"Kuhn poker, {players}: our sweeps of the sequence form (`mccfr`, sampling=chance), seconds for 10 M iterations",
            None,
            (Measured(estimate(micro * ITERATIONS / 1e6), None, "", ".2f", "s"),),
            note="by the clock, of the fastest batch of each trial; without pruning",
        )
        ours = next(each for each in parts["thresholds"].figures if each["rule"] == "unplayed")
        yield Row(
            "Section 8.2",
            f"Kuhn poker, {players}: our pruning, of unplayed actions only and with a full iteration every 16th, at "
            f"{ours['threshold']:.3g}",
            None,
            (
                Measured(estimate(ours[found.played]["nodes"]).scaled(ITERATIONS), None, "nodes of 10 M iterations"),
                Measured(estimate(ours[found.played]["epsilon"]), None, "epsilon", ".5f"),
            ),
        )
        yield _external_row(parts[f"{found.played}, external sampling"].figures, found)
    yield from _larger_rows(parts["larger game"])
    wish = Deviation("nothing", "a wish; not tried, this package has no GPU form of these kernels")
    yield Row("Section 8.2", "a GPU would make CFR faster", "a wish", deviations=(wish,))


def _larger_rows(part: Part) -> Iterator[Row]:
    found = {name: np.array(values, float) for name, values in part.figures.items()}
    iterations, threshold = part.settings["iterations"], part.settings["threshold"]
    yield Row(
        "Section 8.2",
        f"Leduc hold'em, {part.figures['tree']} nodes: our pruning at {threshold:g} in {iterations:,} one-deal iterations",
        None,
        (
            Measured(estimate(100 * (found["pruned"] / found["nodes"] - 1)), None, "nodes", "+.1f", "%"),
            Measured(estimate(found["epsilon"]), None, "epsilon without", ".4f"),
            Measured(estimate(found["pruned_epsilon"]), None, "with", ".4f"),
        ),
    )
    yield Row(
        "Section 8.2",
        "Leduc hold'em: change of speed by two threads that share tables without locks (our `mccfr`)",
        None,
        (Measured(estimate(100 * (found["one"] / found["two"] - 1)), None, "", "+.1f", "%"),),
    )


def _external_row(external: Mapping[str, Any], found: Trials) -> Row:
    """Compare epsilon of external sampling with that of the document's algorithm after as many nodes."""
    nodes = np.array(external["nodes"], float)[:, -1]
    place = [int(abs(np.array(found.points) * NODES[found.played] / ITERATIONS - each).argmin()) for each in nodes]
    plain = found.epsilon("recursive")
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
