"""The log of a hand and its verdict, as a person reads them. No text depends on cards that the person has not been shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from smoothcall.games.betting import Call, Fold, Post, Raise
from smoothcall.games.cards import Cards
from smoothcall.games.hand import Deal, Hand, Outcome
from smoothcall.games.pots import Pot, divide, uncalled_bet
from smoothcall.games.rankings import BEST_FIVE, best_five, names_apart
from smoothcall.games.rules import PokerRules
from smoothcall.play.person_view import Event

Money = Callable[[int | Fraction], str]  # chips as the person reads them
_COUNTED = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth")
_STREETS = ("Preflop", "Flop", "Turn", "River")


def street_name(rules: PokerRules, street: int) -> str:
    return _STREETS[street] if len(rules.streets) == len(_STREETS) else f"Round {street + 1}"


def position_name(rules: PokerRules, seat: int) -> str:
    """Return the name of a seat: `Small blind`, `Cutoff`; in games without two blinds, `Second player`."""
    if len(rules.blinds) < 2:
        return f"{_COUNTED[seat]} player"
    if seat < 2:
        return ("Small blind", "Big blind")[seat]
    late = {rules.seats - 1: "Button", rules.seats - 2: "Cutoff"}
    return late.get(seat) or ("Under the gun" if seat == 2 else f"Under the gun +{seat - 2}")


def position_of(rules: PokerRules, seat: int) -> str:
    """Return "SB" or "BB" for the seat that posts the small or the big blind, else ""."""
    if len(rules.blinds) < 2 or rules.blinds[0] == rules.blinds[1] or seat > 1:
        return ""
    return ("SB", "BB")[seat]


@dataclass(frozen=True, slots=True)
class Settlement:
    """Where the chips of a finished hand go."""

    returned: tuple[int, int] | None  # (seat, chips): the part of a bet that nobody has called
    pots: tuple[tuple[Pot, tuple[int, ...]], ...]  # main pot and side pots, with the seats that win or share each

    @property
    def chips(self) -> int:
        return sum(pot.chips for pot, _ in self.pots)

    def collected(self, seat: int) -> Fraction:
        """Return what a seat takes from the pots, uncalled bets aside."""
        return sum((Fraction(pot.chips, len(winners)) for pot, winners in self.pots if seat in winners), Fraction())


def settle(hand: Hand, outcome: Outcome) -> Settlement:
    """Return where the chips of a finished hand go."""
    returned, paid = uncalled_bet(hand.paid, hand.alive), list(hand.paid)
    if returned is not None:
        paid[returned[0]] -= returned[1]
    rules, board, showdown = hand.rules, hand.board, outcome.reason == "showdown"
    strength = [
        rules.order.strength(rules.deck, hole, board) if showdown and alive else 0
        for hole, alive in zip(hand.hole, hand.alive, strict=True)
    ]
    return Settlement(returned, tuple((pot, pot.winners(strength)) for pot in divide(paid, hand.alive)))


def made_hands(hand: Hand, shown: Sequence[Cards], outcome: Outcome | None) -> list[str]:
    """Return what the cards of each seat make at a showdown, "" for the others; kickers are named where they decide."""
    rules, found = hand.rules, [""] * hand.rules.seats
    if outcome is None or outcome.reason != "showdown":
        return found
    seats = [seat for seat in range(rules.seats) if hand.alive[seat] and shown[seat]]
    if rules.order == BEST_FIVE:
        told = names_apart(rules.deck, [best_five(rules.deck, shown[seat] + hand.board) for seat in seats])
    else:
        told = [rules.order.describe(rules.deck, shown[seat], hand.board) for seat in seats]
    for seat, name in zip(seats, told, strict=True):
        found[seat] = name
    return found


@dataclass(frozen=True, slots=True)
class Log:
    """Writes the log of one hand for the person in `seat`; `names` of all seats, the person's is "You"."""

    hand: Hand
    seat: int
    names: Sequence[str]
    shown: Sequence[Cards]
    outcome: Outcome | None
    settled: Settlement | None  # of the outcome
    made: Sequence[str]  # what the cards of each seat make at a showdown (`made_hands`)
    money: Money

    def events(self) -> list[Event]:
        rules, found, street = self.hand.rules, list[Event](), 0
        bets, moves = [0] * rules.seats, 0  # bets on this street
        returned = self._returned()
        for record in self.hand.records:
            if isinstance(record, Deal):
                if record.street != street:
                    street, bets = record.street, [0] * rules.seats
                if record.player is None:
                    if moves == len(self.hand.moves):  # nobody bets any more
                        found, returned = found + returned, []
                    cards = " ".join(map(rules.deck.name, record.cards))
                    found.append(Event(street, None, f"{street_name(rules, street)}: {cards}", "deal"))
                elif record.player == self.seat:
                    found.append(Event(street, self.seat, f"You are dealt {self._cards(record.cards)}", "deal"))
            elif isinstance(record, Post):
                bets[record.player] += record.amount if record.kind == "blind" else 0
                found.append(Event(0, record.player, self._post(record), "post"))
            else:
                moves += 1
                found.append(Event(street, record.player, self._move(record, bets), "move"))
        return found + returned + self._ending()

    def verdict(self) -> str:
        """Return how the hand ended for the person; "" while it goes on."""
        settled = self.settled
        if self.outcome is None or settled is None:
            return ""
        if not self.hand.alive[self.seat]:
            return "You folded"
        mine = [(pot, winners) for pot, winners in settled.pots if self.seat in winners]
        if self.outcome.reason == "fold":
            return f"You win {self.money(settled.chips)} without a showdown"
        if not mine:
            first = settled.pots[0][1]
            return f"You lose: {self._joined(first)} {'win' if len(first) > 1 else 'wins'} with {self.made[first[0]]}"
        if len(mine) == len(settled.pots) and all(len(winners) == 1 for _, winners in mine):
            return f"You win {self.money(settled.chips)} with {self.made[self.seat]}"
        if len(settled.pots) == 1:
            each = self.money(settled.collected(self.seat))
            return f"You split the pot of {self.money(settled.chips)}: {each} each"
        return f"You win {self.money(settled.collected(self.seat))} of {self.money(settled.chips)}"

    def _post(self, record: Post) -> str:
        amount = self.money(record.amount) + self._all_in(record.player, self.hand.paid[record.player] == record.amount)
        if record.kind == "ante":
            return self._says(record.player, "ante", amount)
        name = {"SB": "small blind", "BB": "big blind"}.get(position_of(self.hand.rules, record.player), "blind")
        return self._says(record.player, "post", f"the {name} of {amount}")

    def _move(self, record: Fold | Call | Raise, bets: list[int]) -> str:
        """Return a move in words and update `bets`."""
        player = record.player
        if isinstance(record, Fold):
            return self._says(player, "fold")
        highest = max(bets)
        bets[player] += record.amount
        if isinstance(record, Raise):
            spent = self._all_in(player, record.total == self.hand.starting[player])
            if highest == 0:
                return self._says(player, "bet", f"{self.money(record.amount)}{spent}")
            return self._says(player, "raise", f"to {self.money(bets[player])}{spent}")
        if not record.amount:
            return self._says(player, "check")
        last = self.hand.paid[player] == self.hand.starting[player] and record is self._last_of(player)
        return self._says(player, "call", f"{self.money(record.amount)}{self._all_in(player, last)}")

    def _last_of(self, player: int) -> object:
        return next(move for move in reversed(self.hand.moves) if move.player == player)

    def _all_in(self, player: int, spent: bool) -> str:
        everything = self.hand.rules.stack is not None and self.hand.stack(player) == 0
        return " (all in)" if spent and everything else ""

    def _returned(self) -> list[Event]:
        found = None if self.settled is None else self.settled.returned
        if found is None:
            return []
        street = self.hand.street if self.hand.alive_count == 1 else self.hand.text.rstrip("/").count("/")
        whose = "you" if found[0] == self.seat else self.names[found[0]]
        return [Event(street, found[0], f"Uncalled bet of {self.money(found[1])} returned to {whose}", "return")]

    def _ending(self) -> list[Event]:
        hand, found = self.hand, list[Event]()
        if self.settled is None:
            return found
        for place, what in enumerate(self.made):
            if what:
                text = self._says(place, "show", f"{self._cards(self.shown[place])}: {what}")
                found.append(Event(hand.street, place, text, "show"))
        pots = self.settled.pots
        for number, (pot, winners) in enumerate(pots):
            name = "the pot" if len(pots) == 1 else "the main pot" if not number else "the side pot"
            name = f"side pot {number}" if number and len(pots) > 2 else name
            chips = self.money(pot.chips)
            if len(winners) == 1:
                text = self._says(winners[0], "win", f"{name} of {chips}")
            else:
                text = f"{self._joined(winners)} split {name} of {chips}: {self.money(Fraction(pot.chips, len(winners)))} each"
            found.append(Event(hand.street, winners[0] if len(winners) == 1 else None, text, "end"))
        return found

    def _joined(self, seats: Sequence[int]) -> str:
        """Return names as `You, Probe and Random`, the person's first."""
        names = [self.names[seat] for seat in sorted(seats, key=lambda seat: seat != self.seat)]
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]

    def _cards(self, cards: Cards) -> str:
        return " ".join(map(self.hand.rules.deck.name, sorted(cards, reverse=True)))

    def _says(self, player: int, verb: str, rest: str = "") -> str:
        """Return a sentence such as `You raise to 20` or `Probe raises to 20`."""
        return " ".join(filter(None, [self.names[player], verb if player == self.seat else f"{verb}s", rest]))


