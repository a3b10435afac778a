"""Pages of a table: the hand being played with its legal moves, and the results of its hands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from smoothcall.errors import Conflict, UsageError
from smoothcall.games.betting import IllegalMove
from smoothcall.games.catalog import NO_LIMIT_HOLDEM
from smoothcall.play.history import short_names
from smoothcall.play.opponents import Agents
from smoothcall.play.person_view import Choice, Opponent, SeatView, TableView
from smoothcall.play.service import PlayService
from smoothcall.web import pages
from smoothcall.web.drawing import chart
from smoothcall.web.forms import ActForm, CloseForm, NextForm
from smoothcall.web.workers import work

router = APIRouter(prefix="/tables/{id}", include_in_schema=False)
LONGEST = 9  # digits of an amount
PAPER = {"freezeouts": 10, "won": 7, "lost": 3, "hands": 56, "mbb": 241.07}  # of the agent against a person (pricope2021)


@dataclass(frozen=True, slots=True)
class Raise:
    """A choice of an amount, as people say it: to how many chips on this street."""

    choice: Choice
    low: int
    high: int
    presets: tuple[tuple[str, int, str], ...]  # (name, amount, letter of the move)
    step: int  # of one press of a key


@router.get("")
async def show(request: Request, id: str) -> Response:
    return _answer(request, await pages.table_of(request, pages.table_id(id)))


@router.post("/act")
async def act(request: Request, id: str) -> Response:
    person, form = pages.person(request), await pages.form(request, ActForm)
    letter, service, id = form.letter, pages.service(request), pages.table_id(id)
    try:
        if letter == "r" and form.amount is not None:
            letter = f"r{_amount(form.amount) + form.earlier}"
        table = await pages.at_table(request, id, partial(service.act, person, id, letter, hand=form.hand, move=form.move))
    except (IllegalMove, Conflict) as error:
        return _answer(request, await pages.table_of(request, id), error, form.amount)
    return _answer(request, table)


@router.post("/next")
async def next_hand(request: Request, id: str) -> Response:
    person, form = pages.person(request), await pages.form(request, NextForm)
    service, id = pages.service(request), pages.table_id(id)
    try:
        table = await pages.at_table(
            request, id, partial(service.next_hand, person, id, hand=form.hand, rebuy=bool(form.rebuy))
        )
    except Conflict as error:
        return _answer(request, await pages.table_of(request, id), error)
    return _answer(request, table)


@router.post("/close")
async def close(request: Request, id: str) -> Response:
    person = pages.person(request)
    await pages.form(request, CloseForm)
    id = pages.table_id(id)
    await pages.at_table(request, id, partial(pages.service(request).close_table, person, id))
    return RedirectResponse("/", 303)


@router.get("/results")
async def results(request: Request, id: str) -> Response:
    service, person, id = pages.service(request), pages.visitor(request), pages.table_id(id)
    found = await work(request, service.results, person, id)
    paper = PAPER if found.match is not None and (await pages.table_of(request, id)).game == NO_LIMIT_HOLDEM.name else None
    template = "_results.html" if pages.wants_fragment(request) else "results.html"
    picture = chart(found.curve, found.luck_adjusted_curve) if found.hands else None
    return pages.render(request, template, page="table", results=found, chart=picture, id=id, paper=paper)


def _answer(request: Request, table: TableView, error: UsageError | None = None, amount: str | None = None) -> Response:
    """Return the table: a part of the page for htmx, else a page; a form sent without htmx redirects to the page."""
    fragment = pages.wants_fragment(request)
    if request.method == "POST" and error is None and not fragment:
        return RedirectResponse(f"/tables/{table.id}", 303)
    raised = raise_of(table)
    response = pages.render(
        request,
        "_table.html" if fragment else "table.html",
        200 if error is None else pages.status_of(error),
        page="table",
        table=table,
        hand=table.hand,
        others=_round(table),
        raised=raised,
        explorable=_explorable(pages.service(request).agents, table) if table.hand.over else (),
        fresh=not any(event.kind == "move" and event.seat == table.hand.seat for event in table.hand.events),
        coached=can_coach(pages.service(request), table),
        error="" if error is None else _sentence(error, raised, amount),
    )
    if fragment and table.hand.over:
        response.headers["hx-trigger-after-settle"] = "hand-over"
    return response


def raise_of(table: TableView) -> Raise | None:
    """Return the raise whose amount the person chooses; None if there is none."""
    for choice in table.hand.choices:
        if choice.low is not None and choice.high is not None:
            earlier, span = choice.earlier, choice.high - choice.low
            presets = tuple((name, total - earlier, f"r{total}") for name, total in choice.presets)
            step = max(1, 10 ** (len(str(span // 20)) - 1)) if span >= 200 else 1
            return Raise(choice, choice.low - earlier, choice.high - earlier, presets, step)
    return None


def can_coach(service: PlayService, table: TableView) -> bool:
    """Return whether the coach can help with the hand that is over: with a decision in it, and full stacks at its start."""
    hand, began = table.hand, {seat.began for seat in table.hand.seats}
    decided = any(event.kind == "move" and event.seat == hand.seat for event in hand.events)
    if not (hand.over and decided) or len(began) > 1 or (table.cash and began != {table.cash}):
        return False
    return service.coached(table.game, [opponent.id for opponent in table.opponents])


def _round(table: TableView) -> tuple[SeatView, ...]:
    """Return the others, in their order round the table from the person's left."""
    hand = table.hand
    return (*hand.seats[hand.seat + 1 :], *hand.seats[: hand.seat])


def _explorable(agents: Agents, table: TableView) -> list[Opponent]:
    """Return the opponents that have learned, each once, with short names."""
    named = {opponent.id: opponent for opponent in table.opponents if agents.card(opponent.id).kind != "scripted"}
    return [Opponent(id, name) for id, name in zip(named, short_names([each.name for each in named.values()]), strict=True)]


def _amount(text: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= LONGEST):
        raise IllegalMove(f"{text[:40]!r} is not an amount (accepted: a whole number of chips)")
    return int(text)


def _sentence(error: UsageError, raised: Raise | None, amount: str | None) -> str:
    """Return an error as a sentence; about a raise, in the amounts that the page shows."""
    if isinstance(error, IllegalMove) and raised is not None and amount is not None:
        span = f"{raised.low:,} to {raised.high:,} chips"
        return f"You cannot {raised.choice.name.lower()} {amount.strip()[:40]!r}: choose from {span}."
    if isinstance(error, Conflict) and "not over" not in str(error):
        return "You already acted in another tab; here is the current hand."
    return pages.sentence(error)
