"""Formats of the Annual Computer Poker Competition: game definitions (`.game`), lines of dealer logs, match states.

An ACPC position is a seat here and follows the list of blinds: heads-up, in games with "reverse blinds", position 0 is the big
blind. ACPC decks hold the highest ranks and suits, so that Leduc's J Q K are Q K A; cards are matched by number. Betting is
written as in information-state keys. A game definition has no antes (equal blinds of all players are read as antes), no
smallest bet of a no-limit game (it is the largest blind) and no bet menu (left out).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from smoothcall import files
from smoothcall.agents.view import View, view_of
from smoothcall.errors import UsageError, unknown
from smoothcall.games.betting import Betting
from smoothcall.games.cards import STANDARD, Cards, Deck
from smoothcall.games.catalog import KUHN, KUHN_3P, LEDUC, LEDUC_3P
from smoothcall.games.hand import Hand
from smoothcall.games.notation import read_betting, read_hand
from smoothcall.games.rankings import BEST_FIVE, HIGH_CARD, PAIR_OR_HIGH_CARD, HandOrder
from smoothcall.games.rules import PokerRules, Street

NO_CAP = 255  # their `maxRaises` where there is no cap
_KEYS = (
    "numPlayers", "numRounds", "stack", "blind", "raiseSize", "firstPlayer", "maxRaises", "numSuits", "numRanks",
    "numHoleCards", "numBoardCards",
)  # fmt: skip
_PER_PLAYER = ("stack", "blind")
_PER_ROUND = ("raiseSize", "firstPlayer", "maxRaises", "numBoardCards")
_OPTIONAL = ("stack", "raiseSize", "firstPlayer", "maxRaises")
_OWN_DECKS = {(len(r.deck.ranks), r.deck.suit_count): r.deck for r in (KUHN, KUHN_3P, LEDUC, LEDUC_3P)}


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    values: tuple[int, ...]


def read_game(source: str | Path, name: str | None = None) -> PokerRules:
    """Return the game of a definition, given as a path or as text. A game read from a file is named after the file."""
    if isinstance(source, Path):
        return read_game(files.read_text(source, "game definition", files.MAX_JSON_BYTES), name or source.stem)
    lines, limit, end = _definition(source)

    def one(key: str, low: int, high: int) -> int:
        line = lines[key]
        if len(line.values) != 1 or not low <= line.values[0] <= high:
            raise _wrong(key, line, f"one number from {low} to {high}")
        return line.values[0]

    def several(key: str, default: int, low: int = 0, high: int = 2**31 - 1) -> tuple[int, ...]:
        count, what = (seats, "player") if key in _PER_PLAYER else (rounds, "round")
        if key not in lines:
            return (default,) * count
        line = lines[key]
        if len(line.values) != count or not low <= min(line.values) <= max(line.values) <= high:
            raise _wrong(key, line, f"{count} numbers, one a {what}, from {low} to {high}")
        return line.values

    if missing := [key for key in _KEYS if key not in lines and key not in _OPTIONAL]:
        raise UsageError(f"line {end}: the game definition ends without {', '.join(missing)}")
    if limit and "raiseSize" not in lines:
        raise UsageError(f"line {end}: the game definition ends without raiseSize, which a limit game needs")
    if not limit and "stack" not in lines:
        raise UsageError(f"line {end}: the game definition ends without stack, which a no-limit game needs")
    seats, rounds = one("numPlayers", 2, 10), one("numRounds", 1, 4)
    stacks, blinds = several("stack", 0, low=1), several("blind", 0)
    stack, unequal = max(stacks) or None, len(set(stacks)) > 1
    bets = several("raiseSize", 0, low=1) if limit else (max(1, *blinds),) * rounds
    firsts, boards = several("firstPlayer", 1, low=1, high=seats), several("numBoardCards", 0, high=7)
    caps = [None if cap == NO_CAP and stack else cap for cap in several("maxRaises", NO_CAP, high=NO_CAP)]
    deck = _own_deck(one("numRanks", 1, len(STANDARD.ranks)), one("numSuits", 1, len(STANDARD.suits)))
    hole = one("numHoleCards", 1, 3)
    order = _order(deck, hole, sum(boards))
    if order is None:
        raise _wrong("numHoleCards", lines["numHoleCards"], "cards as in Kuhn poker, Leduc hold'em or Texas hold'em")
    antes = blinds if len(set(blinds)) == 1 and blinds[0] else ()
    return PokerRules(
        name=name or "acpc",
        deck=deck,
        order=order,
        streets=tuple(
            Street(bet=bet, hole=hole if number == 0 else 0, board=board, max_raises=cap, first=first - 1)
            for number, (bet, board, cap, first) in enumerate(zip(bets, boards, caps, firsts, strict=True))
        ),
        seats=seats,
        antes=antes,
        blinds=() if antes else _without_tail(blinds),
        limit=limit,
        stack=stack,
        reopen=unequal,  # matters with unequal stacks only
        stacks=stacks if unequal else (),
    )


def write_game(rules: PokerRules) -> str:
    """Return the definition of a game; UsageError where the format cannot hold it."""
    streets, seats = rules.streets, rules.seats
    hole, boards = streets[0].hole, [street.board for street in streets]
    posts = [rules.ante(seat) + rules.blind(seat) for seat in range(seats)]
    reasons = {
        f"{len(streets)} streets": len(streets) > 4,
        "hole cards after the first street": any(street.hole for street in streets[1:]),
        f"{hole} hole cards, {sum(boards)} board cards and {rules.order.name}": _order(rules.deck, hole, sum(boards))
        is not rules.order,
        f"a deck of {rules.deck.ranks!r} and {rules.deck.suits!r}": rules.deck
        != _own_deck(len(rules.deck.ranks), rules.deck.suit_count),
        "antes beside blinds": any(rules.antes) and any(rules.blinds),
        "a smallest bet other than the largest blind": not rules.limit and any(s.bet != max(1, *posts) for s in streets),
        "blinds above the stack": rules.stack is not None and max(posts) > min(rules.stacks or (rules.stack,)),
        "betting that short all-ins re-open, with equal stacks": rules.reopen and not rules.stacks,
        "betting that short all-ins do not re-open, with unequal stacks": bool(rules.stacks) and not rules.reopen,
    }
    for reason, holds in reasons.items():
        if holds:
            raise UsageError(f"{rules.name}: an ACPC game definition cannot hold {reason}")
    values: dict[str, list[int]] = {"numPlayers": [seats], "numRounds": [len(streets)]}
    if rules.stack is not None:
        values["stack"] = list(rules.stacks or (rules.stack,) * seats)
    values["blind"] = posts
    if rules.limit:
        values["raiseSize"] = [street.bet for street in streets]
    values["firstPlayer"] = [street.first + 1 for street in streets]
    if any(street.max_raises is not None for street in streets):
        values["maxRaises"] = [NO_CAP if street.max_raises is None else street.max_raises for street in streets]
    values |= {"numSuits": [rules.deck.suit_count], "numRanks": [len(rules.deck.ranks)], "numHoleCards": [hole]}
    values["numBoardCards"] = boards
    body = [f"{key} = {' '.join(map(str, numbers))}" for key, numbers in values.items()]
    return "\n".join(["GAMEDEF", "limit" if rules.limit else "nolimit", *body, "END GAMEDEF", ""])


def _definition(text: str) -> tuple[dict[str, _Line], bool, int]:
    """Return (lines between GAMEDEF and END GAMEDEF by key, whether the game is limit, the number of the last line)."""
    spelled = {key.lower(): key for key in _KEYS}
    lines: dict[str, _Line] = {}
    limit: bool | None = None
    begun, number = False, 0
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].replace("=", " ").split()
        if not words:
            continue
        key = words[0].lower()
        if not begun:
            if key != "gamedef":
                raise UsageError(f"line {number}: {line.strip()!r} (accepted: GAMEDEF first)")
            begun = True
        elif [word.lower() for word in words] == ["end", "gamedef"]:
            if limit is None:
                raise UsageError(f"line {number}: the game definition ends without limit or nolimit")
            return lines, limit, number
        elif key in ("limit", "nolimit") and len(words) == 1 and limit is None:
            limit = key == "limit"
        elif key not in spelled:
            error = unknown("key", words[0], [*_KEYS, "limit", "nolimit", "END GAMEDEF"])
            raise UsageError(f"line {number}: {error}")
        elif spelled[key] in lines:
            raise UsageError(f"line {number}: {spelled[key]} stands on line {lines[spelled[key]].number} already")
        elif not all(re.fullmatch("[0-9]{1,10}", word) for word in words[1:]) or len(words) < 2:
            raise UsageError(f"line {number}: {line.strip()!r} (accepted: {spelled[key]} = whole numbers)")
        else:
            lines[spelled[key]] = _Line(number, tuple(map(int, words[1:])))
    raise UsageError(f"line {number}: the text ends without END GAMEDEF")


def _wrong(key: str, line: _Line, accepted: str) -> UsageError:
    return UsageError(f"line {line.number}: {key} = {' '.join(map(str, line.values))} (accepted: {accepted})")


def _their_deck(ranks: int, suits: int) -> Deck:
    return Deck(STANDARD.ranks[-ranks:], STANDARD.suits[-suits:])


def _own_deck(ranks: int, suits: int) -> Deck:
    """Return our deck of so many ranks and suits: that of a small game of the catalogue, otherwise ACPC's."""
    return _OWN_DECKS.get((ranks, suits), _their_deck(ranks, suits))


