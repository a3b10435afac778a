"""Opponents for people: agents that come with the package, simple players, and the agent files and runs of a folder.

Cards are read from the files' `card.json` alone; a policy is read when somebody wants to play it, once for everybody. An agent
is named by an id: `leduc-cfr` of a built-in one, `always-call` of a simple player, `runs.leduc.snapshots.1000` of a file by its
path in the folder. Ids are only looked up among the files found, so they cannot name anything else. `:greedy` behind an id
stands for the agent's most likely actions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isfinite
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from smoothcall.agents.batch_player import BatchPlayer, may_sit
from smoothcall.agents.files import load, read_card
from smoothcall.agents.fixed import Fixed, Strategy
from smoothcall.agents.folders import SNAPSHOTS, AgentFile
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.registry import GREEDY, SCRIPTED_PLAYERS, Games, Registry, ScriptedPlayer, named_policy
from smoothcall.agents.scripted import Rule
from smoothcall.agents.serialization import NETWORKS
from smoothcall.agents.view import Player
from smoothcall.errors import UsageError, unknown
from smoothcall.files import field
from smoothcall.games.catalog import NO_LIMIT_HOLDEM, NO_LIMIT_HOLDEM_32, Rules
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.policy import Policy

_MORE = {3: "three", 4: "four", 5: "five", 6: "six"}
PLAY_GAMES = {
    "kuhn": "Kuhn poker",
    "kuhn-3p": "Kuhn poker, three players",
    "leduc": "Leduc hold'em",
    "leduc-3p": "Leduc hold'em, three players",
    "limit-holdem": "Limit Texas hold'em",
    "limit-holdem-3p": "Limit Texas hold'em, three players",
    "no-limit-holdem": "No-limit Texas hold'em",
    **{f"no-limit-holdem:seats={n}": f"No-limit Texas hold'em, {word} players" for n, word in _MORE.items()},
    NO_LIMIT_HOLDEM_32.name: "No-limit Texas hold'em, 32 cards",
}
NARROW = (
    "scripted",
    "discrete",
    *NETWORKS,
)  # classes of batch policies that look at no cards: the others sit at larger tables too
SCRIPTED_GAME = NO_LIMIT_HOLDEM_32.name  # where people meet the scripted players
LOADED_BYTES = 1 << 30  # of policies that are kept loaded; one always is
EXACT = 1e-12  # chips a hand: a NashConv that is rounding
LEARNED_BY = {
    "cfr": "CFR",
    "cfr+": "CFR+",
    "linear-cfr": "Linear CFR",
    "discounted-cfr": "Discounted CFR",
    "predictive-cfr+": "Predictive CFR+",
    "mccfr": "Monte-Carlo CFR",
    "xfp": "fictitious play",
    "lp": "linear programming",
    "uct": "UCT",
    "smooth-uct": "Smooth UCT",
    "nfsp": "NFSP",
    "nfsp-freezeouts": "NFSP in games",
    "monte-carlo": "Monte-Carlo control",
    "deep-q-continuous": "deep Q, continuous",
    "deep-q-discrete": "deep Q, discrete",
    "clipped-double-dqn": "clipped double DQN",
    "regret-matching": "regret matching",
}
_UNITS = {
    "uct": "episode",
    "smooth-uct": "episode",
    "nfsp-freezeouts": "game",
    "monte-carlo": "hand",
    "deep-q-continuous": "hand",
    "deep-q-discrete": "hand",
    "clipped-double-dqn": "hand",
}  # what an iteration is


@dataclass(frozen=True, slots=True)
class AgentCard:
    """What people are told of an agent."""

    id: str  # [A-Za-z0-9._-]+
    name: str
    games: tuple[str, ...]  # the games it plays; () where it plays any poker game
    kind: str  # "built-in", "file", "run" or "simple"
    learned: str  # how, how long; of a simple player its rule
    measured: tuple[str, ...] = ()  # how good it is, a line each
    snapshots: tuple[tuple[int, str], ...] = ()  # (iterations, id) of the snapshots of its training, in order
    any_seats: bool = False  # also at tables of its game for more than two: it averages the others
    any_stacks: bool = False  # whatever chips are on the table: it looks at the hand itself


@dataclass(frozen=True, slots=True)
class _File:
    """An agent file and what its card says."""

    card: AgentCard
    path: Path
    iterations: int
    nash_conv: float | None  # chips a hand


class Agents:
    """Everybody there is to play against. Threads may share it."""

    def __init__(self, folder: Path | None = None) -> None:
        self.problems: list[str] = []  # files that were left out, and why
        self._cards: dict[str, AgentCard] = {}  # of those that are listed
        self._files: dict[str, _File] = {}  # by id, snapshots included
        self._lock, self._locks = Lock(), dict[str, Lock]()  # of the tables below; of each agent or game while it is loaded
        self._policies: OrderedDict[str, Policy] = OrderedDict()  # loaded, the one not asked for the longest first
        self._games: WeakValueDictionary[str, Game] = WeakValueDictionary()
        self.registry = Registry(folder)
        for file in self.registry.agents:
            self._add(file)
        self.problems += self.registry.problems
        for player in SCRIPTED_PLAYERS.values():
            if player.seat is None and not player.alias_of:  # the coach and AIVAT need a player's probabilities
                self._cards[player.name] = _scripted_card(player)

    # What can be asked

    def cards(self, game: str | None = None, *, match: bool = False) -> list[AgentCard]:
        """Of those who play a game, or of all: agents before simple players, snapshots with their agent.

        In a `match` chips are kept from hand to hand, so that only those play who know any stacks.
        """
        fit = [card for card in self._cards.values() if game is None or _plays(card, game)]
        return [card for card in fit if card.any_stacks or not match]

    def card(self, player_id: str) -> AgentCard:
        found = self._find(player_id)
        return replace(found, name=f"{found.name}, greedy") if player_id.endswith(GREEDY) else found

    def verify_fits(self, player_id: str, game: str, *, match: bool = False) -> None:
        """That somebody can sit at a table of a game, or play a match of it."""
        card = self._find(player_id)
        if not _plays(card, game):
            raise UsageError(f"{card.name} plays {', '.join(card.games) or 'poker'}, not {game}")
        if match and not card.any_stacks:
            raise UsageError(
                f"{card.name} has learned with full stacks, and in a match chips are kept from hand to hand (accepted: agents "
                "that look at the hand itself, simple players)"
            )

    def strategy(self, player_id: str) -> Fixed:
        """How somebody plays; may take as long as it takes to read a file and build its game."""
        card = self._find(player_id)
        if card.kind == "simple":
            if not card.games:  # it ignores observations
                rule = SCRIPTED_PLAYERS[card.id].make(NO_LIMIT_HOLDEM_32)
                assert isinstance(rule, Rule)
                return rule
            return Strategy(self._kept(card.id, lambda: named_policy(self._game(card.games[0]), card.id)))
        return Strategy(self.policy(card.id), player_id.endswith(GREEDY))

    def player(self, player_id: str, random: Random) -> Player:
        """Somebody to sit at a table; scripted players need no tree for that, and sit down at once."""
        card = self._find(player_id)
        if card.kind == "simple":
            rules = _rules(card.games[0] if card.games else SCRIPTED_GAME)
            assert isinstance(rules, PokerRules)
            return BatchPlayer(SCRIPTED_PLAYERS[card.id].make(rules), rules, random=random)
        return PolicyPlayer(self.policy(card.id), greedy=player_id.endswith(GREEDY), random=random)

    def policy(self, player_id: str) -> Policy:
        """An agent's policy, as it is: the same object as long as there is room for it."""
        card = self._find(player_id)
        if card.kind == "simple":
            raise UsageError(f"{card.name} plays by a rule: {card.learned}")
        return self._kept(card.id, lambda: self._load(card))

    def equilibrium(self, game: str) -> Policy | None:
        """The built-in agent closest to an equilibrium of a game; None where none is measured by its NashConv."""
        near = [
            (file.nash_conv, file.card.id)
            for file in self._files.values()
            if file.card.kind == "built-in" and file.nash_conv is not None and _plays(file.card, game)
        ]
        return self.policy(min(near)[1]) if near else None

    def family(self, player_id: str) -> set[str]:
        """The ids of an agent and of the other snapshots of its training."""
        name = self._find(player_id).id
        return {name}.union(
            *(own for card in self._cards.values() if name in (own := {card.id, *dict(card.snapshots).values()}))
        )

    # How it works

    def _find(self, player_id: str) -> AgentCard:
        name = player_id.removesuffix(GREEDY)
        if name in SCRIPTED_PLAYERS:
            name = SCRIPTED_PLAYERS[name].alias_of or name
        file = self._files.get(name)
        found = file.card if file is not None else self._cards.get(name)
        if found is None or (found.kind == "simple" and name != player_id):
            raise unknown("agent", player_id, self._cards)
        return found

    def _kept(self, name: str, make: Callable[[], Policy]) -> Policy:
        """A policy that is made once and kept as long as there is room for it."""
        with self._alone(name):
            with self._lock:
                if name in self._policies:
                    self._policies.move_to_end(name)
                    return self._policies[name]
            policy = make()
            with self._lock:
                self._policies[name] = policy
                while len(self._policies) > 1 and sum(kept.nbytes for kept in self._policies.values()) > LOADED_BYTES:
                    self._policies.popitem(last=False)
            return policy

    def _load(self, card: AgentCard) -> Policy:
        path = self._files[card.id].path
        try:
            return load(path, self._game(card.games[0]))
        except UsageError as error:  # where the file lies is nobody's business who plays
            raise UsageError(str(error).replace(repr(str(path)), f"the file of {card.name}")) from None

    def _alone(self, name: str) -> Lock:
        with self._lock:
            return self._locks.setdefault(name, Lock())

    def _game(self, spec: str) -> Game:
        """The game that agents share: built once, and gone when nobody plays it."""
        with self._alone(f"game {spec}"):
            made = self._games.get(spec)
            if made is None:
                made = self._games[spec] = game(spec)
                made.tree  # noqa: B018 - large trees are built here, where others who want this one wait
                if made.abstraction is not None:
                    made.abstraction.read_tables()
            return made

    def _add(self, agent: AgentFile) -> None:
        """Add an agent and the snapshots of its training, in order; a file that cannot be read is a problem."""
        found = self._read(agent.id, agent.path, agent.kind, agent.label)
        if found is None:
            return
        kept = [
            file for own, at in agent.snapshots.items() if (file := self._read(own, at, agent.kind, agent.label)) is not None
        ]
        earlier = [file for file in kept if file.iterations != found.iterations]  # one may be the agent as it is
        line = tuple((file.iterations, file.card.id) for file in [*earlier, *([found] if earlier else [])])
        listed = replace(found.card, snapshots=line)
        self._files |= {file.card.id: file for file in [*earlier, replace(found, card=listed)]}
        self._cards[agent.id] = listed

    def _read(self, name: str, path: Path, kind: str, label: str | None) -> _File | None:
        try:
            about = read_card(path)
            if path.parent.name == SNAPSHOTS:
                label = f"{label} after {field(about, 'iterations', int):,}"
            return _file(name, path, kind, label or field(about, "name", str), about)
        except UsageError as error:
            self.problems.append(f"{path.name} ({name}): {error}")
            return None


