"""Rows of macmanus2019 outside its own experiments: figures of others, its notation, and the game that people play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.curves import Curves
from smoothcall.experiments.macmanus2019.figures import OTHER_HALF, PUBLISHED_LONG, estimate, long_curves, nash_conv_curves
from smoothcall.experiments.macmanus2019.measurements import OTHER_C, long_part, nash_conv_part
from smoothcall.experiments.macmanus2019.search import C
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import (
    Above,
    Below,
    Criterion,
    Deviation,
    Every,
    Measured,
    Near,
    Row,
    deviating,
    difference,
    exact,
    magnitude,
    share,
)
from smoothcall.kernels.tables import Array

DIAGRAMS = {
    "Fig 2.1": "the loop of agent and environment",
    "Fig 2.2": "a multi-armed bandit",
    "Fig 2.3": "policy iteration by Monte Carlo",
    "Fig 2.4": "the four steps of Monte-Carlo tree search",
    "Fig 3.1": "a full game tree beside a player's information sets",
    "Fig 3.2": "pruning the tree of the best response",
}
REQUIREMENTS = {  # of Section 3.3, with tests of this project that hold them
    "display the list of available actions": "tests/play/test_table.py::test_choices",
    "let the user take an action": "tests/web/test_pages.py::test_whole_hands_by_forms",
    "display the relevant cards": "tests/web/test_leaks.py::test_no_answer_depends_on_hidden_cards",
    "annotate the sequence of events": "tests/play/test_table.py::test_events_in_words",
    "display the pot": "tests/play/test_table.py::test_the_pot_is_shown",
    "play several hands in a row": "tests/play/test_service.py::test_the_next_hand_is_there_once",
    "keep track of the cumulative winnings": "tests/web/test_pages.py::test_results_and_their_curve",
}
STYLES = "tests/play/test_opponents.py::test_leduc_is_played_by_value_or_by_its_average"
SUITS = {"merged": "suits merged", "apart": "suits told apart"}
MILLION, LONG = 1_000_000, 500_000_000  # episodes of Heinrich's figures
ROUGHLY_HALF = Near(0.5, 0.05)
PUBLISHED_PARTS = ["1", "AhQh", "bc", "Ks", "brc"]
PUBLISHED_RULES = {
    "cards": 6, "suits": 2, "ranks": 3, "rounds": 2, "ante": 1, "bets": [2, 4], "bets a round": [2, 2],
}  # fmt: skip
PUBLISHED_HOLDEM = {"rounds": 4, "private": 2, "public": [0, 3, 1, 1], "big blind by small": 2, "all-in": True}


def rows(parts: Mapping[str, Part]) -> Iterator[Row]:
    yield from _background(parts)
    yield from _program(parts)
    yield from _heinrich(parts)


def _nothing(source: str, statement: str, published: str, why: str, note: str = "") -> Row:
    return Row(source, statement, published, deviations=(Deviation("nothing", why),), note=note)


def _background(parts: Mapping[str, Part]) -> Iterator[Row]:
    for source, drawn in DIAGRAMS.items():
        yield _nothing(source, f"Diagram: {drawn}", "a diagram", "nothing to measure")
    yield from _listings()
    yield _nothing(
        "Section 1.1",
        "The agent of Heinrich and Silver 2015 came second in the ACPC of 2014",
        "second",
        "quoted",
        "not measured",
    )
    yield _nothing(
        "Section 2", "Faces are recognised in 97.35 % (DeepFace); AlphaGo beats a professional", "97.35 %", "not about poker"
    )
    yield _nothing(
        "Section 2.5.2",
        "NFSP in Leduc hold'em, 128 hidden neurons: exploitability from 1.5 to less than 0.1",
        "1.5 to below 0.1",
        "quoted from Heinrich and Silver 2016, measured on [its own page](nfsp.md)",
    )
    yield Row(
        "Section 2.5.2",
        "NFSP in limit Texas hold'em against the first three of the ACPC of 2014",
        "-13 to -52 mbb/h, from about -700",
        deviations=(Deviation("opponents", "those programs cannot be had"),),
    )
    yield from _games(parts)


def _games(parts: Mapping[str, Part]) -> Iterator[Row]:
    """Rules and sizes of Leduc and Texas hold'em."""
    rules = parts["rules"].figures
    yield Row(
        "Section 2.3.4",
        "Leduc hold'em has six cards of two suits and three ranks, two rounds, a mandatory bet of one, raises of two and four, "
        "at most two bets a round",
        "6, 2, 3, 2, 1, 2 and 4, 2",
        (Measured(share([rules[name] == value for name, value in PUBLISHED_RULES.items()]), Every(), "our rules agree in"),),
    )
    holdem = parts["Texas hold'em"].figures
    yield Row(
        "Sections 2.3.1 and 2.3.2",
        "Texas hold'em has four rounds, two private cards, then 3, 1 and 1 public ones, a big blind of twice the small one, "
        "and all-in bets",
        "4, 2, 3 and 1 and 1, 2, yes",
        (Measured(share([holdem[name] == value for name, value in PUBLISHED_HOLDEM.items()]), Every(), "our rules agree in"),),
    )
    yield Row(
        "Section 2.3.3",
        "There are ten kinds of hands, from the high card to the royal flush",
        "10 (nine are listed)",
        (Measured(exact(holdem["kinds"]), Near(10), "kinds, the royal flush one of them:", ".0f"),),
        note="the list leaves out four of a kind",
    )
    states = parts["limit hold'em"].figures["states"]
    yield Row(
        "Section 5.3",
        "Limit Texas hold'em has about 10^17 states",
        "circa 10^17",
        (Measured(exact(states), magnitude(17), "decisions of two players over all deals:", ".3g"),),
    )
    yield _nothing(
        "Sections 2.5.1 and 5.3",
        "No-limit Texas hold'em has about 10^164 states",
        "circa 10^164",
        "quoted from Johanson 2013",
        "not counted",
    )


