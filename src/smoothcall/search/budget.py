"""How many iterations a search may do: from the size of its tree and the seconds it is given, by a fixed model of the cost.

The number does not depend on the machine or its load, so that one seed gives one match everywhere. The model was fitted to
processor time on one core of the machine that the documents' figures come from (`python -m benchmarks.search --calibrate`);
a clock guards tables on slower machines (`search.player`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, prod

from smoothcall.games.betting import Betting
from smoothcall.search.public_tree import Moves

NODE_SECONDS = 2.6e-6  # an iteration takes for each node of the betting on each board, with 1,326 hands
BOARD_SECONDS = 5e-5  # and for each board
OTHER_ITERATIONS = 3  # that reading the blueprint into the tables and finding values take as long as
OTHER_BOARD_SECONDS = 1.5e-4  # that listing takes for each board
OTHER_NODE_SECONDS = 8e-5  # that listing takes for each node of the betting
SHARE = 0.6  # of the seconds that the model may use up; the rest is for slower machines
MIN_ITERATIONS, MAX_ITERATIONS = 4, 200
HANDS = 1326


class TooLarge(Exception):
    """The tree of the rest of the hand is too large for the time."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The time of one search, with boards[streets] of the streets to come and the number of hands."""

    seconds: float
    boards: tuple[int, ...]
    hands: int = HANDS

    @classmethod
    def of(cls, seconds: float, deck: int, board: int, coming: Sequence[int]) -> Budget:
        """Return the budget of a search on a board of so many cards of a deck, before streets with `coming` cards each."""
        left, boards = deck - board, [1]
        for count in coming:
            boards.append(boards[-1] * prod(range(left, left - count, -1)) // prod(range(1, count + 1)))
            left -= count
        return cls(seconds, tuple(boards), deck * (deck - 1) // 2)

    def iterations(self, nodes: Sequence[int]) -> int:
        """Return how many iterations fit, where the betting of each street has so many nodes; TooLarge if too few do."""
        scale = self.hands / HANDS
        work = sum(each * boards for each, boards in zip(nodes, self.boards, strict=True))
        once = scale * (NODE_SECONDS * work + BOARD_SECONDS * sum(self.boards))
        other = OTHER_ITERATIONS * once + scale * OTHER_BOARD_SECONDS * sum(self.boards) + OTHER_NODE_SECONDS * sum(nodes)
        found = floor((SHARE * self.seconds - other) / once)
        if found < MIN_ITERATIONS:
            raise TooLarge
        return min(found, MAX_ITERATIONS)

    def bounded(self, moves: Moves, street: int) -> Moves:
        """Return moves that raise TooLarge as soon as the betting listed so far is too large; it began on a street."""
        nodes = [0] * len(self.boards)

        def counted(state: Betting) -> Sequence[str]:
            found = moves(state)
            nodes[state.street - street] += len(found)
            self.iterations(nodes)
            return found

        return counted
