"""What may stand behind the name of an agent: `:greedy`, `:threshold=0.05`, `:search`, `:search=5`, `:unsafe-search`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from smoothcall.errors import UsageError
from smoothcall.options import number

GREEDY, THRESHOLD, SEARCH, UNSAFE = ":greedy", ":threshold=", ":search", ":unsafe-search"
SEARCH_SECONDS, MAX_SEARCH_SECONDS = 2.0, 3600.0


@dataclass(frozen=True, slots=True)
class Search:
    """How an agent searches."""

    seconds: float = SEARCH_SECONDS
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Suffixes:
    """Everything behind a name."""

    greedy: bool = False
    threshold: float | None = None
    search: Search | None = None

    def __bool__(self) -> bool:
        return self != NO_SUFFIXES


NO_SUFFIXES = Suffixes()
STYLES = {GREEDY: "greedy", SEARCH: "searching"}  # that people may choose: suffixes of an agent's id, and what they are called


def style_of(player_id: str) -> str:
    """Return the suffix of `STYLES` that an id ends with; "" without one."""
    return next((suffix for suffix in STYLES if player_id.endswith(suffix)), "")


def without_style(player_id: str) -> str:
    """Return the id of an agent without a suffix of `STYLES`."""
    return player_id.removesuffix(style_of(player_id))


def split_name(name: str) -> tuple[str, Suffixes]:
    """`runs/leduc:threshold=0.05` -> ("runs/leduc", threshold 0.05); `x:greedy:search=5` -> ("x", greedy, search for 5 s)."""
    base, found = name, NO_SUFFIXES
    while True:
        head, _, tail = base.rpartition(":")
        word, equals, value = tail.partition("=")
        if head and tail == GREEDY[1:] and not found.greedy:
            found = replace(found, greedy=True)
        elif head and f":{tail}".startswith(THRESHOLD) and found.threshold is None:
            found = replace(found, threshold=_threshold(value))
        elif head and f":{word}" in (SEARCH, UNSAFE) and found.search is None:
            found = replace(found, search=Search(_seconds(value) if equals else SEARCH_SECONDS, f":{word}" == SEARCH))
        else:
            return base, found
        base = head


def _threshold(given: str) -> float:
    share = number(given, whole=False)
    if share is None or not 0 <= share <= 1:
        raise UsageError(f"threshold={given} (accepted: a number from 0 to 1)")
    return share


def _seconds(given: str) -> float:
    seconds = number(given, whole=False)
    if seconds is None or not 0 < seconds <= MAX_SEARCH_SECONDS:
        raise UsageError(f"search={given} (accepted: seconds above 0, at most {MAX_SEARCH_SECONDS:g})")
    return seconds
