"""Which hand wins: one order per game, named, written once, here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from smoothcall.games.cards import Cards, Deck


@dataclass(frozen=True, slots=True)
class HandOrder:
    """How hands compare at showdown. `strength` is higher for the better hand and equal for hands that share a pot."""

    name: str
    suits_matter: bool
    strength: Callable[[Deck, Cards, Cards], int]  # (deck, hole cards, board) -> strength
    describe: Callable[[Deck, Cards, Cards], str]


def _highest(deck: Deck, hole: Cards, board: Cards) -> int:
    """The highest card, then the next one, down to the last."""
    value = 0
    for rank in sorted(map(deck.rank, hole + board), reverse=True):
        value = value * len(deck.ranks) + rank
    return value


def _paired(deck: Deck, hole: Cards, board: Cards) -> int:
    """A pair with the board beats everything, the board itself does not count otherwise (Leduc)."""
    own = _highest(deck, hole, ())
    shared = {deck.rank(card) for card in hole} & {deck.rank(card) for card in board}
    return own + (len(deck.ranks) ** len(hole) if shared else 0)


def _name_highest(deck: Deck, hole: Cards, board: Cards) -> str:
    return f"{deck.ranks[max(map(deck.rank, hole + board))]} high"


def _name_paired(deck: Deck, hole: Cards, board: Cards) -> str:
    shared = {deck.rank(card) for card in hole} & {deck.rank(card) for card in board}
    return f"pair of {deck.ranks[max(shared)]}" if shared else _name_highest(deck, hole, ())


HIGH_CARD = HandOrder("high card", False, _highest, _name_highest)
PAIR_OR_HIGH_CARD = HandOrder("pair with the board, else high card", False, _paired, _name_paired)
