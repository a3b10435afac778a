"""Readers of agent files, run folders and cached tables: damage gives a UsageError or a result, never another exception."""

from __future__ import annotations

import io
import json
import shutil
import struct
import zipfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import smoothcall as sc
from smoothcall import cache as tables
from smoothcall.agents import registry
from smoothcall.agents.batch_wrappers import Table
from smoothcall.agents.expert import Expert
from smoothcall.agents.files import read_card
from smoothcall.agents.folders import AgentFile
from smoothcall.agents.opponent_models import CLASSES as CARD_CLASSES
from smoothcall.agents.opponent_models import STREETS, VALUES, NaiveBayes
from smoothcall.agents.q_networks import Amount, Layers
from smoothcall.agents.scripted import HeuristicMC, Scripted
from smoothcall.agents.serialization import from_data, to_data
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.play.opponents import Agents
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.store.metrics import read_metrics
from smoothcall.store.runs import Run
from tests.conftest import WHOLE_BETS, built
from tests.fuzz.mutations import damaged_bytes, damaged_json, fuzz, is_read_or_refused

CARD = {
    "solver": {"name": "cfr", "options": {}, "seed": 1, "threads": 1},
    "iterations": 100,
    "seconds": 1.5,
    "greedy": True,
    "threshold": 0.05,
    "results": {
        "nash_conv": 0.1,
        "matches": {"probe": {"mean": 1.0, "half_width": 2.0, "hands": 300}},
        "local_best_response": {"mean": 1.0, "half_width": 2.0, "deals": 300},
        "exact_response": {"mean": 1.0, "half_width": 2.0, "flops": 20},
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readers")


@pytest.fixture(scope="module")
def listing() -> Agents:
    return Agents()


@cache
def table_agent() -> bytes:
    return saved(sc.Policy(built("kuhn"), sc.Policy.uniform(built("kuhn")).table, CARD))


@cache
def network_agent() -> bytes:
    return saved(TabulatedPolicy(built(WHOLE_BETS), Amount(table(), layers(6, 4, 1), blur=0.1), CARD))


def saved(policy: sc.Policy) -> bytes:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        policy.save(Path(folder) / "some.agent")
        return (Path(folder) / "some.agent").read_bytes()


def table() -> Table:
    return Table.of(built(WHOLE_BETS).rules)  # type: ignore[arg-type]


def layers(*widths: int) -> Layers:
    return tuple((np.ones((out, into), np.float32), np.ones(out, np.float32)) for into, out in pairwise(widths))


def parts(agent: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(agent)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(entries: dict[str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", how) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return data.getvalue()


def read_everywhere(path: Path, listing: Agents) -> None:
    """Read a file as `load` does, and as a list of agents does."""
    is_read_or_refused(lambda: sc.load(path, built("kuhn")))
    is_read_or_refused(lambda: sc.load(path, built(WHOLE_BETS)))
    is_read_or_refused(lambda: read_card(path))
    listing._read("some", path, "file", None)
    registry._described(AgentFile("some", path, "file"))


@fuzz
@given(some.sampled_from([table_agent, network_agent]).flatmap(lambda agent: damaged_bytes(agent())))
def test_agent_files(folder: Path, listing: Agents, data: bytes) -> None:
    path = folder / "bytes.agent"
    path.write_bytes(data)
    read_everywhere(path, listing)


@fuzz
@given(some.data())
def test_parts_of_agent_files(folder: Path, listing: Agents, data: some.DataObject) -> None:
    """Damage behind the checksums: in the card, or in an array."""
    entries = parts(data.draw(some.sampled_from([table_agent, network_agent]))())
    name = data.draw(some.sampled_from(sorted(entries)))
    entries[name] = data.draw(damaged_bytes(entries[name]))
    path = folder / "parts.agent"
    path.write_bytes(zipped(entries))
    read_everywhere(path, listing)


@fuzz
@given(some.data())
def test_cards_of_agent_files(folder: Path, listing: Agents, data: some.DataObject) -> None:
    entries = parts(data.draw(some.sampled_from([table_agent, network_agent]))())
    card = data.draw(damaged_json(json.loads(entries["card.json"])))
    path = folder / "card.agent"
    path.write_bytes(zipped(entries | {"card.json": json.dumps(card).encode()}))
    read_everywhere(path, listing)
    is_read_or_refused(lambda: sc.load(path))


def batch_policies() -> list[tuple[str, BatchPolicy]]:
    given = tuple(np.zeros((STREETS, CARD_CLASSES, many)) for many in VALUES)
    model = NaiveBayes(np.zeros((STREETS, CARD_CLASSES)), given, 1.0)
    return [
        (WHOLE_BETS, Amount(table(), layers(6, 4, 1), blur=0.1)),
        (WHOLE_BETS, Scripted("moderate", table())),
        ("no-limit-holdem", HeuristicMC(10)),
        ("no-limit-holdem", Expert(model)),
        ("no-limit-holdem", Expert()),
    ]


@fuzz
@given(some.data())
def test_descriptions_of_batch_policies(data: some.DataObject) -> None:
    spec, batch_policy = data.draw(some.sampled_from(batch_policies()))
    about, arrays = to_data(batch_policy)
    about = data.draw(damaged_json(about))
    if arrays and data.draw(some.booleans()):
        name = data.draw(some.sampled_from(sorted(arrays)))
        arrays = {
            **arrays,
            name: data.draw(some.sampled_from([np.zeros(()), np.zeros(0), np.zeros((2, 2)), np.full(3, np.nan)])),
        }
    is_read_or_refused(lambda: from_data(built(spec), about, arrays))


def npy(header: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()


def test_a_folder_of_damaged_agents_is_listed(tmp_path: Path) -> None:
    """Each of these once ended the listing, or was read whole."""
    entries = parts(table_agent())
    card = entries["card.json"].decode()
    lzma_data = zipped(entries, zipfile.ZIP_LZMA)
    damaged = {
        "lzma": lzma_data[:60] + bytes(20) + lzma_data[80:],
        "infinity": zipped(entries | {"card.json": card.replace('"iterations": 100', '"iterations": Infinity').encode()}),
        "huge": zipped(entries | {"card.json": card.replace('"iterations": 100', f'"iterations": {"9" * 400}').encode()}),
        "nested": zipped(entries | {"card.json": b'{"a":' * 100_000}),
        "spaces": zipped(entries | {"card.json": b" " * (64 << 20)}, zipfile.ZIP_DEFLATED),
        "odd-option": zipped(entries | {"card.json": card.replace('"options": {}', '"options": {"name": 1}', 1).encode()}),
    }
    for name, data in damaged.items():
        (tmp_path / f"{name}.agent").write_bytes(data)
    (tmp_path / "header.agent").write_bytes(zipped(entries | {"policy.npy": npy("{'descr': '<f8', 'shape': (3,")}))
    found = Agents(tmp_path)
    assert sorted(problem.split(".")[0] for problem in found.problems) == sorted(damaged)
    for path in set(tmp_path.iterdir()) - {tmp_path / "huge.agent"}:  # a policy can be read whatever its iterations are
        with pytest.raises(UsageError):
            sc.load(path)
    assert "header" in {card.id for card in found.cards()}, "arrays are read when the agent plays"
    with pytest.raises(UsageError, match="the file of header"):
        found.policy("header")


def test_errors_of_our_own_are_not_reported_as_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.agent").write_bytes(table_agent())

    def broken(*args: Any, **options: Any) -> None:
        raise TypeError("a programming error")

    monkeypatch.setattr("smoothcall.agents.files.Policy.__init__", broken)
    with pytest.raises(TypeError, match="a programming error"):
        sc.load(tmp_path / "good.agent")
    monkeypatch.setattr("smoothcall.play.opponents.listed_agent", broken)
    with pytest.raises(TypeError, match="a programming error"):
        Agents(tmp_path)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "run"
    Run.create(path, "kuhn", "cfr", iterations=20, tensorboard=True).train()
    return path


@fuzz
@given(some.data())
def test_runs(trained: Path, folder: Path, data: some.DataObject) -> None:
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(trained, run, ignore=shutil.ignore_patterns("curve.png", "tensorboard"))
    name = data.draw(some.sampled_from(["config.json", "config.json", "metrics.jsonl", "checkpoint.npz"]))
    whole = (run / name).read_bytes()
    if name == "config.json" and data.draw(some.booleans()):
        (run / name).write_text(json.dumps(data.draw(damaged_json(json.loads(whole)))))
    else:
        (run / name).write_bytes(data.draw(damaged_bytes(whole)))
    is_read_or_refused(lambda: Run.open(run))
    is_read_or_refused(lambda: read_metrics(run))


@fuzz
@given(some.data())
def test_checkpoints(trained: Path, folder: Path, data: some.DataObject) -> None:
    """Damage behind the checksums."""
    run = folder / "checkpointed"
    run.mkdir(exist_ok=True)
    shutil.copy(trained / "config.json", run)
    entries = parts((trained / "checkpoint.npz").read_bytes())
    name = data.draw(some.sampled_from(sorted(entries)))
    entries[name] = data.draw(damaged_bytes(entries[name]))
    (run / "checkpoint.npz").write_bytes(zipped(entries))
    is_read_or_refused(lambda: Run.open(run))


@fuzz
@given(some.data())
def test_cached_tables(folder: Path, data: some.DataObject) -> None:
    """A damaged table is built again, and never another one returned."""
    path, right = folder / "some.table", np.arange(12, dtype=np.int32).reshape(3, 4)
    tables._write(path, right)
    path.write_bytes(data.draw(damaged_bytes(path.read_bytes())))
    found = tables._read(path)
    assert found is None or np.array_equal(found, right)
