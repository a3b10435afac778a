"""Exact response: compared with a plain walk of every deal, with values known beforehand, and with lower bounds."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache, partial
from itertools import permutations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.fixed import Rule
from smoothcall.evaluation import exact_response as module
from smoothcall.evaluation.exact_response import ExactResponse, exact_response
from smoothcall.evaluation.flop_sample import estimate, textures
from smoothcall.evaluation.learned_response import learned_response
from smoothcall.evaluation.local_best_response import local_best_response, preflop_scores
from smoothcall.evaluation.policy_match import mbb
from smoothcall.evaluation.responses import respond
from smoothcall.games.cards import Deck
from smoothcall.games.catalog import NO_LIMIT_HOLDEM_32, holdem_streets
from smoothcall.games.menu import BetMenu
from smoothcall.holdem.evaluator import evaluator
from smoothcall.kernels.holdem.boards import SHIFT, list_classes
from smoothcall.kernels.holdem.evaluator import evaluate_hands
from smoothcall.kernels.tables import FOLD, SHOWDOWN, Array
from smoothcall.results import LowerBounds
from smoothcall.search import entry_lanes, policy_response
from smoothcall.search.boards import board_levels
from smoothcall.search.policy_response import PolicyResponse
from tests.conftest import built

DECK = Deck("TJQKA", "cdhs")  # the smallest that hands of five are ranked in


@cache
def small(menu: str) -> sc.Game:
    rules = replace(NO_LIMIT_HOLDEM_32, name="holdem-20", deck=DECK, stack=3000, menu=BetMenu.parse(menu))
    return sc.Game(rules, grid="9/8/7")


def some_policy(game: sc.Game, seed: int) -> sc.Policy:
    return sc.Policy.from_weights(game, np.random.default_rng(seed).random(game.legal.shape) ** 3)


def folding(game: sc.Game) -> sc.Policy:
    """Return a policy that checks, and folds to every bet."""
    weights = np.zeros(game.legal.shape)
    weights[:, 0], weights[:, 1] = game.legal[:, 0], ~game.legal[:, 0]
    return sc.Policy.from_weights(game, weights)


def images(flop: str) -> list[tuple[int, ...]]:
    """Return the images of a flop under all permutations of suits."""
    cards = DECK.parse(flop)
    return sorted({tuple(sorted(card // 4 * 4 + suits[card % 4] for card in cards)) for suits in permutations(range(4))})


class Plain:
    """A best response in plain Python, in chips: every deal with these flops, without suit isomorphism, hands in pairs."""

    def __init__(self, policy: sc.Policy, flops: list[tuple[int, ...]], slots: tuple[str, ...]) -> None:
        self.policy, self.game, self.tree = policy, policy.game, policy.game.tree
        self.flops, self.slots, self.seat = flops, slots, 0
        self.hands = [(low, high) for high in range(DECK.size) for low in range(high)]
        self.apart = np.array([[not set(one) & set(other) for other in self.hands] for one in self.hands], float)
        self.free = np.array([[card not in hand for hand in self.hands] for card in range(DECK.size)])
        self.shown, self.seen = dict[frozenset[int], tuple[Array, Array]](), dict[frozenset[int], Array]()

    def value(self, seat: int) -> float:
        self.seat = seat
        found = self.after(0, [()], np.ones(len(self.hands)))
        return float(found.sum()) / (comb(DECK.size, 2) * comb(DECK.size - 2, 2))

    def after(self, node: int, boards: list[tuple[int, ...]], reach: Array) -> Array:
        """Return [hands]: the value with each hand of the responder, summed over the agent's hands."""
        tree, street, found = self.tree, len(boards) - 1, np.zeros(len(reach))
        if tree.kind[node] == FOLD:
            stays = tree.alive[node] >> self.seat & 1
            return (tree.paid[node, 1 - self.seat] if stays else -tree.paid[node, self.seat]) * (self.apart @ reach)
        if tree.kind[node] == SHOWDOWN and street == 3:
            left, ahead = self.ahead(boards)
            found[left] = tree.paid[node].min() * (ahead @ reach[left])
        elif tree.kind[node] == SHOWDOWN or tree.round[node] > street:
            known = [card for cards in boards for card in cards]
            for cards in self.flops if street == 0 else [(card,) for card in range(DECK.size) if card not in known]:
                free = self.free[list(cards)].all(axis=0)
                found += free * self.after(node, [*boards, cards], free * reach)
            found /= (comb(DECK.size - 4, 3), DECK.size - 7, DECK.size - 8)[street]
        else:
            children = {slot: int(child) for slot, child in enumerate(tree.child[node]) if child >= 0}
            if tree.player[node] == self.seat:
                mine = [child for slot, child in children.items() if tree.actions[slot] in self.slots]
                return np.max([self.after(child, boards, reach) for child in mine], axis=0)
            probability = self.policy.table[tree.first_row[node] + self.buckets(boards)]
            for slot, child in children.items():
                found += self.after(child, boards, reach * probability[:, slot])
        return found

    def buckets(self, boards: list[tuple[int, ...]]) -> Array:
        known = frozenset(card for cards in boards for card in cards)
        if known not in self.seen:
            see = self.game.abstraction.bucket  # type: ignore[union-attr]
            self.seen[known] = np.array([0 if known & {*hand} else see(hand, boards) for hand in self.hands])
        return self.seen[known]

    def ahead(self, boards: list[tuple[int, ...]]) -> tuple[Array, Array]:
        """Return (hands left by the board, [hands, hands]: 1 where the row's hand beats the column's, -1 where it loses)."""
        board = frozenset(card for cards in boards for card in cards)
        if board not in self.shown:
            left = np.flatnonzero(self.free[list(board)].all(axis=0))
            cards = np.array([[*self.hands[hand], *board] for hand in left], np.uint8)
            strength = np.zeros(len(cards), np.uint16)
            evaluate_hands(evaluator(DECK), cards, strength)
            order = strength.astype(np.int64)
            self.shown[board] = left, np.sign(order[:, None] - order) * self.apart[np.ix_(left, left)]
        return self.shown[board]


