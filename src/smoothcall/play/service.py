"""The play service: all tables, played against agents and kept in a database.

Every table has a lock of its own, held while it is used; the lock of all tables is never held while something is waited for.
A move is in the database before it is answered. A table in memory is only a cache of its rows: it may be evicted at any time,
and is after a failure. Where other processes use the same database (`shared`), every request reads who is asking and the last
hand of the table, and takes over what has changed; only a move that was chosen at what is in memory is written at once, because
the database refuses it if the hand has gone on.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import datetime
from random import Random
from time import monotonic, sleep

from smoothcall.errors import Conflict, Forbidden, Overloaded, UsageError
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.play.history import History, names_of, no_table, replayed, short_names
from smoothcall.play.live import LiveTable, LiveTables, choices_of, dropped_on_failure
from smoothcall.play.opponents import Agents
from smoothcall.play.people import NOBODY, People
from smoothcall.play.person_view import Opponent, TableView, signed
from smoothcall.play.settings import Settings, changed, read_settings
from smoothcall.play.stakes import seated_game, title_of
from smoothcall.play.standing import Standing, match_of, new_standing
from smoothcall.play.statistics import marks
from smoothcall.play.table import (
    OpponentPlayer,
    carried_over,
    let_opponents_act,
    next_stacks,
    seat_of,
    view_hand,
)
from smoothcall.store.deadlines import remaining
from smoothcall.store.histories import Histories
from smoothcall.store.records import Begun, Ending, TableRow, now

SETTINGS = 10_000  # people whose settings are in memory
OPEN = 50  # tables listed for a person
MAX_TABLES = 200  # tables of a person that are not closed
MAX_FREEZEOUTS = 100  # in a match


def shuffle(secret: str, size: int) -> tuple[int, ...]:
    """Return a fair shuffle of a deck, determined by a secret."""
    return tuple(Random(secret).sample(range(size), size))


class PlayService(History):
    """Opens tables, plays hands and reads their history. `person` is always an id returned by `person(token)`."""

    def __init__(
        self,
        histories: Histories,
        agents: Agents,
        *,
        clock: Callable[[], datetime] = now,
        secret: Callable[[], str] = lambda: secrets.token_urlsafe(16),
        shuffle: Callable[[str, int], tuple[int, ...]] = shuffle,
        max_tables: int = MAX_TABLES,
        shared: bool = False,
    ) -> None:
        """`shared`: other processes use the same database, and any of them may get a person's next request."""
        super().__init__(histories, agents)
        self.shared = shared
        self.period = 0.0  # seconds; where it is shared, a move is written at a multiple of it after the opponents began to act
        self._clock, self._secret, self._shuffle = clock, secret, shuffle
        self._live = LiveTables()
        self.people = People(histories, clock, secret, remember=not shared)
        agents.cache.users.add(self)
        self._max_tables = max_tables
        self._settings: OrderedDict[int, Settings] = OrderedDict()  # by person
        self._lock = self._live.lock  # also of `_settings`

    def close(self) -> None:
        self._histories.close()

    # People

    def newcomer(self) -> str:
        """Add a person and return their secret token."""
        return self.people.add()[0]

    def person(self, token: str) -> int:
        """Return the person of a token, whose settings are in memory afterwards."""
        person = self.people.person(token)
        if self.shared and (found := self.people.settings_of(token)) is not None:
            self._remember_settings(person, read_settings(found))
        self.settings(person)
        return person

    # Playing

    def open_table(
        self, person: int, game: str, opponents: Sequence[str], *, freezeouts: int = 0, cash: bool = False
    ) -> TableView:
        """Open a table and deal its first hand. `opponents` are player ids in their order around the table.

        With `freezeouts` the table is a match of so many freezeouts; with `cash`, chips are carried over and whoever has none
        buys in again; otherwise every hand begins with full stacks.
        """
        title, rules = seated_game(game)
        if len(opponents) != rules.seats - 1:
            raise UsageError(f"{title}: opponents named: {len(opponents)} (accepted: {rules.seats - 1})")
        if not 0 <= freezeouts <= MAX_FREEZEOUTS:
            raise UsageError(f"freezeouts={freezeouts} (accepted: 0 to {MAX_FREEZEOUTS})")
        if freezeouts and not has_matches(rules):
            raise UsageError(f"{title} is played hand by hand (accepted as a match: no-limit games for two)")
        if cash and (freezeouts or rules.stack is None):
            raise UsageError(f"{title} is no cash game (accepted: no-limit games, no match)")
        carried = cash or freezeouts > 0
        players = self._seat_opponents(game, opponents, carried=carried)
        row = TableRow(self._secret(), person, game, tuple(opponents), self._secret(), self._clock(), freezeouts, cash)
        self._verify_may_open(person)
        full, standing = (rules.stack or 0,) * rules.seats if carried else None, new_standing(row)
        with self._in_periods():
            hand, begun = self._begin(row, rules, players, 1, full, standing)
        about = self._histories.add_table(row, begun)
        live = LiveTable(row, rules, players, self._names(opponents), hand, about, standing, self._clock())
        self._count(live, begun.ending)
        self._keep(live)
        self._release_dropped(live)
        return self._view(live)

    def tables(self, person: int, limit: int = OPEN) -> list[TableView]:
        """Return a person's latest tables whose game and opponents still exist."""
        return [self.table(person, row.id) for row in self._histories.tables(person, limit) if self._can_go_on(row)]

    def table(self, person: int, id: str) -> TableView:
        with self._held(person, id) as live:
            return self._view(live)

    def table_at_once(self, person: int, id: str) -> TableView | None:
        """Return a table if it is in memory, current and used by nobody, without waiting for anything."""
        with self._lock:
            live = None if self.shared else self._live.get(id)
        if live is None or live.row.person != person or not live.lock.acquire(blocking=False):
            return None
        try:
            return self._view(live) if self._live.get(id) is live else None
        finally:
            live.lock.release()

    def act(self, person: int, id: str, letter: str, *, hand: int, move: int) -> TableView:
        """Make a move in the hand of this number; `move` is the number of moves when it was chosen."""
        with self._held(person, id, chosen_at=(hand, move)) as live:
            players = self._players_at(live)
            played, about = live.hand, live.about
            if live.at != (hand, move):
                self._live.drop(id)  # another process may use the same database
                raise Conflict("this hand has gone on in the meantime")
            if played.finished:
                raise Conflict("this hand is over")
            before = len(played.moves)
            with dropped_on_failure(self._live, id, keep=lambda: len(played.moves) == before):
                played.play(letter)
                secret, habits = choices_of(live.row, about.number), live.standing.known_habits
                with self._in_periods():
                    let_opponents_act(played, about.deck, about.seat, players, secret, habits)
                ending = self._ending(played, about.seat)
                self._histories.save(about.id, played.text, len(played.moves), after=before, ending=ending)
            self._count(live, ending)
            return self._view(live)

    def next_hand(self, person: int, id: str, *, hand: int, rebuy: bool = False) -> TableView:
        """Deal the hand after the one of this number, which must be over. Idempotent.

        `rebuy`: at a cash table, buy in for a full stack.
        """
        if self.shared and (live := self._find(person, id)).hand.finished and live.about.number == hand:
            with suppress(Conflict):  # where another process has dealt it, the database says so, and the table is read again
                return self._next_hand(person, id, hand, live.at, rebuy=rebuy)
        return self._next_hand(person, id, hand, None, rebuy=rebuy)

    def _next_hand(self, person: int, id: str, hand: int, chosen_at: tuple[int, int] | None, *, rebuy: bool) -> TableView:
        with self._held(person, id, chosen_at) as live:
            players, number = self._players_at(live), live.about.number
            if number == hand + 1:
                return self._view(live)
            if number != hand:
                self._live.drop(id)
                raise Conflict(f"hand {hand} is not the one at this table (it is hand {number})")
            if not live.hand.finished:
                raise Conflict("this hand is not over yet")
            match = match_of(live.row, live.standing)
            if live.row.closed is not None:
                raise Forbidden("this table is closed", id)
            if match is not None and match.over:
                raise Forbidden(f"this match is over: you have won {match.won} of its {match.freezeouts} freezeouts", id)
            with dropped_on_failure(self._live, id):
                full, over = live.rules.stack or 0, live.standing.freezeout_over
                stacks = None if match is None else next_stacks(live.hand, full, freezeout_over=over)
                if live.row.cash:
                    own = seat_of(number, live.rules.seats)
                    stacks = carried_over(live.hand, full, person=own, rebuy=rebuy)
                    if not min(stacks):
                        raise Forbidden("you have no chips left: rebuy to go on", id)
                with self._in_periods():
                    played, begun = self._begin(live.row, live.rules, players, number + 1, stacks, live.standing)
                live.about = self._histories.add_hand(live.row, begun)
                live.hand = played
            self._count(live, begun.ending)
            return self._view(live)

    def close_table(self, person: int, id: str) -> TableView:
        """Leave a table for good: the hand is folded, and its hands stay in the history."""
        view = self.table(person, id)
        while not view.hand.over:
            letter = "f" if any(choice.letter == "f" for choice in view.hand.choices) else "c"
            view = self.act(person, id, letter, hand=view.hand.number, move=view.hand.move)
        with self._held(person, id):
            self._live.drop(id)
            self._histories.close_table(id, self._clock())
        return self.table(person, id)

    # Settings

    def settings(self, person: int) -> Settings:
        found = self.known_settings(person)
        if found is None:
            found = read_settings(self._histories.settings(person)) if person != NOBODY else Settings()
            self._remember_settings(person, found)
        return found

    def known_settings(self, person: int) -> Settings | None:
        """Return a person's settings if they are in memory."""
        with self._lock:
            return self._settings.get(person)

    def set_settings(self, person: int, settings: Settings) -> None:
        self._histories.set_settings(person, changed(settings))
        self._remember_settings(person, settings)

    def _remember_settings(self, person: int, settings: Settings) -> None:
        with self._lock:
            self._settings[person] = settings
            if len(self._settings) > SETTINGS:
                self._settings.popitem(last=False)

    # Live tables

    def _verify_may_open(self, person: int) -> None:
        """Refuse a table to somebody unknown, and to those who have many."""
        if person == NOBODY:
            raise Forbidden("nobody sits down without a name: get a token first")
        if self._histories.count_tables(person) >= self._max_tables:
            raise Forbidden(f"you have {self._max_tables} open tables: close some of them first")

    @contextmanager
    def _held(self, person: int, id: str, chosen_at: tuple[int, int] | None = None) -> Iterator[LiveTable]:
        """Hold a person's table; Overloaded if somebody else holds it for longer than the caller waits.

        Where the database is shared, the table is as the database has it, unless it is as it was when a move was chosen.
        """
        while True:
            live = self._find(person, id)
            if not live.lock.acquire(timeout=remaining()):
                raise Overloaded("this table is in use just now: try again in a moment")
            try:
                if self._live.get(id) is live:  # it may have been evicted in the meantime, and be another one now
                    if self.shared and live.at != chosen_at:
                        self._refresh(live)
                    yield live
                    return
            finally:
                live.lock.release()

    def _begin(
        self,
        row: TableRow,
        rules: PokerRules,
        players: Sequence[OpponentPlayer],
        number: int,
        stacks: tuple[int, ...] | None,
        standing: Standing,
    ) -> tuple[Hand, Begun]:
        deck = self._shuffle(f"{row.seed}/{number}/deck", rules.deck.size)
        hand, seat = Hand(rules, stacks), seat_of(number, rules.seats)
        let_opponents_act(hand, deck, seat, players, choices_of(row, number), standing.known_habits)
        return hand, Begun(number, seat, deck, hand.text, len(hand.moves), self._clock(), self._ending(hand, seat), stacks)

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

    def _count(self, live: LiveTable, ending: Ending | None) -> None:
        if (outcome := live.hand.outcome) is not None and ending is not None:
            net, own = outcome.payoffs, live.about.seat
            live.hands += 1
            live.won += net[own]
            stacks = live.hand.starting if live.row.freezeouts else None
            live.standing = live.standing.after(own, net, stacks, ending.marks)

    def _view(self, live: LiveTable) -> TableView:
        about, row = live.about, live.row
        return TableView(
            id=row.id,
            game=row.game,
            title=seated_game(row.game)[0],
            opponents=tuple(Opponent(player_id, name) for player_id, name in zip(row.opponents, live.names, strict=True)),
            hands=live.hands,
            won=signed(live.won),
            hand=view_hand(
                live.hand,
                about.seat,
                names_of(about.seat, short_names(live.names)),
                id=about.id,
                number=about.number,
                unit=self.settings(row.person).unit,
            ),
            match=match_of(row, live.standing, in_hand=not live.hand.finished),
            cash=(live.rules.stack or 0) if row.cash else 0,
            closed=row.closed is not None,
        )

    def _find(self, person: int, id: str) -> LiveTable:
        """Return a person's table, from the database if it is not in memory."""
        with self._lock:
            live = self._live.get(id)
            if live is not None:
                if live.row.person != person:
                    raise no_table(id)
                self._live.move_to_end(id)
                live.asked = self._clock()
                return live
        row = self._table_row(person, id)
        _, rules = seated_game(row.game)
        about, names = self._histories.last_hand(id), self._names(row.opponents)
        live = LiveTable(row, rules, None, names, replayed(about), about, new_standing(row), self._clock())
        self._count_finished(live)
        with self._lock:
            if id not in self._live:
                self._keep(live)
            return self._live[id]

    def _refresh(self, live: LiveTable) -> None:
        """Take over what other processes have done at a table."""
        last, closed = self._histories.current(live.row.id)
        live.row = replace(live.row, closed=closed)
        if not live.is_current(last):
            with dropped_on_failure(self._live, live.row.id):
                live.about, live.hand = last, replayed(last)
                self._count_finished(live)

    def _count_finished(self, live: LiveTable) -> None:
        """Count the hands that ended after those counted, up to the one at the table, from the database."""
        last = live.about.number if live.hand.finished else live.about.number - 1
        for own, net, stacks, seen in self._histories.finished(live.row.id, live.hands + 1, last):
            live.hands += 1
            live.won += net[own]
            live.standing = live.standing.after(own, net, stacks, seen)

    @contextmanager
    def _in_periods(self) -> Iterator[None]:
        """Let a block take a multiple of `period` where other processes could tell when its result is written."""
        began = monotonic()
        yield
        if self.shared and self.period:
            sleep(self.period - (monotonic() - began) % self.period)

    def _keep(self, live: LiveTable) -> None:
        """Keep a table in memory and evict idle ones."""
        with self._lock:
            self._live.keep(live, self.agents.cache)

    @property
    def nbytes(self) -> int:
        """Bytes of the tables in memory; the agents' cache counts them in its own limit."""
        with self._lock:
            return self._live.nbytes

    def release(self, dropped: set[Hashable]) -> None:
        """Let go of agents that the cache has dropped; they are loaded again when a table needs them. Other tables play on."""
        self._live.release(dropped, self.agents)

    def evict_all(self) -> None:
        """Evict every table; each is read from the database when it is next requested."""
        with self._lock:
            self._live.clear()

    def ready(self, id: str) -> bool:
        """Return whether a move at a table needs no loading."""
        live = self._live.get(id)
        return live is not None and live.players is not None

    def searches(self, id: str) -> bool:
        """Return whether an opponent at a table searches, so that moves there take seconds."""
        live = self._live.get(id)
        return live is not None and live.searches

    def prepare(self, person: int, id: str) -> None:
        """Load what a move at a table needs; the move itself is quick afterwards."""
        with self._held(person, id) as live:
            self._players_at(live)

    def _players_at(self, live: LiveTable) -> tuple[OpponentPlayer, ...]:
        if (players := live.players) is None:
            if not self._can_go_on(row := live.row):
                raise UsageError(
                    f"{', '.join(live.names)} cannot play here any more (its agent file is not in the folder of agents)"
                )
            players = live.players = self._seat_opponents(row.game, row.opponents, carried=row.freezeouts > 0 or row.cash)
            self._release_dropped(live)
        else:
            self.agents.cache.use(self.agents.keys(live.row.opponents))
        return players

    def _release_dropped(self, live: LiveTable) -> None:
        """Let go of agents that were dropped after they were loaded and before `release` could find them at the table."""
        if self.agents.cache.dropped(self.agents.keys(live.row.opponents)):
            live.players = None

    def _can_go_on(self, row: TableRow) -> bool:
        """Return whether a table's game and opponents still exist; its hands stay in the history anyway."""
        try:
            for player_id in row.opponents:
                self.agents.verify_fits(player_id, row.game, match=row.freezeouts > 0 or row.cash)
            title_of(row.game)
        except UsageError:
            return False
        return True

    def _seat_opponents(self, game: str, opponents: Sequence[str], *, carried: bool = False) -> tuple[OpponentPlayer, ...]:
        """Return the opponents, ready to play; `carried`: chips are carried over. May take seconds: it loads agents."""
        for player_id in opponents:
            self.agents.verify_fits(player_id, game, match=carried)
        randoms = [Random() for _ in opponents]
        seated = zip(opponents, randoms, strict=True)
        return tuple(OpponentPlayer(self.agents.player_at(each, game, random), random) for each, random in seated)


def has_matches(rules: PokerRules) -> bool:
    """Return whether a game can be played as a match, in which chips are carried over."""
    return rules.seats == 2 and not rules.limit
