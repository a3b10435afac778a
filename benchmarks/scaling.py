"""Simulate teams of K workers in one process, and measure what an exchange costs: the figures of docs/scaling.md.

    python benchmarks/scaling.py                  measure what is missing in docs/scaling/data.json (minutes)
    python benchmarks/scaling.py --only PART      parts whose names contain this text
    python benchmarks/scaling.py --page           write docs/scaling.md and its pictures from the data

A simulated team does exactly what a team on a cluster does (`smoothcall.cluster.team`): the tables are equal bit for bit.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import smoothcall as sc
from smoothcall.cluster import merging, sharded, team
from smoothcall.cluster.connection import connected
from smoothcall.cluster.hosts import ClusterHosts
from smoothcall.cluster.sharded import ShardedSolver
from smoothcall.cluster.team import LearningTeam
from smoothcall.evaluation.local_best_response import local_best_response
from smoothcall.experiments.parts import Parts, read

sys.path.insert(0, str(Path(__file__).parent))
from scaling_page import write

ROOT = Path(__file__).parents[1]
DATA = ROOT / "docs" / "scaling" / "data.json"
WORKERS, FEW = (1, 2, 4, 8, 16, 32, 64, 128, 256), (2, 4, 16, 64)
SEEDS, RULE_SEEDS = 3, 5
SOLVERS = {"leduc": {"smooth-uct": 4_000_000, "mccfr": 1_000_000}, "leduc-3p": {"smooth-uct": 3_000_000, "mccfr": 300_000}}
EXCHANGES = {"smooth-uct": (1024, 4096, 16384), "mccfr": (256, 4096, 16384)}
ALL = {"smooth-uct": 1024, "mccfr": 256}  # the interval that is simulated for all of WORKERS
POWERS = (0.0, 0.5, 1.0)  # of the number of workers, by which changes of regrets are divided
COSTS = {"leduc": 1_000_000, "limit-holdem": 1_000_000}  # iterations
RULE = {"smooth-uct": 8_000_000, "mccfr": 1_000_000}  # iterations
HOLDEM, HOLDEM_EPISODES, HOLDEM_DEALS = "limit-holdem", {"smooth-uct": 4_000_000, "mccfr": 200_000}, 400
HOLDEM_RULE, RULE_DEALS = {"smooth-uct": 12_000_000, "mccfr": 200_000}, 4_000  # iterations; deals of the local best response
RULE_OF_REGRETS = {"fewest regrets": team.LEAST_REGRETS, "share of regrets": team.REGRET_SHARE}
SHARDED = {"smooth-uct": 1_000_000, "mccfr": 100_000}  # iterations
SHARD_COSTS = {"smooth-uct": 600_000, "mccfr": 30_000}
THROUGHPUT_START, THROUGHPUT = 4_000_000, 4_000_000  # iterations before the first repeat, and in each
THROUGHPUT_ROUNDS = {500_000: 7, None: 7}  # repeats by the iterations of a worker in a round; None: as the rule says
EXCHANGED = {"merged by": "every worker"}  # figures of other ways to exchange changes are measured again
HOLDEM_WORKERS, HOLDEM_SHARES = (1, 4, 16, 64), (4, 64)  # exchanges in all


def learn(
    spec: str, name: str, iterations: int, workers: int, exchange: int | None, seed: int
) -> tuple[sc.Policy, LearningTeam]:
    built = sc.solver(name, sc.game(spec), seed=seed)
    built.team = team = LearningTeam(built, workers, exchange=exchange)
    built.run(iterations)
    return built.policy(), team


def nash_convs(spec: str, name: str, iterations: int, exchange: int | None, power: float) -> dict[str, Any]:
    """Return NashConv by the number of workers, a list over seeds."""
    merging.REGRET_POWER = power
    game, found = sc.game(spec), {}
    for workers in WORKERS if exchange == ALL[name] else FEW:
        if exchange is None or workers * exchange <= iterations // 2:
            found[str(workers)] = [
                sc.nash_conv(game, learn(spec, name, iterations, workers, exchange, seed)[0]) for seed in range(SEEDS)
            ]
    return found


def by_rule(name: str, workers: int) -> list[float]:
    """Return NashConv on Leduc by seed, rounds as long as the rule says."""
    merging.REGRET_POWER = 1.0
    return [
        sc.nash_conv(sc.game("leduc"), learn("leduc", name, RULE[name], workers, None, seed)[0]) for seed in range(RULE_SEEDS)
    ]


def in_shards(name: str, shards: int) -> list[float]:
    """Return NashConv on Leduc by seed, of a solver in so many shards (0: not divided)."""
    game, found = sc.game("leduc"), []
    for seed in range(RULE_SEEDS):
        with tempfile.TemporaryDirectory() as folder:
            built = (
                ShardedSolver(name, game, shards=shards, folder=Path(folder), seed=seed)
                if shards
                else sc.solver(name, game, seed=seed)
            )
            built.run(SHARDED[name])
            found.append(sc.nash_conv(game, built.policy()))
    return found


def throughput(exchange: int | None, repeats: int) -> dict[str, Any]:
    """Return what Smooth UCT on limit hold'em takes without a cluster ("alone"), with one and with two workers.

    They take turns on one local cluster. Lists over repeats: seconds by the clock; processor time of every worker; processor
    time of this process. `exchange`: iterations of a worker in a round; None: as the rule says.
    """
    solvers = {name: sc.solver("smooth-uct", sc.game(HOLDEM), seed=0) for name in ("alone", "1", "2")}
    found: dict[str, Any] = {name: {"seconds": [], "workers": [], "here": []} for name in solvers}
    processes: dict[str, list[int]] = {"alone": []}
    with connected("local:3") as ray:
        for workers in (1, 2):
            built = solvers[str(workers)]
            built.team = LearningTeam(built, workers, exchange=exchange)
            hosts = built.team.hosts = ClusterHosts(ray, built, workers)
            processes[str(workers)] = hosts.processes
        for built in solvers.values():
            built.run(THROUGHPUT_START)
        for _ in range(repeats):
            for name, built in solvers.items():
                before, spent, started = [_spent(each) for each in processes[name]], time.process_time(), time.perf_counter()
                built.run(THROUGHPUT)
                found[name]["seconds"].append(time.perf_counter() - started)
                found[name]["here"].append(time.process_time() - spent)
                found[name]["workers"].append([_spent(each) - past for each, past in zip(processes[name], before, strict=True)])
    return found


def _spent(process: int) -> float:
    """Return the processor time of a process so far, in seconds."""
    times = psutil.Process(process).cpu_times()
    return float(times.user + times.system)


def shard_costs(name: str, iterations: int) -> dict[str, float]:
    """Return what rounds of three shards on limit hold'em cost in one process: processor time, and bytes that hands take."""
    game = sc.game(HOLDEM)
    with tempfile.TemporaryDirectory() as folder:
        built = ShardedSolver(name, game, shards=3, folder=Path(folder), seed=0, exchange=iterations // 30)
        built.run(30)
        started = time.process_time()
        built.run(iterations)
        spent = time.process_time() - started
        sent = built.team.hosts.shards[0].part.begin(10_000)
        hands = sum(len(batch.line) for batch in sent)
        size = sum(array.nbytes for batch in sent for array in (*batch[:3], *batch.about))
        alone = sc.solver(name, game, seed=0)
        alone.run(30)
        started = time.process_time()
        alone.run(iterations)
    return {"divided": spent, "whole": time.process_time() - started, "travel": hands / 10_000, "bytes": size / hands}


def holdem_by_rule(name: str, workers: int) -> list[float]:
    """Return the local best response in limit hold'em by seed, in mbb/h, over the same deals; rounds as the rule says."""
    merging.REGRET_POWER, found = 1.0, []
    for seed in range(RULE_SEEDS):
        policy, _ = learn(HOLDEM, name, HOLDEM_RULE[name], workers, None, seed)
        found.append(local_best_response(policy, deals=RULE_DEALS, seed=1).total.mean)
    return found


def holdem(name: str, workers: int, exchanges: int) -> dict[str, Any]:
    """Return the local best response against a team's policy after so many exchanges, and the bytes of an exchange."""
    iterations = HOLDEM_EPISODES[name]
    started = time.process_time()
    policy, team = learn(HOLDEM, name, iterations, workers, iterations // workers // exchanges, 0)
    spent = time.process_time() - started
    found = local_best_response(policy, deals=HOLDEM_DEALS, seed=1)
    return {
        "mbb": found.total.mean,
        "half": found.total.half_width(),
        "bytes": team.exchanged / team.number / workers,
        "seconds": spent,
    }


def costs(spec: str, iterations: int) -> dict[str, float]:
    """Return what steps of Smooth UCT by two workers cost: processor time, bytes sent, and what an exchange adds."""
    timed = {}
    for rounds in (2, 32):
        built = sc.solver("smooth-uct", sc.game(spec), seed=0)
        built.team = LearningTeam(built, 2, exchange=iterations // 2 // rounds)
        built.prepare()
        built.run(2)
        before, started = built.team.exchanged, time.process_time()
        built.run(iterations)
        timed[rounds] = (time.process_time() - started, (built.team.exchanged - before) / rounds / 2)
    step = max(0.0, (timed[32][0] - timed[2][0]) / 60)  # seconds: 64 steps against 4
    return {
        "rows": built.game.tree.rows,
        "seconds an episode": (timed[2][0] - 4 * step) / iterations,
        "seconds an exchange": step,
        "episodes a step": iterations // 4,
        "bytes a step": timed[2][1],
    }


def plan() -> Iterator[tuple[str, dict[str, Any], Any]]:
    for spec, iterations in COSTS.items():
        yield f"costs, {spec}", {"iterations": iterations, **EXCHANGED}, lambda s=spec, i=iterations: costs(s, i)
    for name, iterations in RULE.items():
        for workers in (1, 2, 4):
            settings = {"iterations": iterations, "seeds": RULE_SEEDS, "share": team.SHARE, "regrets": team.MOST_REGRETS}
            settings |= RULE_OF_REGRETS if name == "mccfr" and workers > 1 else {}
            yield f"rule, {name}, {workers} workers", settings, lambda n=name, w=workers: by_rule(n, w)
    for name, iterations in HOLDEM_RULE.items():
        for workers in (1, 2, 4):
            settings = {"iterations": iterations, "seeds": RULE_SEEDS, "deals": RULE_DEALS}
            if workers > 1:
                settings |= RULE_OF_REGRETS if name == "mccfr" else {"cells": team.CELLS, "first": team.FIRST}
            yield f"hold'em rule, {name}, {workers} workers", settings, lambda n=name, w=workers: holdem_by_rule(n, w)
    for name, iterations in SHARDED.items():
        for shards in (0, 1, 2, 4):
            settings = {"iterations": iterations, "seeds": RULE_SEEDS, "share": sharded.SHARE, "least": sharded.LEAST}
            yield f"shards, {name}, {shards}", settings, lambda n=name, k=shards: in_shards(n, k)
    for name, iterations in SHARD_COSTS.items():
        yield f"shard costs, {name}", {"iterations": iterations}, lambda n=name, i=iterations: shard_costs(n, i)
    for exchange, repeats in THROUGHPUT_ROUNDS.items():
        settings = {"start": THROUGHPUT_START, "iterations": THROUGHPUT, "exchange": exchange, "repeats": repeats} | EXCHANGED
        yield f"throughput, {exchange or 'rule'}", settings, lambda e=exchange, r=repeats: throughput(e, r)
    for spec, solvers in SOLVERS.items():
        for name, iterations in solvers.items():
            for exchange in EXCHANGES[name]:
                for power in POWERS if name == "mccfr" and spec == "leduc" else (1.0,):
                    settings = {"game": spec, "solver": name, "iterations": iterations, "exchange": exchange, "seeds": SEEDS}
                    label = f"{spec}, {name}, every {exchange}" + (f", power {power:g}" if name == "mccfr" else "")
                    call = lambda s=spec, n=name, i=iterations, e=exchange, p=power: nash_convs(s, n, i, e, p)  # noqa: E731
                    yield label, settings | {"power": power}, call
    for name, episodes in HOLDEM_EPISODES.items():
        for workers in HOLDEM_WORKERS:
            for exchanges in HOLDEM_SHARES if workers > 1 else HOLDEM_SHARES[:1]:
                settings = {"game": HOLDEM, "iterations": episodes, "deals": HOLDEM_DEALS}
                label = f"{HOLDEM}, {name}, {workers} workers, {exchanges} exchanges"
                yield label, settings, lambda n=name, w=workers, e=exchanges: holdem(n, w, e)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PART")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args()
    if given.page:
        write(read(DATA), ROOT / "docs")
        return
    np.seterr(all="ignore")
    parts = Parts(DATA, "python benchmarks/scaling.py", lambda line: print(line, file=sys.stderr, flush=True))  # noqa: T201
    for name, settings, measured in plan():
        if given.only in name:
            parts.measure(name, settings, measured)


if __name__ == "__main__":
    main()
