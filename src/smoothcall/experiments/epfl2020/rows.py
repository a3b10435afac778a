"""The published statements of epfl2020 beside our figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import comb, hypot

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.epfl2020.figures import CrossTable, cross_tables, over_trainings, seeds_of, tables_by_seed
from smoothcall.experiments.epfl2020.observations import CHIPS, observation_rows, unmeasured
from smoothcall.experiments.epfl2020.settings import COLUMNS, COMBINED, EXACT, FIGURE_1, FIRST, LAYERS, PAPER, RULES
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Above, Below, Deviation, Every, Measured, Near, Row, difference, exact, share
from smoothcall.games.catalog import NO_LIMIT_HOLDEM_32


def rows(parts: Mapping[str, Part]) -> Iterator[Row]:
    yield from rule_rows(parts)
    yield from card_rows(parts)
    short = _short_form(parts)
    for row in observation_rows(cross_tables(parts)):
        yield row if short is None else replace(row, deviations=(*row.deviations, short))
    yield estimated_row(parts)
    yield from other_rows()
    yield combined_row(parts)
    yield exact_row(parts)


def _short_form(parts: Mapping[str, Part]) -> Deviation | None:
    """Return the deviation of matches that were not played in the document's game, as in the quick form of the page."""
    commands = parts["matches MC 1"].settings.get("agents", {}) if "matches MC 1" in parts else {}
    played = commands["MC"].split()[2] if "MC" in commands else NO_LIMIT_HOLDEM_32.name
    return None if played == NO_LIMIT_HOLDEM_32.name else Deviation("algorithm", f"a smaller game, `{played}`")


# Game and networks


def rule_rows(parts: Mapping[str, Part]) -> Iterator[Row]:
    statement = "Two players, four suits of eight ranks, 10,000 chips, bets of 1,000, blinds of 500, raises by 1 to 4 bets"
    source, figure = "Section 2, Section 6.1", "2, 4, 8, 10000, 1000, 500, 1 to 4"
    if "rules" not in parts:
        yield unmeasured(source, statement, figure)
    else:
        found = parts["rules"].figures
        same = Measured(share([found[name] == value for name, value in RULES.items()]), Every(), "our rules agree in")
        note = "all-in is a move beside these raises, for AllIn; the document does not say who pays the blind, here both do"
        yield Row(source, statement, figure, (same,), note=note)
    for source, labels, statement in (
        ("Section 4.2", ("DQC", "DQD"), "Policy networks of deep Q-learning: six inputs, three hidden layers of 16 neurons"),
        ("Section 4.3.4", ("CDQN",), "Both networks of clipped double DQN have the layers printed"),
    ):
        figure = "; ".join(", ".join(f"({low}, {high})" for low, high in LAYERS[label]) for label in labels)
        if "networks" not in parts:
            yield unmeasured(source, statement, figure)
            continue
        trained = parts["networks"].figures
        alike = [network == LAYERS[label] for label in labels for network in trained[label]]
        yield Row(source, statement, figure, (Measured(share(alike), Every(), "networks alike:"),))


# Cards


def card_rows(parts: Mapping[str, Part]) -> Iterator[Row]:
    fewer = Measured(exact(comb(52, 9) / comb(32, 9)), Near(130, half_width=5), form=".1f")
    yield Row("Section 2", "A deck of 32 cards instead of 52 reduces the number of games by a factor", "about 130", (fewer,))
    yield _frequency_row(parts)
    yield _usual_row(parts)
    for street, when, figure, cause in (
        ("preflop", "before the flop", "0.05", ""),
        ("river", "after the river", "0.2", 'a share of 100 games deviates by sqrt(0.25 / 100) = 0.05 at most: see "Equity"'),
    ):
        yield _rollout_row(parts, street, when, figure, cause)
    yield _impossible_row(parts)


