"""People, tables and hands in a database: an SQLite file, or PostgreSQL by its URL.

A hand is its deck and its betting, so it can go on after anything: the row is written before a move is answered, and a move
is written only on top of the number of moves it was made for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from fractions import Fraction
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import URL, Connection, Engine, RowMapping, make_url

from smoothcall.errors import Conflict, StorageError, UsageError

FORMAT = 2  # 1 knew neither matches nor stacks
BUSY = 2.0  # seconds to wait for somebody else who writes to the file
_names = sql.MetaData()

_about = sql.Table("about", _names, sql.Column("format", sql.Integer, nullable=False))
_people = sql.Table(
    "people",
    _names,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("token", sql.String(64), nullable=False, unique=True),  # a digest: whoever reads the file cannot play for them
    sql.Column("created", sql.DateTime, nullable=False),
)
_tables = sql.Table(
    "tables",
    _names,
    sql.Column("id", sql.String(32), primary_key=True),
    sql.Column("person", sql.ForeignKey("people.id"), nullable=False, index=True),
    sql.Column("game", sql.String(200), nullable=False),
    sql.Column("opponents", sql.Text, nullable=False),  # JSON: player ids, in the order they sit after the person
    sql.Column("seed", sql.String(64), nullable=False),
    sql.Column("created", sql.DateTime, nullable=False),
    sql.Column("games", sql.Integer),  # of a match; null where each hand is dealt with full stacks
)
_hands = sql.Table(
    "hands",
    _names,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("table", sql.ForeignKey("tables.id"), nullable=False),
    sql.Column("person", sql.ForeignKey("people.id"), nullable=False),
    sql.Column("number", sql.Integer, nullable=False),  # at its table, from 1
    sql.Column("seat", sql.Integer, nullable=False),  # the person's
    sql.Column("deck", sql.Text, nullable=False),  # JSON: cards in the order they are dealt
    sql.Column("betting", sql.Text, nullable=False),
    sql.Column("moves", sql.Integer, nullable=False),
    sql.Column("started", sql.DateTime, nullable=False),
    sql.Column("ended", sql.DateTime),  # null while it goes on
    sql.Column("reason", sql.String(16)),
    sql.Column("payoffs", sql.Text),  # JSON: each seat's net chips as exact fractions
    sql.Column("won", sql.Float),  # the person's
    sql.Column("luck_adjusted", sql.Float),  # AIVAT, chips; null where it was not computed
    sql.Column("marks", sql.Text),  # JSON: what statistics count
    sql.Column("stacks", sql.Text),  # JSON: chips each seat began with; null where they were full
    sql.UniqueConstraint("table", "number"),
    sql.Index("hands_of_person", "person", "ended"),
)


_ADDED = (_tables.c.games, _hands.c.stacks)  # since format 1

# Written at every move, so made once
_INSERT = _hands.insert()
_GO_ON = _hands.update().where(
    _hands.c.id == sql.bindparam("_hand"), _hands.c.moves == sql.bindparam("_after"), _hands.c.ended.is_(None)
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which finished hands: those that fit all that is said."""

    game: str | None = None
    table: str | None = None
    opponent: str | None = None
    player_ids: tuple[str, ...] = ()  # all that count as this opponent; empty: that id alone
    since: date | None = None
    until: date | None = None
    result: str | None = None  # "won" or "lost"
    showdown: bool | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    id: str
    person: int
    game: str
    opponents: tuple[str, ...]
    seed: str
    created: datetime
    games: int = 0  # of a match, in which chips are kept from hand to hand; 0: each hand is dealt with full stacks


@dataclass(frozen=True, slots=True)
class HandRow:
    """A hand with the table it was played at."""

    id: int
    table: str
    person: int
    number: int
    seat: int
    deck: tuple[int, ...]
    betting: str
    moves: int
    started: datetime
    game: str
    opponents: tuple[str, ...]
    ended: datetime | None = None
    reason: str = ""
    payoffs: tuple[str, ...] = ()
    won: float | None = None
    luck_adjusted: float | None = None
    marks: Mapping[str, Any] | None = None
    stacks: tuple[int, ...] | None = None  # chips each seat began with; None: full