def _order(deck: Deck, hole: int, board: int) -> HandOrder | None:
    """Return our hand order; ACPC's is the best five of all cards, in small games one of our small orders."""
    if hole == 1 and board <= 1:
        return PAIR_OR_HIGH_CARD if board else HIGH_CARD
    return BEST_FIVE if 5 <= hole + board <= 7 and len(deck.suits) == 4 and len(deck.ranks) >= 5 else None


def _without_tail(blinds: tuple[int, ...]) -> tuple[int, ...]:
    """Leave out zero blinds at the end."""
    while blinds and not blinds[-1]:
        blinds = blinds[:-1]
    return blinds


# Lines of a dealer's log


@dataclass(frozen=True, slots=True)
class State:
    """A hand of a dealer's log with the recorded payoffs and names, by position."""

    number: int
    hand: Hand
    payoffs: tuple[Fraction, ...] = ()  # as recorded, to six decimals; () while the hand goes on
    names: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Return whether our rules give the recorded payoffs; True where none are recorded."""
        outcome = self.hand.outcome
        return not self.payoffs or (outcome is not None and outcome.pays(self.payoffs))


_STATE = re.compile(r"STATE:([0-9]{1,12}):([^:]*):([^:]*)(?::([^:]*)(?::([^:]*))?)?")


def read_state(rules: PokerRules, line: str) -> State:
    """Return the hand of one line, replayed, such as `STATE:0:cc/crc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d:20|-20:p1|p2`."""
    line = line.strip()
    match = _STATE.fullmatch(line)
    if match is None:
        raise UsageError(f"{line!r} is no state (accepted: STATE:number:betting:hole|hole/board, then :values:names)")
    number, betting, cards, values, names = match.groups(default="")
    hole, boards = _cards(rules, cards)
    names_of = rules.deck.names
    ours = "/".join(["|".join(map(names_of, hole)), *map(names_of, boards)])
    hand = read_hand(rules, f"{ours}:{betting}")
    return State(int(number), hand, _payoffs(rules, line, values), tuple(names.split("|")) if names else ())


def read_log(rules: PokerRules, source: str | Path) -> list[State]:
    """Return every hand of a dealer's log; comments and the SCORE line are skipped."""
    states, problems = read_damaged_log(rules, source)
    if problems:
        raise UsageError(problems[0])
    return states


