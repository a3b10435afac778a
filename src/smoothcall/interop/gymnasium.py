"""Every game as a Gymnasium environment against chosen opponents. Importing this module registers `smoothcall/Leduc-v0` etc.

    import gymnasium
    import smoothcall.interop.gymnasium

    env = gymnasium.make("smoothcall/Leduc-v0", opponents="leduc-cfr", seat=0)
    many = gymnasium.make_vec("smoothcall/Leduc-v0", num_envs=4096, vectorization_mode="vector_entry_point")

An episode is one hand. An observation holds `observation`, features (`learners.features`), and `action_mask`. An action is an
action slot of the game (fold, call, then raises); one that is not legal is replaced by the first that is (`info["illegal"]`).
The reward is the chips won, at the end. Hands that end before the seat's first decision are skipped; `info["skipped"]` has the
chips won in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from smoothcall.agents.registry import Registry
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.games.catalog import CATALOG
from smoothcall.information.game import Game
from smoothcall.information.named_games import game as named_game
from smoothcall.interop.environments import HandBatch, seats_of
from smoothcall.interop.pettingzoo import RENDER_MODES, Observation, built, observation_space, rendered
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.search.player import search_player
from smoothcall.simulation.batch_policy import BatchPolicy, ignores_observations


class HandEnv(gymnasium.Env[Any, Any]):
    """One seat of a game; `seat` None is another one every hand. `opponents`: names of the registry of players."""

    metadata = {"render_modes": [*RENDER_MODES], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game = "leduc",
        opponents: str | Sequence[str] = "random",
        seat: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.table, self.render_mode, self._seat = built(game, render_mode), render_mode, seat
        of = self.table.game
        names, registry = seats_of(of, seat, opponents), Registry(searcher=search_player)
        self._randoms = [Random() for _ in names]
        self._opponents = [registry.player(name, of, random) for name, random in zip(names, self._randoms, strict=True)]
        self.observation_space = observation_space(self.table)
        self.action_space = spaces.Discrete(self.table.slots)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        players, skipped = self.table.game.players, 0.0
        if seed is not None:
            for random in self._randoms:
                random.seed(int(self.np_random.integers(2**63)))
        while True:
            self.seat = int(self.np_random.integers(players)) if self._seat is None else self._seat
            self.table.begin(Random(int(self.np_random.integers(2**63))))
            self._others_move()
            if self.table.player is not None:
                return self._observed(), {"seat": self.seat, "skipped": skipped}
            skipped += self.table.payoffs[self.seat]

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        legal = np.flatnonzero(self.table.mask)
        chosen = int(action)
        self.table.move(chosen if chosen in legal else int(legal[0]))
        self._others_move()
        over = self.table.player is None
        info = {"seat": self.seat, "illegal": chosen not in legal}
        return self._observed(), self.table.payoffs[self.seat], over, False, info

    def render(self) -> Any:
        return rendered(self.table, self.render_mode)

    def _others_move(self) -> None:
        while (player := self.table.player) is not None and player != self.seat:
            place = player - (player > self.seat)
            self.table.move(self.table.ask(self._opponents[place]))

    def _observed(self) -> Observation:
        mask = self.table.mask if self.table.player == self.seat else np.zeros(self.table.slots, np.int8)
        return {"observation": self.table.features(self.seat), "action_mask": mask}


class VectorHandEnv(VectorEnv[Any, Any, Any]):
    """Many hands at once on the batched walk; where a hand is over, the next begins in the same step.

    Seats are dealt out in turn unless `seat` is given. Opponents are scripted players that ignore cards, and in games whose
    deals are listed any agent. A terminal state has no observation: `step` returns the first of the next hand.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1024,
        game: str | Game = "leduc",
        opponents: str | Sequence[str] = "random",
        seat: int | None = None,
        seed: int = 0,
    ) -> None:
        self.num_envs, self._game = num_envs, named_game(game) if isinstance(game, str) else game
        names, registry = seats_of(self._game, seat, opponents), Registry(searcher=search_player)
        self._opponents = [_strategy(self._game, registry.policy(name, self._game), name) for name in names]
        self._seats = np.arange(num_envs) % self._game.players if seat is None else np.full(num_envs, seat)
        self.hands = HandBatch(self._game, num_envs, seed)
        self.single_observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0.0, float(self._game.players), (self.hands.width,), np.float32),
                "action_mask": spaces.Box(0, 1, (self.hands.slots,), np.int8),
            }
        )
        self.single_action_space = spaces.Discrete(self.hands.slots)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        first = next((each for each in seed if each is not None), None) if isinstance(seed, list) else seed
        if first is not None:
            self.hands = HandBatch(self._game, self.num_envs, first)
        skipped = self._others_move(np.zeros(self.num_envs, bool))[2]
        return self._observed(), {"skipped": skipped, "seat": self._seats}

    def step(self, actions: Array) -> tuple[Observation, Array, Array, Array, dict[str, Any]]:
        chosen, rows = np.asarray(actions), np.arange(self.num_envs)
        illegal = ~self.hands.legal[rows, chosen]
        won, over = self.hands.step(chosen)
        reward = won[rows, self._seats].astype(np.float64)
        later, ended, skipped = self._others_move(over)
        info = {"skipped": skipped, "seat": self._seats, "illegal": illegal}
        return self._observed(), reward + later, over | ended, np.zeros(self.num_envs, bool), info

    def _others_move(self, fresh: Array) -> tuple[Array, Array, Array]:
        """Move for the others until every hand waits for its seat. fresh[B]: hands in which the seat has not moved yet.

        Return (chips of hands that ended after a move of the seat, whether one did, chips of hands without any).
        """
        rows, fresh = np.arange(self.num_envs), fresh.copy()
        reward, ended, skipped = np.zeros(self.num_envs), np.zeros(self.num_envs, bool), np.zeros(self.num_envs)
        while (others := self.hands.player != self._seats).any():
            won, over = self.hands.sample(self._probabilities(others), ~others)
            chips = won[rows, self._seats]
            reward += np.where(over & ~fresh, chips, 0)
            skipped += np.where(over & fresh, chips, 0)
            ended |= over & ~fresh
            fresh |= over
        return reward, ended, skipped

    def _probabilities(self, others: Array) -> Array:
        """Return [B, A] probabilities of the opponents to move."""
        found, player = np.zeros(self.hands.legal.shape), self.hands.player
        for place, strategy in enumerate(self._opponents):
            mine = others & (player - (player > self._seats) == place)
            if isinstance(strategy, Policy):
                found[mine] = strategy.table[self.hands.rows()[mine]]
            else:
                found[mine] = strategy.probabilities(np.zeros((int(mine.sum()), 0), np.float32), self.hands.legal[mine])
        return found

    def _observed(self) -> Observation:
        return {"observation": self.hands.features(), "action_mask": self.hands.legal.astype(np.int8)}


def _strategy(game: Game, policy: Policy, name: str) -> Policy | BatchPolicy:
    if isinstance(policy, TabulatedPolicy) and ignores_observations(policy.batch_policy):
        return policy.batch_policy
    if game.sampled:
        raise UsageError(f"{name} sees cards in {game.spec} (accepted in many hands at once: players that ignore cards)")
    return policy


def environment_id(name: str) -> str:
    """Return the id of a game: `smoothcall/LimitHoldem3p-v0`."""
    return f"smoothcall/{''.join(part.capitalize() for part in name.split('-'))}-v0"


for _name in CATALOG:
    if environment_id(_name) not in gymnasium.registry:
        gymnasium.register(
            environment_id(_name),
            entry_point="smoothcall.interop.gymnasium:HandEnv",
            vector_entry_point="smoothcall.interop.gymnasium:VectorHandEnv",
            kwargs={"game": _name},
        )
