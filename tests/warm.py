"""Compile the cached kernels and build the tables that tests share: `python -m tests.warm`."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from fcntl import LOCK_EX, flock
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numba.core.caching import IndexDataCacheFile

import smoothcall as sc
from smoothcall.agents.fixed import Fixed, Rule, Strategy
from smoothcall.agents.registry import Registry
from smoothcall.agents.view import view_of
from smoothcall.cluster.merging import Change, changed_rows, copy_rows, merge
from smoothcall.cluster.sharded import ShardedSolver
from smoothcall.evaluation.aivat import aivat
from smoothcall.evaluation.exact_response import exact_response
from smoothcall.evaluation.learned_response import learned_response
from smoothcall.evaluation.local_best_response import local_best_response
from smoothcall.evaluation.policy_match import sample
from smoothcall.games.cards import SHORT, STANDARD
from smoothcall.games.catalog import NO_LIMIT_HOLDEM
from smoothcall.holdem.equity_table import equity_table
from smoothcall.play.coach import Coach
from smoothcall.play.table import replay
from smoothcall.search.player import SearchPlayer
from smoothcall.search.solution import Solution
from smoothcall.search.spot import Spot
from smoothcall.solvers import threads
from tests.conftest import TABLES, TINY, WHOLE_BETS
from tests.contracts.test_solvers import FREEZEOUTS, NFSP
from tests.evaluation.test_exact_response import small

SMALL = ("rps", "kuhn", "kuhn-3p")
SAMPLED_GAMES = (TINY, f"{TINY},cells=k-means", "limit-holdem")


def learn(name: str, spec: str, **options: Any) -> sc.Policy:
    solver = sc.solver(name, sc.game(spec), **options)
    solver.run(1)
    solver.current_policy()
    return solver.policy()


def learn_in_shards(name: str) -> None:
    with TemporaryDirectory() as folder:
        made = ShardedSolver(name, sc.game("leduc"), shards=1, folder=Path(folder))
        made.run(1)
        made.policy()


def merge_changes() -> None:
    """Merge tables of both layouts: columns of the records of tree search, and whole arrays."""
    records, before = np.zeros((3, 8)), np.zeros((3, 3))
    for now in ({"visits": records[:, :3], "mean": records[:, 3:6]}, {"regret": np.zeros((3, 3))}):
        tables, changes = {name: before.copy() for name in now}, []
        for worker in range(2):
            for table in now.values():
                table[worker:] += 1
            changes.append(Change(worker, 1, changed_rows(tables, now), {}, 0))
        copy_rows(now, tables, merge(now, changes))


def build_tables() -> None:
    for spec in (*SAMPLED_GAMES, "no-limit-holdem"):
        sc.game(spec).dealer(0).deal(1)
    for deck in (SHORT, STANDARD):
        equity_table(deck)
    for hands in (["AsAh", "KsKh"], ["AsAh", "KsKh", "QsQh"]):
        sc.equity(hands, "2c3c4c")
        sc.equity(hands, samples=10)


def learn_small_games() -> None:
    for spec in SMALL:
        game = sc.game(spec)
        for name, options in [
            ("cfr+", {}),
            ("mccfr", {}),
            ("mccfr", {"sampling": "chance"}),
            ("mccfr", {"sampling": "chance", "prune": 1e-3}),
            ("xfp", {}),
        ]:
            if not (options.get("prune") and spec == "rps"):
                sc.nash_conv(game, learn(name, spec, **options))
    learn("regret-matching", "rps")


def learn_by_regrets() -> None:
    for spec in SAMPLED_GAMES:
        learn("mccfr", spec)
    learn_in_shards("mccfr")
    threads.FLOAT64_ROWS = 0  # float32 tables, as games of very many rows have them
    learn("mccfr", TINY)


def learn_by_search() -> None:
    for spec in (*SMALL, *SAMPLED_GAMES):
        learn("uct", spec)
    learn("smooth-uct", "kuhn", threads=2)
    learned_response(sc.Policy.uniform(sc.game("kuhn")), episodes=1, hands=2)
    learn_in_shards("uct")
    threads.FLOAT64_ROWS = 0
    learn("uct", TINY)


def learn_with_networks() -> None:
    """Fill the cache of JAX as well."""
    for name, options in FREEZEOUTS.items():
        sc.solver(name, sc.game(WHOLE_BETS), **options).run(40)
    for spec in ("kuhn", "kuhn-3p", WHOLE_BETS):
        learn("nfsp", spec, **NFSP)
        sc.solver("nfsp", sc.game(spec), **NFSP).prepare()


def respond_to_learners() -> None:
    for spec in ("kuhn", TINY):
        uniform = sc.Policy.uniform(sc.game(spec))
        players: list[Fixed] = [Strategy(uniform), Rule.RANDOM]
        sample(uniform.game, players, 1)
        local_best_response(uniform, deals=1)
    for double in (False, True):
        exact_response(sc.Policy.uniform(small("all-in")), slots=("f", "c"), flops=2, double=double)
    exact_response(sc.Policy.uniform(small("all-in")), slots=("f", "c"), flops=2, double=True)
    hand = replay(uniform.game.rules, range(32), ["c"] * 8)
    coach = Coach(
        uniform.game, 0, {1: Strategy(uniform)}, solve=False
    )  # the kernels of solutions are compiled by `solve_spots`
    coach.review(hand.hole[0], hand.boards, hand.text)


def adjust_for_luck() -> None:
    """And play against the expert system."""
    Registry().player("expert", sc.game("no-limit-holdem")).act(view_of(replay(NO_LIMIT_HOLDEM, range(52), ["c", "c"]), 1))
    for spec, moves in (("limit-holdem", ["c"] * 8), ("no-limit-holdem", ["c", "c", "c", "r100", "c"])):
        uniform = sc.Policy.uniform(sc.game(spec))
        hand = replay(uniform.game.rules, range(52), moves)
        told = aivat(uniform.game, 0, {1: Strategy(uniform)})
        told.luck_adjusted(hand.hole[0], hand.boards, hand.text)


def solve_spots() -> None:
    """Sweeps over ranges: of all numbers of streets in double precision, of rivers in single precision too."""
    for board in ("Td9d6h", "Td9d6hQc", "Td9d6hQc2s"):
        solution = Solution(Spot(board, ("AA", "KK"), 10, 5, bets="a", raises="none"), double=True)
        solution.run(1.0)
        solution.node(":")
        solution.result()
    sc.solve("Td9d6hQc2s", ("AA", "KK"), 10, 5, accuracy=1.0).result()
    for spec in ("kuhn", TINY):
        learn("cfr-br", spec)
    SearchPlayer(sc.Policy.uniform(sc.game("limit-holdem")))


# The jobs of a step share no kernel, which would be compiled twice. The longest are first, so that two processes end together.
STEPS: tuple[tuple[Callable[[], None], ...], ...] = (
    (build_tables, merge_changes, learn_small_games),
    (solve_spots, respond_to_learners, learn_with_networks, learn_by_search, learn_by_regrets, adjust_for_luck),
)


def prepare() -> None:
    """Let one process at a time update the index of Numba's cache, which is read, extended and written back.

    Nothing is collected in these processes, which end soon: a compiler makes objects by the million, and keeps most.
    """
    gc.disable()
    save = IndexDataCacheFile.save

    def alone(self: IndexDataCacheFile, key: object, data: object) -> None:
        with TABLES.with_suffix(".lock").open("w") as lock:
            flock(lock, LOCK_EX)
            save(self, key, data)

    IndexDataCacheFile.save = alone


def call(job: Callable[[], None]) -> None:
    job()


def main() -> None:
    rmtree(TABLES, ignore_errors=True)  # so that tests use tables of the current code
    TABLES.mkdir(parents=True)
    for step in STEPS:
        with ProcessPoolExecutor(2, get_context("spawn"), initializer=prepare, max_tasks_per_child=1) as two:
            list(two.map(call, step))


if __name__ == "__main__":
    main()
