"""The known equilibria of Kuhn poker: how far a policy is from the closest one, and how often it plays dominated actions.

Two players: Kuhn 1950, generalised here to a larger pot. Three players: the family of Szafron, Gibson and Sturtevant
("A parameterized family of equilibrium profiles for three-player Kuhn poker", AAMAS 2013), with their names: `b21` is
the probability that player b bets or calls with card 2 (of 1 to 4, here J Q K A) in that player's information state 1.
Both measures are those of Heinrich and Silver ("Self-play Monte-Carlo tree search in computer poker", 2014).

One number tells what is played at an information state of Kuhn poker: the probability of its *bet*, which is to bet where
nobody has, and to call where somebody has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from smoothcall.errors import UsageError, unknown
from smoothcall.games.catalog import KUHN, KUHN_3P
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy

ROUNDING = 1e-9  # how far a parameter may be outside its range and still be taken for its end
BETTINGS = {  # the betting before information states 1 to 4 of players a, b and c
    "a": ("", "ccr", "crf", "crc"),
    "b": ("c", "r", "ccrf", "ccrc"),
    "c": ("cc", "cr", "rf", "rc"),
}
SUB_FAMILIES = ("c11 = 0", "c11 = 1/2", "c11 between")
PARAMETERS_3P = ("c11", "b11", "b21", "b23", "b32", "c33", "c34")

# An action is dominated if no plan that survives the iterated elimination of weakly dominated plans comes to its information
# state and takes it. A plan says what a player does with one card. It is weakly dominated by another plan for the same card
# that earns at least as much against all surviving plans of the opponents, chosen card by card, and more against some. All
# such plans go at once, until none is left to go. Only the two actions with the two-player Q need a second round.
DOMINATED_2P = {"J:cr": "c", "J:r": "c", "K:cr": "f", "K:r": "f", "K:c": "c", "Q:": "r", "Q:c": "r"}
DOMINATED_3P = {
    **{f"J:{betting}": "c" for betting in ("r", "cr", "ccr", "rf", "crf", "ccrf", "rc", "crc", "ccrc")},
    **{f"Q:{betting}": "c" for betting in ("rc", "crc", "ccrc")},
    **{f"A:{betting}": "f" for betting in ("r", "cr", "ccr", "rf", "crf", "ccrf", "rc", "crc", "ccrc")},
    "A:cc": "c",
}


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a policy is from a family of equilibria; each figure is to the member that makes it smallest."""

    squared_error: float  # mean over information states of the squared difference of the bet's probability
    kullback_leibler: float  # mean over information states of KL(equilibrium || policy), in nats
    closest: Policy  # the member with this squared error


def equilibrium_distance(game: Game, policy: Policy) -> Distance:
    """Return the distance to the closest known equilibrium of Kuhn poker.

    Where an equilibrium never comes to an information state of its own, the family has the action that is best there.
    """
    verify_kuhn(game)
    policy.verify_game(game)
    played = _played(policy)
    nearest = _nearest_2p if game.players == 2 else _nearest_3p
    with np.errstate(all="ignore"):  # a policy that never bets is infinitely far from one that does
        closest, other = nearest(game, played, SQUARED), nearest(game, played, RELATIVE)
        squared, relative = SQUARED.value(closest, played), RELATIVE.value(other, played)
    return Distance(float(squared.mean()), max(float(relative.mean()), 0.0), _policy(game, closest))


def dominated_error(game: Game, policy: Policy) -> float:
    """Return the sum over information states of the probabilities of dominated actions.

    With a pot above 2, player 1 may bet Q behind in equilibrium, although that is weakly dominated.
    """
    verify_kuhn(game)
    policy.verify_game(game)
    dominated = DOMINATED_2P if game.players == 2 else DOMINATED_3P
    cells = [(game.rows(key)[0], game.actions.index(action)) for key, action in dominated.items()]
    return float(sum(policy.table[cell] for cell in cells))


def kuhn_member(game: Game, **parameters: float) -> Policy:
    """Return a member of the family of equilibria; a parameter not given takes the least value that the others leave it.

    Two players: `alpha` from 0 to 1/3 is player 0's bet with J; with a pot above 2 that is fixed and the parameter is `y`,
    player 1's bet with Q behind. Three players: `c11` tells the three sub-families apart, as it is 0, 1/2 or between.
    """
    verify_kuhn(game)
    if game.players == 2:
        name, limit, base, slope = _line_2p(game)
        _verify_names(game, parameters, (name,))
        return _policy(game, base + slope * _read(parameters, name, 0.0, limit))
    _verify_names(game, parameters, PARAMETERS_3P)
    return _policy(game, _bets(game, _bets_3p(_read_3p(parameters))))


