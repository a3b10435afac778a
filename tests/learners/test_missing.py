"""Without JAX everything works but what needs it, which says so; with it, nothing imports it before a network learns."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

# Command lines, one after the other, in a Python that does not find some packages; prints (exit status, output, errors) of each
WITHOUT = """
import contextlib, io, json, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

MISSING, lines = json.loads(sys.argv[1])
sys.meta_path.insert(0, Missing())
from smoothcall.cli import main
answers = []
for line in lines:
    sys.argv = ["smoothcall", *line.split()]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            answers.append((ended.code, out.getvalue(), err.getvalue()))
assert not {"jax", "jaxlib", "equinox", "optax"} & set(MISSING) & set(sys.modules)
print(json.dumps(answers))
"""


def _without(packages: list[str], lines: list[str], folder: Path) -> list[tuple[int, str, str]]:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, json.dumps([packages, lines])], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    return [tuple(answer) for answer in json.loads(done.stdout)]


def test_everything_else_works_without_jax(tmp_path: Path) -> None:
    lines = [
        "--help",
        "games",
        "solvers",
        "train kuhn cfr --iterations 50",
        "resume runs/kuhn-cfr --iterations 60",
        "evaluate runs/kuhn-cfr",
        "plot runs/kuhn-cfr",
        "match runs/kuhn-cfr random",
        "train kuhn nfsp",
    ]
    *worked, refused = _without(["jax", "jaxlib", "equinox", "optax"], lines, tmp_path)
    for line, (code, out, err) in zip(lines, worked, strict=False):
        assert code == 0, (line, err)
        assert out, line
    assert "nfsp" in worked[2][1], "the list has them all"
    assert refused == (2, "", "smoothcall: nfsp needs jax: pip install 'smoothcall[neural]'\n")
    assert not (tmp_path / "runs" / "kuhn-nfsp").exists()


def test_what_cannot_begin_or_go_on_says_so_and_writes_nothing(tmp_path: Path) -> None:
    """Where a package beside JAX is missing: told in one line."""
    (tmp_path / "run").mkdir()
    config = {
        "format": 1,
        "game": {"name": "kuhn", "options": {}},
        "solver": {"name": "nfsp", "seed": 0, "threads": 1, "options": {}},
        "iterations": 100, "seconds": None, "keep": False, "created": "2026-01-01T00:00:00+00:00", "versions": {},
    }  # fmt: skip
    (tmp_path / "run" / "config.json").write_text(json.dumps(config))
    for answer in _without(["optax"], ["train leduc nfsp", "resume run"], tmp_path):
        assert answer == (2, "", "smoothcall: nfsp needs optax: pip install 'smoothcall[neural]'\n")
    assert [path.name for path in tmp_path.rglob("*")] == ["run", "config.json"]


def test_nothing_imports_jax_before_a_network_learns(tmp_path: Path) -> None:
    asked = """
import sys

def loaded():
    return sorted({"jax", "jaxlib", "equinox", "optax"} & set(sys.modules))

import smoothcall
print(loaded())
import smoothcall.cli
print(loaded())
import smoothcall.app
assert "scipy.special" not in sys.modules, "0.3 s at every start of the program"
from smoothcall.app import App
App().solvers()
print(loaded())
smoothcall.solver("cfr+", smoothcall.game("kuhn")).run(1)
print(loaded())
smoothcall.solver("nfsp", smoothcall.game("kuhn"))
print(loaded())
"""
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.splitlines() == ["[]"] * 4 + ["['equinox', 'jax', 'jaxlib', 'optax']"]
