"""Freezeouts of players by their names: hands with chips carried over (epfl2020, pricope2021)."""

from __future__ import annotations

from collections.abc import Sequence

from smoothcall.agents.registry import SCRIPTED_PLAYERS, Games, Kind, Registry, ResolvedName, batch_policy_of
from smoothcall.errors import UsageError
from smoothcall.evaluation.freezeouts import FreezeoutResult, play_freezeouts
from smoothcall.evaluation.policy_match import Stop, Watch
from smoothcall.games.catalog import NO_LIMIT_HOLDEM, NO_LIMIT_HOLDEM_32
from smoothcall.games.rules import PokerRules
from smoothcall.information.named_games import game
from smoothcall.simulation.batch_policy import sees_cards
from smoothcall.simulation.freezeouts import LENGTH, UNTIL_BROKE
from smoothcall.tasks import HERE, Runner


def play_freezeout_match(
    names: Sequence[str],
    freezeouts: int,
    *,
    registry: Registry | None = None,
    of: str | None = None,
    seed: int = 0,
    rollouts: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> FreezeoutResult:
    """Play freezeouts between two batch policies, named as in `agents.registry`: they answer whatever stacks are left.

    A freezeout has ten hands (epfl2020); where a player sees cards it lasts until one is broke, at most 100 hands
    (pricope2021).
    With `rollouts`, equities are estimated from so many simulated rollouts.
    """
    if len(names) != 2:
        raise UsageError(f"{len(names)} players in a freezeout (accepted: 2)")
    registry = registry or Registry()
    entries = [registry.resolve(name) for name in names]
    agents = {entry.base: registry.read(entry) for entry in entries if entry.path is not None}  # a file is read once
    played = game(of) if of is not None else next((agent.game for agent in agents.values()), None)
    if played is None:
        raise _no_game(entries)
    if (
        not isinstance(played.rules, PokerRules)
        or played.players != 2
        or played.rules.stack is None
        or played.rules.menu is None
    ):
        raise UsageError(f"no freezeouts in {played.spec} (accepted: no-limit games for two)")
    batch_policies = [
        batch_policy_of(agents[entry.base], entry, played)
        if entry.base in agents
        else registry.batch_policy(entry.name, played)
        for entry in entries
    ]
    with_cards = any(map(sees_cards, batch_policies))
    return play_freezeouts(
        played.rules,
        batch_policies,
        names=(names[0], names[1]),
        game=played.spec,
        freezeouts=freezeouts,
        seed=seed,
        rollouts=rollouts,
        length=UNTIL_BROKE if with_cards else LENGTH,
        abstraction=played.abstraction if with_cards else None,
        watch=watch,
        stop=stop,
        runner=runner,
    )


def _no_game(entries: Sequence[ResolvedName]) -> UsageError:
    with_cards = any(entry.kind is Kind.SCRIPTED and SCRIPTED_PLAYERS[entry.base].games is Games.CARDS for entry in entries)
    example = NO_LIMIT_HOLDEM if with_cards else NO_LIMIT_HOLDEM_32
    return UsageError(f"{', '.join(entry.name for entry in entries)} play games such as {example.name}: say which one")
