"""Matches of fixed players: the kernel against exact results, and both against results known beforehand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.fixed import Fixed, Rule, Strategy
from smoothcall.evaluation.policy_match import deals_of, exact_values, lineup_of, mbb, sample, seatings
from smoothcall.kernels.evaluation.match import play_deals
from smoothcall.kernels.random import seeded
from tests.conftest import INTERPRETED, SMALL, built

DEALS = 200 if INTERPRETED else 50_000


def some_policy(game: sc.Game, seed: int = 3) -> sc.Policy:
    return sc.Policy.from_weights(game, np.random.default_rng(seed).random(game.legal.shape) ** 3)


def gives_up(game: sc.Game) -> Strategy:
    """Folds to every bet."""
    fold = np.zeros(game.legal.shape)
    fold[:, 0], fold[:, 1] = game.legal[:, 0], ~game.legal[:, 0]
    return Strategy(sc.Policy(game, fold))


def line_ups(game: sc.Game) -> list[list[Fixed]]:
    policy, other = Strategy(some_policy(game)), Strategy(some_policy(game, 4), greedy=True)
    rules: list[Fixed] = [Rule.RANDOM] if game.name == "rps" else list(Rule)
    third = [policy] * (game.players - 2)
    return [[policy, other, *third], *([policy, rule, *third] for rule in rules), [*rules, *rules, *rules][: game.players]]


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", SMALL)
def test_sampled_results_are_the_exact_ones(spec: str) -> None:
    game = built(spec)
    for players in line_ups(game):
        exact = exact_values(game, players)
        assert sum(exact) == pytest.approx(0, abs=1e-9)
        for value, found in zip(exact, sample(game, players, DEALS, seed=7).estimates(), strict=True):
            assert found.count == DEALS
            assert abs(found.mean - value) <= 4.5 * found.error + 1e-9, players


@pytest.mark.parametrize("spec", ["kuhn", "kuhn:pot=8", "leduc", "kuhn-3p"])
def test_who_never_calls_loses_an_ante_a_hand(spec: str) -> None:
    game = built(spec)
    players: list[Fixed] = [Rule.ALWAYS_RAISE, *[gives_up(game)] * (game.players - 1)]
    ante = 1000 / mbb(game)
    expected = (ante * (game.players - 1), *[-ante] * (game.players - 1))
    assert exact_values(game, players) == pytest.approx(expected)
    found = sample(game, players, 1000).estimates()
    assert [estimate.mean for estimate in found] == pytest.approx(expected)
    assert [estimate.error for estimate in found] == pytest.approx([0] * game.players)


def test_rock_meets_paper() -> None:
    game = built("rps")
    rock, paper = (Strategy(sc.Policy.from_probabilities(game, {":": {move: 1}})) for move in "RP")
    assert exact_values(game, [rock, paper]) == (-1, 1)
    assert sample(game, [rock, paper], 10).estimates()[0].mean == -1


def test_an_equilibrium_loses_to_nobody() -> None:
    game = built("leduc")
    solver = sc.solver("cfr+", game)
    solver.run(2000)
    strategy = Strategy(solver.policy())
    for rule in Rule:
        assert exact_values(game, [strategy, rule])[0] > -1e-3
    assert exact_values(game, [strategy, strategy]) == pytest.approx((0, 0), abs=1e-12)


def test_duplicate_deals_need_fewer_hands() -> None:
    """The mean of both seatings of a deal varies less than the mean of two hands dealt apart."""
    game = built("leduc")
    lineup = lineup_of(game, [Strategy(some_policy(game)), Rule.ALWAYS_CALL], [game])
    deals = np.random.default_rng(2).choice(game.deals.count, 20_000, p=game.deals.weight)
    bucket, outcome = game.deals.bucket[deals][None], game.walk.outcome[deals]
    both, single = np.empty((len(deals), 2)), np.empty((len(deals), 2))
    play_deals(game.walk, bucket, outcome, lineup, seeded(1)[0], both)
    play_deals(game.walk, bucket, outcome, lineup._replace(seating=lineup.seating[:1].copy()), seeded(1)[0], single)
    assert both[:, 0].var() < 0.7 * single[:, 0].var() / 2


def test_weights_of_a_byte_play_as_their_probabilities() -> None:
    game = built("leduc")
    weights = np.random.default_rng(5).integers(0, 80, game.legal.shape).astype(np.uint8) * game.legal
    weights[:, 1] += (255 - weights.sum(axis=1)).astype(np.uint8)
    lineup = lineup_of(game, [Strategy(sc.Policy(game, weights / 255)), Rule.PROBE], [game])
    won = np.empty((2, 2000, 2))
    for result, tables, scale in ((won[0], lineup.tables, 1.0), (won[1], (weights,), 255.0)):
        deals = np.random.default_rng(2).choice(game.deals.count, 2000)
        lineup = lineup._replace(tables=tables, scale=scale)
        play_deals(game.walk, game.deals.bucket[deals][None], game.walk.outcome[deals], lineup, seeded(1)[0], result)
    np.testing.assert_array_equal(won[0], won[1])


def test_greedy_players_play_the_greedy_policy() -> None:
    game = built("leduc")
    policy = some_policy(game)
    for players in ([Strategy(policy, greedy=True), Rule.ALWAYS_CALL], [Strategy(policy.greedy()), Rule.ALWAYS_CALL]):
        assert exact_values(game, players) == exact_values(game, [Strategy(policy.greedy()), Rule.ALWAYS_CALL])
        found = sample(game, players, 2000).estimates()
        assert found == sample(game, [Strategy(policy.greedy()), Rule.ALWAYS_CALL], 2000).estimates()


def test_seeds_decide() -> None:
    game = built("leduc")
    players: list[Fixed] = [Strategy(some_policy(game)), Rule.PROBE]
    first, again, other = (sample(game, players, 10_000, seed=seed).estimates() for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("actions", [3, 5])
def test_rules_choose_among_what_is_legal(actions: int) -> None:
    legal = np.array([(fold, True, *raises) for fold, *raises in product([False, True], repeat=actions - 1)])
    for rule in Rule:
        probabilities = rule.among(legal)
        assert probabilities.sum(axis=1) == pytest.approx(1)
        assert not (probabilities * ~legal).any()
    some = np.array([[True, True, False, True, True]])[:, :actions]
    assert Rule.ALWAYS_RAISE.among(some[:, :3]).tolist() == [[0, 1, 0]]
    if actions == 5:
        assert Rule.ALWAYS_RAISE.among(some).tolist() == [[0, 0, 0, 1, 0]]
        assert Rule.PROBE.among(some).tolist() == [[0, 0.5, 0, 0.5, 0]]
        assert Rule.RANDOM.among(some).tolist() == [[0.25, 0.25, 0, 0.25, 0.25]]
        assert Rule.ALWAYS_CALL.among(some).tolist() == [[0, 1, 0, 0, 0]]


@pytest.mark.parametrize(
    ("spec", "chip"), [("kuhn", 1000), ("kuhn:pot=8", 250), ("leduc-3p", 1000), ("rps", 1000), ("limit-holdem", 100)]
)
def test_mbb_is_a_thousandth_of_a_big_blind_or_of_an_ante(spec: str, chip: float) -> None:
    assert mbb(built(spec)) == chip


@pytest.mark.parametrize(("players", "count"), [(2, 2), (3, 6), (5, 120), (6, 6), (10, 10)])
def test_everybody_sits_everywhere_equally_often(players: int, count: int) -> None:
    orders = seatings(players)
    assert orders.shape == (count, players)
    assert len({tuple(order) for order in orders}) == count
    for seat in range(players):
        assert (np.bincount(orders[:, seat], minlength=players) == count // players).all()


def test_hands_come_in_whole_deals() -> None:
    assert [deals_of(built("kuhn-3p"), hands) for hands in (1, 6, 7, 6000)] == [1, 1, 2, 1000]
    for hands in (0, -5, 1.5, "many", None, float("inf")):
        with pytest.raises(sc.UsageError, match=r"hands=.*accepted: a whole number from 1"):
            deals_of(built("kuhn"), hands)  # type: ignore[arg-type]


def test_what_is_watched_goes_up_and_what_is_stopped_stops() -> None:
    game, told = built("kuhn"), list[float]()
    assert sample(game, [Rule.RANDOM, Rule.PROBE], 30_000, watch=told.append).count == 30_000
    assert told == sorted(told)
    assert told[-1] == 1
    stopped = sample(game, [Rule.RANDOM, Rule.PROBE], 10**9, stop=lambda: True)
    assert 0 < stopped.count < 100_000


def test_wrong_players_are_refused() -> None:
    kuhn, leduc = built("kuhn"), built("leduc")
    policy = Strategy(sc.Policy.uniform(leduc))
    for players in ([Rule.RANDOM], [Rule.RANDOM] * 3):
        with pytest.raises(sc.UsageError, match=rf"{len(players)} players for kuhn \(accepted: 2\)"):
            sample(kuhn, players, 10)
    for run in (exact_values, lambda game, players: sample(game, players, 10)):
        with pytest.raises(sc.UsageError, match="this policy plays leduc, not kuhn"):
            run(kuhn, [policy, Rule.RANDOM])
        with pytest.raises(sc.UsageError, match="always-call plays poker, not rps"):
            run(built("rps"), [Rule.RANDOM, Rule.ALWAYS_CALL])
    with pytest.raises(sc.UsageError, match="seed=-1"):
        sample(kuhn, [Rule.RANDOM, Rule.RANDOM], 10, seed=-1)
