"""FreezeoutTables of named players: rollouts of ten hands with chips kept from hand to hand (epfl2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from smoothcall.agents import heuristics as generic
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.rule_players import MostlyCalls
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.evaluation.freezeouts import play_freezeouts
from smoothcall.evaluation.match import Load, seat
from smoothcall.evaluation.policy_match import Stop, Watch
from smoothcall.games.rules import PokerRules
from smoothcall.simulation.batch_policy import BatchPolicy, sees_cards
from smoothcall.simulation.freezeouts import LENGTH, UNTIL_BROKE


def play_freezeout_match(
    entries: Sequence[str],
    freezeouts: int,
    *,
    load: Load,
    of: str | None = None,
    seed: int = 0,
    rollouts: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """Of two agents or scripted players that know observations, whatever stacks are left; the result as data.

    FreezeoutTables are of ten hands (epfl2020), or of those who look at cards until one is broke (pricope2021), after 100 at the most.
    With `rollouts`, they see equities as so many simulated rollouts estimate them.
    """
    if len(entries) != 2:
        raise UsageError(f"{len(entries)} players in a freezeout (accepted: 2)")
    game, players = seat(entries, load=load, of=of, seed=seed)
    assert isinstance(game.rules, PokerRules)
    batch_policies: list[BatchPolicy] = []
    for name, player in zip(entries, players, strict=True):
        policy = player.fixed.policy if isinstance(player, PolicyPlayer) else None
        if isinstance(policy, TabulatedPolicy):
            batch_policies.append(policy.batch_policy)
        elif isinstance(player, MostlyCalls):
            batch_policies.append(generic.MostlyCalls())
        else:
            raise UsageError(f"{name!r} cannot play freezeouts (accepted: scripted players, and agents that see observations)")
    wide = any(map(sees_cards, batch_policies))
    result = play_freezeouts(
        game.rules,
        batch_policies,
        names=(entries[0], entries[1]),
        freezeouts=freezeouts,
        seed=seed,
        rollouts=rollouts,
        length=UNTIL_BROKE if wide else LENGTH,
        abstraction=game.abstraction if wide else None,
        watch=watch,
        stop=stop,
    )
    return {"game": game.spec, **result.as_dict(), "lines": [str(result)]}
