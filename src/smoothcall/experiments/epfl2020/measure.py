"""The parts of the page on epfl2020. Every part is measured by itself; agents are trained when a part first needs them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from smoothcall.agents.batch_wrappers import ALL_IN, Table
from smoothcall.agents.combined import Combined
from smoothcall.agents.fixed import Strategy
from smoothcall.agents.scripted import Scripted
from smoothcall.agents.stack_policies import PolicyByStack
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.evaluation.exact_response import exact_response
from smoothcall.evaluation.policy_match import deals_of, mbb, sample
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.agents import AgentFolder, StackGame, lower_bounds, train_mccfr
from smoothcall.experiments.epfl2020.matches import meet, meetings
from smoothcall.experiments.epfl2020.settings import (
    COMBINED,
    EXACT,
    FIRST,
    LAYERS,
    LEARNERS,
    PAPER,
    ROLLOUTS,
    SCRIPTED,
    SEED,
    WITH_ALPHA,
    Size,
)
from smoothcall.experiments.epfl2020.training import command, trained
from smoothcall.experiments.parts import Parts
from smoothcall.games.cards import SHORT, STANDARD
from smoothcall.games.catalog import NO_LIMIT_HOLDEM_32
from smoothcall.games.rankings import BEST_FIVE
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.equity import category_frequencies
from smoothcall.holdem.equity_table import BOARD, equity_table, simulation_error
from smoothcall.information.named_games import game
from smoothcall.learners.combining import combine
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.stack_trees import stack_trees
from smoothcall.solvers import solver

REPEATS = 10  # samples from which the interval of a standard deviation is taken


class Players:
    """The players of the matches, each made when it is first needed."""

    def __init__(self, size: Size, folder: Path, parts: Parts) -> None:
        made = game(size.game)
        assert isinstance(made.rules, PokerRules)
        self.size, self.folder, self.parts, self.game, self.rules = size, folder, parts, made, made.rules
        self.table = Table.of(made.rules)
        self._trained: dict[tuple[str, int], TabulatedPolicy] = {}

    def agent(self, label: str, seed: int = SEED) -> TabulatedPolicy:
        if (label, seed) not in self._trained:
            make = self._combined if label == COMBINED else trained
            self._trained[label, seed] = make(label, seed, self.size, self.folder, self.parts.tell)
        return self._trained[label, seed]

    def learners(self, seed: int) -> dict[str, BatchPolicy]:
        return {label: self.agent(label, seed).batch_policy for label in PAPER}

    def scripted(self, *names: str) -> dict[str, BatchPolicy]:
        """Return scripted players by label: those of the final pool by the document's, the others by their names."""
        return {name: Scripted(SCRIPTED.get(name, name), self.table) for name in names}

    def _combined(self, label: str, seed: int, size: Size, folder: Path, tell: Any) -> TabulatedPolicy:
        members, kept = self.learners(seed), AgentFolder(folder / "agents")
        card = {"hands": size.choice_hands, "seed": seed, "members": self.settings(seed)}
        found = kept.find(f"combined-{seed}", self.game, {"combined": card}, "smoothcall reproduce epfl2020")
        if found is None:
            tell(f"{label}, seed {seed}: learning whom to play against whom from {size.choice_hands:,} hands")
            opponents = {**members, **self.scripted(*SCRIPTED, *FIRST)}
            made, choice = combine(
                self.rules, list(members.values()), list(opponents.values()), hands=size.choice_hands, seed=seed
            )
            about = {"learned": f"chooses among {', '.join(members)} by your habits, from {size.choice_hands:,} hands"}
            figures = {"hands": choice.hands.tolist(), "value": choice.value.tolist()}
            found = TabulatedPolicy(self.game, made, {"combined": card, "choice": figures, **about})
            kept.save(f"combined-{seed}", found)
        assert isinstance(found, TabulatedPolicy)
        return found

    def settings(self, seed: int, *labels: str) -> dict[str, str]:
        """Return how the agents of a part were trained, by label."""
        return {label: command(LEARNERS[label], seed, self.size) for label in labels or PAPER}


