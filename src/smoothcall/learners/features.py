"""Encoders of NFSP: what players observe when they move, and the features that networks get of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from smoothcall.agents.nfsp_networks import INPUTS
from smoothcall.errors import UsageError
from smoothcall.games.cards import Cards
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.sample_hands import SAMPLES, examples
from smoothcall.kernels.holdem.dealing import deal_visible_cards
from smoothcall.kernels.learners.features import NodeFeatures, encode_cards, observe_cards, observe_rows
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.simulation.observations import CARD_OBSERVATION, NODE
from smoothcall.kernels.tables import Array, Walk
from smoothcall.simulation.batch import dealing
from smoothcall.simulation.freezeouts import FreezeoutEnv

if TYPE_CHECKING:
    from smoothcall.learners.nfsp_updates import NFSPUpdates

MAX_UNITS = 1 << 22  # hidden units that are computed at a time


class Encoded(NamedTuple):
    """Features of observations, and their nodes."""

    features: Array  # [..., F] float32
    node: Array  # [...] int32: row of `FeatureEncoder.legal`


class FeatureEncoder(ABC):
    """Observations of the seats to move, and their features."""

    private: int  # private values per seat
    width: int  # numbers of an observation
    dtype: ClassVar[type[np.generic]] = np.int32  # of an observation
    features: Array  # [rows, F] float32 of every information state; no rows where `encode` returns features
    legal: Array  # [rows, A] bool; [nodes, A] where `encode` returns features
    scale: float  # chips that networks count as 1

    @abstractmethod
    def observe(self, walk: Walk, hands: Hands, observations: Array) -> None:
        """Fill observations[B, width] of the seats to move."""

    @abstractmethod
    def encode(self, observations: Array) -> Any:
        """Return rows of `features`, or `Encoded` features, for observations[..., width]."""


class HandEncoder(FeatureEncoder):
    """Encoder of single hands: also deals them, and tabulates what networks have learned."""

    @abstractmethod
    def deal(self, dealt: Array, outcome: Array, generator: Array) -> None:
        """Fill dealt[n, P, private] int32 and outcome[n] uint32 with fair deals."""

    @abstractmethod
    def tabulate(self, updates: NFSPUpdates, networks: Any, *, best: bool) -> Array:
        """Return [rows of the game, A] weights by the network of each row's player: its probabilities, or the best action."""


def hand_encoder(game: Game) -> HandEncoder:
    """Return an encoder of rows if deals are listed, of cards if they are sampled."""
    return CardEncoder(game) if game.sampled else RowEncoder(game)


class RowEncoder(HandEncoder):
    """An observation is the row of the information state."""

    def __init__(self, game: Game) -> None:
        self._game, self._deal = game, dealing(game)
        self.private, self.width = len(game.buckets), 1
        self.features, self.legal, self.scale = row_features(game), game.legal, 1.0

    def deal(self, dealt: Array, outcome: Array, generator: Array) -> None:
        self._deal(dealt, outcome, generator)

    def observe(self, walk: Walk, hands: Hands, observations: Array) -> None:
        observe_rows(walk, hands, observations)

    def encode(self, observations: Array) -> Array:
        return observations[..., 0]

    def tabulate(self, updates: NFSPUpdates, networks: Any, *, best: bool) -> Array:
        values = np.asarray(updates.outputs(networks), np.float64)[self._game.row_player, np.arange(self._game.tree.rows)]
        most = values.max(axis=1, keepdims=True)
        weights: Array = (values == most).astype(np.float64) if best else np.exp(values - most)
        return weights


