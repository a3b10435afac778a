"""Play every hand in two play services that differ only in the cards a person cannot see, and compare all answers.

Every hand is played through HTTP in one service, and then request by request in a second one with the same secrets. There the
other seats' cards and the cards that were never dealt are exchanged. The answers must be equal, byte by byte, headers included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import cycle, islice
from pkgutil import iter_modules
from random import Random
from typing import Any

from fastapi import FastAPI

from benchmarks.web import random_letter
from smoothcall import web
from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.view import NO_HABITS, Habits
from smoothcall.app import App
from smoothcall.games.hand import Hand
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.play.service import PlayService, shuffle
from smoothcall.play.table import OpponentPlayer, let_opponents_act, replay
from smoothcall.web import api
from smoothcall.web.schedule import Schedule
from smoothcall.web.server import create
from tests.conftest import built, shipped
from tests.play.test_service import THEN
from tests.web.asking import Answer, Asker

TRIES = 30  # exchanged decks tried per hand until the opponents make the same moves


class Leak(AssertionError):
    """An answer depends on hidden cards."""


@dataclass(slots=True)
class Twin:
    """An application whose secrets come in the same order each time it is built, and the decks dealt in it."""

    planned: dict[str, tuple[int, ...]] | None = None  # by secret, the decks to deal; None: shuffled
    dealt: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)  # (secret, deck)
    secrets: int = 0
    app: FastAPI = field(init=False)
    service: PlayService = field(init=False)

    def __post_init__(self) -> None:
        self.service = App().play_service(
            "sqlite://", shipped(), clock=lambda: THEN, secret=self._secret, shuffle=self._shuffle
        )
        self.app = create(self.service, newcomers=10**9, schedule=Schedule(1e-6))

    def _secret(self) -> str:
        self.secrets += 1
        return f"s{self.secrets}"

    def _shuffle(self, secret: str, size: int) -> tuple[int, ...]:
        deck = shuffle(secret, size) if self.planned is None else self.planned[secret]
        self.dealt.append((secret, deck))
        return deck


# Exchanging hidden cards


def exchanged(hand: Hand, deck: tuple[int, ...], seen: set[int], random: Random) -> tuple[int, ...]:
    """Return the deck with all cards permuted but those of the seats in `seen` and the board dealt so far."""
    each = len(hand.hole[0])
    board = range(each * hand.rules.seats, each * hand.rules.seats + len(hand.board))
    kept = {place for seat in seen for place in range(each * seat, each * (seat + 1))} | set(board)
    hidden = [place for place in range(len(deck)) if place not in kept]
    other = list(deck)
    for place, source in zip(hidden, random.sample(hidden, len(hidden)), strict=True):
        other[place] = deck[source]
    return tuple(other)


def plays_the_same(
    hand: Hand, deck: tuple[int, ...], seat: int, players: Sequence[OpponentPlayer], secret: str, habits: Habits
) -> bool:
    """Return whether the opponents make the same moves with another deck; `habits` of the person are those they know."""
    if all(isinstance(opponent.player, BatchPlayer) and not opponent.player.observes for opponent in players):
        return True  # ignore their cards
    other, moves = Hand(hand.rules, hand.starting), split_moves(hand.text)
    let_opponents_act(other, deck, seat, players, secret, habits)
    while hand.text.startswith(other.text) and not other.finished:
        other.play(moves[len(other.moves)])
        let_opponents_act(other, deck, seat, players, secret, habits)
    return other.text == hand.text


def other_deck(
    rules: PokerRules,
    stacks: tuple[int, ...] | None,
    secret: str,
    deck: tuple[int, ...],
    last: dict[str, Any],
    players: Sequence[OpponentPlayer],
    habits: Habits,
    *,
    for_ever: bool,
    free: bool,
) -> tuple[int, ...]:
    """Return a deck that gives the person the same observations; the same deck if `TRIES` exchanges find none.

    Unless `for_ever`, cards shown at the end are exchanged too. Unless `free`, every seat must win the same.
    """
    moves = split_moves(last["betting"])
    hand, random = replay(rules, deck, moves, stacks), Random(secret)
    shown = {seat["seat"] for seat in last["seats"] if seat["cards"]} if for_ever else {last["seat"]}
    for _ in range(TRIES if len(shown) < rules.seats else 0):
        tried = exchanged(hand, deck, shown, random)
        other = replay(rules, tried, moves, stacks)
        if other.hole == hand.hole or (other.outcome != hand.outcome and not free):
            continue
        if plays_the_same(hand, tried, last["seat"], players, secret.replace("/deck", "/moves"), habits):
            return tried
    return deck


# Playing and requesting

Step = Callable[[Asker, dict[str, Any]], Awaitable[Answer]]


def act(asker: Asker, table: dict[str, Any], letter: str, off: int = 0) -> Awaitable[Answer]:
    hand = table["hand"]
    return asker.post_json(f"/api/tables/{table['id']}/act", letter=letter, hand=hand["number"], move=hand["move"] + off)


def act_by_form(asker: Asker, table: dict[str, Any], letter: str, off: int = 0) -> Awaitable[Answer]:
    hand, fragment = table["hand"], {"hx_request": "true"}
    fields = {"letter": letter, "hand": hand["number"], "move": hand["move"] + off}
    return asker.post_form(f"/tables/{table['id']}/act", fields, **fragment)


def next_form(asker: Asker, table: dict[str, Any], *, rebuy: bool = False) -> Awaitable[Answer]:
    fields: dict[str, object] = {"hand": table["hand"]["number"], **({"rebuy": "yes"} if rebuy else {})}
    return asker.post_form(f"/tables/{table['id']}/next", fields, hx_request="true")


def _opponent(table: dict[str, Any]) -> str:
    return str(table["opponents"][0]["id"]).partition(":")[0]


FILE: dict[str, object] = {"hero": "hero", "kind": "acpc", "text": "STATE:0:rf:Ah|Qs:1|-1:hero|other"}

# Requests in the middle of a hand, with the status of the answer
PROBES: dict[str, tuple[int, Step]] = {
    "table": (200, lambda asker, table: asker.get(f"/api/tables/{table['id']}")),
    "page": (200, lambda asker, table: asker.get(f"/tables/{table['id']}")),
    "fragment": (200, lambda asker, table: asker.get(f"/tables/{table['id']}", hx_request="true")),
    "late": (409, lambda asker, table: act(asker, table, "c", off=1)),
    "late form": (409, lambda asker, table: act_by_form(asker, table, "c", off=1)),
    "illegal": (422, lambda asker, table: act(asker, table, "r999999999")),
    "illegal form": (422, lambda asker, table: act_by_form(asker, table, "x")),
    "too early": (409, lambda asker, table: asker.post_json(f"/api/tables/{table['id']}/next", hand=table["hand"]["number"])),
    "hand": (200, lambda asker, table: asker.get(f"/api/hands/{table['hand']['id']}")),
    "hand page": (200, lambda asker, table: asker.get(f"/hands/{table['hand']['id']}")),
    "coach": (403, lambda asker, table: asker.get(f"/api/hands/{table['hand']['id']}/coach")),
    "coach page": (403, lambda asker, table: asker.get(f"/hands/{table['hand']['id']}/coach")),
    "too early form": (409, lambda asker, table: next_form(asker, table)),
    "explorer of it": (403, lambda asker, table: asker.get(f"/api/explore/{_opponent(table)}")),
    "agents": (200, lambda asker, table: asker.get(f"/api/agents?game={table['game']}")),
    "games": (200, lambda asker, table: asker.get("/api/games")),
    "documentation": (200, lambda asker, table: asker.get("/api/docs")),
    "explored": (200, lambda asker, table: asker.get("/explore")),
    "explorer": (403, lambda asker, table: asker.get(f"/explore/{_opponent(table)}")),
    "tables": (200, lambda asker, table: asker.get("/api/tables")),
    "lobby": (200, lambda asker, table: asker.get("/")),
    "history": (200, lambda asker, table: asker.get("/api/hands")),
    "history page": (200, lambda asker, table: asker.get("/hands")),
    "statistics": (200, lambda asker, table: asker.get("/api/statistics")),
    "statistics page": (200, lambda asker, table: asker.get("/statistics")),
    "results": (200, lambda asker, table: asker.get(f"/api/tables/{table['id']}/results")),
    "results page": (200, lambda asker, table: asker.get(f"/tables/{table['id']}/results")),
    "settings": (200, lambda asker, table: asker.get("/api/settings")),
    "settings page": (200, lambda asker, table: asker.get("/settings")),
    "set": (200, lambda asker, table: asker.put_json("/api/settings", unit="bb")),
    "set form": (303, lambda asker, table: asker.post_form("/settings", {"unit": "chips"})),
    "you": (200, lambda asker, table: asker.get("/you")),
    "code": (200, lambda asker, table: asker.post_form("/you/code", {})),
    "redeem": (404, lambda asker, table: asker.post_form("/you/redeem", {"code": "AAAA-AAAA-AAAA-AAAA"})),
    "revoke": (404, lambda asker, table: asker.post_form("/you/revoke", {"sign_in": 999_999})),
    "review page": (200, lambda asker, table: asker.get("/review")),
    "review by it": (403, lambda asker, table: asker.post_form("/review", {**FILE, "by": _opponent(table)})),
    "export": (200, lambda asker, table: asker.get("/api/export?form=json&showdown=false")),
    "export page": (200, lambda asker, table: asker.get("/export?form=json&showdown=no")),
}


@dataclass(slots=True)
class Comparison:
    """Two applications with the same secrets and different hidden cards."""

    first: Twin = field(default_factory=Twin)
    planned: dict[str, tuple[int, ...]] = field(default_factory=dict)
    second: Twin = field(init=False)
    counted: Counter[str] = field(default_factory=Counter)  # hands that were exchanged, answers that were compared, ...
    probes: list[str] = field(default_factory=list)  # names that were not requested in this round yet
    asked: set[tuple[str, str]] = field(default_factory=set)  # methods and paths of requests whose answers were compared

    def __post_init__(self) -> None:
        self.second = Twin(self.planned)
        first, second = self.first.service, self.second.service
        first._make_aivat, second._make_coach = self._adjust_one(first._make_aivat), first._make_coach
        second._make_aivat = first._make_aivat
        first.people._signing_key = second.people._signing_key = "the same for both"

    @staticmethod
    def _adjust_one(make: Callable[..., Any]) -> Callable[..., Any]:
        """Compute AIVAT in hold'em for the first opponents only: it takes seconds, and depends on policies alone."""
        chosen: dict[str, object] = {}

        def one(game: str, opponents: object, seat: int) -> object:
            return (
                make(game, opponents, seat) if "holdem" not in game or chosen.setdefault(game, opponents) == opponents else None
            )

        return one

    async def sitting(
        self,
        game: str,
        opponents: list[str],
        hands: int,
        random: Random,
        *,
        for_ever: bool,
        probing: float,
        freezeouts: int = 0,
        cash: bool = False,
    ) -> tuple[Asker, Asker]:
        """Play hands at one table, with random requests of PROBES before each move (probability `probing` each time)."""
        rules, table, habits = built(game).rules, {}, NO_HABITS
        assert isinstance(rules, PokerRules)
        players = self.first.service._seat_opponents(game, opponents, carried=cash or freezeouts > 0)
        asker, twin = Asker(self.first.app), Asker(self.second.app)
        asker.token = twin.token = (await asker.post_json("/api/people")).json["token"]
        for number in range(1, hands + 1):
            if table:
                table = await self._next(asker, table, random, rebuy=cash)
            else:
                table = await self._sit_down(asker, game, opponents, freezeouts, cash=cash)
            while not table["hand"]["over"]:
                while random.random() < probing:
                    name = self._next_probe(random)
                    status, probe = PROBES[name]
                    assert (await probe(asker, table)).status == status, name
                    self.counted[name] += 1
                before = len(asker.asked)
                table = await self._move(asker, table, random)
            last = table["hand"]
            secret, deck = self.first.dealt[-1]
            free = number == hands and not for_ever  # no later answer depends on its result
            stacks = self.first.service._histories.last_hand(table["id"]).stacks
            self.counted["uneven"] += stacks is not None and len(set(stacks)) > 1
            chosen = other_deck(rules, stacks, secret, deck, last, players, habits, for_ever=for_ever, free=free)
            habits = self.first.service._live[table["id"]].standing.known_habits
            self.planned[secret] = chosen
            self.counted["exchanged"] += chosen != deck
            self.counted[last["reason"]] += 1
            shown = last["reason"] == "showdown" and not for_ever
            await self.again(asker, twin, until=before if shown else None)
        return asker, twin

    def _next_probe(self, random: Random) -> str:
        """Return a random name of PROBES; every name comes once in each round."""
        if not self.probes:
            self.probes = random.sample(list(PROBES), len(PROBES))
        return self.probes.pop()

    async def _sit_down(self, asker: Asker, game: str, opponents: list[str], freezeouts: int, *, cash: bool) -> dict[str, Any]:
        self.counted["tables"] += 1
        if self.counted["tables"] % 3:
            form = {"freezeouts": freezeouts, "cash": cash}
            return table_in(await asker.post_json("/api/tables", game=game, opponents=opponents, **form))
        chosen = {f"opponent-{place}": player_id for place, player_id in enumerate(opponents)}
        led = await asker.post_form("/tables", {"game": game, "freezeouts": str(freezeouts), "cash": "yes" * cash, **chosen})
        return table_in(await asker.get("/api" + dict(led.headers)["location"]))

    async def _next(self, asker: Asker, table: dict[str, Any], random: Random, *, rebuy: bool) -> dict[str, Any]:
        if random.random() < 0.9:
            asked = {"hand": table["hand"]["number"], **({"rebuy": True} if rebuy else {})}
            return table_in(await asker.post_json(f"/api/tables/{table['id']}/next", **asked))
        assert (await next_form(asker, table, rebuy=rebuy)).status == 200
        return table_in(await asker.get(f"/api/tables/{table['id']}"))

    async def _move(self, asker: Asker, table: dict[str, Any], random: Random) -> dict[str, Any]:
        letter = random_letter(table["hand"]["choices"], random)
        if random.random() < 0.9:
            return table_in(await act(asker, table, letter))
        assert (await act_by_form(asker, table, letter)).status == 200
        return table_in(await asker.get(f"/api/tables/{table['id']}"))

    async def again(self, asker: Asker, twin: Asker, *, until: int | None = None) -> None:
        """Repeat all requests in the second application and compare; answers from `until` on may show other cards."""
        for place in range(len(twin.asked), len(asker.asked)):
            request, answer = asker.asked[place]
            found = await twin.ask(request)
            if until is not None and place >= until:
                assert found.status == answer.status
                continue
            self.counted["compared"] += 1
            if found != answer:
                raise Leak(f"{request.method} {request.path}:\n{_difference(answer, found)}")
            self.asked.add((request.method, request.path.partition("?")[0]))


