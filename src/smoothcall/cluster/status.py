"""What a cluster consists of."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

from smoothcall.cluster.connection import Node, connected, nodes, slots
from smoothcall.cluster.runner import lost_errors
from smoothcall.cluster.version import this_version

SECONDS = 30.0  # until a machine that does not answer is passed over


@dataclass(frozen=True, slots=True)
class ClusterReport:
    """The machines of a cluster, with the version that each runs compared with this one."""

    nodes: tuple[Node, ...]
    versions: tuple[str, ...]  # by machine: "same", what it runs, or "" where it does not answer
    processes: int  # that run at once

    def as_dict(self) -> dict[str, Any]:
        machines = [{**node.as_dict(), "version": version} for node, version in zip(self.nodes, self.versions, strict=True)]
        return {"machines": machines, "processes": self.processes, "version": this_version()}


def cluster_status(cluster: str) -> ClusterReport:
    """Return what a cluster consists of. A local one is started for that."""
    with connected(cluster) as ray:
        found = nodes(ray)
        return ClusterReport(found, _versions(ray), slots(ray))


def _version() -> str:
    return this_version()


def _versions(ray: ModuleType) -> tuple[str, ...]:
    """Ask every machine for its version."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    remote, told = ray.remote(num_cpus=0, max_retries=0)(_version), list[str]()
    asked = [
        remote.options(scheduling_strategy=NodeAffinitySchedulingStrategy(each["NodeID"], soft=False)).remote()
        if each["Alive"]
        else None
        for each in ray.nodes()
    ]
    for reference in asked:
        try:
            version = "" if reference is None else ray.get(reference, timeout=SECONDS)
        except (*lost_errors(ray), ray.exceptions.GetTimeoutError, ray.exceptions.RayTaskError):
            version = ""
        told.append("same" if version == this_version() else version)
    return tuple(told)
