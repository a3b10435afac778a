"""The rows of the hold'em page: the document's statements beside our figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from smoothcall.agents.scripted import Rule
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.heinrich2014.figures import mean, read
from smoothcall.experiments.heinrich2014_holdem import agents as of
from smoothcall.experiments.heinrich2014_holdem.agents import AVERAGE, FORMS, GREEDY, SKIP, Agent
from smoothcall.experiments.heinrich2014_holdem.measures import won
from smoothcall.experiments.parts import NotMeasured, Part
from smoothcall.experiments.verdicts import Above, Between, Deviation, Measured, Near, Row, difference, exact

Found = Mapping[str, Part]
EPISODES, EPISODES_3P = 7e9, 12e9  # of each agent in the document
TWO_SIGMA = 1.96  # the document's intervals are of 68 %
NOT_MEASURED = Deviation("nothing", "not measured yet")
BOTS = Deviation("opponents", "Sparbot and FellOmen2 are not available")
POKI = Deviation("opponents", "Poki is not available")
TABLE_1 = {"2p S": (169, 100, 100, 100), "2p L": (169, 1000, 500, 200), "3p": (169, 1000, 100, 10)}
PAIRS = (("UCT S, k=0.5", "Smooth UCT S, k=0.5"), ("UCT S, k=1", "Smooth UCT S, k=1"), ("UCT L, k=0.5", "Smooth UCT L, k=0.5"))


def rows(parts: Found) -> Iterator[Row]:
    yield from _sizes(parts)
    for source, group in (("Table 2", _table_2), ("Two-player", _frozen), ("Table 3", _table_3), ("", _exact_folds)):
        try:
            yield from list(group(parts))
        except NotMeasured as missing:
            statement = f"All statements that need the part {str(missing)!r}"
            yield Row(source or "Exact fold values", statement, "see the document", deviations=(NOT_MEASURED,))
    yield from _wishes(parts)


def iterations_of(part: Part) -> float:
    """Return the iterations of the agent that a part measures, from the command that trained it."""
    command = part.settings.get("agent") or part.settings["agents"][0]
    return float(command.split("--iterations ")[1].split()[0])


def points_of(parts: Found, label: str) -> dict[float, Any]:
    """Return the figures of an agent's learning curve by iterations."""
    found = {iterations_of(part): part.figures for name, part in parts.items() if name.rpartition(", ")[0] == f"curve, {label}"}
    return dict(sorted(found.items()))


def _sizes(parts: Found) -> Iterator[Row]:
    found = parts["sizes"].figures
    for label, published in TABLE_1.items():
        buckets = zip(("preflop", "flop", "turn", "river"), published, found[label]["buckets"], strict=True)
        yield Row(
            "Table 1",
            f"{label}: grid sizes",
            "/".join(map(str, published)),
            tuple(Measured(exact(ours), Near(size), street, ".0f") for street, size, ours in buckets),
        )
    yield Row(
        "Limit Texas Hold'em",
        "Nodes of the two-player game tree",
        "about 10^18",
        (Measured(exact(found["game tree"]), Between(10**17.5, 10**18.5), form=".2e"),),
    )


def _table_2(parts: Found) -> Iterator[Row]:
    data = parts[f"table 2, {GREEDY}"].figures
    for agent in of.TWO:
        sparbot, fellomen = agent.published.split(", ")
        ours = [won(data, agent.label, of.MCCFR.label)] if agent.label in data["rows"] else []
        yield Row(
            "Table 2",
            f"{agent.label} against Sparbot and FellOmen2",
            f"{sparbot}; {fellomen}",
            tuple(Measured(each, None, f"greedy against greedy {of.MCCFR.label}", "+.0f", "mbb/h") for each in ours),
            (BOTS,),
        )
    for statement, published in (
        ("The agents win against both opponents overall", "overall positive performance"),
        ("Some agents win against one opponent and lose to the other", "not stable against both"),
        ("UCT S, k=0.5 is the most robust, and two Smooth UCT agents are robust", "most robust performance"),
        ("Self-play tree search competes with the state of the art of 2008", "suggest ... competitive"),
    ):
        yield Row("Two-player", statement, published, deviations=(BOTS,))
    points = [list(points_of(parts, agent.label).values()) for agent in of.TWO]
    speeds = [each[-1]["speed"] for each in points if each and each[-1]["speed"]]
    yield Row(
        "Limit Texas Hold'em",
        "Training of a two-player agent: 7 billion episodes in 30 hours, without parallelisation",
        "30 hours (64,800 episodes a second)",
        (Measured(mean(speeds), None, "coarse abstraction", ",.0f", "episodes a second of CPU time"),) if speeds else (),
        (Deviation("unit", "hours on a computer of 2014"),),
    )
    pairs = [pair for pair in PAIRS if set(pair) <= set(data["rows"])]
    yield Row(
        "Conclusion",
        "Smooth UCT plays no better than UCT conclusively",
        "not conclusive",
        tuple(
            Measured(won(data, smooth, uct), None, f"{smooth} against {uct}, greedy", "+.0f", "mbb/h") for uct, smooth in pairs
        ),
        (Deviation("opponents", "its evidence are matches with Sparbot and FellOmen2; ours play each other"),),
    )


