"""From figures to what a page draws: cards as SVG, curves as coordinates, chips and shares as people read them.

Everything is an attribute of SVG or a class: the content security policy lets no style stand in a page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor, log10
from re import Match, compile

from markupsafe import Markup, escape

from smoothcall.play.person_view import Figure, HandView, MatchView, chips_text

MINUS, TIMES, SPACE = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}", "\N{NO-BREAK SPACE}"
RANKS = {"T": "10"}
RANK_NAMES = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten", "9": "nine", "8": "eight", "7": "seven"}
RANK_NAMES |= {"6": "six", "5": "five", "4": "four", "3": "three", "2": "two"}
SUIT_NAMES = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_NAMED = compile(r"\b([2-9TJQKA])([cdhs])\b")  # a card in a text
MOST_POINTS = 300  # of a curve


@lru_cache(maxsize=128)
def card(name: str) -> Markup:
    """Draw a card face up: `Ah`, or `K` of a deck without suits."""
    rank, suit = name[0], name[1:]
    shown = RANKS.get(rank, rank)
    told = f"{RANK_NAMES[rank]} of {SUIT_NAMES[suit]}" if suit else RANK_NAMES[rank]
    start = f'<svg class="card suit-{suit or "none"}" viewBox="0 0 60 84" role="img" aria-label="{told}" data-card="{name}">'
    paper = '<rect class="paper" x="0.75" y="0.75" width="58.5" height="82.5" rx="6.5"/>'
    if suit:
        inside = (
            f'<text class="rank{" ten" if rank == "T" else ""}" x="16" y="27" text-anchor="middle">{shown}</text>'
            f'<use href="#suit-{suit}" x="7" y="32" width="16" height="16"/>'
            f'<use href="#suit-{suit}" x="20" y="42" width="34" height="34"/>'
        )
    else:
        inside = (
            '<rect class="frame" x="6" y="6" width="48" height="72" rx="3.5"/>'
            f'<text class="rank lone" x="30" y="55" text-anchor="middle">{shown}</text>'
        )
    return Markup(f"{start}{paper}{inside}</svg>")


BACK = Markup(
    '<svg class="card back" viewBox="0 0 60 84" role="img" aria-label="face-down card">'
    '<rect class="paper" x="0.75" y="0.75" width="58.5" height="82.5" rx="6.5"/>'
    '<rect class="lattice" x="5" y="5" width="50" height="74" rx="3.5" fill="url(#lattice)"/></svg>'
)


def suited(text: str) -> Markup:
    """Return a text in which cards are written with their suits: `A♥`."""
    return Markup(_NAMED.sub(_with_suit, str(escape(text))))


def _with_suit(found: Match[str]) -> str:
    rank, suit = found.groups()
    return f'<span class="suit-{suit}">{RANKS.get(rank, rank)}{SUITS[suit]}</span>'


def board_size(hand: HandView) -> int:
    """Return how many cards the board of its game has in the end: five with two hole cards, one in Leduc, none in Kuhn."""
    mine = hand.you.cards
    return 5 if len(mine) == 2 else 1 if any(len(name) == 2 for name in mine) else 0


def chips(text: str) -> str:
    """Exact chips as people read them: `+12`, `−3½`."""
    value = Fraction(text)
    return f"{MINUS if value < 0 else '+' if text.startswith('+') else ''}{chips_text(abs(value))}"


def signed(value: float, digits: int = 0) -> str:
    """Return a number with its sign, rounded."""
    text = f"{value:+,.{digits}f}"
    return text[1:] if float(text.replace(",", "")) == 0 else text.replace("-", MINUS)


def figure(found: Figure | None) -> str:
    """`+123 ± 45`; digits only as far as they mean something."""
    if found is None:
        return "–"
    if found.half_width is None:
        return signed(found.mean)
    digits = 0 if found.half_width >= 1 else 1
    return f"{signed(found.mean, digits)} ±{SPACE}{found.half_width:,.{digits}f}"


def per_100(found: Figure | None) -> str:
    """Return a figure in big blinds per 100 hands: 1 bb/100 is 10 mbb/h."""
    if found is None:
        return "–"
    width = "" if found.half_width is None else f" ±{SPACE}{found.half_width / 10:,.1f}"
    return f"{signed(found.mean / 10, 1)}{width}"


def turned(found: Figure | None) -> Figure | None:
    """Return a figure from the other side of a table of two."""
    return None if found is None else Figure(-found.mean, found.half_width, found.hands)


def score(match: MatchView) -> str:
    """Return the freezeouts of a match that the person has won and lost."""
    return f"{match.won}–{match.lost}" + (f", {match.drawn} drawn" if match.drawn else "")


def counted(names: Iterable[str]) -> str:
    """Opponents by name, those who sit there several times once."""
    return "; ".join(f"{name} {TIMES} {count}" if count > 1 else name for name, count in Counter(names).items())


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def tone(value: float | str) -> str:
    """Return the class of a result: `won`, `lost` or `even`."""
    number = Fraction(value) if isinstance(value, str) else value
    return "won" if number > 0 else "lost" if number < 0 else "even"


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves in one picture, in its own coordinates."""

    width: int
    height: int
    left: float  # where the axes are
    right: float
    bottom: float
    zero: float
    raw: str  # points of a polyline
    luck_adjusted: str  # "" where there is none
    area: str  # the path between the raw curve and zero
    ticks: tuple[tuple[float, str], ...]  # (y, label)
    hands: int
    end: tuple[float, float]  # of the raw curve


def chart(
    curve: Sequence[float], luck_adjusted: Sequence[float] = (), width: int = 640, height: int = 200, hands: int | None = None
) -> Chart:
    """Winnings after each hand, from 0 before the first one; `hands` where the curve has fewer points."""
    left, right, top, bottom = 62.0, width - 10.0, 10.0, height - 22.0
    values = [0.0, *curve]
    seen = [*values, *luck_adjusted]
    low, high, ticks = _scale(min(seen), max(seen))

    def y(value: float) -> float:
        return round(bottom - (value - low) / (high - low) * (bottom - top), 1)

    def points(line: Sequence[float]) -> list[tuple[float, float]]:
        last = max(1, len(line) - 1)
        step = max(1, -(-len(line) // MOST_POINTS))
        kept = sorted({*range(0, len(line), step), len(line) - 1})
        return [(round(left + at / last * (right - left), 1), y(line[at])) for at in kept]

    raw = points(values)
    text = _text(raw)
    return Chart(
        width=width,
        height=height,
        left=left,
        right=right,
        bottom=bottom,
        zero=y(0.0),
        raw=text,
        luck_adjusted=_text(points([0.0, *luck_adjusted])) if luck_adjusted else "",
        area=f"M{left},{y(0.0)} L{text.replace(' ', ' L')} L{raw[-1][0]},{y(0.0)} Z",
        ticks=tuple((y(tick), f"{tick:,.10g}".replace("-", MINUS)) for tick in ticks),
        hands=len(curve) if hands is None else hands,
        end=raw[-1],
    )


def _text(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


def _scale(low: float, high: float) -> tuple[float, float, list[float]]:
    """Return a range that holds both and zero, and round numbers in it."""
    low, high = min(low, 0.0), max(high, 0.0)
    span = high - low or 1.0
    step = 10.0 ** floor(log10(span / 3))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (factor * step) <= 4)
    first, last = floor(low / step), -floor(-high / step)
    last = max(last, first + 1)
    return first * step, last * step, [tick * step for tick in range(first, last + 1)]
