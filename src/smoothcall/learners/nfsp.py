"""Neural fictitious self-play (Heinrich and Silver 2016): per player a best response and an average policy, each a network.

In each hand a player plays its best response with probability eta, else its average policy. The best response learns by
deep Q-learning from all transitions (circular memory, target network). The average policy learns to imitate the moves of
best responses (reservoir memory, so that all of the past has equal weight). Each network gets two updates for every 128
moves of a player. The average policy converges; the current policy is the best response.

Many hands are played at once (`hands`), so an update takes effect some hundred moves later than in the paper, and a move
costs a fraction of what it costs alone. `learners.features` encodes observations.

With `rho` below 1 it is the variant of pricope2021, *gradient play*: with probability eta * (1 - rho) a player plays P[Pi +
M Pi'], where Pi is its own average policy, Pi' the opponents', and P the projection onto the simplex. These moves are not
imitated. The paper does not say how action values Q become the matrix M. With `matrix=columns`, M[a, b] = Q(a) for every b,
because Q are values against the opponents' play as it is, so that M Pi' = Q, the gradient of the value. With
`matrix=diagonal`, M has Q on its diagonal, and M Pi' = Q(a) Pi'(a), where Pi' is the mean of the opponents' average
policies at the player's own observation. Q is in the networks' unit: chips in small games, stacks in hold'em; the larger Q,
the nearer the gradient policy is to the best response.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from smoothcall.information.game import Game
from smoothcall.kernels.learners import memory as kernels
from smoothcall.kernels.learners.nfsp import draw_hand_policies, note_likeliest
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.tables import Array
from smoothcall.learners import verify_packages
from smoothcall.learners.experience import EPISODES, MOVES, SAMPLES, Logged, Turn, TurnLearner, logged
from smoothcall.learners.features import FeatureEncoder, HandEncoder, RowEncoder, hand_encoder
from smoothcall.learners.memory import (
    BEST,
    MIN_RECENT,
    Transitions,
    draw_moves,
    draw_transitions,
    new_reservoir,
    new_ring,
    policy_modes,
)
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.simulation.batch import Batch, by_name

if TYPE_CHECKING:
    from smoothcall.learners.networks import Architecture
    from smoothcall.learners.nfsp_updates import NFSPUpdates

UPDATES = 8  # of each network in one call; more would delay the target network
ROWS_A_SAMPLE = 2  # up to as many rows of a player for each sample of a batch, counting the batch by row is faster
UPDATED = 2  # counter of updates, after EPISODES and MOVES


class NFSP(TurnLearner):
    """One iteration is one episode: a hand. Hands in play when a run stops are part of its state."""

    OPTIONS: ClassVar[dict[str, Option]] = {
        "eta": Option(0.1, "probability of the best response (or gradient policy) in a hand", low=0, high=1),
        "rho": Option(
            1.0, "fraction of best responses that are greedy; the others are the gradient policy (pricope2021)", low=0, high=1
        ),
        "matrix": Option(
            "columns", "how action values become the matrix of the gradient policy", choices=("columns", "diagonal")
        ),
        "hidden": Option(64, "units of the hidden layer", low=1, high=100_000),
        "optimiser": Option("sgd", "optimiser of the networks", choices=("sgd", "adam")),
        "value_rate": Option(0.1, "learning rate of the best response", low=0, high=100),
        "policy_rate": Option(0.005, "learning rate of the average policy", low=0, high=100),
        "cool": Option(0.0, "updates after which both rates fall as 1 / sqrt(updates); 0: constant", low=0, high=1e15),
        "batch": Option(128, "samples in an update", low=1, high=1_000_000),
        "every": Option(128, "moves of a player between updates", low=1, high=10**9),
        "updates": Option(2, "updates of each network at a time", low=1, high=10**6),
        "target": Option(300, "updates between renewals of the target network", low=1, high=10**9),
        "double": Option(False, "double DQN: the learning network chooses the action that the target network values"),
        "explore": Option(0.06, "probability of a random move of the best response, at the start", low=0, high=1),
        "fade": Option(10_000.0, "episodes after which exploration falls as 1 / sqrt(episodes)", low=1, high=1e15),
        "transitions": Option(200_000, "size of the circular memory of transitions", low=1, high=10**9),
        "recent": Option(
            1.0, f"share of all transitions so far that updates sample from: the newest, at least {MIN_RECENT:,}", low=0, high=1
        ),
        "moves": Option(2_000_000, "size of the reservoir of moves", low=1, high=10**9),
        "imitate": Option(
            "played",
            "moves of the best response that the average policy learns: as played, with exploration, or the greedy ones",
            choices=("played", "greedy"),
        ),
        "scale": Option(0.0, "chips that the networks count as 1; 0: one chip in small games, a stack in hold'em", 0, 1e9),
        "hands": Option(512, "hands played at once", low=1, high=100_000),
    }

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        verify_packages(name)
        chosen, players = self.options, self._learners
        parts = {option: chosen[option] for option in ("value_rate", "policy_rate", "cool", "double", "matrix")}
        self._generators = seeded(self.seed, 4)  # of deals, moves, policies and reservoirs, samples from memories
        self._encoder, self._batch = self._open()
        encoder = self._encoder
        encoder.scale = chosen["scale"] or encoder.scale
        make = self._updates_class()
        self._updates = make(encoder.features, encoder.legal, rule=chosen["optimiser"], unit=self._gradient_unit, **parts)
        self._state = self._updates.begin(*self._network(), players, self.seed)
        leaves, self._structure = _flatten(self._state)
        self._leaves = [np.array(leaf) for leaf in leaves]  # the state as tables
        self._ring = new_ring(players, chosen["transitions"], encoder.width, encoder.dtype)
        self._reservoir = new_reservoir(players, chosen["moves"], encoder.width, encoder.dtype)
        self._greedy = np.zeros_like(self._batch.hands.action) if chosen["imitate"] == "greedy" else None  # of moves in play
        self._counts = np.zeros(3, np.int64)  # EPISODES, MOVES, UPDATED
        self._log: kernels.MoveLog | None = None  # of an actor, in place of the reservoirs

    # Overridden for freezeouts

    @property
    def _learners(self) -> int:
        """The number of players with networks of their own."""
        return self.game.players

    def _updates_class(self) -> Callable[..., NFSPUpdates]:
        """Return what makes `self._updates`: batches are counted by row unless a player has far more rows than a batch."""
        from smoothcall.learners.nfsp_updates import NFSPUpdates
        from smoothcall.learners.row_updates import RowUpdates

        if not isinstance(self._encoder, RowEncoder):
            return NFSPUpdates
        most = np.bincount(self.game.row_player).max()  # rows of a player
        few = most <= ROWS_A_SAMPLE * self.options["batch"]
        return partial(RowUpdates, row_player=self.game.row_player) if few else NFSPUpdates

    @property
    def _gradient_unit(self) -> float:
        """Action values of the networks times this are those of the gradient policy."""
        return 1.0

    def _network(self) -> tuple[Architecture, Hashable]:
        """Return the architecture of a network and its sizes."""
        from smoothcall.learners.networks import Network

        return Network, (self._encoder.features.shape[1], self.options["hidden"], self._encoder.legal.shape[1])

    def _open(self) -> tuple[FeatureEncoder, Batch]:
        """Return the encoder and the hands in play."""
        encoder = hand_encoder(self.game)
        batch = Batch(
            self.game.walk,
            encoder.deal,
            count=self.options["hands"],
            private=encoder.private,
            moves=self.game.depth,
            width=encoder.width,
            dtype=encoder.dtype,
            generators=self._generators[:2],
        )
        return encoder, batch

    def _begin_hands(self) -> None:
        """Sample the policies of hands that begin, and observe."""
        batch = self._batch
        draw_hand_policies(batch.hands, self.options["eta"], self.options["rho"], self._generators[2])
        batch.begin()
        batch.list_movers()
        self._encoder.observe(batch.walk, batch.hands, batch.observations)

    def _probabilities(self) -> Array:
        """Return [B, A] action probabilities in every hand."""
        chosen, batch = self.options, self._batch
        explore = chosen["explore"] / sqrt(1 + int(self._counts[EPISODES]) / chosen["fade"])
        return np.asarray(self._updates.act(self._state, self._encoder.encode(batch.observations), batch.policy, explore))

    def _remember(self, memory: Array) -> None:
        """Add the transitions of hands that are over to the ring memory[policy] of each policy."""
        kernels.remember(self._batch.hands, memory, self._ring)

    def _rewards(self, transitions: Transitions) -> Array:
        """Return the reward of each transition, in chips: the winnings of the hand after its last move, else 0."""
        return np.where(transitions.moves_left == 0, transitions.won, np.float32(0))

    def _settle(self, ended: int) -> int:
        """Book `ended` hands; return how many episodes ended."""
        return ended

    # Common to all

    def tables(self) -> dict[str, Array]:
        learned = {f"network {number}": leaf for number, leaf in enumerate(self._leaves)}
        kept = by_name(transitions=self._ring, moves=self._reservoir)
        return {**learned, **kept, **self._batch.tables(), **self.in_play(), "counts": self._counts}

    def in_play(self) -> dict[str, Array]:
        greedy = {} if self._greedy is None else {"greedy moves": self._greedy}
        return {**self._batch.in_play(), **greedy, "generators": self._generators}

    @property
    def _hands_in_play(self) -> Batch:
        return self._batch

    def _counters(self) -> dict[str, Array]:
        return {"counts": self._counts}

    def acting(self) -> dict[str, Array]:
        networks = _flatten((self._state.values, self._state.policies))[0]
        counters = {"counts": self._counts.copy(), "kept": self._reservoir.total.copy()}
        return {**{f"network {number}": np.array(leaf) for number, leaf in enumerate(networks)}, **counters}

    def act_with(self, acting: Mapping[str, Array]) -> None:
        leaves, structure = _flatten((self._state.values, self._state.policies))
        values, policies = _unflatten(structure, [acting[f"network {number}"] for number in range(len(leaves))])
        self._state = self._state._replace(values=values, policies=policies)
        self._counts[...] = acting["counts"]
        self._reservoir.total[...] = acting["kept"]

    def log_turns(self) -> None:
        super().log_turns()
        (memories, places), observations = self._ring.action.shape, np.zeros_like(self._ring.observations)
        action, number = np.zeros((memories, places), np.int8), np.zeros((memories, places))
        self._log = kernels.MoveLog(observations, action, number, np.zeros(memories, np.int64))
        none = np.zeros((memories, 0, observations.shape[2]), observations.dtype)
        self._reservoir = kernels.Reservoir(none, np.zeros((memories, 0), np.int8), self._reservoir.total)

    def _logged_moves(self) -> Logged:
        assert self._log is not None
        moves = logged(self._log[:-1], self._log.total)
        self._log.total[:] = 0
        return moves

    def _add_moves(self, turn: Turn) -> None:
        assert turn.moves is not None
        for own, (observations, action, number) in enumerate(turn.moves.by_memory()):
            kernels.keep_logged(observations, action, number, own, self._reservoir, self._generators[SAMPLES])

    def _restored(self) -> None:
        self._state = _unflatten(self._structure, self._leaves)

    def prepare(self) -> None:
        """Compile all functions by calling them; their results are dropped."""
        generator = self._generators[SAMPLES].copy()
        batch, (transitions, moves) = self._batch, self._draw()
        self._generators[SAMPLES] = generator
        np.asarray(self._updates.act(self._state, self._encoder.encode(batch.observations), batch.policy, 0.0))
        self._updates.learn(self._state, transitions, moves)

    def _make_updates(self) -> None:
        while self._owed() >= UPDATES:
            self._update()

    def finish(self) -> None:
        for table, leaf in zip(self._leaves, _flatten(self._state)[0], strict=True):
            table[...] = leaf

    def _play_turn(self) -> None:
        batch = self._batch
        self._begin_hands()
        probabilities, imitated = self._probabilities(), batch.hands
        if self._greedy is not None:
            note_likeliest(batch.walk, batch.hands, probabilities, self._greedy)
            imitated = imitated._replace(action=self._greedy)
        ended = batch.advance(probabilities)
        player, mode = (np.append(part, np.int8(-1)) for part in policy_modes(self._learners))  # -1: a fixed opponent
        self._remember(player)
        self._imitate(imitated, np.where(mode == BEST, player, np.int8(-1)))
        self._counts[EPISODES] += self._settle(ended)
        self._counts[MOVES] += len(batch)

    def _imitate(self, hands: Hands, memory: Array) -> None:
        """Add the moves of hands that are over to the reservoir memory[policy] of each policy, or log them."""
        generator = self._generators[2]
        if self._log is None:
            kernels.keep(hands, memory, self._reservoir, generator)
        else:
            kernels.log_moves(hands, memory, self._log, self.options["moves"], self._reservoir.total, generator)

    def _owed(self) -> int:
        """Return how many updates are due: by the moves made so far, less those made; 0 while a memory holds less than a
        batch.
        """
        chosen = self.options
        if min(self._ring.total.min(), self._reservoir.total.min()) < chosen["batch"]:
            return 0
        due: int = int(self._counts[MOVES]) // self.game.players // chosen["every"] * chosen["updates"]
        return due - int(self._counts[UPDATED])

    def _update(self) -> None:
        """Make UPDATES updates of all networks."""
        self._state = self._updates.learn(self._state, *self._draw())
        done = int(self._counts[UPDATED])
        self._counts[UPDATED] = done + UPDATES
        if (done + UPDATES) // self.options["target"] != done // self.options["target"]:
            self._state = self._state._replace(target=self._state.values)

    def _draw(self) -> tuple[Any, Any]:
        """Sample UPDATES batches of encoded transitions and moves; rewards in the networks' unit."""
        batch, generator, encode = self.options["batch"], self._generators[SAMPLES], self._encoder.encode
        transitions = draw_transitions(self._ring, UPDATES, batch, generator, self.options["recent"])
        moves = draw_moves(self._reservoir, UPDATES, batch, generator)
        return transitions._replace(
            observations=encode(transitions.observations),
            next_observations=encode(transitions.next_observations),
            won=self._rewards(transitions) / np.float32(self._encoder.scale),
        ), moves._replace(observations=encode(moves.observations))

    def policy(self) -> Policy:
        """Return the average policy; in games with sampled deals the mean over some hands of each bucket."""
        return self._tabulated(self._state.policies, best=False)

    def current_policy(self) -> Policy:
        """Return the best response: the action of the highest value."""
        return self._tabulated(self._state.values, best=True)

    def reservoir_policy(self) -> Policy:
        """Return the frequencies of the moves in the reservoirs, which the average policy learns; in games with rows."""
        assert isinstance(self._encoder, RowEncoder)
        counts = np.zeros((self.game.tree.rows, len(self.game.actions)))
        for kept, action, total in zip(*self._reservoir, strict=True):
            known = min(int(total), len(action))
            np.add.at(counts, (kept[:known, 0], action[:known]), 1)
        return Policy.from_weights(self.game, counts, self.card)

    def _tabulated(self, networks: Any, *, best: bool) -> Policy:
        assert isinstance(self._encoder, HandEncoder)
        return Policy.from_weights(self.game, self._encoder.tabulate(self._updates, networks, best=best), self.card)


def _flatten(state: Any) -> tuple[list[Any], Any]:
    import jax

    return jax.tree.flatten(state)


def _unflatten(structure: Any, leaves: list[Array]) -> Any:
    import jax

    return jax.tree.unflatten(structure, map(jax.numpy.array, leaves))
