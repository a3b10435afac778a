"""Hands in the Poker Hand History format (PHH, TOML): Texas hold'em, no-limit (`NT`) and limit (`FT`).

Player p1 of a file is seat 0, and so on; heads-up, p1 is the big blind and p2 the button, although the file lists the small
blind first. A `cbr` amount is what the player has put in on that *street*; here a raise is named by all chips in the hand.

Files in the wild are read too: fractional chips (a hand counts in units that make them whole), hole cards that are not known
(`????`), antes of one player (a big-blind ante), straddles, negative blinds (posts of a player who enters, which do not change
who opens), hands whose last folds are not written, and rake. `interop.hand_files` reads many files and counts what it skips.

Own code over the standard library's TOML parser, because PokerKit, which also reads PHH, replays hands with its own rules
and not with `Hand`; it is the oracle of the tests.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

from smoothcall import files
from smoothcall.agents.view import visible_hole_cards
from smoothcall.errors import UsageError
from smoothcall.games.betting import ENOUGH, Post, Raise
from smoothcall.games.cards import Cards
from smoothcall.games.catalog import LIMIT_HOLDEM, NO_LIMIT_HOLDEM, holdem_streets
from smoothcall.games.hand import Deal, Hand
from smoothcall.games.rules import PokerRules

FOUR_RAISES = (4, 4, 4, 4)  # the cap of `FT` on each street; blinds do not count
_SHAPE = [(street.hole, street.board) for street in LIMIT_HOLDEM.streets]
_WORDS = {"f": "f", "c": "cc"}
_MOVE = re.compile(r"p([0-9]{1,2}) (f|cc|sm|cbr ([0-9]{1,12}(?:\.[0-9]{1,6})?))(?: \S+)?")
MAX_SCALE = 10**6  # units a chip


@dataclass(frozen=True, slots=True)
class RecordedHand:
    """A hand of a file, replayed, with the recorded stacks and names by seat."""

    hand: Hand
    finishing: tuple[Fraction, ...] = ()  # recorded stacks after the hand; () where the file does not say
    names: tuple[str, ...] = ()
    known: tuple[bool, ...] = ()  # whose hole cards the file shows; the others' are made up
    unit: Fraction = Fraction(1)  # chips of the file a chip of the hand

    @property
    def decided(self) -> bool:
        """Return whether the known cards decide the hand: nobody with unknown cards is in a showdown."""
        shown = self.hand.alive_count == 1 or not self.known
        return shown or all(known for known, alive in zip(self.known, self.hand.alive, strict=True) if alive)

    @property
    def rake(self) -> Fraction:
        """Return the chips that were taken out of the pot, in chips of the hand."""
        return (
            sum(map(Fraction, self.hand.starting), Fraction(0)) - sum(self.finishing, Fraction(0))
            if self.finishing
            else Fraction(0)
        )

    @property
    def agrees(self) -> bool:
        """Return whether our rules give the recorded stacks, if any. We split odd chips; a casino gives them to one player.

        Rake comes out of what winners get. Where unknown cards decide, nothing can be compared.
        """
        if not self.finishing or not self.decided:
            return True
        net = [end - start for start, end in zip(self.hand.starting, self.finishing, strict=True)]
        outcome, rake = self.hand.outcome, self.rake
        if outcome is None or rake < 0:
            return False
        if not rake:
            return outcome.pays(net)
        short = [ours - theirs for ours, theirs in zip(outcome.payoffs, net, strict=True)]
        won = [ours + paid > 0 for ours, paid in zip(outcome.payoffs, self.hand.paid, strict=True)]
        return all(0 <= missing <= rake if winner else missing == 0 for missing, winner in zip(short, won, strict=True))


def read_phh(source: str | Path) -> RecordedHand:
    """Return the hand of a `.phh` file, given by its path or as text."""
    return _history(_toml(source), "the hand")


def read_phhs(source: str | Path) -> list[RecordedHand]:
    """Return every hand of a `.phhs` file (one TOML table each), given by its path or as text."""
    tables = _toml(source)
    return [read_phh_table(table, f"hand [{name}]") for name, table in tables.items()]


def read_phh_table(table: Any, where: str) -> RecordedHand:
    """Return the hand of one TOML table; `where` begins its errors."""
    if not isinstance(table, dict):
        raise UsageError(f"{where} is no hand (accepted: one TOML table a hand)")
    return _history(table, where)


def write_phh(
    hand: Hand, names: Sequence[str] = (), *, known: Collection[int] | None = None, about: Mapping[str, object] | None = None
) -> str:
    """Return a hand of Texas hold'em as `.phh` text, `names` in seat order; finishing stacks are written once it is over.

    `known` are the seats whose hole cards are written, all unless said; cards shown at a showdown always are. `about` are
    further fields (`year`, `table`, ...; those of no standard begin with `_`): numbers, texts and times of day.
    """
    rules, seats = hand.rules, hand.rules.seats
    verify_phh(rules)
    seat_of, posts = _places(rules), _posts(rules)
    fields: dict[str, object] = {
        "variant": "FT" if rules.limit else "NT",
        "antes": [rules.ante(seat) + (rules.dead[seat] if rules.dead else 0) for seat in seat_of],
        "blinds_or_straddles": posts[::-1] if seats == 2 else posts,
    }
    if rules.limit:
        fields |= {"small_bet": rules.streets[0].bet, "big_bet": rules.streets[-1].bet}
    else:
        fields["min_bet"] = rules.streets[0].bet
    starting = [_plenty(rules) if stack == ENOUGH else stack for stack in hand.starting]
    fields["starting_stacks"] = [_number(Fraction(starting[seat])) for seat in seat_of]
    fields["actions"] = _actions(hand, seat_of, range(seats) if known is None else known)
    if len(names) not in (0, seats):
        raise UsageError(f"names {list(names)} (accepted: none, or one for each of {seats} seats)")
    if names:
        fields["players"] = [names[seat] for seat in seat_of]
    if hand.outcome is not None and max(starting) < ENOUGH:
        fields["finishing_stacks"] = [_number(starting[seat] + hand.outcome.payoffs[seat]) for seat in seat_of]
    return "".join(f"{key} = {_text(value)}\n" for key, value in (fields | dict(about or {})).items())


def verify_phh(rules: PokerRules) -> None:
    """Raise a UsageError where hands of these rules cannot be written."""
    bets, seat_of, posts = [street.bet for street in rules.streets], _places(rules), _posts(rules)
    after = (max(range(rules.seats), key=lambda place: (posts[place], place)) + 1) % rules.seats
    if (
        (rules.deck, rules.order) != (LIMIT_HOLDEM.deck, LIMIT_HOLDEM.order)
        or [(street.hole, street.board) for street in rules.streets] != _SHAPE
        or bets != ([bets[0]] * 2 + [bets[3]] * 2 if rules.limit else bets[:1] * 4)
        or [seat_of[street.first] for street in rules.streets] != [after, 0, 0, 0]
    ):
        raise UsageError(f"{rules.name} is not what PHH calls Texas hold'em")


# Reading


def _toml(source: str | Path) -> dict[str, Any]:
    text = files.read_text(source, "hand history") if isinstance(source, Path) else source
    with files.parsing(f"cannot read {str(source)[:60]!r} as PHH"):
        return tomllib.loads(text)


def _history(table: dict[str, Any], where: str) -> RecordedHand:
    actions = table.get("actions")
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        raise UsageError(f"{where}: actions (accepted: a list of texts)")
    steps = [" ".join(action.partition("#")[0].split()) for action in actions]
    scale = _scale(table, steps, where)
    stacks = _chips(table, "starting_stacks", where, scale)
    hand = Hand(_rules(table, stacks, where, scale), stacks)
    hole, known = _hole_cards(steps, hand, where)
    for cards in hole:
        hand.deal(cards)
    for number, step in enumerate(steps, 1):
        try:
            _take(hand, step, scale)
        except UsageError as error:
            raise UsageError(f"{where}, action {number} {step!r}: {error}") from None
    while not hand.finished and hand.due is None and hand.can_fold():
        hand.fold()  # last folds need not be written
    names = table.get("players", [])
    if not isinstance(names, list) or len(names) not in (0, len(stacks)) or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{where}: players = {str(names)[:80]} (accepted: a list of {len(stacks)} texts)")
    return RecordedHand(hand, _finishing(table, len(stacks), where, scale), tuple(names), known, Fraction(1, scale))


def _hole_cards(steps: Sequence[str], hand: Hand, where: str) -> tuple[list[Cards], tuple[bool, ...]]:
    """Return (hole cards by seat, whether the file shows them); those that it does not show are any that are left."""
    seats, deck = hand.rules.seats, hand.rules.deck
    dealt, shown, boards = [""] * seats, [""] * seats, ""
    for step in steps:
        if match := re.fullmatch(r"(?:d dh p([0-9]{1,2})|p([0-9]{1,2}) sm) (\S+)", step):
            place = int(match[1] or match[2])
            if not 1 <= place <= seats:
                raise UsageError(f"{where}: {step!r} (accepted: p1 to p{seats})")
            if match[1]:
                dealt[place - 1] += match[3]
            else:
                shown[place - 1] = match[3]
        elif match := re.fullmatch(r"d db (\S+)", step):
            boards += match[1]
    texts = [showed if "?" in text or not text else text for text, showed in zip(dealt, shown, strict=True)]
    known = tuple(bool(text) and "?" not in text for text in texts)
    hole = [deck.parse(text) if shows else () for text, shows in zip(texts, known, strict=True)]
    taken = {*deck.parse(boards), *(card for cards in hole for card in cards)}
    left = (card for card in range(deck.size) if card not in taken)
    return [cards if shows else (next(left), next(left)) for cards, shows in zip(hole, known, strict=True)], known


def _scale(table: dict[str, Any], steps: Sequence[str], where: str) -> int:
    """Return the smallest number of units a chip in which all chips of the hand, but those it ends with, are whole."""
    keys = ("antes", "blinds_or_straddles", "starting_stacks", "min_bet", "small_bet", "big_bet")
    lists = [table.get(key) for key in keys]
    given = [value for found in lists for value in (found if isinstance(found, list) else [found])]
    chips = [Fraction(str(value)) for value in given if _is_chips(value) and value != float("inf")]
    chips += [Fraction(match[3]) for step in steps if (match := _MOVE.fullmatch(step)) and match[3]]
    scale = lcm(*(value.denominator for value in chips))
    if scale > MAX_SCALE:
        raise UsageError(f"{where}: chips in parts of 1/{scale} (accepted: at most six decimals)")
    return scale


def _finishing(table: dict[str, Any], seats: int, where: str, scale: int) -> tuple[Fraction, ...]:
    """Return the stacks after the hand; casinos pay halves, so chips need not be whole."""
    stacks = table.get("finishing_stacks", [])
    if (
        not isinstance(stacks, list)
        or len(stacks) not in (0, seats)
        or not all(map(_is_chips, stacks))
        or float("inf") in stacks
    ):
        raise UsageError(f"{where}: finishing_stacks = {str(stacks)[:80]} (accepted: chips of {seats} players)")
    return tuple(scale * Fraction(str(stack)) for stack in stacks)


def _is_chips(value: object) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and (-ENOUGH <= value <= ENOUGH or value == float("inf"))
    )


def _rules(table: dict[str, Any], stacks: tuple[int, ...], where: str, scale: int) -> PokerRules:
    variant, seats = table.get("variant"), len(stacks)
    if variant not in ("NT", "FT"):
        raise UsageError(f"{where}: variant = {variant!r} (accepted: NT, FT)")
    limit = variant == "FT"
    antes = _chips(table, "antes", where, scale, seats)
    posts = _chips(table, "blinds_or_straddles", where, scale, seats, low=-ENOUGH)
    keys = ("small_bet", "big_bet") if limit else ("min_bet", "min_bet")
    small, big = (_chips({key: [table.get(key)]}, key, where, scale)[0] for key in keys)
    posts = posts[::-1] if seats == 2 else posts
    first = (max(range(seats), key=lambda seat: (posts[seat], seat)) + 1) % seats  # after the largest blind that is no post
    streets = holdem_streets(seats, (small, small, big, big), FOUR_RAISES if limit else (None,) * 4)
    equal = len(set(antes)) == 1
    return replace(
        LIMIT_HOLDEM if limit else NO_LIMIT_HOLDEM,
        seats=seats,
        streets=tuple(replace(street, first=0 if number else first) for number, street in enumerate(streets)),
        antes=antes if equal and antes[0] else (),
        dead=() if equal else antes,
        blinds=tuple(map(abs, posts)),
        stack=max(stacks),
        menu=None,
    )


def _chips(table: dict[str, Any], key: str, where: str, scale: int, count: int | None = None, low: int = 0) -> tuple[int, ...]:
    """Return chips in units of 1 / `scale`."""
    values = table.get(key)
    if isinstance(values, list) and count in (None, len(values)) and values and all(map(_is_chips, values)):
        chips = [Fraction(ENOUGH) if value == float("inf") else scale * Fraction(str(value)) for value in values]
        if all(chip.denominator == 1 and low <= chip <= ENOUGH for chip in chips):
            return tuple(map(int, chips))
    raise UsageError(f"{where}: {key} = {str(values)[:80]} (accepted: chips{'' if count is None else f' of {count} players'})")


def _take(hand: Hand, step: str, scale: int) -> None:
    """Play one action of the file; hole cards are dealt already."""
    if step.startswith("d dh "):
        return
    if match := re.fullmatch(r"d db (\S+)", step):
        hand.deal(match[1])
        return
    match = _MOVE.fullmatch(step)
    if match is None:
        raise UsageError("unknown action (accepted: d dh pN cards, d db cards, pN f, pN cc, pN cbr chips, pN sm)")
    player, what = int(match[1]) - 1, match[2]
    if what == "sm":  # cards shown at the end
        return
    if not 0 <= player < hand.rules.seats:
        raise UsageError(f"there is no such player (accepted: p1 to p{hand.rules.seats})")
    if hand.player != player:
        if what == "cc" and hand.bets[player] == max(hand.bets):
            return  # a check that cannot matter, nobody could answer a bet: some engines ask for it
        raise UsageError("it is nobody's turn" if hand.player is None else f"it is the turn of p{hand.player + 1}")
    if what == "f":
        hand.fold()
    elif what == "cc":
        hand.call()
    else:
        hand.raise_to(hand.paid[player] - hand.bets[player] + int(scale * Fraction(match[3])))


# Writing


def _places(rules: PokerRules) -> list[int]:
    """Return the seat of each place in the file, which is also the place of each seat."""
    return [1, 0] if rules.seats == 2 and rules.streets[0].first == 0 else list(range(rules.seats))


def _posts(rules: PokerRules) -> list[int]:
    """Return the blind of each place; negative where a player who enters posts, from whoever acts first on."""
    first, blinds = rules.streets[0].first, [rules.blind(seat) for seat in _places(rules)]
    if rules.seats == 2 or not first or max(blinds[first:]) > max(blinds[:first]):
        return blinds
    return [*blinds[:first], *(-blind for blind in blinds[first:])]


def _plenty(rules: PokerRules) -> int:
    """Return a stack with which nobody is ever all-in; ENOUGH where raises have no cap."""
    if any(street.max_raises is None for street in rules.streets):
        return ENOUGH
    most = sum(street.bet * (street.max_raises or 0) for street in rules.streets)
    return max((0, *rules.antes)) + max((0, *rules.blinds)) + most + rules.streets[-1].bet


def _actions(hand: Hand, seat_of: list[int], known: Collection[int]) -> list[str]:
    """Return the file's actions. Cards are shown after the last move, before the rest of the board is dealt."""
    names, again = hand.rules.deck.names, Hand(hand.rules, hand.starting)  # replayed for the chips of each street
    showdown = hand.finished and hand.alive_count > 1
    public = visible_hole_cards(hand, None)
    cards = [names(hole) if seat in known or public[seat] else "??" * len(hole) for seat, hole in enumerate(hand.hole)]
    dealt = [f"d dh p{place + 1} {cards[seat]}" for place, seat in enumerate(seat_of) if cards[seat]]
    actions: list[str] = []
    moved = 0  # actions up to the last move
    for record in hand.records:
        if isinstance(record, Deal):
            again.deal(record.cards)
            actions += [] if record.player is not None else [f"d db {names(record.cards)}"]
        elif not isinstance(record, Post):
            earlier = again.paid[record.player] - again.bets[record.player]
            word = f"cbr {record.total - earlier}" if isinstance(record, Raise) else _WORDS[record.letter]
            actions.append(f"p{seat_of[record.player] + 1} {word}")
            again.play(record.letter)
            moved = len(actions)
    if showdown:
        actions[moved:moved] = [f"p{place + 1} sm {cards[seat]}" for place, seat in enumerate(seat_of) if hand.alive[seat]]
    return dealt + actions


def _number(chips: Fraction) -> int | float:
    if chips >= ENOUGH:
        return float("inf")
    return int(chips) if chips.denominator == 1 else float(chips)


def _text(value: object) -> str:
    """Return a value as TOML: a number, a text, a time or a list of them."""
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") if isinstance(value, str) else str(value)
