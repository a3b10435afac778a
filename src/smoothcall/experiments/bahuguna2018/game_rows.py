"""Rows on the games and their equilibria: Sections 2 to 5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from smoothcall.experiments.bahuguna2018.data import Trials, estimate
from smoothcall.experiments.bahuguna2018.settings import (
    DEALS,
    DECISIONS,
    ENDINGS,
    GAMES,
    HISTORIES,
    POTS,
    REGRETS,
    RPS,
    TOLERANCE,
)
from smoothcall.experiments.verdicts import Above, Deviation, Every, Measured, Near, Row, exact, share

ROUNDING = 1e-12  # of exact figures in floating point
FREE_VARIABLES = "Where single trials of three players are far from the equilibria"  # a heading of the page
MISPRINTS = "Misprints of Tables 5.2 and 5.3"  # a heading of the page

UNMEASURED = (  # source, statement, published, why there is nothing to measure
    ("Fig 4.1", "Rock-Paper-Scissors: classes of the program", "a diagram", "a class diagram of its program"),
    ("Fig 4.2", "Kuhn poker: classes of the program", "a diagram", "a class diagram of its program"),
    (
        "(3.1), (3.5) to (3.9)",
        "Expected utility, counterfactual values, regrets, and regret matching",
        "definitions",
        "definitions, which `kernels/experiments/recursive.py` follows; (3.7) omits an r",
    ),
    (
        "Algorithms 1 and 2",
        "The iterative form: one pass down the levels of the tree and one up",
        "pseudo-code",
        "an algorithm; ours is `kernels/experiments/iterative.py`",
    ),
    (
        "Sections 3.1 and 4.1",
        "Reinforcement learning suits games; C++ is faster than Java or Python",
        "background",
        "background and choice of tools, without a figure",
    ),
    (
        "Section 6",
        "Games that are more complicated could take days",
        "days",
        "a conjecture about its own program",
    ),
    (
        "Section 7.2.1",
        "Threads are slower because giving them new work all the time costs more than they gain",
        "it seems",
        "a profile that is not printed; what starting threads costs here stands in section 'Threads'",
    ),
)


def game_rows(facts: Mapping[str, Any]) -> Iterator[Row]:
    yield from _rock_paper_scissors(facts["rps"])
    yield from _trees(facts["trees"])
    for source, statement, published, why in UNMEASURED:
        yield Row(source, statement, published, deviations=(Deviation("nothing", why),))
    yield from _equilibria(facts)


def _same(ours: Any, published: Any) -> Measured:
    """Return how many entries of two tables are equal."""
    equal = np.equal(np.asarray(ours, float), np.asarray(published, float)).ravel()
    return Measured(share(equal.tolist()), Every(), "equal entries")


def _rock_paper_scissors(found: Mapping[str, Any]) -> Iterator[Row]:
    yield Row("Table 2.1", "Rock-Paper-Scissors: utility matrix", "9 pairs of utilities", (_same(found["payoffs"], RPS),))
    sums = np.asarray(found["payoffs"], float).sum(axis=-1)
    yield Row(
        "Section 2.3.1",
        "Rock-Paper-Scissors is zero-sum",
        "utilities of each action profile sum to 0",
        (Measured(exact(abs(sums).max()), Near(0), "largest sum"),),
    )
    yield Row(
        "Sections 2.1 and 3.2",
        "Rock-Paper-Scissors: a pure strategy can be exploited, rock by paper",
        "every time",
        (Measured(exact(found["against_rock"]), Near(1), "value of the best response to rock"),),
    )
    yield Row(
        "Section 2.1",
        "Rock-Paper-Scissors: a mixed strategy reduces the exploitability considerably",
        "reduces considerably",
        (Measured(exact(found["against_even"]), Near(0, ROUNDING), "value of the best response to (1/3, 1/3, 1/3)", ".0g"),),
    )
    yield Row(
        "(3.2) to (3.4)",
        "Rock-Paper-Scissors: regrets of rock, paper and scissors after rock against paper",
        "0, 1, 2",
        (_same(found["regrets"], REGRETS),),
    )
    kernel = [
        Measured(exact(value), Near(1 / 3, ROUNDING + 1e-9), name, ".4f")
        for name, value in zip("RPS", found["kernel"], strict=True)
    ]
    yield Row(
        "Section 5.1",
        "Rock-Paper-Scissors: the equilibrium is the normalised kernel of the utility matrix",
        "(1/3, 1/3, 1/3)",
        (*kernel, Measured(exact(found["kernel_dimension"]), Near(1), "dimension of the kernel", ".0f")),
    )


def _trees(trees: Mapping[str, Any]) -> Iterator[Row]:
    two, three = (trees[played] for played in GAMES)
    for tree, figure, section, played in ((two, "Fig 2.1", "2.3.2", "kuhn"), (three, "Fig 2.2", "2.3.3", "kuhn-3p")):
        counts = [
            (tree["decisions"], DECISIONS[played], "decision nodes"),
            (tree["endings"], ENDINGS[played], "terminal nodes"),
        ]
        yield Row(
            f"{figure}, Section {section}",
            f"Kuhn poker, {GAMES[played]}: size of the game tree",
            f"{DECISIONS[played]} decision and {ENDINGS[played]} terminal nodes",
            tuple(Measured(exact(ours), Near(count), name, ".0f") for ours, count, name in counts),
        )
        yield Row(
            f"Section {section}",
            f"Kuhn poker, {GAMES[played]}: ways to deal one card to each player",
            str(DEALS[played]),
            (Measured(exact(tree["deals"]), Near(DEALS[played]), "deals", ".0f"),),
        )
        histories = [list(ours) == list(printed) for ours, printed in zip(tree["histories"], HISTORIES[played], strict=True)]
        yield Row(
            "Table 5.1",
            f"Kuhn poker, {GAMES[played]}: histories of the decision nodes, in depth-first order",
            f"{len(HISTORIES[played][0])} histories for each player",
            (Measured(share(histories), Every(), "players with these histories"),),
        )
    pots = [two["pots"].get(history) == pot for history, pot in POTS.items()]
    yield Row(
        "Section 2.3.2",
        "Kuhn poker, two players: pots at the terminal nodes",
        "2, 3 or 4",
        (Measured(share(pots), Every(), "terminal nodes with this pot"),),
    )
    widths = [tree["decisions"] / tree["levels"] for tree in (two, three)]
    yield Row(
        "Section 7.2.1",
        "Kuhn poker: the average number of decision nodes on a level is greater with three players",
        "greater",
        (
            Measured(exact(widths[1] - widths[0]), Above(0), "three players less two", "+.2f"),
            *(Measured(exact(width), None, name, ".2f") for name, width in zip(GAMES.values(), widths, strict=True)),
        ),
    )
    zero_sum = share([two["zero_sum"], three["zero_sum"]])
    yield Row("Section 2.3.2", "Kuhn poker is zero-sum", "zero-sum", (Measured(zero_sum, Every(), "games"),))


def _equilibria(facts: Mapping[str, Any]) -> Iterator[Row]:
    two, three = facts["table 5.2"], facts["table 5.3"]
    yield Row(
        "Table 5.2",
        "Kuhn poker, two players: the printed strategies are an equilibrium for any alpha",
        "epsilon = 0",
        (
            Measured(exact(max(two["printed"])), Near(0, ROUNDING), "largest epsilon of five alphas", ".4f"),
            Measured(exact(max(two["corrected"])), None, "with both misprints corrected", ".1g"),
        ),
        cause=f"two misprints, of BQ1 and AJ1; with the printed BQ1 its own test of Section 5.2 would fail. See {MISPRINTS!r}",
    )
    values = np.asarray(two["values"], float)
    yield Row(
        "Table 5.2",
        "Kuhn poker, two players: game values",
        "-1/18 and 1/18",
        tuple(
            Measured(exact(found), Near(value, 1e-9), f"player {player}", "+.5f")
            for player, (found, value) in enumerate(zip(values[0], (-1 / 18, 1 / 18), strict=True), 1)
        ),
    )
    printed = [profile["epsilon"] for profile in three["printed"]]
    yield Row(
        "Table 5.3",
        "Kuhn poker, three players: the printed strategies are equilibria",
        "epsilon = 0",
        (
            Measured(exact(max(printed)), Near(0, ROUNDING), f"largest epsilon of {len(printed)} allowed profiles", ".4f"),
            Measured(exact(max(three["corrected"])), None, f"of {len(three['corrected'])} corrected profiles", ".1g"),
        ),
        cause=f"misprints, of BA1 = 0 above all. See {MISPRINTS!r}",
    )
    yield Row(
        "Table 5.3",
        "Kuhn poker, three players: game values as functions of beta",
        "-(1/2 + beta)/24, -1/48, (1 + beta)/24",
        (Measured(exact(max(three["utilities_apart"])), Near(0, 1e-9), "largest difference of corrected profiles", ".1g"),),
    )


def tolerance_rows(found: Trials, mean: Mapping[str, Any]) -> Iterator[Row]:
    """Section 5.2: the distance of every strategy variable of a run from the expected one; `mean`: of all trials."""
    bar, players = TOLERANCE[found.played], GAMES[found.played]
    distances, closest = found.figure("equations"), found.figure("closest")
    names = sorted({str(trial["variable"]) for trial in found.figures if trial["equations"] > bar})
    cause = (
        f"in the other trials {', '.join(names)} is too far, at an epsilon of at most "
        f"{found.epsilon('recursive')[:, -1].max():.4f}. See {FREE_VARIABLES!r}"
    )
    yield Row(
        "Section 5.2",
        f"Kuhn poker, {players}: after 10 M iterations every strategy variable of a run is within the tolerance",
        f"tolerance {bar}, chosen to have few failures",
        (
            Measured(share((distances <= bar).tolist()), Every(), "by the equations, with the run's own free variables"),
            Measured(share((closest <= bar).tolist()), Every(), "by the closest equilibrium"),
            Measured(estimate(distances), None, "largest distance from the equations, mean of the trials", ".4f"),
        ),
        smaller=found.smaller,
        cause=cause,
        note=f"single trials {distances.min():.4f} to {distances.max():.4f}",
    )
    yield Row(
        "Section 5.2",
        f"Kuhn poker, {players}: strategy variables averaged over all trials, as in the document's curves",
        None,
        (
            Measured(exact(mean["equations"]), None, "largest distance from the equations", ".4f"),
            Measured(exact(mean["closest"]), None, "from the closest equilibrium", ".4f"),
        ),
        note=f"the document's tolerance, for a single run, is {bar}",
    )
