"""Figures of `smoothcall bench`: medians of repeats on one core, without compilation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

from smoothcall.errors import UsageError, unknown
from smoothcall.evaluation.exploitability import nash_conv
from smoothcall.information.named_games import game
from smoothcall.learners.nfsp_freezeouts import FreezeoutNFSP
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


Timed = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Task:
    """What is measured. `prepare` builds, warms up and returns the timed function; `figure` maps its seconds to the unit."""

    unit: str
    prepare: Callable[[], Timed]
    figure: Callable[[float], float]


def _freezeout_hands(spec: str, name: str, count: int) -> Callable[[], Timed]:
    """Train in freezeouts until at least `count` more hands are played."""

    def prepare() -> Timed:
        learner = solver(name, game(spec), seed=0)
        assert isinstance(learner, FreezeoutNFSP)
        learner.prepare()

        def timed() -> None:
            goal = learner.earned[2] + count
            while learner.earned[2] < goal:
                learner.run(100)

        return timed

    return prepare


def _iterations(game_name: str, solver_name: str, count: int, **options: Any) -> Callable[[], Timed]:
    def prepare() -> Timed:
        made = solver(solver_name, game(game_name), seed=1, **options)
        made.prepare()
        return lambda: made.run(count)

    return prepare


def _nash_conv(game_name: str, count: int) -> Callable[[], Timed]:
    def prepare() -> Timed:
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


def _lp() -> Timed:
    made = game("leduc")

    def timed() -> None:
        found = solver("lp", made)
        found.run(1)
        if nash_conv(made, found.policy()) > 1e-9:
            raise AssertionError("the linear program did not solve Leduc to 1e-9")

    timed()
    return timed


def _fresh() -> Timed:
    """Build a new policy in every call, because a policy caches its sequences."""
    made = game("leduc")
    table = Policy.uniform(made).table

    def timed() -> None:
        for _ in range(200):
            nash_conv(made, Policy(made, table))

    return timed


def _evaluator(count: int) -> Callable[[], Timed]:
    """Evaluate random hands of seven cards, generated beforehand, more than fit in the first-level cache."""

    def prepare() -> Timed:
        import numpy as np

        from smoothcall.holdem.evaluator import evaluator
        from smoothcall.kernels.holdem.evaluator import evaluate_hands

        random, tables = np.random.default_rng(1), evaluator()
        hands = np.argsort(random.random((count, 52)), axis=1)[:, :7].astype(np.uint8)
        strength = np.zeros(count, np.uint16)
        return lambda: [evaluate_hands(tables, hands, strength) for _ in range(20)]

    return prepare


def _count() -> Timed:
    """Count every hand of seven cards by strength."""
    import numpy as np

    from smoothcall.holdem.evaluator import evaluator
    from smoothcall.kernels.holdem.evaluator import count_strengths

    tables = evaluator()

    def timed() -> None:
        counts = np.zeros(tables.classes + 1, np.int64)
        count_strengths(tables, 7, counts)
        if counts.sum() != 133_784_560:
            raise AssertionError(f"{counts.sum()} hands of seven cards were counted")

    return timed


def _preflop() -> Timed:
    from smoothcall.holdem.equity import equity

    def timed() -> None:
        if equity(["AhKh", "QdQc"]).count != 1_712_304:
            raise AssertionError("not all boards were counted")

    return timed


def _strengths() -> Timed:
    """Build all tables of 52 cards in an empty cache folder; writing them is included."""
    import os
    import tempfile

    from smoothcall.games.cards import STANDARD
    from smoothcall.holdem.hand_strength import strengths

    def timed() -> None:
        before = os.environ.get("SMOOTHCALL_CACHE")
        with tempfile.TemporaryDirectory() as folder:
            os.environ["SMOOTHCALL_CACHE"] = folder
            try:
                strengths.__wrapped__(STANDARD)
            finally:
                os.environ.pop("SMOOTHCALL_CACHE") if before is None else os.environ.update(SMOOTHCALL_CACHE=before)

    return timed


def _tree() -> Timed:
    def timed() -> None:
        if game("limit-holdem-3p").tree.rows != 120_036_830:
            raise AssertionError("the three-player tree has other rows than it should")

    return timed


def _match(count: int) -> Callable[[], Timed]:
    """Play two tabular policies against each other, each deal in both seatings; each seating counts as a hand."""

    def prepare() -> Timed:
        from smoothcall.agents.fixed import Strategy
        from smoothcall.evaluation.policy_match import sample

        made = game("limit-holdem")
        learner = solver("smooth-uct", made, seed=1, mixing="greatest", explore="pot")
        learner.run(1_000_000)
        players = [Strategy(learner.policy()), Strategy(learner.current_policy())]
        return lambda: sample(made, players, count // 2, seed=1)

    return prepare


def _walk(count: int, together: int = 16384) -> Callable[[], Timed]:
    """Play random hands in a batch: deal, observe and act in kernels, with uniform probabilities."""

    def prepare() -> Timed:
        import numpy as np

        from smoothcall.kernels.learners.features import observe_rows
        from smoothcall.kernels.random import seeded
        from smoothcall.simulation.batch import Batch, dealing

        made = game("no-limit-holdem-32")
        batch = Batch(
            made.walk,
            dealing(made),
            count=together,
            private=len(made.buckets),
            moves=made.depth,
            width=1,
            dtype=np.int32,
            generators=seeded(1, 2),
        )
        anything = np.ones((together, len(made.actions)))

        def timed() -> None:
            done = 0
            while done < count:
                batch.begin()
                observe_rows(batch.walk, batch.hands, batch.observations)
                done += batch.advance(anything)

        return timed

    return prepare


def _environment(name: str, count: int, together: int = 4096) -> Callable[[], Timed]:
    """Step through random hands in a batch: legal actions, features of the seats to move, and new hands where one is over."""

    def prepare() -> Timed:
        import numpy as np

        from smoothcall.interop.environments import HandBatch, random_actions

        hands, random = HandBatch(game(name), together), np.random.default_rng(1)

        def timed() -> None:
            for _ in range(count // together):
                hands.step(random_actions(hands.legal, random))
                hands.features()

        return timed

    return prepare


def _spot(board: str, accuracy: float, *, storage: int = 32, **chips: Any) -> Callable[[], Timed]:
    """Solve a spot from nothing to an accuracy; its tree is built before."""

    def prepare() -> Timed:
        from smoothcall.search.solution import Solution
        from smoothcall.search.spot import Spot

        solution = Solution(Spot(board, **chips), storage=storage)

        def timed() -> None:
            for table in (*solution.solver.regret, *solution.solver.average):
                table[:] = 0
            solution.solver.iterations = 0
            solution.run(accuracy)

        return timed

    return prepare


def _exact_response() -> Timed:
    """Measure the values of one flop against a uniform policy of no-limit hold'em: no other policy takes more work."""
    from smoothcall.games.cards import STANDARD
    from smoothcall.search.policy_response import PolicyResponse

    policy = Policy.uniform(game("no-limit-holdem"))
    response = PolicyResponse(policy, policy.game.tree.child >= 0)

    def timed() -> None:
        response.flop_values(STANDARD.parse("2d4cQc"))

    return timed


