"""Six solvers on Leduc hold'em, 1,000 iterations each (mccfr: 100,000, each of one sampled deal): the NashConv they reach."""

import smoothcall as sc

game = sc.game("leduc")
reached = {}
for name in ("cfr", "cfr+", "discounted-cfr", "predictive-cfr+", "mccfr", "xfp"):
    solver = sc.solver(name, game, seed=1)
    solver.run(100_000 if name == "mccfr" else 1_000)
    reached[name] = sc.nash_conv(game, solver.policy())

assert reached["cfr+"] < reached["cfr"]
assert all(0 <= value < 0.5 for value in reached.values())
