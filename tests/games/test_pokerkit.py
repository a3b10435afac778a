"""Integer hands beside PokerKit, an engine written by others: turns, legal moves, amounts and pay-offs at every step.

Texas hold'em with two to six players and unequal stacks, and a game like Rhode Island hold'em (one hole card, two board cards,
few ranks, many shared pots) whose hands PokerKit's evaluator orders. Ours counts a raise as chips in the hand, PokerKit as
chips in the street.

Three rules differ on purpose:

- Nobody is asked to check where nobody can answer a bet. PokerKit asks in some of these spots and not in others.
- An all-in below the smallest bet or raise never re-opens the betting (TDA rule 47A; limit games are no exception here,
  TDA 47B asks for half a bet). PokerKit measures "full" by the raises of
  the street alone, so that the first all-in of a street, however short, counts as full.
- Short all-ins that add up to a full raise re-open the betting (TDA rule 47A). PokerKit forgets those that added up
  when one more short all-in follows.
"""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from random import Random

import pokerkit
import pytest

from smoothcall.games.betting import Call, Fold, Raise
from smoothcall.games.cards import STANDARD, Deck
from smoothcall.games.catalog import holdem_streets
from smoothcall.games.hand import Hand
from smoothcall.games.rankings import BEST_FIVE, HandOrder
from smoothcall.games.rules import PokerRules, Street

from .random_hands import random_letter

AUTOMATIONS = tuple(step for step in pokerkit.Automation if "DEALING" not in step.name)


def strength(deck, hole, board):
    return pokerkit.RhodeIslandHoldemHand(deck.names(hole + board)).entry.index


class HoldemHand(pokerkit.StandardHighHand):
    """PokerKit's own order of hands, kept for a while: its engine asks for the same one many times."""

    @classmethod
    def from_game(cls, hole_cards, board_cards=()):
        return holdem_hand(tuple(hole_cards), tuple(board_cards))


@lru_cache(1000)
def holdem_hand(hole_cards, board_cards):
    return pokerkit.StandardHighHand.from_game(hole_cards, board_cards)


ORDER = HandOrder("Rhode Island hold'em", True, strength, lambda *cards: "")
DECK = Deck("TJQKA", "cdhs")  # few ranks, many shared pots


def random_rules(random: Random, *, limit: bool) -> PokerRules:
    seats = random.randint(2, 6)
    bets = (2, 4, 4) if limit else (random.choice([2, 3]),) * 3
    cap = random.choice([1, 3, 4, None]) if limit else None
    blinds = random.choice([(1, 2), (1, 2), ()] + ([(2, 2), (1, 2, 4)] if seats > 2 else []))
    firsts = (0, 1, 1) if seats == 2 and blinds else (len(blinds) % seats, 0, 0)
    return PokerRules(
        name="rhode island",
        deck=DECK,
        order=ORDER,
        streets=tuple(
            Street(bet=bet, hole=number == 0, board=number > 0, max_raises=cap, first=first)
            for number, (bet, first) in enumerate(zip(bets, firsts, strict=True))
        ),
        seats=seats,
        antes=(random.choice([0, 1, 3] if blinds else [1, 3]),) * seats,
        blinds=blinds,
        limit=limit,
        stack=100,
    )


def random_holdem(random: Random, *, limit: bool) -> PokerRules:
    seats, cap = random.randint(2, 6), random.choice([3, 4, None])
    return PokerRules(
        name="hold'em",
        deck=STANDARD,
        order=BEST_FIVE,
        streets=holdem_streets(seats, (2, 2, 4, 4), (cap,) * 4) if limit else holdem_streets(seats, (2, 2, 2, 2)),
        seats=seats,
        antes=(random.choice([0, 0, 1]),) * seats,
        blinds=(1, 2),
        limit=limit,
        stack=100,
    )


def pokerkit_state(rules: PokerRules, stacks: list[int]) -> pokerkit.State:
    """The same game; heads-up, PokerKit seats the button last."""
    streets = tuple(
        pokerkit.Street(
            False, (False,) * street.hole, street.board, False, pokerkit.Opening.POSITION, street.bet, street.max_raises
        )
        for street in rules.streets
    )
    structure = pokerkit.BettingStructure.FIXED_LIMIT if rules.limit else pokerkit.BettingStructure.NO_LIMIT
    return pokerkit.State(
        AUTOMATIONS,
        pokerkit.Deck.STANDARD,
        (HoldemHand if rules.order is BEST_FIVE else pokerkit.RhodeIslandHoldemHand,),
        streets,
        structure,
        True,
        rules.antes,
        rules.blinds or 0,
        0,
        stacks,
        rules.seats,
        divmod=lambda chips, players: (Fraction(chips, players), 0),
    )


