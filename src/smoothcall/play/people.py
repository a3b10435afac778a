"""Who is playing: tokens, the sign-ins they stand for, and codes that take a person to another browser.

A token that is handed out is signed and not written down: its person is added when they first play. A sign-in ends when it was
not used for LIFE, or when it is revoked. One server alone remembers sign-ins for FRESH; servers that share a database read them
at every request.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

from smoothcall.errors import NotFound, StorageError, Unauthenticated
from smoothcall.store.histories import Histories
from smoothcall.store.records import SignInRow

NOBODY = 0  # the person id of somebody who has not played yet: nothing is theirs
LIFE = timedelta(days=90)  # that a sign-in lasts after its last use
RENEWED = timedelta(days=1)  # uses within it are written once
FRESH = timedelta(seconds=30)  # that a sign-in is known without asking the database
CODE_LIFE = timedelta(minutes=10)
KNOWN = 10_000  # sign-ins in memory
UNKNOWN = "your sign-in is not known (any more): go to the lobby to get a new one"


@dataclass(slots=True)
class _Known:
    sign_in: SignInRow
    read: datetime


class People:
    """The part of the play service that knows people. Thread-safe; `recall` never uses the database."""

    def __init__(
        self, histories: Histories, clock: Callable[[], datetime], secret: Callable[[], str], *, remember: bool = True
    ) -> None:
        """`remember`: sign-ins are known for FRESH without asking the database."""
        self._histories, self._clock, self._secret, self._remember = histories, clock, secret, remember
        self._known: OrderedDict[str, _Known] = OrderedDict()  # by token
        self._signing_key = ""
        self._lock = Lock()

    # Tokens

    def offer(self) -> str:
        """Return a token for somebody new. Nothing is written before they play."""
        given = f"{self._secret()}{self._secret()}"
        return f"{given}.{self._signature(given)}"

    def add(self, token: str | None = None, label: str = "") -> tuple[str, int]:
        """Add the person of a token that was offered, or of a new one; return (token, person)."""
        token = token or f"{self._secret()}{self._secret()}"
        person = self._histories.add_person(token, self._clock(), label)
        return token, person

    def recall(self, token: str) -> int | None:
        """Return the person of a token if that is in memory and fresh."""
        with self._lock:
            known = self._known.get(token) if self._remember else None
            if known is None or not timedelta(0) <= self._clock() - known.read < FRESH:
                return None
            self._known.move_to_end(token)
            return known.sign_in.person

    def expected(self, token: str) -> int | None:
        """Return the person of a token as it was last read, however long ago: whoever uses it asks `person` before the end."""
        with self._lock:
            known = self._known.get(token)
        return None if known is None else known.sign_in.person

    def person(self, token: str) -> int:
        """Return the person of a token; NOBODY if it was offered and they have not played. Unauthenticated if it is unknown."""
        found = self.recall(token)
        return self._read(token) if found is None else found

    def settings_of(self, token: str) -> Mapping[str, Any] | None:
        """Return the settings of the person of a token, as they were when the token was last read; None if that is unknown."""
        with self._lock:
            known = self._known.get(token)
        return None if known is None else known.sign_in.settings or {}

    def admit(self, address: str, per_minute: int) -> bool:
        """Count somebody new from an address, with all servers of the database; False if too many came."""
        return self._histories.admit(
            self._signature(f"from {address}"), self._clock().replace(tzinfo=UTC).timestamp(), per_minute
        )

    def sign_in_of(self, token: str) -> SignInRow | None:
        """Return the sign-in of a token, from the database."""
        return self._histories.sign_in(token)

    def _read(self, token: str) -> int:
        now = self._clock()
        with self._lock:
            known = self._known.get(token)
        try:
            found = self._histories.sign_in(token)
        except StorageError:
            if known is None:
                raise
            return known.sign_in.person  # those who are known play on as far as the database lets them
        if found is None:
            self.forget(token)
            if self._is_offered(token):
                return NOBODY
            raise Unauthenticated(UNKNOWN)
        if now - found.seen > LIFE:
            self._histories.revoke(found.person, found.id)
            self.forget(token)
            raise Unauthenticated("you have been away for long, and your sign-in has expired: go to the lobby to get a new one")
        if now - found.seen > RENEWED:
            self._histories.renew(found.id, now)
        with self._lock:
            self._known[token] = _Known(found, now)
            self._known.move_to_end(token)
            if len(self._known) > KNOWN:
                self._known.popitem(last=False)
        return found.person

    def forget(self, token: str) -> None:
        with self._lock:
            self._known.pop(token, None)

    def _signature(self, given: str) -> str:
        if not self._signing_key:
            self._signing_key = self._histories.signing_key(secrets.token_hex(32))
        made = hmac.digest(self._signing_key.encode(), given.encode(), "sha256")
        return base64.urlsafe_b64encode(made[:16]).decode().rstrip("=")

    def _is_offered(self, token: str) -> bool:
        given, _, signature = token.rpartition(".")
        return bool(given) and token.isascii() and hmac.compare_digest(signature, self._signature(given))

    # Sign-ins

    def sign_ins(self, person: int) -> list[SignInRow]:
        return self._histories.sign_ins(person)

    def revoke(self, person: int, sign_in: int) -> None:
        """End a sign-in of a person."""
        if not self._histories.revoke(person, sign_in):
            raise NotFound(f"there is no sign-in {sign_in} of yours")
        with self._lock:
            for token in [token for token, known in self._known.items() if known.sign_in.id == sign_in]:
                del self._known[token]

    def transfer_code(self, person: int) -> str:
        """Return a code that signs in another browser once, within CODE_LIFE. It replaces an earlier one."""
        letters = base64.b32encode(hashlib.sha256(self._secret().encode()).digest()[:10]).decode()
        now = self._clock()
        self._histories.add_code(person, letters, now + CODE_LIFE, now)
        return "-".join(letters[place : place + 4] for place in range(0, 16, 4))

    def redeem(self, code: str, label: str = "") -> str:
        """Return a new token of the person whose code it is; NotFound if it is unknown, was used or has expired."""
        letters = "".join(code.upper().split()).replace("-", "")
        now = self._clock()
        person = self._histories.redeem(letters, now) if letters.isascii() and len(letters) == 16 else None
        if person is None:
            raise NotFound("this code is not known: it may have been used, or be older than 10 minutes")
        token = f"{self._secret()}{self._secret()}"
        self._histories.add_sign_in(person, token, now, label)
        return token
