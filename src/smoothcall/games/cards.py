"""Cards as small integers, and the deck that names them.

A card is `rank * number_of_suits + suit`, so cards sort by rank. Kuhn's deck has no suits: its cards are written `K`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from smoothcall.errors import UsageError

Card = int
Cards = tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Deck:
    ranks: str  # lowest first: "JQK"
    suits: str  # "hs", or "" for a deck with one card of each rank

    def __post_init__(self) -> None:
        for what, letters in (("ranks", self.ranks), ("suits", self.suits)):
            if len(set(letters)) != len(letters):
                raise UsageError(f"a deck's {what} must differ from one another, not {letters!r}")
        if not self.ranks:
            raise UsageError("a deck needs at least one rank")

    @property
    def suit_count(self) -> int:
        return max(1, len(self.suits))

    @property
    def size(self) -> int:
        return len(self.ranks) * self.suit_count

    def rank(self, card: Card) -> int:
        return card // self.suit_count

    def name(self, card: Card) -> str:
        rank, suit = divmod(card, self.suit_count)
        return self.ranks[rank] + self.suits[suit : suit + 1]

    def names(self, cards: Iterable[Card]) -> str:
        return "".join(map(self.name, cards))

    def parse(self, text: str) -> Cards:
        """Return the cards written in `text`, in its order: `AhKs` is two cards."""
        width = 2 if self.suits else 1
        cards = []
        for start in range(0, len(text), width):
            piece = text[start : start + width]
            rank, suit = self.ranks.find(piece[0]), self.suits.find(piece[1:])
            if rank < 0 or suit < 0 or len(piece) < width:
                every = ", ".join(map(self.name, range(self.size)))
                form = f"a rank of {self.ranks} and a suit of {self.suits}, such as {self.name(self.size - 1)}"
                raise UsageError(f"unknown card {piece!r} in {text!r} (accepted: {every if self.size <= 12 else form})")
            cards.append(rank * self.suit_count + suit)
        if len(set(cards)) < len(cards):
            raise UsageError(f"a card stands twice in {text!r}")
        return tuple(cards)


STANDARD = Deck("23456789TJQKA", "cdhs")
SHORT = Deck("789TJQKA", "cdhs")
