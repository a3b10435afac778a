"""heinrich2014, limit Texas hold'em: games of two and three players in an abstraction by a grid of E[HS^2].

The opponents of the document are not available, except for two that it describes: Always-Raise and Probe. So its agents are
trained again, with the document's algorithm and with exact fold values, and play each other, an agent trained by MCCFR, and
the scripted players. Local and learned best responses, which the document does not have, measure how exploitable they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from smoothcall.experiments.agents import AgentFolder
from smoothcall.experiments.heinrich2014_holdem import agents as of
from smoothcall.experiments.heinrich2014_holdem import measures, rows, sections
from smoothcall.experiments.heinrich2014_holdem.agents import AVERAGE, FORMS, GREEDY, SEED, Agent, Agents
from smoothcall.experiments.heinrich2014_holdem.measures import folded
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import Part, Parts

__all__ = ["FULL", "QUICK", "SOURCES", "TITLE", "Size", "folded", "measure", "write"]
TITLE = "heinrich2014: Self-Play Monte-Carlo Tree Search in Computer Poker (limit Texas hold'em)"
SOURCES = ("Table 1", "Table 2", "Table 3", "Limit Texas Hold'em", "Two-player", "Three-player", "Conclusion")
RUNS = Path("runs") / "heinrich2014"


@dataclass(frozen=True, slots=True)
class Size:
    """Sizes of trainings, matches and responses; a part whose size is 0 is not measured."""

    two: tuple[Agent, ...]  # agents of Table 2
    episodes: int  # of each of them
    exact: int  # episodes of those with exact fold values
    walks: int  # iterations of MCCFR
    curve: tuple[int, int]  # episodes of the first and last point of a learning curve; MCCFR begins with a hundredth
    cells: int  # episodes of the agents that compare abstractions
    compared: tuple[str, ...]  # those abstractions, the document's first
    three: int  # episodes of each three-player agent
    exact_three: int  # episodes of those with exact fold values
    hands: int  # of each pair; twice as many on learning curves, and of three players
    deals: int  # of a local best response; half as many on learning curves, twice as many to compare abstractions
    response: int  # episodes a seat of a learned response
    shown: int  # deals in which the buckets in use are counted
    keep: bool = False  # whether agents are trained as runs, and those with exact fold values kept in the ledger


FULL = Size(
    of.TWO, 10_000_000, 1_000_000_000, 10_000_000, (100_000, 100_000_000), 10_000_000, of.CELLS, 50_000_000, 200_000_000,
    500_000, 2_000, 2_000_000, 1_000_000, keep=True,
)  # fmt: skip
QUICK = Size(
    (of.TWO[1], of.TWO[3]), 1_000_000, 1_000_000, 20_000, (100_000, 1_000_000), 200_000, ("even", "k-means"), 0, 0, 25_000, 50,
    100_000, 100_000,
)  # fmt: skip


def measure(parts: Parts, size: Size, folder: Path) -> None:
    """Measure everything, what the document has figures for first.

    Learning curves come before the tables of the same agents: their points are points of the same runs.
    """

    def agents() -> Agents:
        return Agents(AgentFolder(folder / "agents" if size.keep else None), RUNS if size.keep else None, parts.tell)

    parts.measure("sizes", {"deals": size.shown}, partial(measures.sizes, size.shown))
    if size.three:
        exact_folds = [(agent, size.exact_three) for agent in of.EXACT_3P if size.exact_three]
        trained = [(of.UCT_3P, size.three), (of.SMOOTH_3P, size.three), *exact_folds]
        _three_players(parts, size, agents(), trained)  # agents of their own: the game takes gigabytes
    found = agents()
    _learning_curves(parts, size, found)
    _two_players(parts, size, found)
    if size.exact:
        _fold_values(parts, size, found)
    if size.cells:
        _abstractions(parts, size, found)
    _bounds(parts, size, found, _table_2(size))
    _exploration(parts, size, found)
    if size.exact:
        _exact_folds(parts, size, found)
    if size.three:
        _three_players(parts, size, agents(), [(of.EAGER_3P, size.three)])


def curve_agents(size: Size) -> tuple[Agent, ...]:
    """Return the tree searches of the learning curves: coarse abstraction and k = 0.5, Smooth UCT also with exact folds."""
    chosen = tuple(agent for agent in size.two if agent.label in ("UCT S, k=0.5", "Smooth UCT S, k=0.5"))
    return (*chosen, *(of.exact(agent) for agent in chosen if agent.solver == "smooth-uct"))


def points(first: int, last: int, *others: int) -> list[int]:
    """Return `first`, ten times as many and so on, `last`, and `others`, ascending."""
    found = [first]
    while found[-1] * 10 < last:
        found.append(found[-1] * 10)
    return sorted({*(point for point in found if point < last), last, *others})


def _learning_curves(parts: Parts, size: Size, found: Agents) -> None:
    """Train the agents of the learning curves point by point, each measured against the MCCFR agent."""
    plan = [(agent, point) for agent in curve_agents(size) for point in points(*size.curve, size.episodes)]
    if size.exact:
        plan += [(agent, size.exact) for agent in curve_agents(size) if agent.options["folds"] == "exact"]
    plan += [(of.MCCFR, point) for point in points(max(1, size.curve[0] // 100), size.walks)]
    how = {"deals": max(2, size.deals // 2), "hands": 2 * size.hands}

    def measured(agent: Agent, point: int) -> dict[str, Any]:
        return measures.curve_point(found.at(agent, point), found.at(of.MCCFR, size.walks)[AVERAGE], **how)

    for agent, point in plan:
        settings = {"agent": agent.command(point), "against": of.MCCFR.command(size.walks), **how}
        parts.measure(f"curve, {agent.label}, {point}", settings, partial(measured, agent, point))


Trainings = list[tuple[Agent, int]]  # agents and their iterations


def _tables(parts: Parts, size: Size, found: Agents, name: str, trained: Trainings, *, scripted: bool = False) -> None:
    """Measure the cross tables of agents, of their greedy and of their average policies."""

    def measured(form: str) -> dict[str, Any]:
        policies = {agent.label: found.at(agent, count)[form] for agent, count in trained}
        return measures.table(policies, size.hands, scripted=scripted)

    settings = {"agents": [agent.command(count) for agent, count in trained], "hands": size.hands}
    for form in FORMS:
        parts.measure(f"{name}, {form}", settings, partial(measured, form))


def _bounds(
    parts: Parts, size: Size, found: Agents, trained: Trainings, forms: Sequence[str] = FORMS, *, more: int = 1
) -> None:
    """Measure lower bounds of exploitability, the local one in `more` times as many deals.

    Responses are learned to greedy policies only: to others they hardly win.
    """

    def measured(agent: Agent, count: int, form: str, how: dict[str, int]) -> dict[str, Any]:
        return measures.bounds(found.at(agent, count)[form], **how)

    for agent, count in trained:
        for form in forms:
            how = {"deals": more * size.deals, "episodes": size.response if form == GREEDY else 0, "hands": size.hands}
            settings = {"agent": agent.command(count), **how}
            parts.measure(f"bounds, {agent.label}, {form}", settings, partial(measured, agent, count, form, how))


def _table_2(size: Size) -> Trainings:
    return [*((agent, size.episodes) for agent in size.two), (of.MCCFR, size.walks)]


def _two_players(parts: Parts, size: Size, found: Agents) -> None:
    trained = _table_2(size)
    _tables(parts, size, found, "table 2", trained, scripted=True)
    parts.measure(
        "folded before the flop",
        {"agents": [agent.command(count) for agent, count in trained]},
        lambda: {
            agent.label: {form: measures.best_folded(found.at(agent, count)[form]) for form in FORMS}
            for agent, count in trained
        },
    )


def _compare(parts: Parts, size: Size, found: Agents, name: str, one: Agent, other: Agent, count: int) -> None:
    """Measure what one agent wins against another after equally many episodes."""

    def measured() -> dict[str, Any]:
        first, second = (found.at(each, count) for each in (one, other))
        return {form: measures.head_to_head(first[form], second[form], size.hands) for form in FORMS}

    parts.measure(name, {"agents": [each.command(count) for each in (one, other)], "hands": size.hands}, measured)


def _fold_values(parts: Parts, size: Size, found: Agents) -> None:
    for agent in (agent for agent in size.two if of.exact(agent) in curve_agents(size)):
        _compare(parts, size, found, f"exact against sampled folds, {agent.label}", of.exact(agent), agent, size.episodes)


def _exploration(parts: Parts, size: Size, found: Agents) -> None:
    _compare(parts, size, found, "exploration by the pot", of.TWO[1], of.CONSTANT, size.episodes)


def _exact_folds(parts: Parts, size: Size, found: Agents) -> None:
    """Measure the longer trained agents with exact fold values."""
    trained = [(of.exact(agent), size.exact) for agent in size.two]
    for agent, count in trained if size.keep else ():
        found.save(agent, count)
    _tables(parts, size, found, "exact folds", [*trained, (of.MCCFR, size.walks)])
    _bounds(parts, size, found, trained)


def cell_agents(compared: Sequence[str] = of.CELLS) -> Iterator[Agent]:
    """Yield the agents that compare abstractions, and one with a second seed, which shows how much a seed matters."""
    base = of.exact(of.TWO[3])
    for cells in compared:
        yield of.with_cells(base, cells)
    yield of.with_cells(base, compared[0], SEED + 1)


def _abstractions(parts: Parts, size: Size, found: Agents) -> None:
    trained = [(agent, size.cells) for agent in cell_agents(size.compared)]
    _tables(parts, size, found, "abstractions", trained)
    _bounds(parts, size, found, trained, (AVERAGE,), more=2)


def _three_players(parts: Parts, size: Size, found: Agents, trained: Trainings) -> None:
    hands = sorted({measures.FEW_HANDS, max(measures.FEW_HANDS, 2 * size.hands)})

    def measured(agent: Agent, count: int) -> dict[str, Any]:
        figures = measures.three_players(found.at(agent, count), hands)
        visits = found.visits(agent, count)
        return figures | ({} if visits is None else {"visits": measures.visit_shares(visits, of.PATIENCE)})

    for agent, count in trained:
        settings = {"agent": agent.command(count), "hands": hands, "rule": of.PATIENCE}
        parts.measure(f"three players, {agent.label}", settings, partial(measured, agent, count))
        if size.keep and agent in of.EXACT_3P:
            found.save(agent, count, (GREEDY,))


def write(page: Page, parts: Mapping[str, Part]) -> None:
    for row in rows.rows(parts):
        page.row(row)
    sections.write(page, parts)
