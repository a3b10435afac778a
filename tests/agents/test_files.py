"""Agent files of batch policies: written, read back, and refused when they do not hold what they say."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.batch_wrappers import Table
from smoothcall.agents.layers import Layers
from smoothcall.agents.q_networks import ROWS, Amount, Discrete, Softmax, Values
from smoothcall.agents.scripted import RULES, Scripted
from smoothcall.agents.tabulated import TabulatedPolicy, scripted_policy
from smoothcall.kernels.simulation.observations import OBSERVATION
from smoothcall.kernels.tables import Array
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.observations import node_observations
from tests.conftest import TINY, WHOLE_BETS, built


def network(seed: int, *widths: int) -> Layers:
    random, pairs = np.random.default_rng(seed), list(pairwise(widths))
    return tuple(
        (random.normal(size=(out, into)).astype(np.float32), random.normal(size=out).astype(np.float32)) for into, out in pairs
    )


def batch_policies() -> dict[str, BatchPolicy]:
    table = Table.of(built(WHOLE_BETS).rules)  # type: ignore[arg-type]
    values = np.random.default_rng(1).integers(-3, 4, (97, 6)).astype(np.float32)  # repeated: compressed in no time
    return {
        **{name: Scripted(name, table) for name in RULES},
        "values": Values(table, (network(1, 10, 64, 32, 6), network(2, 10, 8, 6))),
        "softmax": Softmax(table, network(3, 6, 64, 32, 6)),
        "amount": Amount(table, network(4, 6, 16, 1)),
        "blurred": Amount(table, network(5, 6, 1), blur=0.25),
        "discrete": Discrete(table, np.resize(values, (ROWS, 6))),
    }


@pytest.mark.parametrize("name", batch_policies())
def test_save_and_load(name: str, tmp_path: Path) -> None:
    path, card = tmp_path / "batch policy.agent", {"solver": {"name": "test"}, "iterations": 7}
    policy = TabulatedPolicy(built(WHOLE_BETS), batch_policies()[name], card)
    policy.save(path)
    assert path.stat().st_size < (400_000 if name == "discrete" else 40_000)
    again = sc.load(path)
    assert isinstance(again, TabulatedPolicy)
    assert again.nbytes == 0, "the table is worked out when it is asked for"
    assert again.card == card
    assert again.game.spec == policy.game.spec
    np.testing.assert_array_equal(again.weights, policy.weights)
    assert again.nbytes == again.weights.nbytes
    first = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == first, "the same agent is the same file"
    with zipfile.ZipFile(path) as archive:
        about = json.loads(archive.read("card.json"))
        for entry in archive.namelist():
            if entry != "card.json":
                np.load(io.BytesIO(archive.read(entry)), allow_pickle=False)
    assert (about["kind"], about["format"]) == ("batch_policy", 1)
    assert sc.load(path, built(WHOLE_BETS)).game is built(WHOLE_BETS)


class Watchful:
    """A batch policy that depends on every number of an observation and on every legal move."""

    def probabilities(self, seen: Array, legal: Array) -> Array:
        mixed = (seen.astype(np.float64) @ np.sqrt(np.arange(2, 2 + OBSERVATION)))[:, None] * np.arange(1, 1 + legal.shape[1])
        weights = legal * (0.01 + np.abs(np.sin(100 * mixed)))
        return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", ["moderate", "bluffer-aggressive", "softmax", "values", "discrete", "watchful"])
def test_the_table_holds_the_probabilities_of_the_batch_policy_at_every_node(name: str) -> None:
    """Decisions that look alike are worked out once: here all are, one by one."""
    game, batch_policy = built(WHOLE_BETS), {**batch_policies(), "watchful": Watchful()}[name]
    policy = TabulatedPolicy(game, batch_policy)
    assert policy.weights.shape == (game.tree.rows, len(game.actions))
    assert (policy.weights.sum(axis=1, dtype=int) == 255).all()
    for node in game.tree.decisions:
        first, buckets = game.tree.first_row[node], game.buckets[game.tree.round[node]]
        legal = np.repeat(game.tree.child[[node]] >= 0, buckets, axis=0)
        said = batch_policy.probabilities(node_observations(game, np.array([node]), with_cards=False), legal)
        assert abs(policy.weights[first : first + buckets] / 255 - said).max() < 1 / 255


def test_another_game(tmp_path: Path) -> None:
    path = tmp_path / "batch policy.agent"
    scripted_policy(built(WHOLE_BETS), "moderate").save(path)
    with pytest.raises(sc.UsageError, match=f"plays {re.escape(built(WHOLE_BETS).spec)}, not kuhn"):
        sc.load(path, built("kuhn"))


@pytest.mark.parametrize("spec", ["rps", "kuhn", "limit-holdem", "no-limit-holdem", TINY, f"{WHOLE_BETS},cells=even"])
def test_games_that_batch_policies_do_not_play(spec: str) -> None:
    with pytest.raises(sc.UsageError, match=r"moderate cannot play .* such as no-limit-holdem-32"):
        scripted_policy(built(spec), "moderate")
    with pytest.raises(sc.UsageError, match="batch policies cannot play"):
        TabulatedPolicy(built(spec), batch_policies()["call"])


def test_batch_policies_that_cannot_be_written(tmp_path: Path) -> None:
    policy = TabulatedPolicy(built(WHOLE_BETS), Watchful())
    with pytest.raises(sc.UsageError, match="a batch policy of class Watchful cannot be written"):
        policy.save(tmp_path / "other.agent")
    assert list(tmp_path.iterdir()) == []


def test_batch_policies_that_return_no_probabilities() -> None:
    class Lost:
        def probabilities(self, seen: Array, legal: Array) -> Array:
            return np.full(legal.shape, np.nan)

    with pytest.raises(sc.UsageError, match="this batch policy returned"):
        TabulatedPolicy(built(WHOLE_BETS), Lost()).weights  # noqa: B018


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "batch policy.agent"
    policy = TabulatedPolicy(built(WHOLE_BETS), batch_policies()["amount"])
    policy.save(path)
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(sc.UsageError, match="not an agent file, or a damaged one"):
            sc.load(path)
    for place in range(40, len(whole) - 60, 41):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            loaded = sc.load(path)
        except sc.UsageError:
            continue
        np.testing.assert_array_equal(loaded.weights, policy.weights)  # a byte that does not matter


Change = Callable[[dict[str, Any], dict[str, Array]], object]

WRONG: dict[str, tuple[str, Change, str]] = {
    "kind": (
        "amount",
        lambda card, arrays: card.update(kind="oracle"),
        "of kind 'oracle'; this version reads table, batch_policy",
    ),
    "odd kind": ("amount", lambda card, arrays: card.update(kind=["batch_policy"]), "damaged"),
    "not a table": ("amount", lambda card, arrays: card.update(kind="table"), "damaged"),
    "no kind": ("amount", lambda card, arrays: card.pop("kind"), "damaged"),
    "format": ("amount", lambda card, arrays: card.update(format=9), "format 9; this version reads up to 2"),
    "nothing said": ("amount", lambda card, arrays: card.pop("batch_policy"), "damaged"),
    "text": ("amount", lambda card, arrays: card.update(batch_policy="amount"), "damaged"),
    "class": (
        "amount",
        lambda card, arrays: card["batch_policy"].update({"class": "brain"}),
        "unknown class of batch policy 'brain'",
    ),
    "other class": ("amount", lambda card, arrays: card["batch_policy"].update({"class": "values"}), "from 10 numbers to 6"),
    "rule": ("call", lambda card, arrays: card["batch_policy"].update(rule="tell"), "unknown rule of a batch policy: 'tell'"),
    "inputs": ("softmax", lambda card, arrays: card["batch_policy"]["networks"][0][0].__setitem__(1, 7), "from 6 numbers to 6"),
    "outputs": ("amount", lambda card, arrays: card["batch_policy"]["networks"][0].pop(), "from 6 numbers to 1"),
    "chain": ("softmax", lambda card, arrays: card["batch_policy"]["networks"][0].pop(1), "from 6 numbers to 6"),
    "no layers": ("softmax", lambda card, arrays: card["batch_policy"].update(networks=[[]]), "from 6 numbers to 6"),
    "no networks": (
        "values",
        lambda card, arrays: card["batch_policy"].update(networks=[]),
        "0 networks (accepted: 1 or more)",
    ),
    "two": ("softmax", lambda card, arrays: card["batch_policy"]["networks"].append([]), "2 networks (accepted: 1)"),
    "no shapes": ("softmax", lambda card, arrays: card["batch_policy"].update(networks=5), "damaged"),
    "blur": ("blurred", lambda card, arrays: card["batch_policy"].update(blur=-1), "blur=-1.0"),
    "missing": ("amount", lambda card, arrays: arrays.pop("bias-0-1"), "damaged"),
    "shape": ("amount", lambda card, arrays: arrays.update({"weight-0-0": np.ones((6, 16))}), "shape (6, 16), not (16, 6)"),
    "short": ("discrete", lambda card, arrays: arrays.update(values=np.ones((10, 6))), f"not ({ROWS}, 6)"),
    "nan": ("amount", lambda card, arrays: arrays.update({"bias-0-1": np.array([np.nan])}), "(accepted: finite numbers)"),
    "infinite": ("amount", lambda card, arrays: arrays.update({"bias-0-1": np.array([np.inf])}), "(accepted: finite numbers)"),
    "words": ("amount", lambda card, arrays: arrays.update({"bias-0-1": np.array(["a"])}), "(accepted: finite numbers)"),
    "game": ("call", lambda card, arrays: card["game"].update(name="whist"), "unknown game 'whist'"),
    "options": ("call", lambda card, arrays: card["game"]["options"].update(stack=4000), "plays "),
    "no equities": (
        "call",
        lambda card, arrays: card.update(
            game={"name": "kuhn", "options": {}, "fingerprint": built("kuhn").fingerprint}, actions=list(built("kuhn").actions)
        ),
        "batch policies cannot play kuhn",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_foreign_files(case: str, tmp_path: Path) -> None:
    name, change, message = WRONG[case]
    path = tmp_path / "batch policy.agent"
    TabulatedPolicy(built(WHOLE_BETS), batch_policies()[name]).save(path)
    with zipfile.ZipFile(path) as archive:
        card = json.loads(archive.read("card.json"))
        arrays = {
            entry.removesuffix(".npy"): np.load(io.BytesIO(archive.read(entry)))
            for entry in archive.namelist()
            if entry != "card.json"
        }
    change(card, arrays)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("card.json", json.dumps(card))
        for entry, array in arrays.items():
            data = io.BytesIO()
            np.save(data, array, allow_pickle=False)
            archive.writestr(f"{entry}.npy", data.getvalue())
    with pytest.raises(sc.UsageError) as caught:
        sc.load(path)
    assert message in str(caught.value)
