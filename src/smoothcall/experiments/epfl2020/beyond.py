"""Sections of the page on epfl2020 that go beyond the document: combined agents, estimated equities, exploitability."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from math import sqrt

import numpy as np

from smoothcall.agents.combined import AGGRESSION_FACTORS, CELLS, PREFLOP_RAISES, cells_of, stranger
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.epfl2020.figures import over_trainings, seeds_of, tables_by_seed
from smoothcall.experiments.epfl2020.report import NOT_YET
from smoothcall.experiments.epfl2020.rows import alone, best_alone, gain_of_all, new_gain
from smoothcall.experiments.epfl2020.settings import COLUMNS, COMBINED, EXACT, FIRST, MCCFR, PAPER, SCRIPTED
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import Part

Parts = Mapping[str, Part]


def write_combined(page: Page, parts: Parts) -> None:
    page.heading("Combining agents (section 8.2)")
    by_seed = tables_by_seed(parts)
    seeds = [seed for seed in seeds_of(parts, "combined") if seed in by_seed]
    tables = [by_seed[seed] for seed in seeds]
    if not seeds:
        page.text(NOT_YET)
        return
    first = parts[f"combined {seeds[0]}"]
    page.text(
        f"{COMBINED} lets one of the four agents play each hand, chosen by the opponent's pre-flop raise and aggression "
        "factor over "
        "the earlier hands of the freezeout. Which one is learned from "
        f"{first.settings['choice_hands']:,} hands in which a random one of the four plays against a random one of 14 "
        "players, the "
        "four agents and the ten scripted ones: the agent that won most chips a hand against opponents with such metrics. It "
        "is "
        "then measured against the same 14, as each agent alone is."
    )
    matches = [parts[f"combined {seed}"].figures["matches"] for seed in seeds]
    names = (*COLUMNS, *FIRST)
    lines = [[COMBINED, *(over_trainings([each[name]["gain"] for each in matches]).rounded for name in names)]]
    lines[0].append(over_trainings([gain_of_all(each) for each in matches]).rounded)
    for label in PAPER:
        met = {name: over_trainings([each.pair(label, name).gain for each in tables]) for name in names if name != label}
        cells = [met[name].rounded if name in met else "x" for name in names]
        lines.append([label, *cells, over_trainings([alone(table, label) for table in tables]).rounded])
    page.table(["chips a freezeout", *names, "mean of 14"], lines)
    page.text(f"Agents of {len(seeds)} trainings; an agent against itself counts as 0 in the mean.")
    choice = np.array(first.figures["choice"]).reshape(CELLS)
    hands = np.array(first.figures["hands"]).sum(axis=1).reshape(CELLS)
    page.table(
        ["pre-flop raise \\ aggression factor", *_ranges(AGGRESSION_FACTORS)],
        [
            [own, *(f"{PAPER[one]} ({count:,.0f})" for one, count in zip(choice[row], hands[row], strict=True))]
            for row, own in enumerate(_ranges(PREFLOP_RAISES))
        ],
    )
    page.text("Whom it plays, seed 1, and the hands it was learned from.")
    best = over_trainings([gain_of_all(each) - best_alone(table) for each, table in zip(matches, tables, strict=True)])
    unknown = int(cells_of(stranger())[0])
    page.text(
        f"Compared with the best of the four in each training it gains {best.rounded} chips more. "
        f"{hands.flat[unknown] / hands.sum():.0%} of the hands began with the metrics of an unknown opponent: freezeouts have "
        f"{np.mean([table.hands(label) for table in tables for label in PAPER]):.1f} hands on average, too few to learn much. "
        "It is not among the shipped agents for that reason."
    )
    _write_new_opponents(page, parts)


def _write_new_opponents(page: Page, parts: Parts) -> None:
    """Write the matches against opponents that the choice was not learned from."""
    seeds = seeds_of(parts, "new opponents")
    if not seeds:
        page.text(f"Against opponents that the choice was not learned from: {NOT_YET}")
        return
    trainings = [parts[f"new opponents {seed}"].figures for seed in seeds]
    names, lines = list(trainings[0][COMBINED]), []
    for label in trainings[0]:
        gains = np.array([[each[label][name]["gain"] for name in names] for each in trainings])
        cells = [over_trainings(list(column)).rounded for column in (*gains.T, gains.mean(axis=1))]
        apart = over_trainings([new_gain(each, COMBINED) - new_gain(each, label) for each in trainings])
        lines.append([label, *cells, "" if label == COMBINED else apart.rounded])
    page.table(["chips a freezeout", *names, "mean", f"{COMBINED} gains more"], lines)
    page.text(
        'Against learners that the choice was not learned from, marked \' (see "Our changes of the learners"); '
        f"{len(seeds)} trainings."
    )


def _ranges(cuts: tuple[float, ...]) -> list[str]:
    ends = itertools.pairwise(cuts)
    return [f"below {cuts[0]:g}", *(f"{low:g} to {high:g}" for low, high in ends), f"from {cuts[-1]:g}"]


def write_estimated(page: Page, parts: Parts) -> None:
    page.heading("Equities from rollouts")
    if "estimated equities" not in parts:
        page.text(NOT_YET)
        return
    part = parts["estimated equities"]
    lines = []
    for label, found in part.figures.items():
        cells = []
        for name in SCRIPTED:
            (exact, error), (estimated, other) = found[name]
            cells.append(f"{exact:+,.0f} ± {1.96 * error:,.0f} / {estimated:+,.0f} ± {1.96 * other:,.0f}")
        apart = np.mean([each[1][0] - each[0][0] for each in found.values()])
        error = sqrt(sum(each[0][1] ** 2 + each[1][1] ** 2 for each in found.values())) / len(found)
        lines.append([label, *cells, f"{apart:+,.0f} ± {1.96 * error:,.0f}"])
    page.table(["gain: exact / estimated", *SCRIPTED, "mean difference"], lines)
    page.text(
        f"Agents of seed 1, {part.settings['freezeouts']:,} freezeouts each, both players with exact equities, and both with "
        f"estimates from {part.settings['rollouts']} rollouts as in the document. They were trained with exact ones."
    )


def write_exploitability(page: Page, parts: Parts) -> None:
    page.heading("How exploitable are they?")
    page.text(
        "The document has no figure for this. Hands with full stacks against the frozen agent of seed 1, in mbb/h "
        "(thousandths of "
        "500 chips a hand) with 95 % intervals: lower bounds of what a best response wins. Folding every hand loses 1000."
    )
    labels = [label for label in PAPER if f"responses {label}" in parts]
    if labels:
        settings = parts[f"responses {labels[0]}"].settings
        heads = list(parts[f"responses {labels[0]}"].figures)
        lines = [
            [
                label,
                *(Estimate(each[0], each[1], int(each[2])).rounded for each in parts[f"responses {label}"].figures.values()),
            ]
            for label in labels
        ]
        page.table(["agent", *heads], lines)
        page.text(
            f"Local best response: {settings['deals']:,} deals in both seats. UCT: {settings['episodes']:,} episodes a seat. "
            "Clipped "
            f"double DQN: {settings['response_hands']:,} hands."
        )
    else:
        page.text(f"Lower bounds: {NOT_YET}")
    exact = [label for label in EXACT if f"exact response {label}" in parts]
    if exact:
        game = parts[f"exact response {exact[0]}"].settings["game"]
        lines = []
        for label in exact:
            found = parts[f"exact response {label}"].figures
            lines.append([label, *(f"{each:+.1f}" for each in (found["total"], *found["seats"]))])
        page.table(["agent", "a best response wins, mbb/h", "as seat 0", "as seat 1"], lines)
        page.text(
            f"Exact values in the game whose only raise is by three bets (`{game}`): a best response that sees its own cards "
            "and the "
            "whole board, over every deal."
        )
    else:
        page.text("Exact best responses were not measured.")
    _write_mccfr(page, parts)


def _write_mccfr(page: Page, parts: Parts) -> None:
    if "mccfr" not in parts:
        page.text(f"MCCFR in the same game against them: {NOT_YET}")
        return
    part = parts["mccfr"]
    found = {name: Estimate(each["gain"], each["error"], each["hands"]) for name, each in part.figures["matches"].items()}
    page.table(
        [f"chips a freezeout of {MCCFR}", *COLUMNS],
        [[MCCFR, *(f"{found[name].mean:+,.0f} ± {found[name].half_width():,.0f}" for name in COLUMNS)]],
    )
    lost = [name for name in COLUMNS if found[name].interval()[1] < 0]
    far = f" An equilibrium would not lose to {', '.join(lost)}: it has not learned for long enough." if lost else ""
    page.text(
        f"{MCCFR} is the average policy of Monte-Carlo CFR in the same game, one policy for each stack that may be left, "
        f"`{part.figures['command']}` for full stacks and fewer iterations for smaller ones.{far} It is none of the opponents "
        "above. Agents of seed 1; the intervals are of the matches."
    )
