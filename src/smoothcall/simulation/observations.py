"""Observations of decisions outside a simulation: at the nodes of a game, and in a seat. Their columns and the encoder are in
`kernels.simulation.observations`; `simulation.freezeouts` calls the encoder for hands in play.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smoothcall.games.rules import PokerRules
from smoothcall.holdem.equity_table import equity_table
from smoothcall.information.game import Game
from smoothcall.information.sample_hands import SAMPLES, examples
from smoothcall.information.tree import ActionTree
from smoothcall.kernels.holdem.buckets import VISIBLE
from smoothcall.kernels.simulation.observations import (
    CARD_OBSERVATION,
    CARDS,
    NEVER,
    OBSERVATION,
    PrivateStates,
    PublicStates,
    encode_states,
)
from smoothcall.kernels.tables import Array


def encode(
    public: PublicStates, private: PrivateStates, start: float, *, with_cards: bool, habits: Sequence[int] = (0, 0, 0, 0)
) -> Array:
    """Return [n, m, OBSERVATION or CARD_OBSERVATION] float32: n public states with m hands each, against one opponent.

    `start` is the starting stack, in chips; `habits` are the opponent's counts in earlier hands, see
    `kernels.simulation.observations`.
    """
    states = PublicStates(*(np.ascontiguousarray(part, np.float64) for part in public))
    hands = PrivateStates(*(np.ascontiguousarray(part, np.float64) for part in private))
    width = CARD_OBSERVATION if with_cards else OBSERVATION
    observations = np.empty((len(states.street), len(hands.equity), width), np.float32)
    encode_states(states, hands, np.array(habits, np.int32), float(start), observations)
    return observations


def public_state(**values: float) -> PublicStates:
    """Return one public state, its fields given as numbers."""
    return PublicStates(**{name: np.array([value], np.float64) for name, value in values.items()})


def node_observations(game: Game, nodes: Array, *, with_cards: bool) -> Array:
    """Return [n * hands, OBSERVATION or CARD_OBSERVATION] float32: observations at n nodes of one street, node by node.

    Stacks are full and the opponent is unknown. Without cards there is one hand for each bucket, with the equity of the
    bucket, and NODE is 0. With cards there are the SAMPLES hands of `information.sample_hands` for each bucket.
    """
    assert isinstance(game.rules, PokerRules)
    assert game.rules.stack is not None
    street = int(game.tree.round[nodes[0]])
    public = _public_states(game.tree, nodes, game.rules.stack)
    if with_cards:
        private = _sampled_hands(game, street)
    else:
        public, private = public._replace(node=np.zeros(len(nodes))), _bucket_equities(game, street)
    observations = encode(public, private, game.rules.stack, with_cards=with_cards)
    return observations.reshape(-1, observations.shape[2])


def _public_states(tree: ActionTree, nodes: Array, stack: int) -> PublicStates:
    """Return the public states of decisions in a hand for two with full stacks."""
    place, seat, before = np.arange(len(nodes)), tree.player[nodes], _previous_decision(tree, nodes)
    last, size = tree.last_moves

    def paid(at: Array) -> tuple[Array, Array]:
        chips = tree.paid[at].astype(np.int64)
        return chips[place, seat], chips[place, 1 - seat]

    (own, other), (own_before, other_before), moved = paid(nodes), paid(before), before >= 0
    return PublicStates(
        street=tree.round[nodes],
        pot=own + other,
        to_call=other - own,
        stack=stack - own,
        other_stack=stack - other,
        last=last[nodes],
        last_size=size[nodes],
        node=nodes,
        seat=seat,
        before_street=np.where(moved, tree.round[before], NEVER),
        before_pot=np.where(moved, own_before + other_before, 0),
        before_call=np.where(moved, other_before - own_before, 0),
    )


def _previous_decision(tree: ActionTree, nodes: Array) -> Array:
    """Return [n] the last node before each at which the same player moved; -1 for none."""
    player, before = tree.player[nodes], tree.parent[nodes]
    while (others := (before >= 0) & (tree.player[before] != player)).any():
        before = np.where(others, tree.parent[before], before)
    return before


def _bucket_equities(game: Game, street: int) -> PrivateStates:
    """Return one hand for each bucket of a game whose players see equities; its cards are not known."""
    assert game.abstraction is not None
    equity = np.asarray(game.abstraction.equity[street])
    return PrivateStates(equity, np.arange(len(equity)), np.full((len(equity), CARDS), -1))


def _sampled_hands(game: Game, street: int) -> PrivateStates:
    """SAMPLES hands for each bucket of a street, with exact equities."""
    assert game.abstraction is not None
    exact, cards = equity_table(game.abstraction.deck), examples(game)[street].reshape(-1, CARDS)
    dealt = cards[:, : VISIBLE[street]].tolist()
    equity = np.array([exact.of(tuple(hand[:2]), tuple(hand[2:])) for hand in dealt])
    return PrivateStates(equity, np.repeat(np.arange(game.buckets[street]), SAMPLES), cards)
