"""Solve a spot, look at the solution, save it and go on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from math import inf
from numbers import Real
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from smoothcall import files
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.games.cards import STANDARD, Cards
from smoothcall.games.notation import split_moves
from smoothcall.holdem.ranges import weighted_hands
from smoothcall.kernels.search.sweep import DECISION
from smoothcall.kernels.tables import Array
from smoothcall.options import number
from smoothcall.search.boards import PLAYERS
from smoothcall.search.grids import mean_grid
from smoothcall.search.range_solver import ALGORITHMS, PREDICTIVE, RangeSolver
from smoothcall.search.spot import Spot

FORMAT = 1  # of a saved solution
STORAGES = (16, 32)  # bits of a number of the tables
ACCURACY = 0.003  # exploitability, as a share of the pot
MAX_HALF_ITERATIONS = 2_000  # with tables of 16 bits: their sums grow, and what is added is lost more and more often
FIRST_CHECK = 10  # iterations before exploitability is first measured
MAX_THREADS = 64
KEY = "[HAND][/CARD...]:BETTING, such as :, :r50, :cr in limit betting, /2s:cc/ or AhKh/2s:cr50c/"
LOCK = '{":r50": {"any": {"f": 1}, "AA": {"c": 1}}}'

Watch = Callable[[float, str], None]  # is told the fraction done, and where the solver stands
Stop = Callable[[], bool]
Lock = Mapping[str, Mapping[str, Mapping[str, float]]]  # key of a node -> range -> move -> probability


@dataclass(frozen=True, eq=False)
class NodeView:
    """One public node. Hands are in ascending order of their cards; H of the player who acts, or of either player."""

    key: str
    board: str
    player: int  # who acts
    pot: float
    moves: tuple[str, ...]  # letters
    names: tuple[str, ...]  # of the moves, in words
    hands: tuple[Array, Array]  # of each player: [H, 2] cards
    weight: tuple[Array, Array]  # of each player: [H] weight of the range times the probability of playing this way
    meets: tuple[Array, Array]  # of each player: [H] sum of the other's weights over the hands that share no card with it
    ev: tuple[Array, Array]  # of each player: [H] chips still to come out of the pot, less what is put in; nan: meets no hand
    equity: tuple[Array, Array]  # of each player: [H] share of the pot if nobody bets any more
    strategy: Array  # [H, moves] of the player who acts
    action_ev: Array  # [H, moves]

    @property
    def hand_names(self) -> list[str]:
        """The hands of who acts, as `AhKs`."""
        return [STANDARD.names(reversed(cards.tolist())) for cards in self.hands[self.player]]

    def grid(self, figure: Array) -> Array:
        """Return [13, 13] means of figure[H], of the hands of who acts by their weights: aces first, suited hands on the right.

        nan: no such hand, or none with a figure. `node.grid(node.strategy[:, 0])`, `node.grid(node.ev[node.player])`.
        """
        return mean_grid(self.hand_names, STANDARD.ranks[::-1], figure, self.weight[self.player])


class Solution:
    """A spot and its strategies."""

    def __init__(
        self,
        spot: Spot,
        *,
        threads: int = 1,
        algorithm: str = "dcfr",
        lock: Lock | None = None,
        double: bool = False,
        storage: int = 32,
    ) -> None:
        if algorithm not in list(ALGORITHMS):  # a list, so that what cannot be a key is refused like any other name
            raise UsageError(f"algorithm={algorithm!r} (accepted: {', '.join(ALGORITHMS)})")
        if (known := number(threads, whole=True)) is None or not 1 <= known <= MAX_THREADS:
            raise UsageError(f"threads={threads} (accepted: 1 to {MAX_THREADS})")
        bits = number(storage, whole=True)
        if bits is None or bits not in STORAGES or (double and bits == min(STORAGES)):
            raise UsageError(f"storage={storage} (accepted: {' or '.join(map(str, STORAGES))} bits)")
        self.spot, self.algorithm, self.lock, self.double = spot, algorithm, read_lock(lock or {}, "lock"), double
        self.storage = int(bits)
        self.solver = RangeSolver(
            spot.rules,
            spot.start(),
            spot.cards,
            spot.hands,
            spot.moves,
            settle=spot.settle,
            threads=int(known),
            dtype=np.float64 if double else np.float32,
            weights=ALGORITHMS[algorithm],
            isomorphic=not self.lock,
            predictive=algorithm in PREDICTIVE,
            storage=self.storage,
        )
        if self.solver.matchups == 0:
            raise UsageError("these ranges cannot be held together: each pair of hands has a card twice")
        self.cpu_seconds = 0.0
        for key, strategies in self.lock.items():
            self._lock_node(key, strategies)

    # Solving

    def run(
        self,
        accuracy: float = ACCURACY,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> bool:
        """Solve until exploitability is at most `accuracy` of the pot; return whether it is. Other limits end it before."""
        goal, time = read_limits(accuracy, seconds)
        self.solver.prepare()
        began, solver, check = perf_counter(), self.solver, 0
        while True:
            before = process_time()
            found = self.exploitability if solver.iterations >= max(check, 1) else float("inf")
            if found <= goal or self.exhausted:
                self.cpu_seconds += process_time() - before
                return found <= goal or self.exploitability <= goal
            if solver.iterations >= check:
                check = _next_check(solver.iterations, found / goal)
            solver.run(1)
            self.cpu_seconds += process_time() - before
            passed = perf_counter() - began
            if watch is not None and found < float("inf"):
                watch(
                    min(1.0, max(goal / found, passed / time)),
                    f"{solver.iterations} iterations, exploitability {found:.3%} of the pot",
                )
            done = (iterations is not None and solver.iterations >= iterations) or (stop is not None and stop())
            if done or passed >= time:
                return self.exploitability <= goal

    @property
    def exhausted(self) -> bool:
        """Whether more iterations would not help, because the tables have 16 bits."""
        return self.storage == min(STORAGES) and self.solver.iterations >= MAX_HALF_ITERATIONS

    @property
    def exploitability(self) -> float:
        """The mean of both players' gains by a best response, as a share of the pot."""
        solver = self.solver
        found = solver.values().exploitability if self.spot.rake else sum(solver.best_values()) / PLAYERS
        return max(0.0, found) / self.spot.pot  # rounding may leave less than nothing

    def result(self) -> dict[str, Any]:
        """Return values of the solution: `ev` in chips of the pot, equities, exploitability as a share of the pot."""
        values = self.solver.values()
        half = self.spot.pot / 2
        return {
            "ev": [values.ev[0] + half, values.ev[1] + half],
            "equity": [self._equity(player) for player in range(PLAYERS)],
            "exploitability": max(0.0, values.exploitability) / self.spot.pot,
            "iterations": self.solver.iterations,
            "cpu_seconds": round(self.cpu_seconds, 3),
            "memory_mb": round(self.solver.table_bytes / 1e6, 3),
        }

    def _equity(self, player: int) -> float:
        own, other = self.spot.hands[player], self.spot.hands[1 - player]
        board = self.solver.levels[0].boards[0]
        share, meets = self.solver.run_out(0, 0, other.weight[board.hands[1 - player]], player)
        weight = own.weight[board.hands[player]] * meets
        return float(np.nansum(share * weight) / weight.sum())

    # Nodes

    def keys(self) -> list[str]:
        """Return the keys of the decisions of the first street."""
        street = self.solver.streets[0]
        return [f":{self.spot.shown(text)}" for kind, text in zip(street.kind, street.text, strict=True) if kind == DECISION]

    def node(self, key: str) -> NodeView:
        """Return a public node with the figures of every hand; a hand in the key leaves only that one to who acts."""
        hand, path, place, node, cards, image = self._find(key)
        street, level = self.solver.streets[place], self.solver.levels[place]
        board, player = level.boards[path[-1]], street.player[node]
        state = self.spot.start()
        for letter in split_moves(street.text[node]):
            state.play(letter)
        found: dict[str, list[Array]] = {"hands": [], "weight": [], "meets": [], "ev": [], "equity": []}
        action_ev = np.zeros((0, 0))
        orders = []
        views = [self.solver.at(path, each) for each in range(PLAYERS)]
        for each in range(PLAYERS):
            reach, value = views[each]
            own = views[1 - each][0][node]  # the reach of this player is what the other one meets
            share, meets = self.solver.run_out(place, path[-1], reach[node], each)
            hands = np.sort(image[self.spot.hands[each].hands[board.hands[each]]], axis=1)
            order = np.lexsort((hands[:, 0], hands[:, 1]))
            orders.append(order)
            with np.errstate(divide="ignore", invalid="ignore"):
                ev = value / np.where(meets > 0, meets, np.nan) + state.paid[each] / self.spot.unit
            found["hands"].append(hands[order])
            found["weight"].append(own[order])
            found["meets"].append(meets[order])
            found["ev"].append(ev[node][order])
            found["equity"].append(share[order])
            if each == player:
                action_ev = ev[street.children[node]].T[order]
        strategy = self._strategy(place, path[-1], node)[orders[player]]
        if hand is not None:
            kept = (found["hands"][player] == np.array(sorted(hand))).all(axis=1)
            if not kept.any():
                raise UsageError(f"{self.spot.deck.names(hand)} is not in the range of who acts at {key!r}")
            for column in found.values():
                column[player] = column[player][kept]
            strategy, action_ev = strategy[kept], action_ev[kept]
        return NodeView(
            key=key,
            board=self.spot.deck.names(cards),
            player=player,
            pot=state.pot / self.spot.unit,
            moves=tuple(self.spot.shown(letter) for letter in street.moves[node]),
            names=tuple(self.spot.move_name(state, letter) for letter in street.moves[node]),
            hands=(found["hands"][0], found["hands"][1]),
            weight=(found["weight"][0], found["weight"][1]),
            meets=(found["meets"][0], found["meets"][1]),
            ev=(found["ev"][0], found["ev"][1]),
            equity=(found["equity"][0], found["equity"][1]),
            strategy=strategy,
            action_ev=action_ev,
        )

    def _strategy(self, place: int, board: int, node: int) -> Array:
        """Return [hands, moves] the average strategy at a decision, in the order of a board."""
        table = self._rows(place, board, node)[0].T.astype(np.float64)
        total = table.sum(axis=1, keepdims=True)
        return np.where(total > 0, table / np.where(total > 0, total, 1), 1 / table.shape[1])

    def _rows(self, place: int, board: int, node: int) -> tuple[Array, Array]:
        """Return [moves, hands] views of a decision's numbers: the sums of strategies, the regrets."""
        street = self.solver.streets[place]
        player, first = street.player[node], street.row[node]
        average, regret = (
            self.solver.rows_of(tables, place, board, player)[first : first + len(street.moves[node])]
            for tables in (self.solver.average, self.solver.regret)
        )
        return average, regret

    def _find(self, key: str) -> tuple[Cards | None, list[int], int, int, Cards, Array]:
        """Return (hand, boards on the way, street, node, cards on the board, [cards] image of the walked cards)."""
        deck = self.spot.deck
        parsed = re.fullmatch(r"([2-9TJQKA][cdhs][2-9TJQKA][cdhs])?((?:/[2-9TJQKA][cdhs])*):([fcr0-9/]*)", str(key))
        if parsed is None:
            raise UsageError(f"{key!r} names no node (accepted: {KEY})")
        hand = deck.parse(parsed[1]) if parsed[1] else None
        coming = [deck.parse(piece) for piece in parsed[2].split("/")[1:]]
        path, image, cards = [0], np.arange(deck.size), self.spot.cards
        for place, wanted in enumerate(coming):
            if place + 1 >= len(self.solver.levels) or set(wanted) & set(cards):
                raise UsageError(f"card {deck.names(wanted)!r} of {key!r} cannot come (accepted: {KEY})")
            back = np.argsort(image)  # from a user's cards to those that were walked
            children = self.solver.levels[place].arrays.children
            asked = tuple(int(back[card]) for card in wanted)
            for board in range(int(children[path[-1]]), int(children[path[-1] + 1])):
                symmetry = self.solver.levels[place + 1].boards[board].images.get(asked)
                if symmetry is not None:
                    path.append(board)
                    image = image[symmetry.card]
                    break
            cards += wanted
        place, street = len(coming), self.solver.streets[len(coming)]
        text = self.spot.read(parsed[3])
        found = [n for n, each in enumerate(street.text) if each == text and street.kind[n] == DECISION]
        if not found:
            raise UsageError(f"nobody acts after {parsed[3]!r} on this board (accepted: {KEY}; street by street one card)")
        return hand, path, place, found[0], cards, image

    def _lock_node(self, key: str, strategies: Mapping[str, Mapping[str, float]]) -> None:
        """Fix the strategy at a node."""
        hand, path, place, node, cards, _ = self._find(key)
        street = self.solver.streets[place]
        player = street.player[node]
        letters = [self.spot.shown(letter) for letter in street.moves[node]]
        held = self.spot.hands[player].hands[self.solver.levels[place].boards[path[-1]].hands[player]].tolist()
        rows, fixed = self._rows(place, path[-1], node)[0], np.zeros(len(held), np.bool_)
        for text, strategy in strategies.items():
            wrong = [letter for letter in strategy if letter not in letters]
            mixed = [strategy.get(letter, 0.0) for letter in letters]
            if hand is not None or wrong or not min(mixed) >= 0 or not abs(sum(mixed) - 1) <= 1e-6:
                raise UsageError(
                    f"lock {key!r} of {text!r}: {dict(strategy)} "
                    f"(accepted: probabilities of {', '.join(letters)} that sum to 1)"
                )
            named = {tuple(each) for each in weighted_hands(text, cards, self.spot.deck)[0].tolist()}
            mine = np.array([tuple(each) in named for each in held])
            if not mine.any():
                raise UsageError(f"lock {key!r}: who acts there holds no hand of {text!r}")
            rows[:, mine] = np.array(mixed, rows.dtype)[:, None]
            fixed |= mine
        if not fixed.all():
            raise UsageError(
                f"lock {key!r} names {int(fixed.sum())} of {len(held)} hands (accepted: all; `any` names the rest first)"
            )
        self.solver.locked[place][path[-1], node] = True

    # Files

    def save(self, path: Path | str) -> None:
        """Write everything needed to look at the solution and to go on with it."""
        about = {
            "format": FORMAT,
            "spot": self.spot.as_dict(),
            "algorithm": self.algorithm,
            "lock": self.lock,
            "double": self.double,
            "storage": self.storage,
            "iterations": self.solver.iterations,
            "cpu_seconds": self.cpu_seconds,
        }
        card = np.frombuffer(files.to_json(about).encode(), np.uint8)
        tables = {f"{name}{player}": getattr(self.solver, name)[player] for name in self._tables for player in range(PLAYERS)}
        with files.written(Path(path)) as file:
            np.savez(file, allow_pickle=False, card=card, **tables)

    @property
    def _tables(self) -> list[str]:
        return [name for name in TABLES if len(getattr(self.solver, name)[0])]

    @classmethod
    def load(cls, path: Path | str, *, threads: int = 1) -> Solution:
        """Read a solution that `save` wrote."""
        path = Path(path)
        with files.opened(path, "solution") as file:
            archive = files.Archive(file)
            about = files.parse_json("card", archive.array("card", files.MAX_JSON_BYTES).tobytes())
            if (form := files.field(about, "format", int)) != FORMAT:
                raise UsageError(f"{str(path)!r} is a solution of format {form}; this version reads format {FORMAT}")
            given = files.field(about, "spot", dict)
            names = {each.name for each in fields(Spot)}
            if set(given) != names:
                raise DamagedFile(f"a spot with {', '.join(sorted(given))} (accepted: {', '.join(sorted(names))})")
            try:
                spot = Spot(**given)
            except UsageError as error:
                raise DamagedFile(str(error)) from None
            algorithm, lock = files.field(about, "algorithm", str), files.field(about, "lock", dict)
            exact, storage = files.field(about, "double", bool), files.field({"storage": 32} | about, "storage", int)
            found = cls(spot, threads=threads, algorithm=algorithm, lock=lock, double=exact, storage=storage)
            for name in found._tables:
                for player in range(PLAYERS):
                    table = getattr(found.solver, name)[player]
                    kept = archive.array(f"{name}{player}", table.nbytes + 1024)
                    right = kept.shape == table.shape and kept.dtype == table.dtype and np.isfinite(kept).all()
                    if not right or (name == "average" and (kept < 0).any()):
                        raise DamagedFile(f"table {name!r} is not one of this spot")
                    table[:] = kept
            found.solver.iterations = files.field(about, "iterations", int, low=0)
            found.cpu_seconds = files.field(about, "cpu_seconds", float, low=0)
            return found


