"""Every game as a PettingZoo environment: `env("leduc")`, one hand an episode; agents `player_0`, `player_1`, ...

An observation is a dictionary: `observation`, the features of a seat (`learners.features`), and `action_mask`. Actions are the
action slots of the game (fold, call, then raises); rewards are the chips won, at the end of the hand. An illegal action ends
the episode (`TerminateIllegalWrapper`).

With `max_cycles` an episode is so many cycles instead, hand after hand, in which every agent is asked in every cycle
(`parallel_env`); agents that are not to move have one legal action, the last: wait.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import parallel_to_aec

from smoothcall.errors import UsageError, unknown
from smoothcall.games.matrix import MatrixGame
from smoothcall.information.game import Game
from smoothcall.information.named_games import game as named_game
from smoothcall.interop.environments import HandTable
from smoothcall.interop.pictures import picture
from smoothcall.kernels.tables import Array

RENDER_MODES = ("ansi", "rgb_array")
ILLEGAL = -1.0  # reward of an illegal action

Observation = dict[str, Array]


def env(game: str | Game = "leduc", *, render_mode: str | None = None, max_cycles: int | None = None) -> AECEnv:
    """Return the environment with PettingZoo's wrappers."""
    if max_cycles is not None:
        return parallel_to_aec(parallel_env(game, render_mode=render_mode, max_cycles=max_cycles))
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(game, render_mode=render_mode), illegal_reward=ILLEGAL)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


def observation_space(table: HandTable, extra: int = 0) -> spaces.Dict:
    """Return the space of observations: features are bits and chips in starting stacks."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, float(table.game.players), (table.width,), np.float32),
            "action_mask": spaces.Box(0, 1, (table.slots + extra,), np.int8),
        }
    )


def built(game: str | Game, render_mode: str | None) -> HandTable:
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise unknown("render_mode", render_mode, RENDER_MODES)
    return HandTable(named_game(game) if isinstance(game, str) else game)


def rendered(table: HandTable, render_mode: str | None) -> Any:
    """Return the hand as `render_mode` says: text, or [height, width, 3] uint8."""
    if render_mode is None:
        return None
    return table.text() if render_mode == "ansi" else picture(table.text())


class raw_env(AECEnv):  # type: ignore[misc]
    """One hand an episode; an illegal action raises UsageError."""

    def __init__(self, game: str | Game = "leduc", *, render_mode: str | None = None) -> None:
        super().__init__()
        self.table, self.render_mode = built(game, render_mode), render_mode
        name = f"smoothcall_{self.table.game.name}_v0"
        self.metadata = {"render_modes": [*RENDER_MODES], "name": name, "is_parallelizable": False, "render_fps": 1}
        self.possible_agents = [f"player_{seat}" for seat in range(self.table.game.players)]
        self.agents: list[str] = []
        space = observation_space(self.table)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(self.table.slots) for agent in self.possible_agents}
        self._generator: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None or self._generator is None:
            self._generator, _ = seeding.np_random(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.table.begin(Random(int(self._generator.integers(2**63))))
        self.agent_selection = self.possible_agents[self.table.player or 0]

    def observe(self, agent: str) -> Observation:
        seat = self.possible_agents.index(agent)
        mask = self.table.mask if self.table.player == seat else np.zeros(self.table.slots, np.int8)
        return {"observation": self.table.features(seat), "action_mask": mask}

    def step(self, action: Any) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.table.move(int(action))
        if self.table.player is None:
            self.rewards = dict(zip(self.possible_agents, self.table.payoffs, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[self.table.player]
        self._accumulate_rewards()

    def render(self) -> Any:
        return rendered(self.table, self.render_mode)

    def close(self) -> None:
        pass


class parallel_env(ParallelEnv):  # type: ignore[misc]
    """All agents answer in every cycle; those that are not to move can only wait, with the last action.

    An action that is not legal is replaced by the first that is, and `infos[agent]["illegal"]` says so. Without `max_cycles` an
    episode is one hand.
    """

    def __init__(self, game: str | Game = "leduc", *, render_mode: str | None = None, max_cycles: int | None = None) -> None:
        if max_cycles is not None and max_cycles < 1:
            raise UsageError(f"max_cycles={max_cycles} (accepted: 1 or more)")
        self.table, self.render_mode, self.max_cycles = built(game, render_mode), render_mode, max_cycles
        name = f"smoothcall_{self.table.game.name}_parallel_v0"
        self.metadata = {"render_modes": [*RENDER_MODES], "name": name, "is_parallelizable": True, "render_fps": 1}
        self.possible_agents = [f"player_{seat}" for seat in range(self.table.game.players)]
        self.agents: list[str] = []
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation_space(self.table, 1))
        self.action_spaces = {agent: spaces.Discrete(self.table.slots + 1) for agent in self.possible_agents}
        self._generator: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        if seed is not None or self._generator is None:
            self._generator, _ = seeding.np_random(seed)
        self.agents, self._cycles = self.possible_agents[:], 0
        self._begin()
        return self._observed(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> tuple[Any, ...]:
        asked, infos = self.agents, dict[str, dict[str, Any]]()
        for seat, agent in enumerate(asked):
            infos[agent] = {"illegal": not self._mask(seat)[int(actions[agent])]}
            if self._moves(seat):
                legal = np.flatnonzero(self.table.mask)
                chosen = int(actions[agent])
                if self.table.player == seat:
                    self.table.move(chosen if chosen in legal else int(legal[0]))
                    if not isinstance(self.table.game.rules, MatrixGame):
                        break
        for agent in asked:
            infos.setdefault(agent, {"illegal": int(actions[agent]) != self.table.slots})
        self._cycles += 1
        over = self.table.player is None
        rewards = dict(zip(asked, self.table.payoffs, strict=True))
        terminations = dict.fromkeys(asked, over and self.max_cycles is None)
        truncations = dict.fromkeys(asked, self.max_cycles is not None and self._cycles >= self.max_cycles)
        if over and self.max_cycles is not None:
            self._begin()
        observations = self._observed()
        if any(terminations.values()) or any(truncations.values()):
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def render(self) -> Any:
        return rendered(self.table, self.render_mode)

    def close(self) -> None:
        pass

    def _begin(self) -> None:
        assert self._generator is not None
        self.table.begin(Random(int(self._generator.integers(2**63))))

    def _moves(self, seat: int) -> bool:
        """Return whether a seat moves in this cycle: in matrix games all do."""
        return self.table.player is not None and (isinstance(self.table.game.rules, MatrixGame) or self.table.player == seat)

    def _mask(self, seat: int) -> Array:
        if not self._moves(seat):
            return np.array([*[0] * self.table.slots, 1], np.int8)
        return np.append(self.table.mask, np.int8(0))

    def _observed(self) -> dict[str, Observation]:
        return {
            agent: {"observation": self.table.features(seat), "action_mask": self._mask(seat)}
            for seat, agent in enumerate(self.possible_agents)
        }
