"""What commands say of solved spots: named results, and the work of `solve` and `show`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from smoothcall import files
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.search.grids import mean_grid
from smoothcall.search.solution import ACCURACY, Lock, Solution, Stop, Watch, read_limits, read_lock
from smoothcall.search.spot import Spot

ENDING = ".spot"  # of saved solutions
BETS, EV, EQUITY, WEIGHT = "bets", "ev", "equity", "weight"
TINY = np.finfo(float).tiny


class Figure(NamedTuple):
    """A figure of hands that a grid shows."""

    form: str
    words: str


FIGURES = {
    BETS: Figure(".0f", "probability of a bet or raise in %"),
    EV: Figure("z.1f", "EV in chips"),
    EQUITY: Figure(".0f", "equity in %"),
    WEIGHT: Figure(".2f", "weight of a hand of the range that comes here"),
}


@dataclass(frozen=True, slots=True)
class SolveReport:
    """A solved spot. EV in chips of the pot, exploitability as a share of it."""

    board: str
    ev: tuple[float, float]
    equity: tuple[float, float]
    exploitability: float
    iterations: int
    cpu_seconds: float
    memory_mb: float  # of the tables
    saved: str | None
    done: bool  # the accuracy asked for was reached
    exhausted: bool  # more iterations would not help, because the tables have 16 bits

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ShownMove:
    letter: str
    name: str
    frequency: float  # how often it is taken, with the hands that both players come here with
    ev: float | None  # mean over the hands that take it, in chips; None: it is never taken


@dataclass(frozen=True, slots=True)
class ShownHand:
    """A hand of the player who acts. Values are None where the opponent comes here with no hand that it can meet."""

    hand: str
    weight: float
    equity: float | None
    ev: float | None
    strategy: tuple[float, ...]
    action_ev: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class ShownNode:
    """A public node of a solved spot."""

    FEW_HANDS: ClassVar[int] = 30

    key: str
    board: str
    player: int
    pot: float
    moves: tuple[ShownMove, ...]
    hands: tuple[ShownHand, ...]
    ranks: str  # of the deck, the highest first

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def grid(self, figure: str = BETS) -> list[list[str]]:
        """Return 13 x 13 cells of starting hands: the mean of one of FIGURES, suited hands on the right of the diagonal."""
        if figure not in FIGURES:
            raise UsageError(f"grid={figure!r} (accepted: {', '.join(FIGURES)})")
        values = [self._figure(figure, each) for each in self.hands]
        weight = [1.0 if figure == WEIGHT else each.weight for each in self.hands]
        grid = mean_grid([each.hand for each in self.hands], self.ranks, np.array(values), np.array(weight))
        return [["" if math.isnan(value) else f"{value:{FIGURES[figure].form}}" for value in row] for row in grid.tolist()]

    def _figure(self, figure: str, hand: ShownHand) -> float:
        if figure == BETS:
            raises = (number for number, move in enumerate(self.moves) if move.letter.startswith("r"))
            return 100 * sum(hand.strategy[number] for number in raises)
        value: float | None = {EV: hand.ev, EQUITY: hand.equity, WEIGHT: hand.weight}[figure]
        return math.nan if value is None else value * (100 if figure == EQUITY else 1)


def solve_spot(
    spot: Mapping[str, Any] | Path,
    *,
    accuracy: float = ACCURACY,
    seconds: float | None = None,
    threads: int = 1,
    algorithm: str = "dcfr",
    lock: Path | None = None,
    storage: int = 32,
    out: Path | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> SolveReport:
    """Solve a spot, given by the fields of `Spot`, or go on with a saved one. `lock`: a JSON file of fixed strategies."""
    read_limits(accuracy, seconds)
    if out is not None and (out.suffix != ENDING or not out.parent.is_dir()):
        raise UsageError(f"cannot save {str(out)!r} (accepted: a name that ends with {ENDING}, in a folder that exists)")
    if isinstance(spot, Path):
        solution, out = _loaded(spot, threads), out or spot
        files.verify_writable(out)
    else:
        if out is not None:
            files.verify_writable(out)
        solution = Solution(Spot(**spot), threads=threads, algorithm=algorithm, lock=lock_of(lock), storage=storage)
    done = solution.run(accuracy, seconds=seconds, watch=watch, stop=stop)
    if out is not None:
        solution.save(out)
    ended: dict[str, Any] = {
        "saved": None if out is None else str(out),
        "done": done,
        "exhausted": solution.exhausted and not done,
    }
    return SolveReport(board=solution.spot.board, **solution.result(), **ended)


def show_spot(path: Path, key: str | None = None) -> ShownNode:
    """Return a public node of a saved solution; without a key, the first decision."""
    solution = _loaded(path)
    return shown_node(solution, key or ":")


def lock_of(path: Path | None) -> Lock:
    """Return the fixed strategies that a JSON file names."""
    if path is None:
        return {}
    what = f"lock file {path.name!r}"
    return read_lock(files.parse_json(what, files.read_text(path, "lock file")), what)


def _loaded(path: Path, threads: int = 1) -> Solution:
    try:
        return Solution.load(path, threads=threads)
    except DamagedFile as error:
        raise UsageError(f"{str(path)!r} is not a solved spot of this version, or is damaged ({error})") from None


def shown_node(solution: Solution, key: str) -> ShownNode:
    """Return a public node as commands show it."""
    node = solution.node(key)
    player = node.player
    weight, strategy = node.weight[player].astype(float), node.strategy.astype(float)
    both = weight * node.meets[player]  # weights of pairs of hands
    mass = (both if both.any() else weight)[:, None] * strategy
    taken, worth = mass.sum(axis=0), np.where(both[:, None] > 0, mass * node.action_ev, 0).sum(axis=0)
    moves = [
        ShownMove(letter, name, float(often / max(taken.sum(), TINY)), float(won / often) if often and both.any() else None)
        for letter, name, often, won in zip(node.moves, node.names, taken, worth, strict=True)
    ]
    hands = [
        ShownHand(
            name,
            float(weight[place]),
            _finite(node.equity[player][place]),
            _finite(node.ev[player][place]),
            tuple(strategy[place].tolist()),
            tuple(_finite(each) for each in node.action_ev[place]),
        )
        for place, name in enumerate(node.hand_names)
    ]
    return ShownNode(node.key, node.board, player, node.pot, tuple(moves), tuple(hands[::-1]), solution.spot.deck.ranks[::-1])


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
