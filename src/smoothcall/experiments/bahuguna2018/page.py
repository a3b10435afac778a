"""The page of bahuguna2018, made from its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.bahuguna2018.data import Trials, estimate
from smoothcall.experiments.bahuguna2018.game_rows import FREE_VARIABLES, MISPRINTS, game_rows, tolerance_rows
from smoothcall.experiments.bahuguna2018.learning_rows import free_variable_row, kuhn_rows, pruned_epsilon_rows, rps_rows
from smoothcall.experiments.bahuguna2018.pictures import (
    bet_picture,
    implementation_picture,
    pruning_picture,
    rps_picture,
    thread_picture,
    value_picture,
)
from smoothcall.experiments.bahuguna2018.settings import (
    GAMES,
    ITERATIONS,
    NODES,
    NODES_PRUNED,
    PLAIN,
    SECONDS,
    TOLERANCE,
    TRIALS,
)
from smoothcall.experiments.bahuguna2018.speed_rows import (
    COSTS,
    READINGS,
    beyond_rows,
    comparison_rows,
    improvement_rows,
    node_rows,
    second_rows,
)
from smoothcall.experiments.bahuguna2018.thread_rows import LEVELS, thread_rows, uninterrupted
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Row

FORMS = ("recursive", "recursive, pruned", "iterative", "iterative, pruned", "optimised, pruned")

SETTINGS = """One *iteration* of the document deals one set of cards and visits the betting tree once for all players. It has
three implementations:

- *recursive*: a recursion over nodes;
- *iterative*: one pass down the levels of the tree and one up, with a blacklist of pruned nodes (Algorithms 1 and 2). Like the
  recursive form it computes terminal utilities at every visit, looks rows up in an ordered map, passes slices of its tables to
  a function that computes a strategy, and makes its tables anew in every iteration;
- *optimised*: the iterative form with the four improvements of Section 6.3, each of which removes one of these.

All forms learn the same tables from the same deals, bit for bit (see 'Seconds of a node' and
`tests/kernels/test_one_deal_forms.py`). So each trial learns once without pruning and once with it, by a fourth and faster form
of ours (*compact*), and {share:.0%} of its iterations are run by every form, by turns, and timed: at {points} points of the
trial each form goes on from what has been learned there. *Sweeps* are our own solver, `mccfr` with chance sampling.
Seconds are processor seconds of the compiled loops, without evaluations; with threads they are seconds of the
clock, of the fastest of many short batches. Other programs ran on the machine at the same time; forms take turns so that all
suffer alike.

Curves have {points} points, log-spaced; the document's have 1,000, equally spaced. Epsilon is the largest gain of a player by a
best response, computed exactly; Section 2.2 words it as the largest distance of the utilities from the expected ones, so that
the rows on epsilon < 0.01 test both. Figures 7.1 to 7.7 of the document exist only as pictures; what its text says of them is
in the table above."""

ERRATA = """Table 5.2 prints BQ1 = 1/3 (player 2 bets Q after a pass) and AJ1 = 0 (player 1 bets J). The equilibria have BQ1 =
0, and AJ1 = alpha with alpha from 0 to 1/3. The tests of Section 5.2 would fail with the printed BQ1, which no run comes
near, so that the program must have had the right value.

