"""The tree unrolled from states is the one that playing every move from every node makes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.games.betting import Betting
from smoothcall.games.catalog import LEDUC, LEDUC_3P, LIMIT_HOLDEM_3P, NO_LIMIT_HOLDEM, holdem_streets
from smoothcall.games.menu import BetMenu
from smoothcall.games.rules import PokerRules, Street
from smoothcall.information.tree import ActionTree, poker_size, poker_tree
from smoothcall.kernels.tables import DECISION, FOLD, SHOWDOWN
from tests.conftest import GOLDEN, INTERPRETED, TINY, built

SHORT_STACKS = replace(LEDUC_3P, name="short", stack=8)
NO_LIMIT_LEDUC = replace(
    LEDUC, name="no-limit-leduc", limit=False, stack=20, menu=BetMenu.parse("min+1/2+pot+all-in"),
    streets=(Street(hole=1, bet=2), Street(board=1, bet=2)),
)  # fmt: skip
THREE_HANDED = replace(
    NO_LIMIT_HOLDEM, name="three", seats=3, stack=40, streets=holdem_streets(3, (10,) * 4), menu=BetMenu.parse("pot+all-in")
)
FEW_RAISES = replace(LIMIT_HOLDEM_3P, name="few-raises", streets=holdem_streets(3, (10, 10, 20, 20), (2, 1, 1, 1)))
ANTES = replace(NO_LIMIT_LEDUC, name="antes", antes=(3, 3), blinds=(1, 2), stack=30, menu=BetMenu.parse("x1+x3"))


def verify(tree: ActionTree, rules: PokerRules) -> None:
    """Walk tree and rules together, move by move."""
    waiting, reached = [(0, Betting(rules))], 0
    while waiting:
        node, state = waiting.pop()
        reached += 1
        assert tree.paid[node].tolist() == state.paid
        assert [bool(tree.alive[node] >> player & 1) for player in range(rules.seats)] == state.alive
        assert tree.round[node] == state.street
        assert tree.betting(node) == state.text
        if state.finished:
            assert tree.kind[node] == (FOLD if sum(state.alive) == 1 else SHOWDOWN)
            assert tree.player[node] == -1
            assert (tree.child[node] == -1).all()
            continue
        assert tree.kind[node] == DECISION
        assert tree.player[node] == state.player
        letters = (["f"] if state.can_fold() else []) + ["c"]
        if rules.menu is not None:
            letters += [f"r{total}" for total in rules.menu.totals(state) if total is not None]
        elif state.can_raise():
            letters.append("r")
        children = tree.children(node)
        assert list(children) == letters
        for letter, child in children.items():
            assert tree.parent[child] == node
            after = state.copy()
            after.play(letter)
            waiting.append((child, after))
    assert reached == tree.nodes


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "spec",
    [
        *("kuhn-3p", "leduc", "leduc-3p", "no-limit-holdem", TINY),
        pytest.param("limit-holdem", marks=[pytest.mark.long] if INTERPRETED else []),
    ],
)
def test_tree_is_that_of_the_rules(spec: str) -> None:
    game = built(spec)
    assert isinstance(game.rules, PokerRules)
    verify(game.tree, game.rules)


@pytest.mark.interpreted
@pytest.mark.parametrize("rules", [SHORT_STACKS, NO_LIMIT_LEDUC, THREE_HANDED, FEW_RAISES, ANTES], ids=lambda rules: rules.name)
def test_tree_is_that_of_other_rules(rules: PokerRules) -> None:
    verify(poker_tree(rules, [1] * len(rules.streets)), rules)


@pytest.mark.interpreted
def test_heads_up_limit_has_the_published_decisions(golden_holdem: dict[str, list[int]]) -> None:
    for spec, buckets in (("limit-holdem", (169, 100, 100, 100)), ("limit-holdem:grid=L", (169, 1000, 500, 200))):
        tree = built(spec).tree
        count = np.bincount(tree.round[tree.decisions]).tolist()
        assert count == golden_holdem["decision_sequences_per_round"] == [8, 70, 630, 5670]
        assert tree.rows == sum(nodes * size for nodes, size in zip(count, buckets, strict=True))


@pytest.fixture(scope="module")
def golden_holdem() -> dict[str, list[int]]:
    found: dict[str, list[int]] = json.loads((GOLDEN / "holdem.json").read_text())["hulhe"]["betting"]
    return found


@pytest.mark.long
def test_three_handed_limit() -> None:
    """The whole of what `few-raises` is a part of: 24 million nodes in seconds; counts by an independent script."""
    game = sc.game("limit-holdem-3p")
    tree = game.tree
    assert np.bincount(tree.round[tree.decisions]).tolist() == [90, 4_412, 205_962, 9_501_342]
    assert tree.rows == 90 * 169 + 4_412 * 1000 + 205_962 * 100 + 9_501_342 * 10 == 120_036_830
    assert tree.levels[-1] == tree.nodes == 23_937_308
    assert isinstance(game.rules, PokerRules)
    assert poker_size(game.rules) == (23_937_308, [90, 4_412, 205_962, 9_501_342])
    random = np.random.default_rng(1)
    for node in random.integers(tree.nodes, size=200).tolist():
        assert tree.child[tree.parent[node], tree.slot[node]] == node
        state = Betting(game.rules)
        for letter in tree.betting(node).replace("/", ""):
            state.play(letter)
        assert (state.text, state.paid, state.finished) == (tree.betting(node), tree.paid[node].tolist(), tree.player[node] < 0)


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", ["leduc", "leduc-3p", "limit-holdem", "no-limit-holdem"])
def test_sizes_are_known_before_the_tree_is_made(spec: str) -> None:
    game = built(spec)
    assert isinstance(game.rules, PokerRules)
    decisions = np.bincount(game.tree.round[game.tree.decisions]).tolist()
    assert poker_size(game.rules) == (game.tree.nodes, decisions)


@pytest.mark.interpreted
def test_trees_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(sc.UsageError, match="needs a bet menu"):
        _ = sc.Game(replace(NO_LIMIT_HOLDEM, menu=None)).tree
    monkeypatch.setattr("smoothcall.information.tree.MAX_NODES", 1000)
    with pytest.raises(sc.UsageError, match="2,930 nodes is too large"):
        _ = sc.game("no-limit-holdem").tree


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("menu", "message"),
    [
        ("half", "item 'half' of bet menu 'half'"),
        ("pot+", "item '' of bet menu"),
        ("pot+1", "each size once"),
        ("x0", "item 'x0'"),
        ("1/0", "item '1/0'"),
        ("0.01", "holds no first raise"),
    ],
)
def test_wrong_menus(menu: str, message: str) -> None:
    with pytest.raises(sc.UsageError) as caught:
        sc.game("no-limit-holdem", menu=menu)
    assert message in str(caught.value)


@pytest.mark.interpreted
def test_trees_are_frozen() -> None:
    tree = built("no-limit-holdem").tree
    for name in tree.__dataclass_fields__:
        if isinstance(value := getattr(tree, name), np.ndarray):
            assert not value.flags.writeable, name
