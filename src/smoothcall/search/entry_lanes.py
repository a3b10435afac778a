"""Entries of the last street that a best response to a policy values side by side, by the shape of their betting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smoothcall.kernels.search import entry_lanes as kernels
from smoothcall.kernels.search import sweep
from smoothcall.kernels.search.lanes import count_lanes, lane_zeros
from smoothcall.search.boards import vector_width
from smoothcall.search.public_tree import StreetBetting

LEAST_ENTRIES = 8  # of a shape: fewer would leave most lanes empty

Shape = tuple[tuple[int, int, tuple[int, ...]], ...]  # kind, player and children of each node


def sort_entries(before: StreetBetting, street: StreetBetting) -> tuple[StreetBetting, list[list[int]]]:
    """Number the entries of a street anew, in `before` too: first those of rare shapes, then shape by shape.

    Return (the street, entries of each shape).
    """
    shapes: dict[Shape, list[int]] = {}
    for entry in range(len(street.root) - 1):
        shapes.setdefault(_shape(street, entry), []).append(entry)
    common = [entries for entries in shapes.values() if len(entries) >= LEAST_ENTRIES]
    rare = [entry for entries in shapes.values() if len(entries) < LEAST_ENTRIES for entry in entries]
    order = [*rare, *(entry for entries in common for entry in entries)]
    number = {entry: place for place, entry in enumerate(order)}
    before.entry[:] = [number.get(entry, -1) for entry in before.entry]
    found, members, so_far = StreetBetting(), list[list[int]](), len(rare)
    for entry in order:
        begin, end, shift = street.root[entry], street.root[entry + 1], len(found.kind) - street.root[entry]
        found.root.append(len(found.kind))
        for node in range(begin, end):
            parent = street.parent[node] + shift if street.parent[node] >= 0 else -1
            found.add(street.kind[node], street.player[node], parent, street.row[node], street.entry[node], street.factor[node])
            found.slots.append(street.slots[node])
    found.root.append(len(found.kind))
    for entries in common:
        members.append(list(range(so_far, so_far + len(entries))))
        so_far += len(entries)
    return found, members


def _shape(street: StreetBetting, entry: int) -> Shape:
    begin, end = street.root[entry], street.root[entry + 1]
    return tuple(
        (street.kind[node], street.player[node], tuple(child - begin for child in street.children[node]))
        for node in range(begin, end)
    )


def shapes_of(street: StreetBetting, members: Sequence[Sequence[int]], fold: np.ndarray, player: int) -> kernels.Shapes:
    """Return the shapes of entries as the kernel takes them; `fold` is that of `kernels.search.sweep.Betting`."""
    steps, starts = list[tuple[int, int, int, int]](), [0]
    for entries in members:
        root = street.root[entries[0]]
        _add_steps(street, root, root, 0, fold[player], player, steps)
        starts.append(len(steps))
    kind, node, folds, slot = np.array(steps, np.int32).reshape(-1, 4).T.copy()
    return kernels.Shapes(
        member=np.array([entry for entries in members for entry in entries], np.int32),
        member_start=np.cumsum([0, *map(len, members)], dtype=np.int32),
        step=kind.astype(np.int8),
        step_start=np.array(starts, np.int32),
        node=node,
        fold=folds,
        slot=slot,
    )


def _add_steps(
    street: StreetBetting,
    node: int,
    root: int,
    slot: int,
    fold: np.ndarray,
    player: int,
    steps: list[tuple[int, int, int, int]],
) -> None:
    """Add the steps that leave the value of a node in a slot."""
    if street.kind[node] != sweep.DECISION:
        steps.append((kernels.SHOW if street.kind[node] == sweep.SHOWN_DOWN else kernels.FOLD, node - root, -1, slot))
        return
    below = street.children[node]
    shared = next((child for child in below if fold[child] == below[0]), -1)  # a showdown valued with the fold
    for place, child in enumerate(below):
        if child == shared:
            steps.append((kernels.SHOW, child - root, below[0] - root, slot + 1))
        elif place > 0 or shared < 0:
            _add_steps(street, child, root, slot + (place > 0), fold, player, steps)
        if place > 0:
            steps.append((kernels.GREATEST if street.player[node] == player else kernels.SUM, -1, -1, slot))


def group_buffers(
    street: StreetBetting, shapes: kernels.Shapes, hands: int, buckets: int, dtype: np.dtype[np.floating]
) -> kernels.Group:
    """Return the buffers of one thread."""
    width, lanes = vector_width(hands, count_lanes(dtype)), len(kernels.WIDE) * count_lanes(dtype)
    root = np.array(street.root)
    nodes = int(np.diff(root)[shapes.member].max(initial=1))
    slots = int(shapes.slot.max(initial=0)) + 1
    return kernels.Group(
        entry=np.zeros(lanes, np.int32),
        reach=lane_zeros((width, lanes), dtype),
        total=lane_zeros((width, lanes), dtype),
        value=lane_zeros((slots, width, lanes), dtype),
        plays=lane_zeros((nodes, buckets, lanes), dtype),
        factor=lane_zeros((int(np.diff(shapes.step_start).max(initial=1)), 4, lanes), dtype),
        alive=np.zeros(nodes, np.bool_),
    )
