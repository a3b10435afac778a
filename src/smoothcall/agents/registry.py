"""The registry of players: one way to turn a text into a player, a batch policy, a policy or a learner's opponent.

    probe                       a scripted player (`SCRIPTED_PLAYERS`)
    leduc-cfr                   an agent that comes with the package; leduc-smooth-uct.1000 a snapshot of its training
    mine                        runs/mine or runs/mine.agent, where the registry's folder is `runs` (all ids: `agents.folders`)
    path/to/file.agent          an agent file
    runs/leduc                  the folder of a run: its agent
    strategy.json               a file of another format with a reader: for commands, strategies of macmanus2019
    mymodule:MyPlayer           an importable class of a player (`act`) or a batch policy (`probabilities`)
    caller                      a player of an installed package, by its entry point (`agents.outside`)
    acpc://127.0.0.1:18791      a program of the ACPC protocol, for which a match waits at this address
    openspiel://uniform_random  a bot of OpenSpiel

Appended to an agent, `:greedy` selects its most likely actions and `:threshold=0.05` leaves out actions less likely than 5 %.
`:search` behind a table of two-player hold'em makes a player that solves the rest of each hand, with 2 seconds for a decision
(`:search=5`: five), and `:unsafe-search` one that takes its opponent's range as given (`search.player`).
An id comes before a path; `./leduc-cfr` is always a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Any

from smoothcall.agents import expert
from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.batch_wrappers import Greedy, Table, Thresholded
from smoothcall.agents.files import load, read_card
from smoothcall.agents.folders import AGENT_FILE, CONFIG_FILE, AgentFile, agents_in, built_in_agents
from smoothcall.agents.outside import OutsidePlayer, installed_players, instance
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.scripted import RULES, AnyAmount, HeuristicMC, MostlyCalls, Rule, Scripted
from smoothcall.agents.serialization import verify_card_game, verify_game
from smoothcall.agents.suffixes import GREEDY, NO_SUFFIXES, SEARCH, THRESHOLD, Search, Suffixes, split_name
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import Player
from smoothcall.errors import UsageError, unknown
from smoothcall.games.catalog import NO_LIMIT_HOLDEM, NO_LIMIT_HOLDEM_32
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game, spec_of
from smoothcall.information.named_games import game
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy, ignores_observations

Reader = Callable[[Path, Game | None], Policy]  # reads a file of another form, of the game named where one is
Opener = Callable[[str, Game, Random], Player]  # makes the player at an address for a game
Searcher = Callable[[Policy, Search, Random], Player]  # makes a player that searches


class Kind(StrEnum):
    """The ways to name a player."""

    SCRIPTED = "scripted"
    BUILT_IN = "built-in"
    FILE = "file"
    RUN = "run"
    CLASS = "class"
    INSTALLED = "installed"  # a class of an installed package
    ADDRESS = "address"


class Games(StrEnum):
    """The games that a scripted player plays: they must show what it observes."""

    ANY = "any game"
    POKER = "any poker game"
    EQUITY = f"no-limit hold'em with cells=equity and raises by whole bets, such as {NO_LIMIT_HOLDEM_32.name}"
    CARDS = f"no-limit hold'em, such as {NO_LIMIT_HOLDEM.name}"


@dataclass(frozen=True, slots=True)
class ScriptedPlayer:
    """A scripted player: how its batch policy is made for the rules of a table."""

    name: str
    games: Games
    summary: str
    make: Callable[[PokerRules], BatchPolicy]
    seat: Callable[[Random], Player] | None = None  # makes the player that sits at a table instead of the batch policy
    alias_of: str = ""  # another name for the same player


def _scripted_players() -> Iterator[ScriptedPlayer]:
    for rule in Rule:
        games = Games.ANY if rule is Rule.RANDOM else Games.POKER
        yield ScriptedPlayer(str(rule), games, rule.summary, lambda _, rule=rule: rule)  # type: ignore[misc]
    always_call = Rule.ALWAYS_CALL
    yield ScriptedPlayer(
        "call", Games.POKER, f"another name of {always_call}", lambda _: always_call, alias_of=str(always_call)
    )
    for name, (_, summary) in RULES.items():
        if name not in ("call", "random"):
            yield ScriptedPlayer(
                name,
                Games.EQUITY,
                summary,
                lambda rules, name=name: Scripted(name, Table.of(rules)),  # type: ignore[misc]
            )
    yield ScriptedPlayer(
        MostlyCalls.NAME,
        Games.POKER,
        "checks or calls 3 times of 5, else folds or raises: by a raise of the menu, in matches hand by hand by any amount",
        lambda _: MostlyCalls(),
        AnyAmount,
    )
    yield ScriptedPlayer(
        "heuristic-mc",
        Games.CARDS,
        "compares the share of rollouts that it wins with pot odds and thresholds",
        lambda _: HeuristicMC(),
    )
    yield ScriptedPlayer(
        "expert", Games.CARDS, "bets by hand strength, potential and pot odds (a small Loki)", lambda _: expert.Expert()
    )


SCRIPTED_PLAYERS: dict[str, ScriptedPlayer] = {each.name: each for each in _scripted_players()}


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """A resolved name. Nothing has been read or imported yet."""

    name: str  # as given
    kind: Kind
    base: str  # without suffixes
    path: Path | None = None  # of the file, where there is one
    suffixes: Suffixes = NO_SUFFIXES

    @property
    def greedy(self) -> bool:
        return self.suffixes.greedy

    @property
    def threshold(self) -> float | None:
        return self.suffixes.threshold


@dataclass(frozen=True, slots=True)
class PlayerInfo:
    """A line of `smoothcall players`."""

    name: str
    kind: str
    games: str
    summary: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Registry:
    """Resolves names of players.

    `folder`: its agents have ids too; `readers`: of other files, by suffix (".json"); `openers`: of addresses, by what stands
    before their `://`; `searcher`: makes players that search.
    """

    def __init__(
        self,
        folder: Path | None = None,
        readers: Mapping[str, Reader] | None = None,
        openers: Mapping[str, Opener] | None = None,
        searcher: Searcher | None = None,
    ) -> None:
        self.searcher = searcher
        self.readers, self.openers, self.installed = dict(readers or {}), dict(openers or {}), installed_players()
        self.agents: list[AgentFile] = built_in_agents()  # built-in ones first
        self.problems: list[str] = []  # of files in the folder that were left out
        if folder is not None:
            taken = {*SCRIPTED_PLAYERS, *(own for file in self.agents for own in (file.id, *file.snapshots))}
            found, self.problems = agents_in(folder, taken)
            self.agents += found
        self._files: dict[str, tuple[AgentFile, Path]] = {}
        for file in self.agents:
            self._files |= {own: (file, path) for own, path in file.snapshots.items()}
            self._files[file.id] = file, file.path

    # Names

    def resolve(self, name: str) -> ResolvedName:
        """Return what a name stands for; UsageError where it stands for nothing, or for two things."""
        base, suffixes = split_name(name)
        if base in SCRIPTED_PLAYERS:
            if suffixes:
                raise UsageError(
                    f"{name!r}: {base} is scripted (accepted behind agents only: {GREEDY}, {THRESHOLD}0.05, {SEARCH})"
                )
            return ResolvedName(name, Kind.SCRIPTED, base)
        if base in self._files:
            file, path = self._files[base]
            here = Path(base) / AGENT_FILE if Path(base).is_dir() else Path(base)
            if here.exists() and not here.samefile(path):
                raise UsageError(f"{base!r} is the id of an agent and a path here (accepted: ./{base} for the path)")
            return ResolvedName(name, Kind(file.kind), base, path, suffixes)
        scheme, found, _ = base.partition("://")
        if found and scheme in self.openers and not suffixes:
            return ResolvedName(name, Kind.ADDRESS, base)
        path = Path(base)
        if base in self.installed:
            return self._class(name, self.installed[base], suffixes)
        if base and _exists(path):
            if path.is_dir():
                return ResolvedName(name, Kind.RUN, base, _agent_of_run(path), suffixes)
            return ResolvedName(name, Kind.FILE, base, path, suffixes)
        module, colon, attribute = base.partition(":")
        if colon and all(part.isidentifier() for part in (*module.split("."), attribute)):
            return self._class(name, base, suffixes)
        raise self._unknown(base)

    def _class(self, name: str, base: str, suffixes: Suffixes) -> ResolvedName:
        if suffixes.threshold is not None or suffixes.search is not None:
            raise UsageError(f"{name!r}: {THRESHOLD} and {SEARCH} are for agents")
        return ResolvedName(name, Kind.CLASS, base, suffixes=suffixes)

    def _unknown(self, base: str) -> UsageError:
        """Name what is accepted; ids are suggested but only scripted names and built-in agents are listed."""
        if Path(base).suffix in (".agent", *self.readers):
            return UsageError(f"there is no agent file {base!r}")
        listed = [*SCRIPTED_PLAYERS, *(file.id for file in self.agents if file.kind == Kind.BUILT_IN), *self.installed]
        suggested = unknown("player", base, [*listed, *self._files])
        hint = str(suggested).partition(" (accepted:")[0]
        others = ", ".join(
            ["an agent file, the folder of a run, module:Class", *(f"{scheme}://..." for scheme in self.openers)]
        )
        return UsageError(
            f"{hint} (accepted: {', '.join(listed)}; {others}; append {GREEDY} to an agent for its most likely actions, "
            f"{THRESHOLD}0.05 without those below 5 %, {SEARCH} to solve the rest of each hand)"
        )

    def names(self) -> list[str]:
        """Return the names of scripted players and agents, snapshots included. No file is read."""
        return [*SCRIPTED_PLAYERS, *sorted(self._files), *sorted(self.installed)]

    def players(self) -> list[PlayerInfo]:
        """Return all names: scripted players, built-in agents, agents of the folder, players of installed packages."""
        scripted = [PlayerInfo(each.name, Kind.SCRIPTED, each.games, each.summary) for each in SCRIPTED_PLAYERS.values()]
        installed = [PlayerInfo(name, Kind.INSTALLED, "", value) for name, value in sorted(self.installed.items())]
        return scripted + [PlayerInfo(file.id, file.kind, *_described(file)) for file in self.agents] + installed

    # What a name stands for

    def policy(self, name: str, of: Game | None = None) -> Policy:
        """Return a policy: an agent's, or a scripted player's in the game `of`. With `of`, refuse agents of other games.

        A batch policy comes as a `TabulatedPolicy`. `:greedy` and `:threshold` change the batch policy itself, not its table.
        """
        entry = self.resolve(name)
        _verify_fixed(entry)
        if entry.path is not None:
            return modified(self.read(entry, of), entry)
        if of is None:
            raise UsageError(f"{name} plays {self.games_of(entry)}: say which one")
        if entry.kind is Kind.SCRIPTED:
            return named_policy(of, entry.base)
        return TabulatedPolicy(of, self._class_batch_policy(entry))

    def read(self, entry: ResolvedName, of: Game | None = None) -> Policy:
        """Read the policy of an agent's file, without the suffixes of its name."""
        assert entry.path is not None
        reader = self.readers.get(entry.path.suffix)
        return reader(entry.path, of) if reader is not None else load(entry.path, of)

    def batch_policy(self, name: str, of: Game) -> BatchPolicy:
        """Return a batch policy for the rules of a game; UsageError for agents that are tables and know full stacks only."""
        entry = self.resolve(name)
        if entry.kind is Kind.SCRIPTED:
            return scripted_batch_policy(of, entry.base)
        if entry.path is None:
            return self._class_batch_policy(entry)
        return batch_policy_of(self.read(entry), entry, of)

    def player(self, name: str, of: Game, random: Random | None = None) -> Player:
        """Return a player for a seat of a game; it draws its moves from `random`."""
        entry, random = self.resolve(name), random or Random()
        if entry.kind is Kind.SCRIPTED:
            return scripted_player(of, entry.base, random)
        if entry.kind is Kind.ADDRESS:
            opened = self.openers[entry.base.partition("://")[0]](entry.base, of, random)
            return opened if isinstance(opened, PolicyPlayer) else OutsidePlayer(name, opened)
        if entry.path is None:
            return self._class_player(entry, of, random)
        return self.policy_player(self.read(entry, of if not of.sampled or self._is_of(entry, of) else None), entry, random)

    def policy_player(self, policy: Policy, entry: ResolvedName, random: Random) -> Player:
        """Return the player of an agent that has been read, as its name says."""
        if entry.suffixes.search is None:
            return PolicyPlayer(thresholded(policy, entry.threshold), greedy=entry.greedy, random=random)
        if self.searcher is None:
            raise UsageError(f"{entry.name}: agents do not search here")
        try:
            return self.searcher(modified(policy, entry), entry.suffixes.search, random)
        except UsageError as error:
            raise UsageError(f"{entry.name}: {error}") from None

    def _is_of(self, entry: ResolvedName, of: Game) -> bool:
        """Return whether an agent file is of this very game, so that it can share the game's tables."""
        assert entry.path is not None
        if entry.path.suffix in self.readers:
            return False
        named = read_card(entry.path)["game"]
        return spec_of(named["name"], named["options"]) == of.spec and bool(named.get("fingerprint") == of.fingerprint)

    def games_of(self, entry: ResolvedName) -> str:
        """Return the games that a scripted player or a class plays, in words."""
        return SCRIPTED_PLAYERS[entry.base].games if entry.kind is Kind.SCRIPTED else Games.ANY

    def _class_batch_policy(self, entry: ResolvedName) -> BatchPolicy:
        if entry.kind is Kind.ADDRESS:
            raise UsageError(f"{entry.name} acts hand by hand (accepted here: agents and batch policies)")
        found: BatchPolicy = instance(entry.base, Random())
        if not hasattr(found, "probabilities"):
            raise UsageError(f"{entry.base} acts hand by hand (accepted here: batch policies, with `probabilities`)")
        return Greedy(found) if entry.greedy else found

    def _class_player(self, entry: ResolvedName, of: Game, random: Random) -> Player:
        found = instance(entry.base, random)
        if hasattr(found, "act"):
            if entry.greedy:
                raise UsageError(f"{entry.name!r}: {entry.base} acts hand by hand (accepted behind batch policies: {GREEDY})")
            return OutsidePlayer(entry.name, found)
        if ignores_observations(found):
            return BatchPlayer(found, greedy=entry.greedy, random=random)
        return PolicyPlayer(TabulatedPolicy(of, found), greedy=entry.greedy, random=random)


