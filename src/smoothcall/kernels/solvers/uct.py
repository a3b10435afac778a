"""Self-play Monte-Carlo tree search over information states: UCT and Smooth UCT in one loop (Heinrich and Silver 2014).

An episode is one sampled hand. Each player who learns has a tree of rows: inside it an action is selected, the first row
outside it is added to it and from there on that player plays at random. Then every row passed in a tree learns the return.

An episode is a chain of loads and draws, each waiting for the one before. So a row is one record: in large games it costs
one cache line and not six. And what a selection needs of a row's visits (the width of its bounds, the share of the mixing
schedule) is worked out when the row learns, where nothing waits for it. Illegal actions need no test: their mean is -inf.

Who folds loses what he has paid, whatever comes. Where folds are `known`, that is their mean from the start, and every visit
of a row counts as one of its fold: whatever was played, it is known what folding would have brought. So no fold is played to
learn its value, and nobody folds aces. Its bound has the width that goes with these visits and not none: else the others' would
win every comparison of equals. Where folds are tried, as the documents have it, a fold is an action like others: every state
folds now and then to see what that brings, and Smooth UCT repeats it as a part of its average.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.buckets import Cards
from smoothcall.kernels.holdem.dealing import BATCH, deal_cards
from smoothcall.kernels.random import draw, draw_deal
from smoothcall.kernels.solvers.matching import choose
from smoothcall.kernels.solvers.threads import until_renewal
from smoothcall.kernels.tables import Array, Integer, Walk

CONSTANT, DECAY, GREATEST, SLOW = 0, 1, 2, 3  # mixing schedules
FEW = 10  # visits below which a row does not fold where folds are known: one unlucky hand says nothing about the others


class Mixing(NamedTuple):
    """How often a selection looks for the best action, by upper confidence bounds, instead of playing the average policy."""

    schedule: int
    eta: float  # CONSTANT: how often; DECAY: at the start
    gamma: float  # DECAY: at least
    d: float  # DECAY: how fast
    patience: float  # visits of a row below which it always plays the average policy
    known: int  # the slot of the action whose value is known, the fold, or -1
    most: float  # visits of an action at which those of its row are halved: numbers of 32 bits count no further than 2 ** 24


# A row of `tree`[rows, 3 A + 2] is a record of a player's information state: the visits of the A actions; their mean returns,
# -inf where illegal; 1 / sqrt(visits), inf where never tried and finite where illegal, for a known fold those of the row and
# -inf while they are few; sqrt(log(visits of the row)); and how often to select by bounds, below 0 in a row that is not in the
# tree yet.


class Nodes(NamedTuple):
    """The decisions of the action tree, D of them, renumbered in their order, as records; and how wide their bounds are."""

    record: Array  # [D, 4 + 2 A] int32: see below; then the slots played at random; then what each action leads to
    explore: Array  # [D] float32: the exploration constant


PLAYER, STREET, FIRST_ROW, OPEN, SLOTS = 0, 1, 2, 3, 4  # of Nodes.record; a hand ends where an action leads to -1 - ending


@inlined
def share_of_bounds(mixing: Mixing, total: float, most: float) -> float:
    """How often to select by bounds at a row with so many visits, `most` of them of one action."""
    if total < mixing.patience:
        return 0.0
    if mixing.schedule == CONSTANT:
        return mixing.eta
    if mixing.schedule == DECAY:
        return max(mixing.gamma, mixing.eta / (1.0 + mixing.d * float(np.sqrt(total))))
    if mixing.schedule == GREATEST:
        return most / total
    return 0.9 * 10000.0 / (10000.0 + float(np.sqrt(total)))


@inlined
def refresh_row(tree: Array, row: Integer, actions: Integer, mixing: Mixing) -> None:
    """What follows from a row's visits."""
    total, most, after = 0.0, 0.0, np.uint32(3) * actions
    for action in range(actions):
        total += tree[row, action]
        most = max(most, tree[row, action])
    if mixing.known >= 0:
        known = np.uint32(2) * actions + np.uint32(mixing.known)
        tree[row, known] = 1.0 / np.sqrt(total) if total >= FEW else -np.inf
    tree[row, after] = np.sqrt(np.log(total))
    tree[row, after + np.uint32(1)] = share_of_bounds(mixing, total, most)


