"""Games as environments of reinforcement learning, without any library of it.

`HandTable` plays one hand at a time by the rules, for environments that other code steps through. `HandBatch` plays many hands
at once on the batched walk (`simulation.batch`). Actions are the action slots of a game; observations are the features that our
own networks get (`learners.features`).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from smoothcall.agents.view import Player, view_of, view_of_matrix
from smoothcall.errors import UsageError
from smoothcall.games.hand import Hand
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.notation import move_name, write_hand
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import DECISION, Array
from smoothcall.learners.features import Encoded, RowEncoder, SeatEncoder, hand_encoder
from smoothcall.simulation.batch import Batch


class HandTable:
    """One hand of a game, played by the rules and followed in the action tree."""

    def __init__(self, game: Game) -> None:
        _verify(game)
        self.game, self._encoder = game, SeatEncoder(game)
        self.slots, self.width = len(game.actions), self._encoder.width
        self.hand: Hand | None = None  # None in matrix games
        self.node = 0

    def begin(self, random: Random) -> None:
        """Deal a new hand; later cards come from `random` too."""
        self._random, self.node = random, 0
        if not isinstance(self.game.rules, MatrixGame):
            self.hand = Hand(self.game.rules)
            self.hand.deal_random(random)

    @property
    def player(self) -> int | None:
        """The seat to move; None where the hand is over."""
        tree = self.game.tree
        return int(tree.player[self.node]) if tree.kind[self.node] == DECISION else None

    @property
    def mask(self) -> Array:
        """[A] int8: 1 for legal actions."""
        return np.asarray(self.game.tree.child[self.node] >= 0, np.int8)

    @property
    def payoffs(self) -> list[float]:
        """Chips that each seat has won; zeros while the hand goes on."""
        if self.player is not None:
            return [0.0] * self.game.players
        if self.hand is not None:
            assert self.hand.outcome is not None
            return list(map(float, self.hand.outcome.payoffs))
        index, table = self.game.settled
        found: list[float] = table[index[self.node], 0].tolist()
        return found

    def features(self, seat: int) -> Array:
        """Return [F] float32: what a seat knows, whether or not it is to move."""
        hand = self.hand
        return self._encoder.features(self.node, seat, *((hand.hole[seat], hand.boards) if hand is not None else ((), ())))

    def move(self, slot: int) -> None:
        """Make the move of an action slot."""
        if not 0 <= slot < self.slots or not self.mask[slot]:
            legal = ", ".join(map(str, np.flatnonzero(self.mask)))
            raise UsageError(f"action {slot} in {self.game.spec} (accepted now: {legal})")
        if self.hand is not None:
            letter = self.hand.slots[slot]
            assert letter is not None
            self.hand.play(letter)
            self.hand.deal_random(self._random)
        self.node = int(self.game.tree.child[self.node, slot])

    def ask(self, player: Player) -> int:
        """Return the slot of a player's move for the seat to move; raises of other amounts become the nearest of the menu."""
        seat = self.player
        assert seat is not None
        if self.hand is None:
            assert isinstance(self.game.rules, MatrixGame)
            return self.game.rules.actions.index(player.act(view_of_matrix(self.game.rules, seat)))
        letter, slots = player.act(view_of(self.hand, seat)), self.hand.slots
        if letter in slots:
            return slots.index(letter)
        totals = {int(known[1:]): slot for slot, known in enumerate(slots) if known and known[0] == "r"}
        return totals[min(totals, key=lambda total: abs(total - int(letter[1:])))] if totals else slots.index("c")

    def text(self) -> str:
        """Return the hand as a spectator who sees all cards would: cards, betting, chips, and the legal moves."""
        if self.hand is None:
            return f"{self.game.spec}\nmoves made: {0 if self.node == 0 else int(self.player is None) + 1}"
        hand, names = self.hand, self.hand.rules.deck.names
        lines = [self.game.spec, write_hand(hand), f"board {names(hand.board) or '-'}  pot {hand.pot}"]
        for seat, cards in enumerate(hand.hole):
            turn = ">" if self.player == seat else " "
            lines.append(f"{turn} player_{seat} {names(cards)} in {hand.paid[seat]}{'' if hand.alive[seat] else ' folded'}")
        if self.player is not None:
            lines.append(", ".join(f"{slot} {move_name(hand, letter)}" for slot, letter in enumerate(hand.slots) if letter))
        else:
            lines.append("won " + ", ".join(f"{won:+g}" for won in self.payoffs))
        return "\n".join(lines)