def measure_all(parts: Parts, size: Size, folder: Path) -> None:
    parts.measure("rules", {"game": NO_LIMIT_HOLDEM_32.name}, _rules)
    _measure_cards(parts, size)
    players = Players(size, folder, parts)
    parts.measure("networks", {"agents": players.settings(SEED, *LAYERS)}, lambda: _networks(players))
    for label in (*PAPER, *(f"{label}'" for label in size.ours)):
        for seed in seeds(size) if label in PAPER else our_seeds(size):
            settings = {"command": command(LEARNERS[label], seed, size)}
            parts.measure(f"training {label} {seed}", settings, partial(_training, players, label, seed))
    _measure_matches(parts, size, players)
    _measure_choices(parts, size, players)
    _measure_combined(parts, size, players)
    _measure_alphas(parts, size, players)
    _measure_beyond(parts, size, players)


def seeds(size: Size) -> range:
    return range(SEED, SEED + size.seeds)


def our_seeds(size: Size) -> range:
    return range(SEED, SEED + size.our_seeds)


def _training(players: Players, label: str, seed: int) -> dict[str, Any]:
    card = players.agent(label, seed).card
    return {"curve": card["curve"], "seconds": card["seconds"], "options": card["solver"]["options"]}


def _rules() -> dict[str, Any]:
    """Return what Sections 2 and 6.1 say of the game, from our rules. Raises are in bets."""
    rules = NO_LIMIT_HOLDEM_32
    return {
        "players": rules.seats,
        "suits": len(rules.deck.suits),
        "ranks": len(rules.deck.ranks),
        "stack": rules.stack,
        "UNIT_BET": rules.streets[0].bet,
        "blinds": rules.blinds,
        "raises": [bets for bets in Table.of(rules).factors if bets != ALL_IN],
    }


def _networks(players: Players) -> dict[str, Any]:
    """Return [inputs, outputs] of every layer of each learner's network; of CDQN both networks."""
    found: dict[str, Any] = {}
    for label in LAYERS:
        learned: Any = players.agent(label).batch_policy
        networks = learned.networks if label == "CDQN" else [learned.layers]
        found[label] = [[weight.shape[::-1] for weight, _ in network] for network in networks]
    return found


# Cards


def _measure_cards(parts: Parts, size: Size) -> None:
    parts.measure("frequencies", {}, _frequencies)
    for street, name in enumerate(("preflop", "flop", "turn", "river")):
        settings = {"spots": size.spots, "rollouts": ROLLOUTS, "repeats": REPEATS}
        parts.measure(f"rollouts {name}", settings, partial(_rollouts, street, size.spots))
    parts.measure("preflop equities", {}, _preflop_equities)
    parts.measure("exact equities", {"spots": size.exact_spots}, lambda: _exact_equities(size.exact_spots))


def _frequencies() -> dict[str, Any]:
    return {
        str(deck.size): {category: float(share) for category, share in category_frequencies(deck).items()}
        for deck in (STANDARD, SHORT)
    }


