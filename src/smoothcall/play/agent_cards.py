"""What people are told about an agent, from the card in its file: how it learned, for how long, and how good it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from typing import Any

from smoothcall.agents.registry import Games, ScriptedPlayer
from smoothcall.agents.serialization import ADAPTIVE, COMBINED, NETWORKS
from smoothcall.games.catalog import NO_LIMIT_HOLDEM, NO_LIMIT_HOLDEM_32
from smoothcall.information.named_games import game

SCRIPTED_GAME = NO_LIMIT_HOLDEM_32.name  # the game that scripted players are offered in
NARROW = ("scripted", "discrete", COMBINED, *NETWORKS)  # classes of batch policies without card observations: tables of two
EXACT = 1e-12  # chips per hand; a smaller NashConv is rounding error
LEARNED_BY = {
    "cfr": "CFR",
    "cfr+": "CFR+",
    "linear-cfr": "Linear CFR",
    "discounted-cfr": "Discounted CFR",
    "predictive-cfr+": "Predictive CFR+",
    "mccfr": "Monte-Carlo CFR",
    "public-cfr": "CFR with public chance sampling",
    "cfr-br": "CFR-BR",
    "xfp": "fictitious play",
    "lp": "linear programming",
    "uct": "UCT",
    "smooth-uct": "Smooth UCT",
    "nfsp": "NFSP",
    "nfsp-freezeouts": "NFSP in freezeouts",
    "monte-carlo": "Monte-Carlo control",
    "deep-q-continuous": "deep Q, continuous",
    "deep-q-discrete": "deep Q, discrete",
    "clipped-double-dqn": "clipped double DQN",
    "regret-matching": "regret matching",
}
_UNITS = {
    "uct": "episode",
    "smooth-uct": "episode",
    "public-cfr": "board",
    "cfr-br": "board",
    "nfsp-freezeouts": "freezeout",
    "monte-carlo": "hand",
    "deep-q-continuous": "hand",
    "deep-q-discrete": "hand",
    "clipped-double-dqn": "hand",
}  # what an iteration of a solver is, where it is not an iteration


@dataclass(frozen=True, slots=True)
class AgentCard:
    """What people are told about an agent or a scripted player."""

    id: str  # [A-Za-z0-9._-]+
    name: str
    games: tuple[str, ...]  # the games it plays; (): any poker game
    kind: str  # "built-in", "file", "run" or "scripted"
    learned: str  # how and for how long; for a scripted player, its rule
    measured: tuple[str, ...] = ()  # figures of strength, one line each
    snapshots: tuple[tuple[int, str], ...] = ()  # (iterations, id) of the snapshots of its training, in order
    any_seats: bool = False  # also at larger tables: it treats the others as one average opponent
    any_stacks: bool = False  # with any stacks: it evaluates observations of the hand
    adapts: bool = False  # it plays differently against opponents of different habits
    may_search: bool = False  # its table can be the blueprint of a search
    searches: bool = False  # it solves the rest of each hand: its strategy is not that of its table


@dataclass(frozen=True, slots=True)
class ListedAgent:
    """An agent file with the contents of its card."""

    card: AgentCard
    path: Path
    iterations: int
    nash_conv: float | None  # chips per hand


def listed_agent(name: str, path: Path, kind: str, label: str, about: Mapping[str, Any]) -> ListedAgent:
    played = game(about["game"]["name"], **about["game"]["options"])
    results = about.get("results", {})
    batch_policy = about["batch_policy"] if about.get("kind") == "batch_policy" else None
    card = AgentCard(
        name,
        label,
        (played.spec,),
        kind,
        _learned(about),
        tuple(_measured(results)),
        any_seats=batch_policy is not None and batch_policy["class"] not in NARROW,
        any_stacks=batch_policy is not None,
        adapts=batch_policy is not None and batch_policy["class"] in ADAPTIVE,
        may_search=batch_policy is None and played.sampled and played.players == 2,
    )
    return ListedAgent(card, path, int(about.get("iterations", 0)), results.get("nash_conv"))


def _learned(about: Mapping[str, Any]) -> str:
    """Return a line such as `Smooth UCT, 1,000,000,000 episodes, seed 1, 22 min`."""
    how = about.get("solver")
    if about.get("learned"):
        said = str(about["learned"])
        return said[:1].upper() + said[1:]
    if how is None:
        return "of unknown origin"
    parts = [LEARNED_BY.get(how["name"], str(how["name"]))]
    if how["name"] != "lp":
        done, unit = int(about["iterations"]), _UNITS.get(how["name"], "iteration")
        parts += [f"{done:,} {unit}{'' if done == 1 else 's'}", f"seed {how['seed']}"]
    if isfinite(float(about.get("seconds", inf))):
        parts.append(_duration(float(about["seconds"])))
    if about.get("greedy"):
        parts.append("the action of the highest value only")
    if about.get("threshold"):
        parts.append(f"without actions below {about['threshold']:.3g}")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _measured(results: Mapping[str, Any]) -> Iterator[str]:
    loss = results.get("nash_conv")
    if loss is not None:
        yield "An exact equilibrium (NashConv 0)" if loss < EXACT else f"NashConv {loss:.2g} chips per hand"
    for opponent, won in results.get("matches", {}).items():
        sampled = f" ± {won['half_width']:.0f}" if won["hands"] else ""
        how = f"95 %, {won['hands']:,} hands" if won["hands"] else "exact"
        yield f"{won['mean']:+.0f}{sampled} mbb/h against {opponent} ({how})"
    exact = results.get("exact_response")
    if exact is not None:
        figure, drawn = f"{exact['mean']:+.0f} ± {exact['half_width']:.0f} mbb/h", f"95 %, {exact['flops']:,} flops drawn"
        menu = f" and the raises of its menu ({exact['menu']}), a lower bound of" if "menu" in exact else ","
        yield f"{figure} for a best response with real cards{menu} its true exploitability ({drawn})"
    bound = results.get("local_best_response")
    if bound is not None:
        figure = f"{bound['mean']:+.0f} ± {bound['half_width']:.0f} mbb/h"
        yield f"{figure} for a local best response, a lower bound of what it loses (95 %, {bound['deals']:,} deals)"


def scripted_card(player: ScriptedPlayer) -> AgentCard:
    games = {Games.EQUITY: (SCRIPTED_GAME,), Games.CARDS: (NO_LIMIT_HOLDEM.name,)}.get(player.games, ())
    if player.seat is not None:  # its batch policy, which people meet, observes cards
        games = (NO_LIMIT_HOLDEM.name,)
    told = f"{player.summary[0].upper()}{player.summary[1:]}."
    with_cards = player.games is not Games.EQUITY
    return AgentCard(
        player.name,
        player.name.replace("-", " ").capitalize().replace(" mc", " MC"),
        games,
        "scripted",
        told,
        any_seats=with_cards,
        any_stacks=True,
    )
