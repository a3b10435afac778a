"""The hands that a player that searches may hold, followed exactly through what it plays.

A search finds the strategy of all hands at once, whatever the player holds. So at every public history the probability of each
move with each hand is known, as it is of a table.
"""

from __future__ import annotations

from smoothcall.agents.fixed import Fixed, Strategy
from smoothcall.agents.view import View
from smoothcall.evaluation.followed_range import FollowedRange
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.information.game import Game
from smoothcall.kernels.tables import Array
from smoothcall.search.player import Decision, Followed, SearchPlayer


class SearchedRange(FollowedRange):
    """The range of a player that searches. Its searches must not be cut short by a clock, or they would not repeat."""

    def __init__(self, game: Game, player: SearchPlayer, hole: Cards = ()) -> None:
        self.searcher = player
        self.boards: tuple[Cards, ...] = ()  # of each street so far
        self._search: Followed | None = None  # the player's last, which its next one goes on from
        self._decisions: dict[str, Decision] = {}  # by the betting before them; copies of a range share them
        super().__init__(game, Strategy(player.blueprint.policy), hole)

    def see(self, street: int, board: Cards) -> None:
        super().see(street, board)
        self.boards = (*self.boards, tuple(board[sum(map(len, self.boards)) :]))

    def decision(self, state: Betting) -> Decision:
        """Return the player's strategy where it acts, by a search where it searches."""
        if state.text not in self._decisions:
            self.searcher.followed = self._search
            self._decisions[state.text] = self.searcher.decide(self._view(state))
        return self._decisions[state.text]

    def probabilities(self, state: Betting) -> dict[str, Array]:
        decision = self.decision(state)
        return dict(zip(decision.moves, decision.probabilities, strict=True))

    def follow(self, state: Betting, letter: str) -> bool:
        if not super().follow(state, letter):
            return False
        decision = self.decision(state)
        self._search = self.searcher.after(self._view(state), decision, decision.moves.index(letter))
        return True

    def _view(self, state: Betting) -> View:
        """Return what anybody sees: no cards but the board."""
        assert state.player is not None
        return View(state.rules, state.player, (), self.boards, state.text)


def range_of(game: Game, player: Fixed | SearchPlayer, hole: Cards = ()) -> FollowedRange:
    """Return the range of a player at the start of a hand; `hole` are cards that it cannot hold."""
    return SearchedRange(game, player, hole) if isinstance(player, SearchPlayer) else FollowedRange(game, player, hole)
