"""Sections of the page on the agents and how they learn."""

from __future__ import annotations

import numpy as np

from smoothcall.experiments.ledger import Page
from smoothcall.experiments.pricope2021.curves import POINT, RANGE, above_chance, chance, in_range, last_points
from smoothcall.experiments.pricope2021.data import Data
from smoothcall.experiments.pricope2021.results import Played, formatted
from smoothcall.experiments.pricope2021.settings import (
    CALL,
    DP,
    ETA,
    GP,
    IMAGES,
    IMAGES_RAW,
    MCCFR,
    ONE,
    ONE_BAYES,
    ONE_HONEST,
    ONE_NETWORK,
    RANDOM,
    RAW,
    TWO,
    TWO_CALLED,
    TWO_HANDS,
)
from smoothcall.kernels.agents.features import FEATURES
from smoothcall.store.curves import new_figure


def introduction(page: Page, data: Data) -> None:
    about = data["game"]
    raises = ", ".join(about["actions"][2:])
    page.text(
        f"Heads-up no-limit hold'em with stacks of {data.stack} and blinds {' and '.join(map(str, about['blinds']))}. Agents "
        f"choose among {len(about['actions'])} actions (fold, call, {raises}) and observe exact bets. They play *greedy + "
        f"average* as in the paper: the action of highest value with probability {ETA:g}, the average policy otherwise. A "
        "*freezeout* (the paper says game) is a sequence of hands in which chips carry over and seats alternate, until one "
        f"player is broke (at most {about['hands']} hands). mbb/h are thousandths of a big blind per hand. Every deal is "
        "played in both seats. Intervals are 95 %; of an agent that was trained with several seeds they are over the seeds, so "
        "that they hold for the training and not for one agent only. Random calls 3 times of 5 and otherwise raises, "
        "by each of these sizes equally often (the paper's: a random amount), or folds, if a check is not free; "
        "HeuristicMC estimates its equity from 100 rollouts."
    )


def agent_1(page: Page, data: Data) -> None:
    page.text(
        "Agent 1 is an expert system after Loki. It weighs the hands that the opponent may hold by a model of the opponent, "
        "which predicts from public information which fifth of all hands the opponent's cards are in. The paper's agent uses "
        "two classifiers, naive Bayes and a convolutional network on the image of the board, and does not say how they are "
        "combined; ours takes the mean of their probabilities. The models are fitted to hands of "
        "five players, among them two whose raises say nothing of their cards, and of an agent 2; those of "
        f"*{ONE_HONEST}* to hands of the three players who seldom bluff. Held-out hands have another seed. The base rate is "
        "the accuracy of naming the most frequent class of the street."
    )
    models = data["opponent models"]
    rows = [
        [
            label,
            name,
            f"{each['accuracy']:.1%}",
            f"{each['base_rate']:.1%}",
            _percent(each, "margin", "half_width"),
            each["decisions"],
        ]
        for label in (ONE, ONE_HONEST)
        for name, each in models[label].items()
    ]
    page.table(["", "model", "accuracy", "base rate", "margin", "held-out decisions"], rows)
    found = data["agent 1"]
    others = list(next(iter(found.values())))
    page.text("Games won with each model, and average stacks:")
    lines = [[label, *(_won(data, found[label][other]) for other in others)] for label in found]
    page.table(["", *(f"against {other}" for other in others)], lines)


def _percent(each: dict[str, float], name: str, half: str) -> str:
    return f"{each[name]:+.1%} ± {each[half]:.1%}"


def _won(data: Data, result: dict[str, object]) -> str:
    played = Played.of(result)
    stack = played.stack(data.stack)
    return f"{played.wins:.1%}, {stack.mean:.1f} ± {stack.half_width():.1f}"


