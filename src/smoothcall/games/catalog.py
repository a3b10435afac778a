"""The named games, each as its difference from the one it derives from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from smoothcall.errors import UsageError, unknown
from smoothcall.games.cards import Deck
from smoothcall.games.hands import HIGH_CARD, PAIR_OR_HIGH_CARD
from smoothcall.games.matrix import MatrixGame, zero_sum
from smoothcall.games.rules import PokerRules, Street
from smoothcall.options import Option, read_options

Rules = PokerRules | MatrixGame

RPS = zero_sum("rps", ("R", "P", "S"), [[0, -1, 1], [1, 0, -1], [-1, 1, 0]])

KUHN = PokerRules(
    name="kuhn",
    deck=Deck("JQK", ""),
    order=HIGH_CARD,
    streets=(Street(hole=1, bet=1, max_raises=1),),
    antes=(1, 1),
)
KUHN_3P = replace(KUHN, name="kuhn-3p", deck=Deck("JQKA", ""), seats=3, antes=(1, 1, 1))
LEDUC = PokerRules(
    name="leduc",
    deck=Deck("JQK", "hs"),
    order=PAIR_OR_HIGH_CARD,
    streets=(Street(hole=1, bet=2, max_raises=2), Street(board=1, bet=4, max_raises=2)),
    antes=(1, 1),
)
LEDUC_3P = replace(LEDUC, name="leduc-3p", deck=Deck("JQKA", "hs"), seats=3, antes=(1, 1, 1))


def _with_pot(rules: PokerRules, pot: int) -> PokerRules:
    ante, rest = divmod(pot, rules.seats)
    if rest:
        raise UsageError(f"option pot={pot} of {rules.name} (accepted: a multiple of its {rules.seats} players)")
    return replace(rules, antes=(ante,) * rules.seats)


@dataclass(frozen=True)
class Entry:
    """A game of the catalogue: how to describe it and how to build its rules from options."""

    summary: str
    build: Callable[..., Rules]
    options: dict[str, Option] = field(default_factory=dict)


CATALOG: dict[str, Entry] = {
    "rps": Entry("Rock-Paper-Scissors: both choose at once", lambda: RPS),
    "kuhn": Entry(
        "Kuhn poker: 3 cards, ante 1, one bet of 1, no raise",
        lambda pot: _with_pot(KUHN, pot),
        {"pot": Option(2, "chips in the pot before the first move", low=2, high=1_000_000)},
    ),
    "kuhn-3p": Entry(
        "Kuhn poker for three players: 4 cards, ante 1, one bet of 1",
        lambda pot: _with_pot(KUHN_3P, pot),
        {"pot": Option(3, "chips in the pot before the first move", low=3, high=1_000_000)},
    ),
    "leduc": Entry("Leduc hold'em: 3 ranks, 2 suits, one board card, bets 2 then 4, two bets a street", lambda: LEDUC),
    "leduc-3p": Entry("Leduc hold'em for three players: 4 ranks, 2 suits", lambda: LEDUC_3P),
}


def rules(name: str, **options: object) -> Rules:
    """The rules of a named game."""
    if name not in CATALOG:
        raise unknown("game", name, CATALOG)
    entry = CATALOG[name]
    return entry.build(**read_options(name, entry.options, options))
