"""Sections of the page on matches and responses."""

from __future__ import annotations

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.cross_table import CrossTable, draw_table
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.pricope2021.data import Data, of_seeds
from smoothcall.experiments.pricope2021.published import TABLE_1
from smoothcall.experiments.pricope2021.results import Played, formatted, from_list
from smoothcall.experiments.pricope2021.settings import (
    DP,
    DP_HAND,
    GP,
    GP_DIAGONAL,
    GP_HAND,
    MATRICES,
    MCCFR,
    ONE,
    RANDOM,
    TWO,
    UNITS,
)
from smoothcall.store.curves import new_figure


def episodes(page: Page, data: Data) -> None:
    page.text(
        "With `episode=game` action values are of the rest of the game, as the paper maximises; with `episode=hand`, of the "
        "hand alone. Both were trained for equally many games, and play freezeouts, seed by seed."
    )
    _pairs(page, data, ((GP, GP_HAND), (DP, DP_HAND)))


def _pairs(page: Page, data: Data, pairs: tuple[tuple[str, str], ...]) -> None:
    rows = []
    for one, other in pairs:
        if data.has(f"{one} against {other}"):
            for at in data.matched(one, other):
                played = data.versions(one, other, at)
                wins = of_seeds(lambda each: each.wins, played)
                seeds = ", ".join(f"{each.wins:.1%}" for each in played)
                games = [f"{at:,}", f"{played[0].freezeouts:,}"]
                rows.append([one, other, *games, seeds, formatted(wins, ".1%"), formatted(data.mbb(played), "+.0f")])
    page.table(["", "against", "games of training", "games of a match", "games won, by seed", "mean", "mbb/h"], rows)


def gradient(page: Page, data: Data) -> None:
    found = data["gradient policy"]
    page.text(
        "Gradient play follows P[Pi + M Pi'] in 8 % of the games that do not follow the average policy. The paper does not "
        "define M: with *columns* M Pi' is Q, the gradient of the value; with *diagonal* it is Q times the opponent's average "
        "policy. How far this policy is from the average policy and from the best response depends on the unit of Q: total "
        f"variation, mean over {found['decisions']:,} decisions of {GP} (seed 1) with itself. The best response is at "
        f"{found['best response']:.3f} from the average policy."
    )
    rows = [
        [matrix, unit, *(f"{distance:.3f}" for distance in found[f"{matrix}, {unit}"])] for matrix in MATRICES for unit in UNITS
    ]
    page.table(["M", "unit of Q", "to the average policy", "to the best response"], rows)
    page.text("Agents trained for equally many games, which play freezeouts, seed by seed:")
    _pairs(page, data, ((GP, DP), (GP_DIAGONAL, DP), (GP_HAND, DP_HAND)))
    page.text("How both play against Random (Fig 5), after as many games as in the paper:")
    _styles(page, data)


def _styles(page: Page, data: Data) -> None:
    rows = []
    for label in (GP, DP):
        played = data.versions(label, RANDOM, data.points(label)[0])
        shares = [of_seeds(lambda each, slot=slot: each.actions[slot], played) for slot in range(len(played[0].actions))]  # type: ignore[misc]
        rows.append([label, f"{data.points(label)[0]:,}", *(formatted(share, ".1%") for share in shares)])
    page.table(["", "games of training", "fold", "check or call", *data["game"]["actions"][2:]], rows)


def table_1(page: Page, data: Data) -> None:
    page.table(
        ["published", "hours trained", "games", "average stack", "mbb/h"],
        [[f"Agent3{line.agent}", line.hours, f"{line.games:,}", f"{line.stack:g}", f"{line.mbb:g}"] for line in TABLE_1],
    )
    rows = []
    for label in (GP, DP):
        for at in data.points(label):
            played = data.versions(label, TWO, at)
            wins = of_seeds(lambda each: each.wins, played)
            figures = [formatted(data.stacks(played), ".1f"), formatted(data.mbb(played), "+.0f"), formatted(wins, ".1%")]
            rows.append([label, f"{at:,}", len(played), f"{played[0].freezeouts:,}", *figures])
    page.table(["ours", "games trained", "trainings", "games of a match", "average stack", "mbb/h", "games won"], rows)
    page.text(
        "The paper says that 50,000 games took 6 hours (GP) and 11 hours (DP), and that 150,000 took 80; its other hours are "
        "taken to be games on a line between these: 60,000 after 11 and 17 hours, 100,000 after 45. Its winnings and its "
        "stacks do not agree: an average stack of 117 is 17 chips won in a game, and 263 mbb/h is 2.63 chips won in a hand, "
        "which gives games of 7 hands; with 110 and 340 they have 3. Agent3DP with 45 hours even ends with fewer chips than it "
        "began with, 99.2 on average, and wins 192.55 mbb/h in the same games."
    )


