import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.catalog import CATALOG, rules
from smoothcall.games.menu import BetMenu
from smoothcall.games.rules import PokerRules

from .random_hands import after, no_limit, random_letter

ITEMS = ["min", "all-in", "pot", "1/2", "2/3", "0.75", "2", "x1", "x3"]


def totals(menu: str, betting: str, **changes: object) -> list[int | None]:
    return BetMenu.parse(menu).totals(after(Betting(no_limit(2, **changes)), betting))


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("menu", "betting", "expected"),
    [  # blinds 1 and 2, stacks of 100
        ("min+pot+all-in", "", [4, 6, 100]),  # call 1, then raise by the 4 in the pot
        ("1/2+0.75+1+2", "", [4, 5, 6, 10]),
        ("x1+x2+x40+x60", "", [4, 6, 82, 100]),
        ("1/4+min", "", [None, 4]),  # a raise by 1 is too small
        ("min+1/2+x1", "", [4, None, None]),  # all three come to 4, the first has it
        ("pot+1/2+min", "r6", [18, 12, 10]),  # call 4, then raise by the 12 in the pot or by half of it
        ("x1+x2+x4", "r6", [None, 10, 14]),  # a raise by 2 after one by 4 is too small
        ("1/2+pot", "cc/", [4, 6]),  # 4 in the pot, 2 of them one's own
        ("1/3+1/2", "r5c/", [8, 10]),  # a third of 10 is rounded
        ("pot+2+all-in", "r60", [100, None, None]),  # more than there is: all-in, once
        ("min+1/2+pot+all-in", "r99", [100, None, None, None]),  # one chip left: all-in is the smallest raise
        ("min+all-in", "r100", [None, None]),
    ],
)
def test_what_each_item_comes_to(menu: str, betting: str, expected: list[int | None]) -> None:
    assert totals(menu, betting) == expected


def test_halves_of_chips_are_rounded_up() -> None:
    assert totals("1/4", "r5c/") == [5 + 3]  # 2.5
    assert totals("0.24", "r5c/") == [5 + 2]  # 2.4


@settings(deadline=None)
@given(st.permutations(ITEMS), st.integers(1, len(ITEMS)), st.integers(2, 5), st.randoms(use_true_random=False))
def test_all_totals_are_legal_and_differ(items: list[str], count: int, seats: int, random) -> None:
    menu = BetMenu.parse("+".join(items[:count]))
    state = Betting(no_limit(seats), [random.randint(1, 100) for _ in range(seats)])
    while not state.finished:
        found = menu.totals(state)
        given_totals = [total for total in found if total is not None]
        assert len(found) == count
        assert len(set(given_totals)) == len(given_totals)
        assert all(state.can_raise(total) for total in given_totals)
        if state.raises is not None and "min" in menu.items:
            assert state.raises[0] in given_totals
        if state.raises is not None and "all-in" in menu.items:
            assert state.raises[1] in given_totals
        state.play(random_letter(state, random))


@pytest.mark.parametrize("text", ["min+1/2+pot+all-in", "0.5+1+2+all-in", "x1+x2+x3+x4", "all-in", "3/2"])
def test_a_menu_is_its_text(text: str) -> None:
    menu = BetMenu.parse(text)
    assert str(menu) == text
    assert BetMenu.parse(str(menu)) == menu
    assert hash(BetMenu.parse(text)) == hash(menu)


@pytest.mark.parametrize("item", ["", "half", "1/0", "0", "0/3", "x0", "x", "x1.5", "-1", "1e3", "POT", "1//2", "١", " pot"])
def test_unknown_items(item: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"item {item!r} of bet menu 'min+{item}' (accepted: min, pot, all-in,")):
        BetMenu.parse(f"min+{item}")


@pytest.mark.parametrize("text", ["1/2+0.5", "pot+1", "x1+x01", "min+min"])
def test_each_size_once(text: str) -> None:
    with pytest.raises(UsageError, match="each size once"):
        BetMenu.parse(text)


@pytest.mark.parametrize("name", [name for name, entry in CATALOG.items() if "menu" in entry.options])
def test_menus_of_the_catalogue(name: str) -> None:
    """They fit into an option on the command line, and leave something to do in the first spot."""
    built = rules(name)
    assert isinstance(built, PokerRules)
    assert not set(",=:") & set(str(built.menu))
    assert any(built.menu.totals(Betting(built)))
    assert rules(name, menu="min").menu == BetMenu.parse("min")
    with pytest.raises(UsageError, match="item 'half'"):
        rules(name, menu="half")
    with pytest.raises(
        UsageError, match=r"option menu=1/100 of .* holds no first raise \(accepted: one from \d+ to \d+ chips\)"
    ):
        rules(name, menu="1/100")
    with pytest.raises(UsageError, match=r"option menu=3 \(accepted: min, pot"):
        rules(name, menu=3)
