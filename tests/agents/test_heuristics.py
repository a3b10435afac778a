"""The generic players of pricope2021, on observations made by hand and against simulated games."""

from __future__ import annotations

import numpy as np
import pytest

from smoothcall.agents import scripted as generic
from smoothcall.agents.batch_wrappers import raise_slots
from smoothcall.agents.scripted import LARGEST, HeuristicMC, MostlyCalls
from smoothcall.errors import UsageError
from smoothcall.kernels.simulation.observations import CARD_OBSERVATION, EQUITY, POT, STACK, TO_CALL
from smoothcall.kernels.tables import CALL, FOLD_SLOT, Array

HALF, WHOLE, ALL_IN = range(CALL + 1, CALL + 4)
EVERY = (CALL, HALF, WHOLE, ALL_IN)


def observation(equity: float = 0.5, *, owed: float = 0.0, legal: tuple[int, ...] = EVERY) -> tuple[Array, Array]:
    """The pot is 0.3, and 0.8 behind."""
    seen, may = np.zeros((1, CARD_OBSERVATION), np.float32), np.zeros((1, 5), bool)
    seen[0, [EQUITY, POT, STACK, TO_CALL]] = equity, 0.3, 0.8, owed
    may[0, list(legal)] = True
    may[0, FOLD_SLOT] = owed > 0
    return seen, may


def probabilities(batch_policy: generic.MostlyCalls | HeuristicMC, *where: float, **more: object) -> Array:
    seen, may = observation(*where, **more)  # type: ignore[arg-type]
    found: Array = batch_policy.probabilities(seen, may)[0]
    assert found.sum() == pytest.approx(1)
    assert found.min() >= 0
    assert not found[~may[0]].any()
    return found


def test_mostly_calls() -> None:
    assert probabilities(MostlyCalls(), owed=0.1).tolist() == pytest.approx([0.2, 0.6, 0.2 / 3, 0.2 / 3, 0.2 / 3])
    assert probabilities(MostlyCalls()).tolist() == pytest.approx([0, 0.8, 0.2 / 3, 0.2 / 3, 0.2 / 3])
    assert probabilities(MostlyCalls(), owed=0.1, legal=(CALL, ALL_IN)).tolist() == pytest.approx([0.2, 0.6, 0, 0, 0.2])
    assert probabilities(MostlyCalls(), owed=0.8, legal=(CALL,)).tolist() == pytest.approx([0.2, 0.8, 0, 0, 0])


def test_what_simulated_games_say_is_binomial() -> None:
    """The same thresholds, applied to drawn numbers of rollouts won."""
    for equity, owed in ((0.3, 0.1), (0.62, 0.3), (0.74, 0.0), (0.88, 0.4), (0.5, 0.3)):
        found = probabilities(HeuristicMC(100), equity, owed=owed)
        won = np.random.default_rng(1).binomial(100, np.float32(equity), 200_000)
        move = np.select([won >= 90, won >= 75, won >= 60], [ALL_IN, WHOLE, HALF], CALL)
        if owed:  # in whole rollouts, so that no rounding decides
            move = np.where(won < {0.1: 25, 0.3: 50, 0.4: 58}[owed], FOLD_SLOT, move)  # 0.4 / 0.7 = 0.571
        sampled = np.bincount(move, minlength=5) / len(move)
        np.testing.assert_allclose(found, sampled, atol=0.005)
        assert sampled.max() < 0.999, "nothing is certain"


def test_many_games_are_sure() -> None:
    batch_policy = HeuristicMC(10_000)
    for equity, owed, slot in ((0.55, 0, CALL), (0.65, 0, HALF), (0.8, 0, WHOLE), (0.95, 0, ALL_IN), (0, 0, CALL),
                                 (1, 0, ALL_IN), (0.2, 0.1, FOLD_SLOT), (0.3, 0.1, CALL),
                                 (0.65, 0.1, HALF), (0, 0.1, FOLD_SLOT)):  # fmt: skip
        assert probabilities(batch_policy, equity, owed=owed)[slot] == pytest.approx(1)
    assert probabilities(batch_policy, 0.8, legal=(CALL, HALF))[HALF] == pytest.approx(1), "the next smaller"
    assert probabilities(batch_policy, 0.65, legal=(CALL, ALL_IN))[ALL_IN] == pytest.approx(1), "the smallest there is"
    assert probabilities(batch_policy, 0.95, owed=0.8, legal=(CALL,))[CALL] == pytest.approx(1)


def test_raises_by_place_in_the_menu_and_by_bets() -> None:
    legal = np.array([[True, True, True, True, True], [True, True, False, True, True], [True, True, False, False, False]])
    assert raise_slots(range(3), 0, legal).tolist() == [HALF, WHOLE, CALL]
    assert raise_slots(range(3), 1, legal).tolist() == [WHOLE, WHOLE, CALL]
    assert raise_slots(range(3), LARGEST, legal).tolist() == [ALL_IN, ALL_IN, CALL]
    assert raise_slots(range(3), np.array([2, 0, 1]), legal).tolist() == [ALL_IN, WHOLE, CALL]
    assert raise_slots((1, 2, 5), 4, legal).tolist() == [WHOLE, WHOLE, CALL]
    assert raise_slots((1, 2, 5), 0, legal).tolist() == [HALF, WHOLE, CALL]


def test_as_data_and_back() -> None:
    for batch_policy in (MostlyCalls(), HeuristicMC(37)):
        about, arrays = generic.to_data(batch_policy)
        assert not arrays
        assert generic.from_data(about, arrays) == batch_policy
    with pytest.raises(UsageError, match="rollouts=0"):
        HeuristicMC(0)
    with pytest.raises(UsageError, match="class of batch policy"):
        generic.from_data({"class": "scripted"}, {})
