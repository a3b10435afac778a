"""Neural fictitious self-play on Kuhn poker and Leduc hold'em (Heinrich and Silver 2016).

The paper is not among the documents; `published` lists the public sources that its statements are taken from.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from smoothcall.experiments.nfsp import training
from smoothcall.experiments.nfsp.page import write as write
from smoothcall.experiments.nfsp.published import SOURCES as SOURCES
from smoothcall.experiments.nfsp.settings import FULL as FULL
from smoothcall.experiments.nfsp.settings import QUICK as QUICK
from smoothcall.experiments.nfsp.settings import TITLE as TITLE
from smoothcall.experiments.nfsp.training import Training
from smoothcall.experiments.parts import Parts


def measure(parts: Parts, size: Sequence[Training], folder: Path) -> None:
    """Train every seed of every training."""
    training.measure(parts, size)
