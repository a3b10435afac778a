"""The full state of a hand at a table, all cards included, and a person's view of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from smoothcall.agents.view import STRANGER, Habits, Player, view_of, visible_hole_cards
from smoothcall.games.betting import Call, Fold, Post, Raise
from smoothcall.games.cards import Cards
from smoothcall.games.hand import Deal, Hand, Outcome
from smoothcall.games.notation import move_name, split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.play.person_view import Choice, Event, HandView, SeatView, signed

_STREETS = ("Preflop", "Flop", "Turn", "River")


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
    hand: Hand, deck: Sequence[int], seat: int, players: Sequence[OpponentPlayer], secret: str, habits: Habits = STRANGER
) -> None:
    """Play on to the person's turn or to the end of the hand. `secret` seeds the opponents' random choices.

    `habits` of the person are from earlier hands; a single opponent knows them.
    """
    sitting = dict(zip(opponent_seats(seat, hand.rules.seats), players, strict=True))
    deal_from(hand, deck)
    while hand.player is not None and hand.player != seat:
        opponent = sitting[hand.player]
        opponent.random.seed(f"{secret}/{len(hand.moves)}")
        hand.play(opponent.player.act(view_of(hand, hand.player, habits if len(players) == 1 else STRANGER)))
        deal_from(hand, deck)


# A person's view


def view_hand(hand: Hand, seat: int, names: Sequence[str], *, id: int, number: int, choosing: bool = True) -> HandView:
    """Return a hand as a seat sees it. `names` are those of all seats; `choosing`: whether to list legal moves."""
    outcome = hand.outcome
    shown = visible_hole_cards(hand, seat)
    names = [name if place != seat else "You" for place, name in enumerate(names)]
    turn = hand.player if hand.due is None else None
    won = None if outcome is None else signed(outcome.payoffs[seat])
    return HandView(
        id=id,
        number=number,
        seat=seat,
        street=hand.street,
        street_name=street_name(hand.rules, hand.street),
        boards=tuple(tuple(map(hand.rules.deck.name, cards)) for cards in hand.boards),
        pot=hand.pot,
        betting=hand.text,
        move=len(hand.moves),
        seats=tuple(_view_seat(hand, place, name, seat, shown, outcome, turn) for place, name in enumerate(names)),
        events=tuple(_events(hand, seat, names, shown, outcome)),
        choices=_choices(hand) if choosing and turn == seat else (),
        over=outcome is not None,
        reason=outcome.reason if outcome is not None else "",
        won=won,
        won_chips=None if outcome is None else float(outcome.payoffs[seat]),
    )


def street_name(rules: PokerRules, street: int) -> str:
    return _STREETS[street] if len(rules.streets) == len(_STREETS) else f"Round {street + 1}"


def button_of(rules: PokerRules) -> int:
    """Return the seat with the dealer button: the last one, or the small blind heads-up."""
    return 0 if rules.seats == 2 and rules.blinds else rules.seats - 1


def _view_seat(
    hand: Hand, place: int, name: str, seat: int, shown: Sequence[Cards], outcome: Outcome | None, turn: int | None
) -> SeatView:
    rules, cards = hand.rules, shown[place]
    showdown = outcome is not None and outcome.reason == "showdown"
    return SeatView(
        seat=place,
        name=name,
        you=place == seat,
        cards=tuple(map(rules.deck.name, cards)),
        hidden=len(hand.hole[place]) - len(cards),
        stack=_stack(hand, place, outcome),
        paid=hand.paid[place],
        bet=hand.bets[place],
        alive=hand.alive[place],
        turn=turn == place,
        button=place == button_of(rules),
        won=None if outcome is None else signed(outcome.payoffs[place]),
        hand=_describe(rules, cards, hand.board) if showdown and cards and hand.alive[place] else "",
    )


def _stack(hand: Hand, place: int, outcome: Outcome | None) -> int | None:
    """Return the chips a seat has left, after the hand including its winnings, rounded down."""
    if hand.rules.stack is None:
        return None
    return hand.stack(place) if outcome is None else int(hand.starting[place] + outcome.payoffs[place])


def _describe(rules: PokerRules, hole: Cards, board: Cards) -> str:
    return rules.order.describe(rules.deck, hole, board)


def _choices(hand: Hand) -> tuple[Choice, ...]:
    """Return the legal moves of the player to act."""
    player, owed, span = hand.player, hand.to_call, hand.raises
    assert player is not None
    found = [Choice("f", "Fold", 0)] if hand.can_fold() else []
    found += [Choice("c", move_name(hand, "c"), owed)] if hand.can_call() else []
    if span is None:
        return tuple(found)
    low, high = span
    paid = hand.paid[player]
    if hand.rules.limit:
        found.append(Choice("r", move_name(hand, "r"), low - paid))
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
    named = [("least", low), ("1/2 pot", called + pot // 2), ("pot", called + pot), ("all in", high)]
    found = {total: name for name, total in named if low <= total <= high}  # of equal totals, keep the later name
    return tuple((name, total) for total, name in sorted(found.items()))


def _events(hand: Hand, seat: int, names: Sequence[str], shown: Sequence[Cards], outcome: Outcome | None) -> list[Event]:
    """Return the log of the hand."""
    rules, found, street = hand.rules, [], 0
    bets = [0] * rules.seats  # on this street
    for record in hand.records:
        if isinstance(record, Deal):
            cards = " ".join(map(rules.deck.name, record.cards))
            if record.street != street:
                street, bets = record.street, [0] * rules.seats
            if record.player is None:
                found.append(Event(street, None, f"{street_name(rules, street)}: {cards}", "deal"))
            elif record.player == seat:
                found.append(Event(street, seat, f"You are dealt {cards}", "deal"))
        elif isinstance(record, Post):
            bets[record.player] += record.amount if record.kind == "blind" else 0
            verb = {"ante": "ante", "blind": "post the blind,"}[record.kind]
            found.append(Event(0, record.player, _says(names, record.player, seat, verb, str(record.amount)), "post"))
        else:
            found.append(Event(street, record.player, _move_text(hand, record, bets, names, seat), "move"))
    if outcome is not None:
        found += _ending(hand, seat, names, shown, outcome)
    return found


def _move_text(hand: Hand, record: Fold | Call | Raise, bets: list[int], names: Sequence[str], seat: int) -> str:
    """Return a move in words and update `bets`."""
    player = record.player
    if isinstance(record, Fold):
        return _says(names, player, seat, "fold")
    highest = max(bets)
    bets[player] += record.amount
    if isinstance(record, Raise):
        spent = " (all in)" if hand.rules.stack is not None and record.total == hand.starting[player] else ""
        if highest == 0:
            return _says(names, player, seat, "bet", f"{record.amount}{spent}")
        return _says(names, player, seat, "raise", f"to {bets[player]}{spent}")
    return _says(names, player, seat, "call", str(record.amount)) if record.amount else _says(names, player, seat, "check")


def _says(names: Sequence[str], player: int, seat: int, verb: str, rest: str = "") -> str:
    """Return a sentence such as `You raise to 20` or `Probe raises to 20`."""
    first, *more = verb.split(" ")
    spoken = " ".join([first if player == seat else f"{first}s", *more])
    return " ".join(filter(None, [names[player], spoken, rest]))


def _ending(hand: Hand, seat: int, names: Sequence[str], shown: Sequence[Cards], outcome: Outcome) -> list[Event]:
    street, rules, found = hand.street, hand.rules, []
    if outcome.reason == "showdown":
        for place in range(rules.seats):
            if hand.alive[place] and shown[place]:
                cards = " ".join(map(rules.deck.name, shown[place]))
                what = _describe(rules, shown[place], hand.board)
                found.append(Event(street, place, _says(names, place, seat, "show", f"{cards}: {what}"), "show"))
    for place, chips in enumerate(outcome.payoffs):
        if chips > 0:
            found.append(Event(street, place, _says(names, place, seat, "win", str(chips)), "end"))
    if not any(outcome.payoffs):
        found.append(Event(street, None, "The pot is shared: nobody wins", "end"))
    return found


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
) -> tuple[HandView, ...]:
    """Return the views of a seat before the first and after each move of a hand."""
    moves = split_moves(betting)
    return tuple(
        view_hand(replay(rules, deck, moves[:made], stacks), seat, names, id=id, number=number, choosing=False)
        for made in range(len(moves) + 1)
    )