def verify_kuhn(game: Game) -> None:
    """Refuse games whose equilibria are not known here."""
    rules = game.rules
    two = isinstance(rules, PokerRules) and any(rules.antes) and replace(rules, antes=(1,) * rules.seats) == KUHN
    if not two and rules != KUHN_3P:
        raise UsageError(f"no family of equilibria is known of {game.spec} (accepted: kuhn with any pot, kuhn-3p with pot 3)")


# The families: the probability of the bet at every information state


def _line_2p(game: Game) -> tuple[str, float, Array, Array]:
    """Return the parameter's name and its largest value, then [rows] base and [rows] slope of the bets that it makes.

    With pot P: player 1 calls with Q so often that betting J gains nothing, and bluffs J behind so often that calling with Q
    gains nothing. Player 0 bets K P + 1 times as often as J, for the same reason. For P = 2 betting K gains nothing either;
    for more it does, so that it is always bet, and then player 1's Q meets only J behind and may bet.
    """
    assert isinstance(game.rules, PokerRules)
    pot = sum(game.rules.antes)
    base = {"Q:r": (pot - 1) / (pot + 1), "J:c": 1 / (pot + 1), "K:c": 1.0, "K:r": 1.0, "K:cr": 1.0}
    if pot == 2:
        slope = {"J:": 1.0, "K:": 3.0, "Q:cr": 1.0}
        return "alpha", 1 / 3, _bets(game, {**base, "Q:cr": 1 / 3}), _bets(game, slope)
    base |= {"J:": 1 / (pot + 1), "K:": 1.0, "Q:cr": pot / (pot + 1)}
    return "y", (pot - 2) / (pot + 1), _bets(game, base), _bets(game, {"Q:c": 1.0})


def _bets_3p(parameters: Mapping[str, float]) -> dict[str, float]:
    """Return the table of Szafron et al.: the bets that are not 0, by information state."""
    b11, b21, b23 = parameters["b11"], parameters["b21"], parameters["b23"]
    ones = ("a42", "a43", "a44", "b42", "b43", "b44", "c41", "c42", "c43", "c44")
    bets = {**parameters, **dict.fromkeys(ones, 1.0), "a33": 1 / 2}
    bets["b33"] = (1 + b11 + b21 + max(b11, b21)) / 2 - b23 * (1 - b21)
    bets["b41"] = 2 * b11 + 2 * b21
    bets["c21"] = 1 / 2 - parameters["c11"]
    return {_key(name): probability for name, probability in bets.items()}


def _room(b11: Array | float, b21: Array | float) -> Array:
    """Return how far b32 + c33 may exceed 1/2."""
    return np.asarray(0.75 * (b11 + b21) + np.maximum(b11, b21) / 4)


def _most_c11(b: Array | float) -> Array:
    """Return the largest c11 of the sub-family with b11 = b21 = b; its formula gives 1/2 at b = 1/6."""
    return np.asarray(np.minimum((2 - b) / (3 + 4 * b), 1 / 2))


def _read_3p(given: Mapping[str, float]) -> dict[str, float]:
    """Return all parameters, checked in an order in which each range follows from those before."""
    c11 = _read(given, "c11", 0.0, 1 / 2)
    if c11 == 0:
        b21 = _read(given, "b21", 0.0, 1 / 4)
        b11, most_b23 = _read(given, "b11", 0.0, b21), 0.0
    elif c11 == 1 / 2:
        b11 = _read(given, "b11", 0.0, 1 / 4)
        b21 = _read(given, "b21", 0.0, min(b11, 1 / 2 - 2 * b11))
        most_b23 = (b11 - b21) / (2 * (1 - b21))
    else:
        b11 = _read(given, "b11", 0.0, 1 / 4)
        b21, most_b23 = _read(given, "b21", b11, b11), 0.0
        c11 = _read(given, "c11", 0.0, float(_most_c11(b11)))
    b23 = _read(given, "b23", 0.0, most_b23)
    room = float(_room(b11, b21))
    b32 = _read(given, "b32", 0.0, 1 / 2 + room)
    c33 = _read(given, "c33", max(0.0, 1 / 2 - b32), 1 / 2 + room - b32)
    values = (c11, b11, b21, b23, b32, c33, _read(given, "c34", 0.0, 1.0))
    return dict(zip(PARAMETERS_3P, values, strict=True))


