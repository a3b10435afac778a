"""macmanus2019 at a small size: the page is whole, verdicts follow from its data, and its search is the document's."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.scripted import Rule
from smoothcall.evaluation.exploitability import best_response, exploitability
from smoothcall.experiments import macmanus2019
from smoothcall.experiments.macmanus2019 import best_response as section_3_2
from smoothcall.experiments.macmanus2019 import quoted, rows
from smoothcall.experiments.macmanus2019.measurements import FILES, fold_share, long_part, nash_conv_part, part_name
from smoothcall.experiments.macmanus2019.search import (
    AGAINST_RANDOM,
    LADDER,
    LEDUC,
    METHODS,
    PROGRAM,
    SELF_PLAY,
    SMOOTH,
    SMOOTH_HEINRICH,
    Method,
    PotGame,
    TreeSearch,
)
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import verdict
from smoothcall.interop.macmanus2019 import write_strategy
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import FOLD, Array
from tests.conftest import NO_CHECKS, built
from tests.experiments.macmanus2019_text import TextSearch
from tests.experiments.pages import Written, verify_evidence, written

PROGRAMS = "in the game, with the search and by the best response of its program"
TINY = macmanus2019.Size(
    shorter=50,
    program=2,
    repetitions=2,
    steps=1,
    changed=1,
    short=2,
    equal=20_000,
    seeds=2,
    long=10_000,
    long_seeds=2,
    long_apart=1,
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The page, with two of the author's four strategy files made by hand."""
    folder = tmp_path_factory.mktemp("macmanus2019")
    strategies = folder / "tiny" / "strategies"
    strategies.mkdir(parents=True)
    for name in FILES[:3:2]:
        write_strategy(sc.Policy.uniform(built(NO_CHECKS)), strategies / f"{name}.json")
    return written("macmanus2019", TINY, folder)


def statuses(page: Written, change: Callable[[dict[str, Part]], None]) -> dict[str, str]:
    """The verdicts from changed data, by statement."""
    parts = deepcopy(page.parts)
    change(parts)
    found = (*rows.rows(parts), *quoted.rows(parts))
    return {row.statement: str(verdict(row).status) for row in found}


def constant(part: Part, name: str, values: list[float]) -> None:
    """Give every repetition these values at the points of a figure, with a spread of 0.001."""
    part.figures[name] = [[value + 0.001 * repetition for value in values] for repetition in range(40)]


def test_every_part(page: Written) -> None:
    for picture in ("against-random", "self-play", "nash-conv", "long"):
        assert f"(tiny/{picture}.png)" in page.text
    for setting in LADDER:
        for method in METHODS:
            figures = page.parts[part_name(setting, method)].figures
            assert np.array(figures["exact"]).shape == np.array(figures["document"]).shape
            assert figures["points"][-1] == (10_000 if method in METHODS[:2] else 20_000)
    files = page.parts["strategy files"].figures
    assert [name for name in FILES if files[name] is None] == list(FILES[1::2])
    assert sum("is not there: get it from" in line for line in page.told) == 2
    assert files[FILES[0]]["states"] == 198
    assert page.text.count("not measured: no copy of the file") == 2 * 5


def test_the_tests_named_as_evidence_exist() -> None:
    verify_evidence([*quoted.REQUIREMENTS.values(), quoted.STYLES])


def published_value(method: str) -> str:
    return f"{method}: exploitability of the deterministic strategy {PROGRAMS}"


@pytest.mark.parametrize(("value", "status"), [(4.9, "reproduced"), (4.6, "differs")])
def test_a_published_value_is_reproduced_or_not(page: Written, value: float, status: str) -> None:
    def change(parts: dict[str, Part]) -> None:
        part = parts[part_name(PROGRAM, AGAINST_RANDOM)]
        part.figures["points"] = [10_000, 100_000, 500_000]
        for name in ("exact", "stochastic", "folds", "reward"):
            constant(part, name, [1.0, 1.0, 1.0])
        constant(part, "document", [6.0, 4.5, value])

    found = statuses(page, change)
    assert found[published_value(AGAINST_RANDOM.label)] == status
    assert found["UCT against a random player: exploitability dips at first, then diverges"] == "reproduced"