Table 5.3 prints BA1 = 0: it is 2 BJ1 + 2 BQ1. It gives a range to BQ3, which is 0, and the row of CK3 has a range of CJ4 with
BK3 in the place of BK4 and without beta. BQ1 where CJ1 = 1/2 is at most 1/2 - 2 BJ1, not (1 - BJ1)/2. The corrected family is
that of Szafron, Gibson and Sturtevant (2013) as the CPRG's three-player Kuhn program encodes it (`evaluation/equilibria.py`).
As printed, only profiles with BJ1 = BQ1 = 0 are equilibria."""

PRUNING = """Section 6.1 skips a child "if the average probability of visiting the child falls below a certain threshold",
and does not give the threshold. The sentence has two readings: the average probability of the action that leads to the child,
or the product of the average probabilities of all actions from the root. For each reading the threshold is fitted to one
figure, the nodes that the recursive form reaches with two players, by {few} trial(s); the nodes with three players then follow.
The first reading is the closer one and is used in all other rows. That choice was made after seeing the published figures, so
that the rows of Table 7.1 with pruning decide nothing, nor do those on what pruning is worth in seconds. A skipped
action keeps its regret and adds nothing to the utility of its parent."""

THRESHOLDS = """Other thresholds of both readings, means of {others} trial(s). The document never visits a pruned child again
unless its average probability rises, and with a large threshold that fails: epsilon stays high. Our own pruning skips only
actions that the current policy does not take, and every 16th iteration prunes nothing; the last lines have it at the fitted
and at the largest threshold."""

TIMING = """Each trial times the fastest of at most {batches} batches of each form, by turns, from tables that have learned half
of trial 0: a batch that another program interrupts says nothing about the form. A batch has {batch} iterations with levels in
parallel. Levels run with Numba's `prange` on {threads}
threads ({layer}), where the document has OpenMP on four cores; the number of its threads is not published. Each iteration
starts threads 6 times with two players and 10 times with three. Left out are trials of which other programs interrupted every
batch (more than 1 ms an iteration): {two} with two players, {three} with three."""

NODE_COSTS = """Processor nanoseconds of a node that is visited, ours and published. The published ones follow from Tables 7.1
and 7.3. Percentages of speed depend on what an iteration and a node cost, and these differ: ours are compiled loops over
arrays, the document's are C++ objects."""

TOGETHER = """All forms with the deals of trial 0 for {iterations:,} iterations, by turns: their seconds, those that follow from
the samples of trial 0 up to there, and the largest difference of a probability from what the compact form has learned
(*apart*). All forms reach the same nodes."""

IMPROVEMENTS = """The improvements of Section 6.3 one by one, each in the iterative form: processor time of the fastest of many
short batches. *Compact* is our own form of the same two passes, with fewer tables, which fits the thresholds above."""


def rows_of(parts: Mapping[str, Part]) -> list[Row]:
    """Return the rows, in the order of the document."""
    two, three = (Trials.of(parts, played) for played in GAMES)
    facts, readings, thresholds = (parts[name].figures for name in ("games", "readings", "thresholds"))
    return [
        *game_rows(facts),
        *(row for found in (two, three) for row in tolerance_rows(found, parts[f"{found.played}, mean of trials"].figures)),
        *improvement_rows(parts),
        *rps_rows(parts["rps"].figures),
        free_variable_row(two, facts["trees"]["kuhn"]["keys"]),
        *(row for found in (two, three) for row in kuhn_rows(found)),
        *node_rows(two, three, readings, thresholds),
        *pruned_epsilon_rows(two, three, readings, thresholds),
        *thread_rows(parts),
        *second_rows((two, three), parts),
        *comparison_rows(two, three, parts),
        *beyond_rows(parts, two, three),
    ]


def write(page: Page, parts: Mapping[str, Part]) -> None:
    two, three = (Trials.of(parts, played) for played in GAMES)
    facts, readings = parts["games"].figures, parts["readings"].figures
    page.rows.extend(rows_of(parts))
    page.text(
        f"{two.count} trials (seeds 0 to {two.count - 1}) of {two.iterations:,} one-deal iterations; the document ran "
        f"{TRIALS} of {ITERATIONS:,}."
    )
    page.text(SETTINGS.format(points=len(two.points), share=two.sample * len(two.points) / two.iterations))
    _games(page, facts)
    page.heading("Rock-Paper-Scissors (Fig 7.1)")
    page.picture(
        "rps", rps_picture(parts["rps"].figures), "Distance of the average strategy from the equilibrium, both players"
    )
    for found in (two, three):
        _learning(page, found, facts["trees"][found.played])
    _free_variables(page, three, facts["flat"])
    _pruning(page, two, three, readings, parts["thresholds"])
    _threads(page, parts)
    _costs(page, two, three, parts)


def _games(page: Page, facts: Mapping[str, Any]) -> None:
    page.heading(MISPRINTS)
    page.text(ERRATA)
    two, three = facts["table 5.2"], facts["table 5.3"]
    lines = zip(two["alpha"], two["printed"], two["corrected"], strict=True)
    page.table(
        ["alpha", "epsilon of Table 5.2 as printed", "corrected"],
        [[f"{alpha:.4f}", f"{printed:.4f}", f"{corrected:.1e}"] for alpha, printed, corrected in lines],
    )
    page.table(
        ["CJ1", "BJ1", "BQ1", "epsilon of Table 5.3 as printed"],
        [[*(f"{each[name]:.4f}" for name in ("CJ1", "BJ1", "BQ1")), f"{each['epsilon']:.4f}"] for each in three["printed"]],
    )


