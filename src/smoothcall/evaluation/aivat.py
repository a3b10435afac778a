"""Luck-adjusted winnings: AIVAT (Burch et al. 2018), restricted to what a person at the table has seen.

Let I be the person's information state: own cards, board, betting. The distribution of the next information state is known,
because the opponents' probabilities are known. For any function W(I),

    luck-adjusted = E[won | I at the end] - sum over chance and opponents' actions of (W(I next) - E[W(I next) | I])

has the expectation of the winnings, however the person plays: every term of the sum has expectation 0. The better W predicts
the result, the smaller the variance. The result depends only on what the person has seen, so it reveals no hidden cards.

In games whose deals are listed, W is the value of the person's best response, exact. The sum then telescopes to

    luck-adjusted = value of a best response - EV loss of the person's decisions

In hold'em W is estimated once by playing the agent against itself, in the agent's own buckets. The expectations are still
computed exactly, over every hand that the agent may hold and every board that may come.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from smoothcall.agents.fixed import Fixed, Rule, Strategy
from smoothcall.errors import UsageError
from smoothcall.evaluation.action_values import action_values
from smoothcall.evaluation.followed_range import FollowedRange
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.translation import node_like, same_table
from smoothcall.kernels.evaluation import aivat as kernels
from smoothcall.kernels.tables import CALL, SHOWDOWN, Array

CELLS = 25  # of buckets per street after the first, at most
VISITS = 4e8  # nodes times deals for an estimate of W, a few seconds
DEALS = (2048, 32768)  # for an estimate of W, at least and at most
BATCH = 1024  # deals


class AIVAT(ABC):
    """Luck-adjusted results of a person against fixed opponents. Tables are computed on first use and cached."""

    note: str  # explains the estimate to people

    def __init__(self, game: Game, seat: int, others: Mapping[int, Fixed]) -> None:
        verify_seats(game, seat, others)
        self.game, self.seat, self.others = game, seat, dict(others)

    @abstractmethod
    def luck_adjusted(self, hole: Cards, boards: Sequence[Cards], betting: str) -> float:
        """Return the luck-adjusted chips of a finished hand; `boards` has one item per street, the first empty."""


def aivat(game: Game, seat: int, others: Mapping[int, Fixed]) -> AIVAT | None:
    """Return AIVAT for a person in a seat; `others` maps every other seat to its player. None if `why_not` has a reason."""
    verify_seats(game, seat, others)
    if why_not(game, others):
        return None
    own = game_of(game, others)
    return HoldemAIVAT(own, seat, others) if own.sampled else ListedAIVAT(own, seat, others)


def why_not(game: Game, others: Mapping[int, Fixed]) -> str:
    """Return a sentence that says why AIVAT is not available at a table; empty where it is."""
    if isinstance(game.rules, MatrixGame):
        return f"AIVAT adjusts poker results, not those of {game.spec}."
    if game.sampled and game.players > 2:
        return "In hold'em AIVAT needs a table of two: with more players there are too many hands to follow."
    fingerprints = {player.policy.game.fingerprint for player in others.values() if isinstance(player, Strategy)}
    if len(fingerprints) > 1:
        return "The opponents use different card abstractions."
    return ""


def game_of(game: Game, others: Mapping[int, Fixed]) -> Game:
    """Return the game with the opponents' abstraction: their buckets and their raises."""
    return next((player.policy.game for player in others.values() if isinstance(player, Strategy)), game)


def verify_seats(game: Game, seat: int, others: Mapping[int, Fixed]) -> None:
    game.verify_player(seat)
    if sorted([seat, *others]) != list(range(game.players)):
        raise UsageError(f"opponents in the seats {sorted(others)} of {game.spec} (accepted: all but the person's, {seat})")
    for player in others.values():
        if isinstance(player, Rule):
            player.verify_game(game.rules)
        elif not same_table(player.policy.game.rules, game.rules):
            raise UsageError(f"this policy plays {player.policy.game.spec}, not {game.spec}")


def decisions(rules: PokerRules, seat: int, betting: str) -> Iterator[tuple[Betting, str]]:
    """Yield (betting before, move) for each decision of a seat in a finished hand. The betting object is advanced in place."""
    state = Betting(rules)
    for letter in split_moves(betting):
        if state.player == seat:
            yield state, letter
        state.play(letter)
    if not state.finished or state.text != betting:
        raise _unfinished(rules, betting)


