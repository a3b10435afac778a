"""Rows on learning: copies of an agent, inputs, gradient play, returns of games, and how close agents are to equilibrium."""

from __future__ import annotations

from smoothcall.experiments.parts import NotMeasured
from smoothcall.experiments.pricope2021.curves import chance, in_range, last_points
from smoothcall.experiments.pricope2021.data import Data, of_seeds
from smoothcall.experiments.pricope2021.results import Played, from_list, over_seeds
from smoothcall.experiments.pricope2021.row_figures import Z, ours, smaller
from smoothcall.experiments.pricope2021.settings import (
    DP,
    DP_HAND,
    EQUILIBRIUM,
    GP,
    GP_DIAGONAL,
    GP_HAND,
    IMAGES,
    IMAGES_RAW,
    ONE,
    RAW,
)
from smoothcall.experiments.verdicts import Above, Below, Deviation, Measured, Row, difference, exact, single

NO_PERSON = Deviation("opponents", "a person, whom only people can replace: the match can be played in the browser")


# Figs 2 and 3


def copies_end_in_range(data: Data) -> Row:
    found = last_points(data, GP)
    mean = Measured(over_seeds(found.mean(axis=1)), Below(20), "mean of the last 50 points", ".0f", "mbb/h")
    inside = Measured(exact(in_range(found)), None, "share of them up to 20:", ".0%")
    cause = (
        f"two identical copies differ by {chance(data, GP):.0f} mbb/h over 500 games by chance, section "
        '"Two copies of an agent"; no agent can show 0 to 20 for 50 points'
    )
    return ours(mean, inside, smaller=smaller(data, GP), cause=cause)


def copies_approach(data: Data) -> Row:
    every = data.differences(GP)
    count = min(50, every.shape[1] // 2)
    change = over_seeds(every[:, -count:].mean(axis=1) - every[:, :count].mean(axis=1))
    cause = 'hands of a game become more while both copies learn, and chance differs less; section "Two copies of an agent"'
    return ours(Measured(change, Below(0), "last 50 points less first 50", "+.0f", "mbb/h"), cause=cause)


def raw_copies(data: Data) -> Row:
    one, other = last_points(data, RAW).mean(axis=1), last_points(data, GP).mean(axis=1)
    beyond = difference(over_seeds(one - chance(data, RAW)), over_seeds(other - chance(data, GP)))
    return ours(
        Measured(beyond, Above(0), "last 50 points above the level of chance, raw less hand-made", "+.0f", "mbb/h"),
        Measured(over_seeds(one), None, "raw", ".0f"),
        Measured(over_seeds(other), None, "hand-made", ".0f"),
        smaller=smaller(data, RAW),
        cause='above the level of chance there is nothing to compare, section "Two copies of an agent"',
    )


def raw_games(data: Data) -> Row:
    count = data.points(RAW)[-1]
    seeds = min(len(data.trained(RAW)), len(data.trained(GP)))
    moves = over_seeds(data.moves(RAW, count)[:seeds] / data.moves(GP, count)[:seeds])
    return ours(
        Measured(moves, None, "moves of as many games, raw / hand-made", ".2f"),
        deviations=[Deviation("unit", "moves in place of hours: the time of a training is that of its moves and updates")],
    )


def inputs_help(data: Data) -> Row:
    played = data.match(GP, RAW)
    return ours(
        Measured(data.mbb(played), Above(0), "hand-made against raw", "+.0f", "mbb/h"),
        Measured(of_seeds(lambda each: each.wins, played), Above(0.5), "games won", ".1%"),
        smaller=smaller(data, GP),
        note="networks on compact inputs",
    )


def image_inputs_help(data: Data) -> Row:
    (played,) = data.match(IMAGES, IMAGES_RAW)
    won, half = played.mbb(data.blind), played.mbb(data.blind).half_width()
    return ours(
        Measured(single(won.mean), Above(0), "hand-made against raw", "+.0f", "mbb/h"),
        smaller=smaller(data, IMAGES),
        note=f"one training of each; ± {half:.0f} over the games of the match",
    )


# Equilibrium, people


def close_to_nash(data: Data) -> Row:
    tabular, deep = data[f"tabular responses to {GP}"], Played.of(data[f"deep response to {GP}"])
    return ours(
        Measured(from_list(tabular["learned"]), Below(50), "a response by UCT wins at least", "+.0f", "mbb/h"),
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
    found = data["7-3 before the flop"]
    shares = {label: over_seeds(list(raises.values())) for label, raises in found.items()}
    return ours(
        *(Measured(exact(1 - share.mean), None, f"{label} plays on", ".0%") for label, share in shares.items()),
        Measured(exact(shares[EQUILIBRIUM].mean - shares[GP].mean), Above(0), f"more often than {EQUILIBRIUM}: by", "+.0%"),
        note="7-3 of two suits in the big blind, mean over the raises of the menu",
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
    return ours(*measured, smaller=smaller(data, GP), note="mbb/h", cause='section "Does gradient play help?"')


def games_or_hands(data: Data) -> Row:
    measured = []
    for one, other in ((GP, GP_HAND), (DP, DP_HAND)):
        played = data.match(one, other)
        measured.append(Measured(of_seeds(lambda each: each.wins, played), None, f"{one} wins of {other}", ".1%"))
    return ours(*measured, note="games won, trained for equally many games")


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
