"""What games and players may be named by, beyond our own: files and addresses. Their modules are imported when first used.

`game` is `information.named_games.game` that also builds games of OpenSpiel (`openspiel:kuhn_poker`) and Gambit files
(`some.efg`).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from smoothcall.information.game import Game
from smoothcall.information.named_games import FORMATS, game

if TYPE_CHECKING:
    from random import Random

    from smoothcall.agents.registry import Opener, Reader
    from smoothcall.agents.view import Player
    from smoothcall.evaluation.policy_match import Stop
    from smoothcall.interop.acpc_wire import Tell
    from smoothcall.policy import Policy

__all__ = ["OPENERS", "READERS", "game", "openers"]


def _strategy(path: Path, of: Game | None) -> Policy:
    from smoothcall.interop.macmanus2019 import read_strategy

    return read_strategy(path, of)


def _acpc(address: str, of: Game, random: Random, stop: Stop | None, tell: Tell | None) -> Player:
    from smoothcall.interop.acpc_dealer import open_address

    return open_address(address, of, random, stop=stop, tell=tell)


def _bot(address: str, of: Game, random: Random) -> Player:
    from smoothcall.interop.openspiel_bots import open_bot

    return open_bot(address, of, random)


def _openspiel(name: str) -> Game:
    from smoothcall.interop.openspiel import PREFIX, read_openspiel

    return read_openspiel(name.removeprefix(PREFIX))


def _gambit(name: str) -> Game:
    from smoothcall.interop.gambit import read_efg

    return read_efg(Path(name))


READERS: dict[str, Reader] = {".json": _strategy}  # of agents, by suffix


def openers(stop: Stop | None = None, tell: Tell | None = None) -> dict[str, Opener]:
    """Return what makes players at addresses, by what stands before their `://`.

    Waiting for one ends when `stop` says so; `tell` hears that it began.
    """
    return {"acpc": partial(_acpc, stop=stop, tell=tell), "openspiel": _bot}


OPENERS = openers()
FORMATS.update({"openspiel:": _openspiel, ".efg": _gambit})
