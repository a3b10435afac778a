"""Processes that train with frequent checkpoints, and what they leave, without times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from smoothcall.store.metrics import Metric

# the command line with checkpoints twenty times a second, so that kills fall into the writing of them too
OFTEN = """
from smoothcall.store import runs
runs.CHECKPOINT_SECONDS, runs.SLICE_SECONDS = 0.05, 0.02
from smoothcall.cli import main
main()
"""

EVEN_IF_SLOW = f"from smoothcall.store import runs\nruns.CHECKPOINT_SHARE = 1.0{OFTEN}"  # however long one takes


def start(*arguments: str, script: str = OFTEN) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=Path(__file__).parent
    )


def without_time(metrics: list[Metric]) -> list[tuple[object, ...]]:
    return [(m.iterations, m.nodes, m.nash_conv, m.values, m.epsilons) for m in metrics]
