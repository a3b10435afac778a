"""Speed, by name: the figures of `smoothcall bench`, each the median of repeats on one core, compilation excluded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

from smoothcall.errors import UsageError, unknown
from smoothcall.evaluation.exploitability import nash_conv
from smoothcall.information.game import game
from smoothcall.policy import Policy
from smoothcall.solvers import solver


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float  # the median
    unit: str
    spread: float  # half the distance from the best to the worst repeat, as a share of the median

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "value": self.value, "unit": self.unit, "spread": self.spread, "peers": {}}


@dataclass(frozen=True, slots=True)
class Task:
    """`prepare` builds and warms up, and returns what is timed; a repeat's figure is `figure(seconds it took)`."""

    unit: str
    prepare: Callable[[], Callable[[], None]]
    figure: Callable[[float], float]


def _iterations(game_name: str, solver_name: str, count: int, **options: Any) -> Callable[[], Callable[[], None]]:
    def prepare() -> Callable[[], None]:
        made = solver(solver_name, game(game_name), seed=1, **options)
        made.prepare()
        return lambda: made.run(count)

    return prepare


def _nash_conv(game_name: str, count: int) -> Callable[[], Callable[[], None]]:
    def prepare() -> Callable[[], None]:
        made = game(game_name)
        trained = solver("cfr+", made)
        trained.run(10)
        policy = trained.policy()
        nash_conv(made, policy)

        def timed() -> None:
            for _ in range(count):
                nash_conv(made, policy)

        return timed

    return prepare


def _lp() -> Callable[[], None]:
    made = game("leduc")

    def timed() -> None:
        found = solver("lp", made)
        found.run(1)
        if nash_conv(made, found.policy()) > 1e-9:
            raise AssertionError("the linear program did not solve Leduc to 1e-9")

    timed()
    return timed


def _fresh() -> Callable[[], None]:
    """A new policy each time, checked and turned into sequences, to be honest about what a policy keeps."""
    made = game("leduc")
    table = Policy.uniform(made).table

    def timed() -> None:
        for _ in range(200):
            nash_conv(made, Policy(made, table))

    return timed


TASKS: dict[str, Task] = {
    "leduc-cfr-plus": Task("iterations/s", _iterations("leduc", "cfr+", 20_000), lambda s: 20_000 / s),
    "kuhn-3p-one-deal-10M": Task("s", _iterations("kuhn-3p", "mccfr", 10_000_000, sampling="chance"), lambda s: s),
    "leduc-nash-conv": Task("ms", _nash_conv("leduc", 500), lambda s: 1000 * s / 500),
    "leduc-nash-conv-fresh-policy": Task("ms", _fresh, lambda s: 1000 * s / 200),
    "leduc-3p-nash-conv": Task("ms", _nash_conv("leduc-3p", 10), lambda s: 1000 * s / 10),
    "leduc-lp": Task("s", _lp, lambda s: s),
    "leduc-xfp": Task("iterations/s", _iterations("leduc", "xfp", 5_000), lambda s: 5_000 / s),
    "leduc-external-mccfr": Task("iterations/s", _iterations("leduc", "mccfr", 50_000), lambda s: 50_000 / s),
    "leduc-smooth-uct": Task("episodes/s", _iterations("leduc", "smooth-uct", 1_000_000, c=18), lambda s: 1e6 / s),
    "kuhn-smooth-uct": Task(
        "episodes/s", _iterations("kuhn", "smooth-uct", 2_000_000, c=1.75, mixing="greatest"), lambda s: 2e6 / s
    ),
    "leduc-smooth-uct-2-threads": Task(
        "episodes/s", _iterations("leduc", "smooth-uct", 2_000_000, threads=2, c=18), lambda s: 2e6 / s
    ),
    "leduc-3p-cfr-plus": Task("iterations/s", _iterations("leduc-3p", "cfr+", 100), lambda s: 100 / s),
}


def timing(name: str, task: Task, *, repeats: int, warm: bool = True) -> Figure:
    """Warmed up by one repeat that does not count."""
    timed = task.prepare()
    if warm:
        timed()
    figures = []
    for _ in range(repeats):
        started = perf_counter()
        timed()
        figures.append(task.figure(perf_counter() - started))
    middle = median(figures)
    return Figure(name, middle, task.unit, (max(figures) - min(figures)) / 2 / middle)


def measure(names: Sequence[str], *, repeats: int, tell: Callable[[str], None]) -> Iterator[Figure]:
    """The figures named, or all, one by one."""
    if repeats < 1:
        raise UsageError(f"repeats={repeats} (accepted: a whole number of at least 1)")
    for name in names:
        if name not in TASKS:
            raise unknown("figure", name, TASKS)
    for name in names or TASKS:
        tell(f"measuring {name}")
        yield timing(name, TASKS[name], repeats=repeats)
