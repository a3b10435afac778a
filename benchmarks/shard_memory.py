"""Train three-player limit hold'em in shards on three local Ray nodes whose processes may not have the memory of its table.

    python benchmarks/shard_memory.py     minutes, about 9 GB in all; writes docs/scaling/shards.json

The limit is RLIMIT_DATA of every process of a node: memory beyond it cannot be had. A worker with the whole table is refused
there. The run in shards trains, is stopped, resumed, and gives an agent file that plays a match.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

import smoothcall as sc
from smoothcall import files
from smoothcall.app import App
from smoothcall.cluster import connection
from smoothcall.cluster.shard_hosts import shards_on
from smoothcall.store.runs import Run

SPEC, SOLVER, SHARDS = "limit-holdem-3p:grid=100/20/8", "smooth-uct", 3
LIMIT = 3200 << 20  # bytes
ITERATIONS, HANDS = 20_000, 3_000
RESULTS = Path(__file__).parents[1] / "docs" / "scaling" / "shards.json"


def limited_cluster() -> Any:
    """Start three nodes; their processes inherit the limit from the raylet that starts them."""
    connection._protect()
    connection.import_ray()
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 200 << 20, "include_dashboard": False, "memory": LIMIT}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    for _ in range(SHARDS - 1):
        cluster.add_node(**node)
    for each in (cluster.head_node, *cluster.worker_nodes):
        psutil.Process(each.all_processes["raylet"][0].process.pid).rlimit(psutil.RLIMIT_DATA, (LIMIT, LIMIT))
    return cluster


def refused(cluster: Any) -> str:
    """Return what a worker with the whole table says on such a node."""

    def whole(name: str, spec: str) -> str:
        try:
            sc.solver(name, sc.game(spec))
        except (sc.UsageError, MemoryError) as error:
            return f"{type(error).__name__}: {error}"
        return "not refused"

    with connection.connected(cluster.address) as ray:
        return str(ray.get(ray.remote(num_cpus=1, max_retries=0)(whole).remote(SOLVER, SPEC)))


def memory_of(process: int) -> dict[str, float]:
    """Return the limit of a process, and the most memory that it has had, in GB."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines() if ":" in line)
    limit = psutil.Process(process).rlimit(psutil.RLIMIT_DATA)[0]
    taken = {"most resident": status["VmHWM"], "data": status["VmData"]}
    return {"limit": limit / 1e9, **{name: int(text.split()[0]) * 1024 / 1e9 for name, text in taken.items()}}


def trained(cluster: Any, out: Path) -> dict[str, Any]:
    """Train half of the run, resume it, and return what its processes took."""
    started, processes, seconds = time.monotonic(), [], 0.0
    for part in range(2):
        with shards_on(cluster.address, SHARDS, lambda line: print(line, file=sys.stderr)) as build:  # noqa: T201
            run = Run.open(out, build=build) if part else Run.create(out, SPEC, SOLVER, iterations=ITERATIONS, build=build)
            run.train(stop=lambda run=run, part=part: not part and run.solver.iterations > ITERATIONS // 2)
            processes = [memory_of(each) for each in run.solver.team.hosts.processes.values()]  # type: ignore[union-attr]
            seconds = run.seconds
            rows = run.solver.parts.shard_rows.tolist()  # type: ignore[attr-defined]
            states = run.game.size[2]
    return {
        "game": SPEC, "solver": SOLVER, "iterations": ITERATIONS, "information states": states, "rows of the shards": rows,
        "table, GB": states * 11 * 4 / 1e9, "processes, GB": processes, "seconds of learning": round(seconds, 1),
        "seconds in all": round(time.monotonic() - started, 1),
    }  # fmt: skip


def main() -> None:
    cluster = limited_cluster()
    try:
        with tempfile.TemporaryDirectory() as folder:
            said, out = refused(cluster), Path(folder) / "run"
            print(said, file=sys.stderr, flush=True)  # noqa: T201
            results = {"the whole table": said, **trained(cluster, out)}
            print(json.dumps(results), file=sys.stderr, flush=True)  # noqa: T201
            cluster.shutdown()
            results["agent file, MB"] = round((out / "agent.agent").stat().st_size / 1e6, 1)
            found = App().match([str(out / "agent.agent"), "always-call", "always-call"], hands=HANDS, seed=1)
            won = found.estimates[0]
            results["match"] = {"hands": found.hands, "mbb": won.mean, "half": won.half_width()}
    finally:
        cluster.shutdown()
    files.write_json(RESULTS, results)


if __name__ == "__main__":
    main()
