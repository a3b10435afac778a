"""Tables 5.1 to 5.3: the names of the document's strategy variables, its equilibria as printed, and the corrected equations.

A variable such as `BQ2` is the probability that player B (of A, B, C) bets or calls with Q at that player's second node of
Table 5.1. The corrected equations of three players are those of Szafron, Gibson and Sturtevant 2013, as in
`evaluation.equilibria`, which numbers the nodes of player B differently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import inf

from smoothcall.evaluation.equilibria import bets_of
from smoothcall.experiments.bahuguna2018.settings import HISTORIES
from smoothcall.information.game import Game
from smoothcall.policy import Key, Policy

CARDS = {2: "JQK", 3: "JQKA"}
Range = tuple[float, float]


def betting_of(history: str) -> str:
    """Return a history of p (pass) and b (bet) as in the information-state keys."""
    first = history.find("b")
    letters = [
        ("r" if at == first else "c" if letter == "b" else "f" if -1 < first < at else "c") for at, letter in enumerate(history)
    ]
    return "".join(letters)


def variable_keys(made: Game) -> dict[str, str]:
    """Return the information-state key of each variable."""
    return {
        f"{player}{card}{number}": f"{card}:{betting_of(history)}"
        for player, histories in zip("ABC", HISTORIES[made.name], strict=False)
        for number, history in enumerate(histories, 1)
        for card in CARDS[made.players]
    }


def variables(policy: Policy) -> dict[str, float]:
    """Return the variables of a policy."""
    bets = bets_of(policy)
    return {name: float(bets[policy.game.rows(key)[0]]) for name, key in variable_keys(policy.game).items()}


def policy_of(made: Game, bets: Mapping[str, float]) -> Policy:
    """Return the policy with these variables; those not named are 0."""
    table: dict[Key, dict[str, float]] = {}
    for name, key in variable_keys(made).items():
        passing, betting = made.tree.children(made.node_of(made.rows(key)[0]))
        table[key] = {passing: 1 - bets.get(name, 0.0), betting: bets.get(name, 0.0)}
    return Policy.from_probabilities(made, table, strict=True)


def printed_2p(alpha: float) -> dict[str, float]:
    """Return Table 5.2 as printed: the variables that are not 0."""
    always = dict.fromkeys(("AK2", "BK1", "BK2"), 1.0)
    return {**always, "AQ2": alpha + 1 / 3, "AK1": 3 * alpha, "BJ1": 1 / 3, "BQ1": 1 / 3, "BQ2": 1 / 3}


def printed_3p() -> Iterator[tuple[dict[str, float], dict[str, float]]]:
    """Yield profiles that Table 5.3 allows as printed: (free variables, all variables that are not 0).

    The free variables CJ1, BJ1 and BQ1 are on a grid, BQ2, BQ3, BK4 and CK4 are at their least value. The range that the
    table prints for CJ4 in the row of CK3 is taken for that of CK3, whose lower end is 1/2.
    """
    always = dict.fromkeys(("AA2", "AA3", "AA4", "BA2", "BA3", "BA4", "CA1", "CA2", "CA3", "CA4"), 1.0)
    grid = (0.0, 1 / 12, 1 / 6, 1 / 4)
    for cj1, bj1, bq1 in product((0.0, 1 / 4, 1 / 2), grid, grid):
        if cj1 == 0:
            allowed = bj1 <= bq1
        elif cj1 < 1 / 2:
            allowed = bq1 == bj1
        else:
            allowed = bq1 <= min(bj1, (1 - bj1) / 2)
        if allowed and cj1 <= min(1 / 2, (2 - bj1) / (3 + 2 * bj1 + 2 * bq1)):
            free = {"CJ1": cj1, "BJ1": bj1, "BQ1": bq1}
            yield (
                free,
                {**always, **free, "CQ1": 1 / 2 - cj1, "AK3": 1 / 2, "BK2": (1 + bj1 + bq1 + max(bj1, bq1)) / 2, "CK3": 1 / 2},
            )


def family_name(name: str) -> str:
    """Return the name that `evaluation.equilibria` has for a variable: BK4 is b32."""
    player, card, number = name[0].lower(), "JQKA".index(name[1]) + 1, int(name[2])
    if player == "b":
        number = (1, 3, 4, 2)[number - 1]
    return f"{player}{card}{number}"


def expected(values: Mapping[str, float]) -> list[dict[str, Range]]:
    """Return what the corrected equations leave to each variable, given the free variables of a run: one or more families."""
    exact = dict.fromkeys(values, 0.0)
    if "CJ1" not in values:
        exact |= dict.fromkeys(("AK2", "BK1", "BK2"), 1.0) | dict.fromkeys(("BJ1", "BQ2"), 1 / 3)
        alpha = values["AJ1"]
        exact |= {"AQ2": alpha + 1 / 3, "AK1": 3 * alpha}
        return [{name: (value, value) for name, value in exact.items()} | {"AJ1": (0.0, 1 / 3)}]
    cj1, bj1, bq1, bq2, bk4 = (values[name] for name in ("CJ1", "BJ1", "BQ1", "BQ2", "BK4"))
    beta = max(bj1, bq1)
    room = 3 / 4 * (bj1 + bq1) + beta / 4
    exact |= dict.fromkeys(("AA2", "AA3", "AA4", "BA2", "BA3", "BA4", "CA1", "CA2", "CA3", "CA4"), 1.0)
    exact |= {"AK3": 1 / 2, "CQ1": 1 / 2 - cj1, "BA1": 2 * bj1 + 2 * bq1}
    exact["BK2"] = (1 + bj1 + bq1 + beta) / 2 - bq2 * (1 - bq1)
    common = {name: (value, value) for name, value in exact.items()}
    common |= {"BK4": (0.0, 1 / 2 + room), "CK3": (max(0.0, 1 / 2 - bk4), 1 / 2 + room - bk4), "CK4": (0.0, 1.0)}
    never: Range = (0.0, 0.0)
    most_bq2 = max(0.0, (bj1 - bq1) / (2 * (1 - bq1)))
    return [
        common | {"CJ1": never, "BQ1": (0.0, 1 / 4), "BJ1": (0.0, bq1), "BQ2": never},
        common | {"CJ1": (0.0, min(1 / 2, (2 - bj1) / (3 + 4 * bj1))), "BJ1": (0.0, 1 / 4), "BQ1": (bj1, bj1), "BQ2": never},
        common | {"CJ1": (1 / 2, 1 / 2), "BJ1": (0.0, 1 / 4), "BQ1": (0.0, min(bj1, 1 / 2 - 2 * bj1)), "BQ2": (0.0, most_bq2)},
    ]


def furthest(values: Mapping[str, float]) -> tuple[float, str]:
    """Return the largest distance of a variable from what the equations expect, and its name: Section 5.2's test.

    Of several families the one with the smallest largest distance counts.
    """
    best = (inf, "")
    for ranges in expected(values):
        best = min(best, max((max(low - values[name], values[name] - high, 0.0), name) for name, (low, high) in ranges.items()))
    return best


def expected_utilities(values: Mapping[str, float]) -> tuple[float, ...]:
    """Return the game values of Tables 5.2 and 5.3, with beta = max(BJ1, BQ1) of the run."""
    if "CJ1" not in values:
        return -1 / 18, 1 / 18
    beta = max(values["BJ1"], values["BQ1"])
    return -(1 / 2 + beta) / 24, -1 / 48, (1 + beta) / 24
