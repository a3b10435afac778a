"""Policies: laws, queries, mixtures, and the agent file with everything that can be wrong with it."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import smoothcall as sc
from tests.conftest import GAMES, TINY, built


def _random(spec: str, seed: int) -> sc.Policy:
    game = built(spec)
    return sc.Policy.from_weights(game, np.random.default_rng(seed).random(game.legal.shape) ** 4)


@pytest.mark.interpreted
def test_from_probabilities_and_query() -> None:
    game = built("kuhn")
    policy = sc.Policy.from_probabilities(game, {"K:": {"c": 0.4, "r": 0.6}, "J:cr": {"f": 1}})
    assert policy.probabilities("K:") == {"c": 0.4, "r": 0.6}
    assert policy.probabilities("J:cr") == {"f": 1.0, "c": 0.0}
    assert policy.probabilities("Q:") == {"c": 0.5, "r": 0.5}, "states not named are uniform"
    with pytest.raises(sc.UsageError, match="10 information states of kuhn are not named, such as 'J:'"):
        sc.Policy.from_probabilities(game, {"K:": {"c": 1}, "Q:": {"c": 1}}, strict=True)


def test_keys_shared_by_players() -> None:
    game = built("rps")
    policy = sc.Policy.from_probabilities(game, {":": {"R": 1}, (1, ":"): {"P": 1}})
    assert policy.probabilities(":", 0) == {"R": 1.0, "P": 0.0, "S": 0.0}
    assert policy.probabilities(":", 1) == {"R": 0.0, "P": 1.0, "S": 0.0}


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"K:": {"c": -0.1, "r": 1.1}}, "probability -0.1 of 'c' at 'K:'"),
        ({"K:": {"c": 0.4, "r": 0.4}}, "the probabilities at 'K:' sum to 0.8"),
        ({"K:": {"c": float("nan"), "r": 0.4}}, "probability nan of 'c'"),
        ({"K:": {"f": 1.0}}, "unknown action at 'K:' of kuhn: 'f'"),
        ({"K:crr": {"c": 1.0}}, "key 'K:crr' cannot occur in kuhn"),
        ({"A:": {"c": 1.0}}, "key 'A:' cannot occur in kuhn"),
        ({"": {"c": 1.0}}, "key '' cannot occur"),
    ],
)
def test_wrong_probabilities(given_: Any, message: str) -> None:
    with pytest.raises(sc.UsageError) as caught:
        sc.Policy.from_probabilities(built("kuhn"), given_)
    assert message in str(caught.value)


def test_wrong_tables() -> None:
    game = built("kuhn")
    good = sc.Policy.uniform(game).table
    for change in (np.nan, -0.5, 0.9):
        table = good.copy()
        table[3, 1] = change
        with pytest.raises(sc.UsageError, match="'J:c' has the probabilities"):
            sc.Policy(game, table)
    with pytest.raises(sc.UsageError, match="shape"):
        sc.Policy(game, good[:-1])
    illegal = good.copy()
    illegal[0] = [1, 0, 0]
    with pytest.raises(sc.UsageError, match="0 for illegal actions"):
        sc.Policy(game, illegal)
    with pytest.raises(ValueError, match="read-only"):
        sc.Policy(game, good).table[0, 1] = 1


def test_greedy() -> None:
    policy = _random("leduc", 1)
    greedy = policy.greedy()
    assert set(np.unique(greedy.table)) == {0.0, 1.0}
    assert (greedy.table.argmax(axis=1) == policy.table.argmax(axis=1)).all()


@pytest.mark.interpreted
@pytest.mark.parametrize(("spec", "slack"), [("leduc", 1e-12), (TINY, 2 / 255)])
def test_a_thresholded_policy_has_nothing_below_the_threshold(spec: str, slack: float) -> None:
    policy = _random(spec, 3) if spec != TINY else _rounded(spec, 3)[1]
    before, after = policy.table, policy.thresholded(0.2).table
    best = (np.arange(len(before)), before.argmax(axis=1))
    stays = before >= 0.2
    assert not stays.all(axis=1)[(before > 0).sum(axis=1) == 3].all(), "there is something to leave out"
    stays[best] = True
    assert (after[~stays] == 0).all()
    expected = np.where(stays, before, 0.0)
    np.testing.assert_allclose(after, expected / expected.sum(axis=1, keepdims=True), rtol=0, atol=slack)
    np.testing.assert_allclose(after.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(after[(before == expected).all(axis=1)], before[(before == expected).all(axis=1)])
    np.testing.assert_array_equal(policy.thresholded(0).weights, policy.weights)
    np.testing.assert_array_equal(policy.thresholded(1).weights, policy.greedy().weights)


def test_the_share_itself_stays_and_so_does_the_first_of_equals() -> None:
    game = built("rps")
    policy = sc.Policy.from_probabilities(game, {":": {"R": 0.05, "P": 0.9, "S": 0.05}, (1, ":"): {"R": 0, "P": 0.5, "S": 0.5}})
    assert policy.thresholded(0.05).probabilities(":", 0) == {"R": 0.05, "P": 0.9, "S": 0.05}
    assert policy.thresholded("0.051").probabilities(":", 0) == {"R": 0.0, "P": 1.0, "S": 0.0}
    assert policy.thresholded(0.6).probabilities(":", 1) == {"R": 0.0, "P": 1.0, "S": 0.0}


def test_a_thresholded_policy_says_so_and_has_no_results_of_another() -> None:
    policy = _random("kuhn", 1)
    policy.card = {"solver": {"name": "test"}, "results": {"nash_conv": 0.1}}
    assert policy.thresholded("5e-2").card == {"solver": {"name": "test"}, "threshold": 0.05}
    for share in (-0.1, 1.1, float("nan"), float("inf"), "much", ""):
        with pytest.raises(sc.UsageError, match=r"threshold=.*\(accepted: a number from 0 to 1\)"):
            policy.thresholded(share)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.floats(0.01, 5), min_size=2, max_size=4))
def test_a_mixture_earns_the_mixture_of_what_its_parts_earn(seed: int, weights: list[float]) -> None:
    """Realisation-correct: against any fixed opponent, value is linear in the player's mixture."""
    game = built("leduc")
    parts = [_random("leduc", seed + index) for index in range(len(weights))]
    mixed, opponent = sc.Policy.mixture(parts, weights), _random("leduc", seed + 77)
    for player in (0, 1):
        values = [sc.expected_values(game, opponent.replaced(player, part))[player] for part in parts]
        earned = sc.expected_values(game, opponent.replaced(player, mixed))[player]
        assert earned == pytest.approx(np.average(values, weights=weights), abs=1e-9)


