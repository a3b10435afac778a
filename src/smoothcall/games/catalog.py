"""The named games, each as its difference from the one it derives from.

In Texas hold'em seat 0 is the small blind and seat 1 the big blind, whatever the number of players. With two, the small blind
is also the button: first to act before the flop, last afterwards. With more, the last seat is the button, seat 2 acts first
before the flop and seat 0 afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from smoothcall.errors import UsageError, unknown
from smoothcall.games.betting import Betting
from smoothcall.games.cards import SHORT, STANDARD, Deck
from smoothcall.games.matrix import MatrixGame, zero_sum
from smoothcall.games.menu import ACCEPTED, BetMenu
from smoothcall.games.rankings import BEST_FIVE, HIGH_CARD, PAIR_OR_HIGH_CARD, STARTING_HANDS
from smoothcall.games.rules import MAX_SEATS, PokerRules, Street
from smoothcall.options import Option, number, read_options

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
NO_CHECKS = "bet-or-fold"  # option `opening` of Leduc, as the program of macmanus2019 plays it
LEDUC_SHOWDOWNS = {"pair": PAIR_OR_HIGH_CARD, "starting-hands": STARTING_HANDS}
LEDUC_3P = replace(LEDUC, name="leduc-3p", deck=Deck("JQKA", "hs"), seats=3, antes=(1, 1, 1))


def holdem_streets(
    seats: int, bets: tuple[int, int, int, int], raises: tuple[int | None, ...] = (None,) * 4
) -> tuple[Street, ...]:
    """Return the four streets of Texas hold'em: two hole cards, then three, one and one on the board."""
    firsts = (0, 1, 1, 1) if seats == 2 else (2, 0, 0, 0)
    cards = ((2, 0), (0, 3), (0, 1), (0, 1))
    return tuple(
        Street(bet=bet, hole=hole, board=board, max_raises=cap, first=first)
        for bet, cap, first, (hole, board) in zip(bets, raises, firsts, cards, strict=True)
    )


LIMIT_HOLDEM = PokerRules(
    name="limit-holdem",
    deck=STANDARD,
    order=BEST_FIVE,
    streets=holdem_streets(2, (10, 10, 20, 20), (3, 4, 4, 4)),
    blinds=(5, 10),
)
LIMIT_HOLDEM_3P = replace(
    LIMIT_HOLDEM, name="limit-holdem-3p", seats=3, streets=holdem_streets(3, (10, 10, 20, 20), (3, 4, 4, 4))
)
NO_LIMIT_HOLDEM = replace(
    LIMIT_HOLDEM,
    name="no-limit-holdem",
    streets=holdem_streets(2, (10,) * 4),
    limit=False,
    stack=100,
    menu=BetMenu.parse("1/2+pot+all-in"),
)
NO_LIMIT_HOLDEM_32 = replace(
    NO_LIMIT_HOLDEM,
    name="no-limit-holdem-32",
    deck=SHORT,
    streets=holdem_streets(2, (1000,) * 4),
    blinds=(500, 500),  # epfl2020 has one forced bet, here the same from both
    stack=10_000,
    menu=BetMenu.parse("x1+x2+x3+x4+all-in"),  # epfl2020: raises by 1 to 4 bets; its AllIn player bets all its chips
)


ALL_RAISES = "all"
RAISES = Option(
    ALL_RAISES,
    "bets and raises on each street that solvers use; play allows all",
    form=f"{ALL_RAISES}, or four numbers such as 2/2/2/1, at most those of the rules",
)


def _limit(rules: PokerRules, raises: str) -> PokerRules:
    if raises == ALL_RAISES:
        return rules
    listed = [number(part, whole=True) for part in raises.split("/")]
    most = [street.max_raises or 0 for street in rules.streets]
    if len(listed) != len(most) or not all(
        each is not None and 0 <= each <= cap for each, cap in zip(listed, most, strict=False)
    ):
        raise UsageError(f"option raises={raises} of {rules.name} (accepted: {RAISES.accepted}: {'/'.join(map(str, most))})")
    streets = zip(rules.streets, listed, strict=True)
    return replace(rules, streets=tuple(replace(street, listed=int(each or 0)) for street, each in streets))


