"""Sections of the page on how the agents learned and how exploitable they are."""

from __future__ import annotations

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.agents import lower_bounds
from smoothcall.experiments.pricope2021.report import Report, rounded
from smoothcall.experiments.pricope2021.settings import (
    DP,
    EQUILIBRIUM,
    ETA,
    GENERIC,
    GP,
    PICTURE,
    RAW,
    SEED,
    SHORT,
    command,
)
from smoothcall.kernels.agents.features import FEATURES
from smoothcall.learners.nfsp_freezeouts import FREEZEOUTS, FreezeoutNFSP
from smoothcall.policy import Policy
from smoothcall.simulation.freezeouts import UNTIL_BROKE
from smoothcall.solvers import solver
from smoothcall.store.curves import new_figure, png


def add_introduction(report: Report) -> None:
    rules, actions = report.rules, report.game.actions
    report.page.text(
        f"Heads-up no-limit hold'em with stacks of {report.stack} and blinds {' and '.join(map(str, rules.blinds))}. Agents "
        f"choose among {len(actions)} actions (fold, call, {', '.join(actions[2:])}) and observe exact bets. They "
        f"play *greedy + average* as in the paper: the action of highest value with probability {ETA:g}, the average policy "
        "otherwise. A *freezeout* (the paper says game) is a sequence of hands in which chips carry over and seats alternate, "
        f"until one player is broke (at most {UNTIL_BROKE} hands). mbb/h are thousandths of a big blind per hand. Every deal "
        "is played in both seats; intervals are 95 %. Random calls 3 times of 5 and raises or folds otherwise; HeuristicMC "
        "estimates its equity from 100 rollouts."
    )


def add_agent_1(report: Report) -> None:
    page = report.page
    page.heading("Agent 1: opponent models")
    page.text(
        "Both models predict, from public information, which fifth of all hands the opponent's cards are in: naive Bayes from "
        "a dozen coarse features of the betting, the network from the picture of the board and the betting. Held-out hands "
        "have another seed. The base rate is the accuracy of naming the most frequent class of the street."
    )
    page.text("Agent 1 in the tables below uses naive Bayes: with the network it plays about as well and takes much longer.")
    models = report.agents.policies["Agent 1"].card["models"]
    page.table(["model", "on held-out hands"], [[name, each["said"]] for name, each in models.items()])
    for name, each in models.items():
        page.check(
            f"Agent 1: {name} beats the base rate",
            "(no figure)",
            f"accuracy {each['accuracy']:.1%}, by {each['margin']:+.1%} ± {each['half_width']:.1%}",
            passed=report.judged(each["margin"] > each["half_width"]),
        )


