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

from smoothcall.agents import expert
from smoothcall.agents import scripted as generic
from smoothcall.agents.batch_policy import MOVES, Table
from smoothcall.agents.nfsp_networks import SHOWN, SelfTaught
from smoothcall.agents.q_networks import ROWS, Amount, Discrete, Layers, Softmax, Values
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
SELF_TAUGHT = "self-taught"
EXPERT = "expert"
RULE = "rule"
CLASSES = (RULE, "scripted", *NETWORKS, "discrete", *generic.CLASSES, EXPERT, SELF_TAUGHT)
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
        (verify_wide if sees_cards(batch_policy) else verify_game)(game)


def verify_wide(game: Game, who: str = "batch policies that look at cards") -> PokerRules:
    """The rules of a game that batch policies play who look at observations with cards."""
    rules = game.rules
    if (
        not isinstance(rules, PokerRules)
        or not is_holdem(rules)
        or rules.deck != STANDARD
        or rules.seats != 2
        or rules.limit
        or rules.stack is None
        or rules.menu is None
    ):
        raise UsageError(f"{who} cannot play {game.spec} (accepted: no-limit hold'em for two, such as no-limit-holdem)")
    return rules


def verify_game(game: Game, who: str = "batch policies") -> PokerRules:
    """The rules of a game that batch policies play: observations say all that they look at."""
    rules, seen = game.rules, game.abstraction
    if (
        not isinstance(rules, PokerRules)
        or seen is None
        or seen.cells != "equity"
        or rules.seats != 2
        or rules.limit
        or rules.stack is None
        or rules.menu is None
        or not all(item.startswith("x") for item in rules.menu.items)
    ):
        raise UsageError(
            f"{who} cannot play {game.spec} (accepted: no-limit games for two whose players see equities and whose raises "
            "are whole bets, such as no-limit-holdem-32)"
        )
    return rules


def to_data(batch_policy: BatchPolicy) -> tuple[dict[str, Any], dict[str, Array]]:
    """(what the card says of a batch policy, its arrays by name)."""
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
    if isinstance(batch_policy, SelfTaught):
        about, arrays = _networks_to_data(SELF_TAUGHT, [batch_policy.policy, batch_policy.values])
        return {**about, "shown": batch_policy.shown, "metrics": batch_policy.metrics, "eta": batch_policy.eta}, arrays
    if isinstance(batch_policy, generic.MostlyCalls | generic.HeuristicMC):
        return generic.to_data(batch_policy)
    if isinstance(batch_policy, expert.Expert):
        return expert.to_data(batch_policy)
    raise UsageError(
        f"a batch policy of class {type(batch_policy).__name__} cannot be written to a file (accepted: {', '.join(CLASSES)})"
    )


