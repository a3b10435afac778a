"""Measure every figure that has peers, with the peers, in one run: `python benchmarks/peers.py`."""

from __future__ import annotations

import sys

from smoothcall.cli import main
from smoothcall.experiments.peers import PEERS

if __name__ == "__main__":
    sys.argv[1:] = ["bench", "--peers", *sys.argv[1:], *PEERS]
    main()
