"""`smoothcall play` as a user meets it: a real process that serves, and one whose lines are a script."""

from __future__ import annotations

import io
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import util
from pathlib import Path
from urllib.request import urlopen

import pytest

import smoothcall as sc
from smoothcall.cli import main
from tests.conftest import PATIENCE

WORDS = [sys.executable, "-m", "smoothcall", "play"]


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMOOTHCALL_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)  # no agents in `runs`


def run(*words: str, typed: str = "", **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WORDS, *words], input=typed, capture_output=True, text=True, env={**os.environ, **changes}, timeout=PATIENCE
    )


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command line in this process, with `typed` as standard input; None: standard input is closed."""

    def run(*words: str, typed: str | None = "") -> Done:
        monkeypatch.setattr(sys, "argv", ["smoothcall", "play", *words])
        monkeypatch.setattr(sys, "stdin", None if typed is None else io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        assert code is None or isinstance(code, int)
        return Done(code or 0, *capsys.readouterr())

    return run


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
        with urlopen(address, timeout=120) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert (tmp_path / "data" / "hands.sqlite").exists()


def test_other_addresses_and_agents_left_out_come_with_a_warning(
    tmp_path: Path, here: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is announced, and not served."""
    monkeypatch.setattr("smoothcall.web.server.serve_on", lambda service, listening, host, ready, *rest: ready())
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "0.agent").write_text("no agent")
    done = here("--no-browser", "--port", "0", "--host", "0.0.0.0", "--agents", str(tmp_path / "agents"))
    said = done.stderr.splitlines()
    assert (done.returncode, done.stdout, len(said)) == (0, "", 3)
    assert said[0].startswith("left out: 0.agent")
    assert "warning: on 0.0.0.0, whoever can reach this machine can play here" in said[1]
    assert "play at" in said[2]