def test_comparisons_follow_from_the_data(page: Written) -> None:
    def curves(uct: float, smooth: float, heinrich: float) -> Callable[[dict[str, Part]], None]:
        def change(parts: dict[str, Part]) -> None:
            for setting in (LEDUC, PROGRAM):
                for method, last in ((SELF_PLAY, uct), (SMOOTH, smooth), (SMOOTH_HEINRICH, heinrich)):
                    part = parts[part_name(setting, method)]
                    part.figures["points"] = [10_000, 250_000, 500_000] + [1_000_000] * (method is not SELF_PLAY)
                    for name in ("exact", "document", "stochastic", "folds", "reward"):
                        constant(part, name, [3.8, 3.5, last, last][: len(part.figures["points"])])

        return change

    improves = "Smooth UCT, d = 0.1, is less exploitable than UCT by self-play"
    no_better = "Smooth UCT, d = 0.002, is no significant improvement on UCT by self-play, as it compares them"
    equally = "Smooth UCT, d = 0.002, is no significant improvement on UCT by self-play after equally many episodes"
    back = "UCT by self-play: lows of 3.5 at first, then exploitability diverges back"
    as_published = statuses(page, curves(4.6, 2.2, 4.6))
    assert (as_published[improves], as_published[no_better], as_published[back]) == ("reproduced",) * 3
    assert as_published[published_value(SMOOTH.label)] == "reproduced"
    assert as_published[equally] == "undecided", "an equality without noise of its own"
    other = statuses(page, curves(2.2, 4.6, 1.0))
    assert other[equally] == "differs"
    assert (other[improves], other[no_better], other[back]) == ("differs",) * 3


@pytest.mark.parametrize(("value", "status"), [(0.0223, "reproduced"), (0.03, "differs")])
def test_500_million(page: Written, value: float, status: str) -> None:
    def change(parts: dict[str, Part]) -> None:
        for seed in range(2):
            figures = parts[f"{long_part('merged', 0.002)}{seed}"].figures
            figures["points"][-1] = 500_000_000
            figures["average"][-1] = value + 0.0001 * seed

    statement = "Smooth UCT, d = 0.002 (Heinrich): exploitability after 500,000,000 episodes; NashConv, suits "
    found = statuses(page, change)
    assert found[f"{statement}merged"] == status
    assert found[f"{statement}told apart"] == "undecided", "one seed"


@pytest.mark.parametrize(("smooth", "status"), [(0.6, "reproduced"), (0.9, "differs")])
def test_heinrichs_uct(page: Written, smooth: float, status: str) -> None:
    """The last verdict also compares both after 500,000 episodes."""

    def change(parts: dict[str, Part]) -> None:
        for d, low, last in ((None, 0.8, 1.5), (0.002, smooth, 0.1)):
            figures = parts[nash_conv_part("merged", d)].figures
            figures["points"] = [1_000, 500_000, 30_000_000]
            for name in ("average", "greedy"):
                figures[name] = [[2.0, low, last + 0.01 * seed] for seed in range(5)]
        for seed in range(2):
            figures = parts[f"{long_part('merged', None)}{seed}"].figures
            figures["points"][-1], figures["average"][-1] = 500_000_000, 1.5 + 0.001 * seed

    found = statuses(page, change)
    for words in ("reaches lows of 0.8", "diverges after its low"):
        assert found[f"UCT by self-play (Heinrich): exploitability {words}; NashConv, suits merged"] == "reproduced"
    diverges = "UCT by self-play (Heinrich): exploitability diverges to 1.5; NashConv, suits merged"
    assert found[diverges] == "not comparable", "the episodes are not published"
    converges = "Smooth UCT (Heinrich, d = 0.002) converges, UCT does not; NashConv, suits merged"
    assert found[converges] == status


# The game of pots


@pytest.mark.parametrize("spec", ["leduc", "leduc:suits=apart", NO_CHECKS])
def test_the_reward_is_the_pot(spec: str) -> None:
    pots, chips = PotGame.named(spec), built(spec)
    tree, (ending, payoff), (own, paid) = pots.tree, pots.settled, chips.settled
    for node in tree.endings:
        table = payoff[ending[node]]
        np.testing.assert_array_equal(np.sign(table), np.sign(paid[own[node]]))
        assert set(np.abs(table).ravel()) <= {0.0, float(tree.paid[node].sum())}
        if tree.kind[node] == FOLD:
            assert (np.abs(table) == tree.paid[node].sum()).all()
    assert pots.zero_sum
    assert (pots.spec, pots.keys) == (chips.spec, chips.keys)


