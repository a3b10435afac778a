"""Numbers as options take them."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

from smoothcall.options import number


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("given", "real", "whole"),
    [
        (3, 3.0, 3),
        ("1e6", 1e6, 1_000_000),
        ("1_000_000", 1e6, 1_000_000),
        (np.int64(4), 4.0, 4),
        (np.float32(0.5), 0.5, None),
        ("0.5", 0.5, None),
        (inf, inf, None),  # infinities are real numbers here, but not whole ones
        ("-inf", -inf, None),
        (nan, None, None),
        ("nan", None, None),
        (True, None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_numbers(given: object, real: float | None, whole: int | None) -> None:
    assert number(given, whole=False) == real
    assert number(given, whole=True) == whole
