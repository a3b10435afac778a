"""A walk through an agent's strategy: its probabilities at one public betting sequence, for every hand it may hold.

Small games list every information state. Hold'em shows the 169 hand classes before the flop, as lines and as a grid, and the
agent's buckets on later streets. A player's *range* at a spot weights each hand by the probability of its deal times that of
the player's own moves up to the spot. The range is exact in small games and before the flop. On later streets, where players
forget earlier buckets, it is estimated from a fixed sample of deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.notation import move_name, split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.abstraction import Abstraction
from smoothcall.holdem.hand_strength import RIVER
from smoothcall.information.extensive import ExtensiveGame
from smoothcall.information.game import Game
from smoothcall.information.translation import node_like
from smoothcall.kernels.tables import DECISION, FOLD, Array
from smoothcall.play.log import position_name, street_name
from smoothcall.play.spots import Spot, SpotLine, SpotMove, explore_history
from smoothcall.policy import Policy

__all__ = ["Spot", "SpotLine", "SpotMove", "explore", "label_at"]
SAMPLED = 40_000  # deals


def explore(policy: Policy, betting: str = "") -> Spot:
    """Return the spot after a betting sequence; in no-limit games, after its translation to the agent's menu."""
    game = policy.game
    if isinstance(game, ExtensiveGame):
        return explore_history(policy, betting)
    if not isinstance(game.rules, PokerRules):
        raise UsageError(f"{game.spec} has no betting to explore: everybody chooses at once")
    node = node_like(game, betting)
    if node is None:
        raise UsageError(f"betting {betting!r}: the hand is over, or the agent has no strategy there")
    tree, known = game.tree, game.tree.betting(node)
    state = _after(game.rules, known)
    player, street = int(tree.player[node]), int(tree.round[node])
    lines = _lines(policy, node)
    weights = np.array([line.share for line in lines])
    if not weights.any():
        weights = np.array([line.deal_probability for line in lines])
    return Spot(
        game=game.spec,
        betting=known,
        note="" if known == betting else f"the agent learned a menu of raises: {betting} is treated as {known}",
        street=street,
        street_name=street_name(game.rules, street),
        seat=player,
        player=position_name(game.rules, player),
        pot=state.pot,
        to_call=state.to_call,
        reach=float(sum(line.reach * line.deal_probability for line in lines)),
        path=_path(game, node),
        moves=_moves(game, node, state, lines, weights),
        lines=lines,
        grid=_grid(game.abstraction, lines) if game.abstraction is not None and street == 0 else (),
        sampled=game.sampled and street > 0,
    )


def label_at(game: Game, hole: Cards, boards: Sequence[Cards], betting: str) -> str:
    """Return the label of the line of these cards at the spot after a betting sequence; "" where there is no such spot."""
    node = node_like(game, betting)
    if node is None:
        return ""
    street, bucket = int(game.tree.round[node]), game.row_at(node, hole, boards) - int(game.tree.first_row[node])
    return _labels(game, street)[bucket]


def _after(rules: PokerRules, betting: str) -> Betting:
    state = Betting(rules)
    for letter in split_moves(betting):
        state.play(letter)
    return state


def _path(game: Game, node: int) -> tuple[tuple[str, str], ...]:
    rules = game.rules
    assert isinstance(rules, PokerRules)
    state, steps = Betting(rules), [("Start", "")]
    for letter in split_moves(game.tree.betting(node)):
        assert state.player is not None
        name = f"{position_name(rules, state.player)}: {move_name(state, letter)}"
        state.play(letter)
        steps.append((name, state.text))
    return tuple(steps)


def _moves(game: Game, node: int, state: Betting, lines: tuple[SpotLine, ...], weights: Array) -> tuple[SpotMove, ...]:
    tree, player = game.tree, int(game.tree.player[node])
    assert isinstance(game.rules, PokerRules)
    found = []
    for letter, child in tree.children(node).items():
        goes_on = tree.kind[child] == DECISION
        begins = goes_on and tree.round[child] > tree.round[node]
        made = np.array([line.probabilities[letter] for line in lines])
        found.append(
            SpotMove(
                letter=letter,
                name=move_name(state, letter),
                chips=int(tree.paid[child, player] - tree.paid[node, player]),
                share=float(weights @ made / weights.sum()),
                leads=tree.betting(child) if goes_on else None,
                ending="" if goes_on else "fold" if tree.kind[child] == FOLD else "showdown",
                street=street_name(game.rules, int(tree.round[child])) if begins else "",
            )
        )
    return tuple(found)


