"""Agent 1 of pricope2021, a small Loki (Papp 1998): an expert system that bets by hand strength, potential and pot odds.

Before the flop it looks up one of the 169 classes of two cards. After the flop it compares its cards with all hands the
opponent may hold, weighted by a model of the opponent (`kernels.agents.expert`), and samples cards to come:

    EHS = HS (1 - NPot) + (1 - HS) PPot

EHS is compared with the pot odds, and with thresholds for raises of three sizes. Draws bet too (semi-bluffs), and so do a
few of the weakest hands (bluffs); the strongest hands sometimes only call (slow play). The paper prints no thresholds:
these are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from smoothcall.agents import opponent_models as models
from smoothcall.agents.batch_wrappers import raise_slots
from smoothcall.agents.images import verify_cards
from smoothcall.agents.opponent_models import CLASSES, EDGES, BothModels, ImageModel, Model, NaiveBayes, class_of
from smoothcall.agents.scripted import LARGEST, pot_odds
from smoothcall.cache import table as kept
from smoothcall.errors import unknown
from smoothcall.files import field, optional
from smoothcall.games.cards import STANDARD
from smoothcall.holdem.equity_table import PARTS, equity_table
from smoothcall.kernels.agents.expert import FALLING_BEHIND, GETTING_AHEAD, STRENGTH, weigh_hands
from smoothcall.kernels.holdem.buckets import VISIBLE, Cards
from smoothcall.kernels.holdem.dealing import deal_many, deal_visible_cards
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.observations import CARD, CARD_OBSERVATION, EQUITY, LAST, STREET
from smoothcall.kernels.tables import CALL, FOLD_SLOT, RAISED, Array

SIZES = (0, 1, LARGEST)  # raises by their place in the menu
RAISE_FROM = np.array([[0.52, 0.58, 0.66], [0.56, 0.66, 0.85], [0.58, 0.68, 0.85], [0.58, 0.70, 0.88]])  # [street, size]
AFTER_RAISE = 0.1  # added to these and to the pot odds after a raise of the opponent, without a model
MARGIN = 0.02  # by which EHS must exceed the pot odds
SLOW_PLAY, SEMI_BLUFF, BLUFF = 0.05, 0.5, 0.05  # probabilities of each where it applies
DRAW_FROM, AHEAD_FROM, HOPELESS_TO = 0.2, 0.5, 0.25  # of PPot for a draw, of HS for a made hand, of EHS for a bluff
RANKS, SUITS = 13, 4
DEALS, SEED, VERSION = 1 << 20, 1998, 1  # of the pre-flop table


@dataclass(frozen=True, eq=False)
class Expert:
    """An expert system with a model of the opponent; without one all opponent's hands are equally likely."""

    SEES_CARDS: ClassVar[bool] = True

    model: Model | None = None

    def prepare(self) -> None:
        """Read the tables and compile the kernel that decisions need, so that none waits for them."""
        if self.model is not None:
            preflop_table()
        classes = np.zeros((0, 0 if self.model is None else CLASSES))
        weigh_hands(_cards(), _edges(), classes, np.zeros((0, CARD_OBSERVATION), np.float32), np.zeros((0, 3)))

    def probabilities(self, observations: Array, legal: Array) -> Array:
        ehs, strength, getting_ahead = self.assess(observations)
        street, free = observations[:, STREET].astype(np.int64), ~legal[:, FOLD_SLOT]
        after = np.where(observations[:, LAST] == RAISED, AFTER_RAISE, 0) if self.model is None else np.zeros(len(observations))
        least = RAISE_FROM[street] + after[:, None]
        size = (ehs[:, None] >= least).sum(axis=1) - 1  # -1: no raise
        draw = (size < 0) & (getting_ahead >= DRAW_FROM) & (strength < AHEAD_FROM) & free
        hopeless = (size < 0) & (ehs < HOPELESS_TO) & free & ~draw
        raised = np.where(size >= 0, 1 - SLOW_PLAY, np.where(draw, SEMI_BLUFF, np.where(hopeless, BLUFF, 0)))
        stays = free | (size >= 0) | (ehs >= pot_odds(observations) + MARGIN + after)
        found, rows = np.zeros(legal.shape), np.arange(len(observations))
        found[:, FOLD_SLOT] = ~stays
        found[:, CALL] = np.where(stays, 1 - raised, 0)
        wish, places = np.array(SIZES)[np.maximum(size, 0)], range(legal.shape[1] - CALL - 1)
        found[rows, raise_slots(places, wish, legal)] += np.where(stays, raised, 0)
        return found

    def assess(self, observations: Array) -> tuple[Array, Array, Array]:
        """Return ([n], [n], [n]): EHS, HS and PPot, against the hands that the model expects.

        Before the flop EHS and HS are the same and PPot is 0.
        """
        verify_cards(observations)
        classes = np.zeros((len(observations), 0)) if self.model is None else self.model.probabilities(observations)
        later = observations[:, STREET] > 0
        said = np.zeros((len(observations), 3))
        said[~later, STRENGTH] = observations[~later, EQUITY]
        if self.model is not None:
            own = observations[~later, CARD : CARD + 2].astype(np.int64)
            said[~later, STRENGTH] = (classes[~later] * preflop_table()[pair_class(own[:, 0], own[:, 1])]).sum(axis=1)
        after = np.zeros((later.sum(), 3))
        weigh_hands(_cards(), _edges(), classes[later], np.ascontiguousarray(observations[later], np.float32), after)
        said[later] = after
        strength, ahead, behind = said[:, STRENGTH], said[:, GETTING_AHEAD], said[:, FALLING_BEHIND]
        return strength * (1 - behind) + (1 - strength) * ahead, strength, ahead


