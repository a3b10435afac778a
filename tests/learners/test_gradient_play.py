"""Gradient play: what a player does in each of its three modes, by hand, and what a learner makes of it."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import smoothcall as sc
from smoothcall.files import write_json
from smoothcall.learners.memory import AVERAGE, BEST, GRADIENT
from smoothcall.learners.networks import Network, outputs
from smoothcall.learners.nfsp import NFSP
from smoothcall.learners.nfsp_updates import NFSPUpdates, behaviour
from smoothcall.store.config import read_config
from smoothcall.store.runs import Run
from tests.conftest import built

SIZES = {"hands": 8, "moves": 500, "transitions": 500, "batch": 8, "hidden": 8, "every": 4, "eta": 0.5, "target": 8}


def learner(spec: str, seed: int = 0, **options: Any) -> NFSP:
    made = sc.solver("nfsp", built(spec), seed=seed, **SIZES | options)
    assert isinstance(made, NFSP)
    return made


compiled = jax.jit(behaviour, static_argnums=6)

CASES = [  # mode, matrix, values, probabilities of the average policy, of the others', legal, wanted with a quarter explored
    (AVERAGE, "columns", [9, 1, 5], [0.5, 0.3, 0.2], [1, 0, 0], [1, 1, 1], [0.5, 0.3, 0.2]),
    (AVERAGE, "columns", [9, 1, 5], [0.6, 0.4, 0.0], [1, 0, 0], [1, 1, 0], [0.6, 0.4, 0]),
    (BEST, "columns", [0, 1, 5], [0.5, 0.3, 0.2], [1, 0, 0], [1, 1, 1], [1 / 12, 1 / 12, 10 / 12]),
    (BEST, "diagonal", [0, 1, 5], [0.5, 0.5, 0.0], [1, 0, 0], [1, 1, 0], [1 / 8, 7 / 8, 0]),
    # 0.5, 0.5, 0.6 is 0.6 too much
    (GRADIENT, "columns", [0, 0.2, 0.4], [0.5, 0.3, 0.2], [1, 0, 0], [1, 1, 1], [0.3, 0.3, 0.4]),
    # 0.5, 0.7, -0.2: without the last, 0.2 too much
    (GRADIENT, "columns", [0, 0.4, -0.4], [0.5, 0.3, 0.2], [0, 0, 1], [1, 1, 1], [0.4, 0.6, 0]),
    (GRADIENT, "columns", [0, 2, 4], [0.5, 0.3, 0.2], [1, 0, 0], [1, 1, 1], [0, 0, 1]),  # far from the simplex: greedy
    (GRADIENT, "columns", [7, 7, 7], [0.5, 0.3, 0.2], [1, 0, 0], [1, 1, 1], [0.5, 0.3, 0.2]),
    (GRADIENT, "columns", [0, 0.2, 9], [0.5, 0.5, 0.0], [0, 0, 1], [1, 1, 0], [0.4, 0.6, 0]),
    # moved by 0, 0.15, 0.15
    (GRADIENT, "diagonal", [3, 0.3, 0.3], [0.5, 0.3, 0.2], [0, 0.5, 0.5], [1, 1, 1], [0.4, 0.35, 0.25]),
    (GRADIENT, "diagonal", [7, 7, 7], [0.5, 0.3, 0.2], [0, 0, 1], [1, 1, 1], [0, 0, 1]),
]


@pytest.mark.parametrize("matrix", ["columns", "diagonal"])
def test_behaviour_by_hand(matrix: str) -> None:
    """All modes in one call."""
    mine = [case for case in CASES if case[1] == matrix]
    mode, values, average, others, legal, wanted = (jnp.array([case[part] for case in mine]) for part in (0, 2, 3, 4, 5, 6))
    logits = jnp.log(jnp.where(legal, average, 1.0)) + 3
    found = compiled(values, logits, others, legal == 1, mode, 0.25, matrix)
    np.testing.assert_allclose(found, wanted, atol=1e-6)


@pytest.mark.parametrize("matrix", ["columns", "diagonal"])
def test_whose_networks_are_asked(matrix: str) -> None:
    """A player's own, and of the others' average policies the mean at the same place."""
    random, players = np.random.default_rng(1), 3
    features, legal = random.normal(size=(9, 4)).astype(np.float32), np.ones((9, 3), bool)
    legal[::2, 1] = False
    rates = {"rule": "sgd", "value_rate": 0.1, "policy_rate": 0.1, "cool": 0.0, "double": False}
    networks = NFSPUpdates(features, legal, **rates, matrix=matrix)
    state = networks.begin(Network, (4, 5, 3), players, seed=2)
    who = np.arange(9, dtype=np.int8)
    found = networks.act(state, np.arange(9, dtype=np.int32), who, 0.25)
    values, logits = (np.asarray(outputs(each, features)) for each in (state.values, state.policies))
    likely = np.where(legal, np.exp(logits), 0)
    probabilities = likely / likely.sum(axis=2, keepdims=True)
    for place in range(9):
        player, mode = (place // 2, place % 2) if place < 6 else (place - 6, GRADIENT)
        others = (probabilities[(player + 1) % 3, place] + probabilities[(player + 2) % 3, place]) / 2
        own = (values[player, place], logits[player, place], others, legal[place], mode)
        wanted = compiled(*(jnp.asarray(part)[None] for part in own), 0.25, matrix)
        np.testing.assert_allclose(found[place], wanted[0], atol=1e-6)


def test_runs_add_up_and_states_restore() -> None:
    whole, parts, again = (learner("kuhn-3p", seed, rho=0.5, matrix="diagonal") for seed in (3, 3, 99))
    whole.run(200)
    parts.run(63)
    again.restore(parts.state())
    again.run(137)
    assert whole.tables()["counts"][2] > 0, "something was learned"
    for name, table in whole.tables().items():
        np.testing.assert_array_equal(again.tables()[name], table, err_msg=name)


def test_the_matrix_matters_to_the_gradient_alone() -> None:
    """In moves made before anything is learned."""
    made = {}
    for rho, matrix in product((0.5, 1.0), ("columns", "diagonal")):
        solver = learner("kuhn", rho=rho, matrix=matrix, batch=500)
        solver.run(60)
        assert solver.tables()["counts"][2] == 0
        made[rho, matrix] = solver.tables()["transitions action"].tobytes()
    assert made[1.0, "columns"] == made[1.0, "diagonal"]
    assert len(set(made.values())) == 3


def test_moves_of_the_gradient_are_not_imitated() -> None:
    """They are remembered as transitions, as all moves are."""
    counted = {}
    for rho in (0.0, 1.0):
        solver = learner("kuhn", eta=1.0, rho=rho, batch=500)
        solver.run(100)
        counted[rho] = [int(solver.tables()[f"{name} total"].sum()) for name in ("transitions", "moves")]
    assert counted[0.0][1] == 0
    assert counted[1.0][1] == counted[1.0][0]
    assert counted[0.0][0] >= 200


@pytest.mark.parametrize(
    ("option", "value", "accepted"),
    [("rho", 1.1, "a number from 0 to 1"), ("rho", -0.1, "a number from 0 to 1"), ("matrix", "rows", "columns, diagonal")],
)
def test_options_out_of_range(option: str, value: object, accepted: str) -> None:
    with pytest.raises(sc.UsageError, match=f"option {option}={value} .accepted: {accepted}"):
        learner("kuhn", **{option: value})


def test_runs_from_before_go_on(tmp_path: Path) -> None:
    """Those whose configuration does not know of gradient play."""
    before = Run.create(tmp_path / "before", "kuhn", "nfsp", options=SIZES, iterations=60)
    before.train()
    config = read_config(before.folder)
    for option in ("rho", "matrix"):
        del config["solver"]["options"][option]
    write_json(before.folder / "config.json", config)
    after = Run.open(before.folder)
    assert after.solver.options == before.solver.options
    for name, table in before.solver.tables().items():
        np.testing.assert_array_equal(after.solver.tables()[name], table, err_msg=name)
