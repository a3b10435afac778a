"""Which policy plays each seat in NFSP.

Policy index of player p of P: its average policy 2p; with probability eta * rho its best response 2p + 1; with probability
eta * (1 - rho) its gradient policy 2P + p (pricope2021).
"""

from __future__ import annotations

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.simulation.freezeouts import FreezeoutTables
from smoothcall.kernels.tables import Array, Walk

OPPONENT = 3  # policy index of the opponent of a single learner: after the learner's own three


@kernel
def draw_hand_policies(hands: Hands, eta: float, rho: float, generator: Array) -> None:
    """Sample the policy of every seat in hands that are about to begin."""
    seats = hands.policy.shape[1]
    for hand in range(len(hands.over)):
        if hands.over[hand]:
            for seat in range(seats):
                hands.policy[hand, seat] = draw_policy(seat, seats, eta, rho, generator)


@kernel
def note_likeliest(walk: Walk, hands: Hands, probabilities: Array, likeliest: Array) -> None:
    """Write the likeliest of probabilities[B, A] of the next move of every hand into likeliest[B, P, L], laid out as
    `hands.action`.
    """
    for hand in range(len(hands.node)):
        if not hands.over[hand]:
            seat, best = walk.player[hands.node[hand]], 0
            for action in range(1, probabilities.shape[1]):
                if probabilities[hand, action] > probabilities[hand, best]:
                    best = action
            likeliest[hand, seat, hands.moves[hand, seat]] = best


@kernel
def draw_freezeout_policies(
    freezeouts: FreezeoutTables, due: Array, learners: int, eta: float, rho: float, generator: Array
) -> None:
    """Sample the policies of both players in the freezeouts due[B]. With one learner player 1 is OPPONENT."""
    for freezeout in range(len(freezeouts.played)):
        if due[freezeout]:
            for player in range(learners):
                freezeouts.policy[freezeout, player] = draw_policy(player, learners, eta, rho, generator)
            if learners == 1:
                freezeouts.policy[freezeout, 1] = OPPONENT


@inlined
def draw_policy(player: int, players: int, eta: float, rho: float, generator: Array) -> int:
    """Sample a policy index of a player."""
    if draw(generator) >= eta:
        return 2 * player
    return 2 * player + 1 if rho >= 1 or draw(generator) < rho else 2 * players + player
