"""Solved spots: values of an independent solver, nodes, locks, files, wrong input."""

from __future__ import annotations

import json
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.errors import UsageError
from smoothcall.progress import watched
from smoothcall.search.range_solver import RangeSolver
from smoothcall.search.reports import lock_of, shown_node, solve_spot
from smoothcall.search.solution import MAX_HALF_ITERATIONS, Solution
from smoothcall.search.spot import Spot
from tests.conftest import GOLDEN
from tests.search.plain import River

SPOTS = {each["name"]: each for each in json.loads((GOLDEN / "spots.json").read_text())["spots"]}


@pytest.mark.parametrize(
    ("name", "accuracy"),
    [
        ("river-full", 0.0005),
        pytest.param("turn-full", 0.0005, marks=pytest.mark.long),
        pytest.param("flop", 0.005, marks=pytest.mark.long),
    ],
)
def test_spots_of_another_solver(name: str, accuracy: float) -> None:
    given = SPOTS[name]
    solution = sc.solve(
        given["board"],
        tuple(given["ranges"]),
        given["pot"],
        given["stack"],
        bets=given["bets"],
        raises=given["raises"],
        accuracy=accuracy,
    )
    found = solution.result()
    assert found["exploitability"] <= accuracy
    assert found["ev"][0] == pytest.approx(given["ev"], abs=max(accuracy, 0.0005) * given["pot"])
    assert sum(found["ev"]) == pytest.approx(given["pot"], rel=1e-5)
    assert found["equity"][0] == pytest.approx(given["equity"], abs=5e-5)


@pytest.fixture(scope="module")
def turn() -> Solution:
    return _solved("AsKsQdJd")


def _solved(board: str) -> Solution:
    solution = Solution(Spot(board, ("AA,KK,T9s,55", "QQ,JTs,A5s,66"), 11, (30, 20), bets="50%", raises="3x"), double=True)
    solution.run(0.002)
    return solution


def test_nodes_agree_with_each_other(turn: Solution) -> None:
    """EV of a hand is the mean of its actions; EVs of both players add up to the pot at every node."""
    for key in (":", ":c", ":r6", "/2s:cc/", "/2c:r6c/", "/Td:cr6c/c"):
        node = turn.node(key)
        assert node.strategy.sum(axis=1) == pytest.approx(np.ones(len(node.strategy)))
        mean = (node.strategy * node.action_ev).sum(axis=1)
        assert mean == pytest.approx(node.ev[node.player], abs=1e-9, nan_ok=True)  # a hand that meets none has no EV
        both = [_mean(turn, node, player) for player in range(2)]
        assert sum(both) == pytest.approx(node.pot, abs=1e-9)
    assert turn.node(":r6").names == ("Fold", "Call 6", "Raise to 20 (all in)")
    assert turn.result()["ev"][0] == pytest.approx(_mean(turn, turn.node(":"), 0), abs=1e-9)


def _mean(solution: Solution, node: Any, player: int) -> float:
    """Return a player's mean EV over all pairs of hands at a node."""
    own, other = node.hands[player], node.hands[1 - player]
    meets = np.array(
        [sum(w for hand, w in zip(other, node.weight[1 - player], strict=True) if not set(hand) & set(one)) for one in own]
    )
    weight = node.weight[player] * meets
    return float(np.nansum(node.ev[player] * weight) / weight.sum())


