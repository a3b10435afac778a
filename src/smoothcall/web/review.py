"""Hands from elsewhere: a page that takes a file of hands and shows what the decisions of one player cost.

The file is read and forgotten: nothing of it is stored. Forms with files are parsed by the standard library.
"""

from __future__ import annotations

from collections.abc import Mapping
from email.parser import BytesParser
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from smoothcall.errors import UsageError
from smoothcall.games.catalog import CATALOG
from smoothcall.play.agent_cards import AgentCard
from smoothcall.play.review import KINDS, HandReview, review_text
from smoothcall.play.service import PlayService
from smoothcall.play.stakes import PLAY_GAMES
from smoothcall.store.deadlines import check_stopped
from smoothcall.web import pages
from smoothcall.web.explore import known
from smoothcall.web.forms import Text, validate
from smoothcall.web.guard import LARGEST
from smoothcall.web.workers import work

router = APIRouter(include_in_schema=False)
MOST = 30  # hands of a file that the page reviews
MULTIPART = "multipart/form-data"
NAMES = {"": "By its content", "phh": "PHH", "pokerstars": "PokerStars text", "acpc": "ACPC log"}


class ReviewForm(BaseModel):
    """A file of hands. `file` is what was uploaded, `text` what was pasted."""

    hero: Annotated[Text, Field(description="The name of a player in the file.")] = ""
    by: Annotated[Text, Field(description="An agent.")] = ""
    kind: Annotated[str, Field(pattern=f"^({'|'.join(KINDS)})?$", description=f"{', '.join(KINDS)}.")] = ""
    file: str = ""
    text: str = ""


@router.get("/review")
async def ask(request: Request) -> Response:
    pages.visitor(request)
    return _page(request, ReviewForm(), None)


@router.post("/review")
async def review(request: Request) -> Response:
    person, service = pages.visitor(request), pages.service(request)
    given = await _form(request)
    if not given.hero.strip():
        raise UsageError("field 'hero' is '' (accepted: the name of a player in the file)")
    text = given.file or given.text
    if not text.strip():
        raise UsageError("there is no file (accepted: PHH, PokerStars texts and ACPC logs, as a file or as text)")
    try:
        found = await work(request, _review, service, person, given, text)
    except UsageError as error:
        if pages.status_of(error) != 400:
            raise
        return _page(request, given, None, str(error))
    return _page(request, given, found)


def _review(service: PlayService, person: int, given: ReviewForm, text: str) -> HandReview:
    """Review hands. Forbidden while the person is in a hand with the agent: EVs tell what it may hold."""
    card = known(service.agents, given.by)
    service.may_explore(person, card.id)
    policy = service.agents.policy(card.id)
    return review_text(text, given.kind, given.hero.strip(), card.id, policy, most=MOST, check=check_stopped)


async def _form(request: Request) -> ReviewForm:
    kind = request.headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() != MULTIPART:
        return await pages.form(request, ReviewForm)
    return validate(ReviewForm, read_multipart(await request.body(), kind))


def read_multipart(body: bytes, kind: str) -> Mapping[str, str]:
    """Return the fields of a multipart form; of fields given twice, the last. `kind` is the content type."""
    message = BytesParser().parsebytes(b"content-type: " + kind.encode("latin-1", "replace") + b"\r\n\r\n" + body)
    fields: dict[str, str] = {}
    for part in message.get_payload() if message.is_multipart() else ():
        name, payload = part.get_param("name", header="content-disposition"), part.get_payload(decode=True)  # type: ignore[union-attr]
        if isinstance(name, str) and isinstance(payload, bytes):
            try:
                fields[name] = payload.decode()
            except UnicodeDecodeError:
                raise UsageError(f"field {name[:40]!r} is no text (accepted: UTF-8)") from None
    if not fields:
        raise UsageError("this form cannot be read (accepted: multipart/form-data with named fields)")
    return fields


def _page(request: Request, given: ReviewForm, found: HandReview | None, problem: str = "") -> Response:
    return pages.render(
        request,
        "review.html",
        400 if problem else 200,
        problem=problem,
        page="hands",
        given=given,
        found=found,
        kinds=NAMES,
        most=MOST,
        largest=LARGEST // 1024,
        agents=[(card, _title(card)) for card in pages.service(request).agents.cards() if _judges(card)],
    )


def _judges(card: AgentCard) -> bool:
    """Return whether an agent has probabilities in a poker game."""
    name = card.games[0].partition(":")[0] if card.games else ""
    return card.kind != "scripted" and name in CATALOG and name != "rps"


def _title(card: AgentCard) -> str:
    return PLAY_GAMES.get(card.games[0].partition(":")[0], card.games[0])
