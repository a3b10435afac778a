"""The agents of Pricope 2021: read from the folder of the page, or trained by runs that can be killed and resumed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np

from smoothcall.agents.expert import Expert
from smoothcall.agents.files import load
from smoothcall.agents.opponent_models import BothModels, ImageModel, NaiveBayes
from smoothcall.agents.serialization import CARD_PLAYERS
from smoothcall.agents.stack_policies import PolicyByStack
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.experiments.pricope2021.settings import (
    AGENT_1,
    BUILT_IN,
    GENERIC,
    MCCFR,
    ONE,
    ONE_BAYES,
    ONE_HONEST,
    ONE_NETWORK,
    SEED,
    TWO_HANDS,
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
from smoothcall.solvers import solver
from smoothcall.store.runs import Run

Tell = Callable[[str], None]  # receives a line of progress


@dataclass(frozen=True, slots=True)
class Version:
    """An agent of a training: of a seed, after so many freezeouts (0: at the end)."""

    label: str
    seed: int = SEED
    freezeouts: int = 0


@dataclass(eq=False)
class Agents:
    """The agents by label. Agents of the first seed are kept in `folder`, which belongs to the page, the others in `runs`."""

    size: Size
    folder: Path
    runs: Path
    tell: Tell
    _policies: dict[Version, TabulatedPolicy] = field(default_factory=dict)

    @cached_property
    def game(self) -> Game:
        return game(self.size.game)

    @property
    def rules(self) -> PokerRules:
        assert isinstance(self.game.rules, PokerRules)
        return self.game.rules

    @property
    def blind(self) -> int:
        return max(self.rules.blinds)

    def player(self, who: str | Version) -> BatchPolicy:
        """Return anybody as a batch policy; of trained agents by label the first seed at the end of its training."""
        if isinstance(who, Version):
            return self.trained(who).batch_policy
        if who in GENERIC:
            return CARD_PLAYERS[GENERIC[who]]()
        if who == MCCFR:
            return PolicyByStack.whole(self.mccfr)
        return self.policy(who).batch_policy

    def policy(self, label: str) -> TabulatedPolicy:
        return self.agent_1(label) if label in AGENT_1 else self.trained(Version(label))

    @cached_property
    def mccfr(self) -> Policy:
        """The average policy of MCCFR in hands with full stacks."""
        if not self.size.walks:
            return load(BUILT_IN, self.game)
        learner = solver("mccfr", self.game, seed=SEED)
        learner.run(self.size.walks)
        return learner.policy()

    # Agent 1

    def agent_1(self, label: str) -> TabulatedPolicy:
        version = Version(label)
        if version not in self._policies:
            file = self._agent_1_file(label)
            if not file.exists():
                self._fit(honest=label == ONE_HONEST)
            self._policies[version] = _load(file, self.game)
        return self._policies[version]

    def _agent_1_file(self, label: str) -> Path:
        return self.folder / f"{AGENT_1[label]}.agent"

    def _fit(self, *, honest: bool) -> None:
        """Fit opponent models, and save agent 1 with them: to honest players only, or also to bluffers, agent 2 among them."""
        size = self.size
        verify_packages("agent 1")
        from smoothcall.learners.opponent_model import HONEST, OPPONENTS, train_models

        bluffers = [self.player(TWO_HANDS)] if TWO_HANDS in size.trainings and not honest else []
        self.tell(f"opponent models, from {size.decisions:,} decisions")
        opponents = HONEST if honest else (*OPPONENTS, *bluffers)
        models = train_models(self.game, SEED, opponents, known=size.decisions, held_out=size.decisions // 4, epochs=1)
        made: dict[str, NaiveBayes | ImageModel | BothModels]
        made = {ONE: models.both, ONE_BAYES: models.naive_bayes, ONE_NETWORK: models.network}
        for label, model in ({ONE_HONEST: models.both} if honest else made).items():
            about: dict[str, Any] = {"name": label, "decisions": size.decisions}
            about["models"] = {name: vars(quality) for name, quality in models.quality.items()}
            _save(TabulatedPolicy(self.game, Expert(model), about), self._agent_1_file(label))

    # Agents that learn

    def trained(self, version: Version) -> TabulatedPolicy:
        """Return a trained agent."""
        label, seed, freezeouts = version.label, version.seed, version.freezeouts
        freezeouts = freezeouts or self.size.trainings[label].freezeouts
        version = Version(label, seed, freezeouts)
        if version not in self._policies:
            file = self._file(version)
            if not file.exists():
                self._train(version)
            policy = _load(file, self.game)
            if policy.card["command"] != (wanted := command(label, self.size, seed, freezeouts)):
                raise UsageError(f"the agent {file.name!r} in the ledger was made by {policy.card['command']}, not {wanted}")
            self._policies[version] = policy
        return self._policies[version]

    def _file(self, version: Version) -> Path:
        name = self.size.trainings[version.label].agent_file(version.seed, version.freezeouts)
        return (self.folder if version.seed == SEED else self.runs / "agents") / f"{name}.agent"

    def _train(self, wanted: Version) -> None:
        """Train an agent up to a version, and save those on the way; the run is deleted at its end."""
        label, seed = wanted.label, wanted.seed
        training = self.size.trainings[label]
        self.tell(f"training {label}: {command(label, self.size, seed, wanted.freezeouts)}")
        options, at = dict(training.options), self.runs / training.agent_file(seed, training.freezeouts)
        if options.get("against") in AGENT_1:
            self.agent_1(options["against"])
            options["against"] = str(self._agent_1_file(options["against"]))
        if at.exists():
            run = Run.open(at)
        else:
            run = Run.create(at, self.size.game, "nfsp-freezeouts", seed=seed, options=options, iterations=training.points[0])
        for freezeouts in training.points:
            version = Version(label, seed, freezeouts)
            if freezeouts <= wanted.freezeouts and not self._file(version).exists():
                run.train(iterations=freezeouts)
                _save(self._with_card(load(run.agent, run.game), run, version), self._file(version))
        if wanted.freezeouts == training.points_of(seed)[-1]:
            rmtree(at)

    def _with_card(self, policy: Policy, run: Run, version: Version) -> Policy:
        learner = run.solver
        assert isinstance(learner, FreezeoutNFSP)
        told = command(version.label, self.size, version.seed, version.freezeouts)
        policy.card["solver"]["options"] |= {"against": self.size.trainings[version.label].options.get("against", "itself")}
        policy.card |= {"name": version.label, "command": told, "seconds": round(run.seconds, 1)}
        policy.card |= {"hands": int(learner.earned[2]), "moves": learner.moves_made}
        policy.card["differences"] = np.round(learner.differences(), 1).tolist()
        return policy


def _save(policy: Policy, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    policy.save(file)


def _load(file: Path, of: Game) -> TabulatedPolicy:
    policy = load(file, of)
    assert isinstance(policy, TabulatedPolicy)
    return policy
