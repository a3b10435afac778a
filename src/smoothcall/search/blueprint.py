"""A blueprint: a tabular policy of two-player hold'em as a strategy for every hand at public states of real hands.

The policy sees cards through its buckets. Bets that its tree does not have are translated (`information.translation`), as a
`PolicyPlayer` translates them, so that the blueprint has a strategy in every betting tree. H is the number of hands, 1,326
with 52 cards; vectors over hands are in the order of `Range.every_hand`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smoothcall.agents.fixed import Strategy
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.translation import moves_like, node_like, slot_like
from smoothcall.kernels.search.blueprint import fill_strategies
from smoothcall.kernels.search.boards import fill_buckets
from smoothcall.kernels.search.sweep import DECISION
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.search.boards import PLAYERS, Range
from smoothcall.search.public_tree import StreetBetting
from smoothcall.search.range_solver import RangeSolver

SEARCHED = "a table of two-player hold'em, such as limit-holdem-smooth-uct"


class Blueprint:
    """Raises UsageError for policies that are no tables of two-player hold'em."""

    def __init__(self, policy: Policy) -> None:
        game = policy.game
        if isinstance(policy, TabulatedPolicy):
            raise UsageError(f"search follows a table, and this agent of {game.spec} has none (accepted: {SEARCHED})")
        if not isinstance(game.rules, PokerRules) or game.abstraction is None or game.players != PLAYERS:
            raise UsageError(f"search does not play {game.spec} (accepted: {SEARCHED})")
        self.policy, self.game, self.rules = policy, game, game.rules
        self._strategy, self._cards = Strategy(policy), game.abstraction.cards
        self._hand_buckets = game.abstraction.hand_buckets
        self.every = Range.every_hand(game.rules.deck)

    def free(self, board: Cards) -> Array:
        """Return [H] bool: the hands that share no card with a board."""
        return np.asarray(~np.isin(self.every.hands, board).any(axis=1))

    def place(self, hole: Cards) -> int:
        """Return the number of a hand."""
        return int(self._cards.hand[hole[0], hole[1]])

    def move_probabilities(self, betting: str, board: Cards) -> dict[str, Array]:
        """Return [H] the probability of each move of the player who acts after a betting sequence on a board."""
        node = node_like(self.game, betting)
        if node is None:
            return {"c": np.ones(len(self.every.hands))}
        street = int(self.game.tree.round[node])
        return self._strategy.moves(betting, self.game.tree.first_row[node] + self._hand_buckets(street, board))

    def likelihood(self, betting: str, letter: str, board: Cards) -> Array:
        """Return [H] the probability of a move that was made; of a bet that the tree does not have, of that like it."""
        known = self.move_probabilities(betting, board)
        if letter in known:
            return known[letter]
        node, slot = node_like(self.game, betting), slot_like(self.game, betting, letter)
        if node is None or slot is None:
            return np.ones(len(self.every.hands))
        rows = self.game.tree.first_row[node] + self._hand_buckets(int(self.game.tree.round[node]), board)
        found: Array = self.policy.weights[rows, slot] / self.policy.scale
        return found

    def reach(self, boards: Sequence[Cards], betting: str) -> tuple[Array, Array]:
        """Return [H] of each player: the probability that it plays this way with each hand; 0 for hands with a board card.

        A move that the blueprint makes with no hand that is left changes nothing. boards[street]: the cards of each street.
        """
        state, found = Betting(self.rules), [np.ones(len(self.every.hands)) for _ in range(PLAYERS)]
        for letter in split_moves(betting):
            assert state.player is not None
            board = tuple(card for cards in boards[: state.street + 1] for card in cards)
            found[state.player] = updated(found[state.player] * self.free(board), self.likelihood(state.text, letter, board))
            state.play(letter)
        board = tuple(card for cards in boards for card in cards)
        return found[0] * self.free(board), found[1] * self.free(board)

    # In the tables of a range solver, both of whose ranges are `every`

    def moves(self, state: Betting) -> list[str]:
        """Return the moves of the blueprint in a state of the betting: fold, check or call, raises from small to large."""
        found = {letter for letter in moves_like(self.game, state.text) if letter is not None}
        if not found:
            found = {letter for letter in state.slots if letter is not None}
        return sorted(found, key=lambda letter: ("fcr".index(letter[0]), int(letter[1:] or 0)))

    def fill(self, solver: RangeSolver, first_street: int) -> None:
        """Write the blueprint's strategies of both players into a solver's averages and regrets."""
        for place, (street, level) in enumerate(zip(solver.streets, solver.levels, strict=True)):
            boards = level.arrays
            bucket = np.zeros((len(level.boards), len(self.every.hands)), np.uint16)
            fill_buckets(self._cards, first_street + place, level.listed, boards.hands[0], bucket)
            slots = [self._slots(street, player) for player in range(PLAYERS)]
            for player, (row, first, slot) in enumerate(slots):
                table = solver.average[player].reshape(-1, solver.lanes)
                policy, scale = self.policy.weights, self.policy.scale
                fill_strategies(policy, scale, row, first, slot, bucket, boards.hands[player], boards.start[player], table)
        for player in range(PLAYERS):
            solver.regret[player][:] = solver.average[player]

    def _slots(self, street: StreetBetting, player: int) -> tuple[Array, Array, Array]:
        """Return the slots of a player's decisions on a street as `fill_strategies` takes them."""
        found: list[tuple[int, int, int]] = []
        for number, (kind, owner) in enumerate(zip(street.kind, street.player, strict=True)):
            if kind != DECISION or owner != player:
                continue
            text, moves = street.text[number], street.moves[number]
            node, row = node_like(self.game, text), street.row[number]
            if node is None:
                found.append((row + moves.index("c"), -1, 0))
                continue
            first = int(self.game.tree.first_row[node])
            letters = moves_like(self.game, text)
            found += [(row + moves.index(letter), first, slot) for slot, letter in enumerate(letters) if letter is not None]
        table = np.array(found, np.int64).reshape(-1, 3)
        return table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy()


def updated(reach: Array, likelihood: Array) -> Array:
    """Return a range after a move, by Bayes' rule; as it was where the move is made with no hand of it."""
    after: Array = reach * likelihood
    return after if after.any() else reach
