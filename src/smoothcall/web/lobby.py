"""The lobby: which game, at which stakes, against whom, and the tables that are open."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from smoothcall.agents.suffixes import STYLES
from smoothcall.errors import UsageError, unknown
from smoothcall.games.catalog import CATALOG
from smoothcall.games.rules import PokerRules
from smoothcall.information.named_games import game as game_of
from smoothcall.play.agent_cards import AgentCard
from smoothcall.play.opponents import Agents
from smoothcall.play.people import NOBODY
from smoothcall.play.service import has_matches
from smoothcall.play.stakes import (
    DEPTHS,
    FAMILIES,
    NO_LIMIT,
    PLAY_GAMES,
    SMALL_BLINDS,
    STANDARD,
    Stakes,
    family_of,
    stakes_of,
    title_of,
    with_stakes,
)
from smoothcall.play.standing import FREEZEOUT_HANDS
from smoothcall.web import pages
from smoothcall.web.forms import TableForm, digits
from smoothcall.web.people import player
from smoothcall.web.workers import read

router = APIRouter(include_in_schema=False)
DEFAULT = "leduc"
FREEZEOUTS = 10  # in a match (pricope2021)
FORMS = {
    "hands": "Full stacks every hand",
    "cash": "Cash game",
    "match": f"Match of {FREEZEOUTS} freezeouts",
}
ABOUT = {
    "hands": "Everybody has a full stack in every hand.",
    "cash": "You keep your chips from hand to hand. Whoever has none left buys in again.",
    "match": "A freezeout begins with full stacks, and chips carry over {hands}until one player has none.",
}


@dataclass(frozen=True, slots=True)
class Offered:
    """An opponent in the picker, with the checkpoints of its training."""

    card: AgentCard
    checkpoints: tuple[tuple[str, str, str], ...]  # (iterations, id, figures) of each, in order


@router.get("/")
async def lobby(
    request: Request,
    game: str = "",
    form: str = "hands",
    family: str = "",
    players: str = "",
    blinds: str = "",
    depth: str = "",
) -> Response:
    spec = game or (_composed(family, players, blinds, depth) if family else DEFAULT)
    title_of(spec)
    if form not in FORMS:
        raise unknown("form of table", form, FORMS)
    person, service = pages.visitor(request, renew=True), pages.service(request)
    forms = forms_of(spec)
    form = form if form in forms else "hands"
    cards = await read(request, partial(service.agents.cards, spec, match=form != "hands"))
    fragment = pages.wants_fragment(request)
    tables = [] if fragment or person == NOBODY else await read(request, service.tables, person)
    stakes, length = stakes_of(spec), FREEZEOUT_HANDS.get(spec, 0)
    suggested = [card for card in cards if card.kind != "scripted"] or cards
    return pages.render(
        request,
        "_choose.html" if fragment else "lobby.html",
        page="lobby",
        game=spec,
        title=title_of(spec),
        summary=CATALOG[spec.partition(":")[0]].summary.partition(": ")[2],
        families={each: PLAY_GAMES[each] for each in FAMILIES},
        family=family_of(spec),
        sizes=[seats_of(each) for each in FAMILIES[family_of(spec)]],
        players=seats_of(spec),
        stakes=stakes,
        small_blinds=SMALL_BLINDS,
        depths=DEPTHS,
        depth=stakes.stack // (2 * stakes.small_blind) if stakes is not None else 0,
        forms={each: FORMS[each] for each in forms},
        form=form,
        about="" if len(forms) == 1 else ABOUT[form].format(hands=f"for {length} hands, or " if length else ""),
        freezeouts=FREEZEOUTS,
        left_out=len(cards) < len(service.agents.cards(with_stakes(seats_of(spec), STANDARD) if stakes is not None else spec)),
        offered=[_offered(service.agents, card) for card in cards],
        chosen=[suggested[place % len(suggested)].id if suggested else "" for place in range(seats_of(spec) - 1)],
        tables=tables,
    )


@router.post("/tables")
async def sit_down(request: Request) -> Response:
    form = await pages.form(request, TableForm)
    service, game = pages.service(request), form.game
    title_of(game)
    player_ids = [player_id_of(service.agents, form, place) for place in range(seats_of(game) - 1)]
    person = await player(request)
    opening = partial(service.open_table, person, game, player_ids, freezeouts=form.freezeouts, cash=form.cash == "yes")
    table = await pages.opened(request, person, opening)
    return pages.with_cookie(request, RedirectResponse(f"/tables/{table.id}", 303))


def _composed(family: str, players: str, blinds: str, depth: str) -> str:
    """Return the game that somebody has put together; what a family does not offer is left at its default."""
    if family not in FAMILIES:
        raise unknown("game", family, FAMILIES)
    by_size = {seats_of(spec): spec for spec in FAMILIES[family]}
    size = digits(players, "players", 2)
    spec = by_size.get(size, FAMILIES[family][0])
    if family != NO_LIMIT:
        return spec
    small = digits(blinds, "blinds", STANDARD.small_blind)
    deep = digits(depth, "depth", STANDARD.stack // (2 * STANDARD.small_blind))
    if small not in SMALL_BLINDS or deep not in DEPTHS:
        accepted = f"{', '.join(map(str, SMALL_BLINDS))} and {', '.join(map(str, DEPTHS))}"
        raise UsageError(f"small blind {small} and stack of {deep} big blinds (accepted: {accepted})")
    return with_stakes(seats_of(spec), Stakes(small, 2 * small * deep))


def _offered(agents: Agents, card: AgentCard) -> Offered:
    found = [(f"{iterations:,}", id, agents.card(id).measured) for iterations, id in card.snapshots]
    return Offered(card, tuple((iterations, id, measured[0] if measured else "") for iterations, id, measured in found))


@lru_cache(maxsize=256)
def seats_of(spec: str) -> int:
    return game_of(spec).players


@lru_cache(maxsize=256)
def forms_of(spec: str) -> tuple[str, ...]:
    """Return the forms of table that a game is offered in."""
    rules = game_of(spec).rules
    if not isinstance(rules, PokerRules) or rules.stack is None:
        return ("hands",)
    return ("hands", "cash", "match") if has_matches(rules) else ("hands", "cash")


def player_id_of(agents: Agents, form: TableForm, place: int) -> str:
    """Return the id of the opponent chosen for a place: an agent or a checkpoint of it, perhaps with a suffix of `STYLES`."""
    chosen = agents.card(form.choice(f"opponent-{place}") or "")
    player_id = _checkpoint(chosen, form.choice(f"snapshot-{place}-{chosen.id}"))
    style = f":{form.choice(f'style-{place}')}"
    return f"{player_id}{style}" if style in STYLES and chosen.kind != "scripted" else player_id


def _checkpoint(card: AgentCard, given: str | None) -> str:
    if not card.snapshots or given is None:
        return card.id
    if not (given.isascii() and given.isdigit() and len(given) < 6 and int(given) < len(card.snapshots)):
        raise UsageError(f"checkpoint {given[:20]!r} of {card.name} (accepted: 0 to {len(card.snapshots) - 1})")
    return card.snapshots[int(given)][1]
