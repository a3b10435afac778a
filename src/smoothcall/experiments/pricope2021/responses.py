"""Lower bounds of what a best response wins of an agent: of hands with full stacks, and of whole freezeouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from smoothcall.evaluation.freezeouts import play_freezeouts
from smoothcall.evaluation.learned_response import learned_response
from smoothcall.evaluation.local_best_response import local_best_response
from smoothcall.experiments.parts import Parts
from smoothcall.experiments.pricope2021.agents import Agents
from smoothcall.experiments.pricope2021.results import to_data, to_list
from smoothcall.experiments.pricope2021.settings import DP, MCCFR, ONE, SEED, Size
from smoothcall.learners.nfsp_freezeouts import FreezeoutNFSP
from smoothcall.policy import Policy
from smoothcall.simulation.freezeouts import UNTIL_BROKE
from smoothcall.solvers import solver


def measure_responses(parts: Parts, size: Size, agents: Agents, settings: Callable[..., dict[str, Any]]) -> None:
    """Measure the responses to `size.exploited`, each in a part of its own."""
    for label in size.exploited:
        tabular = {"deals": size.local_deals, "episodes": size.episodes, "hands": 2 * size.deals}
        wanted = settings(label, **tabular, decisions=size.decisions)
        if label != ONE:  # a table of agent 1, which weighs all hands of the opponent, takes too long
            parts.measure(f"tabular responses to {label}", wanted, lambda label=label: _tabular(agents, label))  # type: ignore[misc]
        if label != MCCFR:  # which knows full stacks only
            wanted = settings(label, freezeouts=[size.response_freezeouts, size.freezeouts], decisions=size.decisions)
            parts.measure(f"deep response to {label}", wanted, lambda label=label: _deep(agents, label))  # type: ignore[misc]


def _tabular(agents: Agents, label: str) -> dict[str, list[float]]:
    """Return, in mbb/h, what a local best response and UCT win of a table of the agent in hands with full stacks."""
    size = agents.size
    policy: Policy = agents.mccfr if label == MCCFR else agents.policy(label)
    local = local_best_response(policy, deals=size.local_deals, seed=SEED)
    learned = learned_response(policy, episodes=size.episodes, hands=2 * size.deals, seed=SEED)
    return {"local": to_list(local.total), "learned": to_list(learned.total)}


def _deep(agents: Agents, label: str) -> dict[str, Any]:
    """Return the match of double DQN, which learned in freezeouts against the agent itself, with the agent."""
    size, policy = agents.size, agents.player(label)
    options = {name: value for name, value in size.trainings[DP].options.items() if name != "rho"}
    learner = solver("nfsp-freezeouts", agents.game, seed=SEED, **options | {"eta": 1.0, "against": policy})
    assert isinstance(learner, FreezeoutNFSP)
    learner.run(size.response_freezeouts)
    result = play_freezeouts(
        agents.rules,
        [learner.batch_policy(eta=1.0), policy],
        names=("response", label),
        freezeouts=size.expert_freezeouts if label == ONE else size.freezeouts,
        length=UNTIL_BROKE,
        seed=SEED,
        abstraction=agents.game.abstraction,
    )
    return to_data(result)
