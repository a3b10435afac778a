"""Sections of the page on matches: Figs 5 and 6, the scripted players, and the actions chosen."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from smoothcall.agents.batch_wrappers import Table
from smoothcall.agents.scripted import Scripted
from smoothcall.evaluation.freezeouts import FreezeoutResult, play_freezeouts
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.agents import Tell
from smoothcall.experiments.cross_table import CrossTable, draw_table
from smoothcall.experiments.epfl2020.settings import (
    COLUMNS,
    EQUILIBRIUM,
    GAINS,
    LEARNERS,
    SCRIPTED,
    SEED,
    SIMPLE,
    WINS,
    Size,
)
from smoothcall.experiments.ledger import Page
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.tables import Array
from smoothcall.simulation.batch_policy import BatchPolicy

Results = dict[tuple[str, str], FreezeoutResult]  # by pair, in one order of its players


def add_cross_table(page: Page, rules: PokerRules, players: dict[str, BatchPolicy], size: Size, tell: Tell) -> Results:
    """Add the tables of all pairs; return the results of the longer matches."""
    page.heading("Cross table (Figs 5 and 6)")
    page.text(
        "Freezeouts of ten hands from 10,000 chips; chips carry over from hand to hand. Mean gain of the row / standard "
        "deviation of a freezeout, in chips, and share of freezeouts won (a tie counts half). "
        f"{EQUILIBRIUM} is the average policy of MCCFR in the same game, one policy for each stack that may be left. AD, MD, "
        'BAD and BMD are the final scripted players (epfl2020 calls them "dummies").'
    )
    page.table(["published: gain", *COLUMNS], [[label, *line.split()] for label, line in GAINS.items()])
    page.table(["published: won", *COLUMNS], [[label, *line.split()] for label, line in WINS.items()])
    found: Results = {}
    for freezeouts in (40, size.freezeouts):
        tell(f"cross table, {freezeouts:,} freezeouts")
        for one, other in combinations(players, 2):
            pair = [players[one], players[other]]
            found[one, other] = play_freezeouts(rules, pair, names=(one, other), freezeouts=freezeouts, seed=SEED)
        rows = [label for label in players if label not in SCRIPTED]
        page.text(f"Ours, {freezeouts:,} freezeouts, every deal in both seats:")
        page.table(["gain", *players], [[row, *(_gain(found, row, column) for column in players)] for row in rows])
        page.table(["won", *players], [[row, *(_won(found, row, column) for column in players)] for row in rows])
        page.data[f"{freezeouts} freezeouts"] = [result.as_dict() for result in found.values()]
    cells = tuple(tuple(gain_of(found, row, column) for column in players) for row in players)
    table = CrossTable(rules.name, tuple(players), tuple(players), cells, (), unit="chips a freezeout of ten hands")
    caption = f"Chips a freezeout of the row against the column, {size.freezeouts:,} freezeouts each"
    page.picture("cross-table", draw_table(table), caption)
    return found


def gain_of(found: Results, row: str, column: str) -> Estimate | None:
    """Return the gain of the row against the column in chips a freezeout; None if they did not meet."""
    if (row, column) in found:
        return found[row, column].gain
    return found[column, row].gain.scaled(-1) if (column, row) in found else None


def _gain(found: Results, row: str, column: str) -> str:
    gain = gain_of(found, row, column)
    result = found.get((row, column)) or found.get((column, row))
    return "x" if gain is None or result is None else f"{gain.rounded} / {result.deviation:.0f}"


def _won(found: Results, row: str, column: str) -> str:
    if (row, column) in found:
        return f"{found[row, column].wins:.3f}"
    return f"{1 - found[column, row].wins:.3f}" if (column, row) in found else "x"


def add_simple_players(page: Page, rules: PokerRules, players: dict[str, BatchPolicy], size: Size, tell: Tell) -> None:
    """Add the matches against the scripted players, and the check that every learner beats them."""
    tell("the scripted players")
    table, rows, worst = Table.of(rules), [], (np.inf, "")
    for label in (*LEARNERS, EQUILIBRIUM):
        line: list[object] = [label]
        for rule in SIMPLE:
            pair = [players[label], Scripted(rule, table)]
            won = play_freezeouts(rules, pair, names=(label, rule), freezeouts=size.freezeouts, seed=SEED + 1).gain
            line.append(won.rounded)
            if label in LEARNERS:
                worst = min(worst, (won.interval()[0], f"{label} against {rule}"))
        rows.append(line)
    page.heading("Against scripted players")
    page.table(["chips a freezeout", *SIMPLE], rows)
    page.check(
        "Every trained agent beats Random, Call, CheckFold and Raise",
        "(sanity)",
        f"least lower end {worst[0]:+.0f} chips a freezeout, {worst[1]}",
        passed=worst[0] > 0 if size.full else None,
    )


def check_claims(page: Page, results: Results, labels: list[str], size: Size) -> None:
    """Add the checks on the cross table."""
    against = [found for label in SCRIPTED if (found := gain_of(results, "CDQN", label)) is not None]
    mean = float(np.mean([each.mean for each in against]))
    error = float(np.sqrt(sum(each.error**2 for each in against))) / len(against)
    page.check(
        "CDQN, after mirror training, against the mean of the four final scripted players",
        "-690.6",
        f"{mean:+.0f} ± {1.96 * error:.0f} chips a freezeout",
        passed=mean > 0 if size.full else None,
    )
    ends = [(found.interval()[1], label) for label in labels if (found := gain_of(results, EQUILIBRIUM, label)) is not None]
    least, name = min(ends)
    page.check(
        "The equilibrium agent loses to none of them",
        "(not in the paper)",
        f"least upper end {least:+.0f} chips a freezeout, against {name}",
        passed=least > 0 if size.full else None,
    )
    positive = [
        label
        for label in LEARNERS
        if all(gain.mean > 0 for other in labels if (gain := gain_of(results, label, other)) is not None)
    ]
    page.check(
        "No learner has a positive gain against everybody",
        "none has",
        f"{', '.join(positive) or 'none'} of ours has",
        passed=not positive if size.full else None,
    )


def add_actions(page: Page, made: Game, results: Results) -> None:
    page.heading("Actions chosen (section 8.1)")
    total: dict[str, list[tuple[float, ...]]] = {}
    for pair, result in results.items():
        for label, share in zip(pair, result.actions, strict=True):
            total.setdefault(label, []).append(share)
    names = ["fold", "check or call", *(f"raise by {item[1:]}" for item in made.actions[2:])]
    shares: dict[str, Array] = {label: np.mean(each, axis=0) for label, each in total.items()}
    page.table(["share of actions", *names], [[label, *(f"{part:.1%}" for part in share)] for label, share in shares.items()])
    raises, calls = shares["MC"][2:].sum(), shares["MC"][1]
    page.text(
        f"The paper's Monte-Carlo agent rarely calls, but folds or raises, and bets big. Ours checks or calls in "
        f"{calls:.0%} of its actions, folds in {shares['MC'][0]:.0%} and raises in {raises:.0%}; "
        f"{shares['MC'][4:].sum() / max(raises, 1e-9):.0%} of its raises are by three bets or more."
    )
    page.data["actions"] = {label: share.tolist() for label, share in shares.items()}
