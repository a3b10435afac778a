"""What the OpenAPI document says is what the API does: requests of every kind it allows, and of kinds it does not.

No server error, and only statuses, types and answers that the document names.
"""

from __future__ import annotations

from itertools import count
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import one_of, randoms

from smoothcall.app import App
from smoothcall.play.service import PlayService
from smoothcall.web.server import create
from tests.conftest import PATIENCE, shipped

if TYPE_CHECKING:
    from schemathesis import Case

FEW, MANY = 3, 40  # requests to each operation, in the fast and in the long suite


class Known:
    """A play service with a person who has tables and hands, finished and not."""

    def __init__(self) -> None:
        numbers = count()
        self.service = App().play_service("sqlite://", shipped(), secret=lambda: f"s{next(numbers)}")
        self.app, self.token, random = (
            create(self.service, hosts=["testserver", "localhost"]),
            self.service.newcomer(),
            Random(1),
        )
        person = self.service.person(self.token)
        self.tables, self.hands = [], []
        for game, opponents in (("kuhn", ["kuhn-lp"]), ("leduc", ["leduc-cfr"]), ("no-limit-holdem", ["random"])):
            table = self.service.open_table(person, game, opponents)
            self.tables.append(table.id)
            self.hands.append(table.hand.id)
            for _ in range(2):
                while not table.hand.over:
                    choice = random.choice(table.hand.choices)
                    letter = choice.letter if choice.low is None else f"r{choice.low}"
                    table = self.service.act(person, table.id, letter, hand=table.hand.number, move=table.hand.move)
                table = self.service.next_hand(person, table.id, hand=table.hand.number)
            self.hands.append(table.hand.id)


@pytest.fixture(scope="module")
def known() -> Known:
    return Known()


def verify(known: Known, token: str | None, examples: int) -> int:
    """Send valid and invalid requests to every operation; return how many."""
    import schemathesis  # takes a second, and only one worker needs it
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    every_check = [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
    ]
    asked, bounded = 0, bounds(examples)
    document = schemathesis.openapi.from_asgi("/api/openapi.json", known.app)
    for found in document.get_all_operations():
        operation = found.ok()
        cases = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        if operation.body or operation.query or operation.path_parameters:
            cases = one_of(cases, operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))

        @bounded
        @given(case=cases, chance=randoms(use_true_random=False))
        def ask(case: Case, chance: Random) -> None:
            nonlocal asked
            asked += 1
            if token is not None:
                case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}
                if "id" in case.path_parameters and chance.random() < 0.5:
                    case.path_parameters["id"] = chance.choice(known.tables if "/tables/" in case.path else known.hands)
            case.call_and_validate(checks=every_check, timeout=PATIENCE)

        ask()
    return asked


def bounds(examples: int) -> settings:
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


SIZES = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.long)]


@pytest.mark.parametrize("examples", SIZES)
def test_unauthenticated_visitors_meet_no_server_error(known: Known, examples: int) -> None:
    assert verify(known, None, examples) > 5 * examples


@pytest.mark.parametrize("examples", SIZES)
def test_visitors_meet_no_server_error(known: Known, examples: int) -> None:
    """Every other request names a table or hand of the visitor."""
    assert verify(known, known.token, examples) > 5 * examples


def test_a_server_error_is_found(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlayService, "tables", lambda self, person: 1 / 0)
    with pytest.raises(Exception, match="division by zero"):
        verify(known, known.token, FEW)
