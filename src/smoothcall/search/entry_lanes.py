"""Entries of the last street that a best response to a policy values side by side, by the shape of their betting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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


def shapes_of(street: StreetBetting, members: Sequence[Sequence[int]], player: int) -> kernels.Shapes:
    """Return the shapes of entries as the kernel takes them."""
    steps, starts = list[_Step](), [0]
    for entries in members:
        root = street.root[entries[0]]
        steps += _steps(street, root, root, player, 0)
        starts.append(len(steps))
    kind, shown, fold, slot, mode = np.array(steps, np.int32).reshape(-1, 5).T.copy()
    return kernels.Shapes(
        member=np.array([entry for entries in members for entry in entries], np.int32),
        member_start=np.cumsum([0, *map(len, members)], dtype=np.int32),
        step=kind.astype(np.int8),
        step_start=np.array(starts, np.int32),
        shown=shown,
        fold=fold,
        slot=slot,
        mode=mode.astype(np.int8),
    )


class _Step(NamedTuple):
    kind: int
    shown: int
    fold: int
    slot: int
    mode: int = kernels.SET


def _steps(street: StreetBetting, node: int, root: int, player: int, slot: int) -> list[_Step]:
    """Return the steps that leave the value of a node in a slot."""
    if street.kind[node] != sweep.DECISION:
        return [_ending(street, [node], root, -1, player, slot)]
    mode = kernels.GREATEST if street.player[node] == player else kernels.SUM
    endings = [child for child in street.children[node] if street.kind[child] != sweep.DECISION]
    behind = [_steps(street, child, root, player, slot) for child in street.children[node] if child not in endings]
    if len({street.kind[child] for child in endings}) == len(endings):  # a fold and a showdown, or one of them
        behind += [[_ending(street, endings, root, street.player[node], player, slot)]] if endings else []
    else:
        behind += [[_ending(street, [child], root, -1, player, slot)] for child in endings]
    first, *others = sorted(behind, key=lambda steps: len(steps) == 1)
    found = list(first)
    for steps in others:
        if len(steps) == 1:
            found.append(steps[0]._replace(mode=mode))
        else:
            found += [step._replace(slot=step.slot + 1) for step in steps]
            found.append(_Step(kernels.MERGE, -1, -1, slot, mode))
    return found


def _ending(street: StreetBetting, nodes: Sequence[int], root: int, acts: int, player: int, slot: int) -> _Step:
    """Return the step that values an ending, or the fold and the showdown behind a decision of `acts`."""
    place = {street.kind[node]: node - root for node in nodes}
    kind = kernels.SHOW if sweep.SHOWN_DOWN in place else kernels.FOLD
    if len(place) == 2:
        kind = kernels.OWN_CALL if acts == player else kernels.CALL
    return _Step(kind, place.get(sweep.SHOWN_DOWN, -1), place.get(sweep.FOLDED, -1), slot)


def group_buffers(
    street: StreetBetting, shapes: kernels.Shapes, hands: int, cards: int, buckets: int, dtype: np.dtype[np.floating]
) -> kernels.Group:
    """Return the buffers of one thread."""
    width, lanes = vector_width(hands, count_lanes(dtype)), len(kernels.WIDE) * count_lanes(dtype)
    root = np.array(street.root)
    nodes = int(np.diff(root)[shapes.member].max(initial=1))
    slots = int(shapes.slot.max(initial=0)) + 1
    return kernels.Group(
        entry=np.zeros(lanes, np.int32),
        reach=lane_zeros((width, lanes), dtype),
        here=lane_zeros((width, lanes), dtype),
        total=lane_zeros((width, lanes), dtype),
        value=lane_zeros((slots, width, lanes), dtype),
        kept=lane_zeros((width, lanes), dtype),
        cards=lane_zeros((2, cards + 1, lanes), dtype),
        plays=lane_zeros((nodes, buckets, lanes), dtype),
        ratio=lane_zeros((int(np.diff(shapes.step_start).max(initial=1)), 1, lanes), dtype),
        alive=np.zeros(nodes, np.bool_),
    )
