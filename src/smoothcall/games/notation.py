"""A hand as text and back: `Kh|Qs/Jh:crrc/rc`.

First the hole cards of every seat in the order they came, `|` between them; then the board cards of each street that has
any behind a `/`; then `:` and the betting as in the information-state keys. Stacks other than the game's own follow as
`@100,250`. Cards not dealt yet are left empty. Reading what was written gives the same hand, and writing what was read the
same text.
"""

from __future__ import annotations

import re

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules

_MOVE = re.compile(r"[fc]|r[0-9]*|/")


def write_hand(hand: Hand) -> str:
    names = hand.rules.deck.names
    hole = "|".join(names(cards) for cards in hand.hole)
    boards = "".join(f"/{names(cards)}" for cards in hand.boards if cards)
    stacks = ",".join(map(str, hand.starting)) if hand.starting != Betting(hand.rules).starting else ""
    return f"{hole}{boards}:{hand.text}" + (f"@{stacks}" if stacks else "")


def read_hand(rules: PokerRules, text: str) -> Hand:
    body, _, stacks = text.partition("@")
    cards, colon, betting = body.partition(":")
    if not colon or re.fullmatch(r"([0-9]{1,12}(,[0-9]{1,12})*)?", stacks) is None:
        raise UsageError(f"{text!r} is not a hand of {rules.name} (accepted: hole|hole/board:betting, then @stack,stack)")
    hand = Hand(rules, [int(stack) for stack in stacks.split(",")] if stacks else None)
    hole, *boards = cards.split("/")
    seats = hole.split("|")
    _deal(hand, seats, boards)
    for move in split_moves(betting):  # that the slashes stand right is checked below
        hand.play(move)
        _deal(hand, seats, boards)
    if write_hand(hand) != text:
        raise UsageError(f"{text!r} is not how a hand of {rules.name} is written: {write_hand(hand)!r} is")
    return hand


def split_moves(betting: str) -> list[str]:
    """The moves of a betting sequence, without the slashes: a street ends by itself."""
    moves = _MOVE.findall(betting)
    if "".join(moves) != betting:
        raise UsageError(f"{betting!r} is not a betting sequence (accepted: f, c, r, r<chips>, /)")
    return [move for move in moves if move != "/"]


def _deal(hand: Hand, seats: list[str], boards: list[str]) -> None:
    """Deal what is due from the front of what is written, as far as it goes."""
    width = 2 if hand.rules.deck.suits else 1
    while (due := hand.due) is not None:
        if due.player is None:
            piece = boards.pop(0) if boards else ""
        elif due.player < len(seats):
            size = due.count * width
            piece, seats[due.player] = seats[due.player][:size], seats[due.player][size:]
        else:
            piece = ""
        if not piece:
            return
        hand.deal(piece)