def _bound(parts: Found, label: str, form: str, kind: str) -> Estimate | None:
    part = parts.get(f"bounds, {label}, {form}")
    return None if part is None else read(part.figures[kind])


def _frozen(parts: Found) -> Iterator[Row]:
    """Statements about policies frozen to the greedy action."""
    labels = [agent.label for agent in of.TWO if f"bounds, {agent.label}, {GREEDY}" in parts]
    if not labels:
        raise NotMeasured("bounds")
    smaller = EPISODES / iterations_of(parts[f"bounds, {labels[0]}, {GREEDY}"])
    frozen = {label: _bound(parts, label, GREEDY, "learned") for label in labels}
    yield Row(
        "Two-player",
        "Policies frozen to the greedy action are exploitable (a learned response wins)",
        "generally yields exploitable policies",
        tuple(Measured(bound, Above(0), label, "+.0f", "mbb/h") for label, bound in frozen.items() if bound is not None),
        smaller=smaller,
    )
    pairs = []
    for name in ("UCT", "Smooth UCT"):
        coarse, fine = (_bound(parts, f"{name} {grid}, k=0.5", GREEDY, "local") for grid in "SL")
        if coarse is not None and fine is not None:
            label = f"{name}: local best response wins, S less L"
            pairs.append(Measured(difference(coarse, fine), Above(0), label, "+.0f", "mbb/h"))
    yield Row(
        "Two-player",
        "A coarse abstraction makes frozen policies more exploitable",
        "might emphasize these effects",
        tuple(pairs),
        () if pairs else (NOT_MEASURED,),
        smaller=smaller,
        cause="the bound looks one action ahead; see How exploitable are they?",
    )
    shares = parts["folded before the flop"].figures
    label, most = max(((label, forms[AVERAGE]["AA"]) for label, forms in shares.items()), key=lambda each: each[1])
    yield Row(
        "Kuhn Poker",
        "In large games nodes have too few visits for an average policy with a small dominated error",
        "might be too low",
        (Measured(exact(100 * most), None, f"AA folded before the flop at most by the average policy of {label}", ".2f", "%"),),
        (Deviation("nothing", "a conjecture without a figure; hold'em has no known set of dominated actions"),),
    )


def _three(parts: Found, agent: Agent, form: str = GREEDY) -> Estimate | None:
    """Return the winnings of a three-player agent in the largest number of hands."""
    part = parts.get(f"three players, {agent.label}")
    forms: dict[str, Any] = {} if part is None else part.figures["forms"]
    if form not in forms:
        return None
    results = forms[form]["won"]
    return read(results[max(results, key=int)])


def _table_3(parts: Found) -> Iterator[Row]:
    for statement, published in (
        ("2 x Poki: UCT", "163 ± 19"),
        ("2 x Poki: Smooth UCT", "118 ± 19"),
        ("Poki and UCT: Smooth UCT", "81 ± 24"),
        ("Poki and Smooth UCT: UCT", "73 ± 24"),
        ("UCT wins more than Smooth UCT against 2 x Poki", "163 ± 19 against 118 ± 19"),
    ):
        yield Row("Table 3", statement, published, deviations=(POKI,))
    uct, smooth = _three(parts, of.UCT_3P), _three(parts, of.SMOOTH_3P)
    part = parts.get(f"three players, {of.UCT_3P.label}")
    smaller = 1.0 if part is None else EPISODES_3P / iterations_of(part)
    cause = "see Three players: states that self-play seldom visits decide these matches"
    for agent, ours in ((of.UCT_3P, uct), (of.SMOOTH_3P, smooth)):
        mean_, half = map(float, agent.published.split(" ± "))
        yield Row(
            "Table 3",
            f"AR and Probe: {agent.label}",
            agent.published,
            () if ours is None else (Measured(ours, Near(mean_, TWO_SIGMA * half), "greedy", "+.0f", "mbb/h"),),
            (NOT_MEASURED,) if ours is None else (),
            smaller=smaller,
            cause=cause,
        )
    both = None if uct is None or smooth is None else (uct, smooth)
    yield Row(
        "Table 3",
        "AR and Probe: Smooth UCT wins more than UCT",
        "910 ± 78 against 760 ± 77",
        () if both is None else (Measured(difference(both[1], both[0]), Above(0), "Smooth UCT less UCT", "+.0f", "mbb/h"),),
        (NOT_MEASURED,) if both is None else (),
        smaller=smaller,
        cause=cause,
    )
    yield Row(
        "Three-player",
        "AR and Probe: both agents win in spite of imperfect recall, where CFR lost (Risk and Szafron 2010)",
        "strong results",
        () if both is None else tuple(
            Measured(each, Above(0), name, "+.0f", "mbb/h") for name, each in zip(("UCT", "Smooth UCT"), both, strict=True)
        ),
        (NOT_MEASURED,) if both is None else (),
        smaller=smaller,
    )  # fmt: skip
    speed = None if part is None else part.figures["speed"]
    yield Row(
        "Three-player",
        "Training of a three-player agent: 12 billion episodes in 48 hours",
        "48 hours (69,400 episodes a second)",
        () if speed is None else (Measured(exact(speed), None, "UCT", ",.0f", "episodes a second of CPU time"),),
        (Deviation("unit", "hours on a computer of 2014"),),
    )
    yield from _three_beyond(parts)


