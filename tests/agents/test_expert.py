"""The expert's estimates against exact ones, and what it does with them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents import expert
from smoothcall.agents.expert import Expert, pair_class, preflop_table
from smoothcall.agents.opponent_models import CLASSES, NaiveBayes, class_of, count_features, examples
from smoothcall.agents.scripted import MostlyCalls
from smoothcall.errors import UsageError
from smoothcall.evaluation.freezeouts import play_freezeouts
from smoothcall.games.cards import STANDARD
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.equity_table import equity_table
from smoothcall.holdem.evaluator import evaluator
from smoothcall.information.game import Game
from smoothcall.kernels.holdem.evaluator import evaluate_hands
from smoothcall.kernels.simulation.observations import (
    CARD,
    CARD_OBSERVATION,
    EQUITY,
    LAST,
    OBSERVATION,
    POT,
    STACK,
    STREET,
    TO_CALL,
)
from smoothcall.kernels.tables import CALL, FOLD_SLOT, RAISED, Array

SHOWN = (0, 3, 4, 5)


class Thinks:
    """A model that always thinks the same."""

    def __init__(self, *likely: float) -> None:
        self.said = likely

    def probabilities(self, observations: Array) -> Array:
        return np.tile(self.said, (len(observations), 1))


def cards(text: str) -> list[int]:
    return [STANDARD.ranks.index(each[0]) * 4 + "cdhs".index(each[1]) for each in text.split()]


def observation(own: str, board: str = "", *, owed: float = 0.0, last: int = 0, pot: float = 0.4) -> tuple[Array, Array]:
    observations, legal = np.zeros((1, CARD_OBSERVATION), np.float32), np.ones((1, 5), bool)
    known = tuple(sorted(cards(own))), tuple(cards(board))
    observations[0, [POT, STACK, TO_CALL, LAST]] = pot, 0.8, owed, last
    observations[0, STREET], observations[0, EQUITY] = SHOWN.index(len(known[1])), equity_table(STANDARD).of(*known)
    observations[0, CARD:] = -1
    observations[0, CARD : CARD + 2 + len(known[1])] = [*known[0], *known[1]]
    legal[0, FOLD_SLOT] = owed > 0
    return observations, legal


def probabilities(own: str, board: str = "", model: Thinks | None = None, **more: float) -> Array:
    observations, legal = observation(own, board, **more)  # type: ignore[arg-type]
    found: Array = Expert(model).probabilities(observations, legal)[0]
    assert found.sum() == pytest.approx(1)
    assert not found[~legal[0]].any()
    return found


@pytest.fixture(scope="module")
def game() -> Game:
    return sc.game("no-limit-holdem")


@pytest.mark.parametrize(("hands", "mean"), [(600, 0.01), pytest.param(1500, 0.005, marks=pytest.mark.long)])
def test_against_any_cards_the_chance_is_the_position(game: Game, hands: int, mean: float) -> None:
    dealt = examples(game, [MostlyCalls()], hands, 4, together=200, length=1).observations
    chance, strength, _ = Expert().assess(dealt)
    off = chance - dealt[:, EQUITY]
    for street in range(4):
        here = dealt[:, STREET] == street
        assert here.sum() > hands / 25
        assert abs(off[here]).max() < (0.12 if street in (1, 2) else 2e-5)
        assert abs(off[here].mean()) < mean
    assert (strength[dealt[:, STREET] == 3] == chance[dealt[:, STREET] == 3]).all()
    np.testing.assert_array_equal(chance[::-1], Expert().assess(dealt[::-1])[0])


@pytest.mark.parametrize("board", ["2c 7d Jh", "2c 7d Jh Jd", "2c 7d Jh Jd As"])
def test_hand_strength_against_a_weighted_range(board: str) -> None:
    """All hands listed: those of a class are worth what the model says, divided by how many they are."""
    own, table, likely = cards("Js Tc"), cards(board), (0.1, 0.1, 0.2, 0.25, 0.35)
    others = [pair for pair in combinations(range(52), 2) if not set(pair) & {*own, *table}]
    hands = np.array([[*own, *table], *([*pair, *table] for pair in others)], np.uint8)
    made = np.zeros(len(hands), np.uint16)
    evaluate_hands(evaluator(STANDARD), hands, made)
    worth = np.array([equity_table(STANDARD).of(pair, tuple(table)) for pair in others])
    kind = class_of(np.full(len(worth), SHOWN.index(len(table))), worth)
    share = np.bincount(kind, minlength=CLASSES) / len(kind)
    assert share.min() > 0.02
    weight = (np.array(likely) / share)[kind]
    expected = (weight * np.where(made[1:] < made[0], 1.0, np.where(made[1:] == made[0], 0.5, 0.0))).sum() / weight.sum()
    _, strength, _ = Expert(Thinks(*likely)).assess(observation("Js Tc", board)[0])
    assert strength[0] == pytest.approx(expected, abs=2e-3), "equities are rounded: a hand may be across an edge"


def test_potentials() -> None:
    """A flush draw with two overcards gets ahead often, a made hand seldom needs to."""
    _, strength, ahead = Expert().assess(observation("As Ks", "2s 7s Jd")[0])
    assert strength[0] > 0.5
    _, low, draw = Expert().assess(observation("6s 5s", "2s 7s Kd")[0])
    assert low[0] < 0.3
    assert 0.3 < draw[0] < 0.5
    assert not Expert().assess(observation("6s 5s", "2s 7s Kd Jc 9h")[0])[2].any()
    assert ahead[0] > 0.3


def test_first_street_is_looked_up() -> None:
    table = preflop_table()
    assert table.shape == (169, CLASSES)
    one, other = np.array(list(combinations(range(52), 2))).T
    assert np.bincount(pair_class(one, other), minlength=169).tolist() == [
        6 if row == column else 4 if row > column else 12 for row in range(13) for column in range(13)
    ]
    aces, deuce_seven = pair_class(*np.array([cards("As 7d"), cards("Ah 2c")]))
    np.testing.assert_allclose(table[aces], 0.852, atol=0.03)  # the chance of aces against any cards
    assert (np.diff(table[deuce_seven]) < 0).all()
    chance = Expert(Thinks(0, 0, 0, 0, 1)).assess(observation("Ah As")[0])[0]
    assert chance[0] == table[aces, 4]


def test_it_bets_by_the_chance_to_win() -> None:
    assert probabilities("As Ah", "Ac 7d 2h")[CALL + 1 :].sum() > 0.9
    assert probabilities("As Ah", "Ac 7d 2h")[CALL] > 0, "seldom it plays slowly"
    assert probabilities("7c 2d", owed=0.9, last=RAISED)[FOLD_SLOT] == 1
    assert probabilities("7c 2d", "As Kh Qd")[CALL] == pytest.approx(0.95)
    assert 0 < probabilities("7c 2d", "As Kh Qd")[CALL + 1] < 0.1, "and seldom it bluffs"
    assert probabilities("6s 5s", "2s 7s Kd")[CALL + 1] == pytest.approx(0.5), "with draws more often"
    assert probabilities("Js Tc", "2c 7d Jh Kd 4s", owed=0.2, last=RAISED)[FOLD_SLOT] == 0
    assert probabilities("Js Tc", "2c 7d Jh Kd 4s", Thinks(0, 0, 0, 0, 1), owed=0.4, last=RAISED)[FOLD_SLOT] == 1
    assert probabilities("Js Tc", "2c 7d Jh Kd 4s", Thinks(1, 0, 0, 0, 0), owed=0.4, last=RAISED)[FOLD_SLOT] == 0


def test_it_beats_who_mostly_calls(game: Game) -> None:
    assert isinstance(game.rules, PokerRules)
    players = [Expert(), MostlyCalls()]
    result = play_freezeouts(
        game.rules,
        players,
        names=("expert", "mostly"),
        freezeouts=2000,
        length=1,
        seed=1,
        abstraction=game.abstraction,
    )
    assert result.gain.mean - result.gain.half_width() > 5


def test_needs_wide_situations() -> None:
    with pytest.raises(UsageError, match="observations of shape"):
        Expert().probabilities(np.zeros((1, OBSERVATION), np.float32), np.ones((1, 5), bool))


def test_as_data_and_back(game: Game) -> None:
    learned = examples(game, [MostlyCalls()], 500, 4, together=100, length=1)
    legal = np.ones((len(learned.observations), 5), bool)
    for batch_policy in (Expert(), Expert(count_features(learned.observations, learned.cards))):
        about, arrays = expert.to_data(batch_policy)
        again = expert.from_data(about, arrays)
        np.testing.assert_array_equal(
            again.probabilities(learned.observations, legal), batch_policy.probabilities(learned.observations, legal)
        )
        assert isinstance(again.model, NaiveBayes | None)
    with pytest.raises(UsageError, match="class of batch policy"):
        expert.from_data({"class": "scripted"}, {})
