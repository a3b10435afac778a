"""A program of the ACPC protocol written from the protocol alone: sockets and text, nothing of the package.

It works out from the betting whose turn it is, moves at random and makes no invalid action. `Game` holds what the rules of a
game file need: blinds by position, the first position of each round, raise sizes or a stack, and caps.
"""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Game:
    blinds: tuple[int, ...]
    firsts: tuple[int, ...]  # 0-based
    sizes: tuple[int, ...] = ()  # of raises in limit games, by round
    caps: tuple[int, ...] = ()
    stack: int = 0  # of no-limit games


LIMIT = Game((10, 5), (1, 0, 0, 0), (10, 10, 20, 20), (3, 4, 4, 4))
NO_LIMIT = Game((100, 50), (1, 0, 0, 0), stack=20_000)
LIMIT_3P = Game((5, 10, 0), (2, 0, 0, 0), (10, 10, 20, 20), (3, 4, 4, 4))
KUHN_3P = Game((1, 1, 1), (0,), (1,), (1,))


class Table:
    """The betting of one hand."""

    def __init__(self, game: Game) -> None:
        self.game, self.spent, self.folded, self.round = game, list(game.blinds), set[int](), 0
        self.least = 2 * max(game.blinds)  # the smallest raise to
        self._open()

    def _open(self) -> None:
        self.raises, self.called, self.turn = 0, set[int](), self._next(self.game.firsts[self.round])

    def _able(self) -> list[int]:
        seats = range(len(self.spent))
        return [
            seat for seat in seats if seat not in self.folded and (not self.game.stack or self.spent[seat] < self.game.stack)
        ]

    def _next(self, seat: int) -> int | None:
        able = self._able()
        return next(
            (place % len(self.spent) for place in range(seat, seat + len(self.spent)) if place % len(self.spent) in able), None
        )

    def legal(self) -> list[str]:
        """The valid actions; of no-limit raises the smallest, the largest and one between."""
        assert self.turn is not None
        moves, top = ["c"], max(self.spent)
        if self.spent[self.turn] < top:
            moves.append("f")
        if self.game.sizes:
            if self.raises < self.game.caps[self.round]:
                moves.append("r")
        elif len(self._able()) > 1 and top < self.game.stack:
            low = min(self.least, self.game.stack)
            moves += [f"r{low}", f"r{(low + self.game.stack) // 2}", f"r{self.game.stack}"]
        return moves

    def play(self, action: str) -> None:
        seat, top = self.turn, max(self.spent)
        assert seat is not None
        if action == "f":
            self.folded.add(seat)
        elif action == "c":
            self.spent[seat] = min(top, self.game.stack or top)
            self.called.add(seat)
        else:
            total = int(action[1:]) if self.game.stack else top + self.game.sizes[self.round]
            self.least = max(self.least, 2 * total - top)
            self.spent[seat], self.called, self.raises = total, {seat}, self.raises + 1
        self.turn = self._next(seat + 1)
        left = [place for place in self._able() if place not in self.called]
        if len(self.spent) - len(self.folded) == 1:
            self.turn = None
        elif not left:
            self._end_round()

    def _end_round(self) -> None:
        while True:
            self.round += 1
            if self.round == len(self.game.firsts):
                self.turn = None
                return
            if len(self._able()) > 1:
                break
        self.least = max(self.spent) + max(self.game.blinds)
        self._open()


def answer(game: Game, line: str, random: Random) -> str | None:
    """Return the action for a match state, None where it is another player's turn or the hand is over."""
    _, position, _, betting, _ = line.split(":")
    table = Table(game)
    for action in re.findall(r"[fc]|r[0-9]*", betting):
        table.play(action)
    return random.choice(table.legal()) if table.turn == int(position) else None


def play(game: Game, host: str, port: int, seed: int) -> int:
    """Play until the dealer hangs up; return the number of hands seen."""
    random, numbers = Random(seed), set[str]()
    with socket.create_connection((host, port)) as connection, connection.makefile("rw", newline="") as stream:
        stream.write("VERSION:2.0.0\r\n")
        stream.flush()
        for text in stream:
            line = text.rstrip("\r\n")
            if line.startswith(("#", ";")):
                continue
            numbers.add(line.split(":")[2])
            action = answer(game, line, random)
            if action is not None:
                stream.write(f"{line}:{action}\r\n")
                stream.flush()
    return len(numbers)