def test_symmetric_cards_have_symmetric_strategies() -> None:
    """Clubs and hearts are alike on As Ks Qd Jd: the strategy with 2h is that with 2c, suits exchanged."""
    solution = _solved("AsKsQdJd")
    clubs, hearts = solution.node("/2c:cc/"), solution.node("/2h:cc/")
    assert len(solution.solver.levels[0].boards[0].symmetries) > 1
    image = {card: card // 4 * 4 + {0: 2, 2: 0}.get(card % 4, card % 4) for card in range(52)}
    found = {
        tuple(sorted(image[int(card)] for card in hand)): row for hand, row in zip(clubs.hands[0], clubs.strategy, strict=True)
    }
    for hand, row in zip(hearts.hands[0], hearts.strategy, strict=True):
        assert found[tuple(hand.tolist())] == pytest.approx(row)


def test_locked_strategies_stay() -> None:
    lock = {":": {"any": {"c": 0.25, "r6": 0.75}, "AA": {"r6": 1}}}
    spot = Spot("AsKsQdJd2c", ("AA,KK,T9s,55", "QQ,JTs,A5s,66"), 11, 30, bets="50%", raises="none")
    solution = Solution(spot, lock=lock, double=True)
    solution.run(0.0001, iterations=300)
    node = solution.node(":")
    aces = np.array([set(hand.tolist()) <= {48, 49, 50, 51} for hand in node.hands[0]])
    assert node.strategy[aces] == pytest.approx(np.tile([0.0, 1.0], (aces.sum(), 1)))
    assert node.strategy[~aces] == pytest.approx(np.tile([0.25, 0.75], ((~aces).sum(), 1)))
    free = Solution(spot, double=True)
    free.run(0.0001, iterations=300)
    assert solution.result()["ev"][0] < free.result()["ev"][0]
    assert River(solution).best(1) == pytest.approx(solution.solver.best_values()[1], abs=1e-9)


def test_rake_is_taken_from_the_winner() -> None:
    spot = Spot("AsKsQdJd2c", ("AA,KK", "QQ,55"), 100, 30, bets="none", rake=0.05, cap=3)
    assert sum(Solution(spot, double=True).result()["ev"]) == pytest.approx(97)
    spot = Spot("AsKsQdJd2c", ("AA,KK", "QQ,55"), 20, 30, bets="none", rake=0.05, cap=3)
    assert sum(Solution(spot, double=True).result()["ev"]) == pytest.approx(19)


def test_limit_betting() -> None:
    solution = Solution(Spot("AsKsQdJd", ("AA,KK", "QQ,55"), 10, 100, limit="2,4"), double=True)
    solution.run(0.01)
    assert solution.node(":crrr").names == ("Fold", "Call 2", "Raise to 8")
    assert solution.node(":crrrr").names == ("Fold", "Call 2")
    assert solution.node("/2c:cc/c").names == ("Check", "Bet 4")


def test_saved_solutions_go_on(tmp_path: Path, turn: Solution) -> None:
    path = tmp_path / "turn.spot"
    one, other = (Solution(turn.spot, double=True) for _ in range(2))
    one.solver.run(9)
    other.solver.run(4)
    other.save(path)
    again = Solution.load(path)
    again.solver.run(5)
    for table, expected in zip(
        (*again.solver.regret, *again.solver.average), (*one.solver.regret, *one.solver.average), strict=True
    ):
        assert np.array_equal(table, expected)
    damaged = path.read_bytes()
    for size in (0, 100, len(damaged) // 2, len(damaged) - 1):
        path.write_bytes(damaged[:size])
        with pytest.raises(UsageError, match="damaged"):
            solve_spot(path)


@pytest.mark.parametrize("form", [0, 2])
def test_a_solution_of_another_format_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: int) -> None:
    path = tmp_path / "river.spot"
    solution = Solution(Spot(BOARD, RANGES, 100, 400))
    monkeypatch.setattr("smoothcall.search.solution.FORMAT", form)
    solution.save(path)
    monkeypatch.undo()
    before = path.read_bytes()
    with pytest.raises(UsageError) as found:
        solve_spot(path)
    assert str(found.value) == f"{str(path)!r} is a solution of format {form}; this version reads format 1"
    assert path.read_bytes() == before


BOARD, RANGES = "Td9d6hQc2s", ("AA", "KK")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"board": "TdTd6h"}, "stands twice"),
        ({"board": "Td9d"}, "has 2 cards"),
        ({"board": "Td9dXx"}, "unknown card"),
        ({"ranges": ("AA", "TdTh")}, "no hand beside"),
        ({"ranges": ("AA", "AK:1.5")}, "weight"),
        ({"ranges": ("AA", "nothing")}, "no hand or range"),
        ({"ranges": ("AhAs", "AhAc")}, "cannot be held together"),
        ({"pot": 0}, "pot=0"),
        ({"stack": 0}, "stack=0"),
        ({"stack": (1, 2, 3)}, "3 stacks"),
        ({"board": None}, "board=None"),
        ({"ranges": "AA"}, "ranges='AA'"),
        ({"ranges": ("AA", None)}, "2 texts"),
        ({"pot": "many"}, "pot=many"),
        ({"stack": "4.5"}, "stack=4.5"),
        ({"bets": "50"}, "a bet of 50 chips"),
        ({"bets": "10"}, ""),
        ({"bets": None}, "bets=None"),
        ({"bets": "50x%"}, "size '50x%'"),
        ({"bets": "50%%"}, "size '50%%'"),
        ({"raises": 75}, "raises=75"),
        ({"street_bets": None}, "street_bets=None"),
        ({"street_bets": ("flop=50%",)}, "accepted on this board: river"),
        ({"street_bets": ("river.first.second=50%",)}, "street bets 'river.first.second=50%'"),
        ({"street_bets": "river=50%"}, ""),
        ({"bets": "0%"}, "size '0%'"),
        ({"bets": "2x"}, "size '2x'"),
        ({"bets": ""}, "bets=''"),
        ({"raises": "half"}, "size 'half'"),
        ({"street_bets": ("preflop=50%",)}, "street bets"),
        ({"limit": "2,4"}, "limit='2,4' .accepted: the bet in chips.$"),
        ({"limit": "²"}, "limit='²'"),
        ({"limit": "1e10"}, "limit='1e10'"),
        ({"limit": "2", "bets": "a"}, "one or the other"),
        ({"limit": 2}, ""),
        ({"limit": (2,)}, "limit="),
        ({"rake": 1.0}, "rake"),
        ({"rake": "much"}, "rake=much"),
        ({"cap": 1.0}, "without a rake"),
        ({"threshold": "all"}, "threshold=all"),
        ({"cap": -1.0}, "cap"),
        ({"accuracy": 0.0}, "accuracy"),
        ({"accuracy": 2.0}, "accuracy"),
        ({"seconds": 0.0}, "seconds"),
        ({"seconds": "60", "accuracy": "0.5"}, ""),
        ({"threads": 0}, "threads"),
        ({"algorithm": "magic"}, "algorithm"),
        ({"algorithm": ["dcfr"]}, "algorithm"),
        ({"storage": None}, "storage"),
        ({"colour": "red"}, "colour"),
        ({"lock": {":r7": {"any": {"c": 1}}}}, "nobody acts"),
        ({"lock": {"": {"any": {"c": 1}}}}, "names no node"),
        ({"lock": {":": {"any": {"c": 0.5}}}}, "sum to 1"),
        ({"lock": {":": {"any": {"c": float("nan")}}}}, "sum to 1"),
        ({"lock": {":": {"any": {"c": "all"}}}}, "lock .accepted"),
        ({"lock": {":": 5}}, "lock .accepted"),
        ({"lock": 5}, "lock .accepted"),
        ({"lock": {":": {"AhAs": {"c": 1}}}}, "names 1 of 6 hands"),
        ({"lock": {":": {"any": {"c": 1}, "QQ": {"c": 1}}}}, "holds no hand of 'QQ'"),
        ({"stack": 10**9, "bets": "1", "raises": "1"}, "more than 100 bets and raises on one street"),
    ],
)
def test_wrong_input(given: dict[str, Any], message: str) -> None:
    spot: dict[str, Any] = {"board": BOARD, "ranges": RANGES, "pot": 10, "stack": 10}
    if not message:
        assert sc.solve(**spot | {"accuracy": 0.5} | given)
        return
    with pytest.raises(UsageError, match=message):
        sc.solve(**spot | given)


