"""Matches: freezeouts of ten hands or until one player has no chips; and tables for more than two, with a batch policy among
the opponents.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from copy import copy
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from smoothcall.agents.scripted import MostlyCalls, Rule
from smoothcall.agents.tabulated import TabulatedPolicy, scripted_policy
from smoothcall.errors import Forbidden, UsageError
from smoothcall.play.opponents import AgentCard, Agents
from smoothcall.play.person_view import TableView
from smoothcall.play.service import MAX_FREEZEOUTS, PlayService
from smoothcall.play.stakes import PLAY_GAMES
from smoothcall.store.records import Filter
from tests.agents.test_card_players import BETS, Scripted
from tests.conftest import WHOLE_BETS, built
from tests.play.test_service import letter_of, make_service, play_hand

GAME = "no-limit-holdem"


def furnished(url: str = "sqlite://") -> PlayService:
    """A play service with a batch policy that observes cards."""
    service = make_service(url)
    card = AgentCard("wide", "Wide", (BETS,), "file", "by nothing", any_seats=True, any_stacks=True)
    service.agents = copy(service.agents)  # other tests share the shipped opponents
    service.agents._cards = {**service.agents._cards, "wide": card}
    service.agents.cache.get("wide", lambda: TabulatedPolicy(built(BETS), Scripted()))
    return service


@pytest.fixture
def service() -> Iterator[PlayService]:
    made = furnished()
    yield made
    made.close()


def newcomer(service: PlayService) -> int:
    return service.person(service.newcomer())


def play_match(
    service: PlayService, person: int, opponent: str, freezeouts: int, random: Random, game: str = GAME
) -> Iterator[TableView]:
    """A whole match with random moves: the table after each."""
    table = service.open_table(person, game, [opponent], freezeouts=freezeouts)
    while True:
        for after in play_hand(service, person, table, random):
            yield (table := after)
        assert table.match is not None
        if table.match.over:
            return
        table = service.next_hand(person, table.id, hand=table.hand.number)


@pytest.mark.parametrize(("game", "opponent"), [(GAME, "random"), (GAME, "wide"), ("no-limit-holdem-32", "mirror")])
def test_a_match_to_its_end(service: PlayService, game: str, opponent: str) -> None:
    person, full = newcomer(service), built(game).rules.stack or 0  # type: ignore[union-attr]
    chips, score, changed = [full, full], [0, 0, 0], 0  # the person's and the opponent's; won, lost, drawn
    played, length = 0, 10 if game == "no-limit-holdem-32" else 0  # hands of this freezeout
    for table in play_match(service, person, opponent, 6, Random(1), game):
        hand = table.hand
        if not hand.over:
            assert [seat.stack + seat.paid for seat in (hand.you, hand.seats[1 - hand.seat])] == chips  # type: ignore[operator]
            continue
        changed += chips != [full, full]
        won = Fraction(hand.won or "")
        chips = [chips[0] + int(won), chips[1] - int(won)]
        assert sum(chips) == 2 * full
        assert min(chips) >= 0
        played += 1
        assert table.match is not None
        assert (table.match.hand, table.match.length) == (played, length)
        ends = min(chips) == 0 or played == length
        assert table.match.freezeout_over == ends
        if ends:
            score[2 if chips[0] == chips[1] else int(chips[0] < chips[1])] += 1
            chips, played = [full, full], 0
        assert [table.match.won, table.match.lost, table.match.drawn] == score
        assert hand.seat == (hand.number - 1) % 2
    assert sum(score) == 6
    assert changed > 1
    with pytest.raises(Forbidden, match="this match is over: you have won"):
        service.next_hand(person, table.id, hand=table.hand.number)
    assert service.table(person, table.id) == table
    found = service.results(person, table.id)
    assert found.match == table.match
    assert found.raw is not None
    assert found.luck_adjusted is None
    assert "full stacks" in found.note


def test_a_match_goes_on_after_a_restart(tmp_path: Path) -> None:
    url, seen = f"sqlite:///{tmp_path / 'hands.sqlite'}", []
    for again in (False, True):
        service = furnished(url if again else "sqlite://")
        token = service.newcomer()
        random, stops, table = Random(4), Random(5), service.open_table(service.person(token), GAME, ["wide"], freezeouts=2)
        found = [table]
        while not (table.match and table.match.over):
            if again and stops.random() < 0.2:
                service.close()
                fresh = furnished(url)
                fresh._secret = service._secret
                service = fresh
            person = service.person(token)
            assert service.table(person, table.id) == table
            if table.hand.over:
                table = service.next_hand(person, table.id, hand=table.hand.number)
            else:
                letter = letter_of(random.choice(table.hand.choices), random)
                table = service.act(person, table.id, letter, hand=table.hand.number, move=table.hand.move)
            found.append(table)
        seen.append(found)
        service.close()
    assert seen[0] == seen[1]


def test_hands_of_matches_in_the_history(service: PlayService) -> None:
    person = newcomer(service)
    *_, table = play_match(service, person, "random", 8, Random(2))
    lines = service.hands(person, Filter()).hands
    assert len(lines) == min(table.hands, 25)
    assert all(line.luck_adjusted is None for line in lines)
    written = json.loads(service.export(person, Filter(), "json"))["hands"]
    stacks = {hand["number"]: [player["stack"] for player in hand["players"]] for hand in written}
    uneven = [number for number, each in stacks.items() if each != [100, 100]]
    assert uneven
    assert all(sum(each) == 200 for each in stacks.values())
    phh = tomllib.loads(service.export(person, Filter(), "phh")).values()
    assert {hand["hand"]: sorted(hand["starting_stacks"]) for hand in phh} == {
        number: sorted(each) for number, each in stacks.items()
    }
    for line in lines:
        steps = service.hand(person, line.id)
        assert [seat.stack + seat.paid for seat in steps[0].seats] == stacks[line.number]  # type: ignore[operator]
        if line.number in uneven:
            with pytest.raises(UsageError, match="the coach knows hands with full stacks; this one began with"):
                service.coach(person, line.id)
        else:
            service.coach(person, line.id)
    assert service.statistics(person, Filter()).hands == table.hands


def test_who_cannot_play_a_match(service: PlayService) -> None:
    person = newcomer(service)
    with pytest.raises(UsageError, match="has learned with full stacks, and in a match chips are carried over"):
        service.open_table(person, GAME, ["no-limit-holdem-mccfr"], freezeouts=10)
    for game in PLAY_GAMES:
        if built(game).players > 2 or not game.startswith(GAME):
            with pytest.raises(UsageError, match="is played hand by hand"):
                service.open_table(person, game, ["random"] * (built(game).players - 1), freezeouts=10)
    for freezeouts in (-1, MAX_FREEZEOUTS + 1):
        with pytest.raises(UsageError, match=f"freezeouts={freezeouts}"):
            service.open_table(person, GAME, ["random"], freezeouts=freezeouts)
    offered = {card.id for card in service.agents.cards(GAME, match=True)}
    assert offered == {card.id for card in service.agents.cards(GAME)} - {"no-limit-holdem-mccfr", "no-limit-holdem-cfr-br"}
    assert service.open_table(person, GAME, ["random"]).match is None


# Tables for more than two


def test_files_of_batch_policies_that_observe_cards_sit_at_larger_tables(tmp_path: Path) -> None:
    TabulatedPolicy(built(BETS), MostlyCalls()).save(tmp_path / "cards.agent")
    scripted_policy(built(WHOLE_BETS), "mirror").save(tmp_path / "equities.agent")
    agents = Agents(tmp_path)
    assert not agents.problems
    built_in = {f"no-limit-holdem-pricope-agent-{which}" for which in ("1", "2", "3-gp", "3-dp")}
    for seats in range(3, 7):
        assert {card.id for card in agents.cards(f"{GAME}:seats={seats}")} == {
            "cards",
            "expert",
            "heuristic-mc",
            "mostly-calls",
            *Rule,
        } | built_in
    scripted = {"expert", "heuristic-mc", "mostly-calls", *Rule}
    assert {card.id for card in agents.cards(GAME, match=True)} == {"cards", *scripted} | built_in
    assert agents.card("equities").any_stacks
    assert not agents.card("equities").any_seats


@pytest.mark.parametrize("seats", [3, 6])
def test_a_batch_policy_at_a_larger_table(service: PlayService, seats: int) -> None:
    person, game, random = newcomer(service), f"{GAME}:seats={seats}", Random(3)
    assert "wide" in {card.id for card in service.agents.cards(game)}
    table = service.open_table(person, game, ["wide", *["probe"] * (seats - 2)])
    for number in range(1, 7):
        *_, table = play_hand(service, person, table, random)
        assert sum(Fraction(seat.won or "") for seat in table.hand.seats) == 0
        table = service.next_hand(person, table.id, hand=number)
    assert "a table of two" in service.results(person, table.id).note
    [line, *_] = service.hands(person, Filter()).hands
    with pytest.raises(UsageError, match=f"there is no coach against Wide here: it has learned for fewer than {seats} players"):
        service.coach(person, line.id)
    others = service.open_table(person, game, ["probe"] * (seats - 1))
    *_, others = play_hand(service, person, others, random)
    assert "no strategy" in service.coach(person, others.hand.id).note
    with pytest.raises(UsageError, match="plays no-limit-holdem, not no-limit-holdem:seats"):
        service.open_table(person, game, ["no-limit-holdem-mccfr", *["probe"] * (seats - 2)])
