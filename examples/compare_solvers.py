"""Six solvers on Leduc, each for a quarter of a second: NashConv reached."""

from time import perf_counter

import smoothcall as sc

game = sc.game("leduc")
reached = {}
for name in ("cfr", "cfr+", "discounted-cfr", "predictive-cfr+", "mccfr", "xfp"):
    solver = sc.solver(name, game, seed=1)
    solver.run(1)  # the first call loads the kernel
    started = perf_counter()
    while perf_counter() - started < 0.25:
        solver.run(200)
    reached[name] = sc.nash_conv(game, solver.policy())

assert reached["cfr+"] < reached["cfr"]
assert all(0 <= value < 0.5 for value in reached.values())