def _no_limit(stack: int, small_blind: int, seats: int, menu: str) -> PokerRules:
    big = 2 * small_blind
    if stack <= big:
        raise UsageError(f"option stack={stack} of {NO_LIMIT_HOLDEM.name} (accepted: more than the big blind of {big})")
    streets = holdem_streets(seats, (big,) * 4)
    rules = replace(NO_LIMIT_HOLDEM, seats=seats, streets=streets, blinds=(small_blind, big), stack=stack)
    return _with_menu(rules, menu)


def _with_menu(rules: PokerRules, menu: str) -> PokerRules:
    rules = replace(rules, menu=BetMenu.parse(menu))
    state = Betting(rules)
    if rules.menu is not None and not any(rules.menu.totals(state)) and state.raises is not None:
        low, high = state.raises
        raise UsageError(f"option menu={menu} of {rules.name} holds no first raise (accepted: one from {low} to {high} chips)")
    return rules


def _leduc(opening: str, showdown: str) -> PokerRules:
    return replace(LEDUC, checks=opening != NO_CHECKS, order=LEDUC_SHOWDOWNS[showdown])


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
    "rps": Entry("Rock-Paper-Scissors: both players choose at once", lambda: RPS),
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
    "leduc": Entry(
        "Leduc hold'em: 3 ranks, 2 suits, one board card, bets 2 then 4, two bets a street",
        _leduc,
        {
            "opening": Option(
                "check-or-bet",
                "moves of a player with nothing to call; bet-or-fold: without checks, as the program of macmanus2019 plays",
                choices=("check-or-bet", NO_CHECKS),
            ),
            "showdown": Option(
                "pair",
                "which hand wins: a pair with the board, else the higher card; or the higher starting hand of Texas hold'em, "
                "suited before unsuited, as in the program of macmanus2019",
                choices=tuple(LEDUC_SHOWDOWNS),
            ),
        },
    ),
    "leduc-3p": Entry("Leduc hold'em for three players: 4 ranks, 2 suits, one board card, bets 2 then 4", lambda: LEDUC_3P),
    "limit-holdem": Entry(
        "Limit Texas hold'em for two: blinds 5 and 10, bets 10, 10, 20, 20, three raises and then four bets a street",
        lambda raises: _limit(LIMIT_HOLDEM, raises),
        {"raises": RAISES},
    ),
    "limit-holdem-3p": Entry(
        "Limit Texas hold'em for three players: blinds 5 and 10, bets 10, 10, 20, 20",
        lambda raises: _limit(LIMIT_HOLDEM_3P, raises),
        {"raises": RAISES},
    ),
    "no-limit-holdem": Entry(
        "No-limit Texas hold'em: stacks of 100, blinds 5 and 10, raises of any size; solvers use a bet menu",
        _no_limit,
        {
            "stack": Option(100, "chips each player starts with", low=2, high=1_000_000),
            "small_blind": Option(5, "the small blind; the big blind is twice as much", low=1, high=100_000),
            "seats": Option(2, "players", low=2, high=MAX_SEATS),
            "menu": Option(str(NO_LIMIT_HOLDEM.menu), "bet menu: the raises that solvers use", form=ACCEPTED),
        },
    ),
    "no-limit-holdem-32": Entry(
        "No-limit Texas hold'em with 32 cards (sevens to aces): stacks 10,000, blinds 500, bets in units of 1,000",
        lambda menu, stack: _with_menu(replace(NO_LIMIT_HOLDEM_32, stack=stack), menu),
        {
            "stack": Option(NO_LIMIT_HOLDEM_32.stack, "chips each player starts with", low=1000, high=10_000_000),
            "menu": Option(str(NO_LIMIT_HOLDEM_32.menu), "bet menu: the raises that solvers use", form=ACCEPTED),
        },
    ),
}


def rules(name: str, /, **options: object) -> Rules:
    """Return the rules of a named game."""
    if name not in CATALOG:
        raise unknown("game", name, CATALOG)
    entry = CATALOG[name]
    return entry.build(**read_options(name, entry.options, options))
