"""`smoothcall show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from smoothcall.cli.arguments import Agent, AgentGame, AsJson, app
from smoothcall.cli.output import bar, print_json, print_table

if TYPE_CHECKING:
    from smoothcall.results import ShownState


def show(
    agent: Agent,
    key: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="An information state, such as K/Q:crrc/r, AKs:r or AhKh/Td9d2c:rc/.")
    ] = None,
    of: AgentGame = None,
    as_json: AsJson = False,
) -> None:
    """Show a strategy, whole or at one information state; of hold'em, the first decision without one.

    Examples: smoothcall show runs/leduc-cfr+; smoothcall show holdem.agent AhKh/Td9d2c:rc/
    """
    found = app().show(agent, key, of=of)
    if as_json:
        print_json(found.as_dict())
        return
    rows = [[state.player, state.key, *(_cell(state, action) for action in found.actions)] for state in found.states]
    print_table(["player", "information state", *found.actions], rows)


def _cell(state: ShownState, action: str) -> str:
    """The probability of an action slot, with the letter of the action where that differs from the slot's name."""
    letter = state.letters.get(action)
    if letter is None:
        return ""
    return bar(state.probabilities[letter]) + ("" if letter == action else f" {letter}")
