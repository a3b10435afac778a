"""The agents of Pricope 2021: read from the ledger, or trained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from smoothcall.agents.expert import Expert
from smoothcall.agents.files import load
from smoothcall.agents.serialization import CARD_PLAYERS
from smoothcall.agents.stack_policies import PolicyByStack
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.experiments.agents import AgentFolder, StackGame, Tell, equilibria
from smoothcall.experiments.pricope2021.settings import (
    BUILT_IN,
    EQUILIBRIUM,
    FILES,
    GENERIC,
    MAIN,
    ONE,
    ONE_NETWORK,
    SEED,
    Size,
    command,
)
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.learners import verify_packages
from smoothcall.learners.nfsp_freezeouts import FreezeoutNFSP
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.stack_trees import stack_trees
from smoothcall.solvers import solver


@dataclass(frozen=True, slots=True)
class Agents:
    """The trained agents by label."""

    policies: dict[str, TabulatedPolicy]
    snapshots: dict[str, dict[int, TabulatedPolicy]]  # by label and freezeouts trained
    network_expert: BatchPolicy  # agent 1 with the network instead of naive Bayes
    equilibrium: dict[int, Policy]  # by stack
    players: dict[str, BatchPolicy]  # everybody in the cross table


def train_agents(size: Size, of: Game, folder: AgentFolder, tell: Tell) -> Agents:
    """Read or train all agents."""
    assert isinstance(of.rules, PokerRules)
    policies: dict[str, TabulatedPolicy] = {}
    snapshots: dict[str, dict[int, TabulatedPolicy]] = {}
    policies[ONE], network_expert = _agent_1(size, of, folder, tell)
    for label in size.trainings:
        policies[label], snapshots[label] = _trained(label, size, of, policies[ONE], folder, tell)
    equilibrium = equilibria(_stack_games(size, of), folder, seed=SEED, tell=tell)
    stack = of.rules.stack or 0
    if size.full:
        equilibrium[stack] = load(BUILT_IN, game(of.name, **{**of.options, "stack": stack}))
    players: dict[str, BatchPolicy] = {label: policies[label].batch_policy for label in MAIN}
    players[EQUILIBRIUM] = PolicyByStack(stack_trees(of.rules), equilibrium)
    players |= {label: CARD_PLAYERS[name]() for label, name in GENERIC.items()}
    return Agents(policies, snapshots, network_expert.batch_policy, equilibrium, players)


def _agent_1(size: Size, of: Game, folder: AgentFolder, tell: Tell) -> tuple[TabulatedPolicy, TabulatedPolicy]:
    """Return agent 1 with naive Bayes and with the network."""
    card, made_by = {"decisions": size.decisions}, "smoothcall reproduce pricope2021"
    found = folder.find(FILES[ONE], of, card, made_by)
    with_network = folder.find(FILES[ONE_NETWORK], of, card, made_by) or found
    if isinstance(found, TabulatedPolicy) and isinstance(with_network, TabulatedPolicy):
        return found, with_network
    tell(f"opponent models, from {size.decisions:,} decisions")
    verify_packages("agent 1")
    from smoothcall.learners.opponent_model import train_models

    models = train_models(of, SEED, known=size.decisions, held_out=size.decisions // 4, epochs=1)
    about: dict[str, Any] = {
        "decisions": size.decisions,
        "models": {name: vars(quality) | {"said": str(quality)} for name, quality in models.quality.items()},
    }
    made = TabulatedPolicy(of, Expert(models.naive_bayes), {"name": ONE, **about})
    other = TabulatedPolicy(of, Expert(models.network), {"name": ONE_NETWORK, **about})
    folder.save(FILES[ONE], made)
    folder.save(FILES[ONE_NETWORK], other)
    return made, other


def _trained(
    label: str, size: Size, of: Game, agent_1: Policy, folder: AgentFolder, tell: Tell
) -> tuple[TabulatedPolicy, dict[int, TabulatedPolicy]]:
    """Return an agent and its snapshots."""
    training, made_by = size.trainings[label], command(label, size)
    names = {at: f"{FILES[label]}.{at}" for at in training.snapshots} | {training.freezeouts: FILES[label]}
    found: dict[int, TabulatedPolicy] = {}
    for at, name in names.items():
        card = {"iterations": at} | ({"command": made_by} if at == training.freezeouts else {})
        policy = folder.find(name, of, card, made_by)
        if isinstance(policy, TabulatedPolicy):
            found[at] = policy
    if len(found) < len(names):
        tell(f"training {label}: {made_by}")
        for at, policy in _learn(label, size, of, agent_1):
            found[at] = policy
            folder.save(names[at], policy)
    return found.pop(training.freezeouts), found


def _learn(label: str, size: Size, of: Game, agent_1: Policy) -> Iterator[tuple[int, TabulatedPolicy]]:
    """Train an agent; yield it after each of its snapshots and at the end, with the freezeouts it has learned from."""
    training = size.trainings[label]
    opponent = {"against": agent_1} if training.options.get("against") == ONE else {}
    learner = solver("nfsp-freezeouts", of, seed=SEED, **training.options | opponent)
    assert isinstance(learner, FreezeoutNFSP)
    learner.prepare()
    seconds = 0.0
    for at in (*training.snapshots, training.freezeouts):
        started = perf_counter()
        learner.run(at - learner.iterations)
        seconds += perf_counter() - started
        policy = learner.policy()
        assert isinstance(policy, TabulatedPolicy)
        policy.card["solver"]["options"] = {**policy.card["solver"]["options"], **training.options}
        policy.card |= {"name": label, "command": command(label, size), "seconds": round(seconds, 1)}
        policy.card |= {"hands": int(learner.earned[2]), "differences": np.round(learner.differences(), 1).tolist()}
        yield at, policy


def _stack_games(size: Size, of: Game) -> Iterator[StackGame]:
    """Yield the games of hands with every stack a freezeout may leave; the full one is a shipped agent in full runs."""
    assert isinstance(of.rules, PokerRules)
    full, blind = of.rules.stack or 0, max(of.rules.blinds)
    for stack in range(1, full if size.full else full + 1):
        if stack > blind:
            smaller = game(of.name, **{**of.options, "stack": stack})
        else:  # the catalogue refuses stacks that do not cover the blinds
            smaller = Game(replace(of.rules, stack=stack), grid="/".join(map(str, of.buckets[1:])))
        walks = max(size.walks * smaller.tree.rows // of.tree.rows, min(size.walks, 20_000))
        yield StackGame(stack, smaller, walks, saved=stack > blind)
