"""What networks see: everything that a player knows, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.information.sample_hands import SAMPLES
from smoothcall.kernels.random import seeded
from smoothcall.learners.features import CardEncoder, row_features
from smoothcall.simulation.batch import Batch, dealing
from tests.conftest import TINY, built

WIDTH = {  # cards of each street, then three actions for each move that a street may have
    "kuhn": 3 + 3 * 3,
    "kuhn-3p": 4 + 5 * 3,
    "leduc": 3 + 3 + 2 * 4 * 3,  # 30, as in Heinrich and Silver (2016)
    "leduc:suits=apart": 6 + 6 + 2 * 4 * 3,
    "leduc-3p": 4 + 4 + 2 * 7 * 3,  # check, check, bet, call, raise, call, call
}
LETTERS = "fcr"


@pytest.mark.parametrize("spec", WIDTH)
def test_different_information_states_look_different(spec: str) -> None:
    """So a player of a network can remember all that it knew."""
    game = built(spec)
    bits = row_features(game)
    assert bits.shape == (game.tree.rows, WIDTH[spec])
    assert bits.dtype == np.float32
    assert set(np.unique(bits)) == {0.0, 1.0}
    for player in range(game.players):
        mine = bits[game.row_player == player]
        assert len(np.unique(mine, axis=0)) == len(mine)


@pytest.mark.parametrize("spec", WIDTH)
def test_features_say_what_the_key_says(spec: str) -> None:
    """Written again from the text of the key: cards in alphabetical order, moves in theirs."""
    game = built(spec)
    bits, streets = row_features(game), len(game.rules.streets)
    parts = [key.partition(":")[0].split("/") for key in game.keys]
    cards = [sorted({part[street] for part in parts if len(part) > street}) for street in range(streets)]
    moves = (WIDTH[spec] - sum(map(len, cards))) // streets // len(LETTERS)
    for row, key in enumerate(game.keys):
        held, betting = key.split(":")
        wanted: list[int] = []
        for street, kinds in enumerate(cards):
            wanted += [int(held.split("/")[street : street + 1] == [kind]) for kind in kinds]
        for street in range(streets):
            text = "".join(betting.split("/")[street : street + 1])
            wanted += [int(letter == own) for letter in text.ljust(moves) for own in LETTERS]
        assert bits[row].tolist() == wanted, key


def test_one_row_of_leduc_by_hand() -> None:
    game = built("leduc")
    (row,) = game.rows("Q/K:crc/r")
    wanted = [0, 0, 1, 0, 1, 0]  # of J, K, Q: a queen, and a king on the board
    wanted += [0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]  # check, raise, call
    wanted += [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]  # raise
    assert row_features(game)[row].tolist() == wanted


def test_other_games() -> None:
    np.testing.assert_array_equal(row_features(built("rps")), np.ones((2, 1)))
    with pytest.raises(sc.UsageError, match="networks learn games whose deals can be listed"):
        row_features(built(TINY))


# CardEncoder, where deals are sampled


def observation_at(game: sc.Game, betting: str, cards: str) -> np.ndarray:
    """An observation."""
    held = game.rules.deck.parse(cards)
    return np.array([[game.reach(betting), *held, *[-1] * (7 - len(held))]], np.int32)


def test_one_observation_of_limit_holdem_by_hand() -> None:
    """Blinds of 5 and 10, bets of 10, and 4 raises a street: the largest pot is 480."""
    game = built("limit-holdem")
    encoder = CardEncoder(game)
    (features,) = encoder.encode(observation_at(game, "crc/r", "2cAs3d3hKs")).features
    deck, moves = 52, 3 * (5 + 3 * 6)  # the blind counts as a raise
    assert features.shape == (4 * deck + moves + 4,) == (encoder.features.shape[1],)
    bits = [np.flatnonzero(features[start : start + deck]).tolist() for start in range(0, 4 * deck, deck)]
    assert bits == [sorted(game.rules.deck.parse(cards)) for cards in ("2cAs", "3d3hKs", "", "")]
    wanted = [0, 1, 0, 0, 0, 1, 0, 1, 0, *[0] * 6]  # call, raise, call
    wanted += [0, 0, 1, *[0] * 15]  # raise
    assert features[4 * deck : -4].tolist() == wanted + [0] * 36
    np.testing.assert_allclose(features[-4:] * 480, [50, 10, 480 - 20, 480 - 30])
    assert encoder.legal[encoder.encode(observation_at(game, "crc/r", "2cAs3d3hKs")).node].tolist() == [[True, True, True]]


def test_chips_are_parts_of_the_stack() -> None:
    game = built("no-limit-holdem")
    encoder = CardEncoder(game)
    node = next(int(node) for node in game.tree.decisions if game.tree.paid[node].tolist() == [100, 10])
    observations = np.full((1, 8), -1, np.int32)
    observations[0, :3] = node, 3, 4
    features = encoder.encode(observations).features[0]
    assert game.rules.stack == encoder.scale == 100
    np.testing.assert_allclose(features[-4:], [1.1, 0.9, 0.9, 0.0], atol=1e-7)


@pytest.mark.parametrize("spec", ["limit-holdem", "no-limit-holdem", TINY])
def test_moves_that_are_shown_lead_to_the_node(spec: str) -> None:
    """Taking them from the root, one after the other, while there are any: so no two nodes look alike."""
    game = built(spec)
    encoder, tree, slots = CardEncoder(game), game.tree, len(game.actions)
    observations = np.full((len(tree.decisions), 8), -1, np.int32)
    observations[:, 0] = tree.decisions
    moves = encoder.encode(observations).features[:, 4 * game.rules.deck.size : -4].reshape(len(observations), -1, slots)
    assert moves.sum(axis=2).max() == 1
    # places among all moves, by street, and how many of them each street has: the most that one node shows, and one for its end
    number, longest = np.zeros(tree.nodes, np.int64), [0] * 4
    for node in range(1, tree.nodes):
        above = tree.parent[node]
        number[node] = number[above] + 1 if tree.round[node] == tree.round[above] else 0
        longest[tree.round[above]] = max(longest[tree.round[above]], number[above] + 1)
    assert moves.shape[1] == sum(longest)
    starts = np.cumsum([0, *longest])
    for node, features in zip(tree.decisions, moves, strict=True):
        at, taken = 0, 0
        while (place := features[starts[tree.round[at]] + number[at]]).any():
            at, taken = tree.child[at, place.argmax()], taken + 1
        assert at == node
        assert taken == features.sum()


def test_different_observations_look_different() -> None:
    """Of batches of hands as they are played, with what each seat may see and nothing else."""
    game = built(TINY)
    encoder, observations = CardEncoder(game), list[np.ndarray]()
    batch = Batch(
        game.walk, encoder.deal, count=200, private=encoder.private, moves=game.depth, width=encoder.width, dtype=encoder.dtype,
        generators=seeded(1, 2),
    )  # fmt: skip
    for _ in range(30):
        batch.begin()
        batch.list_movers()
        encoder.observe(batch.walk, batch.hands, batch.observations)
        hands, place = batch.hands, np.arange(len(batch))
        street = game.tree.round[hands.node]
        np.testing.assert_array_equal(batch.observations[:, 0], hands.node)
        visible = np.arange(7) < np.array([2, 5, 6, 7])[street][:, None]
        own = hands.dealt[place, game.tree.player[hands.node]]
        np.testing.assert_array_equal(batch.observations[:, 1:], np.where(visible, own, -1))
        observations.append(batch.observations.copy())
        batch.advance(batch.legal.astype(np.float64))
    observed = np.concatenate(observations)
    assert set(game.tree.round[observed[:, 0]]) == {0, 1, 2, 3}
    inputs = encoder.encode(observed).features
    assert inputs.dtype == np.float32
    assert len(np.unique(inputs, axis=0)) == len(np.unique(observed, axis=0)) > 3000
    shaped = encoder.encode(observed.reshape(30, 2, 100, 8))
    np.testing.assert_array_equal(shaped.features.reshape(inputs.shape), inputs)
    np.testing.assert_array_equal(shaped.node.reshape(-1), observed[:, 0])


@pytest.mark.parametrize("spec", [TINY, "limit-holdem"])
def test_cards_are_dealt_as_buckets_are(spec: str) -> None:
    """The same hands by the same generator, in whose buckets they are; compared alike."""
    game, count = built(spec), 600
    encoder, generator = CardEncoder(game), seeded(4)[0]
    bucket, dealt = (np.zeros((count, 2, things), np.int32) for things in (4, 7))
    outcome, again = np.zeros(count, np.uint32), np.zeros(count, np.uint32)
    other = generator.copy()
    dealing(game)(bucket, outcome, other)
    encoder.deal(dealt, again, generator)
    np.testing.assert_array_equal(outcome, again)
    np.testing.assert_array_equal(generator, other)
    assert (np.diff(dealt[..., :2]) > 0).all()
    assert (np.diff(dealt[..., 2:5]) > 0).all()
    assert (dealt[:, 0, 2:] == dealt[:, 1, 2:]).all()
    for deal, seat in np.ndindex(count // 10, 2):
        hole, board = tuple(map(int, dealt[deal, seat, :2])), tuple(map(int, dealt[deal, seat, 2:]))
        boards = [(), board[:3], board[3:4], board[4:]]
        assert len({*hole, *board}) == 7
        found = [game.abstraction.bucket(hole, boards[: street + 1]) for street in range(4)]
        assert found == bucket[deal, seat].tolist()


def test_hands_stand_for_their_buckets() -> None:
    game = built(TINY)
    for street, hands in enumerate(CardEncoder(game).hands):
        assert hands.shape == (game.buckets[street], SAMPLES, 7)
        assert (hands[..., 2 + (street + 2 if street else 0) :] == -1).all()
        nearest = []
        for bucket in range(len(hands)):
            named = set()
            for hand in hands[bucket].tolist():
                boards = [(), tuple(hand[2:5]), (hand[5],), (hand[6],)][: street + 1]
                named.add(game.abstraction.bucket(tuple(hand[:2]), boards))
            assert len(named) == 1
            nearest.append(named.pop())
        filled = sorted(set(nearest))
        assert len(filled) > 0.7 * len(nearest)
        assert all(abs(own - bucket) == min(abs(known - bucket) for known in filled) for bucket, own in enumerate(nearest))
        if street:
            assert len(np.unique(hands[filled[len(filled) // 2]], axis=0)) == SAMPLES, "a frequent bucket has hands enough"
