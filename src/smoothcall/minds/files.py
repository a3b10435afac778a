"""Minds as data and back: what an agent file of the kind "mind" holds besides its game.

The card says which class of mind it is, and of networks the shapes [out, in] of their layers; weights are arrays by name:
`weight-0-1` and `bias-0-1` of the second layer of the first network. The table it sits at is the game's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from smoothcall.errors import UsageError, unknown
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.tables import Array
from smoothcall.minds.dummies import RULES, Dummy
from smoothcall.minds.learned import ROWS, Amount, Discrete, Layers, Softmax, Values
from smoothcall.minds.mind import MOVES, Mind, Table

NETWORKS = {"values": (10, MOVES), "softmax": (6, MOVES), "amount": (6, 1)}  # inputs and outputs
CLASSES = ("dummy", *NETWORKS, "discrete")


def verify_game(game: Game, who: str = "minds") -> PokerRules:
    """The rules of a game that minds play: situations say all that they look at."""
    rules, seen = game.rules, game.abstraction
    if (
        not isinstance(rules, PokerRules)
        or seen is None
        or seen.cells != "position"
        or rules.seats != 2
        or rules.limit
        or rules.stack is None
        or rules.menu is None
        or not all(item.startswith("x") for item in rules.menu.items)
    ):
        raise UsageError(
            f"{who} cannot play {game.spec} (accepted: no-limit games for two whose players see positions and whose raises "
            "are whole bets, such as no-limit-holdem-32)"
        )
    return rules


def to_data(mind: Mind) -> tuple[dict[str, Any], dict[str, Array]]:
    """(what the card says of a mind, its arrays by name)."""
    if isinstance(mind, Dummy):
        return {"class": "dummy", "rule": mind.name}, {}
    if isinstance(mind, Discrete):
        return {"class": "discrete"}, {"values": mind.values}
    if isinstance(mind, Values):
        return _networks_to_data("values", mind.networks)
    if isinstance(mind, Softmax):
        return _networks_to_data("softmax", [mind.layers])
    if isinstance(mind, Amount):
        about, arrays = _networks_to_data("amount", [mind.layers])
        return {**about, "blur": mind.blur}, arrays
    raise UsageError(f"a mind of class {type(mind).__name__} cannot be written to a file (accepted: {', '.join(CLASSES)})")


def from_data(game: Game, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> Mind:
    """The mind that such data describe, at the table of a game; errors are clear, or those of damaged files."""
    table, named = Table.of(verify_game(game)), about["class"]
    for name, array in arrays.items():
        if array.dtype.kind != "f" or not np.isfinite(array).all():
            raise UsageError(f"array {name!r} of a mind of {game.spec} (accepted: finite numbers)")
    if named == "dummy":
        if about["rule"] not in RULES:
            raise unknown("rule of a mind:", str(about["rule"]), RULES)
        return Dummy(about["rule"], table)
    if named == "discrete":
        return Discrete(table, _of_shape(arrays, "values", (ROWS, MOVES)))
    if named not in NETWORKS:
        raise unknown("class of mind", str(named), CLASSES)
    networks = tuple(_networks(named, about["networks"], arrays))
    if named == "values":
        return Values(table, networks)
    (layers,) = networks
    if named == "softmax":
        return Softmax(table, layers)
    blur = float(about["blur"])
    if not 0 <= blur < np.inf:
        raise UsageError(f"blur={blur} of a mind (accepted: numbers of at least 0)")
    return Amount(table, layers, blur)


def _networks_to_data(named: str, networks: Sequence[Layers]) -> tuple[dict[str, Any], dict[str, Array]]:
    shapes = [[list(weight.shape) for weight, _ in layers] for layers in networks]
    arrays: dict[str, Array] = {}
    for number, layers in enumerate(networks):
        for place, (weight, bias) in enumerate(layers):
            arrays |= {f"weight-{number}-{place}": np.asarray(weight), f"bias-{number}-{place}": np.asarray(bias)}
    return {"class": named, "networks": shapes}, arrays


def _networks(named: str, shapes: Sequence[Sequence[Sequence[int]]], arrays: Mapping[str, Array]) -> Iterator[Layers]:
    """Networks as the card says, each from the inputs of its class of mind to the outputs."""
    inputs, outputs = NETWORKS[named]
    if not shapes or (named != "values" and len(shapes) > 1):
        raise UsageError(
            f"a mind of class {named} with {len(shapes)} networks (accepted: {'1 or more' if named == 'values' else 1})"
        )
    for number, layers in enumerate(shapes):
        widths = [inputs, *(int(out) for out, _ in layers)]
        if [int(into) for _, into in layers] != widths[:-1] or widths[-1] != outputs or not layers:
            raise UsageError(
                f"a mind of class {named} with layers {[list(each) for each in layers]} (accepted: [out, in] each, from "
                f"{inputs} numbers to {outputs})"
            )
        yield tuple(
            (_of_shape(arrays, f"weight-{number}-{place}", (out, into)), _of_shape(arrays, f"bias-{number}-{place}", (out,)))
            for place, (out, into) in enumerate(layers)
        )


def _of_shape(arrays: Mapping[str, Array], name: str, shape: tuple[int, ...]) -> Array:
    found = arrays[name]
    if found.shape != shape:
        raise UsageError(f"array {name!r} of a mind has the shape {found.shape}, not {shape}")
    return found