# Names


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long for a file name
        return False


def _agent_of_run(folder: Path) -> Path:
    path = folder / AGENT_FILE
    if not path.exists():
        if not (folder / CONFIG_FILE).exists():
            raise UsageError(f"{str(folder)!r} is not a run folder (accepted: one made by `smoothcall train`)")
        raise UsageError(f"run {str(folder)!r} has no agent yet (finish it with `smoothcall resume`)")
    return path


def _described(file: AgentFile) -> tuple[str, str]:
    """Return (game, summary) of an agent, from the card in its file."""
    try:
        card = read_card(file.path)
    except UsageError as error:
        return "", f"unreadable: {error}"
    spec = spec_of(card["game"]["name"], card["game"]["options"])
    if "solver" not in card:
        return spec, card.get("name", "")
    return spec, f"{card['solver']['name']}, {card['iterations']:,} iterations"


# From a batch policy to a policy or a player


def named_policy(of: Game, name: str) -> TabulatedPolicy:
    """Return a scripted player as a policy.

    A player that observes cards is tabulated for the two-player game, also at larger tables.
    """
    player = SCRIPTED_PLAYERS[name]
    if player.games is Games.CARDS:
        own = game(_for_two(of))
        verify_card_game(own, name)
        return TabulatedPolicy(own, scripted_batch_policy(own, name))
    return TabulatedPolicy(of, scripted_batch_policy(of, name))


