"""Hands of Texas hold'em as text in the form of PokerStars, no-limit and limit: read and written.

A hand that is read becomes a table of PHH, so that there is one reader of hands (`interop.phh`): players in the order of PHH,
amounts of raises by street, posts of players who enter as negative blinds, a dead small blind as an ante of that player.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from smoothcall.agents.view import visible_hole_cards
from smoothcall.errors import UsageError
from smoothcall.games.betting import ENOUGH, Call, Fold, Post, Raise
from smoothcall.games.hand import Deal, Hand
from smoothcall.games.pots import uncalled_bet
from smoothcall.interop.phh import RecordedHand, read_phh_table, verify_phh

_MONEY = r"[$€£]?([0-9][0-9,]{0,14}(?:\.[0-9]{1,6})?)"
_HEAD = re.compile(rf"PokerStars .*Hold'em (No Limit|Limit) [^(]*\({_MONEY}/{_MONEY}[^)]*\).*")
_SEAT = re.compile(rf"Seat ([0-9]{{1,2}}): (.{{1,60}}) \({_MONEY} in chips.*\)(?: .*)?")
_POST = re.compile(rf"(.{{1,60}}): posts (the ante|small blind|big blind|small & big blinds|straddle) {_MONEY}.*")
_MOVE = re.compile(rf"(.{{1,60}}): (folds|checks|calls|bets|raises)(?: {_MONEY})?(?: to {_MONEY})?.*")
_CARDS = re.compile(r"(?:Dealt to (.{1,60})|(.{1,60}): shows) \[([^\]]*)\].*")
_BOARD = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\* .*\[([^\]]*)\]")
_WON = re.compile(rf"(.{{1,60}}) collected {_MONEY} from .*")
_BACK = re.compile(rf"Uncalled bet \({_MONEY}\) returned to (.{{1,60}})")
_STREETS = ("FLOP", "TURN", "RIVER")


@dataclass
class _Text:
    """What the lines of a hand say; chips by name."""

    stacks: dict[str, Fraction] = field(default_factory=dict)
    antes: dict[str, Fraction] = field(default_factory=dict)
    blinds: dict[str, Fraction] = field(default_factory=dict)
    hole: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    actions: list[tuple[str, str]] = field(default_factory=list)  # (name, what), name "" for the board
    back: dict[str, Fraction] = field(default_factory=dict)  # collected and returned
    big_blind: str = ""


def split_pokerstars(text: str) -> list[str]:
    """Return the texts of the hands of a file."""
    return [part for part in re.split(r"(?m)^(?=PokerStars )", text.replace("\ufeff", "")) if part.startswith("PokerStars ")]


def read_pokerstars(text: str) -> RecordedHand:
    """Return the hand of one text, with the names of its players and the stacks after it."""
    lines = [line.strip() for line in text.strip().splitlines()]
    head = _HEAD.fullmatch(lines[0]) if lines else None
    if head is None:
        raise UsageError(f"{(lines or [''])[0][:80]!r} (accepted: PokerStars ... Hold'em No Limit or Limit (small/big) ...)")
    small, big = _chips(head[2]), _chips(head[3])
    told, button = _told(lines)
    order = _order(told, button)
    fields: dict[str, Any] = {
        "antes": [_number(told.antes.get(name, Fraction(0))) for name in order],
        "starting_stacks": [_number(told.stacks[name]) for name in order],
        "players": order,
    }
    posts = [_number(told.blinds.get(name, Fraction(0))) for name in order]
    fields["blinds_or_straddles"] = posts[::-1] if len(order) == 2 else posts
    limit = head[1] == "Limit"
    fields |= {"variant": "FT", "small_bet": _number(small), "big_bet": _number(big)} if limit else {"variant": "NT"}
    fields |= {} if limit else {"min_bet": _number(big)}
    places = {name: f"p{place}" for place, name in enumerate(order, 1)}
    dealt = [f"d dh {places[name]} {told.hole.get(name, '????')}" for name in order]
    for name, _ in told.actions:
        if name and name not in places:
            raise UsageError(f"{name!r} acts without a seat (accepted: players of the hand)")
    played = [f"{places[name]} {what}" if name else what for name, what in told.actions]
    shown = [f"{places[name]} sm {cards}" for name, cards in told.shown.items() if name in places]
    found = read_phh_table({**fields, "actions": dealt + played + shown}, "the hand")
    if not told.back:
        return found
    back = [told.back.get(name, Fraction(0)) / found.unit for name in order]
    ended = [start - paid for start, paid in zip(found.hand.starting, found.hand.paid, strict=True)]
    return replace(found, finishing=tuple(left + won for left, won in zip(ended, back, strict=True)))


def _told(lines: Sequence[str]) -> tuple[_Text, int]:
    """Return (what the lines say, the number of the button)."""
    told, seats, button, playing = _Text(), dict[int, str](), 0, False
    for line in lines:
        if line.startswith("*** SUMMARY"):
            break
        if match := re.search(r"Seat #([0-9]{1,2}) is the button", line):
            button = int(match[1])
        elif (match := _SEAT.fullmatch(line)) and not playing:
            if not line.endswith(("is sitting out", "out of hand")):
                seats[int(match[1])] = match[2]
                told.stacks[match[2]] = _chips(match[3])
        elif line.startswith("*** HOLE CARDS"):
            playing = True
        elif match := _POST.fullmatch(line):
            _post(told, match[1], match[2], _chips(match[3]))
        elif match := _BOARD.fullmatch(line):
            told.actions.append(("", f"d db {match[2].replace(' ', '')}"))
        elif match := _CARDS.fullmatch(line):
            (told.hole if match[1] else told.shown)[match[1] or match[2]] = match[3].replace(" ", "")
        elif match := _BACK.fullmatch(line):
            told.back[match[2]] = told.back.get(match[2], Fraction(0)) + _chips(match[1])
        elif match := _WON.fullmatch(line):
            told.back[match[1]] = told.back.get(match[1], Fraction(0)) + _chips(match[2])
        elif match := _MOVE.fullmatch(line):
            told.actions.append((match[1], _move(match)))
    told.stacks = {seats[number]: told.stacks[seats[number]] for number in sorted(seats)}
    if not told.stacks:
        raise UsageError("a hand that is cut off (accepted: lines Seat 1: NAME (CHIPS in chips))")
    if len(told.stacks) < 2 or len(set(seats.values())) < len(seats):
        raise UsageError(f"players {list(told.stacks)} (accepted: two or more, with different names)")
    return told, sum(number <= button for number in seats) - 1


def _post(told: _Text, name: str, kind: str, chips: Fraction) -> None:
    if kind == "the ante":
        told.antes[name] = told.antes.get(name, Fraction(0)) + chips
    elif kind == "small & big blinds":  # a player who missed both: the small blind is dead
        told.antes[name] = told.antes.get(name, Fraction(0)) + chips / 3
        told.blinds[name] = -chips * 2 / 3
    elif kind == "big blind" and told.big_blind:
        told.blinds[name] = -chips
    else:
        told.blinds[name] = chips
        told.big_blind = name if kind == "big blind" else told.big_blind


def _move(match: re.Match[str]) -> str:
    if match[2] in ("bets", "raises"):
        total = match[4] if match[2] == "raises" else match[3]
        if total is None:
            raise UsageError(f"{match[0][:80]!r} (accepted: bets CHIPS, raises CHIPS to CHIPS)")
        return f"cbr {total.replace(',', '')}"
    return "f" if match[2] == "folds" else "cc"


def _order(told: _Text, button: int) -> list[str]:
    """Return the names in the order of PHH: from the left of the button, which is last."""
    names = list(told.stacks)
    return names[button + 1 :] + names[: button + 1]


def _chips(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def _number(chips: Fraction) -> int | float:
    return int(chips) if chips.denominator == 1 else float(chips)


# Writing


def write_pokerstars(
    hand: Hand,
    names: Sequence[str] = (),
    *,
    known: Collection[int] = (),
    number: int = 1,
    table: str = "smoothcall",
    unit: Fraction = Fraction(1),
    when: str = "2000/01/01 00:00:00 ET",
) -> str:
    """Return a finished hand as text, `names` in seat order; `unit` is the value of a chip.

    `known`: the seats whose hole cards are written as dealt; those of a showdown are always shown.
    """
    rules = hand.rules
    verify_phh(rules)
    if hand.outcome is None or rules.dead or max(hand.starting) >= ENOUGH:
        raise UsageError(
            f"{rules.name}: this hand cannot be written (accepted: finished hands with stacks, without dead money)"
        )
    names = list(names) or [f"p{seat + 1}" for seat in range(rules.seats)]
    if len(set(names)) != rules.seats:
        raise UsageError(f"names {names} (accepted: none, or {rules.seats} different ones)")
    bets = (
        [rules.streets[0].bet, rules.streets[-1].bet]
        if rules.limit
        else [min(filter(None, rules.blinds)), rules.streets[0].bet]
    )
    kind = "Limit" if rules.limit else "No Limit"
    amounts = "/".join(_amount(chips * unit) for chips in bets)
    button = (rules.streets[-1].first - 1) % rules.seats
    lines = [
        f"PokerStars Hand #{number}: Hold'em {kind} ({amounts} USD) - {when}",
        f"Table '{table}' {rules.seats}-max Seat #{button + 1} is the button",
        *(f"Seat {seat + 1}: {name} ({_amount(hand.starting[seat] * unit)} in chips)" for seat, name in enumerate(names)),
    ]
    return "\n".join([*lines, *_played(hand, names, known, unit), *_ended(hand, names, unit), ""])


def _played(hand: Hand, names: Sequence[str], known: Collection[int], unit: Fraction) -> list[str]:
    text, again, lines = hand.rules.deck.names, Hand(hand.rules, hand.starting), list[str]()
    large = max(hand.rules.blinds)
    for post in hand.posts:
        kind = "the ante" if post.kind == "ante" else "big blind" if hand.rules.blind(post.player) == large else "small blind"
        lines.append(f"{names[post.player]}: posts {kind} {_amount(post.amount * unit)}")
    lines.append("*** HOLE CARDS ***")
    lines += [f"Dealt to {names[seat]} [{_spaced(text(cards))}]" for seat, cards in enumerate(hand.hole) if seat in known]
    for record in hand.records:
        if isinstance(record, Post):
            continue
        if isinstance(record, Deal):
            if record.player is None:
                before = f" [{_spaced(text(again.board))}]" if again.board else ""
                lines.append(f"*** {_STREETS[record.street - 1]} ***{before} [{_spaced(text(record.cards))}]")
            again.deal(record.cards)
            continue
        owed, top = again.to_call, max(again.bets)
        added = record.amount if isinstance(record, Call | Raise) else 0
        bet = again.bets[record.player] + added
        word = "folds" if isinstance(record, Fold) else f"calls {_amount(added * unit)}" if owed else "checks"
        if isinstance(record, Raise):
            word = f"raises {_amount((bet - top) * unit)} to {_amount(bet * unit)}" if top else f"bets {_amount(bet * unit)}"
        again.play(record.letter)
        lines.append(f"{names[record.player]}: {word}{' and is all-in' if added and not again.stack(record.player) else ''}")
    return lines


def _ended(hand: Hand, names: Sequence[str], unit: Fraction) -> list[str]:
    assert hand.outcome is not None
    back, lines = uncalled_bet(hand.paid, hand.alive), list[str]()
    if back is not None:
        lines.append(f"Uncalled bet ({_amount(back[1] * unit)}) returned to {names[back[0]]}")
    shown = visible_hole_cards(hand, None)
    if any(shown):
        lines.append("*** SHOW DOWN ***")
        lines += [
            f"{names[seat]}: shows [{_spaced(hand.rules.deck.names(cards))}]" for seat, cards in enumerate(shown) if cards
        ]
    for seat, payoff in enumerate(hand.outcome.payoffs):
        won = payoff + hand.paid[seat] - (back[1] if back is not None and back[0] == seat else 0)
        if won > 0:
            lines.append(f"{names[seat]} collected {_amount(won * unit)} from pot")
    total = (hand.pot - (back[1] if back is not None else 0)) * unit
    board = [f"Board [{_spaced(hand.rules.deck.names(hand.board))}]"] if hand.board else []
    return [*lines, "*** SUMMARY ***", f"Total pot {_amount(total)} | Rake $0", *board]


def _amount(chips: Fraction | int) -> str:
    """`$2`, `$0.50`, `$1.666667`."""
    value = Fraction(chips)
    if value.denominator == 1:
        return f"${int(value)}"
    return f"${float(value):.2f}" if (100 * value).denominator == 1 else f"${float(value):.6f}"


def _spaced(cards: str) -> str:
    return " ".join(cards[place : place + 2] for place in range(0, len(cards), 2))
