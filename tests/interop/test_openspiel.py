"""Games, policies and bots of OpenSpiel, and Gambit files, beside OpenSpiel's own values."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import exploitability
from open_spiel.python.algorithms.gambit import export_gambit

import smoothcall as sc
from smoothcall.errors import UsageError
from smoothcall.information.extensive import NOBODY, ExtensiveGame, ExtensiveRules, History
from smoothcall.interop.environments import HandBatch, HandTable
from smoothcall.interop.gambit import read_efg, write_efg
from smoothcall.interop.openspiel import as_bot, from_openspiel, load, to_openspiel
from smoothcall.interop.sources import game
from smoothcall.solvers import SOLVERS
from tests.conftest import built

SMALL = ("kuhn_poker", "kuhn_poker(players=3)", "tiny_hanabi", "goofspiel(num_cards=3,imp_info=true)")
LARGE = ("leduc_poker", "liars_dice(numdice=1)", "goofspiel(num_cards=4,imp_info=true)")


@cache
def tree(name: str) -> sc.Game:
    return game(f"openspiel:{name}")


def random_policy(of: sc.Game, seed: int) -> sc.Policy:
    weights = np.random.default_rng(seed).random(of.legal.shape) ** 3 * of.legal
    return sc.Policy(of, weights / weights.sum(axis=1, keepdims=True))


def in_cpp(policy: sc.Policy) -> Any:
    """A policy of an OpenSpiel game as the table that its C++ best responses read."""
    return spiel_policy.python_policy_to_pyspiel_policy(to_openspiel(policy))


def verify_nash_conv(name: str, policies: int, by_python: int) -> None:
    """`by_python`: number of policies that OpenSpiel's second implementation, in Python, is asked about too."""
    of, source = tree(name), load(name)
    for seed in range(policies):
        policy = random_policy(of, seed)
        theirs, ours = in_cpp(policy), sc.nash_conv(of, policy)
        assert ours == pytest.approx(pyspiel.nash_conv(source, theirs), abs=1e-9)
        values = pyspiel.expected_returns(source.new_initial_state(), theirs, -1, True, 0.0)
        np.testing.assert_allclose(sc.expected_values(of, policy), values, atol=1e-9)
        if seed < by_python:
            assert ours == pytest.approx(exploitability.nash_conv(source, to_openspiel(policy)), abs=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_nash_conv_is_openspiels(name: str) -> None:
    verify_nash_conv(name, 1, by_python=1)


@pytest.mark.long
@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_nash_conv_of_many_policies_is_openspiels(name: str) -> None:
    verify_nash_conv(name, 100, by_python=5)


@pytest.mark.parametrize("solver", ["cfr", "cfr+", "linear-cfr", "discounted-cfr", "predictive-cfr+", "xfp", "lp", "mccfr"])
def test_solvers_reach_the_value_of_kuhn(solver: str) -> None:
    """The value of Kuhn poker is -1/18 for the first player."""
    of = tree("kuhn_poker")
    learner = sc.solver(solver, of, seed=1)
    learner.run({"lp": 1, "xfp": 3000, "mccfr": 100_000}.get(solver, 500))
    policy = learner.policy()
    assert sc.nash_conv(of, policy) < {"lp": 1e-9, "xfp": 0.02, "cfr": 0.02}.get(solver, 0.03)
    assert sc.expected_values(of, policy)[0] == pytest.approx(-1 / 18, abs=0.01)


def test_outcome_sampling_draws_chance() -> None:
    """Chance moves in the middle of OpenSpiel's Leduc and at the beginning of Kuhn."""
    of = tree("kuhn_poker")
    learner = sc.solver("mccfr", of, seed=1, sampling="outcome")
    learner.run(200_000)
    assert sc.nash_conv(of, learner.policy()) < 0.08
    state = learner.state()
    learner.run(1000)
    again = sc.solver("mccfr", of, seed=1, sampling="outcome")
    again.restore(state)
    again.run(1000)
    np.testing.assert_array_equal(learner.policy().table, again.policy().table)


@pytest.mark.long
@pytest.mark.parametrize("name", LARGE)
def test_large_games_are_solved(name: str) -> None:
    """OpenSpiel's NashConv bounds how far the values of both policies are from the value of the game."""
    of, source = tree(name), load(name)
    exact, learned = sc.solver("lp", of), sc.solver("cfr+", of)
    exact.run(1)
    learned.run(2000)
    for solver, bar in ((exact, 1e-8), (learned, 1e-2)):
        assert sc.nash_conv(of, solver.policy()) < bar
        assert pyspiel.nash_conv(source, in_cpp(solver.policy())) < bar
    value = sc.expected_values(of, exact.policy())[0]
    assert sc.expected_values(of, learned.policy())[0] == pytest.approx(value, abs=5e-3)


def test_policies_come_back() -> None:
    of = tree("kuhn_poker")
    policy = random_policy(of, 3)
    np.testing.assert_allclose(from_openspiel(of, to_openspiel(policy)).table, policy.table, atol=1e-12)
    uniform = from_openspiel(of, spiel_policy.UniformRandomPolicy(load("kuhn_poker")))
    np.testing.assert_array_equal(uniform.table, sc.Policy.uniform(of).table)

    class Short:
        def action_probabilities(self, state: Any) -> dict[int, float]:
            return {0: 0.5}

    with pytest.raises(UsageError, match=r"sum to 0\.5"):
        from_openspiel(of, Short())
    with pytest.raises(UsageError, match="kuhn is no game of OpenSpiel"):
        to_openspiel(sc.Policy.uniform(built("kuhn")))


def test_our_policies_are_its_bots() -> None:
    of = tree("kuhn_poker")
    learner = sc.solver("lp", of)
    learner.run(1)
    random = Random(2)
    bots = [as_bot(learner.policy(), 0, random), pyspiel.make_uniform_random_bot(1, 7)]
    won = [pyspiel.evaluate_bots(load("kuhn_poker").new_initial_state(), bots, seed)[0] for seed in range(400)]
    assert np.mean(won) > -1 / 18 - 3 * np.std(won) / 20
    state = load("kuhn_poker").new_initial_state()
    state.apply_action(0)
    state.apply_action(1)
    assert sum(probability for _, probability in bots[0].get_policy(state)) == pytest.approx(1)


# Gambit


def keys_in_file(name: str) -> dict[tuple[int, str], str]:
    """(player, OpenSpiel's information state) -> key of its Gambit file, which numbers them by player in order of a walk."""
    found: list[dict[str, str]] = [{} for _ in range(load(name).num_players())]

    def visit(state: Any) -> None:
        if not state.is_terminal() and not state.is_chance_node():
            player = state.current_player()
            found[player].setdefault(state.information_state_string(), f"{player + 1}:{len(found[player]) + 1}")
        for action in state.legal_actions():
            visit(state.child(action))

    visit(load(name).new_initial_state())
    return {(player, key): text for player, keys in enumerate(found) for key, text in keys.items()}


def equilibrium_of_kuhn(of: sc.Game, bluffs: float) -> sc.Policy:
    """The equilibrium in which the first player bets the jack with this probability (Kuhn 1950); 0 passes, 1 bets."""
    bets = {"0": bluffs, "1": 0, "2": 3 * bluffs, "0pb": 0, "1pb": bluffs + 1 / 3, "2pb": 1}
    bets |= {"0p": 1 / 3, "1p": 0, "2p": 1, "0b": 0, "1b": 1 / 3, "2b": 1}
    return sc.Policy.from_probabilities(of, {key: {"0": 1 - bet, "1": bet} for key, bet in bets.items()})


@pytest.mark.parametrize("name", ["kuhn_poker", pytest.param("leduc_poker", marks=pytest.mark.long)])
def test_openspiels_gambit_files(name: str) -> None:
    """Values and NashConv of policies on OpenSpiel's file, ours, beside OpenSpiel's own in its game."""
    of, read, source, keys = tree(name), read_efg(export_gambit(load(name))), load(name), keys_in_file(name)
    assert read.players == 2
    solver, exact = sc.solver("lp", of), sc.solver("lp", read)
    solver.run(1)
    exact.run(1)
    assert sc.nash_conv(read, exact.policy()) < 1e-8
    pure = np.eye(of.legal.shape[1])[of.legal.argmax(axis=1)]
    policies = [sc.Policy.uniform(of), sc.Policy(of, pure), solver.policy(), *(random_policy(of, seed) for seed in range(20))]
    if name == "kuhn_poker":
        policies += [equilibrium_of_kuhn(of, bluffs) for bluffs in (0, 1 / 6, 1 / 3)]
        assert sc.nash_conv(of, policies[-2]) < 1e-12
    order = [read.rows(keys[int(of.row_player[row]), of.key(row)], int(of.row_player[row]))[0] for row in range(of.tree.rows)]
    assert sorted(order) == list(range(read.tree.rows))
    for policy in policies:
        table = np.zeros(read.legal.shape)
        table[order] = policy.table
        theirs, same = in_cpp(policy), sc.Policy(read, table)
        assert sc.nash_conv(read, same) == pytest.approx(pyspiel.nash_conv(source, theirs), abs=1e-9)
        values = pyspiel.expected_returns(source.new_initial_state(), theirs, -1, True, 0.0)
        np.testing.assert_allclose(sc.expected_values(read, same), values, atol=1e-9)


@pytest.mark.parametrize("spec", ["rps", "kuhn", "kuhn-3p", "leduc"])
def test_our_games_are_written_and_read(spec: str, tmp_path: Path) -> None:
    of = built(spec)
    text = write_efg(of)
    (tmp_path / "some.efg").write_text(text)
    read = game(str(tmp_path / "some.efg"))
    assert (read.players, read.tree.rows) == (of.players, of.tree.rows)
    weights = random_policy(of, 4).table
    table = np.zeros(read.legal.shape)
    for row in range(of.tree.rows):
        (there,) = read.rows(of.key(row), int(of.row_player[row]))
        table[there, : int(of.legal[row].sum())] = weights[row][of.legal[row]]
    ours, theirs = sc.evaluate(of, sc.Policy(of, weights)), sc.evaluate(read, sc.Policy(read, table))
    assert theirs.nash_conv == pytest.approx(ours.nash_conv, abs=1e-9)
    np.testing.assert_allclose(theirs.values, ours.values, atol=1e-9)
    again = read_efg(write_efg(read))
    assert sc.nash_conv(again, sc.Policy(again, table)) == pytest.approx(ours.nash_conv, abs=1e-9)


SIGNALS = """EFG 2 R "A game with chance, fractions and outcomes on the way" { "one" "two" }
"a comment"
c "root" 1 "" { "a" 1/3 "b" 2/3 } 0
p "" 1 1 "seen a" { "up" "down" } 1 "paid" { -1, 1 }
t "" 2 "" { 3 -3 }
p "" 2 1 "two" { "left" "right" } 0
t "" 0
t "" 3 "" { 1.5 -1.5 }
p "" 2 1 0
t "" 4 { 2e0, -2 }
t "" 5 "" { 0 0 }
"""


def test_what_gambit_files_say() -> None:
    read = read_efg(SIGNALS)
    assert read.keys == ["seen a", "two"]
    policy = sc.Policy.from_probabilities(read, {"seen a": {"up": 0.25, "down": 0.75}, "two": {"left": 1, "right": 0}})
    value = 1 / 3 * (0.25 * 2 + 0.75 * -1) + 2 / 3 * 2
    assert sc.expected_values(read, policy)[0] == pytest.approx(value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("EFG 2", "NFG 1", "accepted: EFG"),
        ('{ "one" "two" }', "{ }", "accepted: at least one player"),
        ("1/3", "1/0", "accepted: a number"),
        ("1/3", "2/3", "is no history of a game for 2 players"),
        ('{ "up" "down" }', "{ }", "at least one move"),
        ("{ 3 -3 }", "{ 3 }", "pay-offs of 2 players"),
        ('t "" 0\n', 't "" 9\n', "the pay-offs of a new outcome"),
        ('p "" 2 1 0', 'p "" 3 1 0', "a whole number from 1 to 2"),
        ('p "" 2 1 0', 'p "" 2 7 0', "the moves of a new information set"),
        ('t "" 5 "" { 0 0 }\n', "", "accepted: c, p, t"),
        ('t "" 5 "" { 0 0 }\n', 't "" 5 "" { 0 0 }\nt "" 0\n', "the end of the file"),
    ],
)
def test_wrong_gambit_files(old: str, new: str, message: str) -> None:
    assert old in SIGNALS
    with pytest.raises(UsageError) as error:
        read_efg(SIGNALS.replace(old, new, 1))
    assert message in str(error.value)


