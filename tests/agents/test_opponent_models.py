"""Models of the opponent: what they look at, that counting finds what is there, and that they go to data and back."""

from __future__ import annotations

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents import opponent_models as models
from smoothcall.agents.opponent_models import (
    CLASSES,
    EDGES,
    VALUES,
    BothModels,
    Examples,
    ImageModel,
    NaiveBayes,
    class_of,
    count_features,
    examples,
    features,
)
from smoothcall.errors import UsageError
from smoothcall.games.cards import STANDARD
from smoothcall.holdem.equity_table import PARTS, equity_table
from smoothcall.information.game import Game
from smoothcall.kernels.holdem.dealing import deal_many
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.observations import (
    BEFORE_STREET,
    CARD,
    CARD_OBSERVATION,
    EQUITY,
    LAST,
    LAST_SIZE,
    POT,
    STREET,
    TO_CALL,
)
from smoothcall.kernels.tables import CALL, RAISED, Array


class Honest:
    """Raises the smallest if its equity is above 0.55, else calls; folds never."""

    def probabilities(self, observations: Array, legal: Array) -> Array:
        found = np.zeros(legal.shape)
        raises = (observations[:, EQUITY] > 0.55) & legal[:, CALL + 1]
        found[raises, CALL + 1] = 1
        found[~raises, CALL] = 1
        return found


@pytest.fixture(scope="module")
def game() -> Game:
    return sc.game("no-limit-holdem")


@pytest.fixture(scope="module")
def honest(game: Game) -> Examples:
    return examples(game, [Honest()], 4000, 1, together=200, length=2)


def network() -> ImageModel:
    sampled = np.random.default_rng(2)
    sizes = [(2, 4, 3, 3), (2, 2, 3, 3), (2, 2, 3, 3), (2, 2, 3, 3), (7, 32), (CLASSES, 7)]
    return ImageModel(
        [(sampled.normal(size=each).astype(np.float32), sampled.normal(size=each[0]).astype(np.float32)) for each in sizes]
    )


def test_a_fifth_of_deals_is_in_each_class() -> None:
    dealt, outcome = np.empty((20_000, 2, 4), np.int32), np.empty(20_000, np.uint32)
    deal_many(equity_table(STANDARD).cards(2), dealt, outcome, seeded(8)[0])
    for street in range(4):
        found = class_of(np.full(20_000, street), dealt[:, 0, street] / PARTS)
        np.testing.assert_allclose(
            np.bincount(found, minlength=CLASSES) / len(found), 0.2, atol=0.02 if street == 0 else 0.01
        )  # 169 equities cannot be cut evenly
    assert class_of(np.array([3, 3, 0, 1]), np.array([0, 1, EDGES[0, 1], 0.5])).tolist() == [0, 4, 2, 2]


def test_what_was_hidden_is_found(honest: Examples) -> None:
    """Who is honest has raised with a strong hand: the examples say so of the other one."""
    assert honest.observations.shape == (len(honest.cards), CARD_OBSERVATION)
    assert len(honest.cards) >= 4000
    assert (np.diff(honest.hand) >= 0).all()
    raised = (honest.observations[:, LAST] == RAISED) & (honest.observations[:, STREET] == 0)
    assert raised.sum() > 200
    assert (honest.cards[raised] >= class_of(np.zeros(1), np.array([0.55]))[0]).all()


@pytest.mark.parametrize("street", range(4))
def test_naive_bayes_reads_a_raise(honest: Examples, street: int) -> None:
    model, observations = count_features(honest.observations, honest.cards), honest.observations
    likely = model.probabilities(observations)
    np.testing.assert_allclose(likely.sum(axis=1), 1)
    here = observations[:, STREET] == street
    raised, others = (here & ((observations[:, LAST] == RAISED) == each) for each in (True, False))
    assert likely[raised][:, 3:].sum(axis=1).mean() > 0.3 + likely[others][:, 3:].sum(axis=1).mean()


def test_naive_bayes_counts() -> None:
    """Two observations, observations 6 and 2 times with weak cards and 1 and 3 times with strong ones, by the formula."""
    observations = np.zeros((12, CARD_OBSERVATION), np.float32)
    observations[:, CARD:], observations[:, BEFORE_STREET], observations[:, POT] = -1, -1, 0.3
    other = np.repeat([0, 1, 0, 1], [6, 2, 1, 3])
    observations[other == 1, LAST] = RAISED
    observations[other == 1, LAST_SIZE] = 0.1
    cards = np.repeat([0, 0, 4, 4], [6, 2, 1, 3])
    model = count_features(observations, cards)
    assert (features(observations[:1]) != features(observations[-1:])).sum() == 1, "one feature differs"
    moves = VALUES[0]
    weak = 9 / 17 * (np.array([7, 3]) / (8 + moves)) ** model.trust
    strong = 5 / 17 * (np.array([2, 4]) / (4 + moves)) ** model.trust
    for many in VALUES[1:]:
        weak, strong = weak * (9 / (8 + many)) ** model.trust, strong * (5 / (4 + many)) ** model.trust
    likely = model.probabilities(observations[[0, -1]])
    np.testing.assert_allclose(likely[:, 0] / likely[:, 4], weak / strong, rtol=1e-4)


@pytest.mark.parametrize("kind", ["naive-bayes", "network"])
def test_own_cards_are_not_looked_at(honest: Examples, kind: str) -> None:
    model = network() if kind == "network" else count_features(honest.observations, honest.cards)
    observations = honest.observations[:200]
    hidden = observations.copy()
    hidden[:, CARD : CARD + 2] = observations[::-1, CARD : CARD + 2]
    hidden[:, EQUITY] = 0.5
    np.testing.assert_array_equal(model.probabilities(observations), model.probabilities(hidden))
    other = observations.copy()
    other[:, [LAST, LAST_SIZE, TO_CALL]] = RAISED, 0.2, 0.2
    assert abs(model.probabilities(observations) - model.probabilities(other)).max() > 0.01, "but the betting is"


def test_as_data_and_back(honest: Examples) -> None:
    for model in (count_features(honest.observations, honest.cards), network()):
        about, arrays = models.to_data(model)
        again = models.from_data(about, arrays)
        assert type(again) is type(model)
        np.testing.assert_array_equal(
            again.probabilities(honest.observations[:50]), model.probabilities(honest.observations[:50])
        )
    with pytest.raises(UsageError, match="array 'prior' has the shape"):
        models.from_data({"model": "naive-bayes", "trust": 1.0}, {"prior": np.zeros((4, 4))})
    with pytest.raises(UsageError, match="model of an opponent"):
        models.from_data({"model": "oracle"}, {})
    assert isinstance(count_features(honest.observations[:1], honest.cards[:1]), NaiveBayes)


def test_both_models_are_averaged_and_kept(honest: Examples) -> None:
    naive_bayes = count_features(honest.observations, honest.cards)
    both = BothModels(naive_bayes, network())
    likely = both.probabilities(honest.observations[:50])
    parts = [model.probabilities(honest.observations[:50]) for model in (naive_bayes, network())]
    np.testing.assert_allclose(likely, (parts[0] + parts[1]) / 2)
    assert np.abs(parts[0] - parts[1]).max() > 0.1
    about, arrays = models.to_data(both)
    again = models.from_data(about, arrays)
    assert isinstance(again, BothModels)
    np.testing.assert_array_equal(again.probabilities(honest.observations[:50]), likely)
    with pytest.raises(UsageError, match="a network without the array"):
        models.from_data(about, {name: array for name, array in arrays.items() if name != "weight-0-3"})