def pair_class(one: Array, other: Array) -> Array:
    """Return [n] the class of two cards: high rank x 13 + low rank if suited, else low rank x 13 + high rank."""
    low, high = np.minimum(one, other) // SUITS, np.maximum(one, other) // SUITS
    found: Array = np.where(one % SUITS == other % SUITS, high * RANKS + low, low * RANKS + high)
    return found


@cache
def preflop_table() -> Array:
    """Return [169, CLASSES]: the equity of two cards before the flop against each class of the opponent's cards.

    Estimated from DEALS deals, then shifted so that the mean over the opponent's classes is the exact equity. Kept in the cache
    folder.
    """
    return kept(f"first-street-{VERSION}", _preflop_table)


def _preflop_table() -> Array:
    known, cards = equity_table(STANDARD), _cards()
    dealt, outcome = np.empty((DEALS, 2, len(EDGES)), np.int32), np.empty(DEALS, np.uint32)
    visible = np.empty((DEALS, 2, VISIBLE[-1]), np.int32)
    deal_many(cards, dealt, outcome, seeded(SEED)[0])
    deal_visible_cards(cards, visible, outcome, seeded(SEED)[0])
    tied, lost = (int(cards.outcome[number]) for number in (0, 1))  # a digit for each player: how many are better
    result = np.where(outcome == tied, 0.5, np.where(outcome == lost, 0.0, 1.0))
    total, count = np.zeros((RANKS * RANKS, CLASSES)), np.zeros((RANKS * RANKS, CLASSES))
    for seat, won in ((0, result), (1, 1 - result)):
        where = pair_class(visible[:, seat, 0], visible[:, seat, 1]), class_of(np.zeros(DEALS), dealt[:, 1 - seat, 0] / PARTS)
        np.add.at(total, where, won)
        np.add.at(count, where, 1)
    one, other = np.array(list(combinations(range(STANDARD.size), 2))).T
    exact = np.zeros(RANKS * RANKS)
    exact[pair_class(one, other)] = known.preflop[known.hand[one, other]] / known.scale(0)
    table: Array = total / count + (exact - total.sum(axis=1) / count.sum(axis=1))[:, None]
    return table


@cache
def _cards() -> Cards:
    return equity_table(STANDARD).cards(2)


@cache
def _edges() -> Array:
    return EDGES * PARTS


def to_data(batch_policy: Expert) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return (the entries of an agent card, arrays by name)."""
    if batch_policy.model is None:
        return {"class": "expert", "model": None}, {}
    assert isinstance(batch_policy.model, NaiveBayes | ImageModel | BothModels)
    about, arrays = models.to_data(batch_policy.model)
    return {"class": "expert", **about}, arrays


def from_data(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> Expert:
    """Return the expert that `to_data` wrote."""
    if (named := field(about, "class", str)) != "expert":
        raise unknown("class of batch policy", named, ("expert",))
    return Expert() if optional(about, "model", str) is None else Expert(models.from_data(about, arrays))