@dataclass(frozen=True, slots=True)
class Ending:
    """What is kept of a hand when it is over."""

    ended: datetime
    reason: str
    payoffs: tuple[str, ...]
    won: float
    marks: Mapping[str, Any]

    @property
    def columns(self) -> dict[str, Any]:
        return {
            "ended": self.ended,
            "reason": self.reason,
            "payoffs": json.dumps(self.payoffs),
            "won": self.won,
            "marks": json.dumps(self.marks),
        }


@dataclass(frozen=True, slots=True)
class Begun:
    """A new hand, as far as it was played before the person's turn."""

    number: int
    seat: int
    deck: tuple[int, ...]
    betting: str
    moves: int
    started: datetime
    ending: Ending | None = None
    stacks: tuple[int, ...] | None = None

    @property
    def columns(self) -> dict[str, Any]:
        about = {"number": self.number, "seat": self.seat, "deck": json.dumps(self.deck), "started": self.started}
        played = {"betting": self.betting, "moves": self.moves, "stacks": json.dumps(self.stacks) if self.stacks else None}
        return about | played | (self.ending.columns if self.ending is not None else {})


def now() -> datetime:
    """The present, as databases keep it: universal time without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)


class Histories:
    """A database of hands. Every method is one transaction: done when it returns, or not at all."""

    def __init__(self, url: str) -> None:
        self._engine = _engine(url)
        try:
            with self._engine.begin() as connection:
                _names.create_all(connection)
                found = connection.execute(sql.select(_about.c.format)).scalar()
                if found is None:
                    connection.execute(_about.insert().values(format=FORMAT))
                elif found < FORMAT:
                    _add_columns(connection)
        except sql.exc.SQLAlchemyError as error:
            raise UsageError(f"database {_shown(url)!r} cannot be opened ({_reason(error)})") from None
        if found is not None and found > FORMAT:
            self.close()
            raise UsageError(f"database {_shown(url)!r} has the format {found}; this version knows up to {FORMAT}")

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except sql.exc.OperationalError as error:
            raise StorageError(
                f"the database cannot be used just now ({_reason(error)}): nothing was changed, try again"
            ) from None

    # People

    def add_person(self, token: str, created: datetime) -> int:
        with self._begin() as connection:
            made = connection.execute(_people.insert().values(token=_digest(token), created=created))
        return int(made.inserted_primary_key[0])  # type: ignore[index]

    def person(self, token: str) -> int | None:
        with self._begin() as connection:
            found = connection.execute(sql.select(_people.c.id).where(_people.c.token == _digest(token))).scalar()
        return None if found is None else int(found)

    # Tables and the hands at them

    def add_table(self, row: TableRow, begun: Begun) -> HandRow:
        """A table with its first hand."""
        with self._begin() as connection:
            connection.execute(
                _tables.insert().values(
                    id=row.id,
                    person=row.person,
                    game=row.game,
                    opponents=json.dumps(row.opponents),
                    seed=row.seed,
                    created=row.created,
                    games=row.games or None,
                )
            )
            return _add_hand(connection, row, begun)

    def table(self, id: str) -> TableRow | None:
        with self._begin() as connection:
            found = connection.execute(sql.select(_tables).where(_tables.c.id == id)).mappings().first()
        return None if found is None else _table_row(found)

    def tables(self, person: int, limit: int) -> list[TableRow]:
        """A person's tables, the latest first."""
        chosen = sql.select(_tables).where(_tables.c.person == person).order_by(_tables.c.created.desc(), _tables.c.id)
        with self._begin() as connection:
            return [_table_row(row) for row in connection.execute(chosen.limit(limit)).mappings()]

    def add_hand(self, row: TableRow, begun: Begun) -> HandRow:
        """The next hand of a table; Conflict if it is there already."""
        try:
            with self._begin() as connection:
                return _add_hand(connection, row, begun)
        except sql.exc.IntegrityError:
            raise Conflict(f"hand {begun.number} of this table has begun already") from None

    def save(self, hand: int, betting: str, moves: int, *, after: int, ending: Ending | None) -> None:
        """Write the betting of a hand that had `after` moves; Conflict if it has others by now."""
        changed = {"betting": betting, "moves": moves} | (ending.columns if ending is not None else {})
        with self._begin() as connection:
            if connection.execute(_GO_ON, {"_hand": hand, "_after": after} | changed).rowcount != 1:
                raise Conflict("this hand has gone on in the meantime")

    def set_luck_adjusted(self, values: Mapping[int, float]) -> None:
        """Write luck-adjusted results, by hand id."""
        with self._begin() as connection:
            for hand, value in values.items():
                connection.execute(_hands.update().where(_hands.c.id == hand).values(luck_adjusted=value))

    def last_hand(self, table: str) -> HandRow:
        chosen = _joined().where(_hands.c.table == table).order_by(_hands.c.number.desc()).limit(1)
        with self._begin() as connection:
            return _hand_row(connection.execute(chosen).mappings().one())

    def hand(self, id: int) -> HandRow | None:
        with self._begin() as connection:
            found = connection.execute(_joined().where(_hands.c.id == id)).mappings().first()
        return None if found is None else _hand_row(found)

    def hands(self, person: int, chosen: Filter, *, limit: int | None = None, offset: int = 0) -> list[HandRow]:
        """A person's finished hands, the latest first."""
        query = _joined().where(*_conditions(person, chosen)).order_by(_hands.c.ended.desc(), _hands.c.id.desc())
        with self._begin() as connection:
            return [_hand_row(row) for row in connection.execute(query.limit(limit).offset(offset)).mappings()]

    def count(self, person: int, chosen: Filter) -> int:
        joined = _hands.join(_tables, _hands.c.table == _tables.c.id)
        query = sql.select(sql.func.count()).select_from(joined).where(*_conditions(person, chosen))
        with self._begin() as connection:
            return int(connection.execute(query).scalar_one())

    def total(self, table: str) -> tuple[int, Fraction]:
        """(finished hands, net chips of the person) at a table."""
        query = sql.select(_hands.c.seat, _hands.c.payoffs).where(_hands.c.table == table, _hands.c.ended.is_not(None))
        with self._begin() as connection:
            found = connection.execute(query).all()
        return len(found), sum((Fraction(json.loads(payoffs)[seat]) for seat, payoffs in found), Fraction())

    def score(self, table: str) -> tuple[int, int]:
        """Games of a match that the person (has won, has lost): a game ends with the hand that leaves somebody no chips."""
        query = sql.select(_hands.c.seat, _hands.c.payoffs, _hands.c.stacks).where(
            _hands.c.table == table, _hands.c.ended.is_not(None), _hands.c.stacks.is_not(None)
        )
        won = lost = 0
        with self._begin() as connection:
            for seat, payoffs, stacks in connection.execute(query):
                left = [chips + Fraction(net) for chips, net in zip(json.loads(stacks), json.loads(payoffs), strict=True)]
                lost += left[seat] == 0
                won += left[seat] == sum(left)
        return won, lost

    def opponents_in_hand(self, person: int) -> list[tuple[str, str]]:
        """(table, player id) of everybody a person has a hand in progress with."""
        query = (
            sql.select(_tables.c.id, _tables.c.opponents)
            .join(_hands, _hands.c.table == _tables.c.id)
            .where(_hands.c.person == person, _hands.c.ended.is_(None))
        )
        with self._begin() as connection:
            found = connection.execute(query).all()
        return [(table, player_id) for table, player_ids in found for player_id in json.loads(player_ids)]


