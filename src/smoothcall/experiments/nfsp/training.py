"""Learning curves of NFSP for ledger pages: one part per training and seed. A training that was stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from smoothcall import files
from smoothcall.evaluation.exploitability import best_response, expected_values, exploitability
from smoothcall.experiments.curves import Curves, spaced
from smoothcall.experiments.parts import NotMeasured, Part, Parts
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.kernels.tables import Array
from smoothcall.learners.nfsp import NFSP
from smoothcall.policy import Policy
from smoothcall.solvers import solver

SLICE = 100_000  # episodes between looks at the clock
CHECKPOINT_SECONDS = 60.0
EXPLOITABILITY, SECONDS, PROCESSOR, MOVES = "exploitability", "seconds", "processor seconds", "moves"
GAP = "best response gap"  # mean over players of what the learned best response falls short of the exact one
RESERVOIR = "exploitability of the reservoir"  # of the frequencies of the moves in it
GREEDY = "exploitability of the best response"
FIGURES = (SECONDS, PROCESSOR, MOVES, EXPLOITABILITY, GAP, RESERVOIR, GREEDY)
ITERATION = 128  # moves, of both players, in an iteration of Heinrich's program


@dataclass(frozen=True, slots=True)
class Training:
    """Training of NFSP in a game, with one curve per seed."""

    label: str
    game: str
    episodes: int
    seeds: int
    options: dict[str, Any] = field(default_factory=dict)
    until: int | None = None  # the last point that is trained; None: all of them

    @property
    def points(self) -> list[int]:
        """Numbers of episodes after which the policies are evaluated."""
        return [point for point in spaced(1000, self.episodes, 40) if self.until is None or point <= self.until]

    def part(self, seed: int) -> str:
        return f"{self.label}, seed {seed}"

    def settings(self, seed: int) -> dict[str, Any]:
        return {"game": self.game, "solver": "nfsp", "options": self.options, "seed": seed, "points": self.points}


@dataclass(frozen=True, slots=True)
class Learned:
    """The curves of a training, made from its parts."""

    label: str
    game: str
    options: dict[str, Any]
    curves: Curves

    @property
    def points(self) -> list[int]:
        return self.curves.points

    @property
    def seeds(self) -> int:
        return len(self.curves.figures[EXPLOITABILITY])

    def last(self, name: str = EXPLOITABILITY) -> Array:
        """Return [seeds] a figure at the last point."""
        found: Array = self.curves.figures[name][:, -1]
        return found

    def at(self, iterations: float, name: str = EXPLOITABILITY) -> Array:
        """Return [seeds] a figure after this many iterations of Heinrich's program, interpolated in logarithms."""
        moves, figure = np.log(self.curves.figures[MOVES]), np.log(self.curves.figures[name])
        wanted = np.log(iterations * ITERATION)
        return np.exp([np.interp(wanted, *line) for line in zip(moves, figure, strict=True)])

    def after(self, episodes: int, name: str = EXPLOITABILITY) -> Array:
        """Return [seeds] a figure after this many episodes, one of the points."""
        found: Array = self.curves.figures[name][:, self.points.index(episodes)]
        return found

    @property
    def iterations(self) -> float:
        """Iterations of Heinrich's program: moves of both players / ITERATION; the least of all seeds."""
        return float(self.last(MOVES).min()) / ITERATION

    def stays_below(self, seed: int, clock: Array, bar: float) -> float | None:
        """Return the reading of clock[points] from which on exploitability stays below the bar; None if it does not."""
        above = np.flatnonzero(self.curves.figures[EXPLOITABILITY][seed] >= bar)
        after = above[-1] + 1 if len(above) else 0
        return float(clock[after]) if after < len(clock) else None

    @property
    def command(self) -> str:
        settings = "".join(f" --set {name}={value}" for name, value in self.options.items())
        return f"smoothcall train {self.game} nfsp --iterations {self.points[-1]:g}{settings} --seed 0"


