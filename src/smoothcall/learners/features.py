"""What a network sees of an information state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from smoothcall.agents.nfsp_networks import SHOWN
from smoothcall.errors import UsageError
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.sample_hands import SAMPLES, examples
from smoothcall.kernels.holdem.dealing import deal_cards_seen
from smoothcall.kernels.simulation.batch import Hands, Sight, see_cards, see_rows, show_cards
from smoothcall.kernels.simulation.observations import CARD_OBSERVATION, NODE
from smoothcall.kernels.tables import Array, Walk
from smoothcall.simulation.batch import dealing
from smoothcall.simulation.freezeouts import FreezeoutEnv

if TYPE_CHECKING:
    from smoothcall.learners.nfsp_updates import SelfPlay

ROOM = 1 << 22  # hidden units that are worked out at a time


class Shown(NamedTuple):
    """Observations that come with what a network is shown of them."""

    inputs: Array  # [..., F] float32
    node: Array  # [...] int32: the row of `legal`


class Looks(ABC):
    """What players observe when they are to move, and how networks are shown it."""

    things: int  # that a seat may come to see in a hand
    width: int  # numbers of an observation
    kind: ClassVar[type[np.generic]] = np.int32  # of these numbers
    seen: Array  # [rows, F] float32: what a network is shown; no rows where inputs come with observations
    legal: Array  # [rows, A] bool; by node where inputs come with observations
    unit: float  # chips that networks count as 1

    @abstractmethod
    def see(self, walk: Walk, hands: Hands, seen: Array) -> None:
        """Fill seen[B, width] with what the seats to move observe."""

    @abstractmethod
    def show(self, seen: Array) -> Any:
        """Observations seen[..., width] as `SelfPlay` takes them."""


class Eyes(Looks):
    """Of the players of a game, hand by hand: they are dealt cards, and what they learn is a table."""

    @abstractmethod
    def deal(self, dealt: Array, outcome: Array, generator: Array) -> None:
        """Fill dealt[n, P, things] int32 and outcome[n] uint32 with fair deals."""

    @abstractmethod
    def play(self, learner: SelfPlay, networks: Any, *, best: bool) -> Array:
        """[rows of the game, A] weights of what the network of each row's player would do: its probabilities, or the best action."""


def eyes(game: Game) -> Eyes:
    """Rows of a table where deals can be listed, cards where they are drawn."""
    return Cards(game) if game.sampled else Rows(game)


class Rows(Eyes):
    """An observation is the number of an information state."""

    def __init__(self, game: Game) -> None:
        self._game, self._deal = game, dealing(game)
        self.things, self.width = len(game.buckets), 1
        self.seen, self.legal, self.unit = features(game), game.legal, 1.0

    def deal(self, dealt: Array, outcome: Array, generator: Array) -> None:
        self._deal(dealt, outcome, generator)

    def see(self, walk: Walk, hands: Hands, seen: Array) -> None:
        see_rows(walk, hands, seen)

    def show(self, seen: Array) -> Array:
        return seen[..., 0]

    def play(self, learner: SelfPlay, networks: Any, *, best: bool) -> Array:
        said = np.asarray(learner.said(networks), np.float64)[self._game.row_player, np.arange(self._game.tree.rows)]
        most = said.max(axis=1, keepdims=True)
        weights: Array = (said == most).astype(np.float64) if best else np.exp(said - most)
        return weights


