"""The play service: the tables of all persons, played against agents and stored in a database.

Calls are short and come one at a time; what takes longer (loading an agent, correcting for luck) happens outside the lock.
A hand's move is in the database before it is answered, and a table in memory is only a copy of its rows: it may be put away at
any time, and after a failure it is.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from random import Random
from threading import RLock

from smoothcall.errors import Conflict, Forbidden, Unauthenticated, UsageError
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.play.history import History, match_of, names_of, no_table, replayed, seated_game
from smoothcall.play.opponents import PLAY_GAMES, Agents
from smoothcall.play.person_view import Opponent, TableView, signed
from smoothcall.play.statistics import marks
from smoothcall.play.table import (
    OpponentPlayer,
    let_opponents_act,
    next_stacks,
    seat_of,
    view_hand,
)
from smoothcall.store.histories import Histories
from smoothcall.store.records import Begun, Ending, HandRow, TableRow, now

LIVE = 1000  # tables in memory; more are put away, the longest idle first
IDLE = timedelta(minutes=30)  # and those that nobody has asked for so long
OPEN = 50  # tables a person is shown
MOST_GAMES = 100  # in a match


def shuffle(secret: str, size: int) -> tuple[int, ...]:
    """A fair shuffle that a secret decides."""
    return tuple(Random(secret).sample(range(size), size))


@dataclass(slots=True)
class _Live:
    """A table in memory."""

    row: TableRow
    rules: PokerRules
    players: tuple[OpponentPlayer, ...] | None  # None while nobody has to move: an agent may take long to load
    names: tuple[str, ...]  # of the opponents
    hand: Hand
    about: HandRow  # of the hand as it began; what changes since is in `hand`
    hands: int  # finished
    won: Fraction
    score: tuple[int, int]  # games of a match that the person has won and lost
    asked: datetime  # when it was last


class PlayService(History):
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
        super().__init__(histories, agents)
        self._clock, self._secret, self._shuffle = clock, secret, shuffle
        self._live: OrderedDict[str, _Live] = OrderedDict()
        self._people: OrderedDict[str, int] = OrderedDict()
        self._lock = RLock()

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
                    raise Unauthenticated("you are not known here, or no longer: go to the lobby to begin anew")
                self._remember(token, known)
            return known

    def _remember(self, token: str, person: int) -> None:
        self._people[token] = person
        if len(self._people) > 10 * LIVE:
            self._people.popitem(last=False)

    # Playing

    def open_table(self, person: int, game: str, opponents: Sequence[str], *, games: int = 0) -> TableView:
        """A new table with its first hand. Opponents are entries of `agents`, in their order round the table.

        With `games` it is a match of so many, each played until somebody has no chips; else every hand has full stacks.
        """
        title, rules = seated_game(game)
        if len(opponents) != rules.seats - 1:
            raise UsageError(f"{title}: opponents named: {len(opponents)} (accepted: {rules.seats - 1})")
        if not 0 <= games <= MOST_GAMES:
            raise UsageError(f"games={games} (accepted: 0 to {MOST_GAMES})")
        if games and not has_matches(rules):
            raise UsageError(f"{title} is played hand by hand (accepted as a match: no-limit games for two)")
        players = self._seat_opponents(game, opponents, games)
        row = TableRow(self._secret(), person, game, tuple(opponents), self._secret(), self._clock(), games)
        with self._lock:
            full = (rules.stack or 0,) * rules.seats if games else None
            hand, begun = self._begin(row, rules, players, 1, full)
            about = self._histories.add_table(row, begun)
            live = _Live(row, rules, players, self._names(opponents), hand, about, 0, Fraction(0), (0, 0), self._clock())
            self._count(live)
            self._keep(live)
            return self._view(live)

    def tables(self, person: int, limit: int = OPEN) -> list[TableView]:
        """A person's latest tables that can go on."""
        return [self.table(person, row.id) for row in self._histories.tables(person, limit) if self._can_go_on(row)]

    def table(self, person: int, id: str) -> TableView:
        live = self._find(person, id)
        with self._lock:
            return self._view(live)

    def act(self, person: int, id: str, letter: str, *, hand: int, move: int) -> TableView:
        """Make a move in the hand of this number, which had this many moves when it was chosen."""
        live = self._find(person, id)
        players = self._players_at(live)
        with self._lock:
            played, about = live.hand, live.about
            if (about.number, len(played.moves)) != (hand, move):
                self._live.pop(id, None)  # or somebody else plays on in the same database
                raise Conflict("this hand has gone on in the meantime")
            if played.finished:
                raise Conflict("this hand is over")
            before = len(played.moves)
            with _dropped_on_failure(self._live, id, keep=lambda: len(played.moves) == before):
                played.play(letter)
                let_opponents_act(played, about.deck, about.seat, players, _choices_of(live.row, about.number))
                ending = self._ending(played, about.seat)
                self._histories.save(about.id, played.text, len(played.moves), after=before, ending=ending)
            self._count(live)
            return self._view(live)

    def next_hand(self, person: int, id: str, *, hand: int) -> TableView:
        """The hand after the one of this number, which must be over; asked twice, the same hand."""
        live = self._find(person, id)
        players = self._players_at(live)
        with self._lock:
            number = live.about.number
            if number == hand + 1:
                return self._view(live)
            if number != hand:
                self._live.pop(id, None)
                raise Conflict(f"hand {hand} is not the one at this table (it is hand {number})")
            if not live.hand.finished:
                raise Conflict("this hand is not over yet")
            match = match_of(live.row, live.score)
            if match is not None and match.over:
                raise Forbidden(f"this match is over: you have won {match.won} of its {match.games} games", id)
            with _dropped_on_failure(self._live, id):
                stacks = None if match is None else next_stacks(live.hand, live.rules.stack or 0)
                played, begun = self._begin(live.row, live.rules, players, number + 1, stacks)
                live.about = self._histories.add_hand(live.row, begun)
                live.hand = played
            self._count(live)
            return self._view(live)

    # How it works

    def _begin(
        self, row: TableRow, rules: PokerRules, players: Sequence[OpponentPlayer], number: int, stacks: tuple[int, ...] | None
    ) -> tuple[Hand, Begun]:
        deck = self._shuffle(f"{row.seed}/{number}/deck", rules.deck.size)
        hand, seat = Hand(rules, stacks), seat_of(number, rules.seats)
        let_opponents_act(hand, deck, seat, players, _choices_of(row, number))
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

    def _count(self, live: _Live) -> None:
        if (outcome := live.hand.outcome) is not None:
            net, own = outcome.payoffs, live.about.seat
            live.hands += 1
            live.won += net[own]
            if live.row.games:
                broke = [chips + won == 0 for chips, won in zip(live.hand.starting, net, strict=True)]
                live.score = live.score[0] + broke[1 - own], live.score[1] + broke[own]

    def _view(self, live: _Live) -> TableView:
        about, row = live.about, live.row
        return TableView(
            id=row.id,
            game=row.game,
            title=seated_game(row.game)[0],
            opponents=tuple(Opponent(player_id, name) for player_id, name in zip(row.opponents, live.names, strict=True)),
            hands=live.hands,
            won=signed(live.won),
            hand=view_hand(live.hand, about.seat, names_of(about.seat, live.names), id=about.id, number=about.number),
            match=match_of(row, live.score),
        )

    def _find(self, person: int, id: str) -> _Live:
        """A person's table, taken out of the database where it was put away."""
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
            about, (hands, won) = self._histories.last_hand(id), self._histories.total(id)
            score = self._histories.score(id) if row.games else (0, 0)
            names = self._names(row.opponents)
            live = _Live(row, rules, None, names, replayed(about), about, hands, won, score, self._clock())
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

    def ready(self, id: str) -> bool:
        """Whether a move at a table is answered at once: nothing has to be loaded first."""
        with self._lock:
            live = self._live.get(id)
            return live is not None and live.players is not None

    def _players_at(self, live: _Live) -> tuple[OpponentPlayer, ...]:
        if live.players is None:
            if not self._can_go_on(live.row):
                raise UsageError(
                    f"{', '.join(live.names)} cannot play here any more: was the file in another folder of agents?"
                )
            live.players = self._seat_opponents(live.row.game, live.row.opponents, live.row.games)
        return live.players

    def _can_go_on(self, row: TableRow) -> bool:
        """Whether a table's game and opponents are still there: if not, its hands stay in the history."""
        try:
            for player_id in row.opponents:
                self.agents.verify_fits(player_id, row.game, match=row.games > 0)
        except UsageError:
            return False
        return row.game in PLAY_GAMES

    def _seat_opponents(self, game: str, opponents: Sequence[str], games: int = 0) -> tuple[OpponentPlayer, ...]:
        """The opponents, ready to play; may take as long as an agent takes to load."""
        for player_id in opponents:
            self.agents.verify_fits(player_id, game, match=games > 0)
        made = []
        for player_id in opponents:
            random = Random()
            made.append(OpponentPlayer(self.agents.player(player_id, random), random))
        return tuple(made)


def has_matches(rules: PokerRules) -> bool:
    """Whether a game can be played as a match, in which chips are kept from hand to hand."""
    return rules.seats == 2 and not rules.limit


class _dropped_on_failure:
    """Forget a table in memory when something fails on the way, unless nothing has changed yet."""

    def __init__(self, live: OrderedDict[str, _Live], id: str, keep: Callable[[], bool] = lambda: False) -> None:
        self._live, self._id, self._keep = live, id, keep

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None and not self._keep():
            self._live.pop(self._id, None)


def _choices_of(row: TableRow, number: int) -> str:
    """The secret that decides the opponents' random choices in a hand."""
    return f"{row.seed}/{number}/moves"