@inlined
def inverse_root(visits: float) -> float:
    """1 / sqrt(visits) of a number as the tree stores it: a restored tree has the same bits."""
    return 1.0 / float(np.sqrt(np.float64(visits)))


@kernel
def refresh(tree: Array, mixing: Mixing) -> None:
    """Work out every column that follows from visits and means, for all rows: those without visits leave the tree."""
    actions = np.uint32((tree.shape[1] - 2) // 3)
    for row in range(len(tree)):
        seen = False
        for action in range(actions):
            root = np.uint32(2) * actions + action
            if tree[row, action] > 0:
                tree[row, root] = inverse_root(tree[row, action])
                seen = True
            elif tree[row, actions + action] == -np.inf:  # illegal
                tree[row, root] = 0.0
            else:
                tree[row, root] = -np.inf if action == mixing.known else np.inf
        if seen:
            refresh_row(tree, row, actions, mixing)
        else:
            tree[row, np.uint32(3) * actions] = 0.0
            tree[row, np.uint32(3) * actions + np.uint32(1)] = -1.0


@kernel
def plant(
    tree: Array, child: Array, first_row: Array, street: Array, buckets: Array, player: Array, paid: Array, mixing: Mixing
) -> None:
    """Empty records for every row of every decision. child[N, A], first_row[N], street[N], buckets[R], player[N], paid[N, P]."""
    actions = child.shape[1]
    for node in range(len(child)):
        if first_row[node] < 0:
            continue
        for row in range(first_row[node], first_row[node] + buckets[street[node]]):
            for action in range(actions):
                legal = child[node, action] >= 0
                tree[row, action] = 0.0
                tree[row, actions + action] = 0.0 if legal else -np.inf
                if legal and action == mixing.known:
                    tree[row, actions + action] = -paid[node, player[node]]
    refresh(tree, mixing)


@inlined
def learn(tree: Array, row: Integer, action: Integer, actions: Integer, payoff: float, mixing: Mixing) -> None:
    if tree[row, action] >= mixing.most:
        for other in range(actions):
            tree[row, other] *= 0.5
            if tree[row, other] > 0:
                tree[row, np.uint32(2) * actions + other] = inverse_root(tree[row, other])
    tree[row, action] += 1.0
    visits, mean = np.float64(tree[row, action]), tree[row, actions + action]
    tree[row, actions + action] = mean + (payoff - mean) / visits
    tree[row, np.uint32(2) * actions + action] = inverse_root(visits)
    refresh_row(tree, row, actions, mixing)


@inlined
def best_by_bounds(tree: Array, row: Integer, actions: Integer, explore: float) -> Integer:
    """The first action with the highest mean return + explore * sqrt(log N / n); explore > 0, so the untried come first."""
    chosen: Integer = np.uint64(0)
    best, spread = -np.inf, np.uint32(2) * actions
    explore = max(explore * tree[row, np.uint32(3) * actions], 1e-12)
    for action in range(actions):
        bound = tree[row, actions + action] + explore * tree[row, spread + action]
        better = bound > best  # False where illegal: the bound is -inf
        best = bound if better else best
        chosen = action if better else chosen
    return chosen


@inlined
def from_average(tree: Array, row: Integer, actions: Integer, number: float) -> Integer:
    """The action of the average policy that a number in [0, 1) falls on."""
    chosen: Integer = np.uint64(0)
    total = 0.0
    for action in range(actions):
        total += tree[row, action]
    left = number * total
    for action in range(actions - np.uint32(1)):
        left -= tree[row, action]
        chosen += np.uint64(left >= 0)
    while tree[row, chosen] == 0:  # a number that rounding brought to 1
        chosen -= np.uint64(1)
    return chosen


@inlined
def select(tree: Array, row: Integer, actions: Integer, explore: float, share: float, number: float) -> Integer:
    """The action of the tree policy. One number in [0, 1) decides between bounds and average, and within the latter."""
    if number < share:
        return best_by_bounds(tree, row, actions, explore)
    return from_average(tree, row, actions, (number - share) / (1.0 - share))


class Play(NamedTuple):
    """Who plays how, and what is kept of it."""

    learners: int  # a bit per player who learns
    fixed: Array  # [rows, A] what the others play, times `scale`; [0, A] where all learn
    scale: float
    earned: Array  # [P] chips each player has won so far
    row: Array  # [depth] uint64: scratch, the moves of one episode
    action: Array  # [depth] uint64
    actor: Array  # [depth] uint64


@kernel
def play_deals(
    nodes: Nodes, payoff: Array, bucket: Array, outcome: Array, deals: Array, tree: Array, mixing: Mixing, play: Play,
    generator: Array,
) -> int:  # fmt: skip
    """One episode for each of `deals`, which are places in bucket[D, P, R] and outcome[D]. Returns the nodes visited."""
    actions = np.uint32((nodes.record.shape[1] - SLOTS) // 2)
    first, leads, bounds = np.uint32(SLOTS), np.uint32(SLOTS) + actions, np.uint32(3) * actions + np.uint32(1)
    visited = 0
    for number_of_deal in range(len(deals)):
        deal = deals[number_of_deal]
        node, steps, outside = 0, 0, 0
        visited += 1
        while node >= 0:
            place = np.uint32(node)
            actor, street = np.uint32(nodes.record[place, PLAYER]), np.uint32(nodes.record[place, STREET])
            row = np.uint64(nodes.record[place, FIRST_ROW] + bucket[deal, actor, street])
            number, action = draw(generator), np.uint32(0)
            if not (play.learners >> actor) & 1:
                action = np.uint32(choose(play.fixed[row], number * play.scale))
            elif (outside >> actor) & 1:
                action = np.uint32(nodes.record[place, first + np.uint32(number * nodes.record[place, OPEN])])
            else:
                share = tree[row, bounds]
                if share >= 0:
                    action = np.uint32(select(tree, row, actions, nodes.explore[place], share, number))
                else:
                    outside |= 1 << int(actor)
                    action = np.uint32(nodes.record[place, first + np.uint32(number * nodes.record[place, OPEN])])
                play.row[steps], play.action[steps], play.actor[steps] = row, action, actor
                steps += 1
            node = nodes.record[place, leads + action]
            visited += 1
        ending, compared = np.uint32(-1 - node), outcome[deal]
        for player in range(len(play.earned)):
            play.earned[player] += payoff[ending, compared, player]
        for step in range(steps):
            gain = payoff[ending, compared, play.actor[step]]
            learn(tree, play.row[step], play.action[step], actions, gain, mixing)
    return visited


@kernel
def iterate(
    walk: Walk, nodes: Nodes, tree: Array, mixing: Mixing, play: Play, generator: Array, dealer: Array, count: int
) -> int:
    """`count` episodes of a game whose deals are listed. Returns the nodes visited.

    The dealer has a generator of its own: deals are drawn some at a time, and where that is cut must not matter.
    """
    deals, visited, done = np.empty(BATCH, np.uint32), 0, 0
    while done < count:
        some = min(BATCH, count - done)
        for place in range(some):
            deals[place] = draw_deal(walk, dealer)
        visited += play_deals(nodes, walk.payoff, walk.bucket, walk.outcome, deals[:some], tree, mixing, play, generator)
        done += some
    return visited


@kernel
def iterate_cards(
    walk: Walk, cards: Cards, nodes: Nodes, tree: Array, mixing: Mixing, play: Play, generator: Array, dealer: Array, count: int
) -> int:
    """The same where deals are drawn from the cards."""
    bucket = np.zeros((BATCH, walk.bucket.shape[1], walk.bucket.shape[2]), np.int32)
    outcome, deals = np.zeros(BATCH, np.uint32), np.arange(BATCH).astype(np.uint32)
    visited, done = 0, 0
    while done < count:
        some = min(BATCH, count - done)
        deal_cards(cards, bucket[:some], outcome[:some], dealer)
        visited += play_deals(nodes, walk.payoff, bucket, outcome, deals[:some], tree, mixing, play, generator)
        done += some
    return visited


@kernel
def iterate_together(
    walk: Walk, visits: Array, returns: Array, thread: int, start: int, nodes: Nodes, tree: Array, mixing: Mixing, play: Play,
    generator: Array, dealer: Array, count: int,
) -> int:  # fmt: skip
    """The same beside other threads, on visits and returns[threads, rows, A] (see `kernels.solvers.threads`); `tree` is its own."""
    before_visits, before_returns = np.empty(visits.shape[1:]), np.empty(returns.shape[1:])
    visited, done = 0, 0
    while done < count:
        some = until_renewal(before_visits.size, start + done * len(visits), count - done)
        renew(visits, returns, before_visits, before_returns, tree, mixing)
        visited += iterate(walk, nodes, tree, mixing, play, generator, dealer, some)
        put_down(visits[thread], returns[thread], before_visits, before_returns, tree)
        done += some
    return visited


@kernel
def renew(visits: Array, returns: Array, total_visits: Array, total_returns: Array, tree: Array, mixing: Mixing) -> None:
    """Bring a tree up to what all threads know. visits, returns[threads, rows, A] -> totals[rows, A] and the tree."""
    rows, actions = total_visits.shape
    total_visits[:] = 0.0
    total_returns[:] = 0.0
    for thread in range(len(visits)):
        total_visits += visits[thread]
        total_returns += returns[thread]
    for row in range(rows):
        for action in range(actions):
            known = total_visits[row, action]
            tree[row, action] = known
            if known > 0:
                tree[row, actions + action] = total_returns[row, action] / known
    refresh(tree, mixing)


@kernel
def put_down(visits: Array, returns: Array, before_visits: Array, before_returns: Array, tree: Array) -> None:
    """Add to a thread's part what its tree has learned since it was renewed."""
    rows, actions = visits.shape
    for row in range(rows):
        for action in range(actions):
            known = tree[row, action]
            if known > before_visits[row, action]:
                visits[row, action] += known - before_visits[row, action]
                returns[row, action] += tree[row, actions + action] * known - before_returns[row, action]


@kernel
def fill_records(
    child: Array, player: Array, street: Array, first_row: Array, ending: Array, number: Array, explore: Array, known: int,
    nodes: Nodes,
) -> None:  # fmt: skip
    """Write the decisions of a tree as records. number[N]: of each decision, -1 at endings; explore[N].

    What is `known` is not played at random.
    """
    actions = child.shape[1]
    for node in range(len(child)):
        place = number[node]
        if place < 0:
            continue
        some = 0
        for action in range(actions):
            below = child[node, action]
            if below >= 0:
                if action != known:
                    nodes.record[place, SLOTS + some] = action
                    some += 1
                nodes.record[place, SLOTS + actions + action] = number[below] if number[below] >= 0 else -1 - ending[below]
        nodes.record[place, PLAYER], nodes.record[place, STREET] = player[node], street[node]
        nodes.record[place, FIRST_ROW], nodes.record[place, OPEN] = first_row[node], some
        nodes.explore[place] = max(explore[node], 1e-12)


@kernel
def widths(parent: Array, street: Array, paid: Array, k: float, width: Array) -> None:
    """pot + k * what may still be bet, at the start of each street (heinrich2014, (5)): paid[N, P] -> width[N]."""
    for node in range(len(parent)):
        width[node] = 0.0
        for player in range(paid.shape[1]):
            width[node] += paid[node, player]
    for node in range(len(parent) - 1, 0, -1):  # the largest pot below each node
        width[parent[node]] = max(width[parent[node]], width[node])
    for node in range(len(parent)):
        above = parent[node]
        if above >= 0 and street[above] == street[node]:
            width[node] = width[above]
        else:
            pot = 0.0
            for player in range(paid.shape[1]):
                pot += paid[node, player]
            width[node] = pot + k * (width[node] - pot)
