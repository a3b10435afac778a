"""The public part of a hand: chips and turns, no cards.

Legal moves never depend on cards, so `Betting` does without them. The action tree enumerates `Betting`; `Hand` is a `Betting`
with cards.

Each move has three methods: `verify_x` raises with the reason why it is illegal, `can_x` returns a bool, `x` makes the move
and returns its record. A raise is given as the player's *total chips in the hand* afterwards, as in information-state keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules, Street

ENOUGH = 1 << 40  # the stack in games without stacks: it never runs out


class IllegalMove(UsageError):
    """A move that the rules do not allow now."""


@dataclass(frozen=True, slots=True)
class Post:
    player: int
    amount: int
    kind: str  # "dead", "ante" or "blind"


@dataclass(frozen=True, slots=True)
class Fold:
    player: int
    letter: str = "f"


@dataclass(frozen=True, slots=True)
class Call:
    """A call, or a check when `amount` is 0."""

    player: int
    amount: int
    letter: str = "c"


@dataclass(frozen=True, slots=True)
class Raise:
    """A bet or a raise that brings the player's chips in the hand to `total`."""

    player: int
    amount: int  # chips added by this move
    total: int
    letter: str  # "r" in limit games, "r<total>" in no-limit games


Move = Fold | Call | Raise
M = TypeVar("M", Fold, Call, Raise)