def from_data(game: Game, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> BatchPolicy:
    """Return the batch policy that a card and arrays describe, at the table of a game."""
    named = field(about, "class", str)
    for name, array in arrays.items():
        if array.dtype.kind != "f" or not np.isfinite(array).all():
            raise UsageError(f"array {name!r} of a batch policy of {game.spec} (accepted: finite numbers)")
    if named in (SELF_TAUGHT, EXPERT, *generic.CLASSES):
        verify_wide(game)
        if named == SELF_TAUGHT:
            return _self_taught(game, about, arrays)
        return expert.from_data(about, arrays) if named == EXPERT else generic.from_data(about, arrays)
    if named == RULE:
        if (rule := field(about, "rule", str)) not in set(generic.Rule):
            raise unknown("rule of a batch policy:", rule, generic.Rule)
        return generic.Rule(rule)
    table = Table.of(verify_game(game))
    if named == "scripted":
        rule = field(about, "rule", str)
        if rule not in RULES:
            raise unknown("rule of a batch policy:", rule, RULES)
        return Scripted(rule, table)
    if named == "discrete":
        return Discrete(table, _of_shape(arrays, "values", (ROWS, MOVES)))
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


def _self_taught(game: Game, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> SelfTaught:
    shown, eta, shapes = field(about, "shown", str), field(about, "eta", float), _shapes(about)
    if shown not in SHOWN:
        raise unknown("input of a network:", shown, SHOWN)
    if not 0 <= eta <= 1 or len(shapes) != 2:
        raise UsageError(f"eta={eta} and {len(shapes)} networks of a batch policy (accepted: 0 to 1, and 2)")
    policy, values = (
        tuple(
            (_of_shape(arrays, f"weight-{n}-{place}", (out, into)), _of_shape(arrays, f"bias-{n}-{place}", (out,)))
            for place, (out, into) in enumerate(layers)
        )
        for n, layers in enumerate(shapes)
    )
    batch_policy = SelfTaught(policy, values, shown, field(about, "metrics", bool), eta)
    try:  # whether the layers fit together, their inputs and the game's actions is known when they are used
        trial = batch_policy.probabilities(np.zeros((1, CARD_OBSERVATION), np.float32), np.ones((1, len(game.actions)), bool))
    except (ValueError, IndexError):
        trial = np.zeros(0)
    if trial.shape != (1, len(game.actions)):
        raise UsageError(
            f"a batch policy whose networks have layers {shapes} (accepted: from what is shown to the game's actions)"
        )
    return batch_policy


Shapes = list[list[tuple[int, int]]]  # (out, in) of every layer of every network


def _shapes(about: Mapping[str, Any]) -> Shapes:
    """Return the shapes of the layers that a card names."""
    networks = field(about, "networks", list)
    for layers in networks:
        if not isinstance(layers, list) or not all(
            isinstance(shape, list) and len(shape) == 2 and all(type(size) is int and 0 < size < MAX_WIDTH for size in shape)
            for shape in layers
        ):
            raise DamagedFile(f"networks {str(networks)[:80]} (accepted: [out, in] of every layer)")
    return [[(out, into) for out, into in layers] for layers in networks]


def _networks_to_data(named: str, networks: Sequence[Layers]) -> tuple[dict[str, Any], dict[str, Array]]:
    shapes = [[list(weight.shape) for weight, _ in layers] for layers in networks]
    arrays: dict[str, Array] = {}
    for number, layers in enumerate(networks):
        for place, (weight, bias) in enumerate(layers):
            arrays |= {f"weight-{number}-{place}": np.asarray(weight), f"bias-{number}-{place}": np.asarray(bias)}
    return {"class": named, "networks": shapes}, arrays


def _networks(named: str, shapes: Shapes, arrays: Mapping[str, Array]) -> Iterator[Layers]:
    """Yield networks of these shapes, each from the inputs of its class of batch policy to the outputs."""
    inputs, outputs = NETWORKS[named]
    if not shapes or (named != "values" and len(shapes) > 1):
        raise UsageError(
            f"a batch policy of class {named} with {len(shapes)} networks (accepted: {'1 or more' if named == 'values' else 1})"
        )
    for number, layers in enumerate(shapes):
        widths = [inputs, *(out for out, _ in layers)]
        if [into for _, into in layers] != widths[:-1] or widths[-1] != outputs or not layers:
            raise UsageError(
                f"a batch policy of class {named} with layers {[list(each) for each in layers]} (accepted: [out, in] each, "
                f"from {inputs} numbers to {outputs})"
            )
        yield tuple(
            (_of_shape(arrays, f"weight-{number}-{place}", (out, into)), _of_shape(arrays, f"bias-{number}-{place}", (out,)))
            for place, (out, into) in enumerate(layers)
        )


def _of_shape(arrays: Mapping[str, Array], name: str, shape: tuple[int, ...]) -> Array:
    if name not in arrays:
        raise DamagedFile(f"array {name!r} is missing")
    found = arrays[name]
    if found.shape != shape:
        raise UsageError(f"array {name!r} of a batch policy has the shape {found.shape}, not {shape}")
    return found