def agent_2(page: Page, data: Data) -> None:
    found = data["agent 2"]
    page.text(
        "Agent 2 learns against agent 1: double DQN and an average policy; a hand is an episode, and a policy is sampled for "
        "each hand. What it learns is decided by agent 1. In single hands agent 1 knows nothing of its opponent's habits, and "
        "models fitted to players who seldom bluff take every large bet for a strong hand: it folds far too often, "
        f"and *{TWO_HANDS}* learns to bluff with any cards, which loses to everybody who calls. Three changes repair this: the "
        f"models of {ONE} are fitted to players who bluff as well, {TWO_HANDS} among them; both play freezeouts, in which "
        "agent 1 observes how often its opponent raises; and half of the hands follow the best response (`eta=0.5`; the "
        "paper says only that agent 2 samples its policies in other proportions). mbb/h in freezeouts:"
    )
    others = list(next(iter(found.values())))
    rows = []
    for label, results in found.items():
        played = [Played.of(results[other]) for other in others]
        rows.append([label, *(each.mbb(data.blind).rounded for each in played), f"{played[0].raises:.0%}"])
    page.table(["agent 2 and how it plays", *(f"against {other}" for other in others), f"raises against {others[0]}"], rows)
    table = []
    for label in (TWO, TWO_CALLED):
        if data.has(f"{label} by seed"):
            for other, results in data[f"{label} by seed"].items():
                matches = [Played.of(each) for each in results]
                seeds = ", ".join(f"{each.mbb(data.blind).mean:+.0f}" for each in matches)
                table.append([label, other, seeds, formatted(data.mbb(matches), "+.0f")])
    if table:
        page.text(
            f"{TWO} still loses to {CALL}. It sees only what agent 1 does, which folds weak hands to bets, so that it seldom "
            f"learns what a bluff loses when it is called. To test this, *{TWO_CALLED}* learns against an agent 1 that checks "
            "or calls in place of a quarter of its actions (`calls=0.25`; a change of ours), with everything else as before. "
            "Greedy + average, mbb/h by the seed of the training, and the mean over the seeds:"
        )
        page.table(["agent 2", "against", "by seed", "mean"], table)
    if data.has(*(f"{label} against {TWO_CALLED}" for label in (GP, DP))):
        told = []
        for label in (GP, DP):
            at = data.matched(label, TWO_CALLED)[0]
            told.append(f"{label} {formatted(data.mbb(data.versions(label, TWO_CALLED, at)), '+.0f')} mbb/h")
        page.text(f"Against {TWO_CALLED}, after {at:,} games of training: {', '.join(told)}, over the seeds.")


def agent_3(page: Page, data: Data) -> None:
    rows = []
    for name in data.parts:
        if name.startswith("training, Agent 3"):
            for each in data[name]:
                last = each["points"][-1]
                rows.append(
                    [
                        name.removeprefix("training, "),
                        each["seed"],
                        f"{last['iterations']:,}",
                        f"{last['hands']:,}",
                        f"{last['moves']:,}" if last["moves"] else "",
                        f"{last['seconds']:,.0f}",
                    ]
                )
    page.text(
        "Two copies of agent 3 learn from games between them (Algorithm 1). An episode is a game: action values are of the "
        "chips won in the rest of the game, and the policy that a copy follows is sampled for the whole game. Q is in chips in "
        "the gradient policy P[Pi + Q Pi']. Eta 0.1, rho 0.92 (GP) or 1 (DP), memories of 200,000 transitions and 1,000,000 "
        "moves, batches of 256 every 64 moves and the target network of 1,000 updates are the paper's. Its epsilon of 0.9 has "
        "no schedule; ours begins at 0.1 and falls. Learning rates (Adam, 0.001) are ours. Networks receive "
        f"{FEATURES} numbers with the information of the paper's 17 x 17 x 9 image and have two hidden layers of 64; those on "
        "images are in a section of their own. Where all chips are in before the river, rewards are means over 32 run-outs of "
        "the board. Seconds are those of a busy machine."
    )
    page.table(["", "seed", "games", "hands", "moves", "seconds"], rows)


def copies(page: Page, data: Data) -> None:
    figure = new_figure(columns=2)
    rows = []
    for axes, labels in zip(figure.axes, ((GP, IMAGES), (RAW, IMAGES_RAW)), strict=True):
        axes.axhline(chance(data, labels[0]), label="by chance, at the end", color="black", linestyle="--", linewidth=1)
        axes.axhspan(0, RANGE, label="the paper's last 50 points", color="green", alpha=0.25)
        for label in labels:
            if not data.has(f"training, {label}"):
                continue
            every = data.trained(label)[0]["differences"]
            axes.plot(POINT * np.arange(1, len(every) + 1), every, label=f"{label}, seed 1", linewidth=0.8)
            rows.append(_copies_line(data, label))
        axes.set(xlabel="games", ylabel=f"|difference| in mbb/h, over {POINT} games")
        axes.legend(frameon=False)
    page.picture("differences", figure, "Difference between the winnings of two copies of an agent during training")
    heads = ["trainings", "points", "mean of the first five sixths", "of the last sixth", "last sixth up to 20"]
    page.table(["", *heads, "first games: above the level of chance", "last games"], rows)
    page.text(
        "The paper takes the fall to 0 to 20 mbb/h for convergence to an equilibrium. But two identical players differ as "
        f"well: over {POINT} games between {GP} and itself the mean |difference| is {chance(data, GP):.0f} mbb/h, and "
        f"{_chance_in_range(data, GP):.0%} of such points are up to {RANGE:.0f}. A game is won or lost with all chips, so that "
        "chance makes a smaller difference per hand in longer games: the *level of chance* of a stretch of training (up to the "
        "first version of the agent that is kept, and from the last but one to the last) is that of identical players with as "
        "many hands per game. A smaller difference shows something only as far as it is smaller than chance explains, and one "
        "at this level shows only that neither copy exploits the other."
    )


