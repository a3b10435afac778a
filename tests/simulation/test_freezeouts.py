"""Freezeouts in a batch: chips and seats recomputed by hand, and the stack trees compared with the rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.batch_wrappers import Table, moves_of
from smoothcall.agents.scripted import Scripted
from smoothcall.games.betting import Betting
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.equity_table import PARTS, equity_table
from smoothcall.information.game import Game
from smoothcall.kernels.holdem.drawing import draw_cards
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation import freezeouts as kernels
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.simulation.observations import (
    AGGRESSION,
    CALLED_EVER,
    EQUITY,
    HANDS,
    LAST,
    LAST_SIZE,
    OBSERVATION,
    OTHER_STACK,
    POT,
    RAISED_EVER,
    RAISED_FIRST,
    RAISES,
    STACK,
    STREET,
    TO_CALL,
)
from smoothcall.kernels.tables import CALL, CALLED, CHECKED, DECISION, FOLD_SLOT, NOTHING, RAISED, Array
from smoothcall.simulation.freezeouts import FreezeoutEnv
from smoothcall.simulation.observations import node_observations
from smoothcall.simulation.stack_trees import stack_trees
from tests.conftest import WHOLE_BETS, built

START, UNIT, LENGTH, COUNT = 3000, 500, 4, 40
PUBLIC = [POT, STREET, TO_CALL, STACK, OTHER_STACK, LAST, LAST_SIZE, RAISES, AGGRESSION]  # by the table: all but the cards


def rules() -> PokerRules:
    found = built(WHOLE_BETS).rules
    assert isinstance(found, PokerRules)
    return found


def new_env(seed: int = 1, count: int = COUNT, length: int = LENGTH, rollouts: int = 0) -> FreezeoutEnv:
    return FreezeoutEnv(rules(), count=count, length=length, generators=seeded(seed, 3 if rollouts else 2), rollouts=rollouts)


def play(env: FreezeoutEnv, *names: str) -> None:
    """One turn, up to the booking, of batch policies by name: of players 0 and 1."""
    env.freezeouts.policy[:, 1] = 1
    env.sit()
    env.batch.begin()
    env.move([Scripted(name, Table.of(env.stack_trees.rules)) for name in names])


# The environment


def test_chips_and_seats_are_booked() -> None:
    env = new_env()
    now, hands = env.freezeouts, env.batch.hands
    assert (now.chips == START).all()
    assert now.first.tolist() == [0, 1] * (COUNT // 2)
    ends = {"broke": 0, "length": 0}
    shorter = carried = 0
    for _ in range(600):
        chips, first, played = now.chips.copy(), now.first.copy(), now.played.copy()
        begins = hands.over.copy()
        play(env, "random", "random")
        least = chips.min(axis=1)
        seat_of_0 = first.astype(int)
        assert (hands.policy[np.arange(COUNT), seat_of_0] == 0).all(), "player `first` sits in seat 0"
        assert (hands.policy[np.arange(COUNT), 1 - seat_of_0] == 1).all()
        shorter += (begins & (least < START)).sum()
        carried += (begins & (played > 0)).sum()
        assert (abs(hands.won[hands.over]) <= least[hands.over, None]).all(), "nobody loses more than the other has"
        np.testing.assert_array_equal(now.chips, chips)
        over = hands.over.copy()
        assert env.settle() == over.sum()
        for hand in range(COUNT):
            after = chips[hand] + [hands.won[hand, seat_of_0[hand]], hands.won[hand, 1 - seat_of_0[hand]]]
            if not over[hand]:
                assert np.isnan(env.gain[hand])
                assert now.chips[hand].tolist() == chips[hand].tolist()
                assert (now.first[hand], now.played[hand]) == (first[hand], played[hand])
                continue
            assert now.first[hand] == 1 - first[hand], "they change seats"
            assert after.sum() == 2 * START
            if played[hand] + 1 == LENGTH or after.min() == 0:
                ends["broke" if after.min() == 0 else "length"] += 1
                assert env.gain[hand] == after[0] - START
                assert now.chips[hand].tolist() == [START, START]
                assert now.played[hand] == 0
                assert not now.habits[hand].any()
                assert now.policy[hand].tolist() == [0, -1], "the next opponent is to be drawn"
            else:
                assert np.isnan(env.gain[hand])
                assert now.chips[hand].tolist() == after.tolist()
                assert now.played[hand] == played[hand] + 1
        assert (now.chips.sum(axis=1) == 2 * START).all()
        assert (now.chips >= UNIT).all()
        assert (now.played < LENGTH).all()
    assert min(ends.values()) > 50, ends
    assert shorter > 200
    assert carried > 500


def test_hands_are_played_for_the_smaller_stack() -> None:
    """By the tree of the game in which both have that much."""
    env, found = new_env(seed=2), set()
    hands, nodes = env.batch.hands, [Game(replace(rules(), stack=units * UNIT)).tree.nodes for units in range(1, 7)]
    starts = np.cumsum([0, *nodes])
    for _ in range(200):
        begins, least = hands.over.copy(), env.freezeouts.chips.min(axis=1)
        play(env, "random", "moderate")
        np.testing.assert_array_equal(env.batch.root[begins], starts[least[begins] // UNIT - 1])
        units = np.searchsorted(starts, hands.node, side="right")
        assert (units * UNIT == least).all(), "a hand stays in its tree"
        found |= set(units.tolist())
        env.settle()
    assert found == {1, 2, 3, 4, 5, 6}


def test_only_freezeouts_that_are_playing_are_booked() -> None:
    env = new_env(seed=3)
    playing, booked = np.arange(COUNT) % 3 == 0, 0
    for _ in range(30):
        play(env, "check-fold", "raise")
        over = env.batch.hands.over & playing
        assert env.settle(playing) == over.sum()
        assert (env.freezeouts.chips[~playing] == START).all()
        assert not env.freezeouts.played[~playing].any()
        booked += over.sum()
    assert booked > 100


@pytest.mark.parametrize("rollouts", [0, 20])
def test_environments_go_on_from_their_tables(rollouts: int) -> None:
    one, other = new_env(seed=5, rollouts=rollouts), new_env(seed=6, rollouts=rollouts)
    for env in (one, other):
        for _ in range(25):
            play(env, "random", "mirror")
            env.settle()
    for name, table in one.tables().items():
        other.tables()[name][...] = table
    for _ in range(40):
        for env in (one, other):
            play(env, "random", "mirror")
            env.settle()
    for name, table in one.tables().items():
        np.testing.assert_array_equal(other.tables()[name], table, err_msg=name)


def test_opponents_are_drawn_by_their_shares() -> None:
    env = new_env(count=6000)
    env.freezeouts.policy[::2, 1] = 9
    kernels.draw_opponents(env.freezeouts, np.array([0.0, 0.25, 0.0, 0.75]), seeded(4)[0])
    assert (env.freezeouts.policy[::2, 1] == 9).all(), "who has one keeps it"
    often = np.bincount(env.freezeouts.policy[1::2, 1], minlength=4)
    assert often[[0, 2]].tolist() == [0, 0]
    assert abs(often[1] - 750) < 4 * (3000 * 0.25 * 0.75) ** 0.5


def test_estimates_change_what_is_seen_not_what_is_dealt() -> None:
    """Who never looks at the cards plays the same hands; equities are observed as dealt."""
    exact, estimated = new_env(seed=8), new_env(seed=8, rollouts=50)
    for _ in range(60):
        for env in (exact, estimated):
            play(env, "call", "raise")
        for name in ("node", "outcome", "over", "won"):
            one, other = (getattr(env.batch.hands, name) for env in (exact, estimated))
            np.testing.assert_array_equal(one, other)
        for env in (exact, estimated):
            env.settle()
    off = (estimated.batch.deals.dealt - exact.batch.deals.dealt) / PARTS
    assert 0.05 < off.std() < 0.08, "about sqrt(0.2 / 50)"
    halves = estimated.batch.observations[:, EQUITY] * 100
    np.testing.assert_allclose(halves, halves.round(), atol=1e-2)
    one, other = exact.deal(700), estimated.deal(700)
    np.testing.assert_array_equal(one.outcome, other.outcome)
    assert (one.dealt != other.dealt).any()


@pytest.mark.parametrize("rollouts", [-1, 10_001, 2.5])
def test_how_many_games(rollouts: int) -> None:
    with pytest.raises(sc.UsageError, match=f"rollouts={rollouts} .accepted: a whole number from 0 to 10000"):
        new_env(rollouts=rollouts)


# Habits


def seen_of(street: int, to_call: float) -> Array:
    observation = np.zeros(OBSERVATION, np.float32)
    observation[STREET], observation[TO_CALL] = street, to_call
    return observation


def put(hands: Hands, seat: int, moves: list[tuple[int, int, float]]) -> None:
    """(action, street, to call) of a seat in the only hand."""
    hands.moves[0, seat] = len(moves)
    for move, (action, street, to_call) in enumerate(moves):
        hands.action[0, seat, move], hands.observations[0, seat, move] = action, seen_of(street, to_call)


def test_habits_are_counted() -> None:
    env = new_env(count=1, length=10)
    hands, habits = env.batch.hands, env.freezeouts.habits[0]
    order = [HANDS, RAISED_FIRST, RAISED_EVER, CALLED_EVER]
    raised, twice = CALL + 1, CALL + 2
    # player 0 in seat 0: raises before the flop, calls, checks, raises on the turn; player 1 calls and gives up
    put(hands, 0, [(raised, 0, 0.0), (CALL, 1, 0.1), (CALL, 2, 0.0), (twice, 2, 0.2)])
    put(hands, 1, [(CALL, 0, 0.1), (CALL, 1, 0.0), (FOLD_SLOT, 2, 0.1)])
    env.settle()
    assert habits[:, order].tolist() == [[1, 1, 2, 1], [1, 0, 0, 1]]
    # player 1 in seat 0: raises twice before the flop, and that counts once; player 0 does nothing at all
    put(hands, 0, [(raised, 0, 0.0), (raised, 0, 0.1), (twice, 3, 0.0)])
    put(hands, 1, [])
    env.settle()
    assert habits[:, order].tolist() == [[2, 1, 2, 1], [2, 1, 3, 1]]
    # player 0 in seat 0 again: raises later only
    put(hands, 0, [(CALL, 0, 0.0), (raised, 1, 0.0)])
    put(hands, 1, [(CALL, 0, 0.0), (FOLD_SLOT, 1, 0.1)])
    env.settle()
    assert habits[:, order].tolist() == [[3, 1, 3, 1], [3, 1, 3, 1]]
    habits[:, order] = [[5, 2, 3, 1], [4, 1, 2, 6]]
    for player, raises, aggression in ((0, 1 / 4, 2 / 8), (1, 2 / 5, 3 / 4)):  # each sees the other's
        env.freezeouts.first[0], hands.over[0] = player, True
        play(env, "call", "call")
        assert env.batch.observations[0, [RAISES, AGGRESSION]].tolist() == pytest.approx([raises, aggression])


def test_strangers_have_no_habits() -> None:
    env = new_env(count=2)
    play(env, "call", "call")
    assert env.batch.observations[:, RAISES].tolist() == [0, 0]
    assert env.batch.observations[:, AGGRESSION].tolist() == [0.5, 0.5]


# Observations


def test_the_first_hand_of_a_freezeout_has_the_observations_of_nodes() -> None:
    """All that the table shows, and the equity up to the width of a bucket (before the flop, to what is dealt)."""
    game, env, checked = built(WHOLE_BETS), new_env(seed=7), 0
    assert game.abstraction is not None
    root, hands = int(env.stack_trees.root[-1]), env.batch.hands
    for _ in range(60):
        first_hand = env.freezeouts.played == 0
        env.freezeouts.policy[:, 1] = 1
        env.sit()
        env.batch.begin()
        node = hands.node.copy()
        env.move([Scripted("random", Table.of(env.stack_trees.rules))] * 2)
        for hand in np.flatnonzero(first_hand):
            own = int(node[hand]) - root
            wanted, street = node_observations(game, np.array([own]), with_cards=False), int(game.tree.round[own])
            observation = env.batch.observations[hand]
            np.testing.assert_array_equal(observation[PUBLIC], wanted[0, PUBLIC])
            middles = game.abstraction.equity[street]
            np.testing.assert_allclose(wanted[:, EQUITY], middles, rtol=1e-6)
            nearest = abs(middles - observation[EQUITY]).min()
            assert nearest <= (0.5 / PARTS + 1e-6 if street == 0 else 0.5 / game.buckets[street] + 1e-6)
            assert observation[EQUITY] * PARTS == pytest.approx(hands.dealt[hand, game.tree.player[own], street], abs=0.01)
            checked += 1
        env.settle()
    assert checked > 500


def test_observations_hold_the_public_state() -> None:
    """One hand by hand: seat 0 raises by one bet, seat 1 calls and checks the flop. Stacks are 2,000 and 4,000."""
    env = new_env(count=1)
    hands, tree = env.batch.hands, Game(replace(rules(), stack=2000)).tree
    env.freezeouts.chips[0], env.freezeouts.policy[0] = (2000, 4000), (0, 1)
    env.sit()
    env.batch.begin()
    node, found = 0, []
    for action in (CALL + 1, CALL, CALL):
        env.observe()
        assert hands.node[0] == env.stack_trees.root[4] + node
        found.append(env.batch.observations[0, PUBLIC] * [START, 1, START, START, START, 1, START, 1, 1])
        node = int(tree.child[node, action])
        hands.node[0] = env.stack_trees.root[4] + node
    env.observe()
    found.append(env.batch.observations[0, PUBLIC] * [START, 1, START, START, START, 1, START, 1, 1])
    wanted = [  # pot, street, to call, own chips left, the other's, its last move and the chips of it
        [1000, 0, 0, 1500, 3500, NOTHING, 0],
        [2000, 0, 1000, 3500, 500, RAISED, 1000],
        [3000, 1, 0, 2500, 500, RAISED, 1000],  # seat 1 acts first from the flop on
        [3000, 1, 0, 500, 2500, CHECKED, 0],
    ]
    np.testing.assert_allclose([row[:7] for row in found], wanted, atol=0.01)


def test_what_the_other_did_last() -> None:
    """Seat 0 raises by one bet, seat 1 raises again, seat 0 calls; on the flop seat 1 is first to act."""
    tree = Game(replace(rules(), stack=3000)).tree
    last, size = tree.last_moves
    node = 0
    assert (last[node], size[node]) == (NOTHING, 0), "blinds are no moves"
    for action, move, chips in ((CALL + 1, RAISED, 1000), (CALL + 1, RAISED, 2000), (CALL, CALLED, 1000)):
        node = int(tree.child[node, action])
        assert (last[node], size[node]) == (move, chips)
    assert (tree.player[node], tree.round[node]) == (1, 1)
    node = int(tree.child[node, CALL])
    assert (last[node], size[node]) == (CHECKED, 0)


def test_slots_are_moves() -> None:
    """Check, call, raises by one, two and three bets, fold: a raise that is none of them is the largest."""
    observation = np.stack([seen_of(0, 0.0), seen_of(0, 0.1)])
    for factors, raises in (((1, 2, 3, 4), [2, 3, 4, 4]), ((1, 2), [2, 3]), ((2, 5), [3, 4]), ((4,), [4])):
        table = Table(0.1, factors)
        for action, wanted in enumerate([[5, 5], [0, 1], *([move] * 2 for move in raises)]):
            assert moves_of(table, observation, np.full(2, action)).tolist() == wanted


# Stack trees


def test_stack_trees_are_the_single_trees() -> None:
    wood = stack_trees(rules())
    assert wood.unit == UNIT
    assert wood.root[0] == -1
    assert wood.actions == ("f", "c", "x1", "x2")
    assert len(wood.root) == START // UNIT + 1
    end = 0
    for units in range(1, START // UNIT + 1):
        game, root = Game(replace(rules(), stack=units * UNIT)), int(wood.root[units])
        assert root == end
        end = root + game.tree.nodes
        here, walk = np.s_[root:end], game.walk
        for field in ("kind", "player", "round"):
            np.testing.assert_array_equal(getattr(wood.walk, field)[here], getattr(walk, field))
        child = wood.walk.child[here]
        np.testing.assert_array_equal(np.where(child >= 0, child - root, -1), walk.child)
        ending = wood.walk.kind[here] != DECISION
        np.testing.assert_array_equal(wood.walk.ending[here] >= 0, ending)
        np.testing.assert_array_equal(
            wood.walk.payoff[wood.walk.ending[here][ending]], walk.payoff[walk.ending[walk.kind != DECISION]]
        )
        np.testing.assert_array_equal(wood.public.paid[here], game.tree.paid)
        assert wood.depth >= game.depth
    assert end == len(wood.walk.kind)


@pytest.mark.parametrize("units", [1, 2, 3, 4, 5, 6])
def test_stack_trees_are_played_by_the_rules(units: int) -> None:
    """Every node of a tree, walked with `Betting` from stacks of so many units: moves, turns, chips and who wins them."""
    wood = stack_trees(rules())
    waiting, ends = [(int(wood.root[units]), Betting(rules(), [units * UNIT] * 2))], 0
    while waiting:
        node, state = waiting.pop()
        assert wood.public.paid[node].tolist() == state.paid
        assert (wood.walk.kind[node] != DECISION) == state.finished
        if state.finished:
            ends += 1
            pays = wood.walk.payoff[wood.walk.ending[node]]
            lost = min(state.paid)
            if state.alive_count == 1:
                winner = state.alive.index(True)
                assert (pays[:, winner] == lost).all()
                assert (pays[:, 1 - winner] == -lost).all()
            else:
                assert state.paid[0] == state.paid[1]
                assert {tuple(row) for row in pays.tolist()} == {(lost, -lost), (-lost, lost), (0.0, 0.0)}
            continue
        assert wood.walk.player[node] == state.player
        assert wood.walk.round[node] == state.street
        assert [letter is not None for letter in state.slots] == (wood.walk.child[node] >= 0).tolist()
        for action, letter in enumerate(state.slots):
            if letter is not None:
                after = state.copy()
                after.play(letter)
                waiting.append((int(wood.walk.child[node, action]), after))
    assert ends == (Game(replace(rules(), stack=units * UNIT)).tree.kind != DECISION).sum()


def test_showdowns_go_to_the_better_cards() -> None:
    """Freezeouts whose players always call, against hands dealt with the same cards."""
    env, again, card = new_env(seed=9, count=60, length=1), seeded(9, 2)[0], np.zeros(9, np.uint8)
    for _ in range(8):  # bets can be no more than checked on four streets
        play(env, "call", "call")
        if env.batch.hands.over.all():
            break
    for hand in range(60):
        draw_cards(card, 32, again)
        cards = card.tolist()
        dealt = Hand(rules())
        dealt.deal(tuple(cards[:2]))
        dealt.deal(tuple(cards[2:4]))
        for board in (cards[4:7], cards[7:8], cards[8:]):
            dealt.play("c")
            dealt.play("c")
            dealt.deal(tuple(board))
        dealt.play("c")
        dealt.play("c")
        assert dealt.outcome is not None
        assert env.batch.hands.won[hand].tolist() == [float(chips) for chips in dealt.outcome.payoffs]
        board = tuple(cards[4:])
        for seat in (0, 1):
            exact = equity_table(rules().deck).of((cards[2 * seat], cards[2 * seat + 1]), board)
            assert env.batch.hands.dealt[hand, seat, 3] / PARTS == pytest.approx(exact, abs=1e-5)


@pytest.mark.parametrize("spec", ["limit-holdem", "no-limit-holdem:seats=3,menu=x1", "leduc"])
def test_other_games_have_no_freezeouts(spec: str) -> None:
    with pytest.raises(sc.UsageError, match="freezeouts are played in no-limit games for two with a menu of raises"):
        stack_trees(built(spec).rules)


def test_too_many_stacks_for_freezeouts() -> None:
    with pytest.raises(sc.UsageError, match=r"any of [0-9,]+ stacks \(accepted: at most 1,000; a menu of whole bets, such"):
        stack_trees(built("no-limit-holdem:stack=2000").rules)
