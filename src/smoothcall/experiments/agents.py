"""Agents of a ledger page: read from the page's folder, or trained and saved there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smoothcall.agents.files import load
from smoothcall.errors import UsageError
from smoothcall.evaluation.learned_response import LearnedResponse, learned_response
from smoothcall.evaluation.local_best_response import LocalBestResponse, local_best_response
from smoothcall.evaluation.statistics import Estimate
from smoothcall.information.game import Game
from smoothcall.policy import Policy
from smoothcall.solvers import solver

Tell = Callable[[str], None]  # receives a line of progress


@dataclass(frozen=True, slots=True)
class AgentFolder:
    """Folder in which the agents of a page are kept. Without a path nothing is read or saved."""

    path: Path | None

    def file(self, name: str) -> Path | None:
        return None if self.path is None else self.path / f"{name}.agent"

    def has(self, name: str) -> bool:
        file = self.file(name)
        return file is not None and file.exists()

    def find(self, name: str, of: Game | None, card: Mapping[str, Any], command: str) -> Policy | None:
        """Return a saved agent, or None.

        Raise UsageError where the agent's card differs from `card`, which may name part of the keys only: the saved agent was
        made by another command than `command`.
        """
        file = self.file(name)
        if file is None or not file.exists():
            return None
        policy = load(file, of)
        wrong = differences(card, policy.card)
        if wrong:
            found = ", ".join(f"{key} is {value!r} instead of {wanted!r}" for key, (wanted, value) in wrong.items())
            raise UsageError(f"the agent {name!r} in the ledger was not made by: {command} ({found})")
        return policy

    def save(self, name: str, policy: Policy) -> None:
        file = self.file(name)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            policy.save(file)

    def find_or_train(
        self, name: str, of: Game | None, train: Callable[[], Policy], *, card: Mapping[str, Any], command: str
    ) -> Policy:
        """Return a saved agent; else train it and save it."""
        found = self.find(name, of, card, command)
        if found is None:
            found = train()
            self.save(name, found)
        return found


def differences(wanted: Mapping[str, Any], found: Mapping[str, Any], within: str = "") -> dict[str, tuple[Any, Any]]:
    """Return (wanted, found) by dotted key, of the keys of `wanted` whose values differ in `found`."""
    wrong: dict[str, tuple[Any, Any]] = {}
    for key, value in wanted.items():
        other = found.get(key)
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            wrong |= differences(value, other, f"{within}{key}.")
        elif value != other:
            wrong[within + key] = (value, other)
    return wrong


@dataclass(frozen=True, slots=True)
class StackGame:
    """Hands of a freezeout in which both players have `stack` chips, and the training of MCCFR in them."""

    stack: int
    game: Game
    iterations: int  # of MCCFR
    saved: bool = True  # False: the game has no name in the catalogue, so that no file can refer to it

    def command(self, seed: int) -> str:
        return f"smoothcall train {self.game.spec} mccfr --iterations {self.iterations:g} --seed {seed}"


def train_mccfr(games: Iterable[StackGame], folder: AgentFolder, *, seed: int, tell: Tell) -> dict[int, Policy]:
    """Return the average policies of MCCFR by stack; a stack without a decision (all chips are blinds) has none."""
    found = {}
    for each in games:
        if not len(each.game.tree.decisions):
            continue

        def train(each: StackGame = each) -> Policy:
            tell(f"training MCCFR for stacks of {each.stack:,}: {each.command(seed)}")
            learner = solver("mccfr", each.game, seed=seed)
            learner.run(each.iterations)
            return learner.policy()

        name = f"mccfr/{each.stack}"
        kept = folder if each.saved else AgentFolder(None)
        found[each.stack] = kept.find_or_train(name, each.game, train, card={}, command=each.command(seed))
    return found


@dataclass(frozen=True, slots=True)
class LowerBounds:
    """Lower bounds of what a best response wins of an agent, in mbb/h."""

    local: LocalBestResponse
    learned: LearnedResponse
    deep: Estimate | None = None  # of a network that learned against the agent

    @property
    def cells(self) -> list[str]:
        """Cells of a table: local, learned and, where there is one, deep."""
        return [each.rounded for each in (self.local.total, self.learned.total, self.deep) if each is not None]

    def as_dict(self) -> dict[str, Any]:
        deep = {} if self.deep is None else {"deep": self.deep.as_dict()}
        return {"local": self.local.as_dict(), "learned": self.learned.as_dict(), **deep}


def lower_bounds(
    policy: Policy,
    *,
    deals: int,
    episodes: int,
    hands: int,
    seed: int,
    deep: Callable[[Policy], Estimate] | None = None,
) -> LowerBounds:
    """Measure a local best response over `deals` deals, UCT of `episodes` episodes a seat in `hands` hands, and `deep`."""
    local = local_best_response(policy, deals=deals, seed=seed)
    learned = learned_response(policy, episodes=episodes, hands=hands, seed=seed)
    return LowerBounds(local, learned, None if deep is None else deep(policy))
