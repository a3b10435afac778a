"""Public chance sampling and CFR-BR: updates compared with full-width CFR and hand against hand, known values, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.games.outcomes import every_outcome
from smoothcall.kernels.tables import DECISION, FOLD, SHOWDOWN
from smoothcall.search.drawn_boards import BATCH
from smoothcall.search.public_cfr import PublicCFR
from tests.conftest import built

HOLDEM = "no-limit-holdem-32:menu=pot,grid=20/10/5"
PLAIN = {"alpha": 0, "gamma": 0, "least": 0}


def on_boards(solver: Any, boards: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run one iteration on each of the listed boards."""
    monkeypatch.setattr(solver._boards, "draw", lambda count, generator: np.array(boards[:count]))
    solver.run(len(boards))


def full_width(spec: str, iterations: int) -> tuple[Any, np.ndarray]:
    """Return full-width CFR after some iterations, and its regrets as [rows, A]."""
    game = built(spec)
    solver = sc.solver("cfr", game)
    solver.run(iterations)
    regret = np.zeros(game.legal.size)
    cell = game.form.cell
    regret[cell[cell >= 0]] = solver.tables()["regret"][cell >= 0]
    return solver, regret.reshape(game.legal.shape)


def test_one_board_is_full_width() -> None:
    """Kuhn has no board, so that every iteration is one of full-width CFR.

    At iteration 7 a sum of regrets is 0 but for rounding, which decides what is played from then on.
    """
    game = built("kuhn")
    solver = sc.solver("public-cfr", game, **PLAIN)
    for iterations in (1, 2, 6):
        solver.run(iterations - solver.iterations)
        _, regret = full_width("kuhn", iterations)
        np.testing.assert_allclose(solver.tables()["regret"], regret, atol=1e-5)


