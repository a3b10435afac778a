"""Versions of the program on every machine of a cluster: a worker of another one would compute something else."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import smoothcall
from smoothcall.errors import UsageError

PACKAGES = ("smoothcall", "numpy", "numba")


class OtherVersion(UsageError):
    """A worker runs another version of the program."""


@cache
def this_version(*more: str) -> str:
    """Return the versions of the packages that determine results, of `more` too, with a digest of this package's source."""
    root = Path(smoothcall.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    packages = [f"{name} {_version(name)}" for name in (*PACKAGES, *more)]
    return ", ".join([*packages, f"Python {platform.python_version()}", f"source {digest.hexdigest()[:12]}"])


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def verify_version(wanted: str, found: str, where: str) -> None:
    """Refuse a worker whose version differs."""
    if wanted != found:
        raise OtherVersion(f"the worker on {where} runs {found}; this is {wanted} (install the same version on every machine)")