def _learning(page: Page, found: Trials, tree: Mapping[str, Any]) -> None:
    players, keys, owners = GAMES[found.played], tree["keys"], tree["row_player"]
    page.heading(
        f"Kuhn poker, {players}: values, epsilon and strategies ({'Figs 7.2 and 7.3' if len(keys) == 12 else 'Fig 7.4'})"
    )
    page.picture(f"{found.played}-values", value_picture(found), f"Kuhn poker, {players}: game values and epsilon")
    if found.played == "kuhn":
        page.picture("kuhn-bets", bet_picture(found, keys, owners), "Probabilities of betting and calling, mean and range")
    page.text(
        "Probability of betting (or calling a bet) after the last iteration: mean of the trials, their range (wide where the "
        "equilibria leave a choice), and the mean of the closest equilibria."
    )
    bets, closest = found.figure("bets")[:, -1], found.figure("closest_bets")
    mean, spread, near = bets.mean(axis=0), np.ptp(bets, axis=0), closest.mean(axis=0)
    page.table(
        ["player", "information state", "ours", "range", "closest equilibrium"],
        [
            [owners[row] + 1, f"`{keys[row]}`", f"{mean[row]:.4f}", f"{spread[row]:.4f}", f"{near[row]:.4f}"]
            for row in np.argsort(owners, kind="stable")
        ],
    )


def _free_variables(page: Page, found: Trials, flat: Mapping[str, Any]) -> None:
    page.heading(FREE_VARIABLES)
    page.text(
        "In equilibrium player 3 bluffs with J only (CJ1 = 1/2), with Q only (CJ1 = 0), or with both, and then player 2 bets J "
        "and Q equally often (BQ1 = BJ1). The trials that exceed the tolerance obey none of the three. That costs little, so "
        "that a run with a small epsilon may be far from all equilibria: "
        + "; ".join(
            f"BQ1 - BJ1 = {more:g}: epsilon {epsilon:.5f}" for more, epsilon in zip(flat["more"], flat["epsilon"], strict=True)
        )
        + " (CJ1 = 1/4, BJ1 = 0.1, all other variables by the equations). Section 5.2 itself speaks of false negatives and "
        f"chose the tolerance of {TOLERANCE['kuhn-3p']} to have few."
    )
    page.table(
        ["trial", "largest distance from the equations", "of", "from the closest equilibrium", "epsilon"],
        [
            [
                index,
                f"{trial['equations']:.4f}",
                trial["variable"],
                f"{trial['closest']:.4f}",
                f"{trial['epsilon'][PLAIN][-1]:.5f}",
            ]
            for index, trial in enumerate(found.figures)
        ],
    )


def _pruning(page: Page, two: Trials, three: Trials, readings: Mapping[str, Any], thresholds: Part) -> None:
    page.heading(READINGS)
    page.text(PRUNING.format(few=len(readings["action"]["kuhn"]["nodes"])))
    names = {"action": "average probability of the action", "reach": "product from the root"}
    published = [NODES_PRUNED["recursive", played][0] for played in GAMES]
    rows = [[name, f"{readings[rule]['threshold']:.3g}", *_learned(readings[rule])] for rule, name in names.items()]
    heads = [f"{what}, {players}" for players in GAMES.values() for what in ("nodes", "epsilon")]
    cells = [cell for each in published for cell in (f"{each:.3g}", "")]
    page.table(["reading", "fitted threshold", *heads], [*rows, ["published, recursive", "", *cells]])
    page.text(THRESHOLDS.format(others=thresholds.settings["trials"]))
    lines = [
        [f"{each['threshold']:g}", names.get(each["rule"], "our own pruning"), *_learned(each)] for each in thresholds.figures
    ]
    page.table(["threshold", "of", *heads], lines)
    without = " and ".join(_epsilon(found.epsilon("recursive")[:, -1]) for found in (two, three))
    page.text(f"Without pruning epsilon is {without}.")
    page.picture(
        "pruning", pruning_picture(two, three), "Fig 7.5: epsilon with and without pruning, mean and range of the trials"
    )


def _learned(figures: Mapping[str, Any]) -> list[str]:
    """Return nodes and epsilon of both games."""
    return [cell for played in GAMES for cell in (_nodes(figures[played]["nodes"]), _epsilon(figures[played]["epsilon"]))]