def measure(parts: Parts, wanted: Sequence[Training]) -> None:
    """Train every seed of every training that has no part yet."""
    for each in wanted:
        for seed in range(each.seeds):
            settings = each.settings(seed)
            parts.measure(each.part(seed), settings, partial(train, settings, parts.file.parent, parts.tell))


def learned(parts: Mapping[str, Part], label: str) -> Learned:
    """Return the curves of all seeds of a training. Figures that not every seed has are left out."""
    found = [part for name, part in parts.items() if name.rpartition(", seed ")[0] == label]
    if not found:
        raise NotMeasured(label)
    names = set.intersection(*(set(part.figures) for part in found))
    figures = {name: np.array([part.figures[name] for part in found], float) for name in sorted(names)}
    settings = found[0].settings
    return Learned(label, settings["game"], settings["options"], Curves(settings["points"], figures))


def labels(parts: Mapping[str, Part]) -> list[str]:
    """Return the labels of the trainings that a page has, in order."""
    return list(dict.fromkeys(name.rpartition(", seed ")[0] for name in parts if ", seed " in name))


def train(settings: Mapping[str, Any], folder: Path, tell: Callable[[str], None]) -> dict[str, list[float]]:
    """Train one seed; return figures by name at each of the points. Clocks run during training only.

    A checkpoint of the same settings in `folder` is continued; it is removed at the end.
    """
    made = game(settings["game"])
    learner = solver("nfsp", made, seed=settings["seed"], **settings["options"])
    assert isinstance(learner, NFSP)
    checkpoint = Checkpoint(folder / "training.npz", settings)
    clocks, figures = checkpoint.resume(learner)
    learner.prepare()
    saved = perf_counter()
    for point in settings["points"][len(figures[SECONDS]) :]:
        while learner.iterations < point:
            before = np.array([perf_counter(), process_time()])
            learner.run(min(SLICE, point - learner.iterations))
            clocks += np.array([perf_counter(), process_time()]) - before
            if perf_counter() - saved > CHECKPOINT_SECONDS:
                tell(f"{learner.iterations:,} episodes")
                checkpoint.save(learner, clocks, figures)
                saved = perf_counter()
        for name, figure in zip(FIGURES, (*clocks.tolist(), *_figures(made, learner)), strict=True):
            figures[name].append(figure)
    checkpoint.file.unlink(missing_ok=True)
    return figures


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything that a training needs to go on, in a file."""

    file: Path
    settings: Mapping[str, Any]

    def save(self, learner: NFSP, clocks: Array, figures: Mapping[str, list[float]]) -> None:
        so_far = np.array([figures[name] for name in FIGURES])
        with files.written(self.file) as file:
            np.savez(file, allow_pickle=False, settings=self._key, clocks=clocks, figures=so_far, **learner.state())

    def resume(self, learner: NFSP) -> tuple[Array, dict[str, list[float]]]:
        """Return ([wall, processor] seconds, figures so far), and restore the learner; from nothing without a checkpoint."""
        if self.file.is_file():
            with np.load(self.file, allow_pickle=False) as kept:
                if np.array_equal(kept["settings"], self._key):
                    learner.restore({name: kept[name] for name in kept.files})
                    return kept["clocks"], dict(zip(FIGURES, kept["figures"].tolist(), strict=True))
        return np.zeros(2), {name: [] for name in FIGURES}

    @property
    def _key(self) -> Array:
        return np.frombuffer(json.dumps(self.settings, sort_keys=True).encode(), np.uint8)


def _figures(made: Game, learner: NFSP) -> tuple[float, ...]:
    """Return the figures of FIGURES after the clocks."""
    average, best = learner.policy(), learner.current_policy()
    gaps = []
    for player in range(made.players):
        mixed = np.where((made.row_player == player)[:, None], best.table, average.table)
        value = expected_values(made, Policy.from_weights(made, mixed))[player]
        gaps.append(best_response(made, average, player).value - value)
    reservoir = exploitability(made, learner.reservoir_policy())
    found = (exploitability(made, average), float(np.mean(gaps)), reservoir, exploitability(made, best))
    return learner.nodes, *found