def _listings() -> Iterator[Row]:
    yield _nothing("Fig 2.5", "Pseudo-code of NFSP", "an algorithm", "nothing to measure", "the solver `nfsp`")
    yield _nothing(
        "Algorithms 1 to 3",
        "Extensive-form MCTS, UCT and Smooth UCT",
        "pseudo-code",
        "nothing to measure",
        "`kernels/experiments/macmanus2019.py` as listed, `kernels/solvers/uct.py` as in the thesis that it follows",
    )
    yield _nothing(
        "Sections 3.1.2 to 3.2.3, (3.1), (3.2)",
        "Selection, expansion, simulation, update and best response as Python code; values of showdowns",
        "listings",
        "nothing to measure",
        "`kernels/experiments/macmanus2019.py` and `experiments/macmanus2019/best_response.py`",
    )
    yield _nothing(
        "Section 2.4.3",
        "Of 100 visits 50, 35 and 15 of three actions make an average strategy of 50 %, 35 % and 15 %",
        "50 %, 35 %, 15 %",
        "arithmetic",
    )
    yield _nothing(
        "Section 2.4.2",
        "Exploration by bounds ensures that the best action at every position is discovered",
        "ensures",
        "no criterion; with a small c runs stop exploring, see [Kuhn poker](heinrich2014.md)",
    )
    yield _nothing(
        "Section 3.1.4",
        "Unless states without children are expanded, every second layer of its tree has none",
        "disconnected",
        "about an earlier state of its own program",
    )
    yield _nothing(
        "Section 2.2.3",
        "Before Heinrich and Silver 2016 no form of fictitious play was shown to converge in games such as poker",
        "none",
        "quoted",
    )
    yield _nothing(
        "Sections 2.1 and 2.2",
        "Reinforcement learning and game theory: bandits, Markov decision processes, dynamic programming, Monte Carlo, "
        "temporal differences, forms of games, equilibria, fictitious play",
        "definitions and known results",
        "quoted from textbooks and papers",
    )
    yield _nothing(
        "Section 4.2.1",
        "A random player is easy to beat: keeping all but the very worst hands suffices",
        "expected",
        "an expectation, without a figure",
        "what UCT wins of it stands at Fig 4.2",
    )


def _program(parts: Mapping[str, Part]) -> Iterator[Row]:
    found = parts["notation"].figures
    alike = zip(found["parts"], PUBLISHED_PARTS, strict=True)
    yield Row(
        "Section 3.1.1",
        "The history 1AhQhbcKsbrc has the prefix 1, cards AhQh, actions bc, public card Ks, actions brc",
        "1, AhQh, bc, Ks, brc",
        (Measured(share([one == other for one, other in alike]), Every(), "parts alike:"),),
    )
    yield Row(
        "Section 3.1.1",
        "The information function of 1AhQhbc for player 1",
        "1Ahbc",
        (Measured(share([found["information"]["1"] == "1Ahbc"]), Every(), f"{found['information']['1']}, alike:"),),
    )
    for requirement, test in REQUIREMENTS.items():
        yield _nothing("Section 3.3", f"The game people play must {requirement}", "required", "held by a test", f"`{test}`")
    yield _nothing(
        "Section 3.3.4",
        "The agent plays its stochastic strategy, or the deterministic one: the action of the highest value",
        "both",
        "held by a test",
        f"`{STYLES}`: `leduc-smooth-uct`, `leduc-smooth-uct-greedy`",
    )
    yield _nothing("Fig 3.3", "Screenshot of its game", "a screenshot", "nothing to measure", "[ours](../web.md)")
    yield _nothing(
        "Section 5.2", "It is the first known open-source implementation of Smooth UCT", "first", "nothing to measure"
    )
    for source, statement, published, why in PLANS:
        yield _nothing(source, statement, published, why)
    yield Row(
        "Sections 4.4.3 and 4.4.4",
        "Its exploitability is higher than Heinrich's: after 1,000,000 episodes, and at the start",
        "2.2 against 0.5; 3.8 against 2",
        deviations=(Deviation("unit", "pots by its own best response against NashConv in chips; each has rows of its own"),),
    )
    yield Row(
        "Abstract",
        "The agent performs well against human opponents",
        "performs well",
        deviations=(Deviation("opponents", "no people were measured, by the document or by us"),),
    )


