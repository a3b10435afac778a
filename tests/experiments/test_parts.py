"""Parts of a page are measured once, saved at once, and read with care."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smoothcall.errors import DamagedFile, UsageError
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import Parts, read
from smoothcall.experiments.verdicts import Below, Measured, Row, exact
from smoothcall.store.curves import drawing_digest, new_figure, png, png_digest


def opened(folder: Path, **options: Any) -> Parts:
    return Parts(folder / "data.json", "smoothcall reproduce paper", lambda line: None, **options)


def test_a_stopped_reproduction_goes_on(tmp_path: Path) -> None:
    calls: list[str] = []

    def measured(name: str, *, fails: bool = False) -> dict[str, float]:
        calls.append(name)
        if fails:
            raise KeyboardInterrupt
        return {"value": 1 / 3}

    parts = opened(tmp_path)
    parts.measure("one", {"hands": 5}, lambda: measured("one"))
    with pytest.raises(KeyboardInterrupt):
        parts.measure("two", {}, lambda: measured("two", fails=True))
    again = opened(tmp_path)
    assert again.measure("one", {"hands": 5}, lambda: measured("one")) == {"value": 0.333333333}
    again.measure("two", {}, lambda: measured("two"))
    assert calls == ["one", "two", "two"]
    again.measure("one", {"hands": 6}, lambda: measured("one"))
    assert calls[-1] == "one", "other settings"
    opened(tmp_path, again=True).measure("one", {"hands": 6}, lambda: measured("one"))
    assert len(calls) == 5


def test_parts_of_an_earlier_form_are_forgotten(tmp_path: Path) -> None:
    parts = opened(tmp_path)
    for name in ("old", "new"):
        parts.measure(name, {}, lambda: 1)
    again = opened(tmp_path)
    again.measure("new", {}, lambda: 2)
    again.forget_others()
    assert list(read(tmp_path / "data.json")) == ["new"]


def test_figures_become_json(tmp_path: Path) -> None:
    figures = {"array": np.array([[1.0, np.inf], [np.nan, 2.5]]), 3: (np.int64(4), np.bool_(True), "text", None, 1.23456789012)}
    found = opened(tmp_path).measure("part", {"size": (1, 2)}, lambda: figures)
    assert found == {"array": [[1.0, None], [None, 2.5]], "3": [4, True, "text", None, 1.23456789]}
    assert read(tmp_path / "data.json")["part"].figures == found
    assert opened(tmp_path).measure("part", {"size": [1, 2]}, lambda: 0) == found


@pytest.mark.parametrize("text", ["", "{", "[]", '{"parts": 3}', '{"parts": {"a": {}}}', '{"parts": {"a": 1}}', "[" * 100_000])
def test_damaged_data(tmp_path: Path, text: str) -> None:
    (tmp_path / "data.json").write_text(text)
    with pytest.raises(DamagedFile):
        read(tmp_path / "data.json")


def test_missing_data(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read(tmp_path / "data.json")


def test_a_changed_page_is_noticed(tmp_path: Path) -> None:
    parts = opened(tmp_path / "page")
    parts.measure("part", {}, lambda: 1)

    def page(height: float) -> Page:
        made = Page("page", "Title", "smoothcall reproduce paper")
        figure = new_figure()
        figure.axes[0].plot([0, 1], [0, height])
        made.picture("curve", figure, "A curve")
        made.row(Row("Table 1", "It is small", "below 3", (Measured(exact(height), Below(3)),)))
        return made

    found = read(tmp_path / "page" / "data.json")
    page(2).write(tmp_path, found)
    assert page(2).differences(tmp_path, found) == []
    wrong = page(4).differences(tmp_path, found)
    assert any("page.md, line" in line for line in wrong)
    assert "page/curve.png is not what the data give" in wrong
    text = (tmp_path / "page.md").read_text()
    (tmp_path / "page.md").write_text(text + "one more line\n")
    assert any("lines" in line for line in page(2).differences(tmp_path, found))
    (tmp_path / "page.md").unlink()
    assert "there is no page" in page(2).differences(tmp_path, found)[0]


def test_a_picture_knows_what_it_shows() -> None:
    figure = new_figure()
    figure.axes[0].plot([0, 1], [2, 3], label="line")
    digest = drawing_digest(figure)
    assert png_digest(png(figure, digest)) == digest
    assert png_digest(png(figure)) == ""
    figure.axes[0].lines[0].set_ydata([2, 4])
    assert drawing_digest(figure) != digest
