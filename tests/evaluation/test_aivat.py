"""AIVAT: the adjustment has expectation 0, exactly on small games and within errors in hold'em, and leaves less to chance."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.fixed import Fixed, Rule, Strategy
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.view import Player, View, view_of
from smoothcall.evaluation import aivat as module
from smoothcall.evaluation.action_values import action_values
from smoothcall.evaluation.aivat import AIVAT, HoldemAIVAT, Values, aivat, estimated, why_not
from smoothcall.games.hand import Hand, deal_hand
from smoothcall.holdem.equity import equity
from smoothcall.information.translation import same_table
from smoothcall.kernels.evaluation.aivat import expect_board
from tests.conftest import INTERPRETED, TINY, built

SMALL = ["kuhn", "kuhn-3p"] if INTERPRETED else ["kuhn", "kuhn:pot=8", "kuhn-3p", "leduc"]
DOCUMENT = Path(__file__).parents[2] / "docs" / "aivat.md"


def some_policy(game: sc.Game, seed: int = 3, power: int = 3) -> sc.Policy:
    weights = np.random.default_rng(seed).random((game.tree.rows, len(game.actions))) ** power
    return sc.Policy.from_weights(game, weights)


@cache
def solved(spec: str, iterations: int) -> sc.Policy:
    solver = sc.solver("cfr+", built(spec))
    solver.run(iterations)
    return solver.policy()


# Small games: every deal and every line, with their probabilities


class Lines:
    """Every way a hand can go against fixed opponents: winnings of the seat, raw and luck-adjusted."""

    def __init__(self, game: sc.Game, seat: int, others: Mapping[int, Fixed]) -> None:
        self.game, self.seat, self.tree, self.deals = game, seat, game.tree, game.deals
        self.others = {place: as_policy(game, player).table for place, player in others.items()}
        told = aivat(game, seat, others)
        assert told is not None
        ends, index, payoff = self.tree.endings, *game.ending_payoff
        self.raw = np.array([payoff[index[node], :, seat] for node in ends])  # [endings, D]
        seen = [self.deals.bucket[:, seat, self.tree.round[node]] for node in ends]
        self.luck_adjusted = np.array(
            [self.tell(told, int(node), buckets) for node, buckets in zip(ends, seen, strict=True)]
        )  # [endings, D]

    def tell(self, told: AIVAT, node: int, buckets: np.ndarray) -> np.ndarray:
        labels, betting = self.deals.labels[self.tree.round[node]], self.tree.betting(node)
        known = {bucket: told.luck_adjusted(*cards_of(self.game, labels[bucket]), betting) for bucket in set(buckets.tolist())}
        return np.array([known[bucket] for bucket in buckets.tolist()])

    def probability(self, person: sc.Policy) -> np.ndarray:
        """[endings, D]"""
        chance = np.zeros((self.tree.nodes, self.deals.count))
        chance[0] = self.deals.weight
        for node in self.tree.decisions:
            player, first = int(self.tree.player[node]), self.tree.first_row[node]
            table = person.table if player == self.seat else self.others[player]
            moves = table[first + self.deals.bucket[:, player, self.tree.round[node]]]
            for slot, child in enumerate(self.tree.child[node]):
                if child >= 0:
                    chance[child] = chance[node] * moves[:, slot]
        return chance[self.tree.endings]

    def moments(self, person: sc.Policy) -> tuple[float, float, float, float]:
        """(mean, standard deviation) of what is won, then of what is left of it."""
        chance = self.probability(person)
        found = []
        for result in (self.raw, self.luck_adjusted):
            mean = float((chance * result).sum())
            found += [mean, float((chance * (result - mean) ** 2).sum()) ** 0.5]
        return found[0], found[1], found[2], found[3]


def as_policy(game: sc.Game, player: Fixed) -> sc.Policy:
    if isinstance(player, Rule):
        return sc.Policy(game, player.among(game.legal))
    return player.policy.greedy() if player.greedy else player.policy


def cards_of(game: sc.Game, label: str) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Some cards that look like this: own, and the board of each street."""
    deck = game.rules.deck  # type: ignore[union-attr]
    taken: list[int] = []
    for name in label.split("/"):
        card = next(card for card in range(deck.size) if deck.name(card).startswith(name) and card not in taken)
        taken.append(card)
    return (taken[0],), [(), *((card,) for card in taken[1:])]


