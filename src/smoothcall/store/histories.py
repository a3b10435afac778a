"""Queries of the database of people, tables and hands: an SQLite file, or PostgreSQL by its URL.

A hand is its deck and its betting, so it can go on after a crash. A move is written before it is answered, and only on top of
the number of moves it was made for: of two writers one gets a `Conflict`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from datetime import datetime, time
from fractions import Fraction
from threading import RLock
from typing import Any, TypeVar

import sqlalchemy as sql
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session, sessionmaker

from smoothcall.errors import Conflict, Forbidden, StorageError, UsageError
from smoothcall.store.deadlines import LIMIT, within
from smoothcall.store.gathering import NotInTime
from smoothcall.store.group_commit import CommitFailed, GroupCommit
from smoothcall.store.people import SIGN_INS, People, digest
from smoothcall.store.postgres_moves import UNFINISHED, PostgresMoves
from smoothcall.store.records import Begun, Ending, Filter, HandRow, SignInRow, TableRow
from smoothcall.store.schema import Person, PlayedHand, PlayTable, file_of, in_memory, open_database, reason
from smoothcall.store.watched_file import WatchedFile

Q = TypeVar("Q")
T = TypeVar("T")
S = TypeVar("S", Session, Connection)
_log = logging.getLogger(__name__)
UNCHANGED = "the database cannot be used just now: nothing was changed, try again"
UNKNOWN = "the database did not confirm this: look at what has been saved before you try again"

_TABLE_COLUMNS = [getattr(PlayTable, field.name) for field in fields(TableRow)]
_OF_TABLE = {"game": PlayTable.game, "opponents": PlayTable.opponents}  # columns of a hand's table
_HAND_COLUMNS = [_OF_TABLE.get(field.name) or getattr(PlayedHand, field.name) for field in fields(HandRow)]
_HANDS = sql.select(*_HAND_COLUMNS).join(PlayTable, PlayedHand.table == PlayTable.id)
_LIGHT_COLUMNS = [sql.literal(None) if column is PlayedHand.deck else column for column in _HAND_COLUMNS]
_HANDS_WITHOUT_DECKS = sql.select(*_LIGHT_COLUMNS).select_from(PlayedHand).join(PlayTable, PlayedHand.table == PlayTable.id)
CHUNK = 50  # hands read at a time where there may be many

# Used at every move, so compiled once
_LAST_HAND = _HANDS.add_columns(PlayTable.closed).where(PlayedHand.table == sql.bindparam("_table"))
_LAST_HAND = _LAST_HAND.order_by(PlayedHand.number.desc()).limit(1)
_NEW_COLUMNS = [column for column in PlayedHand.__table__.columns if column.name not in ("id", "luck_adjusted")]
_NEW_HAND = sql.select(*(sql.bindparam(f"_{column.name}", type_=column.type) for column in _NEW_COLUMNS)).where(
    PlayTable.id == sql.bindparam("_table"), PlayTable.closed.is_(None)
)
_ADD_HAND = sql.insert(PlayedHand).from_select(_NEW_COLUMNS, _NEW_HAND.with_for_update()).returning(PlayedHand.id)
_SAVE_HAND = sql.update(PlayedHand).where(
    PlayedHand.id == sql.bindparam("_hand"), PlayedHand.moves == sql.bindparam("_after"), PlayedHand.ended.is_(None)
)


class Histories(People):
    """A database of hands. Every method is one transaction: done when it returns, or not at all."""

    def __init__(self, url: str, *, synchronous: str = "full") -> None:
        self._engine = open_database(url, synchronous)
        self._sessions = sessionmaker(self._engine, expire_on_commit=False)
        path = file_of(url)
        self._file = None if path is None else WatchedFile(path)
        self._group = None if self._file is None else GroupCommit(self._engine, self._file)
        self._moves = PostgresMoves(self._single, SIGN_INS) if self.dialect == "postgresql" else None
        self._alone = RLock() if in_memory(url) else None  # all threads share the one connection to a database in memory

    @property
    def dialect(self) -> str:
        """The kind of database: "sqlite" or "postgresql"."""
        return self._engine.dialect.name

    def close(self) -> None:
        for threads in (self._group, self._moves):
            if threads is not None:
                threads.close()
        self._engine.dispose()
        if self._file is not None:
            self._file.close()

    @contextmanager
    def _begin(self) -> Iterator[Session]:
        """Begin a transaction that is committed at the end of the block."""
        with self._transaction(self._sessions) as session:
            yield session
            session.flush()

    @contextmanager
    def _transaction(self, make: Callable[[], S]) -> Iterator[S]:
        """Commit what is done with a session or connection in the block, which waits for the database for LIMIT seconds."""
        committing = False
        try:
            with ExitStack() as stack:
                stack.enter_context(within(LIMIT))
                if self._alone is not None:
                    stack.enter_context(self._alone)
                if self._file is not None:
                    self._file.verify()
                made = stack.enter_context(make())
                yield made
                committing = True
                made.commit()
                if self._file is not None:
                    self._file.verify()
        except sql.exc.IntegrityError:
            raise
        except (sql.exc.SQLAlchemyError, OSError) as error:
            raise _storage_error(error, unchanged=not committing) from None

    def _asked(self, call: Callable[[Q], T], asked: Q) -> T:
        """Return the answer of a thread that carries out what many ask for."""
        try:
            with within(LIMIT):
                return call(asked)
        except NotInTime as error:
            raise _storage_error(error, unchanged=not error.begun) from None

    def _first(self, query: sql.Select[Any], values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Return the first row of a query."""
        with self._begin() if self.dialect == "sqlite" else self._single(changes=False) as connection:
            return _tuple(connection.execute(query, values).first())

    @contextmanager
    def _single(self, *, changes: bool) -> Iterator[Connection]:
        """Execute one statement on PostgreSQL, which commits itself. `changes`: it changes something."""
        from smoothcall.store.postgres import SINGLE, undone

        begun = False
        try:
            with within(LIMIT), self._engine.connect() as connection:
                connection.execution_options(**{SINGLE: True})
                begun = changes
                yield connection
        except sql.exc.IntegrityError:
            raise
        except (sql.exc.SQLAlchemyError, OSError) as error:
            raise _storage_error(error, unchanged=not begun or undone(error)) from None

    def _change(self, call: Callable[[Connection], T], *, single: bool = False) -> T:
        """Carry out a change that many threads ask for at once; on SQLite, with the changes of others in one transaction.

        `single`: it is one statement.
        """
        if self._group is None:
            alone = single and self.dialect == "postgresql"
            with self._single(changes=True) if alone else self._transaction(self._engine.connect) as connection:
                return call(connection)
        try:
            return self._asked(self._group.run, call)
        except sql.exc.IntegrityError:
            raise
        except CommitFailed as error:
            raise _storage_error(error.__cause__ or error, unchanged=False) from None
        except (sql.exc.SQLAlchemyError, OSError) as error:
            raise _storage_error(error, unchanged=True) from None

    # People

    def sign_in(self, token: str) -> SignInRow | None:
        if self._moves is None:
            return super().sign_in(token)
        found = self._asked(self._moves.sign_ins.ask, digest(token))
        return None if found is None else SignInRow(*found)

    def settings(self, person: int) -> dict[str, Any]:
        """Return what a person has set; {} where everything is as it was given."""
        with self._begin() as session:
            return session.scalar(sql.select(Person.settings).where(Person.id == person)) or {}

    def set_settings(self, person: int, settings: Mapping[str, Any]) -> None:
        with self._begin() as session:
            session.execute(sql.update(Person).where(Person.id == person).values(settings=dict(settings)))

    # Tables and the hands at them

    def add_table(self, row: TableRow, begun: Begun) -> HandRow:
        """Add a table with its first hand."""

        def add(connection: Connection) -> HandRow:
            connection.execute(sql.insert(PlayTable), _columns(row))
            return _add_hand(connection, row, _new_columns(row, begun))

        return self._change(add)

    def table(self, id: str) -> TableRow | None:
        with self._begin() as session:
            found = session.execute(sql.select(*_TABLE_COLUMNS).where(PlayTable.id == id)).first()
        return None if found is None else TableRow(*found)

    def tables(self, person: int, limit: int) -> list[TableRow]:
        """Return a person's tables that are not closed, the latest first."""
        query = sql.select(*_TABLE_COLUMNS).where(PlayTable.person == person, PlayTable.closed.is_(None))
        with self._begin() as session:
            found = session.execute(query.order_by(PlayTable.created.desc(), PlayTable.id).limit(limit)).all()
        return [TableRow(*row) for row in found]

    def count_tables(self, person: int) -> int:
        """Return how many tables of a person are not closed."""
        query = sql.select(sql.func.count()).where(PlayTable.person == person, PlayTable.closed.is_(None))
        with self._begin() as session:
            return session.scalars(query).one()

    def close_table(self, id: str, closed: datetime) -> None:
        """Close a table for good; its hands stay in the history. Conflict if a hand has begun in the meantime."""
        with self._begin() as session:
            session.execute(sql.update(PlayTable).where(PlayTable.id == id).values(closed=closed))
            in_play = sql.select(PlayedHand.id).where(PlayedHand.table == id, PlayedHand.ended.is_(None))
            if session.scalar(in_play) is not None:
                raise Conflict("another hand of this table has begun")

    def add_hand(self, row: TableRow, begun: Begun) -> HandRow:
        """Add the next hand of a table; Conflict if it is there already, Forbidden if the table was closed."""
        columns = _new_columns(row, begun)
        if self._moves is not None and (made := self._asked(self._moves.hands.ask, columns)) is not None:
            return HandRow(id=made, game=row.game, opponents=row.opponents, **columns)
        try:
            return self._change(lambda connection: _add_hand(connection, row, columns), single=True)
        except sql.exc.IntegrityError:
            raise Conflict(f"hand {begun.number} of this table has begun already") from None

    def save(self, hand: int, betting: str, moves: int, *, after: int, ending: Ending | None) -> None:
        """Write the betting of a hand that had `after` moves; Conflict if it has others by now, or is over."""
        columns = {"betting": betting, "moves": moves, **(_columns(ending) or UNFINISHED)}
        if self._moves is not None and self._asked(self._moves.saves.ask, {"hand": hand, "after": after, **columns}):
            return

        def save(connection: Connection) -> None:
            if connection.execute(_SAVE_HAND, {"_hand": hand, "_after": after, **columns}).rowcount != 1:
                raise Conflict("this hand has gone on in the meantime")

        self._change(save, single=True)

    def set_luck_adjusted(self, values: Mapping[int, float]) -> None:
        """Write luck-adjusted results, by hand id."""
        if values:
            with self._begin() as session:
                session.execute(
                    sql.update(PlayedHand), [{"id": hand, "luck_adjusted": value} for hand, value in values.items()]
                )

    def last_hand(self, table: str) -> HandRow:
        return self.current(table)[0]

    def current(self, table: str) -> tuple[HandRow, datetime | None]:
        """Return a table's last hand, and when the table was closed."""
        found = self._first(_LAST_HAND, {"_table": table})
        if found is None:
            raise sql.exc.NoResultFound(f"no hand of table {table!r}")
        return HandRow(*found[:-1]), found[-1]

    def hand(self, id: int) -> HandRow | None:
        with self._begin() as session:
            found = session.execute(_HANDS.where(PlayedHand.id == id)).first()
        return None if found is None else HandRow(*found)

    def neighbours(self, table: str, number: int) -> tuple[int | None, int | None]:
        """Return the ids of the hands before and after the one of this number at a table, None where there is none."""
        query = sql.select(PlayedHand.number, PlayedHand.id)
        with self._begin() as session:
            near = session.execute(query.where(PlayedHand.table == table, PlayedHand.number.in_([number - 1, number + 1])))
            found = {row.number: row.id for row in near}
        return found.get(number - 1), found.get(number + 1)

    def hands(self, person: int, chosen: Filter, *, limit: int | None = None, offset: int = 0) -> list[HandRow]:
        """Return a person's finished hands, the latest first."""
        query = _HANDS.where(*_conditions(person, chosen)).order_by(PlayedHand.ended.desc(), PlayedHand.id.desc())
        with self._begin() as session:
            return [HandRow(*found) for found in session.execute(query.limit(limit).offset(offset))]

    def stream(
        self, person: int, chosen: Filter, *, latest: int | None = None, with_decks: bool = True
    ) -> Iterator[list[HandRow]]:
        """Yield a person's finished hands in the order they ended, CHUNK at a time; each is a transaction of its own.

        With `latest`, only that many; without `with_decks`, their decks are None.
        """
        conditions, place = _conditions(person, chosen), (PlayedHand.ended, PlayedHand.id)
        ordered = sql.select(*place).join(PlayTable, PlayedHand.table == PlayTable.id).where(*conditions)
        ordered = ordered.order_by(PlayedHand.ended.desc(), PlayedHand.id.desc())
        with self._begin() as session:
            last = session.execute(ordered.limit(1)).first()
            first = None if latest is None else session.execute(ordered.offset(latest - 1).limit(1)).first()
        if last is None:
            return
        if first is not None:
            conditions.append(sql.tuple_(*place) >= sql.tuple_(*first))
        query = _HANDS if with_decks else _HANDS_WITHOUT_DECKS
        query = query.where(*conditions, sql.tuple_(*place) <= sql.tuple_(*last)).order_by(*place).limit(CHUNK)
        rows: list[HandRow] = []
        while True:
            after = [sql.tuple_(*place) > sql.tuple_(rows[-1].ended, rows[-1].id)] if rows else []
            with self._begin() as session:
                rows = [HandRow(*found) for found in session.execute(query.where(*after))]
            if rows:
                yield rows
            if len(rows) < CHUNK:
                return

    def count_by_game(self, person: int, chosen: Filter) -> dict[str, int]:
        """Return how many finished hands of each game there are."""
        query = sql.select(PlayTable.game, sql.func.count()).select_from(PlayedHand)
        query = query.join(PlayTable, PlayedHand.table == PlayTable.id).where(*_conditions(person, chosen))
        with self._begin() as session:
            found = session.execute(query.group_by(PlayTable.game).order_by(PlayTable.game))
            return {row[0]: row[1] for row in found}

    def count(self, person: int, chosen: Filter) -> int:
        """Return how many finished hands of a person there are."""
        query = sql.select(sql.func.count()).select_from(PlayedHand).join(PlayTable, PlayedHand.table == PlayTable.id)
        with self._begin() as session:
            return session.scalars(query.where(*_conditions(person, chosen))).one()

    def finished(
        self, table: str, first: int = 1, last: int | None = None
    ) -> list[tuple[int, list[Fraction], tuple[int, ...] | None, Mapping[str, Any] | None]]:
        """Return (person's seat, net chips by seat, stacks, marks) of the finished hands of a table, in their order.

        `first`, `last`: only those of these numbers and between.
        """
        query = sql.select(PlayedHand.seat, PlayedHand.payoffs, PlayedHand.stacks, PlayedHand.marks).where(
            PlayedHand.table == table, PlayedHand.ended.is_not(None), PlayedHand.number >= first
        )
        if last is not None:
            if last < first:
                return []
            query = query.where(PlayedHand.number <= last)
        with self._begin() as session:
            found = session.execute(query.order_by(PlayedHand.number)).all()
        return [(seat, list(map(Fraction, payoffs)), stacks, marks) for seat, payoffs, stacks, marks in found]

    def opponents_in_hand(self, person: int) -> list[tuple[str, str]]:
        """Return (table, player id) of everybody with whom a person has a hand in progress."""
        query = (
            sql.select(PlayTable.id, PlayTable.opponents)
            .join(PlayedHand, PlayedHand.table == PlayTable.id)
            .where(PlayedHand.person == person, PlayedHand.ended.is_(None))
        )
        with self._begin() as session:
            return [(table, player_id) for table, player_ids in session.execute(query) for player_id in player_ids]


