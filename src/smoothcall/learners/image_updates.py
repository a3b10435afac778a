"""Updates of convolutional networks. XLA on processors is fast for convolutions of one network at a time only: with stacked
weights, or inside a loop, they take five times as long. So networks and batches are taken one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp

from smoothcall.learners.memory import Moves, Transitions
from smoothcall.learners.networks import Tree
from smoothcall.learners.nfsp_updates import NFSPState, NFSPUpdates


class ImageUpdates(NFSPUpdates):
    """The functions of `NFSPUpdates` with the same results, up to rounding."""

    def learn(self, state: NFSPState, transitions: Transitions, moves: Moves) -> NFSPState:
        for number in range(len(transitions.action)):
            state = self._one(state, _part((transitions, moves), number))
        return state

    @partial(jax.jit, static_argnums=0)
    def _one(self, state: NFSPState, batch: tuple[Transitions, Moves]) -> NFSPState:
        return self._update(state, batch)[0]

    def _each(self, function: Callable[..., Tree], *stacks: Tree) -> Tree:
        count = len(jax.tree.leaves(stacks[0])[0])
        found = [function(*(_part(stack, number) for stack in stacks)) for number in range(count)]
        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *found)


def _part(stack: Tree, number: int) -> Tree:
    """Return the arrays of a stack without their first axis, at a place of it."""
    return jax.tree.map(lambda leaf: leaf[number], stack)