def read_damaged_log(rules: PokerRules, source: str | Path) -> tuple[list[State], list[str]]:
    """Return the hands of a log that can be read, and what is wrong with each other line, such as a last one cut off."""
    text = files.read_text(source, "log") if isinstance(source, Path) else source
    states, problems = list[State](), list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith(("#", "SCORE:")):
            try:
                states.append(read_state(rules, line))
            except UsageError as error:
                problems.append(f"line {number}: {error}")
    return states, problems


def write_state(state: State) -> str:
    """Return the line of a log. Payoffs (by our rules) and names are written once the hand is over."""
    hand = state.hand
    line = f"STATE:{state.number}:{hand.text}:{_written(hand.rules, hand.hole, hand.boards)}"
    if hand.outcome is None:
        return line
    names = state.names or tuple(f"p{seat + 1}" for seat in range(hand.rules.seats))
    return f"{line}:{'|'.join(map(decimal, hand.outcome.payoffs))}:{'|'.join(names)}"


def _cards(rules: PokerRules, text: str) -> tuple[list[Cards], list[Cards]]:
    """Return (hole cards by seat, () where not shown; board cards by street), as card numbers."""
    deck = _their_deck(len(rules.deck.ranks), rules.deck.suit_count)
    hole, *boards = text.split("/")
    return [deck.parse(cards) for cards in hole.split("|")], [deck.parse(cards) for cards in boards]


