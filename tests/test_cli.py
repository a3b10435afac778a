"""The command line: the entry point called in this process, and real processes where start-up or streams matter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import smoothcall as sc
from smoothcall.cli import main
from smoothcall.games.catalog import CATALOG
from smoothcall.solvers import SOLVERS
from smoothcall.store import curves
from tests.conftest import NO_CHECKS, TINY, WHOLE_BETS


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command line in an empty folder, in this process. Pictures are rendered by `plot` alone: it takes long."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Result:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["smoothcall", *words])
            if words[:1] != ("plot",):
                patch.setattr(curves, "png", lambda figure, digest="": b"\x89PNG")
            with pytest.raises(SystemExit) as ended:
                main()
        out, err = capsys.readouterr()
        return Result(int(ended.value.code or 0), out, err)

    return run


def test_lists(call: Any) -> None:
    games = json.loads(call("games", "--json").out)["games"]
    assert [game["name"] for game in games] == list(CATALOG)
    assert next(game for game in games if game["name"] == "leduc")["information_states"] == 288
    solvers = json.loads(call("solvers", "--json").out)["solvers"]
    assert [solver["name"] for solver in solvers] == list(SOLVERS)
    assert "leduc" in call("games").out
    assert "alternating" in call("solvers").out


def test_train_evaluate_show_plot_resume(call: Any, tmp_path: Path) -> None:
    trained = call("train", "leduc", "cfr+", "--iterations", "1e2")
    assert trained.code == 0
    assert "NashConv 0.0268" in trained.out
    assert "player 0 -0.08" in trained.out
    assert "try next" in trained.out
    folder = tmp_path / "runs" / "leduc-cfr+"
    assert {path.name for path in folder.iterdir()} == {
        "config.json",
        "metrics.jsonl",
        "checkpoint.npz",
        "agent.agent",
        "curve.png",
    }
    evaluated = call("evaluate", "runs/leduc-cfr+")
    assert "NashConv" in evaluated.out
    assert "0.026832" in evaluated.out
    answer = json.loads(call("evaluate", "runs/leduc-cfr+/agent.agent", "--json").out)
    assert answer["nash_conv"] == pytest.approx(0.026832, abs=1e-6)
    assert answer["exploitability"] == pytest.approx(answer["nash_conv"] / 2)
    greedy = json.loads(call("evaluate", "runs/leduc-cfr+", "--greedy", "--json").out)
    assert greedy["nash_conv"] > answer["nash_conv"]
    assert "leduc (threshold 0.05)" in call("evaluate", "runs/leduc-cfr+:threshold=0.05").out
    cut = json.loads(call("show", "runs/leduc-cfr+:threshold=0.05", "--json").out)["states"]
    assert not [state for state in cut if any(0 < probability < 0.05 for probability in state["probabilities"].values())]
    shown = call("show", "runs/leduc-cfr+", "K/Q:crrc/r")
    assert "K/Q:crrc/r" in shown.out
    assert "%" in shown.out
    states = json.loads(call("show", "runs/leduc-cfr+", "--json").out)["states"]
    assert len(states) == 288
    assert call("resume", "runs/leduc-cfr+", "--iterations", "1_000").code == 0
    assert json.loads(call("evaluate", "runs/leduc-cfr+", "--json").out)["nash_conv"] < 1e-3
    assert call("train", "kuhn", "mccfr", "--seconds", "0.1", "--set", "sampling=outcome", "--seed", "7").code == 0
    plotted = call("plot", "runs/leduc-cfr+", "runs/kuhn-mccfr", "--out", "both.png", "--x", "seconds")
    assert plotted.code == 0
    assert (tmp_path / "both.png").read_bytes()[:4] == b"\x89PNG"
    again = json.loads(call("train", "leduc", "cfr+", "--iterations", "5", "--json").out)
    assert again["folder"] == "runs/leduc-cfr+-2", "an earlier run is never overwritten"
    kuhn = json.loads(call("evaluate", "runs/kuhn-mccfr", "--json").out)
    assert set(kuhn["equilibrium"]) == {"squared_error", "kullback_leibler"}
    assert kuhn["dominated_error"] >= 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "leduk", "cfr"], "unknown game 'leduk'; did you mean 'leduc'?"),
        (["train", "leduc", "crf"], "unknown solver 'crf'; did you mean 'cfr'?"),
        (["train", "kuhn", "cfr", "--set", "alpa=1"], "unknown option of cfr 'alpa'; did you mean 'alpha'?"),
        (["train", "kuhn", "cfr", "--set", "alpha"], "--set alpha (accepted: --set name=value)"),
        (["train", "kuhn", "cfr", "--set", "alpha=much"], "option alpha=much (accepted: a number)"),
        (["train", "kuhn", "cfr", "--iterations", "many"], "'many' is not a whole number"),
        (["train", "kuhn", "cfr", "--iterations", "1.5"], "'1.5' is not a whole number"),
        (["train", "kuhn", "cfr", "--iterations", "-5"], "iterations=-5"),
        (["train", "kuhn", "cfr", "--seconds", "0"], "seconds=0"),
        (["train", "kuhn", "cfr", "--seconds", "1", "--iterations", "5"], "not both"),
        (["train", "kuhn", "cfr", "--seed", "-1"], "seed=-1"),
        (["train", "kuhn", "cfr", "--threads", "0"], "threads=0"),
        (["train", "kuhn", "xfp", "--threads", "2"], "xfp runs on one thread"),
        (["train", "kuhn-3p", "lp"], "lp solves two-player zero-sum games"),
        (["train", "kuhn"], "Missing argument"),
        (["train", "kuhn", "cfr", "--iteratons", "5"], "No such option: --iteratons"),
        (["trian", "kuhn", "cfr"], "No such command 'trian'"),
        (["resume", "nowhere"], "'nowhere' is not a run folder"),
        (["evaluate", "nothing.agent"], "there is no agent file 'nothing.agent'"),
        (["evaluate", "."], "'.' is not a run folder"),
        (["show", "nothing.agent"], "there is no agent file"),
        (["plot", "nowhere"], "'nowhere' is not a run folder"),
        (["reproduce", "bahugana2018"], "unknown paper 'bahugana2018'; did you mean 'bahuguna2018'?"),
        (["bench", "leduc-cfr"], "unknown figure 'leduc-cfr'; did you mean 'leduc-cfr-plus'?"),
        (["bench", "--repeats", "0"], "repeats=0"),
    ],
)
def test_wrong_input_is_one_line_and_leaves_nothing(words: list[str], message: str, call: Any, tmp_path: Path) -> None:
    result = call(*words)
    assert result.code == 2
    assert result.out == ""
    assert message in result.err
    assert result.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_wrong_arguments_leave_files_alone(call: Any, tmp_path: Path) -> None:
    assert call("train", "kuhn", "cfr", "--iterations", "10", "--out", "k").code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "k").iterdir()}
    for words, message in [
        (["show", "k", "K:xx"], "key 'K:xx' cannot occur in kuhn (its keys are like K:"),
        (["evaluate", "k", "--game", "leduc"], "plays kuhn, not leduc"),
        (["plot", "k", "--x", "miles"], "unknown axis 'miles'"),
        (["plot", "k", "--out", "no/where.png"], "there is no folder 'no'"),
        (["train", "kuhn", "cfr", "--out", "k"], "output folder 'k' exists"),
        (["resume", "k", "--iterations", "5"], "the run has done 10"),
    ]:
        result = call(*words)
        assert result.code == 2
        assert message in result.err
        assert result.err.count("\n") == 1
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "k").iterdir()}


def test_players(call: Any, tmp_path: Path) -> None:
    done = call("players", "--json")
    found = {player["name"]: player for player in json.loads(done.out)["players"]}
    assert found["probe"]["kind"] == "scripted"
    assert found["leduc-cfr"]["games"] == "leduc"
    assert "leduc-cfr" in call("players").out
    assert call("train", "leduc", "uct", "--iterations", "100", "--set", "against=leduc-cfr:greedy", "--out", "a").code == 0
    assert call("train", "leduc", "uct", "--iterations", "100", "--set", "against=probe", "--out", "b").code == 0
    assert call("resume", "b", "--iterations", "200").code == 0
    done = call("train", "leduc", "uct", "--set", "against=leduc-cfx", "--out", "c")
    assert (done.code, "did you mean 'leduc-cfr'" in done.err, (tmp_path / "c").exists()) == (2, True, False)


def test_an_opponent_in_training_is_named_as_in_a_match(call: Any, tmp_path: Path) -> None:
    """By the id or the folder of a run, or by a strategy file of macmanus2019; the run keeps a copy as an agent file."""
    assert call("train", "leduc", "cfr+", "--iterations", "10", "--out", "runs/mine").code == 0
    (tmp_path / "strategy.json").write_text("{}")
    for number, (game, name) in enumerate(
        [("leduc", "mine:greedy"), ("leduc", "runs/mine"), ("leduc:suits=apart", "strategy.json")]
    ):
        assert call("match", name, "probe").code == 0
        done = call("train", game, "uct", "--iterations", "50", "--set", f"against={name}", "--out", f"trained-{number}")
        assert (done.code, done.err) == (0, ""), name
    (tmp_path / "strategy.json").unlink()
    done = call("resume", "trained-2", "--iterations", "100", "--json")
    assert (done.code, json.loads(done.out)["iterations"]) == (0, 100)
    assert sc.load(tmp_path / "trained-2" / "opponent.agent").game.spec == "leduc:suits=apart"


def test_matches(call: Any, tmp_path: Path) -> None:
    done = call("match", "probe", "random", "--game", "leduc")
    assert done.code == 0
    assert "probe +1199.4 mbb/h (exact)" in done.out
    done = call("match", "probe", "always-call", "random", "--game", "leduc", "--table", "table.png", "--json")
    answer = json.loads(done.out)
    assert done.code == 0
    assert answer["columns"] == ["probe", "always-call", "random", "average"]
    assert (tmp_path / "table.png").read_bytes()[:4] == b"\x89PNG"
    done = call("match", "leduc-cfr", "leduc-smooth-uct.1000:greedy", "--json")
    answer = json.loads(done.out)
    assert (done.code, answer["game"], answer["engine"], answer["notes"]) == (0, "leduc", "exact", [])
    done = call("evaluate", "leduc-cfr", "--json")
    assert json.loads(done.out)["nash_conv"] < 0.01
    assert call("show", "leduc-cfr", "K:").code == 0
    for words, message in {
        ("match", "probe", "--game", "leduc"): "1 players for leduc",
        ("match", "probe", "random", "random", "--game", "leduc"): "3 players for leduc",
        ("match", "probe", "random"): "say which one",
        ("match", "probe", "nobody", "--game", "leduc"): "unknown player 'nobody'",
        ("match", "probe", "random", "--game", "leduc", "--hands", "0"): "hands=0",
        ("match", "probe", "random", "--game", "leduc", "--table", "nowhere/table.png"): "there is no folder",
    }.items():
        done = call(*words)
        assert (done.code, done.out) == (2, ""), done.err
        assert message in done.err


def test_holdem(call: Any, tmp_path: Path) -> None:
    """Train, show, match, evaluate; commands that need listed deals are refused with a reason."""
    settings = ["--set", "mixing=greatest", "--set", "explore=pot"]
    done = call("train", "limit-holdem:grid=10/10/10", "smooth-uct", "--iterations", "2e4", *settings, "--out", "a")
    assert done.code == 0
    assert "in self-play" in done.out
    assert "a/curve.png" in done.out, "what was won"
    assert (tmp_path / "a" / "curve.png").read_bytes()[:4] == b"\x89PNG"
    assert call("train", "limit-holdem:grid=5/5/5", "mccfr", "--iterations", "2e2", "--out", "b").code == 0
    assert not (tmp_path / "b" / "curve.png").exists(), "nobody counts what is won there"
    assert call("plot", "a", "--out", "won.png").code == 0
    assert (tmp_path / "won.png").read_bytes()[:4] == b"\x89PNG"
    assert call("train", "kuhn", "cfr", "--iterations", "9", "--out", "k").code == 0
    done = call("show", "a", "AsAh/AdKc2c:rc/")
    assert done.code == 0
    assert "#9:rc/" in done.out
    done = call("show", "a", "--json")
    assert [state["key"] for state in json.loads(done.out)["states"]][:3] == ["AA:", "AKs:", "AKo:"]
    done = call("match", "a", "b:greedy", "--hands", "200", "--json")
    assert done.code == 0
    assert json.loads(done.out)["hands"] == 200
    assert call("train", TINY, "mccfr", "--iterations", "2e2", "--out", "s").code == 0, "32 cards: evaluated in a second"
    done = call("evaluate", "s", "--flops", "0", "--deals", "2", "--episodes", "1e3", "--json")
    answer = json.loads(done.out)
    assert done.code == 0
    assert answer["local_best_response"]["lower_bound"]
    assert answer["learned_response"]["episodes"] == 1_000
    assert call("resume", "a", "--iterations", "2.1e4").code == 0
    for words, message in {
        ("train", "limit-holdem", "cfr+"): "too many to list",
        ("train", "limit-holdem:grid=0/1/1", "uct"): "option grid=0/1/1",
        ("train", "no-limit-holdem:menu=x0", "uct"): "menu",
        ("train", "no-limit-holdem:seats=7", "uct"): "at most 6",
        ("plot", "b"): "limit-holdem mccfr has no NashConv to draw",
        ("plot", "a", "k"): "winnings a hand of limit-holdem smooth-uct, NashConv of kuhn cfr: these do not go on one picture",
        ("match", "a", "probe", "--game", "leduc"): "plays limit-holdem",
        ("show", "a", "AsAs:"): "stands twice",
        ("show", "a", "AsAh/AdKc2c:rc"): "does not lead to a decision",
        ("evaluate", "a", "--deals", "0"): "deals=0",
        ("evaluate", "a", "--flops", "1"): "flops=1",
    }.items():
        done = call(*words)
        assert (done.code, done.out) == (2, ""), (words, done.err)
        assert message in done.err


def test_tensorboard(call: Any, tmp_path: Path) -> None:
    assert call("train", "kuhn", "cfr+", "--iterations", "100", "--tensorboard", "--out", "with").code == 0
    assert call("train", "kuhn", "cfr+", "--iterations", "100", "--out", "without").code == 0
    assert not (tmp_path / "without" / "tensorboard").exists()
    (events,) = (tmp_path / "with" / "tensorboard").iterdir()
    assert "tfevents" in events.name
    before = events.read_bytes()
    assert before.count(b"nash_conv") == 15
    assert call("resume", "with", "--iterations", "1000").code == 0
    assert list((tmp_path / "with" / "tensorboard").iterdir()) == [events]
    assert events.read_bytes().startswith(before), "it goes on"
    assert events.read_bytes().count(b"nash_conv") == 23


def test_learning_in_freezeouts(call: Any, tmp_path: Path) -> None:
    settings = ["--set", "freezeouts=16", "--set", "length=3", "--set", "memory=500"]
    done = call("train", WHOLE_BETS, "monte-carlo", "--iterations", "3000", "--out", "a", *settings)
    assert done.code == 0
    assert "chips a freezeout, over" in done.out
    assert "a/curve.png" in done.out
    assert call("plot", "a", "--x", "seconds", "--out", "won.png").code == 0
    answer = json.loads(call("resume", "a", "--json").out)
    assert answer["freezeouts"][1] >= 900
    assert answer["values"] == []


def test_built_in_agents_are_known_by_name(call: Any) -> None:
    """By `evaluate` and `show`, as by `match` and `play`."""
    answer = json.loads(call("evaluate", "leduc-cfr", "--json").out)
    assert answer["game"] == "leduc"
    assert answer["nash_conv"] < 0.1
    assert answer["notes"] == []
    assert len(json.loads(call("show", "leduc-cfr", "--json").out)["states"]) == 288
    assert call("evaluate", "leduc-cfr:threshold=0.05").code == 0
    assert "unknown player 'leduc-crf'; did you mean 'leduc-cfr'?" in call("evaluate", "leduc-crf").err


@pytest.mark.long
def test_evaluate_says_where_it_measures_a_table(call: Any) -> None:
    done = call("evaluate", "no-limit-holdem-32-monte-carlo", "--flops", "0", "--deals", "2", "--episodes", "10", "--json")
    assert json.loads(done.out)["notes"] == ["the agent plays its table: the equity in the middle of each bucket"]


def test_strategies_of_macmanus2019_are_evaluated(call: Any, tmp_path: Path) -> None:
    (tmp_path / "strategy.json").write_text('{"1Ah": "b", "-1Ahb": {"f": 0.5, "c": 0.5, "r": 0}}')
    answer = json.loads(call("evaluate", "strategy.json", "--json").out)
    assert answer["game"] == "leduc:suits=apart"
    assert 4 < answer["nash_conv"] < 6
    (tmp_path / "strategy.json").write_text('{"1Ah": {"b": 0.9, "f": 0.1}}')
    assert json.loads(call("evaluate", "strategy.json", "--json").out)["game"] == NO_CHECKS, "an opening that may fold"
    (tmp_path / "strategy.json").write_text('{"1Ah": "x"}')
    assert call("evaluate", "strategy.json").code == 2


HEAVY = {"jax", "matplotlib", "numba", "numpy", "rich.progress", "scipy", "smoothcall.app", "sqlalchemy"}


def loaded(*lines: list[str]) -> tuple[set[str], str]:
    """Run command lines in one new process; return the modules imported at its end, and standard output."""
    code = f"""