def _tuple(row: sql.Row[Any] | None) -> tuple[Any, ...] | None:
    return None if row is None else tuple(row)


def _new_columns(row: TableRow, begun: Begun) -> dict[str, Any]:
    """Return the columns of a new hand but its id."""
    columns = {"table": row.id, "person": row.person, **_columns(begun), **(_columns(begun.ending) or UNFINISHED)}
    del columns["ending"]
    return columns


def _add_hand(connection: Connection, row: TableRow, columns: Mapping[str, Any]) -> HandRow:
    """Add a hand to a table that is not closed, and that nobody closes meanwhile."""
    made = connection.scalar(_ADD_HAND, {f"_{name}": value for name, value in columns.items()})
    if made is None:
        raise Forbidden("this table is closed", row.id)
    return HandRow(id=made, game=row.game, opponents=row.opponents, **columns)


def _columns(record: TableRow | Begun | Ending | None) -> dict[str, Any]:
    """Return the fields of a record by name."""
    return {} if record is None else {name: getattr(record, name) for name in record.__slots__}


def _conditions(person: int, chosen: Filter) -> list[sql.ColumnElement[bool]]:
    found: list[sql.ColumnElement[bool]] = [PlayedHand.person == person, PlayedHand.ended.is_not(None)]
    if chosen.game is not None:
        found.append(PlayTable.game == chosen.game)
    if chosen.table is not None:
        found.append(PlayedHand.table == chosen.table)
    if chosen.opponent is not None:
        listed = sql.cast(PlayTable.opponents, sql.Text)  # JSON, in which a quoted id stands for nothing else
        player_ids = chosen.player_ids or (chosen.opponent,)
        found.append(sql.or_(*(listed.contains(json.dumps(player_id), autoescape=True) for player_id in player_ids)))
    if chosen.since is not None:
        found.append(PlayedHand.ended >= datetime.combine(chosen.since, time()))
    if chosen.until is not None:
        found.append(PlayedHand.ended <= datetime.combine(chosen.until, time.max))
    if chosen.result is not None:
        if chosen.result not in ("won", "lost"):
            raise UsageError(f"result {chosen.result!r} (accepted: won, lost)")
        found.append(PlayedHand.won > 0 if chosen.result == "won" else PlayedHand.won < 0)
    if chosen.showdown is not None:
        found.append((PlayedHand.reason == "showdown") == chosen.showdown)
    return found


def _storage_error(error: BaseException, *, unchanged: bool) -> StorageError:
    """Return the error for people, without the names of hosts and files; what the database said goes to the log."""
    _log.warning("database: %s: %s", type(getattr(error, "orig", None) or error).__name__, reason(error))
    return StorageError(UNCHANGED if unchanged else UNKNOWN)
