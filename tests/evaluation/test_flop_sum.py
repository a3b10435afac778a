"""The file with the sum over the flops done: a computation over all flops goes on, and damaged files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import smoothcall as sc
from smoothcall.evaluation.exact_response import exact_response
from smoothcall.search import policy_response
from tests.evaluation.test_exact_response import images, small, some_policy, with_flops


def test_a_sum_over_all_flops_goes_on_in_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result does not depend on interruptions, and nothing else than the file is needed."""
    with_flops(monkeypatch, [images(flop)[0] for flop in ("TcTdTh", "TcJdQh", "TcJcQc")], [4, 24, 4])
    policy, path = some_policy(small("all-in"), 4), tmp_path / "some.flops"
    whole, kept = exact_response(policy, double=True), tmp_path / "some.sum"
    stopped = exact_response(policy, double=True, store=path, stop=lambda: True)
    assert (stopped.walked, stopped.done, stopped.total) == (1, False, None)
    assert kept.stat().st_size < 20_000
    kept.rename(tmp_path / "moved.sum")
    told = list[tuple[float, str]]()
    again = exact_response(policy, double=True, store=tmp_path / "moved.sum", watch=lambda *step: told.append(step))
    assert (again, len(told)) == (whole, 2)
    assert [each.name for each in tmp_path.iterdir()] == ["moved.sum"]
    monkeypatch.setattr(policy_response.PolicyResponse, "flop_values", None)  # nothing is walked any more
    assert exact_response(policy, double=True, store=tmp_path / "moved.sum") == whole


def test_sums_of_other_agents_and_damaged_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_flops(monkeypatch, images("TcTdTh")[:1], [4])
    policy, path = some_policy(small("all-in"), 4), tmp_path / "some.sum"
    exact_response(policy, double=True, store=path)
    data = path.read_bytes()
    for other in (some_policy(small("all-in"), 5), policy.greedy()):
        with pytest.raises(sc.UsageError, match=r"not a sum over flops of this agent and response \(policy: "):
            exact_response(other, double=True, store=path)
    for wrong in (data[:-1], data + b"x", data[:-1] + bytes([data[-1] ^ 1]), data.replace(b'"done": 1', b'"done": 2')):
        path.write_bytes(wrong)
        with pytest.raises(sc.UsageError, match="is damaged"):
            exact_response(policy, double=True, store=path)
    for wrong in (b"", b"something else", b"[]\n", data[:200]):
        path.write_bytes(wrong)
        with pytest.raises(sc.UsageError, match=f"{str(path)!r} is damaged"):
            exact_response(policy, double=True, store=path)
