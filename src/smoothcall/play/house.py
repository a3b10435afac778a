"""The house: everybody's tables, played against agents and kept in a database.

Calls are short and come one at a time; what takes longer (loading an agent, correcting for luck) happens outside the lock.
A hand's move is in the database before it is answered, and a table in memory is only a copy of its rows: it may be put away at
any time, and after a failure it is.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from random import Random
from threading import RLock
from typing import TYPE_CHECKING

from smoothcall.errors import NotFound, Refused, Stale, Stranger, UsageError
from smoothcall.evaluation.match import Fixed
from smoothcall.games.cards import Cards
from smoothcall.games.hand import Hand
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game, game
from smoothcall.play import statistics
from smoothcall.play.agents import HOUSE_GAMES, Agents
from smoothcall.play.exports import Exported, to_json, to_phh
from smoothcall.play.sight import HandSight, Opponent, Results, TableSight, signed
from smoothcall.play.statistics import Marks, Played, Statistics, marks, summarise
from smoothcall.play.table import (
    Guest,
    guest_seats,
    let_guests_move,
    moments,
    replay,
    seat_of,
    shown_to,
    sight_of,
)
from smoothcall.players.match import GREEDY
from smoothcall.store.histories import Begun, Ending, Filter, HandRow, Histories, TableRow, now

if TYPE_CHECKING:  # loaded when first asked for: who only plays needs neither
    from smoothcall.evaluation.coach import Coach, Review
    from smoothcall.evaluation.luck import Luck

LIVE = 1000  # tables in memory; more are put away, the longest idle first
IDLE = timedelta(minutes=30)  # and those that nobody has asked for so long
OPEN = 50  # tables a person is shown
PAGE = 25  # hands on a page of the history
CORRECTED = 200  # hands corrected for luck at a time
EXPORTED = 20_000  # hands in one file

FORMS = ("phh", "json")


def shuffle(secret: str, size: int) -> tuple[int, ...]:
    """A fair shuffle that a secret decides."""
    return tuple(Random(secret).sample(range(size), size))


@dataclass(slots=True)
class _Live:
    """A table in memory."""

    row: TableRow
    rules: PokerRules
    guests: tuple[Guest, ...] | None  # None while nobody has to move: an agent may take long to load
    names: tuple[str, ...]  # of the opponents
    hand: Hand
    about: HandRow  # of the hand as it began; what changes since is in `hand`
    hands: int  # finished
    won: Fraction
    asked: datetime  # when it was last


@dataclass(frozen=True, slots=True)
class HandLine:
    """A finished hand in the history."""

    id: int
    table: str
    number: int
    game: str
    title: str
    opponents: str
    cards: tuple[str, ...]  # the person's
    board: tuple[str, ...]
    betting: str
    reason: str
    won: str
    won_chips: float
    corrected: float | None
    ended: datetime


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the history, the latest hands first."""

    hands: tuple[HandLine, ...]
    page: int  # from 1
    pages: int
    total: int


