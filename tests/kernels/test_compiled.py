"""Compiled kernels are dropped when a function they call has changed in another file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from smoothcall.kernels.compiled import drop_outdated

CALLEE = "import numba\n\n@numba.njit\ndef step(x):\n    return x + {}\n"
KERNEL = "import numba\nfrom part.callee import step\n\n@numba.njit(cache=True)\ndef run(x):\n    return step(x)\n"
SCRIPT = (
    "import sys\nfrom pathlib import Path\nfrom smoothcall.kernels.compiled import drop_outdated\n"
    "drop_outdated(Path(sys.argv[1]) / 'part')\nsys.path.insert(0, sys.argv[1])\n"
    "from part.kernel import run\nprint(run(1), sum(run.stats.cache_hits.values()))\n"
)


def write(path: Path, text: str, age: int) -> None:
    path.write_text(text)
    os.utime(path, ns=(age * 10**9, age * 10**9))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "part").mkdir()
    write(tmp_path / "part" / "callee.py", CALLEE.format(1), age=1)
    write(tmp_path / "part" / "kernel.py", KERNEL, age=1)
    return tmp_path


def printed(folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("NUMBA_DISABLE_JIT", "NUMBA_CACHE_DIR")}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)], check=True, capture_output=True, text=True, env=environment
    )
    return run.stdout.strip()


def test_a_change_of_a_callee_compiles_its_callers_again(folder: Path) -> None:
    assert [printed(folder), printed(folder)] == ["2 0", "2 1"]
    write(folder / "part" / "callee.py", CALLEE.format(2), age=2)
    assert [printed(folder), printed(folder)] == ["3 0", "3 1"]


def test_a_folder_that_cannot_be_written_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object, **how: object) -> None:
        raise PermissionError

    for name in ("mkdir", "write_text"):
        monkeypatch.setattr(Path, name, refuse)
    drop_outdated(folder / "part")
    assert not (folder / "part" / "__pycache__").exists()
