"""epfl2020, Poker Agent: four learners and the scripted players they learned against, no-limit hold'em with 32 cards.

Added to the paper: how exploitable the agents are, and how an equilibrium of the same game fares against them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from smoothcall.agents.batch_wrappers import Table
from smoothcall.agents.scripted import Scripted
from smoothcall.agents.stack_policies import PolicyByStack
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.evaluation.exact_response import exact_response
from smoothcall.experiments.agents import AgentFolder, StackGame, Tell, equilibria, lower_bounds
from smoothcall.experiments.epfl2020.agents import deep_response, stack_games, trained
from smoothcall.experiments.epfl2020.matches import add_actions, add_cross_table, add_simple_players, check_claims
from smoothcall.experiments.epfl2020.settings import (
    EQUILIBRIUM,
    EXACT,
    FIGURE_1,
    LEARNERS,
    SCRIPTED,
    SEED,
    Size,
    command,
)
from smoothcall.experiments.epfl2020.settings import FULL as FULL
from smoothcall.experiments.epfl2020.settings import QUICK as QUICK
from smoothcall.experiments.epfl2020.settings import TITLE as TITLE
from smoothcall.experiments.ledger import Page
from smoothcall.games.cards import SHORT, STANDARD
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.equity import category_frequencies
from smoothcall.holdem.equity_table import simulation_error
from smoothcall.information.named_games import game
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.stack_trees import stack_trees
from smoothcall.solvers import solver
from smoothcall.store.curves import new_figure, png


def report(page: Page, size: Size, folder: Path, tell: Tell) -> None:
    made = game(size.game)
    assert isinstance(made.rules, PokerRules)
    kept = AgentFolder(folder / "agents" if size.full else None)
    _add_frequencies(page)
    _add_equities(page, size, tell)
    learned = {label: trained(label, made, size, kept, tell) for label in LEARNERS}
    _add_curves(page, learned)
    policies = equilibria(stack_games(made, size), kept, seed=SEED, tell=tell)
    table = Table.of(made.rules)
    players: dict[str, BatchPolicy] = {label: policy.batch_policy for label, policy in learned.items()}
    players |= {EQUILIBRIUM: PolicyByStack(stack_trees(made.rules), policies)}
    players |= {label: Scripted(rule, table) for label, rule in SCRIPTED.items()}
    results = add_cross_table(page, made.rules, players, size, tell)
    add_simple_players(page, made.rules, players, size, tell)
    check_claims(page, results, list(players), size)
    add_actions(page, made, results)
    _add_lower_bounds(page, {**learned, EQUILIBRIUM: policies[made.rules.stack or 0]}, size, tell)
    _add_exact_responses(page, learned, size, tell)
    _add_commands(page, size)


def _add_frequencies(page: Page) -> None:
    page.heading("Frequencies of hands (Fig 1)")
    decks = {deck.size: category_frequencies(deck) for deck in (STANDARD, SHORT)}
    rows = [
        [category, f"{published} %", *(f"{float(found[category]):.4%}" for found in decks.values())]
        for category, published in zip(reversed(list(decks[52])), FIGURE_1, strict=True)
    ]
    page.table(["seven cards make", "published (52 cards)", "52 cards", "32 cards"], rows)
    page.text(
        "Exact. The paper prints the frequencies of 52 cards and orders its look-ups by them. With its own 32 cards high "
        "cards are rarer than four of a kind, and straights more frequent than pairs."
    )
    nearest = max(
        abs(float(decks[52][category]) * 100 - published) / published
        for category, published in zip(reversed(list(decks[52])), FIGURE_1, strict=True)
    )
    page.check(
        "Frequencies of hands, 52 cards (Fig 1)", "to 2 or 3 digits", f"within {nearest:.1%} of each", passed=nearest < 0.01
    )


def _add_equities(page: Page, size: Size, tell: Tell) -> None:
    tell("equities, exact and from rollouts")
    page.heading("Equity: exact, and from 100 rollouts (section 3.1)")
    rows = []
    for street, name in enumerate(("before the flop", "flop", "turn", "river")):
        found = simulation_error(SHORT, street, spots=size.spots, seed=SEED)
        rows.append([name, f"{found.deviation:.3f}", f"{found.error:.3f}", f"{found.bias:+.4f}", f"{found.apart:.3f}"])
    page.table(
        ["", "deviation of repeated estimates", "mean distance from the exact one", "bias", "deviation between states"], rows
    )
    page.text(
        "The paper says 0.05 before the flop to 0.2 after the river. The standard deviation of a frequency over 100 rollouts "
        "is at most sqrt(p (1 - p) / 100) = 0.05; 0.2 and more is the deviation of the equity between states. Here equities "
        "are exact: with 32 cards all of them fit in a table that is built in two seconds."
    )


def _add_curves(page: Page, learned: dict[str, TabulatedPolicy]) -> None:
    page.heading("Learning")
    figure = new_figure()
    axes = figure.axes[0]
    for label, policy in learned.items():
        hands, gain = np.array(policy.card["curve"]).T
        axes.plot(hands, gain, label=label)
    options = next(iter(learned.values())).card["solver"]["options"]
    axes.axvline(options["mirror"], color="grey", linestyle=":", linewidth=1)
    axes.set(xscale="log", xlabel="hands", ylabel="chips a freezeout of ten hands, exploration included")
    axes.legend()
    page.picture("learning", png(figure), "Winnings of the learners during training; mirror training begins at the dotted line")
    page.text(
        "Before the dotted line the learners play against scripted players of both pools, sampled anew for each freezeout. "
        f"After it, {options['share']:.0%} of the freezeouts are against a frozen copy that is renewed every "
        f"{options['renew']:,.0f} hands; nobody can win much from a copy, so the curves fall there."
    )


def _add_lower_bounds(page: Page, policies: dict[str, Policy], size: Size, tell: Tell) -> None:
    page.heading("How exploitable are they?")
    page.text(
        "The paper has no figure for this. Hands with full stacks against the frozen agent, in mbb/h (thousandths of 500 chips "
        "a hand) with 95 % intervals: lower bounds of what a best response wins. A local best response "
        f"({size.local_deals:,} deals in both seats); UCT, {size.episodes:,} episodes a seat; clipped double DQN, "
        f"{size.response_hands:,} hands. Folding every hand loses 1000."
    )
    rows, data = [], {}
    for label, policy in policies.items():
        tell(f"responses to {label}")
        bounds = lower_bounds(
            policy,
            deals=size.local_deals,
            episodes=size.episodes,
            hands=size.match_hands,
            seed=SEED,
            deep=lambda policy: deep_response(policy, size),
        )
        rows.append([label, *bounds.cells])
        data[label] = bounds.as_dict()
    page.table(["agent", "local best response", "UCT", "clipped double DQN"], rows)
    page.data["responses"] = data


def _add_exact_responses(page: Page, learned: dict[str, TabulatedPolicy], size: Size, tell: Tell) -> None:
    """Add best responses over every deal, in a game of few raises."""
    if not size.exact:
        return
    small = StackGame(0, game(size.exact), size.walks)
    rules = small.game.rules
    assert isinstance(rules, PokerRules)
    page.text(
        f"Exact values, where the only raise is by three bets (`{small.game.spec}`: {small.game.size[0]:,} nodes of the action "
        "tree): the winnings of a best response that sees its own cards and the whole board, over every deal. It takes some "
        "minutes, so two agents and the equilibrium are measured. The agents are those of the other tables; "
        f"{EQUILIBRIUM} is trained for this game: `{small.command(SEED)}`."
    )
    learner = solver("mccfr", small.game, seed=SEED)
    learner.run(size.walks)
    found: dict[str, Policy] = {}
    for label in EXACT:
        batch_policy: Any = learned[label].batch_policy
        found[label] = TabulatedPolicy(small.game, replace(batch_policy, table=Table.of(rules)))
    found[EQUILIBRIUM] = learner.policy()
    rows, data = [], {}
    for label, policy in found.items():
        tell(f"exact best response to {label}")
        response = exact_response(policy)
        rows.append([label, *(f"{value:+.1f}" for value in (response.total or 0.0, *(response.seats or ())))])
        data[label] = response.as_dict()
    page.table(["agent", "a best response wins, mbb/h", "as seat 0", "as seat 1"], rows)
    page.data["exact"] = data


def _add_commands(page: Page, size: Size) -> None:
    page.heading("How the agents were made")
    page.table(["agent", "command"], [[label, f"`{command(label, size)}`"] for label in LEARNERS])
    full = StackGame(0, game(size.game, grid=size.grid), size.walks)
    page.text(
        f"{EQUILIBRIUM}: `{full.command(SEED)}` for full stacks; for smaller ones, whose trees are smaller, with stack=... and "
        "fewer iterations. `smoothcall reproduce` reads the agents that it finds in this folder's `agents` and trains the "
        "others; those of the equilibrium are too large for the repository."
    )
