"""A run: a folder of training that can be stopped, killed and resumed, with bit-identical results.

config.json      everything needed to start it again, versions included
metrics.jsonl    one line per evaluation, at log-spaced iterations
checkpoint.npz   the solver's whole state; replaced every few seconds, large ones less often
shards/          of a solver divided into shards: `<shard>-<round>.npz`, the rest of its state at the last two checkpoints
agent.agent      the learned policy
greedy.agent     of tree searches: the action of the highest value; a check or call where some action was never tried
curve.png        NashConv over iterations; where that is not computed, winnings, where the solver counts them
opponent.agent   a copy of the fixed opponent, where the run learns against one
snapshots/       `<iterations>.agent` at 10, 100, 1000, ... iterations and at the end, with `keep`; each is written before the
                 next checkpoint, so a killed run has it or writes it again
tensorboard/     the evaluations for TensorBoard, with `tensorboard`; written again from metrics.jsonl when a run is resumed
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np

from smoothcall import files
from smoothcall.agents.folders import AGENT_FILE, CONFIG_FILE, GREEDY_FILE, OPPONENT_FILE, SNAPSHOTS
from smoothcall.agents.registry import Registry
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.kernels.tables import Array
from smoothcall.options import Value
from smoothcall.policy import Policy
from smoothcall.solvers import Solver, solver
from smoothcall.solvers.base import Team
from smoothcall.store import tensorboard as events
from smoothcall.store.config import new_config, read_config, read_opponents, suffix_of, verify_length
from smoothcall.store.metrics import METRICS, Metric, evaluation_points, measure, read_metrics, to_line

CHECKPOINT_SECONDS = 3.0
CHECKPOINT_SHARE = 0.03  # of the time may be spent on saving
SLICE_SECONDS = 0.2  # how long the solver runs before progress is shown and a stop is noticed
DEFAULT_SECONDS = 10.0
CHECKPOINT = "checkpoint.npz"
BOARD = "tensorboard"


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a run, reported several times a second."""

    iterations: int
    seconds: float  # spent learning, over all stretches of the run
    speed: float  # iterations a second, lately
    fraction: float  # of the way to the end
    nash_conv: float | None  # as of the last evaluation
    note: str = ""  # about the workers of a team


MakeTeam = Callable[[Solver, int | None], Team]  # from a solver and the number of its workers, where that is known
Build = Callable[..., Solver]  # build(folder of the run, name, game, seed=, threads=, **options)
TREE_SEARCH = ("uct", "smooth-uct")


class Busy(UsageError):
    """Another process trains the run."""


