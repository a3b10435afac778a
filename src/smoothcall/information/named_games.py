"""Building a game by name, with its options: `game("kuhn", pot=8)` or `game("kuhn:pot=8")`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from smoothcall.errors import UsageError, unknown
from smoothcall.games import catalog
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.abstraction import CELLS, GRID, default_cells, default_grid, is_holdem
from smoothcall.information.game import SUITS, Game
from smoothcall.options import Option, read_options

FORMATS: dict[str, Callable[[str], Game]] = {}  # builders of games from elsewhere, by prefix or suffix of the name
_INFORMATION = ("suits", "grid", "cells")  # options of `Game`, the others are options of the rules


def game(name: str, /, **options: object) -> Game:
    """Build a game by name: `game("kuhn", pot=8)`, or with its options in the name: `game("kuhn:pot=8")`.

    `interop.sources` adds games from elsewhere: `game("openspiel:liars_dice(numdice=1)")`, `game("some.efg")`.
    """
    if not isinstance(name, str):
        raise UsageError(f"a game is named by text such as 'leduc', not {name!r}")
    for part, build in FORMATS.items():
        if not options and (name.startswith(part) if part.endswith(":") else name.endswith(part)):
            return build(name)
    name, colon, text = name.partition(":")
    if colon:
        pairs = re.findall(r"([^=,]+)=([^,]*)", text)
        if ",".join(f"{key}={value}" for key, value in pairs) != text or not pairs:
            raise UsageError(f"game options {text!r} (accepted: name=value,name=value)")
        if len(dict(pairs)) < len(pairs):
            raise UsageError(f"game options {text!r} name one of them twice")
        options = {**dict(pairs), **options}
    declared = options_of(name)
    values = read_options(name, declared, options)
    changed = {key: value for key, value in values.items() if value != declared[key].default}
    information = {key: values.pop(key) for key in _INFORMATION if key in values}
    return Game(catalog.rules(name, **values), **information, options=changed)


def options_of(name: str) -> dict[str, Option]:
    """Return the options of a named game."""
    if name not in catalog.CATALOG:
        raise unknown("game", name, catalog.CATALOG)
    entry = catalog.CATALOG[name]
    rules = entry.build(**{option: declared.default for option, declared in entry.options.items()})
    if isinstance(rules, PokerRules) and is_holdem(rules):
        return {
            **entry.options,
            "grid": replace(GRID, default=default_grid(rules)),
            "cells": replace(CELLS, default=default_cells(rules)),
        }
    return {**entry.options, **({"suits": SUITS} if isinstance(rules, PokerRules) and rules.deck.suits else {})}
