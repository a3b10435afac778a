"""The agents of the hold'em page, and their training: runs that can be killed and resumed, with policies kept on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import copyfile
from time import process_time
from typing import Any

import numpy as np

from smoothcall import files
from smoothcall.agents.files import load, read_card
from smoothcall.agents.folders import GREEDY_FILE
from smoothcall.errors import UsageError
from smoothcall.experiments.agents import AgentFolder
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.solvers import Solver, solver
from smoothcall.solvers.uct import UCT
from smoothcall.store.runs import CHECKPOINT, Run, read_checkpoint

SEED = 1
S, L, THREE_PLAYERS = "limit-holdem:grid=S", "limit-holdem:grid=L", "limit-holdem-3p"
GREEDY, AVERAGE, SKIP = "greedy", "average", "greedy of tried actions"
FORMS = (GREEDY, AVERAGE)
EPISODES, EPISODES_3P = 7e9, 12e9  # of each agent in the document
PATIENCE = 10_000  # visits below which the document's three-player Smooth UCT has eta = 0
TIMED = {"mccfr": 10_000}  # iterations over which speed is measured, by solver
TIMED_EPISODES = 2_000_000  # of tree searches


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent of the document, or one that is compared with its agents."""

    label: str
    file: str
    game: str
    solver: str
    options: dict[str, Any] = field(default_factory=dict)
    published: str = ""  # winnings in the document's table
    seed: int = SEED

    def command(self, iterations: int) -> str:
        settings = "".join(f" --set {name}={value}" for name, value in self.options.items())
        return f"smoothcall train {self.game} {self.solver} --iterations {iterations:g} --seed {self.seed}{settings}"


def _agent(label: str, played: str, k: float, published: str = "", file: str = "", **options: object) -> Agent:
    """Return an agent of the document: it learns the value of a fold by folding."""
    smooth = label.startswith("Smooth")
    chosen = ({"mixing": "greatest"} if smooth else {}) | {"explore": "pot", "k": k, "folds": "sampled"} | options
    file = file or label.lower().replace(", ", "-").replace(" ", "-").replace("=", "")
    return Agent(label, f"{file}-sampled", played, "smooth-uct" if smooth else "uct", chosen, published)


def exact(agent: Agent) -> Agent:
    """Return the agent with exact fold values instead of sampled ones."""
    options = agent.options | {"folds": "exact"}
    return replace(agent, label=f"{agent.label}, exact folds", file=agent.file.removesuffix("-sampled"), options=options)


TWO = (
    _agent("UCT S, k=1", S, 1, "72 ± 21, -47 ± 20"),
    _agent("UCT S, k=0.5", S, 0.5, "54 ± 21, 26 ± 21"),
    _agent("Smooth UCT S, k=1", S, 1, "51 ± 20, 7 ± 21"),
    _agent("Smooth UCT S, k=0.5", S, 0.5, "56 ± 20, -41 ± 20"),
    _agent("UCT L, k=0.5", L, 0.5, "60 ± 20, -17 ± 21"),
    _agent("Smooth UCT L, k=0.5", L, 0.5, "18 ± 19, 32 ± 21"),
)
EXACT_TWO = tuple(map(exact, TWO))
MCCFR = Agent("MCCFR S", "mccfr-s", S, "mccfr")
UCT_3P = _agent("UCT 3p", THREE_PLAYERS, 0.5, "760 ± 77")
SMOOTH_3P = _agent("Smooth UCT 3p", THREE_PLAYERS, 0.5, "910 ± 78", "smooth-uct-3p-patience", patience=PATIENCE)
EAGER_3P = _agent("Smooth UCT 3p without the 10,000-visit rule", THREE_PLAYERS, 0.5, file="smooth-uct-3p")
EXACT_3P = (exact(UCT_3P), exact(EAGER_3P))
CONSTANT = replace(  # explores by the most that can be won in a hand
    TWO[1], label="UCT S, constant", file="uct-s-constant-sampled", options={"explore": "constant", "folds": "sampled"}
)
CELLS = ("even", "mass", "k-means", "equity", "histograms")


def with_cells(agent: Agent, cells: str, seed: int = SEED) -> Agent:
    """Return the agent in a game whose buckets divide hands in another way, or with another seed."""
    again = "" if seed == SEED else f", seed {seed}"
    file = f"{agent.file}-{cells}" + again.replace(", ", "-").replace(" ", "")
    return replace(agent, label=cells + again, file=file, game=f"{agent.game},cells={cells}", seed=seed)


@dataclass(frozen=True, slots=True)
class Trained:
    """What an agent has learned after some iterations."""

    forms: dict[str, Policy]  # GREEDY, AVERAGE and, of tree searches trained here, SKIP
    speed: float | None  # iterations a second of CPU time; None where the agent was read from the ledger

    def __getitem__(self, form: str) -> Policy:
        return self.forms[form]


