"""Limit hold'em in seconds: learn with a coarse card abstraction, query one hand, play a match with a caller.

The tables of hand strength are built at first use and then read from the cache folder.
"""

import smoothcall as sc

assert sc.rank("AhKh", "QhJhTh").name == "a royal flush"
assert 0.81 < sc.equity(["AA", "KK"]).players[0].equity < 0.82

game = sc.game("limit-holdem", grid="20/20/20")
learner = sc.solver("smooth-uct", game, seed=1, mixing="greatest", explore="pot", k=0.5)
learner.run(3_000_000)
greedy = learner.current_policy()
assert greedy.probabilities("AsAh:r")["f"] == 0  # aces are not folded to a raise

won = sc.match(game, [greedy, "always-call"], hands=100_000)
assert won.estimates[0].interval()[0] > 0  # mbb/h, 95 %
