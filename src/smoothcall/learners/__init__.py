"""Learning with networks (JAX, Equinox, Optax), by batched self-play on the same action tree as everything else.

JAX is imported when a network is about to learn, and not before: everything else works without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from smoothcall.errors import UsageError

PACKAGES = ("jax", "equinox", "optax")


def learning(module: str, needed_by: str) -> Any:
    """A module of this package that needs JAX; where that is missing, an error that says how to get it."""
    for package in PACKAGES:
        try:
            import_module(package)
        except ModuleNotFoundError:
            raise UsageError(f"{needed_by} needs {package}: pip install 'smoothcall[neural]'") from None
    return import_module(f"smoothcall.learners.{module}")
