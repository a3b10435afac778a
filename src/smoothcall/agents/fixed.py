"""Players whose moves are known as probabilities: rules that look only at the legal actions, and tabular policies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.matrix import MatrixGame
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy


class Rule(StrEnum):
    """Players who look only at which actions are legal."""

    ALWAYS_RAISE = "always-raise"  # the first bet or raise that the game lists, else a call
    ALWAYS_CALL = "always-call"  # checks and calls
    PROBE = "probe"  # a bet or raise or a check or call, each half of the time
    RANDOM = "random"  # every legal action equally often

    def probabilities(self, legal: Array) -> Array:
        """legal[n, A] bool -> [n, A]. The action slots of poker are fold, call, then raises."""
        if self is Rule.RANDOM:
            even: Array = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)
            return even
        raising = {Rule.ALWAYS_RAISE: 1.0, Rule.ALWAYS_CALL: 0.0, Rule.PROBE: 0.5}[self] * legal[:, 2:].any(axis=1)
        found = np.zeros(legal.shape)
        found[:, 1] = 1 - raising
        found[np.arange(len(legal)), 2 + legal[:, 2:].argmax(axis=1)] += raising
        return found

    def verify_game(self, rules: object) -> None:
        if self is not Rule.RANDOM and isinstance(rules, MatrixGame):
            raise UsageError(f"{self} plays poker, not {rules.name} (accepted there: {Rule.RANDOM}, agents)")


@dataclass(frozen=True, slots=True)
class Strategy:
    """Somebody who plays a policy, as it is or its most likely action."""

    policy: Policy
    greedy: bool = False


Fixed = Rule | Strategy
