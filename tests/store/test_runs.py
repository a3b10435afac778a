"""Runs that are stopped, killed and resumed end as if they never had been."""

from __future__ import annotations

import json
import os
import signal
import time
import zipfile
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import smoothcall as sc
from smoothcall import files
from smoothcall.agents.folders import snapshots_of
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.learners.freezeout_learner import FreezeoutLearner
from smoothcall.solvers.base import Winnings
from smoothcall.store import runs
from smoothcall.store.metrics import Metric, evaluation_points, read_metrics
from smoothcall.store.runs import Run, is_snapshot_point
from tests.conftest import PATIENCE, TINY, WHOLE_BETS, built
from tests.store.processes import start, without_time

pytestmark = pytest.mark.usefixtures("unrendered")


def test_versions_are_of_all_that_a_solver_uses(tmp_path: Path) -> None:
    with_networks = Run.create(tmp_path / "nfsp", "kuhn", "nfsp", options={"moves": 10, "transitions": 10}, iterations=1)
    without = Run.create(tmp_path / "cfr", "kuhn", "cfr", iterations=1)
    assert set(without.config["versions"]) == {"smoothcall", "numpy", "numba", "python"}
    assert set(with_networks.config["versions"]) == {*without.config["versions"], "jax", "equinox", "optax"}


def test_snapshots_are_kept_where_asked_for(tmp_path: Path) -> None:
    Run.create(tmp_path / "without", "kuhn", "cfr+", iterations=200).train()
    assert snapshots_of(tmp_path / "without") == {}
    assert not (tmp_path / "without" / "snapshots").exists()
    run = Run.create(tmp_path / "run", "kuhn", "cfr+", iterations=200, keep=True)
    run.train()
    Run.open(tmp_path / "run").train(iterations=2_000)
    kept = snapshots_of(tmp_path / "run")
    assert list(kept) == [10, 100, 200, 1000, 2000]
    measured = {metric.iterations: metric.nash_conv for metric in read_metrics(tmp_path / "run")}
    for iterations, path in kept.items():
        card = sc.load(path).card
        assert card["iterations"] == iterations
        assert card["results"]["nash_conv"] == measured[iterations]
    assert sc.load(kept[10]).card["results"]["nash_conv"] > 5 * sc.load(kept[2000]).card["results"]["nash_conv"]
    (tmp_path / "run" / "snapshots" / "latest.agent").write_bytes(b"")
    assert list(snapshots_of(tmp_path / "run")) == list(kept)


def test_snapshots_are_evaluation_points() -> None:
    points = list(islice(evaluation_points(), 80))
    assert [point for point in points if is_snapshot_point(point)] == [10**power for power in range(1, 11)]
    assert not any(map(is_snapshot_point, (1, 9, 11, 20, 99, 101, 1001)))


def test_runs_of_drawn_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No NashConv, but what the players have won; an agent file of what was learned and of the best actions."""
    monkeypatch.setattr(runs, "CHECKPOINT_SECONDS", 0.0)
    whole = Run.create(tmp_path / "whole", TINY, "uct", seed=2, iterations=10_000)
    metric = whole.train()
    lines = [json.loads(line) for line in (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()]
    assert [line["iterations"] for line in lines][-1] == 10_000
    assert all(line["nash_conv"] is None and line["exploitability"] is None for line in lines)
    assert read_metrics(tmp_path / "whole") == whole.metrics
    assert sum(metric.values) == pytest.approx(0, abs=1e-6)
    card = sc.load(whole.agent).card
    assert set(card["results"]) == {"values"}
    greedy = sc.load(tmp_path / "whole" / "greedy.agent")
    assert greedy.card["greedy"] is True
    visited = whole.solver.tables()["visits"].sum(axis=1) > 0
    assert set(np.unique(greedy.weights[visited])) == {0, 255}
    asked = iter([False] * 9)
    parts = Run.create(tmp_path / "parts", TINY, "uct", seed=2, iterations=10_000)
    parts.train(stop=lambda: next(asked, True))
    assert 0 < parts.solver.iterations < 10_000
    again = Run.open(tmp_path / "parts")
    again.train()
    for name, table in whole.solver.tables().items():
        np.testing.assert_array_equal(again.solver.tables()[name], table)
    for name in ("agent.agent", "greedy.agent"):
        np.testing.assert_array_equal(sc.load(again.folder / name).weights, sc.load(whole.folder / name).weights)
    assert without_time(again.metrics) == without_time(whole.metrics)


def test_runs_in_freezeouts(tmp_path: Path) -> None:
    """What was won is counted by the freezeout, in metrics, on the agent's card and on the curve, resumed or not."""
    options = {"freezeouts": 16, "length": 3, "memory": 500}
    whole = Run.create(tmp_path / "whole", WHOLE_BETS, "monte-carlo", seed=2, options=options, iterations=3_000)
    metric = whole.train()
    solver = whole.solver
    assert isinstance(solver, FreezeoutLearner)
    assert metric.freezeouts == (solver.earned[0], solver.earned[1])
    assert metric.freezeouts[1] >= 3_000 // 3 - 16
    assert metric.values == ()
    assert whole.metrics[0].freezeouts == (0.0, 0)
    assert read_metrics(whole.folder) == whole.metrics
    with zipfile.ZipFile(whole.agent) as agent:
        assert json.loads(agent.read("card.json"))["results"]["freezeouts"] == list(metric.freezeouts)
    assert (whole.folder / "curve.png").read_bytes()[:4] == b"\x89PNG"
    part = Run.create(tmp_path / "part", WHOLE_BETS, "monte-carlo", seed=2, options=options, iterations=1_500)
    part.train()
    again = Run.open(part.folder)
    again.train(iterations=3_000)
    assert [m.freezeouts for m in again.metrics if m.iterations != 1_500] == [m.freezeouts for m in whole.metrics]