class Pair:
    """One hand in both engines."""

    def __init__(self, rules: PokerRules, stacks: list[int], random: Random) -> None:
        turned = rules.seats == 2 and rules.blinds != ()
        self.seat = [1, 0] if turned else list(range(rules.seats))  # PokerKit's place -> ours, and back
        self.hand = Hand(rules, stacks)
        self.other = pokerkit_state(rules, [stacks[seat] for seat in self.seat])
        shuffled = random.sample(range(rules.deck.size), rules.deck.size)
        hole = sum(street.hole for street in rules.streets)
        self.hole = [tuple(shuffled[hole * seat : hole * (seat + 1)]) for seat in range(rules.seats)]
        self.board = tuple(shuffled[hole * rules.seats :])
        self.acted: set[int] = set()  # who has acted on this street
        self.raised: list[int] = []  # by how much, raise by raise, on this street
        self.differences: Counter[str] = Counter()
        for seat in self.seat:
            self.other.deal_hole(rules.deck.names(self.hole[seat]))
        self.deal()

    def deal(self) -> None:
        rules, hand = self.hand.rules, self.hand
        while (due := hand.due) is not None:
            dealt = len(hand.board)
            hand.deal(self.board[dealt : dealt + due.count] if due.player is None else self.hole[due.player])
        while not hand.finished or hand.alive_count > 1:
            if self.other.can_deal_board():
                dealt = len(self.other.board_cards)
                count = self.other.board_dealing_counts[0]
                self.other.deal_board(rules.deck.names(self.board[dealt : dealt + count]))
            elif self.other.actor_index is not None and self.skipped():
                self.differences["nothing to decide"] += 1
                self.other.check_or_call()
            else:
                return

    def skipped(self) -> bool:
        """Whether PokerKit waits for a check that our engine does not ask for."""
        if not self.hand.finished and self.seat[self.other.actor_index] == self.hand.player:
            return False
        assert self.other.checking_or_calling_amount == 0
        assert not self.other.can_fold()
        assert not self.other.can_complete_bet_or_raise_to()
        return True

    def compare(self) -> None:
        hand, other = self.hand, self.other
        player = hand.player
        assert self.seat[other.actor_index] == player
        assert [hand.stack(seat) for seat in self.seat] == other.stacks
        assert [hand.bets[seat] for seat in self.seat] == other.bets
        assert hand.can_fold() == other.can_fold()
        assert hand.can_call() == other.can_check_or_call()
        assert hand.to_call == other.checking_or_calling_amount
        before = hand.paid[player] - hand.bets[player]
        low, high = other.min_completion_betting_or_raising_to_amount, other.max_completion_betting_or_raising_to_amount
        theirs = None if low is None else (before + low, before + high)
        if hand.raises != theirs:
            self.differences[self.why()] += 1

    def why(self) -> str:
        """Which of the rules that differ on purpose is at work; fails where none is."""
        smallest = self.hand.rules.streets[self.hand.street].bet
        full = max(smallest, *self.raised)
        assert self.hand.player in self.acted
        if self.hand.raises is None:
            assert self.hand.to_call < full
            assert max(self.raised) < smallest
            return "short first all-in"
        assert self.hand.to_call >= full > self.raised[-1]
        return "short all-ins add up"

    def play(self, letter: str) -> None:
        hand, player, owed, street = self.hand, self.hand.player, self.hand.to_call, self.hand.street
        total = hand.bets[player]
        move = hand.play(letter)
        match move:
            case Fold():
                self.other.fold()
            case Call():
                self.other.check_or_call()
            case Raise():
                self.other.complete_bet_or_raise_to(total + move.amount)
                self.raised.append(move.amount - owed)
        self.acted.add(player)
        if hand.street != street:
            self.acted, self.raised = set(), []
        self.deal()


def play_beside(rules: PokerRules, stacks: list[int], random: Random) -> Pair:
    pair = Pair(rules, stacks, random)
    while not pair.hand.finished:
        pair.compare()
        letter = random_letter(pair.hand, random)
        pair.play(letter if letter[0] != "r" or pair.other.can_complete_bet_or_raise_to() else "c")
    assert not pair.other.status
    assert pair.other.actor_index is None
    payoffs = [pair.hand.outcome.payoffs[seat] for seat in pair.seat]
    assert payoffs == pair.other.payoffs, (pair.hand.text, stacks)
    return pair


def play_random(rules: PokerRules, random: Random) -> Pair:
    deep = random.choice([12, 40, 200])
    return play_beside(rules, [random.randint(1, deep) for _ in range(rules.seats)], random)


FAST = [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 5))]


@pytest.mark.parametrize("limit", [True, False])
@pytest.mark.parametrize("seed", FAST)
def test_random_hands_are_the_same_in_pokerkit(limit: bool, seed: int) -> None:
    random = Random(f"{seed} {limit}")
    for _ in range(200):
        play_random(random_rules(random, limit=limit), random)


def verify_holdem(limit: bool, seed: int) -> None:
    random = Random(f"hold'em {seed} {limit}")
    for _ in range(250):
        play_random(random_holdem(random, limit=limit), random)


@pytest.mark.parametrize("limit", [True, False])
@pytest.mark.parametrize("seed", FAST[:3])
def test_hands_of_holdem_are_the_same_in_pokerkit(limit: bool, seed: int) -> None:
    verify_holdem(limit, seed)


@pytest.mark.long
@pytest.mark.parametrize("limit", [True, False])
@pytest.mark.parametrize("seed", range(3, 20))
def test_ten_thousand_hands_of_holdem_are_the_same_in_pokerkit(limit: bool, seed: int) -> None:
    verify_holdem(limit, seed)
