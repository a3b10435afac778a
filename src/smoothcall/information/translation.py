"""Action translation: play an agent's tree, which has the raises of a bet menu, in hands with raises of any amount.

The hand and the tree are walked together. A raise is translated to one of the tree by the pseudo-harmonic mapping of Ganzfried
and Sandholm (Action translation in extensive-form games with large action spaces, 2013), which compares raises as shares of the
pot after calling. They draw one of the two nearest raises; here the more likely of the two is taken, so that a betting sequence
always leads to the same node.

An all-in is translated to an all-in where the tree has one, so that both end together. A smaller raise is translated to an
all-in only if the tree has no other raise, or if the all-in is nearer and the player would have no more than the pot left after
a call. A call that is all-in in the tree but not in the hand is played as an all-in raise.

In limit games raises have one size, but the tree may list fewer of them on a street than the rules allow (`Street.listed`).
After a raise that is not listed the hand goes on at the tree's most similar node: same street, same player to act, same players
in the hand, and something to call in both or in neither. Of these it is the node with the smallest sum of differences of the
chips that each player has put in; of equals, the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor
from weakref import WeakKeyDictionary

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.notation import split_last
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.tree import ActionTree
from smoothcall.kernels.tables import CALL, FOLD_SLOT, Array

MAX_CACHED_PLACES = 5_000  # per game
RAISES = 2  # action slots of raises, from here on


def same_table(one: PokerRules | MatrixGame, other: PokerRules | MatrixGame) -> bool:
    """Return whether the rules of two games differ in nothing but their names and bet menus."""
    if isinstance(one, PokerRules) and isinstance(other, PokerRules):
        return one == other or _without_names(one) == _without_names(other)
    return one is other or one == other


def rotated(rules: PokerRules, by: int) -> PokerRules:
    """Return the same game with its seats numbered from seat `by`."""
    order = [(seat + by) % rules.seats for seat in range(rules.seats)]
    return replace(
        rules,
        streets=tuple(replace(street, first=(street.first - by) % rules.seats) for street in rules.streets),
        blinds=tuple(map(rules.blind, order)) if rules.blinds else (),
        dead=tuple(rules.dead[seat] for seat in order) if rules.dead else (),
        stacks=tuple(rules.stacks[seat] for seat in order) if rules.stacks else (),
    )


def seat_shift(own: PokerRules | MatrixGame, table: PokerRules | MatrixGame) -> int | None:
    """Return the seat of `table` that is seat 0 of `own`, where both are one game but for names; None where they are not."""
    if not isinstance(own, PokerRules) or not isinstance(table, PokerRules):
        return 0 if same_table(own, table) else None
    shifts = range(table.seats) if table.seats == own.seats else ()
    return next((by for by in shifts if same_table(own, rotated(table, by))), None)


def _without_names(rules: PokerRules) -> PokerRules:
    """Return the rules with one way to write them: no name, no bet menu, a blind for every seat."""
    streets = tuple(replace(street, listed=None) for street in rules.streets)
    return replace(rules, name="", menu=None, streets=streets, blinds=tuple(map(rules.blind, range(rules.seats))))


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


def slot_like(game: Game, betting: str, letter: str) -> int | None:
    """Return the action slot at `node_like` that a move of the hand is translated to; None where the tree has no such move."""
    place = _place(game, betting)
    child = None if place.node is None else place.follow(letter)
    return None if child is None else int(game.tree.slot[child])


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
        """Return the real total of a raise that is the same share of the pot as the tree's, as near as the rules allow."""
        assert self.node is not None
        called, pot = _called(self.real)
        return min(max(called + floor(_tree_share(self.tree, self.node, child) * pot + Fraction(1, 2)), low), high)

    def after(self, letter: str) -> _Place:
        real = self.real.copy()
        real.play(letter)
        tree, node = self.tree, None if self.node is None else self.follow(letter)
        if node is not None and (tree.player[node], tree.round[node]) != (real.player, real.street):
            node = None  # one of them is over or ahead
        if real.rules.limit and real.player is not None and (node is None or not _similar(tree, real, np.array([node]))[0]):
            node = _most_similar(tree, real)
        return _Place(tree, real, node)

    def follow(self, letter: str) -> int | None:
        """Return the tree's node after a real move; None where it has no such move."""
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


def _similar(tree: ActionTree, real: Betting, nodes: Array) -> Array:
    """Return [n] bool: whether the players in the hand, and whether there is something to call, are those of the hand."""
    alive = sum(1 << seat for seat, still in enumerate(real.alive) if still)
    paid = tree.paid[nodes]
    owed = paid.max(axis=1) > paid[:, real.player]
    found: Array = (tree.alive[nodes] == alive) & (owed == (real.to_call > 0))
    return found


def _most_similar(tree: ActionTree, real: Betting) -> int | None:
    """Return the node of a tree that is most similar to a limit hand; None where there is none."""
    nodes = np.flatnonzero((tree.player == real.player) & (tree.round == real.street))
    nodes = nodes[_similar(tree, real, nodes)]
    if not len(nodes):
        return None
    return int(nodes[np.argmin(np.abs(tree.paid[nodes] - np.array(real.paid)).sum(axis=1))])


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
    """Return (the player's chips in the hand, the pot) if the player called."""
    assert state.player is not None
    return state.paid[state.player] + state.to_call, state.pot + state.to_call


def _tree_share(tree: ActionTree, node: int, child: int) -> Fraction:
    """Return a raise of the tree as a share of the pot after calling."""
    paid, player = tree.paid[node].tolist(), int(tree.player[node])
    called = max(paid)
    return Fraction(int(tree.paid[child, player]) - called, sum(paid) + called - paid[player])