class Agents:
    """Agents by number of iterations: from the ledger's folder, from the runs, or trained."""

    def __init__(self, folder: AgentFolder, runs: Path | None, tell: Callable[[str], None]) -> None:
        """Without `runs` agents are trained in memory and not kept."""
        self.folder, self.runs, self.tell = folder, runs, tell
        self._games: dict[str, Game] = {}  # by name
        self._learners: dict[str, Solver] = {}  # by file, where there are no runs
        self._known: dict[tuple[str, int], Trained] = {}  # of two-player agents

    def at(self, agent: Agent, iterations: int) -> Trained:
        """Return an agent after this many iterations."""
        key = (agent.file, iterations)
        if key in self._known:
            return self._known[key]
        done = self.runs is not None and self._stem(agent, iterations).with_suffix(".json").exists()
        found = None if done else self._kept(agent, iterations)
        found = found or self._train(agent, iterations)
        if self._game(agent).players == 2:
            self._known[key] = found
        return found

    def save(self, agent: Agent, iterations: int, forms: tuple[str, ...] = FORMS) -> None:
        """Save an agent in the ledger's folder unless it is there."""
        for form in forms:
            if not (agent.solver == "mccfr" and form == GREEDY) and not self._has(_name(agent, form), iterations):
                self.folder.save(_name(agent, form), self.at(agent, iterations)[form])

    def visits(self, agent: Agent, iterations: int) -> Array | None:
        """Return [rows] the visits of each information state of a run; None where the last point of the run is another."""
        file = None if self.runs is None else self.runs / agent.file / CHECKPOINT
        if file is None or not file.exists():
            return None
        state = read_checkpoint(file)[1]
        if int(state["iterations"]) != iterations:
            return None
        total: Array = state["visits"].sum(axis=1, dtype=np.float64)
        return total

    def _has(self, name: str, iterations: int) -> bool:
        file = self.folder.file(name)
        return file is not None and file.exists() and read_card(file).get("iterations") == iterations

    def _game(self, agent: Agent) -> Game:
        """Return the agent's game, built once; that of three players takes gigabytes."""
        if agent.game not in self._games:
            self._games[agent.game] = game(agent.game)
        return self._games[agent.game]

    def _kept(self, agent: Agent, iterations: int) -> Trained | None:
        """Return an agent of the ledger, or None where there is none with this many iterations."""
        forms = {}
        for form in FORMS:
            name = _name(agent, form)
            if self._has(name, iterations):
                found = self.folder.find(name, self._game(agent), _card(agent), agent.command(iterations))
                assert found is not None
                forms[form] = found
        if agent.solver == "mccfr" and AVERAGE in forms:
            forms[GREEDY] = forms[AVERAGE].greedy()
        whole = GREEDY in forms and (AVERAGE in forms or agent.game == THREE_PLAYERS)
        return Trained(forms, None) if whole else None

    def _stem(self, agent: Agent, iterations: int) -> Path:
        """Return where the policies of a run after some iterations are, without their endings."""
        assert self.runs is not None
        return self.runs / agent.file / "points" / str(iterations)

    def _train(self, agent: Agent, iterations: int) -> Trained:
        if self.runs is None:
            return self._train_in_memory(agent, iterations)
        at, stem = self.runs / agent.file, self._stem(agent, iterations)
        if not stem.with_suffix(".json").exists():
            self.tell(f"training {agent.label}: {agent.command(iterations)}")
            run = _open(at, agent, iterations)
            if run.solver.iterations > iterations:
                raise UsageError(f"the run {str(at)!r} is past {iterations} iterations; without it they are trained again")
            run.train(iterations=iterations)
            stem.parent.mkdir(exist_ok=True)
            copyfile(run.agent, _point(stem, AVERAGE))
            if isinstance(run.solver, UCT):
                copyfile(run.folder / GREEDY_FILE, _point(stem, GREEDY))
                run.solver.greedy_policy("skip").save(_point(stem, SKIP))
            files.write_json(stem.with_suffix(".json"), {"speed": _speed(run.solver)})
        kept = {form: _point(stem, form) for form in (GREEDY, AVERAGE, SKIP)}
        forms = {form: load(file, self._game(agent)) for form, file in kept.items() if file.exists()}
        if GREEDY not in forms:
            forms[GREEDY] = forms[AVERAGE].greedy()
        return Trained(forms, json.loads(stem.with_suffix(".json").read_text())["speed"])

    def _train_in_memory(self, agent: Agent, iterations: int) -> Trained:
        learner = self._learners.get(agent.file)
        if learner is None or learner.iterations > iterations:
            learner = solver(agent.solver, self._game(agent), seed=agent.seed, **agent.options)
        started = process_time()
        before = learner.iterations
        learner.run(iterations - before)
        speed = (iterations - before) / max(process_time() - started, 1e-9)
        if learner.game.players == 2:
            self._learners[agent.file] = learner
        average = learner.policy()
        if not isinstance(learner, UCT):
            return Trained({AVERAGE: average, GREEDY: average.greedy()}, speed)
        return Trained({AVERAGE: average, GREEDY: learner.greedy_policy(), SKIP: learner.greedy_policy("skip")}, speed)


def _open(at: Path, agent: Agent, iterations: int) -> Run:
    if at.exists():
        return Run.open(at)
    return Run.create(at, agent.game, agent.solver, seed=agent.seed, options=agent.options, iterations=iterations)


def _speed(learner: Solver) -> float:
    """Return iterations a second of CPU time, over some more iterations."""
    count = min(learner.iterations, TIMED.get(learner.name, TIMED_EPISODES))
    started = process_time()
    learner.run(count)
    return count / (process_time() - started)


def _point(stem: Path, form: str) -> Path:
    return stem.with_name(f"{stem.name}-{form.replace(' ', '-')}.agent")


def _name(agent: Agent, form: str) -> str:
    return f"{agent.file}-greedy" if form == GREEDY else agent.file


def _card(agent: Agent) -> dict[str, Any]:
    return {"solver": {"name": agent.solver, "seed": agent.seed, "options": agent.options}}
