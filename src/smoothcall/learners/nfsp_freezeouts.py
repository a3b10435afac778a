"""Neural fictitious self-play in games of several hands (pricope2021): its agents 2 and 3.

An episode is a game: two players begin with full stacks and keep their chips from hand to hand until one has none (or for
`length` hands). What a player follows, its average policy, its best response or the gradient (`rho`), is drawn for the whole
game. Rewards come at the end of a hand, in stacks; what later hands bring is not looked ahead to.

Two copies play each other (agent 3), each with its own networks and memories, in both seats; the agent is the first of them.
Or one learns against somebody else (agent 2), who is then part of its world. Networks look at observations with cards
(`agents.nfsp_networks`), so that what was learned plays at any table of these rules, with any stacks and raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from smoothcall.agents.files import load
from smoothcall.agents.nfsp_networks import SelfTaught
from smoothcall.agents.q_networks import Layers
from smoothcall.agents.serialization import CARD_PLAYERS, verify_wide
from smoothcall.agents.stack_policies import Tabled
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.simulation.freezeouts import ELSE, draw_policies, expect_winnings
from smoothcall.kernels.tables import Array
from smoothcall.learners import learning
from smoothcall.learners.features import Looks, ObservationFeatures
from smoothcall.learners.nfsp import NFSP
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.simulation.batch import Batch
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.freezeouts import UNTIL_BROKE, FreezeoutEnv
from smoothcall.solvers.base import Winnings

ITSELF = "itself"
GAMES = 500  # in a batch of the curve of winnings (pricope2021, Figure 2)
BATCHES = 20_000  # that are kept


class FreezeoutNFSP(NFSP):
    """One iteration is one game. Games in play when a run stops go on with it."""

    OPTIONS: ClassVar[dict[str, Option]] = {
        **NFSP.OPTIONS,
        "against": Option(ITSELF, f"whom to play: {ITSELF}, {', '.join(CARD_PLAYERS)}, or an agent file", kind=Path),
        "length": Option(UNTIL_BROKE, "hands of a game, at most", low=1, high=10_000),
        "shown": Option("compact", "what networks are shown: few numbers, or pictures", choices=("compact", "picture")),
        "runouts": Option(
            32,
            "of the board that a reward is the mean of, where all is in before the river; 0: the one that was dealt",
            0,
            10_000,
        ),
        "metrics": Option(True, "whether that has hand-made numbers: the strength of the hand, the win chance"),
        "hidden": replace(NFSP.OPTIONS["hidden"], help="units of each hidden layer"),
        "layers": Option(2, "hidden layers, of networks that are not shown pictures", low=1, high=10),
        "batch": replace(NFSP.OPTIONS["batch"], default=256),
        "every": replace(NFSP.OPTIONS["every"], default=64),
        "updates": replace(NFSP.OPTIONS["updates"], default=1),
        "target": replace(NFSP.OPTIONS["target"], default=1000),
        "double": replace(NFSP.OPTIONS["double"], default=True),
        "optimiser": replace(NFSP.OPTIONS["optimiser"], default="adam"),
        "policy_rate": replace(NFSP.OPTIONS["policy_rate"], default=0.001),
        "value_rate": replace(NFSP.OPTIONS["value_rate"], default=0.001),
        "explore": replace(NFSP.OPTIONS["explore"], default=0.1),
        "fade": replace(NFSP.OPTIONS["fade"], default=10_000.0, help="games after which exploration falls as 1 / sqrt(games)"),
        "moves": replace(NFSP.OPTIONS["moves"], default=1_000_000),
        "hands": replace(NFSP.OPTIONS["hands"], help="games played at once"),
    }

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        verify_wide(game, name)
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        if self._learners == 1 and self.options["matrix"] == "diagonal" and self.options["rho"] < 1:
            raise UsageError(f"option matrix=diagonal of {name} (accepted with against={self.options['against']}: columns)")
        self.earned = np.zeros(3)  # chips won by the first player, games, hands
        self.curve = np.zeros((BATCHES, 3))  # the same, of every GAMES games
        self._other = self._opponent()

    @property
    def _learners(self) -> int:
        return 2 if self.options["against"] == ITSELF else 1

    def _opponent(self) -> BatchPolicy | None:
        against = self.options["against"]
        if against == ITSELF:
            return None
        if against in CARD_PLAYERS:
            return CARD_PLAYERS[against]()
        policy = load(against)
        if policy.game.rules != self.game.rules:
            raise UsageError(f"{against!r} plays {policy.game.spec}, not {self.game.spec}")
        if isinstance(policy, TabulatedPolicy):
            return policy.batch_policy
        if self.options["length"] != 1:
            raise UsageError(
                f"{against!r} knows hands with full stacks only (accepted: length=1, or an agent that plays freezeouts)"
            )
        return Tabled(self.env.stack_trees, {self.env.start: policy})

    # How it plays

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

    def _open(self) -> tuple[Looks, Batch]:
        looking = ObservationFeatures(self.env, shown=self.options["shown"], metrics=self.options["metrics"])
        return looking, self.env.batch

    def _network(self) -> Any:
        chosen, (inputs, *_), outputs = self.options, self._eyes.seen.shape[1:], len(self.game.actions)
        if chosen["shown"] == "picture":
            made = learning("convolutions", self.name)
            return lambda key: made.Convolutions(dense=chosen["hidden"], outputs=outputs, key=key)
        made = learning("networks", self.name)
        sizes = (inputs, *[chosen["hidden"]] * chosen["layers"], outputs)
        return lambda key: made.Network(sizes, key)

    def _begin_hands(self) -> None:
        chosen, env = self.options, self.env
        draw_policies(env.freezeouts, self._learners, chosen["eta"], chosen["rho"], self._generators[2])
        env.sit()
        env.batch.begin()
        env.look()

    def _chances(self) -> Array:
        probabilities, batch = super()._chances(), self._batch
        others = np.flatnonzero(batch.who == ELSE)
        if self._other is None or not len(others):
            return probabilities
        probabilities = probabilities.copy()
        probabilities[others] = self._other.probabilities(batch.seen[others], batch.legal[others])
        return probabilities

    def _rewarded(self) -> Hands:
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
        games = int(over.sum())
        gained = (env.gain[over].sum(), games, hands)
        self.earned += gained
        place = int(self._counts[0]) // GAMES
        if place < BATCHES:
            self.curve[place] += gained
        return games

    # What it has learned

    def tables(self) -> dict[str, Array]:
        return {**super().tables(), **self.env.tables(), "earned": self.earned, "curve": self.curve}

    @property
    def won(self) -> Winnings:
        chips, games, _ = self.earned.tolist()
        return Winnings((chips,), int(games), "freezeout")

    def differences(self) -> Array:
        """[batches of GAMES games] how much more one of the players won than the other, in milli-big-blinds a hand."""
        done = self.curve[: int(self._counts[0]) // GAMES]
        assert isinstance(self.game.rules, PokerRules)
        differences: Array = 2 * np.abs(done[:, 0]) / np.maximum(done[:, 2], 1) / max(self.game.rules.blinds) * 1000
        return differences

    def batch_policy(self, eta: float = 0.0) -> SelfTaught:
        """What the first player has learned so far."""
        made = learning("convolutions" if self.options["shown"] == "picture" else "networks", self.name)
        policy, values = (_layers(made, networks) for networks in (self._pair.policies, self._pair.values))
        return SelfTaught(policy, values, self.options["shown"], self.options["metrics"], eta)

    def policy(self) -> Policy:
        """The agent as the paper's play, greedy + average: the best response with the chance eta, else the average policy."""
        return TabulatedPolicy(self.game, self.batch_policy(self.options["eta"]), self.card)

    def current_policy(self) -> Policy:
        """The best response: the action of the highest value."""
        return TabulatedPolicy(self.game, self.batch_policy(eta=1.0), self.card)


def _layers(module: Any, networks: Any) -> Layers:
    """(weights, bias) of each layer of the first of several networks, which a module made."""
    import jax

    first = jax.tree.map(lambda leaf: leaf[0], networks)
    return [(np.array(weight), np.array(bias).reshape(-1)) for weight, bias in module.layers_of(first)]