class House:
    """Opens tables, plays at them, and knows their past. `person` is always whom `person(token)` has found."""

    def __init__(
        self,
        histories: Histories,
        agents: Agents,
        *,
        clock: Callable[[], datetime] = now,
        secret: Callable[[], str] = lambda: secrets.token_urlsafe(16),
        shuffle: Callable[[str, int], tuple[int, ...]] = shuffle,
    ) -> None:
        self.agents = agents
        self._histories, self._clock, self._secret, self._shuffle = histories, clock, secret, shuffle
        self._live: OrderedDict[str, _Live] = OrderedDict()
        self._people: OrderedDict[str, int] = OrderedDict()
        self._lock = RLock()
        self._luck = lru_cache(maxsize=64)(self._make_luck)
        self._coach = lru_cache(maxsize=64)(self._make_coach)

    def close(self) -> None:
        self._histories.close()

    # People

    def newcomer(self) -> str:
        """A token for somebody new, to be kept by them alone."""
        token = f"{self._secret()}{self._secret()}"
        with self._lock:
            self._remember(token, self._histories.add_person(token, self._clock()))
        return token

    def person(self, token: str) -> int:
        with self._lock:
            known = self._people.get(token)
            if known is None:
                known = self._histories.person(token)
                if known is None:
                    raise Stranger("you are not known here, or no longer: go to the lobby to begin anew")
                self._remember(token, known)
            return known

    def _remember(self, token: str, person: int) -> None:
        self._people[token] = person
        if len(self._people) > 10 * LIVE:
            self._people.popitem(last=False)

    # Playing

    def open_table(self, person: int, game: str, opponents: Sequence[str]) -> TableSight:
        """A new table with its first hand. Opponents are entries of `agents`, in their order round the table."""
        title, rules = _seated_game(game)
        if len(opponents) != rules.seats - 1:
            raise UsageError(f"{title}: opponents named: {len(opponents)} (accepted: {rules.seats - 1})")
        guests = self._guests(game, opponents)
        row = TableRow(self._secret(), person, game, tuple(opponents), self._secret(), self._clock())
        with self._lock:
            hand, begun = self._begin(row, rules, guests, 1)
            about = self._histories.add_table(row, begun)
            live = _Live(row, rules, guests, self._names(opponents), hand, about, 0, Fraction(0), self._clock())
            self._count(live)
            self._keep(live)
            return self._sight(live)

    def tables(self, person: int, limit: int = OPEN) -> list[TableSight]:
        """A person's latest tables that can go on."""
        return [self.table(person, row.id) for row in self._histories.tables(person, limit) if self._can_go_on(row)]

    def table(self, person: int, id: str) -> TableSight:
        live = self._find(person, id)
        with self._lock:
            return self._sight(live)

    def act(self, person: int, id: str, letter: str, *, hand: int, move: int) -> TableSight:
        """Make a move in the hand of this number, which had this many moves when it was chosen."""
        live = self._find(person, id)
        guests = self._guests_at(live)
        with self._lock:
            played, about = live.hand, live.about
            if (about.number, len(played.moves)) != (hand, move):
                self._live.pop(id, None)  # or somebody else plays on in the same database
                raise Stale("this hand has gone on in the meantime")
            if played.finished:
                raise Stale("this hand is over")
            before = len(played.moves)
            with _dropped_on_failure(self._live, id, keep=lambda: len(played.moves) == before):
                played.play(letter)
                let_guests_move(played, about.deck, about.seat, guests, _choices_of(live.row, about.number))
                ending = self._ending(played, about.seat)
                self._histories.save(about.id, played.text, len(played.moves), after=before, ending=ending)
            self._count(live)
            return self._sight(live)

    def next_hand(self, person: int, id: str, *, hand: int) -> TableSight:
        """The hand after the one of this number, which must be over; asked twice, the same hand."""
        live = self._find(person, id)
        guests = self._guests_at(live)
        with self._lock:
            number = live.about.number
            if number == hand + 1:
                return self._sight(live)
            if number != hand:
                self._live.pop(id, None)
                raise Stale(f"hand {hand} is not the one at this table (it is hand {number})")
            if not live.hand.finished:
                raise Stale("this hand is not over yet")
            with _dropped_on_failure(self._live, id):
                played, begun = self._begin(live.row, live.rules, guests, number + 1)
                live.about = self._histories.add_hand(live.row, begun)
                live.hand = played
            self._count(live)
            return self._sight(live)

    # What became of it

    def results(self, person: int, id: str) -> Results:
        """What a person has won at a table, raw and corrected for luck."""
        row = self._table_row(person, id)
        hands = self._played(Filter(table=id), person)
        reason = self._why_not(row.game, row.opponents)
        maker = None if reason else self._luck_of(row.game, row.opponents, 0)
        known = [hand.corrected for hand in hands if hand.corrected is not None]
        return Results(
            hands=len(hands),
            won=signed(sum((hand.won for hand in hands), Fraction())),
            curve=tuple(map(float, accumulate(hand.won for hand in hands))),
            corrected_curve=tuple(accumulate(known)) if len(known) == len(hands) else (),
            raw=statistics.raw(hands),
            corrected=statistics.corrected(hands),
            note=reason or (maker.note if maker is not None else ""),
        )

    def coach(self, person: int, hand_id: int) -> Review:
        """What each of the person's decisions in a finished hand was worth."""
        row = self._hand_row(person, hand_id)
        if row.ended is None:
            raise Refused("the coach speaks when the hand is over")
        seen = self._seen(row)
        return self._coach(row.game, row.opponents, row.seat).review(*seen)

    def hands(self, person: int, chosen: Filter, *, page: int = 1) -> Page:
        chosen = self._widened(chosen)
        total = self._histories.count(person, chosen)
        pages = max(1, -(-total // PAGE))
        if not 1 <= page <= pages:
            raise NotFound(f"page {page} (accepted: 1 to {pages})")
        rows = self._histories.hands(person, chosen, limit=PAGE, offset=(page - 1) * PAGE)
        return Page(tuple(map(self._line, self._corrected(rows))), page, pages, total)

    def hand(self, person: int, hand_id: int) -> tuple[HandSight, ...]:
        """A hand at each of its moments, as the person saw it."""
        row = self._hand_row(person, hand_id)
        _, rules = _seated_game(row.game)
        names = names_of(row.seat, self._names(row.opponents))
        return moments(rules, row.deck, row.betting, row.seat, names, id=row.id, number=row.number)

    def statistics(self, person: int, chosen: Filter) -> Statistics:
        return summarise(self._played(self._widened(chosen), person))

    def export(self, person: int, chosen: Filter, form: str) -> str:
        """Finished hands as a file, the first ones first; cards that were not shown are not in it."""
        if form not in FORMS:
            raise UsageError(f"export as {form!r} (accepted: {', '.join(FORMS)})")
        rows = self._histories.hands(person, self._widened(chosen), limit=EXPORTED)[::-1]
        return (to_phh if form == "phh" else to_json)([self._exported(row) for row in rows])

    def may_explore(self, person: int, entry: str) -> None:
        """Refuse to show the strategy of somebody with whom the person is in a hand: it tells what they may hold."""
        near = self.agents.family(entry)
        for table, other in self._histories.opponents_in_hand(person):
            if other.removesuffix(GREEDY) in near:
                raise Refused(f"finish your hand first: the strategy of {self._name(entry)} tells what it may hold", table)

    # How it works

    def _begin(self, row: TableRow, rules: PokerRules, guests: Sequence[Guest], number: int) -> tuple[Hand, Begun]:
        deck = self._shuffle(f"{row.seed}/{number}/deck", rules.deck.size)
        hand, seat = Hand(rules), seat_of(number, rules.seats)
        let_guests_move(hand, deck, seat, guests, _choices_of(row, number))
        return hand, Begun(number, seat, deck, hand.text, len(hand.moves), self._clock(), self._ending(hand, seat))

    def _ending(self, hand: Hand, seat: int) -> Ending | None:
        outcome = hand.outcome
        if outcome is None:
            return None
        return Ending(
            ended=self._clock(),
            reason=outcome.reason,
            payoffs=tuple(map(str, outcome.payoffs)),
            won=float(outcome.payoffs[seat]),
            marks=asdict(marks(hand, seat)),
        )

    def _count(self, live: _Live) -> None:
        if (outcome := live.hand.outcome) is not None:
            live.hands += 1
            live.won += outcome.payoffs[live.about.seat]

    def _sight(self, live: _Live) -> TableSight:
        about, row = live.about, live.row
        return TableSight(
            id=row.id,
            game=row.game,
            title=_seated_game(row.game)[0],
            opponents=tuple(Opponent(entry, name) for entry, name in zip(row.opponents, live.names, strict=True)),
            hands=live.hands,
            won=signed(live.won),
            hand=sight_of(live.hand, about.seat, names_of(about.seat, live.names), id=about.id, number=about.number),
        )

    def _find(self, person: int, id: str) -> _Live:
        """A person's table, taken out of the database where it was put away."""
        with self._lock:
            live = self._live.get(id)
            if live is not None:
                if live.row.person != person:
                    raise _no_table(id)
                self._live.move_to_end(id)
                live.asked = self._clock()
                return live
            row = self._table_row(person, id)
            _, rules = _seated_game(row.game)
            about, (hands, won) = self._histories.last_hand(id), self._histories.total(id)
            hand = replay(rules, about.deck, split_moves(about.betting))
            live = _Live(row, rules, None, self._names(row.opponents), hand, about, hands, won, self._clock())
            self._keep(live)
            return live

    def _keep(self, live: _Live) -> None:
        """Keep a table in memory, and put away those that were idle for long."""
        self._live[live.row.id] = live
        while len(self._live) > LIVE or next(iter(self._live.values())).asked < live.asked - IDLE:
            self._live.popitem(last=False)

    def put_away(self) -> None:
        """Forget every table in memory; each comes back from the database when it is asked for."""
        with self._lock:
            self._live.clear()

    def _table_row(self, person: int, id: str) -> TableRow:
        row = self._histories.table(id)
        if row is None or row.person != person:
            raise _no_table(id)
        return row

    def _hand_row(self, person: int, hand_id: int) -> HandRow:
        row = self._histories.hand(hand_id) if 0 < hand_id < 2**31 else None
        if row is None or row.person != person:
            raise NotFound(f"there is no hand {hand_id} of yours")
        return row

    def ready(self, id: str) -> bool:
        """Whether a move at a table is answered at once: nothing has to be loaded first."""
        with self._lock:
            live = self._live.get(id)
            return live is not None and live.guests is not None

    def _guests_at(self, live: _Live) -> tuple[Guest, ...]:
        if live.guests is None:
            if not self._can_go_on(live.row):
                raise UsageError(
                    f"{', '.join(live.names)} cannot play here any more: was the file in another folder of agents?"
                )
            live.guests = self._guests(live.row.game, live.row.opponents)
        return live.guests

    def _can_go_on(self, row: TableRow) -> bool:
        """Whether a table's game and opponents are still there: if not, its hands stay in the history."""
        try:
            for entry in row.opponents:
                self.agents.verify_fits(entry, row.game)
        except UsageError:
            return False
        return row.game in HOUSE_GAMES

    def _guests(self, game: str, opponents: Sequence[str]) -> tuple[Guest, ...]:
        """The opponents, ready to play; may take as long as an agent takes to load."""
        for entry in opponents:
            self.agents.verify_fits(entry, game)
        made = []
        for entry in opponents:
            random = Random()
            made.append(Guest(self.agents.player(entry, random), random))
        return tuple(made)

    def _names(self, entries: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(self._name, entries))

    def _name(self, entry: str) -> str:
        try:
            return self.agents.card(entry).name
        except UsageError:  # its file is gone; hands against it stay
            return entry

    def _seen(self, row: HandRow) -> tuple[Cards, list[Cards], str]:
        """What the person saw of a hand: own cards, boards, betting."""
        hand = replay(_seated_game(row.game)[1], row.deck, split_moves(row.betting))
        return hand.hole[row.seat], hand.boards, row.betting

    # Luck

    def _others(self, opponents: Sequence[str], seat: int) -> dict[int, Fixed]:
        seats = guest_seats(seat, len(opponents) + 1)
        return {place: self.agents.strategy(entry) for place, entry in zip(seats, opponents, strict=True)}

    def _make_luck(self, played: str, opponents: tuple[str, ...], seat: int) -> Luck | None:
        from smoothcall.evaluation.luck import luck

        return luck(_table_game(played), seat, self._others(opponents, seat))

    def _luck_of(self, played: str, opponents: tuple[str, ...], seat: int) -> Luck | None:
        return self._luck(played, opponents, seat)

    def _why_not(self, played: str, opponents: tuple[str, ...]) -> str:
        """Why luck cannot be corrected, "" where it can."""
        from smoothcall.evaluation.luck import why_not

        try:
            return why_not(_table_game(played), self._others(opponents, 0))
        except UsageError as error:
            return str(error)

    def _make_coach(self, played: str, opponents: tuple[str, ...], seat: int) -> Coach:
        from smoothcall.evaluation.coach import Coach

        others = self._others(opponents, seat)
        return Coach(_table_game(played), seat, others, equilibrium=self.agents.equilibrium(played))

    def _corrected(self, rows: list[HandRow]) -> list[HandRow]:
        """The same hands, some of those that were not corrected for luck now corrected, the latest first."""
        found: dict[int, float] = {}
        reasons: dict[tuple[str, tuple[str, ...]], str] = {}
        for row in rows:
            if row.corrected is not None or len(found) >= CORRECTED:
                continue
            table = (row.game, row.opponents)
            if table not in reasons:
                reasons[table] = self._why_not(*table)
            maker = None if reasons[table] else self._luck_of(*table, row.seat)
            if maker is not None:
                found[row.id] = maker.corrected(*self._seen(row))
        if found:
            self._histories.correct(found)
        return [replace(row, corrected=found[row.id]) if row.id in found else row for row in rows]

    # Histories

    def _widened(self, chosen: Filter) -> Filter:
        """An opponent's hands are also those against earlier moments of it, and against its likeliest actions."""
        if chosen.opponent is None or chosen.opponent.endswith(GREEDY):
            return chosen
        try:
            near = self.agents.family(chosen.opponent)
        except UsageError:  # nobody of that name, or no longer: hands stay
            near = {chosen.opponent}
        return replace(chosen, entries=tuple(sorted(near | {f"{entry}{GREEDY}" for entry in near})))

    def _played(self, chosen: Filter, person: int) -> list[Played]:
        """Finished hands in the order they were played, corrected for luck as far as that goes."""
        return [
            Played(
                title=_seated_game(row.game)[0],
                won=Fraction(row.payoffs[row.seat]),
                blind=_table_game(row.game).blind,
                corrected=row.corrected,
                marks=Marks(**(row.marks or {})),
            )
            for row in self._corrected(self._histories.hands(person, chosen))[::-1]
        ]

    def _line(self, row: HandRow) -> HandLine:
        title, rules = _seated_game(row.game)
        hole, boards, _ = self._seen(row)
        return HandLine(
            id=row.id,
            table=row.table,
            number=row.number,
            game=row.game,
            title=title,
            opponents=", ".join(self._names(row.opponents)),
            cards=tuple(map(rules.deck.name, hole)),
            board=tuple(rules.deck.name(card) for cards in boards for card in cards),
            betting=row.betting,
            reason=row.reason,
            won=signed(Fraction(row.payoffs[row.seat])),
            won_chips=float(row.won or 0),
            corrected=row.corrected,
            ended=(row.ended or row.started).replace(tzinfo=UTC),
        )

    def _exported(self, row: HandRow) -> Exported:
        hand = replay(_seated_game(row.game)[1], row.deck, split_moves(row.betting))
        return Exported(
            hand=hand,
            seat=row.seat,
            shown=shown_to(hand, row.seat, hand.outcome),
            names=tuple(names_of(row.seat, self._names(row.opponents))),
            table=row.table,
            number=row.number,
            ended=row.ended or row.started,
            game=row.game,
        )


class _dropped_on_failure:
    """Forget a table in memory when something fails on the way, unless nothing has changed yet."""

    def __init__(self, live: OrderedDict[str, _Live], id: str, keep: Callable[[], bool] = lambda: False) -> None:
        self._live, self._id, self._keep = live, id, keep

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None and not self._keep():
            self._live.pop(self._id, None)


@lru_cache(maxsize=64)
def _table_game(spec: str) -> Game:
    return game(spec)


def _seated_game(spec: str) -> tuple[str, PokerRules]:
    """(title, rules) of a game that people play."""
    title = HOUSE_GAMES.get(spec)
    if title is None:
        raise UsageError(f"game {spec!r} (accepted at a table: {', '.join(HOUSE_GAMES)})")
    rules = _table_game(spec).rules
    assert isinstance(rules, PokerRules)
    return title, rules


def names_of(seat: int, opponents: Sequence[str]) -> list[str]:
    """The name in each seat; the person's is "You"."""
    names = ["You"] * (len(opponents) + 1)
    for place, name in zip(guest_seats(seat, len(names)), opponents, strict=True):
        names[place] = name
    return names


def _choices_of(row: TableRow, number: int) -> str:
    """The secret that decides the opponents' random choices in a hand."""
    return f"{row.seed}/{number}/moves"


def _no_table(id: str) -> NotFound:
    return NotFound(f"there is no table {id[:40]!r} of yours")
