"""Lines of the ACPC protocol over TCP: the connection, and a program that connected to a port as a player.

A program sends `VERSION:2.0.0`, gets a match state whenever anything happens in a hand (`interop.acpc.match_state_line`), and
when it is its turn repeats that line with `:<action>` behind it. Lines that begin with `#` or `;` are comments.
"""

from __future__ import annotations

import re
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from smoothcall.agents.view import View
from smoothcall.errors import PlayerFailed, UsageError
from smoothcall.evaluation.policy_match import Stop
from smoothcall.games.rules import PokerRules
from smoothcall.interop.acpc import match_state_line

VERSION = (2, 0, 0)
MAX_LINE = 1 << 16  # bytes
WAIT = 600.0  # seconds for a program to connect
PATIENCE = 0.5  # seconds between two looks at whether to stop

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds a program may take. The protocol's own dealer has these unless it is told others."""

    response: float = 600.0
    hand: float = 600.0
    per_hand: float = 7.0  # on average over the match
    hands: float = inf  # of the match; without a number its average is not limited

    def __post_init__(self) -> None:
        for name in ("response", "hand", "per_hand"):
            if not 0 < getattr(self, name) < inf:
                raise UsageError(f"a limit of {getattr(self, name)} s for {name} (accepted: a positive number)")


class Lines:
    """A connection that carries lines of text; `tell` hears what is sent (`TO`) and received (`FROM`).

    Waiting for a line ends with KeyboardInterrupt when `stop` says so.
    """

    def __init__(self, connection: socket.socket, tell: Tell | None = None, stop: Stop | None = None) -> None:
        self.socket, self._tell, self._stop, self._read = connection, tell or (lambda line: None), stop, b""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, line: str) -> bool:
        """Send a line; return whether the other side is still there."""
        self._tell(f"TO {line}")
        try:
            self.socket.sendall(f"{line}\r\n".encode())
        except OSError:
            return False
        return True

    def receive(self, seconds: float | None = None, other: socket.socket | None = None) -> str | None:
        """Return the next line that is no comment, None where the other side hung up. TimeoutError after `seconds`.

        Programs that connect to the listening socket `other` meanwhile are told that the seat is taken.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            while b"\n" in self._read:
                whole, _, self._read = self._read.partition(b"\n")
                line = whole.decode(errors="replace").strip()
                self._tell(f"FROM {line}")
                if line and line[0] not in "#;":
                    return line
            if len(self._read) > MAX_LINE:
                raise PlayerFailed(f"a line of more than {MAX_LINE} bytes: {self._read[:40]!r}...")
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError
            ready = _ready([self.socket, *([other] if other is not None else [])], left, self._stop)
            if other is not None and other in ready:
                _refuse(other)
            if self.socket in ready:
                try:
                    piece = self.socket.recv(MAX_LINE)
                except OSError:
                    return None
                if not piece:
                    return None
                self._read += piece

    def close(self) -> None:
        self.socket.close()


def _ready(sockets: list[socket.socket], seconds: float | None, stop: Stop | None) -> list[socket.socket]:
    """Return the sockets that can be read, [] after `seconds`; KeyboardInterrupt when `stop` says so."""
    deadline = inf if seconds is None else time.monotonic() + seconds
    while True:
        left = max(0.0, deadline - time.monotonic())
        pause = left if stop is None else min(left, PATIENCE)
        ready: list[socket.socket] = select.select(sockets, [], [], None if pause == inf else pause)[0]
        if ready or time.monotonic() >= deadline:
            return ready
        if stop is not None and stop():
            raise KeyboardInterrupt


def _refuse(listener: socket.socket) -> None:
    """Tell a program that it came too late."""
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"# this seat is taken, and a match goes on without reconnection\r\n")


class Seat:
    """A seat that waits at a port for a program. Port 0 is any free one."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        try:
            self.listener = socket.create_server((host, port))
        except (OSError, OverflowError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).partition(" (while")[0]  # what the library adds
            raise UsageError(f"cannot wait at {host}:{port}: {reason} (accepted: a free port, 0 for any)") from None
        self.host, self.port = host, int(self.listener.getsockname()[1])

    def wait(
        self,
        name: str,
        limits: Limits,
        *,
        seconds: float = WAIT,
        tell: Tell | None = None,
        hear: Tell | None = None,
        stop: Stop | None = None,
    ) -> RemotePlayer:
        """Return the program that connects, after its version line. `tell` gets warnings, `hear` every line on the wire.

        Here and in the match, waiting ends with KeyboardInterrupt when `stop` says so.
        """
        try:
            lines = self._connected(name, seconds, hear, stop)
            match = self._version(name, lines, limits.response)
        except BaseException:
            self.close()
            raise
        if tell is not None and (int(match[1]) != VERSION[0] or int(match[2]) > VERSION[1]):
            tell(f"ERROR: {name} speaks version {match[1]}.{match[2]}.{match[3]}, this dealer 2.0.0")
        return RemotePlayer(name, lines, self, limits, tell)

    def _connected(self, name: str, seconds: float, hear: Tell | None, stop: Stop | None) -> Lines:
        if not _ready([self.listener], seconds, stop):
            raise PlayerFailed(f"{name}: no program connected to {self.host}:{self.port} within {seconds:g} s")
        return Lines(self.listener.accept()[0], hear, stop)

    def _version(self, name: str, lines: Lines, seconds: float) -> re.Match[str]:
        """Return the version that a program says first; the connection is closed where it says something else."""
        try:
            version = lines.receive(seconds)
        except TimeoutError:
            version = None
        except BaseException:
            lines.close()
            raise
        match = re.fullmatch(r"VERSION:([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})", version or "")
        if match is None:
            said = "nothing" if version is None else repr(version[:60])
            lines.close()
            raise PlayerFailed(f"{name} said {said} first (accepted: VERSION:2.0.0)")
        return match

    def close(self) -> None:
        self.listener.close()


