"""Speed-up by a second thread: `python benchmarks/threads.py` prints the table of docs/threads.md.

Measurements with one and two threads alternate, so that other work on the machine affects both; both run the same number of
iterations.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import perf_counter

import numpy as np
import typer

import smoothcall as sc
from smoothcall.kernels.information.sequences import add_leaves

GAMES = ("kuhn", "kuhn-3p", "leduc", "leduc-3p")
SOLVERS: dict[str, tuple[str, dict[str, str]]] = {
    "smooth-uct": ("smooth-uct", {}),
    "mccfr external": ("mccfr", {"sampling": "external"}),
    "mccfr chance": ("mccfr", {"sampling": "chance"}),
}
REPEATS = 5
SECONDS = 0.5  # of a repeat, approximately


def seconds(solver: sc.Solver, iterations: int) -> float:
    started = perf_counter()
    solver.run(iterations)
    return perf_counter() - started


def enough(solver: sc.Solver) -> int:
    """Return how many iterations take about SECONDS. The first compiles and does not count."""
    solver.run(1)
    iterations = 1
    while (took := seconds(solver, iterations)) < SECONDS / 10:
        iterations *= 4
    return max(1, round(iterations * SECONDS / took))


def row(game_name: str, label: str) -> str:
    name, options = SOLVERS[label]
    game = sc.game(game_name)
    iterations = min(enough(sc.solver(name, game, threads=threads, **options)) for threads in (1, 2))
    both = [sc.solver(name, game, seed=1, threads=threads, **options) for threads in (1, 2)]
    took: list[list[float]] = [[], []]
    for repeat in range(REPEATS + 1):
        for solver, times in zip(both, took, strict=True):
            spent = seconds(solver, iterations)
            if repeat:  # the first is a warm-up
                times.append(spent)
    speeds = [iterations / median(times) for times in took]
    ratios = [one / two for one, two in zip(*took, strict=True)]
    gaps = [sc.nash_conv(game, solver.policy()) for solver in both]
    cells = [game_name, label, *(f"{speed:,.0f}" for speed in speeds), f"{speeds[1] / speeds[0]:.2f}"]
    cells += [f"{min(ratios):.2f} to {max(ratios):.2f}", f"{both[0].iterations:,}", *(f"{gap:.3g}" for gap in gaps)]
    return "| " + " | ".join(cells) + " |"


def halves(game_name: str, sweeps: int = 300) -> str:
    """Return the largest gain of two threads in full-width CFR: its sweep over the leaves, on one thread and in halves on two.

    Each thread runs its half of all sweeps without a break; synchronisation in every iteration would cost more.
    """
    form = sc.game(game_name).form
    plan, leaves = sc.Policy.uniform(sc.game(game_name)).realisation_plan, form.leaf_sequence.shape[1]

    def sweep(first: int, last: int) -> None:
        value = np.zeros_like(plan)
        for _ in range(sweeps):
            add_leaves(form, 0, plan, value, first, last)

    took: list[list[float]] = [[], []]
    for _ in range(REPEATS):
        for parts, taken in zip(([(0, leaves)], [(0, leaves // 2), (leaves // 2, leaves)]), took, strict=True):
            started = perf_counter()
            with ThreadPoolExecutor(len(parts)) as pool:
                list(pool.map(sweep, *zip(*parts, strict=True)))
            taken.append((perf_counter() - started) / sweeps * 1e6)
    one, two = map(median, took)
    times = f"{one:.0f} us on one thread, {two:.0f} us on two, ratio {one / two:.2f}"
    return f"{game_name}, one sweep over {leaves:,} leaves: {times}"


def main() -> None:
    typer.echo(halves("leduc-3p") + "\n")
    heads = ["game", "solver", "iterations/s, 1 thread", "2 threads", "ratio", "ratios of the repeats", "iterations"]
    heads += ["NashConv, 1 thread", "2 threads"]
    typer.echo("| " + " | ".join(heads) + " |")
    typer.echo("| --- | --- |" + " ---: |" * (len(heads) - 2))
    for game_name in GAMES:
        for label in SOLVERS:
            typer.echo(row(game_name, label))


if __name__ == "__main__":
    main()