def _rollouts(street: int, spots: int) -> dict[str, list[float]]:
    """Return the errors of equities from rollouts, in REPEATS samples of states."""
    found = [simulation_error(SHORT, street, spots=max(2, spots // REPEATS), seed=SEED + each) for each in range(REPEATS)]
    return {name: [getattr(each, name) for each in found] for name in ("deviation", "error", "bias", "apart")}


def _preflop_equities() -> dict[str, float]:
    """Return the lowest and the highest exact equity of two cards before the flop."""
    known = equity_table(SHORT)
    return {"lowest": int(known.preflop.min()) / known.scale(0), "highest": int(known.preflop.max()) / known.scale(0)}


def _exact_equities(spots: int) -> dict[str, Any]:
    """Compare the table of equities with an enumeration of every opponent's hand, on random rivers; count its entries."""
    known, random = equity_table(SHORT), np.random.default_rng(SEED)
    same = []
    for _ in range(spots):
        cards = [int(card) for card in random.permutation(SHORT.size)]
        hole, board, rest = tuple(cards[:2]), tuple(cards[2:7]), cards[7:]
        own = BEST_FIVE.strength(SHORT, hole, board)
        others = [BEST_FIVE.strength(SHORT, other, board) for other in combinations(rest, 2)]
        equity = sum(1.0 if own > other else 0.5 if own == other else 0.0 for other in others) / len(others)
        same.append(abs(known.of(hole, board) - equity) < 1e-12)
    entries = {str(count): int(known.table[street].size) for street, count in BOARD.items() if count}
    return {"same": same, "entries": {"0": int(known.preflop.size), **entries}}


# Matches


def _measure_matches(parts: Parts, size: Size, players: Players) -> None:
    """Measure every learner against the learners after it, the final scripted players and the first ones."""
    for place, label in enumerate(PAPER):
        for seed in seeds(size):

            def measured(label: str = label, seed: int = seed, place: int = place) -> dict[str, Any]:
                others = {name: players.agent(name, seed).batch_policy for name in PAPER[place + 1 :]}
                others |= players.scripted(*SCRIPTED, *FIRST)
                one = players.agent(label, seed).batch_policy
                return meetings(players.rules, one, others, freezeouts=size.freezeouts, seed=seed)

            settings = {"freezeouts": size.freezeouts, "agents": players.settings(seed)}
            parts.measure(f"matches {label} {seed}", settings, measured)
    settings = {"freezeouts": size.freezeouts}
    parts.measure("matches of hands without a bet", settings, lambda: _checked_down(players))


def _checked_down(players: Players) -> dict[str, Any]:
    calls = players.scripted("call")["call"]
    return meet(players.rules, [calls, calls], freezeouts=players.size.freezeouts, seed=SEED)


def _measure_combined(parts: Parts, size: Size, players: Players) -> None:
    for seed in seeds(size):

        def measured(seed: int = seed) -> dict[str, Any]:
            agent = players.agent(COMBINED, seed)
            assert isinstance(agent.batch_policy, Combined)
            others = {**players.learners(seed), **players.scripted(*SCRIPTED, *FIRST)}
            found = meetings(players.rules, agent.batch_policy, others, freezeouts=size.freezeouts, seed=seed)
            return {"matches": found, "choice": agent.batch_policy.choice.tolist(), **agent.card["choice"]}

        settings = {"freezeouts": size.freezeouts, "choice_hands": size.choice_hands, "agents": players.settings(seed)}
        parts.measure(f"combined {seed}", settings, measured)
    new = [f"{label}'" for label in size.ours]
    for seed in our_seeds(size):
        settings = {"freezeouts": size.freezeouts, "choice_hands": size.choice_hands}
        settings |= {"agents": players.settings(seed, *PAPER, *new)}
        parts.measure(f"new opponents {seed}", settings, partial(_new_opponents, players, seed, new))


def _new_opponents(players: Players, seed: int, names: list[str]) -> dict[str, Any]:
    """Return matches of the combination and of its members against learners that its choice was not learned from."""
    others = {name: players.agent(name, seed).batch_policy for name in names}
    return {
        label: meetings(
            players.rules, players.agent(label, seed).batch_policy, others, freezeouts=players.size.freezeouts, seed=seed
        )
        for label in (COMBINED, *PAPER)
    }


# What the document leaves open


def _measure_choices(parts: Parts, size: Size, players: Players) -> None:
    """Measure our changes of the learners, and equities from rollouts."""
    for label in size.ours:
        for seed in our_seeds(size):

            def against(label: str = label, seed: int = seed) -> dict[str, Any]:
                others = {label: players.agent(label, seed).batch_policy, **players.scripted(*SCRIPTED)}
                one = players.agent(f"{label}'", seed).batch_policy
                return meetings(players.rules, one, others, freezeouts=size.freezeouts, seed=seed)

            settings = {"freezeouts": size.freezeouts, "agents": players.settings(seed, label, f"{label}'")}
            parts.measure(f"ours {label} {seed}", settings, against)
    settings = {"freezeouts": size.rollout_freezeouts, "rollouts": ROLLOUTS, "agents": players.settings(SEED)}
    parts.measure("estimated equities", settings, lambda: _estimated(players))


def _measure_alphas(parts: Parts, size: Size, players: Players) -> None:
    for label in WITH_ALPHA:
        for alpha in size.alphas:
            for seed in range(SEED, SEED + size.alpha_seeds):
                settings = {"hands": size.alpha_hands, "freezeouts": size.alpha_freezeouts, "options": LEARNERS[label].options}
                settings |= {"solver": LEARNERS[label].solver, "game": size.game}
                parts.measure(f"alpha {label} {alpha:g} {seed}", settings, partial(_alpha, players, label, alpha, seed))


def _alpha(players: Players, label: str, alpha: float, seed: int) -> dict[str, Any]:
    """Train a learner with another alpha; return its matches against the scripted players of both pools."""
    size, learner = players.size, LEARNERS[label]
    made = solver(learner.solver, players.game, seed=seed, **learner.with_options(size.options) | {"alpha": alpha})
    made.run(size.alpha_hands)
    policy = made.policy()
    assert isinstance(policy, TabulatedPolicy)
    others = players.scripted(*SCRIPTED, *FIRST)
    return meetings(players.rules, policy.batch_policy, others, freezeouts=size.alpha_freezeouts, seed=seed)


def _estimated(players: Players) -> dict[str, Any]:
    """Return gains against the final scripted players with exact equities and with estimates, in the same deals."""
    found: dict[str, Any] = {}
    for label, learner in players.learners(SEED).items():
        for name, other in players.scripted(*SCRIPTED).items():
            for rollouts in (0, ROLLOUTS):
                result = meet(
                    players.rules,
                    [learner, other],
                    freezeouts=players.size.rollout_freezeouts,
                    seed=SEED,
                    rollouts=rollouts,
                )
                found.setdefault(label, {}).setdefault(name, []).append([result["gain"], result["error"]])
    return found


# Beyond the document


def _measure_beyond(parts: Parts, size: Size, players: Players) -> None:
    for label in PAPER if size.local_deals else ():
        settings: dict[str, Any] = {"deals": size.local_deals, "episodes": size.episodes, "response_hands": size.response_hands}
        settings |= {"match_hands": size.match_hands, "agents": players.settings(SEED, label)}
        parts.measure(f"responses {label}", settings, partial(_responses, players, label))
    if size.walks:
        settings = {"walks": size.walks, "grid": size.grid, "freezeouts": size.freezeouts, "agents": players.settings(SEED)}
        parts.measure("mccfr", settings, lambda: _mccfr(players))
    for label in EXACT if size.exact else ():
        settings = {"game": size.exact, "agents": players.settings(SEED, label)}
        parts.measure(f"exact response {label}", settings, partial(_exact, players, label))


def _mccfr(players: Players) -> dict[str, Any]:
    """Return the matches of MCCFR's average policies, one for each stack that may be left in a freezeout."""
    size, full, unit = players.size, players.rules.stack or 0, stack_trees(players.rules).unit
    games = []
    for stack in range(2 * unit, full + unit, unit):
        walks = min(size.walks, max(2 * size.walks // 2 ** ((full - stack) // (4 * unit)), size.walks // 4))
        made = game(players.game.name, **{**players.game.options, "stack": stack, "grid": size.grid})
        games.append(StackGame(stack, made, walks))
    kept = AgentFolder(players.folder / "agents" if size.full else None)
    policies = train_mccfr(games, kept, seed=SEED, tell=players.parts.tell)
    one = PolicyByStack(stack_trees(players.rules), policies)
    others = {**players.learners(SEED), **players.scripted(*SCRIPTED)}
    found = meetings(players.rules, one, others, freezeouts=size.freezeouts, seed=SEED)
    return {"matches": found, "command": games[-1].command(SEED)}


def _responses(players: Players, label: str) -> dict[str, Any]:
    size = players.size
    bounds = lower_bounds(
        players.agent(label),
        deals=size.local_deals,
        episodes=size.episodes,
        hands=size.match_hands,
        seed=SEED,
        deep=lambda policy: _deep_response(policy, size),
    )
    found = {"local best response": bounds.local.total, "UCT": bounds.learned.total, "clipped double DQN": bounds.deep}
    return {name: [each.mean, each.error, each.count] for name, each in found.items() if each is not None}


def _deep_response(policy: Policy, size: Size) -> Estimate:
    """Train clipped double DQN against a frozen agent; return its winnings in mbb/h."""
    options = {name: value for name, value in size.options.items() if name in ("freezeouts", "fade")}
    learner = solver("clipped-double-dqn", policy.game, seed=SEED, against=policy, length=1, mirror=1e15, **options)
    learner.run(size.response_hands)
    pair = [Strategy(learner.policy()), Strategy(policy)]
    return sample(policy.game, pair, deals_of(policy.game, size.match_hands), seed=SEED).estimates(mbb(policy.game))[0]


def _exact(players: Players, label: str) -> dict[str, Any]:
    """Return what a best response wins over every deal, in a game of few raises."""
    small = game(players.size.exact)
    assert isinstance(small.rules, PokerRules)
    learned: Any = players.agent(label).batch_policy
    response = exact_response(TabulatedPolicy(small, replace(learned, table=Table.of(small.rules))))
    return {"total": response.total, "seats": response.seats, "nodes": small.size[0]}
