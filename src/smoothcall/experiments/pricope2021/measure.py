"""What is measured: trainings, matches between agents, and how exploitable they are. Each part is saved when it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from smoothcall.agents.batch_wrappers import Table
from smoothcall.agents.nfsp_networks import NFSPNetworks
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.scripted import AnyAmount, Rule, Scripted
from smoothcall.agents.view import Player
from smoothcall.evaluation.freezeouts import FreezeoutResult, play_freezeouts
from smoothcall.evaluation.match import match
from smoothcall.experiments import gradient_play
from smoothcall.experiments.parts import Parts
from smoothcall.experiments.pricope2021 import policies
from smoothcall.experiments.pricope2021.agents import Agents, Version
from smoothcall.experiments.pricope2021.responses import measure_responses
from smoothcall.experiments.pricope2021.results import to_data, to_list
from smoothcall.experiments.pricope2021.settings import (
    CALL,
    DP,
    DP_HAND,
    ETA,
    GENERIC,
    GP,
    GP_DIAGONAL,
    GP_HAND,
    HEURISTIC,
    IMAGES,
    IMAGES_RAW,
    LONG_DP,
    LONG_GP,
    MCCFR,
    ONE,
    ONE_BAYES,
    ONE_HONEST,
    ONE_NETWORK,
    RANDOM,
    RAW,
    SEED,
    TWO,
    TWO_CALLED,
    TWO_HANDS,
    TWO_RANDOM,
    Size,
    Training,
    command,
)
from smoothcall.information.named_games import game
from smoothcall.simulation.freezeouts import UNTIL_BROKE

BATCH_POLICIES = (NFSPNetworks, Rule, Scripted)  # that are given as objects, not by label; a Rule is a str as well
Who = str | Version | NFSPNetworks | Scripted
SIDE = (IMAGES, IMAGES_RAW)  # trained last: they take longest
PAIRS = ((GP, GP_HAND), (DP, DP_HAND), (GP, DP), (GP_HAND, DP_HAND), (GP_DIAGONAL, DP), (GP, RAW))


class Experiment:
    """Measures the parts of the page."""

    def __init__(self, parts: Parts, size: Size, agents: Agents) -> None:
        self.parts, self.size, self.agents = parts, size, agents

    # Matches

    def _play(self, one: Who, other: Who, *, freezeouts: int, length: int) -> FreezeoutResult:
        agents = self.agents
        players = [who if isinstance(who, BATCH_POLICIES) else agents.player(who) for who in (one, other)]
        return play_freezeouts(
            agents.rules,
            players,
            names=("one", "other"),
            freezeouts=freezeouts,
            length=length,
            seed=SEED,
            abstraction=agents.game.abstraction,
        )

    def freezeouts(self, one: Who, other: Who, count: int = 0) -> dict[str, Any]:
        """Play freezeouts until one player is broke."""
        if not count:
            slow, images = ONE in (one, other), any(isinstance(who, Version) and who.label in SIDE for who in (one, other))
            count = self.size.image_freezeouts if images else self.size.expert_freezeouts if slow else self.size.freezeouts
        return to_data(self._play(one, other, freezeouts=count, length=UNTIL_BROKE))

    def hands(self, one: Who, other: Who) -> dict[str, Any]:
        """Play hands with full stacks, every deal in both seats."""
        return to_data(self._play(one, other, freezeouts=2 * self.size.deals, length=1))

    def settings(self, *labels: str, **more: object) -> dict[str, Any]:
        """Return the settings of a part: how its agents are made, and the sizes it depends on."""
        made: dict[str, Any] = {}
        for label in labels:
            training = self.size.trainings.get(label)
            made[label] = "" if training is None else {"command": command(label, self.size), "seeds": training.seeds}
            if training is not None and training.snapshots:
                made[label] |= {"snapshots": training.snapshots}
            if training is not None and training.until:
                made[label] |= {"until": training.until}
        return {"game": self.size.game, "agents": made, **more}

    # Parts

    def models(self) -> None:
        wanted = {"game": self.size.game, "decisions": self.size.decisions}
        labels = (ONE, ONE_HONEST)
        self.parts.measure(
            "opponent models", wanted, lambda: {label: self.agents.agent_1(label).card["models"] for label in labels}
        )

    def training(self, label: str) -> None:
        """Train an agent with all its seeds, and keep what is known of its training."""

        def trained() -> list[dict[str, Any]]:
            training = self.size.trainings[label]
            found = []
            for seed in training.seeds:
                self.agents.trained(Version(label, seed, training.points_of(seed)[-1]))  # saves the others on its way
                cards = [self.agents.trained(Version(label, seed, at)).card for at in training.points_of(seed)]
                points = [{name: card.get(name) for name in ("iterations", "hands", "moves", "seconds")} for card in cards]
                found.append({"seed": seed, "points": points, "differences": cards[-1]["differences"]})
            return found

        self.parts.measure(f"training, {label}", self.settings(label), trained)

    def agent_1(self) -> None:
        """Matches of agent 1 with each of its models."""
        others = (RANDOM, CALL, HEURISTIC)
        labels = (ONE, ONE_BAYES, ONE_NETWORK, ONE_HONEST)

        def played() -> dict[str, Any]:
            return {
                label: {other: self.freezeouts(label, other, self.size.expert_freezeouts) for other in others}
                for label in labels
            }

        wanted = self.settings(*labels, freezeouts=self.size.expert_freezeouts, decisions=self.size.decisions)
        self.parts.measure("agent 1", wanted, played)

    def agent_2(self) -> None:
        """Measure how agent 2 plays in each of its forms, and who is exploited by it."""
        forms = {"average": 0.0, "greedy + average": ETA, "greedy": 1.0}
        labels = [label for label in (TWO, TWO_CALLED, TWO_HANDS, TWO_RANDOM) if label in self.size.trainings]

        def played() -> dict[str, Any]:
            found: dict[str, Any] = {}
            for label in labels:
                networks = self.agents.player(label)
                assert isinstance(networks, NFSPNetworks)
                for form, eta in forms.items():
                    player = replace(networks, eta=eta)
                    others = (ONE, ONE_HONEST, *GENERIC)
                    found[f"{label}, {form}"] = {
                        other: self.freezeouts(player, other, self.size.expert_freezeouts) for other in others
                    }
            return found

        wanted = self.settings(*labels, freezeouts=self.size.expert_freezeouts, decisions=self.size.decisions)
        self.parts.measure("agent 2", wanted, played)

    def agent_2_by_seed(self) -> None:
        """Measure what each training of agent 2 wins of agent 1 and of the generic players."""
        count = self.size.expert_freezeouts
        for label in (TWO, TWO_CALLED):
            if label not in self.size.trainings:
                continue

            def played(label: str = label) -> dict[str, Any]:
                seeds = self.size.trainings[label].seeds
                return {
                    other: [self.freezeouts(Version(label, seed), other, count) for seed in seeds] for other in (ONE, *GENERIC)
                }

            wanted = self.settings(label, ONE, freezeouts=count, decisions=self.size.decisions)
            self.parts.measure(f"{label} by seed", wanted, played)

    def images(self) -> None:
        """Networks on images, after each stretch of training: with hand-made inputs against raw ones, and against others."""
        training = self.size.trainings[IMAGES]
        points = training.points

        def played() -> dict[str, Any]:
            return {
                str(at): [
                    self.freezeouts(Version(IMAGES, seed, at), Version(IMAGES_RAW, seed, at)) for seed in self._at(at, training)
                ]
                for at in points
            }

        wanted = self.settings(*SIDE, freezeouts=self.size.image_freezeouts)
        self.parts.measure(f"{IMAGES} against {IMAGES_RAW}", wanted, played)
        for label, other in ((IMAGES, RANDOM), (IMAGES_RAW, RANDOM), (IMAGES, TWO), (IMAGES, ONE)):
            self.against(label, other, points[-1:])

    def against(self, label: str, other: str, points: Sequence[int], *, every: bool = False) -> None:
        """Matches of versions of an agent after so many freezeouts of training; of all seeds up to `compared`, or `every`."""

        def played() -> dict[str, Any]:
            training = self.size.trainings[label]
            return {
                str(at): [
                    self.freezeouts(Version(label, seed, at), other)
                    for seed in (training.seeds if every else self._at(at, training))
                ]
                for at in points
            }

        sizes = self.size.image_freezeouts if label in SIDE else [self.size.freezeouts, self.size.expert_freezeouts]
        more = {"freezeouts": sizes, "points": points}
        self.parts.measure(f"{label} against {other}", self.settings(label, other, **more), played)

    def _at(self, freezeouts: int, *trainings: Training) -> Sequence[int]:
        """Return the seeds compared after so many freezeouts: all that were trained so far up to `compared`, else the first."""
        seeds = [
            seed
            for seed in trainings[0].seeds
            if all(seed in each.seeds and freezeouts in each.points_of(seed) for each in trainings)
        ]
        return seeds if freezeouts <= self.size.compared else seeds[:1]

    def pair(self, one: str, other: str) -> None:
        """Matches of two agents after equally many freezeouts of training, seed by seed."""
        trainings = [self.size.trainings[label] for label in (one, other)]
        points = [at for at in (self.size.compared, trainings[0].freezeouts) if all(at in each.points for each in trainings)]

        def played() -> dict[str, Any]:
            return {
                str(at): [
                    self.freezeouts(Version(one, seed, at), Version(other, seed, at)) for seed in self._at(at, *trainings)
                ]
                for at in points
            }

        wanted = self.settings(one, other, freezeouts=self.size.freezeouts, points=points)
        self.parts.measure(f"{one} against {other}", wanted, played)

    def against_random(self) -> None:
        """Everybody but agent 3 as in the paper."""
        trained = [label for label in (TWO, TWO_RANDOM, LONG_GP, LONG_DP) if label in self.size.trainings]
        labels = (*trained, ONE, HEURISTIC, CALL)
        wanted = self.settings(*labels, freezeouts=[self.size.freezeouts, self.size.expert_freezeouts])
        self.parts.measure("against Random", wanted, lambda: {label: self.freezeouts(label, RANDOM) for label in labels})

    def longer(self) -> None:
        """Matches of agents with earlier versions of themselves."""
        for label in (GP, DP, LONG_GP, LONG_DP):
            training = self.size.trainings.get(label)
            if training is not None and training.snapshots:
                first = training.snapshots[0]

                def played(label: str = label, first: int = first) -> list[dict[str, Any]]:
                    return [self.freezeouts(Version(label), Version(label, SEED, first))]

                wanted = self.settings(label, freezeouts=self.size.freezeouts)
                self.parts.measure(f"{label} against itself after {first:,} games", wanted, played)

    def cross_table(self) -> None:
        """Hands with full stacks between everybody."""
        trained = [label for label in (GP, DP, RAW, LONG_GP, LONG_DP, TWO, TWO_RANDOM) if label in self.size.trainings]
        everybody = [*trained, ONE, MCCFR, *GENERIC]
        wanted = self.settings(*everybody, deals=self.size.deals)

        def played() -> list[list[Any]]:
            return [[one, other, self.hands(one, other)] for one, other in combinations(everybody, 2)]

        self.parts.measure("cross table", wanted, played)

    def chance(self) -> None:
        """Measure two identical copies: what Figs 2 and 3 show by chance."""
        for label in (GP, RAW):
            self.copies(label)

    def copies(self, label: str) -> None:
        one = Version(label)
        count = self.size.image_freezeouts if label in SIDE else self.size.freezeouts
        wanted = self.settings(label, freezeouts=count)
        self.parts.measure(f"two copies of {label}", wanted, lambda: self.freezeouts(one, one))

    def gradient(self) -> None:
        """Measure how far the gradient policy is from the average policy."""
        wanted = self.settings(GP, decisions=self.size.decisions // 10)
        self.parts.measure(
            "gradient policy",
            wanted,
            lambda: policies.distances(self.agents, self.agents.player(GP), self.size.decisions // 10),
        )

    def rules(self) -> None:
        rules, actions = self.agents.rules, self.agents.game.actions
        about = {"stack": rules.stack, "blinds": rules.blinds, "actions": actions, "hands": UNTIL_BROKE}
        self.parts.measure("game", {"game": self.size.game}, lambda: about)

    def always_fold(self) -> None:
        """Always-Fold against Always-Raise."""
        folds = Scripted("check-fold", Table(0, ()))
        self.parts.measure(
            "always fold",
            {"game": self.size.game},
            lambda: to_data(self._play(folds, Rule.ALWAYS_RAISE, freezeouts=200, length=1)),
        )

    def weak_cards(self) -> None:
        """Measure how often 7-3 folds to a raise before the flop, by the seed of the training."""
        at = self.size.compared

        def folds(who: str | Version) -> dict[str, float]:
            return policies.folds_of_7_3(self.agents, self.agents.player(who))

        def found() -> dict[str, Any]:
            seeds = self._at(at, self.size.trainings[GP])
            return {GP: [folds(Version(GP, seed, at)) for seed in seeds], MCCFR: [folds(MCCFR)]}

        self.parts.measure("7-3 before the flop", self.settings(GP, MCCFR, at=at), found)

    def larger_table(self) -> None:
        """Agent 3 hand by hand against Random, which raises by any amount: with two players and with three."""
        deals, policy = self.size.slow_deals, self.agents.policy

        def played() -> dict[str, Any]:
            found = {}
            for seats in (2, 3):
                spec = self.size.game if seats == 2 else f"{self.size.game}{',' if ':' in self.size.game else ':'}seats={seats}"
                players: list[Player] = [PolicyPlayer(policy(GP), random=Random(SEED))]
                players += [AnyAmount(Random(SEED + seat)) for seat in range(1, seats)]
                names = [GP, *(f"Random {seat}" for seat in range(1, seats))]
                result = match(game(spec), players, names=names, hands=seats * deals, seed=SEED, by_hand=True)
                found[str(seats)] = to_list(result.estimates[0])
            return found

        self.parts.measure("three players", self.settings(GP, deals=deals), played)


def measure(parts: Parts, size: Size, folder: Path) -> None:
    """Measure part by part; what takes longest comes last."""
    runs = Path("runs") / "pricope2021" if size.full else folder / "runs"
    run = Experiment(parts, size, Agents(size, folder / "agents", runs, parts.tell))
    run.rules()
    run.always_fold()
    run.models()
    for label in size.trainings:
        if label not in SIDE:
            run.training(label)
    run.agent_1()
    run.agent_2()
    run.agent_2_by_seed()
    run.against_random()
    for label in (GP, DP):
        points = size.trainings[label].points
        run.against(label, TWO, points, every=True)
        if TWO_CALLED in size.trainings:
            run.against(label, TWO_CALLED, points[:1])
        run.against(label, RANDOM, (points[0], points[-1]))
    run.against(GP, ONE, size.trainings[GP].points[:1])
    for one, other in PAIRS:
        if one in size.trainings and other in size.trainings:
            run.pair(one, other)
    run.longer()
    run.gradient()
    run.chance()
    run.cross_table()
    run.larger_table()
    run.weak_cards()
    measure_responses(run.parts, size, run.agents, run.settings)
    gradient_play.measure(run.parts, quick=not size.full)
    for label in SIDE:
        if label in size.trainings:
            run.training(label)
    if set(SIDE) <= set(size.trainings):
        run.copies(IMAGES)
        run.images()