class Betting:
    """Chips and turns of one hand. Read the attributes; change them only through the moves."""

    def __init__(self, rules: PokerRules, stacks: Sequence[int] | None = None) -> None:
        default = ENOUGH if rules.stack is None else rules.stack
        if stacks is not None and (len(stacks) != rules.seats or min(stacks) <= 0):
            raise UsageError(f"{rules.name}: stacks {list(stacks)} (accepted: {rules.seats} positive numbers)")
        self.rules = rules
        self.starting = tuple(stacks) if stacks is not None else rules.stacks or (default,) * rules.seats
        self.paid = [0] * rules.seats  # chips each player has put in, antes and blinds included
        self.bets = [0] * rules.seats  # the part of `paid` that belongs to this street's betting
        self.alive = [True] * rules.seats
        self.dead = [0] * rules.seats  # the part of `paid` that is dead money (`PokerRules.dead`)
        self.posts: list[Post] = []
        self.moves: list[Move] = []
        self.text = ""  # the betting so far, as in the information-state keys
        self.street = 0
        self.finished = False
        self._pending: list[int] = []  # who has yet to act on this street, in order
        self._acted: set[int] = set()  # who has acted on this street
        self._raises = 0
        self._step = 0  # the last full bet or raise of this street
        for seat, chips in enumerate(rules.dead):
            self._post(seat, chips, "dead")
        for kind, chips_of in (("ante", rules.ante), ("blind", rules.blind)):
            for seat in range(rules.seats):
                self._post(seat, chips_of(seat), kind)
        self._open(0)

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        fields = vars(twin)
        for name, value in vars(self).items():
            fields[name] = value.copy() if type(value) in (list, set) else value
        return twin

    # Properties of the state

    @property
    def player(self) -> int | None:
        """The player to move; None when the hand is over."""
        return None if self.finished else self._pending[0]

    @property
    def pot(self) -> int:
        return sum(self.paid)

    @property
    def alive_count(self) -> int:
        return sum(self.alive)

    @property
    def to_call(self) -> int:
        """Chips the player to move must add to call."""
        return self._to_call(self._turn())

    @property
    def raises(self) -> tuple[int, int] | None:
        """The smallest and the largest legal total of a raise; None where no raise is legal.

        In limit games both are equal. A player with fewer chips than a full raise may go all in.
        """
        return self._raises_of(self._turn())

    @property
    def slots(self) -> tuple[str | None, ...]:
        """The move of each action slot (fold, call, then raises), None where it is not legal now.

        The raises are those of the game's bet menu; in no-limit games without one, the smallest and the largest.
        """
        span, rules = (None, self.rules) if self.finished else (self.raises, self.rules)
        fold, call = ("f" if self.can_fold() else None), ("c" if self.can_call() else None)
        if rules.limit:
            listed = self._rules_of_street.listed
            return fold, call, "r" if span is not None and (listed is None or self._raises < listed) else None
        if rules.menu is not None:
            totals = [None] * len(rules.menu.items) if self.finished else rules.menu.totals(self)
        else:
            low, high = span or (None, None)
            totals = [low, high if high != low else None]
        return fold, call, *(None if total is None else f"r{total}" for total in totals)

    @property
    def continuation_key(self) -> tuple[object, ...]:
        """A key of the betting state: states with equal keys have equal continuations.

        Chips paid on earlier streets are part of it only where stacks are finite.
        """
        chips = () if min(self.starting) == ENOUGH else tuple(self.paid)
        turns = (tuple(self._pending), tuple(sorted(self._acted)), self._raises, self._step)
        return (self.street, self.finished, tuple(self.alive), tuple(self.bets), chips, turns)

    def stack(self, player: int) -> int:
        """Chips the player has left."""
        return self.starting[player] - self.paid[player]

    # Moves

    def verify_fold(self) -> None:
        if self.to_call == 0 and self.rules.checks:
            raise IllegalMove("fold: there is nothing to call, check instead")

    def verify_call(self) -> None:
        if self.to_call == 0 and not self.rules.checks:
            raise IllegalMove("check: this game has no checks, bet or fold instead")

    def verify_raise(self, total: int | None = None) -> None:
        self._verified_total(total)

    def _verified_total(self, total: int | None) -> int:
        """Return the total of a legal raise, in limit games also where none is given; IllegalMove if it is not legal."""
        span = self.raises
        if span is None:
            raise IllegalMove("raise: not allowed now")
        if total is None and not self.rules.limit:
            raise IllegalMove(f"raise: say to how many chips in all (accepted: {span[0]} to {span[1]})")
        if total is not None and not span[0] <= total <= span[1]:
            raise IllegalMove(f"raise to {total} (accepted: {span[0]} to {span[1]})")
        return span[0] if total is None else total

    def can_fold(self) -> bool:
        return passes(self.verify_fold)

    def can_call(self) -> bool:
        return passes(self.verify_call)

    def can_raise(self, total: int | None = None) -> bool:
        return passes(lambda: self.verify_raise(total))

    def fold(self) -> Fold:
        self.verify_fold()
        player = self._pending[0]
        self.alive[player] = False
        return self._moved(Fold(player))

    def call(self) -> Call:
        """Call, or check where there is nothing to call."""
        self.verify_call()
        player = self._pending[0]
        amount = self._to_call(player)
        self._pay(player, amount)
        return self._moved(Call(player, amount))

    def raise_to(self, total: int | None = None) -> Raise:
        """Bet or raise to `total` chips in the hand; limit games need no amount."""
        total, player = self._verified_total(total), self._pending[0]
        owed = self._owes(player)
        amount = total - self.paid[player]
        self._pay(player, amount)
        self._raises += 1
        raised, mark = amount - owed, self.rules.reopen and not self.rules.limit
        self._step = max(raised, self._step - raised if mark else self._step)
        others = self._ring(player + 1)[:-1]
        self._pending = [player] + [p for p in others if self.alive[p] and self.stack(p) > 0]
        return self._moved(Raise(player, amount, total, "r" if self.rules.limit else f"r{total}"))

    def play(self, letter: str) -> Move:
        """Make the move written `f`, `c`, `r` or `r<total>`."""
        if letter == "f":
            return self.fold()
        if letter == "c":
            return self.call()
        if self.rules.limit and letter == "r":
            return self.raise_to()
        if not self.rules.limit and re.fullmatch("r[0-9]{1,12}", letter):
            return self.raise_to(int(letter[1:]))
        accepted = "f, c, r" if self.rules.limit else "f, c, r<total chips in the hand>"
        raise IllegalMove(f"unknown move {letter!r} (accepted: {accepted})")

    # Turns and streets

    def _verify_turn(self) -> None:
        if self.finished:
            raise IllegalMove("the hand is over")

    def _turn(self) -> int:
        self._verify_turn()
        return self._pending[0]

    def _owes(self, player: int) -> int:
        return max(self.bets) - self.bets[player]

    def _to_call(self, player: int) -> int:
        return min(self._owes(player), self.stack(player))

    def _raises_of(self, player: int) -> tuple[int, int] | None:
        """Return `raises` of any player.

        A player who has acted may raise again only after the bet has grown by a full raise, made at once or by several
        short all-ins together. Where the rules say that any raise re-opens the betting, the smallest no-limit raise after a
        short all-in goes to the total it would have without it.
        """
        cap, highest, left = self._rules_of_street.max_raises, max(self.bets), self.stack(player)
        owes = highest - self.bets[player]
        capped = cap is not None and self._raises >= cap
        closed = player in self._acted and owes < self._step and not self.rules.reopen
        if capped or closed or left <= owes:
            return None
        others = enumerate(zip(self.alive, self.starting, self.paid, self.bets, strict=True))
        if not any(alive and all_in - paid > highest - bet and p != player for p, (alive, all_in, paid, bet) in others):
            return None  # nobody could answer it
        smallest = self.paid[player] + min(owes + self._step, left)
        return smallest, smallest if self.rules.limit else self.starting[player]

    @property
    def _rules_of_street(self) -> Street:
        return self.rules.streets[self.street]

    def _ring(self, first: int) -> list[int]:
        return [(first + step) % self.rules.seats for step in range(self.rules.seats)]

    def _pay(self, player: int, amount: int) -> None:
        self.paid[player] += amount
        self.bets[player] += amount

    def _post(self, player: int, amount: int, kind: str) -> None:
        amount = min(amount, self.stack(player))
        if amount:
            self.paid[player] += amount
            self.bets[player] += amount if kind == "blind" else 0
            self.dead[player] += amount if kind == "dead" else 0
            self.posts.append(Post(player, amount, kind))

    def _moved(self, move: M) -> M:
        self._acted.add(move.player)
        self._pending.remove(move.player)
        self.moves.append(move)
        self.text += move.letter
        self._go_on()
        return move

    def _go_on(self) -> None:
        """Go to the next player with a decision: nobody is asked to check to players who are all in."""
        while self._pending and self._owes(self._pending[0]) == 0 and self._raises_of(self._pending[0]) is None:
            self._pending.pop(0)
        if self.alive_count == 1:
            self.finished = True
        elif not self._pending:
            self._next_street()

    def _next_street(self) -> None:
        if self.street + 1 == len(self.rules.streets):
            self.finished = True
            return
        self.bets = [0] * self.rules.seats
        self.text += "/"
        self._open(self.street + 1)

    def _open(self, street: int) -> None:
        self.street, self._raises, self._step = street, 0, self.rules.streets[street].bet
        self._acted = set()
        self._pending = [p for p in self._ring(self._rules_of_street.first) if self.alive[p] and self.stack(p) > 0]
        self._go_on()


def passes(verify: Callable[[], None]) -> bool:
    """Return whether a `verify_x` method raises nothing."""
    try:
        verify()
    except UsageError:
        return False
    return True
