"""Nothing a person is answered before the end of a hand depends on cards they have not seen, and what was mucked stays so.

Every hand is played through HTTP in one house, and then once more, request by request, in another where everything that the
person does not see is exchanged for something else: the others' cards and the cards that were never dealt. The answers must be
the same to the byte, headers included.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import cycle, islice
from random import Random
from typing import Any

import pytest
from fastapi import FastAPI

from benchmarks.web import random_letter
from smoothcall.agents.rule_players import RulePlayer
from smoothcall.errors import UsageError
from smoothcall.games.hand import Hand
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.play import history as history_module
from smoothcall.play import service as service_module
from smoothcall.play import table as table_module
from smoothcall.play.opponents import PLAY_GAMES, Agents
from smoothcall.play.person_view import Event, HandView, TableView
from smoothcall.play.service import PlayService, shuffle
from smoothcall.play.table import OpponentPlayer, let_opponents_act, replay
from smoothcall.store.histories import Histories
from smoothcall.web import explore, lobby, statistics
from smoothcall.web import hands as hands_pages
from smoothcall.web import table as table_pages
from smoothcall.web.server import create
from tests.conftest import built
from tests.play.test_service import THEN
from tests.web.asking import Answer, Asker

HANDS = 2000  # of each game
FEW = 80  # of games that differ from another in the number of players only, and of matches
SITTING = 20  # hands somebody plays at a table before the next person sits down at the next one
TRIES = 30  # exchanges tried until the opponents' moves come out the same


class Leak(AssertionError):
    """An answer that depends on what nobody has shown."""


@cache
def agents() -> Agents:
    return Agents()


@dataclass(slots=True)
class Twin:
    """A house whose secrets come in the same order each time it is built, and the decks dealt in it."""

    planned: dict[str, tuple[int, ...]] | None = None  # the decks to deal; None: as the secrets say
    dealt: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)  # (secret, deck)
    secrets: int = 0
    app: FastAPI = field(init=False)
    service: PlayService = field(init=False)

    def __post_init__(self) -> None:
        self.service = PlayService(
            Histories("sqlite://"), agents(), clock=lambda: THEN, secret=self._secret, shuffle=self._shuffle
        )
        self.app = create(self.service)

    def _secret(self) -> str:
        self.secrets += 1
        return f"s{self.secrets}"

    def _shuffle(self, secret: str, size: int) -> tuple[int, ...]:
        deck = shuffle(secret, size) if self.planned is None else self.planned[secret]
        self.dealt.append((secret, deck))
        return deck


# Exchanging what is hidden


def exchanged(hand: Hand, deck: tuple[int, ...], seen: set[int], random: Random) -> tuple[int, ...]:
    """The deck with everything in other places but the cards of the seats in `seen` and the board as far as it was dealt."""
    each = len(hand.hole[0])
    board = range(each * hand.rules.seats, each * hand.rules.seats + len(hand.board))
    kept = {place for seat in seen for place in range(each * seat, each * (seat + 1))} | set(board)
    hidden = [place for place in range(len(deck)) if place not in kept]
    other = list(deck)
    for place, source in zip(hidden, random.sample(hidden, len(hidden)), strict=True):
        other[place] = deck[source]
    return tuple(other)


def plays_the_same(hand: Hand, deck: tuple[int, ...], seat: int, players: Sequence[OpponentPlayer], secret: str) -> bool:
    """Whether nobody would have moved otherwise with another deck."""
    if all(isinstance(opponent.player, RulePlayer) for opponent in players):
        return True  # they do not look at their cards
    other, moves = Hand(hand.rules, hand.starting), split_moves(hand.text)
    let_opponents_act(other, deck, seat, players, secret)
    while hand.text.startswith(other.text) and not other.finished:
        other.play(moves[len(other.moves)])
        let_opponents_act(other, deck, seat, players, secret)
    return other.text == hand.text


def other_deck(
    rules: PokerRules,
    stacks: tuple[int, ...] | None,
    secret: str,
    deck: tuple[int, ...],
    last: dict[str, Any],
    players: Sequence[OpponentPlayer],
    *,
    for_ever: bool,
    free: bool,
) -> tuple[int, ...]:
    """A deck that nobody can tell from this one by what they see; the same one where none is found.

    Cards shown at the end are exchanged too, unless `for_ever`; but so that the same seats win the same, unless `free`.
    """
    moves = split_moves(last["betting"])
    hand, random = replay(rules, deck, moves, stacks), Random(secret)
    shown = {seat["seat"] for seat in last["seats"] if seat["cards"]} if for_ever else {last["seat"]}
    for _ in range(TRIES if len(shown) < rules.seats else 0):
        tried = exchanged(hand, deck, shown, random)
        other = replay(rules, tried, moves, stacks)
        if other.hole == hand.hole or (other.outcome != hand.outcome and not free):
            continue
        if plays_the_same(hand, tried, last["seat"], players, secret.replace("/deck", "/moves")):
            return tried
    return deck


# Playing and asking

Step = Callable[[Asker, dict[str, Any]], Awaitable[Answer]]


def _act(asker: Asker, table: dict[str, Any], letter: str, off: int = 0) -> Awaitable[Answer]:
    hand = table["hand"]
    return asker.post_json(f"/api/tables/{table['id']}/act", letter=letter, hand=hand["number"], move=hand["move"] + off)


def _form(asker: Asker, table: dict[str, Any], letter: str, off: int = 0) -> Awaitable[Answer]:
    hand, fragment = table["hand"], {"hx_request": "true"}
    fields = {"letter": letter, "hand": hand["number"], "move": hand["move"] + off}
    return asker.post_form(f"/tables/{table['id']}/act", fields, **fragment)


def _next_form(asker: Asker, table: dict[str, Any]) -> Awaitable[Answer]:
    return asker.post_form(f"/tables/{table['id']}/next", {"hand": table["hand"]["number"]}, hx_request="true")


def _opponent(table: dict[str, Any]) -> str:
    return str(table["opponents"][0]["id"]).partition(":")[0]


# What may be asked in the middle of a hand, with the status of the answer
PROBES: dict[str, tuple[int, Step]] = {
    "table": (200, lambda asker, table: asker.get(f"/api/tables/{table['id']}")),
    "page": (200, lambda asker, table: asker.get(f"/tables/{table['id']}")),
    "fragment": (200, lambda asker, table: asker.get(f"/tables/{table['id']}", hx_request="true")),
    "late": (409, lambda asker, table: _act(asker, table, "c", off=1)),
    "late form": (409, lambda asker, table: _form(asker, table, "c", off=1)),
    "illegal": (422, lambda asker, table: _act(asker, table, "r999999999")),
    "illegal form": (422, lambda asker, table: _form(asker, table, "x")),
    "too early": (409, lambda asker, table: asker.post_json(f"/api/tables/{table['id']}/next", hand=table["hand"]["number"])),
    "hand": (200, lambda asker, table: asker.get(f"/api/hands/{table['hand']['id']}")),
    "hand page": (200, lambda asker, table: asker.get(f"/hands/{table['hand']['id']}")),
    "coach": (403, lambda asker, table: asker.get(f"/api/hands/{table['hand']['id']}/coach")),
    "coach page": (403, lambda asker, table: asker.get(f"/hands/{table['hand']['id']}/coach")),
    "too early form": (409, lambda asker, table: _next_form(asker, table)),
    "explorer of it": (403, lambda asker, table: asker.get(f"/api/explore/{_opponent(table)}")),
    "agents": (200, lambda asker, table: asker.get(f"/api/agents?game={table['game']}")),
    "games": (200, lambda asker, table: asker.get("/api/games")),
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
    "export": (200, lambda asker, table: asker.get("/api/export?form=json&showdown=false")),
    "export page": (200, lambda asker, table: asker.get("/export?form=json&showdown=no")),
}


@dataclass(slots=True)
class Comparison:
    """Two houses side by side."""

    first: Twin = field(default_factory=Twin)
    planned: dict[str, tuple[int, ...]] = field(default_factory=dict)
    second: Twin = field(init=False)
    counted: Counter[str] = field(default_factory=Counter)  # hands that were exchanged, answers that were compared, ...
    asked: set[tuple[str, str]] = field(default_factory=set)  # methods and paths of requests whose answers were compared

    def __post_init__(self) -> None:
        self.second = Twin(self.planned)
        first, second = self.first.service, self.second.service
        first._aivat, second._coach = self._adjust_one(first._aivat), first._coach
        second._aivat = first._aivat

    @staticmethod
    def _adjust_one(make: Callable[..., Any]) -> Callable[..., Any]:
        """What corrects for luck is made of policies alone, but for hold'em in seconds: there for the first opponents only."""
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
        games: int = 0,
    ) -> tuple[Asker, Asker]:
        """Somebody plays hands at a table; in the middle of them they ask for this and that, with a probability a move."""
        rules, table = built(game).rules, {}
        assert isinstance(rules, PokerRules)
        players = self.first.service._seat_opponents(game, opponents, games)
        asker, twin = Asker(self.first.app), Asker(self.second.app)
        asker.token = twin.token = (await asker.post_json("/api/people")).json["token"]
        for number in range(1, hands + 1):
            if table:
                table = await self._next(asker, table, random)
            else:
                table = await self._sit_down(asker, game, opponents, games, random)
            while not table["hand"]["over"]:
                while random.random() < probing:
                    name = random.choice(list(PROBES))
                    status, probe = PROBES[name]
                    assert (await probe(asker, table)).status == status, name
                    self.counted[name] += 1
                before = len(asker.asked)
                table = await self._move(asker, table, random)
            last = table["hand"]
            secret, deck = self.first.dealt[-1]
            free = number == hands and not for_ever  # what it comes to is not seen any more
            stacks = self.first.service._histories.last_hand(table["id"]).stacks
            self.counted["uneven"] += stacks is not None and len(set(stacks)) > 1
            chosen = other_deck(rules, stacks, secret, deck, last, players, for_ever=for_ever, free=free)
            self.planned[secret] = chosen
            self.counted["exchanged"] += chosen != deck
            self.counted[last["reason"]] += 1
            shown = last["reason"] == "showdown" and not for_ever
            await self.again(asker, twin, until=before if shown else None)
        return asker, twin

    async def _sit_down(self, asker: Asker, game: str, opponents: list[str], games: int, random: Random) -> dict[str, Any]:
        if random.random() < 0.8:
            return _table(await asker.post_json("/api/tables", game=game, opponents=opponents, games=games))
        chosen = {f"opponent-{place}": player_id for place, player_id in enumerate(opponents)}
        led = await asker.post_form("/tables", {"game": game, "games": str(games), **chosen})
        return _table(await asker.get("/api" + dict(led.headers)["location"]))

    async def _next(self, asker: Asker, table: dict[str, Any], random: Random) -> dict[str, Any]:
        if random.random() < 0.9:
            return _table(await asker.post_json(f"/api/tables/{table['id']}/next", hand=table["hand"]["number"]))
        assert (await _next_form(asker, table)).status == 200
        return _table(await asker.get(f"/api/tables/{table['id']}"))

    async def _move(self, asker: Asker, table: dict[str, Any], random: Random) -> dict[str, Any]:
        letter = random_letter(table["hand"]["choices"], random)
        if random.random() < 0.9:
            return _table(await _act(asker, table, letter))
        assert (await _form(asker, table, letter)).status == 200
        return _table(await asker.get(f"/api/tables/{table['id']}"))

    async def again(self, asker: Asker, twin: Asker, *, until: int | None = None) -> None:
        """Ask everything once more in the second house and compare; from `until` on, answers may show other cards."""
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


