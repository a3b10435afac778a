"""Bet sizes of a spot: which bets and raises each player may make on each street.

A list of sizes is a text such as `50%,100%,a`:

    50%   this share of the pot; for a raise, of the pot after calling, on top of the call
    2.5x  a raise to so many times the bet that it answers
    40    so many chips, on top of the call
    a     all-in

Sizes below the smallest legal bet or raise become it. A size that leaves at most `threshold` of the pot after a call behind
becomes all-in. The rules engine decides what is legal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting

ACCEPTED = "50% (of the pot), 2.5x (the bet, for raises), 40 (chips) or a (all-in), joined by commas; none: no bets"
NONE = "none"
STREETS = ("preflop", "flop", "turn", "river")
PLAYERS = ("first", "second")
BETS, RAISES = "bets", "raises"
_NUMBER = r"[0-9]{1,7}(\.[0-9]{1,6})?"


@dataclass(frozen=True, slots=True)
class Size:
    """One bet size."""

    kind: str  # "%", "x", "chips" or "a"
    amount: Fraction = Fraction(0)

    def total(self, state: Betting, unit: int) -> int:
        """Return the player's chips in the hand after the bet or raise, not yet limited to what is legal."""
        player = state.player
        assert player is not None
        assert state.raises is not None
        called = state.paid[player] + state.to_call
        if self.kind == "a":
            return state.raises[1]
        if self.kind == "x":
            street_bet = max(state.bets)
            return called - street_bet + _whole(self.amount * street_bet, unit)
        share = self.amount * (state.pot + state.to_call) if self.kind == "%" else self.amount * unit
        return called + _whole(share, unit)


def _whole(chips: Fraction, unit: int) -> int:
    """Round to whole chips, halves up."""
    return floor(chips / unit + Fraction(1, 2)) * unit


def parse_sizes(text: str, what: str) -> tuple[Size, ...]:
    """Return the sizes of a text; `what` names it in errors: bets or raises."""
    if not text.strip():
        raise UsageError(f"{what}={text!r} (accepted: {ACCEPTED})")
    if text.strip() == NONE:
        return ()
    found = []
    for item in (piece.strip() for piece in text.split(",")):
        kind = "a" if item == "a" else item[-1:] if item[-1:] in ("%", "x") else "chips"
        number = item.removesuffix(kind)
        wrong = kind != "a" and (re.fullmatch(_NUMBER, number) is None or Fraction(number) <= 0)
        if wrong or (kind == "x" and not what.endswith(RAISES)):
            raise UsageError(f"size {item!r} of {what}={text!r} (accepted: {ACCEPTED})")
        found.append(Size(kind, Fraction(0) if kind == "a" else Fraction(number) / (100 if kind == "%" else 1)))
    return tuple(found)


@dataclass(frozen=True)
class Menu:
    """The sizes of both players on each street. A size that is not given for a street is that of all streets."""

    bets: tuple[Size, ...]
    raises: tuple[Size, ...]
    other: dict[tuple[str, int, str], tuple[Size, ...]] = field(default_factory=dict)  # by street, player, bets or raises
    threshold: Fraction = Fraction(1, 10)

    @classmethod
    def parse(cls, bets: str, raises: str, street_bets: Sequence[str] = (), threshold: float = 0.1) -> Menu:
        """Read sizes. `street_bets` are texts such as `river=75%,a`, `turn.raises=3x` or `river.second.bets=a`."""
        if not 0 <= threshold <= 10:
            raise UsageError(f"all-in threshold {threshold} (accepted: 0 to 10, a share of the pot)")
        other: dict[tuple[str, int, str], tuple[Size, ...]] = {}
        for text in street_bets:
            name, equals, sizes = text.partition("=")
            street, *rest = name.strip().split(".")
            named = [piece for piece in rest if piece in PLAYERS]
            kinds = [piece for piece in rest if piece in (BETS, RAISES)]
            unknown = len(named) + len(kinds) < len(rest)
            if not equals or street not in STREETS[1:] or unknown or len(kinds) > 1 or len(named) > 1:
                raise UsageError(
                    f"street bets {text!r} (accepted: flop, turn or river, then .first or .second, .bets or .raises, =SIZES)"
                )
            kind = kinds[0] if kinds else BETS
            for player in [PLAYERS.index(each) for each in named] or [0, 1]:
                other[street, player, kind] = parse_sizes(sizes, f"{name.strip()}.{kind}")
        return cls(parse_sizes(bets, BETS), parse_sizes(raises, RAISES), other, Fraction(threshold).limit_denominator(10**6))

    def verify(self, streets: Sequence[str], stack: int) -> None:
        """Raise UsageError for sizes of a street that is over, and for chips that no player has."""
        for street, _, _ in self.other:
            if street not in streets:
                raise UsageError(f"street bets of the {street} (accepted on this board: {', '.join(streets)})")
        for sizes in (self.bets, self.raises, *self.other.values()):
            most = max((size.amount for size in sizes if size.kind == "chips"), default=0)
            if most > stack:
                raise UsageError(f"a bet of {float(most):g} chips (accepted: at most the stack, {stack}, or a for all-in)")

    def moves(self, state: Betting, street: str, unit: int) -> list[str]:
        """Return the moves that a state of the betting offers: fold, check or call, then raises from small to large."""
        found = [letter for letter, legal in (("f", state.can_fold()), ("c", state.can_call())) if legal]
        span, player = state.raises, state.player
        if span is None or player is None:
            return found
        kind = RAISES if max(state.bets) > 0 else BETS
        sizes = self.other.get((street, player, kind), self.raises if kind == RAISES else self.bets)
        low, high = span
        called, pot = state.paid[player] + state.to_call, state.pot + state.to_call
        totals = set()
        for size in sizes:
            total = min(max(size.total(state, unit), low), high)
            all_in = high - total <= self.threshold * (pot + 2 * (total - called))
            totals.add(high if all_in else total)
        return found + [f"r{total}" for total in sorted(totals)]
