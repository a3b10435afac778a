"""Answer times tell nothing of hidden cards, even if opponents think for longer with better ones."""

from __future__ import annotations

import asyncio
import sys
from random import Random
from time import monotonic
from typing import Any

import numpy as np
import pytest

from benchmarks.timing import Correlation, correlation, strength
from benchmarks.web import random_letter
from smoothcall.games.rules import PokerRules
from smoothcall.play import service as module
from smoothcall.web.alarms import Alarms, exact_sleep
from smoothcall.web.schedule import PERIOD, Schedule
from smoothcall.web.server import create
from tests.conftest import built
from tests.play.test_service import make_service
from tests.web.asking import Asker
from tests.web.leaks import act


def told_by(schedule_period: float, monkeypatch: pytest.MonkeyPatch, answers: int = 60) -> Correlation:
    """Return the correlation on a clock that only opponents and the schedule move: up to a period for the best card."""
    now, times, groups = [0.0], list[float](), dict[tuple[str, int], list[tuple[float, float]]]()
    real = module.let_opponents_act

    def thinks(hand: Any, deck: Any, seat: int, *rest: Any) -> None:
        now[0] += 0.9 * PERIOD * (deck[1 - seat] + 1) / len(deck)  # the opponent's card
        real(hand, deck, seat, *rest)

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(module, "let_opponents_act", thinks)
    service, random = make_service(), Random(1)
    asker = Asker(create(service, schedule=Schedule(schedule_period, lambda: now[0], sleep)), service.newcomer())

    async def run() -> None:
        began = now[0]
        table = (await asker.post_json("/api/tables", game="leduc", opponents=["always-call"])).json
        times.append(now[0] - began)
        while len(times) < answers:
            hand, began = table["hand"], now[0]
            if hand["over"]:
                table = (await asker.post_json(f"/api/tables/{table['id']}/next", hand=hand["number"])).json
            else:
                table = (await act(asker, table, random_letter(hand["choices"], random))).json
            times.append(now[0] - began)
            row = service._histories.hand(table["hand"]["id"])
            assert row is not None
            groups.setdefault((row.betting, row.seat), []).append((times[-1], float(row.deck[1 - row.seat])))

    asyncio.run(run())
    service.close()
    if schedule_period == PERIOD:
        assert times == pytest.approx([PERIOD] * answers), "the first hand's included"
    return correlation(list(groups.values()))


def test_answers_come_at_the_same_time_whatever_the_opponent_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told_by(PERIOD, monkeypatch)
    assert abs(found.value) < 2 * found.error


def test_without_the_schedule_the_correlation_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told_by(1e-9, monkeypatch)
    assert found.value > 0.9


def test_correlation_within_groups() -> None:
    """Groups that differ in both do not make a correlation; a correlation within them is found."""
    random = np.random.default_rng(1)
    independent = [random.normal(size=(200, 2)) + 10 * place for place in range(5)]
    found = correlation([group.tolist() for group in independent])
    assert (found.answers, found.groups) == (1000, 5)
    assert abs(found.value) < 3 * found.error
    related = [[(a, a + b) for a, b in group.tolist()] for group in independent]
    assert correlation(related).value > 0.5
    assert correlation([[(1.0, 2.0)]]).answers == 0


def test_strength_of_cards() -> None:
    rules = built("limit-holdem").rules
    assert isinstance(rules, PokerRules)

    def of(hole: str, board: str = "") -> float:
        others = rules.deck.parse("2c3d")
        return strength(rules, (*others, *rules.deck.parse(hole + board)), 1, len(board) // 2)

    assert of("AsAd") > of("KsKd") > of("AsKs") > of("AsKd") > of("Ts9d")
    assert of("Ts9d", "8h7c6s") > of("AsAd", "8h7c6s")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere sleeps are those of asyncio")
def test_exact_sleeps_end_in_their_order() -> None:
    """Also after one was cancelled, and none too early. Times are absolute, so that a pause between two does not matter."""
    ended: list[float] = []

    async def run() -> None:
        began, alarms = monotonic(), Alarms(asyncio.get_running_loop())

        async def sleep(seconds: float) -> None:
            await alarms.sleep_until(began + seconds)
            assert monotonic() >= began + seconds
            ended.append(seconds)

        asleep = [asyncio.create_task(sleep(seconds)) for seconds in (0.02, 0.0015, 0.0005, 0.01)]
        await asyncio.sleep(0)
        asleep[2].cancel()
        await asyncio.gather(*asleep, return_exceptions=True)
        await sleep(0.0)
        before = monotonic()
        await exact_sleep(0.001)
        assert monotonic() >= before + 0.001

    asyncio.run(run())
    assert ended == [0.0015, 0.01, 0.02, 0.0]
    assert Schedule()._sleep is exact_sleep
