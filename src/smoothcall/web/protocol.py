"""HTTP connections with limits: on the bytes of a request's head, the time to send a request and to take its answer, and the
number of connections in all and per address. A thin layer under Uvicorn's protocol, which has none of these.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any, cast
from zlib import crc32

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from smoothcall.kernels.tables import Array

SLICE = 16 * 1024  # bytes given to the parser at a time
SLOTS = 16384  # of addresses whose connections several processes count


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of connections; seconds and bytes."""

    head_bytes: int = 32 * 1024  # of the request line and headers; checked after every SLICE
    headers: int = 100
    head_seconds: float = 10.0  # from the first byte, or from the connection, to the end of the headers
    body_seconds: float = 20.0  # from there to the end of the body
    write_seconds: float = 30.0  # that a client may leave an answer unread
    pipelined: int = 8  # requests sent before the answer to an earlier one
    connections: int = 1000
    per_address: int = 256  # an IPv6 network of 64 bits counts as one address


@dataclass(slots=True)
class Connections:
    """Open connections, by address."""

    limits: Limits
    by_address: Counter[str] = field(default_factory=Counter)
    refused: int = 0

    def admit(self, address: str) -> bool:
        if self.by_address.total() >= self.limits.connections or self.by_address[address] >= self.limits.per_address:
            self.refused += 1
            return False
        self.by_address[address] += 1
        return True

    def leave(self, address: str) -> None:
        self.by_address[address] -= 1
        if not self.by_address[address]:
            del self.by_address[address]


class JoinedWrites:
    """A transport that sends together what is written at once: the head of an answer with its body.

    Every sending gives up the interpreter's lock, which a busy server gets back late.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._held: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._held:
            self._loop.call_soon(self._send)
        self._held.append(data)
        if len(data) >= SLICE:
            self._send()

    def close(self) -> None:
        self._send()
        self._transport.close()

    def _send(self) -> None:
        held, self._held = self._held, []
        if held and not self._transport.is_closing():
            self._transport.write(b"".join(held))


class LimitedProtocol(HttpToolsProtocol):
    """Uvicorn's protocol with limits; `limited` makes the class for one server."""

    limits: Limits
    open: Connections
    _address: str | None = None  # counted; None for a connection that was refused
    _head_bytes = 0
    _in_head = True  # reading the head of a request, or waiting for its first byte
    _timer: asyncio.TimerHandle | None = None  # of the request that is read
    _write_timer: asyncio.TimerHandle | None = None
    cycle: Any  # None before the first request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast(asyncio.Transport, JoinedWrites(transport, self.loop)))
        wire = transport.get_extra_info("socket")
        if wire is not None and wire.family in (socket.AF_INET, socket.AF_INET6):
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # asyncio sets it on sockets made with a protocol only
        address = network_of(self.client[0] if self.client else "")
        if self.open.admit(address):
            self._address = address
            self._start_timer(self.limits.head_seconds)
        else:
            self._refuse(503)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timers()
        if self._address is not None:
            self.open.leave(self._address)
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), SLICE):
            if self.transport.is_closing():
                return
            piece = data[start : start + SLICE]
            if self._in_head:
                if self._timer is None:
                    self._start_timer(self.limits.head_seconds)
                self._head_bytes += len(piece)
            super().data_received(piece)
            if self._in_head and self._head_bytes > self.limits.head_bytes:
                self._refuse(431)
            elif len(self.pipeline) > self.limits.pipelined:
                self._refuse(429)

    # Of the parser

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) >= self.limits.headers:
            if not self.transport.is_closing():
                self._refuse(431)
            return
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._head_bytes = False, 0
        self._start_timer(self.limits.body_seconds)
        if not self.transport.is_closing():
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._stop_timer()
        self._in_head = True
        if self.cycle is not None:
            super().on_message_complete()

    def on_body(self, body: bytes) -> None:
        if self.cycle is not None:
            super().on_body(body)

    # Writing

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    # Limits

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._too_slow)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop_timers(self) -> None:
        self._stop_timer()
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def _too_slow(self) -> None:
        """Close a connection on which a request was not sent in time; without a word if an answer is being sent already."""
        self._timer = None
        if self.transport.is_closing():
            return
        if self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete:
            self.transport.abort()
        elif self._in_head and not self._head_bytes:
            self.transport.close()
        else:
            self._refuse(408)

    def _refuse(self, status: int) -> None:
        """Answer with a status only and close the connection."""
        phrase = HTTPStatus(status).phrase
        lines = [f"HTTP/1.1 {status} {phrase}", "content-type: text/plain; charset=utf-8", f"content-length: {len(phrase)}"]
        lines += ["retry-after: 2"] if status in (429, 503) else []
        self._stop_timer()
        self.transport.write("\r\n".join([*lines, "connection: close", "", phrase]).encode())
        self.transport.close()


class SharedConnections(Connections):
    """Open connections of several processes. Each counts its own in a row of shared memory, and reads those of all."""

    def __init__(self, limits: Limits, counts: Array, place: int) -> None:
        """counts[processes, 1 + SLOTS] int32: all connections of a process, then those of addresses by their hashes."""
        super().__init__(limits)
        self._counts, self._own = counts, counts[place]
        self._own[:] = 0  # a process that had this place before is gone, and so are its connections

    def admit(self, address: str) -> bool:
        slot = slot_of(address)
        total, here = self._counts[:, [0, slot]].sum(axis=0)
        if total >= self.limits.connections or here >= self.limits.per_address:
            self.refused += 1
            return False
        self.by_address[address] += 1
        self._own[[0, slot]] += 1
        return True

    def leave(self, address: str) -> None:
        super().leave(address)
        self._own[[0, slot_of(address)]] -= 1


def slot_of(address: str) -> int:
    """Return where the connections of an address are counted; addresses of the same slot count as one."""
    return 1 + crc32(address.encode()) % SLOTS


def limited(limits: Limits, connections: Connections | None = None) -> type[LimitedProtocol]:
    """Return the protocol of one server: its connections are counted together."""
    made: Any = type("Limited", (LimitedProtocol,), {"limits": limits, "open": connections or Connections(limits)})
    return made  # type: ignore[no-any-return]


def network_of(address: str) -> str:
    """Return what counts as one address: an IPv4 address, or the first 64 bits of an IPv6 address."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return found.exploded[:19]