class HandBatch:
    """`count` hands that all advance by one decision at a time; where one is over, the next begins at once."""

    def __init__(self, game: Game, count: int, seed: int = 0) -> None:
        if count < 1:
            raise UsageError(f"{count} hands at once (accepted: 1 or more)")
        _verify(game)
        self.game, self._encoder = game, hand_encoder(game)
        self.slots, self.width = len(game.actions), self._encoder.features.shape[1]
        self._batch = Batch(
            game.walk,
            self._encoder.deal,
            count=count,
            private=self._encoder.private,
            moves=game.depth,
            width=self._encoder.width,
            dtype=self._encoder.dtype,
            generators=seeded(seed, 2),
        )
        self._chosen, self._rows = np.zeros((count, self.slots)), np.arange(count)
        self._go_on()

    def __len__(self) -> int:
        return len(self._batch)

    @property
    def player(self) -> Array:
        """[B] int8: the seat to move in every hand."""
        return self.game.walk.player[self._batch.hands.node]

    @property
    def legal(self) -> Array:
        """[B, A] bool; overwritten by the next step."""
        return self._batch.legal

    @property
    def states(self) -> tuple[Array, Array]:
        """([B] node of the action tree, [B, P, V] private values): what hands in play consist of, for tests."""
        return self._batch.hands.node, self._batch.hands.dealt

    def features(self) -> Array:
        """Return [B, F] float32: what the seats to move know."""
        found = self._encoder.encode(self._batch.observations)
        return found.features if isinstance(found, Encoded) else self._encoder.features[found]

    def rows(self) -> Array:
        """Return [B] the information states of the seats to move, in games whose deals are listed."""
        if not isinstance(self._encoder, RowEncoder):
            raise UsageError(f"{self.game.spec}: information states are rows only in games whose deals are listed")
        return self._batch.observations[:, 0]

    def step(self, actions: Array) -> tuple[Array, Array]:
        """Make the moves actions[B]; return ([B, P] float32 chips won where a hand ended, [B] bool whether it did).

        An illegal action is the first legal one.
        """
        self._chosen[:] = 0
        self._chosen[self._rows, actions] = 1
        return self.sample(self._chosen)

    def sample(self, probabilities: Array, still: Array | None = None) -> tuple[Array, Array]:
        """Make moves drawn from probabilities[B, A], none in hands where still[B]; see `step`."""
        hands = self._batch.hands
        if still is not None:
            hands.over[still] = True
        self._batch.advance(probabilities)
        if still is not None:
            hands.over[still] = False
        over = hands.over.copy()
        won = np.where(over[:, None], hands.won, np.float32(0))
        self._go_on()
        return won, over

    def _go_on(self) -> None:
        batch = self._batch
        batch.begin()
        batch.list_movers()
        self._encoder.observe(batch.walk, batch.hands, batch.observations)


def _verify(game: Game) -> None:
    if not isinstance(game.rules, PokerRules | MatrixGame):
        raise UsageError(f"{game.spec} is no environment (accepted: our own games)")


def random_actions(legal: Array, random: np.random.Generator) -> Array:
    """Return [B] an action for every row of legal[B, A], each legal one equally often."""
    count = legal.sum(axis=1)
    wanted = (random.random(len(legal)) * count).astype(np.int64) + 1
    return np.asarray((legal.cumsum(axis=1) >= wanted[:, None]).argmax(axis=1))


def seats_of(game: Game, seat: int | None, opponents: Sequence[str] | str) -> list[str]:
    """Return the names of the other players, one for each of the other seats."""
    names = [opponents] * (game.players - 1) if isinstance(opponents, str) else list(opponents)
    if len(names) != game.players - 1:
        raise UsageError(f"{len(names)} opponents in {game.spec} (accepted: one name, or {game.players - 1})")
    if seat is not None and not 0 <= seat < game.players:
        raise UsageError(f"seat {seat} (accepted: 0 to {game.players - 1}, None for any)")
    return names
