"""Queries about people: the sign-ins by which their browsers are known, and codes that take a person to another browser."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from smoothcall.store.records import SignInRow
from smoothcall.store.schema import About, Arrival, Person, SignIn, TransferCode

_COLUMNS = (SignIn.id, SignIn.person, SignIn.created, SignIn.seen, SignIn.label)
_WITH_SETTINGS = sql.select(*_COLUMNS, Person.settings).join(Person, Person.id == SignIn.person)
_SIGN_IN = _WITH_SETTINGS.where(SignIn.token == sql.bindparam("_token"))  # read at every request
_TOKENS = sql.bindparam("_tokens", type_=postgresql.ARRAY(sql.String))
SIGN_INS = _WITH_SETTINGS.add_columns(SignIn.token).where(SignIn.token == sql.any_(_TOKENS))  # on PostgreSQL, of many at once
LABEL = 80  # characters
_INSERTS: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
FORGOTTEN = 120.0  # seconds after which a network is forgotten: its count is full again


class People:
    """People and their sign-ins. Tokens and codes are kept as digests: whoever reads the database cannot play for somebody."""

    def _begin(self) -> AbstractContextManager[Session]:
        raise NotImplementedError

    def _first(self, query: sql.Select[Any], values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        raise NotImplementedError

    def signing_key(self, new: str) -> str:
        """Return the secret with which tokens are signed; `new` becomes it where there is none yet."""
        with self._begin() as session:
            session.execute(sql.update(About).where(About.secret == "").values(secret=new))
            return session.scalars(sql.select(About.secret)).one()

    def add_person(self, token: str, created: datetime, label: str = "") -> int:
        """Add a person who is known by a secret token; return the person's id."""
        with self._begin() as session:
            made = Person(created=created)
            session.add(made)
            session.flush()
            session.add(_sign_in(made.id, token, created, label))
            return made.id

    def admit(self, network: str, now: float, per_minute: int) -> bool:
        """Count somebody new from a network: so many a minute, then one after the other; False if too many came."""
        since = sql.case((Arrival.at < now, now - Arrival.at), else_=0.0)
        grown = Arrival.left + since * (per_minute / 60)
        left = sql.case((grown > per_minute, float(per_minute)), else_=grown)
        with self._begin() as session:
            insert = _INSERTS[session.get_bind().dialect.name](Arrival).values(network=network, at=now, left=per_minute - 1.0)
            counted = insert.on_conflict_do_update(
                index_elements=[Arrival.network], set_={"left": left - 1, "at": now}, where=left >= 1
            )
            session.execute(sql.delete(Arrival).where(Arrival.at < now - FORGOTTEN))
            return session.execute(counted.returning(Arrival.network)).first() is not None

    def person(self, token: str) -> int | None:
        found = self.sign_in(token)
        return None if found is None else found.person

    def sign_in(self, token: str) -> SignInRow | None:
        """Return the sign-in of a token, with the person's settings."""
        found = self._first(_SIGN_IN, {"_token": digest(token)})
        return None if found is None else SignInRow(*found)

    def sign_ins(self, person: int) -> list[SignInRow]:
        """Return a person's sign-ins, the last used first."""
        query = sql.select(*_COLUMNS).where(SignIn.person == person).order_by(SignIn.seen.desc(), SignIn.id)
        with self._begin() as session:
            return [SignInRow(*found) for found in session.execute(query)]

    def add_sign_in(self, person: int, token: str, created: datetime, label: str = "") -> None:
        with self._begin() as session:
            session.add(_sign_in(person, token, created, label))

    def renew(self, sign_in: int, seen: datetime) -> None:
        with self._begin() as session:
            session.execute(sql.update(SignIn).where(SignIn.id == sign_in).values(seen=seen))

    def revoke(self, person: int, sign_in: int) -> bool:
        """Remove a sign-in of a person; return whether there was one."""
        query = sql.delete(SignIn).where(SignIn.id == sign_in, SignIn.person == person).returning(SignIn.id)
        with self._begin() as session:
            return session.scalar(query) is not None

    def add_code(self, person: int, code: str, expires: datetime, now: datetime) -> None:
        """Add a code in place of the person's earlier one; codes of anybody that have expired are removed."""
        with self._begin() as session:
            session.execute(sql.delete(TransferCode).where((TransferCode.person == person) | (TransferCode.expires < now)))
            session.add(TransferCode(digest=digest(code), person=person, expires=expires))

    def redeem(self, code: str, now: datetime) -> int | None:
        """Use a code up; return its person, None if it is unknown, used or has expired."""
        query = sql.delete(TransferCode).where(TransferCode.digest == digest(code), TransferCode.expires >= now)
        with self._begin() as session:
            return session.scalar(query.returning(TransferCode.person))


def _sign_in(person: int, token: str, created: datetime, label: str) -> SignIn:
    return SignIn(person=person, token=digest(token), created=created, seen=created, label=label[:LABEL])


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