def add_figures_2_and_3(report: Report) -> None:
    page = report.page
    page.heading("Two copies of an agent (Figs 2 and 3)")
    figure = new_figure()
    axes = figure.axes[0]
    rows = []
    for label in (GP, DP, RAW):
        card = report.agents.policies[label].card
        differences = np.array(card["differences"])
        freezeouts = FREEZEOUTS * np.arange(1, len(differences) + 1)
        shown = max(1, len(differences) // 300)  # means of so many, as many points as the paper has
        cut = len(differences) // shown * shown
        axes.plot(freezeouts[:cut:shown], differences[:cut].reshape(-1, shown).mean(axis=1), label=label, linewidth=0.8)
        quarter = max(1, len(differences) // 4)
        rows.append(
            [
                label,
                f"{card['iterations']:,}",
                f"{card['hands']:,}",
                f"{differences[:quarter].mean():.0f}",
                f"{differences[-quarter:].mean():.0f}",
                f"{card['hands'] / max(card['seconds'], 1e-9):,.0f}",
            ]
        )
        page.data[f"differences {label}"] = differences.tolist()
    axes.set(xlabel="freezeouts", ylabel=f"|difference| in mbb/h, by {FREEZEOUTS} freezeouts")
    axes.legend()
    page.picture("differences", png(figure), "Difference between the winnings of two copies of an agent during training")
    page.table(["", "freezeouts", "hands", "mean of the first quarter", "of the last quarter", "hands a second"], rows)
    page.text(
        "The paper interprets a fall to 0 to 20 mbb/h as convergence to an equilibrium. But two identical players differ as "
        f"well: over {FREEZEOUTS} freezeouts between {GP} and itself the mean |difference| is {chance_difference(report):.0f} "
        "mbb/h, by chance alone. A smaller difference is no evidence, and one that stays at this level shows only that neither "
        "copy exploits the other."
    )


def chance_difference(report: Report) -> float:
    """Return the expected |difference| between two identical players, in mbb/h."""
    result = report.play_freezeouts(GP, GP, max(FREEZEOUTS // 5, 50))
    hands = FREEZEOUTS * result.hands / result.freezeouts
    return float(2 * np.sqrt(2 / np.pi) * result.deviation * np.sqrt(FREEZEOUTS) / hands / report.blind * 1000)


def add_inputs(report: Report) -> None:
    """Compare networks that receive pictures with those that receive the compact input vector."""
    page, size, policies = report.page, report.size, report.agents.policies
    shown = [label for label in (PICTURE, SHORT) if label in policies]
    if len(shown) < 2:
        return
    report.tell("pictures and compact inputs")
    page.heading("Pictures and compact inputs")
    page.text(
        f"The agent after {size.trainings[SHORT].freezeouts:,} freezeouts, with networks that receive the paper's pictures "
        f"(four convolutions, two poolings, a dense layer) or {FEATURES} numbers that carry the same information. "
        f"mbb/h over {size.deals // 10:,} deals, in both seats."
    )
    rows = []
    for label in shown:
        policy = policies[label]
        deals = size.deals // 10
        against = [report.play_hands(policy.batch_policy, other, deals).mbb(report.blind) for other in GENERIC]
        speed = policy.card["hands"] / max(policy.card["seconds"], 1e-9)
        rows.append([label, f"{speed:,.0f}", *map(rounded, against)])
    page.table(["", "hands a second in training", *(f"against {other}" for other in GENERIC)], rows)


def add_lower_bounds(report: Report) -> None:
    page, size = report.page, report.size
    page.heading("How exploitable are they?")
    page.text(
        "The paper has no figure for this. Hands with full stacks against the frozen agent, in mbb/h: lower bounds of what a "
        f"best response wins. A local best response ({size.local_deals:,} deals in both seats) and UCT ({size.episodes:,} "
        "episodes a seat) play against a table of the agent, its mean probabilities over the hands of a bucket; deep "
        f"Q-learning (`nfsp-freezeouts` with eta=1, {size.response_hands:,} hands) plays against the agent itself. Folding "
        "every hand loses 750."
    )
    policies: dict[str, Policy] = {**report.agents.policies, EQUILIBRIUM: report.agents.equilibrium[report.stack]}
    rows, data = [], {}
    for label in size.exploited:
        report.tell(f"responses to {label}")
        bounds = lower_bounds(
            policies[label],
            deals=size.local_deals,
            episodes=size.episodes,
            hands=2 * size.deals,
            seed=SEED,
            deep=lambda policy, label=label: _deep_response(report, policy, label),  # type: ignore[misc]
        )
        rows.append([label, *bounds.cells])
        data[label] = bounds.as_dict()
    page.table(["agent", "local best response", "UCT", "deep Q-learning"], rows)
    page.data["responses"] = data


def _deep_response(report: Report, policy: Policy, label: str) -> Estimate:
    """Return the winnings of deep Q-learning against the frozen agent, in mbb/h."""
    options = {name: value for name, value in report.size.trainings[DP].options.items() if name not in ("rho", "against")}
    options |= {"length": 1, "eta": 1.0}
    learner = solver("nfsp-freezeouts", report.game, seed=SEED, **options, against=policy)
    assert isinstance(learner, FreezeoutNFSP)
    learner.run(report.size.response_hands)
    return report.play_hands(learner.batch_policy(eta=1.0), label).mbb(report.blind)


def add_commands(report: Report) -> None:
    page, size = report.page, report.size
    page.heading("How the agents were made")
    page.table(
        ["agent", "command", "hands", "seconds"],
        [
            [label, f"`{command(label, size)}`", f"{policy.card['hands']:,}", f"{policy.card['seconds']:,.0f}"]
            for label, policy in report.agents.policies.items()
            if label in size.trainings
        ],
    )
    page.text(
        f"Agent 1 and its models are made by this page, from {size.decisions:,} decisions (seed {SEED}). Eta, rho, memories, "
        "batches of 256 every 64 moves and the target network of 1,000 updates are the paper's. Learning rates (Adam, 0.001), "
        "networks and exploration, which the paper does not specify, are the defaults of `nfsp-freezeouts`. Networks receive "
        f"{FEATURES} numbers with the information of the paper's 17 x 17 x 9 picture; {PICTURE}, receives the picture. Where "
        "all chips are in before the river, rewards are means over 32 run-outs of the board. "
        f"{EQUILIBRIUM} is the shipped agent `no-limit-holdem-mccfr` (`smoothcall train no-limit-holdem mccfr --iterations "
        f"3e+07 --seed 1`); for other stacks `stack=...` and {size.walks:,} iterations, fewer in proportion to their trees. "
        "`smoothcall reproduce` reads the agents that it finds in this folder's `agents` and trains the others; those of the "
        "equilibrium are too large for the repository."
    )
