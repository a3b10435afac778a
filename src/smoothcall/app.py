"""The one object behind the command line, the page and the tests. Its methods return named results (`smoothcall.results`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smoothcall import files
from smoothcall.agents.registry import PlayerInfo, Registry
from smoothcall.cluster.hosts import teams_on
from smoothcall.cluster.runner import runner_on
from smoothcall.cluster.shard_hosts import shards_on
from smoothcall.cluster.status import ClusterReport, cluster_status
from smoothcall.errors import UsageError, unknown
from smoothcall.evaluation.exploitability import evaluate
from smoothcall.evaluation.policy_match import table_notes
from smoothcall.experiments import EXPERIMENTS, differences, measured_papers, page_of, reproduce, write_page
from smoothcall.folders import data_folder
from smoothcall.games.catalog import CATALOG
from smoothcall.information.named_games import options_of
from smoothcall.interop import sources
from smoothcall.interop.sources import game
from smoothcall.policy import Policy
from smoothcall.progress import warn
from smoothcall.results import (
    BenchReport,
    ComparedFigure,
    Distance,
    EvaluationReport,
    ExactResponseReport,
    ExperimentInfo,
    GameInfo,
    LedgerCheck,
    LedgerRow,
    LowerBounds,
    PlotReport,
    ReproductionReport,
    ShownState,
    ShownStates,
    SolverInfo,
    TrainReport,
    describe,
    report_of,
)
from smoothcall.search.player import search_player
from smoothcall.solvers import SOLVERS
from smoothcall.store.config import read_config
from smoothcall.store.metrics import read_metrics
from smoothcall.store.runs import Build, MakeTeam, Progress, Run, free_folder
from smoothcall.tasks import Runner

if TYPE_CHECKING:  # imported where they are used; the play service needs the packages of the extra `web`
    from smoothcall.evaluation.freezeouts import FreezeoutResult
    from smoothcall.evaluation.policy_match import MatchResult
    from smoothcall.experiments.cross_table import CrossTable
    from smoothcall.play.opponents import Agents
    from smoothcall.play.service import PlayService
    from smoothcall.search.reports import ShownNode, SolveReport

Watch = Callable[[Progress], None]
Stop = Callable[[], bool]
_FOLDER_NAMES = str.maketrans({":": "-", ",": "-", "=": "", "/": "-"})  # from game specifications to names of folders


class App:
    """Everything a user can ask for. Wrong input raises UsageError before anything is written."""

    def __init__(self, folder: Path | None = None, *, cluster: str | None = None) -> None:
        """`cluster`: where long work runs, if not in this process: auto, HOST:PORT or local:N (see `smoothcall.cluster`)."""
        self.folder = folder or Path()  # runs and ledgers go here unless another folder is named
        self.cluster = cluster

    def games(self) -> list[GameInfo]:
        found = []
        for name, entry in CATALOG.items():
            made = game(name)
            found.append(GameInfo(name, entry.summary, made.players, *made.size, describe(options_of(name))))
        return found

    def solvers(self) -> list[SolverInfo]:
        found = []
        for name, registered in SOLVERS.items():
            solver = registered.load()
            found.append(SolverInfo(name, registered.summary, solver.THREADS, describe(solver.OPTIONS)))
        return found

    def train(
        self,
        game_spec: str,
        solver_name: str,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        threads: int = 1,
        options: Mapping[str, object] | None = None,
        keep: bool = False,
        tensorboard: bool = False,
        workers: int | None = None,
        shards: int | None = None,
        out: Path | None = None,
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> TrainReport:
        """Start a run in a new folder and train to its end, or until `stop()` is true.

        `workers`: learn together and exchange what they learned; on a cluster, by default, as many as it has places.
        `shards`: divide the table among as many processes.
        """
        if workers is not None and shards is not None:
            raise UsageError("give a number of workers or of shards, not both")
        stem = f"{game(game_spec).spec}-{solver_name}".translate(_FOLDER_NAMES)
        with self._learners(workers, shards) as (team, build):
            run = Run.create(
                out or free_folder(self.folder / "runs", stem),
                game_spec,
                solver_name,
                seed=seed,
                threads=threads,
                options=options,
                iterations=iterations,
                seconds=seconds,
                keep=keep,
                tensorboard=tensorboard,
                registry=self.registry(),
                team=team,
                build=build,
            )
            run.train(watch=watch, stop=stop)
            return report_of(run)

    def resume(
        self, folder: Path, *, iterations: int | None = None, watch: Watch | None = None, stop: Stop | None = None
    ) -> TrainReport:
        """Continue a run bit-exactly, to its end or to `iterations` in all."""
        config = read_config(folder)
        with self._learners(config.get("workers"), config.get("shards")) as (team, build):
            run = Run.open(folder, self.registry(), team, build)
            run.train(iterations=iterations, watch=watch, stop=stop)
            return report_of(run)

    @contextmanager
    def _learners(self, workers: int | None, shards: int | None) -> Iterator[tuple[MakeTeam | None, Build | None]]:
        """Yield what makes the team of a solver, or what builds one in shards; (None, None) for a solver alone."""
        if shards is None:
            with teams_on(self.cluster, workers, warn) as team:
                yield team, None
        else:
            with shards_on(self.cluster, shards, warn) as build:
                yield None, build

    def _runner(self) -> AbstractContextManager[Runner]:
        """Return the runner of independent tasks: this process, or the cluster."""
        return runner_on(self.cluster, warn)

    def cluster_status(self) -> ClusterReport:
        """Return the machines of the cluster, and the version that each runs."""
        return cluster_status(self.cluster or "auto")

    def registry(
        self, agents: Path | None = None, stop: Stop | None = None, tell: Callable[[str], None] | None = None
    ) -> Registry:
        """Return the registry of players, with the agents below a folder: `runs`, unless another is named.

        Waiting for a program at an address ends with KeyboardInterrupt when `stop` says so; `tell` hears that it began.
        """
        return Registry(agents or self._runs, sources.READERS, sources.openers(stop, tell), search_player)

    @property
    def _runs(self) -> Path | None:
        """The folder of runs, where agents have ids; None if there is none yet."""
        folder = self.folder / "runs"
        return folder if folder.is_dir() else None

    def players(self) -> list[PlayerInfo]:
        """List every player that has a name: scripted players, agents of the package and of the runs."""
        return self.registry().players()

    def agent(self, name: str | Path, of: str | None = None) -> Policy:
        """Return the policy of a player by its name in the registry; of the game `of`, where one is named."""
        return self.registry().policy(str(name), game(of) if of else None)

    def evaluate(self, agent: str | Path | Policy, *, of: str | None = None, greedy: bool = False) -> EvaluationReport:
        """Evaluate an agent exactly, in a game whose deals are listed; `greedy` evaluates its most likely actions."""
        from smoothcall.evaluation.equilibria import dominated_error, equilibrium_distance

        policy = self._policy(agent, of)
        made, notes, policy = policy.game, _notes(policy), policy.greedy() if greedy else policy
        found = evaluate(made, policy)
        try:
            near = equilibrium_distance(made, policy)
        except UsageError:  # no equilibria are known in closed form
            distance = None
        else:
            finite = near.kullback_leibler if near.kullback_leibler < float("inf") else None
            distance = Distance(near.squared_error, finite, dominated_error(made, policy))
        return EvaluationReport(
            game=made.spec,
            greedy=greedy,
            nash_conv=found.nash_conv,
            exploitability=found.exploitability,
            epsilon=found.epsilon,
            values=found.values,
            best_response_values=found.best_response_values,
            epsilons=found.epsilons,
            card=policy.card,
            equilibrium=distance,
            notes=notes,
        )

    def lower_bounds(
        self, agent: str | Path | Policy, *, of: str | None = None, greedy: bool = False, **how: Any
    ) -> LowerBounds:
        """Find what responses win, for games too large for `evaluate`; `how`: options of `evaluation.responses.respond`."""
        from smoothcall.evaluation.responses import respond

        policy = self._policy(agent, of)
        with self._runner() as runner:
            found = respond(policy, greedy=greedy, runner=runner, **how)
        return LowerBounds(policy.game.spec, greedy, *found, policy.card, _notes(policy))

    def exact_response(
        self, agent: str | Path | Policy, *, of: str | None = None, greedy: bool = False, slots: str | None = None, **how: Any
    ) -> ExactResponseReport:
        """Find the exact best response to an agent of two-player hold'em; `slots` (`f,c,x4`) restricts its actions.

        `how`: options of `evaluation.exact_response`. Values of flops are kept in the user's cache folder.
        """
        from smoothcall.evaluation.exact_response import exact_response, store_of

        policy, chosen = self._policy(agent, of), None if slots is None else slots.split(",")
        how.setdefault("store", store_of(policy, chosen, greedy=greedy) if policy.game.sampled else None)
        with self._runner() as runner:
            found = exact_response(policy, slots=chosen, greedy=greedy, runner=runner, **how)
        return ExactResponseReport(policy.game.spec, greedy, found, policy.card, _notes(policy))

    def _policy(self, agent: str | Path | Policy, of: str | None) -> Policy:
        return agent if isinstance(agent, Policy) else self.agent(agent, of)

    def show(self, agent: str | Path, key: str | None = None, *, of: str | None = None) -> ShownStates:
        """Show a policy at the information states of a key; without one, at all of them (hold'em: the first decision)."""
        policy = self.agent(agent, of)
        made = policy.game
        rows = made.rows(key) if key is not None else range(made.buckets[0] if made.sampled else made.tree.rows)
        return ShownStates(made.spec, tuple(made.actions), tuple(_state(policy, row) for row in rows))

    def match(
        self,
        players: Sequence[str],
        *,
        hands: int | None = None,
        seed: int = 0,
        of: str | None = None,
        watch: Callable[[float], None] | None = None,
        stop: Stop | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> MatchResult:
        """Play a match; `players` are names of the registry. `tell` hears of programs that are waited for."""
        from smoothcall.evaluation.match import play_match

        how: dict[str, Any] = {"of": of, "hands": hands, "seed": seed, "watch": watch, "stop": stop}
        with self._runner() as runner:
            return play_match(players, registry=self.registry(stop=stop, tell=tell), runner=runner, **how)

    def cross_table(
        self,
        players: Sequence[str],
        picture: Path,
        *,
        hands: int | None = None,
        seed: int = 0,
        of: str | None = None,
        watch: Callable[[float], None] | None = None,
        stop: Stop | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> CrossTable:
        """Play a match of every two players and draw the table into the file `picture`; `tell` as in `match`."""
        from smoothcall.experiments.cross_table import play_cross_table

        how: dict[str, Any] = {"of": of, "hands": hands, "seed": seed, "watch": watch, "stop": stop}
        with self._runner() as runner:
            return play_cross_table(players, picture, registry=self.registry(stop=stop, tell=tell), runner=runner, **how)

    def freezeouts(
        self,
        players: Sequence[str],
        freezeouts: int,
        *,
        rollouts: int = 0,
        seed: int = 0,
        of: str | None = None,
        watch: Callable[[float], None] | None = None,
        stop: Stop | None = None,
    ) -> FreezeoutResult:
        """Play freezeouts of two batch policies. Equities are exact, or estimated from so many `rollouts`."""
        from smoothcall.evaluation.freezeout_match import play_freezeout_match

        how: dict[str, Any] = {"of": of, "seed": seed, "rollouts": rollouts, "watch": watch, "stop": stop}
        with self._runner() as runner:
            return play_freezeout_match(players, freezeouts, registry=self.registry(), runner=runner, **how)

    def plot(self, folders: Sequence[Path], out: Path, *, x: str = "iterations") -> PlotReport:
        """Draw the learning curves of runs on one picture."""
        from smoothcall.store.curves import AXES, draw_curves

        if x not in AXES:
            raise unknown("axis", x, AXES)
        if not out.parent.is_dir():
            raise UsageError(f"cannot write {str(out)!r}: there is no folder {str(out.parent)!r}")
        configs = [read_config(folder) for folder in folders]
        labels = [f"{config['game']['name']} {config['solver']['name']}" for config in configs]
        if len(set(labels)) < len(labels):
            labels = [f"{label} ({folder.name})" for label, folder in zip(labels, folders, strict=True)]
        curves = [(label, read_metrics(folder)) for label, folder in zip(labels, folders, strict=True)]
        for folder, (_, metrics) in zip(folders, curves, strict=True):
            if not metrics:
                raise UsageError(f"run {str(folder)!r} has no evaluations yet (go on with it: resume)")
        files.write(out, draw_curves(curves, x))
        return PlotReport(str(out), tuple(map(str, folders)))

    def experiments(self) -> list[ExperimentInfo]:
        return [ExperimentInfo(name, summary) for name, summary in EXPERIMENTS.items()]

    def reproduce(
        self,
        name: str,
        *,
        quick: bool = False,
        again: bool = False,
        out: Path | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> ReproductionReport:
        """Run a paper's experiments and write its page under `out` (docs/ledger unless another folder is named).

        What an earlier reproduction measured with the same settings is reused, unless `again`.
        """
        tell = tell or (lambda line: None)
        with self._runner() as runner:
            found = reproduce(name, quick=quick, again=again, out=out or self._ledger, tell=tell, runner=runner)
        return ReproductionReport(str(found.page), tuple(LedgerRow(name, row) for row in found.rows))

    def write_page(self, name: str, *, out: Path | None = None) -> ReproductionReport:
        """Write the page of a paper from what has been measured so far."""
        found = write_page(name, out or self._ledger)
        return ReproductionReport(str(found.page), tuple(LedgerRow(name, row) for row in found.rows))

    def ledger(self, name: str | None = None, *, out: Path | None = None) -> tuple[LedgerRow, ...]:
        """Return the rows of all pages under `out` (docs/ledger unless another folder is named), or of one."""
        papers = self._papers(name, out)
        return tuple(LedgerRow(paper, row) for paper in papers for row in page_of(paper, out or self._ledger)[0].rows)

    def check_ledger(self, name: str | None = None, *, out: Path | None = None) -> LedgerCheck:
        """Compare the pages under `out` (docs/ledger unless another folder is named) with what their data give."""
        papers = self._papers(name, out)
        wrong = [f"{paper}: {line}" for paper in papers for line in differences(paper, out or self._ledger)]
        return LedgerCheck(papers, tuple(wrong))

    @property
    def _ledger(self) -> Path:
        return self.folder / "docs" / "ledger"

    def _papers(self, name: str | None, out: Path | None) -> tuple[str, ...]:
        """Return `name`, or all papers that were measured under `out`."""
        if name is not None:
            return (name,)
        folder = out or self._ledger
        found = measured_papers(folder)
        if not found:
            raise UsageError(f"there are no data of reproductions in {str(folder)!r} (make them: smoothcall reproduce NAME)")
        return found

    def solve(self, spot: Mapping[str, Any] | Path, **how: Any) -> SolveReport:
        """Solve a spot, or go on with a saved one; see `search.reports.solve_spot`."""
        from smoothcall.search.reports import solve_spot

        return solve_spot(spot, **how)

    def show_spot(self, path: Path, key: str | None = None) -> ShownNode:
        """Show a public node of a saved solution."""
        from smoothcall.search.reports import show_spot

        return show_spot(path, key)

    def play_service(
        self, database: str | None = None, agents: Path | Agents | None = None, *, synchronous: str = "full", **options: Any
    ) -> PlayService:
        """Open tables for people to play at. Hands go to a database: a file in `data_folder`, unless a URL is given.

        Opponents are the shipped agents and those in a folder: `runs`, unless another is named. Services may share one
        `Agents` object. `synchronous`: "full", or "normal" for an SQLite file whose last commits a power failure may
        take. `options` are those of `PlayService`: clock, secret, shuffle, max_tables, shared (by default where the database
        is PostgreSQL, which other servers may use too).
        """
        from smoothcall.play.opponents import Agents
        from smoothcall.play.service import PlayService
        from smoothcall.store.histories import Histories

        if isinstance(agents, Path) and not agents.is_dir():
            raise UsageError(f"there is no folder of agents {str(agents)!r}")
        opponents = agents if isinstance(agents, Agents) else Agents(agents or self._runs, sources.READERS)
        url = database or f"sqlite:///{data_folder() / 'hands.sqlite'}"
        histories = Histories(url, synchronous=synchronous)
        options.setdefault("shared", histories.dialect == "postgresql")
        return PlayService(histories, opponents, **options)

    def bench(
        self,
        names: Sequence[str] = (),
        *,
        repeats: int = 5,
        peers: bool = False,
        tell: Callable[[str], None] | None = None,
    ) -> BenchReport:
        """Measure speeds; with `peers`, other packages right after the figure they are compared with."""
        from smoothcall.experiments.peers import compare, missing
        from smoothcall.experiments.speed import measure

        tell = tell or (lambda line: None)
        for line in missing(names) if peers else ():
            tell(line)
        figures = measure(names, repeats=repeats, tell=tell)
        return BenchReport(
            tuple(ComparedFigure(figure, compare(figure, repeats=repeats, tell=tell) if peers else {}) for figure in figures)
        )


def _notes(policy: Policy) -> tuple[str, ...]:
    """Say where the table of an agent is measured, and not the agent itself."""
    return table_notes(["the agent"], [policy])


def _state(policy: Policy, row: int) -> ShownState:
    made, node = policy.game, policy.game.node_of(row)
    letters = {made.actions[made.tree.slot[child]]: letter for letter, child in made.tree.children(node).items()}
    return ShownState(int(made.tree.player[node]), made.key(row), policy.at(row), letters)
