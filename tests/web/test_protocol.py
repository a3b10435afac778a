"""Limits of connections, tried with raw sockets against a server in a thread."""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest
import uvicorn

from smoothcall.errors import UsageError
from smoothcall.web import server
from smoothcall.web.protocol import SLICE, Connections, JoinedWrites, Limits, limited, network_of
from smoothcall.web.quiet import FEW, PERIOD, Quiet

HANGS = 60  # seconds: a guard, not a target
TIGHT = Limits(head_bytes=4096, headers=20, connections=8, per_address=8)


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the length of the body; `/long` with more than a socket takes at once."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    body = b"x" * (1 << 26) if scope["path"] == "/long" else str(size).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def serving(limits: Limits) -> Iterator[tuple[int, Any]]:
    """(port, connections)"""
    protocol = limited(limits)
    config = uvicorn.Config(application, port=0, http=protocol, ws="none", lifespan="off", log_level="critical")
    made = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(made.serve()), daemon=True)
    thread.start()
    while not made.started:
        thread.join(0.01)
    try:
        yield made.servers[0].sockets[0].getsockname()[1], protocol.open
    finally:
        made.should_exit = True
        thread.join()


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), HANGS)


def rest(wire: socket.socket) -> bytes:
    """Everything until the server closes."""
    found = b""
    try:
        while data := wire.recv(1 << 16):
            found += data
    except ConnectionError:
        pass
    return found


def ask(wire: socket.socket, body: bytes = b"") -> bytes:
    wire.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    answer = b""
    while not answer.partition(b"\r\n\r\n")[2]:  # head and body may come apart
        answer += wire.recv(1 << 16)
    return answer


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[int, Any]]:
    with serving(TIGHT) as found:
        yield found


def test_requests_are_answered_and_small_packets_sent_at_once(site: tuple[int, Any]) -> None:
    port, _ = site
    with connect(port) as wire:
        for size in (0, 10, 60_000):
            answer = ask(wire, b"x" * size)
            assert answer.startswith(b"HTTP/1.1 200")
            assert answer.endswith(str(size).encode())


def test_nagle_is_off() -> None:
    """Without TCP_NODELAY the second packet of an answer waits for an acknowledgement, which is delayed by 40 ms."""
    options: list[int] = []

    class Watched(limited(TIGHT)):  # type: ignore[misc]
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            options.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    async def once() -> None:
        with server.listen("127.0.0.1", 0) as listening:
            config = uvicorn.Config(application, http=Watched, ws="none", lifespan="off", log_level="critical")
            made = uvicorn.Server(config)
            task = asyncio.create_task(made.serve([listening]))
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert (await reader.read()).startswith(b"HTTP/1.1 200")
            writer.close()
            made.should_exit = True
            await task

    asyncio.run(once())
    assert options
    assert all(options)


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n" + b"".join(b"x-%d: %s\r\n" % (n, b"y" * 200) for n in range(19)) + b"z: " + b"y" * 20_000,
        b"GET / HTTP/1.1\r\nx: " + b"y" * 40_000,
        b"GET /" + b"y" * 40_000,
        b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 30 + b"\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n" + b"GET /" + b"y" * 40_000,
    ],
    ids=["many", "one value", "address", "too many", "after a body"],
)
def test_long_heads_are_refused(site: tuple[int, Any], sent: bytes) -> None:
    port, _ = site
    with connect(port) as wire:
        wire.sendall(sent)
        answer = rest(wire)
    assert b" 431 " in answer or b" 400 " in answer


def test_no_more_of_a_long_head_is_read_than_the_limit(site: tuple[int, Any]) -> None:
    """The server closes: whoever sends 60 MB of headers gets rid of a few kilobytes only."""
    port, _ = site
    with connect(port) as wire:
        wire.sendall(b"GET / HTTP/1.1\r\n")
        assert sent_until_closed(wire, (b"x-%d: %s\r\n" % (number, b"y" * 1000) for number in range(60_000))) < 60_000


def sent_until_closed(wire: socket.socket, pieces: Iterable[bytes]) -> int:
    """How many pieces are sent before the server closes."""
    count = 0
    with suppress(ConnectionError):
        for piece in pieces:
            wire.sendall(piece)
            count += 1
    return count


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        (b"", b""),
        (b"GET / HTTP/1.1\r\nHos", b" 408 "),
        (b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc", b" 408 "),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", b" 408 "),
    ],
    ids=["nothing", "half a head", "half a body", "half a chunk"],
)
def test_requests_that_are_not_sent_in_time_are_closed(sent: bytes, answered: bytes) -> None:
    with serving(replace(TIGHT, head_seconds=0.1, body_seconds=0.1)) as (port, connections), connect(port) as wire:
        wire.sendall(sent)
        assert answered in rest(wire)
        while connections.by_address:
            pass


