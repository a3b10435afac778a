"""EVs of a person's decisions in two-player hold'em against an opponent's real strategy, with real cards.

The opponent's range is followed exactly (`FollowedRange`). The betting behind a decision is that of the opponent's tree, or,
where the hand has left it, is enumerated with the rules engine: the person has the raises of the game's bet menu and the one
that was made, the opponent the moves of its table, translated. The sweep of the spot solver then values the person's hand.

On river and turn, EVs are exact: the person responds best afterwards, over every card to come. On the flop the person responds
best too; turn cards are sampled where walking all of them would take too long. A choice on the flop is then made on
nine tenths of the cards and valued on the rest, in turn, because choices made and valued on the same cards win too much. Before
the flop, boards are sampled and the person plays the opponent's own strategy afterwards: a best response to one sampled board
would know the cards to come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from random import Random

import numpy as np

from smoothcall.agents.fixed import Strategy
from smoothcall.errors import UsageError
from smoothcall.evaluation.decision_trees import DecisionTree, decision_tree
from smoothcall.evaluation.followed_range import FollowedRange
from smoothcall.evaluation.statistics import Estimate
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.translation import node_like
from smoothcall.kernels.search import sweep as kernels
from smoothcall.kernels.search.boards import fill_buckets
from smoothcall.kernels.search.lanes import count_lanes
from smoothcall.kernels.tables import Array
from smoothcall.search.boards import Level, Range, board_levels
from smoothcall.search.public_tree import StreetBetting, as_arrays
from smoothcall.search.range_sweep import NO_LOCKS, RangeSweep, policy_tables

FLOP, TURN, RIVER = 1, 2, 3
PARTS = 10  # of a sample of turn cards: choices made on all but one are valued on that one
MAX_NODES = 20_000  # of the betting behind a decision; limit hold'em has 16,584 in all
WORK = 350_000  # nodes of the betting times boards that are walked for a decision, about a third of a second of processor time
LEAST, MOST = 24, 1000  # boards that are sampled before the flop
LEAST_TURNS = 2 * PARTS  # turn cards that are sampled on the flop
WIDE = 16  # buckets are read in blocks of up to so many


@dataclass(frozen=True, slots=True)
class ActionEV:
    """The EV of one action, chips of net winnings in the hand, and how much less it is than that of the best action."""

    ev: Estimate
    loss: Estimate


@dataclass(frozen=True, eq=False)
class DecisionValues:
    """A decision of the person."""

    state: Betting
    chosen: str
    board: Cards
    reach: Array  # [hands] the opponent's range: the probability of its moves with each hand, 0 for hands that are blocked
    equity: Estimate  # of the person's hand against that range
    actions: dict[str, ActionEV]  # by move; empty where `note` says why
    note: str = ""

    @property
    def pot_odds(self) -> float | None:
        """The share of the pot after a call that the call costs: the equity that a call needs; None with nothing to call."""
        cost = self.state.to_call
        return cost / (self.state.pot + cost) if cost else None


@dataclass(eq=False)
class _Segment:
    """Decisions of the person on one street that one walk values: the opponent made only moves of its strategy between."""

    root: Betting
    board: Cards
    range: FollowedRange
    decisions: list[DecisionValues]


class HoldemDecisions:
    """Values decisions of a person in a seat against a tabular strategy. The result depends on nothing but the arguments."""

    def __init__(self, game: Game, seat: int, opponent: Strategy, *, work: int = WORK) -> None:
        if game.abstraction is None or game.players != 2 or not isinstance(game.rules, PokerRules):
            raise UsageError(f"EVs on ranges are of two-player hold'em, not {game.spec}")
        if opponent.policy.game.fingerprint != game.fingerprint:
            raise UsageError(f"this policy plays {opponent.policy.game.spec}, not {game.spec}")
        self.game, self.rules, self.seat, self.opponent, self.work = game, game.rules, seat, opponent, work

    @cached_property
    def policy(self) -> Strategy:
        """The opponent's strategy as a table to follow."""
        known = self.opponent
        return Strategy(known.policy.greedy()) if known.greedy else known

    def review(
        self, hole: Cards, boards: Sequence[Cards], betting: str, *, check: Callable[[], None] = lambda: None
    ) -> list[DecisionValues]:
        """Return the decisions of a finished hand with their EVs; `boards` has one item per street, the first empty.

        `check` is called before each walk; it may raise to stop.
        """
        found: list[DecisionValues] = []
        for segment in self._segments(hole, boards, betting):
            check()
            found += self._valued(segment, hole, check)
        return found

    def _segments(self, hole: Cards, boards: Sequence[Cards], betting: str) -> list[_Segment]:
        known, found, fresh = FollowedRange(self.game, self.policy, hole), list[_Segment](), True
        state = Betting(self.rules)
        for letter in split_moves(betting):
            while known.street < state.street:
                fresh = True
                known.see(known.street + 1, _flat(boards[: known.street + 2]))
            if state.player != self.seat:
                fresh |= not known.follow(state, letter)
            else:
                board = tuple(int(card) for card in known.board)
                equity = self._equity(known, hole)
                decision = DecisionValues(state.copy(), letter, board, known.reach.copy(), equity, {})
                if fresh or letter not in state.slots:  # a move of its own is an option at its decision only, not before
                    found.append(self._segment(decision, hole))
                    fresh = False
                found[-1].decisions.append(decision)
            state.play(letter)
        return found

    def _segment(self, first: DecisionValues, hole: Cards) -> _Segment:
        """Return a segment that begins with a decision, which is not in it yet."""
        known = FollowedRange(self.game, self.policy, hole)
        known.see(first.state.street, first.board)
        known.reach = first.reach.copy()
        return _Segment(first.state, first.board, known, [])

    def _equity(self, known: FollowedRange, hole: Cards) -> Estimate:
        """Return the equity of the person's hand: exact from the flop on, on sampled boards before."""
        if known.street > 0:
            return Estimate(float(known.reach @ known.equity) / float(known.reach.sum()), 0.0, 0)
        won, met = np.zeros(MOST), np.zeros(MOST)
        left = [card for card in range(self.rules.deck.size) if card not in hole]
        runs, twin = Random(0), FollowedRange(self.game, self.policy, hole)
        for number in range(MOST):
            twin.reach = known.reach.copy()
            twin.see(RIVER, tuple(runs.sample(left, 5)))
            won[number], met[number] = twin.reach @ twin.equity, twin.reach.sum()
        ratio = float(won.sum() / met.sum())  # boards that block more of the range count less
        return Estimate(ratio, float((won - ratio * met).std(ddof=1) / met.mean()) / MOST**0.5, MOST)

    # One segment

    def _valued(self, segment: _Segment, hole: Cards, check: Callable[[], None]) -> list[DecisionValues]:
        root = segment.root
        if (nodes := self._nodes(root)) > MAX_NODES:
            first, *rest = segment.decisions
            note = f"The betting behind this decision has {nodes:,} nodes: too many to value (the most is {MAX_NODES:,})."
            later = self._segment(rest[0], hole) if rest else None
            if later is not None:
                later.decisions += rest
            return [replace(first, note=note), *(self._valued(later, hole, check) if later is not None else ())]
        made = segment.decisions[0].chosen
        extra = "" if made in root.slots else made
        tree = decision_tree(self.game, self.seat, self.policy.policy, root.text, extra)
        walk, streets = _Walk(self, tree, segment, hole), tree.streets
        values, exact = walk.values(check)
        places = {streets[0].text[node]: node for node, moves in enumerate(streets[0].moves) if moves}
        return [
            replace(each, actions=_actions(each, streets[0], places, values, walk, exact=exact)) for each in segment.decisions
        ]

    def _nodes(self, root: Betting) -> int:
        """Return the nodes of the policy's tree behind the node that a state is translated to."""
        tree, node = self.game.tree, node_like(self.game, root.text)
        if node is None:
            return 0
        below = np.zeros(tree.nodes, np.bool_)
        below[node] = True
        for begin, end in zip(tree.levels[1:-1], tree.levels[2:], strict=True):
            below[begin:end] |= below[tree.parent[begin:end]]
        return int(below.sum())