def table_in(answer: Answer) -> dict[str, Any]:
    assert answer.status in (200, 201), answer
    return dict(answer.json)


def _difference(first: Answer, second: Answer) -> str:
    if (first.status, first.headers) != (second.status, second.headers):
        return f"{first.status} {first.headers}\n{second.status} {second.headers}"
    start = next(i for i, (a, b) in enumerate(zip(first.body + b" ", second.body + b" ", strict=False)) if a != b)
    return f"{first.body[max(0, start - 80) : start + 80]!r}\n{second.body[max(0, start - 80) : start + 80]!r}"


def sittings(game: str, first: str, *, match: bool) -> Iterator[list[str]]:
    """Yield the opponents of one table after the other: every agent and scripted player of the game in turn."""
    player_ids, seats = [card.id for card in shipped().cards(game, match=match)], built(game).players - 1
    start = player_ids.index(first) if first else 0
    player_ids = player_ids[start:] + player_ids[:start]
    return (
        list(islice(cycle(player_ids), place % len(player_ids), place % len(player_ids) + seats))
        for place in cycle(range(10**6))
    )


async def compare(
    game: str,
    hands: int,
    probing: float,
    *,
    sitting: int = 20,
    seed: int = 1,
    freezeouts: int = 0,
    cash: bool = False,
    first: str = "",
) -> Comparison:
    """Play hands in both applications, `sitting` at each table. At every other table only cards never shown are exchanged.

    `first`: the opponent of the first table, whose strategy the coach tabulates.
    """
    both, random, opponents = Comparison(), Random(seed), sittings(game, first, match=cash or freezeouts > 0)
    for turn in range(hands // sitting):
        asked = await both.sitting(
            game, next(opponents), sitting, random, for_ever=turn % 2 == 0, probing=probing, freezeouts=freezeouts, cash=cash
        )
        if turn % 2 == 0:
            await ask_for_ever(both, *asked, random)
    return both


async def ask_for_ever(both: Comparison, asker: Asker, twin: Asker, random: Random) -> None:
    """Request some pages about finished hands, which differ only in cards that were never shown."""
    one = random.choice((await asker.get("/api/hands")).json["hands"])["id"]
    paths = [f"/api/hands/{one}", f"/api/hands/{one}/coach", f"/hands/{one}", f"/hands/{one}?step=0", f"/hands/{one}/coach"]
    paths += [f"/hands/{one}/coach?longer=no"]
    paths += ["/hands", "/statistics", "/api/statistics", "/", "/api/tables"]
    paths += ["/api/export?form=json", "/api/export?form=phh", "/export?form=phh"]
    for path in random.sample(paths, 5):
        await asker.get(path)
    last = (await asker.get("/api/tables")).json[0]["id"]
    assert (await asker.post_form(f"/tables/{last}/close", {})).status == 303
    assert (await asker.post_json(f"/api/tables/{last}/close")).status == 200
    await both.again(asker, twin)


def routes() -> set[tuple[str, str]]:
    """Return (method, path) of every route of the application except static files."""
    written = {(method.upper(), path) for path, methods in Twin().app.openapi()["paths"].items() for method in methods}
    modules = [import_module(f"{web.__name__}.{found.name}") for found in iter_modules(web.__path__)]
    for router in (module.router for module in modules if hasattr(module, "router") and module is not api):
        written |= {(method, route.path) for route in router.routes for method in route.methods}
    return written
