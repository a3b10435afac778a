"""Figures of single policies: how far gradient policies are from the average policy, and what weak cards do before the flop."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from smoothcall.agents.nfsp_networks import INPUTS, NFSPNetworks
from smoothcall.agents.opponent_models import examples
from smoothcall.experiments.pricope2021.agents import Agents
from smoothcall.experiments.pricope2021.settings import MATRICES, SEED, UNITS
from smoothcall.kernels.simulation.observations import NODE
from smoothcall.kernels.tables import FOLD_SLOT, Array
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.observations import node_observations
from smoothcall.simulation.stack_trees import stack_trees


def distances(agents: Agents, networks: BatchPolicy, decisions: int) -> dict[str, Any]:
    """Return mean total variations between the policies of an agent, over decisions of freezeouts of it with itself.

    By `matrix, unit`: from the gradient policy to the average policy and to the best response. The agent's own average policy
    stands for the opponent's, which the diagonal matrix multiplies.
    """
    from smoothcall.learners.simplex import nearest

    assert isinstance(networks, NFSPNetworks)
    observations = examples(agents.game, [networks], decisions, SEED).observations
    trees = stack_trees(agents.rules)
    legal = trees.walk.child[observations[:, NODE].astype(np.int64)] >= 0
    kind = INPUTS[networks.inputs]
    values = kind.forward(networks.values, kind.encode(observations, networks.metrics)).astype(np.float64)  # in stacks
    average, best = (_playing(networks, eta, observations, legal) for eta in (0.0, 1.0))
    found: dict[str, Any] = {"decisions": len(observations), "best response": _variation(best, average)}
    for matrix in MATRICES:
        for unit in UNITS:
            gradient = values * (agents.rules.stack or 1) if unit == "chips" else values
            point: Any = average + (gradient * average if matrix == "diagonal" else gradient)
            policy = np.asarray(nearest(point, cast(Any, legal)))
            found[f"{matrix}, {unit}"] = [_variation(policy, average), _variation(policy, best)]
    return found


def _playing(networks: NFSPNetworks, eta: float, observations: Array, legal: Array) -> Array:
    return NFSPNetworks(networks.policy, networks.values, networks.inputs, networks.metrics, eta).probabilities(
        observations, legal
    )


def _variation(one: Array, other: Array) -> float:
    """Return the mean over n of the total variation between one[n, A] and other[n, A]."""
    return float(np.abs(one - other).sum(axis=1).mean() / 2)


def folds_of_7_3(agents: Agents, policy: BatchPolicy) -> dict[str, float]:
    """Return how often 7-3 of two suits folds before the flop in the big blind, by the raise of the small blind."""
    game, tree = agents.game, agents.game.tree
    assert game.abstraction is not None
    bucket, found = game.abstraction.classes.index("73o"), {}
    trees = stack_trees(agents.rules)
    for letter, child in tree.children(0).items():
        if not letter.startswith("r"):
            continue
        observations = node_observations(game, np.array([child]), with_cards=True)
        samples = len(observations) // game.buckets[0]
        mine = observations[bucket * samples : (bucket + 1) * samples]
        legal = np.repeat(tree.child[[child]] >= 0, len(mine), axis=0)
        mine[:, NODE] += trees.root[-1]  # of full stacks
        found[letter] = float(policy.probabilities(mine, legal)[:, FOLD_SLOT].mean())
    return found
