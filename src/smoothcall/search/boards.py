"""The boards of a spot, street by street, with the hands that each leaves to both players.

Cards to come that differ only by a permutation of suits are walked once, where both ranges are the same after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from smoothcall.games.cards import Cards
from smoothcall.games.rankings import BEST_FIVE
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.evaluator import evaluator
from smoothcall.holdem.suits import suit_permutations
from smoothcall.kernels.holdem.evaluator import evaluate_hands
from smoothcall.kernels.search.sweep import Boards
from smoothcall.kernels.tables import Array

PLAYERS = 2


@dataclass(frozen=True, eq=False)
class Range:
    """The H hands that a player may hold, with their weights."""

    hands: Array  # [H, hole cards] uint8, cards ascending
    weight: Array  # [H] float64, from 0 to 1


@dataclass(frozen=True, eq=False)
class Board:
    """One board of the public tree."""

    cards: Cards
    hands: tuple[Array, Array]  # of each player: places in its range, in the order of the board's vectors
    images: dict[Cards, Symmetry]  # the cards that may come instead of its last ones, with the permutation; its own first
    symmetries: tuple[Symmetry, ...]  # that leave the board and both ranges as they are


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A permutation of suits under which both ranges are the same."""

    card: Array  # [cards] the image of each card
    hand: tuple[Array, Array]  # of each player: the place of the image of each hand of its range


@dataclass(frozen=True, eq=False)
class Level:
    """The boards of one street."""

    boards: list[Board]
    arrays: Boards


