"""Every reader of other people's text under many random mutations: a result or a UsageError, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from smoothcall.errors import UsageError
from smoothcall.games.catalog import LIMIT_HOLDEM
from smoothcall.games.notation import read_hand
from smoothcall.interop import acpc, macmanus2019
from smoothcall.interop.gambit import read_efg
from smoothcall.interop.hand_files import hand_readers
from smoothcall.interop.phh import read_phh, read_phhs
from smoothcall.interop.pokerstars import read_pokerstars, split_pokerstars
from tests.conftest import GOLDEN
from tests.fuzz.mutations import is_read_or_refused, mutated
from tests.fuzz.test_text_readers import STATE
from tests.interop.test_acpc import LIMIT_2P, NO_LIMIT_2P
from tests.interop.test_hand_files import BIG_BLIND_ANTE, FRACTIONS, POST
from tests.interop.test_openspiel import SIGNALS
from tests.interop.test_pokerstars import CASH


def read_each_hand(text: str) -> None:
    """Read all hands of a file, damaged ones one by one."""
    for read in hand_readers(text, Path("some.phhs")):
        with suppress(UsageError):
            read()


LIMIT = acpc.read_game(LIMIT_2P)
READERS: dict[str, tuple[list[str], Callable[[str], object]]] = {
    "ACPC games": ([LIMIT_2P, NO_LIMIT_2P], acpc.read_game),
    "ACPC states": ([STATE], lambda text: acpc.read_state(LIMIT, text)),
    "ACPC match states": (["MATCHSTATE:1:30:cc/c:|9hQd/8dAs8s"], lambda text: acpc.read_match_state(LIMIT, text)),
    "ACPC logs": ([f"# log\n{STATE}\nSCORE:20|-20:p1|p2\n"], lambda text: acpc.read_log(LIMIT, text)),
    "PHH": ([FRACTIONS, BIG_BLIND_ANTE, POST], read_phh),
    "PHHS": ([(GOLDEN / "pluribus.phhs").read_text()], read_phhs),
    "damaged PHHS": ([f"[1]\n{FRACTIONS}\n[2]\n{POST}\n[3]\n{BIG_BLIND_ANTE}\n"], read_each_hand),
    "PokerStars": ([CASH], lambda text: [read_pokerstars(hand) for hand in split_pokerstars(text)]),
    "Gambit": ([SIGNALS], lambda text: read_efg(text).tree),
    "hands": (["AhKh|7c7d/2h7h9s/Th/9d:rrc/rc/rc/cc"], lambda text: read_hand(LIMIT_HOLDEM, text)),
    "macmanus2019": (["-1AhbcKsb"], macmanus2019.key_of),
}


def verify(name: str, count: int) -> None:
    texts, read = READERS[name]
    wholes, random = [text.encode() for text in texts], Random(name)
    for text in texts:
        read(text)
    for _ in range(count):
        text = mutated(random.choice(wholes), random)
        is_read_or_refused(lambda text=text: read(text))  # type: ignore[misc]


@pytest.mark.parametrize("name", READERS)
def test_mutations(name: str) -> None:
    verify(name, 200)


@pytest.mark.long
@pytest.mark.parametrize("name", READERS)
def test_a_hundred_thousand_mutations(name: str) -> None:
    verify(name, 100_000)
