"""Figures without sampling: the games, and the equilibria that the document prints."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from smoothcall.evaluation.equilibria import kuhn_member
from smoothcall.evaluation.exploitability import best_response, evaluate
from smoothcall.experiments.bahuguna2018.equations import (
    expected_utilities,
    family_name,
    policy_of,
    printed_2p,
    printed_3p,
    variables,
)
from smoothcall.experiments.bahuguna2018.forms import tables_of
from smoothcall.experiments.bahuguna2018.settings import HISTORIES
from smoothcall.games.matrix import MatrixGame
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.policy import Policy

ALPHAS = (0.0, 1 / 12, 1 / 6, 1 / 4, 1 / 3)


def facts() -> dict[str, Any]:
    """Measure everything that is exact."""
    trees = {played: _tree(game(played)) for played in HISTORIES}
    tables = {"table 5.2": _table_5_2(), "table 5.3": _table_5_3(), "flat": _flat()}
    return {"rps": _rock_paper_scissors(), "trees": trees, **tables}


def _rock_paper_scissors() -> dict[str, Any]:
    made = game("rps")
    assert isinstance(made.rules, MatrixGame)
    payoffs = made.rules.payoffs  # [3, 3, 2]
    _, singular, vectors = np.linalg.svd(payoffs[:, :, 0].T)  # player 1's strategies that make player 2 indifferent
    kernel = vectors[-1] / vectors[-1].sum()
    rock, paper = 0, 1
    regrets = payoffs[:, paper, 0] - payoffs[rock, paper, 0]
    pure, even = (Policy(made, np.tile(row, (2, 1))) for row in ([1.0, 0.0, 0.0], [1 / 3] * 3))
    return {
        "payoffs": payoffs,
        "kernel": kernel,
        "kernel_dimension": int((singular < 1e-12).sum()),
        "regrets": regrets,
        "against_rock": best_response(made, pure, 1).value,
        "against_even": best_response(made, even, 1).value,
    }


def _tree(made: Game) -> dict[str, Any]:
    """Return deals, nodes, the histories of each player's decisions in depth-first order, and the pot of each ending."""
    histories: list[list[str]] = [[] for _ in range(made.players)]
    pots = {}
    for node, history in _depth_first(made, 0, ""):
        if made.tree.player[node] < 0:
            pots[history] = int(made.tree.paid[node].sum())
        else:
            histories[made.tree.player[node]].append(history)
    return {
        "deals": made.deals.count,
        "decisions": len(made.tree.decisions),
        "endings": len(made.tree.endings),
        "levels": len(tables_of(made).levels) - 1,  # with decisions
        "histories": histories,
        "pots": pots,
        "zero_sum": made.zero_sum,
        "keys": made.keys,
        "row_player": made.row_player,
    }


def _depth_first(made: Game, node: int, history: str) -> Iterator[tuple[int, str]]:
    """Yield (node, history of p and b) of a subtree, passes first."""
    yield node, history
    for letter, child in zip("pb", made.tree.children(node).values(), strict=False):
        yield from _depth_first(made, child, history + letter)


def _table_5_2() -> dict[str, Any]:
    made = game("kuhn")
    printed = [evaluate(made, policy_of(made, printed_2p(alpha))) for alpha in ALPHAS]
    corrected = [evaluate(made, kuhn_member(made, alpha=alpha)) for alpha in ALPHAS]
    return {
        "alpha": ALPHAS,
        "printed": [each.epsilon for each in printed],
        "corrected": [each.epsilon for each in corrected],
        "values": [each.values for each in corrected],
    }


def _table_5_3() -> dict[str, Any]:
    """Evaluate the profiles that the table allows as printed, and members of the corrected family with the same free variables.

    Where the corrected family does not have a combination, it is left out there.
    """
    made = game("kuhn-3p")
    printed, corrected, apart = [], [], []
    for free, bets in printed_3p():
        printed.append({**free, "epsilon": evaluate(made, policy_of(made, bets)).epsilon})
    for cj1, bj1, bq1 in product((0.0, 1 / 4, 1 / 2), (0.0, 1 / 12, 1 / 6, 1 / 4), (0.0, 1 / 12, 1 / 6, 1 / 4)):
        if (cj1 == 0 and bj1 <= bq1) or (0 < cj1 < 1 / 2 and bj1 == bq1) or (cj1 == 1 / 2 and bq1 <= min(bj1, 1 / 2 - 2 * bj1)):
            given = {family_name(name): value for name, value in (("CJ1", cj1), ("BJ1", bj1), ("BQ1", bq1))}
            member = kuhn_member(made, **given)
            found = evaluate(made, member)
            corrected.append(found.epsilon)
            apart.append(float(abs(np.subtract(found.values, expected_utilities(variables(member)))).max()))
    return {"printed": printed, "corrected": corrected, "utilities_apart": apart}


def _flat() -> dict[str, Any]:
    """Measure what it costs three players that player 2 bets Q more often than J while player 3 bluffs with both.

    All other variables obey the equations. In equilibrium BQ1 = BJ1.
    """
    made, more = game("kuhn-3p"), (0.0, 0.03, 0.06, 0.1)
    bets = variables(kuhn_member(made, c11=1 / 4, b11=0.1, b21=0.1))
    epsilons = []
    for extra in more:
        changed = {**bets, "BQ1": 0.1 + extra, "BA1": 2 * (0.2 + extra), "BK2": (1.3 + 2 * extra) / 2}
        epsilons.append(evaluate(made, policy_of(made, changed)).epsilon)
    return {"more": more, "epsilon": epsilons}
