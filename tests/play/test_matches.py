"""Matches: games played until somebody has no chips; and tables for more than two, with a batch policy among the opponents."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from smoothcall.agents.heuristics import MostlyCalls
from smoothcall.agents.rule_players import SIMPLE
from smoothcall.agents.tabulated import TabulatedPolicy, scripted_policy
from smoothcall.errors import Forbidden, UsageError
from smoothcall.play.opponents import HOUSE_GAMES, AgentCard, Agents
from smoothcall.play.person_view import TableSight
from smoothcall.play.service import MOST_GAMES, House
from smoothcall.store.histories import Filter
from tests.agents.test_card_players import BETS, Scripted
from tests.conftest import WHOLE_BETS, built
from tests.play.test_service import letter_of, make_house, play_hand

GAME = "no-limit-holdem"


def furnished(url: str = "sqlite://") -> House:
    """A house with a batch policy that looks at observations with cards."""
    house = make_house(url)
    card = AgentCard("wide", "Wide", (BETS,), "file", "by nothing", any_seats=True, any_stacks=True)
    house.agents._cards["wide"], house.agents._policies["wide"] = card, TabulatedPolicy(built(BETS), Scripted())
    return house


@pytest.fixture
def house() -> Iterator[House]:
    made = furnished()
    yield made
    made.close()


def newcomer(house: House) -> int:
    return house.person(house.newcomer())


def play_match(house: House, person: int, opponent: str, games: int, random: Random, game: str = GAME) -> Iterator[TableSight]:
    """A whole match with random moves: the table after each."""
    table = house.open_table(person, game, [opponent], games=games)
    while True:
        for after in play_hand(house, person, table, random):
            yield (table := after)
        assert table.match is not None
        if table.match.over:
            return
        table = house.next_hand(person, table.id, hand=table.hand.number)


@pytest.mark.parametrize(("game", "opponent"), [(GAME, "random"), (GAME, "wide"), ("no-limit-holdem-32", "mirror")])
def test_a_match_to_its_end(house: House, game: str, opponent: str) -> None:
    person, full = newcomer(house), built(game).rules.stack or 0  # type: ignore[union-attr]
    chips, score, changed = [full, full], [0, 0], 0  # the person's and the opponent's
    for table in play_match(house, person, opponent, 6, Random(1), game):
        hand = table.hand
        if not hand.over:
            assert [seat.stack + seat.paid for seat in (hand.you, hand.seats[1 - hand.seat])] == chips  # type: ignore[operator]
            continue
        changed += chips != [full, full]
        won = Fraction(hand.won or "")
        chips = [chips[0] + int(won), chips[1] - int(won)]
        assert sum(chips) == 2 * full
        assert min(chips) >= 0
        if min(chips) == 0:
            score[chips[0] == 0] += 1
            chips = [full, full]
        assert table.match is not None
        assert [table.match.won, table.match.lost] == score
        assert hand.seat == (hand.number - 1) % 2
    assert sum(score) == 6
    assert changed > 1
    with pytest.raises(Forbidden, match="this match is over: you have won"):
        house.next_hand(person, table.id, hand=table.hand.number)
    assert house.table(person, table.id) == table
    found = house.results(person, table.id)
    assert found.match == table.match
    assert found.raw is not None
    assert found.corrected is None
    assert "full stacks" in found.note


def test_a_match_goes_on_after_a_restart(tmp_path: Path) -> None:
    url, seen = f"sqlite:///{tmp_path / 'hands.sqlite'}", []
    for again in (False, True):
        house = furnished(url if again else "sqlite://")
        token = house.newcomer()
        random, stops, table = Random(4), Random(5), house.open_table(house.person(token), GAME, ["wide"], games=4)
        found = [table]
        while not (table.match and table.match.over):
            if again and stops.random() < 0.2:
                house.close()
                fresh = furnished(url)
                fresh._secret = house._secret
                house = fresh
            person = house.person(token)
            assert house.table(person, table.id) == table
            if table.hand.over:
                table = house.next_hand(person, table.id, hand=table.hand.number)
            else:
                letter = letter_of(random.choice(table.hand.choices), random)
                table = house.act(person, table.id, letter, hand=table.hand.number, move=table.hand.move)
            found.append(table)
        seen.append(found)
        house.close()
    assert seen[0] == seen[1]


def test_hands_of_matches_in_the_history(house: House) -> None:
    person = newcomer(house)
    *_, table = play_match(house, person, "random", 8, Random(2))
    lines = house.hands(person, Filter()).hands
    assert len(lines) == min(table.hands, 25)
    assert all(line.corrected is None for line in lines)
    written = json.loads(house.export(person, Filter(), "json"))["hands"]
    stacks = {hand["number"]: [player["stack"] for player in hand["players"]] for hand in written}
    uneven = [number for number, each in stacks.items() if each != [100, 100]]
    assert uneven
    assert all(sum(each) == 200 for each in stacks.values())
    phh = tomllib.loads(house.export(person, Filter(), "phh")).values()
    assert {hand["hand"]: sorted(hand["starting_stacks"]) for hand in phh} == {
        number: sorted(each) for number, each in stacks.items()
    }
    for line in lines:
        steps = house.hand(person, line.id)
        assert [seat.stack + seat.paid for seat in steps[0].seats] == stacks[line.number]  # type: ignore[operator]
        if line.number in uneven:
            with pytest.raises(UsageError, match="the coach knows hands with full stacks; this one began with"):
                house.coach(person, line.id)
        else:
            house.coach(person, line.id)
    assert house.statistics(person, Filter()).hands == table.hands


def test_who_cannot_play_a_match(house: House) -> None:
    person = newcomer(house)
    with pytest.raises(UsageError, match="has learned with full stacks, and in a match chips are kept from hand to hand"):
        house.open_table(person, GAME, ["no-limit-holdem-mccfr"], games=10)
    for game in HOUSE_GAMES:
        if built(game).players > 2 or not game.startswith(GAME):
            with pytest.raises(UsageError, match="is played hand by hand"):
                house.open_table(person, game, ["random"] * (built(game).players - 1), games=10)
    for games in (-1, MOST_GAMES + 1):
        with pytest.raises(UsageError, match=f"games={games}"):
            house.open_table(person, GAME, ["random"], games=games)
    offered = {card.id for card in house.agents.cards(GAME, match=True)}
    assert offered == {card.id for card in house.agents.cards(GAME)} - {"no-limit-holdem-mccfr"}
    assert house.open_table(person, GAME, ["random"]).match is None


# Tables for more than two


def test_files_of_minds_that_look_at_cards_sit_at_larger_tables(tmp_path: Path) -> None:
    TabulatedPolicy(built(BETS), MostlyCalls()).save(tmp_path / "cards.agent")
    scripted_policy(built(WHOLE_BETS), "mirror").save(tmp_path / "equities.agent")
    agents = Agents(tmp_path)
    assert not agents.problems
    built_in = {f"no-limit-holdem-pricope-agent-{which}" for which in ("1", "2", "3-gp", "3-dp")}
    for seats in range(3, 7):
        assert {card.id for card in agents.cards(f"{GAME}:seats={seats}")} == {"cards", *SIMPLE} | built_in
    assert {card.id for card in agents.cards(GAME, match=True)} == {"cards", *SIMPLE} | built_in
    assert agents.card("equities").any_stacks
    assert not agents.card("equities").any_seats


@pytest.mark.parametrize("seats", [3, 6])
def test_a_mind_at_a_larger_table(house: House, seats: int) -> None:
    person, game, random = newcomer(house), f"{GAME}:seats={seats}", Random(3)
    assert "wide" in {card.id for card in house.agents.cards(game)}
    table = house.open_table(person, game, ["wide", *["probe"] * (seats - 2)])
    for number in range(1, 7):
        *_, table = play_hand(house, person, table, random)
        assert sum(Fraction(seat.won or "") for seat in table.hand.seats) == 0
        table = house.next_hand(person, table.id, hand=number)
    assert "tables of two" in house.results(person, table.id).note
    [line, *_] = house.hands(person, Filter()).hands
    with pytest.raises(UsageError, match=f"the coach cannot ask Wide here: it has learned for fewer than {seats} players"):
        house.coach(person, line.id)
    others = house.open_table(person, game, ["probe"] * (seats - 1))
    *_, others = play_hand(house, person, others, random)
    assert "no strategy" in house.coach(person, others.hand.id).note
    with pytest.raises(UsageError, match="plays no-limit-holdem, not no-limit-holdem:seats"):
        house.open_table(person, game, ["no-limit-holdem-mccfr", *["probe"] * (seats - 2)])