def _frequency_row(parts: Mapping[str, Part]) -> Row:
    source, statement = "Fig 1", "Frequencies of hands, 52 cards"
    printed = ", ".join(f"{category} {figure} %" for category, figure in FIGURE_1.items())
    if "frequencies" not in parts:
        return unmeasured(source, statement, printed)
    found = parts["frequencies"].figures["52"]
    measured = tuple(
        Measured(exact(100 * found[category]), Near(float(figure), half_width=_rounding(figure)), category, ".4f", "%")
        for category, figure in FIGURE_1.items()
    )
    return Row(source, statement, printed, measured)


def _rounding(figure: str) -> float:
    """Return half a unit of the last printed digit."""
    return 0.5 * 10.0 ** -len(figure.partition(".")[2])


def _usual_row(parts: Mapping[str, Part]) -> Row:
    source, statement = "Section 3.1", "Most of the time a player has a pair, two pairs or a high card"
    if "frequencies" not in parts:
        return unmeasured(source, statement, "most of the time")
    measured = tuple(
        Measured(exact(sum(found[each] for each in ("pair", "two pair", "high card"))), Above(0.5), f"{cards} cards", ".3f")
        for cards, found in parts["frequencies"].figures.items()
    )
    return Row(source, statement, "most of the time", measured)


def _rollout_row(parts: Mapping[str, Part], street: str, when: str, figure: str, cause: str) -> Row:
    statement = f"Standard deviation of 20 estimates of the winning probability, from 100 games each, {when}"
    if f"rollouts {street}" not in parts:
        return unmeasured("Section 3.1", statement, figure)
    ours = over_trainings(parts[f"rollouts {street}"].figures["deviation"])
    return Row("Section 3.1", statement, figure, (Measured(ours, Near(float(figure), _rounding(figure))),), cause=cause)


def _impossible_row(parts: Mapping[str, Part]) -> Row:
    source, statement = "Section 3.1", "Even with 32 cards it is impossible to compute all winning probabilities"
    if "exact equities" not in parts:
        return unmeasured(source, statement, "impossible")
    same = parts["exact equities"].figures["same"]
    label = "share of random rivers whose equity in our table of all states equals an enumeration of all opponents' hands:"
    cause = 'a street is computed from the next one, suits may be exchanged: see "Equity"'
    return Row(source, statement, "impossible", (Measured(share(same), Below(1), label),), cause=cause)


def estimated_row(parts: Mapping[str, Part]) -> Row:
    """Return the row of what agents learn and play with: estimates, and what they change in matches of ours."""
    source, statement = "Section 3.1", "Agents learn and play with winning probabilities estimated from 100 games"
    measured = []
    if "estimated equities" in parts:
        part = parts["estimated equities"]
        for label, found in part.figures.items():
            apart = [
                difference(*(Estimate(mean, error, part.settings["freezeouts"]) for mean, error in (estimated, exactly)))
                for exactly, estimated in found.values()
            ]
            gain, error = sum(each.mean for each in apart) / len(apart), hypot(*(each.error for each in apart)) / len(apart)
            change = Estimate(gain, error, apart[0].count)
            measured.append(Measured(change, None, f"matches of {label}, estimates less exact equities", "+,.0f", CHIPS))
    why = "ours learned with exact equities; training all learners again with estimates was not done"
    return Row(source, statement, "100 games", tuple(measured), (Deviation("algorithm", why),))


# What there is no figure of ours for


TESTS = {  # tests of this project that hold what the document describes
    "fixed moves": "tests/agents/test_scripted.py::test_rules_that_never_look_at_their_cards",
    "all-in": "tests/agents/test_scripted.py::test_all_in_bets_the_whole_stack",
    "bluffers": "tests/agents/test_scripted.py::test_bluffers_bluff_half_of_the_time_on_flop_and_turn",
    "metrics": "tests/agents/test_combined.py::test_the_aggression_factor_is_raises_by_calls",
    "metrics at tables": "tests/play/test_standing.py::test_an_opponent_knows_how_a_person_plays",
    "ten hands": "tests/web/test_pages.py::test_a_match_of_freezeouts_of_ten_hands",
    "hidden cards": "tests/web/test_leaks.py::test_no_answer_depends_on_hidden_cards",
}


