"""Opponents for people: shipped agents, scripted players, and the agent files and runs in a folder.

Listing reads only `card.json` of each file; a policy is loaded when it is first played, once for all tables. An opponent is
named by its id: `leduc-cfr` (shipped), `always-call` (scripted player), `runs.leduc.snapshots.1000` (a file, by its path in the
folder). Ids are looked up among the files found, so they cannot name any other file. `:greedy` behind an id selects the most
likely actions, `:search` behind that of a table of two-player hold'em solves the rest of each hand. Only the command line of
this machine may name other files and classes: `Agents.id_of` gives them ids.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from random import Random
from threading import Lock
from weakref import WeakValueDictionary

from smoothcall.agents.batch_player import BatchPlayer, may_sit
from smoothcall.agents.files import load, read_card
from smoothcall.agents.fixed import Fixed, Strategy
from smoothcall.agents.folders import SNAPSHOTS, AgentFile
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.registry import SCRIPTED_PLAYERS, Kind, Reader, Registry, ResolvedName, named_policy
from smoothcall.agents.scripted import Rule
from smoothcall.agents.suffixes import GREEDY, SEARCH, STYLES, Search, split_name, style_of, without_style
from smoothcall.agents.view import Player, View
from smoothcall.errors import UsageError, unknown
from smoothcall.files import field
from smoothcall.games.catalog import NO_LIMIT_HOLDEM_32, Rules
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.play.agent_cards import SCRIPTED_GAME, AgentCard, ListedAgent, listed_agent, scripted_card
from smoothcall.play.cache import Cache
from smoothcall.policy import Policy
from smoothcall.search.player import search_player

LONGEST_PROBLEM = 300  # characters of what is said about a file that was left out
DEEPER = 2  # the stacks of a table, at most, in stacks that an opponent has learned: as many as in a freezeout of two


class Agents:
    """All opponents that people can play against. Thread-safe."""

    def __init__(
        self, folder: Path | None = None, readers: Mapping[str, Reader] | None = None, cache: Cache | None = None
    ) -> None:
        self.problems: list[str] = []  # files that could not be read, and why
        self._cards: dict[str, AgentCard] = {}  # by id, snapshots not included
        self._files: dict[str, ListedAgent] = {}  # by id, snapshots included
        self.cache = cache or Cache()  # loaded policies, and what is computed from them
        self._lock, self._locks = Lock(), dict[str, Lock]()  # of the table below; of each game being built
        self._games: WeakValueDictionary[str, Game] = WeakValueDictionary()
        self._named: dict[str, tuple[ResolvedName, AgentCard]] = {}  # by id, those that the command line named
        self.registry = Registry(folder, readers, searcher=search_player)
        for file in self.registry.agents:
            self._add(file)
        self.problems += self.registry.problems
        for player in SCRIPTED_PLAYERS.values():
            if not player.alias_of:
                self._cards[player.name] = scripted_card(player)

    # Listing and loading

    def cards(self, game: str | None = None, *, match: bool = False) -> list[AgentCard]:
        """Return the cards of the opponents that play a game, or of all: agents before scripted players.

        In a `match` chips are carried over, so only opponents that play with any stacks are returned.
        """
        fit = [card for card in self._cards.values() if game is None or _plays(card, game)]
        return [card for card in fit if card.any_stacks or not match]

    def card(self, player_id: str) -> AgentCard:
        found, style = self._find(player_id), style_of(player_id)
        return replace(found, name=f"{found.name}, {STYLES[style]}", searches=style == SEARCH) if style else found

    def verify_fits(self, player_id: str, game: str, *, match: bool = False) -> None:
        """Raise UsageError unless an opponent can play a game, or a match of it."""
        card = self._find(player_id)
        if player_id.endswith(SEARCH) and not card.may_search:
            raise UsageError(f"{card.name} cannot search (accepted: tables of two-player hold'em)")
        if not _plays(card, game):
            raise UsageError(f"{card.name} plays {', '.join(card.games) or 'poker'}, not {game}")
        if match and not card.any_stacks:
            raise UsageError(
                f"{card.name} has learned with full stacks, and in a match chips are carried over (accepted: agents that "
                "evaluate observations of the hand, scripted players)"
            )

    def strategy(self, player_id: str) -> Fixed:
        """Return an opponent's strategy; of one that searches, its blueprint. May take seconds: it loads the file."""
        card = self._find(player_id)
        if card.id in self._named:
            return Strategy(self.policy(card.id))
        if card.kind == "scripted":
            if not card.games:  # it ignores observations
                rule = SCRIPTED_PLAYERS[card.id].make(NO_LIMIT_HOLDEM_32)
                assert isinstance(rule, Rule)
                return rule
            return Strategy(self.cache.get(card.id, lambda: named_policy(self.game(card.games[0]), card.id)))
        return Strategy(self.policy(card.id), player_id.endswith(GREEDY))

    def player_at(self, player_id: str, spec: str, random: Random) -> Player:
        """Return an opponent as a player at the table of a game, which may have other stacks than those that it has learned."""
        player, card, table = self.player(player_id, random), self._find(player_id), _rules(spec)
        own = _rules(card.games[0]) if card.games else table
        if isinstance(own, PokerRules) and isinstance(table, PokerRules) and own.stack != table.stack and own.stack is not None:
            return AnyStack(player, own.stack)
        return player

    def player(self, player_id: str, random: Random) -> Player:
        """Return an opponent as a player. Scripted players need no tree and are ready at once.

        They play their batch policy, also where they have a form for seats: the coach and AIVAT need probabilities.
        """
        card = self._find(player_id)
        if card.kind == "scripted":
            rules = _rules(card.games[0] if card.games else SCRIPTED_GAME)
            assert isinstance(rules, PokerRules)
            return BatchPlayer(SCRIPTED_PLAYERS[card.id].make(rules), rules, random=random)
        if card.id in self._named and self._named[card.id][0].kind is Kind.CLASS:
            return self.registry.player(self._named[card.id][0].name, self.game(card.games[0]), random)
        if card.id in self._named and self._named[card.id][0].suffixes.search is not None:
            return self.registry.policy_player(self.registry.read(self._named[card.id][0]), self._named[card.id][0], random)
        if player_id.endswith(SEARCH):
            return search_player(self.policy(card.id), Search(), random)
        return PolicyPlayer(self.policy(card.id), greedy=player_id.endswith(GREEDY), random=random)

    def policy(self, player_id: str) -> Policy:
        """Return an agent's policy, the same object while it stays in the cache."""
        card = self._find(player_id)
        if card.kind == "scripted":
            raise UsageError(f"{card.name} plays by a rule: {card.learned}")
        if card.id in self._named:
            entry, _ = self._named[card.id]
            of = self.game(card.games[0]) if entry.kind is Kind.CLASS else None
            name = entry.name if entry.suffixes.search is None else entry.base
            return self.cache.get(card.id, lambda: self.registry.policy(name, of))
        return self.cache.get(card.id, lambda: self._load(card))

    def keys(self, player_ids: Iterable[str]) -> set[Hashable]:
        """Return the keys, in the cache, of the policies that players of these ids hold."""
        named = {own for own, (name, _) in self._named.items() if name.kind is Kind.CLASS or name.suffixes.search is not None}
        cards = [self._find(player_id) for player_id in player_ids]
        return {card.id for card in cards if card.kind != "scripted" and card.id not in named}

    def equilibrium(self, game: str) -> Policy | None:
        """Return the shipped agent with the lowest NashConv in a game; None if none has one."""
        near = [
            (file.nash_conv, file.card.id)
            for file in self._files.values()
            if file.card.kind == "built-in" and file.nash_conv is not None and _plays(file.card, game)
        ]
        return self.policy(min(near)[1]) if near else None

    def id_of(self, name: str, played: str) -> str:
        """Return the player id of any name that the registry resolves, for a table of the game `played`.

        For names typed on the command line of this machine; requests to the page name ids only. A file or run outside the
        folder of agents, a class and a name with a threshold get an id that is the same each time they are named.
        """
        entry = self.registry.resolve(name)
        if entry.kind is Kind.SCRIPTED:
            return name
        style = next((style for style in ("", *STYLES) if entry.suffixes == split_name(f"x{style}")[1]), None)
        if entry.path is not None and style is not None:
            same = [own for own, file in self._files.items() if file.path.samefile(entry.path)]
            if same:
                return same[0] + style
        where, short = (entry.base, entry.base) if entry.path is None else (entry.path.resolve(), Path(entry.base).stem)
        suffixes = name.removeprefix(entry.base)
        label = f"{short}{suffixes}"
        digest = sha256(f"{where}{suffixes}".encode()).hexdigest()[:8]
        player_id = f"{re.sub('[^A-Za-z0-9._-]+', '-', label)}-{digest}"
        self._named[player_id] = entry, self._named_card(player_id, entry, label, played)
        return player_id

    def _named_card(self, player_id: str, entry: ResolvedName, label: str, played: str) -> AgentCard:
        if entry.path is None:
            return AgentCard(player_id, label, (played,), entry.kind, "A class that was named on the command line.")
        if entry.path.suffix in self.registry.readers:
            policy = self.registry.policy(entry.name)
            return AgentCard(player_id, label, (policy.game.spec,), entry.kind, "A strategy in a file of another program.")
        card = listed_agent(player_id, entry.path, entry.kind, label, read_card(entry.path)).card
        return replace(card, searches=entry.suffixes.search is not None)

    def family(self, player_id: str) -> set[str]:
        """Return the ids of an agent and of all snapshots of its training."""
        name = self._find(player_id).id
        return {name}.union(
            *(own for card in self._cards.values() if name in (own := {card.id, *dict(card.snapshots).values()}))
        )

    # Caches

    def _find(self, player_id: str) -> AgentCard:
        if player_id in self._named:
            return self._named[player_id][1]
        name = without_style(player_id)
        if name in SCRIPTED_PLAYERS:
            name = SCRIPTED_PLAYERS[name].alias_of or name
        file = self._files.get(name)
        found = file.card if file is not None else self._cards.get(name)
        if found is None or (found.kind == "scripted" and name != player_id):
            raise unknown("agent", player_id, self._cards)
        return found

    def _load(self, card: AgentCard) -> Policy:
        path = self._files[card.id].path
        try:
            return load(path, self.game(card.games[0]))
        except UsageError as error:  # players must not learn the path of the file
            raise UsageError(str(error).replace(repr(str(path)), f"the file of {card.name}")) from None

    def _alone(self, name: str) -> Lock:
        with self._lock:
            return self._locks.setdefault(name, Lock())

    def game(self, spec: str) -> Game:
        """Return the game that agents share: built once, dropped when no agent uses it."""
        with self._alone(f"game {spec}"):
            made = self._games.get(spec)
            if made is None:
                made = self._games[spec] = game(spec)
                made.tree  # noqa: B018 - build large trees under this game's lock
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
        earlier = [file for file in kept if file.iterations != found.iterations]  # the last snapshot may be the agent itself
        line = tuple((file.iterations, file.card.id) for file in [*earlier, *([found] if earlier else [])])
        listed = replace(found.card, snapshots=line)
        self._files |= {file.card.id: file for file in [*earlier, replace(found, card=listed)]}
        self._cards[agent.id] = listed

    def _read(self, name: str, path: Path, kind: str, label: str | None) -> ListedAgent | None:
        try:
            about = read_card(path)
            if path.parent.name == SNAPSHOTS:
                label = f"{label} after {field(about, 'iterations', int):,}"
            return listed_agent(name, path, kind, label or field(about, "name", str), about)
        except UsageError as error:
            self.problems.append(f"{path.name} ({name}): {str(error)[:LONGEST_PROBLEM]}")
            return None


