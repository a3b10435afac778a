"""Export finished hands as PHH and JSON, with the cards that one person saw and no others."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from smoothcall.errors import UsageError
from smoothcall.games.betting import Post, Raise, passes
from smoothcall.games.cards import Cards
from smoothcall.games.hand import Deal, Hand
from smoothcall.games.rules import PokerRules
from smoothcall.interop.phh import verify_phh, write_phh
from smoothcall.play.person_view import signed
from smoothcall.store.histories import CHUNK


@dataclass(frozen=True, slots=True)
class Exported:
    """A finished hand with its context."""

    hand: Hand
    seat: int  # the person's
    hole: tuple[Cards, ...]  # the hole cards of each seat that the person saw, () where hidden
    names: tuple[str, ...]  # in seat order
    table: str
    number: int  # at its table, from 1
    ended: datetime  # UTC, aware or naive
    game: str


def phh_pieces(hands: Iterable[Exported], games: Mapping[str, PokerRules]) -> Iterator[str]:
    """Yield a `.phhs` text with one numbered table per hand. Cards that were not shown are `????`.

    `games` are those of the hands. Hands of games without a PHH variant are left out; a comment at the end counts them.
    """
    unknown = [spec for spec, rules in games.items() if not passes(partial(verify_phh, rules))]
    if unknown and len(unknown) == len(games):
        raise UsageError(f"PHH has no variant for {', '.join(unknown)}: export as JSON instead")
    return _phh_pieces(hands, frozenset(unknown))


def _phh_pieces(hands: Iterable[Exported], unknown: Collection[str]) -> Iterator[str]:
    place, left_out = 0, Counter[str]()
    for one in hands:
        if one.game in unknown:
            left_out[one.game] += 1
            continue
        place += 1
        yield f"{'' if place == 1 else chr(10)}[{place}]\n{_phh(one)}"
    for game, count in left_out.items():
        yield f"# left out: {count} of {game}, which PHH has no variant for\n"
    if not place and not left_out:
        yield "# no hands\n"


def json_pieces(hands: Iterable[Exported]) -> Iterator[str]:
    """Yield one object with all hands. Cards that were not shown are null; chips that may be fractions are strings."""
    before = '{\n "hands": ['
    for one in hands:
        text = json.dumps(_as_dict(one), ensure_ascii=False, indent=1)
        yield f"{before}\n  {text.replace(chr(10), chr(10) + '  ')}"
        before = ","
    yield "\n ]\n}\n" if before == "," else f"{before}]\n}}\n"


def joined(pieces: Iterator[str]) -> Iterator[str]:
    """Yield pieces of text, CHUNK of them at a time."""
    while part := "".join(islice(pieces, CHUNK)):
        yield part


def to_phh(hands: Iterable[Exported]) -> str:
    """Return the text of `phh_pieces`."""
    chosen = list(hands)
    return "".join(phh_pieces(chosen, {one.game: one.hand.rules for one in chosen}))


def to_json(hands: Iterable[Exported]) -> str:
    """Return the text of `json_pieces`."""
    return "".join(json_pieces(hands))


def _ended(one: Exported) -> datetime:
    """Return the end of the hand in UTC, to the second."""
    aware = one.ended if one.ended.tzinfo is not None else one.ended.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(microsecond=0)


def _phh(one: Exported) -> str:
    ended = _ended(one)
    about = {
        "time": ended.time(),
        "time_zone": "UTC",
        "day": ended.day,
        "month": ended.month,
        "year": ended.year,
        "table": one.table,
        "hand": one.number,
        "_game": one.game,
    }
    return write_phh(one.hand, one.names, known=[seat for seat, cards in enumerate(one.hole) if cards], about=about)


def _as_dict(one: Exported) -> dict[str, Any]:
    hand, deck = one.hand, one.hand.rules.deck
    outcome = hand.outcome
    if outcome is None:
        raise UsageError("a hand that is not over is not exported")
    players = [
        {
            "seat": seat,
            "name": one.names[seat],
            "cards": list(map(deck.name, one.hole[seat])) if one.hole[seat] else None,
            "stack": None if hand.rules.stack is None else hand.starting[seat],
            "paid": hand.paid[seat],
            "folded": not hand.alive[seat],
            "won": signed(outcome.payoffs[seat]),
        }
        for seat in range(hand.rules.seats)
    ]
    return {
        "game": one.game,
        "table": one.table,
        "number": one.number,
        "ended": _ended(one).isoformat(),
        "seat": one.seat,
        "players": players,
        "boards": [list(map(deck.name, cards)) for cards in hand.boards],
        "betting": hand.text,
        "moves": _moves(hand),
        "pot": hand.pot,
        "reason": outcome.reason,
    }


def _moves(hand: Hand) -> list[dict[str, Any]]:
    """Return posts and moves in order; `total` is the player's chips in the pot after a raise."""
    found: list[dict[str, Any]] = []
    street = 0
    for record in hand.records:
        if isinstance(record, Deal):
            street = record.street
        elif isinstance(record, Post):
            found.append({"street": street, "seat": record.player, "move": record.kind, "chips": record.amount})
        else:
            chips = getattr(record, "amount", 0)
            total = {"total": record.total} if isinstance(record, Raise) else {}
            found.append({"street": street, "seat": record.player, "move": record.letter, "chips": chips, **total})
    return found
