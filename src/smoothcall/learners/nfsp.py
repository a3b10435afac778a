"""Neural fictitious self-play (Heinrich and Silver 2016): a best response and an average policy, each a network, per player.

In each hand a player plays the best response with the chance eta, else the average policy. The best response is learned by
deep Q-learning from everything that happens (a circular memory, a target network); the average policy by imitating the moves
of best responses (a reservoir, so that all of the past counts alike). Two updates of each network follow every 128 moves of a
player. What converges is the average policy; the current one is the best response.

Hands are played many at a time (`hands`), so what a network has learned takes effect some hundred moves later than in the
paper, and a move costs a fraction of what it costs alone. What networks are shown is up to the game's `eyes`.

With `rho` below 1 it is the variant of pricope2021, *gradient play*: in so many of the hands that are not its average policy's
a player plays the best response, in the others it follows the gradient, P[Pi + M Pi']. Pi is its own average policy, Pi' the
opponents', and P takes the nearest probabilities. Moves of the gradient are not imitated. The paper does not say how action values Q
become the matrix M. With `matrix=columns`, M[a, b] = Q(a) whatever b is, because Q is what an action is worth against the
opponents' play as it is, so that M Pi' = Q, the gradient of the value. With `matrix=diagonal`, M has Q on its diagonal, and
M Pi' = Q(a) Pi'(a), where Pi' is what the opponents' average policies (their mean, where there are several) would do in the
player's own place. Q counts in the networks' unit: chips in small games, stacks in hold'em; the larger Q, the nearer is the
gradient to the best response.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from smoothcall.information.game import Game
from smoothcall.kernels.learners import memory as kernels
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.tables import Array
from smoothcall.learners import learning
from smoothcall.learners.features import Eyes, Looks, eyes
from smoothcall.learners.memory import BEST, draw_moves, draw_transitions, new_reservoir, new_ring, seated
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.simulation.batch import Batch, by_name
from smoothcall.solvers.base import Solver

UPDATES = 8  # of each network in one call: more would make the target network late


class NFSP(Solver):
    """One iteration is one episode: a hand played to its end. Hands in play when a run stops go on with it."""

    OPTIONS: ClassVar[dict[str, Option]] = {
        "eta": Option(0.1, "how often a player plays the best response", low=0, high=1),
        "rho": Option(
            1.0, "of its best responses, how many are greedy; the others follow the gradient (pricope2021)", low=0, high=1
        ),
        "matrix": Option("columns", "how action values become the gradient's matrix", choices=("columns", "diagonal")),
        "hidden": Option(64, "units of the hidden layer", low=1, high=100_000),
        "optimiser": Option("sgd", "how networks learn from slopes", choices=("sgd", "adam")),
        "value_rate": Option(0.1, "learning rate of the best response", low=0, high=100),
        "policy_rate": Option(0.005, "learning rate of the average policy", low=0, high=100),
        "cool": Option(0.0, "updates after which both rates fall as 1 / sqrt(updates); 0: they stay", low=0, high=1e15),
        "batch": Option(128, "samples in an update", low=1, high=1_000_000),
        "every": Option(128, "moves of a player between updates", low=1, high=10**9),
        "updates": Option(2, "updates of each network each time", low=1, high=10**6),
        "target": Option(300, "updates after which the target network is renewed", low=1, high=10**9),
        "double": Option(False, "whether the learning network chooses the action that the target network values"),
        "explore": Option(0.06, "how often the best response tries any move, at the start", low=0, high=1),
        "fade": Option(10_000.0, "episodes after which exploration falls as 1 / sqrt(episodes)", low=1, high=1e15),
        "transitions": Option(200_000, "size of the circular memory of transitions", low=1, high=10**9),
        "moves": Option(2_000_000, "size of the reservoir of moves", low=1, high=10**9),
        "hands": Option(512, "hands played at once", low=1, high=100_000),
    }

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        self_play = learning("nfsp_updates", name)
        chosen, players = self.options, self._learners
        parts = {option: chosen[option] for option in ("value_rate", "policy_rate", "cool", "double", "matrix")}
        self._generators = seeded(self.seed, 4)  # of deals, moves, who plays and is kept, what is drawn from memories
        self._eyes, self._batch = self._open()
        looking = self._eyes
        self._networks = self_play.SelfPlay(looking.seen, looking.legal, by=chosen["optimiser"], **parts)
        self._pair = self._networks.begin(self._network(), players, self.seed)
        leaves, self._shape = _flat(self._pair)
        self._leaves = [np.array(leaf) for leaf in leaves]  # what was learned, as tables
        self._ring = new_ring(players, chosen["transitions"], looking.width, looking.kind)
        self._reservoir = new_reservoir(players, chosen["moves"], looking.width, looking.kind)
        self._counts = np.zeros(3, np.int64)  # hands ended, moves made, updates made

    # What another kind of play changes

    @property
    def _learners(self) -> int:
        """Players with networks of their own."""
        return self.game.players

    def _network(self) -> Any:
        """What `SelfPlay.begin` makes networks of."""
        return self.options["hidden"]

    def _open(self) -> tuple[Looks, Batch]:
        """What players see, and the hands they play."""
        looking = eyes(self.game)
        batch = Batch(
            self.game.walk,
            looking.deal,
            count=self.options["hands"],
            things=looking.things,
            moves=self.game.depth,
            width=looking.width,
            kind=looking.kind,
            generators=self._generators[:2],
        )
        return looking, batch

    def _begin_hands(self) -> None:
        """Who plays in hands that begin, and what everybody to move sees."""
        batch = self._batch
        kernels.sit_down(batch.hands, self.options["eta"], self.options["rho"], self._generators[2])
        batch.begin()
        batch.look()
        self._eyes.see(batch.walk, batch.hands, batch.seen)

    def _chances(self) -> Array:
        """[B, A] of the moves in every hand."""
        chosen, batch = self.options, self._batch
        explore = chosen["explore"] / sqrt(1 + int(self._counts[0]) / chosen["fade"])
        return np.asarray(self._networks.act(self._pair, self._eyes.show(batch.seen), batch.who, explore))

    def _rewarded(self) -> Hands:
        """The hands, those that are over with what is to be learned from them."""
        return self._batch.hands

    def _settle(self, ended: int) -> int:
        """Book so many hands that ended; returns how many episodes did."""
        return ended

    # What stays

    def tables(self) -> dict[str, Array]:
        learned = {f"network {number}": leaf for number, leaf in enumerate(self._leaves)}
        kept = by_name(transitions=self._ring, moves=self._reservoir)
        return {**learned, **kept, **self._batch.tables(), "counts": self._counts, "generators": self._generators}

    def _restored(self) -> None:
        self._pair = _tree(self._shape, self._leaves)

    def prepare(self) -> None:
        """Compile everything by using it, for nothing."""
        generator = self._generators[3].copy()
        batch, (transitions, moves) = self._batch, self._draw()
        self._generators[3] = generator
        np.asarray(self._networks.act(self._pair, self._eyes.show(batch.seen), batch.who, 0.0))
        self._networks.learn(self._pair, transitions, moves)

    def _advance(self, count: int) -> int:
        before, goal = int(self._counts[1]), self.iterations + count
        while self._counts[0] < goal:
            self._move_all()
            while self._owed() >= UPDATES:
                self._update()
        for table, leaf in zip(self._leaves, _flat(self._pair)[0], strict=True):
            table[...] = leaf
        return int(self._counts[1]) - before

    def _move_all(self) -> None:
        """One move in every hand; hands that end are remembered."""
        batch = self._batch
        self._begin_hands()
        ended = batch.advance(self._chances())
        player, mode = (np.append(part, np.int8(-1)) for part in seated(self._learners))  # others learn nothing
        kernels.remember(self._rewarded(), player, self._ring)
        kernels.keep(batch.hands, np.where(mode == BEST, player, np.int8(-1)), self._reservoir, self._generators[2])
        self._counts[0] += self._settle(ended)
        self._counts[1] += len(batch)

    def _owed(self) -> int:
        """Updates that the moves made so far are worth, less those made; none while memories hold less than a batch."""
        chosen = self.options
        if min(self._ring.total.min(), self._reservoir.total.min()) < chosen["batch"]:
            return 0
        worth: int = int(self._counts[1]) // self.game.players // chosen["every"] * chosen["updates"]
        return worth - int(self._counts[2])

    def _update(self) -> None:
        """UPDATES updates of all networks."""
        self._pair = self._networks.learn(self._pair, *self._draw())
        done = int(self._counts[2])
        self._counts[2] = done + UPDATES
        if (done + UPDATES) // self.options["target"] != done // self.options["target"]:
            self._pair = self._pair._replace(target=self._pair.values)

    def _draw(self) -> tuple[Any, Any]:
        batch, generator, show = self.options["batch"], self._generators[3], self._eyes.show
        transitions = draw_transitions(self._ring, UPDATES, batch, generator)
        moves = draw_moves(self._reservoir, UPDATES, batch, generator)
        seen, after, won = show(transitions.seen), show(transitions.after), transitions.won / np.float32(self._eyes.unit)
        return transitions._replace(seen=seen, after=after, won=won), moves._replace(seen=show(moves.seen))

    def policy(self) -> Policy:
        """The average policy. Where deals are drawn, as its games see the cards: the mean over some hands of each bucket."""
        return self._played(self._pair.policies, best=False)

    def current_policy(self) -> Policy:
        """The best response: the action of the highest value."""
        return self._played(self._pair.values, best=True)

    def _played(self, networks: Any, *, best: bool) -> Policy:
        assert isinstance(self._eyes, Eyes)
        return Policy.from_weights(self.game, self._eyes.play(self._networks, networks, best=best), self.card)


def _flat(pair: Any) -> tuple[list[Any], Any]:
    import jax

    return jax.tree.flatten(pair)


def _tree(shape: Any, leaves: list[Array]) -> Any:
    import jax

    return jax.tree.unflatten(shape, map(jax.numpy.array, leaves))