def blocks(count: int, lanes: int) -> int:
    """Return how many blocks of lanes hold so many numbers."""
    return -(-count // lanes)


def strengths(rules: PokerRules, hands: Array, board: Cards) -> Array:
    """Return [H] int64, the strengths of hands on a board."""
    if rules.order is BEST_FIVE and len(board) == 5:
        cards = np.concatenate([hands, np.tile(np.array(board, np.uint8), (len(hands), 1))], axis=1)
        found = np.zeros(len(hands), np.uint16)
        evaluate_hands(evaluator(rules.deck), cards, found)
        return found.astype(np.int64)
    strength, deck = rules.order.strength, rules.deck
    return np.array([strength(deck, tuple(hand.tolist()), board) for hand in hands], np.int64)


def board_levels(
    rules: PokerRules,
    street: int,
    board: Cards,
    ranges: Sequence[Range],
    rows: Sequence[Sequence[int]],
    lanes: int,
    *,
    isomorphic: bool = True,
) -> tuple[list[Level], list[int]]:
    """Return the boards of a street and of those after it, and the length of each player's table in blocks of `lanes`.

    rows[street][player]: numbers that the table has for a hand on one board of the street. Unless `isomorphic`, every card
    is walked.
    """
    used = [0] * PLAYERS
    everything = np.arange(len(ranges[0].hands)), np.arange(len(ranges[1].hands))
    above = [
        Board(board, everything, {}, symmetries(rules, board, ranges) if isomorphic else symmetries(rules, board, ranges)[:1])
    ]
    levels: list[Level] = []
    for place, number in enumerate(range(street, len(rules.streets))):
        coming = rules.streets[number].board if place else 0
        builder = _LevelBuilder(rules, ranges, coming, rows[place], used, lanes, last=number + 1 == len(rules.streets))
        children = [0]
        for parent in above:
            builder.add_children(parent)
            children.append(len(builder.boards))
        if levels:
            levels[-1].arrays.children[:] = children
        levels.append(builder.level())
        above = builder.boards
    return levels, used


def symmetries(rules: PokerRules, board: Cards, ranges: Sequence[Range]) -> tuple[Symmetry, ...]:
    """Return the permutations of suits that leave a board and both ranges as they are, the identity first."""
    deck = rules.deck
    found: list[Symmetry] = []
    permutations = suit_permutations(deck) if len(deck.suits) == 4 else np.arange(deck.size)[None]
    for card in permutations:
        if {int(card[each]) for each in board} != set(board):
            continue
        places = [_permuted(each, card) for each in ranges]
        if places[0] is not None and places[1] is not None:
            found.append(Symmetry(card, (places[0], places[1])))
    return tuple(found)


def _permuted(held: Range, card: Array) -> Array | None:
    """Return [H] the places of the images of a range's hands; None where the range is not the same after it."""
    place = {tuple(hand): number for number, hand in enumerate(held.hands.tolist())}
    images = np.sort(card[held.hands], axis=1).tolist()
    found = [place.get(tuple(hand), -1) for hand in images]
    if -1 in found or not np.allclose(held.weight[found], held.weight, rtol=0, atol=1e-12):
        return None
    return np.array(found)


class _LevelBuilder:
    """Builds the boards of one street behind those of the street before."""

    def __init__(
        self,
        rules: PokerRules,
        ranges: Sequence[Range],
        coming: int,
        rows: Sequence[int],
        used: list[int],
        lanes: int,
        *,
        last: bool,
    ) -> None:
        self.rules, self.ranges, self.coming, self.rows, self.used, self.last = rules, ranges, coming, rows, used, last
        self.lanes = lanes
        self.boards: list[Board] = []
        self._sides: list[tuple[list[Array], list[Array]]] = []  # of each board and player: the columns of Side
        self._origins: list[tuple[Array, Array]] = []  # of each image and player
        self._image = [0]
        self._start: list[tuple[int, int]] = []
        self._left = rules.deck.size

    def add_children(self, parent: Board) -> None:
        """Add the boards that may come behind one, each class under its symmetries once."""
        deck = self.rules.deck
        self._left = deck.size - len(parent.cards) - PLAYERS * self.ranges[0].hands.shape[1]
        known = set[Cards]()
        for cards in combinations([card for card in range(deck.size) if card not in parent.cards], self.coming):
            if cards in known:
                continue
            images: dict[Cards, Symmetry] = {}
            for symmetry in parent.symmetries:
                images.setdefault(tuple(sorted(symmetry.card[list(cards)].tolist())), symmetry)
            known.update(images)
            self._add(parent, cards, images)

    def _add(self, parent: Board, cards: Cards, images: dict[Cards, Symmetry]) -> None:
        board = parent.cards + cards
        held, strength = [], []
        for player, each in enumerate(self.ranges):
            places = parent.hands[player]
            places = places[~np.isin(each.hands[places], cards).any(axis=1)]
            power = strengths(self.rules, each.hands[places], board) if self.last else np.zeros(len(places), np.int64)
            order = np.argsort(power, kind="stable")
            held.append(places[order])
            strength.append(power[order])
        self._sides.append((self._side(held, strength, 0), self._side(held, strength, 1)))
        for symmetry in images.values():
            self._origins.append((self._origin(parent, held[0], symmetry, 0), self._origin(parent, held[1], symmetry, 1)))
        self._image.append(len(self._origins))
        fixed = tuple(each for each in parent.symmetries if set(each.card[list(cards)].tolist()) == set(cards))
        self.boards.append(Board(board, (held[0], held[1]), images, fixed))
        self._start.append((self.used[0], self.used[1]))
        for player in range(PLAYERS):
            self.used[player] += self.rows[player] * blocks(len(held[player]), self.lanes)

    def _side(self, held: Sequence[Array], strength: Sequence[Array], player: int) -> list[Array]:
        """Return the columns of `Side` of one player's hands."""
        hands, others = (self.ranges[each].hands[held[each]] for each in (player, 1 - player))
        place = {tuple(hand): number for number, hand in enumerate(others.tolist())}
        low, high = hands[:, 0].astype(np.int64), hands[:, -1].astype(np.int64)
        if hands.shape[1] == 1:
            high = high + self.rules.deck.size
        mine, theirs = strength[player], strength[1 - player]
        weaker, not_stronger = (np.searchsorted(theirs, mine, side) for side in ("left", "right"))
        same = np.array([place.get(tuple(hand), len(others)) for hand in hands.tolist()], np.int64)
        return [low, high, weaker, not_stronger, same]

    def _origin(self, parent: Board, held: Array, symmetry: Symmetry, player: int) -> Array:
        """Return the places of the images of hands on the board before."""
        place = np.zeros(len(self.ranges[player].hands), np.int64)
        place[parent.hands[player]] = np.arange(len(parent.hands[player]))
        return place[symmetry.hand[player][held]]

    def level(self) -> Level:
        boards, width = len(self.boards), max(len(each.hands) for each in self.ranges)
        sides = np.zeros((5, PLAYERS, boards, width), np.uint16)
        count = np.array([[len(board.hands[player]) for board in self.boards] for player in range(PLAYERS)], np.int32)
        for board, columns in enumerate(self._sides):
            for player in range(PLAYERS):
                for number, column in enumerate(columns[player]):
                    sides[number, player, board, : len(column)] = column
        origin = np.zeros((PLAYERS, len(self._origins), width), np.uint16)
        for image, places in enumerate(self._origins):
            for player in range(PLAYERS):
                origin[player, image, : len(places[player])] = places[player]
        low, high, weaker, not_stronger, same = sides
        arrays = Boards(
            hands=count,
            low=low,
            high=high,
            weaker=weaker,
            not_stronger=not_stronger,
            same=same,
            start=np.array(self._start, np.int64).T.copy(),
            image=np.array(self._image, np.int32),
            origin=origin,
            weight=1.0 / comb(self._left, self.coming),
            children=np.zeros(boards + 1, np.int32),
        )
        return Level(self.boards, arrays)