_HOLDEM: dict[str, Any] = {"mixing": "greatest", "explore": "pot", "k": 0.5}

ANY_HANDS: dict[str, Any] = {"ranges": ("any", "any"), "pot": 100, "stack": 400}
FLOP_SPOT: dict[str, Any] = {
    "ranges": (
        "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
        "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
    ),
    "pot": 180,
    "stack": 910,
}

TASKS: dict[str, Task] = {
    "leduc-cfr-plus": Task("iterations/s", _iterations("leduc", "cfr+", 20_000), lambda s: 20_000 / s),
    "kuhn-3p-one-deal-10M": Task("s", _iterations("kuhn-3p", "mccfr", 10_000_000, sampling="chance"), lambda s: s),
    "leduc-nash-conv": Task("ms", _nash_conv("leduc", 500), lambda s: 1000 * s / 500),
    "leduc-nash-conv-fresh-policy": Task("ms", _fresh, lambda s: 1000 * s / 200),
    "leduc-3p-nash-conv": Task("ms", _nash_conv("leduc-3p", 10), lambda s: 1000 * s / 10),
    "leduc-lp": Task("s", _lp, lambda s: s),
    "leduc-xfp": Task("iterations/s", _iterations("leduc", "xfp", 5_000), lambda s: 5_000 / s),
    "leduc-external-mccfr": Task("iterations/s", _iterations("leduc", "mccfr", 50_000), lambda s: 50_000 / s),
    "leduc-smooth-uct": Task(
        "episodes/s", _iterations("leduc", "smooth-uct", 1_000_000, c=18, folds="sampled"), lambda s: 1e6 / s
    ),
    "kuhn-smooth-uct": Task(
        "episodes/s",
        _iterations("kuhn", "smooth-uct", 2_000_000, c=1.75, mixing="greatest", folds="sampled"),
        lambda s: 2e6 / s,
    ),
    "leduc-smooth-uct-2-threads": Task(
        "episodes/s", _iterations("leduc", "smooth-uct", 2_000_000, threads=2, c=18, folds="sampled"), lambda s: 2e6 / s
    ),
    "evaluate-7-cards": Task("hands/s", _evaluator(200_000), lambda s: 20 * 200_000 / s),
    "count-7-cards": Task("s", _count, lambda s: s),
    "preflop-equity": Task("ms", _preflop, lambda s: 1000 * s),
    "strength-tables": Task("s", _strengths, lambda s: s),
    "limit-holdem-smooth-uct": Task(
        "episodes/s", _iterations("limit-holdem:grid=L", "smooth-uct", 2_000_000, **_HOLDEM), lambda s: 2e6 / s
    ),
    "limit-holdem-smooth-uct-2-threads": Task(
        "episodes/s", _iterations("limit-holdem:grid=L", "smooth-uct", 4_000_000, threads=2, **_HOLDEM), lambda s: 4e6 / s
    ),
    "limit-holdem-3p-tree": Task("s", _tree, lambda s: s),
    "limit-holdem-match": Task("hands/s", _match(1_000_000), lambda s: 1e6 / s),
    "leduc-nfsp": Task("episodes/s", _iterations("leduc", "nfsp", 100_000), lambda s: 100_000 / s),
    "no-limit-nfsp": Task("hands/s", _freezeout_hands("no-limit-holdem", "nfsp-freezeouts", 20_000), lambda s: 20_000 / s),
    "batched-walk": Task("hands/s", _walk(2_000_000), lambda s: 2e6 / s),
    "leduc-environment": Task("steps/s", _environment("leduc", 4_096_000), lambda s: 4_096_000 / s),
    "limit-holdem-environment": Task("steps/s", _environment("limit-holdem", 819_200), lambda s: 819_200 / s),
    "leduc-3p-cfr-plus": Task("iterations/s", _iterations("leduc-3p", "cfr+", 100), lambda s: 100 / s),
    "spot-river": Task("s", _spot("Td9d6hQc2s", 0.001, bets="50%,100%,a", raises="60%,a", **ANY_HANDS), lambda s: s),
    "spot-turn": Task("s", _spot("Td9d6hQc", 0.001, bets="75%,a", raises="75%,a", **ANY_HANDS), lambda s: s),
    "spot-turn-16-bits": Task(
        "s", _spot("Td9d6hQc", 0.001, storage=16, bets="75%,a", raises="75%,a", **ANY_HANDS), lambda s: s
    ),
    "exact-response-flop": Task("s", _exact_response, lambda s: s),
    "spot-flop": Task("s", _spot("QsJh2h", 0.005, bets="52%", raises="2.5x", **FLOP_SPOT), lambda s: s),
}


def timing(name: str, task: Task, *, repeats: int, warm: bool = True) -> Figure:
    """Measure a task; with `warm`, one repeat before that does not count."""
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
    """Yield the named figures, or all."""
    if repeats < 1:
        raise UsageError(f"repeats={repeats} (accepted: a whole number of at least 1)")
    for name in names:
        if name not in TASKS:
            raise unknown("figure", name, TASKS)
    for name in names or TASKS:
        tell(f"measuring {name}")
        yield timing(name, TASKS[name], repeats=repeats)
