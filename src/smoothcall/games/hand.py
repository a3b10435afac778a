"""A hand in play: betting and cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting, IllegalMove, M, Move, Post, passes
from smoothcall.games.cards import Card, Cards
from smoothcall.games.pots import split_pots
from smoothcall.games.rules import PokerRules


@dataclass(frozen=True, slots=True)
class Deal:
    """The record of cards dealt to a player, or to the board where `player` is None."""

    player: int | None
    street: int
    cards: Cards


@dataclass(frozen=True, slots=True)
class Due:
    """The next deal: `count` cards to a player, or to the board where `player` is None."""

    player: int | None
    street: int
    count: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a hand. Pay-offs are in chips, exact: odd chips are shared as fractions."""

    reason: str  # "fold": all but one folded; "showdown"
    payoffs: tuple[Fraction, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        return tuple(player for player, payoff in enumerate(self.payoffs) if payoff > 0)

    def pays(self, recorded: Sequence[Fraction]) -> bool:
        """Return whether recorded pay-offs, written to the sixth decimal, are these."""
        near = Fraction(1, 10**5)
        return len(recorded) == len(self.payoffs) and all(
            abs(ours - theirs) < near for ours, theirs in zip(self.payoffs, recorded, strict=True)
        )


Record = Post | Deal | Move


class Hand(Betting):
    """A hand of any poker game: `deal` what is `due`, then move in turn until there is an `outcome`."""

    def __init__(self, rules: PokerRules, stacks: Sequence[int] | None = None) -> None:
        super().__init__(rules, stacks)
        self.hole: list[Cards] = [()] * rules.seats
        self.boards: list[Cards] = []  # the board cards of each street dealt so far, () where it has none
        self.records: list[Record] = [*self.posts]
        self._plan = [step for street in range(len(rules.streets)) for step in _deals_of(rules, street)]
        self._deals = 0  # how many steps of the dealing plan are done
        self._outcome: Outcome | None = None  # once it was asked for

    @property
    def board(self) -> Cards:
        return tuple(card for cards in self.boards for card in cards)

    @property
    def _dealt_cards(self) -> set[Card]:
        return {card for cards in (*self.hole, *self.boards) for card in cards}

    @property
    def due(self) -> Due | None:
        """The deal that must come next; None where a player is to move or the hand is over."""
        if self._deals == len(self._plan) or (self.finished and self.alive_count == 1):
            return None
        step = self._plan[self._deals]
        return step if step.street <= self.street else None

    def verify_deal(self, cards: Cards | str) -> None:
        deck, due = self.rules.deck, self.due
        cards = deck.parse(cards) if isinstance(cards, str) else cards
        if due is None:
            raise IllegalMove("deal: no cards are due")
        if any(not 0 <= card < deck.size for card in cards):
            raise IllegalMove(f"deal {list(cards)}: cards are 0 to {deck.size - 1}")
        if len(cards) != due.count or len(set(cards)) != due.count:
            raise IllegalMove(f"deal {deck.names(cards)!r} (accepted now: {due.count} cards, each once)")
        if again := sorted(self._dealt_cards & set(cards)):
            raise IllegalMove(f"deal {deck.names(cards)!r}: {deck.names(again)} was dealt before")

    def can_deal(self, cards: Cards | str) -> bool:
        return passes(lambda: self.verify_deal(cards))

    def deal(self, cards: Cards | str) -> Deal:
        """Deal what is `due`: card numbers, or their names as in `"AhKs"`."""
        self.verify_deal(cards)
        cards = self.rules.deck.parse(cards) if isinstance(cards, str) else tuple(cards)
        due = self.due
        assert due is not None
        while len(self.boards) <= due.street:
            self.boards.append(())
        if due.player is None:
            self.boards[due.street] = cards
        else:
            self.hole[due.player] += cards
        self._deals += 1
        record = Deal(due.player, due.street, cards)
        self.records.append(record)
        return record

    def deal_random(self, random: Random) -> list[Deal]:
        """Deal everything that is due, at random from the cards not dealt yet."""
        records = []
        while (due := self.due) is not None:
            left = [card for card in range(self.rules.deck.size) if card not in self._dealt_cards]
            records.append(self.deal(tuple(random.sample(left, due.count))))
        return records

    def _verify_turn(self) -> None:
        super()._verify_turn()
        if self.due is not None:
            raise IllegalMove("cards have to be dealt first")

    def _moved(self, move: M) -> M:
        self.records.append(move)
        return super()._moved(move)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the hand; None before its end."""
        if self._outcome is None and self.finished and self.due is None:  # nothing changes any more
            self._outcome = settled(self, self.hole, self.board)
        return self._outcome


def settled(state: Betting, hole: Sequence[Cards], board: Cards) -> Outcome:
    """Return the outcome of finished betting with these cards; those of players who folded need not be known."""
    order, deck, showdown = state.rules.order, state.rules.deck, state.alive_count > 1
    strength = [order.strength(deck, hole[seat], board) if showdown and alive else 0 for seat, alive in enumerate(state.alive)]
    live = [paid - dead for paid, dead in zip(state.paid, state.dead, strict=True)]
    won = zip(split_pots(live, state.alive, strength, sum(state.dead)), state.dead, strict=True)
    return Outcome("showdown" if showdown else "fold", tuple(chips - dead for chips, dead in won))


def _deals_of(rules: PokerRules, street: int) -> list[Due]:
    """Return the deals before a street's betting: hole cards seat by seat, then the board."""
    hole, board = rules.streets[street].hole, rules.streets[street].board
    steps = [Due(player, street, hole) for player in range(rules.seats)] if hole else []
    return [*steps, Due(None, street, board)] if board else steps


def deal_hand(rules: PokerRules, seed: int | None = None, stacks: Sequence[int] | None = None) -> Hand:
    """Return a hand with its first cards dealt, ready for the first move."""
    if not isinstance(rules, PokerRules):
        raise UsageError("only poker games are dealt")
    hand = Hand(rules, stacks)
    hand.deal_random(Random(seed))
    return hand
