"""Step through hands one at a time in PettingZoo's interface, ours and its own: `python benchmarks/environments.py`.

Its classic environments need `pip install rlcard pygame`. All choose random legal actions; steps per second of processor time.
More than half of the time is PettingZoo's own wrappers. Thousands of hands at once are measured by `smoothcall bench
leduc-environment limit-holdem-environment --peers`.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from random import Random
from time import process_time
from typing import Annotated, Any

import typer

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PettingZoo warns of its own modules
    from smoothcall.interop import pettingzoo

from smoothcall.experiments.peers import step_at_random

GAMES = {"leduc": "leduc_holdem_v4", "limit-holdem": "texas_holdem_v4"}


def steps_per_second(env: Any, count: int) -> float:
    start = process_time()
    return step_at_random(env, Random(1), count) / (process_time() - start)


def main(
    steps: Annotated[int, typer.Option(help="Decisions of a repeat.")] = 4000,
    repeats: Annotated[int, typer.Option(help="Repeats, ours and theirs in turn; medians are printed.")] = 5,
) -> None:
    for name, classic in GAMES.items():
        envs = [pettingzoo.env(name), import_module(f"pettingzoo.classic.{classic}").env()]
        for env in envs:
            steps_per_second(env, 200)
        found = [[steps_per_second(env, steps) for env in envs] for _ in range(repeats)]
        ours, theirs = (sorted(column)[repeats // 2] for column in zip(*found, strict=True))
        typer.echo(f"{name}: ours {ours:,.0f}, PettingZoo's own {theirs:,.0f} steps/s")


if __name__ == "__main__":
    typer.run(main)