# Section 3.2


def random_strategies(game: PotGame, seed: int) -> list[Array]:
    """A deterministic and a stochastic one."""
    weights = np.random.default_rng(seed).random(game.legal.shape) * game.legal
    return [(weights == weights.max(axis=1, keepdims=True)).astype(float), weights / weights.sum(axis=1, keepdims=True)]


@pytest.mark.parametrize("setting", [LEDUC, PROGRAM], ids=["leduc", "program"])
def test_its_best_response_wins_no_less_than_an_exact_one(setting: object) -> None:
    game = PotGame.named(setting.spec)  # type: ignore[attr-defined]
    for seed in range(20):
        for table in random_strategies(game, seed):
            for seat in (0, 1):
                exact = best_response(game, sc.Policy(game, table), seat).value
                assert section_3_2.value(game, table, seat) >= exact - 1e-9


@pytest.mark.parametrize("rule", Rule)
def test_its_best_response_is_exact_where_nothing_is_to_know(rule: Rule) -> None:
    """In a game of one street, against an agent whose actions say nothing about its card."""
    game = PotGame(built("kuhn").rules, options={})
    table = rule.among(game.legal)
    assert section_3_2.exploitability(game, table) == pytest.approx(exploitability(game, sc.Policy(game, table)))


def test_its_best_response_knows_who_folds() -> None:
    """Kuhn poker, pots: who has J folds to a bet and nobody else does. The responder with Q bets against J only."""
    game = PotGame(built("kuhn").rules, options={})
    agent = sc.Policy.from_probabilities(
        game,
        {f"{card}:{betting}": {"f" if card == "J" else "c": 1.0} for card in "JQK" for betting in ("r", "cr")}
        | {f"{card}:{betting}": {"c": 1.0} for card in "JQK" for betting in ("", "c")},
    )
    exact = best_response(game, agent, 0).value
    # Pots of 2, 3 and 4. With K it bets: J folds (3), Q calls (4). With J it checks (-2, -2). With Q it bets where J folds (3)
    # and checks against K, where the showdown is worth its mean over J and K: 0.
    assert section_3_2.value(game, agent.table, 0) == pytest.approx((3 + 4 - 2 - 2 + 3 + 0) / 6)
    # A player with Q bets against both (3 - 4) or checks against both (2 - 2).
    assert exact == pytest.approx((3 + 4 - 2 - 2 + 2 - 2) / 6)


def test_unknown_states_are_worth_nothing() -> None:
    game = PotGame.named(PROGRAM.spec)
    nothing = np.zeros(game.legal.shape)
    assert section_3_2.value(game, nothing, 1) == 0, "the agent opens and knows no action"
    assert section_3_2.value(game, nothing, 0) == 0, "a bet leads to an unknown state, better than a fold"


def test_folds_to_a_player_who_always_bets() -> None:
    game = PotGame.named(PROGRAM.spec)
    legal = game.legal
    never, always = Rule.ALWAYS_CALL.among(legal), np.eye(3)[np.zeros(len(legal), int)]
    assert fold_share(game, never) == 0
    assert fold_share(game, always) == pytest.approx(1)
    # at random: 1/2 at an opening; facing bets it folds 1/3, calls 1/3, raises 1/3 (then the other calls)
    first = 1 / 2 + 1 / 2 * (1 / 2 + 1 / 2 * (1 / 2 + 1 / 2 * 1 / 2))
    second = 1 / 3 + 2 / 3 * 1 / 3
    assert fold_share(game, Rule.RANDOM.among(legal)) == pytest.approx((first + second) / 2)


# The search


def test_searches_are_repeatable_and_add_up() -> None:
    game = PotGame.named(PROGRAM.spec)
    for method in METHODS:
        whole, halves = (TreeSearch(game, PROGRAM, method, 3) for _ in range(2))
        whole.run(2000)
        for _ in range(2):
            halves.run(1000)
        np.testing.assert_array_equal(whole.stochastic().table, halves.stochastic().table)
        np.testing.assert_array_equal(whole.deterministic(), halves.deterministic())
        assert whole.earned == halves.earned
        other = TreeSearch(game, PROGRAM, method, 4)
        other.run(2000)
        assert other.earned != whole.earned


