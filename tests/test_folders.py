"""The user's folders, and the memory that is left."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import smoothcall as sc
from smoothcall.folders import cache_folder, data_folder
from smoothcall.memory import available, verify_memory

UNIX_ONLY = {"crypt", "fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
linux = pytest.mark.skipif(sys.platform != "linux", reason="folders of the XDG specification, address limits")


@pytest.mark.interpreted
@pytest.mark.parametrize(("folder", "named"), [(cache_folder, "SMOOTHCALL_CACHE"), (data_folder, "SMOOTHCALL_DATA")])
def test_the_environment_comes_first(folder: Callable[[], Path], named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(named, "/some/where")
    monkeypatch.setenv("XDG_CACHE_HOME", "/other")
    monkeypatch.setenv("XDG_DATA_HOME", "/other")
    assert folder() == Path("/some/where")
    monkeypatch.delenv(named)
    assert folder().name == "smoothcall"
    monkeypatch.setenv(named, "")  # empty: not set
    assert folder().name == "smoothcall"


@linux
@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("folder", "named", "xdg", "default"),
    [
        (cache_folder, "SMOOTHCALL_CACHE", "XDG_CACHE_HOME", ".cache/smoothcall"),
        (data_folder, "SMOOTHCALL_DATA", "XDG_DATA_HOME", ".local/share/smoothcall"),
    ],
)
def test_folders_of_the_xdg_specification(
    folder: Callable[[], Path], named: str, xdg: str, default: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(named, raising=False)
    monkeypatch.setenv(xdg, "/other")
    assert folder() == Path("/other/smoothcall")
    monkeypatch.delenv(xdg)
    assert folder() == Path.home() / default


def test_more_memory_than_there_is_is_refused() -> None:
    left = available()
    assert 1_000_000 < left < 1e16
    verify_memory(1000, "a small table")
    with pytest.raises(sc.UsageError, match=r"a table needs 1e\+09 GB of memory, .* GB are left"):
        verify_memory(10**18, "a table")


@linux
def test_an_address_limit_counts() -> None:
    code = (
        "import resource, psutil; from smoothcall.memory import available; "
        "taken = psutil.Process().memory_info().vms; "
        "resource.setrlimit(resource.RLIMIT_AS, (taken + 50_000_000, -1)); "
        "print(available())"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(answer.stdout) <= 50_000_000


def test_no_module_needs_what_only_unix_has() -> None:
    """Windows has none of these: they may be imported where they are used, or in a `try`, but not with the module."""
    found = []
    for path in Path(sc.__file__).parent.rglob("*.py"):
        for step in ast.parse(path.read_text()).body:
            if isinstance(step, ast.Import):
                found += [(path.name, each.name) for each in step.names if each.name in UNIX_ONLY]
            elif isinstance(step, ast.ImportFrom) and step.module in UNIX_ONLY:
                found.append((path.name, step.module))
    assert found == []