def _read(given: Mapping[str, float], name: str, low: float, high: float) -> float:
    value = given.get(name, low)
    if not low - ROUNDING <= value <= high + ROUNDING:
        others = ", ".join(f"{other}={set_to:g}" for other, set_to in given.items() if other != name)
        raise UsageError(f"parameter {name}={value:g} (accepted: {low:g} to {high:g}{' with ' if others else ''}{others})")
    return min(max(value, low), high)


def _verify_names(game: Game, given: Mapping[str, float], accepted: Sequence[str]) -> None:
    for name in given:
        if name not in accepted:
            raise unknown(f"parameter of the equilibria of {game.spec}:", name, accepted)


# Bets and policies


def _key(name: str) -> str:
    """Return the information state behind a name such as `b21`."""
    return f"{'JQKA'[int(name[1]) - 1]}:{BETTINGS[name[0]][int(name[2]) - 1]}"


def _slots(game: Game) -> tuple[Array, Array]:
    """Return [rows] the action slots of passing (check or fold) and of the bet: the first and the last legal one."""
    return game.legal.argmax(axis=1), len(game.actions) - 1 - game.legal[:, ::-1].argmax(axis=1)


def _bets(game: Game, named: Mapping[str, float]) -> Array:
    """Return [rows] the bets named, 0 elsewhere."""
    bets = np.zeros(len(game.legal))
    for key, probability in named.items():
        bets[game.rows(key)[0]] = probability
    return bets


def _policy(game: Game, bets: Array) -> Policy:
    table, rows, (check, bet) = np.zeros(game.legal.shape), np.arange(len(bets)), _slots(game)
    table[rows, check], table[rows, bet] = 1 - bets, bets
    return Policy(game, table)


def bets_of(policy: Policy) -> Array:
    """Return [rows] the probability of the bet at every information state of a Kuhn game."""
    bets: Array = _played(policy)[1]
    return bets


def _played(policy: Policy) -> Array:
    """Return [2, rows] the probabilities of passing and of the bet."""
    rows = np.arange(len(policy.table))
    return np.stack([policy.table[rows, slot] for slot in _slots(policy.game)])


# The closest member


@dataclass(frozen=True, slots=True)
class Measure:
    """A distance of a bet in equilibrium from what is played ([2, ...], passing and bet), convex in the former."""

    value: Callable[[Array, Array], Array]
    slope: Callable[[Array, Array], Array]
    bend: Callable[[Array], Array]  # the second derivative


def _relative_entropy(bet: Array, played: Array) -> Array:
    from scipy.special import rel_entr  # takes 0.3 s to import, so not at every start of the program

    return np.asarray(rel_entr(bet, played[1]) + rel_entr(1 - bet, played[0]))


SQUARED = Measure(
    lambda bet, played: (bet - played[1]) ** 2,
    lambda bet, played: 2 * (bet - played[1]),
    lambda bet: np.full_like(bet, 2.0),
)
RELATIVE = Measure(
    _relative_entropy,
    lambda bet, played: np.log(bet / (1 - bet)) - np.log(played[1]) + np.log(played[0]),
    lambda bet: 1 / (bet * (1 - bet)),
)


