"""The trunk and the shards of a game: together they are its tree, row for row."""

from __future__ import annotations

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.information.subtrees import TRUNK, Parts
from smoothcall.kernels.tables import Array
from tests.conftest import TINY, built

SPECS = ["leduc", "leduc-3p", TINY]


def states(game: sc.Game) -> Array:
    """Return [rows, 1] texts: the betting of each row, and its bucket."""
    tree = game.tree
    listed = [(tree.betting(int(node)), bucket) for node in tree.decisions for bucket in range(game.buckets[tree.round[node]])]
    return np.array([[f"{betting}|{bucket}"] for betting, bucket in listed], object)


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("spec", SPECS)
def test_parts_put_together_are_the_game(spec: str, shards: int) -> None:
    game = built(spec)
    parts = Parts(game, shards)
    trunk, pieces = parts.part(TRUNK), [parts.part(shard) for shard in range(shards)]
    assert [piece.tree.rows for piece in pieces] == parts.shard_rows.tolist()
    assert parts.together(states(trunk), [states(piece) for piece in pieces]).tolist() == states(game).tolist()


@pytest.mark.parametrize("spec", SPECS)
def test_lines_begin_on_the_second_street(spec: str) -> None:
    game = built(spec)
    parts, lines = Parts(game, 2), []
    for shard in range(2):
        tree, found = parts.part(shard).tree, parts.entries(parts.part(shard), shard)
        assert ((found >= 0) == (parts.owner == shard)).all()
        lines += [tree.betting(int(node)) for node in found if node >= 0]
    tree = game.tree
    second = [int(node) for node in tree.decisions if tree.round[node] == 1 and tree.round[tree.parent[node]] == 0]
    assert sorted(lines) == sorted(tree.betting(node) for node in second)


@pytest.mark.parametrize("spec", [*SPECS, "limit-holdem", "no-limit-holdem"])
def test_most_chips_that_can_be_won(spec: str) -> None:
    assert Parts(built(spec), 1).most_won == built(spec).settled[1].max()


def test_shards_are_about_equally_large() -> None:
    rows = Parts(sc.game("limit-holdem-3p"), 8).shard_rows
    assert rows.max() < 1.2 * rows.mean()


@pytest.mark.parametrize(
    ("spec", "shards", "said"),
    [
        ("kuhn", 2, "its betting has one street"),
        ("rps", 2, "accepted: games of poker"),
        ("leduc", 6, "shards=6 of leduc .accepted: 1 to 5"),
        ("leduc", 0, "shards=0 of leduc .accepted: 1 to 5"),
    ],
)
def test_wrong_shards_are_refused(spec: str, shards: int, said: str) -> None:
    with pytest.raises(sc.UsageError, match=said):
        Parts(built(spec), shards)
