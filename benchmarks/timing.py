"""Do answer times tell hidden cards? `python -m benchmarks.timing` prints the figures of docs/security.md.

People play hold'em over HTTP and time every answer to a move after which the opponent has acted. The rank correlation of these
times with the strength of the opponent's cards is computed within groups of the same betting (the person's move and the
opponent's included), so that pots, bets and the numbers of moves are equal in a group. The same is measured with answers that
are sent at once, to see what the schedule hides.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

import numpy as np
import typer
from scipy.stats import rankdata

from benchmarks.acknowledged import everything
from benchmarks.web import PROGRAM, Visitor, random_letter, serving
from smoothcall.games.rankings import BEST_FIVE
from smoothcall.games.rules import PokerRules
from smoothcall.information.named_games import game
from smoothcall.web.alarms import exact_sleep
from smoothcall.web.schedule import Schedule

TABLES = [
    ("limit-holdem", "limit-holdem-smooth-uct"),
    ("no-limit-holdem", "no-limit-holdem-mccfr"),
    ("no-limit-holdem", "no-limit-holdem-pricope-agent-2"),
    ("no-limit-holdem", "expert"),
]
# The command line with answers that are sent as soon as they are made
AT_ONCE = """
from smoothcall.web.schedule import Schedule
Schedule.__init__.__defaults__ = (1e-6, *Schedule.__init__.__defaults__[1:])
from smoothcall.cli import main
main()
"""


@dataclass(frozen=True, slots=True)
class Timed:
    """An answer: how long it took, and the hand it was about."""

    seconds: float
    hand: int
    betting: str  # after it
    board: int  # cards on it when the opponent acted first


@dataclass(frozen=True, slots=True)
class Correlation:
    value: float
    error: float  # standard error without a correlation
    answers: int
    groups: int


def correlation(groups: Sequence[Sequence[tuple[float, float]]]) -> Correlation:
    """Return the rank correlation of pairs within groups: ranks are taken in each group, and its mean is removed."""
    ranked = []
    for group in groups:
        pairs = np.array(group, float)
        if len(pairs) > 1:
            ranks = np.stack([rankdata(pairs[:, 0]), rankdata(pairs[:, 1])]) / len(pairs)
            ranked.append(ranks - ranks.mean(1, keepdims=True))
    count = sum(ranks.shape[1] for ranks in ranked)
    if not ranked:
        return Correlation(0.0, float("inf"), 0, 0)
    left, right = np.concatenate(ranked, 1)
    scale = float(np.sqrt((left**2).sum() * (right**2).sum()))
    value = float((left * right).sum()) / scale if scale else 0.0
    return Correlation(value, 1 / float(np.sqrt(max(1, count - len(ranked)))), count, len(ranked))


def strength(rules: PokerRules, deck: Sequence[int], seat: int, board: int) -> float:
    """Return a number that grows with the strength of a seat's two cards on the board so far."""
    hole, first = deck[2 * seat : 2 * seat + 2], 2 * rules.seats
    if not board:
        high, low = sorted((int(rules.deck.rank(card)) for card in hole), reverse=True)
        return 100.0 * (high == low) + 3 * high + low + (hole[0] % rules.deck.suit_count == hole[1] % rules.deck.suit_count)
    return float(BEST_FIVE.strength(rules.deck, (*hole, *deck[first : first + board]), ()))


async def play(port: int, played: str, opponent: str, moves: int, seed: int) -> list[Timed]:
    """Play until so many answers have been timed."""
    visitor, random, found = Visitor(), Random(seed), list[Timed]()
    await visitor.connect(port)
    table: dict[str, Any] = await visitor.open_table(played, [opponent])
    while len(found) < moves:
        hand = table["hand"]
        if hand["over"]:
            table = await visitor.next_hand(table)
            continue
        letter = random_letter([each for each in hand["choices"] if each["letter"] != "f"], random)
        if letter.startswith("r") and len(letter) > 1:  # one amount, so that groups are large
            letter = f"r{next(each['low'] for each in hand['choices'] if each['low'] is not None)}"
        began = time.perf_counter()
        table = await visitor.act(table, letter)
        took, after = time.perf_counter() - began, table["hand"]
        if after["move"] > hand["move"] + 1 and after["reason"] != "showdown":  # the opponent has acted and shown nothing
            found.append(Timed(took, after["id"], after["betting"], sum(map(len, hand["boards"]))))
    await visitor.close()
    return found


def measure(played: str, opponent: str, moves: int, folder: Path, *, at_once: bool) -> tuple[Correlation, float]:
    """Return the correlation, and the share of answers that came within one period."""
    url, program = f"sqlite:///{folder / 'hands.sqlite'}", (sys.executable, "-c", AT_ONCE) if at_once else PROGRAM

    async def together(port: int) -> list[Timed]:
        found = await asyncio.gather(*(play(port, played, opponent, moves // 2, seed) for seed in range(2)))
        return [timed for each in found for timed in each]

    with serving(url, folder / "log", program=program) as server:
        timed = asyncio.run(together(server.port))
    rows, rules = everything(url), game(played).rules
    assert isinstance(rules, PokerRules)
    groups: dict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
    for each in timed:
        row = rows[each.hand]
        groups[each.betting, row.seat].append((each.seconds, strength(rules, row.deck, 1 - row.seat, each.board)))
    return correlation(list(groups.values())), sum(each.seconds < 0.04 for each in timed) / len(timed)


async def told_by_sleeps(sleep: Callable[[float], Awaitable[None]], answers: int) -> Correlation:
    """Return the correlation of answer times on the schedule with a random part of a millisecond that answers take."""
    random, schedule, pairs = Random(1), Schedule(sleep=sleep), list[tuple[float, float]]()
    for _ in range(answers):
        work, began = random.random() * 1e-3, time.perf_counter()
        async with schedule.answer(0):
            time.sleep(work)
        pairs.append((time.perf_counter() - began, work))
    return correlation([pairs])


def main(moves: Annotated[int, typer.Option(min=10, help="Answers timed against each opponent.")] = 1500) -> None:
    typer.echo(
        "| opponent | answers | scheduled answers | share within one period | answers sent at once |\n" + "| --- " * 5 + "|"
    )
    for played, opponent in TABLES:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            scheduled, share = measure(played, opponent, moves, Path(one), at_once=False)
            at_once, _ = measure(played, opponent, moves, Path(other), at_once=True)
        shown = [f"{found.value:+.3f} ± {2 * found.error:.3f}" for found in (scheduled, at_once)]
        typer.echo(
            f"| {opponent} | {scheduled.answers:,} in {scheduled.groups} groups | {shown[0]} | {share:.1%} | {shown[1]} |"
        )
    found = [asyncio.run(told_by_sleeps(sleep, moves // 3)) for sleep in (asyncio.sleep, exact_sleep)]
    told = [f"{each.value:+.3f} ± {2 * each.error:.3f}" for each in found]
    typer.echo(
        f"\nA random part of a millisecond before an answer on the schedule, {found[0].answers} answers: {told[0]} with the "
        f"sleeps of asyncio, {told[1]} with the timer."
    )


if __name__ == "__main__":
    typer.run(main)
