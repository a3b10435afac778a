"""Whether a player keeps the contract of players: it can be made, moves legally, and is repeatable.

For authors of players from outside (`agents.outside`): `smoothcall players --check module:Class`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.outside import Watcher, close, instance
from smoothcall.agents.registry import Kind, Registry
from smoothcall.agents.scripted import AnyAmount, Rule
from smoothcall.agents.view import Player, View
from smoothcall.errors import PlayerFailed, UsageError
from smoothcall.evaluation.match import play_matrix, played_hand
from smoothcall.games.matrix import MatrixGame
from smoothcall.information.game import Game
from smoothcall.information.named_games import game

GAMES = ("rps", "kuhn", "leduc", "leduc-3p", "limit-holdem", "no-limit-holdem", "no-limit-holdem:seats=6,stack=40")
HANDS = 50  # in each game


@dataclass(frozen=True, slots=True)
class Checked:
    """What one game showed. `problem` is empty where the player keeps the contract there."""

    game: str
    hands: int
    moves: int
    slowest: float  # seconds of one move, or of one state watched
    problem: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class _Recorder:
    """Hands everything to a player and keeps its moves and times."""

    def __init__(self, player: Player) -> None:
        self.player, self.moves, self.slowest = player, list[str](), 0.0
        if isinstance(player, Watcher):
            self.watch = self._watch

    def act(self, view: View) -> str:
        start = time.perf_counter()
        letter = self.player.act(view)
        self.slowest = max(self.slowest, time.perf_counter() - start)
        self.moves.append(letter)
        return letter

    def _watch(self, view: View) -> None:
        assert isinstance(self.player, Watcher)
        start = time.perf_counter()
        self.player.watch(view)
        self.slowest = max(self.slowest, time.perf_counter() - start)


def games_of(name: str, registry: Registry) -> Sequence[str]:
    """Return the games to check a player in: those of its class (`GAMES`), of its agent, or one of every kind."""
    entry = registry.resolve(name)
    if entry.path is not None:
        return [registry.read(entry).game.spec]
    if entry.kind is not Kind.CLASS:
        raise UsageError(f"{name} is {entry.kind} (accepted: module:Class, players of installed packages, agents)")
    declared = getattr(instance(entry.base, Random()), "GAMES", GAMES)
    if isinstance(declared, str) or not all(isinstance(each, str) for each in declared):
        raise UsageError(f"{name}: GAMES = {declared!r} (accepted: a tuple of names of games)")
    return tuple(declared)


def check_player(name: str, registry: Registry, specs: Sequence[str] = (), *, hands: int = HANDS) -> list[Checked]:
    """Let a player play in each game against players that raise any amount; twice, from the same seed."""
    if hands < 1:
        raise UsageError(f"hands={hands} (accepted: 1 or more)")
    return [_checked(name, registry, game(spec), hands) for spec in specs or games_of(name, registry)]


def _checked(name: str, registry: Registry, of: Game, hands: int) -> Checked:
    lines: list[list[str]] = []
    slowest = 0.0
    for _ in range(2):
        try:
            recorder = _Recorder(registry.player(name, of, Random(7)))
            try:
                _play(of, recorder, hands)
            finally:
                close(recorder)
        except (PlayerFailed, UsageError) as error:
            return Checked(of.spec, hands, sum(map(len, lines)), slowest, str(error))
        lines.append(recorder.moves)
        slowest = max(slowest, recorder.slowest)
    problem = "" if lines[0] == lines[1] else "one seed gave two lines of moves (draw from the `random` of `__init__`)"
    return Checked(of.spec, hands, len(lines[0]), slowest, problem)


def _play(of: Game, player: Player, hands: int) -> None:
    for number in range(hands):
        random, seat = Random(number), number % of.players
        if isinstance(of.rules, MatrixGame):
            others: Player = BatchPlayer(Rule.RANDOM, random=random)
            play_matrix(of.rules, [player if place == seat else others for place in range(of.players)])
            continue
        others = AnyAmount(random)
        cards = tuple(random.sample(range(of.rules.deck.size), of.rules.deck.size))
        played_hand(of.rules, [player if place == seat else others for place in range(of.players)], cards)
