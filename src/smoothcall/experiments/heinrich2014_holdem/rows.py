"""The rows of the hold'em page: the document's statements beside our figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.heinrich2014.figures import mean, read
from smoothcall.experiments.heinrich2014_holdem import agents as of
from smoothcall.experiments.heinrich2014_holdem import three_players
from smoothcall.experiments.heinrich2014_holdem.agents import AVERAGE, EPISODES, FORMS, GREEDY
from smoothcall.experiments.heinrich2014_holdem.measures import OPPONENTS
from smoothcall.experiments.heinrich2014_holdem.reading import (
    NOT_MEASURED,
    Found,
    bound,
    figure,
    iterations_of,
    points_of,
    unless_measured,
    winnings,
)
from smoothcall.experiments.verdicts import (
    Above,
    Criterion,
    Deviation,
    Measured,
    Near,
    Row,
    deviating,
    difference,
    exact,
    magnitude,
    single,
)

BOTS = Deviation("opponents", "Sparbot and FellOmen2 are not available")
PLAN = Deviation("nothing", "a plan of its authors")
BOUNDS = Deviation("nothing", "no figure in the document, and of our agents only lower bounds can be computed")
UNDERTRAINED = (
    "after so few episodes the policies are exploitable before they are frozen: the same bound of their averages is no smaller"
)
OWN_INTERVALS = "about its own Table 2, whose intervals stand in the rows on it"
QUOTED = "quoted; neither program is available"
TABLE_1 = {"2p S": (169, 100, 100, 100), "2p L": (169, 1000, 500, 200), "3p": (169, 1000, 100, 10)}
PAIRS = (("UCT S, k=1", "Smooth UCT S, k=1"), ("UCT S, k=0.5", "Smooth UCT S, k=0.5"), ("UCT L, k=0.5", "Smooth UCT L, k=0.5"))


def rows(parts: Found) -> Iterator[Row]:
    yield from _sizes(parts)
    yield from _table_2(parts)
    yield from _two_player_claims(parts)
    yield from _frozen(parts)
    yield from three_players.rows(parts)
    yield from _exact_folds(parts)
    yield from _curves(parts)
    yield from _abstractions(parts)
    yield from _plans()


def _sizes(parts: Found) -> Iterator[Row]:
    found = parts["sizes"].figures
    for label, published in TABLE_1.items():
        streets = ("preflop", "flop", "turn", "river")
        buckets = zip(streets, published, found[label]["buckets"], strict=True)
        used = "/".join(map(str, found[label]["used"]))
        yield Row(
            "Table 1",
            f"{label}: grid sizes (a setting)",
            "/".join(map(str, published)),
            tuple(Measured(exact(ours), Near(size), street, ".0f") for street, size, ours in buckets),
            note=f"buckets that came up in {parts['sizes'].settings['deals']:,} deals {used}",
        )
    yield Row(
        "Limit Texas Hold'em",
        "Nodes of the two-player game tree",
        "about 10^18",
        (Measured(exact(found["game tree"]), magnitude(18), form=".2e"),),
    )
    part = parts.get("exploration by the pot")
    compared = [] if part is None else [_one_pair(read(part.figures[form]), form) for form in FORMS]
    yield Row(
        "Limit Texas Hold'em",
        "Exploration by pot and remaining betting, (5), avoids unnecessary exploration (it wins against a constant, the most "
        "that can be won in a hand, after equally many episodes)",
        "To avoid unnecessary exploration",
        tuple(chain(*compared)),
        unless_measured(compared[0] if compared else ()),
        smaller=1.0 if part is None else EPISODES / iterations_of(part),
        note="one training of each kind decides nothing about the kinds" if compared else "",
    )


def _one_pair(won: Estimate, form: str) -> tuple[Measured, ...]:
    """Return what one training wins against another: judged as one pair, beside it the interval of its hands."""
    about = f"{form}, these two agents:"
    return (*figure(single(won.mean), form, Above(0)), *figure(won, about))


def _table_2(parts: Found) -> Iterator[Row]:
    """Return one row for each entry; beside it what our agent wins against our MCCFR agent, which is another opponent."""
    part = parts.get(f"table 2, {GREEDY}")
    size = "" if part is None else f", after {iterations_of(part):,.0f} episodes"
    for agent in of.TWO:
        ours = winnings(parts, f"table 2, {GREEDY}", agent.label, of.MCCFR.label)
        for opponent, published in zip(("Sparbot", "FellOmen2"), agent.published.split(", "), strict=True):
            yield Row(
                "Table 2",
                f"{agent.label} against {opponent}",
                published,
                figure(ours, f"greedy against greedy {of.MCCFR.label}{size}:"),
                (Deviation("opponents", f"{opponent} is not available"),),
            )


def _two_player_claims(parts: Found) -> Iterator[Row]:
    for source, statement, published in (
        ("Two-player", "The agents win against both opponents overall", "overall positive performance"),
        ("Two-player", "Some agents win against one opponent and lose to the other", "not stable against both"),
        ("Two-player", "UCT S, k=0.5 is the most robust against both", "most robust performance"),
        ("Two-player", "Two Smooth UCT agents, one of each abstraction, are robust", "achieve robust performance"),
        ("Conclusion", "Self-play tree search competes with the state of the art of 2008", "suggest ... competitive"),
    ):
        yield Row(source, statement, published, deviations=(BOTS,))
    for source, statement, published, why in (
        (
            "Two-player",
            "Standard errors are large beside the differences in performance",
            "difficult to compare",
            OWN_INTERVALS,
        ),
        (
            "Two-player, Three-player",
            "FellOmen2 and Poki did well in the competition of 2008",
            "second; first of six players",
            QUOTED,
        ),
    ):
        yield Row(source, statement, published, deviations=(Deviation("nothing", why),))
    against = [
        chain(*(figure(winnings(parts, f"table 2, {form}", smooth, uct), f"{smooth} against {uct}, {form}") for form in FORMS))
        for uct, smooth in PAIRS
    ]
    yield Row(
        "Conclusion",
        "Smooth UCT plays no better than UCT conclusively",
        "not conclusive",
        tuple(chain(*against)),
        (Deviation("opponents", "its evidence are matches with Sparbot and FellOmen2; ours play each other"),),
    )
    points = [list(points_of(parts, agent.label).values()) for agent in of.TWO]
    speeds = [each[-1]["speed"] for each in points if each and each[-1]["speed"]]
    yield Row(
        "Limit Texas Hold'em",
        "Training of a two-player agent: 7 billion episodes in 30 hours, without parallelisation",
        "30 hours (64,800 episodes a second)",
        (Measured(mean(speeds), None, "coarse abstraction", ",.0f", "episodes a second of CPU time"),) if speeds else (),
        (Deviation("unit", "hours on a computer of 2014"),),
    )


def _frozen(parts: Found) -> Iterator[Row]:
    """Statements about distance to an equilibrium and about policies frozen to the greedy action."""
    learned = [figure(bound(parts, agent.label, GREEDY, "learned"), agent.label, Above(0)) for agent in of.TWO]
    part = parts.get(f"table 2, {GREEDY}")
    frozen = Row(
        "Two-player",
        "Policies frozen to the greedy action are exploitable (a learned response, a lower bound, wins)",
        "generally yields exploitable policies",
        tuple(chain(*learned)),
        unless_measured(tuple(chain(*learned))),
        smaller=1.0 if part is None else EPISODES / iterations_of(part),
        cause="a response learned in few episodes loses to an agent that a best response would beat",
        note=_freezing(parts),
    )
    both = _frozen_and_average(parts)
    before = bool(both) and all(average.mean >= greedy.mean for greedy, average in both)
    yield deviating(frozen, "size", UNDERTRAINED) if before else frozen
    pairs: list[Measured] = []
    for name in ("UCT", "Smooth UCT"):
        coarse, fine = (bound(parts, f"{name} {grid}, k=0.5", GREEDY, "local") for grid in "SL")
        if coarse is not None and fine is not None:
            pairs += figure(difference(coarse, fine), f"{name}: lower bound by a local best response, S less L")
    yield Row(
        "Two-player",
        "A coarse abstraction makes frozen policies more exploitable",
        "might emphasize these effects",
        tuple(pairs),
        (BOUNDS,),
    )
    smooth = [agent for agent in of.TWO if agent.solver == "smooth-uct"]
    found = [figure(bound(parts, agent.label, AVERAGE, "local"), f"{agent.label}, average") for agent in smooth]
    yield Row(
        "Conclusion",
        "The policies of Smooth UCT in large limit hold'em games are close to an equilibrium (lower bounds of what a best "
        "response wins)",
        "suggests that the policies it learns are close",
        tuple(chain(*found)),
        (BOUNDS,),
    )
    shares: Mapping[str, Any] = {} if (folds := parts.get("folded before the flop")) is None else folds.figures
    most = max(((forms[AVERAGE]["AA"], label) for label, forms in shares.items()), default=None)
    about = "AA folded before the flop at most, average policies; most by"
    yield Row(
        "Kuhn Poker",
        "In large games nodes have too few visits for an average policy with a small dominated error",
        "might be too low",
        () if most is None else (Measured(exact(100 * most[0]), None, f"{about} {most[1]}", ".2f", "%"),),
        (Deviation("nothing", "a conjecture without a figure; hold'em has no known set of dominated actions"),),
    )


def _frozen_and_average(parts: Found) -> list[tuple[Estimate, Estimate]]:
    """Return the local lower bounds of each agent, frozen to the greedy action and as an average."""
    found = [tuple(bound(parts, agent.label, form, "local") for form in FORMS) for agent in of.TWO]
    return [(greedy, average) for greedy, average in found if greedy is not None and average is not None]


def _freezing(parts: Found) -> str:
    found = [f"{greedy.mean:+.0f} and {average.mean:+.0f}" for greedy, average in _frozen_and_average(parts)]
    return f"lower bounds by a local best response, frozen and average: {', '.join(found)}" if found else ""


def _exact_folds(parts: Found) -> Iterator[Row]:
    """Rows beyond the document."""
    for agent in of.TWO:
        part = parts.get(f"exact against sampled folds, {agent.label}")
        if part is not None:
            yield Row(
                "",
                f"{agent.label}: exact fold values against sampled ones, {iterations_of(part):,.0f} episodes each",
                None,
                tuple(chain(*(figure(read(part.figures[form]), form) for form in FORMS))),
            )
    for agent in of.EXACT_TWO:
        ours = [figure(winnings(parts, f"exact folds, {form}", agent.label, of.MCCFR.label), form) for form in FORMS]
        part = parts.get(f"exact folds, {GREEDY}")
        if part is not None and any(ours):
            statement = f"{agent.label}, {iterations_of(part):,.0f} episodes, against {of.MCCFR.label}"
            yield Row("", statement, None, tuple(chain(*ours)))
    for rule in OPPONENTS:
        cells = [(winnings(parts, f"table 2, {GREEDY}", agent.label, rule), agent.label) for agent in of.TWO]
        least, name = min(
            ((cell, label) for cell, label in cells if cell is not None), key=lambda each: each[0].mean, default=(None, "")
        )
        if least is not None:
            yield Row("", f"Two players: least winnings of a greedy agent against {rule}: {name}", None, figure(least))


def _curves(parts: Found) -> Iterator[Row]:
    """Return rows for the learning curves it wished for, against the MCCFR agent."""
    wish = "Conclusion (learning rate against MCCFR)"
    for agent in (*of.TWO, *of.EXACT_TWO):
        found = points_of(parts, agent.label)
        if found:
            last = max(found)
            ours = [figure(read(found[last][form]["won"]), form) for form in FORMS]
            statement = f"{agent.label} after {last:,.0f} episodes against the average policy of {of.MCCFR.label}"
            yield Row(wish, statement, None, tuple(chain(*ours)))
    for uct, smooth in PAIRS:
        one, other = points_of(parts, uct), points_of(parts, smooth)
        common = sorted(set(one) & set(other))
        if common:
            yield Row(
                "Two-player (different training times)",
                f"{smooth} less {uct}, greedy, against the average policy of {of.MCCFR.label}, by episodes",
                None,
                tuple(chain(*(figure(_apart(other[at], one[at]), f"{at:,.0f}:") for at in common))),
            )


def _apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> Estimate:
    return difference(read(one[GREEDY]["won"]), read(other[GREEDY]["won"]))


def _abstractions(parts: Found) -> Iterator[Row]:
    part = parts.get(f"abstractions, {AVERAGE}")
    for cells, published, about in (
        ("k-means", "should improve the performance", "Clusters of E[HS^2]"),
        ("histograms", "should improve the performance", "Distribution-aware clusters"),
        ("mass", None, "Equally frequent intervals of E[HS^2]"),
        ("equity", None, "Even intervals of E[HS]"),
    ):
        measured = tuple(_improvements(parts, cells, Above(0) if published else None))
        if not measured and not published:
            continue
        yield Row(
            "Conclusion" if published else "",
            f"{about} play better than the even grid of E[HS^2] (equal training; matches, and lower bounds of exploitability)",
            published,
            measured,
            () if len(measured) == 1 + 2 * len(FORMS) else (NOT_MEASURED,),
            smaller=1.0 if part is None else EPISODES / iterations_of(part),
            cause="greedy policies and averages disagree, after one training of each; why was not looked for; see Abstractions",
        )


def _improvements(parts: Found, cells: str, criterion: Criterion | None) -> Iterator[Measured]:
    """Yield winnings against both seeds of the even grid, and by how much less a local best response wins: five figures."""
    for seed in ("even", f"even, seed {of.SEED + 1}"):
        for form in FORMS:
            yield from figure(winnings(parts, f"abstractions, {form}", cells, seed), f"against {seed}, {form}", criterion)
    even, ours = (bound(parts, each, AVERAGE, "local") for each in ("even", cells))
    if even is not None and ours is not None:
        label = "lower bound by a local best response to averages, even less this"
        yield from figure(difference(even, ours), label, criterion)


def _plans() -> Iterator[Row]:
    for statement, published in (
        ("Local or online search for the hand being played could scale to more players", "could scale"),
        ("A study of the theory of Smooth UCT", "might unveil a class of algorithms"),
    ):
        yield Row("Conclusion", statement, published, deviations=(PLAN,))
    yield Row(
        "Conclusion", "With more training Smooth UCT might converge in large games", "might also converge", deviations=(BOUNDS,)
    )
    yield Row(
        "Conclusion",
        "Matches with other programs do not measure the distance from an equilibrium",
        "insufficient",
        deviations=(Deviation("nothing", "an argument, without a figure; lower bounds have a row of their own"),),
    )
