"""Steps shared by the forms of bahuguna2018's iteration: chance-sampled CFR on Kuhn poker.

An iteration deals one set of cards and visits the nodes of the betting tree. A decision has two actions, pass (check or fold)
and bet (bet or call). `kernels.solvers.one_deal` computes the same by sweeping the sequence form.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.tables import Array, Integer

ACTIONS = 2
PLAYER, ALIVE, CHILD, PAID = 0, 1, 2, 4  # columns of nodes[N, 4 + P]; one child per action, chips of each player
REGRET, AVERAGE = 0, 1  # learned[2, rows, ACTIONS]

ACTION, REACH, UNPLAYED = 0, 1, 2  # Pruning.rule: what must be below the threshold
"""ACTION: the average probability of the action. REACH: the product of the average probabilities of all actions from the root.
UNPLAYED: as REACH, and the current policy does not take the action (our own rule, of `kernels.solvers.one_deal`)."""


class Pruning(NamedTuple):
    """When an action is skipped, with everything below it."""

    rule: int
    threshold: float  # nothing is skipped at 0
    review: int  # every so many iterations nothing is skipped; 0: never


@inlined
def threshold_now(pruning: Pruning, iteration: Integer) -> float:
    """Return the threshold of an iteration."""
    return 0.0 if pruning.review > 0 and iteration % pruning.review == 0 else pruning.threshold


@inlined
def is_pruned(rule: int, threshold: float, probability: float, average: float, reach: float) -> bool:
    """Return whether an action is skipped: its current and its average probability, and the average reach of the child."""
    return (average if rule == ACTION else reach) < threshold and (rule != UNPLAYED or probability == 0.0)


@kernel
def find_row(keys: Array, key: int) -> int:
    """Return the index of a key in keys[rows], which are in order: the look-up of an ordered map."""
    low, high = 0, len(keys)
    while high - low > 1:
        middle = (low + high) // 2
        if keys[middle] <= key:
            low = middle
        else:
            high = middle
    return low


@kernel
def settle_terminal(nodes: Array, node: int, cards: Array, utilities: Array, place: int) -> None:
    """Write utilities[place, :P] in chips at an ending: the highest card of the players still in wins the pot."""
    winner, pot = -1, 0
    for player in range(len(cards)):
        pot += nodes[node, PAID + player]
        if (nodes[node, ALIVE] >> player) & 1 and (winner < 0 or cards[player] > cards[winner]):
            winner = player
    for player in range(len(cards)):
        utilities[place, player] = (pot if player == winner else 0) - nodes[node, PAID + player]
