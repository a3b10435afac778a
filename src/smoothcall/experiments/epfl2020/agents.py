"""The agents of epfl2020: read from the ledger, or trained; and a network trained against one of them."""

from __future__ import annotations

from collections.abc import Iterator

from smoothcall.agents.fixed import Strategy
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.evaluation.policy_match import deals_of, mbb, sample
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.agents import AgentFolder, StackGame, Tell
from smoothcall.experiments.curves import spaced
from smoothcall.experiments.epfl2020.settings import LEARNERS, SEED, Size, command, hands
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.learners.freezeout_learner import FreezeoutLearner
from smoothcall.policy import Policy
from smoothcall.simulation.stack_trees import stack_trees
from smoothcall.solvers import solver


def trained(label: str, made: Game, size: Size, folder: AgentFolder, tell: Tell) -> TabulatedPolicy:
    """Read or train an agent, with its learning curve in its card."""
    card = {"solver": {"name": LEARNERS[label], "seed": SEED}, "iterations": hands(label, size)}

    def train() -> Policy:
        tell(f"training {label}: {command(label, size)}")
        return _learn(label, made, size)

    found = folder.find_or_train(LEARNERS[label], made, train, card=card, command=command(label, size))
    assert isinstance(found, TabulatedPolicy)
    return found


def _learn(label: str, made: Game, size: Size) -> Policy:
    learner = solver(LEARNERS[label], made, seed=SEED, **size.options)
    assert isinstance(learner, FreezeoutLearner)
    total = hands(label, size)
    before, curve = learner.earned.copy(), []
    for point in spaced(max(1, total // 200), total, 40):
        learner.run(point - learner.iterations)
        won, ended = learner.earned - before
        if ended:
            curve.append([point, won / ended])
            before = learner.earned.copy()
    policy = learner.policy()
    policy.card["curve"] = curve
    return policy


def stack_games(made: Game, size: Size) -> Iterator[StackGame]:
    """Yield the games of hands with every stack that may be left in a freezeout."""
    assert isinstance(made.rules, PokerRules)
    full, unit = made.rules.stack or 0, stack_trees(made.rules).unit
    for stack in range(2 * unit, full + unit, unit):
        walks = min(size.walks, max(2 * size.walks // 2 ** ((full - stack) // (4 * unit)), size.walks // 4))
        yield StackGame(stack, game(made.name, **{**made.options, "stack": stack, "grid": size.grid}), walks)


def deep_response(policy: Policy, size: Size) -> Estimate:
    """Train clipped double DQN against a frozen agent; return its winnings in mbb/h."""
    options = {name: value for name, value in size.options.items() if name in ("freezeouts", "fade")}
    learner = solver("clipped-double-dqn", policy.game, seed=SEED, against=policy, length=1, mirror=1e15, **options)
    learner.run(size.response_hands)
    players = [Strategy(learner.policy()), Strategy(policy)]
    return sample(policy.game, players, deals_of(policy.game, size.match_hands), seed=SEED).estimates(mbb(policy.game))[0]
