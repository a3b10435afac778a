"""NFSP in freezeouts, and its batch policies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.nfsp_networks import NFSPNetworks, compact_features, image_features
from smoothcall.agents.scripted import HeuristicMC, MostlyCalls
from smoothcall.agents.stack_policies import PolicyByStack
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.evaluation.freezeouts import play_freezeouts
from smoothcall.kernels.agents.features import FEATURES
from smoothcall.kernels.learners.nfsp import OPPONENT, draw_freezeout_policies
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.freezeouts import FreezeoutTables, expect_winnings
from smoothcall.kernels.simulation.observations import (
    BEFORE_CALL,
    BEFORE_POT,
    BEFORE_STREET,
    BUCKET,
    CARD,
    CARD_OBSERVATION,
    CARDS,
    EQUITY,
    NEVER,
    NODE,
    POT,
    SEAT,
    STREET,
    TO_CALL,
)
from smoothcall.kernels.tables import CALL, Array
from smoothcall.learners.nfsp_freezeouts import FREEZEOUTS, FreezeoutNFSP
from smoothcall.learners.opponents import freezeout_opponent
from smoothcall.simulation.freezeouts import FreezeoutEnv
from smoothcall.simulation.observations import node_observations
from smoothcall.simulation.stack_trees import stack_trees
from smoothcall.store.runs import Run
from tests.conftest import built

SPEC = "no-limit-holdem:stack=30,grid=6/6/6"
SMALL: dict[str, Any] = {"hands": 32, "batch": 32, "every": 16, "hidden": 16, "transitions": 5000, "moves": 5000}
NETWORK = [((8, FEATURES), (8,)), ((5, 8), (5,))]


def learner(**options: object) -> FreezeoutNFSP:
    found = sc.solver("nfsp-freezeouts", built(SPEC), seed=1, **{**SMALL, **options})
    assert isinstance(found, FreezeoutNFSP)
    return found


def taught(seed: int = 0, **options: Any) -> NFSPNetworks:
    """A batch policy that was never taught."""
    random = np.random.default_rng(seed)
    policy, values = (
        tuple(tuple(random.normal(size=shape).astype(np.float32) for shape in layer) for layer in NETWORK) for _ in range(2)
    )
    return NFSPNetworks(policy, values, **options)


class Anything:
    """Seldom folds, so that hands get far."""

    def probabilities(self, observations: Array, legal: Array) -> Array:
        return legal * np.array([0.1, 2, 1, 1, 0.2])


def env(count: int = 256) -> FreezeoutEnv:
    game = built(SPEC)
    made = FreezeoutEnv(game.rules, count=count, length=20, generators=seeded(3, 2), abstraction=game.abstraction)  # type: ignore[arg-type]
    made.freezeouts.policy[:] = 0
    return made


def turn(playing: FreezeoutEnv) -> None:
    playing.freezeouts.policy[:] = 0
    playing.sit()
    playing.batch.begin()
    playing.move([Anything()])


def observations(turns: int = 30) -> Array:
    playing, found = env(), []
    for _ in range(turns):
        turn(playing)
        found.append(playing.batch.observations[playing.batch.policy >= 0].copy())
        playing.settle()
    return np.concatenate(found)


# What is observed


def test_card_observations_show_the_cards_and_the_last_own_move() -> None:
    playing, moved = env(), 0
    deck, known = built(SPEC).abstraction, built(SPEC)
    assert deck is not None
    for _ in range(12):
        turn(playing)
        hands, observed = playing.batch.hands, playing.batch.observations
        for hand in range(0, 256, 16):
            seat = int(observed[hand, SEAT])
            made = int(hands.moves[hand, seat])
            if playing.batch.policy[hand] < 0 or made == 0:
                continue
            here = observed[hand]
            visible = (2, 5, 6, 7)[int(here[STREET])]
            cards = hands.dealt[hand, seat, 8:].tolist()
            assert here[CARD : CARD + CARDS].tolist() == cards[:visible] + [-1] * (CARDS - visible)
            boards = [(), *([tuple(cards[2:5])] if visible > 2 else []), *((card,) for card in cards[5:visible])]
            assert deck.bucket(tuple(cards[:2]), boards) == here[BUCKET]
            before = hands.observations[hand, seat, made - 2] if made > 1 else None
            expected = [NEVER, 0, 0] if before is None else [before[STREET], before[POT], before[TO_CALL]]
            np.testing.assert_array_equal(here[[BEFORE_STREET, BEFORE_POT, BEFORE_CALL]], expected)
            moved += before is not None
        playing.settle()
    assert moved > 20
    assert known.players == 2


def test_compact_features_and_images_carry_the_same_information() -> None:
    """Observations that differ in the one differ in the other."""
    observed = observations()
    observed = observed[np.random.default_rng(1).choice(len(observed), 1500, replace=False)]
    for metrics in (True, False):
        short = np.unique(compact_features(observed, metrics), axis=0, return_inverse=True)[1].reshape(-1)
        long = np.unique(image_features(observed, metrics).reshape(len(observed), -1), axis=0, return_inverse=True)[1].reshape(
            -1
        )
        pairs = set(zip(short.tolist(), long.tolist(), strict=True))
        assert len(pairs) == len(set(short.tolist())) == len(set(long.tolist()))


def test_compact_features_by_hand() -> None:
    observed = np.zeros((2, CARD_OBSERVATION), np.float32)
    observed[:, CARD:] = -1
    observed[:, [EQUITY, POT, TO_CALL, BEFORE_STREET]] = (0.25, 0.15, 0.05, NEVER)
    observed[0, CARD : CARD + 2] = (3, 51)
    observed[1, [STREET, BEFORE_STREET, BEFORE_POT]] = (2, 1, 0.1)
    observed[1, CARD : CARD + 6] = (0, 1, 10, 20, 30, 40)
    features = compact_features(observed)
    assert np.flatnonzero(features[0]).tolist() == [3, 51, 156, 160, 165, 169, 170, 178, 179, 180, 181]
    assert features[0, [169, 170, 178]].tolist() == pytest.approx([0.15, 0.05, 0.25])
    assert features[0, 179:].tolist() == pytest.approx([1, 1, 0.5, *[0] * 7])
    bits = [0, 1, 52 + 10, 52 + 20, 52 + 30, 52 + 40, 104 + 10, 104 + 20, 104 + 30, 158, 162, 165]
    assert np.flatnonzero(features[1, :169]).tolist() == bits
    assert 0 < features[1, 177] < 0.2, "a pair of twos at best"
    assert not compact_features(observed, metrics=False)[:, 177:].any()


def test_policies_of_freezeouts_are_sampled_by_eta_and_rho() -> None:
    count = 40_000
    chips, habits = np.zeros((count, 2), np.int32), np.zeros((count, 2, 4), np.int32)
    small, short = np.zeros(count, np.int8), np.zeros(count, np.int16)
    for learners, expected in (
        (2, [[0.9, 0.05, 0, 0, 0.05, 0], [0, 0, 0.9, 0.05, 0, 0.05]]),
        (1, [[0.9, 0.05, 0.05, 0], [0, 0, 0, 1]]),
    ):
        freezeouts = FreezeoutTables(chips, small, np.full((count, 2), -1, np.int8), short, habits)
        draw_freezeout_policies(freezeouts, np.ones(count, bool), learners, 0.1, 0.5, seeded(2)[0])
        for player, shares in enumerate(expected):
            found = np.bincount(freezeouts.policy[:, player], minlength=len(shares)) / count
            np.testing.assert_allclose(found, shares, atol=0.006)
        kept = freezeouts.policy.copy()
        due = np.arange(count) % 2 == 0
        draw_freezeout_policies(freezeouts, due, learners, 0.1, 0.5, seeded(3)[0])
        np.testing.assert_array_equal(freezeouts.policy[~due], kept[~due], "the others keep theirs")
        assert (freezeouts.policy[due] != kept[due]).any()


# Rewards


def test_winnings_are_those_that_were_to_be_expected() -> None:
    """Unbiased, the same where nothing was to come, and by hand in one case."""
    playing, game, generator = env(2048), built(SPEC), seeded(7)[0]
    assert game.abstraction is not None
    cards, dealt, meant = game.abstraction.cards, [], []
    checked = 0
    for _ in range(20):
        turn(playing)
        hands = playing.batch.hands
        won = np.zeros_like(hands.won)
        expect_winnings(cards, playing.batch.walk, hands, 500, generator, won)
        assert (won.sum(axis=1) == 0).all()
        over = np.flatnonzero(hands.over)
        dealt.append(hands.won[over, 0])
        meant.append(won[over, 0])
        for hand in over[:40]:
            last = max(
                (
                    hands.observations[hand, seat, hands.moves[hand, seat] - 1, STREET]
                    for seat in range(2)
                    if hands.moves[hand, seat]
                ),
                default=0,
            )
            showdown = len(set(playing.batch.walk.payoff[playing.batch.walk.ending[hands.node[hand]], :, 0].tolist())) > 1
            if not showdown or last == 3:
                assert won[hand, 0] == hands.won[hand, 0]
            elif last > 0:
                name = game.rules.deck.name  # type: ignore[union-attr]
                visible = (2, 5, 6, 7)[int(last)]
                held = ["".join(map(name, hands.dealt[hand, seat, 8:10].tolist())) for seat in range(2)]
                board = "".join(map(name, hands.dealt[hand, 0, 10 : 8 + visible].tolist()))
                chance = sc.equity(held, board).players[0].equity
                most = playing.batch.walk.payoff[playing.batch.walk.ending[hands.node[hand]], :, 0].max()
                assert won[hand, 0] == pytest.approx(most * (2 * float(chance) - 1), abs=most * 5 * 500**-0.5)
                checked += 1
        playing.settle()
    apart = np.concatenate(dealt) - np.concatenate(meant)
    assert abs(apart.mean()) < 4 * apart.std() / len(apart) ** 0.5
    assert np.concatenate(meant).std() < 0.8 * np.concatenate(dealt).std()
    assert checked > 5


# Batch policies


def test_what_was_learned_plays_without_jax_as_with_it() -> None:
    made = learner()
    made.run(60)
    observed, batch_policy = observations(5)[:200], made.batch_policy()
    legal = stack_trees(built(SPEC).rules).walk.child[observed[:, NODE].astype(np.int64)] >= 0  # type: ignore[arg-type]
    who = np.zeros(len(observed), np.int8)
    for eta, mode in ((0.0, 0), (1.0, 1)):
        expected = np.asarray(made._updates.act(made._state, made._encoder.encode(observed), who + mode, 0.0))
        np.testing.assert_allclose(made.batch_policy(eta).probabilities(observed, legal), expected, atol=1e-5)
    mixed = made.batch_policy(0.25).probabilities(observed, legal)
    np.testing.assert_allclose(
        mixed,
        0.75 * batch_policy.probabilities(observed, legal) + 0.25 * made.batch_policy(1.0).probabilities(observed, legal),
        atol=1e-6,
    )


@pytest.mark.parametrize(
    "batch_policy",
    [taught(eta=0.1), MostlyCalls(), HeuristicMC(50), taught(metrics=False)],
    ids=lambda batch_policy: type(batch_policy).__name__,
)
def test_files(tmp_path: Path, batch_policy: Any) -> None:
    game, observed = built(SPEC), observations(3)[:100]
    legal = np.ones((len(observed), 5), bool)
    TabulatedPolicy(game, batch_policy).save(tmp_path / "a.agent")
    again = sc.load(tmp_path / "a.agent", game)
    assert isinstance(again, TabulatedPolicy)
    np.testing.assert_array_equal(
        again.batch_policy.probabilities(observed, legal), batch_policy.probabilities(observed, legal)
    )
    np.testing.assert_allclose(again.table.sum(axis=1), 1, atol=1e-9)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"inputs": "sounds"}, "unknown input of a network: 'sounds'"),
        ({"eta": 2.0}, r"eta=2.0 and 2 networks of a batch policy \(accepted: 0 to 1, and 2\)"),
        ({"networks": [[[8, FEATURES], [5, 8]]]}, "and 1 networks"),
        ({"inputs": "images"}, "networks have layers"),
    ],
)
def test_foreign_files(tmp_path: Path, wrong: dict[str, Any], said: str) -> None:
    from smoothcall.agents.serialization import from_data, to_data

    about, arrays = to_data(taught())
    with pytest.raises(sc.UsageError, match=said):
        from_data(built(SPEC), about | wrong, arrays)


def test_tables_of_batch_policies_with_cards() -> None:
    """A row is the mean over hands of its bucket; of those who go by what is public it is what they do."""
    game = built(SPEC)
    policy = TabulatedPolicy(game, MostlyCalls())
    legal = game.legal
    shares = MostlyCalls().probabilities(np.zeros((len(legal), CARD_OBSERVATION)), legal)
    np.testing.assert_allclose(policy.table, shares, atol=0.01)
    strong = TabulatedPolicy(game, HeuristicMC()).table
    aces, trash = (game.rows(key)[0] for key in ("AA:", "72o:"))
    assert strong[aces, 2:].sum() > 0.9
    assert strong[trash, 1] > 0.9, "the odds are good enough"
    root = node_observations(game, np.array([0]), with_cards=True)
    assert (root[:, BEFORE_STREET] == NEVER).all()


@pytest.mark.long
def test_local_best_response_to_a_batch_policy_with_52_cards() -> None:
    """Counting showdowns of 52 cards takes 17 s; tests/evaluation/test_local_best_response.py has 32 cards."""
    policy = TabulatedPolicy(built(SPEC), MostlyCalls())
    assert sc.local_best_response(policy, deals=20, seed=1).total.mean > -2000


def test_tabular_policies_play_observations_with_cards() -> None:
    """A tabulated batch policy wins as much as the batch policy itself."""
    game = built(SPEC)
    table = PolicyByStack(stack_trees(game.rules), {30: TabulatedPolicy(game, MostlyCalls())})  # type: ignore[arg-type]
    results = [
        play_freezeouts(
            game.rules,
            [batch_policy, HeuristicMC()],
            names=("a", "b"),
            freezeouts=4000,
            length=1,
            seed=2,
            abstraction=game.abstraction,
        )  # type: ignore[arg-type]
        for batch_policy in (MostlyCalls(), table)
    ]
    apart = abs(results[0].gain.mean - results[1].gain.mean)
    assert apart < 3 * (results[0].gain.error + results[1].gain.error)
    assert results[0].hands == results[0].freezeouts == 4000
    assert results[0].mbb(10).mean == pytest.approx(100 * results[0].gain.mean)


# Learning


@pytest.mark.long
def test_learning_helps() -> None:
    """(The fast suite learns against a fixed opponent.)"""
    made, game = learner(every=32, batch=128, value_rate=0.003, policy_rate=0.003), built(SPEC)
    before = made.batch_policy()
    made.run(4000)
    results = [
        play_freezeouts(
            game.rules,
            [batch_policy, MostlyCalls()],
            names=("a", "b"),
            freezeouts=8000,
            length=1,
            seed=3,
            abstraction=game.abstraction,
        )  # type: ignore[arg-type]
        for batch_policy in (before, made.batch_policy())
    ]
    assert results[1].gain.interval()[0] > max(0.5, results[0].gain.interval()[1])
    assert made.won.count >= 4000
    assert len(made.differences()) == 4000 // FREEZEOUTS
    assert (made.differences() >= 0).all()


@pytest.mark.parametrize("hands", [3000, pytest.param(6000, marks=pytest.mark.long)])
def test_learning_against_a_fixed_opponent(hands: int) -> None:
    made, game = learner(against="call", length=1, eta=1.0), built(SPEC)
    made.run(hands)
    result = play_freezeouts(
        game.rules,
        [made.batch_policy(1.0), made._opponent],
        names=("a", "b"),
        freezeouts=8000,
        length=1,
        seed=3,
        abstraction=game.abstraction,
    )  # type: ignore[arg-type, list-item]
    assert result.gain.interval()[0] > 1, "an opponent that always calls is easily beaten"
    assert made.batch_policy().policy[0][0].shape == (16, FEATURES)


def test_an_opponent_that_calls_instead() -> None:
    """Half of the probability of each action of the opponent goes to a call; the learner's own probabilities stay."""
    plain, calling = learner(against="mostly-calls"), learner(against="mostly-calls", calls=0.5)
    for made in (plain, calling):
        made._begin_hands()
    before, after = plain._probabilities(), calling._probabilities()
    theirs = plain._batch.policy == OPPONENT
    assert theirs.any()
    assert not theirs.all()
    np.testing.assert_array_equal(after[~theirs], before[~theirs])
    call = np.eye(before.shape[1])[CALL]
    np.testing.assert_allclose(after[theirs], (before[theirs] + call) / 2)