def last_actions(hand: Hand, money: Money) -> list[tuple[str, str]]:
    """Return (letter, text) of each seat's last action on this street: ("r", "Raise to 20"); ("", "") where there is none.

    Who has folded or is all in stays so on later streets.
    """
    found, street, bets = [("", "")] * hand.rules.seats, 0, [0] * hand.rules.seats
    for record in hand.records:
        if isinstance(record, Deal):
            if record.street != street:
                street, bets = record.street, [0] * hand.rules.seats
                found = [each if each[0] == "f" else ("", "") for each in found]
        elif isinstance(record, Post):
            bets[record.player] += record.amount if record.kind == "blind" else 0
        elif isinstance(record, Fold):
            found[record.player] = ("f", "Fold")
        else:
            raised = isinstance(record, Raise)
            word = ("Raise to" if max(bets) else "Bet") if raised else "Call"
            bets[record.player] += record.amount
            amount = money(bets[record.player] if raised else record.amount)
            found[record.player] = ("r" if raised else "c", f"{word} {amount}" if record.amount else "Check")
    spent = [hand.rules.stack is not None and alive and hand.stack(seat) == 0 for seat, alive in enumerate(hand.alive)]
    return [("r", "All in") if all_in else each for all_in, each in zip(spent, found, strict=True)]
