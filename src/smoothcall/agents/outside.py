"""Players from outside the package: importable classes, installed ones (entry points), and programs at an address.

An author writes a class with one method. `module:Class` names it anywhere a player is named:

    class Caller:
        def act(self, view):          # `agents.view.View`: what the seat may know
            return "c"                # `f`, `c`, `r` in limit games, `r<total chips in the hand>` in no-limit games

`__init__` takes nothing, or `random`, a `random.Random` to draw moves from: then one seed gives one match. A class may also
have `watch(view)`, called with every state of its hands, at the end with `view.payoffs`, and `GAMES`, the names of the games
that it plays (any game without it). A class with `probabilities(observations, legal)` is a batch policy
(`simulation.batch_policy`).

A package makes its players known by name with an entry point in the group `smoothcall.players`:

    [project.entry-points."smoothcall.players"]
    caller = "mypackage.players:Caller"

What an outside player does wrong is a `PlayerFailed` that names it; the match in progress keeps its result.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from inspect import signature
from pathlib import Path
from random import Random
from typing import Any, Protocol, runtime_checkable

from smoothcall.agents.view import Player, View
from smoothcall.errors import PlayerFailed, UsageError
from smoothcall.games.rules import PokerRules

GROUP = "smoothcall.players"  # of entry points


@runtime_checkable
class Watcher(Player, Protocol):
    """A player that also wants to see every state of its hands: before each move of any seat, and at the end."""

    def watch(self, view: View) -> None: ...


def installed_players() -> dict[str, str]:
    """Return `module:Class` by name of the players that installed packages declare. Nothing is imported."""
    return {each.name: each.value for each in entry_points(group=GROUP)}


@contextmanager
def _importing_from_here() -> Iterator[None]:
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)


def instance(name: str, random: Random) -> Any:
    """Import `module:Class` and make one; `random` is handed over where the class takes it."""
    module, _, attribute = name.partition(":")
    try:
        with _importing_from_here():
            made = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise UsageError(f"player {name!r}: {error} (accepted: module:Class of a module that can be imported)") from None
    except AttributeError:
        raise UsageError(f"player {name!r}: module {module!r} has no {attribute!r}") from None
    except (Exception, SystemExit) as error:
        raise PlayerFailed(f"player {name!r}: importing {module!r} raised {_said(error)}") from error
    try:
        takes = signature(made).parameters
        found = made(random=random) if "random" in takes else made()
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"player {name!r} cannot be made ({error}; accepted: a class without arguments, or `random`)"
        ) from None
    except (Exception, SystemExit) as error:
        raise PlayerFailed(f"player {name!r}: making it raised {_said(error)}") from error
    if not (hasattr(found, "act") or hasattr(found, "probabilities")):
        raise UsageError(
            f"player {name!r} cannot play (accepted: a class with `act(view)` or `probabilities(observations, legal)`)"
        )
    return found


class OutsidePlayer:
    """Guards the table against a player from outside: whatever it raises or answers wrongly is a `PlayerFailed`."""

    def __init__(self, name: str, player: Player) -> None:
        self.name, self.player = name, player
        if isinstance(player, Watcher):
            self.watch = self._watch  # only then is it shown every state

    def act(self, view: View) -> str:
        letter: Any
        try:
            letter = self.player.act(view)
        except PlayerFailed:
            raise
        except (Exception, SystemExit) as error:
            raise PlayerFailed(f"player {self.name!r} raised {_said(error)} at {_where(view)}") from error
        if not isinstance(letter, str) or not _legal(view, letter):
            raise PlayerFailed(
                f"player {self.name!r} answered {str(letter)[:40]!r} at {_where(view)} (accepted: {_moves(view)})"
            )
        return letter

    def _watch(self, view: View) -> None:
        assert isinstance(self.player, Watcher)
        try:
            self.player.watch(view)
        except PlayerFailed:
            raise
        except (Exception, SystemExit) as error:
            raise PlayerFailed(f"player {self.name!r} raised {_said(error)} watching {_where(view)}") from error


def close(player: object) -> None:
    """Let go of what a player holds, such as a connection; also of players inside others."""
    while player is not None:
        if hasattr(player, "close"):
            player.close()
        player = getattr(player, "player", None)


def _legal(view: View, letter: str) -> bool:
    if letter in view.letters:
        return True
    if view.raises is None or not isinstance(view.rules, PokerRules) or view.rules.limit:
        return False
    return re.fullmatch("r[0-9]{1,12}", letter) is not None and view.raises[0] <= int(letter[1:]) <= view.raises[1]


def _moves(view: View) -> str:
    if isinstance(view.rules, PokerRules) and not view.rules.limit:
        raises = [] if view.raises is None else [f"r{view.raises[0]} to r{view.raises[1]}"]
        return ", ".join([letter for letter in view.letters if letter[0] != "r"] + raises)
    return ", ".join(view.letters)


def _where(view: View) -> str:
    """Return the place of a decision in a hand, without hidden cards."""
    return f"{view.text!r} in seat {view.seat} of {view.rules.name}"


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
