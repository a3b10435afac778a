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

MAX_NODES = 150_000  # of the betting on all streets together
PART_NODES = 128  # of the last street: their vectors stay in the processor's cache

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


def street_bettings(start: Betting, moves: Moves, settle: Settle | None = None) -> list[StreetBetting]:
    """Return the betting from a state on, a list for each street to come."""
    streets = [StreetBetting() for _ in range(start.street, len(start.rules.streets))]
    entries, count = [start], 0
    for place, street in enumerate(streets):
        later: list[Betting] = []
        for state in entries:
            street.root.append(len(street.kind))
            _add_entry(street, state, start.street + place, later, moves, settle or plain, MAX_NODES - count)
            count += len(street.kind) - street.root[-1]
        street.root.append(len(street.kind))
        entries = later
    return streets


def plain(payoffs: Sequence[Fraction], state: Betting) -> Sequence[float]:
    """Settle without rake."""
    return [float(each) for each in payoffs]


def _add_entry(
    street: StreetBetting, root: Betting, number: int, later: list[Betting], moves: Moves, settle: Settle, most: int
) -> None:
    """Add the betting of one street behind a state, breadth first, of at most so many nodes."""
    last = number + 1 == len(root.rules.streets)
    waiting = [(root, -1)]
    for state, parent in waiting:  # grows while it is read
        if len(waiting) > most:
            raise UsageError(f"the betting of this spot has more than {MAX_NODES:,} nodes (fewer bet sizes have fewer)")
        node = len(street.kind)
        street.parent.append(parent)
        street.text.append(state.text)
        street.pot.append(state.pot)
        for column in (street.children, street.moves):
            column.append([])
        if parent >= 0:
            street.children[parent].append(node)
        folded = state.finished and state.alive_count == 1
        kind, player, row, entry = kernels.NEXT_STREET, -1, -1, -1
        factor = [[0.0] * 3] * 2
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
            street.moves[node] = letters
            for letter in letters:
                after = state.copy()
                after.play(letter)
                waiting.append((after, node))
        street.kind.append(kind)
        street.player.append(player)
        street.row.append(row)
        street.entry.append(entry)
        street.factor.append(factor)


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


def as_arrays(street: StreetBetting, dtype: np.dtype[np.floating], *, parts: bool = False) -> kernels.Betting:
    """Return a street's betting as the kernels take it, in one part or in several."""
    nodes, width = len(street.kind), max(map(len, street.children), default=1) or 1
    child = np.full((nodes, width), -1, np.int32)
    for node, below in enumerate(street.children):
        child[node, : len(below)] = below
    source = np.zeros((2, nodes), np.int32)
    for node, parent in enumerate(street.parent):
        for player in range(2):
            kept = parent >= 0 and street.player[parent] == player
            source[player, node] = source[player, parent] if kept else node
    kind, root = np.array(street.kind, np.int8), np.array(street.root, np.int32)
    part = _parts(root) if parts else np.array([0, len(root) - 1], np.int32)
    endings = np.flatnonzero((kind == kernels.FOLDED) | (kind == kernels.SHOWN_DOWN))
    part_of = np.searchsorted(root[part], endings, side="right")
    endings = endings[np.lexsort((endings, kind[endings], part_of))]
    return kernels.Betting(
        kind=kind,
        player=np.array(street.player, np.int8),
        child=child,
        actions=np.array([len(below) for below in street.children], np.int32),
        row=np.array(street.row, np.int32),
        entry=np.array(street.entry, np.int32),
        source=source,
        factor=np.array(street.factor, dtype).transpose(1, 0, 2).copy(),
        root=root,
        part=part,
        endings=endings.astype(np.int32),
        part_endings=np.searchsorted(np.sort(part_of), np.arange(1, len(part) + 1)).astype(np.int32),
    )


def check_down(streets: int) -> list[StreetBetting]:
    """Return the betting in which nobody acts any more; a showdown pays a share of 1."""
    found = []
    for street in range(streets):
        last = street + 1 == streets
        kind = kernels.SHOWN_DOWN if last else kernels.NEXT_STREET
        factor = [[0.5, 0.5, 0.0] if last else [0.0] * 3] * 2
        found.append(StreetBetting([kind], [-1], [[]], [[]], [-1], [0], [factor], [-1], [""], [0], [0, 1]))
    return found


def _parts(root: np.ndarray) -> np.ndarray:
    """Return the first entries of parts of at least PART_NODES nodes."""
    parts = [0]
    for entry in range(1, len(root) - 1):
        if root[entry] - root[parts[-1]] >= PART_NODES:
            parts.append(entry)
    return np.array([*parts, len(root) - 1], np.int32)
