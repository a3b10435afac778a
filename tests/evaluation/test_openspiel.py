"""OpenSpiel as an independent oracle: the same random policies give the same values and NashConv."""

from __future__ import annotations

import numpy as np
import pyspiel
import pytest

import smoothcall as sc
from tests.conftest import built

NAMES = {"kuhn": "kuhn_poker", "kuhn-3p": "kuhn_poker(players=3)", "leduc": "leduc_poker"}
RANKS = {"kuhn": "JQK", "kuhn-3p": "JQKA", "leduc": "JQK"}


def key_of(spec: str, state: pyspiel.State) -> str:
    """Our key of an OpenSpiel state's information state, from its public history of actions."""
    player, cards, betting, players = state.current_player(), [], "", state.num_players()
    replay = state.get_game().new_initial_state()
    for action in state.history():
        if replay.is_chance_node():
            cards.append(action)
            betting += "/" if len(cards) > players else ""
        elif spec == "leduc":
            betting += "fcr"[action]
        else:
            facing = "r" in betting
            betting += ("f", "c")[action] if facing else ("c", "r")[action]
        replay.apply_action(action)
    suits = 2 if spec == "leduc" else 1
    names = [RANKS[spec][card // suits] for card in cards]
    return names[player] + "".join(f"/{name}" for name in names[players:]) + ":" + betting


def to_openspiel(spec: str, policy: sc.Policy, game: pyspiel.Game) -> pyspiel.TabularPolicy:
    table: dict[str, list[tuple[int, float]]] = {}
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            probabilities = policy.probabilities(key_of(spec, state), state.current_player())
            probabilities = list(probabilities.values())
            table[state.information_state_string()] = list(zip(state.legal_actions(), probabilities, strict=True))
        waiting += [state.child(action) for action in state.legal_actions()]
    return pyspiel.TabularPolicy(table)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spec", NAMES)
def test_random_policies(spec: str, seed: int) -> None:
    ours, theirs = built(spec), pyspiel.load_game(NAMES[spec])
    random = np.random.default_rng(seed)
    policy = sc.Policy.from_weights(ours, random.random(ours.legal.shape) ** 2)
    oracle = to_openspiel(spec, policy, theirs)
    values = pyspiel.expected_returns(theirs.new_initial_state(), oracle, -1, False)
    found = sc.evaluate(ours, policy)
    np.testing.assert_allclose(found.values, values, atol=1e-9)
    assert found.nash_conv == pytest.approx(pyspiel.nash_conv(theirs, oracle, False), abs=1e-9)


@pytest.mark.long
def test_leduc_3p_is_openspiels() -> None:
    """Uniform play in three-player Leduc earns the same (OpenSpiel's NashConv of it takes a minute and 3 GB)."""
    ours, theirs = built("leduc-3p"), pyspiel.load_game("leduc_poker(players=3)")
    values = pyspiel.expected_returns(theirs.new_initial_state(), pyspiel.UniformRandomPolicy(theirs), -1, True)
    np.testing.assert_allclose(sc.expected_values(ours, sc.Policy.uniform(ours)), values, atol=1e-9)
