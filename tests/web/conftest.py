"""A house in memory with its application, and people who visit it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI

from smoothcall.play.opponents import Agents
from smoothcall.play.service import PlayService
from smoothcall.store.histories import Histories
from smoothcall.web.server import create
from tests.web.visitor import Visitor

Invite = Callable[..., Visitor]


@pytest.fixture(scope="session")
def agents() -> Agents:
    return Agents()


@pytest.fixture(scope="session")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as made:
        yield made


@pytest.fixture
def service(agents: Agents) -> Iterator[PlayService]:
    made = PlayService(Histories("sqlite://"), agents)
    yield made
    made.close()


@pytest.fixture
def app(service: PlayService) -> FastAPI:
    return create(service)


@pytest.fixture
def invite(app: FastAPI, runner: asyncio.Runner) -> Invite:
    """Makes visitors, who have been nowhere yet."""

    def made(**options: Any) -> Visitor:
        return Visitor(app, runner, **options)

    return made


@pytest.fixture
def visitor(invite: Invite) -> Visitor:
    return invite()
