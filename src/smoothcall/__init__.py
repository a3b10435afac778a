"""Smoothcall learns to play games of hidden information by self-play and says exactly how good what it learned is.

The path through the code, in reading order:

    games        rules in plain Python: cards, hand rankings, betting, a hand in play, matrix games, the catalogue
    holdem       hold'em cards at speed: evaluator, hand strength, equity, card abstraction
    information  what players can tell apart: action tree, deals, buckets, information-state keys, sequence form, Game
    policy       probabilities at every information state
    solvers      tabular learning: CFR family, MCCFR, UCT and Smooth UCT, fictitious play, linear programming
    simulation   many hands at once: batches of hands, freezeouts
    agents       whatever chooses actions: scripted players, expert system, networks; agent files, registry of names
    learners     learning from observations in simulated hands: Monte-Carlo control, deep Q, NFSP
    search       exact hold'em on ranges: solving the rest of a hand with real cards
    evaluation   exploitability, best responses (exact, local, learned), matches, statistics, AIVAT
    store        runs on disk, hand histories in a database
    interop      other formats, protocols and libraries: ACPC, PHH, PettingZoo, Gymnasium, OpenSpiel, Gambit
    cluster      the same work on many machines (Ray)
    experiments  one module a paper, and speed
    play         tables for people: what a person may see, history, explorer, coach, terminal
    results      named results of the commands
    app          the one object behind command line, page and tests
    web          the page and its JSON interface
    cli          the command line, one module a command

    kernels      compiled loops over arrays, in folders named after the package that calls them

and below them all

    cache        tables that are built once and kept on disk
    folders      the user's folders for data and for the cache
    files        files written whole or not at all
    options      options of games and solvers: defaults, ranges, help
    memory       how much memory is free
    progress     reports of long work
    tasks        independent tasks, whose results do not depend on where they run
    errors       the errors that a user can fix

Import public names from here. They are loaded when first used, so that importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from smoothcall.agents.files import load as load
    from smoothcall.agents.registry import Registry as Registry
    from smoothcall.errors import UsageError as UsageError
    from smoothcall.evaluation.equilibria import dominated_error as dominated_error
    from smoothcall.evaluation.equilibria import equilibrium_distance as equilibrium_distance
    from smoothcall.evaluation.equilibria import kuhn_member as kuhn_member
    from smoothcall.evaluation.exact_response import exact_response as exact_response
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
    from smoothcall.interop.sources import game as game
    from smoothcall.policy import Policy as Policy
    from smoothcall.search.solution import Solution as Solution
    from smoothcall.search.solution import solve as solve
    from smoothcall.solvers import Solver as Solver
    from smoothcall.solvers import solver as solver

_HOMES = {
    "agents.files": ["load"],
    "agents.registry": ["Registry"],
    "errors": ["UsageError"],
    "evaluation.equilibria": ["dominated_error", "equilibrium_distance", "kuhn_member"],
    "evaluation.exact_response": ["exact_response"],
    "evaluation.exploitability": [
        "BestResponse", "Evaluation", "best_response", "evaluate", "expected_values", "exploitability", "nash_conv",
    ],
    "evaluation.learned_response": ["learned_response"],
    "evaluation.local_best_response": ["local_best_response"],
    "evaluation.match": ["match"],
    "games.hand": ["Hand"],
    "games.matrix": ["MatrixGame"],
    "games.rules": ["PokerRules", "Street"],
    "holdem.equity": ["equity", "rank"],
    "information.game": ["Game"],
    "interop.sources": ["game"],
    "policy": ["Policy"],
    "search.solution": ["Solution", "solve"],
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
