"""The games that people can play: those with a name, and no-limit hold'em at other blinds and stacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from smoothcall.errors import UsageError
from smoothcall.games.catalog import NO_LIMIT_HOLDEM, NO_LIMIT_HOLDEM_32
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.named_games import game

_MORE = {3: "three", 4: "four", 5: "five", 6: "six"}
NO_LIMIT = NO_LIMIT_HOLDEM.name
PLAY_GAMES = {
    "kuhn": "Kuhn poker",
    "kuhn-3p": "Kuhn poker, three players",
    "leduc": "Leduc hold'em",
    "leduc-3p": "Leduc hold'em, three players",
    "limit-holdem": "Limit Texas hold'em",
    "limit-holdem-3p": "Limit Texas hold'em, three players",
    NO_LIMIT: "No-limit Texas hold'em",
    **{f"{NO_LIMIT}:seats={n}": f"No-limit Texas hold'em, {word} players" for n, word in _MORE.items()},
    NO_LIMIT_HOLDEM_32.name: "No-limit Texas hold'em, 32 cards",
}
FAMILIES = {
    spec: [each for each in PLAY_GAMES if each in (spec, f"{spec}-3p") or each.startswith(f"{spec}:")]
    for spec in PLAY_GAMES
    if ":" not in spec and not spec.endswith("-3p")
}  # by the game for two, the same for every number of players
SMALL_BLINDS = (1, 5, 50)  # offered at no-limit tables
DEPTHS = (5, 10, 20, 50, 100, 200)  # stacks offered, in big blinds
DEEPEST = 500  # big blinds


@dataclass(frozen=True, slots=True)
class Stakes:
    """Blinds and stack of a no-limit table."""

    small_blind: int
    stack: int

    @property
    def text(self) -> str:
        return f"blinds {self.small_blind:,}/{2 * self.small_blind:,}, stacks {self.stack:,}"


STANDARD = Stakes(NO_LIMIT_HOLDEM.blinds[0], NO_LIMIT_HOLDEM.stack or 0)


@lru_cache(maxsize=256)
def title_of(spec: str) -> str:
    """Return the title of a game that people can play; UsageError for any other."""
    if spec in PLAY_GAMES:
        return PLAY_GAMES[spec]
    try:
        made = game(spec)
    except UsageError:
        raise _refused(spec) from None
    rules, options = made.rules, made.options
    if made.name != NO_LIMIT or made.spec != spec or not isinstance(rules, PokerRules) or "menu" in spec or "grid" in spec:
        raise _refused(spec)
    small, stack = rules.blinds[0], rules.stack or 0
    named = with_stakes(rules.seats, STANDARD)
    if named not in PLAY_GAMES or small not in SMALL_BLINDS or not stack <= 2 * small * DEEPEST or not options:
        raise _refused(spec)
    return f"{PLAY_GAMES[named]}, {Stakes(small, stack).text}"


def with_stakes(players: int, stakes: Stakes) -> str:
    """Return the specification of a no-limit game."""
    return game(NO_LIMIT, seats=players, small_blind=stakes.small_blind, stack=stakes.stack).spec


def stakes_of(spec: str) -> Stakes | None:
    """Return the stakes of a no-limit game that has a choice of them, else None."""
    if spec.partition(":")[0] != NO_LIMIT:
        return None
    rules = game(spec).rules
    assert isinstance(rules, PokerRules)
    return Stakes(rules.blinds[0], rules.stack or 0)


def family_of(spec: str) -> str:
    """Return the game for two that a game belongs to."""
    return spec.partition(":")[0].removesuffix("-3p")


def _refused(spec: str) -> UsageError:
    blinds = ", ".join(map(str, SMALL_BLINDS))
    return UsageError(
        f"game {spec[:80]!r} (accepted at a table: {', '.join(PLAY_GAMES)}; no-limit-holdem also with small_blind={blinds} and "
        f"stacks up to {DEEPEST} big blinds)"
    )


@lru_cache(maxsize=64)
def table_game(spec: str) -> Game:
    return game(spec)


def seated_game(spec: str) -> tuple[str, PokerRules]:
    """Return (title, rules) of a game that people can play."""
    title, rules = title_of(spec), table_game(spec).rules
    assert isinstance(rules, PokerRules)
    return title, rules
