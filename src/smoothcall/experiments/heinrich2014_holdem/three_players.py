"""Three players (Table 3): its rows and its section of the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.heinrich2014.figures import read
from smoothcall.experiments.heinrich2014_holdem import agents as of
from smoothcall.experiments.heinrich2014_holdem.agents import AVERAGE, EPISODES_3P, GREEDY, SKIP, Agent
from smoothcall.experiments.heinrich2014_holdem.measures import BEST
from smoothcall.experiments.heinrich2014_holdem.reading import Found, figure, iterations_of, unless_measured
from smoothcall.experiments.verdicts import Above, Deviation, Measured, Near, Row, difference, exact
from smoothcall.kernels.solvers.uct import MIN_FOLD_VISITS

if TYPE_CHECKING:
    from smoothcall.experiments.ledger import Page

TWO_SIGMA = 1.96  # the document's intervals are of 68 %
POKI = Deviation("opponents", "Poki is not available")
READINGS = {GREEDY: "check or call where an action is untried", SKIP: "greedy among tried actions"}  # of "greedy"
NAMES = {of.UCT_3P.label: "UCT", of.SMOOTH_3P.label: "Smooth UCT"}
OTHERS = (of.EAGER_3P, *of.EXACT_3P)  # agents that the document does not have
CAUSE = "untried actions and the 10,000-visit rule decide these matches; see Three players"


def rows(parts: Found) -> Iterator[Row]:
    for statement, published in (
        ("2 x Poki: UCT", "163 ± 19"),
        ("2 x Poki: Smooth UCT", "118 ± 19"),
        ("Poki and UCT: Smooth UCT", "81 ± 24"),
        ("Poki and Smooth UCT: UCT", "73 ± 24"),
    ):
        yield Row("Table 3", statement, published, deviations=(POKI,))
    for statement, published in (
        ("UCT wins more than Smooth UCT against 2 x Poki", "163 ± 19 against 118 ± 19"),
        ("UCT wins slightly less than Smooth UCT against Poki and the other", "81 ± 24 against 73 ± 24"),
        ("Self-play tree search trains strong three-player agents", "suggest ... strong"),
    ):
        yield Row("Three-player", statement, published, deviations=(POKI,))
    yield from _scripted(parts)
    part = parts.get(f"three players, {of.UCT_3P.label}")
    speed = None if part is None else part.figures["speed"]
    yield Row(
        "Three-player",
        "Training of a three-player agent: 12 billion episodes in 48 hours",
        "48 hours (69,400 episodes a second)",
        () if speed is None else (Measured(exact(speed), None, "UCT", ",.0f", "episodes a second of CPU time"),),
        (Deviation("unit", "hours on a computer of 2014"),),
    )
    yield from _beyond(parts)


def _scripted(parts: Found) -> Iterator[Row]:
    """Always-Raise and Probe, the opponents that can be had. Each reading of "greedy" must meet the statement."""
    agents = (of.UCT_3P, of.SMOOTH_3P)
    part = parts.get(f"three players, {of.UCT_3P.label}")
    smaller = 1.0 if part is None else EPISODES_3P / iterations_of(part)
    for agent in agents:
        value, half = map(float, agent.published.split(" ± "))
        published = Near(value, TWO_SIGMA * half)
        ours = [figure(_won(parts, agent, form), f"{about}:", published) for form, about in READINGS.items()]
        measured = tuple(chain(*ours))
        yield Row(
            "Table 3",
            f"AR and Probe: {NAMES[agent.label]}",
            agent.published,
            measured,
            unless_measured(measured),
            smaller=smaller,
            cause=CAUSE,
        )
    apart: list[Measured] = []
    wins: list[Measured] = []
    for form, about in READINGS.items():
        uct, smooth = (_won(parts, agent, form) for agent in agents)
        if uct is not None and smooth is not None:
            apart += figure(difference(smooth, uct), f"Smooth UCT less UCT, {about}:", Above(0))
            wins += [*figure(uct, f"UCT, {about}:", Above(0)), *figure(smooth, f"Smooth UCT, {about}:", Above(0))]
    yield Row(
        "Table 3",
        "AR and Probe: Smooth UCT wins more than UCT",
        "910 ± 78 against 760 ± 77",
        tuple(apart),
        unless_measured(apart),
        smaller=smaller,
        cause=CAUSE,
    )
    yield Row(
        "Three-player",
        "AR and Probe: both agents win in spite of imperfect recall, where CFR lost (Risk and Szafron 2010)",
        "strong results",
        tuple(wins),
        unless_measured(wins),
        smaller=smaller,
        cause=CAUSE,
    )


def _won(parts: Found, agent: Agent, form: str = GREEDY) -> Estimate | None:
    """Return the winnings of a three-player agent in the largest number of hands."""
    part = parts.get(f"three players, {agent.label}")
    forms: dict[str, Any] = {} if part is None else part.figures["forms"]
    if form not in forms:
        return None
    results = forms[form]["won"]
    return read(results[max(results, key=int)])


def _beyond(parts: Found) -> Iterator[Row]:
    for agent in (of.UCT_3P, of.SMOOTH_3P):
        yield from _row_beyond(parts, agent, {AVERAGE: "average policy"})
    for agent in OTHERS:
        yield from _row_beyond(parts, agent, READINGS | {AVERAGE: "average policy"})
    uct, eager = (_won(parts, agent) for agent in (of.UCT_3P, of.EAGER_3P))
    if uct is not None and eager is not None:
        statement = "AR and Probe: Smooth UCT without the 10,000-visit rule less UCT"
        yield Row("", statement, None, figure(difference(eager, uct), f"{READINGS[GREEDY]}:"))


def _row_beyond(parts: Found, agent: Agent, forms: Mapping[str, str]) -> Iterator[Row]:
    ours = tuple(chain(*(figure(_won(parts, agent, form), f"{about}:") for form, about in forms.items())))
    if ours:
        count = iterations_of(parts[f"three players, {agent.label}"])
        yield Row("", f"AR and Probe: {agent.label}, {count:,.0f} episodes", None, ours)


def section(page: Page, parts: Found) -> None:
    every = (of.UCT_3P, of.SMOOTH_3P, *OTHERS)
    found = [(agent, part) for agent in every if (part := parts.get(f"three players, {agent.label}")) is not None]
    page.heading("Three players (Table 3)")
    if not found:
        page.text("Not measured at this size.")
        return
    page.text(
        "Against Always-Raise and Probe, every deal in all six seatings. Each agent was trained once; intervals are those of "
        "the matches. The document trained for about 12,000,000,000 episodes."
    )
    _winnings(page, found)
    page.text(
        "**Untried actions.** Against these opponents hands reach states that self-play rarely visited. There our greedy "
        f'policies check or call where some action was never tried; "{SKIP}" takes the best action that was tried, and any '
        "where none was. The document does not say what its agents do there, so that a statement must hold for both. The first "
        "rule was chosen after matches against these two opponents were lost without it: it is fitted to them. With exact "
        f"folds no policy folds at states with fewer than {MIN_FOLD_VISITS} visits."
    )
    page.text(
        "**The 10,000-visit rule.** In the document eta = 0 at states with fewer than 10,000 visits. Such a state repeats its "
        "average policy, which is the random action of its first visit, until it has 10,000 visits: it tries no other. With "
        "fewer episodes than the document's most states never leave this phase. Smooth UCT was therefore also trained without "
        "the rule."
    )
    _visits(page, found)
    page.text("Largest probability of folding a hand before the flop, over all ways the others may play:")
    folded = {agent.label: {form: each["folded"] for form, each in part.figures["forms"].items()} for agent, part in found}
    folds(page, folded)


def _winnings(page: Page, found: list[tuple[Agent, Any]]) -> None:
    lines = []
    for agent, part in found:
        for form, results in part.figures["forms"].items():
            for hands, data in results["won"].items():
                won = read(data)
                cells = [f"{won.mean:+.0f} ± {won.half_width(0.68):.0f}", agent.published if form == GREEDY else ""]
                lines.append([agent.label, form, f"{iterations_of(part):,.0f}", f"{int(hands):,}", *cells])
    page.table(["agent", "", "episodes", "hands", "mbb/h (68 %)", "published (68 %)"], lines)


def _visits(page: Page, found: list[tuple[Agent, Any]]) -> None:
    lines = []
    for agent, part in found:
        counted = part.figures.get("visits")
        if counted is not None:
            counts = [f"{counted[key]:,}" for key in ("states", "visited", "often")]
            lines.append([agent.label, *counts, f"{counted['seldom share']:.1%}"])
    if lines:
        rule = found[0][1].settings["rule"]
        heads = ["information states", "visited", f"{rule:,} visits or more", f"decisions at states with fewer than {rule:,}"]
        page.table(["agent after self-play", *heads], lines)


def folds(page: Page, found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    lines = [
        [label, form, *(f"{share:.2%}" for share in shares.values())]
        for label, forms in found.items()
        for form, shares in forms.items()
    ]
    page.table(["agent", "", *BEST], lines)
