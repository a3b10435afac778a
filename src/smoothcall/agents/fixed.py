"""Players that kernels take as probabilities: scripted rules over the legal actions, and tabular policies."""

from __future__ import annotations

from dataclasses import dataclass

from smoothcall.agents.scripted import Rule
from smoothcall.policy import Policy

__all__ = ["Fixed", "Rule", "Strategy"]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A policy, played as it is or by its most likely action; a greedy one needs no second table."""

    policy: Policy
    greedy: bool = False


Fixed = Rule | Strategy
