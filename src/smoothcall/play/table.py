"""The full state of a hand at a table, all cards included, and a person's view of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from smoothcall.agents.view import NO_HABITS, Habits, Player, view_of, visible_hole_cards
from smoothcall.games.cards import Cards
from smoothcall.games.hand import Hand, Outcome
from smoothcall.games.notation import move_name, split_moves
from smoothcall.games.pots import amounts
from smoothcall.games.rules import PokerRules
from smoothcall.play.log import Log, Money, Settlement, last_actions, made_hands, position_of, settle, street_name
from smoothcall.play.person_view import CHIPS, Choice, HandView, SeatView, money_text, signed


def deal_from(hand: Hand, deck: Sequence[int]) -> None:
    """Deal everything that is due from a deck whose first cards are those dealt so far."""
    while (due := hand.due) is not None:
        dealt = sum(map(len, hand.hole)) + len(hand.board)
        hand.deal(tuple(deck[dealt : dealt + due.count]))


def replay(rules: PokerRules, deck: Sequence[int], moves: Sequence[str], stacks: Sequence[int] | None = None) -> Hand:
    """Return a hand after these moves; `stacks` are the starting stacks, None: full."""
    hand = Hand(rules, stacks)
    deal_from(hand, deck)
    for move in moves:
        hand.play(move)
        deal_from(hand, deck)
    return hand


@dataclass(frozen=True, slots=True)
class OpponentPlayer:
    """An opponent at a table. Its generator is seeded before each move, so that a move can be repeated."""

    player: Player
    random: Random


def seat_of(number: int, seats: int) -> int:
    """Return the person's seat in the hand of this number (from 1): seats rotate."""
    return (number - 1) % seats


def opponent_seats(seat: int, seats: int) -> list[int]:
    """Return the opponents' seats in their order around the table."""
    return [(seat + 1 + place) % seats for place in range(seats - 1)]


def carried_over(hand: Hand, full: int, *, person: int, rebuy: bool) -> tuple[int, ...]:
    """Return the stacks of the next hand of a cash table, in the seats that everybody moves to.

    Odd chips go to the first seats that share them. Whoever of the others has no chips buys in; the person, with `rebuy`.
    """
    outcome = hand.outcome
    assert outcome is not None
    exact = [chips + net for chips, net in zip(hand.starting, outcome.payoffs, strict=True)]
    left = [int(chips) for chips in exact]
    odd = [seat for seat, chips in enumerate(exact) if chips.denominator > 1]
    for seat in odd[: sum(hand.starting) - sum(left)]:
        left[seat] += 1
    bought = [max(chips, full) if (rebuy if seat == person else not chips) else chips for seat, chips in enumerate(left)]
    return tuple(bought[-1:] + bought[:-1])


def next_stacks(hand: Hand, full: int, *, freezeout_over: bool) -> tuple[int, ...]:
    """Return the stacks of the next hand of a match, in the seats that the two players change to.

    A freezeout begins with full stacks.
    """
    if freezeout_over:
        return full, full
    outcome = hand.outcome
    assert outcome is not None
    left = [int(chips + net) for chips, net in zip(hand.starting, outcome.payoffs, strict=True)]  # two share no odd chip
    return left[1], left[0]


def let_opponents_act(
    hand: Hand, deck: Sequence[int], seat: int, players: Sequence[OpponentPlayer], secret: str, habits: Habits = NO_HABITS
) -> None:
    """Play on to the person's turn or to the end of the hand. `secret` seeds the opponents' random choices.

    `habits` of the person are from earlier hands; a single opponent knows them.
    """
    sitting = dict(zip(opponent_seats(seat, hand.rules.seats), players, strict=True))
    deal_from(hand, deck)
    while hand.player is not None and hand.player != seat:
        opponent = sitting[hand.player]
        opponent.random.seed(f"{secret}/{len(hand.moves)}")
        hand.play(opponent.player.act(view_of(hand, hand.player, habits if len(players) == 1 else NO_HABITS)))
        deal_from(hand, deck)


# A person's view


def view_hand(
    hand: Hand,
    seat: int,
    names: Sequence[str],
    *,
    id: int,
    number: int,
    choosing: bool = True,
    unit: str = CHIPS,
) -> HandView:
    """Return a hand as a seat sees it. `names` are those of all seats; `choosing`: whether to list legal moves."""
    outcome, rules = hand.outcome, hand.rules
    shown = visible_hole_cards(hand, seat)
    names = [name if place != seat else "You" for place, name in enumerate(names)]
    turn = hand.player if hand.due is None else None
    blind = max([*rules.blinds, *([] if rules.blinds else rules.antes)])
    money = partial(money_text, unit=unit, blind=blind)
    settled, made = None if outcome is None else settle(hand, outcome), made_hands(hand, shown, outcome)
    log = Log(hand, seat, names, shown, outcome, settled, made, money)
    return HandView(
        id=id,
        number=number,
        seat=seat,
        street=hand.street,
        street_name=street_name(rules, hand.street),
        boards=tuple(tuple(map(rules.deck.name, cards)) for cards in hand.boards),
        pot=hand.pot if settled is None else settled.chips,
        pots=_side_pots(hand) if settled is None else tuple(pot.chips for pot, _ in settled.pots),
        betting=hand.text,
        move=len(hand.moves),
        seats=_view_seats(hand, names, seat, shown, outcome, settled, made, turn, money),
        events=tuple(log.events()),
        choices=_choices(hand, money) if choosing and turn == seat else (),
        over=outcome is not None,
        unit=unit,
        blind=blind,
        reason=outcome.reason if outcome is not None else "",
        verdict=log.verdict(),
        won=None if outcome is None else signed(outcome.payoffs[seat]),
        won_chips=None if outcome is None else float(outcome.payoffs[seat]),
    )


