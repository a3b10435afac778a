"""The known equilibria of Kuhn poker, and the distance from them."""

from __future__ import annotations

import json
from fractions import Fraction
from math import inf, log
from pathlib import Path

import numpy as np
import pytest
import scipy  # its parts are imported at their first use

import smoothcall as sc
from smoothcall.errors import UsageError
from smoothcall.evaluation.equilibria import (
    BETTINGS,
    dominated_error,
    equilibrium_distance,
    kuhn_member,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "kuhn.json").read_text())
POTS = [2, 4, 6, 8, 20]
SUB_FAMILIES = ["c11 = 0", "c11 = 1/2", "between"]


@pytest.fixture(scope="module")
def kuhn():
    return sc.game("kuhn")


@pytest.fixture(scope="module")
def three():
    return sc.game("kuhn-3p")


def bets_of(policy):
    """{information state: probability of its bet}"""
    return {key: list(policy.probabilities(key).values())[1] for key in policy.game.keys}


def with_bets(policy, bets):
    """The policy with some bets changed."""
    table = policy.table.copy()
    for key, chance in bets.items():
        (row,) = policy.game.rows(key)
        check, bet = np.flatnonzero(policy.game.legal[row])
        table[row, check], table[row, bet] = 1 - chance, chance
    return sc.Policy(policy.game, table)


def random_parameters(rng, sub_family):
    """Parameters of a random member; one in four is at an end of its range."""

    def draw(low, high):
        return float(rng.choice([low, high]) if rng.random() < 0.25 else rng.uniform(low, high))

    if sub_family == "c11 = 0":
        c11, b23, b21 = 0.0, 0.0, draw(0, 1 / 4)
        b11 = draw(0, b21)
    elif sub_family == "c11 = 1/2":
        c11, b11 = 0.5, draw(0, 1 / 4)
        b21 = draw(0, min(b11, 1 / 2 - 2 * b11))
        b23 = draw(0, (b11 - b21) / (2 * (1 - b21)))
    else:
        b11 = b21 = draw(0, 1 / 4)
        c11, b23 = rng.uniform(0.001, 0.999) * min(1 / 2, (2 - b11) / (3 + 4 * b11)), 0.0
    room = 3 / 4 * (b11 + b21) + max(b11, b21) / 4
    b32 = draw(0, 1 / 2 + room)
    c33 = draw(max(0, 1 / 2 - b32), 1 / 2 + room - b32)
    return {"c11": c11, "b11": b11, "b21": b21, "b23": b23, "b32": b32, "c33": c33, "c34": draw(0, 1)}


def random_policy(game, rng):
    """Anything from nearly uniform to nearly pure."""
    return sc.Policy.from_weights(game, rng.random(game.legal.shape) ** rng.choice([0.3, 1, 3, 10]))


def distances(game, policy, members):
    """The two distances of a policy from each of the members, by the definition."""
    played = policy.table[game.legal].reshape(-1, 2)
    tables = np.array([member.table[game.legal].reshape(-1, 2) for member in members])
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(tables > 0, tables * np.log(tables / played), 0.0).sum(axis=2)
    return ((tables - played)[:, :, 1] ** 2).mean(axis=1), relative.mean(axis=1)


# Two players


@pytest.mark.interpreted
@pytest.mark.parametrize("alpha", [0, 0.1, 0.2, 1 / 3])
def test_members_of_kuhn_are_equilibria(kuhn, alpha):
    member = kuhn_member(kuhn, alpha=alpha)
    for key, text in GOLDEN["kuhn"]["family"]["bets"].items():
        third = text.replace("alpha+1/3", str(alpha + 1 / 3)).replace("3*alpha", str(3 * alpha)).replace("alpha", str(alpha))
        assert bets_of(member)[key] == pytest.approx(float(Fraction(third)), abs=1e-15)
    evaluation = sc.evaluate(kuhn, member)
    assert evaluation.nash_conv < 1e-12
    assert evaluation.values[0] == pytest.approx(float(Fraction(GOLDEN["kuhn"]["value"]["exact"])), abs=1e-15)