class Run:
    """Create a run or open one, then `train`."""

    def __init__(
        self,
        folder: Path,
        config: Mapping[str, Any],
        built: Solver | None = None,
        registry: Registry | None = None,
        build: Build | None = None,
    ) -> None:
        """`built`: the solver of the configuration, where it is built already; `registry` resolves its opponent otherwise."""
        self.folder, self.config = folder, dict(config)
        about, how = config["game"], config["solver"]
        if built is None:
            options, kept = dict(how["options"]), folder / OPPONENT_FILE
            if kept.exists():
                options["against"] = f"{kept}{suffix_of(str(options['against']))}"
            played = game(about["name"], **about["options"])
            options = read_opponents(how["name"], played, options, registry or Registry())
            built = (build or _whole)(folder, how["name"], played, seed=how["seed"], threads=how["threads"], **options)
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
        registry: Registry | None = None,
        team: MakeTeam | None = None,
        build: Build | None = None,
    ) -> Run:
        """Create a run in a new folder. Everything is checked before anything is written.

        `keep`: save a snapshot of the agent at every power of ten and at the end. `tensorboard`: also write event files.
        `registry`: resolves the name of an opponent (option `against`). `team`: makes the workers that learn together; the run
        keeps their number. `build`: builds the solver, where that is divided into shards.
        """
        if iterations is not None and seconds is not None:
            raise UsageError("give a number of iterations or of seconds, not both")
        if iterations is None and seconds is None:
            seconds = DEFAULT_SECONDS
        verify_length(iterations, seconds)
        if folder.exists():
            raise UsageError(f"output folder {str(folder)!r} exists (accepted: a new one; to go on with a run: resume)")
        made, given, registry = game(game_spec), dict(options or {}), registry or Registry()
        opened, make = read_opponents(solver_name, made, given, registry), build or _whole
        built = make(folder, solver_name, made, seed=seed, threads=threads, **opened)
        config = new_config(built, given, iterations=iterations, seconds=seconds, keep=keep, tensorboard=tensorboard)
        if team is not None:
            built.team = team(built, None)
            config["workers"] = built.team.workers
        if build is not None and built.team is not None:
            config["shards"] = built.team.workers
        try:
            folder.mkdir(parents=True)
            _keep_opponent(folder, given.get("against"), built, registry)
            files.write_json(folder / CONFIG_FILE, config)
        except FileExistsError:
            raise UsageError(f"output folder {str(folder)!r} exists (accepted: a new one)") from None
        except (OSError, UsageError) as error:
            rmtree(folder, ignore_errors=True)
            raise UsageError(f"output folder {str(folder)!r} cannot be made ({files.reason(error)})") from None
        return cls(folder, config, built)

    @classmethod
    def open(
        cls, folder: Path, registry: Registry | None = None, team: MakeTeam | None = None, build: Build | None = None
    ) -> Run:
        """Return a run as its last checkpoint left it. `registry`: resolves the name of an opponent that has no file.

        `team`: makes the workers of a run that was begun with several; `build`: builds the solver of one with shards.
        """
        config = read_config(folder)
        if config.get("shards") and build is None:
            raise UsageError(f"run {str(folder)!r} has {config['shards']} shards: go on with it by `smoothcall resume`")
        run = cls(folder, config, registry=registry, build=build)
        if workers := run.config.get("workers"):
            if team is None:
                raise UsageError(f"run {str(folder)!r} has {workers} workers: go on with it by `smoothcall resume`")
            run.solver.team = team(run.solver, workers)
        checkpoint = folder / CHECKPOINT
        if checkpoint.exists():
            run.seconds, state = read_checkpoint(checkpoint)
            run.solver.restore(state)
        run.metrics = [metric for metric in read_metrics(folder) if metric.iterations <= run.solver.iterations]
        return run

    @property
    def done(self) -> bool:
        """Return whether the run has reached its end."""
        return self._fraction(self.config["iterations"], self.config["seconds"]) >= 1

    @property
    def agent(self) -> Path:
        return self.folder / AGENT_FILE

    @property
    def curve(self) -> Path | None:
        """Return the path of the learning curve; None where there is nothing to draw."""
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
        with files.locked(self.folder, wait=False) as alone:
            if not alone:
                raise Busy(f"run {str(self.folder)!r} is being trained by another process")
            return self._train(iterations, watch, stop)

    def _train(
        self, iterations: int | None, watch: Callable[[Progress], None] | None, stop: Callable[[], bool] | None
    ) -> Metric:
        if iterations is not None:
            verify_length(iterations, None)
            if iterations < self.solver.iterations:
                raise UsageError(f"iterations={iterations}: the run has done {self.solver.iterations} (accepted: that or more)")
            self.config |= {"iterations": iterations, "seconds": None}
            files.write_json(self.folder / CONFIG_FILE, self.config)
        target, limit = self.config["iterations"], self.config["seconds"]
        self.solver.prepare()
        self._write_metrics()
        step, saved, speed, pause = 1, time.monotonic(), 0.0, CHECKPOINT_SECONDS
        while self._fraction(target, limit) < 1 and not (stop and stop()):
            due = next(point for point in evaluation_points() if point > self.solver.iterations)
            pause_at = self.solver.boundary(self.solver.iterations + step)
            end = min(due, pause_at, target if target is not None else due, self.solver.LAST)
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
                note = self.solver.team.note if self.solver.team is not None else ""
                watch(Progress(self.solver.iterations, self.seconds, speed, fraction, latest, note))
        if self._fraction(target, limit) >= 1:
            self._measure()
            self._keep()
        self._checkpoint()
        metric = self.evaluation()
        self._with_card(self.solver.policy(), metric).save(self.agent)
        if self.solver.name in TREE_SEARCH:
            greedy = self.solver.current_policy()
            self._with_card(greedy, self._measured(greedy)).save(self.folder / GREEDY_FILE)
        if self.curve is not None:
            from smoothcall.store.curves import draw_curves

            files.write(self.curve, draw_curves([(self.label, self.metrics)]))
        return metric

    @property
    def label(self) -> str:
        return f"{self.game.spec} {self.solver.name}"

    def _with_card(self, policy: Policy, measured: Metric) -> Policy:
        """Complete the card of a learned policy."""
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
        """Return the evaluation of the policy learned so far."""
        if self.metrics and self.metrics[-1].iterations == self.solver.iterations:
            return self.metrics[-1]
        return self._measured(None if self.game.sampled else self.solver.policy())

    def _measured(self, policy: Policy | None) -> Metric:
        return measure(self.solver, self.seconds, policy)

    def _measure(self) -> None:
        """Evaluate and write the result, once for each number of iterations."""
        metric = self.evaluation()
        if metric not in self.metrics[-1:]:
            self.metrics.append(metric)
            with (self.folder / METRICS).open("a") as file:
                file.write(to_line(metric))
            if self.config.get("tensorboard"):
                with self._events.open("ab") as stream:
                    stream.write(events.evaluation(self._started, metric, self.metrics[-2] if self.metrics[1:] else None))

    def _keep(self) -> None:
        """Save a snapshot if the run keeps them."""
        if self.config.get("keep"):
            (self.folder / SNAPSHOTS).mkdir(exist_ok=True)
            self._with_card(self.solver.policy(), self.evaluation()).save(snapshot_file(self.folder, self.solver.iterations))

    def _write_metrics(self) -> None:
        """Write the evaluations up to the last checkpoint; a killed process may have written later ones."""
        path = self.folder / METRICS
        if path.exists():
            files.write_text(path, "".join(map(to_line, self.metrics)))
        if self.config.get("tensorboard"):
            self._events.parent.mkdir(exist_ok=True)
            files.write(self._events, events.whole(self._started, self.metrics))

    @property
    def _events(self) -> Path:
        return self.folder / BOARD / f"events.out.tfevents.{self._started:010.0f}.smoothcall"

    def _checkpoint(self) -> None:
        with files.written(self.folder / CHECKPOINT) as file:
            np.savez(file, allow_pickle=False, seconds=np.float64(self.seconds), **self.solver.state(copy=False))


