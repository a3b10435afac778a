"""heinrich2014, limit Texas hold'em: games of two and three players in an abstraction by a grid of E[HS^2].

The opponents of the document are not available, except for two that it describes: Always-Raise and Probe. So its agents are
trained again, with the document's algorithm and with exact fold values, and play each other, an agent trained by MCCFR, and
the scripted players. Local and learned best responses, which the document does not have, measure how exploitable they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    curve: int  # episodes of the first point of a learning curve; MCCFR begins with a hundredth
    cells: int  # episodes of the agents that compare abstractions
    three: int  # episodes of each three-player agent
    exact_three: int  # episodes of those with exact fold values
    hands: int  # of each pair
    deals: int  # of a local best response
    response: int  # episodes a seat of a learned response
    keep: bool = False  # whether agents are trained as runs and kept in the ledger


FULL = Size(
    of.TWO, 100_000_000, 1_000_000_000, 10_000_000, 100_000, 50_000_000, 50_000_000, 200_000_000, 1_000_000, 4_000,
    5_000_000, keep=True,
)  # fmt: skip
QUICK = Size((of.TWO[1], of.TWO[3]), 1_000_000, 1_000_000, 20_000, 100_000, 200_000, 0, 0, 50_000, 50, 100_000)


def measure(parts: Parts, size: Size, folder: Path) -> None:
    """Measure everything, the two-player agents of the document first, the three-player agents last."""
    found = Agents(AgentFolder(folder / "agents" if size.keep else None), RUNS if size.keep else None, parts.tell)
    parts.measure("sizes", {}, measures.sizes)
    _learning_curves(parts, size, found)
    _two_players(parts, size, found)
    if size.exact:
        _exact_folds(parts, size, found)
    if size.cells:
        _abstractions(parts, size, found)
    if size.three:
        _three_players(parts, size, found)


def curve_agents(size: Size) -> tuple[Agent, ...]:
    """Return the tree searches of the learning curves: coarse abstraction and k = 0.5, Smooth UCT also with exact folds."""
    chosen = tuple(agent for agent in size.two if agent.label in ("UCT S, k=0.5", "Smooth UCT S, k=0.5"))
    return (*chosen, *(of.exact(agent) for agent in chosen if agent.solver == "smooth-uct"))


def points(first: int, last: int) -> list[int]:
    """Return `first`, ten times as many and so on, and `last`."""
    found = [first]
    while found[-1] * 10 < last:
        found.append(found[-1] * 10)
    return [*(point for point in found if point < last), last]


def _learning_curves(parts: Parts, size: Size, found: Agents) -> None:
    """Train the agents of the learning curves point by point, each measured against the MCCFR agent."""
    plan = [(agent, point) for agent in curve_agents(size) for point in points(size.curve, size.episodes)]
    if size.exact:
        plan += [(agent, size.exact) for agent in curve_agents(size) if agent.options["folds"] == "exact"]
    plan += [(of.MCCFR, point) for point in points(max(1, size.curve // 100), size.walks)]
    how = {"deals": max(2, size.deals // 4), "hands": size.hands}

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


def _bounds(parts: Parts, size: Size, found: Agents, trained: Trainings) -> None:
    """Measure lower bounds of exploitability. Responses are learned to greedy policies only: to others they hardly win."""

    def measured(agent: Agent, count: int, form: str, how: dict[str, int]) -> dict[str, Any]:
        return measures.bounds(found.at(agent, count)[form], **how)

    for agent, count in trained:
        for form in FORMS:
            how = {"deals": size.deals, "episodes": size.response if form == GREEDY else 0, "hands": size.hands}
            settings = {"agent": agent.command(count), **how}
            parts.measure(f"bounds, {agent.label}, {form}", settings, partial(measured, agent, count, form, how))


def _two_players(parts: Parts, size: Size, found: Agents) -> None:
    trained = [(agent, size.episodes) for agent in size.two] + [(of.MCCFR, size.walks)]
    for agent, count in trained if size.keep else ():
        found.save(agent, count)
    _tables(parts, size, found, "table 2", trained, scripted=True)
    _bounds(parts, size, found, trained)
    parts.measure(
        "folded before the flop",
        {"agents": [agent.command(count) for agent, count in trained]},
        lambda: {
            agent.label: {form: measures.best_folded(found.at(agent, count)[form]) for form in FORMS}
            for agent, count in trained
        },
    )


def _exact_folds(parts: Parts, size: Size, found: Agents) -> None:
    """Compare exact with sampled fold values at equal episodes, and measure the longer trained agents with exact ones."""

    def worth(agent: Agent) -> dict[str, Any]:
        one, other = (found.at(each, size.episodes) for each in (of.exact(agent), agent))
        return {form: measures.head_to_head(one[form], other[form], size.hands) for form in FORMS}

    for agent in (agent for agent in size.two if of.exact(agent) in curve_agents(size)):
        settings = {"agents": [each.command(size.episodes) for each in (of.exact(agent), agent)], "hands": size.hands}
        parts.measure(f"exact against sampled folds, {agent.label}", settings, partial(worth, agent))
    trained = [(of.exact(agent), size.exact) for agent in size.two]
    _tables(parts, size, found, "exact folds", [*trained, (of.MCCFR, size.walks)])
    _bounds(parts, size, found, trained)


def cell_agents() -> Iterator[Agent]:
    """Yield the agents that compare abstractions, and one with a second seed, which shows how much a seed matters."""
    base = of.exact(of.TWO[3])
    for cells in of.CELLS:
        yield of.with_cells(base, cells)
    yield of.with_cells(base, of.CELLS[0], SEED + 1)


def _abstractions(parts: Parts, size: Size, found: Agents) -> None:
    trained = [(agent, size.cells) for agent in cell_agents()]
    _tables(parts, size, found, "abstractions", trained)
    _bounds(parts, size, found, trained)


def _three_players(parts: Parts, size: Size, found: Agents) -> None:
    plan = [(agent, size.three) for agent in (of.UCT_3P, of.SMOOTH_3P, of.EAGER_3P)]
    plan += [(agent, size.exact_three) for agent in of.EXACT_3P] if size.exact_three else []
    hands = sorted({measures.FEW_HANDS, max(measures.FEW_HANDS, size.hands)})

    def measured(agent: Agent, count: int) -> dict[str, Any]:
        return measures.three_players(found.at(agent, count), hands)

    for agent, count in plan:
        settings = {"agent": agent.command(count), "hands": hands}
        parts.measure(f"three players, {agent.label}", settings, partial(measured, agent, count))
        if size.keep:
            found.save(agent, count, (GREEDY,))


def write(page: Page, parts: Mapping[str, Part]) -> None:
    for row in rows.rows(parts):
        page.row(row)
    sections.write(page, parts)
