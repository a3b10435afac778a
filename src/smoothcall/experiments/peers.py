"""Figures of `smoothcall bench` for other packages, measured in the same way in the same run.

OpenSpiel's Leduc distinguishes suits (936 information states), ours merges them (288), which loses nothing. Both are measured:
a peer with its default game, and with "suits merged", the game that we measure, which compares the code alone.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from smoothcall.experiments.speed import Figure, Task, timing
from smoothcall.games.cards import STANDARD

APART = "leduc_poker"
MERGED = "leduc_poker(suit_isomorphism=true)"
APART_3P = "leduc_poker(players=3)"
MERGED_3P = "leduc_poker(players=3,suit_isomorphism=true)"

PACKAGES = {  # name -> (module to import, package to install)
    "OpenSpiel": ("pyspiel", "open_spiel"),
    "LiteEFG": ("LiteEFG", "LiteEFG"),
    "cvxpy": ("cvxpy", "cvxpy"),
    "ECOS": ("ecos", "ecos"),
    "eval7": ("eval7", "eval7"),
    "phevaluator": ("phevaluator", "phevaluator"),
    "RLCard": ("rlcard", "rlcard"),
    "PettingZoo": ("pettingzoo", "pettingzoo"),
    "pygame": ("pygame", "pygame"),
}


@dataclass(frozen=True, slots=True)
class Peer:
    """A package and the task that measures it. `repeats` is the largest number of repeats; with one there is no warm-up."""

    needs: tuple[str, ...]  # of PACKAGES
    task: Task
    repeats: int = 5


def _openspiel_cfr_plus(game_name: str) -> Callable[[], None]:
    import pyspiel

    solver = pyspiel.CFRPlusSolver(pyspiel.load_game(game_name))
    return lambda: solver.evaluate_and_update_policy()


def _python_cfr_plus(game_name: str) -> Callable[[], None]:
    import pyspiel
    from open_spiel.python.algorithms import cfr

    solver = cfr.CFRPlusSolver(pyspiel.load_game(game_name))
    return lambda: solver.evaluate_and_update_policy()


def _openspiel_nash_conv(game_name: str) -> Callable[[], None]:
    import pyspiel

    game = pyspiel.load_game(game_name)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    policy = solver.tabular_average_policy()
    return lambda: pyspiel.nash_conv(game, policy)


def _openspiel_uniform_nash_conv(game_name: str) -> Callable[[], None]:
    """Measure the uniform policy, which needs no training; the time does not depend on the policy."""
    import pyspiel

    game = pyspiel.load_game(game_name)
    policy = pyspiel.UniformRandomPolicy(game)
    return lambda: pyspiel.nash_conv(game, policy)


def _openspiel_lp(game_name: str) -> Callable[[], None]:
    """Solve the programs of both players, as OpenSpiel builds them (cvxpy, ECOS to 1e-7)."""
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp

    game = pyspiel.load_game(game_name)
    return lambda: sequence_form_lp.solve_zero_sum_game(game)


def _python_xfp(game_name: str) -> Callable[[], None]:
    import pyspiel
    from open_spiel.python.algorithms import fictitious_play

    solver = fictitious_play.XFPSolver(pyspiel.load_game(game_name))
    return lambda: solver.iteration()


def _openspiel_external_mccfr(game_name: str) -> Callable[[], None]:
    import pyspiel

    solver = pyspiel.ExternalSamplingMCCFRSolver(pyspiel.load_game(game_name), 1)
    return lambda: solver.run_iteration()


@contextmanager
def _kept_apart() -> Iterator[None]:
    """Silence LiteEFG's output and redirect the files that it writes to the home folder."""
    with TemporaryDirectory() as folder, mock.patch.dict(os.environ, HOME=folder), redirect_stdout(io.StringIO()):
        yield


def _liteefg(game_name: str) -> tuple[Any, Any]:
    """Return the graph of CFR+ and its environment."""
    with _kept_apart():
        import LiteEFG
        import pyspiel
        from LiteEFG.baselines import CFRplus

        graph = CFRplus.graph()
        environment = LiteEFG.OpenSpielEnv(pyspiel.load_game(game_name), traverse_type="Enumerate")
        environment.set_graph(graph)
    return graph, environment


def _liteefg_cfr_plus(game_name: str) -> Callable[[], None]:
    graph, environment = _liteefg(game_name)

    def iterate() -> None:
        graph.update_graph(environment)
        environment.update_strategy(graph.current_strategy())

    return iterate


def _liteefg_nash_conv(game_name: str) -> Callable[[], None]:
    graph, environment = _liteefg(game_name)
    for _ in range(10):
        graph.update_graph(environment)
        environment.update_strategy(graph.current_strategy())
    return lambda: environment.exploitability(graph.current_strategy(), "linear-avg-iterate")


def _hands(count: int) -> list[list[str]]:
    """Return random hands of seven cards, by name."""
    random, deck = Random(1), [STANDARD.name(card) for card in range(STANDARD.size)]
    return [random.sample(deck, 7) for _ in range(count)]


def _eval7(count: int) -> Task:
    def prepare() -> Callable[[], object]:
        import eval7

        hands = [list(map(eval7.Card, hand)) for hand in _hands(count)]
        return lambda: [eval7.evaluate(hand) for hand in hands]

    return Task("hands/s", prepare, lambda s: count / s)


def _phevaluator(count: int) -> Task:
    def prepare() -> Callable[[], object]:
        import phevaluator

        hands = [[phevaluator.Card(name).id_ for name in hand] for hand in _hands(count)]
        return lambda: [phevaluator.evaluate_cards(*hand) for hand in hands]

    return Task("hands/s", prepare, lambda s: count / s)


