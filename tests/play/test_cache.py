"""The one cache of large things: bounded in bytes, shared arrays counted once, and let go of by the tables that use them."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from smoothcall.app import App
from smoothcall.play.cache import Cache, arrays_of
from smoothcall.play.live import OPPONENT_BYTES, SHARE, TABLE_BYTES, LiveTables
from smoothcall.play.opponents import Agents
from smoothcall.play.service import PlayService
from tests.conftest import TINY, built


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


def test_what_grows_after_it_was_made_is_counted_with_the_next() -> None:
    cache, grows = Cache(10_000), Holder([])
    cache.get("grows", lambda: grows)
    grows.arrays.append(np.zeros(1000))
    cache.get("next", lambda: np.zeros(100))
    assert cache.nbytes == 8800
    grows.arrays.append(np.zeros(1000))
    cache.get("last", lambda: np.zeros(1))
    assert cache.nbytes == 808, "what has grown too large is dropped"


def test_room_is_made_before_a_value_is_made_again() -> None:
    cache, beside = Cache(20_000), list[int]()

    def get(name: str) -> None:
        def make() -> np.ndarray:
            beside.append(cache.nbytes)
            return np.zeros(1000)

        cache.get(name, make)

    for name in ("a", "b", "c", "a", "b"):
        get(name)
    assert beside == [0, 8000, 16000, 8000, 8000], "c was new, a and b were known"
    assert cache.nbytes == 16000


def test_tables_of_a_deck_are_not_counted() -> None:
    """They stay in memory in any case, so dropping agents would not help."""
    abstraction = built(TINY).abstraction
    assert abstraction is not None
    abstraction.read_tables()
    own = arrays_of(abstraction.strengths)
    assert own == {}
    assert sum(arrays_of(abstraction).values()) < sum(each.nbytes for each in abstraction.strengths.table.values())


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


def test_tables_in_memory_are_bounded_by_the_cache_and_count_in_it() -> None:
    """They take an eighth of the limit at most; those that are evicted come back from the database as they were."""
    size = TABLE_BYTES + OPPONENT_BYTES
    agents = Agents(cache=Cache(8 * 5 * size))
    service: PlayService = App().play_service("sqlite://", agents)
    person = service.person(service.newcomer())
    tables = [service.open_table(person, "kuhn", ["always-call"]) for _ in range(12)]
    assert 3 <= len(service._live) <= 5
    assert service.nbytes <= agents.cache.limit // SHARE
    assert tables[-1].id in service._live
    assert tables[0].id not in service._live
    assert [service.table(person, table.id) for table in tables] == tables
    assert service.nbytes <= agents.cache.limit // SHARE
    agents.cache.get("large", lambda: np.zeros(8 * 5 * size // 8 - service.nbytes // 16))
    agents.cache.get("small", lambda: np.zeros(1))
    assert list(agents.cache._values) == ["small"], "both would fit if there were no tables"
    agents.cache.limit = 1
    service.open_table(person, "kuhn", ["always-call"])
    assert len(service._live) == 1, "the latest is always kept"
    service.close()


@pytest.mark.parametrize(
    ("game", "opponents"),
    [
        ("kuhn", ["kuhn-lp"]),
        ("leduc", ["leduc-cfr"]),
        ("limit-holdem-3p", ["always-raise"] * 2),
        ("no-limit-holdem:seats=6", ["mostly-calls"] * 5),
    ],
)
def test_the_bytes_of_a_table_are_not_underestimated(game: str, opponents: list[str]) -> None:
    """Against those that Python has allocated for several tables, in hands as long as calls make them."""
    service: PlayService = App().play_service("sqlite://", Agents())
    person = service.person(service.newcomer())

    def play() -> None:
        table = service.open_table(person, game, opponents)
        while not table.hand.over:
            table = service.act(person, table.id, "c", hand=table.hand.number, move=table.hand.move)

    play()  # fills every other cache
    service.evict_all()
    tracemalloc.start()
    try:
        for _ in range(10):
            play()
        gc.collect()
        estimated, held = service.nbytes, tracemalloc.get_traced_memory()[0]
        service.evict_all()
        gc.collect()
        freed = held - tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert 0.4 * estimated < freed <= estimated
    service.close()


def test_a_table_is_dropped_only_while_nobody_goes_through_all() -> None:
    live = LiveTables()
    live["t"] = None  # type: ignore[assignment]
    thread = threading.Thread(target=live.drop, args=["t"])
    with live.lock:
        thread.start()
        thread.join(0.05)
        assert "t" in live
    thread.join()
    assert "t" not in live
    live.drop("t")