def line_ups(game: sc.Game, seat: int) -> Iterator[dict[int, Fixed]]:
    places = [place for place in range(game.players) if place != seat]
    fixed: list[list[Fixed]] = [
        [Strategy(some_policy(game, 1))],
        [Strategy(solved(game.spec, 200)), Rule.ALWAYS_CALL],
        [Strategy(some_policy(game, 2), greedy=True), Strategy(some_policy(game, 2))],
        [Rule.PROBE, Strategy(sc.Policy.uniform(game))],
        [Rule.ALWAYS_RAISE],
    ]
    for players in fixed:
        yield {place: players[n % len(players)] for n, place in enumerate(places)}


def persons(game: sc.Game) -> list[sc.Policy]:
    first = some_policy(game, 7)
    return [sc.Policy.uniform(game), first, some_policy(game, 8, power=9), first.greedy(), solved(game.spec, 200)]


def as_profile(game: sc.Game, seat: int, person: sc.Policy, others: Mapping[int, Fixed]) -> np.ndarray:
    table = person.table.copy()
    for place, player in others.items():
        mine = game.row_player == place
        table[mine] = as_policy(game, player).table[mine]
    return table


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", SMALL)
def test_the_correction_has_no_expectation(spec: str) -> None:
    """Whatever the person and the opponents play, in every seat; and a best response has no adjustment left."""
    game = built(spec)
    for seat in range(game.players):
        for others in line_ups(game, seat):
            lines = Lines(game, seat, others)
            for person in persons(game):
                expected = sc.expected_values(game, sc.Policy(game, as_profile(game, seat, person, others)))[seat]
                mean, _, luck_adjusted, _ = lines.moments(person)
                assert (mean, luck_adjusted) == pytest.approx((expected, expected), abs=1e-9), (seat, others)
            profile = sc.Policy(game, as_profile(game, seat, sc.Policy.uniform(game), others))
            best = sc.best_response(game, profile, seat)
            assert action_values(game, seat, others).value == pytest.approx(best.value, abs=1e-9)
            mean, raw, luck_adjusted, left = lines.moments(best.policy)
            assert (mean, luck_adjusted) == pytest.approx((best.value, best.value), abs=1e-9)
            assert left == pytest.approx(0, abs=1e-6)
            assert raw > 0.1


def test_action_values_begin_with_the_value_of_a_best_response_at_a_larger_table_too() -> None:
    game = built("leduc-3p")
    others: dict[int, Fixed] = {0: Strategy(some_policy(game, 1)), 2: Rule.PROBE}
    profile = sc.Policy(game, as_profile(game, 1, sc.Policy.uniform(game), others))
    assert action_values(game, 1, others).value == pytest.approx(sc.best_response(game, profile, 1).value, abs=1e-9)


@pytest.mark.parametrize(
    ("person", "most"), [(5, 0.3), (50, 0.1), (2000, 0.01), (0, 0.7)], ids=["poor", "good", "equilibrium", "random"]
)
def test_on_leduc_less_than_a_third_is_left_of_luck(person: int, most: float) -> None:
    """Against a solved agent, by the person's iterations of CFR+; who plays at random throws away much by own chance."""
    game = built("leduc")
    plays = solved("leduc", person) if person else sc.Policy.uniform(game)
    for seat in range(2):
        lines = Lines(game, seat, {1 - seat: Strategy(solved("leduc", 2000))})
        _, raw, _, left = lines.moments(plays)
        assert 1.5 < raw < 7
        assert left / raw < most
        assert most > 1 / 3 or left / raw < 1 / 3


def test_moves_that_the_opponent_never_makes_do_no_harm() -> None:
    game = built("kuhn")
    told = aivat(game, 1, {0: Rule.ALWAYS_CALL})
    assert told is not None
    assert told.luck_adjusted((2,), [()], "rc") == pytest.approx(told.luck_adjusted((2,), [()], "cr" + "c"))  # no EV loss


# Hold'em


