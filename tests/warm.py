"""Compile every kernel that is kept on disk and build the tables tests share, once: `python -m tests.warm`."""

from __future__ import annotations

from shutil import rmtree

import smoothcall as sc
from smoothcall.evaluation.luck import luck
from smoothcall.evaluation.match import Strategy
from smoothcall.play.table import replay
from smoothcall.solvers import base
from tests.conftest import TABLES, TINY


def main() -> None:
    rmtree(TABLES, ignore_errors=True)  # what is tested is what the code builds now
    for spec in ("rps", "kuhn", "kuhn-3p"):
        game = sc.game(spec)
        for name, options in [
            ("cfr+", {}),
            ("mccfr", {}),
            ("mccfr", {"sampling": "chance"}),
            ("mccfr", {"sampling": "chance", "prune": 1e-3}),
            ("xfp", {}),
            ("uct", {}),
        ]:
            if not (options.get("prune") and spec == "rps"):
                solver = sc.solver(name, game, **options)
                solver.run(1)
                sc.nash_conv(game, solver.policy())
    threads = sc.solver("smooth-uct", sc.game("kuhn"), threads=2)
    threads.run(1)
    matching = sc.solver("regret-matching", sc.game("rps"))
    matching.run(1)
    for spec in (TINY, f"{TINY},cells=k-means", "limit-holdem"):
        game = sc.game(spec)
        game.dealer(0).deal(1)
        for name in ("uct", "mccfr"):
            solver = sc.solver(name, game)
            solver.run(1)
            solver.policy()
            solver.current_policy()
    for spec, moves in (("limit-holdem", ["c"] * 8), ("no-limit-holdem", ["c", "c", "c", "r100", "c"])):
        uniform = sc.Policy.uniform(sc.game(spec))
        hand = replay(uniform.game.rules, range(52), moves)
        told = luck(uniform.game, 0, {1: Strategy(uniform)})
        told.corrected(hand.hole[0], hand.boards, hand.text)
    base.WIDE = 0  # tables of 32 bits, as games of very many rows have them
    for name in ("uct", "mccfr"):
        solver = sc.solver(name, sc.game(TINY))
        solver.run(1)
        solver.policy()


if __name__ == "__main__":
    main()
