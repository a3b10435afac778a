"""Kill processes of a team while it learns, and compare its tables with those of a team that nothing happened to.

    python benchmarks/cluster_faults.py --times 20     every fault 20 times; results are added to docs/scaling/faults.json

Faults: a worker process is killed; a worker process is stopped for good; a node (all processes of a machine) is killed and
another one joins; all processes of a node are stopped for 30 s and go on; a worker runs out of memory; a node with another
version of the program joins; the process that trains is killed and the run resumed; the process of a shard is killed. Tables
are compared bit for bit, so a lost or doubled step cannot pass; beside it, the visits of the first state are compared with the
episodes counted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import smoothcall as sc
from smoothcall import files
from smoothcall.cluster import connection
from smoothcall.cluster.hosts import ClusterHosts
from smoothcall.cluster.runner import where_we_run
from smoothcall.cluster.shard_hosts import ShardProcesses
from smoothcall.cluster.sharded import ShardedSolver, ShardsHere
from smoothcall.cluster.team import LearningTeam
from smoothcall.solvers import Solver

ROUNDS = 9  # a pause within a round would end it
WORKERS = 3
RESULTS = Path(__file__).parents[1] / "docs" / "scaling" / "faults.json"
GAMES = {"memory": ("limit-holdem", 20_000)}  # game and episodes of a worker in a round; tables of others are too small to fail
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
LIMIT = 300 << 20  # bytes of data; a process without tables takes 260 MB
RUN_EPISODES = 40_000_000  # seconds: checkpoints are written every three


def learner(fault: str) -> tuple[Solver, int]:
    """Return a team's solver, and the episodes that it is to learn."""
    spec, exchange = GAMES.get(fault, ("kuhn", 500))
    made = sc.solver("uct", sc.game(spec), seed=1, folds="sampled")
    made.team = LearningTeam(made, WORKERS, exchange=exchange)
    return made, ROUNDS * WORKERS * exchange


def passed(made: Solver, wanted: Solver, episodes: int) -> bool:
    first = made.game.row_node == 0
    counted = made.tables()["visits"][first].sum() == made.iterations == episodes
    return bool(counted and all(np.array_equal(table, wanted.tables()[name]) for name, table in made.tables().items()))


def limited_node(cluster: Any) -> Any:
    """Let a node join whose processes start, and may not have the memory of a table of hold'em."""
    node = cluster.add_node(**NODE)
    raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
    raylet.rlimit(psutil.RLIMIT_DATA, (LIMIT, LIMIT))
    for each in raylet.children(recursive=True):  # started before the limit
        each.rlimit(psutil.RLIMIT_DATA, (LIMIT, LIMIT))
    return node


def strike(cluster: Any, fault: str, process: int) -> None:
    """Let a fault happen to a worker process, or to a node."""
    if fault == "node":
        cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
        cluster.add_node(**NODE)
    elif fault == "node stopped for 30 s":
        node = next(iter(cluster.worker_nodes))
        raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
        stopped = [raylet, *raylet.children(recursive=True)]
        for each in stopped:
            each.suspend()
        threading.Timer(30.0, lambda: [each.resume() for each in stopped if each.is_running()]).start()
    elif fault != "memory":
        os.kill(process, signal.SIGKILL if fault == "worker" else signal.SIGSTOP)


