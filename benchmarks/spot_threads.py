"""Compare two threads with one on a turn and a flop, by the clock of an idle machine: `python benchmarks/spot_threads.py`."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

from smoothcall.experiments.speed import ANY_HANDS, FLOP_SPOT
from smoothcall.search.range_solver import RangeSolver
from smoothcall.search.solution import Solution
from smoothcall.search.spot import Spot

SPOTS: dict[str, tuple[dict[str, Any], int, int]] = {  # spot, iterations, repeats
    "turn": ({"board": "Td9d6hQc", "bets": "75%,a", "raises": "75%,a", **ANY_HANDS}, 20, 5),
    "flop": ({"board": "QsJh2h", "bets": "52%", "raises": "2.5x", **FLOP_SPOT}, 3, 3),
}


def seconds(solver: RangeSolver, iterations: int) -> float:
    began = perf_counter()
    solver.run(iterations)
    return perf_counter() - began


def main() -> None:
    for name, (about, iterations, repeats) in SPOTS.items():
        solvers = {threads: Solution(Spot(**about), threads=threads).solver for threads in (1, 2)}
        for solver in solvers.values():
            solver.run(1)
        least = dict.fromkeys(solvers, float("inf"))
        for _ in range(repeats):
            for threads, solver in solvers.items():
                least[threads] = min(least[threads], seconds(solver, iterations) / iterations)
        one, two = (1000 * each for each in least.values())
        sys.stdout.write(f"{name}: {one:.2f} ms an iteration with one thread, {two:.2f} with two: {one / two:.2f} times\n")


if __name__ == "__main__":
    main()