PLANS = (  # source, statement, published, why there is nothing to measure
    (
        "Abstract",
        "Monte-Carlo tree search is a relatively effective method in Leduc hold'em",
        "relatively effective",
        "no criterion; its exploitabilities have rows of their own",
    ),
    (
        "Sections 1 and 2.5.1",
        "Counterfactual regret minimization has won most poker competitions, Slumbot that of 2018",
        "2018",
        "quoted",
    ),
    (
        "Sections 4.4.4 and 5.2",
        "Tuned parameters and more training would make its results much better",
        "significantly improved",
        "a conjecture; what other parameters give for Fig 4.6 stands in its row",
    ),
    (
        "Section 5.3",
        "The next step: limit Texas hold'em, measured by win rates against other programs",
        "future work",
        "a plan; limit hold'em is on [another page](heinrich2014-holdem.md)",
    ),
    (
        "Section 5.3",
        "The last step: no-limit Texas hold'em, with neural networks",
        "future work",
        "a plan; no-limit hold'em is on other pages, [with 32 cards](epfl2020.md) and [with 52](pricope2021.md)",
    ),
)


def _chips(estimate: Estimate, criterion: Criterion | None, label: str = "", form: str = ".3f") -> Measured:
    return Measured(estimate, criterion, label, form, "chips a hand")


def _lows(parts: Mapping[str, Part], suits: str) -> str:
    """Return the lowest mean NashConv of UCT with other c."""
    return ", ".join(f"{low:.2f} with c = {c:g}" for c, (low, _) in lows(parts, suits).items())


def lows(parts: Mapping[str, Part], suits: str) -> dict[float, tuple[float, int]]:
    """Return by c the lowest mean NashConv of UCT and the episodes at which it is."""
    found = {}
    for c in OTHER_C:
        figures = parts[f"{nash_conv_part(suits, None)}, c = {c:g}"].figures
        mean = np.array(figures["average"]).mean(axis=0)
        found[c] = float(mean.min()), figures["points"][int(mean.argmin())]
    return found


def _average(curves: Curves, episodes: int) -> Array:
    """Return [seeds] NashConv of the average policy at the point nearest to a number of episodes."""
    place = int(np.argmin(np.abs(np.array(curves.points) - episodes)))
    found: Array = curves.figures["average"][:, place]
    return found


def _other_half(values: Array) -> Array:
    """Return the values of the odd seeds; of a single seed its own."""
    return values[1::2] if len(values) > 1 else values


def _heinrich(parts: Mapping[str, Part]) -> Iterator[Row]:
    for suits, words in SUITS.items():
        yield from _uct(parts, suits, words)
        yield from _smooth(parts, suits, words)
    yield _both_figures(parts)
    long = long_curves(parts, "merged")
    yield Row(
        "Section 1.2.1",
        "Smooth UCT (Heinrich): exploitability at the start",
        "2",
        tuple(
            _chips(estimate(_average(long, at)), None, f"suits merged, after {at:,}:", ".2f") for at in (long.points[0], 10_000)
        ),
        deviations=(Deviation("nothing", "the document does not say after how many episodes"),),
    )
    took = [part.seconds for name, part in parts.items() if name.startswith(long_part("merged", 0.002))]
    seconds = Estimate(sum(took) / len(took), inf, len(took))  # some were timed together
    yield Row(
        "Section 4.4.4",
        "500,000,000 episodes would have taken days on its hardware",
        "a number of days",
        (Measured(seconds, None, f"{long.points[-1]:,} episodes, evaluations included:", ".0f", "s"),),
        deviations=(Deviation("unit", "other hardware, and compiled code"),),
    )


