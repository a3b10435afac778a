"""Event files for TensorBoard, read by a reader that shares nothing with the writer, and as TensorBoard itself reads them."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from smoothcall.store import runs
from smoothcall.store.metrics import Metric, read_metrics
from smoothcall.store.runs import Run
from smoothcall.store.tensorboard import crc32c, scalars, whole
from tests.conftest import GOLDEN, TINY

pytestmark = pytest.mark.usefixtures("unrendered")
STARTED = 1_700_000_000.0
METRICS = {
    "exact": [
        Metric(1, 0.5, 12, 0.75, 0.375, (-0.25, 0.25), (0.5, 0.25)),
        Metric(300, 2.5, 70_000, 1e-9, 5e-10, (-1 / 18, 1 / 18), (1e-9, 0.0)),
    ],
    "hands": [Metric(10, 0.0, 40, None, None, (2.0, -2.0), ()), Metric(30, 4.0, 90, None, None, (1.0, -1.0), ())],
    "freezeouts": [
        Metric(1, 1.0, 64, None, None, (), (), (0.0, 0)),
        Metric(200, 2.0, 900, None, None, (), (), (5_000.0, 20)),
        Metric(2**40, 3.0, 2**41, None, None, (), (), (-3_000.0, 60)),
    ],
}


def _crc(data: bytes) -> int:
    """Bit by bit, without a table."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 * (crc & 1))
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) % 2**32


def _records(data: bytes) -> Iterator[bytes]:
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        assert struct.unpack("<I", data[8:12]) == (_crc(data[:8]),)
        body, data = data[12 : 12 + length], data[12 + length :]
        assert len(body) == length
        assert struct.unpack("<I", data[:4]) == (_crc(body),)
        yield body
        data = data[4:]


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(number, what is written there) of a message."""

    def varint() -> int:
        nonlocal data
        number, shift = 0, 0
        while True:
            byte, data = data[0], data[1:]
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    while data:
        field, how = divmod(varint(), 8)
        if how == 0:
            yield field, varint()
        else:
            size = {1: 8, 2: 0, 5: 4}[how] or varint()
            yield field, data[:size]
            data = data[size:]


def _read(data: bytes) -> dict[str, list[list[float]]]:
    """By tag, [wall time, step, value]."""
    first, *rest = map(dict, map(_fields, _records(data)))
    assert first[3] == b"brain.Event:2"
    found: dict[str, list[list[float]]] = {}
    for event in rest:
        for _, value in _fields(event[5]):
            parts = dict(_fields(value))
            line = [*struct.unpack("<d", event[1]), event[2], *struct.unpack("<f", parts[2])]
            found.setdefault(parts[1].decode(), []).append(line)
    return found


def _events(folder: Path) -> Path:
    (path,) = (folder / "tensorboard").iterdir()
    assert path.name.startswith("events.out.tfevents."), "how TensorBoard knows them"
    return path


def _steps(path: Path) -> list[float]:
    return [step for _, step, _ in _read(path.read_bytes())["nash_conv"]]


def test_checksums() -> None:
    """The check value of the CRC catalogue, and the examples of RFC 3720 (B.4)."""
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E


@pytest.mark.parametrize("kind", METRICS)
def test_files_are_what_tensorboard_reads(kind: str) -> None:
    seen = json.loads((GOLDEN / "tensorboard.json").read_text())
    assert _read(whole(STARTED, METRICS[kind])) == seen[kind]


def test_what_was_won_is_counted_between_evaluations() -> None:
    hands, freezeouts = (_read(whole(STARTED, METRICS[kind])) for kind in ("hands", "freezeouts"))
    assert [value for *_, value in hands["won_a_hand/player_0"]] == [2.0, (30 * 1 - 10 * 2) / 20]
    assert [line[1:] for line in freezeouts["won_a_freezeout/player_0"]] == [[200, 250.0], [2**40, -200.0]]
    assert [value for *_, value in hands["speed"]] == [5.0], "none where no time has passed"


def test_numbers_that_are_too_large_are_infinite() -> None:
    assert _read(whole(STARTED, []) + scalars(STARTED, 1, {"a": 1e300, "b": -1e300})) == {
        "a": [[STARTED, 1, float("inf")]],
        "b": [[STARTED, 1, float("-inf")]],
    }


@pytest.mark.parametrize(("game", "solver", "tag"), [("kuhn", "cfr+", "nash_conv"), (TINY, "uct", "won_a_hand/player_1")])
def test_runs_write_every_evaluation_at_once(game: str, solver: str, tag: str, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", game, solver, iterations=2_000, tensorboard=True)
    seen: list[int] = []

    def watch(_: object) -> None:
        written = _read(_events(run.folder).read_bytes())
        assert [step for _, step, _ in written.get(tag, [])] == [metric.iterations for metric in run.metrics]
        seen.append(len(run.metrics))

    run.train(watch=watch)
    assert len(set(seen)) > 5
    written = _read(_events(run.folder).read_bytes())
    assert [line[1] for line in written[tag]] == [metric.iterations for metric in read_metrics(run.folder)]
    assert all(line[0] >= written[tag][0][0] for line in written[tag])
    if tag == "nash_conv":
        assert [value for *_, value in written[tag]] == pytest.approx([m.nash_conv for m in run.metrics], rel=1e-6)


def test_steps_after_the_checkpoint_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed long after its last checkpoint, while it wrote a record."""
    run = Run.create(tmp_path / "run", "kuhn", "mccfr", iterations=1_000, tensorboard=True)
    run.train()
    checkpoint = (run.folder / "checkpoint.npz").read_bytes()
    Run.open(run.folder).train(iterations=5_000)
    (run.folder / "checkpoint.npz").write_bytes(checkpoint)
    path = _events(run.folder)
    path.write_bytes(path.read_bytes() + whole(STARTED, METRICS["exact"])[30:-3])
    again = Run.open(run.folder)
    assert again.solver.iterations == 1_000
    monkeypatch.setattr(runs, "SLICE_SECONDS", 0.0)
    again.train(stop=lambda: again.solver.iterations >= 1_000)
    assert _steps(path) == [metric.iterations for metric in run.metrics], "as it was at the checkpoint"
    again.train(stop=lambda: again.solver.iterations >= 1_500)
    assert _steps(path) == [*(metric.iterations for metric in run.metrics), 1334]
    Run.open(run.folder).train()
    assert _steps(path) == [metric.iterations for metric in read_metrics(run.folder)]
    assert _steps(path) == sorted(set(_steps(path)))
    assert _steps(path)[-1] == 5_000


def test_only_where_asked_for(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", "kuhn", "cfr+", iterations=10)
    run.train()
    Run.open(run.folder).train(iterations=20)
    assert not (run.folder / "tensorboard").exists()
    config = json.loads((run.folder / "config.json").read_text())
    assert config["tensorboard"] is False
    del config["tensorboard"]  # as runs of earlier versions are
    (run.folder / "config.json").write_text(json.dumps(config))
    assert Run.open(run.folder).train(iterations=30).iterations == 30
