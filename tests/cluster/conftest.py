"""One Ray cluster of three nodes, and one connection to it, for all tests of a worker, as processes of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smoothcall.cluster import connection

NODES = 3
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Start a cluster of three nodes and connect to it; stop all of its processes at the end, whatever happened.

    Ray starts new processes for every connection, so tests share one.
    """
    connection._protect()
    connection.import_ray()
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args=NODE)
    try:
        for _ in range(NODES - 1):
            started.add_node(wait=False, **NODE)
        started.wait_for_nodes()
        with connection.connected(started.address):
            yield started
    finally:
        started.shutdown()


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep finished tasks in a folder of the test."""
    monkeypatch.setenv("SMOOTHCALL_DATA", str(tmp_path / "data"))


def checkpoint(run: Path) -> dict[str, bytes]:
    """Return what a run has saved, by name, apart from its seconds."""
    with np.load(run / "checkpoint.npz") as saved:
        return {name: saved[name].tobytes() for name in saved.files if name != "seconds"}
