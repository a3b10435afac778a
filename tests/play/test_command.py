"""`smoothcall play` as a user meets it: a real process that serves, and one whose lines are a script."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import util
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from smoothcall.cli import main

WORDS = [sys.executable, "-m", "smoothcall", "play"]


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMOOTHCALL_DATA", str(tmp_path / "data"))


def run(*words: str, typed: str = "", **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WORDS, *words], input=typed, capture_output=True, text=True, env={**os.environ, **changes}, timeout=60
    )


@contextmanager
def served(*words: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A server and what it said up to its address."""
    words = (*WORDS, "--no-browser", "--port", "0", *words)
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said: list[str] = []
            while not said or "play at" not in said[-1]:
                said.append(process.stderr.readline())
                assert said[-1], said
            yield process, said
        finally:
            process.kill()


def test_the_page_is_served_until_ctrl_c(tmp_path: Path) -> None:
    with served() as (process, said):
        assert len(said) == 1, "no warning for this machine alone"
        address = said[0].split()[2]
        assert address.startswith("http://127.0.0.1:")
        with urlopen(address, timeout=20) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert (tmp_path / "data" / "hands.sqlite").exists()


def test_other_addresses_come_with_a_warning() -> None:
    with served("--host", "0.0.0.0") as (_, said):
        assert "warning: on 0.0.0.0, whoever can reach this machine can play here" in said[0]


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("--no-browser", "--port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"cannot listen on port {port} of '127.0.0.1'" in done.stderr
    assert "--port" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_script_plays_in_the_terminal(tmp_path: Path) -> None:
    done = run("--terminal", "--game", "leduc", "--against", "leduc-cfr", typed="c\nc\nc\nc\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "You are dealt" in done.stdout
    assert "Your hands are kept" in done.stdout
    assert "\x1b" not in done.stdout
    assert (tmp_path / "data" / "terminal").stat().st_mode & 0o777 == 0o600


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command line that fails, in this process: its one line."""

    def run(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["smoothcall", "play", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert (ended.value.code, out, err.count("\n")) == (2, "", 1), err
        return err

    return run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--terminal"], "--terminal needs a game and opponents: --game leduc --against"),
        (["--terminal", "--game", "leduc"], "--terminal needs a game and opponents"),
        (["--game", "leduc"], "--game and --against belong to --terminal"),
        (["--against", "random"], "--game and --against belong to --terminal"),
        (["--terminal", "--game", "chess", "--against", "random"], "game 'chess' (accepted at a table: kuhn"),
        (["--terminal", "--game", "leduc", "--against", "leduc-cfx"], "unknown agent 'leduc-cfx'; did you mean 'leduc-cfr'?"),
        (["--terminal", "--game", "leduc", "--against", "kuhn-lp"], "plays kuhn, not leduc"),
        (["--terminal", "--game", "kuhn-3p", "--against", "random"], "1 opponents (accepted: 2)"),
        (["--agents", "nowhere"], "there is no folder of agents 'nowhere'"),
        (["--database", "mysql://x"], "database 'mysql://x'"),
        (["--port", "many"], "'many' is not a whole number"),
        (["--port", "70000"], "--port 70000 (accepted: 0 to 65535"),
        (["--host", "256.1.1.1", "--port", "0"], "256.1.1.1"),
        (["--json"], "No such option: --json"),
    ],
)
def test_wrong_input_is_one_line(words: list[str], message: str, call: Any) -> None:
    assert message in call(*words)


@pytest.mark.parametrize("words", [["--no-browser"], ["--terminal", "--game", "leduc", "--against", "random"]])
def test_without_the_extra(words: list[str], call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name, *rest: None if name == "sqlalchemy" else found(name, *rest))
    assert "pip install 'smoothcall[web]'" in call(*words)
