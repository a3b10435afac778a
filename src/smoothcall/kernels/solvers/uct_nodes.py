"""The tables of decisions that tree search reads (`kernels.solvers.uct`): records of nodes and exploration constants."""

from __future__ import annotations

from smoothcall.kernels import kernel
from smoothcall.kernels.solvers.uct import FIRST_ROW, MIN_WIDTH, OPEN, PLAYER, SLOTS, STREET, Nodes, leaf_code
from smoothcall.kernels.tables import Array


@kernel
def fill_records(
    child: Array, player: Array, street: Array, first_row: Array, ending: Array, number: Array, explore: Array, exact_fold: int,
    nodes: Nodes,
) -> None:  # fmt: skip
    """Write the decisions of a tree to `nodes`. number[N]: of each decision, negative at endings; explore[N].

    An action with an exact value is not played at random.
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
                if action != exact_fold:
                    nodes.record[place, SLOTS + some] = action
                    some += 1
                leads = number[below] if number[below] >= 0 else leaf_code(ending[below])
                nodes.record[place, SLOTS + actions + action] = leads
        nodes.record[place, PLAYER], nodes.record[place, STREET] = player[node], street[node]
        nodes.record[place, FIRST_ROW], nodes.record[place, OPEN] = first_row[node], some
        nodes.explore[place] = max(explore[node], MIN_WIDTH)


@kernel
def pot_exploration(parent: Array, street: Array, paid: Array, k: float, explore: Array) -> None:
    """Write explore[N]: pot + k * remaining betting, at the start of each street (heinrich2014, (5)). paid[N, P] chips."""
    for node in range(len(parent)):
        explore[node] = 0.0
        for player in range(paid.shape[1]):
            explore[node] += paid[node, player]
    for node in range(len(parent) - 1, 0, -1):  # the largest pot below each node
        explore[parent[node]] = max(explore[parent[node]], explore[node])
    for node in range(len(parent)):
        above = parent[node]
        if above >= 0 and street[above] == street[node]:
            explore[node] = explore[above]
        else:
            pot = 0.0
            for player in range(paid.shape[1]):
                pot += paid[node, player]
            explore[node] = pot + k * (explore[node] - pot)
