"""The paper's histories and strategy files: its own examples, and round trips over every hand and every state."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.games.catalog import LEDUC
from smoothcall.games.hand import Hand
from smoothcall.interop.macmanus2019 import (
    from_hand,
    history_of,
    information,
    key_of,
    parse,
    read_strategy,
    to_hand,
    write_strategy,
)
from tests.conftest import NO_CHECKS, built

APART = "leduc:suits=apart"
# Some lines of Deterministic_10000000_self-play.json, which the author of macmanus2019 published as one of four strategies at
# github.com/JamieMac96/leduc-holdem-using-pomcp (commit 3272082): histories of player 1 and the move there.
EXCERPT = {
    "-1Ahb": "r", "-1AhbcAsb": "r", "-1AhbrcQsb": "f", "-1KhbcKsb": "r", "-1QsbcKhb": "f", "1Ah": "b", "1AhbcKsbr": "f",
    "1AsbrcKh": "f", "1Khbr": "c", "1KhbcAh": "b", "1KhbcAs": "f", "1QhbrcQsbr": "c",
}  # fmt: skip


def test_the_papers_examples() -> None:
    whole = parse("1AhQhbcKsbrc")
    assert str(whole) == "1AhQhbcKsbrc"
    assert whole.betting == "rc/rrc"
    assert whole.player is None
    assert str(information(parse("1AhQhbc"), 1)) == "1Ahbc", "the information function of its section 3.1.1"
    assert str(information(parse("1AhQhbc"), -1)) == "1Qhbc"
    assert parse("1AhQhbc").player == 0, "the dealer's turn"
    assert key_of("-1AhbcKsb") == "Kh/Qs:rc/r"
    assert parse("-1AhbcKsb").player == 1
    assert parse("1AhQh").player == 1
    assert parse("-1AhQh").player == -1
    hand = to_hand(whole)
    assert hand.outcome is not None
    assert [int(payoff) for payoff in hand.outcome.payoffs] == [11, -11], "aces beat queens: 1 + 2 + 8 chips"


def test_every_random_hand_round_trips() -> None:
    random = Random(3)
    for number in range(500):
        hand = Hand(LEDUC)
        hand.deal_random(random)
        first = random.choice([1, -1])
        while not hand.finished:
            moves = [move for move, can in (("f", hand.can_fold()), ("c", True), ("r", hand.can_raise())) if can]
            hand.play(random.choice(moves))
            hand.deal_random(random)
            if random.random() < 0.1:
                break
        text = str(from_hand(hand, first))
        history = parse(text)
        assert str(history) == text
        assert to_hand(history).records == hand.records, (number, text)


def test_keys_and_histories_are_one_to_one() -> None:
    game = built(APART)
    for player in (1, -1):
        for key in game.information_states():
            history = history_of(key, player)
            assert key_of(history) == key
            assert parse(history).player == player


@pytest.mark.parametrize("player", [1, -1])
def test_strategies_round_trip(player: int, tmp_path: Path) -> None:
    game = built(APART)
    policy = sc.Policy.from_weights(game, np.random.default_rng(2).random(game.legal.shape))
    write_strategy(policy, tmp_path / "strategy.json", player)
    again = read_strategy(tmp_path / "strategy.json", game, player)
    np.testing.assert_allclose(again.table, policy.table, atol=1e-12)
    assert sc.nash_conv(game, again) == pytest.approx(sc.nash_conv(game, policy))


def test_one_move_instead_of_probabilities(tmp_path: Path) -> None:
    game, path = built(APART), tmp_path / "strategy.json"
    path.write_text(json.dumps({"1Ah": "b", "-1Ahb": {"f": 0.25, "c": 0.25, "r": 0.5}}))
    policy = read_strategy(path, game)
    assert policy.probabilities("Kh:") == {"c": 0.0, "r": 1.0}
    assert policy.probabilities("Kh:r") == {"f": 0.25, "c": 0.25, "r": 0.5}
    assert policy.probabilities("Ks:") == {"c": 0.5, "r": 0.5}, "what is not named is uniform"
    assert sc.nash_conv(game, policy) > 0


def test_the_authors_strategies(tmp_path: Path) -> None:
    """They are of the variant without checks: who opens a round bets or folds, and suits decide showdowns."""
    path = tmp_path / "strategy.json"
    path.write_text(json.dumps(EXCERPT, indent=4, sort_keys=True))
    policy = read_strategy(path)
    assert policy.game.spec == NO_CHECKS
    assert policy.game.fingerprint == built(NO_CHECKS).fingerprint
    assert len(policy.game.information_states()) == 198, "as many as a whole file has"
    moves = {text: policy.probabilities(key_of(text, policy.game.rules)) for text in EXCERPT}
    assert moves["1Ah"] == {"f": 0.0, "r": 1.0}
    assert moves["1KhbcAs"] == {"f": 1.0, "r": 0.0}
    assert moves["-1AhbrcQsb"] == {"f": 1.0, "c": 0.0, "r": 0.0}
    assert {text: max(found, key=found.__getitem__) for text, found in moves.items()} == {
        text: "r" if move in "br" else move for text, move in EXCERPT.items()
    }
    assert policy.probabilities("Ks:") == {"f": 0.5, "r": 0.5}, "what is not named is uniform"
    assert read_strategy(path, built(NO_CHECKS)).table.tolist() == policy.table.tolist()
    assert (
        read_strategy(path, built("leduc:opening=bet-or-fold,suits=apart")).game.spec == "leduc:opening=bet-or-fold,suits=apart"
    )
    with pytest.raises(sc.UsageError, match=r"'f' is not allowed|unknown action"):
        read_strategy(path, built(APART))


def test_strategies_of_the_variant_round_trip(tmp_path: Path) -> None:
    game = built(NO_CHECKS)
    policy = sc.Policy.from_weights(game, np.random.default_rng(4).random(game.legal.shape))
    write_strategy(policy, tmp_path / "strategy.json")
    given = json.loads((tmp_path / "strategy.json").read_text())
    assert (len(given), set(given["1Ah"]), set(given["-1Ahb"]), set(given["1Ahbr"])) == (198, set("bf"), set("cfr"), set("cf"))
    again = read_strategy(tmp_path / "strategy.json")
    np.testing.assert_allclose(again.table, policy.table, atol=1e-12)
    assert sc.nash_conv(again.game, again) == pytest.approx(sc.nash_conv(game, policy))


def test_histories_of_the_variant() -> None:
    rules = built(NO_CHECKS).rules
    folded = parse("1AhQhf", rules)
    assert (folded.player, folded.betting, str(folded)) == (None, "f", "1AhQhf")
    hand = to_hand(parse("1KhQhbcAhbc", rules))
    assert hand.outcome is not None
    assert [int(payoff) for payoff in hand.outcome.payoffs] == [7, -7], "AK suited beats AQ suited: 1 + 2 + 4 chips"
    assert str(from_hand(hand)) == "1KhQhbcAhbc"
    with pytest.raises(sc.UsageError, match="'c' is not allowed"):
        parse("1AhQhc", rules)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2AhQh", "is not a history"),
        ("1AhAh", "is dealt twice"),
        ("1AhQhbcAhb", "the public card Ah cannot come here"),
        ("1AhQhrc", "'r' where 'b' is meant"),
        ("1AhQhf", "'f' is not allowed"),
        ("1AhQhbfc", "comes after the end of its round"),
        ("1AhQhbKs", "the public card Ks cannot come here"),
        ("1JhQh", "is not a history"),
        ("", "is not a history"),
    ],
)
def test_wrong_histories(text: str, message: str) -> None:
    with pytest.raises(sc.UsageError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_wrong_strategies(tmp_path: Path) -> None:
    game, path = built(APART), tmp_path / "strategy.json"
    for given, message in [
        ("[1]", "a JSON dictionary"),
        ("{", "is not a strategy file"),
        ('{"1Ahb": "c"}', "not a history at which player 1 is to move"),
        ('{"1Ah": "x"}', "move 'x'"),
        ('{"1Ah": {"b": 0.4}}', "sum to 0.4"),
        ('{"1Ah": {"b": "half"}}', "accepted: probabilities"),
        ('{"1Ah": 5}', "move 5"),
    ]:
        path.write_text(given)
        with pytest.raises(sc.UsageError) as caught:
            read_strategy(path, game)
        assert message in str(caught.value)
    with pytest.raises(sc.UsageError, match="there is no strategy file"):
        read_strategy(tmp_path / "none.json", game)
    with pytest.raises(sc.UsageError, match="not of leduc"):
        read_strategy(path, built("leduc"))
