"""Agents kept beside a page, and means over seeds."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.errors import UsageError
from smoothcall.experiments.agents import AgentFolder, differences
from smoothcall.experiments.curves import means
from tests.conftest import built


def test_the_mean_of_seeds_has_an_interval() -> None:
    """Of 1, 2 and 6 the mean is 3 and its standard error sqrt(7 / 3); Student's quantile with 2 degrees of freedom is 4.303."""
    (one, other) = means(np.array([[1.0, 4.0], [2.0, 4.0], [6.0, 4.0]]))
    np.testing.assert_allclose(one.interval(), (3 - 4.30265 * sqrt(7 / 3), 3 + 4.30265 * sqrt(7 / 3)), rtol=1e-5)
    assert other.interval() == (4, 4)


def test_agents_of_another_command_are_refused(tmp_path: Path) -> None:
    folder, policy = AgentFolder(tmp_path), sc.Policy.uniform(built("kuhn"))
    policy.card["solver"] = {"name": "cfr", "options": {"prune": 0.0}}
    folder.save("agent", policy)
    assert folder.has("agent")
    assert folder.find("other", None, {}, "command") is None
    assert folder.find("agent", None, {"solver": {"name": "cfr"}}, "command") is not None
    with pytest.raises(UsageError, match=r"was not made by: command \(solver.options.prune is 0.0 instead of 1.0\)"):
        folder.find("agent", None, {"solver": {"options": {"prune": 1.0}}}, "command")
    assert differences({"a": {"b": 1}, "c": 2}, {"a": 3}) == {"a": ({"b": 1}, 3), "c": (2, None)}
    assert AgentFolder(None).find("agent", None, {}, "command") is None
