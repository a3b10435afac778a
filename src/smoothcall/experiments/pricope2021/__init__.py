"""Deep Reinforcement Learning from Self-Play in No-Limit Texas Hold'em (Pricope 2021): three agents and their results.

Added to the paper: MCCFR in hands with full stacks for comparison, lower bounds of exploitability, and gradient play
on Leduc hold'em, where exploitability is exact.
"""

from __future__ import annotations

from smoothcall.experiments.pricope2021.measure import measure as measure
from smoothcall.experiments.pricope2021.page import write as write
from smoothcall.experiments.pricope2021.published import SOURCES as SOURCES
from smoothcall.experiments.pricope2021.settings import FULL as FULL
from smoothcall.experiments.pricope2021.settings import QUICK as QUICK
from smoothcall.experiments.pricope2021.settings import TITLE as TITLE
