"""Learn Leduc hold'em in a fraction of a second, compute its exact NashConv, query one information state."""

import smoothcall as sc

game = sc.game("leduc")
solver = sc.solver("cfr+", game)
solver.run(2_000)
policy = solver.policy()

assert sc.nash_conv(game, policy) < 1e-3
assert abs(sc.expected_values(game, policy)[0] - -0.0856064) < 1e-3
assert policy.probabilities("K/K:rrc/r")["f"] < 1e-6  # nobody folds a pair of kings