def test_a_file_that_cannot_be_written_is_found_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder.spot").mkdir()
    before = list(tmp_path.iterdir())
    monkeypatch.setattr(Solution, "run", lambda *given, **how: pytest.fail("it was solved"))
    for name in ("folder.spot", "x" * 300 + ".spot"):
        with pytest.raises(UsageError, match="cannot write"):
            solve_spot({"board": BOARD, "ranges": RANGES, "pot": 10, "stack": 10}, out=tmp_path / name)
    assert list(tmp_path.iterdir()) == before


def test_numbers_of_any_type_are_kept_as_python_numbers(tmp_path: Path) -> None:
    path = str(tmp_path / "river.spot")
    given: dict[str, Any] = {
        "pot": np.int64(10),
        "stack": [np.int32(7), "1e1"],
        "rake": np.float32(0.25),
        "cap": Fraction(1, 2),
    }
    solution = sc.solve(BOARD, list(RANGES), accuracy=0.5, **given)  # type: ignore[arg-type]
    solution.save(path)
    spot = sc.Solution.load(path).spot
    assert (spot.pot, spot.stack, spot.rake, spot.cap) == (10, (7, 10), 0.25, 0.5)
    assert spot == solution.spot


@pytest.mark.parametrize(
    ("field", "value"),
    [("board", 5), ("ranges", [1, 2]), ("bets", ["50%"]), ("limit", [2]), ("threshold", "low"), ("rake", None)],
)
def test_spots_of_foreign_files_are_verified(
    field: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, solution = tmp_path / "river.spot", Solution(Spot(BOARD, RANGES, 10, 10))
    monkeypatch.setattr(Spot, "as_dict", lambda self: asdict(self) | {field: value})
    solution.save(path)
    with pytest.raises(UsageError, match=f"{field}="):
        solve_spot(path)


def test_moves_are_weighted_by_the_hands_that_both_players_hold() -> None:
    """A hand counts as often as it is dealt beside a hand of the opponent."""
    blocked = Solution(Spot(BOARD, ("AsKs,TcTh", "AsQs"), 100, 400, bets="none"))
    blocked.run(0.01)
    (check,) = shown_node(blocked, ":").moves
    assert (check.frequency, check.ev) == (1, pytest.approx(100))
    turn = Solution(Spot(BOARD[:-2], ("QQ,ATs", "QJs,99"), 100, 200), double=True)
    turn.run(0.01)
    moves = shown_node(turn, ":").moves
    assert sum(move.frequency for move in moves) == pytest.approx(1)
    assert sum(move.frequency * (move.ev or 0) for move in moves) == pytest.approx(turn.result()["ev"][0])


def test_grids_have_means_of_suits() -> None:
    solution = Solution(Spot(BOARD, ("AA,AKs,KsQd:0.5,KhQd", "99"), 100, 400))
    solution.run(0.01)
    node = solution.node(":")
    grid, equity = node.grid(node.strategy[:, 0]), node.equity[node.player]
    assert [tuple(cell) for cell in np.argwhere(~np.isnan(grid))] == [(0, 0), (0, 1), (2, 1)]
    aces = (node.hands[0] // 4 == 12).all(axis=1)
    assert grid[0, 0] == pytest.approx(node.strategy[aces, 0].mean())
    assert np.isnan(node.grid(np.full(len(equity), np.nan))).all()
    last = (node.hands[0] // 4 == [10, 11]).all(axis=1)
    assert node.grid(equity)[2, 1] == pytest.approx(np.average(equity[last], weights=node.weight[0][last]))


def test_moves_behind_a_bet_that_is_never_made_have_no_value() -> None:
    solution = Solution(Spot(BOARD, RANGES, 100, 400), lock={":": {"any": {"c": 1}}})
    solution.run(0.01)
    node = shown_node(solution, ":r50")
    assert {move.ev for move in node.moves} == {None}
    assert sum(move.frequency for move in node.moves) == pytest.approx(1)


@pytest.mark.parametrize("algorithm", ["dcfr", "cfr+"])
def test_tables_of_16_bits_stop_before_they_get_worse(algorithm: str) -> None:
    ranges = ("Td9d,5d4d,AhAd,KQ", "8c8d,JJ,A9o,QQ:0.3")
    solution = Solution(Spot("AsKsQdJh2c", ranges, 100, 300, raises="a"), algorithm=algorithm, storage=16)
    assert not solution.run(1e-6)
    assert (solution.solver.iterations, solution.exhausted) == (MAX_HALF_ITERATIONS, True)
    assert solution.exploitability < 0.004
    assert solution.run(0.004)  # where it stands
    assert solution.solver.iterations == MAX_HALF_ITERATIONS


def test_memory_is_told_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smoothcall.search.range_solver.TOLD_BYTES", 1)
    told, tables = list[str](), list[object]()
    allocate = RangeSolver._allocate
    monkeypatch.setattr(RangeSolver, "_allocate", lambda self, *given: tables.append(told[-1]) or allocate(self, *given))
    with watched(lambda what, fraction: told.append(what)):
        Solution(Spot("Td9d6hQc", RANGES, 10, 10))
    assert tables == ["taking 0 MB of memory for the tables of this spot"]


def test_wrong_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("", "[]", '{":": 3}', '{":": {"any": {"c": "1"}}}', '{":": {}}', "{" * 100):
        (tmp_path / "lock.json").write_text(text)
        with pytest.raises(UsageError):
            lock_of(tmp_path / "lock.json")
    for out in (tmp_path / "spot.agent", tmp_path / "none" / "x.spot"):
        with pytest.raises(UsageError, match="cannot save"):
            solve_spot({"board": BOARD, "ranges": RANGES, "pot": 10, "stack": 10}, out=out)
        assert not out.exists()
    monkeypatch.setattr("smoothcall.memory.available", lambda: 1_000)
    with pytest.raises(UsageError, match="GB of memory"):
        sc.solve("Td9d6h", RANGES, 10, 10)
