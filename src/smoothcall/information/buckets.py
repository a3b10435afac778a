"""Lossless buckets: one number per street for the cards a player sees."""

from __future__ import annotations

from collections.abc import Sequence

from smoothcall.games.cards import Cards
from smoothcall.games.rules import PokerRules

VisibleCards = tuple[tuple[int, ...], ...]  # own cards, then the board of each street so far; highest first


class Lossless:
    """Buckets of own cards and board, nothing forgotten. Suits are ignored unless they matter or `suits_apart` is set."""

    def __init__(self, rules: PokerRules, *, suits_apart: bool) -> None:
        self.rules = rules
        self.suits_apart = suits_apart or not rules.deck.suits

    def face(self, card: int) -> int:
        """Return the card, or its rank where suits are ignored."""
        return card if self.suits_apart else self.rules.deck.rank(card)

    def view(self, hole: Cards, boards: Sequence[Cards]) -> VisibleCards:
        """Return what the player with these hole cards sees; boards[street] for each street so far."""
        return tuple(tuple(sorted(map(self.face, cards), reverse=True)) for cards in (hole, *boards) if cards)

    def label(self, view: VisibleCards) -> str:
        """Return the card part of an information-state key."""
        deck = self.rules.deck
        name = deck.name if self.suits_apart else deck.ranks.__getitem__
        return "/".join("".join(map(name, cards)) for cards in view)
