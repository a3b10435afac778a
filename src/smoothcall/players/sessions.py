"""Sessions of named players: games of ten hands with chips kept from hand to hand (epfl2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from smoothcall.errors import UsageError
from smoothcall.evaluation.match import Stop, Watch
from smoothcall.evaluation.sessions import play_sessions
from smoothcall.games.rules import PokerRules
from smoothcall.minds.mind import Mind
from smoothcall.minds.policy import MindPolicy
from smoothcall.players.agent import PolicyPlayer
from smoothcall.players.match import Load, seat


def play_session_match(
    entries: Sequence[str],
    sessions: int,
    *,
    load: Load,
    of: str | None = None,
    seed: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """Of two agents or dummies that know situations, whatever stacks are left; the result as data."""
    if len(entries) != 2:
        raise UsageError(f"{len(entries)} players in a session (accepted: 2)")
    game, players = seat(entries, load=load, of=of, seed=seed)
    assert isinstance(game.rules, PokerRules)
    minds: list[Mind] = []
    for name, player in zip(entries, players, strict=True):
        policy = player.fixed.policy if isinstance(player, PolicyPlayer) else None
        if not isinstance(policy, MindPolicy):
            raise UsageError(f"{name!r} cannot play sessions (accepted: dummies, and agents that see situations)")
        minds.append(policy.mind)
    result = play_sessions(
        game.rules, minds, names=(entries[0], entries[1]), sessions=sessions, seed=seed, watch=watch, stop=stop
    )
    return {"game": game.spec, **result.as_dict(), "lines": [str(result)]}