def processes(ray: Any, cluster: Any, fault: str, times: int) -> None:
    """Let a fault happen in the middle of `times` trainings."""
    wanted, episodes = learner(fault)
    wanted.run(episodes)
    count = WORKERS
    if fault == "memory":
        limited, count = limited_node(cluster), WORKERS + 1
    hosts = ClusterHosts(ray, wanted, count)
    for _ in range(times):
        made, _ = learner(fault)
        assert isinstance(made.team, LearningTeam)
        made.team.hosts, hosts.wanted = hosts, count
        hosts.forget()
        hosts.lost = hosts.replayed = 0
        made.run(episodes // 3)
        started = time.monotonic()
        strike(cluster, fault, hosts.processes[-1])
        made.run(episodes - made.iterations)
        seconds = time.monotonic() - started
        about = {"processes lost": hosts.lost, "steps replayed": hosts.replayed, "longest, seconds": round(seconds, 1)}
        keep({"fault": fault, "times": 1, "equal to an undisturbed team": int(passed(made, wanted, episodes)), **about})
        if fault == "node stopped for 30 s":
            time.sleep(max(0.0, 40.0 - seconds))
            cluster.add_node(**NODE)  # Ray gave up the one that was stopped
    for actor in list(hosts._actors):
        ray.kill(actor)
    if fault == "memory":
        cluster.remove_node(limited, allow_graceful=False)


def version(cluster: Any, ray: Any) -> dict[str, Any]:
    """Let a node join whose program differs by one line, and give it work."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "smoothcall"
        shutil.copytree(Path(sc.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
        with (copy / "tasks.py").open("a") as file:
            file.write("\nANOTHER_VERSION = True\n")
        other = cluster.add_node(env_vars={"PYTHONPATH": folder}, **NODE | {"num_cpus": 1, "resources": {"other": 1}})
        made, episodes = learner("version")
        assert isinstance(made.team, LearningTeam)
        hosts = made.team.hosts = ClusterHosts(ray, made, 1)
        hosts._class = hosts._class.options(resources={"other": 1})
        try:
            made.run(episodes)
            said = "it was not refused"
        except sc.UsageError as error:
            said = str(error).replace(where_we_run(), "HOST")
        cluster.remove_node(other, allow_graceful=False)
    return {"fault": "version", "times": 1, "refused": int("install the same version" in said), "message": said}


def head(times: int) -> None:
    """Kill the process that trains, with its local cluster, and resume the run until it ends."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "smoothcall"]
        run = ["train", "kuhn", "uct", "--set", "folds=sampled", "--iterations", str(RUN_EPISODES), "--workers", "2", "--out"]
        subprocess.run([*command, *run, f"{folder}/wanted"], check=True, capture_output=True)
        wanted = sc.load(f"{folder}/wanted/agent.agent").weights
        for turn in range(times):
            out = Path(folder) / f"run-{turn}"
            started = subprocess.Popen([*command, *run, str(out), "--cluster", "local:2"], stderr=subprocess.DEVNULL)
            while not (out / "checkpoint.npz").exists() and started.poll() is None:
                time.sleep(0.01)
            started.kill()
            killed = started.wait() == -signal.SIGKILL
            subprocess.run([*command, "resume", str(out), "--cluster", "local:2"], check=True, capture_output=True)
            with np.load(out / "checkpoint.npz") as saved:
                visits, first = saved["visits"], sc.game("kuhn").row_node == 0
            equal = np.array_equal(sc.load(out / "agent.agent").weights, wanted) and int(visits[first].sum()) == RUN_EPISODES
            keep(
                {"fault": "head", "times": 1, "killed before its end": int(killed), "equal to an undisturbed team": int(equal)}
            )


def shard(ray: Any, times: int) -> None:
    """Kill the process of a shard, and let the run go on from its last checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = sharded(ShardsHere, Path(folder) / "wanted")
        processes: list[ShardProcesses] = []

        def make(about: Any, where: Path) -> ShardProcesses:
            processes.extend([] if processes else [ShardProcesses(ray, about, where, [0] * WORKERS)])
            processes[0].forget()
            return processes[0]

        for turn in range(times):
            started = time.monotonic()
            found = sharded(make, Path(folder) / "run", lambda turn=turn: processes[0].processes[turn % WORKERS])
            about = {"processes lost": processes[0].lost, "longest, seconds": round(time.monotonic() - started, 1)}
            keep({"fault": "shard", "times": 1, "equal to an undisturbed team": int(found == wanted), **about})
            processes[0].lost = 0
        processes[0].close()


def sharded(make: Any, folder: Path, killed: Any = None) -> tuple[bytes, float, int]:
    """Return (the policy, visits of the first state, nodes) of a run in shards; a process is killed after its checkpoint."""
    made = ShardedSolver("uct", sc.game("leduc"), shards=WORKERS, folder=folder, seed=1, make=make, folds="sampled")
    made.run(4_000)
    made.state()
    made.run(3_000)
    if killed is not None:
        os.kill(killed(), signal.SIGKILL)
    made.run(3_000)
    visits = made.tables()["visits"][made.trunk.game.row_node == 0].sum()
    if visits != made.iterations:
        raise AssertionError(f"{visits} visits in {made.iterations} episodes")
    return made.policy().weights.tobytes(), float(visits), made.nodes


def keep(result: dict[str, Any]) -> None:
    """Add a result to the file of results, and print it. Delete the file to begin again."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    before = known.get(result["fault"], {})
    for name, value in result.items():
        if name in before and isinstance(value, int):
            result[name] = before[name] + value
        elif name in before and isinstance(value, float):
            result[name] = max(before[name], value)
    files.write_json(RESULTS, {**known, result["fault"]: result})
    print(json.dumps(result), flush=True)  # noqa: T201


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--faults", default="worker,stall,node,shard,node stopped for 30 s,memory,version,head")
    given = parser.parse_args()
    wanted = given.faults.split(",")
    if set(wanted) - {"head"}:
        connection._protect()
        connection.import_ray()
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args=NODE)
        try:
            for _ in range(WORKERS - 1):
                cluster.add_node(wait=False, **NODE)
            cluster.wait_for_nodes()
            with connection.connected(cluster.address) as ray:
                for fault in wanted:
                    if fault == "version":
                        keep(version(cluster, ray))
                    elif fault == "shard":
                        shard(ray, given.times)
                    elif fault != "head":
                        processes(ray, cluster, fault, given.times)
        finally:
            cluster.shutdown()
    if "head" in wanted:
        head(given.times)


if __name__ == "__main__":
    main()