@lru_cache(maxsize=1024)
def _rules(spec: str) -> Rules:
    return game(spec).rules


def _plays(card: AgentCard, spec: str) -> bool:
    """Return whether an opponent can play a game; one that plays with any stacks, also with stacks up to DEEPER of its own."""
    table = _rules(spec)
    if not card.games or any(may_sit(_rules(own), table, with_cards=card.any_seats) for own in card.games):
        return True
    return card.any_stacks and isinstance(table, PokerRules) and any(_plays_as(_rules(own), table, card) for own in card.games)


def _plays_as(own: Rules, table: PokerRules, card: AgentCard) -> bool:
    """Return whether an opponent can play at a table whose stacks are not those that it has learned."""
    if not isinstance(own, PokerRules) or own.stack is None or table.stack is None or table.stack > DEEPER * own.stack:
        return False
    return may_sit(own, replace(table, stack=own.stack), with_cards=card.any_seats)


class AnyStack:
    """A player that has learned with one stack, at tables with another: it evaluates the chips that it sees."""

    def __init__(self, player: Player, stack: int) -> None:
        self.player, self._stack = player, stack
        self._table: object = None  # the rules of the last view, and these with the player's stack
        self._known: PokerRules | None = None

    def act(self, view: View) -> str:
        if view.rules is not self._table:
            assert isinstance(view.rules, PokerRules)
            self._table, self._known = view.rules, replace(view.rules, stack=self._stack)
        assert self._known is not None
        return self.player.act(replace(view, rules=self._known))
