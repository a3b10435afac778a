"""Random games and random play, for the tests of this folder."""

import re
from random import Random

from hypothesis import strategies as st

from smoothcall.games.betting import Betting
from smoothcall.games.cards import STANDARD
from smoothcall.games.catalog import KUHN, KUHN_3P, LEDUC, LEDUC_3P, LIMIT_HOLDEM_3P, NO_LIMIT_HOLDEM
from smoothcall.games.hand import Hand
from smoothcall.games.rankings import HIGH_CARD, PAIR_OR_HIGH_CARD
from smoothcall.games.rules import PokerRules, Street

HEADS_UP = (Street(bet=2, hole=2), Street(bet=2, board=3, first=1), Street(bet=2, board=1, first=1))
FULL_RING = (Street(bet=2, hole=2, first=2), Street(bet=2, board=3), Street(bet=2, board=1))


def no_limit(seats: int, **changes: object) -> PokerRules:
    """No-limit hold'em without its last street, ordered by high card: blinds 1 and 2."""
    streets = HEADS_UP if seats == 2 else FULL_RING
    given = {"streets": streets, "seats": seats, "blinds": (1, 2), "limit": False, "stack": 100} | changes
    return PokerRules(name="no-limit", deck=STANDARD, order=HIGH_CARD, **given)


def after(state: Betting, text: str) -> Betting:
    """The state after the moves of `text`; a hand is dealt whatever is due, always the same cards."""
    for letter in ["", *re.findall(r"[fc]|r\d*", text)]:
        if letter:
            state.play(letter)
        if isinstance(state, Hand):
            state.deal_random(Random(1))
    return state


def random_letter(state: Betting, random: Random) -> str:
    letters = ["c", "c"] * state.can_call() + ["f"] * state.can_fold()
    if state.raises is not None:
        low, high = state.raises
        total = random.choice([low, low, min(high, low + random.randint(0, 12)), random.randint(low, high), high])
        letters += ["r" if state.rules.limit else f"r{total}"] * 3
    return random.choice(letters)


def step(hand: Hand, random: Random) -> None:
    """One deal or one move, whichever is next."""
    if hand.due is None:
        hand.play(random_letter(hand, random))
        return
    dealt = {card for cards in (*hand.hole, *hand.boards) for card in cards}
    left = [card for card in range(hand.rules.deck.size) if card not in dealt]
    hand.deal(tuple(random.sample(left, hand.due.count)))


@st.composite
def games(draw: st.DrawFn) -> PokerRules:
    """Any game the rules can say, the odd ones too: boards before the first bet, streets without cards or without bets."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from([KUHN, KUHN_3P, LEDUC, LEDUC_3P, LIMIT_HOLDEM_3P, NO_LIMIT_HOLDEM]))
    seats = draw(st.integers(2, 10))
    stack = draw(st.none() | st.integers(1, 60))
    limit = stack is None or draw(st.booleans())
    caps = st.integers(0, 3) if stack is None else st.none() | st.integers(0, 3)
    streets = [
        Street(
            bet=draw(st.integers(1, 4)),
            hole=draw(st.sampled_from([1, 2] if number == 0 else [0, 0, 1])),
            board=draw(st.sampled_from([0, 0, 1] if number == 0 else [0, 1, 3])),
            max_raises=draw(caps),
            first=draw(st.integers(0, seats - 1)),
        )
        for number in range(draw(st.integers(1, 3)))
    ]
    return PokerRules(
        name="any",
        deck=STANDARD,
        order=draw(st.sampled_from([HIGH_CARD, PAIR_OR_HIGH_CARD])),
        streets=tuple(streets),
        seats=seats,
        antes=(draw(st.integers(0, 3)),) * seats,
        blinds=tuple(draw(st.lists(st.integers(0, 4), max_size=seats))),
        limit=limit,
        stack=stack,
        reopen=draw(st.booleans()),
        checks=draw(st.integers(0, 3)) > 0,
    )


@st.composite
def fresh_hands(draw: st.DrawFn) -> Hand:
    rules = draw(games())
    stacks = draw(st.none() | st.lists(st.integers(1, 60), min_size=rules.seats, max_size=rules.seats))
    return Hand(rules, stacks)


@st.composite
def hands(draw: st.DrawFn) -> Hand:
    """A hand at any moment, from before the first card to after the last."""
    hand, random = draw(fresh_hands()), Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 40))):
        if hand.outcome is not None:
            break
        step(hand, random)
    return hand