@pytest.mark.parametrize("pot", POTS[1:])
def test_members_with_a_larger_pot_are_equilibria(pot):
    game = sc.game("kuhn", pot=pot)
    limit = (pot - 2) / (pot + 1)
    for y in (0, limit / 3, limit):
        member = kuhn_member(game, y=y)
        assert sc.nash_conv(game, member) < 1e-12
        assert bets_of(member)["Q:c"] == y
    assert sc.nash_conv(game, with_bets(member, {"Q:c": limit + 0.01})) > 1e-4
    for beyond in (
        {"J:": 0.5 / (pot + 1)},
        {"K:": 0.9},
        {"Q:cr": 0.9 * pot / (pot + 1)},
        {"Q:r": 0.5},
        {"J:c": 0.5},
        {"Q:": 0.1},
    ):
        assert sc.nash_conv(game, with_bets(kuhn_member(game), beyond)) > 1e-4, beyond
    smaller = {"J:": 0.5 / (pot + 1), "K:": 0.5, "Q:cr": (pot - 0.5) / (pot + 1)}
    assert sc.nash_conv(game, with_bets(kuhn_member(game), smaller)) > 1e-4, "the family of pot 2 ends at pot 2"


@pytest.mark.parametrize(
    "beyond",
    [
        {"J:": 0.35, "Q:cr": 0.35 + 1 / 3},
        {"Q:c": 0.01},
        {"Q:": 0.01},
        {"Q:r": 0.34},
        {"J:c": 0.34},
        {"K:c": 0.99},
        {"J:r": 0.01},
    ],
)
def test_leaving_the_family_of_kuhn_loses(kuhn, beyond):
    assert sc.nash_conv(kuhn, with_bets(kuhn_member(kuhn, alpha=1 / 3), beyond)) > 1e-4


@pytest.mark.interpreted
def test_uniform_play_has_the_distance_computed_by_hand(kuhn):
    # alpha = (1/2 + 3/2 + 1/2 - 1/3) / 11 = 13/66; seven pure bets are off by 1/2, the two of 1/3 by 1/6
    squared = (Fraction(7, 4) + Fraction(2, 36) + Fraction(20**2 + 6**2 + 2**2, 66**2)) / 12
    found = equilibrium_distance(kuhn, sc.Policy.uniform(kuhn))
    assert found.squared_error == pytest.approx(float(squared), abs=1e-15)
    assert bets_of(found.closest)["J:"] == pytest.approx(13 / 66, abs=1e-12)

    # pot 8: y = 1/2; then J bets 1/9 twice, Q calls 8/9 and 7/9, and seven bets are pure
    game = sc.game("kuhn", pot=8)
    found = equilibrium_distance(game, sc.Policy.uniform(game))
    assert found.squared_error == pytest.approx((7 / 4 + 3 * (7 / 18) ** 2 + (5 / 18) ** 2) / 12, abs=1e-15)
    ninths = [-(k / 9) * log(k / 9) - (1 - k / 9) * log(1 - k / 9) for k in (1, 1, 1, 2)]
    assert found.kullback_leibler == pytest.approx((11 * log(2) - sum(ninths)) / 12, abs=1e-12)


@pytest.mark.parametrize("pot", POTS)
def test_the_closest_member_of_two_is_the_closest(pot):
    game, rng = sc.game("kuhn", pot=pot), np.random.default_rng(pot)
    name, limit = ("alpha", 1 / 3) if pot == 2 else ("y", (pot - 2) / (pot + 1))
    members = [kuhn_member(game, **{name: value}) for value in np.linspace(0, limit, 301)]
    for _ in range(20):
        policy = random_policy(game, rng)
        found = equilibrium_distance(game, policy)
        squared, relative = distances(game, policy, members)
        assert squared.min() - 1e-4 <= found.squared_error <= squared.min() + 1e-12
        assert relative.min() - 1e-2 <= found.kullback_leibler <= relative.min() + 1e-12
        assert distances(game, policy, [found.closest])[0] == pytest.approx(found.squared_error, abs=1e-15)
        exact = scipy.optimize.minimize_scalar(
            lambda x, policy=policy: distances(game, policy, [kuhn_member(game, **{name: x})])[1][0],
            bounds=(0, limit), method="bounded", options={"xatol": 1e-10},
        )  # fmt: skip
        assert found.kullback_leibler == pytest.approx(exact.fun, abs=1e-6)


@pytest.mark.parametrize("pot", [2, 8])
def test_members_of_two_are_at_no_distance(pot):
    game = sc.game("kuhn", pot=pot)
    name, limit = ("alpha", 1 / 3) if pot == 2 else ("y", 6 / 9)
    for value in (0, 1e-9, 0.1, 0.25, limit):
        found = equilibrium_distance(game, kuhn_member(game, **{name: value}))
        assert found.squared_error < 1e-20
        assert 0 <= found.kullback_leibler < 1e-12


