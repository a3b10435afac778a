"""Rows on learning: copies of an agent, inputs, gradient play, returns of games, and how close agents are to equilibrium."""

from __future__ import annotations

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.parts import NotMeasured
from smoothcall.experiments.pricope2021.curves import RANGE, above_chance, chance, last_points, narrowing
from smoothcall.experiments.pricope2021.data import Data, of_seeds
from smoothcall.experiments.pricope2021.published import FREEZEOUTS
from smoothcall.experiments.pricope2021.results import Played, from_list, over_seeds
from smoothcall.experiments.pricope2021.row_figures import Z, ours, smaller, too_short
from smoothcall.experiments.pricope2021.settings import (
    DP,
    DP_HAND,
    GP,
    GP_DIAGONAL,
    GP_HAND,
    IMAGES,
    IMAGES_RAW,
    MCCFR,
    ONE,
    RAW,
)
from smoothcall.experiments.verdicts import Above, Below, BoundBelow, Deviation, Every, Measured, Row, difference, exact, share

NO_PERSON = Deviation("opponents", "a person, whom only people can replace: the match can be played in the browser")


# Figs 2 and 3


def copies_end_in_range(data: Data) -> Row:
    return ours(*_in_range(data, GP), smaller=smaller(data, GP), cause=_no_agent(data, GP))


def _in_range(data: Data, label: str) -> list[Measured]:
    found = last_points(data, label)
    return [
        Measured(share([bool(each) for each in (found <= RANGE).ravel()]), Every(), "last points up to 20:"),
        Measured(over_seeds(found.mean(axis=1)), None, "their mean", ".0f", "mbb/h"),
    ]


def _no_agent(data: Data, label: str) -> str:
    return (
        f"two identical copies differ by {chance(data, label):.0f} mbb/h over 500 games by chance, section "
        '"Two copies of an agent"; no agent can show 0 to 20 for 50 points'
    )


def copies_approach(data: Data) -> Row:
    return ours(*_approach(data, GP), smaller=smaller(data, GP), cause=_HANDS)


_HANDS = 'games have more hands while both copies learn, and then chance differs less; section "Two copies of an agent"'


def _approach(data: Data, label: str) -> list[Measured]:
    above = list(above_chance(data, label).values())
    if len(above) < 2:
        raise NotMeasured(f"stretches of the training of {label}")
    return [
        _narrowing(data, label),
        Measured(
            over_seeds(above[-1] - above[0]),
            Below(0),
            "the same above the level of chance, last games less first",
            "+.0f",
            "mbb/h",
        ),
    ]


def _narrowing(data: Data, label: str) -> Measured:
    estimate = over_seeds(narrowing(data, label))
    return Measured(estimate, Below(0), "last sixth of the points less those before", "+.0f", "mbb/h")


def raw_copies_approach(data: Data) -> Row:
    """Of its training there is one stretch, so that first and last games are not compared above the level of chance."""
    return ours(_narrowing(data, RAW), smaller=smaller(data, RAW), cause=_HANDS)


def raw_copies(data: Data) -> Row:
    return ours(
        *_raw_less_hand_made(data, RAW, GP),
        smaller=smaller(data, RAW),
        cause='above the level of chance there is nothing to compare, section "Two copies of an agent"',
    )


def _raw_less_hand_made(data: Data, raw: str, hand_made: str) -> list[Measured]:
    one, other = above_chance(data, raw), above_chance(data, hand_made)
    at = max(set(one) & set(other))
    label = f"up to {at:,} games, above the level of chance, raw less hand-made"
    return [
        Measured(difference(over_seeds(one[at]), over_seeds(other[at])), Above(0), label, "+.0f", "mbb/h"),
        Measured(over_seeds(one[at]), None, "raw", "+.0f"),
        Measured(over_seeds(other[at]), None, "hand-made", "+.0f"),
    ]


def raw_games(data: Data) -> Row:
    return _moves_of_games(data, RAW, GP)


def _moves_of_games(data: Data, raw: str, hand_made: str) -> Row:
    count = min(each["points"][-1]["iterations"] for each in data.trained(raw))
    moves = over_seeds(data.moves(raw, count) / data.moves(hand_made, count))
    return ours(
        Measured(moves, None, f"moves of {count:,} games, raw / hand-made", ".2f"),
        deviations=[Deviation("unit", "moves in place of hours: the time of a training is that of its moves and updates")],
    )


def inputs_help(data: Data) -> Row:
    played, at = data.match(GP, RAW), data.matched(GP, RAW)[0]
    return ours(
        Measured(data.mbb(played), Above(0), "hand-made against raw", "+.0f", "mbb/h"),
        Measured(of_seeds(lambda each: each.wins, played), Above(0.5), "games won", ".1%"),
        smaller=FREEZEOUTS / at,
        note=f"after {at:,} games",
    )


# The paper's networks on images


def image_copies_end_in_range(data: Data) -> Row:
    deviations, cause = too_short(data, IMAGES), _no_agent(data, IMAGES)
    return ours(*_in_range(data, IMAGES), deviations=deviations, smaller=smaller(data, IMAGES), cause=cause)


def image_copies_approach(data: Data) -> Row:
    deviations = too_short(data, IMAGES)
    return ours(*_approach(data, IMAGES), deviations=deviations, smaller=smaller(data, IMAGES), cause=_HANDS)