TABLES = ("regret", "average", "sums")  # a file has those that are not empty


def read_limits(accuracy: float, seconds: float | None) -> tuple[float, float]:
    """Return the limits of `Solution.run` as numbers; raise UsageError for those that cannot be meant."""
    goal, time = number(accuracy, whole=False), inf if seconds is None else number(seconds, whole=False)
    if goal is None or not 0 < goal <= 1:
        raise UsageError(f"accuracy={accuracy} (accepted: a share of the pot above 0 and at most 100%, such as 0.3%)")
    if time is None or time <= 0:
        raise UsageError(f"seconds={seconds} (accepted: more than 0)")
    return goal, time


def read_lock(given: object, what: str) -> Lock:
    """Return fixed strategies, verified but for what only a spot knows; `what` names them in errors."""
    found: Mapping[Any, Any] = given if isinstance(given, Mapping) else {None: None}
    for key, node in found.items():
        strategies = list(node.values()) if isinstance(node, Mapping) and node else [None]
        if (
            not isinstance(key, str)
            or not all(map(_is_strategy, strategies))
            or not all(isinstance(each, str) for each in node)
        ):
            raise UsageError(f"{what} (accepted: {LOCK})")
    return {
        key: {text: {letter: float(share) for letter, share in strategy.items()} for text, strategy in node.items()}
        for key, node in found.items()
    }


