"""What a person can set for all tables: how amounts, cards and the flow of hands are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from smoothcall.errors import UsageError
from smoothcall.play.person_view import BIG_BLINDS, CHIPS


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one person."""

    unit: str = CHIPS
    deck: str = "four"
    speed: str = "normal"
    sound: str = "off"
    deal: str = "press"


CHOICES: dict[str, dict[str, str]] = {
    "unit": {CHIPS: "chips", BIG_BLINDS: "big blinds"},
    "deck": {"four": "four colours", "two": "two colours"},
    "speed": {"instant": "at once", "normal": "one by one", "slow": "one by one, slowly"},
    "sound": {"off": "off", "on": "on"},
    "deal": {"press": "when I press the button", "auto": "by itself"},
}  # by name, the values with their descriptions; the first one is the default or close to it
LABELS = {
    "unit": "Amounts in",
    "deck": "Deck with",
    "speed": "Opponents' actions appear",
    "sound": "Sound",
    "deal": "The next hand is dealt",
}


def read_settings(given: Mapping[str, object]) -> Settings:
    """Return settings from their names and values; what is not given has its default."""
    for name, value in given.items():
        if name not in CHOICES:
            raise UsageError(f"setting {name[:40]!r} (accepted: {', '.join(CHOICES)})")
        if value not in CHOICES[name]:
            raise UsageError(f"setting {name}={str(value)[:40]!r} (accepted: {', '.join(CHOICES[name])})")
    return Settings(**{name: str(value) for name, value in given.items()})


def changed(settings: Settings) -> dict[str, str]:
    """Return the settings that differ from the defaults."""
    given, default = asdict(settings), Settings()
    return {field.name: given[field.name] for field in fields(settings) if given[field.name] != getattr(default, field.name)}