def test_a_policy_that_never_plays_what_every_member_needs_is_infinitely_far(kuhn, three):
    for game in (kuhn, three):
        uniform = sc.Policy.uniform(game)
        assert equilibrium_distance(game, with_bets(uniform, dict.fromkeys(game.keys, 0.0))).kullback_leibler == inf
        assert equilibrium_distance(game, with_bets(uniform, {"J:": 0.0, "Q:c": 0.0})).kullback_leibler < inf
    uniform = sc.Policy.uniform(kuhn)
    assert equilibrium_distance(kuhn, with_bets(uniform, {"K:": 1.0})).kullback_leibler < inf, "alpha = 1/3"
    assert equilibrium_distance(kuhn, with_bets(uniform, {"K:": 1.0, "J:": 0.0})).kullback_leibler == inf
    uniform = sc.Policy.uniform(three)
    for bets, finite in [
        ({"A:c": 1.0}, True),  # b11 = b21 = 1/4
        ({"A:c": 1.0, "J:c": 0.0}, False),
        ({"A:c": 0.0}, True),
        ({"J:cc": 0.0}, True),  # c11 = 0
        ({"Q:cc": 0.0}, True),  # c11 = 1/2
        ({"Q:cc": 0.0, "A:c": 1.0}, False),  # then b21 <= 1/2 - 2 b11
        ({"J:cc": 0.0, "Q:cc": 0.0}, False),
        ({"K:r": 0.0}, True),
        ({"K:r": 0.0, "K:rf": 0.0}, False),
        ({"K:ccrf": 1.0}, False),
        ({"K:rc": 0.0}, True),
        ({"K:crf": 0.0}, False),
    ]:
        assert (equilibrium_distance(three, with_bets(uniform, bets)).kullback_leibler < inf) == finite, bets


# Three players


@pytest.mark.interpreted
@pytest.mark.parametrize("golden", GOLDEN["kuhn-3p"]["members"])
def test_golden_members_of_three(three, golden):
    parameters = {name: float(Fraction(text)) for name, text in golden["parameters"].items()}
    member = kuhn_member(three, **parameters)
    for player, rows in golden["bets"].items():
        for card, row in zip("JQKA", rows, strict=True):
            found = [bets_of(member)[f"{card}:{betting}"] for betting in BETTINGS[player]]
            assert found == [float(Fraction(text)) for text in row]
    evaluation = sc.evaluate(three, member)
    assert evaluation.epsilon < 1e-12
    assert evaluation.values == pytest.approx([float(Fraction(text)) for text in golden["utilities"]], abs=1e-12)