def _lines(policy: Policy, node: int) -> tuple[SpotLine, ...]:
    game, tree = policy.game, policy.game.tree
    street, betting = int(tree.round[node]), tree.betting(node)
    deal_probability, reach = _reached(policy, node)
    ranged = deal_probability * reach
    shares = ranged / ranged.sum() if ranged.any() else ranged
    count = game.buckets[street]
    labels = _labels(game, street)
    slots = [(letter, int(tree.slot[child])) for letter, child in tree.children(node).items()]
    table = _weights(policy, node) / policy.scale
    return tuple(
        SpotLine(
            label=labels[bucket],
            key=f"{labels[bucket]}:{betting}",
            meaning=_meaning(game.abstraction, street, bucket),
            probabilities={letter: float(table[bucket, slot]) for letter, slot in slots},
            deal_probability=float(deal_probability[bucket]),
            reach=float(reach[bucket]),
            share=float(shares[bucket]),
        )
        for bucket in range(count)
    )


def _weights(policy: Policy, node: int) -> Array:
    """Return [buckets, A] of a decision; a batch policy is evaluated there only."""
    if isinstance(policy, TabulatedPolicy):
        return policy.node_weights(node)
    first = int(policy.game.tree.first_row[node])
    found: Array = policy.weights[first : first + policy.game.buckets[int(policy.game.tree.round[node])]]
    return found


def _labels(game: Game, street: int) -> list[str]:
    if game.abstraction is None:
        return list(game.deals.labels[street])
    return [game.abstraction.label(street, bucket) for bucket in range(game.buckets[street])]


def _meaning(abstraction: Abstraction | None, street: int, bucket: int) -> str:
    """Return the range of hand strengths in a bucket; clusters have none."""
    if abstraction is None or street == 0 or street not in abstraction.edges:
        return ""
    edges, most = abstraction.edges[street], abstraction.scale(street)
    bucket %= len(edges)  # each texture has the same intervals
    low = int(edges[bucket]) / most
    high = int(edges[bucket + 1]) / most if bucket + 1 < len(edges) else 1.0
    if street == RIVER:
        return f"beats {low:.1%} to {high:.1%} of hands"
    return f"{'E[HS]' if abstraction.cells == 'equity' else 'E[HS²]'} {low:.3f} to {high:.3f}"


def _reached(policy: Policy, node: int) -> tuple[Array, Array]:
    """Return (probability of the deal [buckets], probability of the player's own moves up to the node [buckets])."""
    game, tree = policy.game, policy.game.tree
    player, street = int(tree.player[node]), int(tree.round[node])
    buckets, weight = _deals(game, player, street)
    own = np.ones(len(weight))
    below = node
    while (above := int(tree.parent[below])) >= 0:
        if tree.player[above] == player:
            own *= _weights(policy, above)[buckets[:, int(tree.round[above])], int(tree.slot[below])] / policy.scale
        below = above
    count = game.buckets[street]
    dealt = np.bincount(buckets[:, street], weight, count)
    reached = np.bincount(buckets[:, street], weight * own, count)
    return dealt, np.divide(reached, dealt, out=np.zeros(count), where=dealt > 0)


def _deals(game: Game, player: int, street: int) -> tuple[Array, Array]:
    """Return (buckets [n, streets], weights [n]): of all deals, of all hand classes, or of a sample."""
    if game.abstraction is None:
        return game.deals.bucket[:, player], np.asarray(game.deals.weight, np.float64)
    if street == 0:
        suits = game.abstraction.deck.suit_count
        ways = {"s": suits, "o": suits * (suits - 1)}
        counts = np.array([ways.get(name[2:], suits * (suits - 1) // 2) for name in game.abstraction.classes], float)
        return np.arange(len(counts))[:, None], counts / counts.sum()
    if game not in _samples:
        bucket, _ = game.dealer(0).deal(SAMPLED)
        _samples[game] = bucket.reshape(-1, bucket.shape[2])  # all seats draw from the same distribution
    sample = _samples[game]
    return sample, np.full(len(sample), 1 / len(sample))


_samples: WeakKeyDictionary[Game, Array] = WeakKeyDictionary()


def _grid(abstraction: Abstraction, lines: tuple[SpotLine, ...]) -> tuple[tuple[SpotLine, ...], ...]:
    ranks, by_label = abstraction.deck.ranks[::-1], {line.label: line for line in lines}

    def label(row: int, column: int) -> str:
        high, low = ranks[min(row, column)], ranks[max(row, column)]
        return high + low + ("" if row == column else "s" if column > row else "o")

    size = range(len(ranks))
    return tuple(tuple(by_label[label(row, column)] for column in size) for row in size)
