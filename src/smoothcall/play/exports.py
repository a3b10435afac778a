"""Export finished hands as PHH and JSON, with the cards that one person saw and no others."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from smoothcall.errors import UsageError
from smoothcall.games.betting import Post, Raise, passes
from smoothcall.games.cards import Cards
from smoothcall.games.hand import Deal, Hand
from smoothcall.interop.phh import verify_phh, write_phh
from smoothcall.play.person_view import signed


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


def to_phh(hands: Iterable[Exported]) -> str:
    """Return a `.phhs` text with one numbered table per hand. Cards that were not shown are `????`.

    Games without a PHH variant are left out; a comment at the top counts them.
    """
    chosen = list(hands)
    written = [one for one in chosen if _has_variant(one)]
    left_out = Counter(one.game for one in chosen if not _has_variant(one))
    if left_out and not written:
        raise UsageError(f"PHH has no variant for {', '.join(left_out)}: export as JSON instead")
    lines = [f"# left out: {count} of {game}, which PHH has no variant for\n" for game, count in left_out.items()]
    lines += [] if chosen else ["# no hands\n"]
    return "\n".join(["".join(lines)] * bool(lines) + [f"[{place}]\n{_phh(one)}" for place, one in enumerate(written, 1)])


def to_json(hands: Iterable[Exported]) -> str:
    """Return one object with all hands. Cards that were not shown are null; chips that may be fractions are strings."""
    return json.dumps({"hands": [_as_dict(one) for one in hands]}, ensure_ascii=False, indent=1) + "\n"


def _has_variant(one: Exported) -> bool:
    return passes(lambda: verify_phh(one.hand.rules))


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