def _flat(boards: Sequence[Cards]) -> Cards:
    return tuple(card for cards in boards for card in cards)


def _actions(
    decision: DecisionValues,
    street: StreetBetting,
    places: dict[str, int],
    values: Array,
    walk: _Walk,
    *,
    exact: bool,
) -> dict[str, ActionEV]:
    node = places[decision.state.text]
    evs = values[street.children[node]] / walk.meets[node]
    best = evs[evs.mean(axis=1).argmax()]
    return {
        letter: ActionEV(walk.estimate(ev, exact), walk.estimate(best - ev, exact))
        for letter, ev in zip(street.moves[node], evs, strict=True)
    }


class _Walk:
    """One walk over the betting behind a decision, and over the boards behind its own."""

    def __init__(self, of: HoldemDecisions, tree: DecisionTree, segment: _Segment, hole: Cards) -> None:
        self.of, self.tree, self.streets, self.hole, self.segment = of, tree, tree.streets, hole, segment
        self.street, self.deck = segment.root.street, of.rules.deck
        self.dtype: np.dtype[np.floating] = np.dtype(np.float64 if self.street >= TURN else np.float32)
        self.lanes = count_lanes(self.dtype)
        self.total, self.first = self._first_boards()
        betting = [as_arrays(each, self.dtype, parts=each is tree.streets[-1]) for each in tree.streets]
        self.sweep = RangeSweep(betting, len(segment.range.reach), self.deck.size, self.dtype)
        self.levels, size = self._levels()
        tables = policy_tables(tree.policy, of.policy.policy.scale, self.dtype)
        self.tables = tables if self.street else tables._replace(average=self._own_strategy(size))
        self.how = kernels.BEST if self.street else kernels.MEAN

    def _first_boards(self) -> tuple[int, list[Cards]]:
        """Return (how many ways the next street's cards can come, those that are walked)."""
        random, left = Random(f"{self.segment.root.text} {self.hole} {self.segment.board}"), self._left(self.segment.board)
        if self.street == RIVER:
            return 1, []
        if self.street == TURN:
            return len(left), [(card,) for card in left]
        last = sum(len(street.kind) for street in self.streets[2:])
        if self.street == FLOP:
            each = len(self.streets[1].kind) + (len(left) - 1) * last
            count = min(len(left), max(LEAST_TURNS, self.of.work // each))
            return len(left), [(card,) for card in sorted(random.sample(left, count))]
        count = min(MOST, max(LEAST, self.of.work // sum(len(street.kind) for street in self.streets)))
        flops = dict[Cards, None]()
        while len(flops) < min(count, comb(len(left), 3)):
            flops[tuple(sorted(random.sample(left, 3)))] = None
        return comb(len(left), 3), list(flops)

    def _left(self, board: Cards) -> list[int]:
        return [card for card in range(self.deck.size) if card not in board and card not in self.hole]

    def _levels(self) -> tuple[list[Level], list[int]]:
        """Return the boards of each street, with the buckets of the opponent's hands, and the lengths of own tables."""
        random, of, seat = Random(f"{self.hole}"), self.of, self.of.seat

        def choose(board: Cards, count: int) -> list[Cards]:
            if len(board) == len(self.segment.board):
                return self.first
            left = self._left(board)
            return [(card,) for card in left] if self.street else [(random.choice(left),)]

        every = Range.every_hand(self.deck)
        own = Range(np.array([sorted(self.hole)], np.uint8), np.ones(1))
        ranges = [own, every] if seat == 0 else [every, own]
        rows = [[0, 0] for _ in self.streets]
        for street, each in zip(rows, self.streets, strict=True):
            street[seat] = each.rows[seat]
        levels, size = board_levels(of.rules, self.street, self.segment.board, ranges, rows, self.lanes, choose=choose)
        cards = of.game.abstraction.cards  # type: ignore[union-attr]
        for place, level in enumerate(levels):
            boards = level.arrays
            bucket = np.zeros((len(level.boards), -(-len(every.hands) // WIDE) * WIDE), np.uint16)
            opponent = level.listed._replace(place=level.listed.place[1 - seat :])
            fill_buckets(cards, self.street + place, opponent, boards.hands[1 - seat], bucket)
            weight = boards.weight
            if place == 1:
                weight *= self.total / len(self.first)
            elif place > 1 and not self.street:
                weight *= len(self._left(level.boards[0].cards)) + 1  # one card stands for all that may come
            levels[place] = Level(level.boards, boards._replace(bucket=bucket, weight=weight), level.listed)
        return levels, size

    def _own_strategy(self, size: Sequence[int]) -> Array:
        """Return the table of the person's hand that plays the opponent's strategy from the flop on."""
        known, seat, policy = self.of.game.abstraction, self.of.seat, self.of.policy.policy
        assert known is not None
        found = np.zeros(size[seat] * self.lanes, self.dtype)
        for place, (shares, level) in enumerate(zip(self.tree.shares, self.levels, strict=True)):
            bucket = np.array([known.bucket(self.hole, _cut(board.cards, place)) for board in level.boards])
            row, first, slot = shares.T[:, :, None]
            share = np.where(first < 0, policy.scale, policy.weights[np.maximum(first, 0) + bucket, slot]) / policy.scale
            np.add.at(found, (level.arrays.start[seat] + row) * self.lanes, share)
        return found

    # Values

    @cached_property
    def meets(self) -> Array:
        """[nodes of the first street] the opponent's reach, summed over its hands."""
        found: Array = self.reach.sum(axis=1)
        return found

    @cached_property
    def reach(self) -> Array:
        """[nodes of the first street, W] the opponent's reach, 0 behind moves that it never makes."""
        own, seat = self.sweep.buffers[0][0], self.of.seat
        reached = own.reached[: len(self.streets[0].kind)]
        found: Array = own.reach[self.sweep.betting[0].source[seat]].astype(np.float64) * reached[:, None]
        return found

    def values(self, check: Callable[[], None]) -> tuple[Array, bool]:
        """Return ([nodes of the first street, samples] values of the person's hand, whether their mean is exact)."""
        sweep, seat, levels = self.sweep, self.of.seat, self.levels
        buffers = sweep.buffers[0]
        order = levels[0].boards[0].hands[1 - seat]
        buffers[0].entry_reach[0, : len(self.segment.range.reach)] = self.segment.range.reach
        buffers[0].entry_value[:] = 0
        assert len(order) <= buffers[0].entry_reach.shape[1]
        if self.street == RIVER:
            sweep.walk_board(0, 0, levels, seat, self.how, self.tables, [NO_LOCKS])
            return buffers[0].value[: len(self.streets[0].kind), :1].copy(), True
        sweep.walk_down(0, 0, levels, seat, self.tables)
        later = np.zeros((len(self.streets[1].root) - 1, len(self.first)))
        for child in range(len(self.first)):
            check()
            buffers[1].entry_value[:] = 0
            sweep.walk_board(1, child, levels, seat, self.how, self.tables, [NO_LOCKS] * len(levels))
            later[:, child] = buffers[1].entry_value[:, 0]
        exact = len(self.first) == self.total
        return self._up(later * len(self.first), exact=exact), exact

    def _up(self, later: Array, *, exact: bool) -> Array:
        """Return [nodes, samples] the values of the first street; later[entries, samples] are those of the next one's."""
        street, samples, seat = self.streets[0], later.shape[1], self.of.seat
        found, starts = np.zeros((len(street.kind), samples)), self.levels[0].arrays.start[seat, 0]
        part = np.arange(samples) % PARTS
        for node in range(len(street.kind) - 1, -1, -1):
            below = street.children[node]
            if street.kind[node] == kernels.NEXT_STREET:
                found[node] = later[street.entry[node]]
            elif street.kind[node] == kernels.FOLDED:
                found[node] = street.factor[node][seat][2] * self.meets[node]
            elif street.player[node] != seat:
                found[node] = found[below].sum(axis=0)
            elif self.how == kernels.MEAN:
                first = int(starts + street.row[node]) * self.lanes
                share = self.tables.average[first : first + len(below) * self.lanes : self.lanes].astype(np.float64)
                found[node] = (share if share.sum() else np.ones(len(below))) @ found[below] / (share.sum() or len(below))
            elif exact:
                found[node] = found[below[int(found[below].mean(axis=1).argmax())]]
            else:
                for out in range(PARTS):
                    inside = part == out
                    best = int(found[below][:, ~inside].mean(axis=1).argmax())
                    found[node, inside] = found[below[best], inside]
        return found

    def estimate(self, values: Array, exact: bool) -> Estimate:
        """Return the mean of sampled values; turn cards are drawn without replacement."""
        if exact:
            return Estimate(float(values.mean()), 0.0, 0)
        left = 1 - len(values) / self.total
        return Estimate(float(values.mean()), float(values.std(ddof=1)) * (left / len(values)) ** 0.5, len(values))


def _cut(board: Cards, street: int) -> list[Cards]:
    """Return the cards of each street."""
    return [(), board[:3], board[3:4], board[4:5]][: street + 1]
