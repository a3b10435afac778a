"""A player that searches: from the flop or the turn on it solves the rest of the hand with real cards, at each decision.

Its blueprint is a tabular policy. The ranges of both players are tracked by Bayes' rule: each move multiplies the range of
who made it by the probability of the move with each hand, for the opponent that of the blueprint, for the player itself that
of what it followed, the blueprint or a solution. The rest of the hand is solved from the player's decision on, where the
opponent's bets stand as they were made, for all hands of the range, so that neither the solution nor its time depends on the
cards that the player holds. Solving is safe (`search.gadget`). The first alternatives in a hand are the blueprint's values;
those of a nested search are the values of the search before it, which must hold whatever the opponent does in between.

How many iterations are done depends on the size of the tree and on `seconds` alone (`search.budget`). Where the tree is too
large for the time, the blueprint answers. A clock guards the table: after OVERTIME times the seconds the search stops with
what it has, or the blueprint answers where it has too little; only then do answers depend on the machine.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import isfinite
from random import Random
from time import monotonic

import numpy as np

from smoothcall.agents.batch_player import draw_slot
from smoothcall.agents.suffixes import MAX_SEARCH_SECONDS, SEARCH_SECONDS, Search
from smoothcall.agents.view import View
from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.notation import read_betting
from smoothcall.information.translation import same_table
from smoothcall.kernels.search.sweep import NEXT_STREET
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.search.blueprint import Blueprint
from smoothcall.search.boards import Range
from smoothcall.search.budget import MIN_ITERATIONS, Budget, TooLarge
from smoothcall.search.gadget import GadgetSolver

FLOP, TURN = 1, 2
FORCED, SPREAD = 0.5, 1.0  # of `GadgetSolver.protect`
OVERTIME = 2.0  # times the seconds, after which a search stops
SEARCHED, CUT, LATE, LARGE, MEMORY = "searched", "cut short", "out of time", "too large", "memory"


@dataclass(frozen=True, eq=False)
class Decision:
    """The player's strategy at one public state, with every hand."""

    moves: list[str]
    probabilities: Array  # [moves, H]
    solver: GadgetSolver | None = None  # where it was searched
    late: bool = False  # the clock cut the search short


@dataclass(frozen=True, eq=False)
class Followed:
    """What a search leaves for the next one in the same hand. Vectors are over all hands; values are summed over `own`."""

    hole: Cards
    boards: tuple[Cards, ...]
    betting: str  # after the player's move
    own: Array  # the player's range
    values: Array | None  # of the opponent at this state; None after unsafe searches, and where there was no time to find them
    later: dict[int, Array]  # its values on the next street, by the card that comes, where nobody raises before

    def continues(self, view: View) -> bool:
        """Return whether a view is of the same hand, later."""
        same = view.hole == self.hole and view.boards[: len(self.boards)] == self.boards
        return same and view.text.startswith(self.betting)

    def alternative(self, view: View) -> Array | None:
        """Return the values that the opponent was promised, at a later state of the hand; None where none were."""
        coming = [card for cards in view.boards[len(self.boards) :] for card in cards]
        if not coming:
            return self.values
        return self.later.get(coming[0]) if len(coming) == 1 else None


