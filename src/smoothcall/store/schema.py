"""The tables of the database of hand histories, as SQLAlchemy's ORM maps them, and how a database is opened.

Lists are JSON columns. SQLite and PostgreSQL keep the same tables.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import URL, Dialect, Engine, make_url
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from smoothcall.errors import UsageError, unknown
from smoothcall.store.deadlines import LIMIT, remaining

FORMAT = 5  # of the tables below; databases of any other are refused
SYNCHRONOUS = {"full": "FULL", "normal": "NORMAL"}  # SQLite: every commit on the disk, or all but those of the last moments
CONNECTIONS = 32  # at most: as many as there are threads that use them; three servers fit PostgreSQL's 100
ACCEPTED = "sqlite:///FILE, postgresql://USER:PASSWORD@HOST/NAME"


class JSONTuple(sql.TypeDecorator[tuple[Any, ...]]):
    """A tuple as a JSON list; None as NULL."""

    impl = sql.JSON(none_as_null=True)
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> tuple[Any, ...] | None:
        return None if value is None else tuple(value)


class Base(DeclarativeBase):
    type_annotation_map = {tuple[int, ...]: JSONTuple, tuple[str, ...]: JSONTuple, dict[str, Any]: sql.JSON(none_as_null=True)}  # noqa: RUF012


class About(Base):
    __tablename__ = "about"

    format: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    secret: Mapped[str] = mapped_column(sql.String(64), default="")  # signs tokens of people who have not played yet


class Person(Base):
    __tablename__ = "people"

    id: Mapped[int] = mapped_column(primary_key=True)
    created: Mapped[datetime]
    settings: Mapped[dict[str, Any] | None]  # those that differ from the defaults


class SignIn(Base):
    """A browser or program in which a person is known; columns as in `records.SignInRow`."""

    __tablename__ = "sign_ins"

    id: Mapped[int] = mapped_column(primary_key=True)
    person: Mapped[int] = mapped_column(sql.ForeignKey("people.id"), index=True)
    token: Mapped[str] = mapped_column(sql.String(64), unique=True)  # a digest
    created: Mapped[datetime]
    seen: Mapped[datetime]
    label: Mapped[str] = mapped_column(sql.String(80))


class Arrival(Base):
    """How many new people may still come from a network (a digest), where several servers count them together."""

    __tablename__ = "arrivals"

    network: Mapped[str] = mapped_column(sql.String(64), primary_key=True)
    at: Mapped[float] = mapped_column(sql.Double)  # seconds since 1970
    left: Mapped[float] = mapped_column(sql.Double)


class TransferCode(Base):
    """A code that takes a person to another browser, once."""

    __tablename__ = "transfer_codes"

    digest: Mapped[str] = mapped_column(sql.String(64), primary_key=True)
    person: Mapped[int] = mapped_column(sql.ForeignKey("people.id"), index=True)
    expires: Mapped[datetime]


class PlayTable(Base):
    """A table; columns as in `records.TableRow`."""

    __tablename__ = "tables"

    id: Mapped[str] = mapped_column(sql.String(32), primary_key=True)
    person: Mapped[int] = mapped_column(sql.ForeignKey("people.id"), index=True)
    game: Mapped[str] = mapped_column(sql.String(200))
    opponents: Mapped[tuple[str, ...]]
    seed: Mapped[str] = mapped_column(sql.String(64))
    created: Mapped[datetime]
    freezeouts: Mapped[int]
    cash: Mapped[bool]
    closed: Mapped[datetime | None]


class PlayedHand(Base):
    """A hand, in progress or finished; columns as in `records.HandRow`. Those of the result are null while it goes on."""

    __tablename__ = "hands"
    __table_args__ = (sql.UniqueConstraint("table", "number"), sql.Index("hands_of_person", "person", "ended"))

    id: Mapped[int] = mapped_column(primary_key=True)
    table: Mapped[str] = mapped_column(sql.ForeignKey("tables.id"))
    person: Mapped[int] = mapped_column(sql.ForeignKey("people.id"))
    number: Mapped[int]
    seat: Mapped[int]
    deck: Mapped[tuple[int, ...]]
    betting: Mapped[str] = mapped_column(sql.Text)
    moves: Mapped[int]
    started: Mapped[datetime]
    stacks: Mapped[tuple[int, ...] | None]
    ended: Mapped[datetime | None]
    reason: Mapped[str] = mapped_column(sql.String(16), default="")
    payoffs: Mapped[tuple[str, ...]] = mapped_column(default=())
    won: Mapped[float | None]
    luck_adjusted: Mapped[float | None]
    marks: Mapped[dict[str, Any] | None]


def open_database(url: str, synchronous: str = "full") -> Engine:
    """Return the engine of a database; its tables are made where there are none, those of another format refused."""
    if synchronous not in SYNCHRONOUS:
        raise unknown("synchronisation", synchronous, SYNCHRONOUS)
    engine = _engine(url, SYNCHRONOUS[synchronous])
    try:
        with Session(engine) as session, session.begin():
            known = sql.inspect(session.connection()).has_table(About.__tablename__)
            found = session.scalar(sql.select(About.format)) if known else None
            if found in (None, FORMAT):
                Base.metadata.create_all(session.connection())  # those that are missing
            if found is None:
                session.add(About(format=FORMAT))
    except sql.exc.SQLAlchemyError as error:
        engine.dispose()
        raise UsageError(f"database {shown(url)!r} cannot be opened ({reason(error)})") from None
    if found not in (None, FORMAT):
        engine.dispose()
        raise UsageError(f"database {shown(url)!r} has the format {found}; this version reads {FORMAT}")
    return engine


def _engine(url: str, synchronous: str) -> Engine:
    try:
        read = make_url(url)
        if read.drivername in ("postgresql", "postgres"):
            read = read.set(drivername="postgresql+psycopg")
        if read.get_backend_name() not in ("sqlite", "postgresql"):
            raise UsageError(f"database {shown(url)!r} (accepted: {ACCEPTED})")
        path = file_of(read)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.touch(0o600)  # it holds the cards of hands in progress
        engine = sql.create_engine(read, hide_parameters=True, **_pooling(read))  # parameters are decks and tokens
    except (sql.exc.ArgumentError, ModuleNotFoundError) as error:
        missing = "; PostgreSQL needs: pip install 'smoothcall[postgres]'" if isinstance(error, ModuleNotFoundError) else ""
        raise UsageError(f"database {shown(url)!r} (accepted: {ACCEPTED}{missing})") from None
    except OSError as error:
        raise UsageError(f"database {shown(url)!r}: {error.strerror}") from None
    if read.get_backend_name() == "sqlite":
        sql.event.listen(engine, "connect", partial(_tune_sqlite, synchronous=synchronous))
        sql.event.listen(engine, "checkout", _limit_sqlite)
    else:
        from smoothcall.store.postgres import begin, connect, verify_open

        sql.event.listen(engine, "do_connect", connect)
        sql.event.listen(engine, "begin", begin)
        sql.event.listen(engine, "checkout", verify_open)
    return engine


def file_of(url: str | URL) -> Path | None:
    """Return the file of an SQLite database; None for one in memory, and for PostgreSQL."""
    read = make_url(url)
    return Path(str(read.database)) if read.get_backend_name() == "sqlite" and not in_memory(read) else None


def in_memory(url: str | URL) -> bool:
    read = make_url(url)
    return read.get_backend_name() == "sqlite" and read.database in (None, "", ":memory:")


def _pooling(url: URL) -> dict[str, Any]:
    if in_memory(url):
        return {"poolclass": sql.pool.StaticPool, "connect_args": {"check_same_thread": False}}
    pool = {"pool_size": CONNECTIONS, "max_overflow": 0, "pool_timeout": LIMIT}
    if url.get_backend_name() == "sqlite":
        return {**pool, "connect_args": {"check_same_thread": False, "timeout": LIMIT}}
    return pool


def _tune_sqlite(connection: Any, record: object, *, synchronous: str) -> None:
    """Let readers work beside one writer; with FULL, a commit outlives a power failure."""
    for pragma in ("journal_mode=WAL", f"synchronous={synchronous}", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _limit_sqlite(connection: Any, record: object, proxy: object) -> None:
    """Wait for another process that writes to the file no longer than the caller does."""
    connection.execute(f"PRAGMA busy_timeout={int(1000 * remaining())}")


def shown(url: str) -> str:
    """Return a URL without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except sql.exc.ArgumentError:
        return url


def reason(error: BaseException) -> str:
    """Return the first line of what the database said: later ones may hold values."""
    return (str(getattr(error, "orig", None) or error).strip().splitlines() or [type(error).__name__])[0]
