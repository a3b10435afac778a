"""The one cache of large things: bounded in bytes, shared arrays counted once, and let go of by the tables that use them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from smoothcall.app import App
from smoothcall.play.cache import Cache, arrays_of
from smoothcall.play.opponents import Agents
from smoothcall.play.service import PlayService


@dataclass
class Holder:
    """Something of ours with arrays in it."""

    arrays: list[np.ndarray]


Holder.__module__ = "smoothcall.play.holder"


def test_arrays_are_counted_once_wherever_they_are() -> None:
    one, other = np.zeros(1000), np.zeros(10)
    assert arrays_of(one) == {id(one): 8000}
    both = {id(one): 8000, id(other): 80}
    assert arrays_of([one, {"a": (one, other)}, one[:5], None, "text"]) == both
    assert arrays_of(Holder([one, other])) == both
    assert arrays_of(object()) == {}
    cache = Cache()
    cache.get("one", lambda: [one])
    cache.get("both", lambda: [one, other])
    assert cache.nbytes == 8080


def test_the_least_recently_used_go_first() -> None:
    cache, made = Cache(3 * 8000), list[str]()

    def get(name: str) -> np.ndarray:
        def make() -> np.ndarray:
            made.append(name)
            return np.zeros(1000)

        return cache.get(name, make)

    for name in ("a", "b", "c", "a", "d", "a", "b"):
        get(name)
        assert cache.nbytes <= cache.limit
    assert made == ["a", "b", "c", "d", "b"]
    cache.limit = 1
    get("large")
    assert cache.nbytes == 8000  # the latest is always kept


def test_tables_let_go_of_agents_that_were_dropped_and_play_on() -> None:
    agents = Agents(cache=Cache(1))
    service: PlayService = App().play_service("sqlite://", agents)
    person, random = service.person(service.newcomer()), Random(1)
    tables = [service.open_table(person, game, [agent]) for game, agent in (("kuhn", "kuhn-lp"), ("leduc", "leduc-cfr"))]
    assert [service.ready(table.id) for table in tables] == [False, True]
    for _ in range(3):
        for place, table in enumerate(tables):
            if table.hand.over:
                tables[place] = service.next_hand(person, table.id, hand=table.hand.number)
            else:
                letter = random.choice(table.hand.choices).letter
                tables[place] = service.act(person, table.id, letter, hand=table.hand.number, move=table.hand.move)
    assert len(agents.cache._values) == 1
    service.close()
