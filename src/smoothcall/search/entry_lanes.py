"""Entries of the last street that a best response to a policy values side by side, by the shape of their betting.

The endings of an entry whose shape is rare are valued side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from smoothcall.kernels.search import entry_lanes as kernels
from smoothcall.kernels.search import sweep
from smoothcall.kernels.search.ending_lanes import Endings
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
            found.like.append(street.like[node])
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
        chips=lane_zeros((int(np.diff(shapes.step_start).max(initial=1)), 2, lanes), dtype),
        alive=np.zeros(nodes, np.bool_),
    )


def endings_of(street: StreetBetting, betting: sweep.Betting, buckets: int, player: int) -> Endings:
    """Return the endings of the entries in the betting's parts, with the buffers of one thread."""
    lanes, wide = count_lanes(betting.factor.dtype), len(kernels.WIDE)
    nodes, paid = int(betting.root[betting.part[-1]]), np.zeros(len(street.kind), np.bool_)
    block_entry, blocks, part_group = list[int](), list[list[tuple[int, int]]](), [0]
    for begin, end in pairwise(betting.part.tolist()):
        for entry in range(begin, end):
            found = _pairs(street, entry, player)
            paid[[fold for shown, fold in found if shown >= 0 and fold >= 0]] = True
            for first in range(0, len(found), lanes):
                blocks.append(found[first : first + lanes])
                block_entry.append(entry)
        while len(blocks) % wide:
            blocks.append([])
            block_entry.append(block_entry[-1])
        part_group.append(len(blocks) // wide)
    ends = np.full((len(blocks), lanes, 2), -1, np.int32)
    for block, found in enumerate(blocks):
        ends[block, : len(found)] = np.array(found, np.int32).reshape(-1, 2)
    shown, fold = ends.reshape(len(blocks) // wide, wide * lanes, 2).transpose(2, 0, 1).copy()
    chips = lane_zeros((len(shown), 2, wide * lanes), betting.factor.dtype)
    chips[:, 0] = np.where(shown >= 0, betting.factor[player, shown, 0], betting.factor[player, fold, 2])
    return Endings(
        block_entry=np.array(block_entry, np.int32),
        shown=shown,
        fold=fold,
        part_group=np.array(part_group, np.int32),
        paid=paid,
        chips=chips,
        shown_plays=lane_zeros((len(shown), buckets, wide * lanes), betting.factor.dtype),
        fold_plays=lane_zeros((len(shown), buckets, wide * lanes), betting.factor.dtype),
        plays=np.zeros((max(nodes, 1), buckets), betting.factor.dtype),
    )


def _pairs(street: StreetBetting, entry: int, player: int) -> list[tuple[int, int]]:
    """Return (showdown or -1, fold or -1) of an entry's lanes: both where they follow one decision of the policy."""
    found = list[tuple[int, int]]()
    for node in range(street.root[entry], street.root[entry + 1]):
        endings = [child for child in street.children[node] if street.kind[child] != sweep.DECISION]
        shown = [child for child in endings if street.kind[child] == sweep.SHOWN_DOWN]
        folds = [child for child in endings if street.kind[child] == sweep.FOLDED]
        if street.player[node] != player and len(shown) == len(folds) == 1:
            found.append((shown[0], folds[0]))
        else:
            found += [*((each, -1) for each in shown), *((-1, each) for each in folds)]
    root = street.root[entry]
    if street.kind[root] != sweep.DECISION:
        found.append((root, -1) if street.kind[root] == sweep.SHOWN_DOWN else (-1, root))
    return found