def verify_cards(rules: PokerRules, hole: Cards, boards: Sequence[Cards], betting: str) -> None:
    """Raise UsageError unless these are the cards that a player sees by the end of the betting."""
    streets = rules.streets[: betting.count("/") + 1]
    cards = [*hole, *(card for board in boards for card in board)]
    sizes = [len(hole), *map(len, boards)]
    if sizes != [rules.streets[0].hole, *(street.board for street in streets)] or len(set(cards)) < len(cards):
        names = "/".join(map(rules.deck.names, (hole, *boards)))
        raise UsageError(f"{names!r} are not the cards of a hand {betting!r} of {rules.name}")


class ListedAIVAT(AIVAT):
    """Exact AIVAT in games whose deals are listed."""

    note = "AIVAT, exact: over all deals and all moves of the opponents, weighted by their probability."

    def luck_adjusted(self, hole: Cards, boards: Sequence[Cards], betting: str) -> float:
        assert isinstance(self.game.rules, PokerRules)
        verify_cards(self.game.rules, hole, boards, betting)
        known = action_values(self.game, self.seat, self.others)
        result = known.value
        for state, letter in decisions(self.game.rules, self.seat, betting):
            ev = known.table[self.game.row_of(hole, boards[: state.street + 1], state.text)]
            result -= float(np.nanmax(ev) - ev[self.game.actions.index(letter)])
        return result


@dataclass(frozen=True, eq=False)
class Values:
    """Estimated values W of a seat, by node, street and cell of buckets."""

    value: Array  # [V] chips
    first: Array  # [N, R] int32: index of a node's first value of a street, -1: none
    cell: tuple[Array, ...]  # [R][bucket] int32

    def at(self, node: int | None, street: int) -> Array:
        """Return the values [buckets] at a node, 0 where there is no estimate."""
        cells = self.cell[street]
        if node is None or self.first[node, street] < 0:
            return np.zeros(len(cells))
        found: Array = self.value[self.first[node, street] + cells]
        return found


