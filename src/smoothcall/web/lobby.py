"""The lobby: which game, against whom, and the tables that are open."""

from __future__ import annotations

from functools import lru_cache, partial

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from smoothcall.errors import UsageError, unknown
from smoothcall.games.catalog import CATALOG
from smoothcall.games.rules import PokerRules
from smoothcall.information.named_games import game as game_of
from smoothcall.play.agent_cards import AgentCard
from smoothcall.play.opponents import PLAY_GAMES, Agents
from smoothcall.play.service import has_matches
from smoothcall.play.standing import FREEZEOUT_HANDS
from smoothcall.web import pages
from smoothcall.web.forms import TableForm

router = APIRouter(include_in_schema=False)
DEFAULT = "leduc"
SHOWN = 8  # open tables
FREEZEOUTS = 10  # in a match (pricope2021)
FORMS = ("hands", "match")


@router.get("/")
async def lobby(request: Request, game: str = DEFAULT, form: str = FORMS[0]) -> Response:
    if game not in PLAY_GAMES:
        raise unknown("game", game, PLAY_GAMES)
    if form not in FORMS:
        raise unknown("form of table", form, FORMS)
    person, service = pages.visitor(request, renew=True), pages.service(request)
    match, family = form == "match" and is_match_game(game), game.partition(":")[0]
    cards = await run_in_threadpool(partial(service.agents.cards, game, match=match))
    fragment = pages.wants_fragment(request)
    tables = [] if fragment else await run_in_threadpool(service.tables, person, SHOWN)
    return pages.render(
        request,
        "_choose.html" if fragment else "lobby.html",
        page="lobby",
        games=[(spec, title, CATALOG[spec].summary, sizes_of(spec)) for spec, title in PLAY_GAMES.items() if spec in CATALOG],
        game=game,
        family=family,
        sizes=sizes_of(family),
        matches=is_match_game(game),
        match=match,
        match_freezeouts=FREEZEOUTS,
        freezeout_hands=FREEZEOUT_HANDS.get(game, 0),
        left_out=match and len(cards) < len(service.agents.cards(game)),
        title=PLAY_GAMES[game],
        cards=cards,
        seats=range(seats_of(game) - 1),
        chosen=[cards[place % len(cards)].id if cards else "" for place in range(seats_of(game) - 1)],
        tables=tables,
    )


@router.post("/tables")
async def sit_down(request: Request) -> Response:
    person, form = pages.person(request), await pages.form(request, TableForm)
    service, game = pages.service(request), form.game
    if game not in PLAY_GAMES:
        raise unknown("game", game, PLAY_GAMES)
    player_ids = [player_id_of(service.agents, form, place) for place in range(seats_of(game) - 1)]
    table = await run_in_threadpool(partial(service.open_table, person, game, player_ids, freezeouts=form.freezeouts))
    return RedirectResponse(f"/tables/{table.id}", 303)


@lru_cache(maxsize=64)
def seats_of(spec: str) -> int:
    return game_of(spec).players


def sizes_of(family: str) -> list[tuple[int, str]]:
    """(players, game) of every table that a game is offered at."""
    return [(seats_of(spec), spec) for spec in PLAY_GAMES if spec.partition(":")[0] == family]


@lru_cache(maxsize=64)
def is_match_game(spec: str) -> bool:
    rules = game_of(spec).rules
    return isinstance(rules, PokerRules) and has_matches(rules)


def player_id_of(agents: Agents, form: TableForm, place: int) -> str:
    """Return the id of the opponent chosen for a place: an agent or a snapshot of it, perhaps with `:greedy`."""
    chosen = agents.card(form.choice(f"opponent-{place}") or "")
    player_id = _snapshot(chosen, form.choice(f"snapshot-{place}-{chosen.id}"))
    greedy = form.choice(f"style-{place}") == "greedy" and chosen.kind != "scripted"
    return f"{player_id}:greedy" if greedy else player_id


def _snapshot(card: AgentCard, given: str | None) -> str:
    if not card.snapshots or given is None:
        return card.id
    if not (given.isascii() and given.isdigit() and len(given) < 6 and int(given) < len(card.snapshots)):
        raise UsageError(f"snapshot {given[:20]!r} of {card.name} (accepted: 0 to {len(card.snapshots) - 1})")
    return card.snapshots[int(given)][1]
