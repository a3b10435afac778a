"""Sections of the page on epfl2020: cards, settings, learning, matches. All from the parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments import cross_table
from smoothcall.experiments.epfl2020.figures import (
    CrossTable,
    cross_tables,
    over_trainings,
    pairs,
    published,
    seeds_of,
    tables_by_seed,
)
from smoothcall.experiments.epfl2020.matches import MOVES
from smoothcall.experiments.epfl2020.settings import (
    ALPHA,
    COLUMNS,
    FIGURE_1,
    FIRST,
    GAINS,
    LEARNERS,
    OURS,
    PAPER,
    PUBLISHED_GAMES,
    SCRIPTED,
    WINS,
    WITH_ALPHA,
)
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import Part
from smoothcall.store.curves import new_figure

Parts = Mapping[str, Part]
NOT_YET = "Not measured yet."
CHOICES = (
    ("blinds", "one forced bet, 500", "500 from both players"),
    (
        "AllIn",
        "raises to all in, while raises are by 1 to 4 bets",
        "`all-in` is a move of the game beside the raises by 1 to 4 bets; AllIn makes it at every turn (10,000 at its "
        "first), no "
        "other scripted player and no learner of the document does; Random leaves it out too",
    ),
    ("straights", "not said", "the ace also plays below the seven: A-7-8-9-T is the lowest straight"),
    ("betting rounds", '"a full game of poker with 3 rounds"', "four: before the flop, flop, turn, river"),
    ("raise sizes", "factors 1 to 4", "a raise by 1 to 4 bets of 1,000 on top of the call, at least the raise before it"),
    (
        "equity",
        "from 100 simulated games",
        'exact, in training and in matches: a deviation of ours; what estimates change in matches: "Equities from rollouts"',
    ),
    (
        "alpha of R = alpha E1 + (1 - alpha) E2",
        "not printed",
        f"{ALPHA['DQC']['alpha']} for DQC, {ALPHA['DQD']['alpha']} for DQD (option `alpha`); how they were "
        "chosen and what they change is measured below",
    ),
    ("gamma, epsilon, learning rates, G, training sizes", "not printed", "the defaults of the learners; sizes below"),
    (
        "entropy term of DQD",
        'the loss has -E_c H(A), "to penalize high entropy"',
        "the formula, which rewards high entropy; the sentence has the sign wrong",
    ),
    (
        "aggression factor",
        "(bets + raises) / calls",
        "as printed, up to 10, which also stands for no calls at all; 1 before any bet, raise or call",
    ),
    ("pre-flop raise", "100 N_flops / N_games", "share of the earlier hands in which the opponent raised before the flop"),
    (
        "metrics outside training",
        "-",
        "counted over earlier hands: of a freezeout in matches of freezeouts, of the whole match hand by hand, of the table on "
        "the page (two players)",
    ),
    (
        "mirror training",
        "after the scripted players, against copies; sizes not printed",
        "the second half of the hands, a copy for every 500,000",
    ),
    ("scripted players to train against", "the first pool to test the program; the final pool was kept", "the final pool"),
)


def write_cards(page: Page, parts: Parts) -> None:
    page.heading("Frequencies of hands (Fig 1)")
    if "frequencies" in parts:
        found = parts["frequencies"].figures
        lines = [
            [category, f"{figure} %", *(f"{decks[category]:.4%}" for decks in found.values())]
            for category, figure in FIGURE_1.items()
        ]
        page.table(["seven cards make", "published (52 cards)", *(f"{size} cards" for size in found)], lines)
        page.text(
            "Exact. The paper prints the frequencies of 52 cards and orders its look-ups by them. With its own 32 cards high "
            "cards are rarer than four of a kind, and straights more frequent than pairs."
        )
    page.heading("Equity")
    streets = [name for name in ("preflop", "flop", "turn", "river") if f"rollouts {name}" in parts]
    lines = []
    for name in streets:
        figures = parts[f"rollouts {name}"].figures
        means = {key: over_trainings(figures[key]) for key in ("deviation", "error", "bias", "apart")}
        lines.append([name, *(f"{each.mean:.4f} ± {each.half_width():.4f}" for each in means.values())])
    heads = ["100 rollouts", "deviation of 20 estimates", "distance from the exact equity", "bias", "deviation between states"]
    if lines:
        page.table(heads, lines)
    page.text(
        "The paper says 0.05 before the flop to 0.2 after the river. The standard deviation of a share of 100 games is at most "
        "sqrt(0.5 * 0.5 / 100) = 0.05, on every street. What grows to 0.2 and more is the deviation of the equity between "
        "states."
    )
    if "exact equities" in parts:
        entries = parts["exact equities"].figures["entries"]
        sizes = ", ".join(f"{count:,} for {cards} board cards" for cards, count in entries.items())
        page.text(
            "Here equities are exact, from tables of all of them. Entries, boards counted once up to an exchange of suits: "
            f"{sizes}."
        )


def write_choices(page: Page) -> None:
    page.heading("What the document leaves open")
    page.table(["", "in the document", "here"], CHOICES)


def write_learning(page: Page, parts: Parts) -> None:
    page.heading("Learning")
    found = {label: [parts[f"training {label} {seed}"] for seed in seeds_of(parts, f"training {label}")] for label in LEARNERS}
    if not any(found.values()):
        page.text(NOT_YET)
        return
    figure = new_figure(2, width=5.0)
    for axes, labels, title in zip(figure.axes, (PAPER, OURS), ("as written", "ours"), strict=True):
        for number, label in enumerate(labels):
            for place, training in enumerate(found[label]):
                hands, gain = np.array(training.figures["curve"]).T if training.figures["curve"] else ([], [])
                axes.plot(hands, gain, label=label if place == 0 else f"_{label}", color=f"C{number}", linewidth=1)
                if number == place == 0:
                    axes.axvline(training.figures["options"]["mirror"], color="grey", linestyle=":", linewidth=1)
        axes.set(xscale="log", xlabel="hands", title=title)
        if any(found[label] for label in labels):
            axes.legend()
    figure.axes[0].set_ylabel("chips a freezeout of ten hands, exploration included")
    page.picture(
        "learning", figure, "Winnings of the learners during training, a line for each seed; mirror training at the dots"
    )
    page.text(
        "Before the dotted line the learners play against scripted players, sampled anew for each freezeout. After it, as "
        "written, "
        "against a frozen copy that is renewed from time to time, so that the gain is that against the copy; ours meet "
        "scripted players in the other half of the freezeouts. The document does not print how long it trained; all learners "
        "have equal numbers of hands here."
    )
    lines = [
        [
            label,
            len(trainings),
            f"{np.mean([each.figures['seconds'] for each in trainings]):.0f}",
            f"`{trainings[0].settings['command']}`",
        ]
        for label, trainings in found.items()
        if trainings
    ]
    page.table(["agent", "trainings (seeds)", "seconds each", "command of the first"], lines)


# Matches


def write_matches(page: Page, parts: Parts) -> None:
    page.heading("Cross table")
    page.text(
        "Freezeouts of ten hands from 10,000 chips; chips carry over from hand to hand. Mean gain of the row/standard "
        "deviation of "
        "a freezeout, in chips, and share of freezeouts won (a tie counts half). AD, MD, BAD and BMD are the final scripted "
        'players (epfl2020 calls them "dummies").'
    )
    page.table(["published: gain", *COLUMNS], [[label, *line.split()] for label, line in GAINS.items()])
    page.table(["published: won", *COLUMNS], [[label, *line.split()] for label, line in WINS.items()])
    page.text(
        "Published gains are multiples of 12.5 = 500 / 40. The win rates 0.4825 and 0.0675 are none of 1/80, so that 40 games "
        "cannot give them."
    )
    tables = cross_tables(parts)
    if not tables:
        page.text(NOT_YET)
        return
    freezeouts = parts["matches MC 1"].settings["freezeouts"]
    page.text(
        f"Ours: {len(tables)} trainings of each learner with different seeds, agents of equal seeds against each other in "
        f"{freezeouts:,} freezeouts, every deal in both places. Means over trainings with 95 % intervals (Student's, n = "
        f"{len(tables)}); the last two columns are the lowest and the average gain over the seven opponents."
    )
    _our_tables(page, tables)
    cells = tuple(tuple(_gain(tables, row, column) if row != column else None for column in COLUMNS) for row in PAPER)
    drawn = cross_table.CrossTable("no-limit-holdem-32", PAPER, COLUMNS, cells, (), unit="chips a freezeout of ten hands")
    page.picture(
        "cross-table", cross_table.draw_table(drawn), "Chips a freezeout of the row against the column, means over trainings"
    )
    _write_deviations(page, parts, tables)
    _write_moves(page, parts, tables)
    page.heading("Against the first pool")
    lines = [[row, *(_gain(tables, row, column).rounded for column in FIRST)] for row in PAPER]
    page.table(["chips a freezeout", *FIRST], lines)


def _gain(tables: Sequence[CrossTable], row: str, column: str) -> Any:
    return over_trainings([table.pair(row, column).gain for table in tables])


def _our_tables(page: Page, tables: Sequence[CrossTable]) -> None:
    def mean(values: list[float]) -> str:
        return over_trainings(values).rounded

    gains, wins = list[list[str]](), list[list[str]]()
    for row in PAPER:
        line, won = [row], [row]
        for column in COLUMNS:
            if row == column:
                line.append("x")
                won.append("x")
                continue
            found = [table.pair(row, column) for table in tables]
            line.append(f"{mean([each.gain for each in found])} / {np.mean([each.deviation for each in found]):,.0f}")
            won.append(f"{np.mean([each.wins for each in found]):.3f}")
        gains.append([*line, mean([table.lowest(row) for table in tables]), mean([table.mean(row) for table in tables])])
        wins.append(won)
    page.table(["gain", *COLUMNS, "lowest", "average"], gains)
    page.table(["won", *COLUMNS], wins)


def _write_deviations(page: Page, parts: Parts, tables: Sequence[CrossTable]) -> None:
    page.heading("Standard deviations")
    bound, deviations = 500 * sqrt(10), [published(*pair).deviation for pair in pairs()]
    small, tiny = (sum(each < limit for each in deviations) for limit in (bound, bound / 2))
    text = (
        "Where nobody ever bets, a hand moves the blind of 500 chips, and ten hands have a standard deviation of at most 500 "
        f"sqrt(10) = {bound:,.0f}. "
    )
    if "matches of hands without a bet" in parts:
        text += f"Two players who only check and call: {parts['matches of hands without a bet'].figures['deviation']:,.0f}. "
    text += (
        f"Of the {len(deviations)} published deviations {small} are smaller, {tiny} less than half as large. A deviation s is "
        "that of (s / 500)^2 hands whose 500 chips go either way, 2.5 of ten for half of it. So in those matches the result of "
        "most hands cannot have depended on the cards; a fold that follows from the seat would explain it, since seats "
        "alternate and such results cancel. Nor are they standard errors of the mean of 40 games: "
        f"{max(deviations):,.0f} sqrt(40) = {max(deviations) * sqrt(PUBLISHED_GAMES):,.0f} is more than the 10,000 chips that "
        "a freezeout can win or lose. Ours, and the hands of a freezeout, which ends early when a player is broke, with "
        "a gain of 10,000:"
    )
    page.text(text)
    lines = []
    for label in PAPER:
        seven = over_trainings([table.deviation(label) for table in tables])
        folds = over_trainings([table.pair(label, "check-fold").deviation for table in tables])
        hands = over_trainings([table.hands(label) for table in tables])
        cells = [f"{each.mean:,.0f} ± {each.half_width():,.0f}" for each in (seven, folds)]
        lines.append([label, *cells, f"{hands.mean:.1f} ± {hands.half_width():.1f}"])
    heads = [
        "standard deviation",
        "mean over the seven opponents",
        "against CheckFold",
        "hands of a freezeout against the seven",
    ]
    page.table(heads, lines)


def _write_moves(page: Page, parts: Parts, tables: Sequence[CrossTable]) -> None:
    page.heading("Moves")
    lines = []
    for label in PAPER:
        found = [over_trainings([table.move(label, name) for table in tables]) for name in MOVES]
        lines.append([label, *(f"{each.mean:.1%} ± {each.half_width():.1%}" for each in found)])
    heads = ["share of moves", "fold", "check", "call", "bet or raise", "of raises: more than half of the chips behind"]
    heads += ["chips that a raise puts in, of those behind", "raises with an equity below 1/2", "raises with more"]
    page.table(heads, lines)
    page.text(
        "Means over the seven opponents. The fifth column is a share of the raises, the sixth of the chips, the last two of "
        "the decisions with such an equity."
    )
    if "preflop equities" in parts:
        page.text(
            "A call of a raise by k bets before the flop costs 1,000 k for a pot of 1,000 + 2,000 k after it, so that it needs "
            f"an equity of k / (1 + 2 k): {1 / 3:.3f} for one bet, {4 / 9:.3f} for four. With 32 cards no two cards have less "
            f"than {parts['preflop equities'].figures['lowest']:.3f} against a random hand. Folding loses the blind, 500; "
            "nothing in the rules of the game makes calling a rare move."
        )


def write_loss(page: Page, parts: Parts) -> None:
    page.heading("Deep Q, continuous: the loss and alpha")
    page.text(
        "As described, the policy network's output is drawn to the amount that was bet, by a squared error with the "
        "advantage R - "
        "V as its weight (`loss=squared`). Where the advantage is negative, the error pushes the output away from that "
        "amount, the "
        "harder the farther it is, and nothing stops it. `loss=logistic` is ours: the probability that an amount around the "
        "output means the move that was made. Alpha decides in which direction the described loss runs away: E1 takes the "
        "chance "
        "that a raise is called as 1 / bets, so that a large raise wins the pot."
    )
    page.text(
        f"**DQC's alpha ({ALPHA['DQC']['alpha']}) was chosen after looking at gains against the final pool**, whose four "
        "players are opponents of the evaluation too: rows on DQC against them are not independent of that choice. DQD has the "
        f"default of the learner ({ALPHA['DQD']['alpha']}); on which opponents that was found is not recorded."
    )
    found = _alphas(parts)
    if not found:
        page.text(NOT_YET)
        return
    lines = []
    for (label, alpha), trainings in found.items():
        moves = np.mean([each["moves"][0][:4] for one in trainings for name, each in one.items() if name in SCRIPTED], axis=0)
        gains = [_pool_gain(trainings, pool).rounded for pool in (tuple(SCRIPTED), FIRST)]
        lines.append([label, f"{alpha:g}", *gains, *(f"{each:.1%}" for each in moves)])
    heads = ["", "alpha", "gain against the final pool", "gain against the first pool", "fold", "check", "call", "bet or raise"]
    page.table(heads, lines)
    first = next(part for name, part in parts.items() if name.startswith("alpha "))
    count = len(next(iter(found.values())))
    page.text(
        f"{first.settings['hands']:,} hands of training against the scripted players, without mirror training, {count} "
        f"trainings each; mean gain in chips a freezeout, 95 % intervals over trainings; moves against the final pool."
    )
    chosen = "; ".join(_best_alphas(found, label) for label in WITH_ALPHA)
    page.text(
        f"The players of the first pool in this table ({', '.join(FIRST)}) are no opponents of the evaluation. Alphas with the "
        f"highest mean gain here: {chosen}."
    )


def _pool_gain(trainings: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Estimate:
    """Return the mean gain against some opponents, over trainings."""
    return over_trainings([float(np.mean([each[name]["gain"] for name in names])) for each in trainings])


def _best_alphas(found: Mapping[tuple[str, float], Sequence[Mapping[str, Any]]], label: str) -> str:
    """Return the alphas of a learner with the highest mean gains against each pool."""

    def best(names: Sequence[str]) -> float:
        own = {alpha: _pool_gain(each, names).mean for (learner, alpha), each in found.items() if learner == label}
        return max(own, key=lambda alpha: own[alpha])

    return f"{label} {best(tuple(SCRIPTED)):g} (final pool), {best(FIRST):g} (first pool)"


def _alphas(parts: Parts) -> dict[tuple[str, float], list[Mapping[str, Any]]]:
    """Return the matches of every training that compares alphas, by learner and alpha."""
    found: dict[tuple[str, float], list[Mapping[str, Any]]] = {}
    for name, part in parts.items():
        kind, _, rest = name.partition(" ")
        if kind == "alpha":
            label, alpha, _ = rest.split(" ")
            found.setdefault((label, float(alpha)), []).append(part.figures)
    return dict(sorted(found.items(), key=lambda item: (WITH_ALPHA.index(item[0][0]), item[0][1])))


def write_ours(page: Page, parts: Parts) -> None:
    page.heading("Our changes of the learners")
    page.text(
        "As written, the agents train against the four final scripted players and then against copies of themselves only. "
        "Ours (marked ') meet both pools, and go on to meet them in half of the freezeouts of mirror training; DQC' also has "
        "our loss. Equal numbers of hands, and the same seeds."
    )
    lines = []
    for label, own in zip(PAPER, OURS, strict=True):
        tables = tables_by_seed(parts)
        seeds = [seed for seed in seeds_of(parts, f"ours {label}") if seed in tables]
        if not seeds:
            continue
        found = [parts[f"ours {label} {seed}"].figures for seed in seeds]
        ours = over_trainings([float(np.mean([each[name]["gain"] for name in SCRIPTED])) for each in found])
        as_written = over_trainings([tables[seed].mean(label, tuple(SCRIPTED)) for seed in seeds])
        against = over_trainings([each[label]["gain"] for each in found])
        lines.append([own, as_written.rounded, ours.rounded, against.rounded])
    if not lines:
        page.text(NOT_YET)
        return
    page.table(["", "as written, against the final pool", "ours, against the final pool", "ours against as written"], lines)
    page.text(f"Chips a freezeout, means over {len(seeds)} trainings with 95 % intervals.")