def estimated(game: Game, seat: int, player: Fixed) -> Values:
    """Estimate the values of a seat in two-player hold'em from sampled deals.

    The seat plays the opponent's own policy, or checks and calls against a rule. A node has values for its own street and, if
    cards are dealt before it, for the street before them.
    """
    tree = game.tree
    cells = [min(count, CELLS) if street else count for street, count in enumerate(game.buckets)]
    cell = [(np.arange(count) * size // count).astype(np.int32) for count, size in zip(game.buckets, cells, strict=True)]
    before = np.where(tree.parent < 0, 0, tree.round[tree.parent])
    streets = np.arange(len(cells))
    has = (before[:, None] <= streets) & (streets <= tree.round[:, None])
    size = np.where(has, cells, 0).reshape(-1)
    first = np.where(has.reshape(-1), np.cumsum(size) - size, -1).reshape(has.shape).astype(np.int32)
    total, mass = np.zeros(int(size.sum())), np.zeros(int(size.sum()))
    own, theirs = (_play(game, each) for each in (Rule.ALWAYS_CALL if isinstance(player, Rule) else player, player))
    least, most = DEALS
    dealer, deals = game.dealer(0), int(min(max(VISITS / tree.nodes, least), most))
    for _ in range(0, deals, BATCH):
        bucket, outcome = dealer.deal(BATCH)
        booked = np.stack([cell[street][bucket[:, seat, street]] for street in streets], axis=1)
        kernels.estimate_values(game.walk, tree.depth, own, theirs, seat, bucket, outcome, booked, first, total, mass)
    np.divide(total, mass, out=total, where=mass > 0)  # in place: both have 120 MB in no-limit hold'em with 32 cards
    return Values(total, first, tuple(cell))


def _play(game: Game, player: Fixed) -> kernels.Play:
    tree = game.tree
    if isinstance(player, Rule):
        return kernels.Play(player.among(tree.child >= 0), 1.0, np.arange(tree.nodes, dtype=np.int32), 0)
    policy = player.policy.greedy() if player.greedy else player.policy
    return kernels.Play(policy.weights, policy.scale, tree.first_row, 1)


class HoldemAIVAT(AIVAT):
    """AIVAT in two-player hold'em: tracks the agent's range over all hands."""

    note = (
        "AIVAT: values are estimated by playing the opponent's strategy against itself; expectations over its hands, its moves "
        "and the boards are exact, so the estimate is unbiased."
    )

    @property
    def opponent(self) -> Fixed:
        return self.others[1 - self.seat]

    @cached_property
    def values(self) -> Values:
        return estimated(self.game, self.seat, self.opponent)

    def luck_adjusted(self, hole: Cards, boards: Sequence[Cards], betting: str) -> float:
        assert isinstance(self.game.rules, PokerRules)
        verify_cards(self.game.rules, hole, boards, betting)
        return _Followed(self, hole, boards).result(betting)


class _Followed:
    """One hand as the person saw it, processed move by move."""

    def __init__(self, aivat: HoldemAIVAT, hole: Cards, boards: Sequence[Cards]) -> None:
        assert aivat.game.abstraction is not None
        self.game, self.seat, self.values = aivat.game, aivat.seat, aivat.values
        self.cards, self.boards = aivat.game.abstraction.cards, boards
        self.hand = int(self.cards.hand[hole[0], hole[1]])
        self.range = FollowedRange(aivat.game, aivat.opponent, hole)
        self.corrections = 0.0  # sum of the correction terms so far

    def result(self, betting: str) -> float:
        """Return E[won | I at the end] less the correction terms."""
        dealt = self.values.at(0, 0)
        self.corrections += float(dealt[self.cards.preflop[self.hand]] - dealt[self.cards.preflop].mean())
        assert isinstance(self.game.rules, PokerRules)
        state = Betting(self.game.rules)
        for letter in split_moves(betting):
            if state.player != self.seat:
                self._answered(state, letter)
            after = _after(state, letter)
            self._dealt(self._node(state, after), after)
            state = after
        if not state.finished or state.text != betting:
            raise _unfinished(self.game.rules, betting)
        return self._won(state, self.range.reach) - self.corrections

    def _won(self, state: Betting, reach: Array) -> float:
        """Return the person's mean winnings in a finished hand, over the opponent's hands and the boards to come."""
        mine, theirs = state.paid[self.seat], state.paid[1 - self.seat]
        if state.alive_count == 1:
            return float(theirs if state.alive[self.seat] else -mine)
        return float(min(mine, theirs) * (2 * (reach @ self.range.equity) / reach.sum() - 1))

    def _node(self, state: Betting, after: Betting) -> int | None:
        """Return the node of the tree for the betting `after` a move in `state`, None if it has none."""
        if not after.finished:
            return node_like(self.game, after.text)
        before, tree = node_like(self.game, state.text), self.game.tree
        ending = -1 if before is None else int(tree.child[before, CALL])
        return ending if ending >= 0 and tree.kind[ending] == SHOWDOWN else None

    def _answered(self, state: Betting, letter: str) -> None:
        """Add the correction term of an opponent's move and update the opponent's range."""
        total, expected, known = 0.0, 0.0, dict[str, float]()
        for move, probability in self.range.probabilities(state).items():
            reach = self.range.reach * probability
            if (weight := float(reach.sum())) > 0:
                known[move] = self._foreseen(state, _after(state, move), reach)
                total += weight
                expected += weight * known[move]
        if letter in known:  # else the opponent's policy never makes it
            self.corrections += known[letter] - expected / total
            self.range.follow(state, letter)

    def _foreseen(self, state: Betting, after: Betting, reach: Array) -> float:
        """Return W after a move of the opponent: exact where the hand is over and the flop is dealt or nobody is left."""
        if after.finished and (after.alive_count == 1 or self.range.street > 0):
            return self._won(after, reach)
        return float(self.values.at(self._node(state, after), self.range.street)[self.range.bucket[self.hand]])

    def _dealt(self, node: int | None, state: Betting) -> None:
        """Add the correction terms of the board cards dealt after a move.

        After an all-in from the flop on, the equity over all boards is exact and later cards have no term.
        """
        if state.alive_count == 1:
            return
        known = self.range
        for street in range(known.street + 1, state.street + 1):
            if state.finished and known.street > 0:
                return
            value = self.values.at(node, street)
            expected = kernels.expect_board(self.cards, street, known.hole, known.board, known.reach, value)
            known.see(street, tuple(card for cards in self.boards[: street + 1] for card in cards))
            self.corrections += float(value[known.bucket[self.hand]]) - expected


def _after(state: Betting, letter: str) -> Betting:
    after = state.copy()
    after.play(letter)
    return after


def _unfinished(rules: PokerRules, betting: str) -> UsageError:
    return UsageError(f"betting {betting!r} is not a finished hand of {rules.name}")
