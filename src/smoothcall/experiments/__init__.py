"""Reproductions: one module or package per paper, with its games, parameters, published statements, and our figures.

A module has TITLE, the sizes FULL and QUICK, `measure(parts, size, folder)`, which measures everything part by part, and
`write(page, parts)`, which makes the page from the measured parts and from nothing else. `folder` is the page's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from smoothcall.errors import unknown
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import Measurements, Parts, has_parts, read
from smoothcall.experiments.verdicts import Row
from smoothcall.tasks import HERE, Runner

EXPERIMENTS = {
    "bahuguna2018": "Learning for Hidden Information Games: regret matching and CFR on Rock-Paper-Scissors and Kuhn poker",
    "macmanus2019": "Learning to Play Leduc Hold'em: UCT and Smooth UCT by self-play",
    "heinrich2014": "Self-Play Monte-Carlo Tree Search in Computer Poker: UCT and Smooth UCT on Kuhn poker, beside CFR",
    "heinrich2014-holdem": "Self-Play Monte-Carlo Tree Search in Computer Poker: limit Texas hold'em, two and three players",
    "epfl2020": "Poker Agent, a Reinforcement Learning Approach: four learners, eleven scripted players, no-limit, 32 cards",
    "pricope2021": "Deep Reinforcement Learning from Self-Play in No-Limit Texas Hold'em: three agents, gradient play",
    "nfsp": "Deep Reinforcement Learning from Self-Play in Imperfect-Information Games: NFSP on Kuhn poker and Leduc hold'em",
}


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A page of the ledger."""

    name: str
    page: Path
    rows: tuple[Row, ...]


def reproduce(
    name: str, *, quick: bool, out: Path, tell: Callable[[str], None], again: bool = False, runner: Runner = HERE
) -> Reproduction:
    """Run a paper's experiments and write its page under `out`. Parts measured before are reused unless `again`."""
    module, command = _module(name), command_of(name, quick=quick)
    folder = out / page_name(name, quick=quick)
    parts = Parts(folder / "data.json", command, tell, again=again)
    size = module.QUICK if quick else module.FULL
    if runner is HERE:
        module.measure(parts, size, folder)
    else:
        from smoothcall.experiments.distributed import measure_parts

        measure_parts(module.measure, parts, size, runner)
    parts.forget_others()
    return write_page(name, out, quick=quick)


def write_page(name: str, out: Path, *, quick: bool = False) -> Reproduction:
    """Write a page under `out` from what has been measured of it so far."""
    page, found = page_of(name, out, quick=quick)
    return Reproduction(name, page.write(out, found), tuple(page.rows))


def page_of(name: str, out: Path, *, quick: bool = False) -> tuple[Page, Measurements]:
    """Return a page made from its data under `out`, and the data by part."""
    module, page = _module(name), Page(page_name(name, quick=quick), _module(name).TITLE, command_of(name, quick=quick))
    parts = read(out / page.name / "data.json")
    module.write(page, parts)
    return page, parts


def differences(name: str, out: Path) -> list[str]:
    """Return how a page under `out` differs from what its data give; [] if it does not."""
    page, parts = page_of(name, out)
    return page.differences(out, parts)


def measured_papers(out: Path) -> tuple[str, ...]:
    """Return the papers whose data under `out` are parts; pages of an earlier form are to be measured again."""
    return tuple(name for name in EXPERIMENTS if has_parts(out / name / "data.json"))


def page_name(name: str, *, quick: bool) -> str:
    return f"{name}-quick" if quick else name


def command_of(name: str, *, quick: bool) -> str:
    return f"smoothcall reproduce {name}{' --quick' if quick else ''}"


def _module(name: str) -> Any:
    if name not in EXPERIMENTS:
        raise unknown("paper", name, EXPERIMENTS)
    return import_module(f"smoothcall.experiments.{name.replace('-', '_')}")
