"""Trainings of the NFSP page."""

from __future__ import annotations

from itertools import accumulate
from operator import or_
from typing import Any

from smoothcall.experiments.nfsp.training import Training

TITLE = "Neural fictitious self-play on Kuhn poker and Leduc hold'em (Heinrich and Silver 2016)"

# The author's program where it differs from the solver's defaults. Two updates of each network for every 128 moves of both
# players; the gradient of half the squared error, of rewards in 1/26 chips; exploration 0.06 / (1 + 0.01 sqrt(iterations)).
AUTHOR: dict[str, Any] = {"every": 64, "value_rate": 0.05, "scale": 26, "fade": 300_000}
KUHN = "Kuhn, defaults"
DEFAULTS = {units: f"Leduc, defaults, {units} units" for units in (64, 128)}
BY_AUTHOR = {units: f"Leduc, author's program, {units} units" for units in (16, 64, 128)}
Q_LEARNING = "Leduc, Q-learning alone (eta = 1)"
FIRST, BEST = "Leduc, earlier settings", "Leduc, ours"
LONGER = "Leduc, ours, trained for longer"

# Ours, one change at a time: each training has the changes of all before it, and its own.
CHANGES: dict[str, dict[str, Any]] = {
    FIRST: {"policy_rate": 0.1, "batch": 512},
    "Leduc, + updates from the newest 1 % of all transitions": {"recent": 0.01},
    "Leduc, + target network renewed every 48 updates": {"target": 48},
    "Leduc, + learning rates that fall": {"cool": 20_000},
    "Leduc, + exploration that stays at 0.06 and is not imitated": {"fade": 1e12, "imitate": "greedy"},
    BEST: {"eta": 0.2},
}
STEPS: dict[str, dict[str, Any]] = dict(zip(CHANGES, accumulate(CHANGES.values(), or_), strict=True))

LEDUC: dict[str, dict[str, Any]] = {
    **{label: {"hidden": units} for units, label in DEFAULTS.items()},
    **{label: AUTHOR | {"hidden": units} for units, label in BY_AUTHOR.items()},
    Q_LEARNING: AUTHOR | {"hidden": 128, "eta": 1.0},
    **STEPS,
}
FULL = (
    Training(KUHN, "kuhn", 5_000_000, 3),
    Training(DEFAULTS[64], "leduc", 5_000_000, 1),
    Training(FIRST, "leduc", 12_000_000, 3, STEPS[FIRST]),
    Training(BEST, "leduc", 12_000_000, 3, STEPS[BEST], until=9_450_000),
    Training(LONGER, "leduc", 24_000_000, 3, STEPS[BEST]),
    *(Training(label, "leduc", 12_000_000, 1, STEPS[label], until=850_000) for label in STEPS if label not in (FIRST, BEST)),
    *(Training(label, "leduc", 12_000_000, 3, LEDUC[label], until=530_000) for label in (*BY_AUTHOR.values(), Q_LEARNING)),
)
TINY: dict[str, Any] = {"hands": 64, "every": 64, "batch": 64, "transitions": 5_000, "moves": 10_000}
QUICK = (
    Training(KUHN, "kuhn", 50_000, 1, STEPS[FIRST]),
    *(Training(label, "leduc", 1_200, 1, options | TINY) for label, options in (LEDUC | {LONGER: STEPS[BEST]}).items()),
)
