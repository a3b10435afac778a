"""`smoothcall show`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smoothcall.cli.arguments import Agent, AgentGame, AsJson, app
from smoothcall.cli.output import bar, print_json, print_table
from smoothcall.errors import UsageError

if TYPE_CHECKING:
    from smoothcall.results import ShownState

SPOT = ".spot"  # ending of solved spots


def show(
    agent: Agent,
    key: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="An information state, such as K/Q:crrc/r, AKs:r or AhKh/Td9d2c:rc/.")
    ] = None,
    of: AgentGame = None,
    grid: Annotated[
        str | None,
        typer.Option(metavar="FIGURE", help="Of a solved spot: what a grid of all hands shows: bets, ev, equity or weight."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a strategy, whole or at one information state; of hold'em, the first decision without one.

    Of a solved spot (NAME.spot), a public node with EV, equity and strategy of every hand: `/2s:cc/cr50` is the decision after
    two checks, the 2s, a check and a bet of 50.

    Examples: smoothcall show runs/leduc-cfr+; smoothcall show holdem.agent AhKh/Td9d2c:rc/; smoothcall show turn.spot :r50
    """
    if agent.endswith(SPOT):
        from smoothcall.cli.solve import print_node

        if of is not None:
            raise UsageError("--game: a solved spot is of no named game (accepted: of agents)")
        node = app().show_spot(Path(agent), key)
        if as_json:
            print_json(node.as_dict())
        else:
            print_node(node, grid)
        return
    if grid is not None:
        raise UsageError("--grid (accepted: of a solved spot, NAME.spot)")
    found = app().show(agent, key, of=of)
    if as_json:
        print_json(found.as_dict())
        return
    rows = [[state.player, state.key, *(_cell(state, action) for action in found.actions)] for state in found.states]
    print_table(["player", "information state", *found.actions], rows)


def _cell(state: ShownState, action: str) -> str:
    """Return the probability of an action slot, with the letter of the action where that differs from the slot's name."""
    letter = state.letters.get(action)
    if letter is None:
        return ""
    return bar(state.probabilities[letter]) + ("" if letter == action else f" {letter}")