# Trees


def test_games_that_cannot_be_taken() -> None:
    for name, message in (
        ("no_such_game", "has no game"),
        ("leduc_pokr", "did you mean 'leduc_poker'"),
        ("kuhn_poker(cards=", "has no game"),
        ("backgammon", "information states"),
    ):
        with pytest.raises(UsageError, match=message):
            game(f"openspiel:{name}")
    of = tree("kuhn_poker")
    for solver in SOLVERS:
        if solver in ("uct", "smooth-uct", "regret-matching"):
            with pytest.raises(UsageError, match="does not learn games given as trees"):
                sc.solver(solver, of)
    with pytest.raises(UsageError, match="sampling=chance"):
        sc.solver("mccfr", of, sampling="chance")
    with pytest.raises(UsageError, match="its keys are like"):
        of.rows("nothing")
    forgets = [
        History(0, "a", ("x", "y"), (1, 2)),
        History(0, "b", ("x", "y"), (3, 4)),
        History(0, "b", ("x", "y"), (5, 6)),
        *[History(payoffs=(1.0, -1.0))] * 4,
    ]
    with pytest.raises(UsageError, match="forgets own moves"):
        _ = ExtensiveGame(ExtensiveRules("forgetful", 2, tuple(forgets))).form
    twice = ExtensiveRules("twice", 2, (History(0, "a", ("x", "y"), (1, 1)), forgets[3]))
    with pytest.raises(UsageError, match="reached in two ways"):
        _ = ExtensiveGame(twice).tree