@pytest.mark.parametrize("sizes", [{"channels": 2, "hidden": 4}, pytest.param({}, marks=pytest.mark.long, id="default sizes")])
def test_learning_from_images(sizes: dict[str, int]) -> None:
    made = learner(inputs="images", hands=8, batch=4, every=8, **sizes)
    made.run(10)
    batch_policy = made.batch_policy()
    assert len(batch_policy.policy) == 6
    assert batch_policy.probabilities(observations(2)[:5], np.ones((5, 5), bool)).shape == (5, 5)


@pytest.mark.parametrize(
    ("spec", "options", "said"),
    [
        (SPEC, {"against": "nobody"}, "nobody"),
        (
            SPEC,
            {"against": "call", "matrix": "diagonal", "rho": 0.5},
            r"option matrix=diagonal .*accepted against a fixed opponent: columns",
        ),
        (SPEC, {"calls": 0.5}, r"option calls=0.5 .*accepted in self-play: 0"),
        (SPEC, {"inputs": "words"}, r"option inputs=words \(accepted: compact, images\)"),
        (SPEC, {"runouts": -1}, r"option runouts=-1"),
        ("limit-holdem", {}, "nfsp-freezeouts cannot play limit-holdem"),
        ("no-limit-holdem:seats=3", {}, "nfsp-freezeouts cannot play no-limit-holdem:seats=3"),
        ("no-limit-holdem-32", {}, "nfsp-freezeouts cannot play no-limit-holdem-32"),
        ("kuhn", {}, "nfsp-freezeouts cannot play kuhn"),
    ],
)
def test_bad_input(spec: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(sc.UsageError, match=said):
        sc.solver("nfsp-freezeouts", built(spec), **options)


def test_tabular_opponents_know_full_stacks_only() -> None:
    uniform = sc.Policy.uniform(built(SPEC))
    with pytest.raises(sc.UsageError, match=r"knows hands with full stacks only \(accepted: length=1"):
        learner(against=uniform)
    learner(against=uniform, length=1).run(5)
    other = sc.Policy.uniform(built("no-limit-holdem:stack=20,grid=5/5/5"))
    with pytest.raises(sc.UsageError, match="plays no-limit-holdem:grid=5/5/5,stack=20, not"):
        learner(against=other, length=1)


def test_opponents_are_objects(tmp_path: Path) -> None:
    """A batch policy, its policy and the agent file of a run are the same opponent."""
    batch_policy, path = taught(eta=0.5), tmp_path / "opponent.agent"
    policy = TabulatedPolicy(built(SPEC), batch_policy)
    policy.save(path)
    won = []
    for against in (batch_policy, policy):
        made = learner(against=against)
        made.run(30)
        won.append(made.earned.tolist())
    run = Run.create(tmp_path / "run", SPEC, "nfsp-freezeouts", seed=1, iterations=30, options={**SMALL, "against": str(path)})
    run.solver.run(30)
    assert isinstance(run.solver, FreezeoutNFSP)
    won.append(run.solver.earned.tolist())
    assert won[0] == won[1] == won[2]
    with pytest.raises(sc.UsageError, match="an opponent of type int"):
        freezeout_opponent(3, built(SPEC), length=1, with_cards=True)  # type: ignore[arg-type]


def test_networks_on_images_are_agents(tmp_path: Path) -> None:
    """Their layers have four axes."""
    made = learner(inputs="images", hands=8, batch=4, every=8, channels=2, hidden=4)
    TabulatedPolicy(built(SPEC), made.batch_policy()).save(tmp_path / "a.agent")
    again = sc.load(tmp_path / "a.agent", built(SPEC))
    assert isinstance(again, TabulatedPolicy)
    observed, legal = observations(2)[:5], np.ones((5, 5), bool)
    wanted = made.batch_policy().probabilities(observed, legal)
    np.testing.assert_array_equal(again.batch_policy.probabilities(observed, legal), wanted)
