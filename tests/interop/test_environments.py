"""Games as environments: PettingZoo's and Gymnasium's own checks, and hands beside the rules engine."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import smoothcall as sc
from smoothcall.errors import UsageError
from smoothcall.games.catalog import CATALOG
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.interop import pettingzoo as zoo
from smoothcall.interop.environments import HandBatch, HandTable, random_actions
from smoothcall.interop.gymnasium import HandEnv, VectorHandEnv, environment_id
from smoothcall.kernels.learners.features import encode_cards
from smoothcall.learners.features import CardEncoder, RowEncoder
from tests.conftest import TINY, built

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns of its own modules
    from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, seed_test

SMALL = ["rps", "kuhn", "kuhn-3p", "leduc", "leduc-3p", "limit-holdem", "no-limit-holdem"]
LARGE = [name for name in CATALOG if name not in SMALL]  # trees of 562,865 and of 24 million nodes
EVERY = [*SMALL, *(pytest.param(name, marks=pytest.mark.long) for name in LARGE)]
SMALLER = TINY  # a smaller form of no-limit-holdem-32; limit-holdem-3p has none, its rules are those of limit-holdem for three
pytestmark = pytest.mark.filterwarnings("ignore:Observation")


# The libraries' own checks


@pytest.mark.parametrize("name", [*EVERY, SMALLER])
def test_pettingzoo_accepts_every_game(name: str) -> None:
    game = built(name)
    api_test(zoo.env(game), num_cycles=60, verbose_progress=False)
    seed_test(lambda: zoo.env(game), num_cycles=20)
    max_cycles_test(SimpleNamespace(parallel_env=partial(zoo.parallel_env, game), env=partial(zoo.env, game)))
    parallel_api_test(zoo.parallel_env(game), num_cycles=20)


@pytest.mark.parametrize("name", EVERY)
def test_gymnasium_accepts_every_game(name: str) -> None:
    check_env(gymnasium.make(environment_id(name)).unwrapped)


def test_gymnasium_accepts_a_smaller_form() -> None:
    check_env(HandEnv(built(SMALLER)), skip_render_check=True)  # made without `gymnasium.make`, which other modes need


def test_registered_environments() -> None:
    assert environment_id("limit-holdem-3p") == "smoothcall/LimitHoldem3p-v0"
    env = gymnasium.make("smoothcall/Leduc-v0", opponents="leduc-cfr", seat=1)
    observation, info = env.reset(seed=1)
    assert observation["observation"].shape == (30,)
    assert info["seat"] == 1
    many = gymnasium.make_vec("smoothcall/Leduc-v0", num_envs=8, vectorization_mode="vector_entry_point")
    assert many.reset(seed=1)[0]["observation"].shape == (8, 30)


# Beside the rules engine


def steps(game: sc.Game, count: int) -> Iterator[HandTable]:
    """Random hands of a table, before every decision and at every end."""
    table, random, done = HandTable(game), Random(3), 0
    while done < count:
        table.begin(random)
        while table.player is not None:
            yield table
            table.move(random.choice(np.flatnonzero(table.mask).tolist()))
            done += 1
        yield table


def verify_table(name: str, count: int) -> None:
    game = built(name)
    encoder = CardEncoder(game) if game.sampled else RowEncoder(game)
    for table in steps(game, count):
        hand = table.hand
        if hand is None:
            continue
        assert table.player == hand.player
        if table.player is None:
            assert table.payoffs == [float(chips) for chips in hand.outcome.payoffs]  # type: ignore[union-attr]
            assert np.isfinite(table.features(0)).all()
            continue
        assert table.mask.tolist() == [letter is not None for letter in hand.slots]
        found = table.features(table.player)
        if isinstance(encoder, RowEncoder):
            row = game.row_of(hand.hole[table.player], hand.boards, hand.text)
            assert found.tolist() == encoder.features[row].tolist()
        else:
            wanted, seen = np.empty((1, table.width), np.float32), [*hand.hole[table.player], *hand.board]
            encode_cards(encoder.nodes, np.array([[table.node, *seen, *[-1] * (7 - len(seen))]], np.int32), wanted)
            assert found.tolist() == wanted[0].tolist()


@pytest.mark.parametrize("name", SMALL)
def test_a_table_follows_the_rules(name: str) -> None:
    verify_table(name, 300)


@pytest.mark.long
@pytest.mark.parametrize("name", CATALOG)
def test_a_table_follows_the_rules_for_long(name: str) -> None:
    verify_table(name, 100_000)


def cards_of(game: sc.Game, dealt: Any) -> list[int]:
    """Cards, hole cards first, then the board, that have the private values dealt[P, V] of a batch."""
    assert isinstance(game.rules, PokerRules)
    if game.sampled:
        return [*(int(card) for seat in dealt for card in seat[:2]), *map(int, dealt[0][2:])]
    labels = [game.deals.labels[-1][int(seat[-1])].split("/") for seat in dealt]
    ranks, suits = [label[0] for label in labels] + labels[0][1:], game.rules.deck.suits or " "
    names = [f"{rank}{suits[ranks[:place].count(rank)]}".strip() for place, rank in enumerate(ranks)]
    return list(game.rules.deck.parse("".join(names)))


def verify_batch(name: str, count: int, together: int) -> None:
    """Every hand of a batch beside a hand by the rules with the same cards and moves: turns, legal actions, pay-offs."""
    game = built(name)
    batch, random = HandBatch(game, together, seed=1), np.random.default_rng(2)
    hands: list[Hand | None] = [None] * together
    left: list[list[int]] = [[] for _ in range(together)]
    done = ended = 0

    def deal(place: int) -> None:
        hand = hands[place]
        assert hand is not None
        while (due := hand.due) is not None:
            hand.deal(tuple(left[place].pop(0) for _ in range(due.count)))

    while done < count:
        for place in range(together):
            if hands[place] is None:
                hands[place], left[place] = Hand(game.rules), cards_of(game, batch.states[1][place])  # type: ignore[arg-type]
                deal(place)
            hand = hands[place]
            assert hand is not None
            assert hand.player == batch.player[place]
            assert [letter is not None for letter in hand.slots] == batch.legal[place].tolist()
        actions = random_actions(batch.legal, random)
        features = batch.features()
        assert features.shape == (together, batch.width)
        for place, action in enumerate(actions):
            hand = hands[place]
            assert hand is not None
            hand.play(hand.slots[action] or "")
            deal(place)
        won, over = batch.step(actions)
        done += together
        for place, hand in enumerate(hands):
            assert hand is not None
            assert (hand.outcome is not None) == over[place]
            if hand.outcome is not None:
                np.testing.assert_allclose(won[place], [float(chips) for chips in hand.outcome.payoffs], rtol=1e-6)
                hands[place] = None
                ended += 1
    assert ended > together


@pytest.mark.parametrize("name", ["kuhn", "kuhn-3p", "leduc", "leduc-3p", "no-limit-holdem"])
def test_a_batch_follows_the_rules(name: str) -> None:
    verify_batch(name, 400, 20)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in CATALOG if name != "rps"])
def test_a_batch_follows_the_rules_for_long(name: str) -> None:
    verify_batch(name, 100_000, 100)


# Against opponents


def test_many_hands_against_an_equilibrium() -> None:
    """Random play against an equilibrium of Kuhn poker loses what the exact match says."""
    env = VectorHandEnv(500, "kuhn", opponents="kuhn-lp", seat=0)
    observation, _ = env.reset(seed=4)
    random, won, hands = np.random.default_rng(5), list[float](), 0
    while hands < 30_000:
        observation, reward, over, _, info = env.step(random_actions(observation["action_mask"] > 0, random))
        assert not info["illegal"].any()
        won += reward[over].tolist()
        hands += int(over.sum())
    game = built("kuhn")
    mixed = sc.Registry().policy("kuhn-lp", game).table.copy()
    uniform = sc.Policy.uniform(game).table
    mixed[game.row_player == 0] = uniform[game.row_player == 0]
    exact = sc.expected_values(game, sc.Policy(game, mixed))[0]
    assert abs(np.mean(won) - exact) < 5 * np.std(won) / np.sqrt(len(won))


def test_hands_without_a_decision_are_reported() -> None:
    env = HandEnv("leduc", opponents="leduc-cfr", seat=1)
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        assert observation["action_mask"].any()
        assert info["skipped"] == 0  # nobody folds first in Leduc
    many = VectorHandEnv(64, "no-limit-holdem", opponents="random")
    skipped = many.reset(seed=1)[1]["skipped"]
    assert (skipped >= 0).all()
    assert skipped.any(), "the small blind folds in some hands"


def test_pictures_and_text() -> None:
    for name in ("rps", "leduc"):
        text = zoo.env(name, render_mode="ansi")
        text.reset(seed=1)
        assert name in text.render()
        drawn = zoo.env(name, render_mode="rgb_array")
        drawn.reset(seed=1)
        assert drawn.render().shape == (320, 640, 3)
        assert drawn.render().std() > 0
    silent = zoo.env("kuhn")
    silent.reset(seed=1)
    assert silent.unwrapped.render() is None


def test_wrong_arguments() -> None:
    with pytest.raises(UsageError, match="unknown render_mode 'human'"):
        zoo.env("kuhn", render_mode="human")
    with pytest.raises(UsageError, match="2 opponents in kuhn"):
        HandEnv("kuhn", opponents=["random", "random"])
    with pytest.raises(UsageError, match="seat 2"):
        HandEnv("kuhn", seat=2)
    with pytest.raises(UsageError, match="max_cycles=0"):
        zoo.parallel_env("kuhn", max_cycles=0)
    with pytest.raises(UsageError, match="sees cards"):
        VectorHandEnv(4, "no-limit-holdem", opponents="no-limit-holdem-mccfr")
    table = HandTable(built("kuhn"))
    table.begin(Random(1))
    with pytest.raises(UsageError, match="accepted now: "):
        table.move(0)
    with pytest.raises(UsageError, match="0 hands at once"):
        HandBatch(built("kuhn"), 0)
