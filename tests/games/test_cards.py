import pytest
from hypothesis import given
from hypothesis import strategies as st

from smoothcall.errors import UsageError
from smoothcall.games.cards import Deck

DECKS = [Deck("JQK", ""), Deck("JQK", "hs"), Deck("23456789TJQKA", "cdhs")]


@pytest.mark.interpreted
@pytest.mark.parametrize("deck", DECKS)
def test_every_card_has_a_name_of_its_own_and_is_read_back(deck: Deck) -> None:
    names = [deck.name(card) for card in range(deck.size)]
    assert len(set(names)) == deck.size == len(deck.ranks) * max(1, len(deck.suits))
    assert [deck.parse(name) for name in names] == [(card,) for card in range(deck.size)]
    assert [deck.rank(card) for card in range(deck.size)] == [deck.ranks.index(name[0]) for name in names]


@given(st.sampled_from(DECKS).flatmap(lambda deck: st.tuples(st.just(deck), st.permutations(range(deck.size)))), st.data())
def test_cards_are_read_in_the_order_they_are_written(sampled: tuple[Deck, list[int]], data: st.DataObject) -> None:
    deck, cards = sampled
    cards = cards[: data.draw(st.integers(0, deck.size))]
    assert deck.parse(deck.names(cards)) == tuple(cards)


def test_known_cards() -> None:
    leduc, full = DECKS[1], DECKS[2]
    assert leduc.parse("KsJh") == (5, 0)
    assert full.names(full.parse("AhKs2c")) == "AhKs2c"
    assert full.parse("") == ()


@pytest.mark.parametrize(
    ("deck", "text", "message"),
    [
        (DECKS[0], "A", "unknown card 'A' in 'A' (accepted: J, Q, K)"),
        (DECKS[1], "KhQ", "unknown card 'Q' in 'KhQ' (accepted: Jh, Js, Qh, Qs, Kh, Ks)"),
        (DECKS[1], "Kd", "unknown card 'Kd' in 'Kd' (accepted: Jh, Js, Qh, Qs, Kh, Ks)"),
        (DECKS[1], "kh", "unknown card 'kh' in 'kh' (accepted: Jh, Js, Qh, Qs, Kh, Ks)"),
        (DECKS[1], "KhQsKh", "a card stands twice in 'KhQsKh'"),
    ],
)
def test_what_is_no_card_is_named(deck: Deck, text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        deck.parse(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("ranks", "suits", "message"),
    [
        ("JQJ", "", "a deck's ranks must differ from one another, not 'JQJ'"),
        ("JQK", "hh", "a deck's suits must differ from one another, not 'hh'"),
        ("", "hs", "a deck needs at least one rank"),
    ],
)
def test_wrong_decks(ranks: str, suits: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        Deck(ranks, suits)
    assert str(error.value) == message
