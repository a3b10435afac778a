"""The betting of a spot, street by street, enumerated with the rules engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.pots import split_pots
from smoothcall.kernels.search import sweep as kernels
from smoothcall.kernels.search.lanes import TWO, count_lanes
from smoothcall.progress import report

MAX_NODES = 150_000  # of the betting on all streets together
MAX_RAISES = 100  # bets and raises of a street, one after the other
TOLD = 500  # entries of a street between two reports of progress
PART_GROUPS = 3  # of endings valued side by side, in a part of the last street: its vectors stay in the processor's cache

Moves = Callable[[Betting], Sequence[str]]  # the moves that a state of the betting offers
Settle = Callable[[Sequence[Fraction], Betting], Sequence[float]]  # pay-offs less rake


@dataclass
class StreetBetting:
    """The betting of one street; node m has the same place in every list."""

    kind: list[int] = field(default_factory=list)
    player: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    moves: list[list[str]] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    entry: list[int] = field(default_factory=list)
    factor: list[list[list[float]]] = field(default_factory=list)  # [2][3]
    parent: list[int] = field(default_factory=list)
    text: list[str] = field(default_factory=list)  # the betting that leads to the node
    pot: list[int] = field(default_factory=list)
    root: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=lambda: [0, 0])  # of each player on a board
    slots: list[list[int]] = field(default_factory=list)  # of the moves in a policy, where one is followed
    like: list[int] = field(default_factory=list)  # the node of the policy's action tree, where one is followed

    def add(self, kind: int, player: int, parent: int, row: int, entry: int, factor: list[list[float]]) -> None:
        """Add a node behind a parent; -1: behind none."""
        node = len(self.kind)
        if parent >= 0:
            self.children[parent].append(node)
        self.kind.append(kind)
        self.player.append(player)
        self.parent.append(parent)
        self.row.append(row)
        self.entry.append(entry)
        self.factor.append(factor)
        self.children.append([])
        self.moves.append([])


def street_bettings(start: Betting, moves: Moves, settle: Settle | None = None) -> list[StreetBetting]:
    """Return the betting from a state on, a list for each street to come."""
    streets = [StreetBetting() for _ in range(start.street, len(start.rules.streets))]
    entries, count = [start], 0
    for place, street in enumerate(streets):
        later: list[Betting] = []
        for number, state in enumerate(entries):
            if number % TOLD == TOLD - 1:
                report(f"the betting of this spot: {count:,} nodes", number / len(entries))
            street.root.append(len(street.kind))
            _add_entry(street, state, start.street + place, later, moves, settle or plain, MAX_NODES - count)
            count += len(street.kind) - street.root[-1]
        street.root.append(len(street.kind))
        order = sorted(range(len(later)), key=lambda entry: later[entry].finished)  # all-ins are the last entries
        renumbered = {entry: new for new, entry in enumerate(order)}
        street.entry = [renumbered.get(entry, -1) for entry in street.entry]
        entries = [later[entry] for entry in order]
    return streets


def plain(payoffs: Sequence[Fraction], state: Betting) -> Sequence[float]:
    """Settle without rake."""
    return [float(each) for each in payoffs]


def _add_entry(
    street: StreetBetting, root: Betting, number: int, later: list[Betting], moves: Moves, settle: Settle, most: int
) -> None:
    """Add the betting of one street behind a state, breadth first, of at most so many nodes."""
    last = number + 1 == len(root.rules.streets)
    waiting = [(root, -1, 0)]
    for state, parent, raises in waiting:  # grows while it is read
        if raises > MAX_RAISES:
            raise UsageError(f"more than {MAX_RAISES} bets and raises on one street (larger ones are fewer)")
        if len(waiting) > most:
            raise UsageError(f"the betting of this spot has more than {MAX_NODES:,} nodes (fewer bet sizes have fewer)")
        node = len(street.kind)
        street.text.append(state.text)
        street.pot.append(state.pot)
        folded = state.finished and state.alive_count == 1
        kind, player, row, entry = kernels.NEXT_STREET, -1, -1, -1
        factor, letters = [[0.0] * 3] * 2, list[str]()
        if folded:
            kind, factor = kernels.FOLDED, _fold_factor(state, settle)
        elif state.finished and last:
            kind, factor = kernels.SHOWN_DOWN, _showdown_factor(state, settle)
        elif state.finished or state.street > number:
            entry = len(later)
            later.append(state)
        else:
            kind, player = kernels.DECISION, state.player if state.player is not None else -1
            letters = list(moves(state))
            row = street.rows[player]
            street.rows[player] += len(letters)
            for letter in letters:
                after = state.copy()
                after.play(letter)
                waiting.append((after, node, raises + letter.startswith("r")))
        street.add(kind, player, parent, row, entry, factor)
        street.moves[node] = letters


def _fold_factor(state: Betting, settle: Settle) -> list[list[float]]:
    payoffs = settle(split_pots(state.paid, state.alive, [0, 0]), state)
    return [[0.0, 0.0, payoffs[seat]] for seat in range(2)]


def _showdown_factor(state: Betting, settle: Settle) -> list[list[float]]:
    """Return the factors on the reach of weaker hands, of hands not stronger, and of all hands, for each player."""
    found = []
    for seat in range(2):
        strengths = ([1, 0], [0, 0], [0, 1]) if seat == 0 else ([0, 1], [0, 0], [1, 0])
        win, tie, lose = (settle(split_pots(state.paid, state.alive, order), state)[seat] for order in strengths)
        found.append([win - tie, tie - lose, lose])
    return found


def as_arrays(
    street: StreetBetting, dtype: np.dtype[np.floating], *, parts: bool = False, entries: int | None = None
) -> kernels.Betting:
    """Return a street's betting as the kernels take it, in one part or in several, which have the first `entries` only."""
    nodes, width = len(street.kind), max(map(len, street.children), default=1) or 1
    child = np.full((nodes, width), -1, np.int32)
    for node, below in enumerate(street.children):
        child[node, : len(below)] = below
    slot = np.zeros((nodes, width), np.int32)
    for node, slots in enumerate(street.slots):
        slot[node, : len(slots)] = slots
    source = np.zeros((2, nodes), np.int32)
    for node, parent in enumerate(street.parent):
        for player in range(2):
            kept = parent >= 0 and street.player[parent] == player
            source[player, node] = source[player, parent] if kept else node
    kind, root = np.array(street.kind, np.int8), np.array(street.root, np.int32)
    fold = _shared_folds(kind, source)
    valued = [((kind == kernels.FOLDED) | (kind == kernels.SHOWN_DOWN)) & ~np.isin(np.arange(nodes), each) for each in fold]
    most = PART_GROUPS * len(TWO) * count_lanes(dtype) if parts else nodes
    each_entry = np.array([np.diff(np.concatenate([[0], np.cumsum(each)])[root]) for each in valued])
    part = _parts(root if entries is None else root[: entries + 1], each_entry, most)
    endings, part_endings = _endings(kind, fold, valued, root[part])
    return kernels.Betting(
        kind=kind,
        player=np.array(street.player, np.int8),
        child=child,
        actions=np.array([len(below) for below in street.children], np.int32),
        row=np.array(street.row, np.int32),
        slot=slot,
        entry=np.array(street.entry, np.int32),
        source=source,
        factor=np.array(street.factor, dtype).transpose(1, 0, 2).copy(),
        root=root,
        part=part,
        endings=endings,
        part_endings=part_endings,
        fold=fold,
    )