def _least(measure: Measure, base: Array, slope: Array, played: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Return the x in [low, high] that minimises the distance of the bets base + slope * x, and that distance.

    base and slope are [bets, problems], played [2, bets], low and high [problems]. The distance is convex in x, so Newton's
    method finds the root of its derivative, within a bracket that shrinks; a step that leaves the bracket is replaced by one
    of 7/8 of the way to the bracket's end. Both ends of [low, high] are compared too: against a policy that never bets, the
    relative entropy is finite at a bet of exactly 0 only.
    """
    played = played[:, :, None]

    def bets(x: Array) -> Array:
        return np.asarray(np.clip(base + slope * x, 0.0, 1.0))  # sums may round to just outside

    def rise(x: Array) -> Array:
        return np.asarray((slope * measure.slope(bets(x), played)).sum(axis=0))

    left, right = np.where(rise(high) <= 0, high, low), np.where(rise(low) >= 0, low, high)
    x = (left + right) / 2
    for _ in range(100):  # seldom more than 20
        rising = rise(x)
        left, right = np.where(rising > 0, left, x), np.where(rising > 0, x, right)
        newton = x - rising / (slope**2 * measure.bend(bets(x))).sum(axis=0)
        inside = (left <= newton) & (newton <= right)
        following = np.where(inside, newton, (np.where(rising > 0, left, right) * 7 + x) / 8)
        step, x = abs(following - x).max(), following
        if step < 1e-12:
            break
    tried = np.stack([x, low, high])[:, None]
    sums = measure.value(bets(tried), played).sum(axis=1)
    best = sums.argmin(axis=0)[None]
    return np.take_along_axis(tried[:, 0], best, 0)[0], np.take_along_axis(sums, best, 0)[0]


def _nearest_2p(game: Game, played: Array, measure: Measure) -> Array:
    """Return [rows] the bets of the closest member."""
    _, limit, base, slope = _line_2p(game)
    moving = slope > 0
    x, _ = _least(measure, base[moving, None], slope[moving, None], played[:, moving], np.zeros(1), np.full(1, limit))
    return np.asarray(base + slope * x)


def _nearest_3p(game: Game, played: Array, measure: Measure) -> Array:
    """Return [rows] the bets of the closest member of any sub-family."""
    at = {name: played[:, game.rows(_key(name))[0]] for name in (*PARAMETERS_3P, "b33", "b41", "c21")}
    found = [_close_in(measure, at, sub_family) for sub_family in SUB_FAMILIES]
    return _bets(game, _bets_3p(min(found, key=lambda each: each[0])[1]))


def _close_in(
    measure: Measure, at: Mapping[str, Array], sub_family: str, points: int = 17, margin: int = 3
) -> tuple[float, dict[str, float]]:
    """Return the distance to a sub-family and its closest member: b11 and b21 on a grid that closes in, the rest exactly.

    In b11 and b21 the distance is convex, or nearly so, and bends at most some ten times as much one way as another: the best
    point of a grid has the minimum within a margin of three points.
    """
    centre, reach = (1 / 8, 1 / 8), 1 / 8
    while True:
        b11, b21 = (np.linspace(max(middle - reach, 0.0), min(middle + reach, 1 / 4), points) for middle in centre)
        if sub_family == "c11 between":
            b21 = b11
        else:
            b11, b21 = (each.ravel() for each in np.meshgrid(b11, b21))
        if sub_family == "c11 = 0":
            b11 = np.minimum(b11, b21)
        elif sub_family == "c11 = 1/2":
            b21 = np.minimum(b21, np.minimum(b11, 1 / 2 - 2 * b11))
        totals, parameters = _complete(measure, at, sub_family, b11, b21)
        best = int(totals.argmin())
        if reach < 1e-8 or not np.isfinite(totals[best]):
            return float(totals[best]), {name: float(values[best]) for name, values in parameters.items()}
        centre, reach = (float(b11[best]), float(b21[best])), reach * 2 * margin / (points - 1)


def _complete(
    measure: Measure, at: Mapping[str, Array], sub_family: str, b11: Array, b21: Array
) -> tuple[Array, dict[str, Array]]:
    """Return [problems] the smallest distances with these b11 and b21, and the parameters that give them.

    The others come in pairs that do not touch each other: b23 sets b33, b32 and c33 share a sum between 1/2 and 1/2 + room,
    c11 and c21 share 1/2, and c34 is free.
    """

    def pair(first: str, second: str, total: Array, rate: Array, low: Array, high: Array) -> tuple[Array, Array]:
        """Return the first from low to high, the second total - rate * first."""
        base, slope = np.stack([np.zeros_like(total), total]), np.stack([np.ones_like(rate), -rate])
        return _least(measure, base, slope, np.stack([at[first], at[second]], axis=1), low, high)

    none, one = np.zeros_like(b11), np.ones_like(b11)
    most_b23 = (b11 - b21) / (2 * (1 - b21)) if sub_family == "c11 = 1/2" else none
    b23, in_b = pair("b23", "b33", (1 + b11 + b21 + np.maximum(b11, b21)) / 2, 1 - b21, none, most_b23)
    share = np.clip(at["b32"][1] + at["c33"][1], 1 / 2, 1 / 2 + _room(b11, b21))
    b32, in_k = pair("b32", "c33", share, one, none, share)
    low, high = {"c11 = 0": (none, none), "c11 = 1/2": (one / 2, one / 2), "c11 between": (none, _most_c11(b11))}[sub_family]
    c11, in_c = pair("c11", "c21", one / 2, one, low, high)
    total = in_b + in_k + in_c
    for name, bet in (("b11", b11), ("b21", b21), ("b41", 2 * b11 + 2 * b21)):
        total += measure.value(bet, at[name])
    parameters = dict(zip(PARAMETERS_3P, (c11, b11, b21, b23, b32, share - b32, at["c34"][1] * one), strict=True))
    return total, parameters