def _add_hand(connection: Connection, row: TableRow, begun: Begun) -> HandRow:
    made = connection.execute(_INSERT, {"table": row.id, "person": row.person, **begun.columns})
    return HandRow(
        id=int(made.inserted_primary_key[0]),  # type: ignore[index]
        table=row.id,
        person=row.person,
        number=begun.number,
        seat=begun.seat,
        deck=begun.deck,
        betting=begun.betting,
        moves=begun.moves,
        started=begun.started,
        game=row.game,
        opponents=row.opponents,
        stacks=begun.stacks,
    )


def _add_columns(connection: Connection) -> None:
    """Bring a database of format 1 up to date: what is there stays as it is."""
    for column in _ADDED:
        table = column.table
        assert isinstance(table, sql.Table)
        if column.name not in {known["name"] for known in sql.inspect(connection).get_columns(table.name)}:
            kind = column.type.compile(connection.dialect)
            connection.execute(sql.text(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}"))
    connection.execute(_about.update().values(format=FORMAT))


def _joined() -> sql.Select[Any]:
    return sql.select(_hands, _tables.c.game, _tables.c.opponents).join(_tables, _hands.c.table == _tables.c.id)


def _conditions(person: int, chosen: Filter) -> list[sql.ColumnElement[bool]]:
    found: list[sql.ColumnElement[bool]] = [_hands.c.person == person, _hands.c.ended.is_not(None)]
    if chosen.game is not None:
        found.append(_tables.c.game == chosen.game)
    if chosen.table is not None:
        found.append(_hands.c.table == chosen.table)
    if chosen.opponent is not None:
        player_ids = chosen.player_ids or (chosen.opponent,)
        found.append(
            sql.or_(*(_tables.c.opponents.contains(json.dumps(player_id), autoescape=True) for player_id in player_ids))
        )
    if chosen.since is not None:
        found.append(_hands.c.ended >= datetime.combine(chosen.since, time()))
    if chosen.until is not None:
        found.append(_hands.c.ended <= datetime.combine(chosen.until, time.max))
    if chosen.result is not None:
        if chosen.result not in ("won", "lost"):
            raise UsageError(f"result {chosen.result!r} (accepted: won, lost)")
        found.append(_hands.c.won > 0 if chosen.result == "won" else _hands.c.won < 0)
    if chosen.showdown is not None:
        found.append((_hands.c.reason == "showdown") == chosen.showdown)
    return found


def _table_row(row: RowMapping) -> TableRow:
    return TableRow(
        id=row["id"],
        person=row["person"],
        game=row["game"],
        opponents=tuple(json.loads(row["opponents"])),
        seed=row["seed"],
        created=row["created"],
        games=row["games"] or 0,
    )


def _hand_row(row: RowMapping) -> HandRow:
    return HandRow(
        id=row["id"],
        table=row["table"],
        person=row["person"],
        number=row["number"],
        seat=row["seat"],
        deck=tuple(json.loads(row["deck"])),
        betting=row["betting"],
        moves=row["moves"],
        started=row["started"],
        game=row["game"],
        opponents=tuple(json.loads(row["opponents"])),
        ended=row["ended"],
        reason=row["reason"] or "",
        payoffs=tuple(json.loads(row["payoffs"])) if row["payoffs"] else (),
        won=row["won"],
        luck_adjusted=row["luck_adjusted"],
        marks=json.loads(row["marks"]) if row["marks"] else None,
        stacks=tuple(json.loads(row["stacks"])) if row["stacks"] else None,
    )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _engine(url: str) -> Engine:
    try:
        read = make_url(url)
        if read.drivername in ("postgresql", "postgres"):
            read = read.set(drivername="postgresql+psycopg")
        if read.get_backend_name() not in ("sqlite", "postgresql"):
            raise UsageError(f"database {_shown(url)!r} (accepted: sqlite:///FILE, postgresql://USER:PASSWORD@HOST/NAME)")
        if read.get_backend_name() == "sqlite" and read.database not in (None, "", ":memory:"):
            path = Path(str(read.database))
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.touch(0o600)  # it holds the cards of hands in progress
        engine = sql.create_engine(read, **_pooling(read))
    except (sql.exc.ArgumentError, ModuleNotFoundError) as error:
        missing = "; PostgreSQL needs: pip install 'smoothcall[postgres]'" if isinstance(error, ModuleNotFoundError) else ""
        accepted = "sqlite:///FILE, postgresql://USER:PASSWORD@HOST/NAME"
        raise UsageError(f"database {_shown(url)!r} (accepted: {accepted}{missing})") from None
    except OSError as error:
        raise UsageError(f"database {_shown(url)!r}: {error.strerror}") from None
    if read.get_backend_name() == "sqlite":
        sql.event.listen(engine, "connect", _tune_sqlite)
    return engine


def _pooling(url: URL) -> dict[str, Any]:
    if url.get_backend_name() != "sqlite":
        return {"pool_pre_ping": True}
    if url.database in (None, "", ":memory:"):
        return {"poolclass": sql.pool.StaticPool, "connect_args": {"check_same_thread": False}}
    return {"connect_args": {"check_same_thread": False, "timeout": BUSY}}


def _tune_sqlite(connection: Any, record: object) -> None:
    """Readers beside one writer; what is committed outlives the process, if not a failure of power in that very moment."""
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _shown(url: str) -> str:
    """A URL as it may be printed: without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except sql.exc.ArgumentError:
        return url


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]