def scripted_batch_policy(of: Game, name: str) -> BatchPolicy:
    """Return a scripted player as a batch policy for the rules of a game."""
    player = SCRIPTED_PLAYERS[name]
    if player.games is Games.EQUITY:
        verify_game(of, name)
    elif player.games is Games.CARDS:
        verify_card_game(of, name)
    made = player.make(of.rules)  # type: ignore[arg-type]
    if isinstance(made, Rule):
        made.verify_game(of.rules)
    return made


def scripted_player(of: Game, name: str, random: Random) -> Player:
    """Return a scripted player for a seat."""
    player = SCRIPTED_PLAYERS[name]
    if player.seat is not None:
        return player.seat(random)
    if player.games in (Games.ANY, Games.POKER):
        return BatchPlayer(scripted_batch_policy(of, name), random=random)
    return PolicyPlayer(named_policy(of, name), random=random)


def _for_two(of: Game) -> str:
    """Return the spec of the two-player game of which this may be a table for more."""
    return spec_of(of.name, {name: value for name, value in of.options.items() if name != "seats"})


def modified(policy: Policy, entry: ResolvedName) -> Policy:
    """Apply what stands behind a name: to the batch policy itself where there is one, else to the table."""
    if not isinstance(policy, TabulatedPolicy):
        policy = policy if entry.threshold is None else policy.thresholded(entry.threshold)
        return policy.greedy() if entry.greedy else policy
    cut = thresholded(policy, entry.threshold)
    if not entry.greedy:
        return cut
    assert isinstance(cut, TabulatedPolicy)
    return TabulatedPolicy(cut.game, Greedy(cut.batch_policy), {**cut.card, "greedy": True})


