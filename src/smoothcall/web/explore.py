"""Pages of the strategy explorer: an agent's probabilities at any decision of the betting, and links to the next ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from smoothcall.agents.suffixes import GREEDY
from smoothcall.errors import NotFound
from smoothcall.games.catalog import CATALOG
from smoothcall.play.agent_cards import AgentCard
from smoothcall.play.explorer import Spot, SpotLine, explore
from smoothcall.play.opponents import Agents
from smoothcall.play.service import PlayService
from smoothcall.play.stakes import PLAY_GAMES
from smoothcall.web import pages
from smoothcall.web.hands import hand_id
from smoothcall.web.workers import work

router = APIRouter(prefix="/explore", include_in_schema=False)
SIDE = 40.0  # of a cell of the grid
MANY = 40  # with more lines, a picture comes before the table
LONGEST = 400  # characters of betting that are read
OTHER_KINDS = ("c", "r", "f", "r2", "r3")  # colours of moves that are not those of poker
ELSEWHERE = "Games from elsewhere"


@dataclass(frozen=True, slots=True)
class Bar:
    """A segment of a bar of probabilities."""

    kind: str  # class of the action: its colour
    start: float  # per cent
    width: float  # per cent: the action's probability


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the grid; its filled height is the probability that these hands reach the spot."""

    line: SpotLine
    x: float
    y: float
    top: float
    height: float
    bars: tuple[Bar, ...]


@router.get("")
async def choose(request: Request) -> Response:
    pages.visitor(request)
    agents = pages.service(request).agents
    games = {spec: title for spec, title in PLAY_GAMES.items() if ":" not in spec}  # larger tables have no other agents
    learned = [card for card in agents.cards() if card.kind != "scripted"]  # at any blinds and stacks
    groups = [(title, [card for card in learned if card.games[0].partition(":")[0] == spec]) for spec, title in games.items()]
    foreign = [card for card in learned if card.games[0].partition(":")[0] not in CATALOG]
    groups += [(ELSEWHERE, foreign)] if foreign else []
    return pages.render(request, "agents.html", page="explore", groups=groups)


@router.get("/{player_id}")
async def show(request: Request, player_id: str, at: str = "", cards: str = "", hand: str = "") -> Response:
    """`cards`: the label of a line to mark; `hand`: the id of the hand that the visitor comes from."""
    person = pages.visitor(request)
    back = hand_id(hand) if hand else None
    card, spot = await work(request, look, pages.service(request), person, player_id, at)
    kinds = kinds_of(spot)
    return pages.render(
        request,
        "_spot.html" if pages.wants_fragment(request) else "explore.html",
        page="explore",
        card=card,
        title=PLAY_GAMES.get(card.games[0].partition(":")[0], card.games[0]),
        spot=spot,
        kinds=kinds,
        grid=[_cell(line, kinds, row, column) for row, cells in enumerate(spot.grid) for column, line in enumerate(cells)],
        side=SIDE * len(spot.grid),
        lines=[(line, bars(line.probabilities, kinds)) for line in spot.lines if line.deal_probability],
        many=len(spot.lines) > MANY,
        cards=cards[:LONGEST],
        back=back,
        player_id=player_id,
    )


def look(service: PlayService, person: int | None, player_id: str, at: str) -> tuple[AgentCard, Spot]:
    """Return an agent and its strategy at a spot; Forbidden while the person is in a hand with it."""
    card = known(service.agents, player_id)
    if person is not None:
        service.may_explore(person, player_id)
    policy = service.agents.policy(player_id)
    return card, explore(policy.greedy() if player_id.endswith(GREEDY) else policy, at[:LONGEST])


def known(agents: Agents, player_id: str) -> AgentCard:
    try:
        return agents.card(player_id)
    except ValueError:
        raise NotFound(f"there is no agent {player_id[:80]!r}") from None


def kinds_of(spot: Spot) -> dict[str, str]:
    """Return the style class of each move, by letter; raises are numbered from the smallest, the third and later alike."""
    raises = [move.letter for move in spot.moves if move.letter.startswith("r")]
    order = {letter: f"r{min(place, 3)}" if place > 1 else "r" for place, letter in enumerate(raises, 1)}
    if any(move.letter[:1] not in ("f", "c", "r") for move in spot.moves):  # a game from elsewhere: moves have other names
        return {move.letter: f"act-{OTHER_KINDS[place % len(OTHER_KINDS)]}" for place, move in enumerate(spot.moves)}
    return {move.letter: f"act-{order.get(move.letter, move.letter)}" for move in spot.moves}


def bars(probabilities: Mapping[str, float], kinds: Mapping[str, str]) -> tuple[Bar, ...]:
    found, start = [], 0.0
    for letter, probability in reversed(list(probabilities.items())):  # raises first, folds last
        if probability > 0:
            found.append(Bar(kinds[letter], round(start, 2), round(100 * probability, 2)))
            start += 100 * probability
    return tuple(found)


def _cell(line: SpotLine, kinds: Mapping[str, str], row: int, column: int) -> Cell:
    height = round(SIDE * min(1.0, line.reach), 2)
    scaled = tuple(Bar(bar.kind, bar.start * SIDE / 100, bar.width * SIDE / 100) for bar in bars(line.probabilities, kinds))
    return Cell(line, column * SIDE, row * SIDE, row * SIDE + SIDE - height, height, scaled)
