"""Digests of what every solver learns and of the figures that commands print, to show that a change of code changes no number.

    python benchmarks/digests.py --write FILE      run everything (minutes) and write the digests
    python benchmarks/digests.py --compare FILE    run everything again and list what differs; exit status 1 where anything does

benchmarks/digests.json was written by the commit that README.md beside this file names. Tables are compared bit for bit, so
that another processor or another version of NumPy, Numba or JAX may differ in the last bits: write a file on the same machine
first.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import smoothcall as sc
from smoothcall.games.matrix import zero_sum

SEEDS = (1, 2)
SMALL = ("kuhn", "leduc")
TINY = "no-limit-holdem-32:menu=pot,grid=20/10/5"
WHOLE_BETS = (
    "no-limit-holdem-32:stack=3000,menu=x1+x2,grid=10/10/10",
    "no-limit-holdem-32:stack=4000,menu=x1+x2+x3,grid=10/10/10",
)
SHORT_STACKS = ("no-limit-holdem:stack=20,grid=5/5/5", "no-limit-holdem:stack=30,grid=5/5/5,menu=1/2+all-in")
MATRICES = {"pennies": zero_sum("pennies", ("H", "T"), [[2, -1], [-1, 1]])}
FREEZEOUTS = {"freezeouts": 16, "memory": 2000, "mirror": 30, "renew": 10}
NFSP = {"hands": 8, "moves": 500, "transitions": 500, "batch": 8, "hidden": 8, "every": 4, "eta": 0.5, "target": 8}
LEARNERS: dict[str, dict[str, Any]] = {
    "monte-carlo": FREEZEOUTS,
    "deep-q-continuous": FREEZEOUTS | {"batch": 8, "rate": 0.05},
    "deep-q-discrete": FREEZEOUTS | {"batch": 8},
    "clipped-double-dqn": FREEZEOUTS | {"batch": 8, "every": 4},
}
COMMANDS = """
games
solvers
train kuhn cfr --iterations 500 --out A
train leduc cfr+ --iterations 200 --out B
train leduc mccfr --iterations 20000 --seed 3 --set sampling=outcome --out C
train leduc smooth-uct --iterations 50000 --seed 1 --keep --out D
train rps regret-matching --iterations 2000 --seed 1 --out E
resume B --iterations 300
evaluate B
evaluate C --greedy
evaluate D
evaluate limit-holdem-smooth-uct --deals 300 --episodes 200000 --seed 1
evaluate no-limit-holdem-32-monte-carlo --deals 300 --episodes 100000 --seed 1
show B K/Q:crrc/r
show limit-holdem-smooth-uct AKs:r
show no-limit-holdem-mccfr AA:
match B C
match B D probe always-call --table T.png
match limit-holdem-smooth-uct probe --hands 20000 --seed 2
match no-limit-holdem-32-monte-carlo aggressive --freezeouts 200 --seed 1
match no-limit-holdem-pricope-agent-3-gp no-limit-holdem-mccfr --hands 2000 --seed 1
match no-limit-holdem-32-clipped-double-dqn mirror --hands 2000 --seed 4
match no-limit-holdem-pricope-agent-1 mostly-calls --hands 400 --seed 4 --game no-limit-holdem
""".strip().splitlines()
MEASURED = ("second", "time", "rate", "speed", "version", "wall", "memory", "date", "fingerprint")  # parts of keys left out


class Case(NamedTuple):
    """A solver on a game."""

    label: str
    solver: str
    game: str
    options: dict[str, Any]
    iterations: int


def cases() -> Iterator[Case]:
    """Every solver on two games, with the options that choose other code."""
    for game in SMALL:
        for name in ("cfr", "cfr+", "linear-cfr", "discounted-cfr", "predictive-cfr+", "xfp"):
            yield Case(name, name, game, {}, 200)
        yield Case("lp", "lp", game, {}, 1)
        yield Case("cfr, simultaneous", "cfr", game, {"alternating": False}, 200)
        yield Case("cfr+, pruned", "cfr+", game, {"prune": 0.0}, 200)
        for sampling in ("external", "outcome", "chance"):
            yield Case(f"mccfr, {sampling}", "mccfr", game, {"sampling": sampling}, 20_000)
        yield Case("mccfr, chance, pruned", "mccfr", game, {"sampling": "chance", "prune": 1e-4}, 5_000)
        for name in ("uct", "smooth-uct"):
            for folds in ("exact", "sampled"):
                yield Case(f"{name}, {folds} folds", name, game, {"folds": folds}, 100_000)
    for name in ("uct", "smooth-uct", "mccfr"):
        yield Case(name, name, TINY, {}, 50_000)
    yield Case("mccfr, outcome", "mccfr", TINY, {"sampling": "outcome"}, 50_000)
    yield Case("smooth-uct", "smooth-uct", "limit-holdem", {"explore": "pot", "mixing": "greatest"}, 100_000)
    yield Case("uct against random", "uct", "leduc", {"against": "random", "learner": 1}, 50_000)
    for game in ("rps", *MATRICES):
        yield Case("regret-matching", "regret-matching", game, {}, 5_000)
    yield from learners()


def learners() -> Iterator[Case]:
    """Everything that learns from observations."""
    for game in (*SMALL, TINY):
        yield Case("nfsp", "nfsp", game, NFSP, 500)
    yield Case("nfsp, gradient play", "nfsp", "leduc", NFSP | {"rho": 0.5}, 500)
    for game in SHORT_STACKS:
        yield Case("nfsp-freezeouts", "nfsp-freezeouts", game, NFSP | {"length": 3, "rho": 0.5}, 200)
    against = NFSP | {"length": 3, "against": "heuristic-mc"}
    yield Case("nfsp-freezeouts against heuristic-mc", "nfsp-freezeouts", SHORT_STACKS[0], against, 200)
    for game in WHOLE_BETS:
        for name, options in LEARNERS.items():
            yield Case(name, name, game, options, 400)
    for name in ("monte-carlo", "clipped-double-dqn"):
        yield Case(f"{name}, rollouts", name, WHOLE_BETS[0], LEARNERS[name] | {"rollouts": 20}, 400)


@cache
def built(spec: str) -> sc.Game:
    return sc.Game(MATRICES[spec]) if spec in MATRICES else sc.game(spec)


def digest(array: np.ndarray[Any, Any]) -> str:
    array = np.ascontiguousarray(array)
    return hashlib.sha256(f"{array.shape}{array.dtype.str}".encode() + array.tobytes()).hexdigest()[:16]


def solver_digests() -> dict[str, Any]:
    """By case and seed: digests of the tables (in no order, so that tables may be renamed) and of both policies."""
    found = {}
    for case in cases():
        for seed in SEEDS:
            solver = sc.solver(case.solver, built(case.game), seed=seed, **case.options)
            solver.run(case.iterations)
            found[f"{case.label} on {case.game}, seed {seed}"] = {
                "tables": sorted(map(digest, solver.tables().values())),
                "policy": digest(solver.policy().table),
                "current_policy": digest(solver.current_policy().table),
                "iterations": solver.iterations,
                "nodes": solver.nodes,
            }
            sys.stderr.write(f"{case.label} on {case.game}, seed {seed}\n")
    return found


def numbers(value: Any, key: str = "") -> Iterator[str]:
    """The numbers in JSON that do not depend on the clock or the version."""
    if any(part in key.lower() for part in MEASURED):
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from numbers(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner, key)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield repr(float(value))


def command_digests() -> dict[str, Any]:
    """By command: the digest of the sorted numbers in its JSON, so that keys may be renamed, and its exit status."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for line in COMMANDS:
            words = [sys.executable, "-m", "smoothcall", *line.split(), "--json"]
            done = subprocess.run(words, cwd=folder, env=os.environ, capture_output=True, text=True, check=False)
            told = sorted(numbers(json.loads(done.stdout)))
            found[line] = {
                "numbers": len(told),
                "digest": hashlib.sha256("\n".join(told).encode()).hexdigest()[:16],
                "exit": done.returncode,
            }
            sys.stderr.write(f"{line}\n")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Digests of what solvers learn and commands print.")
    parser.add_argument("--write", type=Path, metavar="FILE")
    parser.add_argument("--compare", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    if (chosen.write is None) == (chosen.compare is None):
        parser.error("give --write FILE or --compare FILE")
    found = {"solvers": solver_digests(), "commands": command_digests()}
    if chosen.write is not None:
        chosen.write.write_text(json.dumps(found, indent=1) + "\n")
        return 0
    known = json.loads(chosen.compare.read_text())
    differ = [name for part in known for name in known[part] if found[part].get(name) != known[part][name]]
    total = sum(map(len, known.values()))
    sys.stdout.write("\n".join([f"{total - len(differ)} of {total} equal", *differ]) + "\n")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
