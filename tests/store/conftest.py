"""Runs whose curves are not rendered, which takes longer than most runs of tests."""

from __future__ import annotations

import pytest

from smoothcall.store import curves

PNG = b"\x89PNG\r\n\x1a\n"  # how every picture begins


@pytest.fixture
def unrendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compose pictures and leave them unrendered; test_curves.py and runs in processes of their own render them."""
    monkeypatch.setattr(curves, "png", lambda figure, digest="": PNG)