def test_wrong_mixtures() -> None:
    policy = _random("kuhn", 1)
    for weights in ([1], [1, -1], [0, 0], [1, float("nan")]):
        with pytest.raises(sc.UsageError):
            sc.Policy.mixture([policy, policy], weights)
    with pytest.raises(sc.UsageError, match="plays leduc, not kuhn"):
        sc.Policy.mixture([policy, _random("leduc", 1)])
    with pytest.raises(sc.UsageError):
        sc.Policy.mixture([])


@pytest.mark.parametrize("spec", GAMES)
def test_save_and_load(spec: str, tmp_path: Path) -> None:
    policy = _random(spec, 5)
    policy.card = {"solver": {"name": "test"}}
    policy.save(tmp_path / "some.agent")
    again = sc.load(tmp_path / "some.agent")
    np.testing.assert_array_equal(again.table, policy.table)
    assert again.game.spec == spec
    assert again.card == policy.card
    first = (tmp_path / "some.agent").read_bytes()
    again.save(tmp_path / "some.agent")
    assert (tmp_path / "some.agent").read_bytes() == first, "the same agent is the same file"
    assert [path.name for path in tmp_path.iterdir()] == ["some.agent"], "nothing is left beside it"


def _rewritten(path: Path, change: Any) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    card = json.loads(parts["card.json"])
    change(card, parts)
    parts["card.json"] = json.dumps(card).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def test_damaged_agent_files(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.agent"
    _random("kuhn", 1).save(path)
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(sc.UsageError, match="not an agent file, or a damaged one"):
            sc.load(path)
    for place in range(40, len(whole) - 60, 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            loaded = sc.load(path)
        except sc.UsageError:
            continue
        np.testing.assert_array_equal(loaded.table, _random("kuhn", 1).table)  # a byte that does not matter
    with pytest.raises(sc.UsageError, match="there is no agent file"):
        sc.load(tmp_path / "none.agent")
    with pytest.raises(sc.UsageError, match="is a folder"):
        sc.load(tmp_path)
    with pytest.raises(sc.UsageError, match="there is no folder"):
        _random("kuhn", 1).save(tmp_path / "no" / "kuhn.agent")


def test_foreign_agent_files(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.agent"

    def changed(change: Any) -> str:
        _random("kuhn", 1).save(path)
        _rewritten(path, change)
        with pytest.raises(sc.UsageError) as caught:
            sc.load(path)
        return str(caught.value)

    def other_table(card: Any, parts: Any) -> None:
        data = io.BytesIO()
        np.save(data, np.ones((3, 3)))
        parts["policy.npy"] = data.getvalue()

    def pickled(card: Any, parts: Any) -> None:
        data = io.BytesIO()
        np.save(data, np.array([os.getpid], dtype=object), allow_pickle=True)
        parts["policy.npy"] = data.getvalue()

    assert "format 99; this version reads up to 2" in changed(lambda card, parts: card.update(format=99))
    assert "unknown game 'whist'" in changed(lambda card, parts: card["game"].update(name="whist"))
    assert "damaged" in changed(lambda card, parts: card.pop("actions"))
    assert "damaged" in changed(lambda card, parts: parts.pop("policy.npy"))
    assert "damaged" in changed(pickled), "nothing in a file is ever run"
    assert "shape" in changed(other_table)
    assert "plays other rules" in changed(lambda card, parts: card.update(actions=["x"]))
    _random("kuhn", 1).save(path)
    with pytest.raises(sc.UsageError, match="plays kuhn, not leduc"):
        sc.load(path, built("leduc"))


def test_cards_are_json_that_everybody_can_read(tmp_path: Path) -> None:
    solver = sc.solver("cfr+", built("kuhn"))
    solver.run(10)
    solver.policy().save(tmp_path / "kuhn.agent")
    with zipfile.ZipFile(tmp_path / "kuhn.agent") as archive:
        text = archive.read("card.json").decode()
    json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert sc.load(tmp_path / "kuhn.agent").card["solver"]["options"]["beta"] == "-inf"


def test_games_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    from dataclasses import replace

    from smoothcall.games.catalog import LEDUC

    other = sc.Game(replace(LEDUC, antes=(5, 5)))
    policy = sc.Policy.uniform(other)
    with pytest.raises(sc.UsageError, match="plays leduc, not leduc"):
        sc.nash_conv(built("leduc"), policy)
    policy.save(tmp_path / "other.agent")
    with pytest.raises(sc.UsageError, match="plays other rules of the same name"):
        sc.load(tmp_path / "other.agent")


def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(sc.UsageError, match="is no regular file"):
        _random("kuhn", 1).save(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
    _random("kuhn", 1).save(tmp_path / "real.agent")
    (tmp_path / "link.agent").symlink_to(tmp_path / "real.agent")
    _random("kuhn", 2).save(tmp_path / "link.agent")
    assert (tmp_path / "link.agent").is_symlink()
    np.testing.assert_array_equal(sc.load(tmp_path / "real.agent").table, _random("kuhn", 2).table)


def test_misuse_is_told_in_one_line() -> None:
    game, policy = built("kuhn"), _random("kuhn", 1)
    for wrong in (
        lambda: sc.game(5),
        lambda: sc.solver("cfr", "kuhn"),
        lambda: sc.solver(5, game),
        lambda: sc.solver("cfr", game, prune="abc"),
        lambda: sc.solver("uct", game, c="hello"),
        lambda: sc.solver("uct", built("rps"), explore="pot"),
        lambda: sc.solver("cfr", game, gamma=400),
        lambda: sc.solver("cfr", game).run("many"),
        lambda: sc.solver("cfr", game).run(10**30),
        lambda: sc.Game("kuhn"),
        lambda: sc.best_response(game, policy, 0.5),
        lambda: policy.replaced(7, policy),
        lambda: game.information_states("first"),
    ):
        with pytest.raises(sc.UsageError):
            wrong()
    solver = sc.solver("mccfr", game, seed=np.int64(3), threads=np.int32(1))
    solver.run(np.int64(5))
    assert solver.iterations == 5


def _rounded(spec: str, seed: int) -> tuple[np.ndarray, sc.Policy]:
    """(weights, the policy of them) in a game whose policies are rounded; every tenth row has no weight."""
    game, random = built(spec), np.random.default_rng(seed)
    weights = random.random((game.tree.rows, len(game.actions))) ** 6
    weights[::10] = 0
    return weights, sc.Policy.from_weights(game, weights)


@pytest.mark.parametrize("spec", [TINY, "limit-holdem", "no-limit-holdem"])
def test_rounded_policies_are_as_close_as_bytes_can_be(spec: str) -> None:
    """Parts of 255 whose errors differ by at most 1: moving a part from any action to another would not help."""
    game = built(spec)
    weights, policy = _rounded(spec, 1)
    legal = game.tree.child[game.row_node] >= 0
    assert policy.weights.dtype == np.uint8
    assert (policy.weights.sum(axis=1, dtype=int) == 255).all()
    assert (policy.weights[~legal] == 0).all()
    weights = np.where(legal, weights, 0.0)
    weights[weights.sum(axis=1) == 0] = 1.0
    exact = 255 * np.where(legal, weights, 0.0)
    exact /= np.where(legal, weights, 0.0).sum(axis=1, keepdims=True)
    missed = exact - policy.weights
    assert abs(missed).max() < 1
    spread = np.where(legal, missed, -np.inf).max(axis=1) - np.where(legal, missed, np.inf).min(axis=1)
    assert spread.max() <= 1 + 1e-9
    np.testing.assert_allclose(policy.table.sum(axis=1), 1, atol=1e-12)


def test_rounded_policies_are_even_where_nothing_is_known() -> None:
    game = built(TINY)
    for policy in (sc.Policy.uniform(game), sc.Policy.from_weights(game, np.zeros(game.legal.shape))):
        even = game.legal / game.legal.sum(axis=1, keepdims=True)
        assert abs(policy.table - even).max() < 1 / 255
        assert sum(policy.probabilities("AA:").values()) == pytest.approx(1)
    pure = np.zeros(game.legal.shape)
    pure[:, 1] = 1e-300
    assert (sc.Policy.from_weights(game, pure).weights[:, 1] == 255).all()
    counts = np.where(game.legal, 10**15, 0).astype(np.int64)
    assert abs(sc.Policy.from_weights(game, counts).table - even).max() < 1 / 255


@pytest.mark.parametrize("grid", ["5/5/5", pytest.param("L", marks=pytest.mark.long)])
def test_rounded_policies_are_read_back_bit_for_bit(grid: str, tmp_path: Path) -> None:
    """L: the largest two-player grid of heinrich2014, and the worst a file can hold: noise."""
    _, policy = _rounded(f"limit-holdem:grid={grid}", 2)
    policy.save(tmp_path / "large.agent")
    assert (tmp_path / "large.agent").stat().st_size < 10_000_000
    again = sc.load(tmp_path / "large.agent")
    np.testing.assert_array_equal(again.weights, policy.weights)
    assert again.weights.dtype == np.uint8
    assert again.game.spec == f"limit-holdem:grid={grid}"
    key = "AhKh/Td9d2c:rc/"
    assert again.probabilities(key) == policy.probabilities(key)
    with pytest.raises(sc.UsageError, match=f"plays limit-holdem:grid={grid}, not limit-holdem"):
        sc.load(tmp_path / "large.agent", built("limit-holdem"))


def test_wrong_rounded_policies() -> None:
    game = built(TINY)
    good = sc.Policy.uniform(game).weights
    legal = game.tree.child[game.row_node] >= 0
    row = int(np.flatnonzero(~legal[:, 0])[5])
    for change in ([0, 0, 0], [255, 0, 0], [0, 255, 255], [1, 127, 127]):
        table = good.copy()
        table[row] = change
        with pytest.raises(sc.UsageError) as caught:
            sc.Policy(game, table)
        assert f"{game.key(row)!r} has the probabilities" in str(caught.value)
    with pytest.raises(sc.UsageError, match="shape"):
        sc.Policy(game, good[:-1])
    negative = np.where(legal, 1.0, 0.0)
    negative[row] = [0.0, -1.0, 2.0]
    with pytest.raises(sc.UsageError):
        sc.Policy.from_weights(game, negative)
    with pytest.raises(ValueError, match="read-only"):
        sc.Policy(game, good.copy()).weights[0, 1] = 1


def test_greedy_of_a_rounded_policy() -> None:
    _, policy = _rounded(TINY, 3)
    greedy = policy.greedy()
    assert set(np.unique(greedy.weights)) == {0, 255}
    assert (greedy.weights.argmax(axis=1) == policy.weights.argmax(axis=1)).all()
    swapped = policy.replaced(0, greedy)
    mine = policy.game.row_player == 0
    np.testing.assert_array_equal(swapped.weights[mine], greedy.weights[mine])
    np.testing.assert_array_equal(swapped.weights[~mine], policy.weights[~mine])


@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_a_policy_does_not_touch_the_array_it_is_made_from(dtype: type) -> None:
    game = built("kuhn")
    table = np.where(game.legal.argmax(axis=1)[:, None] == np.arange(len(game.actions)), 255 if dtype is np.uint8 else 1, 0)
    given = table.astype(dtype)
    policy = sc.Policy(game, given)
    assert given.flags.writeable
    assert not policy.weights.flags.writeable
    given[:] = 0
    np.testing.assert_array_equal(policy.weights, table)


def test_read_only_tables_are_shared() -> None:
    """Tables of large games are not copied when a policy is made of another's weights."""
    policy = sc.Policy.uniform(built(TINY))
    assert np.shares_memory(sc.Policy(policy.game, policy.weights).weights, policy.weights)


def test_illegal_actions_at_probability_0_are_accepted() -> None:
    """Tables of other programs name every action everywhere."""
    game = built("kuhn")
    policy = sc.Policy.from_probabilities(game, {"K:": {"f": 0, "c": 0.25, "r": 0.75}, "K:r": {"f": 0.0, "c": 1.0, "r": 0.0}})
    assert policy.probabilities("K:") == {"c": 0.25, "r": 0.75}
    for wrong in ({"f": 0.5, "c": 0.5}, {"x": 0, "c": 1}):
        with pytest.raises(sc.UsageError, match="unknown action"):
            sc.Policy.from_probabilities(game, {"K:": wrong})


@pytest.mark.parametrize("spec", ["rps", "kuhn", "kuhn-3p", "leduc"])
def test_tables_with_illegal_actions_round_trip(spec: str, tmp_path: Path) -> None:
    """Every action is named in every state, illegal ones at 0, as other programs write tables."""
    game = built(spec)
    weights = np.random.default_rng(4).random(game.legal.shape) * game.legal
    policy = sc.Policy(game, weights / weights.sum(axis=1, keepdims=True))
    owners = game.row_player.tolist()
    table = {
        (owners[row], game.key(row)): dict(zip(game.actions, policy.table[row].tolist(), strict=True))
        for row in range(len(policy.table))
    }
    assert any(probability == 0 for given in table.values() for probability in given.values()) or spec == "rps"
    read = sc.Policy.from_probabilities(game, table, strict=True)
    np.testing.assert_array_equal(read.table, policy.table)
    read.save(tmp_path / "some.agent")
    np.testing.assert_array_equal(sc.load(tmp_path / "some.agent").table, policy.table)
