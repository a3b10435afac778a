"""What requests may contain: one pydantic model per form and per query, shared by the pages and the JSON API.

FastAPI's `Form` needs the package python-multipart even for URL-encoded fields. `pages.form` reads them with the standard
library instead and validates them here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from re import fullmatch
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from smoothcall.errors import UsageError
from smoothcall.store.records import Filter

M = TypeVar("M", bound=BaseModel)
SHOWN = 40  # characters of a wrong value that a message repeats


def _digits(given: object) -> object:
    """Accept ASCII digits only: no signs, points, exponents or digits of other alphabets."""
    text = given.strip() if isinstance(given, str) else ""
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ValueError("a whole number")
    return int(text)


def _iso(given: object) -> object:
    """Accept days as `2025-01-31`, and not as seconds since 1970."""
    if isinstance(given, str) and not fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", given):
        raise ValueError("a day is written as 2025-01-31")
    return given


Text = Annotated[str, Field(max_length=300, pattern="^[^\x00]*$", description="Up to 300 characters, none of them 0.")]
Day = Annotated[date, BeforeValidator(_iso), Field(description="A date such as 2025-01-31.")]
Whole = Annotated[int, BeforeValidator(_digits), Field(description="A whole number.")]


def digits(text: str, name: str, default: int) -> int:
    """Return a whole number from a query, the default where it is blank."""
    if not text.strip():
        return default
    try:
        return int(str(_digits(text)))
    except ValueError:
        raise UsageError(f"{name} {text[:SHOWN]!r} (accepted: a whole number)") from None


class CodeForm(BaseModel):
    """A code from another browser."""

    code: Annotated[str, Field(max_length=40)]


class SignInForm(BaseModel):
    """A sign-in to end."""

    sign_in: Whole


class Filters(BaseModel):
    """Which finished hands: those that fit all fields. Blank fields are ignored."""

    game: Text | None = None
    table: Text | None = None
    opponent: Text | None = None
    since: Day | None = None
    until: Day | None = None
    result: Annotated[Literal["won", "lost"] | None, Field(description="Won, lost.")] = None
    showdown: Annotated[bool | None, Field(description="Yes, no.")] = None

    @model_validator(mode="before")
    @classmethod
    def _drop_blank(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        read = {name: value.strip() if isinstance(value, str) else value for name, value in given.items()}
        return {name: value for name, value in read.items() if value != ""}

    @property
    def filter(self) -> Filter:
        return Filter(**self.model_dump(include=set(Filters.model_fields)))


class PagedFilters(Filters):
    page: Annotated[int, Field(ge=1, le=10**9)] = 1


class SettingsForm(BaseModel):
    """What a person sets; fields that are missing have their defaults."""

    unit: str | None = None
    deck: str | None = None
    speed: str | None = None
    sound: str | None = None
    deal: str | None = None


class CloseForm(BaseModel):
    """Leave a table for good."""


class NextForm(BaseModel):
    """On to the hand after the one of this number."""

    hand: Whole
    rebuy: str = ""  # not empty: at a cash table, buy in for a full stack


class ActForm(NextForm):
    """A move in the hand of this number, chosen when so many moves had been made in it."""

    move: Whole
    letter: str = ""
    amount: str | None = None  # of a raise, in chips on this street, as typed
    earlier: Whole = 0  # chips that the player put in on earlier streets


class TableForm(BaseModel):
    """A table to open. The choices for the seat `n` are in `opponent-n`, `snapshot-n-ID` and `style-n`."""

    model_config = ConfigDict(extra="allow")

    game: str = ""
    freezeouts: Whole = 0
    cash: str = ""  # "yes": chips are carried over

    def choice(self, name: str) -> str | None:
        """Return a field that depends on a seat, None where it is missing."""
        found = (self.model_extra or {}).get(name)
        return None if found is None else str(found).strip()


def validate(model: type[M], given: Mapping[str, str]) -> M:
    """Return the fields as a model; raise a UsageError that names the first wrong field, its value and what is accepted."""
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        accepted = (model.model_fields[name].description or "").rstrip(".")
        raise UsageError(
            f"field {name!r} is {given.get(name, '')[:SHOWN]!r} (accepted: {accepted[:1].lower()}{accepted[1:]})"
        ) from None