def _rlcard(name: str, count: int) -> Task:
    """Step through random hands of an environment; `count` decisions."""

    def prepare() -> Callable[[], object]:
        import rlcard

        env, random = rlcard.make(name, config={"seed": 1}), Random(1)

        def timed() -> None:
            done = 0
            while done < count:
                state, _ = env.reset()
                while not env.is_over():
                    state, _ = env.step(random.choice(list(state["legal_actions"])))
                    done += 1

        return timed

    return Task("steps/s", prepare, lambda s: count / s)


def _pettingzoo(name: str, count: int) -> Task:
    """Step through random hands of a classic environment, as its documentation does; `count` decisions."""

    def prepare() -> Callable[[], object]:
        from importlib import import_module

        env, random = import_module(f"pettingzoo.classic.{name}").env(), Random(1)

        return lambda: step_at_random(env, random, count)

    return Task("steps/s", prepare, lambda s: count / s)


def step_at_random(env: Any, random: Random, count: int) -> int:
    """Play hands of a PettingZoo environment by random legal actions, at least `count` of them; return how many."""
    done = 0
    while done < count:
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(random.choice(observation["action_mask"].nonzero()[0].tolist()))
                done += 1
    return done


def _task(unit: str, make: Callable[[str], Callable[[], object]], game_name: str, count: int) -> Task:
    """Return a task that calls the function of `make(game_name)` `count` times in a repeat."""
    figure = {"iterations/s": lambda s: count / s, "ms": lambda s: 1000 * s / count, "s": lambda s: s / count}[unit]

    def prepare() -> Callable[[], None]:
        once = make(game_name)

        def timed() -> None:
            for _ in range(count):
                once()

        return timed

    return Task(unit, prepare, figure)


def _both(
    name: str, needs: Sequence[str], unit: str, make: Callable[[str], Callable[[], object]], apart: int, merged: int
) -> dict[str, Peer]:
    """Return a peer on Leduc with distinct and with merged suits; `apart` and `merged` are calls in a repeat."""
    return {
        name: Peer(tuple(needs), _task(unit, make, APART, apart)),
        f"{name}, suits merged": Peer(tuple(needs), _task(unit, make, MERGED, merged)),
    }


PEERS: dict[str, dict[str, Peer]] = {
    "leduc-cfr-plus": {
        **_both("OpenSpiel C++", ["OpenSpiel"], "iterations/s", _openspiel_cfr_plus, 40, 200),
        **_both("OpenSpiel Python", ["OpenSpiel"], "iterations/s", _python_cfr_plus, 3, 15),
        **_both("LiteEFG", ["OpenSpiel", "LiteEFG"], "iterations/s", _liteefg_cfr_plus, 100, 600),
    },
    "leduc-nash-conv": {
        **_both("OpenSpiel C++", ["OpenSpiel"], "ms", _openspiel_nash_conv, 5, 25),
        **_both("LiteEFG", ["OpenSpiel", "LiteEFG"], "ms", _liteefg_nash_conv, 500, 2_000),
    },
    "leduc-3p-nash-conv": {
        "OpenSpiel C++": Peer(("OpenSpiel",), _task("ms", _openspiel_uniform_nash_conv, APART_3P, 1), 1),
        "OpenSpiel C++, suits merged": Peer(("OpenSpiel",), _task("ms", _openspiel_uniform_nash_conv, MERGED_3P, 1), 1),
    },
    "leduc-lp": _both("OpenSpiel Python", ["OpenSpiel", "cvxpy", "ECOS"], "s", _openspiel_lp, 1, 3),
    "leduc-xfp": _both("OpenSpiel Python", ["OpenSpiel"], "iterations/s", _python_xfp, 1, 3),
    "evaluate-7-cards": {  # called from Python, one hand at a time, as their users do; ours runs inside a kernel
        "eval7": Peer(("eval7",), _eval7(50_000)),
        "phevaluator": Peer(("phevaluator",), _phevaluator(20_000)),
    },
    "leduc-environment": {
        "RLCard": Peer(("RLCard",), _rlcard("leduc-holdem", 20_000)),
        "PettingZoo": Peer(("PettingZoo", "RLCard", "pygame"), _pettingzoo("leduc_holdem_v4", 5_000)),
    },
    "limit-holdem-environment": {
        "RLCard": Peer(("RLCard",), _rlcard("limit-holdem", 10_000)),
        "PettingZoo": Peer(("PettingZoo", "RLCard", "pygame"), _pettingzoo("texas_holdem_v4", 5_000)),
    },
    "leduc-external-mccfr": _both("OpenSpiel C++", ["OpenSpiel"], "iterations/s", _openspiel_external_mccfr, 10_000, 10_000),
}


def missing(names: Sequence[str]) -> list[str]:
    """Return a message for every package that is not installed and that the named figures, or all, are compared with."""
    needed = {need for name in names or PEERS for peer in PEERS.get(name, {}).values() for need in peer.needs}
    lines = []
    for package, (module, install) in PACKAGES.items():
        if package in needed and not find_spec(module):
            lines.append(f"{package} is not installed: pip install {install}")
    return lines


def compare(figure: Figure, *, repeats: int, tell: Callable[[str], None]) -> dict[str, dict[str, Any]]:
    """Measure the figure with every peer that is installed; `ratio` is how many times faster ours is."""
    found = {}
    for name, peer in PEERS.get(figure.name, {}).items():
        if not all(find_spec(PACKAGES[need][0]) for need in peer.needs):
            continue
        tell(f"measuring {figure.name} of {name}")
        most = min(repeats, peer.repeats)
        value = timing(figure.name, peer.task, repeats=most, warm=peer.repeats > 1).value
        ratio = figure.value / value if figure.unit.endswith("/s") else value / figure.value
        found[name] = {"value": value, "unit": figure.unit, "ratio": ratio}
    return found