import sys
from smoothcall.cli import main
for words in {lines!r}:
    sys.argv = ["smoothcall", *words]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, (words, ended.code)
print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split()), done.stdout


def test_help_imports_nothing_heavy() -> None:
    helped = [["train", "--help"], ["match", "--help"], ["play", "--help"]]
    found, out = loaded([], ["--help"], ["--version"], *helped)
    assert "smoothcall.cli.main" in found
    assert not found & HEAVY
    assert out.count("Usage: ") == 5


def test_matrices_are_multiplied_on_one_thread_unless_the_environment_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    monkeypatch.setattr(sys, "argv", ["smoothcall", "--version"])
    with pytest.raises(SystemExit):
        main()
    assert (os.environ["OPENBLAS_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("1", "3")


def test_training_a_table_imports_no_networks_page_or_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor Ray, and a match does not either. With --json, the object is all there is on standard output."""
    monkeypatch.chdir(tmp_path)
    match = ["match", "probe", "random", "--game", "kuhn", "--hands", "10", "--json"]
    found, out = loaded(match, ["train", "kuhn", "cfr+", "--iterations", "1000", "--json"])
    matched, trained = out.replace("}\n{", "}\0{").split("\0")
    assert json.loads(matched)["hands"] == 10
    assert json.loads(trained)["iterations"] == 1000
    assert {"smoothcall.solvers.cfr", "smoothcall.cluster.runner"} <= found
    assert not found & {"jax", "equinox", "fastapi", "ray", "sqlalchemy", "smoothcall.web"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("smoothcall tr", {"train"}),
        ("smoothcall train led", {"leduc", "leduc-3p"}),
        ("smoothcall train leduc smooth", {"smooth-uct"}),
        ("smoothcall match pro", {"probe"}),
        ("smoothcall evaluate leduc-3p-c", {"leduc-3p-cfr"}),
        ("smoothcall match probe --game rp", {"rps"}),
        ("smoothcall reproduce bahu", {"bahuguna2018"}),
    ],
)
def test_shells_complete_names(words: str, expected: set[str], call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_SMOOTHCALL_COMPLETE", "complete_bash"), ("COMP_WORDS", words)):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert set(call().out.split()) == expected


def test_completion_scripts_are_shown() -> None:
    code = "import sys; sys.argv = ['smoothcall', '--show-completion', 'bash']\nfrom smoothcall.cli import main\nmain()"
    variables = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # the shell is named here, not looked for
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    assert "_SMOOTHCALL_COMPLETE=complete_bash" in done.stdout


def test_version_and_bare_call(call: Any) -> None:
    assert call("--version").out.startswith("0.")
    assert "train" in call().out


def test_freezeouts(call: Any, tmp_path: Path) -> None:
    """Train in freezeouts and play them; wrong combinations are refused with a reason, and nothing is written."""
    small = ["--set", "freezeouts=16", "--set", "memory=2000"]
    done = call("train", WHOLE_BETS, "monte-carlo", "--iterations", "2000", *small, "--out", "mc")
    assert done.code == 0
    assert "chips a freezeout" in done.out
    done = call("match", "mc", "moderate", "--freezeouts", "40", "--json")
    answer = json.loads(done.out)
    assert done.code == 0
    assert (answer["freezeouts"], answer["players"]) == (40, ["mc", "moderate"])
    assert (
        "chips a freezeout of 10 hands" in call("match", "aggressive", "call", "--freezeouts", "10", "--game", WHOLE_BETS).out
    )
    done = call("match", "mc", "moderate", "--freezeouts", "40", "--rollouts", "100", "--json")
    assert json.loads(done.out)["rollouts"] == 100
    assert json.loads(done.out)["gain"] != answer["gain"]
    assert "100 simulated rollouts" in call("match", "mc", "call", "--freezeouts", "10", "--rollouts", "1e2").out
    assert call("train", "leduc", "cfr", "--iterations", "3", "--out", "c").code == 0
    for words, message in {
        ("match", "mc", "call", "--rollouts", "100"): "in freezeouts only (accepted: with a number of freezeouts)",
        ("match", "mc", "call", "--freezeouts", "10", "--rollouts", "1e5"): "rollouts=100000",
        ("train", WHOLE_BETS, "monte-carlo", "--set", "rollouts=-1"): "option rollouts=-1",
        ("match", "mc", "random:greedy", "--freezeouts", "10"): "random is scripted",
        ("match", "mc", "--freezeouts", "10"): "1 players in a freezeout",
        ("match", "mc", "call", "--freezeouts", "10", "--hands", "10"): "not both",
        ("match", "mc", "call", "--freezeouts", "1"): "freezeouts=1",
        ("match", "c", "call", "--freezeouts", "10"): "no freezeouts in leduc",
        ("evaluate", "mc", "--slots", "f,c"): "with --exact",
        ("evaluate", "mc", "--exact", "--slots", "f,z"): "slots=z",
        ("evaluate", "mc", "--control", "f,c"): "with --exact",
        ("evaluate", "mc", "--exact", "--control", "f,c"): "control (accepted: with a number of flops",
        ("evaluate", "mc", "--exact", "--flops", "4", "--control", "f,z"): "control=z",
        ("train", WHOLE_BETS, "clipped-double-dqn", "--set", "rate=-1"): "option rate=-1",
        ("train", WHOLE_BETS, "deep-q-discrete", "--set", "memory=10"): "option memory=10",
        ("train", WHOLE_BETS, "monte-carlo", "--set", "pool=nobody"): "option pool=nobody",
        ("train", WHOLE_BETS, "monte-carlo", "--set", "against=nobody.agent"): "no agent file 'nobody.agent'",
        ("train", WHOLE_BETS, "monte-carlo", "--set", "against=c/agent.agent"): "plays leduc",
        ("train", "leduc", "nfsp", "--set", "hidden=0"): "option hidden=0",
        ("train", "leduc", "nfsp", "--set", "optimiser=magic"): "option optimiser=magic",
        ("train", "leduc", "clipped-double-dqn"): "not leduc",
    }.items():
        done = call(*words)
        assert done.code == 2, words
        assert message in done.err, (words, done.err)
    assert {path.name for path in tmp_path.iterdir()} == {"mc", "c"}
