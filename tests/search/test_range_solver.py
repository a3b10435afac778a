"""The range solver: games with known values, best responses hand against hand, symmetries, threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.games.betting import Betting
from smoothcall.games.cards import STANDARD, Deck
from smoothcall.games.catalog import KUHN, LEDUC
from smoothcall.games.rankings import HIGH_CARD, HandOrder
from smoothcall.games.rules import PokerRules, Street
from smoothcall.holdem.equity import equity
from smoothcall.progress import watched
from smoothcall.search import all_ins, range_solver
from smoothcall.search.range_solver import ALGORITHMS, PREDICTIVE, RangeSolver, cfr_plus, predictive_cfr_plus
from smoothcall.search.solution import Solution
from smoothcall.search.spot import Spot
from tests.conftest import INTERPRETED
from tests.search.plain import River, everything, listed

NOT_COMPILED = [] if INTERPRETED else [pytest.mark.long]  # compiled, sweeps over numbers of 16 bits are kernels of their own


def solver_of(rules: PokerRules, hole: int = 1, **how: Any) -> RangeSolver:
    held = everything(rules.deck, hole)
    return RangeSolver(rules, Betting(rules), (), [held, held], listed, dtype=np.float64, **how)


def small(hole: int, *boards: int, order: HandOrder = HIGH_CARD) -> PokerRules:
    """Return a game with 12 cards, one bet a street, and these numbers of cards on the board of each street."""
    streets = [
        Street(bet=2 + 2 * (place > 0), hole=0 if place else hole, board=board, max_raises=1)
        for place, board in enumerate(boards)
    ]
    return PokerRules("small", Deck("QKA", "cdhs"), order, tuple(streets), antes=(1, 1))


@pytest.mark.parametrize(("name", "iterations"), [("kuhn", 4_000), ("leduc", 2_000)])
def test_known_values(name: str, iterations: int, golden: Any) -> None:
    """Values of OpenSpiel and others (tests/golden/solutions.json)."""
    solver = solver_of({"kuhn": KUHN, "leduc": LEDUC}[name])
    solver.run(iterations)
    values = solver.values()
    assert values.ev[0] == pytest.approx(golden[name]["value_player0"], abs=1e-6)
    assert values.ev[0] + values.ev[1] == pytest.approx(0, abs=1e-12)
    assert 0 <= values.exploitability < 2e-4


def test_predictions_are_the_last_gains() -> None:
    """Farina, Kroer and Sandholm 2021: the strategy is proportional to the positive part of regrets plus the last gains."""
    solver, plain = solver_of(LEDUC, weights=predictive_cfr_plus, predictive=True), solver_of(LEDUC, weights=cfr_plus)
    plain.run(1)
    for iteration in range(6):
        before = [np.maximum(each, 0) for each in solver.sums]
        solver.run(1)
        for player in range(2 if iteration else 1):  # player 0 learns first, against an opponent that plays at random
            gain = solver.sums[player] - before[player]
            assert solver.regret[player] == pytest.approx(np.maximum(solver.sums[player], 0) + gain, abs=1e-12)
        if iteration == 0:
            assert np.array_equal(solver.sums[0], plain.regret[0])


@pytest.mark.interpreted
@pytest.mark.parametrize("algorithm", [pytest.param(each, marks=NOT_COMPILED) for each in ("dcfr", "pcfr+")])
def test_numbers_of_16_bits_in_kuhn(algorithm: str) -> None:
    held, predictive = everything(KUHN.deck, 1), algorithm in PREDICTIVE
    how: dict[str, Any] = {"dtype": np.float32, "weights": ALGORITHMS[algorithm], "predictive": predictive}
    half, whole = (RangeSolver(KUHN, Betting(KUHN), (), [held] * 2, listed, storage=bits, **how) for bits in (16, 32))
    assert half.table_bytes * 2 == whole.table_bytes
    for solver in (half, whole):
        solver.run(60)
        assert solver.values().exploitability < 0.005
    assert half.values().ev == pytest.approx(whole.values().ev, abs=0.005)


@pytest.mark.long
@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+"])
def test_numbers_of_16_bits(algorithm: str) -> None:
    """Tables of half the size; exploitability is measured with the same sweep, so it is true of what was stored."""
    spot = Spot("Td9d6hQc2s", ("22+,A2s+,KTo+", "33+,QTs+,A9o+"), 100, 300)
    half, whole = (Solution(spot, algorithm=algorithm, storage=storage) for storage in (16, 32))
    assert half.solver.table_bytes * 2 == whole.solver.table_bytes
    assert half.run(0.002, iterations=2_000)
    assert whole.run(0.002, iterations=2_000)
    assert half.result()["ev"] == pytest.approx(whole.result()["ev"], abs=0.3)  # chips, of a pot of 100


@pytest.mark.interpreted
@pytest.mark.parametrize("algorithm", list(ALGORITHMS))
def test_exploitability_bounds_the_error(algorithm: str, golden: Any) -> None:
    solver = solver_of(KUHN, weights=ALGORITHMS[algorithm], predictive=algorithm in PREDICTIVE)
    before = solver.values().exploitability
    solver.run(60)
    values = solver.values()
    assert values.exploitability < before / 20
    assert abs(values.ev[0] - golden["kuhn"]["value_player0"]) <= 2 * values.exploitability


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(small(2, 0, 1), id="2-0-1"),
        pytest.param(small(1, 0, 1, 1), id="1-0-1-1", marks=pytest.mark.long),
        pytest.param(small(1, 0, 2), id="1-0-2"),
    ],
)
def test_linear_program(rules: PokerRules) -> None:
    """Games with one or two cards a player, one or two to come, and symmetries of suits."""
    program = sc.solver("lp", sc.Game(rules))
    program.run(1)
    solver = solver_of(rules, rules.streets[0].hole)
    solver.run(2_000)
    assert solver.values().ev[0] == pytest.approx(sc.expected_values(program.game, program.policy())[0], abs=1e-6)


def random_river(seed: int) -> Solution:
    random = np.random.default_rng(seed)
    cards = [STANDARD.name(int(card)) for card in random.permutation(52)]
    held = [list(zip(cards[5:45:2], cards[6:46:2], strict=True)), list(zip(cards[6:44:2], cards[9:47:2], strict=True))]
    texts = [",".join(f"{one}{other}:{random.random() / 2 + 0.5:.3f}" for one, other in hands) for hands in held]
    rake = float(random.choice([0, 0.05]))
    spot = Spot("".join(cards[:5]), (texts[0], texts[1]), int(random.integers(2, 90)), int(random.integers(1, 200)), rake=rake)
    solution = Solution(spot, double=True)
    for table in solution.solver.average:
        table[:] = random.random(len(table)) ** 3
    return solution


def test_best_responses_hand_against_hand() -> None:
    for seed in range(50):
        solution = random_river(seed)
        plain, found = River(solution), solution.solver.best_values()
        assert found == pytest.approx((plain.best(0), plain.best(1)), abs=1e-9)


def test_symmetries_of_suits_change_nothing() -> None:
    """Qs Jh 2h is the same with clubs and diamonds exchanged; weighted ranges that are not, have no symmetry."""
    spot = Spot("QsJh2h", ("AA,KQs,T9o:0.5", "JJ,A5s,98s"), 10, 20, bets="50%", raises="none")
    merged, every = (
        RangeSolver(spot.rules, spot.start(), spot.cards, spot.hands, spot.moves, isomorphic=each, dtype=np.float64)
        for each in (True, False)
    )
    for solver in (merged, every):
        solver.run(2)  # after more, rounding decides where regrets are near 0
    assert len(merged.levels[2].boards) < len(every.levels[2].boards) == 49 * 48
    assert merged.values().ev == pytest.approx(every.values().ev, abs=1e-10)
    assert merged.values().best == pytest.approx(every.values().best, abs=1e-10)
    merged.run(20)
    assert sum(merged.values().ev) == pytest.approx(0, abs=1e-12)
    assert len(Solution(Spot("QsJh2h", ("AcAd", "JJ"), 10, 20)).solver.levels[0].boards[0].symmetries) == 2
    assert len(Solution(Spot("QsJh2h", ("AcAd,AcKc", "JJ"), 10, 20)).solver.levels[0].boards[0].symmetries) == 1


def test_threads_change_nothing() -> None:
    spot = Spot("Td9d6hQc", ("AA,KQs,T9o", "JJ,A5s,98s"), 10, 20)
    one, *others = (Solution(spot, threads=threads, double=True) for threads in (1, 2, 3))
    for solution in (one, *others):
        solution.solver.run(5)
    for other in others:
        assert other.result()["equity"] == one.result()["equity"]
        for table in ("regret", "average"):
            for player in range(2):
                assert np.array_equal(getattr(one.solver, table)[player], getattr(other.solver, table)[player])


def test_counted_all_ins_have_the_values_of_walked_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where cards of a suit stand for those of another."""
    for board, texts in (("Td9d6hQc", ("AA,KQs,T9o", "JJ,A5s,98s,AA")), ("Td9d6hQd", ("AA,KQs", "AA,KQs"))):
        found = []
        for share in (0.0, 1.0):
            monkeypatch.setattr(all_ins, "MEMORY_SHARE", share)
            solver = Solution(Spot(board, texts, 10, (60, 40), bets="50%,a", raises="a"), double=True, threads=2).solver
            assert solver.levels[0].arrays.ahead.any() == (share > 0)
            assert (solver.betting[1].part[-1] < len(solver.betting[1].root) - 1) == (share > 0)
            solver.run(2)
            found.append((*solver.values().ev, *solver.values().best))
        assert found[0] == pytest.approx(found[1], abs=1e-10)
    raked = Solution(Spot("Td9d6hQc", ("AA", "JJ"), 10, 60, bets="50%,a", raises="a", rake=0.05, cap=3)).solver
    assert len(raked.levels[0].arrays.ahead) == 0


def test_equities() -> None:
    texts = ("AA,KQs,T9o", "JJ,A5s,98s")
    for board in ("Td9d6h", "Td9d6hQc", "Td9d6hQc2s"):
        found = Solution(Spot(board, texts, 10, 5, bets="a", raises="none"), double=True).result()["equity"]
        exact = [float(each.equity) for each in equity(list(texts), board).players]
        assert found == pytest.approx(exact, abs=1e-5)


def test_progress_while_boards_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_solver, "QUIET_SECONDS", 0)
    told = list[tuple[str, float]]()
    with watched(lambda what, fraction: told.append((what, fraction))):
        Solution(Spot("Td9d6h", ("AA", "KK"), 10, 5, bets="a", raises="none"))
    boards = [fraction for what, fraction in told if what == "boards of this spot"]
    assert len(boards) > 10
    assert all(0 <= fraction < 1 for fraction in boards)