def _is_strategy(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(letter, str) and isinstance(share, Real) and not isinstance(share, bool) for letter, share in value.items()
    )


def _next_check(iterations: int, above: float) -> int:
    """Return when to measure exploitability again; `above`: how many times the goal it is now."""
    if iterations < FIRST_CHECK:
        return FIRST_CHECK
    return iterations + max(2, min(iterations, int(iterations * (above**0.75 - 1))))


def solve(
    board: str,
    ranges: tuple[str, str],
    pot: int,
    stack: int | tuple[int, int],
    *,
    accuracy: float = ACCURACY,
    seconds: float | None = None,
    threads: int = 1,
    algorithm: str = "dcfr",
    lock: Lock | None = None,
    storage: int = 32,
    watch: Watch | None = None,
    stop: Stop | None = None,
    **sizes: Any,
) -> Solution:
    """Solve a spot of two-player hold'em: `solve("Td9d6hQc", ("any", "22+,A2s+"), pot=100, stack=400, bets="50%,a")`.

    `sizes` are the other fields of `Spot`: bets, raises, street_bets, limit, rake, cap, threshold.
    """
    unknown = sorted(set(sizes) - {each.name for each in fields(Spot)})
    if unknown:
        raise UsageError(f"{unknown[0]} is no part of a spot (accepted: {', '.join(each.name for each in fields(Spot))})")
    read_limits(accuracy, seconds)  # before the spot is built
    spot = Spot(board, ranges, pot, stack, **sizes)
    found = Solution(spot, threads=threads, algorithm=algorithm, lock=lock, storage=storage)
    found.run(accuracy, seconds=seconds, watch=watch, stop=stop)
    return found