def against_random(page: Page, data: Data) -> None:
    found: dict[str, Estimate] = {}
    rows = []
    for label in (GP, DP):
        for at in (data.points(label)[0], data.points(label)[-1]):
            played = data.versions(label, RANDOM, at)
            name = f"{label}, {at:,} games"
            found[name] = data.stacks(played)
            rows.append(
                [
                    name,
                    formatted(found[name], ".1f"),
                    f"{np.mean([each.wins for each in played]):.1%}",
                    formatted(data.mbb(played), "+.0f"),
                ]
            )
    for label, result in data["against Random"].items():
        played_once = Played.of(result)
        found[label] = played_once.stack(data.stack)
        rows.append(
            [label, formatted(found[label], ".1f"), f"{played_once.wins:.1%}", formatted(played_once.mbb(data.blind), "+.0f")]
        )
    page.table(["against Random", "average stack", "games won", "mbb/h"], rows)
    figure, places = new_figure(), np.arange(len(found))
    axes = figure.axes[0]
    halves = [each.half_width() if np.isfinite(each.half_width()) else 0.0 for each in found.values()]
    axes.barh(places, [each.mean for each in found.values()], xerr=halves)
    axes.axvline(180, color="black", linestyle="--", linewidth=1, label="GP in the paper: almost 180")
    axes.set(yticks=places, xlabel="average stack at the end of a game against Random")
    axes.set_yticklabels(list(found))
    axes.invert_yaxis()
    axes.legend(frameon=False)
    page.picture("against-random", figure, "Average stack against Random, with 95 % intervals")
    played = data.versions(GP, ONE, data.points(GP)[0])
    wins = of_seeds(lambda each: each.wins, played)
    page.text(
        f"{GP} after {data.points(GP)[0]:,} games against {ONE}: {formatted(wins, '.1%')} of the games won, average stack "
        f"{formatted(data.stacks(played), '.1f')}."
    )


def cross_table(page: Page, data: Data) -> None:
    every = data["cross table"]
    players = list(dict.fromkeys(name for one, other, _ in every for name in (one, other)))
    deals = data.settings("cross table")["deals"]
    cells = tuple(
        tuple(None if row == column else data.hands(row, column).mbb(data.blind) for column in players) for row in players
    )
    table = CrossTable(data.settings("game")["game"], tuple(players), tuple(players), cells, ())
    page.text(f"mbb/h of the row against the column, {deals:,} deals each, every deal in both seats; agents of the first seed.")
    lines = [["" if cell is None else cell.rounded for cell in row] for row in cells]
    page.table(["", *players], [[name, *line] for name, line in zip(players, lines, strict=True)])
    page.picture("cross-table", draw_table(table), f"mbb/h of the row against the column, {deals:,} deals each")


def responses(page: Page, data: Data) -> None:
    labels = [name.removeprefix("deep response to ") for name in data.parts if name.startswith("deep response to ")]
    labels += [MCCFR] if data.has(f"tabular responses to {MCCFR}") else []
    rows = []
    for label in labels:
        cells = ["", "", "", ""]
        if data.has(f"tabular responses to {label}"):
            tabular = data[f"tabular responses to {label}"]
            cells[:2] = [from_list(tabular[name]).rounded for name in ("local", "learned")]
        if data.has(f"deep response to {label}"):
            deep = Played.of(data[f"deep response to {label}"])
            cells[2:] = [deep.mbb(data.blind).rounded, f"{deep.wins:.1%}"]
        rows.append([label, *cells])
    if not rows:
        page.text("Not measured yet.")
        return
    page.text(
        "The paper has no figure for this. Lower bounds of what a best response wins of the frozen agent (first seed), in "
        "mbb/h. A local best response and UCT play hands with full stacks against a table of the agent, its mean probabilities "
        "over the hands of a bucket. Double DQN (`nfsp-freezeouts` with eta=1) learns in freezeouts against the agent itself, "
        "and plays freezeouts. Folding every hand loses 750."
    )
    page.table(["agent", "local best response", "UCT", "double DQN, in freezeouts", "games it wins"], rows)
