"""A run: a folder that can be stopped, killed and resumed, and ends the same bit for bit as if it never had been.

config.json      everything needed to start it again, versions included
metrics.jsonl    one line per evaluation, at log-spaced iterations
checkpoint.npz   the solver's whole state; written beside and moved into place every few seconds, large ones less often
agent.agent      what was learned
greedy.agent     of tree searches: the action of the highest value; a check or call where some action was never tried
curve.png        NashConv over iterations; where that cannot be computed, what was won, as far as the solver knows
opponent.agent   whom it learns against, where that is a fixed policy
snapshots/       what was learned so far, `<iterations>.agent` at 10, 100, 1000, ... iterations and at the end, where the run
                 keeps them; each is written before the next checkpoint, so a run that is killed writes it again or has it
tensorboard/     the evaluations once more for TensorBoard, where asked for; when a run goes on, made from metrics.jsonl
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from smoothcall import files
from smoothcall.agents.files import load
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.evaluation.exploitability import Evaluation, evaluate
from smoothcall.files import field, optional
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.kernels.tables import Array
from smoothcall.options import Value
from smoothcall.policy import Policy
from smoothcall.solvers import Solver, solver, solver_class
from smoothcall.solvers.base import Winnings
from smoothcall.solvers.uct import UCT
from smoothcall.store import tensorboard as events

FORMAT = 1
CHECKPOINT_SECONDS = 3.0
CHECKPOINT_SHARE = 0.03  # of the time may be spent on saving
SLICE_SECONDS = 0.2  # how long the solver runs before progress is shown and a stop is noticed
POINTS_PER_DECADE = 8
DEFAULT_SECONDS = 10.0
OPPONENT = "opponent.agent"
GREEDY = "greedy.agent"
SNAPSHOTS = "snapshots"
BOARD = "tensorboard"
VERSIONS = ("smoothcall", "numpy", "numba")
NETWORKS = ("jax", "equinox", "optax")  # what solvers of `smoothcall.learners` learn with


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is; sent to whoever watches, several times a second."""

    iterations: int
    seconds: float  # spent learning, over all stretches of the run
    speed: float  # iterations a second, lately
    fraction: float  # of the way to the end
    nash_conv: float | None  # as of the last evaluation


@dataclass(frozen=True, slots=True)
class Metric:
    """One evaluation of the policy learned so far; values are chips a hand.

    In games whose deals are drawn only the values are known: what the players have won in self-play so far. Of a learner that
    plays freezeouts not even those: it counts what it wins by the freezeout.
    """

    iterations: int
    seconds: float
    nodes: int
    nash_conv: float | None
    exploitability: float | None
    values: tuple[float, ...]
    epsilons: tuple[float, ...]
    freezeouts: tuple[float, int] | None = None  # chips the learner has won in freezeouts so far, and how many have ended

    @property
    def won(self) -> Winnings | None:
        """What was won up to here, where that is what an evaluation tells."""
        if self.freezeouts is not None:
            return Winnings(self.freezeouts[:1], self.freezeouts[1], "freezeout")
        if self.nash_conv is not None or not self.values:
            return None
        return Winnings(tuple(value * self.iterations for value in self.values), self.iterations, "hand")

    def since(self, before: Metric | None) -> Winnings | None:
        """What was won after an earlier evaluation, or from the beginning; None where nothing was played to its end."""
        now, past = self.won, before.won if before is not None else None
        if now is None or now.count == 0:
            return None
        if past is None:
            return now
        chips = (late - early for late, early in zip(now.chips, past.chips, strict=True))
        return Winnings(tuple(chips), now.count - past.count, now.each) if now.count > past.count else None