def _nodes(an_iteration: list[float]) -> str:
    found = estimate(an_iteration).scaled(ITERATIONS)
    return f"{found.mean:.3g}{_interval(found, '.1g')}"


def _epsilon(values: Any) -> str:
    found = estimate(values)
    return f"{found.mean:.5f}{_interval(found, '.5f')}"


def _interval(found: Estimate, form: str) -> str:
    return f" ± {found.half_width():{form}}" if found.count > 1 else ""


def _threads(page: Page, parts: Mapping[str, Part]) -> None:
    threads = {played: parts[f"{played}, threads"].figures for played in GAMES}
    part = parts["kuhn, threads"]
    page.heading(f"{LEVELS} (Table 7.2, Fig 7.6)")
    told = {name: part.settings[name] for name in ("batches", "batch")} | {
        name: part.figures[name] for name in ("threads", "layer")
    }
    kept, left_out = {}, {}
    for name, played in zip(("two", "three"), GAMES, strict=True):
        one, levels, left_out[name] = uninterrupted(threads[played])
        kept[played] = {"one": one, "levels": levels}
    page.text(TIMING.format(**told, **left_out))
    heads = {"one": "iterative, one thread", "levels": "iterative, levels in parallel"}
    heads |= {"ours_one": "our sweeps, one thread", "ours_two": "our sweeps, two threads"}
    rows = []
    for name, label in heads.items():
        cells = [estimate(kept[played].get(name, threads[played][name])) for played in GAMES]
        rows.append([label, *(f"{cell.mean:.3f} ± {cell.half_width():.3f}" for cell in cells)])
    page.table(["microseconds of an iteration", *GAMES.values()], rows)
    page.picture("threads", thread_picture(threads), "Fig 7.6: microseconds of an iteration in each trial")


def _costs(page: Page, two: Trials, three: Trials, parts: Mapping[str, Part]) -> None:
    page.heading(f"{COSTS} (Table 7.3, Fig 7.7)")
    page.text(NODE_COSTS)
    rows = []
    for form in FORMS:
        cells = []
        for found in (two, three):
            cost = estimate(1e9 * found.seconds(form) / found.nodes(form))
            cells += [f"{cost.mean:.1f} ± {cost.half_width():.1f}", _published_cost(found.played, form)]
        rows.append([form, *cells])
    page.table(["form", *(f"{players}, {whose}" for players in GAMES.values() for whose in ("ours", "published"))], rows)
    together = {found: parts[f"{found.played}, forms together"] for found in (two, three)}
    page.text(TOGETHER.format(iterations=together[two].settings["iterations"]))
    page.table(
        ["form", *(f"{players}, {what}" for players in GAMES.values() for what in ("seconds", "by samples", "apart"))],
        [[form, *(cell for found, part in together.items() for cell in _together(found, form, part))] for form in FORMS],
    )
    page.text(IMPROVEMENTS)
    improved = {played: parts[f"{played}, improvements"].figures for played in GAMES}
    page.table(
        ["nanoseconds of an iteration without pruning", *GAMES.values()],
        [[name, *(_nanoseconds(improved[played][name]) for played in GAMES)] for name in improved["kuhn"]],
    )
    page.picture(
        "implementations",
        implementation_picture(two, three, tuple(SECONDS["kuhn"])),
        "Fig 7.7: epsilon over processor seconds, means of the trials",
    )


def _together(found: Trials, form: str, part: Part) -> tuple[str, str, str]:
    """Return the seconds of a form and those of the samples, and the difference of what was learned."""
    figures, sampled = part.figures[form], np.interp(part.settings["iterations"], found.points, found.elapsed(form)[0])
    return f"{figures['seconds']:.2f} s", f"{sampled:.2f} s", f"{figures['apart']:.0g}"


def _nanoseconds(microseconds: list[float]) -> str:
    found = estimate(microseconds).scaled(1e3)
    return f"{found.mean:.0f} ± {found.half_width():.0f}"


def _published_cost(played: str, form: str) -> str:
    if form not in SECONDS[played]:
        return ""
    implementation = form.partition(",")[0]
    pruned = NODES_PRUNED["iterative" if implementation == "optimised" else implementation, played][0]
    nodes = pruned if "pruned" in form else NODES[played]
    return f"{1e9 * SECONDS[played][form] / nodes:.0f}"
