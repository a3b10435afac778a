"""Batch policies as data and back: the part of an agent file that describes a batch policy.

The card names the class of the batch policy and, of networks, the shapes [out, in] of their layers. Weights are arrays by name:
`weight-0-1` and `bias-0-1` belong to the second layer of the first network.

Batch policies of epfl2020 read observations without cards and raise by whole bets; those of pricope2021 read observations with
cards (`CARD_OBSERVATION`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from smoothcall.agents import combined, expert
from smoothcall.agents import scripted as generic
from smoothcall.agents.batch_wrappers import MOVES, Table, whole_bets
from smoothcall.agents.layers import Layers, array_of_shape, from_arrays, shapes, to_arrays
from smoothcall.agents.nfsp_networks import INPUTS, NFSPNetworks
from smoothcall.agents.q_networks import ROWS, Amount, Discrete, Softmax, Values
from smoothcall.agents.scripted import RULES, Scripted
from smoothcall.errors import DamagedFile, UsageError, unknown
from smoothcall.files import field
from smoothcall.games.cards import STANDARD
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.abstraction import is_holdem
from smoothcall.information.game import Game
from smoothcall.kernels.simulation.observations import CARD_OBSERVATION
from smoothcall.kernels.tables import Array
from smoothcall.simulation.batch_policy import BatchPolicy, ignores_observations, sees_cards

NETWORKS = {"values": (10, MOVES), "softmax": (6, MOVES), "amount": (6, 1)}  # inputs and outputs
MAX_WIDTH = 1 << 20  # of a layer
NFSP_NETWORKS = "nfsp-networks"
EXPERT = "expert"
RULE = "rule"
COMBINED = "combined"
ADAPTIVE = ("values", COMBINED)  # classes that depend on the opponent's habits
CLASSES = (RULE, "scripted", *NETWORKS, "discrete", COMBINED, *generic.CLASSES, EXPERT, NFSP_NETWORKS)
CARD_PLAYERS: dict[str, Callable[[], BatchPolicy]] = {
    "mostly-calls": generic.MostlyCalls,
    "heuristic-mc": generic.HeuristicMC,
    "expert": expert.Expert,
    "call": lambda: Scripted("call", Table(0, ())),
}  # batch policies that need nothing but an observation with cards


def verify_batch_policy(game: Game, batch_policy: BatchPolicy) -> None:
    """Refuse games whose observations do not show what a batch policy looks at."""
    if isinstance(batch_policy, generic.Rule):
        batch_policy.verify_game(game.rules)
    elif not ignores_observations(batch_policy):
        (verify_card_game if sees_cards(batch_policy) else verify_game)(game)


def verify_card_game(game: Game, who: str = "batch policies that look at cards") -> PokerRules:
    """Return the rules of a game; UsageError unless its observations with cards show what batch policies need."""
    rules = game.rules
    if (
        not isinstance(rules, PokerRules)
        or not is_holdem(rules)
        or rules.deck != STANDARD
        or rules.seats != 2
        or rules.limit
        or rules.stack is None
        or rules.stacks
        or rules.menu is None
    ):
        raise UsageError(f"{who} cannot play {game.spec} (accepted: no-limit hold'em for two, such as no-limit-holdem)")
    return rules


def verify_game(game: Game, who: str = "batch policies") -> PokerRules:
    """Return the rules of a game; UsageError unless its observations show what batch policies need."""
    rules, seen = game.rules, game.abstraction
    if (
        not isinstance(rules, PokerRules)
        or seen is None
        or seen.cells != "equity"
        or rules.seats != 2
        or rules.limit
        or rules.stack is None
        or rules.stacks
        or whole_bets(rules) is None
    ):
        raise UsageError(
            f"{who} cannot play {game.spec} (accepted: no-limit games for two whose players see equities and whose raises "
            "are whole bets, such as no-limit-holdem-32)"
        )
    return rules


def to_data(batch_policy: BatchPolicy) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return (what the card says of a batch policy, its arrays by name)."""
    if isinstance(batch_policy, generic.Rule):
        return {"class": RULE, "rule": str(batch_policy)}, {}
    if isinstance(batch_policy, Scripted):
        return {"class": "scripted", "rule": batch_policy.name}, {}
    if isinstance(batch_policy, Discrete):
        return {"class": "discrete"}, {"values": batch_policy.values}
    if isinstance(batch_policy, Values):
        return _networks_to_data("values", batch_policy.networks)
    if isinstance(batch_policy, Softmax):
        return _networks_to_data("softmax", [batch_policy.layers])
    if isinstance(batch_policy, Amount):
        about, arrays = _networks_to_data("amount", [batch_policy.layers])
        return {**about, "blur": batch_policy.blur}, arrays
    if isinstance(batch_policy, NFSPNetworks):
        about, arrays = _networks_to_data(NFSP_NETWORKS, [batch_policy.policy, batch_policy.values])
        return {**about, "inputs": batch_policy.inputs, "metrics": batch_policy.metrics, "eta": batch_policy.eta}, arrays
    if isinstance(batch_policy, generic.MostlyCalls | generic.HeuristicMC):
        return generic.to_data(batch_policy)
    if isinstance(batch_policy, expert.Expert):
        return expert.to_data(batch_policy)
    if isinstance(batch_policy, combined.Combined):
        return combined.to_data(batch_policy, to_data)
    raise UsageError(
        f"a batch policy of class {type(batch_policy).__name__} cannot be written to a file (accepted: {', '.join(CLASSES)})"
    )


