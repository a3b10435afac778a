"""Histories and strategies of Leduc in the notation of macmanus2019 (J. MacManus, Learning to Play Leduc Hold'em, 2019).

A history is one text: `1` or `-1` for who starts, the private cards of player 1 and of player -1, the moves of the first
round, the public card, the moves of the second: `1AhQhbcKsbrc`. Moves are f fold, c call or check, b bet, r raise. What one
player knows of it leaves out the other's card: `1AhbcKsbrc`. Ranks are A K Q, which are K Q J here.

A strategy is a JSON dictionary from what a player knows to the probabilities of moves, or to one move. The strategy files that
the author published (github.com/JamieMac96/leduc-holdem-using-pomcp) are of the variant that his program plays: who opens a
round bets or folds (`1Ah` has the moves b and f), and showdowns are decided by starting hands, suited before unsuited. That is
the game `leduc:opening=bet-or-fold,showdown=starting-hands`. A file of 198 states is a whole strategy of player 1 there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from smoothcall import files
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.games.betting import Betting, IllegalMove
from smoothcall.games.catalog import LEDUC
from smoothcall.games.hand import Hand
from smoothcall.games.notation import read_betting, read_hand
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.named_games import game as named_game
from smoothcall.policy import Key, Policy

RANKS = str.maketrans("AKQ", "KQJ")
THEIR_RANKS = str.maketrans("KQJ", "AKQ")
WITH_CHECKS, PROGRAM = "leduc:suits=apart", "leduc:opening=bet-or-fold,showdown=starting-hands"
_CARD = "[AKQ][hs]"
_HISTORY = re.compile(rf"(-?1)({_CARD})?({_CARD})?([fcbr]*)(?:({_CARD})([fcbr]*))?")


@dataclass(frozen=True, slots=True)
class LeducHistory:
    """A history, or what one player knows of it: then with that player's card only. Cards in the notation of macmanus2019."""

    first: int  # 1 or -1: who starts
    cards: tuple[str, ...]  # of player 1 and of player -1; or the one that is known
    moves: tuple[str, str]  # of the two rounds, in their letters
    board: str  # "" before it is dealt
    rules: PokerRules = field(default=LEDUC, repr=False)  # of Leduc or of its variant

    def __str__(self) -> str:
        return f"{self.first}{''.join(self.cards)}{self.moves[0]}{self.board}{self.moves[1]}"

    @property
    def betting(self) -> str:
        """Return the betting in our letters; UsageError where the rules do not allow it."""
        state = Betting(self.rules)
        for number, moves in enumerate(self.moves):
            for letter in moves:
                if state.finished or state.street != number:
                    raise UsageError(f"{str(self)!r}: {letter!r} comes after the end of its round")
                if letter in "br" and letter != self._raise_letter(state):
                    raise UsageError(f"{str(self)!r}: {letter!r} where {self._raise_letter(state)!r} is meant")
                try:
                    state.play("r" if letter in "br" else letter)
                except IllegalMove as error:
                    raise UsageError(f"{str(self)!r}: {letter!r} is not allowed ({error})") from None
        if self.board and (state.street == 0 or self.board in self.cards):
            raise UsageError(f"{str(self)!r}: the public card {self.board} cannot come here")
        return state.text if self.board else state.text.removesuffix("/")

    @staticmethod
    def _raise_letter(state: Betting) -> str:
        return "r" if max(state.bets) else "b"

    @property
    def player(self) -> int | None:
        """Return who acts next: 1 or -1; 0 for the dealer; None when the hand is over."""
        state = read_betting(self.rules, self.betting)
        if state.player is None:
            return None
        if len(self.cards) == 0 or (state.street == 1 and not self.board):
            return 0
        return self.first if state.player == 0 else -self.first


def parse(text: str, rules: PokerRules = LEDUC) -> LeducHistory:
    """Return the history of a text, checked against the rules of Leduc or of its variant."""
    found = _HISTORY.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} is not a history (accepted: like 1AhQhbcKsbrc, or 1AhbcKsbrc for what a player knows)")
    first, one, other, early, board, late = found.groups()
    cards = tuple(card for card in (one, other) if card)
    if len(set(cards)) < len(cards):
        raise UsageError(f"{text!r}: {cards[0]} is dealt twice")
    history = LeducHistory(int(first), cards, (early, late or ""), board or "", rules)
    _ = history.betting
    return history


def information(history: LeducHistory, player: int) -> LeducHistory:
    """Return what player 1 or -1 knows of a history with both cards."""
    if player not in (1, -1) or len(history.cards) != 2:
        raise UsageError(f"player {player} of {str(history)!r} (accepted: 1 or -1, with the cards of both)")
    return replace(history, cards=(history.cards[0 if player == 1 else 1],))


def to_hand(history: LeducHistory) -> Hand:
    """Return the hand of a history; the player who starts sits in seat 0."""
    if len(history.cards) != 2:
        raise UsageError(f"{str(history)!r} has not the cards of both players")
    ordered = history.cards if history.first == 1 else history.cards[::-1]
    board = f"/{history.board}" if history.board else ""
    state = read_betting(history.rules, history.betting)
    return read_hand(history.rules, f"{'|'.join(ordered)}{board}".translate(RANKS) + f":{state.text}")