DESCRIBED = (  # source, statement, as printed, why there is nothing to measure
    (
        "Sections 1.1 to 1.3",
        "Programs beat people at chess and Go; in poker cards are hidden, chance decides single hands, and players bluff",
        "background",
        "background, without a figure",
    ),
    (
        "Sections 3 and 4.3.3",
        "What a state consists of",
        "two lists",
        "a description; the inputs of the networks have rows of their own",
    ),
    (
        "Section 4.1.3",
        "Monte-Carlo control gives decent results, though no sample teaches anything about similar states",
        "decent",
        "no figure and no criterion; its gains have rows of their own",
    ),
    (
        "Sections 4.2 and 4.2.2",
        "Estimates E1 and E2 of the reward, R = alpha E1 + (1 - alpha) E2, a value network as baseline, an entropy term",
        "formulas",
        "definitions; alpha is not printed",
    ),
    (
        "Sections 5 and 5.2",
        "Training against scripted players, then against frozen copies of oneself",
        "two steps",
        "a description, without numbers of games",
    ),
    (
        "Section 3.1",
        "100 simulated games are a good compromise of speed and precision",
        "good",
        "no criterion; the standard deviations have rows of their own",
    ),
    (
        "Sections 4.1.2 and 4.2.1",
        "Rewards shaped by position and pot, epsilon-greedy moves, and thresholds y/2 and 2y of the continuous output",
        "formulas",
        "definitions, without a figure",
    ),
    (
        "Section 4.2.2",
        "A high entropy, which means large differences between probabilities, is penalised",
        "penalised",
        "the printed loss, -E_c H, rewards a high entropy, and a high entropy means small differences: the sentence is wrong",
    ),
    (
        "Section 4.3.3",
        "With the last three moves in the state there are too many states",
        "too many",
        "no figure; the states of its first form are not described",
    ),
    (
        "Section 5.1",
        "The first pool is too simple to look like people, even beginners",
        "too dumb",
        "a judgement, without a figure",
    ),
    (
        "Section 6.1",
        "40 games of ten rounds against every agent and scripted player: mean gain, standard deviation, win rate",
        "40 games",
        "a description; Figs 5 and 6 have rows of their own",
    ),
    (
        "Sections 6.2 and 8.2",
        "Evaluation against people",
        "future work",
        "a wish; no people were measured, by the document or by us",
    ),
    (
        "Section 8.2",
        "The insights of Section 8.1 should be verified with robust data",
        "a wish",
        "a wish; the rows of Section 8.1 have our data",
    ),
    (
        "Section 9",
        "Solving subgames online leads to smarter strategies",
        "can help",
        "a wish, not measured for this game: its agents play without search (`smoothcall solve` solves subgames)",
    ),
    (
        "Section 9",
        "Learning the opponent's strategy leads to smarter strategies",
        "can help",
        "a wish; the player that chooses by the opponent's metrics has a row of its own",
    ),
)


