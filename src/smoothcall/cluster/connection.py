"""Connecting to a Ray cluster: `auto` (that of this machine), `HOST:PORT`, or `local:N`, N processes of this machine."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from smoothcall.errors import UsageError

if TYPE_CHECKING:
    from types import ModuleType

ACCEPTED = "auto, HOST:PORT, or local:N with N from 1 to 256"
OBJECT_STORE = 256 << 20  # bytes of shared memory of a local cluster
HEALTH = "120000"  # milliseconds: a node of a busy machine is not taken for dead because it answers late
_LOCAL, _ADDRESS = re.compile(r"local:([0-9]{1,3})"), re.compile(r"[A-Za-z0-9_.\-]+:[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of a cluster."""

    name: str
    address: str
    alive: bool
    processors: float
    memory: float  # bytes

    def as_dict(self) -> dict[str, Any]:
        about = {"name": self.name, "address": self.address, "alive": self.alive}
        return {**about, "processors": self.processors, "memory": self.memory}


def import_ray() -> ModuleType:
    """Import Ray, quietly: no usage statistics, no log lines of its own on standard error."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    try:
        ray = import_module("ray")
    except ImportError:
        raise UsageError("--cluster needs Ray (pip install 'smoothcall[cluster]')") from None
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    return ray


def read_cluster(text: str) -> tuple[str | None, int]:
    """Return (address, 0) of a cluster to join, or (None, processes) of a local one to start."""
    local = _LOCAL.fullmatch(text)
    if local and 1 <= int(local[1]) <= 256:
        return None, int(local[1])
    if text != "auto" and (local or text.startswith("local:") or not _ADDRESS.fullmatch(text)):
        raise UsageError(f"cluster {text!r} (accepted: {ACCEPTED})")
    return text, 0


@contextmanager
def connected(cluster: str) -> Iterator[ModuleType]:
    """Connect to a cluster, or start a local one, for the time of the `with` block. Yield the module `ray`.

    A connection that this process has to the same cluster already is used and stays.
    """
    address, processes = read_cluster(cluster)
    if address is None:
        _protect()
    ray = import_ray()
    if ray.is_initialized():
        if address not in (None, "auto", ray.get_runtime_context().gcs_address) or processes:
            raise UsageError(f"cluster {cluster!r}: this process is connected to {ray.get_runtime_context().gcs_address}")
        yield ray
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "configure_logging": False, "logging_level": logging.CRITICAL}
    try:
        if address is None:
            ray.init(address="local", num_cpus=processes, include_dashboard=False, object_store_memory=OBJECT_STORE, **quiet)
        else:
            ray.init(address=address, **quiet)
    except (ConnectionError, OSError, ValueError, RuntimeError) as error:
        said = str(error).strip().partition("\n")[0][:200] or type(error).__name__
        raise UsageError(f"cluster {cluster!r} cannot be reached ({said})") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _protect() -> None:
    """Give local clusters of this process a secret, so that other users of the machine cannot send them work; and patience.

    Their workers get the priority of this process; Ray's default is a niceness of 15. Ray reads the secret when it is
    imported. Where Ray is imported already, its own settings hold.
    """
    os.environ.setdefault("RAY_health_check_timeout_ms", HEALTH)
    os.environ.setdefault("RAY_worker_niceness", "0")
    if not ({"RAY_AUTH_MODE", "RAY_AUTH_TOKEN"} & os.environ.keys() or "ray" in sys.modules):
        os.environ["RAY_AUTH_MODE"], os.environ["RAY_AUTH_TOKEN"] = "token", token_hex(32)


def nodes(ray: ModuleType) -> tuple[Node, ...]:
    """Return the machines of the connected cluster, those that died too."""
    return tuple(
        Node(
            name=str(each["NodeName"]),
            address=str(each["NodeManagerAddress"]),
            alive=bool(each["Alive"]),
            processors=float(each["Resources"].get("CPU", 0)),
            memory=float(each["Resources"].get("memory", 0)),
        )
        for each in ray.nodes()
    )


def slots(ray: ModuleType) -> int:
    """Return how many processes the cluster runs at once, now."""
    return max(1, int(sum(node.processors for node in nodes(ray) if node.alive)))
