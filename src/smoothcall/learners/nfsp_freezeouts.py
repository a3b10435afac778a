"""Neural fictitious self-play in freezeouts (pricope2021): its agents 2 and 3.

In a freezeout (the paper says game) two players begin with full stacks and keep their chips from hand to hand until one has
none, or for `length` hands. A reward, the chips won, comes at the end of each hand. With `episode=game` action values are of
the whole freezeout: the rewards of its later hands are part of the return (agent 3). With `episode=hand` they are of the hand
alone (agent 2). A player's policy (average, best response or gradient) is sampled for a whole freezeout, or for each hand
(`resample`).

Two copies with their own networks and memories play each other in both seats (agent 3); the agent is the first of them. Or
one learner plays a fixed opponent (agent 2). Networks get observations with cards (`agents.nfsp_networks`), so the agent
can play at any table of these rules, whatever the stacks and raises.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from smoothcall.agents.nfsp_networks import INPUTS, NFSPNetworks
from smoothcall.agents.serialization import CARD_PLAYERS, verify_card_game
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.learners import memory
from smoothcall.kernels.learners.freezeout_memory import Waiting, end_freezeouts, remember_freezeouts
from smoothcall.kernels.learners.nfsp import OPPONENT, draw_freezeout_policies
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.simulation.freezeouts import expect_winnings
from smoothcall.kernels.tables import CALL, Array
from smoothcall.learners import verify_packages
from smoothcall.learners.experience import EPISODES, Turn
from smoothcall.learners.features import FeatureEncoder, FreezeoutEncoder
from smoothcall.learners.memory import Transitions
from smoothcall.learners.nfsp import NFSP
from smoothcall.learners.opponents import freezeout_opponent
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.simulation.batch import Batch, by_name
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.freezeouts import UNTIL_BROKE, FreezeoutEnv
from smoothcall.solvers.base import Winnings

if TYPE_CHECKING:
    from smoothcall.learners.networks import Architecture
    from smoothcall.learners.nfsp_updates import NFSPUpdates

ITSELF = "itself"
IMAGES = "images"
GAME, HAND = "game", "hand"  # values of `episode` and `resample`
FREEZEOUTS = 500  # per point of the curve of winnings (pricope2021, Figure 2)
POINTS = 20_000  # of the curve


class FreezeoutNFSP(NFSP):
    """One iteration is one freezeout. Freezeouts in play when a run stops are part of its state."""

    OPTIONS: ClassVar[dict[str, Option]] = {
        **NFSP.OPTIONS,
        "against": Option(
            ITSELF,
            "the opponent: a copy of itself, a player by name, or an agent (an object; on the command line an agent file)",
            choices=(ITSELF, *CARD_PLAYERS),
            objects="an agent",
        ),
        "calls": Option(0.0, "probability that a fixed opponent checks or calls in place of its own action", low=0.0, high=1.0),
        "length": Option(UNTIL_BROKE, "most hands of a freezeout", low=1, high=10_000),
        "episode": Option(
            GAME, "the return: chips won in the rest of the freezeout (game), or in the hand", choices=(GAME, HAND)
        ),
        "resample": Option(GAME, "when a player samples its policy: for each freezeout (game), or hand", choices=(GAME, HAND)),
        "unit": Option(
            "chips", "unit of action values in the gradient policy: chips, or starting stacks", choices=("chips", "stacks")
        ),
        "inputs": Option("compact", "inputs of the networks: compact features, or images", choices=tuple(INPUTS)),
        "runouts": Option(
            32, "sampled boards whose mean is the reward after an all-in before the river; 0: the board dealt", 0, 10_000
        ),
        "metrics": Option(True, "whether inputs include hand-made metrics: strength of the made hand, equity"),
        "hidden": replace(NFSP.OPTIONS["hidden"], help="units of each hidden layer"),
        "channels": Option(8, "with images, channels of the first two convolutions; the last two have twice as many", 1, 1024),
        "layers": Option(2, "hidden layers, with compact features", low=1, high=10),
        "batch": replace(NFSP.OPTIONS["batch"], default=256),
        "every": replace(NFSP.OPTIONS["every"], default=64),
        "updates": replace(NFSP.OPTIONS["updates"], default=1),
        "target": replace(NFSP.OPTIONS["target"], default=1000),
        "double": replace(NFSP.OPTIONS["double"], default=True),
        "optimiser": replace(NFSP.OPTIONS["optimiser"], default="adam"),
        "policy_rate": replace(NFSP.OPTIONS["policy_rate"], default=0.001),
        "value_rate": replace(NFSP.OPTIONS["value_rate"], default=0.001),
        "explore": replace(NFSP.OPTIONS["explore"], default=0.1),
        "fade": replace(
            NFSP.OPTIONS["fade"], default=10_000.0, help="freezeouts after which exploration falls as 1 / sqrt(freezeouts)"
        ),
        "moves": replace(NFSP.OPTIONS["moves"], default=1_000_000),
        "hands": replace(NFSP.OPTIONS["hands"], help="freezeouts played at once"),
    }

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        verify_card_game(game, name)
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        if self._learners == 1 and self.options["matrix"] == "diagonal" and self.options["rho"] < 1:
            raise UsageError(f"option matrix=diagonal of {name} (accepted against a fixed opponent: columns)")
        if self._learners == 2 and self.options["calls"] > 0:
            raise UsageError(f"option calls={self.options['calls']:g} of {name} (accepted in self-play: 0)")
        self.earned = np.zeros(3)  # chips won by the first player, freezeouts, hands
        self.curve = np.zeros((POINTS, 3))  # chips, freezeouts and hands of every FREEZEOUTS freezeouts
        self._opponent = self._fixed_opponent()
        count = len(self._batch) if self.options["episode"] == GAME else 0
        self._waiting = Waiting(
            observations=np.zeros((count, 2, self._encoder.width), self._encoder.dtype),
            action=np.zeros((count, 2), np.int8),
            won=np.zeros((count, 2), np.float32),
            there=np.zeros((count, 2), bool),
        )

    @property
    def _learners(self) -> int:
        against = self.options["against"]
        return 2 if isinstance(against, str) and against == ITSELF else 1

    def _fixed_opponent(self) -> BatchPolicy | None:
        against = self.options["against"]
        if not isinstance(against, str):
            return freezeout_opponent(against, self.game, length=self.options["length"], with_cards=True)
        return None if against == ITSELF else CARD_PLAYERS[against]()

    @cached_property
    def env(self) -> FreezeoutEnv:
        assert isinstance(self.game.rules, PokerRules)
        return FreezeoutEnv(
            self.game.rules,
            count=self.options["hands"],
            length=self.options["length"],
            generators=self._generators[:2],
            abstraction=self.game.abstraction,
        )

    def _open(self) -> tuple[FeatureEncoder, Batch]:
        encoder = FreezeoutEncoder(self.env, inputs=self.options["inputs"], metrics=self.options["metrics"])
        return encoder, self.env.batch

    def _updates_class(self) -> Callable[..., NFSPUpdates]:
        if self.options["inputs"] != IMAGES:
            return super()._updates_class()
        from smoothcall.learners.image_updates import ImageUpdates

        return ImageUpdates

    @property
    def _gradient_unit(self) -> float:
        return self._encoder.scale if self.options["unit"] == "chips" else 1.0

    def _network(self) -> tuple[Architecture, Hashable]:
        verify_packages(self.name)
        from smoothcall.learners.convolutions import Convolutions, ImageSizes
        from smoothcall.learners.networks import Network

        chosen, (width, *_), outputs = self.options, self._encoder.features.shape[1:], len(self.game.actions)
        if chosen["inputs"] == IMAGES:
            channels = tuple(factor * chosen["channels"] for factor in (1, 1, 2, 2))
            return Convolutions, ImageSizes(outputs, channels=channels, dense=chosen["hidden"])
        return Network, (width, *[chosen["hidden"]] * chosen["layers"], outputs)

    def _begin_hands(self) -> None:
        chosen, env = self.options, self.env
        due = env.batch.hands.over if chosen["resample"] == HAND else env.freezeouts.policy[:, 1] < 0
        draw_freezeout_policies(env.freezeouts, due, self._learners, chosen["eta"], chosen["rho"], self._generators[2])
        env.sit()
        env.batch.begin()
        env.observe()

    def _probabilities(self) -> Array:
        probabilities, batch = super()._probabilities(), self._batch
        others = np.flatnonzero(batch.policy == OPPONENT)
        if self._opponent is None or not len(others):
            return probabilities
        probabilities = probabilities.copy()
        probabilities[others] = self._opponent.probabilities(batch.observations[others], batch.legal[others])
        if calls := self.options["calls"]:
            probabilities[others] *= 1 - calls
            probabilities[others, CALL] += calls
        return probabilities

    def _remember(self, memory_of: Array) -> None:
        hands = self._rewarded()
        if self.options["episode"] == GAME:
            remember_freezeouts(hands, self.env.freezeouts.first, memory_of, self._waiting, self._ring)
        else:
            memory.remember(hands, memory_of, self._ring)

    def _rewards(self, transitions: Transitions) -> Array:
        return transitions.won if self.options["episode"] == GAME else super()._rewards(transitions)

    def _rewarded(self) -> Hands:
        """Return the hands with the rewards to be learned from in `won`."""
        runouts, hands = self.options["runouts"], self._batch.hands
        if not runouts:
            return hands
        assert self.game.abstraction is not None
        cards = self.game.abstraction.cards
        won = np.zeros_like(hands.won)
        expect_winnings(cards, self._batch.walk, hands, runouts, self._generators[0], won)
        return hands._replace(won=won)

    def _settle(self, ended: int) -> int:
        env = self.env
        hands = env.settle()
        over = ~np.isnan(env.gain)
        freezeouts = int(over.sum())
        if self.options["episode"] == GAME:
            end_freezeouts(over, self._waiting, self._ring)
        gained = np.array([env.gain[over].sum(), freezeouts, hands])
        self.earned += gained
        self._add_to_curve(gained)
        return freezeouts

    def _add_to_curve(self, gained: Array) -> None:
        place = self.episodes // FREEZEOUTS
        if place < POINTS:
            self.curve[place] += gained

    def tables(self) -> dict[str, Array]:
        return {**super().tables(), **self.env.tables(), "earned": self.earned, "curve": self.curve}

    def in_play(self) -> dict[str, Array]:
        waiting = by_name(waiting=self._waiting) if self.options["episode"] == GAME else {}
        return {**super().in_play(), **self.env.in_play(), **waiting}

    def _counters(self) -> dict[str, Array]:
        return {**super()._counters(), "earned": self.earned}

    def _add_moves(self, turn: Turn) -> None:
        super()._add_moves(turn)
        self._add_to_curve(turn.counted["earned"])

    @property
    def won(self) -> Winnings:
        chips, freezeouts, _ = self.earned.tolist()
        return Winnings((chips,), int(freezeouts), "freezeout")

    def differences(self) -> Array:
        """Return for every FREEZEOUTS freezeouts the absolute difference of the players' winnings, in mbb/h."""
        done = self.curve[: int(self._counts[EPISODES]) // FREEZEOUTS]
        assert isinstance(self.game.rules, PokerRules)
        differences: Array = 2 * np.abs(done[:, 0]) / np.maximum(done[:, 2], 1) / max(self.game.rules.blinds) * 1000
        return differences

    def batch_policy(self, eta: float = 0.0) -> NFSPNetworks:
        """Return the networks of the first player, which play the best response with probability eta."""
        from smoothcall.learners.networks import first_of, layers_of

        policy, values = (layers_of(first_of(networks)) for networks in (self._state.policies, self._state.values))
        return NFSPNetworks(policy, values, self.options["inputs"], self.options["metrics"], eta)

    def policy(self) -> Policy:
        """Return the paper's agent, greedy + average: the best response with probability eta, else the average policy."""
        return TabulatedPolicy(self.game, self.batch_policy(self.options["eta"]), self.card)

    def current_policy(self) -> Policy:
        """Return the best response: the action of the highest value."""
        return TabulatedPolicy(self.game, self.batch_policy(eta=1.0), self.card)