def test_a_slow_head_is_not_kept_open_by_single_bytes() -> None:
    def drops() -> Iterator[bytes]:
        for _ in range(100_000):
            threading.Event().wait(0.01)
            yield b"x"

    with serving(replace(TIGHT, head_seconds=0.2)) as (port, _), connect(port) as wire:
        assert sent_until_closed(wire, drops()) < 100_000


def test_an_answer_that_nobody_reads_is_given_up() -> None:
    with serving(replace(TIGHT, write_seconds=0.1)) as (port, connections), connect(port) as wire:
        wire.sendall(b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
        assert wire.recv(1)
        while connections.by_address:
            threading.Event().wait(0.01)


def test_pipelined_requests_are_bounded(site: tuple[int, Any]) -> None:
    port, _ = site
    with connect(port) as wire:
        wire.sendall(b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
        threading.Event().wait(0.05)
        assert rest(wire).count(b" 200 OK") <= 1


def test_connections_are_counted_and_refused() -> None:
    with serving(TIGHT) as (port, connections), ExitStack() as stack:
        held = [stack.enter_context(connect(port)) for _ in range(8)]
        for wire in held:
            assert b" 200 " in ask(wire)
        with connect(port) as more:
            answer = rest(more)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 2" in answer
        assert connections.refused == 1
        held[0].close()
        while connections.by_address.total() == 8:
            pass
        with connect(port) as again:
            assert b" 200 " in ask(again)


def test_addresses_are_counted_apart() -> None:
    connections = Connections(Limits(connections=3, per_address=2))
    assert [connections.admit(network_of(name)) for name in ("1.1.1.1", "1.1.1.1", "1.1.1.1", "::ffff:1.1.1.1", "2.2.2.2")] == [
        True,
        True,
        False,
        False,
        True,
    ]
    assert not connections.admit("3.3.3.3")
    connections.leave("1.1.1.1")
    assert connections.admit("3.3.3.3")
    assert network_of("2001:db8:1:2::1") == network_of("2001:db8:1:2:ffff::9") != network_of("2001:db8:1:3::1")
    assert network_of("") == ""


def test_connections_leave_room_for_files(monkeypatch: pytest.MonkeyPatch) -> None:
    have = [(256, 256)]
    monkeypatch.setattr(resource, "getrlimit", lambda kind: have[0])
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: have.append(limits))
    assert server.within_files(Limits()).connections == 256 - server.RESERVED_FILES
    have[0] = (256, 4096)
    assert server.within_files(Limits()).connections == Limits().connections
    assert have[-1] == (Limits().connections + server.RESERVED_FILES, 4096)
    have[0] = (64, 64)
    with pytest.raises(UsageError, match="ulimit"):
        server.within_files(Limits())


def test_more_sockets_than_files_leave_the_log_short(caplog: pytest.LogCaptureFixture) -> None:
    """300 idle sockets when 256 files may be open: refused at the limit, never at the last file."""
    limits = replace(Limits(), connections=60, per_address=1000)
    with serving(limits) as (port, connections), ExitStack() as stack:
        wires = [stack.enter_context(closing(connect(port))) for _ in range(150)]
        while connections.refused < 90:
            pass
        assert connections.by_address.total() == 60
        assert len(wires) == 150
    assert caplog.text == ""


def test_the_log_counts_what_it_leaves_out() -> None:
    now = [0.0]
    quiet, written = Quiet(lambda: now[0]), []

    def log(text: str) -> None:
        record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, text, (), None)
        if quiet.filter(record):
            written.append(record.getMessage())

    for _ in range(1000):
        log("Invalid HTTP request received.")
    log("another")
    assert written == ["Invalid HTTP request received."] * FEW + ["another"]
    now[0] = PERIOD
    log("Invalid HTTP request received.")
    assert written[-1] == f"Invalid HTTP request received. ({1000 - FEW} more like this were left out)"


class Sent:
    """A transport that notes what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        self.sent.append(data)

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


def test_what_is_written_at_once_is_sent_together() -> None:
    async def write() -> list[bytes]:
        sent = Sent()
        joined = JoinedWrites(sent, asyncio.get_running_loop())  # type: ignore[arg-type]
        joined.write(b"head")
        joined.write(b"body")
        await asyncio.sleep(0)
        joined.write(b"next")
        joined.write(b"." * SLICE)  # not held
        joined.write(b"last")
        joined.close()
        await asyncio.sleep(0)
        return sent.sent

    assert asyncio.run(write()) == [b"headbody", b"next" + b"." * SLICE, b"last"]
