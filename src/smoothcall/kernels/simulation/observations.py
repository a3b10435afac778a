"""The observation vector and its encoder: what the seat to move knows, as float32 numbers.

Without cards an observation has OBSERVATION columns (epfl2020): the equity of the seat's cards, the public state of the
hand, the opponent's habits in earlier hands of the freezeout, and NODE, the node of the action tree, which tabular policies
look up (a float32 holds node numbers up to 2^24 exactly). With cards it has CARD_OBSERVATION columns (pricope2021): also
the bucket of the cards in the game's abstraction, the seat, the public state at the seat's previous decision, and the cards
themselves (own cards, flop, turn, river; -1 for cards that are not dealt yet). Chips are fractions of the starting stack.

`encode_hands` (hands in play) and `encode_states` (tables and seats) are the only kernels that write this vector. Both use
`write_public`, `write_habits` and `write_private`.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.buckets import VISIBLE
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.tables import Array, Walk

EQUITY, POT, STREET, TO_CALL, STACK, OTHER_STACK, LAST, LAST_SIZE, RAISES, AGGRESSION, NODE = range(11)
OBSERVATION = 11
BUCKET, SEAT, BEFORE_STREET, BEFORE_POT, BEFORE_CALL, CARD = range(OBSERVATION, OBSERVATION + 6)
CARDS = 7
CARD_OBSERVATION = CARD + CARDS
NEVER = -1  # BEFORE_STREET at the seat's first decision
UNKNOWN = 0.5  # AGGRESSION of an opponent who has neither raised nor called
HANDS, RAISED_FIRST, RAISED_EVER, CALLED_EVER = range(4)  # habits: hands played, hands raised before the flop, raises, calls


class PublicNodes(NamedTuple):
    """Public state at each of N nodes of an action tree for two."""

    paid: Array  # [N, 2] int32: chips each seat has put in
    last: Array  # [N] int8: the last move of the seat that is not to move: NOTHING, CHECKED, CALLED or RAISED
    size: Array  # [N] int32: chips that this move put in


class PublicStates(NamedTuple):
    """Public states of n decisions, from the seat to move. All [n] float64; chips are absolute."""

    street: Array
    pot: Array
    to_call: Array
    stack: Array  # chips behind
    other_stack: Array  # of the opponent; at larger tables the mean of the opponents still in
    last: Array  # the opponents' last move: NOTHING, CHECKED, CALLED or RAISED
    last_size: Array  # chips that this move put in
    node: Array  # of the action tree; 0 without one
    seat: Array  # 0: acts last after the first street; 1: acts first
    before_street: Array  # at the seat's previous decision; NEVER at its first
    before_pot: Array
    before_call: Array


class PrivateStates(NamedTuple):
    """Cards of m hands, all float64."""

    equity: Array  # [m]
    bucket: Array  # [m]
    cards: Array  # [m, CARDS]: -1 for cards that are not dealt yet


@inlined
def write_public(
    observation: Array,
    start: float,
    street: float,
    pot: float,
    to_call: float,
    stack: float,
    other_stack: float,
    last: float,
    last_size: float,
    node: float,
) -> None:
    """Write the public state; chips are absolute, `start` is the starting stack."""
    observation[POT] = pot / start
    observation[STREET] = street
    observation[TO_CALL] = to_call / start
    observation[STACK] = stack / start
    observation[OTHER_STACK] = other_stack / start
    observation[LAST] = last
    observation[LAST_SIZE] = last_size / start
    observation[NODE] = node


@inlined
def write_habits(observation: Array, hands: int, raised_first: int, raised: int, called: int) -> None:
    """Write how often the opponent raised before the flop, and its aggression frequency: raises / (raises + calls).

    The aggression factor of epfl2020, raises / calls, has no upper bound; `agents.q_networks.aggression_factor` derives it.
    """
    observation[RAISES] = raised_first / max(hands, 1)
    observation[AGGRESSION] = raised / (raised + called) if raised + called > 0 else UNKNOWN


@inlined
def write_private(observation: Array, bucket: float, seat: float, street: float, pot: float, to_call: float) -> None:
    """Write bucket, seat and the public state at the seat's previous decision, its chips as fractions. Cards are not
    written.
    """
    observation[BUCKET] = bucket
    observation[SEAT] = seat
    observation[BEFORE_STREET] = street
    observation[BEFORE_POT] = pot
    observation[BEFORE_CALL] = to_call


@kernel
def encode_hands(
    walk: Walk,
    public: PublicNodes,
    hands: Hands,
    first: Array,
    chips: Array,
    habits: Array,
    scale: float,
    start: float,
    observations: Array,
) -> None:
    """Encode the seats to move in B hands of freezeouts: observations[B, OBSERVATION or CARD_OBSERVATION].

    first[B] is the player in seat 0; chips[B, 2] and habits[B, 2, 4] are by player. `hands.dealt` holds equities by street in
    units of 1 / scale; for observations with cards also buckets by street, then the cards.
    """
    streets = (hands.dealt.shape[2] - CARDS) // 2
    for hand in range(len(observations)):
        if hands.over[hand]:
            continue
        node, observation = hands.node[hand], observations[hand]
        seat, street = walk.player[node], walk.round[node]
        player = first[hand] ^ seat
        other, own, others = 1 - player, public.paid[node, seat], public.paid[node, 1 - seat]
        observation[EQUITY] = hands.dealt[hand, seat, street] / scale
        write_public(
            observation,
            start,
            street,
            own + others,
            others - own,
            chips[hand, player] - own,
            chips[hand, other] - others,
            public.last[node],
            public.size[node],
            node,
        )
        habit = habits[hand, other]
        write_habits(observation, habit[HANDS], habit[RAISED_FIRST], habit[RAISED_EVER], habit[CALLED_EVER])
        if observations.shape[1] == CARD_OBSERVATION:
            made, bucket = hands.moves[hand, seat], hands.dealt[hand, seat, streets + street]
            if made > 0:
                before = hands.observations[hand, seat, made - 1]
                write_private(observation, bucket, seat, before[STREET], before[POT], before[TO_CALL])
            else:
                write_private(observation, bucket, seat, NEVER, 0.0, 0.0)
            visible = VISIBLE[street]
            for place in range(CARDS):
                observation[CARD + place] = hands.dealt[hand, seat, 2 * streets + place] if place < visible else -1


@kernel
def encode_states(public: PublicStates, private: PrivateStates, habits: Array, start: float, observations: Array) -> None:
    """Encode every one of n public states with every one of m hands, against one opponent, whose habits[4] are counts.

    observations[n, m, OBSERVATION or CARD_OBSERVATION].
    """
    for state in range(observations.shape[0]):
        for hand in range(observations.shape[1]):
            observation = observations[state, hand]
            observation[EQUITY] = private.equity[hand]
            write_public(
                observation,
                start,
                public.street[state],
                public.pot[state],
                public.to_call[state],
                public.stack[state],
                public.other_stack[state],
                public.last[state],
                public.last_size[state],
                public.node[state],
            )
            write_habits(observation, habits[HANDS], habits[RAISED_FIRST], habits[RAISED_EVER], habits[CALLED_EVER])
            if observations.shape[2] == CARD_OBSERVATION:
                write_private(
                    observation,
                    private.bucket[hand],
                    public.seat[state],
                    public.before_street[state],
                    public.before_pot[state] / start,
                    public.before_call[state] / start,
                )
                for place in range(CARDS):
                    observation[CARD + place] = private.cards[hand, place]