class Run:
    """Create a run or open one, then `train`."""

    def __init__(self, folder: Path, config: Mapping[str, Any], built: Solver | None = None) -> None:
        """`built` is the solver that the configuration says, where there is one: large ones are not built twice."""
        self.folder, self.config = folder, dict(config)
        about, how = config["game"], config["solver"]
        if built is None:
            options = how["options"] | ({"against": str(folder / OPPONENT)} if (folder / OPPONENT).exists() else {})
            played = game(about["name"], **about["options"])
            options = read_opponents(how["name"], played, options)
            built = solver(how["name"], played, seed=how["seed"], threads=how["threads"], **options)
        self.solver: Solver = built
        self.game: Game = built.game
        self.seconds = 0.0
        self.metrics: list[Metric] = []
        self._started = datetime.fromisoformat(config["created"]).timestamp()

    @classmethod
    def create(
        cls,
        folder: Path,
        game_spec: str,
        solver_name: str,
        *,
        seed: int = 0,
        threads: int = 1,
        options: Mapping[str, object] | None = None,
        iterations: int | None = None,
        seconds: float | None = None,
        keep: bool = False,
        tensorboard: bool = False,
    ) -> Run:
        """A new run in a new folder. Everything is checked before anything is written.

        With `keep`, the agent is kept at every power of ten and at the end; with `tensorboard`, evaluations are written for it.
        """
        if iterations is not None and seconds is not None:
            raise UsageError("give a number of iterations or of seconds, not both")
        if iterations is None and seconds is None:
            seconds = DEFAULT_SECONDS
        verify_length(iterations, seconds)
        if folder.exists():
            raise UsageError(f"output folder {str(folder)!r} exists (accepted: a new one; to go on with a run: resume)")
        made = game(game_spec)
        given = dict(options or {})
        built = solver(solver_name, made, seed=seed, threads=threads, **read_opponents(solver_name, made, given))
        options = {name: value if isinstance(value, Value) else str(given[name]) for name, value in built.options.items()}
        config = {
            "format": FORMAT,
            "game": {"name": made.name, "options": made.options},
            "solver": {"name": solver_name, "seed": seed, "threads": threads, "options": options},
            "iterations": iterations,
            "seconds": seconds,
            "keep": keep,
            "tensorboard": tensorboard,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {name: version(name) for name in VERSIONS + (NETWORKS if _has_networks(built) else ())}
            | {"python": platform.python_version()},
        }
        against = Path(str(options.get("against", "")))
        try:
            folder.mkdir(parents=True)
            if isinstance(opponent := built.options.get("against"), Policy):
                opponent.save(folder / OPPONENT)  # kept with the run, whatever becomes of the file it came from
            elif against.is_file():
                files.write(folder / OPPONENT, against.read_bytes())
            files.write_json(folder / "config.json", config)
        except OSError as error:
            raise UsageError(f"output folder {str(folder)!r} cannot be made ({error.strerror})") from None
        return cls(folder, config, built)

    @classmethod
    def open(cls, folder: Path) -> Run:
        """A run as its last checkpoint left it."""
        run = cls(folder, read_config(folder))
        checkpoint = folder / "checkpoint.npz"
        if checkpoint.exists():
            run.seconds, state = read_checkpoint(checkpoint)
            run.solver.restore(state)
        run.metrics = [metric for metric in read_metrics(folder) if metric.iterations <= run.solver.iterations]
        return run

    @property
    def done(self) -> bool:
        """Whether the run has come as far as it was asked to."""
        return self._fraction(self.config["iterations"], self.config["seconds"]) >= 1

    @property
    def agent(self) -> Path:
        return self.folder / "agent.agent"

    @property
    def curve(self) -> Path | None:
        """The picture of the curve, where there is something to draw."""
        return None if self.game.sampled and self.solver.won is None else self.folder / "curve.png"

    def train(
        self,
        *,
        iterations: int | None = None,
        watch: Callable[[Progress], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Metric:
        """Learn until the end (or `iterations` in all, which becomes the new end), or until `stop()` says so.

        Ends, in every case, with a checkpoint, an agent file and a curve.
        """
        with self._locked():
            return self._train(iterations, watch, stop)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One process at a time: the lock goes when its process does, however that ends. Windows has no such lock."""
        if sys.platform == "win32":
            yield
            return
        from fcntl import LOCK_EX, LOCK_NB, flock

        folder = os.open(self.folder, os.O_RDONLY)
        try:
            flock(folder, LOCK_EX | LOCK_NB)
            yield
        except BlockingIOError:
            raise UsageError(f"run {str(self.folder)!r} is being trained by another process") from None
        finally:
            os.close(folder)

    def _train(
        self, iterations: int | None, watch: Callable[[Progress], None] | None, stop: Callable[[], bool] | None
    ) -> Metric:
        if iterations is not None:
            verify_length(iterations, None)
            if iterations < self.solver.iterations:
                raise UsageError(f"iterations={iterations}: the run has done {self.solver.iterations} (accepted: that or more)")
            self.config |= {"iterations": iterations, "seconds": None}
            files.write_json(self.folder / "config.json", self.config)
        target, limit = self.config["iterations"], self.config["seconds"]
        self.solver.prepare()
        self._write_metrics()
        step, saved, speed, pause = 1, time.monotonic(), 0.0, CHECKPOINT_SECONDS
        while self._fraction(target, limit) < 1 and not (stop and stop()):
            due = next(point for point in evaluation_points() if point > self.solver.iterations)
            end = min(due, self.solver.iterations + step, target if target is not None else due, self.solver.LAST)
            count, started = end - self.solver.iterations, time.monotonic()
            self.solver.run(count)
            spent = max(time.monotonic() - started, 1e-9)
            self.seconds += spent
            speed = count / spent if count >= step or not speed else speed
            step = max(1, int(min(speed * SLICE_SECONDS, step * 4)))
            if self.solver.iterations == due:
                self._measure()
                if is_snapshot_point(due):
                    self._keep()
            if (now := time.monotonic()) - saved > pause:
                self._checkpoint()
                saved = time.monotonic()
                pause = max(CHECKPOINT_SECONDS, (saved - now) / CHECKPOINT_SHARE)
            if watch:
                latest = self.metrics[-1].nash_conv if self.metrics else None
                fraction = min(1.0, self._fraction(target, limit))
                watch(Progress(self.solver.iterations, self.seconds, speed, fraction, latest))
        if self._fraction(target, limit) >= 1:
            self._measure()
            self._keep()
        self._checkpoint()
        metric = self.evaluation()
        self._with_card(self.solver.policy(), metric).save(self.agent)
        if isinstance(self.solver, UCT):
            greedy = self.solver.current_policy()
            self._with_card(greedy, self._metric(greedy)).save(self.folder / GREEDY)
        if self.curve is not None:
            from smoothcall.store.curves import draw_curves

            files.write(self.curve, draw_curves([(self.label, self.metrics)]))
        return metric

    @property
    def label(self) -> str:
        return f"{self.game.spec} {self.solver.name}"

    def _with_card(self, policy: Policy, measured: Metric) -> Policy:
        """What was learned, with its card."""
        results = {name: getattr(measured, name) for name in ("nash_conv", "exploitability", "values", "freezeouts")}
        how = {**policy.card["solver"], "options": self.config["solver"]["options"]}
        policy.card = {
            **policy.card,
            "solver": how,
            "seconds": round(self.seconds, 3),
            "created": self.config["created"],
            "versions": self.config["versions"],
            "results": {name: value for name, value in results.items() if value is not None},
        }
        return policy

    def _fraction(self, target: int | None, limit: float | None) -> float:
        done = self.solver.iterations
        if done >= self.solver.LAST:
            return 1.0
        return done / target if target is not None else self.seconds / (limit or DEFAULT_SECONDS)

    def evaluation(self) -> Metric:
        """The policy learned so far, evaluated."""
        if self.metrics and self.metrics[-1].iterations == self.solver.iterations:
            return self.metrics[-1]
        return self._metric(None if self.game.sampled else self.solver.policy())

    def _metric(self, policy: Policy | None) -> Metric:
        """How good a policy is, where that can be computed."""
        so_far: dict[str, Any] = {
            "iterations": self.solver.iterations,
            "seconds": round(self.seconds, 6),
            "nodes": self.solver.nodes,
        }
        if policy is None or self.game.sampled:
            won = self.solver.won or Winnings((), 0, "hand")
            so_far |= {"nash_conv": None, "exploitability": None, "epsilons": ()}
            if won.each == "freezeout":
                return Metric(**so_far, values=(), freezeouts=(won.chips[0], won.count))
            return Metric(**so_far, values=tuple(chips / max(1, won.count) for chips in won.chips))
        found: Evaluation = evaluate(self.game, policy)
        return Metric(
            **so_far,
            nash_conv=found.nash_conv,
            exploitability=found.exploitability,
            values=found.values,
            epsilons=found.epsilons,
        )

    def _measure(self) -> None:
        """Evaluate and keep the result, once for each number of iterations."""
        metric = self.evaluation()
        if metric not in self.metrics[-1:]:
            self.metrics.append(metric)
            with (self.folder / "metrics.jsonl").open("a") as file:
                file.write(_line(metric))
            if self.config.get("tensorboard"):
                with self._events.open("ab") as stream:
                    stream.write(events.evaluation(self._started, metric, self.metrics[-2] if self.metrics[1:] else None))

    def _keep(self) -> None:
        """Save a snapshot if the run keeps them."""
        if self.config.get("keep"):
            (self.folder / SNAPSHOTS).mkdir(exist_ok=True)
            self._with_card(self.solver.policy(), self.evaluation()).save(snapshot_file(self.folder, self.solver.iterations))

    def _write_metrics(self) -> None:
        """Without what a process that was killed wrote after its last checkpoint."""
        path = self.folder / "metrics.jsonl"
        if path.exists():
            files.write_text(path, "".join(map(_line, self.metrics)))
        if self.config.get("tensorboard"):
            self._events.parent.mkdir(exist_ok=True)
            files.write(self._events, events.whole(self._started, self.metrics))

    @property
    def _events(self) -> Path:
        return self.folder / BOARD / f"events.out.tfevents.{self._started:010.0f}.smoothcall"

    def _checkpoint(self) -> None:
        solver = self.solver
        counts = {"seconds": np.float64(self.seconds), "iterations": solver.iterations, "nodes": solver.nodes}
        with files.written(self.folder / "checkpoint.npz") as file:
            np.savez(file, allow_pickle=False, **counts, **solver.tables())


def _has_networks(solver: Solver) -> bool:
    return type(solver).__module__.startswith("smoothcall.learners.")


def evaluation_points() -> Iterator[int]:
    """1, 2, 3, 4, 6, 8, 10, 14, ...: log-spaced numbers of iterations without end."""
    last, power = 0, 0
    while True:
        point = math.floor(10 ** (power / POINTS_PER_DECADE) + 0.5)
        if point > last:
            yield point
            last = point
        power += 1


def is_snapshot_point(iterations: int) -> bool:
    """Whether it is a power of ten from 10 on. All of them are evaluation points."""
    return iterations >= 10 and iterations == 10 ** (len(str(iterations)) - 1)


def snapshot_file(folder: Path, iterations: int) -> Path:
    return folder / SNAPSHOTS / f"{iterations}.agent"


def snapshots_of(folder: Path) -> dict[int, Path]:
    """The snapshots that a run has kept, by iterations, in order."""
    found = {
        int(path.stem): path for path in (folder / SNAPSHOTS).glob("*.agent") if re.fullmatch("[1-9][0-9]{0,18}", path.stem)
    }
    return dict(sorted(found.items()))


def verify_length(iterations: int | None, seconds: float | None) -> None:
    if iterations is not None and iterations < 1:
        raise UsageError(f"iterations={iterations} (accepted: a whole number of at least 1)")
    if seconds is not None and not 0 < seconds < math.inf:
        raise UsageError(f"seconds={seconds:g} (accepted: a number above 0)")


def read_opponents(name: str, played: Game, options: Mapping[str, object]) -> dict[str, object]:
    """Return a solver's options, agent files read where the solver takes an agent as an object."""
    declared, found = solver_class(name).OPTIONS, dict(options)
    for option in declared.keys() & found.keys():
        given, about = found[option], declared[option]
        if about.objects and isinstance(given, str | Path) and str(given) not in about.choices:
            found[option] = load(given, played)
    return found


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration of a run folder, its fields checked."""
    path = folder / "config.json"
    if not path.is_file():
        raise UsageError(f"{str(folder)!r} is not a run folder (accepted: one made by `smoothcall train`)")
    try:
        config: dict[str, Any] = files.parse_json("config.json", files.read_bytes(path, "run", files.MAX_JSON_BYTES))
        form = field(config, "format", int, low=1)
        if form > FORMAT:
            raise UsageError(f"{str(folder)!r} is a run of format {form}; this version reads up to {FORMAT}")
        for part in (field(config, "game", dict), field(config, "solver", dict)):
            field(part, "name", str)
            field(part, "options", dict)
        field(config["solver"], "seed", int)
        field(config["solver"], "threads", int)
        verify_length(optional(config, "iterations", int), optional(config, "seconds", float))
        with files.parsing("created"):
            datetime.fromisoformat(field(config, "created", str)).timestamp()
        field(config, "versions", dict)
        for name in ("keep", "tensorboard"):
            optional(config, name, bool)
    except DamagedFile as error:
        raise UsageError(f"{str(folder)!r} is not a run folder, or a damaged one ({error})") from None
    return config | {"iterations": config.get("iterations"), "seconds": config.get("seconds")}


def read_checkpoint(path: Path) -> tuple[float, dict[str, Array]]:
    """Return (seconds spent learning, the solver's state) of a checkpoint."""
    try:
        with files.opened(path, "checkpoint") as file:
            archive, size = files.Archive(file), os.fstat(file.fileno()).st_size
            state = {name: archive.array(name, size) for name in archive.arrays}
        seconds = state.pop("seconds", None)
        if seconds is None or seconds.shape or seconds.dtype != np.float64 or not 0 <= seconds < math.inf:
            raise DamagedFile(f"{seconds} seconds")
    except DamagedFile as error:
        raise UsageError(f"{str(path)!r} is damaged ({error}); without it the run would start again") from None
    return float(seconds), state


def read_metrics(folder: Path) -> list[Metric]:
    """Return the evaluations of a run, up to the first line that is cut off or damaged."""
    path, metrics = folder / "metrics.jsonl", list[Metric]()
    for line in files.read_bytes(path, "list of evaluations").splitlines() if path.exists() else []:
        try:
            metrics.append(_metric_of(files.parse_json("evaluation", line)))
        except DamagedFile:
            break
    return metrics


def _metric_of(line: Any) -> Metric:
    ended = optional(line, "freezeouts", list)
    if ended is not None and (len(ended) != 2 or type(ended[1]) is not int):
        raise DamagedFile("'freezeouts' (accepted: chips won, freezeouts ended)")
    return Metric(
        iterations=field(line, "iterations", int, low=0),
        seconds=field(line, "seconds", float, low=0),
        nodes=field(line, "nodes", int, low=0),
        nash_conv=optional(line, "nash_conv", float),
        exploitability=optional(line, "exploitability", float),
        values=_numbers(field(line, "values", list)),
        epsilons=_numbers(field(line, "epsilons", list)),
        freezeouts=None if ended is None else (_numbers(ended)[0], ended[1]),
    )


def _numbers(values: list[Any]) -> tuple[float, ...]:
    """Return a list of finite numbers."""
    return tuple(field({"number": value}, "number", float) for value in values)


def free_folder(parent: Path, stem: str) -> Path:
    """A folder that does not exist yet: stem, stem-2, stem-3, ..."""
    number, folder = 1, parent / stem
    while folder.exists():
        number += 1
        folder = parent / f"{stem}-{number}"
    return folder


def _line(metric: Metric) -> str:
    fields = {name: getattr(metric, name) for name in Metric.__slots__}
    if metric.freezeouts is None:
        del fields["freezeouts"]
    return json.dumps(fields) + "\n"
