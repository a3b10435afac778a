"""What luck did: winnings corrected for the cards and for the opponents' random choices (AIVAT, Burch et al. 2018).

Write I for what a person has seen at some moment: own cards, board, betting. What others do and deal from there on has a
known distribution, because the opponents' probabilities are known. So whatever numbers W(I) one chooses,

    corrected = E[won | I at the end] - sum over all steps that are not the person's of (W(I next) - E[W(I next) | I])

has the expectation of what was won, however the person plays: every term of the sum has the expectation 0. The better W
foresees the result, the less is left of luck. Nothing but what the person has seen enters, so a corrected result tells
nothing about cards that were never shown.

Where deals are listed, W is the value of the person's best response, exact. The sum then telescopes to

    corrected = value of a best response - what the person's moves gave up

In hold'em W is estimated once by playing the agent against itself, in the agent's own buckets; the expectations are
computed exactly all the same, over every hand that the agent may hold and every board that may come.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from smoothcall.agents.fixed import Fixed, Rule, Strategy
from smoothcall.errors import UsageError
from smoothcall.evaluation.action_values import action_values
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.translation import moves_like, node_like, same_table
from smoothcall.kernels.evaluation import aivat as kernels
from smoothcall.kernels.evaluation.hand_equities import free_hands, hand_equities
from smoothcall.kernels.holdem.buckets import board_buckets
from smoothcall.kernels.tables import CALL, SHOWDOWN, Array

CELLS = 25  # that values of a street after the first are told apart by, at most
VISITS = 4e8  # nodes times deals that values are estimated with, some seconds
DEALS = (2048, 32768)  # of them, at least and at most
BATCH = 1024  # deals
KEPT = 16  # tables of values; one of limit hold'em takes a few megabytes


class AIVAT(ABC):
    """Tells a person's luck at a table of fixed opponents. Tables are made when first needed, and shared."""

    note: str  # what the correction rests on, for people

    def __init__(self, game: Game, seat: int, others: Mapping[int, Fixed]) -> None:
        verify_seats(game, seat, others)
        self.game, self.seat, self.others = game, seat, dict(others)

    @abstractmethod
    def luck_adjusted(self, hole: Cards, boards: Sequence[Cards], betting: str) -> float:
        """Chips of a finished hand, corrected for luck, from what the person saw: `boards` one a street, the first empty."""


def aivat(game: Game, seat: int, others: Mapping[int, Fixed]) -> AIVAT | None:
    """For a person in a seat; `others` says who sits in every other seat. None where `why_not` has a reason."""
    verify_seats(game, seat, others)
    if why_not(game, others):
        return None
    seen = game_of(game, others)
    return HoldemAIVAT(seen, seat, others) if seen.sampled else ListedAIVAT(seen, seat, others)


def why_not(game: Game, others: Mapping[int, Fixed]) -> str:
    """Why luck cannot be told at a table, in a sentence; empty where it can."""
    if isinstance(game.rules, MatrixGame):
        return f"AIVAT adjusts poker results, not those of {game.spec}."
    if game.sampled and game.players > 2:
        return "In hold'em AIVAT needs a table of two: with more players there are too many hands to follow."
    seen = [player.policy.game for player in others.values() if isinstance(player, Strategy)]
    if len({each.fingerprint for each in seen}) > 1:
        return "The opponents see the cards in different ways."
    return ""


def game_of(game: Game, others: Mapping[int, Fixed]) -> Game:
    """The table's game as the opponents know it: with their buckets and their raises."""
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
    """A seat's decisions in a finished hand: the betting before each, which moves on afterwards, and the move made."""
    state = Betting(rules)
    for letter in split_moves(betting):
        if state.player == seat:
            yield state, letter
        state.play(letter)
    if not state.finished or state.text != betting:
        raise _unfinished(rules, betting)


def verify_cards(rules: PokerRules, hole: Cards, boards: Sequence[Cards], betting: str) -> None:
    """That the cards are those a player has seen at the end of a hand."""
    streets = rules.streets[: betting.count("/") + 1]
    cards = [*hole, *(card for board in boards for card in board)]
    sizes = [len(hole), *map(len, boards)]
    if sizes != [rules.streets[0].hole, *(street.board for street in streets)] or len(set(cards)) < len(cards):
        names = "/".join(map(rules.deck.names, (hole, *boards)))
        raise UsageError(f"{names!r} are not the cards of a hand {betting!r} of {rules.name}")


