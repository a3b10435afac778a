"""Control variates of a sample of flops: a response with fewer actions, walked on all flops."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import smoothcall as sc
from smoothcall.evaluation.exact_response import ExactResponse, exact_response
from tests.evaluation.test_exact_response import small, some_policy


@cache
def controlled() -> tuple[sc.Policy, ExactResponse]:
    policy = some_policy(small("x1+x2"), 4)
    return policy, exact_response(policy, double=True)


@pytest.mark.parametrize(("control", "width"), [(("f", "c", "x1", "x2"), 1e-9), (("f", "c", "x2"), 45.0), (("c",), 60.0)])
def test_a_response_with_fewer_actions_is_a_control_variate(control: tuple[str, ...], width: float) -> None:
    """With every action it is the response itself: nothing is left to sample, and the value is exact."""
    policy, exact = controlled()
    found = exact_response(policy, flops=16, control=control, double=True)
    assert (found.control, found.done, found.sampled) == (control, True, True)
    assert found.half_width <= width  # type: ignore[operator]
    assert found.total == pytest.approx(exact.total, abs=max(1e-6, 2 * found.half_width))  # type: ignore[operator]
    assert f"different, all with {', '.join(control)}): 95 %" in str(found)
    assert found.as_dict()["control"] == list(control)


def test_a_stopped_control_goes_on_and_check_down_values_take_its_place(tmp_path: Path) -> None:
    policy, path, told = controlled()[0], tmp_path / "some.flops", list[str]()
    how: dict[str, Any] = {"flops": 12, "control": ("f", "c"), "double": True}
    whole, plain = exact_response(policy, **how), exact_response(policy, flops=12, double=True)
    stopped = exact_response(policy, **how, store=path, watch=lambda _, text: told.append(text), stop=lambda: len(told) == 40)
    assert stopped == replace(plain, done=False)
    told.clear()
    again = exact_response(policy, **how, store=path, watch=lambda _, text: told.append(text))
    assert again == whole
    assert len(told) == 95 + 2 * whole.walked - 40
    with pytest.raises(sc.UsageError, match="not a file of flops of this agent"):
        exact_response(some_policy(small("x1+x2"), 5), **how, store=path)