def test_a_port_in_use(here: Callable[..., Done]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = here("--no-browser", "--port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"cannot listen on port {port} of '127.0.0.1'" in done.stderr
    assert done.stderr.endswith(": Address already in use; choose another with --port or --host\n")
    assert done.stderr.count("\n") == 1


def test_a_script_plays_in_the_terminal(tmp_path: Path, here: Callable[..., Done]) -> None:
    done = here("--terminal", "--game", "leduc", "--against", "leduc-cfr", typed="c\nc\nc\nc\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "You are dealt" in done.stdout
    assert "Your hands are kept" in done.stdout
    assert "\x1b" not in done.stdout
    assert (tmp_path / "data" / "terminal").stat().st_mode & 0o777 == 0o600


AT_A_TABLE = ["--terminal", "--game", "leduc", "--against", "random"]


def verify_closed_and_resumed(closed: Done, again: Done) -> None:
    assert (closed.returncode, closed.stderr) == (0, "")
    assert "0 hands, 0 chips. Your hands are kept." in closed.stdout
    assert "Resuming your table" not in closed.stdout
    assert (again.returncode, again.stderr) == (0, "")
    assert "Resuming your table" in again.stdout
    assert "is not a move here" in again.stdout


def test_the_terminal_without_input(here: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input was closed, not only empty; the hand waits, and goes on, on a terminal without accents."""
    closed = here(*AT_A_TABLE, typed=None)
    screen = io.TextIOWrapper(io.BytesIO(), "ascii", "strict", write_through=True)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", screen)
        again = here(*AT_A_TABLE, typed="é\nq\n")
    verify_closed_and_resumed(closed, replace(again, stdout=screen.buffer.getvalue().decode()))


@pytest.mark.long
def test_a_process_without_input() -> None:
    """The same, with a standard input that a shell has closed."""
    words = ["sh", "-c", 'exec "$@" <&-', "sh", *WORDS, *AT_A_TABLE]
    closed = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    again = run(*AT_A_TABLE, typed="é\nq\n", PYTHONIOENCODING="ascii:strict")
    verify_closed_and_resumed(*(Done(process.returncode, process.stdout, process.stderr) for process in (closed, again)))


PASSIVE = """
class Passive:
    def act(self, view):
        return "c" if "c" in view.letters else view.letters[0]
"""


def test_an_opponent_by_any_name(tmp_path: Path, here: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name that a match accepts; one without an id of its own gets the same id each time, so that its table goes on."""
    for name in ("inside", "elsewhere"):
        (tmp_path / name).mkdir()
        sc.Policy.uniform(sc.game("kuhn")).save(tmp_path / name / "even.agent")
    (tmp_path / "opponents_of_a_test.py").write_text(PASSIVE)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    words = ["--terminal", "--game", "kuhn", "--agents", str(tmp_path / "inside"), "--against"]
    for opponent, shown in (
        (f"{tmp_path / 'inside' / 'even.agent'}:greedy", "even, greedy"),
        (str(tmp_path / "elsewhere" / "even.agent"), "even"),
        ("elsewhere/even.agent:greedy", "even:greedy"),
        ("kuhn-lp:threshold=0.05", "kuhn-lp:threshold=0.05"),
        ("opponents_of_a_test:Passive", "opponents_of_a_test:Passive"),
    ):
        done = here(*words, opponent, typed="c\nc\n")
        assert (done.returncode, done.stderr) == (0, "")
        assert shown in done.stdout
        assert "1 hand," in done.stdout
        assert "Resuming your table" not in done.stdout
        assert "Resuming your table" in here(*words, opponent).stdout
    assert "unknown player 'nobody'" in here(*words, "nobody").stderr
    assert "there is no agent file 'no.agent'" in here(*words, "no.agent").stderr


def test_who_plays_a_game(here: Callable[..., Done]) -> None:
    """Without an opponent, those there are; and what to type next."""
    done = here("--terminal", "--game", "kuhn-3p")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Kuhn poker, three players" in done.stdout
    assert "always-call" in done.stdout
    assert "leduc-cfr" not in done.stdout
    last = done.stdout.splitlines()[-1].partition("smoothcall play ")[2].split()
    assert last.count("--against") == 2
    assert "You are dealt" in here(*last).stdout
    assert "the terminal's own, kept in" in " ".join(here(*last).stdout.split())


@pytest.mark.parametrize(("damaged", "lines"), [(2, 2), (10, 10), (12, 11)])
def test_agents_left_out_are_told(tmp_path: Path, here: Callable[..., Done], damaged: int, lines: int) -> None:
    folder = tmp_path / "agents"
    folder.mkdir()
    for number in range(damaged):
        (folder / f"{number}.agent").write_text("no agent")
    done = here("--agents", str(folder), "--terminal", "--game", "kuhn", "--against", "random")
    told = done.stderr.splitlines()
    assert (done.returncode, len(told)) == (0, lines), told
    assert told[0].startswith("left out: 0.agent")
    assert (told[-1] == "and 2 more") == (damaged > 10)


@pytest.fixture
def call(here: Callable[..., Done]) -> Callable[..., str]:
    """Run a command line that fails: its one line."""

    def run(*words: str) -> str:
        done = here(*words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        return done.stderr

    return run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--terminal"], "--terminal needs a game and opponents: --game leduc --against"),
        (["--terminal", "--against", "random"], "--terminal needs a game and opponents"),
        (["--terminal", "--game", "chess"], "unknown game 'chess' (accepted: kuhn"),
        (
            ["--terminal", "--game", "leduc", "--port", "8000"],
            "--port, --host, --no-browser and --connections belong to the page",
        ),
        (
            ["--terminal", "--game", "leduc", "--host", "127.0.0.1"],
            "--port, --host, --no-browser and --connections belong to the page",
        ),
        (["--terminal", "--no-browser"], "--port, --host, --no-browser and --connections belong to the page"),
        (["--game", "leduc"], "--game, --against, --freezeouts and --cash belong to --terminal"),
        (["--cash"], "--game, --against, --freezeouts and --cash belong to --terminal"),
        (["--against", "random"], "--game, --against, --freezeouts and --cash belong to --terminal"),
        (["--terminal", "--game", "chess", "--against", "random"], "game 'chess' (accepted at a table: kuhn"),
        (["--terminal", "--game", "leduc", "--against", "leduc-cfx"], "unknown player 'leduc-cfx'; did you mean 'leduc-cfr'?"),
        (["--terminal", "--game", "leduc", "--against", "kuhn-lp"], "plays kuhn, not leduc"),
        (["--terminal", "--game", "kuhn-3p", "--against", "random"], "named: 1"),
        (["--agents", "nowhere"], "there is no folder of agents 'nowhere'"),
        (["--database", "mysql://x"], "database 'mysql://x'"),
        (["--port", "many"], "'many' is not a whole number"),
        (["--port", "70000"], "--port 70000 (accepted: 0 to 65535"),
        (["--host", "256.1.1.1", "--port", "0"], "256.1.1.1"),
        (["--host", ""], "'--host': '' names nothing (leave the option out for its default)"),
        (["--database", ""], "'--database': '' names nothing"),
        (["--agents", " "], "'--agents': ' ' names nothing"),
        (["--agents", ""], "'--agents': '' names nothing"),
        (["--json"], "No such option: --json"),
    ],
)
def test_wrong_input_is_one_line(words: list[str], message: str, call: Callable[..., str]) -> None:
    assert message in call(*words)


@pytest.mark.parametrize("words", [["--no-browser"], ["--terminal", "--game", "leduc", "--against", "random"]])
def test_without_the_extra(words: list[str], call: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name, *rest: None if name == "sqlalchemy" else found(name, *rest))
    assert "pip install 'smoothcall[web]'" in call(*words)