def _uct(parts: Mapping[str, Part], suits: str, words: str) -> Iterator[Row]:
    """Yield the rows on UCT of one representation of the cards; NashConv of average policies."""
    uct, smooth = nash_conv_curves(parts, suits, None), nash_conv_curves(parts, suits, 0.002)
    last, low = uct.points[-1], uct.points[int(uct.figures["average"][::2].mean(axis=0).argmin())]
    lowest, end_of_half = (_other_half(_average(uct, at)) for at in (low, last))
    early = min(uct.points, key=lambda point: abs(point - 500_000))
    size, long = max(30_000_000 / last, 1.0), long_curves(parts, suits, None)
    end = long.points[-1]
    section = "see *Heinrich's figures*"
    yield Row(
        "Section 4.3.4",
        f"UCT by self-play (Heinrich): exploitability reaches lows of 0.8; NashConv, {words}",
        "0.8",
        (_chips(estimate(lowest), Near(0.8, 0.05), f"after {low:,} episodes:"),),
        note=OTHER_HALF,
        cause=f"the low depends on c, and the document does not say which c Heinrich's UCT had: {_lows(parts, suits)}; of the "
        f"greedy policy with c = {C:g} it is {uct.lowest('greedy'):.2f}; {section}",
        smaller=size,
    )
    diverges = Row(
        "Section 4.3.4",
        f"UCT by self-play (Heinrich): exploitability diverges to 1.5; NashConv, {words}",
        "1.5",
        (
            _chips(estimate(_average(long, end)), Near(1.5, 0.05), f"after {end:,} episodes:"),
            _chips(estimate(_average(uct, last)), None, f"after {last:,}:"),
        ),
        cause=f"ours rises more slowly and is lower, {section}",
        smaller=LONG / end,
    )
    episodes = "the document does not say after how many episodes; compared after as many as its Smooth UCT had"
    yield deviating(diverges, "size", episodes)
    yield Row(
        "Section 4.3.4",
        f"UCT by self-play (Heinrich): exploitability diverges after its low; NashConv, {words}",
        "diverges",
        (_chips(estimate(end_of_half - lowest), Above(0), f"after {last:,} - after {low:,}:"),),
        note=OTHER_HALF,
        smaller=size,
    )
    yield Row(
        "Section 4.4.1",
        f"Smooth UCT (Heinrich, d = 0.002) converges, UCT does not; NashConv, {words}",
        "Smooth UCT converges",
        (
            *(
                _chips(
                    difference(estimate(_average(uct, at)), estimate(_average(smooth, at))),
                    Above(0),
                    f"UCT - Smooth, {at:,}:",
                )
                for at in sorted({early, last})
            ),
            _chips(estimate(_average(smooth, last) - _average(smooth, early)), Below(0), f"Smooth UCT, {last:,} - {early:,}:"),
        ),
        smaller=size,
    )


def _both_figures(parts: Mapping[str, Part]) -> Row:
    """Both figures of Heinrich's Smooth UCT are of one program, so they must hold for one way to count the cards."""
    measured = []
    for suits, words in SUITS.items():
        curves, long = nash_conv_curves(parts, suits, 0.002), long_curves(parts, suits)
        for found, at, criterion in ((curves, MILLION, ROUGHLY_HALF), (long, LONG, Near(PUBLISHED_LONG, 0.00005))):
            after = min(at, found.points[-1])
            measured.append(_chips(estimate(_average(found, after)), criterion, f"{words}, after {after:,}:", ".4f"))
    return Row(
        "Sections 1.2.1 and 4.4.3",
        "Smooth UCT, d = 0.002 (Heinrich): both exploitabilities, whichever way suits are counted; NashConv",
        f"roughly 0.5 and {PUBLISHED_LONG:g}",
        tuple(measured),
        smaller=max(LONG / long_curves(parts, suits).points[-1] for suits in SUITS),
        cause="with suits merged the later figure holds, with suits told apart the earlier one: see *Heinrich's figures*. "
        "Heinrich's settings are known from this document only",
    )


def _smooth(parts: Mapping[str, Part], suits: str, words: str) -> Iterator[Row]:
    curves, long = nash_conv_curves(parts, suits, 0.002), long_curves(parts, suits)
    million, episodes = min(MILLION, curves.points[-1]), long.points[-1]
    yield Row(
        "Section 4.4.3",
        f"Smooth UCT, d = 0.002 (Heinrich): exploitability after 1,000,000 episodes; NashConv, {words}",
        "roughly 0.5",
        (_chips(estimate(_average(curves, million)), ROUGHLY_HALF),),
        smaller=MILLION / million,
        cause="with suits merged there are 288 information states to learn instead of 936, see *Heinrich's figures*",
    )
    yield Row(
        "Section 1.2.1",
        f"Smooth UCT, d = 0.002 (Heinrich): exploitability after 500,000,000 episodes; NashConv, {words}",
        f"{PUBLISHED_LONG:g}",
        (_chips(estimate(_average(long, episodes)), Near(PUBLISHED_LONG, 0.00005), form=".4f"),),
        smaller=LONG / episodes,
        cause="with suits told apart there are 936 information states to learn instead of 288, see *Heinrich's figures*",
    )