def _whole(folder: Path, name: str, played: Game, **how: Any) -> Solver:
    """Build a solver whose tables are in this process."""
    return solver(name, played, **how)


def _keep_opponent(folder: Path, given: object, built: Solver, registry: Registry) -> None:
    """Copy a fixed opponent into the run as an agent file, so that the run can be resumed when the original has changed.

    A name without a file, such as a scripted player's, stays a name.
    """
    opponent, copy = built.options.get("against"), folder / OPPONENT_FILE
    if isinstance(opponent, Value):  # one of the option's choices, or the solver has no opponents
        return
    if isinstance(given, str | Path):
        entry = registry.resolve(str(given))
        if entry.path is None:
            return
        if entry.path.suffix in registry.readers:
            registry.read(entry, built.game).save(copy)
        else:
            files.write(copy, entry.path.read_bytes())
    elif isinstance(opponent, Policy):
        opponent.save(copy)
    else:
        TabulatedPolicy(built.game, opponent).save(copy)


def is_snapshot_point(iterations: int) -> bool:
    """Return whether a snapshot is saved after so many iterations: 10, 100, 1000, ... These are evaluation points too."""
    return iterations >= 10 and iterations == 10 ** (len(str(iterations)) - 1)


def snapshot_file(folder: Path, iterations: int) -> Path:
    return folder / SNAPSHOTS / f"{iterations}.agent"


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


def free_folder(parent: Path, stem: str) -> Path:
    """Return a folder that does not exist yet: stem, stem-2, stem-3, ..."""
    number, folder = 1, parent / stem
    while folder.exists():
        number += 1
        folder = parent / f"{stem}-{number}"
    return folder