@pytest.mark.parametrize("setting", [LEDUC, PROGRAM], ids=["leduc", "program"])
def test_uct_finds_the_best_response_to_a_random_player(setting: object) -> None:
    game = PotGame.named(setting.spec)  # type: ignore[attr-defined]
    search = TreeSearch(game, setting, AGAINST_RANDOM, 1)  # type: ignore[arg-type]
    search.run(300_000)
    uniform, learned = sc.Policy.uniform(game), sc.Policy.from_weights(game, search.deterministic())
    for seat in (0, 1):
        best = best_response(game, uniform, seat).value
        won = sc.expected_values(game, uniform.replaced(seat, learned))[seat]
        assert won <= best + 1e-9
        assert won > 0.9 * best


@pytest.mark.parametrize("setting", LADDER[:-1], ids=[setting.label for setting in LADDER[:-1]])
def test_visits_are_those_of_the_episodes(setting: object) -> None:
    """A state begins with one visit and has one more for each passage; so have the nodes behind its actions."""
    game = PotGame.named(setting.spec)  # type: ignore[attr-defined]
    search = TreeSearch(game, setting, SELF_PLAY, 5)  # type: ignore[arg-type]
    search.run(3000)
    tables = search.tables
    known = tables.total > 0
    assert known.any()
    through = (tables.visits - 1) * game.legal
    np.testing.assert_allclose(through.sum(axis=2)[known], (tables.total - 1)[known])
    assert not tables.visits[~known].any()
    roots = game.row_node == 0
    assert (tables.total - 1)[:, roots][known[:, roots]].sum() == search.episodes, "every episode passes an opening in the tree"
    assert (np.abs(tables.mean) <= 26).all(), "the largest pot: 2 + 8 + 16"


@pytest.mark.parametrize("method", METHODS, ids=[method.label for method in METHODS])
def test_its_program_in_texts_and_dictionaries_learns_the_same(method: Method) -> None:
    """The same search written as its program is, with histories as texts, and fed with the same random numbers."""
    game = PotGame.named(PROGRAM.spec)
    ours, text = TreeSearch(game, PROGRAM, method, 7), TextSearch(method, seeded(7)[0])
    ours.run(1500)
    for _ in range(1500):
        text.play("")
    tables, found = ours.tables, 0
    for row, key in enumerate(game.keys):
        position, slots = int(game.row_player[row]), np.flatnonzero(game.legal[row])
        cards, _, betting = key.partition(":")
        own, _, board = cards.partition("/")
        for seat in (0, 1):
            player, (one, *two) = 1 if position == seat else -1, betting.split("/")
            known = f"{seat}{own}{one}{board}{''.join(two)}"
            node = text.trees[player].get(known)
            expanded = node is not None and node.expanded
            assert (tables.total[seat, row] > 0) == expanded
            if node is None or not expanded:
                continue
            found += 1
            behind = [text.trees[player][known + "fcr"[slot]] for slot in slots]
            assert tables.total[seat, row] == node.visits
            assert tables.visits[seat, row, slots].tolist() == [each.visits for each in behind]
            assert tables.mean[seat, row, slots] == pytest.approx([player * each.value for each in behind])
    assert found > 100
    assert any(node.visits % 2 == 0 for node in text.trees[1].values() if node.expanded), "some passages count once"


def test_a_discount_makes_values_smaller() -> None:
    game = PotGame.named(PROGRAM.spec)
    undiscounted, discounted = (TreeSearch(game, LADDER[place], SELF_PLAY, 2) for place in (2, 3))
    for search in (undiscounted, discounted):
        search.run(50_000)
    folded = discounted.tables.mean[0][game.row_node == 0, 0]
    np.testing.assert_allclose(folded, -2 * 0.95, rtol=0.02)  # an opening fold loses the antes, one step before the end
    assert np.abs(undiscounted.tables.mean).max() > np.abs(discounted.tables.mean).max()


def test_solvers_learn_the_variant() -> None:
    game = built(NO_CHECKS)
    assert game.size == (22, 120, 198)
    cfr = sc.solver("cfr+", game)
    cfr.run(300)
    assert sc.nash_conv(game, cfr.policy()) < 0.01
    for folds in ("exact", "sampled"):
        uct = sc.solver("smooth-uct", game, seed=1, folds=folds)
        uct.run(200)
        assert sc.nash_conv(game, uct.current_policy()) > 0, "few states are visited, and no opening may check"
        early = sc.nash_conv(game, uct.policy())
        uct.run(100_000)
        assert sc.nash_conv(game, uct.policy()) < early / 4
