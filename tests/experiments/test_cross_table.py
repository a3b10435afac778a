"""Everybody against everybody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import smoothcall as sc
from smoothcall.agents.scripted import Rule
from smoothcall.evaluation.match import match
from smoothcall.experiments.cross_table import cross_table, draw_table, play_cross_table
from smoothcall.store.curves import png
from tests.conftest import built

PNG = b"\x89PNG\r\n"


def test_pairs_meet_once_and_read_both_ways() -> None:
    game, players = built("leduc"), {str(rule): rule for rule in Rule}
    table = cross_table(game, players)
    assert table.rows == tuple(Rule)
    assert table.columns == (*Rule, "average")
    for row, name in enumerate(table.rows):
        assert table.cells[row][row] is None
        means = []
        for column, other in enumerate(table.rows):
            cell, mirror = table.cells[row][column], table.cells[column][row]
            if cell is None or mirror is None:
                assert row == column
                continue
            exact = match(game, [players[name], players[other]]).exact
            assert exact is not None
            assert cell.mean == pytest.approx(exact[0])
            assert cell.mean == pytest.approx(-mirror.mean)
            means.append(cell.mean)
        average = table.cells[row][-1]
        assert average is not None
        assert average.mean == pytest.approx(sum(means) / len(means))
    assert png(draw_table(table)).startswith(PNG)


def test_sampled_tables_have_intervals_around_the_exact_ones() -> None:
    game, players = built("kuhn"), {str(rule): rule for rule in Rule}
    told: list[float] = []
    exact, sampled = cross_table(game, players), cross_table(game, players, hands=20_000, seed=3, watch=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    for true_row, row in zip(exact.cells, sampled.cells, strict=True):
        for true, found in zip(true_row, row, strict=True):
            assert (true is None) == (found is None)
            assert true is None or found is None or abs(found.mean - true.mean) <= 4 * found.error + 1e-9
    assert png(draw_table(sampled)).startswith(PNG)


def test_line_ups_of_three() -> None:
    game, players = built("kuhn-3p"), {str(rule): rule for rule in Rule}
    line_ups = [("random", "random", "probe"), ("always-raise", "always-call", "random")]
    table = cross_table(game, players, line_ups=line_ups)
    assert table.labels == tuple(line_ups)
    for line_up, row in zip(line_ups, table.cells, strict=True):
        exact = match(game, [players[name] for name in line_up]).exact
        assert exact is not None
        assert [cell.mean for cell in row if cell is not None] == pytest.approx(exact)
    assert png(draw_table(table)).startswith(PNG)
    with pytest.raises(sc.UsageError, match="say which line-ups play"):
        cross_table(game, players)
    with pytest.raises(sc.UsageError, match="unknown player of a line-up 'nobody'"):
        cross_table(game, players, line_ups=[("random", "random", "nobody")])
    with pytest.raises(sc.UsageError, match="2 players for kuhn-3p"):
        cross_table(game, players, line_ups=[("random", "random")])


def test_what_is_stopped_says_so() -> None:
    table = cross_table(built("kuhn"), {str(rule): rule for rule in Rule}, hands=10, stop=lambda: True)
    assert not table.done
    assert all(cell is None for row in table.cells for cell in row)
    assert png(draw_table(table)).startswith(PNG)


def test_the_table_as_data_and_as_a_picture(tmp_path: Path) -> None:
    out = tmp_path / "table.png"
    answer = play_cross_table(["random", "probe", "always-call"], out, of="kuhn", hands=100)
    assert json.loads(json.dumps(answer.as_dict()))["picture"] == str(out)
    assert (answer.engines, answer.notes) == (("kernel",), ())
    assert out.read_bytes().startswith(PNG)
    with pytest.raises(sc.UsageError, match="there is no folder"):
        play_cross_table(["random", "probe"], tmp_path / "no" / "table.png", of="kuhn")
    with pytest.raises(sc.UsageError, match="is named twice"):
        play_cross_table(["random", "random"], out, of="kuhn")
    with pytest.raises(sc.UsageError, match="2 or more"):
        play_cross_table(["random"], out, of="kuhn")
