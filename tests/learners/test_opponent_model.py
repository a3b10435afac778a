"""Networks learn what the other's cards are from images; how good models are, by formulas worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from smoothcall.agents.opponent_models import CLASSES, Examples
from smoothcall.kernels.simulation.observations import BEFORE_STREET, CARD, CARD_OBSERVATION, LAST, STREET
from smoothcall.kernels.tables import CHECKED, RAISED, Array

pytest.importorskip("jax")
from smoothcall.learners.opponent_model import fit_network, quality


class Thinks:
    def __init__(self, *likely: float) -> None:
        self.said = likely

    def probabilities(self, observations: Array) -> Array:
        return np.tile(self.said, (len(observations), 1))


def made(cards: list[int], hand: list[int] | None = None) -> Examples:
    observations = np.zeros((len(cards), CARD_OBSERVATION), np.float32)
    observations[:, CARD:], observations[:, BEFORE_STREET], observations[:, STREET] = -1, -1, 1
    return Examples(observations, np.array(cards), np.array(hand or range(len(cards))))


def test_quality_by_hand() -> None:
    known, held_out = made([0, 0, 0, 4]), made([4, 4, 0, 1], [0, 0, 1, 2])
    found = quality(Thinks(0.2, 0.1, 0.1, 0.1, 0.5), known, held_out)
    assert (found.decisions, found.accuracy, found.base_rate, found.margin) == (4, 0.5, 0.25, 0.25)
    assert found.log_loss == pytest.approx(-np.log([0.5, 0.5, 0.2, 0.1]).mean())
    base = np.array([4, 1, 1, 1, 2]) / 9  # each class counted once more
    assert found.base_log_loss == pytest.approx(-np.log(base[[4, 4, 0, 1]]).mean())
    assert found.gain == pytest.approx(found.base_log_loss - found.log_loss)
    apart = np.array([0.75 + 0.75, -1.25, -0.25])  # from the mean of the differences 1, 1, -1, 0, by hand
    assert found.half_width == pytest.approx(1.96 * np.sqrt((apart**2).sum()) / 4)
    assert "+25.00%" in str(found)


@pytest.mark.parametrize(("epochs", "rate", "gain"), [(8, 0.01, 0.1), pytest.param(15, 0.005, 0.3, marks=pytest.mark.long)])
def test_a_network_learns_to_read_a_raise(epochs: int, rate: float, gain: float) -> None:
    """Who raised has class 4, who checked class 1."""
    draws = np.random.default_rng(3)
    raised = draws.random(1024) < 0.5
    known = made(np.where(raised, 4, 1).tolist())
    known.observations[:, LAST] = np.where(raised, RAISED, CHECKED)
    model = fit_network(known, seed=1, epochs=epochs, rate=rate, channels=(8, 8, 8, 8), dense=16)
    likely = model.probabilities(known.observations)
    assert likely.shape == (1024, CLASSES)
    assert (likely.argmax(axis=1) == known.cards).all()
    assert quality(model, known, known).gain > gain
