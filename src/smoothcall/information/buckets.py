"""What a player sees of the cards, as one small number per street: its bucket."""

from __future__ import annotations

from collections.abc import Sequence

from smoothcall.games.cards import Cards
from smoothcall.games.rules import PokerRules

View = tuple[tuple[int, ...], ...]  # own cards, then the board of each street so far; highest first


class Lossless:
    """Buckets that forget nothing: own cards and board, with suits told apart or left out.

    Suits may be left out where they cannot matter: then cards that differ only in suit are the same to everybody.
    """

    def __init__(self, rules: PokerRules, *, suits_apart: bool) -> None:
        self.rules = rules
        self.suits_apart = suits_apart or not rules.deck.suits

    def face(self, card: int) -> int:
        """The card as it is told apart from others: itself, or its rank."""
        return card if self.suits_apart else self.rules.deck.rank(card)

    def view(self, hole: Cards, boards: Sequence[Cards]) -> View:
        """What the player with these hole cards sees when these boards (one a street) are dealt."""
        return tuple(tuple(sorted(map(self.face, cards), reverse=True)) for cards in (hole, *boards) if cards)

    def label(self, view: View) -> str:
        """The card part of an information-state key."""
        deck = self.rules.deck
        name = deck.name if self.suits_apart else deck.ranks.__getitem__
        return "/".join("".join(map(name, cards)) for cards in view)