class Wild:
    """Raises by amounts that nobody has learned."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def act(self, view: View) -> str:
        chance = self.random.random()
        if view.raises is not None and chance < 0.3:
            low, high = view.raises
            return f"r{self.random.randint(low, min(high, 3 * low)) if self.random.random() < 0.8 else high}"
        return "f" if chance < 0.4 and view.to_call else "c"


def seated(player: Fixed, random: Random) -> Player:
    return (
        BatchPlayer(player, random=random)
        if isinstance(player, Rule)
        else PolicyPlayer(player.policy, greedy=player.greedy, random=random)
    )


def played(game: sc.Game, players: list[Player], random: Random) -> Hand:
    hand = deal_hand(game.rules, random.getrandbits(32))  # type: ignore[arg-type]
    while hand.player is not None:
        hand.play(players[hand.player].act(view_of(hand, hand.player)))
        hand.deal_random(random)
    return hand


def told_hands(game: sc.Game, person: Player, opponent: Fixed, hands: int, seed: int) -> np.ndarray:
    """[hands, 2] winnings of a person, raw and luck-adjusted, seats alternating."""
    random, found = Random(seed), []
    aivats = [aivat(game, seat, {1 - seat: opponent}) for seat in range(2)]
    other = seated(opponent, random)
    for number in range(hands):
        seat, told = number % 2, aivats[number % 2]
        assert told is not None
        hand = played(game, [person, other][:: 1 - 2 * seat], random)
        assert hand.outcome is not None
        found.append((float(hand.outcome.payoffs[seat]), told.luck_adjusted(hand.hole[seat], hand.boards, hand.text)))
    return np.array(found)


@cache
def learned(spec: str = TINY) -> sc.Policy:
    solver = sc.solver("smooth-uct", built(spec), seed=1)
    solver.run(200_000)
    return solver.policy()


@pytest.mark.parametrize(
    ("person", "opponent", "most"),
    [
        ("wild", "agent", 0.7),
        ("agent", "other abstraction", 0.5),
        *(
            pytest.param(*each, marks=pytest.mark.long)
            for each in (("agent", "agent", 0.5), ("probe", "greedy", 0.7), ("wild", "always-call", 0.8))
        ),
    ],
)
def test_in_holdem_the_correction_has_no_expectation_either(person: str, opponent: str, most: float) -> None:
    game, random = built(TINY), Random(11)
    other = {
        "agent": Strategy(learned()),
        "greedy": Strategy(learned(), greedy=True),
        "other abstraction": Strategy(
            learned("no-limit-holdem-32:menu=1/2+all-in,grid=10/10/10")
        ),  # other raises, other buckets
    }.get(opponent) or Rule(opponent)
    plays = Wild(random) if person == "wild" else seated(Strategy(learned()) if person == "agent" else Rule(person), random)
    won = told_hands(game, plays, other, 800, seed=5)
    change = won[:, 1] - won[:, 0]
    assert abs(change.mean()) < 3.5 * change.std() / len(won) ** 0.5
    assert won[:, 1].std() < most * won[:, 0].std()


def test_in_limit_holdem_of_52_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VISITS", 0)  # as few deals as may be
    game = built("limit-holdem")
    agent = Strategy(some_policy(game, 2))
    won = told_hands(game, seated(agent, Random(3)), agent, 200, seed=6)
    change = won[:, 1] - won[:, 0]
    assert abs(change.mean()) < 3.5 * change.std() / len(won) ** 0.5
    assert won[:, 1].std() < 0.6 * won[:, 0].std()


@pytest.mark.parametrize("street", [1, 2, 3])
def test_means_over_the_board_are_those_counted_one_by_one(street: int) -> None:
    game = built(TINY)
    assert game.abstraction is not None
    abstraction, size = game.abstraction, 32
    generator = np.random.default_rng(street)
    for _ in range(3):
        known = [int(card) for card in generator.permutation(size)[: 2 + (0, 0, 3, 4)[street]]]
        hole, board = known[:2], known[2:]
        reach, value = np.zeros((size, size)), generator.random(game.buckets[street])
        for high in range(size):
            for low in range(high):
                reach[high, low] = generator.random() ** 4 if not {high, low} & set(known) else 0
        total = mass = 0.0
        left = [card for card in range(size) if card not in known]
        chosen = list(combinations(left, 3 if street == 1 else 1))
        for more in chosen:
            meets = np.isin(np.arange(size), more)
            weight = reach[~meets][:, ~meets].sum()
            boards = [(), tuple(more)] if street == 1 else [(), tuple(board[:3]), *((card,) for card in (*board[3:], *more))]
            total += weight * value[abstraction.bucket(tuple(hole), boards)]
            mass += weight
        flat = reach[np.tril_indices(size, -1)]
        found = expect_board(abstraction.cards, street, np.array(hole), np.array(board, np.int64), flat, value)
        assert found == pytest.approx(total / mass)


def test_values_foresee_what_is_won() -> None:
    """Before the flop, of a player who checks down: what the hand is worth in a showdown."""
    game = built(TINY)
    deck = game.rules.deck  # type: ignore[union-attr]
    values = estimated(game, 0, Rule.ALWAYS_CALL)
    found = values.at(0, 0)
    assert game.abstraction is not None
    for hand in ("AsAh", "KsQs", "8d7c"):
        share = float(equity([hand, "random"], samples=20_000, deck=deck).players[0].equity)
        blind = game.blind
        assert found[game.abstraction.bucket(deck.parse(hand), [()])] == pytest.approx(
            blind * (2 * share - 1), abs=0.35 * blind
        )


def test_without_foresight_what_is_left_is_the_mean_over_the_opponents_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of 0 correct nothing but the cards that are never seen: a showdown pays its exact mean."""
    game = built(TINY)
    deck = game.rules.deck  # type: ignore[union-attr]
    blank = Values(np.zeros(1), np.full((game.tree.nodes, 4), -1), tuple(np.zeros(n, np.int32) for n in game.buckets))
    monkeypatch.setattr(module, "estimated", lambda *_: blank)
    told = aivat(game, 0, {1: Rule.ALWAYS_CALL})
    assert isinstance(told, HoldemAIVAT)
    boards = [(), deck.parse("Ah9c8d"), deck.parse("Kd"), deck.parse("7s")]
    for hole, stop in (("AsKs", 5), ("QhQd", 3)):
        betting = {5: "cc/cc/cc/cc", 3: "cc/cr10000c//"}[stop]  # to the river, or all in on the flop
        board = deck.names([card for cards in boards for card in cards][:stop])
        share = float(equity([hole, "random"], board, deck=deck).players[0].equity)
        paid = 10_000 if stop == 3 else game.blind
        assert told.luck_adjusted(deck.parse(hole), boards, betting) == pytest.approx(paid * (2 * share - 1))


