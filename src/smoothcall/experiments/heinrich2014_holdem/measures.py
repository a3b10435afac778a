"""What is measured of the hold'em agents: sizes, matches, lower bounds of exploitability, folds of the best hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.scripted import Rule
from smoothcall.agents.view import Player
from smoothcall.evaluation.learned_response import learned_response
from smoothcall.evaluation.local_best_response import local_best_response
from smoothcall.evaluation.match import match
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.cross_table import CrossTable, cross_table
from smoothcall.experiments.heinrich2014.figures import read, save
from smoothcall.experiments.heinrich2014_holdem.agents import GREEDY, SEED, L, S, Trained
from smoothcall.information.dealing import Dealer
from smoothcall.information.named_games import game
from smoothcall.kernels.tables import DECISION, Array
from smoothcall.policy import Policy

GRIDS = {"2p S": S, "2p L": L, "3p": "limit-holdem-3p"}
DEALT = {"3p": "limit-holdem:grid=3p"}  # a game of two players with the same buckets is built in a second
BEST = ("AA", "KK", "QQ", "AKs")
OPPONENTS = (str(Rule.ALWAYS_RAISE), str(Rule.PROBE))  # of the three-player agents
FEW_HANDS = 30_000  # of a three-player match in the document


def sizes(deals: int) -> dict[str, Any]:
    """Return the size of each grid, and the nodes of the two-player game.

    By grid: buckets on each street, those that came up in `deals` deals, nodes of the action tree, information states.
    """
    found: dict[str, Any] = {}
    for label, spec in GRIDS.items():
        made = game(spec)
        nodes, _, states = made.size
        found[label] = {
            "buckets": made.buckets,
            "used": used_buckets(DEALT.get(label, spec), deals),
            "nodes": nodes,
            "states": states,
        }
    per_street = np.bincount(game(S).tree.round, minlength=4)
    cards = [comb(52, 2) * comb(50, 2)]
    for more in (comb(48, 3), 45, 44):
        cards.append(cards[-1] * more)
    found["game tree"] = float(sum(int(count) * ways for count, ways in zip(per_street, cards, strict=True)))
    return found


def used_buckets(spec: str, deals: int) -> list[int]:
    """Return, by street, the buckets of a game that came up in some deals."""
    bucket = Dealer(game(spec), SEED).deal(deals)[0]
    return [len(np.unique(bucket[:, :, street])) for street in range(bucket.shape[2])]


def table(players: Mapping[str, Policy], hands: int, *, scripted: bool = False) -> dict[str, Any]:
    """Return the cross table of policies and, with `scripted`, of the scripted players."""
    seated: dict[str, Player] = {label: PolicyPlayer(policy) for label, policy in players.items()}
    rules: dict[str, Player] = {str(rule): BatchPlayer(rule) for rule in Rule} if scripted else {}
    made = next(iter(players.values())).game
    found = cross_table(made, seated | rules, hands=hands, seed=SEED)
    cells = [[None if cell is None else save(cell) for cell in row] for row in found.cells]
    return {"game": found.game, "rows": found.rows, "columns": found.columns, "cells": cells}


def read_table(data: Mapping[str, Any]) -> CrossTable:
    cells = tuple(tuple(None if cell is None else read(cell) for cell in row) for row in data["cells"])
    return CrossTable(data["game"], tuple(data["rows"]), tuple(data["columns"]), cells, ())


def won(data: Mapping[str, Any], row: str, column: str) -> Estimate:
    """Return what the player of a row wins against that of a column, in mbb/h."""
    found = read_table(data)
    cell = found.cells[found.rows.index(row)][found.columns.index(column)]
    assert cell is not None
    return cell


def head_to_head(one: Policy, other: Policy, hands: int) -> dict[str, Any]:
    """Return what `one` wins against `other`, in mbb/h."""
    players: list[Player] = [PolicyPlayer(one), PolicyPlayer(other)]
    return save(match(one.game, players, names=["one", "other"], hands=hands, seed=SEED).estimates[0])


def bounds(policy: Policy, *, deals: int, episodes: int, hands: int) -> dict[str, Any]:
    """Return two lower bounds of what a best response wins, in mbb/h; without `episodes` only the local one."""
    found = {"local": save(local_best_response(policy, deals=deals, seed=SEED).total)}
    if episodes:
        found["learned"] = save(learned_response(policy, episodes=episodes, hands=hands, seed=SEED).total)
    return found


def best_folded(policy: Policy) -> dict[str, float]:
    """Return `folded` of the best hands."""
    return {hand: folded(policy, hand) for hand in BEST}


def folded(policy: Policy, hand: str) -> float:
    """Return the largest probability of folding a class of hands before the flop, over all ways the others may play."""
    tree, abstraction = policy.game.tree, policy.game.abstraction
    assert abstraction is not None
    bucket = abstraction.classes.index(hand)

    def worst(node: int, seat: int) -> float:
        if tree.kind[node] != DECISION or tree.round[node] > 0:
            return 0.0
        children = tree.children(node)
        below = {
            letter: 1.0 if letter == "f" and tree.player[node] == seat else worst(child, seat)
            for letter, child in children.items()
        }
        if tree.player[node] != seat:
            return max(below.values())
        probabilities = policy.weights[int(tree.first_row[node]) + bucket] / policy.scale
        return sum(float(probabilities[tree.slot[child]]) * below[letter] for letter, child in children.items())

    return max(worst(0, seat) for seat in range(tree.players))


def curve_point(trained: Trained, opponent: Policy, *, deals: int, hands: int) -> dict[str, Any]:
    """Return, by form, the winnings against a fixed opponent and a local best response; and the speed of training."""
    found: dict[str, Any] = {"speed": trained.speed}
    for form in ("greedy", "average"):
        won_by = head_to_head(trained[form], opponent, hands)
        found[form] = {"won": won_by, **bounds(trained[form], deals=deals, episodes=0, hands=hands)}
    return found


def visit_shares(visits: Array, rule: int) -> dict[str, float]:
    """Return how many information states self-play visited, how many of them `rule` times, and the share of its decisions
    that fell on states with fewer visits than that. visits[rows]."""
    seldom = visits < rule
    return {
        "states": len(visits),
        "visited": int(np.count_nonzero(visits)),
        "often": int(np.count_nonzero(~seldom)),
        "seldom share": float(visits[seldom].sum() / visits.sum()),
    }


def three_players(trained: Trained, hands: Sequence[int]) -> dict[str, Any]:
    """Return, by form, the winnings against Always-Raise and Probe in as many hands, and folds of the best hands."""
    found: dict[str, Any] = {"speed": trained.speed, "forms": {}}
    for form, policy in trained.forms.items():
        players: list[Player] = [PolicyPlayer(policy), *(BatchPlayer(Rule(name)) for name in OPPONENTS)]
        names = [form, *OPPONENTS]
        played = {str(count): match(policy.game, players, names=names, hands=count, seed=SEED) for count in hands}
        results = {count: save(result.estimates[0]) for count, result in played.items()}
        found["forms"][form] = {"won": results, "folded": best_folded(policy)}
    found["iterations"] = trained[GREEDY].card.get("iterations")
    return found