def test_runs_with_estimates(tmp_path: Path) -> None:
    """Simulated games go on bit for bit too; a run without them cannot go on from their checkpoint."""
    options = {"freezeouts": 16, "length": 3, "memory": 500, "rollouts": 100}
    whole, part = (
        Run.create(tmp_path / name, WHOLE_BETS, "monte-carlo", seed=2, options=options, iterations=iterations)
        for name, iterations in (("whole", 600), ("part", 300))
    )
    whole.train()
    part.train()
    again = Run.open(part.folder)
    again.train(iterations=600)
    for name, table in whole.solver.tables().items():
        np.testing.assert_array_equal(again.solver.tables()[name], table, err_msg=name)
    assert (whole.solver.tables()["rollouts generator"] != seeded(2, 5)[4]).any(), "some were simulated"
    config = json.loads((part.folder / "config.json").read_text())
    config["solver"]["options"]["rollouts"] = 0
    (part.folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(sc.UsageError, match="'generators' differs"):
        Run.open(part.folder)


def test_what_was_won_between_evaluations() -> None:
    first, second, third = (Metric(n, 1.0, 1, None, None, (v, -v), ()) for n, v in ((10, 2.0), (30, 1.0), (30, 1.0)))
    assert first.since(None) == Winnings((20.0, -20.0), 10, "hand")
    assert second.since(first) == Winnings((10.0, -10.0), 20, "hand")
    assert third.since(second) is None
    early, late = (Metric(n, 1.0, 1, None, None, (), (), (chips, n // 10)) for n, chips in ((5, 0.0), (50, -300.0)))
    assert early.since(None) is None
    assert late.since(early) == late.won == Winnings((-300.0,), 5, "freezeout")
    assert Metric(5, 1.0, 1, 0.5, 0.25, (1.0, -1.0), (0.5, 0.0)).won is None, "values of a policy were not won by anybody"


def test_metrics_of_earlier_versions_are_read(tmp_path: Path) -> None:
    line = '{"iterations": 7, "seconds": 0.5, "nodes": 9, "nash_conv": 0.5, "exploitability": 0.25, "values": [1, -1], '
    (tmp_path / "metrics.jsonl").write_text(line + '"epsilons": [0.5, 0]}\n' + line + '"epsilons": [], "freezeouts": [1]}\n')
    assert read_metrics(tmp_path) == [Metric(7, 0.5, 9, 0.5, 0.25, (1, -1), (0.5, 0))]


def test_looking_at_a_run_does_not_disturb_whoever_trains_it(tmp_path: Path) -> None:
    """What was evaluated after the last checkpoint is dropped by who goes on from there, not by who comes in vain."""
    run = Run.create(tmp_path / "run", "kuhn", "cfr", iterations=10)
    run.train()
    run.solver.run(3)
    run._measure()
    lines = (tmp_path / "run" / "metrics.jsonl").read_text()
    with files.locked(run.folder), pytest.raises(sc.UsageError, match="another process"):
        Run.open(tmp_path / "run").train(iterations=20)
    assert (tmp_path / "run" / "metrics.jsonl").read_text() == lines
    Run.open(tmp_path / "run").train(iterations=11)
    assert [metric.iterations for metric in read_metrics(tmp_path / "run")] == [1, 2, 3, 4, 6, 7, 10, 11]


def test_interrupted_by_ctrl_c(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start("train", "leduc", "cfr+", "--seconds", "600", "--out", str(folder))
    waited = time.monotonic()
    while not (folder / "metrics.jsonl").exists() and time.monotonic() - waited < 60:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors.decode()
    run = Run.open(folder)
    assert run.solver.iterations > 0
    assert sc.nash_conv(run.game, sc.load(run.agent)) < 0.1
    assert not run.done


def test_stopping_and_going_on_is_bit_exact(tmp_path: Path) -> None:
    whole = Run.create(tmp_path / "whole", "kuhn-3p", "mccfr", seed=2, iterations=5_000)
    whole.train()
    asked = iter([False] * 6)
    parts = Run.create(tmp_path / "parts", "kuhn-3p", "mccfr", seed=2, iterations=5_000)
    parts.train(stop=lambda: next(asked, True))
    assert 0 < parts.solver.iterations < 5_000
    again = Run.open(tmp_path / "parts")
    again.train()
    np.testing.assert_array_equal(sc.load(again.agent).table, sc.load(whole.agent).table)
    assert without_time(again.metrics) == without_time(whole.metrics)
    further = Run.open(tmp_path / "parts")
    further.train(iterations=6_000)
    assert Run.open(tmp_path / "parts").config["iterations"] == 6_000
    straight = Run.create(tmp_path / "straight", "kuhn-3p", "mccfr", seed=2, iterations=6_000)
    straight.train()
    np.testing.assert_array_equal(sc.load(further.agent).table, sc.load(straight.agent).table)
    with pytest.raises(sc.UsageError, match="iterations=10: the run has done 6000"):
        Run.open(tmp_path / "parts").train(iterations=10)


def test_a_run_says_everything_about_itself(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", "kuhn:pot=8", "discounted-cfr", seed=3, options={"alpha": "inf"}, iterations=100)
    run.train()
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["game"] == {"name": "kuhn", "options": {"pot": 8}}
    assert config["solver"]["options"]["alpha"] == "inf"
    assert config["versions"]["smoothcall"] == sc.__version__
    card = sc.load(run.agent).card
    assert card["solver"]["name"] == "discounted-cfr"
    assert card["solver"]["seed"] == 3
    assert card["iterations"] == 100
    assert card["results"]["nash_conv"] == run.metrics[-1].nash_conv
    assert [m.iterations for m in run.metrics][:5] == [1, 2, 3, 4, 6]
    assert run.metrics[-1].iterations == 100


def test_evaluations_are_log_spaced() -> None:
    points = evaluation_points()
    first = [next(points) for _ in range(60)]
    assert first == sorted(set(first))
    assert {1, 10, 100, 1_000, 10_000, 100_000} <= set(first)


def test_seconds_end_a_run(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", "kuhn", "cfr", seconds=0.3)
    run.train()
    assert 0.3 <= run.seconds < 3
    assert run.done


def test_named_opponents_and_their_suffixes_are_resumed(tmp_path: Path) -> None:
    """A scripted player stays a name; of an agent with a suffix the file is kept, and the suffix applied again."""
    agent = tmp_path / "mixed.agent"
    sc.Policy.uniform(built("leduc")).save(agent)
    for number, against in enumerate(["probe", f"{agent}:greedy", "leduc-cfr:threshold=0.5"]):
        folder, whole = tmp_path / f"run-{number}", tmp_path / f"whole-{number}"
        options = {"against": against, "learner": 1}
        Run.create(whole, "leduc", "uct", options=options, iterations=500).train()
        Run.create(folder, "leduc", "uct", options=options, iterations=200).train()
        assert (folder / "opponent.agent").exists() == (against != "probe")
        if against.startswith(str(agent)):
            agent.unlink()
        again = Run.open(folder)
        again.train(iterations=500)
        np.testing.assert_array_equal(sc.load(folder / "agent.agent").table, sc.load(whole / "agent.agent").table)
        assert again.config["solver"]["options"]["against"] == against


def test_an_opponent_that_cannot_be_written_leaves_no_folder(tmp_path: Path) -> None:
    class Uniform:
        def probabilities(self, observations: Array, legal: Array) -> Array:
            return legal / legal.sum(axis=1, keepdims=True)

    opponent = TabulatedPolicy(built(WHOLE_BETS), Uniform())
    with pytest.raises(sc.UsageError, match="cannot be written"):
        Run.create(tmp_path / "run", WHOLE_BETS, "uct", options={"against": opponent}, iterations=1)
    assert not (tmp_path / "run").exists()


def test_wrong_folders(tmp_path: Path) -> None:
    with pytest.raises(sc.UsageError, match="is not a run folder"):
        Run.open(tmp_path)
    with pytest.raises(sc.UsageError, match="exists"):
        Run.create(tmp_path, "kuhn", "cfr")
    for game, solver in (("kuhnn", "cfr"), ("kuhn", "cfrr")):
        with pytest.raises(sc.UsageError, match="unknown"):
            Run.create(tmp_path / "new", game, solver)
    with pytest.raises(sc.UsageError, match="iterations=0"):
        Run.create(tmp_path / "new", "kuhn", "cfr", iterations=0)
    with pytest.raises(sc.UsageError, match="not both"):
        Run.create(tmp_path / "new", "kuhn", "cfr", iterations=1, seconds=1)
    assert not (tmp_path / "new").exists(), "nothing is written before everything is checked"
    run = Run.create(tmp_path / "run", "kuhn", "cfr", iterations=5)
    run.train()
    (tmp_path / "run" / "checkpoint.npz").write_bytes(b"PK\x03\x04 not a checkpoint")
    with pytest.raises(sc.UsageError, match="is damaged"):
        Run.open(tmp_path / "run")
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    (tmp_path / "run" / "config.json").write_text(json.dumps(config | {"format": 9}))
    with pytest.raises(sc.UsageError, match="format 9"):
        Run.open(tmp_path / "run")


def test_a_cut_off_line_of_metrics_is_left_out(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", "kuhn", "cfr", iterations=50)
    run.train()
    path = tmp_path / "run" / "metrics.jsonl"
    path.write_text(path.read_text()[:-20])
    assert len(read_metrics(tmp_path / "run")) == len(run.metrics) - 1


def test_one_process_at_a_time(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", "kuhn", "cfr", iterations=50)
    with files.locked(run.folder), pytest.raises(sc.UsageError, match="is being trained by another process"):
        Run.open(tmp_path / "run").train()
    Run.open(tmp_path / "run").train()


def test_a_fixed_opponent_is_kept_with_the_run(tmp_path: Path) -> None:
    opponent = tmp_path / "opponent.agent"
    sc.Policy.uniform(sc.game("kuhn")).save(opponent)
    options = {"against": str(opponent), "learner": 1}
    whole = Run.create(tmp_path / "whole", "kuhn", "uct", options=options, iterations=3_000)
    whole.train()
    part = Run.create(tmp_path / "part", "kuhn", "uct", options=options, iterations=1_000)
    part.train()
    opponent.unlink()
    again = Run.open(tmp_path / "part")
    again.train(iterations=3_000)
    np.testing.assert_array_equal(sc.load(again.agent).table, sc.load(whole.agent).table)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("game", "name"), 5),
        (("game", "options"), []),
        (("solver", "name"), None),
        (("solver", "options"), None),
        (("solver", "seed"), "five"),
        (("solver", "threads"), []),
        (("iterations",), "abc"),
        (("iterations",), 0),
        (("iterations",), -5),
        (("seconds",), []),
        (("created",), None),
    ],
)
def test_nonsense_in_a_config_is_told_in_one_line(where: tuple[str, ...], value: object, tmp_path: Path) -> None:
    Run.create(tmp_path / "run", "kuhn", "cfr", iterations=5)
    path = tmp_path / "run" / "config.json"
    config = json.loads(path.read_text())
    place = config
    for name in where[:-1]:
        place = place[name]
    if value is None:
        del place[where[-1]]
    else:
        place[where[-1]] = value
    path.write_text(json.dumps(config))
    with pytest.raises(sc.UsageError):
        Run.open(tmp_path / "run")


def test_nonsense_in_metrics_and_checkpoints(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", "kuhn", "cfr", iterations=50)
    run.train()
    path = tmp_path / "run" / "metrics.jsonl"
    path.write_bytes(path.read_bytes() + b'\xff\xfe\n{"iterations": "x"}\n')
    assert len(read_metrics(tmp_path / "run")) == len(run.metrics)
    state = run.solver.state()
    for name, value in (("iterations", np.int64(-1)), ("nodes", "many"), ("regret", state["regret"] * np.nan)):
        with pytest.raises(sc.UsageError):
            run.solver.restore(state | {name: value})


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(sc.UsageError, match="cannot be made"):
        Run.create(tmp_path / "file" / "run", "kuhn", "cfr", iterations=5)
    assert os.listdir(tmp_path) == ["file"]