def with_flops(monkeypatch: pytest.MonkeyPatch, flops: list[tuple[int, ...]], number: list[int]) -> None:
    """Restrict the walk to these flops."""
    monkeypatch.setattr(module, "list_classes", lambda *_: (np.array(flops, np.uint8), np.array(number)))


@cache
def exact_value() -> ExactResponse:
    """Return the exact response on all flops to `some_policy` 4, which other responses are compared with."""
    return exact_response(some_policy(small("all-in"), 4), double=True)


@pytest.mark.parametrize(
    ("menu", "slots"),
    [
        pytest.param("all-in", ("f", "c"), id="fold or call"),
        pytest.param("all-in", ("f", "c", "all-in"), id="every action", marks=pytest.mark.long),
        pytest.param("x2", ("c",), id="call only", marks=pytest.mark.long),
    ],
)
def test_equals_a_plain_walk_of_every_deal(menu: str, slots: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """On the four flops of three tens, of 1,140: the walk in Python takes a second for each."""
    policy, flops = some_policy(small(menu), 1), images("TcTdTh")
    with_flops(monkeypatch, flops[:1], [len(flops)])
    found, plain = exact_response(policy, slots=slots, double=True), Plain(policy, flops, slots)
    assert found.seats == pytest.approx([plain.value(seat) * mbb(policy.game) for seat in range(2)], rel=1e-9)


def test_suit_isomorphic_boards_are_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One flop of every class, compared with all its images walked without suit isomorphism."""
    policy = some_policy(small("all-in"), 2)
    kinds = [images(flop) for flop in ("TcTdTh", "TcJcQc", "TcTdJc", "TcTdJh", "TcJcQd", "TcJdQc", "TdJcQc", "TcJdQh")]
    with_flops(monkeypatch, [flops[0] for flops in kinds], [len(flops) for flops in kinds])
    found = exact_response(policy, double=True)
    every = [flop for flops in kinds for flop in flops]
    with_flops(monkeypatch, every, [1] * len(every))
    monkeypatch.setattr(policy_response, "board_levels", partial(board_levels, isomorphic=False))
    plain = exact_response(policy, double=True)
    assert plain.boards == len(every) * 17 * 16 > 10 * found.boards
    assert found.seats == pytest.approx(plain.seats, rel=1e-9)


def test_push_or_fold_equals_preflop_showdowns() -> None:
    """The value follows from `preflop_scores`, which are counted by another kernel."""
    game = small("all-in")
    policy, tree = some_policy(game, 3), game.tree
    score = preflop_scores(DECK) / comb(DECK.size - 4, 5)
    held = np.array([(low, high) for high in range(DECK.size) for low in range(high)])
    apart = (held[:, None, :, None] != held[None, :, None, :]).all(axis=(2, 3))
    classes = game.abstraction.cards.preflop  # type: ignore[union-attr]

    def plays(node: int, slot: int) -> Array:
        found: Array = policy.table[tree.first_row[node] + classes, slot]
        return found

    def pushed(node: int) -> Array:
        """[hands of the responder, of the agent], the agent to call all-in or fold."""
        return 500 * plays(node, 0) + 3000 * plays(node, 1) * score

    push = int(tree.child[0, 2])
    checked = int(tree.child[0, 1])
    first = pushed(push)
    second = plays(0, 1) * pushed(int(tree.child[checked, 2])) - 500 * plays(0, 2)
    found = exact_response(policy, slots=("f", "all-in"), double=True)
    assert found.seats == pytest.approx([float(chips[apart].mean()) * mbb(game) for chips in (first, second)], rel=1e-9)


def test_an_agent_that_folds_to_every_bet_loses_its_blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the flop: values of flops do not matter."""
    with_flops(monkeypatch, images("TcTdTh")[:1], [4])
    found = exact_response(folding(small("all-in")), double=True)
    assert found.seats == pytest.approx((1000, 1000), rel=1e-12)


def test_calling_down_a_caller_wins_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """On any flop; all-ins with good hands win."""
    game = small("all-in")
    with_flops(monkeypatch, [images(flop)[0] for flop in ("TcTdTh", "TcJdQh", "TcJcQc")], [4, 24, 4])
    calling = sc.Policy.from_weights(game, Rule.ALWAYS_CALL.among(game.legal))
    assert exact_response(calling, slots=["c"], double=True).seats == pytest.approx((0, 0), abs=1e-9)
    found = exact_response(calling, double=True)
    assert found.seats[0] == pytest.approx(found.seats[1], rel=1e-9)  # type: ignore[index]  # seats differ by the agent's moves only
    assert found.total > 100 * 32 / comb(DECK.size, 3)  # type: ignore[operator]  # of the flops that are walked


def test_other_responses_win_no_more() -> None:
    policy, best = some_policy(small("all-in"), 4), exact_value()
    local = local_best_response(policy, deals=500, seed=1)
    for seat in range(2):
        assert local.seats[seat].mean <= best.seats[seat] + 4.5 * local.seats[seat].error  # type: ignore[index]
    learned = learned_response(policy, episodes=50_000, hands=20_000, seed=1)
    assert 0 < learned.total.mean <= best.total + 4.5 * learned.total.error  # type: ignore[operator]


def test_more_slots_win_no_less(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = some_policy(small("x1+x2"), 4)
    with_flops(monkeypatch, [images(flop)[0] for flop in ("TcTdTh", "TcJcQc")], [4, 4])
    slots = ("c", "f,c", "f,c,x2", "f,c,largest", "f,c,x1,x2")
    values = [exact_response(policy, slots=some.split(","), double=True).seats for some in slots]
    for seat in range(2):
        call, fold, raise_two, largest, every = (found[seat] for found in values)  # type: ignore[index]
        assert call < fold < raise_two <= largest < every
        assert every == exact_response(policy, double=True).seats[seat]  # type: ignore[index]


@pytest.mark.parametrize("flops", [6, pytest.param(None, marks=pytest.mark.long)])
def test_threads_change_nothing_and_a_greedy_agent_plays_its_greedy_policy(flops: int | None) -> None:
    policy = some_policy(small("all-in"), 5)
    how: dict[str, Any] = {"flops": flops, "double": True}
    one, two = (exact_response(policy, threads=threads, greedy=True, **how) for threads in (1, 2))
    assert one == two
    assert one.greedy
    assert one.seats == exact_response(policy.greedy(), **how).seats != exact_response(policy, **how).seats


def test_progress_rises_and_a_stopped_walk_has_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    with_flops(monkeypatch, [images(flop)[0] for flop in ("TcTdTh", "TcJdQh", "TcJcQc")], [4, 24, 4])
    policy, told = sc.Policy.uniform(small("all-in")), list[tuple[float, str]]()
    found = exact_response(policy, watch=lambda *step: told.append(step), double=True)
    assert found.done
    assert told == sorted(told, key=lambda step: step[0])
    assert told[-1][0] == 1
    assert "flops, 0 s left" in told[-1][1]
    stopped = exact_response(policy, stop=lambda: True, double=True)
    assert not stopped.done
    assert stopped.seats is stopped.total is None
    assert 0 < stopped.boards < found.boards
    assert "no value yet" in str(stopped)


def test_a_sample_bounds_the_exact_value_and_is_near_it() -> None:
    policy = some_policy(small("all-in"), 4)
    exact, drawn = exact_value(), exact_response(policy, flops=40, seed=1, double=True)
    assert (drawn.sampled, drawn.flops, exact.half_width) == (True, 40, 0)
    assert drawn.walked < 40  # some come twice
    assert abs(drawn.total - exact.total) < 3 * drawn.half_width  # type: ignore[operator]
    assert exact.total < drawn.upper + 3 * drawn.half_width  # type: ignore[operator]
    assert "95 % interval" in str(drawn)
    assert drawn.as_dict()["lower_bound"]


@cache
def every_flop() -> tuple[PolicyResponse, Array, Array, Array, Array]:
    """Return (a response, of all flops: probabilities, values, check-down values, textures)."""
    policy = some_policy(small("all-in"), 4)
    response = PolicyResponse(policy, policy.game.tree.child >= 0)
    cards = policy.game.abstraction.cards  # type: ignore[union-attr]
    classes, count = list_classes(cards.flop_index, 3, int(cards.flop_index.max() >> SHIFT) + 1)
    flops = [tuple(flop.tolist()) for flop in classes]
    values = np.stack([response.flop_values(flop)[0] for flop in flops])
    check_down = np.stack([response.check_down_values(flop) for flop in flops])
    return response, count / count.sum(), values, check_down, textures(classes, count, DECK)


def test_means_of_check_down_values_are_known() -> None:
    """Counted by another kernel, over all boards at once; all-in before the flop they are the values of best responses."""
    response, probability, values, check_down, _ = every_flop()
    mean = response.mean_check_down(preflop_scores(DECK))
    assert np.einsum("f,fec->ec", probability, check_down) == pytest.approx(mean, rel=1e-4, abs=0.5)
    assert response.all_in.tolist() == [False, True, True] * 2
    assert check_down[:, response.all_in] == pytest.approx(values[:, response.all_in], rel=1e-4, abs=1)


@pytest.mark.parametrize("samples", [80, pytest.param(200, marks=pytest.mark.long)])
def test_intervals_cover_and_the_lower_end_is_a_bound(samples: int) -> None:
    """Samples of 20 flops. Their values are skewed: less than 95 % of the intervals cover, with control or without."""
    response, probability, values, check_down, texture = every_flop()
    mean, random = response.mean_check_down(preflop_scores(DECK)), np.random.default_rng(1)
    exact = float(response.respond(np.einsum("f,fec->ec", probability, values)[None])[0].mean())
    controls = (check_down, texture), (np.broadcast_to(mean, check_down.shape), np.zeros_like(texture))
    covered, below, width = (np.zeros((2, samples)) for _ in range(3))
    for number in range(samples):
        drawn = random.choice(len(values), 20, p=probability)
        for place, (control, covariates) in enumerate(controls):
            found = estimate(response, values[drawn], control[drawn], mean, covariates[drawn], drawn.tolist(), 1.0).found
            low, high = found.interval()
            covered[place, number], below[place, number], width[place, number] = low <= exact <= high, low <= exact, high - low
    assert covered.mean(axis=1).min() > 0.85
    assert below.mean(axis=1).min() > 0.965
    assert np.median(width[0]) < 0.4 * np.median(width[1])


def test_winnings_that_follow_the_texture_are_predicted() -> None:
    """Values that are a linear function of the texture leave little to sample: slopes are found from 36 flops."""
    response, probability, values, check_down, texture = every_flop()
    assert probability @ texture == pytest.approx(np.zeros(texture.shape[1]), abs=1e-12)
    assert probability @ texture**2 == pytest.approx(np.ones(texture.shape[1]))
    mean = response.mean_check_down(preflop_scores(DECK))
    none, drawn = np.broadcast_to(mean, check_down.shape), np.random.default_rng(2).choice(len(values), 40, p=probability)
    slope = np.abs(values).mean() * np.random.default_rng(3).normal(size=texture.shape[1])
    linear = np.where(response.all_in[:, None], mean, values.mean(axis=0) + (texture @ slope)[:, None, None])
    half_widths = []
    for covariates in (texture, np.zeros_like(texture)):
        won = estimate(response, linear[drawn], none[drawn], mean, covariates[drawn], drawn.tolist(), 1.0)
        half_widths.append(won.found.half_width())
    assert half_widths[0] < 0.25 * half_widths[1]


def test_evaluations_report_the_exact_response_first() -> None:
    policy = some_policy(small("all-in"), 4)
    found = LowerBounds(policy.game.spec, False, *respond(policy, flops=2, deals=4, episodes=100), policy.card)
    assert found.exact is not None
    assert str(found).splitlines()[0] == str(found.exact)
    answer = found.as_dict()
    names = [name for name in answer if name.endswith("response")]
    assert names == ["exact_response", "local_best_response", "learned_response"]
    assert answer["exact_response"]["flops"] == 2


@pytest.mark.parametrize("slots", [("c",), ("f", "c"), ("f", "c", "x1", "x2")])
def test_entries_and_endings_side_by_side_have_equal_values(slots: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """The two ways to value the last street, with a policy that never takes a third of its actions."""
    game, random = small("x1+x2"), np.random.default_rng(6)
    tree, weights = game.tree, game.legal * (random.random(game.legal.shape) + 1e-3)
    for node in tree.decisions:
        kept = (tree.child[node] >= 0) & (random.random(len(tree.actions)) > 1 / 3)
        if kept.any():
            weights[tree.first_row[node] : tree.first_row[node] + game.buckets[tree.round[node]]] *= kept
    policy = sc.Policy.from_weights(game, weights)
    allowed, found = (game.tree.child >= 0) & np.array([name in slots for name in game.tree.actions]), []
    for least in (1, 10**6):
        monkeypatch.setattr(entry_lanes, "LEAST_ENTRIES", least)
        response = PolicyResponse(policy, allowed, double=True)
        found.append(response.flop_values(images("TcTdTh")[0])[0])
    assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-6)


def test_32_bit_numbers_are_near_64_bit_ones() -> None:
    policy = some_policy(small("all-in"), 4)
    single, double = (exact_response(policy, flops=2, double=each) for each in (False, True))
    assert single.seats == pytest.approx(double.seats, rel=1e-5)


def test_flops_are_kept_and_a_killed_computation_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, path = some_policy(small("all-in"), 4), tmp_path / "some.flops"
    whole = exact_response(policy, flops=12, double=True)
    calls = list[tuple[int, ...]]()
    walk = policy_response.PolicyResponse.flop_values

    def counted(self: policy_response.PolicyResponse, flop: tuple[int, ...]) -> tuple[Array, int]:
        calls.append(flop)
        return walk(self, flop)

    monkeypatch.setattr(policy_response.PolicyResponse, "flop_values", counted)
    exact_response(policy, flops=12, double=True, store=path, stop=lambda: len(calls) == 4)
    assert len(calls) == 4
    path.write_bytes(path.read_bytes()[:-5])  # killed while writing
    again = exact_response(policy, flops=12, double=True, store=path)
    assert again == whole
    assert len(calls) == whole.walked + 1
    assert exact_response(policy, flops=12, double=True, store=path) == whole
    assert len(calls) == whole.walked + 1
    for other in (some_policy(small("all-in"), 5), policy.greedy()):
        with pytest.raises(sc.UsageError, match="not a file of flops of this agent"):
            exact_response(other, flops=12, double=True, store=path)
    path.write_bytes(b"something else")
    with pytest.raises(sc.UsageError, match="header is damaged"):
        exact_response(policy, flops=12, double=True, store=path)
    with pytest.raises(sc.UsageError, match="folder that exists"):
        exact_response(policy, flops=12, double=True, store=tmp_path / "none" / "some.flops")


def test_results_say_exact_or_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    with_flops(monkeypatch, images("TcTdTh")[:1], [4])
    policy = sc.Policy.uniform(small("all-in"))
    found, bound = exact_response(policy, double=True), exact_response(policy, slots=("f", "c"), double=True)
    assert isinstance(found, ExactResponse)
    assert str(found).endswith("exact")
    assert "with f, c wins" in str(bound)
    assert "a lower bound" in str(bound)
    about = json.loads(json.dumps(bound.as_dict()))
    assert (about["slots"], about["lower_bound"], about["mbb"]) == (["f", "c"], True, bound.total)
    assert not found.as_dict()["lower_bound"]


def test_wrong_arguments_are_refused() -> None:
    policy = sc.Policy.uniform(small("all-in"))
    for spec in ("rps", "leduc"):
        with pytest.raises(sc.UsageError, match=f"plays hold'em, not {spec}"):
            exact_response(sc.Policy.uniform(built(spec)))
    with pytest.raises(sc.UsageError, match=r"slots=x9 \(accepted: some of f, c, all-in, largest, each once\)"):
        exact_response(policy, slots=("f", "x9"))
    for slots in ((), ("c", "c")):
        with pytest.raises(sc.UsageError, match=r"slots=.*each once"):
            exact_response(policy, slots=slots)
    with pytest.raises(
        sc.UsageError, match=r"nothing to do after 'r3000' in holdem-20 with these actions of slots \(accepted there: f, c\)"
    ):
        exact_response(policy, slots=["all-in"])
    with pytest.raises(sc.UsageError, match=r"control=x9 \(accepted: some of f, c, all-in"):
        exact_response(policy, flops=4, control=("x9",))
    with pytest.raises(
        sc.UsageError,
        match=r"nothing to do after 'cc/c' in holdem-20 with these actions of control \(accepted there: c, all-in\)",
    ):
        exact_response(policy, flops=4, control=("f",))
    with pytest.raises(sc.UsageError, match="accepted: with a number of flops"):
        exact_response(policy, control=("f", "c"))
    with pytest.raises(sc.UsageError, match=r"threads=3 \(accepted: 1 to 2\)"):
        exact_response(policy, threads=3)
    for flops in (0, 1, 2.5, 10**7):
        with pytest.raises(sc.UsageError, match=r"flops=.* \(accepted: 2 to 1000000\)"):
            exact_response(policy, flops=flops)  # type: ignore[arg-type]
    with pytest.raises(sc.UsageError, match=r"seed=-1 \(accepted: a whole number of at least 0\)"):
        exact_response(policy, flops=4, seed=-1)


def test_three_players_are_refused() -> None:
    rules = replace(
        NO_LIMIT_HOLDEM_32, deck=DECK, seats=3, blinds=(500, 500), streets=holdem_streets(3, (1000,) * 4), stack=2000
    )
    with pytest.raises(sc.UsageError, match=r"3 players \(accepted for an exact response: 2\)"):
        exact_response(sc.Policy.uniform(sc.Game(replace(rules, menu=BetMenu.parse("all-in")), grid="2/2/2")))