class SearchPlayer:
    """Plays a blueprint, and from the turn on, or the flop where it can, what search makes of it. Not thread-safe."""

    def __init__(
        self,
        policy: Policy,
        *,
        seconds: float = SEARCH_SECONDS,
        safe: bool = True,
        clock: bool = True,
        spread: float = SPREAD,
        random: Random | None = None,
    ) -> None:
        if not (isfinite(seconds) and 0 < seconds <= MAX_SEARCH_SECONDS):
            raise UsageError(f"search={seconds:g} (accepted: seconds above 0, at most {MAX_SEARCH_SECONDS:g})")
        self.blueprint, self.seconds, self.safe, self.clock = Blueprint(policy), seconds, safe, clock
        self.spread = spread
        self.random = random or Random()
        self.followed: Followed | None = None  # the search before, in the hand that is played
        self._table: object = policy.game.rules  # the rules of the last view, so that they are compared once
        self.counts: Counter[str] = Counter()  # of decisions from the turn on, and of searches on the flop
        self._prepare()
        self.counts.clear()

    def act(self, view: View) -> str:
        decision = self.decide(view)
        probabilities = decision.probabilities[:, self.blueprint.place(view.hole)]
        number = draw_slot(probabilities if probabilities.any() else np.ones(len(probabilities)), self.random)
        self.followed = self.after(view, decision, number)
        return decision.moves[number]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a match result says about the answers."""
        said = {
            CUT: "searches were cut short by the clock",
            LATE: "decisions were the blueprint's because time ran out",
            LARGE: f"decisions were the blueprint's because the tree is too large for {self.seconds:g} s",
            MEMORY: "decisions were the blueprint's because memory is too small",
        }
        done, total = self.counts[SEARCHED] + self.counts[CUT], sum(self.counts.values())
        first = f"searched {done:,} of {total:,} decisions from the turn on"
        return (first, *(f"{self.counts[what]:,} {text}" for what, text in said.items() if self.counts[what]))

    def decide(self, view: View) -> Decision:
        """Return the strategy at a view. Nothing of it depends on the cards that the seat holds."""
        if view.rules is not self._table and not same_table(view.rules, self.blueprint.rules):
            raise UsageError(f"this player's blueprint plays {self.blueprint.game.spec}, not {view.rules.name}")
        self._table = view.rules
        if view.street >= FLOP:
            found, outcome = self._search(view, monotonic())
            if found is not None or view.street >= TURN:
                self.counts[outcome] += 1
            if found is not None:
                return found
        known = self.blueprint.move_probabilities(view.text, _board(view))
        return Decision(list(known), np.stack(list(known.values())))

    def _search(self, view: View, began: float) -> tuple[Decision | None, str]:
        """Return (what a search finds, how it ended)."""
        rules, state, opponent = self.blueprint.rules, read_betting(self.blueprint.rules, view.text), 1 - view.seat
        board, street = _board(view), state.street
        coming = [each.board for each in rules.streets[street + 1 :]]
        budget = Budget.of(self.seconds, rules.deck.size, len(board), coming)
        ranges, followed = self._ranges(view)
        try:
            moves = budget.bounded(self.blueprint.moves, street)
            solver = GadgetSolver(rules, state, board, ranges, moves)
            iterations = budget.iterations([len(each.kind) for each in solver.streets])
        except TooLarge:
            return None, LARGE
        except (UsageError, MemoryError):
            return None, MEMORY
        self.blueprint.fill(solver, street)
        if self.safe:
            promised = None if followed is None else followed.alternative(view)
            alternative = solver.root_values(opponent) if promised is None else promised
            solver.protect(opponent, alternative, forced=FORCED, spread=self.spread)
        solver.start_from_average()
        for done in range(iterations):
            if self.clock and monotonic() - began > OVERTIME * self.seconds:
                if done < MIN_ITERATIONS:
                    return None, LATE
                return replace(self._decision(solver, view.seat), late=True), CUT
            solver.run(1)
        return self._decision(solver, view.seat), SEARCHED

    def _ranges(self, view: View) -> tuple[list[Range], Followed | None]:
        """Return the ranges of both players at a view, and the search before it, where there was one in this hand."""
        followed = self.followed if self.followed is not None and self.followed.continues(view) else None
        free, found = self.blueprint.free(_board(view)), []
        for player, reach in enumerate(self.blueprint.reach(view.boards, view.text)):
            if player == view.seat and followed is not None:
                weight = followed.own * free  # not scaled: values that the opponent was promised are summed over it
            else:
                weight = reach / reach.max() if reach.any() else free.astype(np.float64)
            found.append(Range(self.blueprint.every.hands, weight))
        return found, followed

    def _decision(self, solver: GadgetSolver, player: int) -> Decision:
        """Return the average strategy at the root."""
        moves = solver.streets[0].moves[0]
        sums = np.maximum(solver.rows_of(solver.average, 0, 0, player)[: len(moves)], 0)
        total = sums.sum(axis=0)
        probabilities = np.zeros((len(moves), len(self.blueprint.every.hands)))
        held = solver.levels[0].boards[0].hands[player]
        probabilities[:, held] = np.where(total > 0, sums / np.where(total > 0, total, 1), 1 / len(moves))
        return Decision(moves, probabilities, solver)

    # For the next search in the hand

    def after(self, view: View, decision: Decision, number: int) -> Followed | None:
        """Return what a decision leaves for the next one; None where it was the blueprint's, or nobody will act any more."""
        solver = decision.solver
        after = read_betting(self.blueprint.rules, view.text)
        after.play(decision.moves[number])
        if solver is None or after.finished:
            return None
        own = solver.ranges[view.seat].weight * decision.probabilities[number]
        if decision.late or not self.safe:
            return Followed(view.hole, view.boards, after.text, own, None, {})
        street, child, opponent = solver.streets[0], solver.streets[0].children[0][number], 1 - view.seat
        values = self._scattered(solver, 0, 0, opponent, solver.at([0], opponent)[1][child])
        closing = child if street.kind[child] == NEXT_STREET else _closing(street.moves[child], street.children[child])
        later = dict[int, Array]()
        if closing is not None and street.kind[closing] == NEXT_STREET and not _ended(after, child == closing):
            root = solver.streets[1].root[street.entry[closing]]
            for place, board in enumerate(solver.levels[1].boards):
                value = solver.at([0, place], opponent)[1][root]
                later[board.cards[-1]] = self._scattered(solver, 1, place, opponent, value)
        return Followed(view.hole, view.boards, after.text, own, values, later)

    def _scattered(self, solver: GadgetSolver, place: int, board: int, player: int, values: Array) -> Array:
        """Return [H] values over all hands of those in the order of a board; 0 for hands with one of its cards."""
        found = np.zeros(len(self.blueprint.every.hands), np.float32)
        found[solver.levels[place].boards[board].hands[player]] = values
        return found

    def _prepare(self) -> None:
        """Load or compile the kernels by a small search, so that no table waits for them."""
        state, rules = Betting(self.blueprint.rules), self.blueprint.rules
        while state.street + 1 < len(rules.streets):
            state.play("c")
        cards, boards = iter(range(rules.deck.size)), list[Cards]()
        for street in rules.streets:
            boards.append(tuple(next(cards) for _ in range(street.board)))
        assert state.player is not None
        hole = (next(cards), next(cards))
        self._search(View(rules, state.player, (hole[1], hole[0]), tuple(boards), state.text), monotonic())


def search_player(policy: Policy, how: Search, random: Random) -> SearchPlayer:
    """Return the player of a blueprint, as the registry makes it."""
    return SearchPlayer(policy, seconds=how.seconds, safe=how.safe, random=random)


def _board(view: View) -> Cards:
    return tuple(card for cards in view.boards for card in cards)


def _closing(moves: list[str], children: list[int]) -> int | None:
    """Return the node behind a check or call."""
    return children[moves.index("c")] if "c" in moves else None


def _ended(state: Betting, closed: bool) -> bool:
    """Return whether nobody acts any more, once the street is closed by a check or call."""
    after = state.copy()
    if not closed:
        after.play("c")
    return after.finished
