"""The columns of an observation: what the seat to move knows, as numbers. Chips are fractions of the starting stack."""

from __future__ import annotations

EQUITY, POT, STREET, TO_CALL, STACK, OTHER_STACK, LAST, LAST_SIZE, RAISES, AGGRESSION, NODE = range(11)
OBSERVATION = 11
BUCKET, SEAT, BEFORE_STREET, BEFORE_POT, BEFORE_CALL, CARD = range(OBSERVATION, OBSERVATION + 6)
CARDS = 7
CARD_OBSERVATION = CARD + CARDS
NEVER = -1  # the street of somebody's last move who has made none
UNKNOWN = 0.5  # the aggression of somebody who has neither raised nor called
