"""The agents of epfl2020: read from the page's folder, or trained by a run that can be interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from smoothcall.agents.files import load
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.experiments.agents import AgentFolder, Tell
from smoothcall.experiments.epfl2020.settings import LEARNERS, Learner, Size
from smoothcall.store.metrics import Metric
from smoothcall.store.runs import Run

FEWEST = 1000  # freezeouts between two points of a learning curve


def command(learner: Learner, seed: int, size: Size) -> str:
    """Return the command that trains an agent."""
    settings = "".join(f" --set {name}={value}" for name, value in learner.with_options(size.options).items())
    return f"smoothcall train {size.game} {learner.solver} --iterations {size.hands:g} --seed {seed}{settings}"


def trained(label: str, seed: int, size: Size, folder: Path, tell: Tell) -> TabulatedPolicy:
    """Return the agent of a learner and a seed, with its learning curve in its card."""
    learner, kept = LEARNERS[label], AgentFolder(folder / "agents")
    name, options = f"{learner.file}-{seed}", learner.with_options(size.options)
    card = {"solver": {"name": learner.solver, "seed": seed, "options": options}, "iterations": size.hands}
    found = kept.find(name, None, card, command(learner, seed, size))
    if found is None:
        tell(f"training {label}, seed {seed}: {command(learner, seed, size)}")
        found = _train(learner, seed, size, folder, options)
        kept.save(name, found)
    assert isinstance(found, TabulatedPolicy)
    return found


def _train(learner: Learner, seed: int, size: Size, folder: Path, options: dict[str, Any]) -> TabulatedPolicy:
    runs = Path("runs") / "epfl2020" if size.full else folder / "runs"
    at = runs / f"{learner.file}-{seed}-{size.hands}"
    if at.exists():
        run = Run.open(at)
    else:
        run = Run.create(at, size.game, learner.solver, seed=seed, options=options, iterations=size.hands)
    run.train()
    policy = load(run.agent)
    assert isinstance(policy, TabulatedPolicy)
    policy.card |= {"curve": curve(run.metrics), "command": command(learner, seed, size)}
    return policy


def curve(metrics: list[Metric]) -> list[list[float]]:
    """Return (hands, chips a freezeout since the point before) for points with FEWEST freezeouts between them."""
    points, before = list[list[float]](), (0.0, 0)
    for metric in metrics:
        assert metric.freezeouts is not None
        won, ended = metric.freezeouts[0] - before[0], metric.freezeouts[1] - before[1]
        if ended >= FEWEST:
            points.append([metric.iterations, won / ended])
            before = metric.freezeouts
    return points
