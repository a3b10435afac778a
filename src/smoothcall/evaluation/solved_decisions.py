"""What a solved equilibrium does at a person's decisions in two-player hold'em, from the turn on.

Both ranges at the start of the street are followed through the agent's strategy, as if the person had played it too. The rest
of the hand is solved with real cards (`RangeSolver`), with the raises of the agent's bet menu and those that were made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from smoothcall.agents.fixed import Strategy
from smoothcall.errors import UsageError
from smoothcall.evaluation.followed_range import FollowedRange
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.tables import Array
from smoothcall.search.boards import PLAYERS, Range
from smoothcall.search.range_solver import RangeSolver

FIRST = 2  # street: the turn
WORK = 120_000  # nodes of the betting times boards times iterations for a street, about half a second of processor time
LEAST, MOST = 120, 400  # iterations
LARGEST = 1e-4  # of the weights of a range; a hand below this share of the largest weight is left out


@dataclass(frozen=True, slots=True)
class SolvedDecision:
    """An equilibrium at a decision: probabilities and EVs of moves with the person's hand, in chips of net winnings."""

    shares: dict[str, float]
    evs: dict[str, float]
    exploitability: float  # of the solution, as a share of the pot at the start of the street


def solved_decisions(
    game: Game,
    seat: int,
    agent: Strategy,
    hole: Cards,
    boards: Sequence[Cards],
    betting: str,
    *,
    work: int = WORK,
    all_streets: bool = True,
    check: Callable[[], None] = lambda: None,
) -> dict[str, SolvedDecision]:
    """Return the decisions of a finished hand on turn and river, by the betting before them.

    Streets whose LEAST iterations need more than `work` are left out unless `all_streets`, and if their betting is too large.
    `check` is called from time to time; it may raise to stop.
    """
    assert isinstance(game.rules, PokerRules)
    line, state = list[tuple[Betting, str]](), Betting(game.rules)
    for letter in split_moves(betting):
        line.append((state.copy(), letter))
        state.play(letter)
    made = {before.text: letter for before, letter in line}
    decided = {before.street for before, _ in line if before.player == seat}
    ranges, found, begun = [FollowedRange(game, agent) for _ in range(PLAYERS)], dict[str, SolvedDecision](), FIRST - 1
    for before, letter in line:
        for each in ranges:
            while each.street < before.street:
                each.see(each.street + 1, tuple(card for cards in boards[: each.street + 2] for card in cards))
        if before.street > begun and before.street in decided:
            begun = before.street
            found |= _solve(
                before, seat, hole, [each.reach for each in ranges], ranges[0].board, made, work, check, all_streets=all_streets
            )
        assert before.player is not None
        ranges[before.player].follow(before, letter)
    return found


def _solve(
    start: Betting,
    seat: int,
    hole: Cards,
    reach: Sequence[Array],
    board: Array,
    made: dict[str, str],
    work: int,
    check: Callable[[], None],
    *,
    all_streets: bool,
) -> dict[str, SolvedDecision]:
    rules, every = start.rules, Range.every_hand(start.rules.deck)
    own = np.flatnonzero((every.hands == sorted(hole)).all(axis=1))[0]

    def moves(state: Betting) -> list[str]:
        return list(dict.fromkeys(letter for letter in (*state.slots, made.get(state.text)) if letter))

    kept = [each > LARGEST * each.max() for each in reach]
    kept[seat][own] = True
    ranges = [Range(every.hands[each], weight[each] / weight.max()) for each, weight in zip(kept, reach, strict=True)]
    cards = tuple(int(card) for card in board)
    try:
        solver = RangeSolver(rules, start, cards, ranges, moves)
    except UsageError:  # too many nodes
        return {}
    size = sum(len(street.kind) * len(level.boards) for street, level in zip(solver.streets, solver.levels, strict=True))
    if not all_streets and LEAST * size > work:
        return {}
    for _ in range(max(LEAST, min(MOST, work // size))):
        check()
        solver.run(1)
    exploitability = solver.values().exploitability / start.pot
    meets, values = solver.at([0], seat)
    hands = solver.levels[0].boards[0].hands[seat]
    place = int(np.flatnonzero(hands == np.flatnonzero(kept[seat]).searchsorted(own))[0])
    table = solver.rows_of(solver.average, 0, 0, seat)[:, place]
    street, found = solver.streets[0], dict[str, SolvedDecision]()
    free = ~np.isin(ranges[1 - seat].hands[solver.levels[0].boards[0].hands[1 - seat]], hole).any(axis=1)
    for node, letters in enumerate(street.moves):
        if street.player[node] == seat and letters:
            weights = np.maximum(table[street.row[node] : street.row[node] + len(letters)].astype(np.float64), 0)
            shares = weights / weights.sum() if weights.sum() else np.full(len(letters), 1 / len(letters))
            come = float(meets[node, free].sum())
            evs = [float(values[child, place]) / come if come else float("nan") for child in street.children[node]]
            found[street.text[node]] = SolvedDecision(
                dict(zip(letters, shares.tolist(), strict=True)), dict(zip(letters, evs, strict=True)), exploitability
            )
    return found
