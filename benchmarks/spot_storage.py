"""Compare algorithms and bits of storage on a river with all hands: `python benchmarks/spot_storage.py`."""

from __future__ import annotations

import sys

from smoothcall.experiments.speed import ANY_HANDS
from smoothcall.search.range_solver import ALGORITHMS
from smoothcall.search.solution import STORAGES, Solution
from smoothcall.search.spot import Spot

ITERATIONS = (20, 50, 100, 200, 400, 800, 1_600, 3_200, 6_400)


def main() -> None:
    spot = Spot("Td9d6hQc2s", bets="50%,100%,a", raises="60%,a", **ANY_HANDS)
    for algorithm in ALGORITHMS:
        for storage in STORAGES:
            solution, found = Solution(spot, algorithm=algorithm, storage=storage), []
            for count in ITERATIONS:
                solution.solver.run(count - solution.solver.iterations)
                found.append(f"{count}: {solution.exploitability:.4%}")
            ev = solution.result()["ev"][0]
            sys.stdout.write(f"{algorithm}, {storage} bits, {', '.join(found)} of the pot; EV of the first player {ev:.4f}\n")


if __name__ == "__main__":
    main()
