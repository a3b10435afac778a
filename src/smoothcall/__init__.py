"""Smoothcall learns to play games of hidden information by self-play and says exactly how good what it learned is.

The path through the code, in reading order:

    games        rules: what may happen, plain Python
    information  what each player knows: action tree x deals x rows, and the sequence form made of them
    kernels      compiled sweeps and walks over those tables
    solvers      game -> policy
    policy       probabilities at every information state, and the agent file
    evaluation   how good a policy is
    players      whoever can sit in a seat, and their matches
    store        runs on disk: started, stopped, killed, resumed
    interop      other people's formats
    experiments  papers reproduced, speed measured
    app, cli     the one object behind every way in, and the command line

Import what you need from here; names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from smoothcall.agents.files import load as load
    from smoothcall.errors import UsageError as UsageError
    from smoothcall.evaluation.equilibria import dominated_error as dominated_error
    from smoothcall.evaluation.equilibria import equilibrium_distance as equilibrium_distance
    from smoothcall.evaluation.equilibria import kuhn_member as kuhn_member
    from smoothcall.evaluation.exploitability import BestResponse as BestResponse
    from smoothcall.evaluation.exploitability import Evaluation as Evaluation
    from smoothcall.evaluation.exploitability import best_response as best_response
    from smoothcall.evaluation.exploitability import evaluate as evaluate
    from smoothcall.evaluation.exploitability import expected_values as expected_values
    from smoothcall.evaluation.exploitability import exploitability as exploitability
    from smoothcall.evaluation.exploitability import nash_conv as nash_conv
    from smoothcall.evaluation.learned_response import learned_response as learned_response
    from smoothcall.evaluation.local_best_response import local_best_response as local_best_response
    from smoothcall.evaluation.match import match as match
    from smoothcall.games.hand import Hand as Hand
    from smoothcall.games.matrix import MatrixGame as MatrixGame
    from smoothcall.games.rules import PokerRules as PokerRules
    from smoothcall.games.rules import Street as Street
    from smoothcall.holdem.equity import equity as equity
    from smoothcall.holdem.equity import rank as rank
    from smoothcall.information.game import Game as Game
    from smoothcall.information.named_games import game as game
    from smoothcall.policy import Policy as Policy
    from smoothcall.solvers import Solver as Solver
    from smoothcall.solvers import solver as solver

_HOMES = {
    "agents.files": ["load"],
    "errors": ["UsageError"],
    "evaluation.equilibria": ["dominated_error", "equilibrium_distance", "kuhn_member"],
    "holdem.equity": ["equity", "rank"],
    "evaluation.exploitability": [
        "BestResponse", "Evaluation", "best_response", "evaluate", "expected_values", "exploitability", "nash_conv",
    ],
    "evaluation.learned_response": ["learned_response"],
    "evaluation.local_best_response": ["local_best_response"],
    "games.hand": ["Hand"],
    "games.matrix": ["MatrixGame"],
    "games.rules": ["PokerRules", "Street"],
    "information.game": ["Game"],
    "information.named_games": ["game"],
    "evaluation.match": ["match"],
    "policy": ["Policy"],
    "solvers": ["Solver", "solver"],
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'smoothcall' has no attribute {name!r}")
    value = getattr(import_module(f"smoothcall.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