def _written(rules: PokerRules, hole: Sequence[Cards], boards: Sequence[Cards]) -> str:
    deck = _their_deck(len(rules.deck.ranks), rules.deck.suit_count)
    return "/".join(["|".join(map(deck.names, hole)), *[deck.names(cards) for cards in boards if cards]])


def _payoffs(rules: PokerRules, line: str, values: str) -> tuple[Fraction, ...]:
    pieces = values.split("|") if values else []
    if pieces and (len(pieces) != rules.seats or not all(re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,9})?", p) for p in pieces)):
        raise UsageError(f"values {values!r} in {line!r} (accepted: {rules.seats} numbers with | between them)")
    return tuple(map(Fraction, pieces))


def decimal(payoff: Fraction) -> str:
    return str(payoff) if payoff.denominator == 1 else f"{float(payoff):.6f}".rstrip("0")


# Match states


@dataclass(frozen=True, slots=True)
class MatchState:
    """The dealer's message to a player: a hand as one seat sees it."""

    seat: int
    number: int
    betting: Betting
    hole: tuple[Cards, ...]  # () for cards that the seat does not see
    boards: tuple[Cards, ...]  # the board cards of each street so far

    @property
    def board(self) -> Cards:
        return tuple(card for cards in self.boards for card in cards)


_MATCH_STATE = re.compile(r"MATCHSTATE:([0-9]):([0-9]{1,12}):([^:]*):([^:]*)")


def read_match_state(rules: PokerRules, line: str) -> MatchState:
    """Return the match state of a line such as `MATCHSTATE:1:30:cc/r:|9hQd/8dAs8s`."""
    line = line.strip()
    match = _MATCH_STATE.fullmatch(line)
    if match is None or int(match[1]) >= rules.seats:
        raise UsageError(f"{line!r} is no match state (accepted: MATCHSTATE:position:number:betting:hole|hole/board)")
    state = read_betting(rules, match[3])
    (hole, boards), seat = _cards(rules, match[4]), int(match[1])
    seen, dealt = [card for cards in (*hole, *boards) for card in cards], rules.streets[: state.street + 1]
    own = sum(street.hole for street in dealt)
    if (
        state.text != match[3]
        or len(hole) != rules.seats
        or any(len(cards) != own and (cards or at == seat) for at, cards in enumerate(hole))
        or [len(cards) for cards in boards] != [street.board for street in dealt if street.board]
        or len(set(seen)) < len(seen)
    ):
        raise UsageError(f"{line!r}: the cards or the streets do not fit the betting {state.text!r}")
    left = iter(boards)
    return MatchState(seat, int(match[2]), state, tuple(hole), tuple(next(left) if street.board else () for street in dealt))


def write_match_state(hand: Hand, seat: int, number: int = 0) -> str:
    """Return the dealer's message to a seat: its own cards, and those shown at a showdown."""
    return match_state_line(view_of(hand, seat), number)


def match_state_line(view: View, number: int) -> str:
    """Return the dealer's message for what a seat may know."""
    assert isinstance(view.rules, PokerRules)
    return f"MATCHSTATE:{view.seat}:{number}:{view.text}:{_written(view.rules, view.shown, view.boards)}"
