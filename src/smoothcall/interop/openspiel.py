"""Games, policies and bots of OpenSpiel (extra `[interop]`).

`sc.game("openspiel:leduc_poker")` is any of its finite games with perfect recall as a tree; games in which players move at once
are taken turn by turn, as OpenSpiel itself converts them. Keys are its information-state strings.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.information.extensive import MAX_HISTORIES, NOBODY, ExtensiveGame, ExtensiveRules, History
from smoothcall.information.game import Game
from smoothcall.policy import Policy

PREFIX = "openspiel:"


def load(name: str) -> Any:
    """Return a game of OpenSpiel by its name, players moving in turn."""
    try:
        import pyspiel
    except ModuleNotFoundError:
        raise UsageError("OpenSpiel is not installed: pip install 'smoothcall[interop]'") from None
    short = name.partition("(")[0].strip()
    if short not in pyspiel.registered_names():  # its own error prints all of them
        close = get_close_matches(short, pyspiel.registered_names(), n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"OpenSpiel has no game {name!r}{hint} (accepted: its names, such as kuhn_poker)")
    try:
        found = pyspiel.load_game(name)
    except (pyspiel.SpielError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0][:160]
        raise UsageError(f"OpenSpiel has no game {name!r}: {reason} (accepted: its names, such as kuhn_poker)") from None
    kind = found.get_type()
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        found = pyspiel.convert_to_turn_based(found)
    if not kind.provides_information_state_string or kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise UsageError(f"OpenSpiel's {name!r} has no information states (accepted: finite games with perfect recall)")
    return found


def read_openspiel(name: str) -> ExtensiveGame:
    """Return a game of OpenSpiel as a tree of all its histories."""
    source = load(name)
    found, left = [History()], [(source.new_initial_state(), 0)]
    while left:
        state, place = left.pop()
        if state.is_terminal():
            found[place] = History(payoffs=tuple(state.returns()))
            continue
        if state.is_chance_node():
            actions, probabilities = zip(*state.chance_outcomes(), strict=True)
            player, key = NOBODY, ""
        else:
            actions, probabilities, player = tuple(state.legal_actions()), (), state.current_player()
            key = state.information_state_string(player)
        children = range(len(found), len(found) + len(actions))
        if children.stop > MAX_HISTORIES:
            raise UsageError(f"OpenSpiel's {name!r} has more than {MAX_HISTORIES:,} histories, too many for a tree")
        found[place] = History(player, key, tuple(map(str, actions)), tuple(children), tuple(probabilities))
        found.extend([History()] * len(actions))
        left.extend((state.child(action), child) for action, child in zip(actions, children, strict=True))
    return ExtensiveGame(ExtensiveRules(f"{PREFIX}{name}", source.num_players(), tuple(found)))


def _source(game: Game) -> Any:
    if not isinstance(game, ExtensiveGame) or not game.name.startswith(PREFIX):
        raise UsageError(f"{game.spec} is no game of OpenSpiel (accepted: games named {PREFIX}...)")
    return _loaded(game.name.removeprefix(PREFIX))


@lru_cache(8)
def _loaded(name: str) -> Any:
    return load(name)


def to_openspiel(policy: Policy) -> Any:
    """Return a policy of an `openspiel:` game as OpenSpiel's `TabularPolicy`."""
    from open_spiel.python.policy import TabularPolicy

    source, game = _source(policy.game), policy.game
    made = TabularPolicy(source)
    for player, states in enumerate(made.states_per_player):
        for key in states:
            chosen = made.policy_for_key(key)
            chosen[:] = 0
            for action, probability in policy.at(game.rows(key, player)[0]).items():
                chosen[int(action)] = probability
    return made


def from_openspiel(game: Game, policy: Any) -> Policy:
    """Return a policy of OpenSpiel, of any class with `action_probabilities(state)`, as ours in an `openspiel:` game."""
    source, table = _source(game), np.zeros(game.legal.shape)
    done: set[int] = set()

    def visit(state: Any) -> None:
        if state.is_terminal():
            return
        if not state.is_chance_node():
            player = state.current_player()
            row = game.rows(state.information_state_string(player), player)[0]
            if row not in done:
                done.add(row)
                given = dict(policy.action_probabilities(state))
                table[row, : len(state.legal_actions())] = [given.get(action, 0.0) for action in state.legal_actions()]
        for action in state.legal_actions():
            visit(state.child(action))

    visit(source.new_initial_state())
    sums = table.sum(axis=1)
    if (table < 0).any() or not np.allclose(sums, 1, atol=1e-6):
        raise UsageError(f"this policy gives probabilities that sum to {sums.min():g} in {game.spec} (accepted: 1)")
    return Policy(game, table / sums[:, None])


def as_bot(policy: Policy, player: int, random: Random | None = None) -> Any:
    """Return a policy of an `openspiel:` game as a bot of OpenSpiel, which draws its moves from `random`."""
    import pyspiel

    game, draws = policy.game, random or Random()
    _source(game)

    class Bot(pyspiel.Bot):  # type: ignore[misc]
        def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
            row = game.rows(state.information_state_string(player), player)[0]
            found = [(int(action), probability) for action, probability in policy.at(row).items()]
            (action,) = draws.choices([action for action, _ in found], [probability for _, probability in found])
            return found, action

        def step(self, state: Any) -> int:
            return self.step_with_policy(state)[1]

        def provides_policy(self) -> bool:
            return True

        def get_policy(self, state: Any) -> list[tuple[int, float]]:
            return self.step_with_policy(state)[0]

        def restart_at(self, state: Any) -> None:
            pass

    return Bot()