def _shared_folds(kind: np.ndarray, source: np.ndarray) -> np.ndarray:
    """Return `fold` of `kernels.Betting`: a player's own fold has the reach of its call, and both may be valued at once."""
    fold = np.full(source.shape, -1, np.int32)
    for player in range(2):
        folds = {int(source[player, node]): int(node) for node in np.flatnonzero(kind == kernels.FOLDED)}
        for node in np.flatnonzero(kind == kernels.SHOWN_DOWN):
            fold[player, node] = folds.pop(int(source[player, node]), -1)
    return fold


def _endings(
    kind: np.ndarray, fold: np.ndarray, valued: Sequence[np.ndarray], first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return `endings` and `part_endings` of `kernels.Betting`; valued[2][M] are the endings, first[parts + 1] first nodes."""
    found, parts = [], []
    for player in range(2):
        every = np.flatnonzero(valued[player])
        part_of = np.searchsorted(first, every, side="right")
        order = np.lexsort((every, fold[player, every] < 0, kind[every] == kernels.FOLDED, part_of))
        found.append(every[order].astype(np.int32))
        parts.append(np.searchsorted(part_of[order], np.arange(1, len(first) + 1)).astype(np.int32))
    most = max(map(len, found))
    return np.stack([np.pad(each, (0, most - len(each))) for each in found]), np.stack(parts)


SHARE = [[0.5, 0.5, 0.0]] * 2  # factors of a showdown that pays a share of 1


def check_down(streets: int, factors: Sequence[list[list[float]]] = (SHARE,)) -> list[StreetBetting]:
    """Return the betting in which nobody acts any more, with an entry for each of the factors of showdowns."""
    found = []
    for number in range(streets):
        last, street = number + 1 == streets, StreetBetting()
        for entry, factor in enumerate(factors):
            street.root.append(entry)
            kind = kernels.SHOWN_DOWN if last else kernels.NEXT_STREET
            street.add(kind, -1, -1, -1, entry, factor if last else [[0.0] * 3] * 2)
        street.root.append(len(factors))
        found.append(street)
    return found


def _parts(root: np.ndarray, endings: np.ndarray, most: int) -> np.ndarray:
    """Return the first entries of parts: endings[2, E] are those of each entry, by player, and a part has at most so many."""
    parts, so_far = [0], np.zeros(2, np.int64)
    for entry in range(len(root) - 1):
        so_far += endings[:, entry]
        if so_far.max() > most and entry > parts[-1]:
            parts.append(entry)
            so_far = endings[:, entry].copy()
    return np.array([*parts, len(root) - 1], np.int32)