def _copies_line(data: Data, label: str) -> list[object]:
    every, late, above = data.differences(label), last_points(data, label), above_chance(data, label)
    early = every[:, : -late.shape[1]]
    means = [f"{early.mean():.0f}", f"{late.mean():.0f}", f"{in_range(late):.0%}"]
    return [label, len(every), every.shape[1], *means, *(f"{above[at].mean():+.0f}" for at in (min(above), max(above)))]


def _chance_in_range(data: Data, label: str) -> float:
    """Return the probability that two identical players differ by at most RANGE."""
    from math import erf, pi, sqrt

    deviation = chance(data, label) * sqrt(pi / 2)
    return erf(RANGE / deviation / sqrt(2))


def inputs(page: Page, data: Data) -> None:
    page.text(
        "The agent with hand-made inputs (strength of the made hand, equity) against the agent without, trained for equally "
        f"many games. Networks are dense on {FEATURES} compact numbers, or convolutional on the paper's images: four "
        "convolutions (8, 8, 16, 16 channels), two poolings, a dense layer of 64; the paper does not print the widths. Seconds "
        f'of these trainings stand in section "Agent 3". Intervals of single trainings are over the games of the match: '
        "another training may well differ by more."
    )
    rows = []
    for at in data.matched(GP, RAW):
        compact = data.versions(GP, RAW, at)
        rows.append(["compact", f"{at:,}", len(compact), *_compared(data, compact), ""])
    if data.has(f"{IMAGES} against {IMAGES_RAW}"):
        for at in data.points(IMAGES):
            images = data.versions(IMAGES, IMAGES_RAW, at)
            last = at == data.points(IMAGES)[-1]
            stacks = [formatted(data.stacks(data.versions(label, RANDOM, at)), ".1f") for label in (IMAGES, IMAGES_RAW) if last]
            rows.append(["images", f"{at:,}", len(images), *_compared(data, images), " and ".join(stacks)])
    heads = [
        "games of training",
        "trainings of each",
        "games won by hand-made inputs",
        "mbb/h",
        "average stacks against Random",
    ]
    page.table(["networks", *heads], rows)
    if data.has(f"{IMAGES} against {TWO}"):
        lines = []
        for at in data.matched(IMAGES, TWO):
            every = [data.versions(IMAGES, other, at) for other in (TWO, ONE)]
            lines.append([f"{at:,}", len(every[0]), *(figure for played in every for figure in _compared(data, played))])
        heads = [f"{what} against {other}" for other in (TWO, ONE) for what in ("games won", "mbb/h")]
        page.text(f"{IMAGES}, against agents 2 and 1:")
        page.table(["games of training", "trainings", *heads], lines)


def _compared(data: Data, played: list[Played]) -> list[str]:
    if len(played) == 1:
        won = played[0].mbb(data.blind)
        return [f"{played[0].wins:.1%}", won.rounded]
    return [f"{np.mean([each.wins for each in played]):.1%}", formatted(data.mbb(played), "+.0f")]


def commands(page: Page, data: Data) -> None:
    rows = []
    for name in data.parts:
        if name.startswith("training, "):
            ((label, about),) = data.settings(name)["agents"].items()
            rows.append([label, f"`{about['command']}`", ", ".join(map(str, about["seeds"]))])
    page.table(["agent", "command of the first seed", "seeds"], rows)
    decisions = data.settings("opponent models")["decisions"] if data.has("opponent models") else 0
    page.text(
        f"{ONE}, {ONE_BAYES} and {ONE_NETWORK} are made by this page, their models from {decisions:,} decisions. {MCCFR} "
        "is the agent `no-limit-holdem-mccfr` that comes with the package; it knows hands with full stacks only and is no "
        "equilibrium ([its exploitability](../exploitability.md)). `smoothcall "
        "reproduce` reads the agents that it finds in this folder's `agents` and trains the others, under `runs/pricope2021`; "
        f"it can be stopped at any time and goes on. Agents of other seeds than the first, and {DP} and {TWO} of other seeds, "
        "stay there."
    )
