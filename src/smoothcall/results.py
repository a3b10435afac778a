"""Named results of `App`. `as_dict()` of a result is the JSON object that its command prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from smoothcall.evaluation.exact_response import ExactResponse
from smoothcall.evaluation.learned_response import LearnedResponse
from smoothcall.evaluation.local_best_response import LocalBestResponse
from smoothcall.experiments.speed import Figure
from smoothcall.experiments.verdicts import Row, Status, Verdict, verdict
from smoothcall.options import Option
from smoothcall.store.runs import Run


class Record:
    """A dataclass whose fields are its JSON object."""

    __slots__ = ()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True, slots=True)
class OptionInfo(Record):
    """An option of a game or a solver, in words."""

    name: str
    default: str
    accepted: str
    help: str


def describe(options: Mapping[str, Option]) -> tuple[OptionInfo, ...]:
    """Return declared options in words."""
    return tuple(
        OptionInfo(
            name=name,
            default=str(option.default).lower() if option.type is bool or option.default is None else str(option.default),
            accepted=option.accepted,
            help=option.help,
        )
        for name, option in options.items()
    )


@dataclass(frozen=True, slots=True)
class GameInfo(Record):
    """A game of the catalogue with its default options."""

    name: str
    summary: str
    players: int
    nodes: int  # of the action tree
    deals: int
    information_states: int
    options: tuple[OptionInfo, ...]


@dataclass(frozen=True, slots=True)
class SolverInfo(Record):
    name: str
    summary: str
    threads: str  # what more than one thread gives up; empty where the solver runs on one
    options: tuple[OptionInfo, ...]


@dataclass(frozen=True, slots=True)
class TrainReport(Record):
    """A run after training. Values are chips a hand."""

    folder: str
    agent: str  # path of the agent file
    curve: str | None  # path of the picture
    game: str
    solver: str
    done: bool  # False where it was stopped
    iterations: int
    seconds: float
    nodes: int  # visited
    nash_conv: float | None  # None where deals are sampled
    exploitability: float | None
    values: tuple[float, ...]
    epsilons: tuple[float, ...]  # what each player can gain
    freezeouts: tuple[float, int] | None  # chips won while learning, freezeouts played
    note: str  # what more than one thread gives up


def report_of(run: Run) -> TrainReport:
    """Return the report of a run as it stands."""
    metric = run.evaluation()
    return TrainReport(
        folder=str(run.folder),
        agent=str(run.agent),
        curve=None if run.curve is None else str(run.curve),
        game=run.game.spec,
        solver=run.solver.name,
        done=run.done,
        iterations=metric.iterations,
        seconds=run.seconds,
        nodes=metric.nodes,
        nash_conv=metric.nash_conv,
        exploitability=metric.exploitability,
        values=metric.values,
        epsilons=metric.epsilons,
        freezeouts=metric.freezeouts,
        note=run.solver.THREADS if run.solver.threads > 1 else "",
    )


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a policy is from the equilibria that are known in closed form."""

    squared_error: float
    kullback_leibler: float | None  # None: infinite
    dominated_error: float  # probability of dominated actions, summed


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """An exact evaluation, in chips a hand."""

    game: str
    greedy: bool
    nash_conv: float
    exploitability: float
    epsilon: float
    values: tuple[float, ...]
    best_response_values: tuple[float, ...]
    epsilons: tuple[float, ...]
    card: dict[str, Any]
    equilibrium: Distance | None = None
    notes: tuple[str, ...] = ()  # where a table stands for an agent that plays from observations
    done: bool = True

    def as_dict(self) -> dict[str, Any]:
        answer = {name: getattr(self, name) for name in _EVALUATION}
        answer["notes"] = list(self.notes)
        if (distance := self.equilibrium) is not None:
            answer["equilibrium"] = {
                "squared_error": distance.squared_error,
                "kullback_leibler": distance.kullback_leibler,
            }
            answer["dominated_error"] = distance.dominated_error
        return answer