def _side_pots(hand: Hand) -> tuple[int, ...]:
    """Return the chips in the main pot and in the side pots while a hand is played."""
    spent = {hand.paid[seat] for seat in range(hand.rules.seats) if hand.alive[seat] and hand.stack(seat) == 0}
    return tuple(amounts(hand.paid, [*sorted(level for level in spent if level < max(hand.paid)), max(hand.paid)]))


def button_of(rules: PokerRules) -> int:
    """Return the seat with the dealer button: the last one, or the small blind heads-up."""
    return 0 if rules.seats == 2 and rules.blinds else rules.seats - 1


def _view_seats(
    hand: Hand,
    names: Sequence[str],
    seat: int,
    shown: Sequence[Cards],
    outcome: Outcome | None,
    settled: Settlement | None,
    made: Sequence[str],
    turn: int | None,
    money: Money,
) -> tuple[SeatView, ...]:
    rules, did = hand.rules, last_actions(hand, money)
    returned, chips = (settled.returned if settled is not None else None) or (-1, 0)
    return tuple(
        SeatView(
            seat=place,
            name=name,
            you=place == seat,
            cards=tuple(map(rules.deck.name, sorted(shown[place], reverse=True))),
            hidden=len(hand.hole[place]) - len(shown[place]),
            stack=_stack(hand, place, outcome),
            began=None if rules.stack is None else hand.starting[place],
            paid=hand.paid[place],
            bet=hand.bets[place],
            alive=hand.alive[place],
            turn=turn == place,
            button=place == button_of(rules),
            position=position_of(rules, place),
            did=did[place][0],
            action=did[place][1],
            won=None if outcome is None else signed(outcome.payoffs[place]),
            collected=None if settled is None else str(settled.collected(place)),
            returned=chips if place == returned else 0,
            hand=made[place],
        )
        for place, name in enumerate(names)
    )


def _stack(hand: Hand, place: int, outcome: Outcome | None) -> int | None:
    """Return the chips a seat has left, after the hand including its winnings, rounded down."""
    if hand.rules.stack is None:
        return None
    return hand.stack(place) if outcome is None else int(hand.starting[place] + outcome.payoffs[place])


def _choices(hand: Hand, money: Money) -> tuple[Choice, ...]:
    """Return the legal moves of the player to act."""
    player, owed, span = hand.player, hand.to_call, hand.raises
    assert player is not None
    found = [Choice("f", "Fold", 0)] if hand.can_fold() else []
    found += [Choice("c", move_name(hand, "c", money), owed)] if hand.can_call() else []
    if span is None:
        return tuple(found)
    low, high = span
    paid = hand.paid[player]
    if hand.rules.limit:
        found.append(Choice("r", move_name(hand, "r", money), low - paid))
    else:
        word = "Raise" if max(hand.bets) > 0 else "Bet"
        found.append(Choice("r", word, low - paid, low, high, _presets(hand, low, high), paid - hand.bets[player]))
    return tuple(found)


def _presets(hand: Hand, low: int, high: int) -> tuple[tuple[str, int], ...]:
    """Return named totals of raises: the minimum, fractions of the pot, all in."""
    player = hand.player
    assert player is not None
    called = hand.paid[player] + hand.to_call
    pot = hand.pot + hand.to_call
    named = [("min", low), ("1/2 pot", called + pot // 2), ("pot", called + pot), ("all in", high)]
    found = {total: name for name, total in named if low <= total <= high}  # of equal totals, keep the later name
    return tuple((name, total) for total, name in sorted(found.items()))


def hand_steps(
    rules: PokerRules,
    deck: Sequence[int],
    betting: str,
    seat: int,
    names: Sequence[str],
    *,
    id: int,
    number: int,
    stacks: Sequence[int] | None = None,
    unit: str = CHIPS,
) -> tuple[HandView, ...]:
    """Return the views of a seat before the first and after each move of a hand."""
    moves = split_moves(betting)
    return tuple(
        view_hand(replay(rules, deck, moves[:made], stacks), seat, names, id=id, number=number, choosing=False, unit=unit)
        for made in range(len(moves) + 1)
    )
