"""Trainings of the NFSP page."""

from __future__ import annotations

from typing import Any

from smoothcall.experiments.nfsp.training import Training

TITLE = "Neural fictitious self-play on Kuhn poker and Leduc hold'em (Heinrich and Silver 2016)"

# The author's program where it differs from the solver's defaults. Two updates of each network for every 128 moves of both
# players; the gradient of half the squared error, of rewards in 1/26 chips; exploration 0.06 / (1 + 0.01 sqrt(iterations)).
AUTHOR: dict[str, Any] = {"every": 64, "value_rate": 0.05, "scale": 26, "fade": 300_000}
EARLIER: dict[str, Any] = {"policy_rate": 0.1, "batch": 512}  # ours before this page's changes
OURS: dict[str, Any] = EARLIER | {"recent": 0.01, "target": 48, "cool": 20_000}

KUHN = "Kuhn, defaults"
DEFAULTS = {units: f"Leduc, defaults, {units} units" for units in (64, 128)}
BY_AUTHOR = {units: f"Leduc, author's program, {units} units" for units in (16, 64, 128)}
Q_LEARNING = "Leduc, Q-learning alone (eta = 1)"
FIRST, BEST = "Leduc, earlier settings", "Leduc, ours"

LEDUC: dict[str, dict[str, Any]] = {
    **{label: {"hidden": units} for units, label in DEFAULTS.items()},
    **{label: AUTHOR | {"hidden": units} for units, label in BY_AUTHOR.items()},
    Q_LEARNING: AUTHOR | {"hidden": 128, "eta": 1.0},
    BEST: OURS,
}
FULL = (
    Training(KUHN, "kuhn", 5_000_000, 3),
    Training(DEFAULTS[64], "leduc", 5_000_000, 1),
    Training(FIRST, "leduc", 12_000_000, 3, EARLIER),
    Training(DEFAULTS[128], "leduc", 5_000_000, 1, {"hidden": 128}),
    *(Training(label, "leduc", 12_000_000, 3, LEDUC[label]) for label in (*BY_AUTHOR.values(), Q_LEARNING)),
    Training(BEST, "leduc", 60_000_000, 3, OURS),
)
TINY: dict[str, Any] = {"hands": 64, "every": 64, "batch": 64, "transitions": 5_000, "moves": 10_000}
QUICK = (
    Training(KUHN, "kuhn", 50_000, 1, EARLIER),
    Training(FIRST, "leduc", 30_000, 1, EARLIER),
    *(Training(label, "leduc", 1_200, 1, options | TINY) for label, options in LEDUC.items()),
)