def from_hand(hand: Hand, first: int = 1) -> LeducHistory:
    """Return the history of a Leduc hand in which player `first` sits in seat 0."""
    if not _is_leduc(hand.rules) or first not in (1, -1):
        raise UsageError("only hands of Leduc have a history, with 1 or -1 to start")
    names = hand.rules.deck.names
    cards = tuple(names(cards).translate(THEIR_RANKS) for cards in hand.hole if cards)
    board = names(hand.board).translate(THEIR_RANKS)
    return LeducHistory(first, cards if first == 1 else cards[::-1], _their_moves(hand.text), board, hand.rules)


def _their_moves(betting: str) -> tuple[str, str]:
    """Return the moves of both rounds in their letters: the first raise of a round is a bet."""
    rounds = [*betting.split("/"), ""][:2]
    first, second = (moves.replace("r", "b", 1) for moves in rounds)
    return first, second


# Strategies


def key_of(text: str, rules: PokerRules = LEDUC) -> str:
    """Return our information-state key (with suits) of what a player knows: `-1AhbcKsb` is `Kh/Qs:rc/r`."""
    history = parse(text, rules)
    if len(history.cards) != 1:
        raise UsageError(f"{text!r} names {len(history.cards)} private cards (accepted: the one the player knows)")
    cards = "/".join(card for card in (*history.cards, history.board) if card)
    return f"{cards.translate(RANKS)}:{history.betting}"


def history_of(key: str, player: int = 1) -> str:
    """Return what player 1 or -1 knows at one of our keys (with suits), in their notation."""
    cards, _, betting = key.partition(":")
    own, _, board = cards.translate(THEIR_RANKS).partition("/")
    moves = _their_moves(betting)
    first = player if len(moves[1] if board else moves[0]) % 2 == 0 else -player
    return str(LeducHistory(first, (own,), moves, board))


def read_strategy(path: str | Path, game: Game | None = None, player: int = 1) -> Policy:
    """Return the policy of a strategy file of player 1 or -1, in both seats; uniform at histories that it does not name.

    The game is Leduc with suits told apart, or its variant; without one, the variant where some opening may fold. Histories in
    which the other player is to move are refused.
    """
    if game is not None:
        _verify_game(game)
    path = Path(path)
    try:
        given = files.parse_json("JSON", files.read_bytes(path, "strategy file"))
    except DamagedFile as error:
        raise UsageError(f"{str(path)!r} is not a strategy file ({error})") from None
    if not isinstance(given, Mapping):
        raise UsageError(f"{str(path)!r} is not a strategy file (accepted: a JSON dictionary)")
    game = game or named_game(PROGRAM if any(map(_folds_first, given.items())) else WITH_CHECKS)
    assert isinstance(game.rules, PokerRules)
    probabilities: dict[Key, dict[str, float]] = {}
    for text, chosen in given.items():
        history = parse(text, game.rules)
        if history.player != player:
            raise UsageError(f"{text!r} is not a history at which player {player} is to move")
        moves = list(chosen.items()) if isinstance(chosen, Mapping) else [(chosen, 1.0)]
        ours: dict[str, float] = {}
        for letter, chance in moves:
            twice = letter in ("b", "r") and "r" in ours
            number = isinstance(chance, int | float) and not isinstance(chance, bool) and 0 <= chance <= 1
            if letter not in ("f", "c", "b", "r") or not number or twice:
                raise UsageError(f"move {letter!r}: {str(chance)[:40]} at {text!r} (accepted: probabilities of f, c, b, r)")
            ours["r" if letter in "br" else letter] = float(chance)
        probabilities[key_of(text, game.rules)] = ours
    return Policy.from_probabilities(game, probabilities)


def write_strategy(policy: Policy, path: str | Path, player: int = 1) -> None:
    """Write the whole policy as a strategy file of player 1 or -1."""
    _verify_game(policy.game)
    if player not in (1, -1):
        raise UsageError(f"player {player} (accepted: 1 or -1)")
    strategy = {}
    for key in policy.game.information_states():
        history = history_of(key, player)
        letter = "r" if "b" in _their_moves(key.partition(":")[2])["/" in key.partition(":")[2]] else "b"
        found = policy.probabilities(key)
        strategy[history] = {letter if move == "r" else move: chance for move, chance in found.items()}
    files.write_json(Path(path), strategy)


def _verify_game(game: Game) -> None:
    if not _is_leduc(game.rules) or not game.lossless.suits_apart:
        raise UsageError(f"strategies of macmanus2019 are of {WITH_CHECKS} or {PROGRAM}, not of {game.spec}")


def _is_leduc(rules: object) -> bool:
    """Return whether these are the rules of Leduc or of its variant."""
    return isinstance(rules, PokerRules) and replace(rules, checks=LEDUC.checks, order=LEDUC.order) == LEDUC


def _folds_first(entry: tuple[str, object]) -> bool:
    """Return whether a history ends with a card, so that its player opens a round, and has a fold."""
    text, chosen = entry
    return text.endswith(("h", "s")) and "f" in (chosen if isinstance(chosen, Mapping) else (chosen,))