def other_rows() -> Iterator[Row]:
    for source, statement, figure, why in DESCRIBED:
        yield Row(source, statement, figure, deviations=(Deviation("nothing", why),))
    held = "held by a test"
    for source, statement, figure, why, note in (
        (
            "Section 1.3",
            "No-limit Texas hold'em has 9.37e71 decision points; a strategy takes 1.241e49 yottabytes",
            "9.37e71; 1.241e49",
            "cited from Johanson 2013, about another game",
            "",
        ),
        ("Fig 2", "The order in which a hand is checked for combinations", "a flow chart", "a flow chart of its program", ""),
        ("Section 4.3.1", "Q-learning with networks overestimates values", "in general", "cited from Thrun and Schwartz", ""),
        (
            "Section 4.3.2",
            "Opponent metrics: the frequency of raises before the flop, and raises by calls",
            "two formulas",
            held,
            f"`{TESTS['metrics']}`, `{TESTS['metrics at tables']}`",
        ),
        (
            "Section 5.1",
            "Two pools of scripted players: seven, then four that all look at their equity, two of which bluff",
            "rules",
            held,
            ", ".join(f"`{TESTS[name]}`" for name in ("fixed moves", "all-in", "bluffers")),
        ),
        (
            "Figs 3 and 4",
            "A person can play against each agent and scripted player",
            "screenshots",
            "pictures of its program",
            f"ours: [the page](../web.md), freezeouts of ten hands: `{TESTS['ten hands']}`",
        ),
        (
            "Section 6.2",
            "A person does not see the agent's cards before a showdown",
            "hidden",
            held,
            f"`{TESTS['hidden cards']}`",
        ),
        (
            "Section 8",
            "Agents with strong stable gains and low variation were implemented",
            "strong; low",
            "the document does not say which and compared with what; the standard deviations have rows of their own",
            "",
        ),
        (
            "Section 8.2",
            "The strategies did not completely converge",
            "not converged",
            "about its own agents, whose training sizes it does not print",
            "",
        ),
        ("Section 9", "Learning offline is not enough against people", "not enough", "cited from the Libratus project", ""),
    ):
        yield Row(source, statement, figure, deviations=(Deviation("nothing", why),), note=note)


# Beyond the document


def combined_row(parts: Mapping[str, Part]) -> Row:
    """Return the row of its wish, combining agents: the combination compared with each member alone."""
    source, statement = "Section 8.2", "Combining agents: a player that chooses among the four by the opponent's metrics"
    by_seed = tables_by_seed(parts)
    seeds = [seed for seed in seeds_of(parts, "combined") if seed in by_seed]
    if not seeds:
        return unmeasured(source, statement, None)
    ours = [gain_of_all(parts[f"combined {seed}"].figures["matches"]) for seed in seeds]
    measured = [Measured(over_trainings(ours), None, "mean gain against all 14 players", "+,.0f", CHIPS)]
    for label in PAPER:
        apart = [one - alone(by_seed[seed], label) for one, seed in zip(ours, seeds, strict=True)]
        measured.append(Measured(over_trainings(apart), Above(0), f"more than {label}", "+,.0f", "chips"))
    best = over_trainings([one - best_alone(by_seed[seed]) for one, seed in zip(ours, seeds, strict=True)])
    measured.append(Measured(best, Above(0), "more than the best of the four in each training", "+,.0f", "chips"))
    new = [parts[f"new opponents {seed}"].figures for seed in seeds_of(parts, "new opponents")]
    for label in PAPER if new else ():
        apart = [new_gain(each, COMBINED) - new_gain(each, label) for each in new]
        what = f"against learners that its choice was not learned from, more than {label}"
        measured.append(Measured(over_trainings(apart), Above(0), what, "+,.0f", "chips"))
    return Row(source, statement, None, tuple(measured))


def exact_row(parts: Mapping[str, Part]) -> Row:
    """Return the row of exact best responses in a game of few raises."""
    statement = "How much an exact best response wins, in the game whose only raise is by three bets"
    found = {label: parts[f"exact response {label}"].figures for label in EXACT if f"exact response {label}" in parts}
    measured = tuple(Measured(exact(each["total"]), None, label, "+,.0f", "mbb/h") for label, each in found.items())
    note = "" if measured else "not measured"
    return Row("beyond", statement, None, measured, note=note)


def gain_of_all(matches: Mapping[str, Mapping[str, float]]) -> float:
    return sum(each["gain"] for each in matches.values()) / len(matches)


def new_gain(training: Mapping[str, Mapping[str, Mapping[str, float]]], label: str) -> float:
    """Return the mean gain of a player against the learners that the combination's choice was not learned from."""
    return gain_of_all(training[label])


def alone(table: CrossTable, label: str) -> float:
    """Return the mean gain of a learner against the four learners and all scripted players; against itself it is 0."""
    return sum(table.gains(label, (*COLUMNS, *FIRST))) / (len(COLUMNS) + len(FIRST))


def best_alone(table: CrossTable) -> float:
    """Return the mean gain of the best learner of a training against these opponents."""
    return max(alone(table, label) for label in PAPER)
