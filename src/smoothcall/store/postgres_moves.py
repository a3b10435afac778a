"""The statements of a move on PostgreSQL, each for all threads that wait: look-ups of sign-ins, moves, new hands.

One statement for several moves takes little longer than for one; most of its time is the interpreter's. It leaves out rows that
others have locked or changed: whoever asked for one of these executes their own statement, which waits or says what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol, TypeVar

import sqlalchemy as sql
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Connection, Dialect

from smoothcall.store.deadlines import within
from smoothcall.store.gathering import Gathering, Pending, seconds_left
from smoothcall.store.schema import PlayedHand, PlayTable

Columns = Mapping[str, Any]
Row = Sequence[Any]
A = TypeVar("A")
UNFINISHED: Columns = {"ended": None, "reason": "", "payoffs": (), "won": None, "marks": None}  # while a hand goes on
_HANDS, _TABLES = PlayedHand.__tablename__, PlayTable.__tablename__
_DIALECT: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
_TYPES = {column.name: column.type.compile(_DIALECT) for column in PlayedHand.__table__.columns}
_NEW = [name for name in _TYPES if name not in ("id", "luck_adjusted")]
_SAVED = ["betting", "moves", *UNFINISHED]


def _given(types: Mapping[str, str]) -> str:
    """Return the query of the rows in the parameter `given`, a JSON list of objects."""
    listed = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
    return f"SELECT * FROM json_to_recordset(CAST(:given AS json)) AS listed({listed})"


def _names(columns: Sequence[str], of: str = "") -> str:
    return ", ".join(f'{of}"{name}"' for name in columns)


_UNCHANGED = f"{_HANDS}.id = given.hand AND {_HANDS}.moves = given.after AND {_HANDS}.ended IS NULL"
_SAVE_HANDS = sql.text(
    f"WITH given AS ({_given({'hand': 'integer', 'after': 'integer', **{name: _TYPES[name] for name in _SAVED}})}), "
    f"free AS (SELECT {_HANDS}.id FROM {_HANDS} JOIN given ON {_UNCHANGED} FOR UPDATE OF {_HANDS} SKIP LOCKED) "
    f"UPDATE {_HANDS} SET ({_names(_SAVED)}) = ROW({_names(_SAVED, 'given.')}) "
    f"FROM given JOIN free ON free.id = given.hand WHERE {_UNCHANGED} RETURNING {_HANDS}.id"
)
_ADD_HANDS = sql.text(
    f"WITH given AS ({_given({name: _TYPES[name] for name in _NEW})}), "
    f'free AS (SELECT {_TABLES}.id FROM {_TABLES} JOIN given ON {_TABLES}.id = given."table" '
    f"WHERE {_TABLES}.closed IS NULL FOR UPDATE OF {_TABLES} SKIP LOCKED) "
    f"INSERT INTO {_HANDS} ({_names(_NEW)}) SELECT {_names(_NEW, 'given.')} "
    f'FROM given JOIN free ON free.id = given."table" ON CONFLICT DO NOTHING RETURNING "table", id'
)


class Single(Protocol):
    """Opens a connection for one statement, which commits itself."""

    def __call__(self, *, changes: bool) -> AbstractContextManager[Connection]: ...


class PostgresMoves:
    """Three threads, one for each kind of statement."""

    def __init__(self, single: Single, sign_ins: sql.Select[Any]) -> None:
        """`sign_ins`: the query of the sign-ins with the tokens in the list `_tokens`, the token in the last column."""
        self._single, self._query = single, sign_ins
        self.sign_ins: Gathering[str, Row | None] = Gathering("sign-ins", self._read_sign_ins)  # by token; without it
        self.saves: Gathering[Columns, bool] = Gathering("saves", self._save)  # False where it was left out
        self.hands: Gathering[Columns, int | None] = Gathering("new hands", self._add)  # ids, None where it was left out

    def close(self) -> None:
        for gathering in (self.sign_ins, self.saves, self.hands):
            gathering.close()

    def _read_sign_ins(self, group: list[Pending[str, Row | None]]) -> None:
        tokens = [each.asked for each in group]
        found = {row[-1]: row[:-1] for row in self._execute(group, self._query, {"_tokens": tokens}, changes=False)}
        for each in group:
            each.result = found.get(each.asked)

    def _save(self, group: list[Pending[Columns, bool]]) -> None:
        first = _first_of(group, "hand")
        saved = {row[0] for row in self._execute(group, _SAVE_HANDS, _json(first))}
        for each in group:
            each.result = each in first and each.asked["hand"] in saved

    def _add(self, group: list[Pending[Columns, int | None]]) -> None:
        first = _first_of(group, "table")
        added = {row[0]: row[1] for row in self._execute(group, _ADD_HANDS, _json(first))}
        for each in group:
            each.result = added.get(each.asked["table"]) if each in first else None

    def _execute(
        self, group: list[Pending[Any, A]], statement: sql.Executable, values: Columns, *, changes: bool = True
    ) -> Sequence[Row]:
        with within(seconds_left(group)), self._single(changes=changes) as connection:
            return connection.execute(statement, values).all()


def _first_of(group: list[Pending[Columns, A]], key: str) -> list[Pending[Columns, A]]:
    """Return the first of a group with each value of a column, so that an answer is that of one only."""
    return list({each.asked[key]: each for each in reversed(group)}.values())


def _json(group: list[Pending[Columns, A]]) -> dict[str, str]:
    return {"given": json.dumps([dict(each.asked) for each in group], default=datetime.isoformat)}