def by_letter(letters: Sequence[str | None], chance: Array) -> dict[str, Array]:
    """chance[..., A] of every slot -> [...] of every move: several slots may stand for one."""
    found: dict[str, Array] = {}
    for slot, letter in enumerate(letters):
        if letter is not None:
            found[letter] = found.get(letter, 0) + chance[..., slot]
    return found


class ListedAIVAT(AIVAT):
    """Exact, in games whose deals are listed."""

    note = "Exact: every deal and every move of the opponents counts with its probability."

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
    """Numbers that foresee what a seat wins, by node and by what the seat sees on a street."""

    value: Array  # [V] chips
    first: Array  # [N, R] int32: where a node's values of a street begin, -1 where it has nothing to do with that street
    cell: tuple[Array, ...]  # [R][bucket] int32

    def at(self, node: int | None, street: int) -> Array:
        """[buckets] at a node, 0 where nothing is known of it."""
        cells = self.cell[street]
        if node is None or self.first[node, street] < 0:
            return np.zeros(len(cells))
        found: Array = self.value[self.first[node, street] + cells]
        return found


@lru_cache(KEPT)
def estimated(game: Game, seat: int, player: Fixed) -> Values:
    """Values of a seat of a two-player hold'em game against somebody, over some deals: of who plays the same policy, or of who
    checks and calls against a rule.

    A node has values for the street it is on, and where cards come before it, for the streets before them too.
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
    return Values(total / np.where(mass > 0, mass, 1), first, tuple(cell))


def _play(game: Game, player: Fixed) -> kernels.Play:
    tree = game.tree
    if isinstance(player, Rule):
        return kernels.Play(player.among(tree.child >= 0), 1.0, np.arange(tree.nodes, dtype=np.int32), 0)
    policy = player.policy.greedy() if player.greedy else player.policy
    return kernels.Play(policy.weights, policy.scale, tree.first_row, 1)


class HoldemAIVAT(AIVAT):
    """In hold'em for two: the agent's range is followed hand by hand."""

    note = (
        "Values are estimated by playing the opponent's strategy against itself; the means over its hands, its moves and the "
        "boards are exact, so that nobody gains or loses by the correction in the long run."
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
    """A hand as the person saw it, followed from step to step."""

    def __init__(self, aivat: HoldemAIVAT, hole: Cards, boards: Sequence[Cards]) -> None:
        assert aivat.game.abstraction is not None
        self.game, self.seat, self.opponent, self.values = aivat.game, aivat.seat, aivat.opponent, aivat.values
        self.cards = aivat.game.abstraction.cards
        self.hole, self.boards = np.array(hole, np.int64), boards
        self.hand = int(self.cards.hand[hole[0], hole[1]])
        self.reach = np.ones(len(self.cards.preflop))  # [hands] the chance that the opponent plays like this with each
        self.by_chance = 0.0  # the sum of the corrections so far
        self._see(0)

    def result(self, betting: str) -> float:
        """E[won | I at the end], less the corrections."""
        dealt = self.values.at(0, 0)
        self.by_chance += float(dealt[self.cards.preflop[self.hand]] - dealt[self.cards.preflop].mean())
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
        return self._won(state, self.reach) - self.by_chance

    def _see(self, street: int) -> None:
        """Look at the cards of a street."""
        self.street, self._equity = street, None
        self.board = np.array([card for cards in self.boards[: street + 1] for card in cards], np.int64)
        size, binomial = len(self.cards.evaluator.card_key), self.cards.binomial
        place = sum(int(binomial[card, count + 1]) for count, card in enumerate(sorted(self.board)))
        self.bucket, possible = np.zeros(len(self.reach), np.int32), np.zeros(len(self.reach), np.bool_)
        board_buckets(self.cards, street, np.uint32(place), self.bucket)
        free_hands(size, self.hole, self.board, possible)
        self.reach *= possible
        if not self.reach.any():  # nobody who plays by these probabilities came here: any hand
            self.reach[:] = possible

    _equity: Array | None

    @property
    def equity(self) -> Array:
        """[hands] the person's share of the pot against each if nobody bets any more, over all boards that may come."""
        if self._equity is None:
            card = np.array([*self.hole, *self.hole, *self.board], np.uint8)  # the kernel looks for two seats
            score, found = np.zeros((2, len(self.reach)), np.int32), np.zeros((2, len(self.reach)))
            hand_equities(self.cards.evaluator, card, len(self.board), score, found)
            self._equity = found[0]
        return self._equity

    def _won(self, state: Betting, reach: Array) -> float:
        """What the person wins in a finished hand, in the mean over the opponent's hands and the boards to come."""
        mine, theirs = state.paid[self.seat], state.paid[1 - self.seat]
        if state.alive_count == 1:
            return float(theirs if state.alive[self.seat] else -mine)
        return float(min(mine, theirs) * (2 * (reach @ self.equity) / reach.sum() - 1))

    def _node(self, state: Betting, after: Betting) -> int | None:
        """The node of the tree that a moment stands for, if it has one; `state` is the moment before."""
        if not after.finished:
            return node_like(self.game, after.text)
        before, tree = node_like(self.game, state.text), self.game.tree
        ending = -1 if before is None else int(tree.child[before, CALL])
        return ending if ending >= 0 and tree.kind[ending] == SHOWDOWN else None

    def _probabilities(self, state: Betting) -> dict[str, Array]:
        """The moves that the opponent may make, [hands] how likely with each."""
        if isinstance(self.opponent, Rule):
            letters = state.slots
            legal = np.array([[letter is not None for letter in letters]])
            chance = np.broadcast_to(self.opponent.among(legal), (len(self.reach), len(letters)))
        else:
            node = node_like(self.game, state.text)
            if node is None:
                return {"c": np.ones(len(self.reach))}
            letters = moves_like(self.game, state.text)
            policy = self.opponent.policy
            chance = policy.weights[self.game.tree.first_row[node] + self.bucket] / policy.scale
            if self.opponent.greedy:
                chance = np.eye(len(letters))[chance.argmax(axis=1)]
        return by_letter(letters, chance)

    def _answered(self, state: Betting, letter: str) -> None:
        """A move of the opponent: book what it changed, and think again about what the opponent holds."""
        total, expected, known = 0.0, 0.0, dict[str, float]()
        probabilities = self._probabilities(state)
        for move, chance in probabilities.items():
            reach = self.reach * chance
            if (weight := float(reach.sum())) > 0:
                known[move] = self._foreseen(state, _after(state, move), reach)
                total += weight
                expected += weight * known[move]
        if letter in known:  # else no opponent of these probabilities would have made it
            self.by_chance += known[letter] - expected / total
            self.reach *= probabilities[letter]

    def _foreseen(self, state: Betting, after: Betting, reach: Array) -> float:
        """W after a move of the opponent: exact where the hand is over, unless the whole board is to come."""
        if after.finished and (after.alive_count == 1 or self.street > 0):
            return self._won(after, reach)
        return float(self.values.at(self._node(state, after), self.street)[self.bucket[self.hand]])

    def _dealt(self, node: int | None, state: Betting) -> None:
        """The board cards after a move, if any: book what they changed. Where nobody can bet any more the mean over all
        boards is exact from the flop on, and later cards change nothing."""
        if state.alive_count == 1:
            return
        for street in range(self.street + 1, state.street + 1):
            if state.finished and self.street > 0:
                return
            value = self.values.at(node, street)
            expected = kernels.expect_board(self.cards, street, self.hole, self.board, self.reach, value)
            self._see(street)
            self.by_chance += float(value[self.bucket[self.hand]]) - expected


def _after(state: Betting, letter: str) -> Betting:
    after = state.copy()
    after.play(letter)
    return after


def _unfinished(rules: PokerRules, betting: str) -> UsageError:
    return UsageError(f"betting {betting!r} is not a finished hand of {rules.name}")
