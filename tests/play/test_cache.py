"""The one cache of large things: bounded in bytes, shared arrays counted once, and let go of by the tables that use them."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections import Counter
from dataclasses import dataclass
from random import Random
from weakref import ref

import numpy as np
import pytest

from smoothcall.app import App
from smoothcall.play.agent_cards import AgentCard
from smoothcall.play.cache import Cache, arrays_of
from smoothcall.play.live import OPPONENT_BYTES, SHARE, TABLE_BYTES, LiveTables
from smoothcall.play.opponents import Agents
from smoothcall.play.person_view import TableView
from smoothcall.play.service import PlayService
from smoothcall.policy import Policy
from tests.conftest import FULL_SIZE, TINY, built


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


def test_of_equal_values_the_least_recently_used_go_first() -> None:
    cache, made = Cache(3 * 8000, clock=lambda: 0.0), list[str]()

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


def test_values_used_in_turn_that_do_not_fit_are_not_all_made_again() -> None:
    """Ten values of which eight fit: in order of last use each would be dropped just before its turn, and all made again."""
    now = 0.0
    cache, made = Cache(8 * 8000, clock=lambda: now), Counter[int]()

    def make(place: int) -> np.ndarray:
        nonlocal now
        now += 0.1 if place < 3 else 1.0
        made[place] += 1
        return np.zeros(1000)

    for _ in range(20):
        for place in range(10):
            cache.get(place, lambda place=place: make(place))  # type: ignore[misc]
            assert cache.nbytes <= cache.limit
    assert [made[place] for place in range(3, 10)] == [1] * 7, "they take long to make"
    assert sum(made.values()) <= 7 + 3 * 20


def test_values_that_are_no_longer_used_make_room() -> None:
    now = 0.0
    cache, made = Cache(2 * 8000, clock=lambda: now), Counter[str]()

    def get(name: str, seconds: float) -> None:
        def make() -> np.ndarray:
            nonlocal now
            now += seconds
            made[name] += 1
            return np.zeros(1000)

        cache.get(name, make)

    for _ in range(50):
        get("slow", 1.0)
    for _ in range(100):
        get("one", 0.1)
        get("other", 0.1)
    assert made["slow"] == 1
    assert made["one"] + made["other"] < 200
    before = made["one"] + made["other"]
    for _ in range(100):
        get("one", 0.1)
        get("other", 0.1)
    assert made["one"] + made["other"] == before, "both are in the cache now, and the slow one is not"


def test_arrays_that_values_share_are_divided_among_them() -> None:
    shared = np.zeros(3000)
    cache = Cache(40_000, clock=lambda: 0.0)
    for name in ("a", "b", "c"):
        cache.get(name, lambda: [shared, np.zeros(1)])
    cache.get("own", lambda: np.zeros(1500))
    cache.get("last", lambda: np.zeros(600))
    assert list(cache._values) == ["a", "b", "c", "last"], "each of the first three takes 8,008 bytes"


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


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each agent was loaded."""
    count, load = Counter[str](), Agents._load

    def counted(agents: Agents, card: AgentCard) -> Policy:
        count[card.id] += 1
        return load(agents, card)

    monkeypatch.setattr(Agents, "_load", counted)
    return count


def test_agents_that_are_played_stay_while_others_come_and_go(made: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves count as uses, though a table that plays does not ask the cache for its agent; other tables stay ready."""
    monkeypatch.setattr("smoothcall.play.live.SHARE", 1)
    names = ("leduc-cfr", "leduc-smooth-uct", "leduc-smooth-uct-greedy")
    agents = Agents(cache=Cache(clock=lambda: 0.0))
    size = sum(arrays_of([agents.policy(name) for name in names]).values())
    made.clear()
    agents = Agents(cache=Cache(clock=lambda: 0.0))
    service: PlayService = App().play_service("sqlite://", agents)
    person = service.person(service.newcomer())
    played, left = (service.open_table(person, "leduc", [name]) for name in names[:2])
    for turn in range(20):
        played = step(service, person, played)
        if turn % 4 == 3:
            agents.cache.limit = service.nbytes + size - 1  # one of the three does not fit
            left, before = service.open_table(person, "leduc", [names[1 + turn // 4 % 2]]), left
            assert service.ready(played.id)
            assert service.ready(left.id)
            assert service.ready(before.id) == (left.opponents == before.opponents)
    assert made[names[0]] == 1
    assert sum(made.values()) == 6
    service.close()


def test_an_agent_that_is_dropped_while_its_table_is_used_is_not_held(made: Counter[str]) -> None:
    agents = Agents(cache=Cache(1))
    service: PlayService = App().play_service("sqlite://", agents)
    person = service.person(service.newcomer())
    table = service.open_table(person, "leduc", ["leduc-cfr"])
    with service._held(person, table.id) as live:
        agents.policy("kuhn-lp")
        assert live.players is None
        seat = service._seat_opponents

        def seated_late(*given: object, **options: object) -> object:
            players = seat(*given, **options)  # type: ignore[arg-type]
            agents.policy("kuhn-lp")  # drops the agent before it is at the table
            return players

        service._seat_opponents = seated_late  # type: ignore[method-assign, assignment]
        assert len(service._players_at(live)) == 1
        assert live.players is None
    assert made == {"leduc-cfr": 2, "kuhn-lp": 2}
    service.close()


def test_what_is_dropped_is_freed_at_once() -> None:
    """A server collects garbage rarely, so a game that refers to itself would be in memory when it is made again."""
    agents = Agents(cache=Cache(1))
    service: PlayService = App().play_service("sqlite://", agents)
    person = service.person(service.newcomer())
    gc.collect()
    gc.disable()
    try:
        step(service, person, service.open_table(person, "leduc", ["leduc-cfr"]))
        policy = agents.policy("leduc-cfr")
        held = ref(policy), ref(policy.game)
        del policy
        assert [each() is None for each in held] == [False, False]
        agents.policy("kuhn-lp")
        assert [each() for each in held] == [None, None]
    finally:
        gc.enable()
    service.close()


def step(service: PlayService, person: int, table: TableView) -> TableView:
    """Return a table after a call, or with its next hand."""
    if table.hand.over:
        return service.next_hand(person, table.id, hand=table.hand.number)
    return service.act(person, table.id, "c", hand=table.hand.number, move=table.hand.move)


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
        pytest.param("leduc", ["leduc-cfr"], marks=pytest.mark.long),
        pytest.param("limit-holdem-3p", ["always-raise"] * 2, marks=pytest.mark.long),
        ("no-limit-holdem:seats=4", ["mostly-calls"] * 3),
        pytest.param("no-limit-holdem:seats=6", ["mostly-calls"] * 5, marks=pytest.mark.long),
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
        for _ in range(10 if FULL_SIZE else 4):
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
