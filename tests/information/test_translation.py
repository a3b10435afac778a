"""Real betting walked together with the tree of a bet menu."""

from __future__ import annotations

import gc
import time
from dataclasses import replace
from fractions import Fraction
from random import Random
from weakref import ref

import pytest

import smoothcall as sc
from smoothcall.games.betting import Betting, IllegalMove
from smoothcall.games.catalog import KUHN, LEDUC, NO_LIMIT_HOLDEM, RPS, rules
from smoothcall.games.rules import PokerRules
from smoothcall.information.translation import moves_like, node_like, row_like, same_table
from tests.conftest import built
from tests.games.random_hands import random_letter

THREE = rules("no-limit-holdem", seats=3, stack=60, menu="1/2+pot+all-in")


def like(game: sc.Game, betting: str) -> str | None:
    node = node_like(game, betting)
    return None if node is None else game.tree.betting(node)


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", ["kuhn", "kuhn-3p", "leduc", "leduc-3p"])
def test_limit_games_are_what_they_are(spec: str) -> None:
    game = built(spec)
    for node in game.tree.decisions:
        betting = game.tree.betting(int(node))
        assert node_like(game, betting) == game.reach(betting) == node
        children = game.tree.children(int(node))
        assert [letter for letter in moves_like(game, betting) if letter] == list(children)


def test_three_player_limit_holdem_needs_a_walk_only() -> None:
    game = built("leduc-3p")
    assert like(game, "crc") == "crc"
    with pytest.raises(IllegalMove, match="raise: not allowed now"):
        node_like(game, "rrr")


def test_raises_that_are_not_listed_go_on_at_the_most_similar_node() -> None:
    """By hand: `2/1/1/1` lists one raise after the flop, so a second one is translated by the chips in the hand."""
    game = built("limit-holdem-3p:raises=2/1/1/1,grid=2/2/2")
    assert like(game, "ccc/rr") == "ccc/rc", "20, 30 and 10 chips: 20, 20 and 10 are nearer than 10, 20 and 10 after ccc/cr"
    assert like(game, "ccc/rrr") == "rcc/crc", "20, 30 and 40 chips: only the 40 are not to be had, 30 are"
    with pytest.raises(IllegalMove, match="raise: not allowed now"):
        node_like(game, "ccc/rrrrr")
    assert moves_like(game, "rrr") == ("f", "c", None), "two raises are listed before the flop, three are legal"


def test_unlisted_raises_keep_street_player_and_players_in_the_hand() -> None:
    """In random hands of the whole game, in which most raise."""
    game = built("limit-holdem-3p:raises=2/1/1/1,grid=2/2/2")
    tree, random, unlisted = game.tree, Random(3), 0
    for _ in range(150):
        state = Betting(rules("limit-holdem-3p"))
        while not state.finished:
            node = node_like(game, state.text)
            assert node is not None, state.text
            assert (tree.player[node], tree.round[node]) == (state.player, state.street)
            assert tree.alive[node] == sum(1 << seat for seat in range(3) if state.alive[seat])
            paid = tree.paid[node].tolist()
            assert (max(paid) > paid[state.player]) == (state.to_call > 0), state.text
            known = tree.betting(node)
            unlisted += known != state.text
            legal = {letter for letter in state.slots if letter}
            assert {letter for letter in moves_like(game, state.text) if letter} <= legal
            state.play("r" if state.can_raise() and random.random() < 0.5 else random.choice(sorted(legal)))
    assert unlisted > 500


def test_amounts_of_the_menu_stand_for_themselves() -> None:
    game = built("no-limit-holdem")
    nodes = Random(1).sample(game.tree.decisions.tolist(), 300)
    for node in [0, *nodes]:
        betting = game.tree.betting(node)
        assert node_like(game, betting) == node
        assert [letter for letter in moves_like(game, betting) if letter] == list(game.tree.children(node))


def test_the_nearer_raise_by_the_pseudo_harmonic_measure() -> None:
    """Half-way between shares A and B of the pot is (A + B + 2AB) / (A + B + 2) (Ganzfried and Sandholm 2013): 5/7 here."""
    game = built("no-limit-holdem")
    middle = 10 + Fraction(5, 7) * 20  # the small blind calls 5, then the pot is 20
    for total in range(20, 49):
        assert like(game, f"r{total}") == ("r20" if total <= middle else "r30")
    assert like(game, "r25r75") == "r30r90"  # by 50 into a pot of 50: the pot, which is 60 in the tree


