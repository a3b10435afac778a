"""What all tests share: the games, built once, and the numbers from outside."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import smoothcall as sc

GOLDEN = Path(__file__).parent / "golden"
TABLES = Path(__file__).parents[1] / ".pytest_cache" / "tables"  # built by tests.warm, shared by all workers
os.environ["SMOOTHCALL_CACHE"] = str(TABLES)
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"
GAMES = ["rps", "kuhn", "kuhn:pot=8", "kuhn-3p", "leduc", "leduc:suits=apart", "leduc-3p"]
SMALL = ["rps", "kuhn", "kuhn-3p"] if INTERPRETED else ["rps", "kuhn", "kuhn:pot=8", "kuhn-3p", "leduc"]
TINY = "no-limit-holdem-32:menu=pot,grid=20/10/5"  # the smallest game whose deals are drawn
DRAWN = ["limit-holdem", "limit-holdem:grid=L", "no-limit-holdem", TINY]


@cache
def built(spec: str) -> sc.Game:
    """A game, built once in a test session."""
    return sc.game(spec)


@pytest.fixture(scope="session")
def golden() -> Any:
    return json.loads((GOLDEN / "solutions.json").read_text())
