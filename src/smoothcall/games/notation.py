"""Text of hands and moves: `Kh|Qs/Jh:crrc/rc` and back, the moves of a betting sequence, names of moves.

The text of a hand lists the hole cards of every seat in the order dealt, joined by `|`; a `/` and the board cards for each
street that has any; `:` and the betting as in information-state keys; and `@100,250` where stacks differ from the game's.
Cards not dealt yet are left empty. `read_hand` and `write_hand` are inverse to each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting, IllegalMove
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules

BETTING = "f, c, r, r<chips>, /"
_TOKEN = re.compile(r"[fc]|r[0-9]*|/")


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
    """Return the moves of a betting sequence without the slashes between streets: `crrc/r` is c, r, r, c, r."""
    return [move for move in _tokens(betting) if move != "/"]


def read_betting(rules: PokerRules, betting: str) -> Betting:
    """Return the state after a betting sequence; slashes are not needed: a street ends by itself."""
    state = Betting(rules)
    for move in split_moves(betting):
        state.play(move)
    return state


def split_last(betting: str) -> tuple[str, str]:
    """Return (betting before the last move, the last move): `cc/r4` is `cc/` and `r4`, `cc/` is `c` and `c`."""
    tokens = _tokens(betting)
    while tokens and tokens[-1] == "/":
        tokens.pop()
    if not tokens:
        raise UsageError(f"{betting!r} has no moves (accepted: {BETTING})")
    return "".join(tokens[:-1]), tokens[-1]


def move_name(state: Betting, letter: str, money: Callable[[int], str] = str) -> str:
    """Return the name of a legal move of the player to act: `Check`, `Call 90 (all in)`, `Bet 10`, `Raise to 40`.

    A call and a bet are named by the chips they add, a raise by the street's bet that it raises to; `money` writes them.
    """
    player = state.player
    if player is None:
        raise IllegalMove("the hand is over")
    if letter == "f":
        return "Fold"
    if letter == "c":
        added = state.to_call
        name = f"Call {money(added)}" if added else "Check"
    else:
        total = int(letter[1:]) if letter[1:] else None
        state.verify_raise(total)
        smallest, _ = state.raises or (0, 0)
        added = (total or smallest) - state.paid[player]
        name = f"Raise to {money(state.bets[player] + added)}" if max(state.bets) else f"Bet {money(added)}"
    return name + (" (all in)" if added and added == state.stack(player) else "")


def _tokens(betting: str) -> list[str]:
    tokens = _TOKEN.findall(betting)
    if "".join(tokens) != betting:
        raise UsageError(f"{betting!r} is not a betting sequence (accepted: {BETTING})")
    return tokens


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
