"""Subgames of small games that a range solver has solved: re-solving them, and putting the result back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from smoothcall.games.notation import read_betting
from smoothcall.kernels.search.sweep import DECISION
from smoothcall.search.boards import PLAYERS, Range
from smoothcall.search.gadget import GadgetSolver
from smoothcall.search.range_solver import RangeSolver
from tests.search.plain import listed


@dataclass(frozen=True)
class Subgame:
    """What begins on a board of the second street, in one way that the betting may have gone before."""

    whole: RangeSolver
    board: int
    entry: int

    def reach(self, player: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (hands, the probability that a player comes to the subgame with each)."""
        root = self.whole.streets[1].root[self.entry]
        places = self.whole.levels[1].boards[self.board].hands[player]
        return self.whole.ranges[player].hands[places], self.whole.at([0, self.board], 1 - player)[0][root]

    def solver(self, weights: tuple[np.ndarray | None, np.ndarray | None] = (None, None)) -> GadgetSolver:
        """Return a solver of the subgame that holds the whole game's strategies; `weights`: other ranges than these lead to."""
        whole, street = self.whole, self.whole.streets[1]
        ranges = []
        for player in range(PLAYERS):
            hands, reach = self.reach(player)
            given = weights[player]
            ranges.append(Range(hands, reach.astype(np.float64) if given is None else given))
        state = read_betting(whole.rules, street.text[street.root[self.entry]])
        cards = whole.levels[1].boards[self.board].cards
        found = GadgetSolver(whole.rules, state, cards, ranges, listed, dtype=np.float64)
        for player in range(PLAYERS):
            for ours, theirs in self._pairs(found, player):
                ours[:] = theirs
        return found

    def put_back(self, solved: GadgetSolver, player: int) -> None:
        """Write a player's strategy of the subgame into the whole game's averages."""
        for place, board, rows, columns, ours in self._tables(solved, player):
            self.whole.rows_of(self.whole.average, place, board, player)[np.ix_(rows, columns)] = ours

    def _pairs(self, solver: GadgetSolver, player: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for place, board, rows, columns, ours in self._tables(solver, player):
            yield ours, self.whole.rows_of(self.whole.average, place, board, player)[np.ix_(rows, columns)]

    def _tables(self, solver: GadgetSolver, player: int) -> Iterator[tuple[int, int, list[int], list[int], np.ndarray]]:
        """Yield (street, board, rows and columns in the whole game's table, the solver's table) of all boards."""
        whole = self.whole
        for place, (street, level) in enumerate(zip(solver.streets, solver.levels, strict=True), 1):
            texts = {text: node for node, text in enumerate(whole.streets[place].text)}
            known = {board.cards: number for number, board in enumerate(whole.levels[place].boards)}
            rows = [
                whole.streets[place].row[texts[street.text[node]]] + action
                for node, kind in enumerate(street.kind)
                if kind == DECISION and street.player[node] == player
                for action in range(len(street.moves[node]))
            ]
            for number, board in enumerate(level.boards):
                theirs = whole.levels[place].boards[known[board.cards]].hands[player]
                order = {tuple(hand): n for n, hand in enumerate(whole.ranges[player].hands[theirs].tolist())}
                hands = solver.ranges[player].hands[board.hands[player]].tolist()
                columns = [order[tuple(hand)] for hand in hands]
                yield place, known[board.cards], rows, columns, solver.rows_of(solver.average, place - 1, number, player)


def subgames(whole: RangeSolver) -> list[Subgame]:
    """Return all subgames of the second street."""
    return [
        Subgame(whole, board, entry)
        for board in range(len(whole.levels[1].boards))
        for entry in range(len(whole.streets[1].root) - 1)
    ]
