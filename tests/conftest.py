"""Fixtures and settings of all tests: games that are built once, shared caches, published numbers."""

from __future__ import annotations

import gc
import json
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

import smoothcall as sc
from smoothcall.cli.main import use_one_blas_thread

if TYPE_CHECKING:
    from smoothcall.play.opponents import Agents

GOLDEN = Path(__file__).parent / "golden"
PATIENCE = 300  # seconds: a guard against hanging, not a speed target
TABLES = Path(__file__).parents[1] / ".pytest_cache" / "tables"  # built by tests.warm, shared by all workers
gc.set_threshold(100_000, 20, 100)  # compilers leave objects by the million, and collecting them is 6 % of the time
use_one_blas_thread()  # before NumPy is imported, for all workers and programs that tests start
os.environ["SMOOTHCALL_CACHE"] = str(TABLES)
COMPILE_FAST = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {COMPILE_FAST}"
os.environ["JAX_COMPILATION_CACHE_DIR"] = str(TABLES.parent / "jax")  # tests share what JAX compiles
os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"
FULL_SIZE = os.environ.get("SMOOTHCALL_FULL_SIZE", "0") == "1"  # set by `make test-long`
NO_CHECKS = "leduc:opening=bet-or-fold,showdown=starting-hands"  # as the program of macmanus2019 plays Leduc
GAMES = ["rps", "kuhn", "kuhn:pot=8", "kuhn-3p", "leduc", "leduc:suits=apart", NO_CHECKS, "leduc-3p"]
SMALL = ["rps", "kuhn", "kuhn-3p"] if INTERPRETED else ["rps", "kuhn", "kuhn:pot=8", "kuhn-3p", "leduc"]
TINY = "no-limit-holdem-32:menu=pot,grid=20/10/5"  # the smallest game with sampled deals
WHOLE_BETS = "no-limit-holdem-32:stack=3000,menu=x1+x2,grid=10/10/10"  # the smallest game of freezeouts
SAMPLED_GAMES = ["limit-holdem", "limit-holdem:grid=L", "no-limit-holdem", TINY]


def examples(most: int) -> int:
    """Return how many examples a property test tries: a quarter of `most` in the fast suite, which `make test-long` tries."""
    return most if FULL_SIZE else most // 4


settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")  # the same examples everywhere, however busy the machine is
LONG = (
    "test_leaks.py",
    "test_holdem.py",
    "test_killed.py",
    "test_schema.py",
)  # run first, so that no worker waits for them at the end


def pytest_configure(config: pytest.Config) -> None:
    """Ignore a cache entry that another worker is still writing; JAX compiles it then."""
    config.addinivalue_line("filterwarnings", "ignore:Error (reading|writing) persistent compilation cache:UserWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order tests: first those on a Ray cluster, which are then all of one worker, so that one Ray is started; then LONG.

    Workers begin with slices of the list and steal from the ends of others (`--dist worksteal`).
    """
    items.sort(key=lambda item: ("cluster" not in getattr(item, "fixturenames", ()), item.path.name not in LONG))


@cache
def built(spec: str) -> sc.Game:
    """Return a game, built once per worker."""
    return sc.game(spec)


@cache
def shipped() -> Agents:
    """Return the shipped opponents, each loaded once per worker."""
    from smoothcall.play.opponents import Agents

    return Agents()


@pytest.fixture(scope="session")
def golden() -> Any:
    return json.loads((GOLDEN / "solutions.json").read_text())
