"""Sessions of named players: games of ten hands with chips kept from hand to hand (epfl2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from smoothcall.errors import UsageError
from smoothcall.evaluation.match import Stop, Watch
from smoothcall.evaluation.sessions import play_sessions
from smoothcall.games.rules import PokerRules
from smoothcall.minds import generic
from smoothcall.minds.mind import Mind, is_wide
from smoothcall.minds.policy import MindPolicy
from smoothcall.minds.room import LENGTH, UNTIL_BROKE
from smoothcall.players.agent import PolicyPlayer
from smoothcall.players.match import Load, seat
from smoothcall.players.simple import MostlyCalls


def play_session_match(
    entries: Sequence[str],
    sessions: int,
    *,
    load: Load,
    of: str | None = None,
    seed: int = 0,
    games: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """Of two agents or dummies that know situations, whatever stacks are left; the result as data.

    Sessions are of ten hands (epfl2020), or of those who look at cards until one is broke (pricope2021), after 100 at the most.
    With `games`, they see positions as so many simulated games estimate them.
    """
    if len(entries) != 2:
        raise UsageError(f"{len(entries)} players in a session (accepted: 2)")
    game, players = seat(entries, load=load, of=of, seed=seed)
    assert isinstance(game.rules, PokerRules)
    minds: list[Mind] = []
    for name, player in zip(entries, players, strict=True):
        policy = player.fixed.policy if isinstance(player, PolicyPlayer) else None
        if isinstance(policy, MindPolicy):
            minds.append(policy.mind)
        elif isinstance(player, MostlyCalls):
            minds.append(generic.MostlyCalls())
        else:
            raise UsageError(f"{name!r} cannot play sessions (accepted: dummies, and agents that see situations)")
    wide = any(map(is_wide, minds))
    result = play_sessions(
        game.rules,
        minds,
        names=(entries[0], entries[1]),
        sessions=sessions,
        seed=seed,
        games=games,
        length=UNTIL_BROKE if wide else LENGTH,
        abstraction=game.abstraction if wide else None,
        watch=watch,
        stop=stop,
    )
    return {"game": game.spec, **result.as_dict(), "lines": [str(result)]}
