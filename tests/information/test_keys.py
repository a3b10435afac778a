"""Keys of games whose cards are seen through buckets: cards, classes and numbers, and everything that is none."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest

import smoothcall as sc
from tests.conftest import TINY, built

GAME = "limit-holdem"


def test_three_ways_to_name_a_state() -> None:
    game = built(GAME)
    of = game.abstraction
    assert of is not None
    before = game.tree.first_row[game.reach("r")]
    assert game.rows("AKs:r") == game.rows("AhKh:r") == game.rows("KdAd:r") == [before + of.classes.index("AKs")]
    assert game.rows("AKo:r") == game.rows("AhKd:r") != game.rows("AKs:r")
    hole, flop, turn, river = (of.deck.parse(text) for text in ("AhKh", "Td9d2c", "5s", "Qh"))
    texts = ("AhKh:", "AhKh/Td9d2c:rc/", "AhKh/Td9d2c/5s:rc/cc/", "AhKh/Td9d2c/5s/Qh:rc/cc/cc/")
    boards = [(), flop, turn, river]
    for street, text in enumerate(texts):
        betting, bucket = text.partition(":")[2], of.bucket(hole, boards[: street + 1])
        node = game.reach(betting)
        assert game.rows(text) == [game.tree.first_row[node] + bucket]
        assert game.row_of(hole, boards[: street + 1], betting) == game.rows(text)[0]
        assert game.key(game.rows(text)[0]) == (f"#{bucket}:{betting}" if street else f"AKs:{betting}")
        assert game.rows(game.key(game.rows(text)[0])) == game.rows(text)
    assert game.rows("#17:rc/") == [game.tree.first_row[game.reach("rc/")] + 17]
    assert game.rows("AhKh/2c9dTd:rc/") == game.rows("KhAh/Td9d2c:rc/") == game.rows("AsKs/Tc9c2d:rc/")


def test_amounts_are_part_of_no_limit_keys() -> None:
    game = built(TINY)
    row = game.rows("AA:r1500")[0]
    assert game.key(row) == "AA:r1500"
    called = 1500 + 1500  # in the pot after a call; the raise is as much
    assert set(sc.Policy.uniform(game).probabilities("AA:r1500")) == {"f", "c", f"r{1500 + called}"}
    with pytest.raises(sc.UsageError, match=r"no 'r1501' there in .*accepted: c, r1500"):
        game.rows("AA:r1501")
    with pytest.raises(sc.UsageError, match="no 'r' there"):
        game.rows("AA:r")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("AKs", "key 'AKs' cannot occur in limit-holdem"),
        ("", "key '' cannot occur in limit-holdem"),
        ("AhAh:r", "a card stands twice"),
        ("AhKh/AhKd2c:rc/", "a card stands twice"),
        ("AhKh/Td9dTd:rc/", "a card stands twice"),
        ("AhKh:rc/", "are not the cards of street 2"),
        ("AhKh/Td9d2c:r", "are not the cards of street 1"),
        ("AhKh/Td9d2c/5s:rc/", "are not the cards of street 2"),
        ("AhKh/Td9d:rc/", "are not the cards of street 2"),
        ("AhKh/Td9d2c5s:rc/cc/", "are not the cards of street 3"),
        ("AhKhQh:r", "are not the cards of street 1"),
        ("Ah:r", "are not the cards of street 1"),
        (":r", "are not the cards of street 1"),
        ("AKx:r", "unknown card"),
        ("KAs:r", "unknown card"),
        ("AAs:r", "unknown card"),
        ("1h2h:r", "unknown card"),
        ("AKs:rc/", "'AKs' is not a bucket of street 2"),
        ("#17:r", "'#17' is not a bucket of street 1"),
        ("#100:rc/", "'#100' is not a bucket of street 2"),
        ("#-1:rc/", "'#-1' is not a bucket of street 2"),
        ("#x:rc/", "unknown card"),
        ("#:rc/", "unknown card"),
        ("AKs:rc", "does not lead to a decision"),
        ("#17:r/c", "does not lead to a decision"),
        ("#17:rc//", "does not lead to a decision"),
        ("AKs:f", "does not lead to a decision"),
        ("AKs:ff", "no 'f' there in limit-holdem (accepted: none)"),
        ("AKs:rrrr", "no 'r' there in limit-holdem (accepted: f, c)"),
        ("AKs:x", "'x' is not a betting sequence"),
        ("AKs:r?", "is not a betting sequence"),
        ("AKs:r r", "is not a betting sequence"),
        ("AKs:r20", "no 'r20' there"),
        ("AKs::r", "is not a betting sequence"),
    ],
)
def test_keys_that_cannot_occur(key: str, message: str) -> None:
    with pytest.raises(sc.UsageError) as caught:
        built(GAME).rows(key)
    assert message in str(caught.value)


def test_keys_of_other_players() -> None:
    game = built(GAME)
    assert game.rows("AKs:", 0)
    with pytest.raises(sc.UsageError, match="player 1 has no information state 'AKs:'"):
        game.rows("AKs:", 1)
    with pytest.raises(sc.UsageError, match="player 2"):
        game.rows("AKs:", 2)


def test_a_deck_has_only_its_cards() -> None:
    with pytest.raises(sc.UsageError, match="unknown card '2c'"):
        built(TINY).rows("AhKh/Td9d2c:cc/")
    assert built(TINY).rows("AhKh/Td9d7c:cc/")


@pytest.mark.parametrize(
    ("name", "hole", "boards", "betting", "message"),
    [
        (GAME, "AhKh", ["", "Td9d2c"], "r", "'AhKh/Td9d2c' are not the cards of street 1"),
        (GAME, "AhKh", [""], "rc/", "'AhKh' are not the cards of street 2"),
        (GAME, "AhKh", ["", "Td9d2c", "5s"], "rc/", "'AhKh/Td9d2c/5s' are not the cards of street 2"),
        (GAME, "AhKh", ["", "Td9d"], "rc/", "'AhKh/Td9d' are not the cards of street 2"),
        (GAME, "AhKhQh", [""], "", "'AhKhQh' are not the cards of street 1"),
        (GAME, "AhKh", ["", "AhTd9d"], "rc/", "a card stands twice"),
        ("leduc", "Kh", ["", "Qs"], "c", "'Kh/Qs' are not the cards of street 1"),
        ("leduc", "Kh", [""], "cc/", "'Kh' are not the cards of street 2"),
        ("leduc", "Kh", ["Qs"], "cc/", "'Kh/Qs' are not the cards of street 2"),
        ("leduc", "Kh", ["", "Kh"], "cc/", "a card stands twice"),
    ],
)
def test_cards_must_be_those_of_the_street(name: str, hole: str, boards: list[str], betting: str, message: str) -> None:
    game = built(name)
    parse = game.rules.deck.parse  # type: ignore[union-attr]
    with pytest.raises(sc.UsageError) as caught:
        game.row_of(parse(hole), [parse(board) for board in boards], betting)
    assert message in str(caught.value)


def test_cards_must_be_of_the_deck() -> None:
    for name, hole in ((GAME, (0, 52)), (GAME, (-1, 3)), ("leduc", (6,))):
        with pytest.raises(sc.UsageError, match="accepted: 0 to"):
            built(name).row_of(hole, [()], "")


def test_the_node_of_a_row_is_found_without_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    game = built(GAME)
    row = game.rows("#17:rc/")[0]
    node = game.node_of(row)

    def sort(*_: object, **__: object) -> None:
        raise AssertionError("all decisions are looked through again")

    for name in ("unique", "sort", "flatnonzero"):
        monkeypatch.setattr(np, name, sort)
    assert game.node_of(row) == node == game.reach("rc/")


def test_a_game_is_freed_without_the_garbage_collector() -> None:
    """A game holds its keys, and these find rows in it: servers that drop large games cannot wait for a collection."""
    played = sc.game("leduc")
    assert played.rows("K:") == [played.keys.index("K:")]
    freed = ref(played)
    gc.disable()
    try:
        del played
        assert freed() is None
    finally:
        gc.enable()