def test_regrets_are_unbiased_over_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean over all boards of Leduc is the full-width update of the player who learns first."""
    game = built("leduc")
    _, regret = full_width("leduc", 1)
    found = []
    for board in range(6):
        solver = sc.solver("public-cfr", game, **PLAIN)
        on_boards(solver, [board], monkeypatch)
        found.append(solver.tables()["regret"].copy())
    first = game.row_player == 0
    np.testing.assert_allclose(np.mean(found, axis=0)[first], regret[first], atol=1e-6)
    assert np.ptp(found, axis=0)[first].max() > 0.01, "boards differ"


def test_nodes_visited_at_random_are_unbiased() -> None:
    game = built("leduc")
    _, regret = full_width("leduc", 1)
    first, found = game.row_player == 0, []
    solver = sc.solver("public-cfr", game, seed=1, alpha=0, gamma=0, least=0.4)
    for _ in range(1_500):
        solver.tables()["regret"][:] = 0
        solver.run(1)
        found.append(solver.tables()["regret"][first].copy())
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / len(found) ** 0.5
    assert (abs(mean - regret[first]) <= 5 * error + 1e-6).all()
    assert len({each.astype(bool).sum() for each in found}) > 5, "different nodes are left out"


class HandByHand:
    """CFR on one board of hold'em with matrices over all pairs of hands, from the action tree and the rules alone."""

    def __init__(self, game: sc.Game, board: tuple[int, ...]) -> None:
        self.game, rules = game, game.rules
        held = [(low, high) for high in range(rules.deck.size) for low in range(high)]
        held = [hand for hand in held if not set(hand) & set(board)]
        boards = [(), board[:3], board[3:4], board[4:]]
        self.bucket = np.array([[game.abstraction.bucket(hand, boards[: street + 1]) for hand in held] for street in range(4)])
        strength = np.array([rules.order.strength(rules.deck, hand, board) for hand in held])
        self.apart = np.array([[not set(one) & set(other) for other in held] for one in held]) / 1.0
        self.ahead = np.sign(strength[:, None] - strength[None])
        self.regret = np.zeros(game.legal.shape)
        self.average = np.zeros(game.legal.shape)

    def policy(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (rows of hands, [hands, A] probabilities)."""
        tree = self.game.tree
        rows = tree.first_row[node] + self.bucket[tree.round[node]]
        legal = tree.child[node] >= 0
        positive = np.maximum(self.regret[rows], 0) * legal
        total = positive.sum(axis=1, keepdims=True)
        return rows, np.where(total > 0, positive / np.where(total > 0, total, 1), legal / legal.sum())

    def learn(self, learner: int, node: int, reach: np.ndarray) -> np.ndarray:
        tree = self.game.tree
        if tree.kind[node] != DECISION:
            index, payoff = self.game.settled
            orders = every_outcome(2)[1]
            order = np.sign(orders[:, learner] - orders[:, 1 - learner])
            chips = {sign: payoff[index[node], np.flatnonzero(order == sign)[0], learner] for sign in (-1, 0, 1)}
            assert tree.kind[node] in (FOLD, SHOWDOWN)
            value = sum(chips[sign] * (self.ahead == sign) for sign in chips)
            return (value * self.apart) @ reach / self.apart.sum()
        rows, policy = self.policy(node)
        actions = np.flatnonzero(tree.child[node] >= 0)
        if tree.player[node] != learner:
            for action in actions:
                np.add.at(self.average, (rows, action), reach * policy[:, action])
            return sum(self.learn(learner, int(tree.child[node, action]), reach * policy[:, action]) for action in actions)
        values = {action: self.learn(learner, int(tree.child[node, action]), reach) for action in actions}
        mean = sum(policy[:, action] * value for action, value in values.items())
        for action, value in values.items():
            np.add.at(self.regret, (rows, action), value - mean)
        return mean


def test_hand_by_hand() -> None:
    """Two iterations on boards of hold'em with 32 cards: regrets and averages of every row."""
    game = sc.game(HOLDEM, stack=3000)
    solver = sc.solver("public-cfr", game, seed=5, **PLAIN)
    assert isinstance(solver, PublicCFR)
    solver.run(2)
    plain: HandByHand | None = None
    for number in range(2):
        regret, average = (plain.regret, plain.average) if plain else (0, 0)
        plain = HandByHand(game, tuple(solver._boards.listed.board[number].tolist()))
        plain.regret += regret
        plain.average += average
        for learner in range(2):
            plain.learn(learner, 0, np.ones(len(plain.apart)))
    np.testing.assert_allclose(solver.tables()["regret"], plain.regret, atol=1e-3 * abs(plain.regret).max())
    np.testing.assert_allclose(solver.tables()["average"], plain.average, rtol=1e-3, atol=1e-2)
    assert (plain.average.sum(axis=1) > 0).mean() > 0.2


@pytest.mark.parametrize(("name", "spec", "iterations", "bar"), [
    ("public-cfr", "kuhn", 2_000, 1e-3),
    ("cfr-br", "kuhn", 5_000, 0.01),
    ("public-cfr", "leduc", 10_000, 0.1),
    ("cfr-br", "leduc", 10_000, 0.12),
])  # fmt: skip
def test_they_come_to_an_equilibrium(name: str, spec: str, iterations: int, bar: float) -> None:
    """By exact NashConv; the value is that of the linear program, as near as NashConv allows."""
    game = built(spec)
    solver = sc.solver(name, game, seed=1)
    solver.run(iterations)
    policy = solver.policy()
    assert sc.nash_conv(game, policy) < bar
    exact = sc.solver("lp", game)
    exact.run(1)
    value = sc.expected_values(game, exact.policy())[0]
    assert abs(sc.expected_values(game, policy)[0] - value) <= bar


def test_a_responder_sees_more() -> None:
    """CFR-BR's player has one bucket a street; its responders tell hands apart and win more from a player that cannot."""
    game = sc.game("no-limit-holdem-32", menu="pot", grid="1/1/1")
    solver = sc.solver("cfr-br", game, responder_grid="30/30/1", responder_cells="equity")
    solver.run(3)
    assert solver.tables()["responses"].shape[0] > solver.tables()["regret"].shape[0]
    assert solver.tables()["responses"].any()


def test_batches_do_not_matter() -> None:
    game = built(HOLDEM)
    whole, parts = (sc.solver("public-cfr", game, seed=2) for _ in range(2))
    whole.run(BATCH + 3)
    for count in (1, BATCH - 2, 4):
        parts.run(count)
    np.testing.assert_array_equal(whole.tables()["regret"], parts.tables()["regret"])


def test_games_they_refuse() -> None:
    for name in ("public-cfr", "cfr-br"):
        for spec in ("rps", "kuhn-3p", "limit-holdem-3p"):
            with pytest.raises(sc.UsageError, match=f"{name} learns poker for two, not {spec}"):
                sc.solver(name, built(spec))
    with pytest.raises(sc.UsageError, match="are for hold'em, not for kuhn"):
        sc.solver("cfr-br", built("kuhn"), responder_grid="S")
    with pytest.raises(sc.UsageError, match="option grid=0/1/1"):
        sc.solver("cfr-br", built(HOLDEM), responder_grid="0/1/1")