class CardEncoder(HandEncoder):
    """An observation is the node and the visible cards; features are cards, moves and chips (`kernels.learners.features`).

    Different observations of a player have different features. Cards have bits of their own. Each place among the moves of a
    street has one bit per action slot, of which at most one is set, so the bits spell the path from the root to the node.
    """

    def __init__(self, game: Game) -> None:
        assert isinstance(game.rules, PokerRules)
        assert game.abstraction is not None
        tree = game.tree
        move, moves = _move_numbers(game)
        stack = float(game.rules.stack or tree.paid.sum(axis=1).max())  # without stacks, the largest pot
        self._game = game
        self.nodes = NodeFeatures(tree.parent, move, tree.player, tree.paid, moves, game.rules.deck.size, stack)
        self.private, self.width = 7, 8
        self.features = np.zeros((0, 4 * self.nodes.deck + moves + 2 + game.players), np.float32)
        self.legal, self.scale = tree.child >= 0, stack  # values of many blinds would let hidden units die

    def deal(self, dealt: Array, outcome: Array, generator: Array) -> None:
        assert self._game.abstraction is not None
        deal_visible_cards(self._game.abstraction.cards, dealt, outcome, generator)

    def observe(self, walk: Walk, hands: Hands, observations: Array) -> None:
        observe_cards(walk, hands, observations)

    def encode(self, observations: Array) -> Encoded:
        features = np.empty((*observations.shape[:-1], self.features.shape[1]), np.float32)
        encode_cards(self.nodes, observations.reshape(-1, self.width), features.reshape(-1, features.shape[-1]))
        return Encoded(features, observations[..., 0])

    @property
    def hands(self) -> list[Array]:
        """By street [buckets, SAMPLES, 7]: the hands that stand for a bucket."""
        return examples(self._game)

    def tabulate(self, updates: NFSPUpdates, networks: Any, *, best: bool) -> Array:
        """Return the mean over the `hands` of each bucket."""
        tree, hidden, bits = self._game.tree, updates.hidden_units(networks), 4 * self.nodes.deck
        table = np.zeros((tree.rows, len(tree.actions)), np.float32)
        for street, hands in enumerate(self.hands):
            several = max(min(len(hands), MAX_UNITS // hidden // SAMPLES), 1)  # buckets at a time
            decisions = [
                np.flatnonzero((tree.player == player) & (tree.round == street)) for player in range(self._game.players)
            ]
            most = max(len(nodes) for nodes in decisions)
            many = max(min(most, MAX_UNITS // hidden // SAMPLES // several), 1)  # nodes at a time, of one number for one shape
            for player, nodes in enumerate(decisions):
                for begin in range(0, len(hands), several):
                    buckets = np.minimum(np.arange(begin, begin + several), len(hands) - 1)
                    cards = self._features(0, hands[buckets])[..., :bits]
                    for some in range(0, len(nodes), many):
                        here = nodes[np.minimum(np.arange(some, some + many), len(nodes) - 1)]
                        public = self._features(here, np.full((len(here), self.private), -1))[:, bits:]
                        mean = updates.mean(networks, player, cards, public, self.legal[here], best)
                        table[tree.first_row[here][:, None] + buckets] = mean
        return table

    def _features(self, node: Array | int, cards: Array) -> Array:
        """Return the features of nodes with cards[..., 7]."""
        observations = np.empty((*cards.shape[:-1], self.width), np.int32)
        observations[..., 0], observations[..., 1:] = node, cards
        return self.encode(observations).features


class SeatEncoder:
    """Features of any seat at any node, also where another seat is to move or the hand is over.

    At the seat to move they are those of `hand_encoder`. They take real cards, not deals of a batch.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        if isinstance(game.rules, MatrixGame):  # nothing is observed
            self.width = 1
        elif game.sampled:
            encoder, nodes = CardEncoder(game), game.tree.nodes
            self.width = encoder.features.shape[1]
            self._nodes = [encoder.nodes._replace(player=np.full(nodes, seat, np.int8)) for seat in range(game.players)]
        else:
            self._moves = _move_bits(game)
            self._cards = [
                dict(zip(labels, bits, strict=True)) for labels, bits in zip(game.deals.labels, _card_bits(game), strict=True)
            ]
            self.width = self._moves.shape[1] + len(next(iter(self._cards[0].values())))

    def features(self, node: int, seat: int, hole: Cards, boards: Sequence[Cards]) -> Array:
        """Return [F] float32; boards[street] for each street so far."""
        game = self._game
        if isinstance(game.rules, MatrixGame):
            return np.ones(1, np.float32)
        if not game.sampled:
            label = game.lossless.label(game.lossless.view(hole, boards))
            return np.concatenate([self._cards[len(boards) - 1][label], self._moves[node]])
        seen = [*hole, *(card for cards in boards for card in cards)]
        found = np.empty((1, self.width), np.float32)
        encode_cards(self._nodes[seat], np.array([[node, *seen, *[-1] * (7 - len(seen))]], np.int32), found)
        return np.asarray(found[0])


class FreezeoutEncoder(FeatureEncoder):
    """Observations with cards of an environment of freezeouts, which deals; features as in `agents.nfsp_networks`."""

    dtype = np.float32

    def __init__(self, env: FreezeoutEnv, *, inputs: str, metrics: bool) -> None:
        self._env, self._encode, self._metrics = env, INPUTS[inputs].encode, metrics
        self.private, self.width = env.batch.hands.dealt.shape[2], CARD_OBSERVATION
        one = self._encode(np.full((1, CARD_OBSERVATION), -1, np.float32), metrics)
        self.features = np.zeros((0, *one.shape[1:]), np.float32)
        self.legal, self.scale = env.stack_trees.walk.child >= 0, float(env.start)

    def observe(self, walk: Walk, hands: Hands, observations: Array) -> None:
        self._env.observe()

    def encode(self, observations: Array) -> Encoded:
        flat = self._encode(observations.reshape(-1, self.width), self._metrics)
        features = flat.reshape(*observations.shape[:-1], *flat.shape[1:])
        return Encoded(features, observations[..., NODE].astype(np.int32))


def row_features(game: Game) -> Array:
    """Return [rows, F] float32 bits: different information states of a player have different features.

    The cards of each street, one bit per card that can be seen there; then the moves of each street in order, one bit per
    action slot. Leduc: 3 + 3 cards, 2 streets x 4 moves x 3 actions, 30 in all as in Heinrich and Silver (2016).
    """
    if game.sampled:
        raise UsageError(f"{game.spec}: networks learn games whose deals can be listed")
    if isinstance(game.rules, MatrixGame):  # nothing is observed
        return np.ones((game.tree.rows, 1), np.float32)
    node = game.row_node
    bucket = np.arange(game.tree.rows) - game.tree.first_row[node]
    cards = _card_bits(game)
    visible = np.array([cards[street][place] for street, place in zip(game.tree.round[node], bucket, strict=True)])
    return np.concatenate([visible, _move_bits(game)[node]], axis=1)


def _card_bits(game: Game) -> list[Array]:
    """Return for each street [buckets, width] bits: one bit for the cards of each street so far."""
    labels = [[label.split("/") for label in street] for street in game.deals.labels]
    last = max(len(parts) for street in labels for parts in street)
    kinds = [sorted({parts[place] for street in labels for parts in street if place < len(parts)}) for place in range(last)]
    starts = np.cumsum([0, *map(len, kinds)])
    tables = []
    for street in labels:
        table = np.zeros((len(street), starts[-1]), np.float32)
        for bucket, parts in enumerate(street):
            for place, part in enumerate(parts):
                table[bucket, starts[place] + kinds[place].index(part)] = 1
        tables.append(table)
    return tables


def _move_bits(game: Game) -> Array:
    """Return [N, width] bits: one bit for each move that leads to a node."""
    move, moves = _move_numbers(game)
    table = np.zeros((game.tree.nodes, moves), np.float32)
    for node in range(1, game.tree.nodes):
        table[node] = table[game.tree.parent[node]]
        table[node, move[node]] = 1
    return table


def _move_numbers(game: Game) -> tuple[Array, int]:
    """Return ([N] int32, width): the number of the move that leads to each node, by street, place among its moves and slot;
    -1 at the root; and how many numbers there are.
    """
    tree, slots = game.tree, len(game.actions)
    number = np.zeros(tree.nodes, np.int32)  # moves made on the node's street
    for begin, end in pairwise(tree.levels[1:]):
        above = tree.parent[begin:end]
        number[begin:end] = np.where(tree.round[begin:end] == tree.round[above], number[above] + 1, 0)
    above = tree.parent[1:]
    longest = np.zeros(len(game.buckets), np.int32)
    np.maximum.at(longest, tree.round[above], number[above] + 1)
    starts = slots * np.cumsum([0, *longest])
    move = np.full(tree.nodes, -1, np.int32)
    move[1:] = starts[tree.round[above]] + slots * number[above] + tree.slot[1:]
    return move, int(starts[-1])
