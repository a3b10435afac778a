"""Sections of the page on matches: Table 1, Figs 4 and 5, and the cross table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

import numpy as np

from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.scripted import AnyAmount
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import Player
from smoothcall.evaluation.freezeouts import FreezeoutResult
from smoothcall.evaluation.match import match
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.cross_table import CrossTable, draw_table
from smoothcall.experiments.pricope2021.report import Report, rounded
from smoothcall.experiments.pricope2021.settings import (
    DP,
    EQUILIBRIUM,
    ETA,
    GENERIC,
    GP,
    MAIN,
    ONE,
    ONE_NETWORK,
    SEED,
    TABLE_1,
    TWO,
)
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.store.curves import new_figure, png

Pairs = dict[tuple[str, str], Estimate]  # mbb/h of the first against the second


def mixing(policy: TabulatedPolicy, eta: float) -> BatchPolicy:
    """Return the agent with another probability of its greedy action; 0 is its average policy."""
    return replace(policy.batch_policy, eta=eta)  # type: ignore[type-var]


# Table 1


def add_table_1(report: Report) -> None:
    page, size = report.page, report.size
    report.tell("table 1")
    page.heading("Agent 3 against agent 2 (Table 1)")
    page.table(["published", "hours trained", "games", "average stack", "mbb/h"], [[*map(str, line)] for line in TABLE_1])
    counts = (*size.published[:2], size.freezeouts)
    rows: list[list[object]] = []
    data: list[dict[str, Any]] = []
    for label in (GP, DP):
        every = {**report.agents.snapshots[label], size.trainings[label].freezeouts: report.agents.policies[label]}
        for at, policy in every.items():
            for eta in (0.0, ETA):
                results = [report.play_freezeouts(mixing(policy, eta), TWO, count) for count in counts]
                minutes = f"{policy.card['seconds'] / 60:.0f}"
                how = "greedy + average" if eta else "average"
                rows.append([label, how, f"{at:,}", minutes, *_stacks_and_mbb(report, results)])
                data += [{"agent": label, "eta": eta, "trained": at, **result.as_dict()} for result in results]
    results = [report.play_freezeouts(EQUILIBRIUM, TWO, count) for count in counts]
    rows.append([EQUILIBRIUM, "", "", "", *_stacks_and_mbb(report, results)])
    heads = [f"{what}, {count:,} freezeouts" for count in counts for what in ("average stack", "mbb/h")]
    page.table(["ours", "plays", "freezeouts trained", "minutes", *heads], rows)
    page.data["table 1"] = data
    _check_table_1(report)


def _stacks_and_mbb(report: Report, results: list[FreezeoutResult]) -> list[str]:
    return [text for result in results for text in (report.mean_stack(result), report.mbb(result))]


def _check_table_1(report: Report) -> None:
    last = {label: report.play_freezeouts(label, TWO, report.size.freezeouts).mbb(report.blind) for label in (GP, DP)}
    error = float(np.hypot(last[GP].error, last[DP].error))
    difference = Estimate(last[GP].mean - last[DP].mean, error, last[GP].count)
    report.page.check(
        "Agent 3 beats agent 2 (Table 1)",
        "GP 248 to 361, DP 193 to 319 mbb/h",
        ", ".join(f"{label} {rounded(each)}" for label, each in last.items()),
        passed=report.judged(min(each.interval()[0] for each in last.values()) > 0),
    )
    report.page.check(
        "Gradient play does better against agent 2 than discrete play (Table 1)",
        "361 against 234 mbb/h after 45 hours",
        f"GP less DP {rounded(difference)}, one training each",
        passed=report.judged(difference.interval()[0] > 0),
    )


# Figs 4 and 5


def add_figures_4_and_5(report: Report) -> None:
    page, size = report.page, report.size
    report.tell("figures 4 and 5")
    page.heading("Against Random (Figs 4 and 5), and agent 3 against agent 1")
    rows, actions = [], []
    few: dict[str, FreezeoutResult] = {}
    for label in (*MAIN, EQUILIBRIUM, "HeuristicMC", "Call"):
        few[label] = report.play_freezeouts(label, "Random", size.published[0])
        many = report.play_freezeouts(label, "Random", size.freezeouts)
        rows.append([label, report.mean_stack(few[label]), report.mean_stack(many), f"{many.wins:.1%}", report.mbb(many)])
        actions.append([label, *(f"{share:.1%}" for share in few[label].actions[0])])
    count = f"{size.published[0]} freezeouts"
    page.table(
        ["against Random", f"average stack, {count}", f"{size.freezeouts:,} freezeouts", "freezeouts won", "mbb/h"], rows
    )
    page.table([f"actions in the {count}", "fold", "check or call", *report.game.actions[2:]], actions)
    _draw_stacks(report, few)
    page.data["against random"] = {label: result.as_dict() for label, result in few.items()}
    _check_against_random(report, few)
    _check_against_agent_1(report)
    spread = report.play_hands(GP, DP).deviation / report.blind * 1000
    page.text(
        "The paper's match against a human (10 games, 56 hands, 7-3 and 241.07 mbb/h for the agent) can be played in the "
        "browser: `smoothcall play`, No-limit Texas hold'em, a match of 10 freezeouts against agent 3, which ends with the "
        f"score and mbb/h with an interval. The standard deviation of a hand between {GP} and {DP} is {spread:.0f} mbb: the "
        f"interval of 56 hands is ± {1.96 * spread / np.sqrt(56):.0f} mbb/h, so that 241 is no evidence of skill."
    )


def _draw_stacks(report: Report, results: Mapping[str, FreezeoutResult]) -> None:
    figure, places = new_figure(), np.arange(len(results))
    axes = figure.axes[0]
    axes.barh(
        places,
        [report.stack + result.gain.mean for result in results.values()],
        xerr=[result.gain.half_width() for result in results.values()],
    )
    axes.set(yticks=places, xlabel="average stack after 250 freezeouts against Random")
    axes.set_yticklabels(list(results))
    axes.invert_yaxis()
    caption = "Average stack against Random over 250 freezeouts, with 95 % intervals"
    report.page.picture("against-random", png(figure), caption)


def _check_against_random(report: Report, results: Mapping[str, FreezeoutResult]) -> None:
    report.page.check(
        "Average stack against Random over 250 freezeouts (Fig 4)",
        "GP almost 180",
        ", ".join(f"{label} {report.mean_stack(results[label])}" for label in (GP, DP)),
        passed=report.judged(results[GP].gain.interval()[1] > 75),
    )
    raises = {label: sum(results[label].actions[0][2:]) for label in (GP, DP)}
    all_in = {label: results[label].actions[0][-1] for label in (GP, DP)}
    report.page.check(
        "GP is the more aggressive of the two (Fig 5)",
        "GP between calls and raises, DP mainly calls and rarely goes all-in",
        ", ".join(f"{label} raises in {raises[label]:.0%} of its moves, {all_in[label]:.0%} all-in" for label in raises),
        passed=report.judged(raises[GP] > raises[DP]),
    )


def _check_against_agent_1(report: Report) -> None:
    few, many = (report.play_freezeouts(GP, ONE, count) for count in (report.size.published[2], report.size.freezeouts))
    report.page.check(
        "Agent 3 GP against agent 1",
        "130 games: 88.46 % won, average stack 175",
        f"{few.freezeouts} freezeouts: {few.wins:.1%} won, average stack {report.mean_stack(few)}; {many.freezeouts:,} "
        f"freezeouts: {many.wins:.1%}, {report.mean_stack(many)}, {report.mbb(many)}",
        passed=report.judged(many.gain.interval()[0] > 0),
    )


# The cross table


def add_cross_table(report: Report) -> None:
    page, size, players = report.page, report.size, tuple(report.agents.players)
    report.tell("cross table")
    page.heading("Cross table: hands with full stacks")
    found: Pairs = {}
    data = []
    for one, other in combinations(players, 2):
        result = report.play_hands(one, other)
        found[one, other] = result.mbb(report.blind)
        found[other, one] = found[one, other].scaled(-1)
        data.append(result.as_dict())
    page.text(f"mbb/h of the row against the column, {size.deals:,} deals each, every deal in both seats.")
    page.table(["", *players], [[row, *(rounded(found.get((row, column))) for column in players)] for row in players])
    cells = tuple(tuple(found.get((row, column)) for column in players) for row in players)
    table = CrossTable(report.game.spec, players, players, cells, ())
    page.picture("cross-table", draw_table(table), f"mbb/h of the row against the column, {size.deals:,} deals each")
    page.data["hands"] = data
    deals = max(size.deals // 10, 2)
    expert = report.agents.network_expert
    against = {other: report.play_hands(expert, other, deals).mbb(report.blind) for other in (*GENERIC, ONE)}
    results = ", ".join(f"{rounded(each)} against {other}" for other, each in against.items())
    page.text(f"{ONE_NETWORK}, {deals:,} deals: {results}.")
    _check_cross_table(report, found)
    _add_any_amount(report)


def _check_cross_table(report: Report, found: Pairs) -> None:
    page = report.page
    for label in (GP, DP):
        against = {other: found[label, other] for other in GENERIC}
        average_policy = mixing(report.agents.policies[label], 0.0)
        average = {other: report.play_hands(average_policy, other).mbb(report.blind) for other in GENERIC}
        page.check(
            f"{label} beats Random, Call and HeuristicMC, {report.size.deals:,} duplicate hands",
            "(wins)",
            f"{_listed(against)} (the average policy alone: {_listed(average)})",
            passed=report.judged(min(each.interval()[0] for each in against.values()) > 0),
        )
    page.check(
        "Agent 2 beats agent 1",
        "learned to",
        f"{rounded(found[TWO, ONE])} mbb/h",
        passed=report.judged(found[TWO, ONE].interval()[0] > 0),
    )
    others = [other for other in report.agents.players if other != EQUILIBRIUM]
    least, name = min((found[EQUILIBRIUM, other].interval()[1], other) for other in others)
    page.check(
        "The equilibrium agent loses to none of them",
        "(not in the paper)",
        f"least upper end {least:+.0f} mbb/h, against {name}",
        passed=report.judged(least > 0),
    )


def _listed(found: Mapping[str, Estimate]) -> str:
    return ", ".join(f"{other} {rounded(each)}" for other, each in found.items())


def _add_any_amount(report: Report) -> None:
    """Play against a Random that raises by any amount, hand by hand."""
    deals, rows = report.size.slow_deals, []
    for label in (GP, DP):
        report.tell(f"{label} against Random with raises of any size")
        policy = report.agents.policies[label]
        players: list[Player] = [PolicyPlayer(policy, random=Random(SEED)), AnyAmount(Random(SEED + 1))]
        result = match(report.game, players, names=[label, "Random"], hands=2 * deals, seed=SEED, by_hand=True)
        rows.append([label, rounded(result.estimates[0])])
    report.page.text(
        "In the cross table Random raises by an action of the bet menu. With raises of any amount, "
        f"{deals:,} deals, every deal in both seats, played hand by hand:"
    )
    report.page.table(["against Random, any amount", "mbb/h"], rows)
