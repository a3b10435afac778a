import pytest

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.catalog import CATALOG, KUHN, LEDUC, RPS, rules
from smoothcall.games.matrix import MatrixGame


@pytest.mark.interpreted
def test_every_game_is_built_by_its_name() -> None:
    for name, entry in CATALOG.items():
        built = rules(name)
        assert built.name == name
        assert entry.summary
        assert isinstance(built, MatrixGame) or Betting(built).player == 0
    assert rules("rps") is RPS
    assert rules("kuhn") == KUHN
    assert rules("leduc") == LEDUC


@pytest.mark.parametrize(("name", "seats", "cards"), [("kuhn", 2, 3), ("kuhn-3p", 3, 4), ("leduc", 2, 6), ("leduc-3p", 3, 8)])
def test_seats_cards_and_antes(name: str, seats: int, cards: int) -> None:
    built = rules(name)
    assert (built.seats, built.deck.size, built.antes) == (seats, cards, (1,) * seats)


@pytest.mark.parametrize(("name", "pot", "ante"), [("kuhn", 8, 4), ("kuhn", "8", 4), ("kuhn-3p", 9, 3)])
def test_the_pot_is_put_in_by_all_alike(name: str, pot: object, ante: int) -> None:
    built = rules(name, pot=pot)
    assert built.antes == (ante,) * built.seats


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("kuhm", {}, "unknown game 'kuhm'; did you mean 'kuhn'?"),
        ("kuhn", {"pot": 7}, "option pot=7 of kuhn (accepted: a multiple of its 2 players)"),
        ("kuhn", {"pot": 0}, "option pot=0 (accepted: a whole number from 2 to 1e+06)"),
        ("kuhn", {"pots": 8}, "unknown option of kuhn 'pots'; did you mean 'pot'? (accepted: pot)"),
        ("leduc", {"pot": 8}, "unknown option of leduc 'pot' (accepted: none)"),
    ],
)
def test_wrong_names_and_options(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as error:
        rules(name, **options)
    assert message in str(error.value)