def _verify_fixed(entry: ResolvedName) -> None:
    """Raise UsageError for a name whose player is no policy, because it searches."""
    if entry.suffixes.search is not None:
        raise UsageError(f"{entry.name} acts hand by hand: search has no table (accepted here: {entry.base})")


def batch_policy_of(policy: Policy, entry: ResolvedName, of: Game) -> BatchPolicy:
    """Return the batch policy of an agent that has been read; UsageError where it is a table, or plays other rules."""
    _verify_fixed(entry)
    if policy.game.rules != of.rules:
        raise UsageError(f"{entry.name} plays {policy.game.spec}, not {of.spec}")
    changed = modified(policy, entry)
    if not isinstance(changed, TabulatedPolicy):
        raise UsageError(
            f"{entry.name} is a table for full stacks (accepted: scripted players, and agents that play from observations)"
        )
    return changed.batch_policy


def thresholded(policy: Policy, share: float | None) -> Policy:
    """Leave out actions less likely than `share`; a batch policy stays one."""
    if share is None:
        return policy
    if not isinstance(policy, TabulatedPolicy):
        return policy.thresholded(share)
    card = {name: value for name, value in policy.card.items() if name != "results"} | {"threshold": share}
    return TabulatedPolicy(policy.game, Thresholded(policy.batch_policy, share), card)