def _table(answer: Answer) -> dict[str, Any]:
    assert answer.status in (200, 201), answer
    return dict(answer.json)


def _difference(first: Answer, second: Answer) -> str:
    if (first.status, first.headers) != (second.status, second.headers):
        return f"{first.status} {first.headers}\n{second.status} {second.headers}"
    start = next(i for i, (a, b) in enumerate(zip(first.body + b" ", second.body + b" ", strict=False)) if a != b)
    return f"{first.body[max(0, start - 80) : start + 80]!r}\n{second.body[max(0, start - 80) : start + 80]!r}"


def sittings(game: str, games: int) -> Iterator[list[str]]:
    """Opponents for one table after the other: every agent and simple player of the game in turn."""
    player_ids, seats = [card.id for card in agents().cards(game, match=games > 0)], built(game).players - 1
    return (
        list(islice(cycle(player_ids), place % len(player_ids), place % len(player_ids) + seats))
        for place in cycle(range(10**6))
    )


async def compare(game: str, hands: int, probing: float, seed: int = 1, games: int = 0) -> Comparison:
    """Play so many hands in both houses; at every other table only what is never shown is exchanged."""
    both, random, opponents = Comparison(), Random(seed), sittings(game, games)
    for turn in range(hands // SITTING):
        asked = await both.sitting(game, next(opponents), SITTING, random, for_ever=turn % 2 == 0, probing=probing, games=games)
        if turn % 2 == 0:
            await ask_for_ever(both, *asked, random)
    return both


async def ask_for_ever(both: Comparison, asker: Asker, twin: Asker, random: Random) -> None:
    """Some of what can be asked about hands that are over: they differ in cards that were never shown."""
    one = random.choice((await asker.get("/api/hands")).json["hands"])["id"]
    paths = [f"/api/hands/{one}", f"/api/hands/{one}/coach", f"/hands/{one}", f"/hands/{one}?step=0", f"/hands/{one}/coach"]
    paths += ["/hands", "/statistics", "/api/statistics", "/", "/api/tables"]
    paths += ["/api/export?form=json", "/api/export?form=phh", "/export?form=phh"]
    for path in random.sample(paths, 5):
        await asker.get(path)
    await both.again(asker, twin)


def routes() -> set[tuple[str, str]]:
    """(method, path) of everything the application answers, but files."""
    written = {(method.upper(), path) for path, methods in Twin().app.openapi()["paths"].items() for method in methods}
    for module in (lobby, table_pages, hands_pages, statistics, explore):
        written |= {(method, route.path) for route in module.router.routes for method in route.methods}
    return written


@pytest.mark.parametrize("game", PLAY_GAMES)
def test_no_answer_depends_on_hidden_cards(game: str) -> None:
    hands, probing = (HANDS, 0.08) if ":" not in game else (FEW, 0.6)
    both = asyncio.run(compare(game, hands, probing=probing))
    counted = both.counted
    assert counted["fold"] + counted["showdown"] == hands
    assert counted["fold"] > hands / 20 or built(game).players > 3, "with so many somebody always stays in"
    assert counted["exchanged"] > hands / 3
    assert set(PROBES) <= set(counted)


@pytest.mark.parametrize("game", ["no-limit-holdem", "no-limit-holdem-32"])
def test_no_answer_in_a_match_depends_on_hidden_cards(game: str) -> None:
    """So many games that no sitting comes to the end."""
    counted = asyncio.run(compare(game, FEW, probing=0.6, games=50)).counted
    assert counted["fold"] + counted["showdown"] == FEW
    assert counted["exchanged"] > FEW / 3
    assert counted["uneven"] > FEW / 10
    assert set(PROBES) <= set(counted)


def test_everything_the_application_answers_is_compared() -> None:
    both = asyncio.run(compare("kuhn", 100, probing=0.6))
    forms = {(method, path): re.compile(re.sub(r"{\w+}", "[^/]+", path)) for method, path in routes()}
    missing = {
        key for key, form in forms.items() if not any(key[0] == method and form.fullmatch(path) for method, path in both.asked)
    }
    assert not missing


def test_what_was_mucked_stays_hidden_for_ever() -> None:
    """After 60 more hands: by the bytes, and by what stands in them."""

    async def run() -> None:
        both, random = Comparison(), Random(5)
        asker, twin = await both.sitting("limit-holdem-3p", ["probe", "random"], 80, random, for_ever=True, probing=0.0)
        pages = [(await asker.get(f"/api/hands?page={page}")).json["hands"] for page in range(1, 5)]
        early = [hand for page in pages for hand in page if hand["number"] <= 20]
        exported = (await asker.get("/api/export?form=json")).json["hands"]
        assert len(early) == 20
        assert len(exported) == 80
        for line in early:
            steps = (await asker.get(f"/api/hands/{line['id']}")).json
            await asker.get(f"/hands/{line['id']}")
            await asker.get(f"/api/hands/{line['id']}/coach")
            for step in steps:
                for seat in step["seats"]:
                    shown = seat["you"] or (step["over"] and step["reason"] == "showdown" and seat["alive"])
                    assert bool(seat["cards"]) == shown
                    assert bool(seat["hidden"]) != shown
            [written] = [hand for hand in exported if hand["number"] == line["number"]]
            for seat in steps[-1]["seats"]:
                assert (written["players"][seat["seat"]]["cards"] or []) == seat["cards"]
        text = (await asker.get("/api/export?form=phh")).text
        hidden = sum(player["cards"] is None for hand in exported for player in hand["players"])
        assert text.count("????") == hidden > 20
        await both.again(asker, twin)
        assert both.counted["exchanged"] > 40

    asyncio.run(run())


# A house that leaks is found out


def _watched(hand: Hand, seat: int) -> int:
    """A card that the seat does not see."""
    return hand.hole[(seat + 1) % hand.rules.seats][0]


def _leak_cards(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(table_module, "shown_to", lambda hand, seat, outcome: frozenset(range(hand.rules.seats)))


def _leak_event(patch: pytest.MonkeyPatch) -> None:
    events = table_module._events
    patch.setattr(
        table_module,
        "_events",
        lambda hand, seat, *rest: [*events(hand, seat, *rest), Event(0, None, f"{_watched(hand, seat)} is dealt", "deal")],
    )


def _leak_pot(patch: pytest.MonkeyPatch) -> None:
    view_hand = service_module.view_hand
    patch.setattr(
        service_module,
        "view_hand",
        lambda hand, seat, *rest, **more: replace(
            found := view_hand(hand, seat, *rest, **more), pot=found.pot + _watched(hand, seat) % 2
        ),
    )


def _leak_order(patch: pytest.MonkeyPatch) -> None:
    choices = table_module._choices
    patch.setattr(
        table_module,
        "_choices",
        lambda hand: choices(hand)[:: 1 if _watched(hand, hand.player) < hand.rules.deck.size / 2 else -1],
    )


def _leak_error(patch: pytest.MonkeyPatch) -> None:
    act = PlayService.act

    def told(self: PlayService, person: int, id: str, letter: str, **more: int) -> TableView:
        try:
            return act(self, person, id, letter, **more)
        except UsageError as error:
            raise type(error)(f"{error}; {self._find(person, id).about.deck}") from None

    patch.setattr(PlayService, "act", told)


def _leak_export(patch: pytest.MonkeyPatch) -> None:
    exported = PlayService._exported
    patch.setattr(PlayService, "_exported", lambda self, row: replace(exported(self, row), shown=frozenset(range(2))))


def _leak_steps(patch: pytest.MonkeyPatch) -> None:
    steps = history_module.hand_steps

    def told(rules: PokerRules, deck: tuple[int, ...], *rest: Any, **more: Any) -> tuple[HandView, ...]:
        return tuple(replace(step, pot=step.pot + deck[-1]) for step in steps(rules, deck, *rest, **more))

    patch.setattr(history_module, "hand_steps", told)


def _leak_coach(patch: pytest.MonkeyPatch) -> None:
    def told(self: PlayService, person: int, hand_id: int) -> object:
        row = self._hand_row(person, hand_id)
        return self._coach(row.game, row.opponents, row.seat).review((row.deck[0],), [], "")

    patch.setattr(PlayService, "coach", told)


def _leak_explorer(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PlayService, "may_explore", lambda self, person, player_id: None)


LEAKS = (
    _leak_cards,
    _leak_event,
    _leak_pot,
    _leak_order,
    _leak_error,
    _leak_export,
    _leak_steps,
    _leak_coach,
    _leak_explorer,
)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__[6:])
def test_a_leak_is_found(leak: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    leak(monkeypatch)
    with pytest.raises(AssertionError):
        asyncio.run(compare("leduc", 100, probing=0.5))


# Other people

OWN = (
    "GET /tables/{table}", "GET /tables/{table}/results", "POST /tables/{table}/act", "POST /tables/{table}/next",
    "GET /hands/{hand}", "GET /hands/{hand}/coach",
    "GET /api/tables/{table}", "GET /api/tables/{table}/results",
    "POST /api/tables/{table}/act", "POST /api/tables/{table}/next",
    "GET /api/hands/{hand}", "GET /api/hands/{hand}/coach",
)  # fmt: skip


def test_nobody_elses_cookie_reads_or_moves_anything() -> None:
    """Not even whether something is there can be told: the answer is the same as for what is not."""

    async def run() -> None:
        twin = Twin()
        owner, other, nobody = Asker(twin.app), Asker(twin.app), Asker(twin.app)
        for asker in (owner, other):
            asker.token = (await asker.post_json("/api/people")).json["token"]
        table = _table(await owner.post_json("/api/tables", game="leduc", opponents=["always-call"]))
        over = table["hand"]["id"]
        while not table["hand"]["over"]:
            table = _table(await _act(owner, table, "c"))
        table = _table(await owner.post_json(f"/api/tables/{table['id']}/next", hand=1))
        going = table["hand"]["id"]

        async def ask(asker: Asker, own: str, id: str, hand: object) -> Answer:
            method, path = own.format(table=id, hand=hand).split(" ")
            fields = {"letter": "c", "hand": table["hand"]["number"], "move": table["hand"]["move"]}
            if method == "GET":
                return await asker.get(path)
            return await (asker.post_json(path, **fields) if path.startswith("/api/") else asker.post_form(path, fields))

        for own in OWN:
            for hand in (over, going) if "{hand}" in own else (over,):
                if own.startswith("GET"):
                    refused = own.endswith("coach") and hand == going
                    assert (await ask(owner, own, table["id"], hand)).status == (403 if refused else 200), own
                found, none = await ask(other, own, table["id"], hand), await ask(other, own, "s0", 10**6)
                assert found.status == 404, own
                text = found.text.replace(table["id"], "s0").replace(f"hand {hand} ", f"hand {10**6} ")
                assert text == none.text, own
                assert (await ask(nobody, own, table["id"], hand)).status in (401, 404), own
                assert (await owner.get(f"/api/tables/{table['id']}")).json == table, own
        for query in ("", f"?table={table['id']}"):
            assert [(await asker.get(f"/api/hands{query}")).json["total"] for asker in (owner, other)] == [1, 0]
            assert [(await asker.get(f"/api/statistics{query}")).json["hands"] for asker in (owner, other)] == [1, 0]
            assert [f"/hands/{over}" in (await asker.get(f"/hands{query}")).text for asker in (owner, other)] == [True, False]
            assert [len((await asker.get(f"/export{query}")).text) > 20 for asker in (owner, other)] == [True, False]
        assert (await other.get("/api/export?form=json")).json == {"hands": []}
        assert (await other.get("/api/tables")).json == []
        assert table["id"] not in (await other.get("/")).text
        assert {(own.split("/")[0].strip(), re.sub("{.*}", "{id}", own.split(" ")[1])) for own in OWN} == {
            route for route in routes() if "{id}" in route[1]
        }

    asyncio.run(run())