def test_matches_of_trees_are_exact() -> None:
    of = tree("kuhn_poker")
    uniform, policy = sc.Policy.uniform(of), random_policy(of, 1)
    found = sc.match(of, [uniform, policy])
    assert found.engine == "exact"
    assert found.exact is not None
    assert sum(found.exact) == pytest.approx(0)
    for how in ({"hands": 100}, {"by_hand": True}):
        with pytest.raises(UsageError, match="are not played"):
            sc.match(of, [uniform, policy], **how)  # type: ignore[arg-type]
    for environment in (HandTable, lambda game: HandBatch(game, 2)):
        with pytest.raises(UsageError, match="is no environment"):
            environment(of)


def test_large_chance_nodes_are_split() -> None:
    ends = tuple(History(payoffs=(float(number), 0.0)) for number in range(11))
    shares = tuple(np.arange(1, 12) / 66)
    root = History(NOBODY, "", tuple("abcdefghijk"), tuple(range(1, 12)), shares)
    of = ExtensiveGame(ExtensiveRules("lottery", 2, (root, *ends)))
    assert of.tree.child.shape[1] == 2
    paths = of.tree.endings
    reach = []
    for node in paths:
        product = 1.0
        while node > 0:
            product *= of.tree.chance[node]
            node = of.tree.parent[node]
        reach.append(product)
    np.testing.assert_allclose(sorted(reach), shares)
    assert float(np.dot(reach, of.tree.payoff[paths, 0])) == pytest.approx(float(np.dot(shares, np.arange(11))))


def test_agents_of_trees_are_saved_and_named(tmp_path: Path) -> None:
    of = tree("kuhn_poker")
    policy = random_policy(of, 5)
    policy.save(tmp_path / "some.agent")
    again = sc.load(tmp_path / "some.agent")
    assert again.game.spec == "openspiel:kuhn_poker"
    np.testing.assert_array_equal(again.table, policy.table)
