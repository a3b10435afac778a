"""A power failure takes no acknowledged action where commits are synchronised; where they are not, the loss is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.unsynced import Recorder, Step, measure


def verify_failures(actions: int, failures: int) -> None:
    answered, found = measure("full", people=4, actions=actions, failures=failures)
    assert answered == actions
    assert found["acknowledged before"] > failures
    assert found["lost"] == 0


def test_a_power_failure_takes_nothing_that_was_acknowledged() -> None:
    verify_failures(80, 12)


@pytest.mark.long
def test_many_power_failures_take_nothing_that_was_acknowledged() -> None:
    verify_failures(2000, 200)


def test_without_synchronisation_losses_are_found() -> None:
    assert measure("normal", people=2, actions=20, failures=4)[1]["lost"] > 0


def test_what_was_not_synchronised_is_gone(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.steps = [
        Step("a", 0, b"first"),
        Step("b", 0, b"of another file"),
        Step("a", covers=2),
        Step("a", 5, b" second"),
        Step("a", 2),
    ]
    for moment, kept in ((1, None), (3, b"first"), (4, b"first"), (5, b"first")):
        recorder.crash(moment, tmp_path)
        assert (tmp_path / "a").read_bytes() == (kept or b"")
    assert (tmp_path / "b").read_bytes() == b""
    recorder.steps += [Step("a", covers=5), Step("b", deleted=True)]
    (tmp_path / "b").unlink()
    recorder.crash(7, tmp_path)
    assert (tmp_path / "a").read_bytes() == b"fi"
    assert not (tmp_path / "b").exists()


def test_a_synchronisation_covers_what_was_done_when_it_began(tmp_path: Path) -> None:
    """That of `a` begins before the last write and ends after `b` was written and synchronised."""
    recorder = Recorder(tmp_path)
    recorder.steps = [Step("a", 0, b"old"), Step("a", 0, b"new"), Step("b", 0, b"of another file")]
    recorder.steps += [Step("b", covers=3), Step("a", covers=1)]
    for moment, left in ((4, (b"", b"of another file")), (5, (b"old", b"of another file"))):
        recorder.crash(moment, tmp_path)
        assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == left
