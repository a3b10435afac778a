"""What commands say of solved spots: named results, and the work of `solve` and `show`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from smoothcall import files
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.search.solution import ACCURACY, Lock, NodeView, Solution, Stop, Watch, verify_limits
from smoothcall.search.spot import Spot

ENDING = ".spot"  # of saved solutions


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

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ShownMove:
    letter: str
    name: str
    frequency: float  # mean over the range of who acts
    ev: float | None  # mean over the hands that take it, in chips


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

    def grid(self) -> list[list[str]]:
        """Return 13 x 13 cells of starting hands: the mean probability of a bet or raise in %, suited hands on the right."""
        places = {rank: place for place, rank in enumerate(self.ranks)}
        weight, raised = np.zeros((2, len(places), len(places)))
        raises = [number for number, move in enumerate(self.moves) if move.letter.startswith("r")]
        for each in self.hands:
            one, other = sorted((places[each.hand[0]], places[each.hand[2]]))
            cell = (one, other) if each.hand[1] == each.hand[3] else (other, one)
            weight[cell] += each.weight
            raised[cell] += each.weight * sum(each.strategy[number] for number in raises)
        return [
            [f"{100 * part / whole:.0f}" if whole > 0 else "" for part, whole in zip(parts, wholes, strict=True)]
            for parts, wholes in zip(raised, weight, strict=True)
        ]


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
    verify_limits(accuracy, seconds)
    if out is not None and (out.suffix != ENDING or not out.parent.is_dir()):
        raise UsageError(f"cannot save {str(out)!r} (accepted: a name that ends with {ENDING}, in a folder that exists)")
    if isinstance(spot, Path):
        solution, out = _loaded(spot, threads), out or spot
    else:
        solution = Solution(Spot(**spot), threads=threads, algorithm=algorithm, lock=read_lock(lock), storage=storage)
    done = solution.run(accuracy, seconds=seconds, watch=watch, stop=stop)
    if out is not None:
        solution.save(out)
    return SolveReport(board=solution.spot.board, **solution.result(), saved=None if out is None else str(out), done=done)


def show_spot(path: Path, key: str | None = None) -> ShownNode:
    """Return a public node of a saved solution; without a key, the first decision."""
    solution = _loaded(path)
    return _shown(solution, solution.node(key or ":"))


def read_lock(path: Path | None) -> Lock:
    """Return the fixed strategies that a JSON file names."""
    if path is None:
        return {}
    what = f"lock file {path.name!r}"
    found = files.parse_json(what, files.read_text(path, "lock file"))
    nodes = list(found.values()) if isinstance(found, dict) else [None]
    strategies = [each for node in nodes if isinstance(node, dict) for each in node.values()]
    if not all(isinstance(node, dict) and node for node in nodes) or not all(map(_is_strategy, strategies)):
        raise UsageError(f'{what} (accepted: {{":r50": {{"any": {{"f": 1}}, "AA": {{"c": 1}}}}}})')
    return found  # type: ignore[no-any-return]


def _is_strategy(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(p, int | float) and not isinstance(p, bool) for p in value.values())


def _loaded(path: Path, threads: int = 1) -> Solution:
    try:
        return Solution.load(path, threads=threads)
    except DamagedFile as error:
        raise UsageError(f"{str(path)!r} is not a solved spot of this version, or is damaged ({error})") from None


def _shown(solution: Solution, node: NodeView) -> ShownNode:
    deck, player = solution.spot.deck, node.player
    weight, strategy = node.weight[player].astype(float), node.strategy.astype(float)
    mass = weight[:, None] * strategy
    ev = np.nan_to_num(node.action_ev.astype(float))
    moves = [
        ShownMove(
            letter,
            name,
            float(mass[:, number].sum() / weight.sum()) if weight.sum() else 0.0,
            float((mass[:, number] * ev[:, number]).sum() / mass[:, number].sum()) if mass[:, number].sum() else None,
        )
        for number, (letter, name) in enumerate(zip(node.moves, node.names, strict=True))
    ]
    hands = [
        ShownHand(
            deck.names(reversed(cards.tolist())),
            float(weight[place]),
            _finite(node.equity[player][place]),
            _finite(node.ev[player][place]),
            tuple(strategy[place].tolist()),
            tuple(_finite(each) for each in node.action_ev[place]),
        )
        for place, cards in enumerate(node.hands[player])
    ]
    return ShownNode(node.key, node.board, player, node.pot, tuple(moves), tuple(hands[::-1]), deck.ranks[::-1])


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
