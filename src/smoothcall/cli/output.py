"""What commands print: results and tables on standard output, messages and progress on standard error."""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, ClassVar

import typer

if TYPE_CHECKING:
    from smoothcall.store.runs import Progress

STOPPED = 130  # exit status after Ctrl-C
_EVERY = 5.0  # seconds between progress messages where standard error is no terminal


def say(text: str) -> None:
    """Print a line of the result."""
    typer.echo(text)


def tell(text: str) -> None:
    """Print a message on standard error."""
    typer.echo(text, err=True)


def print_json(answer: dict[str, Any]) -> None:
    typer.echo(json.dumps(answer, allow_nan=False))


def print_table(heads: list[str], rows: list[list[Any]]) -> None:
    """Print rows in columns; the heads are left out where all are empty."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", show_header=any(heads))
    for head in heads:
        table.add_column(head, overflow="fold")  # a narrow terminal wraps cells and cuts nothing off
    for row in rows:
        table.add_row(*map(str, row))
    console = Console()
    (console if console.is_terminal else Console(width=200)).print(table, markup=False)


def figure(value: float) -> str:
    """Format a number with six digits, large ones with thousands separators."""
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.6g}"


def bar(probability: float) -> str:
    return f"{probability:6.1%} {'█' * round(8 * probability):<8}"


def show_task(what: str, fraction: float) -> None:
    """Show work that a command does on the way, such as tables built at first use (see `smoothcall.progress`).

    A terminal gets a bar, a file the beginning and the end. A negative fraction is a warning.
    """
    if fraction < 0:
        tell(what)
    elif ProgressLine.active is not None and ProgressLine.active.is_terminal:
        ProgressLine.active.update(fraction, what)
    elif sys.stderr.isatty():
        filled = "█" * round(20 * fraction)
        typer.echo(f"\r{what}  {filled:<20} {fraction:4.0%}", err=True, nl=fraction >= 1)
    elif fraction in (0, 1):
        tell(f"{what}{': done' if fraction else ''}")


class ProgressLine:
    """A live line on standard error; without a terminal, a plain line every five seconds.

    The first Ctrl-C asks for a stop (`stopped` becomes True), a second one interrupts at once. So does the first one with
    `at_once` while nobody has asked `stopped` yet: nothing is lost, and reading tables may take long.
    """

    active: ClassVar[ProgressLine | None] = None  # the line on the screen

    def __init__(self, label: str, *, at_once: bool = False) -> None:
        from rich.console import Console

        self._console = Console(stderr=True)
        self.is_terminal = self._console.is_terminal
        self._label, self._asked, self._told, self._at_once = label, False, 0.0, at_once

    def __enter__(self) -> ProgressLine:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(bar_width=20), TextColumn("{task.fields[text]}"),
            TimeRemainingColumn(compact=True), console=self._console, disable=not self.is_terminal, transient=True,
        )  # fmt: skip
        self._task = self._bar.add_task(self._label, total=1.0, text="starting (kernels are compiled on first use)")
        self._bar.start()
        ProgressLine.active = self
        self._handler = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._handler)
        ProgressLine.active = None
        self._bar.stop()

    def stopped(self) -> bool:
        self._at_once = False
        return self._asked

    def tell(self, text: str) -> None:
        """Print a message above the line."""
        if self.is_terminal:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            tell(text)

    def update(self, fraction: float, text: str) -> None:
        self._bar.update(self._task, completed=fraction, text=text)

    def training(self, at: Progress) -> None:
        """Show the progress of a run."""
        measured = "" if at.nash_conv is None else f"  NashConv {at.nash_conv:.3g}"
        workers = f"  {at.note}" if at.note else ""
        line = f"{at.iterations:,} iterations  {at.speed:,.0f}/s{measured}{workers}"
        if self.is_terminal:
            self.update(at.fraction, line)
        elif at.seconds - self._told >= _EVERY:
            self._told = at.seconds
            tell(f"{self._label}: {line}, {at.fraction:.0%}")

    def fraction(self, done: float) -> None:
        """Show the fraction of the work that is done."""
        self.step(done, f"{done:.0%}")

    def step(self, done: float, text: str) -> None:
        """Show the fraction of the work that is done, in words of the caller."""
        if self.is_terminal:
            self.update(done, text)
        elif time.monotonic() - self._told >= _EVERY:
            self._told = time.monotonic()
            tell(f"{self._label}: {text}")

    def _interrupt(self, *_: object) -> None:
        interrupts, self._asked = self._asked or self._at_once, True
        if interrupts:
            raise KeyboardInterrupt