def from_data(game: Game, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> BatchPolicy:
    """Return the batch policy that a card and arrays describe, at the table of a game."""
    named = field(about, "class", str)
    for name, array in arrays.items():
        if array.dtype.kind != "f" or not np.isfinite(array).all():
            raise UsageError(f"array {name!r} of a batch policy of {game.spec} (accepted: finite numbers)")
    if named in (NFSP_NETWORKS, EXPERT, *generic.CLASSES):
        verify_card_game(game)
        if named == NFSP_NETWORKS:
            return _nfsp_networks(game, about, arrays)
        return expert.from_data(about, arrays) if named == EXPERT else generic.from_data(about, arrays)
    if named == RULE:
        if (rule := field(about, "rule", str)) not in set(generic.Rule):
            raise unknown("rule of a batch policy:", rule, generic.Rule)
        return generic.Rule(rule)
    table = Table.of(verify_game(game))
    if named == COMBINED:
        return combined.from_data(about, arrays, lambda entry, own: from_data(game, entry, own))
    if named == "scripted":
        rule = field(about, "rule", str)
        if rule not in RULES:
            raise unknown("rule of a batch policy:", rule, RULES)
        return Scripted(rule, table)
    if named == "discrete":
        return Discrete(table, array_of_shape(arrays, "values", (ROWS, MOVES)))
    if named not in NETWORKS:
        raise unknown("class of batch policy", named, CLASSES)
    networks = tuple(_networks(named, _shapes(about), arrays))
    if named == "values":
        return Values(table, networks)
    (layers,) = networks
    if named == "softmax":
        return Softmax(table, layers)
    blur = field(about, "blur", float)
    if blur < 0:
        raise UsageError(f"blur={blur} of a batch policy (accepted: numbers of at least 0)")
    return Amount(table, layers, blur)


def _nfsp_networks(game: Game, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> NFSPNetworks:
    inputs, eta, sizes = field(about, "inputs", str), field(about, "eta", float), _shapes(about)
    if inputs not in INPUTS:
        raise unknown("input of a network:", inputs, INPUTS)
    if not 0 <= eta <= 1 or len(sizes) != 2:
        raise UsageError(f"eta={eta} and {len(sizes)} networks of a batch policy (accepted: 0 to 1, and 2)")
    policy, values = (from_arrays(arrays, str(number), layers) for number, layers in enumerate(sizes))
    batch_policy = NFSPNetworks(policy, values, inputs, field(about, "metrics", bool), eta)
    try:  # whether the layers fit together, their inputs and the game's actions is known when they are used
        trial = batch_policy.probabilities(np.zeros((1, CARD_OBSERVATION), np.float32), np.ones((1, len(game.actions)), bool))
    except (ValueError, IndexError):
        trial = np.zeros(0)
    if trial.shape != (1, len(game.actions)):
        raise UsageError(f"a batch policy whose networks have layers {sizes} (accepted: from its inputs to the game's actions)")
    return batch_policy


Shapes = list[list[tuple[int, ...]]]  # (out, in) of every layer of every network; (out, in, side, side) of convolutions


def _shapes(about: Mapping[str, Any]) -> Shapes:
    """Return the shapes of the layers that a card names."""
    networks = field(about, "networks", list)
    for layers in networks:
        if not isinstance(layers, list) or not all(
            isinstance(shape, list)
            and len(shape) in (2, 4)
            and all(type(size) is int and 0 < size < MAX_WIDTH for size in shape)
            for shape in layers
        ):
            raise DamagedFile(
                f"networks {str(networks)[:80]} (accepted: [out, in] of every layer, [out, in, 3, 3] of convolutions)"
            )
    return [[tuple(shape) for shape in layers] for layers in networks]


def _networks_to_data(named: str, networks: Sequence[Layers]) -> tuple[dict[str, Any], dict[str, Array]]:
    arrays: dict[str, Array] = {}
    for number, layers in enumerate(networks):
        arrays |= to_arrays(layers, str(number))
    return {"class": named, "networks": [shapes(layers) for layers in networks]}, arrays


def _networks(named: str, sizes: Shapes, arrays: Mapping[str, Array]) -> Iterator[Layers]:
    """Yield networks of these shapes, each from the inputs of its class of batch policy to the outputs."""
    inputs, outputs = NETWORKS[named]
    if not sizes or (named != "values" and len(sizes) > 1):
        raise UsageError(
            f"a batch policy of class {named} with {len(sizes)} networks (accepted: {'1 or more' if named == 'values' else 1})"
        )
    for number, layers in enumerate(sizes):
        widths = [inputs, *(out for out, *_ in layers)]
        if (
            not layers
            or [tuple(each) for each in layers] != list(zip(widths[1:], widths, strict=False))
            or widths[-1] != outputs
        ):
            raise UsageError(
                f"a batch policy of class {named} with layers {[list(each) for each in layers]} (accepted: [out, in] each, "
                f"from {inputs} numbers to {outputs})"
            )
        yield from_arrays(arrays, str(number), layers)
