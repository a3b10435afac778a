"""Action translation: play an agent's tree, which has the raises of a bet menu, in hands with raises of any amount.

The hand and the tree are walked together. A raise is translated to one of the tree by the pseudo-harmonic mapping of Ganzfried
and Sandholm (Action translation in extensive-form games with large action spaces, 2013), which compares raises as shares of the
pot after calling. They draw one of the two nearest raises; here the more likely of the two is taken, so that a betting sequence
always leads to the same node.

An all-in is translated to an all-in where the tree has one, so that both end together. A smaller raise is translated to an
all-in only if the tree has no other raise, or if the all-in is nearer and the player would have no more than the pot left after
a call. A call that is all-in in the tree but not in the hand is played as an all-in raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor
from weakref import WeakKeyDictionary

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.notation import split_last
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.tree import ActionTree
from smoothcall.kernels.tables import CALL, FOLD_SLOT

MAX_CACHED_PLACES = 5_000  # per game
RAISES = 2  # action slots of raises, from here on


def same_table(one: PokerRules | MatrixGame, other: PokerRules | MatrixGame) -> bool:
    """Return whether the rules of two games differ in nothing but the bet menu."""
    if isinstance(one, PokerRules) and isinstance(other, PokerRules):
        return one == other or replace(one, menu=None) == replace(other, menu=None)
    return one is other or one == other


def node_like(game: Game, betting: str) -> int | None:
    """Return the decision node that a betting sequence is translated to.

    None if the hand is over, the translated hand is over, or the tree has no such move.
    """
    return _place(game, betting).node


def row_like(game: Game, hole: Cards, boards: Sequence[Cards], betting: str) -> int | None:
    """Return the row at `node_like` of the player to act, with these cards; None where that is None."""
    node = node_like(game, betting)
    if node is None:
        return None
    return game.row_at(node, hole, boards)


def moves_like(game: Game, betting: str) -> tuple[str | None, ...]:
    """Return [A] the move of the hand for each action slot at `node_like`, None where the tree has no such action.

    Different slots may be the same move: a raise that is not legal in the hand becomes a call.
    """
    return _place(game, betting).moves


@dataclass(frozen=True, eq=False)
class _Place:
    """A state of the betting of a hand and the node that it is translated to."""

    tree: ActionTree
    real: Betting  # of the hand; never advanced, only copies of it
    node: int | None

    @cached_property
    def moves(self) -> tuple[str | None, ...]:
        tree, node, real, player = self.tree, self.node, self.real, self.real.player
        if node is None or player is None:
            return (None,) * len(tree.actions)
        found: list[str | None] = []
        for slot, (child, letter) in enumerate(zip(tree.child[node].tolist(), real.slots, strict=True)):
            everything = child >= 0 and tree.paid[child, player] == real.starting[player]
            if child < 0:
                found.append(None)
            elif slot == FOLD_SLOT:
                found.append("f" if real.can_fold() else "c")
            elif real.rules.limit or real.raises is None or (slot == CALL and not everything):
                found.append(letter or "c")
            elif everything:
                found.append(f"r{real.raises[1]}")
            else:
                found.append(letter or f"r{self._total(child, *real.raises)}")
        return tuple(found)

    def _total(self, child: int, low: int, high: int) -> int:
        """The real total of a raise that is the same share of the pot as the tree's, as near as the rules allow."""
        assert self.node is not None
        called, pot = _called(self.real)
        return min(max(called + floor(_tree_share(self.tree, self.node, child) * pot + Fraction(1, 2)), low), high)

    def after(self, letter: str) -> _Place:
        real = self.real.copy()
        real.play(letter)
        tree, node = self.tree, None if self.node is None else self._follow(letter)
        if node is not None and (tree.player[node], tree.round[node]) != (real.player, real.street):
            node = None  # one of them is over or ahead
        return _Place(tree, real, node)

    def _follow(self, letter: str) -> int | None:
        """The tree's node after a real move; None where it has no such move."""
        assert self.node is not None
        slots = self.tree.child[self.node].tolist()
        if letter in ("f", "c") or self.real.rules.limit:
            child = slots["fcr".index(letter)]
            return child if child >= 0 else None
        raises = [child for child in slots[RAISES:] if child >= 0]
        return self._nearest(int(letter[1:]), raises) if raises else None

    def _nearest(self, total: int, raises: list[int]) -> int:
        real, tree, node, player = self.real, self.tree, self.node, self.real.player
        assert node is not None
        assert player is not None
        stack, exact = real.starting[player], {int(tree.paid[child, player]): child for child in raises}
        if total in exact and (total == stack or tree.paid[node].tolist() == real.paid):
            return exact[total]
        called, pot = _called(real)
        share, left = Fraction(total - called, pot), stack - total
        committed = left <= pot + 2 * (total - called)
        shares = sorted(
            (_tree_share(tree, node, child), child)
            for child in raises
            if committed or len(raises) == 1 or tree.paid[child, player] < stack
        )
        below = [pair for pair in shares if pair[0] <= share]
        above = [pair for pair in shares if pair[0] > share]
        if not below or not above:
            return (above or below[::-1])[0][1]
        (small, lower), (large, upper) = below[-1], above[0]
        likely = (large - share) * (1 + small) / ((large - small) * (1 + share))
        return lower if likely >= Fraction(1, 2) else upper


_places: WeakKeyDictionary[Game, dict[str, _Place]] = WeakKeyDictionary()


def _place(game: Game, betting: str) -> _Place:
    """Return the place of a betting sequence, walking on from its longest cached prefix."""
    if not isinstance(game.rules, PokerRules):
        raise UsageError(f"{game.spec} has no betting")
    known = _places.setdefault(game, {})
    moves, rest = [], betting
    while (place := known.get(rest)) is None:
        if not rest:
            place = known[""] = _Place(game.tree, Betting(game.rules), 0)
            break
        before, move = split_last(rest)
        moves.append((move, rest))
        rest = before
    for move, text in reversed(moves):
        place = place.after(move)
        if place.real.text != text:
            raise UsageError(f"betting {betting!r} is not how it is written: {place.real.text!r} is")
        if len(known) >= MAX_CACHED_PLACES:
            known.clear()
        known[text] = place
    return place


def _called(state: Betting) -> tuple[int, int]:
    """(the player's chips in the hand, the pot) if the player called."""
    assert state.player is not None
    return state.paid[state.player] + state.to_call, state.pot + state.to_call


def _tree_share(tree: ActionTree, node: int, child: int) -> Fraction:
    """A raise of the tree as a share of the pot after calling."""
    paid, player = tree.paid[node].tolist(), int(tree.player[node])
    called = max(paid)
    return Fraction(int(tree.paid[child, player]) - called, sum(paid) + called - paid[player])
