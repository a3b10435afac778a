"""The document's recursion and our sweeps are the same algorithm: the same deals give the same tables."""

from __future__ import annotations

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.experiments.bahuguna2018 import recursion
from tests.conftest import built


@pytest.mark.interpreted
@pytest.mark.parametrize("prune", [0.0, 1e-3])
@pytest.mark.parametrize("spec", ["kuhn", "kuhn-3p"])
def test_recursion_agrees(spec: str, prune: float) -> None:
    game = built(spec)
    policy, nodes, _ = recursion(game, seed=4, iterations=300, prune=prune)
    solver = sc.solver("mccfr", game, seed=4, sampling="chance", prune=prune)
    solver.run(300)
    np.testing.assert_allclose(solver.policy().table, policy.table, atol=1e-12)
    assert solver.nodes == nodes
