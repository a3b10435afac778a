"""CFR with public chance sampling, and CFR-BR: a board is drawn, all hands of both players learn on it, by bucket.

An iteration of `public-cfr` (Johanson, Bard, Lanctot, Gibson and Bowling 2012) draws the cards of a whole board and updates the
players in turn, each over all of its hands against all hands of the other: regrets are exact for the board and unbiased for the
game. In `cfr-br` (Johanson, Bard, Burch and Bowling 2012) each player learns against a responder of its own instead, which sees
cards better than the player does. On the last street the responder plays a best response with real cards to the player's
current policy. On earlier streets, the trunk, it learns by CFR over buckets of its own (`responder_grid`, `responder_cells`).
The average policy comes to the least exploitable policy of the abstraction, up to what the responder's buckets in the trunk
cannot tell apart. An iteration of `cfr-br` has twice the sweeps and visits every node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.abstraction import CELLS, GRID
from smoothcall.information.game import Game
from smoothcall.kernels.random import seeded
from smoothcall.kernels.search import public_sampling as kernels
from smoothcall.kernels.search import sweep
from smoothcall.kernels.search.lanes import count_lanes
from smoothcall.kernels.tables import FOLD, SHOWDOWN, Array
from smoothcall.memory import verify_memory
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.search.boards import PLAYERS
from smoothcall.search.drawn_boards import BATCH, DrawnBoards
from smoothcall.search.policy_betting import ending_factor
from smoothcall.search.public_tree import StreetBetting, as_arrays
from smoothcall.search.range_sweep import RangeSweep
from smoothcall.solvers.base import Solver
from smoothcall.solvers.threads import batches

DTYPE = np.dtype(np.float32)  # of vectors over hands and of tables
RESPONDER_GRID = "1000/1000/1"  # the last street's buckets are not used


class PublicCFR(Solver):
    """Tables [rows, A] that learn from one board at a time, by sweeps over all hands."""

    RESPONDS: ClassVar[bool] = False
    OPTIONS: ClassVar[dict[str, Option]] = {
        "alpha": Option(1.0, "iteration t counts t^alpha in the regrets", low=0, high=4),
        "gamma": Option(1.0, "iteration t counts t^gamma in the average", low=0, high=4),
        "least": Option(
            0.01,
            "nodes that the other player reaches with a probability p below this are visited with the probability p / least, "
            "and count least / p times; 0: every node is visited",
            low=0,
            high=1,
        ),
    }

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        if not isinstance(game.rules, PokerRules) or game.players != PLAYERS:
            raise UsageError(f"{name} learns poker for two, not {game.spec}")
        shape = game.tree.rows, len(game.actions)
        verify_memory(2 * int(np.prod(shape)) * DTYPE.itemsize, f"{name} on {game.spec}")
        self._regret, self._average = np.zeros(shape, DTYPE), np.zeros(shape, DTYPE)
        self._generator, self._visits = seeded(self.seed, 2)
        self._boards = DrawnBoards(game, count_lanes(DTYPE))
        pieces = cut_tree(game, self._boards.pairs)
        betting = [as_arrays(pieces.trunk, DTYPE), as_arrays(pieces.last, DTYPE, parts=True)]
        self._nodes, hands = pieces.nodes, len(self._boards.range.hands)
        self._tree = kernels.Tree(betting[0], betting[1], game.tree.round[pieces.nodes[0]], pieces.entry)
        self._trunk, self._late = RangeSweep(betting, hands, game.rules.deck.size, DTYPE).buffers[0]
        actions, width = len(game.actions), self._boards.width
        self._work = kernels.Work(
            share=np.zeros((actions, max(hands, width)), DTYPE),
            choice=np.zeros((len(betting[1].kind) if self.RESPONDS else 0, width), np.uint8),
            generator=self._visits,
            sums=np.zeros((actions + 1, max(hands, width)), DTYPE),
        )
        self._agent = self._boards.strategy(game, self._rows(game), self._regret, self._average)
        self._responder_game, self._responder = game, self._agent

    def _rows(self, game: Game) -> list[Array]:
        """Return the first rows of the trunk's nodes and of the last street's."""
        return [game.tree.first_row[nodes] for nodes in self._nodes]

    def tables(self) -> dict[str, Array]:
        return {"regret": self._regret, "average": self._average, "generator": self._generator, "visits": self._visits}

    def _advance(self, count: int) -> int:
        visited, done = 0, self.iterations
        for some in batches(count, BATCH if self.game.sampled else max(count, 1)):
            order = self._boards.draw(some, self._generator)
            if self.game.sampled:
                self._boards.fill_buckets(self.game, self._agent)
                if self._responder is not self._agent:
                    self._boards.fill_buckets(self._responder_game, self._responder)
            powers = (float(self.options["alpha"]), float(self.options["gamma"]))
            about = (self._tree, self._boards.arrays, self._agent, self._responder, self.RESPONDS)
            visited += kernels.iterate(
                order, done, powers, float(self.options.get("least", 0)), *about, self._trunk, self._late, self._work
            )
            done += some
        return visited

    def policy(self) -> Policy:
        return Policy.from_weights(self.game, self._average, self.card)

    def current_policy(self) -> Policy:
        return Policy.from_weights(self.game, np.maximum(self._regret, 0), self.card)


class CFRBR(PublicCFR):
    """Each player learns against a responder that plays a best response with real cards on the last street."""

    RESPONDS: ClassVar[bool] = True
    OPTIONS: ClassVar[dict[str, Option]] = {
        **{name: option for name, option in PublicCFR.OPTIONS.items() if name != "least"},
        "responder_grid": Option(
            None,
            f"in hold'em, buckets of the responders on flop and turn (and river, where they need none); none: {RESPONDER_GRID}",
            kind=str,
            form=GRID.form,
        ),
        "responder_cells": Option(
            None, "in hold'em, how the responders' buckets divide hands; none: as the game's", kind=str, choices=CELLS.choices
        ),
    }

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        grid, cells = self.options["responder_grid"], self.options["responder_cells"]
        if game.abstraction is not None:
            self._responder_game = Game(game.rules, grid=grid or RESPONDER_GRID, cells=cells or game.abstraction.cells)
        elif grid or cells:
            raise UsageError(f"options responder_grid and responder_cells are for hold'em, not for {game.spec}")
        shape = self._responder_game.tree.rows, len(game.actions)
        verify_memory(int(np.prod(shape)) * DTYPE.itemsize, f"the responders of {name} on {game.spec}")
        self._responses = np.zeros(shape, DTYPE)
        rows = self._rows(self._responder_game)
        self._responder = self._boards.strategy(self._responder_game, rows, self._responses, np.zeros((1, shape[1]), DTYPE))

    def tables(self) -> dict[str, Array]:
        return {**super().tables(), "responses": self._responses}


class CutTree:
    """An action tree in two pieces: the trunk before the last street, and the last street behind each of its entries."""

    def __init__(self) -> None:
        self.trunk, self.last = StreetBetting(), StreetBetting()
        self.nodes: list[Array] = []  # of each piece: the nodes of the action tree
        self.entry = np.zeros(0, np.int32)  # [entries] nodes of the trunk


def cut_tree(game: Game, pairs: int) -> CutTree:
    """Return a game's action tree in two pieces; pay-offs are divided by the pairs of hands on a board."""
    tree, cut, last = game.tree, CutTree(), len(game.buckets) - 1

    def add(street: StreetBetting, root: int, kept: list[int]) -> None:
        waiting = [(root, -1)]
        for node, parent in waiting:  # grows while it is read
            place, player, slots = len(street.kind), int(tree.player[node]), list[int]()
            kind = {FOLD: sweep.FOLDED, SHOWDOWN: sweep.SHOWN_DOWN}.get(int(tree.kind[node]), sweep.DECISION)
            if kind == sweep.DECISION and street is cut.trunk and tree.round[node] == last:
                kind, player = sweep.NEXT_STREET, -1
            elif kind == sweep.DECISION:
                slots = np.flatnonzero(tree.child[node] >= 0).tolist()
                waiting += [(int(child), place) for child in tree.child[node, slots]]
            factor = [[each / pairs for each in chips] for chips in ending_factor(game, node, kind)]
            street.add(kind, player, parent, int(tree.first_row[node]), -1, factor)
            street.slots.append(slots)
            kept.append(node)

    first, later = list[int](), list[int]()
    cut.trunk.root.append(0)
    add(cut.trunk, 0, first)
    cut.trunk.root.append(len(first))
    cut.entry = np.flatnonzero(np.array(cut.trunk.kind) == sweep.NEXT_STREET).astype(np.int32)
    for entry in cut.entry:
        cut.last.root.append(len(later))
        add(cut.last, first[entry], later)
    cut.last.root.append(len(later))
    cut.nodes = [np.array(first), np.array(later)]
    return cut
