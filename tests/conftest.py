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
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"
GAMES = ["rps", "kuhn", "kuhn:pot=8", "kuhn-3p", "leduc", "leduc:suits=apart", "leduc-3p"]
SMALL = ["rps", "kuhn", "kuhn-3p"] if INTERPRETED else ["rps", "kuhn", "kuhn:pot=8", "kuhn-3p", "leduc"]


@cache
def built(spec: str) -> sc.Game:
    """A game, built once in a test session."""
    return sc.game(spec)


@pytest.fixture(scope="session")
def golden() -> Any:
    return json.loads((GOLDEN / "solutions.json").read_text())
