"""Compiled kernels: arrays in, arrays out. Nothing here imports anything else of the package.

Every kernel is compiled once and cached on disk, and releases the interpreter lock so that threads can share tables.
With `NUMBA_DISABLE_JIT=1` the same functions run as plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from smoothcall.kernels.compiled import drop_outdated

drop_outdated(Path(__file__).parent)

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function with Numba, typed for the reader as what it was."""
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def callee(function: F) -> F:
    """Compile a function that only kernels call: with its callers, and without the code that unpacks a call from Python.

    Unpacking structs of arrays is a quarter of what a kernel of many parts takes to compile. A test checks that nothing but
    kernels uses these functions: a call from Python would end the process.
    """
    unwrapped: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(F, numba.njit(nogil=True, error_model="numpy", **unwrapped)(function))


def on_threads(function: F) -> F:
    """Compile a function whose loops over `numba.prange` run on threads, and nothing else of it."""
    only: Any = {"prange": True} | dict.fromkeys(
        ("comprehension", "inplace_binop", "numpy", "reduction", "setitem", "stencil"), False
    )
    return cast(F, numba.njit(parallel=only, cache=True, nogil=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """Copy a small step of a kernel into each caller: a call that hands over tuples of arrays costs 100 ns and more."""
    return cast(F, numba.njit(inline="always", error_model="numpy")(function))


def uncached(function: F) -> F:
    """Compile a kernel that calls itself, or its caller, at every start: Numba's cache hands back code that crashes.

    (Numba 0.68: a self-recursive function read from the cache ends in a segmentation fault.)
    """
    return cast(F, numba.njit(nogil=True, error_model="numpy")(function))