def test_an_all_in_is_paid_its_mean() -> None:
    """Later cards change nothing: after an all-in on the flop, turn and river add no adjustment."""
    game = built(TINY)
    deck = game.rules.deck  # type: ignore[union-attr]
    told = aivat(game, 0, {1: Strategy(learned())})
    assert told is not None
    hole, flop = deck.parse("AsKs"), deck.parse("Ah9c8d")
    found = {
        told.luck_adjusted(hole, [(), flop, deck.parse(turn), deck.parse(river)], "cc/cr10000c//")
        for turn, river in (("Kd", "7s"), ("Td", "7h"), ("Qd", "Qs"))
    }
    assert len(found) == 1


# What is refused


def test_where_luck_cannot_be_told_there_is_a_reason() -> None:
    rps, three = built("rps"), sc.game("no-limit-holdem:seats=3,menu=all-in,grid=5/5/5")
    assert aivat(rps, 0, {1: Rule.RANDOM}) is None
    assert why_not(rps, {1: Rule.RANDOM}) == "AIVAT adjusts poker results, not those of rps."
    assert aivat(three, 0, {1: Rule.PROBE, 2: Rule.PROBE}) is None
    assert "a table of two" in why_not(three, {})
    merged, apart = built("leduc"), built("leduc:suits=apart")
    assert same_table(merged.rules, apart.rules)
    assert aivat(merged, 0, {1: Strategy(sc.Policy.uniform(apart))}) is not None  # the abstraction of one opponent suffices
    assert why_not(built("kuhn"), {1: Rule.PROBE}) == ""


def test_wrong_tables_and_hands_are_refused() -> None:
    kuhn, leduc = built("kuhn"), built("leduc")
    with pytest.raises(sc.UsageError, match="this policy plays leduc, not kuhn"):
        aivat(kuhn, 0, {1: Strategy(sc.Policy.uniform(leduc))})
    for others in ({}, {0: Rule.PROBE}, {1: Rule.PROBE, 2: Rule.PROBE}):
        with pytest.raises(sc.UsageError, match="accepted: all but the person's, 0"):
            aivat(kuhn, 0, others)
    with pytest.raises(sc.UsageError, match="player 2"):
        aivat(kuhn, 2, {0: Rule.PROBE})
    for told, hands in (
        (aivat(leduc, 0, {1: Rule.PROBE}), [((0,), [()], "cr"), ((0,), [(), (1,)], "cc/"), ((0,), [(), (1,)], "cc/rr")]),
        (aivat(built(TINY), 0, {1: Rule.PROBE}), [((0, 1), [()], "r1500"), ((0, 1), [(), (2, 3, 4)], "c/c")]),
    ):
        assert told is not None
        for hole, boards, betting in hands:
            with pytest.raises(sc.UsageError, match="is not a finished hand"):
                told.luck_adjusted(hole, boards, betting)
        for hole, boards in (((0,), []), ((0,), [(), (0,)]), ((), [()]), ((0, 1), [()])):
            with pytest.raises(sc.UsageError, match="are not the cards of a hand"):
                told.luck_adjusted(hole, boards, "rcc/")


def test_the_documents_command_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)[:1])
    exec(code.replace("10_000", "500"), {})
    ratio = re.search(r"leduc: .* ratio ([0-9.]+)", capsys.readouterr().out)
    assert ratio is not None
    assert float(ratio[1]) < 1 / 3
