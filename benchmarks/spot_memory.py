"""Measure the resident memory of a solver beside that of its tables: `python benchmarks/spot_memory.py`.

A process of its own solves each spot, so that no memory is used again. Another one before it compiles the kernels into the
cache: tables would be put where the compiler was, and resident memory would grow by less than the tables.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import psutil

from smoothcall.experiments.speed import ANY_HANDS, FLOP_SPOT
from smoothcall.search.solution import Solution
from smoothcall.search.spot import Spot

SPOTS: dict[str, dict[str, Any]] = {
    "turn": {"board": "Td9d6hQc", "bets": "75%,a", "raises": "75%,a", **ANY_HANDS},
    "flop": {"board": "QsJh2h", "bets": "52%", "raises": "2.5x", **FLOP_SPOT},
}


def resident() -> float:
    return psutil.Process(os.getpid()).memory_info().rss / 1e6


def measure(name: str, storage: int) -> None:
    """Print the memory that two iterations and a best response take, with kernels loaded before."""
    small = Solution(Spot(SPOTS[name]["board"], ("AA", "KK"), 100, 400), storage=storage)
    small.run(1.0)
    before = resident()
    solution = Solution(Spot(**SPOTS[name]), storage=storage)
    solution.solver.run(2)
    solution.solver.best_values()
    used, table = resident() - before, solution.solver.table_bytes / 1e6
    sys.stdout.write(
        f"{name}, {storage} bits: tables {table:.1f} MB, resident {used:.1f} MB, {used / table:.2f} times the tables\n"
    )


def main() -> None:
    if len(sys.argv) == 3:
        measure(sys.argv[1], int(sys.argv[2]))
        return
    for name in SPOTS:
        for storage in (32, 16):
            for output in (subprocess.DEVNULL, None):
                subprocess.run([sys.executable, __file__, name, str(storage)], check=True, stdout=output)


if __name__ == "__main__":
    main()
