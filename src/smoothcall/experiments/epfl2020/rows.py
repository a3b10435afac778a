"""The published statements of epfl2020 beside our figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import comb

from smoothcall.experiments.epfl2020.figures import CrossTable, cross_tables, over_trainings, seeds_of, tables_by_seed
from smoothcall.experiments.epfl2020.observations import CHIPS, observation_rows, unmeasured
from smoothcall.experiments.epfl2020.settings import COLUMNS, FIGURE_1, FIRST, PAPER
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Above, Below, Deviation, Measured, Near, Row, exact, share


def rows(parts: Mapping[str, Part]) -> Iterator[Row]:
    yield from card_rows(parts)
    yield from observation_rows(cross_tables(parts))
    yield from other_rows()
    yield combined_row(parts)


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


# What there is no figure of ours for


def other_rows() -> Iterator[Row]:
    for source, statement, figure, why in (
        (
            "Section 1.3",
            "No-limit Texas hold'em has 9.37e71 decision points; a strategy takes 1.241e49 yottabytes",
            "9.37e71; 1.241e49",
            "cited from Johanson 2013, about another game",
        ),
        ("Fig 2", "The order in which a hand is checked for combinations", "a flow chart", "a flow chart of its program"),
        (
            "Figs 3 and 4",
            "A person can play against each agent and scripted player",
            "screenshots",
            "pictures of its program; ours is the page, where a match of no-limit-holdem-32 has freezeouts of ten hands",
        ),
        (
            "Section 8",
            "Agents with strong stable gains and low variation were implemented",
            "strong; low",
            "the document does not say which and compared with what; the standard deviations have rows of their own",
        ),
        (
            "Section 8.2",
            "The strategies did not completely converge",
            "not converged",
            "about its own agents, whose training sizes it does not print",
        ),
    ):
        yield Row(source, statement, figure, deviations=(Deviation("nothing", why),))


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
    return Row(source, statement, None, tuple(measured))


def gain_of_all(matches: Mapping[str, Mapping[str, float]]) -> float:
    return sum(each["gain"] for each in matches.values()) / len(matches)


def alone(table: CrossTable, label: str) -> float:
    """Return the mean gain of a learner against the four learners and all scripted players; against itself it is 0."""
    return sum(table.gains(label, (*COLUMNS, *FIRST))) / (len(COLUMNS) + len(FIRST))
