"""Pictures of what runs have come to: which points are on them."""

from __future__ import annotations

from typing import Any

import pytest

import smoothcall as sc
from smoothcall.store import curves
from smoothcall.store.curves import draw_curves
from smoothcall.store.metrics import Metric

EXACT = [Metric(n, n / 10, n, 1 / n, 0.5 / n, (0.0, 0.0), (1 / n, 0.0)) for n in (1, 10, 100)]
UNKNOWN = [Metric(10, 1.0, 10, None, None, (), ())]
FREEZEOUTS = [
    Metric(n, n / 10, n, None, None, (), (), (chips, n // 10)) for n, chips in ((5, 0.0), (20_000, -4e5), (60_000, 4e5))
]


def hands(*points: tuple[int, float]) -> list[Metric]:
    return [Metric(n, n / 10, n, None, None, (value, -value), ()) for n, value in points]


@pytest.fixture
def sampled(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The axes of the last picture."""
    figures: list[Any] = []
    monkeypatch.setattr(curves, "png", lambda figure: figures.append(figure) or b"")
    return lambda: figures[-1].axes[0]


def lines(axes: Any) -> dict[str, list[tuple[float, float]]]:
    return {line.get_label(): list(zip(*line.get_data(), strict=True)) for line in axes.lines}


def test_nash_conv(sampled: Any) -> None:
    draw_curves([("a", EXACT), ("b", EXACT[:1])], "seconds")
    assert lines(sampled()) == {"a": [(0.1, 1.0), (1.0, 0.1), (10.0, 0.01)], "b": [(0.1, 1.0)]}
    assert (sampled().get_xscale(), sampled().get_yscale()) == ("log", "log")
    assert sampled().get_ylabel() == "NashConv (chips a hand)"


def test_what_was_won(sampled: Any) -> None:
    """A point tells what came after the point before; what a few hands brought waits for more of them."""
    draw_curves([("a", hands((1, 90.0), (500, 4.0), (2_000, 3.0), (2_900, 9.0), (4_000, 2.0), (4_100, 2.0)))])
    assert lines(sampled()) == {"a, player 0": [(2_000, 3.0), (4_000, 1.0)], "a, player 1": [(2_000, -3.0), (4_000, -1.0)]}
    assert (sampled().get_xscale(), sampled().get_yscale()) == ("log", "linear")
    assert "chips a hand" in sampled().get_ylabel()
    draw_curves([("short", hands((1, 9.0), (50, 4.0)))])
    assert lines(sampled())["short, player 0"] == [(50, 4.0)]


def test_what_was_won_in_freezeouts(sampled: Any) -> None:
    draw_curves([("a", FREEZEOUTS)])
    assert lines(sampled()) == {"a": [(20_000, -200.0), (60_000, 200.0)]}
    assert "chips a freezeout" in sampled().get_ylabel()
    draw_curves([("a", FREEZEOUTS[:1])])
    assert lines(sampled()) == {}, "no freezeout has ended"


def test_what_does_not_go_on_one_picture() -> None:
    for others in ([("a", EXACT), ("b", FREEZEOUTS)], [("a", hands((10, 1.0))), ("b", FREEZEOUTS)]):
        with pytest.raises(sc.UsageError, match="of a, winnings a freezeout of b: these do not go on one picture"):
            draw_curves(others)
    with pytest.raises(sc.UsageError, match="a has no NashConv to draw"):
        draw_curves([("a", UNKNOWN)])
    with pytest.raises(sc.UsageError, match="unknown axis 'miles'"):
        draw_curves([("a", EXACT)], "miles")


def test_pictures_are_pictures() -> None:
    for metrics in (EXACT, FREEZEOUTS, []):
        assert draw_curves([("a", metrics)])[:4] == b"\x89PNG"
