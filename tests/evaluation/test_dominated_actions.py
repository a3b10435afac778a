"""The list of dominated actions of Kuhn poker, proved by elimination in the strategic form."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.evaluation.equilibria import DOMINATED_2P, DOMINATED_3P, dominated_error, kuhn_member
from tests.evaluation.test_equilibria import with_bets


@pytest.fixture(scope="module")
def kuhn():
    return sc.game("kuhn")


@pytest.fixture(scope="module")
def three():
    return sc.game("kuhn-3p")


def plan_values(game):
    """What plans earn, as the sum over deals that the strategic form is made of.

    A plan is a player's bets (1) and passes (0) with one card, by the bits of its number. Returns {(player, card): rows}, the
    bits [plans, states], and {deal as cards: [plans of player 0, plans of player 1, ..., players] chips x probability}.
    """
    tree, (ending, payoff), labels = game.tree, game.ending_payoff, game.deals.labels[0]
    owned = {}
    for row, key in enumerate(game.keys):
        owned.setdefault((int(game.row_player[row]), key[0]), []).append(row)
    states = len(owned[0, "J"])
    bits = np.arange(2**states)[:, None] >> np.arange(states) & 1 == 1

    def value(node, deal, bucket):
        if ending[node] >= 0:
            return payoff[ending[node], deal]
        player = int(tree.player[node])
        state = owned[player, labels[bucket[player]]].index(tree.first_row[node] + bucket[player])
        check, bet = (value(child, deal, bucket) for child in tree.child[node] if child >= 0)
        shape = [len(bits) if axis == player else 1 for axis in range(game.players + 1)]
        return np.where(bits[:, state].reshape(shape), bet, check)

    values = {}
    for deal, weight in enumerate(game.deals.weight):
        bucket = game.deals.bucket[deal, :, 0]
        whole = np.broadcast_to(value(0, deal, bucket), (len(bits),) * game.players + (game.players,))
        values[tuple(labels[each] for each in bucket)] = weight * whole
    return owned, bits, values


def reached(game, rows, bits):
    """[plans, states] whether a plan's own moves lead to its states."""
    bettings = [game.keys[row][2:] for row in rows]
    result = np.ones_like(bits)
    for later, earlier in itertools.permutations(range(len(rows)), 2):
        before, after = bettings[earlier], bettings[later]
        if after.startswith(before) and after != before:
            result[:, later] &= bits[:, earlier] == (after[len(before)] == ("c" if "r" in before else "r"))
    return result


def eliminated(game, owned, bits, alive):
    """{information state: action} that no living plan comes to and takes."""
    found = {}
    for who, rows in owned.items():
        there = reached(game, rows, bits) & alive[who][:, None]
        for state, row in enumerate(rows):
            check, bet = (game.actions[slot] for slot in np.flatnonzero(game.legal[row]))
            for action, takes in ((check, ~bits[:, state]), (bet, bits[:, state])):
                if not (there[:, state] & takes).any():
                    found[game.keys[row]] = action
    return found


def least_gain(gains):
    """The least of the sum over deals, the opponents' plans chosen card by card. gains: {their cards: [their plans, ...]}."""
    if len(next(iter(gains))) == 1:
        return sum(gain.min() for gain in gains.values())
    cards = sorted({card for card, _ in gains})
    total = 0.0  # over the first opponent's plans with each card; the second's best answers with each card are independent
    for axis, card in enumerate(cards):
        one, other = (gains[each, card] for each in cards if each != card)
        total = total + np.expand_dims((one[:, None, :] + other[None, :, :]).min(axis=2), axis)
    return total.min()


def undominated_plans(game, owned, bits, values):
    """Rounds of elimination of weakly dominated plans: after each, {(player, card): [plans] bool}."""
    alive = {who: np.ones(len(bits), bool) for who in owned}
    while True:
        after = {who: living.copy() for who, living in alive.items()}
        for player, card in owned:
            others = [other for other in range(game.players) if other != player]
            mine = {}
            for deal, value in values.items():
                if deal[player] == card:
                    living = [alive[other, deal[other]] for other in others]
                    table = np.moveaxis(value[..., player], player, 0)
                    mine[tuple(deal[other] for other in others)] = table[np.ix_(np.ones(len(bits), bool), *living)]
            for worse, better in itertools.permutations(np.flatnonzero(alive[player, card]), 2):
                gains = {cards: table[better] - table[worse] for cards, table in mine.items()}
                losses = {cards: -gain for cards, gain in gains.items()}
                if least_gain(gains) > -1e-12 and least_gain(losses) < -1e-12:
                    after[player, card][worse] = False
        if all((after[who] == alive[who]).all() for who in owned):
            return
        alive = after
        yield alive


def test_dominated_actions_of_three(three):
    owned, bits, values = plan_values(three)
    rounds = [eliminated(three, owned, bits, alive) for alive in undominated_plans(three, owned, bits, values)]
    assert rounds == [DOMINATED_3P]


@pytest.mark.parametrize("pot", [2, 8])
def test_dominated_actions_of_two(pot):
    game = sc.game("kuhn", pot=pot)
    owned, bits, values = plan_values(game)
    first, second = (eliminated(game, owned, bits, alive) for alive in undominated_plans(game, owned, bits, values))
    assert first == {key: action for key, action in DOMINATED_2P.items() if key[0] != "Q"}
    assert second == DOMINATED_2P


@pytest.mark.parametrize("pot", [2, 8])
def test_dominated_actions_of_two_in_the_strategic_form(pot):
    """The same list from all 64 x 64 pure strategies, for which a plan survives if a strategy with it does."""
    game = sc.game("kuhn", pot=pot)
    owned, bits, values = plan_values(game)
    strategies = np.array(list(itertools.product(range(4), repeat=3)))  # [64, cards]
    earned = np.zeros((64, 64))
    for (card, other), value in values.items():
        earned += value[..., 0][np.ix_(strategies[:, "JQK".index(card)], strategies[:, "JQK".index(other)])]
    living = [np.arange(64), np.arange(64)]
    for expected in ({k: a for k, a in DOMINATED_2P.items() if k[0] != "Q"}, DOMINATED_2P, DOMINATED_2P):
        tables = earned[np.ix_(*living)], -earned[np.ix_(*living)].T
        for player, table in enumerate(tables):
            better, worse = table[:, None], table[None]
            dominates = (better >= worse - 1e-12).all(axis=2) & (better > worse + 1e-12).any(axis=2)
            living[player] = living[player][~dominates.any(axis=0)]
        alive = {(player, card): np.isin(np.arange(4), strategies[living[player], "JQK".index(card)]) for player, card in owned}
        assert eliminated(game, owned, bits, alive) == expected
    assert len(living[0]) == 18
    assert len(living[1]) == 4


def test_dominated_error(kuhn, three):
    assert dominated_error(kuhn, sc.Policy.uniform(kuhn)) == pytest.approx(7 / 2)
    assert dominated_error(three, sc.Policy.uniform(three)) == pytest.approx(22 / 2)
    assert dominated_error(kuhn, with_bets(kuhn_member(kuhn, alpha=0.2), {"J:r": 0.25, "K:c": 0.5})) == pytest.approx(0.75)
    game = sc.game("kuhn", pot=8)
    assert dominated_error(game, kuhn_member(game, y=0.5)) == 0.5, "an equilibrium may play a weakly dominated action"
