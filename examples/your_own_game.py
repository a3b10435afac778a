"""A game of your own: Kuhn poker with five cards and two bets, solved exactly and by self-play."""

from dataclasses import replace

import smoothcall as sc
from smoothcall.games.cards import Deck
from smoothcall.games.catalog import KUHN

street = replace(KUHN.streets[0], max_raises=2)
rules = replace(KUHN, name="five-card-kuhn", deck=Deck("TJQKA", ""), streets=(street,))
game = sc.Game(rules)

exact = sc.solver("lp", game)
exact.run(1)
learned = sc.solver("mccfr", game, seed=1)
learned.run(300_000)

value = sc.expected_values(game, exact.policy())[0]
assert sc.nash_conv(game, exact.policy()) < 1e-9
assert sc.nash_conv(game, learned.policy()) < 0.03
assert abs(sc.expected_values(game, learned.policy())[0] - value) < 0.03
