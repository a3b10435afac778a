"""The user's folders, where each system keeps them (platformdirs). Environment variables come first."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

_NAME = "smoothcall"


def cache_folder() -> Path:
    """Return where tables are kept that can be built again: $SMOOTHCALL_CACHE, else the user's cache folder."""
    named = os.environ.get("SMOOTHCALL_CACHE")
    return Path(named) if named else user_cache_path(_NAME, appauthor=False, opinion=False)


def data_folder() -> Path:
    """Return where hand histories are kept: $SMOOTHCALL_DATA, else the user's data folder."""
    named = os.environ.get("SMOOTHCALL_DATA")
    return Path(named) if named else user_data_path(_NAME, appauthor=False)