def _three_beyond(parts: Found) -> Iterator[Row]:
    for agent, form, about in (
        (of.EAGER_3P, GREEDY, "Smooth UCT without the 10,000-visit rule"),
        (of.UCT_3P, SKIP, "UCT, greedy among the actions with visits"),
        (of.SMOOTH_3P, SKIP, "Smooth UCT, greedy among the actions with visits"),
        (of.UCT_3P, AVERAGE, "UCT, average policy"),
        (of.SMOOTH_3P, AVERAGE, "Smooth UCT, average policy"),
        (of.EXACT_3P[0], GREEDY, "UCT with exact folds"),
        (of.EXACT_3P[1], GREEDY, "Smooth UCT with exact folds, without the 10,000-visit rule"),
    ):
        ours = _three(parts, agent, form)
        if ours is not None:
            yield Row("", f"AR and Probe: {about}", None, (Measured(ours, None, form="+.0f", unit="mbb/h"),))


def _exact_folds(parts: Found) -> Iterator[Row]:
    for agent in of.TWO:
        part = parts.get(f"exact against sampled folds, {agent.label}")
        if part is not None:
            yield Row(
                "",
                f"{agent.label}: exact fold values against sampled ones, {iterations_of(part):,.0f} episodes each",
                None,
                tuple(Measured(read(part.figures[form]), None, form, "+.0f", "mbb/h") for form in FORMS),
            )
    data = parts[f"table 2, {GREEDY}"].figures
    labels = [agent.label for agent in of.TWO if agent.label in data["rows"]]
    cells = [(won(data, label, rule), f"{label} against {rule}") for label in labels for rule in Rule]
    least, name = min(cells, key=lambda each: each[0].mean)
    yield Row(
        "", f"Least winnings against a scripted player, greedy: {name}", None, (Measured(least, None, "", "+.0f", "mbb/h"),)
    )


def _wishes(parts: Found) -> Iterator[Row]:
    yield from _curves(parts)
    yield from _abstractions(parts)
    yield Row(
        "Conclusion",
        "Local or online search for the hand being played could scale to more players",
        "could scale",
        deviations=(Deviation("nothing", "a plan of its authors"),),
    )
    yield Row(
        "Conclusion",
        "A study of the theory of Smooth UCT",
        "might unveil a class of algorithms",
        deviations=(Deviation("nothing", "a plan of its authors"),),
    )


def _curves(parts: Found) -> Iterator[Row]:
    """The learning curves it wished for: the average policies at the last common point, against the MCCFR agent."""
    for agent in (*of.TWO, *of.EXACT_TWO):
        found = points_of(parts, agent.label)
        if not found:
            continue
        last = max(found)
        yield Row(
            "Conclusion (learning rate against MCCFR)",
            f"{agent.label} after {last:,.0f} episodes against {of.MCCFR.label}",
            None,
            tuple(Measured(read(found[last][form]["won"]), None, form, "+.0f", "mbb/h") for form in FORMS),
        )


def _abstractions(parts: Found) -> Iterator[Row]:
    part = parts.get(f"abstractions, {AVERAGE}")
    for cells, about in (("k-means", "clusters of E[HS^2]"), ("histograms", "distribution-aware clusters")):
        statement = f"{about} improve the performance (same training, against the even grid)"
        published = "should improve the performance"
        if part is None or cells not in part.figures["rows"]:
            yield Row("Conclusion", statement, published, deviations=(NOT_MEASURED,))
            continue
        measured = [
            Measured(won(parts[f"abstractions, {form}"].figures, cells, "even"), Above(0), f"wins, {form}", "+.0f", "mbb/h")
            for form in FORMS
        ]
        even, ours = (_bound(parts, each, AVERAGE, "local") for each in ("even", cells))
        if even is not None and ours is not None:
            label = "a local best response to its average wins less by"
            measured.append(Measured(difference(even, ours), Above(0), label, "+.0f", "mbb/h"))
        yield Row(
            "Conclusion",
            statement,
            published,
            tuple(measured),
            smaller=EPISODES / iterations_of(part),
            cause="see Abstractions",
        )