class Cards(Eyes):
    """An observation is a node and the cards that are seen there: 4 x deck bits, the betting, and chips (see `show_cards`).

    Different observations of a player look different. Cards have bits of their own. Each place among the moves of a street
    has one bit for every slot, and at most one of them is set: they tell which action to take at the root, then at the node
    that this leads to, and so on until there is none.
    """

    def __init__(self, game: Game) -> None:
        assert isinstance(game.rules, PokerRules)
        assert game.abstraction is not None
        tree = game.tree
        move, moves = _move_numbers(game)
        stack = float(game.rules.stack or tree.paid.sum(axis=1).max())  # without stacks, the largest pot
        self._game, self._cards = game, game.abstraction.cards
        self._sight = Sight(tree.parent, move, tree.player, tree.paid, moves, game.rules.deck.size, stack)
        self.things, self.width = 7, 8
        self.seen = np.zeros((0, 4 * self._sight.deck + moves + 2 + game.players), np.float32)
        self.legal, self.unit = tree.child >= 0, stack  # with values of many blinds, hidden units die

    def deal(self, dealt: Array, outcome: Array, generator: Array) -> None:
        deal_cards_seen(self._cards, dealt, outcome, generator)

    def see(self, walk: Walk, hands: Hands, seen: Array) -> None:
        see_cards(walk, hands, seen)

    def show(self, seen: Array) -> Shown:
        inputs = np.empty((*seen.shape[:-1], self.seen.shape[1]), np.float32)
        show_cards(self._sight, seen.reshape(-1, self.width), inputs.reshape(-1, inputs.shape[-1]))
        return Shown(inputs, seen[..., 0])

    @property
    def hands(self) -> list[Array]:
        return examples(self._game)

    def play(self, learner: SelfPlay, networks: Any, *, best: bool) -> Array:
        """The mean over the `hands` of a bucket."""
        tree, hidden, bits = self._game.tree, learner.hidden(networks), 4 * self._sight.deck
        table = np.zeros((tree.rows, len(tree.actions)), np.float32)
        for street, hands in enumerate(self.hands):
            several = max(min(len(hands), ROOM // hidden // SAMPLES), 1)  # buckets, and then nodes, at a time
            many = max(ROOM // hidden // SAMPLES // several, 1)
            for player in range(self._game.players):
                nodes = np.flatnonzero((tree.player == player) & (tree.round == street))
                for begin in range(0, len(hands), several):
                    buckets = np.minimum(np.arange(begin, begin + several), len(hands) - 1)
                    held = self._shown(0, hands[buckets])[..., :bits]
                    for some in range(0, len(nodes), many):
                        here = nodes[np.minimum(np.arange(some, some + many), len(nodes) - 1)]
                        there = self._shown(here, np.full((len(here), self.things), -1))[:, bits:]
                        mean = learner.mean(networks, player, held, there, self.legal[here], best)
                        table[tree.first_row[here][:, None] + buckets] = mean
        return table

    def _shown(self, node: Array | int, cards: Array) -> Array:
        """Inputs of nodes with cards[..., 7]."""
        seen = np.empty((*cards.shape[:-1], self.width), np.int32)
        seen[..., 0], seen[..., 1:] = node, cards
        return self.show(seen).inputs


class ObservationFeatures(Looks):
    """An observation is a observation with cards of a room, which deals; see `agents.nfsp_networks` for what is shown of it."""

    kind = np.float32

    def __init__(self, env: FreezeoutEnv, *, shown: str, metrics: bool) -> None:
        self._room, self._show, self._metrics = env, SHOWN[shown][0], metrics
        self.things, self.width = env.batch.hands.dealt.shape[2], CARD_OBSERVATION
        self.seen = np.zeros((0, *self._show(np.full((1, CARD_OBSERVATION), -1, np.float32), metrics).shape[1:]), np.float32)
        self.legal, self.unit = env.stack_trees.walk.child >= 0, float(env.start)

    def see(self, walk: Walk, hands: Hands, seen: Array) -> None:
        self._room.look()

    def show(self, seen: Array) -> Shown:
        flat = self._show(seen.reshape(-1, self.width), self._metrics)
        return Shown(flat.reshape(*seen.shape[:-1], *flat.shape[1:]), seen[..., NODE].astype(np.int32))


def features(game: Game) -> Array:
    """[rows, F] float32, of zeros and ones: different information states of a player have different features.

    The cards of each street, one of those that can be seen there; then the moves of each street in their order, one of the
    action slots each. Leduc: 3 + 3 cards, 2 streets x 4 moves x 3 actions, 30 in all as in Heinrich and Silver (2016).
    """
    if game.sampled:
        raise UsageError(f"{game.spec}: networks learn games whose deals can be listed")
    if isinstance(game.rules, MatrixGame):  # nothing is seen
        return np.ones((game.tree.rows, 1), np.float32)
    node = game.row_node
    bucket = np.arange(game.tree.rows) - game.tree.first_row[node]
    cards = _cards(game)
    seen = np.array([cards[street][place] for street, place in zip(game.tree.round[node], bucket, strict=True)])
    return np.concatenate([seen, _moves(game)[node]], axis=1)


def _cards(game: Game) -> list[Array]:
    """[R] of [buckets of the street, width]: the part of each street's cards, one of those that can be there."""
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


def _moves(game: Game) -> Array:
    """[N, width]: the action slot of each move of each street that leads to a node."""
    move, moves = _move_numbers(game)
    table = np.zeros((game.tree.nodes, moves), np.float32)
    for node in range(1, game.tree.nodes):
        table[node] = table[game.tree.parent[node]]
        table[node, move[node]] = 1
    return table


def _move_numbers(game: Game) -> tuple[Array, int]:
    """([N] int32, width): the number, by street, place among its moves and slot, of the move that leads to a node from its
    parent, -1 at the root; and how many there are."""
    tree, slots = game.tree, len(game.actions)
    number = np.zeros(tree.nodes, np.int32)  # of the moves made on a node's street
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