@pytest.mark.parametrize("members", [20, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("sub_family", SUB_FAMILIES)
def test_random_members_of_three_are_equilibria_at_no_distance(three, sub_family, members):
    rng = np.random.default_rng(3)
    for number in range(members):
        parameters = random_parameters(rng, sub_family)
        member = kuhn_member(three, **parameters)
        evaluation = sc.evaluate(three, member)
        beta = max(parameters["b11"], parameters["b21"])
        assert evaluation.epsilon < 1e-12, parameters
        assert evaluation.values == pytest.approx([-(1 / 2 + beta) / 24, -1 / 48, (1 + beta) / 24], abs=1e-12)
        assert dominated_error(three, member) == 0
        if number < members // 20:
            found = equilibrium_distance(three, member)
            assert found.squared_error < 1e-15, parameters
            assert 0 <= found.kullback_leibler < 1e-9, parameters


def test_leaving_the_family_of_three_loses(three):
    first, last = kuhn_member(three), kuhn_member(three, c11=1 / 2, b11=1 / 4, b23=1 / 8, b32=1 / 2, c34=1)
    golden = GOLDEN["kuhn-3p"]["leaving"]  # a33: player 0 calls with K after check, bet, fold
    left = with_bets(first, {"K:crf": float(Fraction(golden["value"]))})
    assert sc.evaluate(three, left).epsilon == pytest.approx(float(Fraction(golden["gain"])), abs=1e-12)
    for bets in (
        {"K:ccrf": 0.51},
        {"K:ccrf": 0.49},
        {"A:c": 0.01},
        {"Q:cc": 0.51},
        {"K:cr": 0.01},
        {"A:": 0.01},
        {"K:rf": 0.51},
    ):
        assert sc.evaluate(three, with_bets(first, bets)).epsilon > 1e-5, bets
    for bets in ({"Q:ccrf": 0.126, "K:ccrf": 0.624}, {"K:r": 0.951}, {"J:cc": 0.49, "Q:cc": 0.01}, {"A:c": 0.51}):
        assert sc.evaluate(three, with_bets(last, bets)).epsilon > 1e-5, bets


def test_uniform_play_of_three_has_the_distance_computed_by_hand(three):
    # c11 = c21 = 1/4, so b11 = b21 = b, b23 = 0, b33 = 1/2 + 3b/2, b41 = 4b, b32 = c33 = 1/4 + 7b/8; 37 fixed bets are pure;
    # 2 (b - 1/2)^2 + (4b - 1/2)^2 + (3b/2)^2 + 2 (7b/8 - 1/4)^2 is least at b = 110/697
    b, half = Fraction(110, 697), Fraction(1, 2)
    moving = 2 * (b - half) ** 2 + (4 * b - half) ** 2 + (3 * b / 2) ** 2 + 2 * (7 * b / 8 - half / 2) ** 2
    squared = (Fraction(37 + 1, 4) + 2 * Fraction(1, 16) + moving) / 48
    found = equilibrium_distance(three, sc.Policy.uniform(three))
    assert found.squared_error == pytest.approx(float(squared), abs=1e-14)
    assert bets_of(found.closest)["J:c"] == pytest.approx(110 / 697, abs=1e-7)


@pytest.mark.parametrize(("count", "policies"), [(300, 4), pytest.param(2000, 16, marks=pytest.mark.long)])
def test_the_closest_member_of_three_is_closer_than_any_other(three, count, policies):
    rng = np.random.default_rng(5)
    sampled = [random_parameters(rng, SUB_FAMILIES[number % 3]) for number in range(count)]
    members = [kuhn_member(three, **parameters) for parameters in sampled]
    for number in range(policies):
        policy = random_policy(three, rng)
        if number % 2:  # close to a member
            policy = sc.Policy(three, 0.9 * members[number].table + 0.1 * policy.table)
        found = equilibrium_distance(three, policy)
        squared, relative = distances(three, policy, members)
        assert found.squared_error <= squared.min() + 1e-12
        assert found.kullback_leibler <= relative.min() + 1e-12
        assert sc.evaluate(three, found.closest).epsilon < 1e-12
        assert distances(three, policy, [found.closest])[0] == pytest.approx(found.squared_error, abs=1e-15)


# What is refused


def test_games_without_a_known_family_are_refused(kuhn):
    for game in (sc.game("leduc"), sc.game("rps"), sc.game("kuhn-3p", pot=6)):
        for ask in (equilibrium_distance, dominated_error):
            with pytest.raises(UsageError, match=rf"{game.spec} \(accepted: kuhn with any pot, kuhn-3p with pot 3\)"):
                ask(game, sc.Policy.uniform(game))
        with pytest.raises(UsageError, match="accepted"):
            kuhn_member(game)
    with pytest.raises(UsageError, match="plays kuhn:pot=8, not kuhn"):
        equilibrium_distance(kuhn, sc.Policy.uniform(sc.game("kuhn", pot=8)))


@pytest.mark.parametrize(
    ("spec", "parameters", "message"),
    [
        ("kuhn", {"alpha": 0.4}, r"alpha=0.4 \(accepted: 0 to 0.333333\)"),
        ("kuhn", {"alpha": float("nan")}, "alpha=nan"),
        ("kuhn", {"y": 0.1}, r"'y'.*accepted: alpha"),
        ("kuhn:pot=8", {"alpha": 0.1}, r"'alpha'.*accepted: y"),
        ("kuhn:pot=8", {"y": 0.7}, r"y=0.7 \(accepted: 0 to 0.666667\)"),
        ("kuhn-3p", {"b12": 0.1}, "'b12'; did you mean"),
        ("kuhn-3p", {"c11": 0.6}, r"c11=0.6 \(accepted: 0 to 0.5\)"),
        ("kuhn-3p", {"b11": 0.1, "b21": 0.05}, r"b11=0.1 \(accepted: 0 to 0.05 with b21=0.05\)"),
        ("kuhn-3p", {"b23": 0.1}, r"b23=0.1 \(accepted: 0 to 0\)"),
        ("kuhn-3p", {"c11": 0.5, "b11": 0.25, "b21": 0.1}, "b21=0.1"),
        ("kuhn-3p", {"c11": 0.5, "b11": 0.2, "b23": 0.2}, "b23=0.2"),
        ("kuhn-3p", {"c11": 0.3, "b11": 0.2, "b21": 0.1}, "b21=0.1"),
        ("kuhn-3p", {"c11": 0.45, "b11": 0.25}, "c11=0.45"),
        ("kuhn-3p", {"b32": 0.6}, "b32=0.6"),
        ("kuhn-3p", {"c33": 0.4}, "c33=0.4"),
        ("kuhn-3p", {"c34": -0.1}, "c34=-0.1"),
    ],
)
def test_parameters_out_of_range_are_refused(spec, parameters, message):
    with pytest.raises(UsageError, match=message):
        kuhn_member(sc.game(spec), **parameters)