_EVALUATION = (
    "game", "greedy", "nash_conv", "exploitability", "epsilon", "values", "best_response_values", "epsilons", "card",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LowerBounds:
    """Lower bounds of what a best response wins, in mbb/h, where the game is too large for an exact evaluation."""

    game: str
    greedy: bool
    exact: ExactResponse | None  # on a sample of flops; None in games of more than two players, or where it was not asked for
    local: LocalBestResponse | None  # None in games of more than two players
    learned: LearnedResponse
    card: dict[str, Any]
    notes: tuple[str, ...] = ()  # where a table stands for an agent that plays from observations

    @property
    def done(self) -> bool:
        return all(found.done for found in (self.exact, self.local, self.learned) if found is not None)

    def __str__(self) -> str:
        return "\n".join(str(bound) for bound in (self.exact, self.local, self.learned) if bound is not None)

    def as_dict(self) -> dict[str, Any]:
        answer: dict[str, Any] = {"game": self.game, "greedy": self.greedy, "card": self.card, "notes": list(self.notes)}
        if self.exact is not None:
            answer["exact_response"] = self.exact.as_dict()
        if self.local is not None:
            answer["local_best_response"] = self.local.as_dict()
        return {**answer, "learned_response": self.learned.as_dict(), "done": self.done}


@dataclass(frozen=True, slots=True)
class ExactResponseReport:
    """An exact best response in two-player hold'em, with the agent's card."""

    game: str
    greedy: bool
    response: ExactResponse
    card: dict[str, Any]
    notes: tuple[str, ...] = ()  # where a table stands for an agent that plays from observations

    @property
    def done(self) -> bool:
        return self.response.done

    def __str__(self) -> str:
        return str(self.response)

    def as_dict(self) -> dict[str, Any]:
        about = {"game": self.game, "greedy": self.greedy, "card": self.card, "notes": list(self.notes), "done": self.done}
        return {**about, "exact_response": self.response.as_dict()}


@dataclass(frozen=True, slots=True)
class ShownState(Record):
    """A policy at one information state."""

    player: int
    key: str
    probabilities: dict[str, float]  # by the letters of actions
    letters: dict[str, str]  # the letter of each action slot that is legal here


@dataclass(frozen=True, slots=True)
class ShownStates(Record):
    game: str
    actions: tuple[str, ...]  # names of the game's action slots
    states: tuple[ShownState, ...]


@dataclass(frozen=True, slots=True)
class PlotReport(Record):
    picture: str  # path
    runs: tuple[str, ...]  # folders


@dataclass(frozen=True, slots=True)
class ExperimentInfo(Record):
    name: str
    summary: str


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A published statement of a paper beside our figures, with the verdict."""

    paper: str
    row: Row

    @property
    def verdict(self) -> Verdict:
        return verdict(self.row)

    def as_dict(self) -> dict[str, Any]:
        return {"paper": self.paper, **self.row.as_dict()}


def count_statuses(rows: Sequence[LedgerRow]) -> str:
    """Return how many rows have each status, in words."""
    counts = Counter(row.verdict.status for row in rows)
    return ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])


@dataclass(frozen=True, slots=True)
class ReproductionReport:
    """The page of a paper, and its rows."""

    page: str  # path
    rows: tuple[LedgerRow, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"page": self.page, "rows": [row.as_dict() for row in self.rows]}


@dataclass(frozen=True, slots=True)
class LedgerCheck(Record):
    """Whether pages of the ledger are what their data give."""

    papers: tuple[str, ...]
    wrong: tuple[str, ...]  # one line for each difference


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """A measured speed and the speeds of other packages: value, unit and ratio (how many times faster ours is) by name."""

    ours: Figure
    peers: dict[str, dict[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        return {**self.ours.as_dict(), "peers": self.peers}


@dataclass(frozen=True, slots=True)
class BenchReport:
    figures: tuple[ComparedFigure, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"figures": [figure.as_dict() for figure in self.figures]}