def image_raw_copies_approach(data: Data) -> Row:
    deviations = too_short(data, IMAGES_RAW)
    return ours(*_approach(data, IMAGES_RAW), deviations=deviations, smaller=smaller(data, IMAGES_RAW), cause=_HANDS)


def image_raw_copies(data: Data) -> Row:
    deviations = too_short(data, IMAGES)
    return ours(*_raw_less_hand_made(data, IMAGES_RAW, IMAGES), deviations=deviations, smaller=smaller(data, IMAGES))


def image_raw_games(data: Data) -> Row:
    return _moves_of_games(data, IMAGES_RAW, IMAGES)


def image_inputs_help(data: Data) -> Row:
    at = data.shared_points(IMAGES)[-1]
    played = data.versions(IMAGES, IMAGES_RAW, at)
    return ours(
        Measured(data.mbb(played), Above(0), "hand-made against raw", "+.0f", "mbb/h"),
        Measured(of_seeds(lambda each: each.wins, played), Above(0.5), "games won", ".1%"),
        deviations=too_short(data, IMAGES),
        smaller=smaller(data, IMAGES),
        cause='section "Images and compact inputs, raw and hand-made"',
        note=f"after {at:,} games",
    )


# Equilibrium, people


def close_to_nash(data: Data) -> Row:
    tabular, deep = data[f"tabular responses to {GP}"], Played.of(data[f"deep response to {GP}"])
    return ours(
        Measured(from_list(tabular["learned"]), BoundBelow(50), "a response by UCT wins at least", "+.0f", "mbb/h"),
        Measured(from_list(tabular["local"]), None, "local best response", "+.0f"),
        Measured(deep.mbb(data.blind), None, "double DQN", "+.0f"),
        cause='equal winnings of two copies do not show an equilibrium, section "How exploitable are they?"',
        note="of the first training",
    )


def human_match(data: Data) -> Row:
    spread = data.hands(GP, DP).deviation / data.blind * 1000
    return ours(
        deviations=[NO_PERSON],
        note=f"the 95 % interval of 56 hands is ± {Z * spread / 56**0.5:,.0f} mbb/h, so that 241 shows no difference in skill",
    )


def weak_cards(data: Data) -> Row:
    found, at = data["7-3 before the flop"], data.settings("7-3 before the flop")["at"]
    (folds,) = found[MCCFR]
    plays = over_seeds([1 - float(np.mean(list(raises.values()))) for raises in found[GP]])
    plays_on = 1 - float(np.mean(list(folds.values())))
    more = Estimate(plays.mean - plays_on, plays.error, plays.count)
    return ours(
        Measured(plays, None, f"{GP} plays on", ".0%"),
        Measured(exact(plays_on), None, f"{MCCFR} plays on", ".0%"),
        Measured(more, Above(0), f"more often than {MCCFR}: by", "+.0%"),
        note=f"7-3 of two suits in the big blind, mean over the raises of the menu, after {at:,} games",
    )


def more_training(data: Data) -> Row:
    first, last = data.points(GP)[0], data.points(GP)[-1]
    played = [Played.of(each) for each in data[f"{GP} against itself after {first:,} games"]]
    return ours(
        Measured(data.mbb(played), Above(0), f"after {last:,} games, against itself after {first:,}", "+.0f", "mbb/h"),
    )


# Gradient play, episodes: our own experiments


def gradient_helps(data: Data) -> Row:
    pairs = ((GP, DP), (GP_DIAGONAL, DP), (GP_HAND, DP_HAND))
    measured = [
        Measured(data.mbb(data.match(one, other)), Above(0), f"{one} against {other}", "+.0f")
        for one, other in pairs
        if data.has(f"{one} against {other}")
    ]
    if not measured:
        raise NotMeasured
    at = data.matched(GP, DP)[0]
    return ours(
        *measured, smaller=FREEZEOUTS / at, note=f"mbb/h, after {at:,} games", cause='section "Does gradient play help?"'
    )


def games_or_hands(data: Data) -> Row:
    measured = []
    for one, other in ((GP, GP_HAND), (DP, DP_HAND)):
        if data.has(f"{one} against {other}"):
            wins = of_seeds(lambda each: each.wins, data.match(one, other))
            measured.append(Measured(wins, None, f"{one} wins of {other}", ".1%"))
    return ours(*measured, note=f"games won, each trained for {data.matched(GP, GP_HAND)[0]:,} games")


def unit_of_values(data: Data) -> Row:
    found = data["gradient policy"]
    return ours(
        *(Measured(exact(found[f"columns, {unit}"][0]), None, f"in {unit}", ".3f") for unit in ("chips", "stacks")),
        note="total variation between the gradient policy and the average policy, mean over decisions",
    )


def chance_level(data: Data) -> Row:
    return ours(
        Measured(exact(chance(data, GP)), None, GP, ".0f"),
        Measured(exact(chance(data, RAW)), None, RAW, ".0f"),
        note="mbb/h over 500 games",
    )


def both_classifiers(data: Data) -> Row:
    models = data["opponent models"][ONE]
    return ours(
        *(
            Measured(exact(each["margin"]), None, f"{name}: accuracy {each['accuracy']:.1%}, above the base rate by", "+.1%")
            for name, each in models.items()
        )
    )


def listing(data: Data) -> Row:
    return ours(deviations=[Deviation("nothing", "a diagram of its program")])


def algorithm(data: Data) -> Row:
    return ours(deviations=[Deviation("nothing", 'a listing; ours is `nfsp-freezeouts`, section "Agent 3"')])
