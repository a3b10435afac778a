"""The cache folder: tables are read back as they were, and nothing that happens to a file does harm."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from shutil import rmtree

import numpy as np
import pytest

from smoothcall import cache
from smoothcall.games.cards import SHORT
from smoothcall.holdem.hand_strength import STREETS, VERSION, strengths
from smoothcall.progress import report, watched


class Builder:
    """Builds a table and counts how often."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.built = array, 0

    def __call__(self) -> np.ndarray:
        self.built += 1
        return self.array.copy()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SMOOTHCALL_CACHE", str(tmp_path / "kept" / "here"))
    return tmp_path / "kept" / "here"


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", [np.uint16, np.uint32, np.uint64, np.float64])
def test_built_once_and_read_back(folder: Path, kind: type) -> None:
    build = Builder(np.arange(24, dtype=kind).reshape(2, 3, 4))
    for _ in range(3):
        found = cache.table("some", build)
        np.testing.assert_array_equal(found, build.array)
        assert found.dtype == kind
        assert not found.flags.writeable
    assert build.built == 1
    assert [path.name for path in folder.iterdir()] == ["some.table"]


@pytest.mark.interpreted
def test_order_in_memory_does_not_matter(folder: Path) -> None:
    build = Builder(np.asfortranarray(np.arange(12).reshape(3, 4)))
    for _ in range(2):
        np.testing.assert_array_equal(cache.table("some", build), build.array)


@pytest.mark.interpreted
def test_damage_is_noticed_wherever_it_is(folder: Path) -> None:
    build, path = Builder(np.arange(50, dtype=np.uint16)), folder / "some.table"
    cache.table("some", build)
    whole = path.read_bytes()
    damaged = [b"", b"x", whole[:31], whole[:32], whole[:-1], whole[: len(whole) // 2], whole + b"x", b"\0" * len(whole)]
    damaged += [whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :] for place in range(0, len(whole), 5)]
    for count, data in enumerate(damaged, 2):
        path.write_bytes(data)
        said: list[str] = []
        with watched(lambda what, _, said=said: said.append(what)):  # type: ignore[misc]
            found = cache.table("some", build)
        np.testing.assert_array_equal(found, build.array)
        assert build.built == count
        assert said == ["some.table in the cache folder is damaged and is built again"]
        assert path.read_bytes() == whole, "and kept as it should be"


@pytest.mark.interpreted
@pytest.mark.parametrize("why", ["a file where the folder should be", "a folder where the file should be"])
def test_what_cannot_be_kept_is_used_all_the_same(folder: Path, why: str) -> None:
    if why.startswith("a file"):
        folder.parent.write_text("")
    else:
        (folder / "some.table").mkdir(parents=True)
    build, said = Builder(np.arange(5)), list[str]()
    with watched(lambda what, _: said.append(what)):
        for _ in range(2):
            np.testing.assert_array_equal(cache.table("some", build), build.array)
    assert build.built == 2
    assert len(said) == 2
    assert all(what.startswith("some.table cannot be kept in the cache folder") for what in said)


def test_strengths_are_built_and_kept(folder: Path) -> None:
    """Built afresh, read back, and built again where damaged: always the same tables, and progress is told."""
    known, said = strengths(SHORT), list[tuple[str, float]]()
    fresh = strengths.__wrapped__
    rmtree(folder, ignore_errors=True)  # where they were not in memory before
    with watched(lambda what, done: said.append((what, done))):
        first = fresh(SHORT)
    assert [what for what, done in said if done == 1] == [
        f"hand strength on every {street} of 32 cards" for street in ("river", "turn", "flop")
    ]
    turn = folder / f"strength-{VERSION}-32-turn.table"
    turn.write_bytes(turn.read_bytes()[:-5])
    said.clear()
    with watched(lambda what, done: said.append((what, done))):
        again = fresh(SHORT)
    assert {what for what, _ in said} == {
        f"strength-{VERSION}-32-turn.table in the cache folder is damaged and is built again",
        "hand strength on every turn of 32 cards",
    }
    for street in STREETS:
        for other in (first, again):
            np.testing.assert_array_equal(other.table[street], known.table[street])


@pytest.mark.interpreted
def test_watchers_hear_what_is_said_while_they_watch() -> None:
    one, two = list[str](), list[str]()
    with watched(lambda what, _: one.append(what)):
        report("first", 0.0)
        with suppress(ValueError), watched(lambda what, _: two.append(what)):
            report("second", 0.5)
            raise ValueError
        report("third", 1.0)
    report("nobody", 1.0)
    assert (one, two) == (["first", "second", "third"], ["second"])