class RemotePlayer:
    """A program as a player at a table whose seats are the protocol's positions.

    Invalid actions are changed as the protocol's dealer does: to a call, or a raise to the nearest legal one. A program that
    hangs up or takes too long is a `PlayerFailed`.
    """

    def __init__(self, name: str, lines: Lines, seat: Seat, limits: Limits, tell: Tell | None = None) -> None:
        self.name, self.lines, self.seat, self.limits = name, lines, seat, limits
        self.number = 0  # of the hand
        self.changed = 0  # invalid actions
        self._tell = tell or (lambda line: None)
        self._sent, self._in_hand, self._in_match = "", 0.0, 0.0  # seconds

    def watch(self, view: View) -> None:
        self._send(match_state_line(view, self.number))
        if view.payoffs:
            self.number, self._in_hand = self.number + 1, 0.0

    def act(self, view: View) -> str:
        line = match_state_line(view, self.number)
        if line != self._sent:  # a table that shows no states shows at least this one
            self._send(line)
        start = time.monotonic()
        action = self._action(line, start)
        used = time.monotonic() - start
        self._in_hand, self._in_match = self._in_hand + used, self._in_match + used
        legal = repaired(view, action)
        if legal != action:
            self.changed += 1
            self._tell(f"WARNING: action {action[:40]!r} of {self.name} in hand {self.number} changed to {legal!r}")
        return legal

    def close(self) -> None:
        self.lines.close()
        self.seat.close()

    def _send(self, line: str) -> None:
        self._sent = line
        if not self.lines.send(line):
            raise PlayerFailed(f"{self.name} hung up in hand {self.number}")

    def _action(self, line: str, start: float) -> str:
        """Return what the program answers to a match state; everything else that it says is dropped."""
        limits = {
            "this answer": self.limits.response,
            "this hand": self.limits.hand - self._in_hand,
            "the match": self.limits.per_hand * self.limits.hands - self._in_match,
        }
        which = min(limits, key=lambda name: limits[name])
        while True:
            try:
                answer = self.lines.receive(limits[which] - (time.monotonic() - start), self.seat.listener)
            except TimeoutError:
                raise PlayerFailed(f"{self.name} used up its time for {which} in hand {self.number}") from None
            if answer is None:
                raise PlayerFailed(f"{self.name} hung up in hand {self.number}")
            if answer.startswith(f"{line}:"):
                return answer[len(line) + 1 :]
            self._tell(f"WARNING: ignoring un-requested response of {self.name}: {answer[:120]!r}")


def repaired(view: View, action: str) -> str:
    """Return an action as the protocol's dealer takes it: itself, the nearest legal raise, or a call."""
    assert isinstance(view.rules, PokerRules)
    if action in view.letters and action[0] in "fc":
        return action
    if view.raises is not None and view.rules.limit and action == "r":
        return action
    if view.raises is not None and not view.rules.limit and re.fullmatch("r[0-9]{1,12}", action):
        return f"r{min(max(int(action[1:]), view.raises[0]), view.raises[1])}"
    return "c"