def test_all_in_is_all_in() -> None:
    game = built("no-limit-holdem")
    assert like(game, "r100") == "r100"
    assert moves_like(game, "r100") == ("f", "c", None, None, None)
    assert like(game, "r47r100") == "r30r100"
    assert like(game, "r90") == "r100"  # 10 would be left with 180 in the pot
    assert moves_like(game, "r90") == ("f", "r100", None, None, None)  # who calls for everything goes all in
    deep = built("no-limit-holdem:stack=400,menu=pot+all-in,grid=2/2/2")
    assert like(deep, "r110") == "r30"  # 290 would be left with 220 in the pot: not all-in, though nearer to it
    assert like(deep, "r390") == "r400"
    assert like(deep, "r400") == "r400"
    only = built("no-limit-holdem:menu=all-in,grid=2/2/2")
    assert like(only, "r20") == "r100"  # nothing else is there


def test_a_line_of_the_tree_that_has_ended() -> None:
    game = built("no-limit-holdem")
    assert like(game, "r90c/") is None
    assert like(game, "r90c/cc/") is None
    assert set(moves_like(game, "r90c/")) == {None}
    assert like(game, "f") is None  # and a hand that is over
    assert like(game, "r100c///") is None


def test_raises_are_made_as_shares_of_the_real_pot() -> None:
    game = built("no-limit-holdem")
    assert like(game, "r26c/") == "r30c/"
    assert moves_like(game, "r26c/") == (None, "c", "r52", "r78", "r100")
    deal = game.rules.deck.parse  # type: ignore[union-attr]
    boards = [(), deal("Td9d2c")]
    row = row_like(game, deal("AhKh"), boards, "r26c/")
    assert row == game.row_of(deal("AhKh"), boards, "r30c/")


@pytest.mark.parametrize("table", [NO_LIMIT_HOLDEM, replace(NO_LIMIT_HOLDEM, stack=300), THREE], ids=["10", "30", "three"])
def test_every_move_it_names_can_be_made(table: PokerRules) -> None:
    """Also: two players, one of whom makes only such moves, never leave the tree where that one acts."""
    game = sc.Game(table, grid="2/2/2")
    random = Random(2)
    for number in range(400):
        state, agent = Betting(table), number % table.seats
        while state.player is not None:
            node, moves = node_like(game, state.text), moves_like(game, state.text)
            assert table.seats > 2 or state.player != agent or node is not None, state.text
            legal = [letter for letter in moves if letter is not None]
            if node is not None:
                assert game.tree.player[node] == state.player
                assert game.tree.round[node] == state.street
                assert legal
            for letter in legal:
                state.copy().play(letter)
            letter = random.choice(legal) if state.player == agent and legal else random_letter(state, random)
            state.play(letter)


def test_what_cannot_occur() -> None:
    game = built("no-limit-holdem")
    for betting in ["r5", "x", "cc", "c/c", "r20/", "ccc"]:
        with pytest.raises(sc.UsageError, match=r"betting|raise|hand|move"):
            node_like(game, betting)
    with pytest.raises(sc.UsageError, match="rps has no betting"):
        node_like(built("rps"), "")


def test_it_is_fast_and_forgets() -> None:
    game = sc.Game(NO_LIMIT_HOLDEM, grid="2/2/2")
    random, texts = Random(3), []
    for _ in range(400):
        state = Betting(game.rules)  # type: ignore[arg-type]
        while not state.finished:
            texts.append(state.text)
            state.play(random_letter(state, random))
    node_like(game, "")
    started = time.process_time()
    for text in texts:
        node_like(game, text)
    assert (time.process_time() - started) / len(texts) < 500e-6  # 40 us on a slow core
    gone = ref(game)
    del game
    gc.collect()
    assert gone() is None


def test_same_table() -> None:
    assert same_table(NO_LIMIT_HOLDEM, replace(NO_LIMIT_HOLDEM, menu=None))
    assert same_table(LEDUC, LEDUC)
    assert not same_table(NO_LIMIT_HOLDEM, replace(NO_LIMIT_HOLDEM, stack=200))
    assert not same_table(KUHN, LEDUC)
    assert same_table(RPS, RPS)
    assert not same_table(RPS, KUHN)
