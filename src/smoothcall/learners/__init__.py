"""Learning from observations in simulated hands: Monte-Carlo control, deep Q-learning, clipped double DQN, NFSP.

Networks learn with JAX, Equinox and Optax. Learners import the modules that need these when they are built, after
`verify_packages`; everything else works without.
"""

from __future__ import annotations

from importlib.util import find_spec

from smoothcall.errors import UsageError

PACKAGES = ("jax", "equinox", "optax")


def verify_packages(needed_by: str) -> None:
    """Raise `UsageError` with how to install them unless the packages that networks learn with are there."""
    for package in PACKAGES:
        try:
            found = find_spec(package)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise UsageError(f"{needed_by} needs {package}: pip install 'smoothcall[neural]'")