def _file(name: str, path: Path, kind: str, label: str, about: Mapping[str, Any]) -> _File:
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
    )
    return _File(card, path, int(about.get("iterations", 0)), results.get("nash_conv"))


def _learned(about: Mapping[str, Any]) -> str:
    """`Smooth UCT, 1,000,000,000 episodes, seed 1, 22 min`"""
    how = about.get("solver")
    if about.get("learned"):
        return str(about["learned"])
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
        yield "An exact equilibrium (NashConv 0)" if loss < EXACT else f"NashConv {loss:.2g} chips a hand"
    for opponent, won in results.get("matches", {}).items():
        sampled = f" ± {won['half_width']:.0f}" if won["hands"] else ""
        how = f"95 %, {won['hands']:,} hands" if won["hands"] else "exact"
        yield f"{won['mean']:+.0f}{sampled} mbb/h against {opponent} ({how})"
    bound = results.get("local_best_response")
    if bound is not None:
        figure = f"{bound['mean']:+.0f} ± {bound['half_width']:.0f} mbb/h"
        yield f"{figure} for a local best response, a lower bound of what it loses (95 %, {bound['deals']:,} deals)"


def _scripted_card(player: ScriptedPlayer) -> AgentCard:
    games = {Games.EQUITY: (SCRIPTED_GAME,), Games.CARDS: (NO_LIMIT_HOLDEM.name,)}.get(player.games, ())
    told = f"{player.summary[0].upper()}{player.summary[1:]}."
    wide = player.games is not Games.EQUITY
    return AgentCard(player.name, _spoken(player.name), games, "simple", told, any_seats=wide, any_stacks=True)


def _spoken(name: str) -> str:
    return name.replace("-", " ").capitalize()


@lru_cache(maxsize=1024)
def _rules(spec: str) -> Rules:
    return game(spec).rules


def _plays(card: AgentCard, spec: str) -> bool:
    """Whether somebody can sit at a table of a game; most simple players play any poker."""
    return not card.games or any(may_sit(_rules(own), _rules(spec), wide=card.any_seats) for own in card.games)
