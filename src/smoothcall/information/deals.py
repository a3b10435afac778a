"""Every deal of a game with its probability: the bucket of each player on each street, and who wins at showdown.

Deals that are too many to list are sampled: see `information.dealing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import Cards
from smoothcall.games.outcomes import standing
from smoothcall.games.rules import PokerRules
from smoothcall.information.buckets import Lossless, VisibleCards
from smoothcall.kernels.tables import Array

MAX_DEALS = 2_000_000  # listed one by one


@dataclass(frozen=True, eq=False)
class Deals:
    """D distinct deals, P players, R streets. Deals that no player can tell apart are merged."""

    weight: Array  # [D] float64: probability, sums to 1
    bucket: Array  # [D, P, R] int32: bucket of each player on each street
    strength: Array  # [D, P] int32: order at showdown, the higher wins
    labels: tuple[tuple[str, ...], ...]  # [R][bucket]: the card part of an information-state key

    @property
    def count(self) -> int:
        return len(self.weight)

    @property
    def buckets(self) -> tuple[int, ...]:
        """[R] number of buckets on each street."""
        return tuple(map(len, self.labels))

    @cached_property
    def outcomes(self) -> tuple[Array, Array]:
        """([D] uint32, [outcomes, P]): the showdown outcome of each deal, and strengths that compare like each outcome."""
        orders, outcome = np.unique(standing(self.strength), axis=0, return_inverse=True)
        return outcome.reshape(-1).astype(np.uint32), orders

    @cached_property
    def alias(self) -> tuple[Array, Array]:
        """Alias table (accept[D], other[D]) of Walker: pick d, keep it with probability accept[d], else other[d]."""
        accept, other = self.weight * self.count, np.arange(self.count, dtype=np.int32)
        small = [d for d in range(self.count) if accept[d] < 1]
        large = [d for d in range(self.count) if accept[d] >= 1]
        while small and large:
            poor, rich = small.pop(), large[-1]
            other[poor] = rich
            accept[rich] -= 1 - accept[poor]
            if accept[rich] < 1:
                small.append(large.pop())
        accept[small + large] = 1  # left over by rounding
        return accept, other


def no_cards(players: int) -> Deals:
    """Return the single deal of a game without cards."""
    return Deals(np.ones(1), np.zeros((1, players, 1), np.int32), np.zeros((1, players), np.int32), (("",),))


def list_deals(rules: PokerRules, buckets: Lossless) -> Deals:
    """Return every deal of a small game. Weights are exact counts divided once."""
    if (total := count_deals(rules)) > MAX_DEALS:
        raise UsageError(f"{rules.name}: {total:,} deals are too many to list (at most {MAX_DEALS:,})")
    counts: Counter[tuple[tuple[VisibleCards, ...], ...]] = Counter()
    strengths: dict[tuple[tuple[VisibleCards, ...], ...], list[int]] = {}
    for hole, boards in _every_deal(rules):
        seen = tuple(tuple(buckets.view(cards, boards[: street + 1]) for street in range(len(rules.streets))) for cards in hole)
        counts[seen] += 1
        if seen not in strengths:
            board = tuple(card for cards in boards for card in cards)
            strengths[seen] = [rules.order.strength(rules.deck, cards, board) for cards in hole]
    order = sorted(counts)
    views = [sorted({player[street] for seen in order for player in seen}) for street in range(len(rules.streets))]
    index = [{view: number for number, view in enumerate(street)} for street in views]
    total = sum(counts.values())
    return Deals(
        weight=np.array([counts[seen] / total for seen in order]),
        bucket=np.array([[[index[r][view] for r, view in enumerate(p)] for p in seen] for seen in order], np.int32),
        strength=np.array([strengths[seen] for seen in order], np.int32),
        labels=tuple(tuple(map(buckets.label, street)) for street in views),
    )


def _every_deal(rules: PokerRules) -> Iterator[tuple[list[Cards], list[Cards]]]:
    """Yield (hole cards of each seat, board of each street) of every deal, all equally likely."""
    hole_count = rules.streets[0].hole

    def extend(done: list[Cards], sizes: list[int], left: Cards) -> Iterator[list[Cards]]:
        if not sizes:
            yield done
            return
        for cards in combinations(left, sizes[0]):
            yield from extend([*done, cards], sizes[1:], tuple(card for card in left if card not in cards))

    sizes = [hole_count] * rules.seats + [street.board for street in rules.streets]
    for groups in extend([], sizes, tuple(range(rules.deck.size))):
        yield groups[: rules.seats], groups[rules.seats :]


def count_deals(rules: PokerRules) -> int:
    """Return the number of deals, cards of different suits being different."""
    if any(street.hole for street in rules.streets[1:]):
        raise UsageError(f"{rules.name}: hole cards dealt on a later street cannot be listed")
    left, total = rules.deck.size, 1
    for size in [rules.streets[0].hole] * rules.seats + [street.board for street in rules.streets]:
        total *= comb(left, size)
        left -= size
    return total
