"""Gambit's extensive-form games (`.efg`, version 2): read any, write those of our games whose deals can be listed.

A file lists the nodes of a tree in the order of a walk that goes down first: `c` chance, `p` a player, `t` an ending. Outcomes
may stand at any node; pay-offs along a path add up. A written poker game begins with a chance node over its deals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from smoothcall import files
from smoothcall.errors import UsageError
from smoothcall.information.extensive import MAX_HISTORIES, NOBODY, ExtensiveGame, ExtensiveRules, History, chance_of
from smoothcall.information.game import Game
from smoothcall.kernels.tables import CHANCE, DECISION

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]|[^\s{}",]+')
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(/[0-9]{1,30})?|[+-]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?")


def read_efg(source: str | Path, name: str | None = None) -> ExtensiveGame:
    """Return the game of a file, given as a path or as text."""
    if isinstance(source, Path):
        return read_efg(files.read_text(source, "Gambit file"), name or str(source))
    return ExtensiveGame(_Reader(source, name or "efg").rules())


@dataclass
class _Open:
    """A node whose children are still to come."""

    place: int
    left: int
    paid: tuple[Fraction, ...]
    children: list[int]


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.name, self.tokens, self.at = name, _TOKEN.findall(text), 0
        self.informations: dict[tuple[str, int], tuple[str, tuple[str, ...], tuple[float, ...]]] = {}
        self.outcomes: dict[int, tuple[Fraction, ...]] = {}
        self.labels: set[tuple[int, str]] = set()  # (player, key) of information sets so far

    def rules(self) -> ExtensiveRules:
        self.expect("EFG", "2")
        self.one_of("R", "D")
        self.text()
        self.players = len(self.listed())
        if self.peek().startswith('"'):
            self.text()  # a comment
        found: list[History] = []
        path: list[_Open] = []
        while path or not found:
            if len(found) > MAX_HISTORIES:
                raise self.wrong(f"at most {MAX_HISTORIES:,} nodes")
            place, paid = len(found), path[-1].paid if path else (Fraction(0),) * self.players
            if path:
                path[-1].children.append(place)
                path[-1].left -= 1
            history, paid = self.node(paid)
            found.append(history)
            if history.moves:
                path.append(_Open(place, len(history.moves), paid, []))
            while path and not path[-1].left:
                done = path.pop()
                at = found[done.place]
                found[done.place] = History(at.player, at.key, at.moves, tuple(done.children), at.probabilities)
        if self.at < len(self.tokens):
            raise self.wrong("the end of the file after the last ending")
        return ExtensiveRules(self.name, self.players, tuple(found))

    def node(self, paid: tuple[Fraction, ...]) -> tuple[History, tuple[Fraction, ...]]:
        """Return a node without children, and the pay-offs on the way to it."""
        kind = self.one_of("c", "p", "t")
        self.text()  # its name
        if kind == "t":
            paid = self.outcome(paid)
            return History(payoffs=tuple(map(float, paid))), paid
        player = self.whole(1, self.players) - 1 if kind == "p" else NOBODY
        number = self.whole(0, 2**31)
        label, moves, probabilities = self.information(kind, player, number)
        paid = self.outcome(paid)
        return History(player, label if kind == "p" else "", moves, (), probabilities), paid

    def information(self, kind: str, player: int, number: int) -> tuple[str, tuple[str, ...], tuple[float, ...]]:
        """Return (key, moves, probabilities) of an information set, which are written where it first occurs."""
        known = self.informations.get((f"{kind}{player}", number))
        label = self.text() if self.peek().startswith('"') else ""
        if self.peek() != "{":
            if known is None:
                raise self.wrong("the moves of a new information set")
            return known
        moves, probabilities = list[str](), list[float]()
        self.expect("{")
        while self.peek() != "}":
            moves.append(self.text())
            if kind == "c":
                probabilities.append(float(self.number()))
        self.expect("}")
        if not moves:
            raise self.wrong("at least one move")
        if len(set(moves)) < len(moves):  # names are for people; these are told apart by their place
            moves = [f"{move}#{place}" for place, move in enumerate(moves, 1)]
        if known is not None:
            return known
        key = label or f"{player + 1}:{number}"
        if (player, key) in self.labels:
            key = f"{key} ({number})"
        self.labels.add((player, key))
        found = key, tuple(moves), tuple(probabilities)
        self.informations[f"{kind}{player}", number] = found
        return found

    def outcome(self, paid: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        number = self.whole(0, 2**31)
        if self.peek().startswith('"'):
            self.text()
        if self.peek() == "{":
            values = tuple(Fraction(value) for value in self.numbers())
            if len(values) != self.players:
                raise self.wrong(f"pay-offs of {self.players} players")
            self.outcomes[number] = values
        if number == 0:
            return paid
        if number not in self.outcomes:
            raise self.wrong("the pay-offs of a new outcome")
        return tuple(one + other for one, other in zip(paid, self.outcomes[number], strict=True))

    # Tokens

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def wrong(self, accepted: str) -> UsageError:
        near = " ".join(self.tokens[max(0, self.at - 3) : self.at + 1])[-80:]
        return UsageError(f"{self.name}: token {self.at} near {near!r} (accepted: {accepted})")

    def expect(self, *tokens: str) -> None:
        for token in tokens:
            if self.peek() != token:
                raise self.wrong(token)
            self.at += 1

    def one_of(self, *tokens: str) -> str:
        if self.peek() not in tokens:
            raise self.wrong(", ".join(tokens))
        return self.take()

    def text(self) -> str:
        if not self.peek().startswith('"'):
            raise self.wrong("a text in quotes")
        return re.sub(r"\\(.)", r"\1", self.take()[1:-1])

    def listed(self) -> list[str]:
        self.expect("{")
        found = []
        while self.peek() != "}":
            found.append(self.text())
        self.expect("}")
        if not found:
            raise self.wrong("at least one player")
        return found

    def number(self) -> Fraction:
        token = self.peek()
        if _NUMBER.fullmatch(token) is None or re.search(r"/0*$", token):
            raise self.wrong("a number")
        self.at += 1
        return Fraction(token)

    def numbers(self) -> Iterator[Fraction]:
        self.expect("{")
        while self.peek() != "}":
            yield self.number()
        self.expect("}")

    def whole(self, low: int, high: int) -> int:
        token = self.peek()
        if re.fullmatch("[0-9]{1,10}", token) is None or not low <= int(token) <= high:
            raise self.wrong(f"a whole number from {low} to {high}")
        self.at += 1
        return int(token)


def write_efg(game: Game) -> str:
    """Return a game as a Gambit file; UsageError where its deals are too many to list."""
    deals, lines = (
        game.deals,
        [f"EFG 2 R {_quoted(game.spec)} {{ {' '.join(_quoted(f'player {p}') for p in range(game.players))} }}"],
    )
    keys, payoffs = game.keys, game.ending_payoff
    written: set[int] = set()
    endings = 0

    def walk(node: int, deal: int) -> Iterator[str]:
        nonlocal endings
        stack = [node]
        tree = game.tree
        while stack:
            at = stack.pop()
            below = [int(child) for child in tree.child[at] if child >= 0]
            stack.extend(reversed(below))
            if tree.kind[at] == DECISION:
                row = int(tree.first_row[at] + deals.bucket[deal, tree.player[at], tree.round[at]])
                moves = " ".join(_quoted(tree.letter(child)) for child in below)
                known = f"{row + 1}" if row in written else f"{row + 1} {_quoted(keys[row])} {{ {moves} }}"
                written.add(row)
                yield f'p "" {tree.player[at] + 1} {known} 0'
            elif tree.kind[at] == CHANCE:
                shares = [float(chance_of(game)[chance_number[at], int(tree.slot[child])]) for child in below]
                moves = " ".join(f"{_quoted(tree.letter(child))} {share!r}" for child, share in zip(below, shares, strict=True))
                yield f'c "" {chance_number[at] + 2} "" {{ {moves} }} 0'
            else:
                endings += 1
                chips = " ".join(repr(float(value)) for value in payoffs[1][payoffs[0][at], deal])
                yield f't "" {endings} "" {{ {chips} }}'

    chance_number = {int(node): number for number, node in enumerate(_chance_nodes(game))}
    if deals.count > 1:
        moves = " ".join(f'"{deal}" {float(weight)!r}' for deal, weight in enumerate(deals.weight))
        lines.append(f'c "" 1 "" {{ {moves} }} 0')
    for deal in range(deals.count):
        lines.extend(walk(0, deal))
    return "\n".join(lines) + "\n"


def _chance_nodes(game: Game) -> list[int]:
    return [node for node, kind in enumerate(game.tree.kind) if kind == CHANCE]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
