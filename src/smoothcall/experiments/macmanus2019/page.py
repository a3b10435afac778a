"""The texts and tables of macmanus2019's page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from smoothcall.experiments.curves import Curves
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.macmanus2019 import figures, quoted, rows
from smoothcall.experiments.macmanus2019.figures import estimate, long_curves, nash_conv_curves
from smoothcall.experiments.macmanus2019.measurements import REPOSITORY, SPECS, part_name, solver_part
from smoothcall.experiments.macmanus2019.search import LADDER, METHODS, PROGRAM, C
from smoothcall.experiments.parts import Part

PUBLISHED = ("4.9", "4.6", "2.2", "no better than UCT")  # of the methods

UNIT = """UCT and Smooth UCT on Leduc, c = 18, gamma = 0.01, eta_0 = 0.9. Two units are in use:

- *pots a hand*: its reward is "the size of the pot won or lost" (Section 4.2.3), and its exploitability is what a best response
  wins of it from player 1, who starts every second hand. That is NashConv / 2 in a game whose pay-offs are pots.
- *chips a hand*: the figures it quotes from Heinrich's thesis of 2017 are NashConv, the sum over both players, of the average
  policy in chips.

Bands in the pictures are 95 % intervals or, where the text says so, the range of the seeds."""

LADDER_TEXT = """The document leaves open what its program does. The program is public ({repository}); we read it for its rules
and wrote our own. It differs from Leduc hold'em and from the document's listings in this:

1. **No checks.** Who opens a round bets or folds (the document lists no check among its actions, and its Fig 3.2 has bet or
   fold). `leduc:opening=bet-or-fold`.
2. **Showdown by starting hands.** The private card and the public card are looked up as two hole cards of Texas hold'em:
   pairs, then AKs, AQs, AK, AQ, KQs, KQ. Suited cards beat the same ranks of two suits, so although its code gives ties to
   player 1, no hands tie. `leduc:showdown=starting-hands`.
3. **Discount.** Returns are multiplied by 0.95 at every step up the tree, the deal of the public card included.
4. **Both trees updated.** Every step updates the trees of both players: it counts a visit of the node that it leaves and one
   of the node that it enters, if both are in the tree. Replies of the opponent are in a player's tree only for the cards with
   which the opponent first came there. So a passage counts as one visit or as two, and means move by down to 1 / (2 n + 1),
   which remembers early returns for long. The document's listing updates one tree and counts once.
   `kernels/experiments/macmanus2019.py` has the details; a second program, with texts and dictionaries, learns the same
   numbers (`tests/experiments/macmanus2019_text.py`).
5. **Its best response** knows more than a player can, see below.

Each line of the table adds one difference. Entries are the exploitability of the deterministic strategy by an exact best
response / by the document's best response / of the stochastic strategy by an exact one, in pots, at the end of the
experiment. The published values belong beside the middle figures of the last line."""

RESPONSE_TEXT = """Section 3.2 prunes the full game tree to the agent's actions, gives a showdown the mean over the agent's
possible cards, and then selects the best action of the responder *at every history*. A fold has its own value at each history,
so the responder knows for every single card of the agent whether a bet makes it fold: it bluffs exactly when the bluff works.
A player cannot know that. The value is never below that of a best response, and for agents that fold often it is far above it.
`experiments/macmanus2019/best_response.py` computes it; all other exploitabilities on this page are exact."""

FILES_TEXT = """The author published four strategies of player 1, each with 198 information states of his variant. `smoothcall
evaluate FILE.json` reads them. The table is made from copies of the files in the folder `strategies` beside this page's data;
they are not part of this repository."""

HEINRICH_TEXT = """NashConv of the average policies, in chips, by the solvers `uct` and `smooth-uct` with sampled folds. The
document does not say whether Heinrich's trees told suits apart, so both are here: with suits merged there are 288 information
states, with suits told apart 936, as in the document's own trees."""

GREEDY_TEXT = """The document's deterministic strategy takes the action of the highest *value*; its stochastic strategy are the
visits. A run of `uct` or `smooth-uct` keeps both: `agent.agent` and `greedy.agent`. At the table `leduc-smooth-uct` plays its
visits and `leduc-smooth-uct-greedy` the highest value. `:greedy` behind the name of an agent is something else: its likeliest
action."""

ERRATA_TEXT = """- Equation 2.11 has no eta_0; the listing of Section 3.1.2 has it, and so do we.
- Equation 2.11 does not fall to 0, as Section 2.4.3 says, but to gamma.
- `Qs` is the queen of spades, not the ace (Section 3.1.1).
- Section 2.3.3 counts ten kinds of hands and lists nine: four of a kind is missing.
- Equation 3.2 averages a showdown over all cards of the agent. Its program averages over those with which the agent comes
  there, and so do we."""


def write_sections(page: Page, parts: Mapping[str, Part]) -> None:
    page.text(UNIT)
    page.heading("From the text to the program")
    page.text(LADDER_TEXT.format(repository=REPOSITORY))
    _ladder(page, parts)
    page.text(_gap(parts))
    page.heading("Its best response")
    page.text(RESPONSE_TEXT)
    page.heading("Experiment 1: UCT against a random player (Figs 4.1 to 4.3)")
    page.picture("against-random", figures.against_random(parts), _caption(parts, 0))
    page.heading("Experiments 2 and 3: self-play (Figs 4.4 to 4.6)")
    page.picture("self-play", figures.self_play(parts), _caption(parts, 1))
    page.text("Smooth UCT in its program by its best response, at the end, for other values of d:")
    page.table(
        ["d", "exploitability (pots a hand)"],
        [[f"{d:g}", f"{found.mean:.2f} ± {found.half_width():.2f}"] for d, found in rows.sweep(parts)],
    )
    page.text(
        "Smooth UCT with d = 0.1 in its program, by its best response, with one more change each: what might explain that "
        "ours is above the 2.2 of Fig 4.6."
    )
    page.table(
        ["change", "exploitability (pots a hand)"],
        [[name, f"{found.mean:.2f} ± {found.half_width():.2f}"] for name, found in rows.tried(parts).items()],
    )
    _solvers(page, parts)
    _strategy_files(page, parts)
    page.heading("Heinrich's figures")
    page.text(HEINRICH_TEXT)
    _nash_conv_table(page, parts)
    page.text(_beside_heinrich(parts))
    page.text(f"The lowest NashConv of UCT with other c than {C:g}, the mean of the seeds, and the episodes at which it is:")
    lows = [quoted.lows(parts, suits) for suits in SPECS]
    lines = [[f"{c:g}", *(f"{low:.2f} after {at:,}" for low, at in (each[c] for each in lows))] for c in lows[0]]
    page.table(["c", *(f"suits {suits}" for suits in SPECS)], lines)
    seeds = len(nash_conv_curves(parts, "merged", None).figures["average"])
    page.picture("nash-conv", figures.nash_conv(parts), f"NashConv over episodes, mean and range of {seeds} seeds")
    page.heading("500 million episodes")
    merged, apart = (long_curves(parts, suits) for suits in SPECS)
    page.picture(
        "long",
        figures.long(parts),
        f"NashConv over {merged.points[-1]:,} episodes, mean and range of seeds: {len(merged.figures['average'])} with suits "
        f"merged, {len(apart.figures['average'])} with suits told apart",
    )
    page.heading("Stochastic and deterministic at the table")
    page.text(GREEDY_TEXT)
    page.heading("Errata")
    page.text(ERRATA_TEXT)


def _caption(parts: Mapping[str, Part], column: int) -> str:
    found = parts[part_name(PROGRAM, METHODS[column])].settings
    return f"Means of {found['repetitions']} repetitions; bands of exploitability are 95 % intervals"


def _gap(parts: Mapping[str, Part]) -> str:
    """Return how the last line of the ladder compares with the published figures."""
    compared = []
    for method, published in zip(METHODS, PUBLISHED, strict=True):
        found = {
            setting: estimate(np.array(parts[part_name(setting, method)].figures[name])[:, -1])
            for setting, name in ((LADDER[0], "exact"), (PROGRAM, "document"))
        }
        compared.append(
            f"{method.label} {found[PROGRAM].mean:.2f} instead of {found[LADDER[0]].mean:.2f} (published: {published})"
        )
    return f"From the first line by an exact best response to the last line by the document's: {'; '.join(compared)}."


def _beside_heinrich(parts: Mapping[str, Part]) -> str:
    """Return Heinrich's figures beside ours."""
    found = []
    for suits in SPECS:
        smooth, uct = (nash_conv_curves(parts, suits, d) for d in (0.002, None))
        long, longest = (long_curves(parts, suits, d) for d in (0.002, None))
        last = estimate(uct.figures["average"][:, -1]).mean
        found.append(
            f"With suits {suits}, Smooth UCT with d = 0.002 has {_cell(smooth, 1_000_000) or 'no figure'} after 1,000,000 "
            f"episodes (Heinrich: roughly 0.5) and {estimate(long.figures['average'][:, -1]).mean:.4f} after "
            f"{long.points[-1]:,} (Heinrich: 0.0223 after 500,000,000); UCT has {last:.2f} after {uct.points[-1]:,} and "
            f"{estimate(longest.figures['average'][:, -1]).mean:.2f} after {longest.points[-1]:,} (Heinrich: 1.5)."
        )
    return " ".join(found)


def _ladder(page: Page, parts: Mapping[str, Part]) -> None:
    lines: list[list[str]] = []
    for number, setting in enumerate(LADDER):
        cells = []
        for method in METHODS:
            found = parts[part_name(setting, method)].figures
            last = {name: estimate(np.array(found[name])[:, -1]) for name in ("exact", "document", "stochastic")}
            cells.append(" / ".join(f"{each.mean:.2f}" for each in last.values()))
        lines.append([("+ " if number else "") + setting.label, *cells])
    lines.append(["published", *PUBLISHED])
    page.table(["", *(method.label for method in METHODS)], lines)


def _solvers(page: Page, parts: Mapping[str, Part]) -> None:
    page.text(
        "The solvers of this project learn for chips, with suits merged. Exploitability of their greedy policies after as many "
        "episodes, exact:"
    )
    lines = []
    for method in METHODS:
        found = parts[solver_part(method)]
        cells = [estimate(np.array(found.figures[unit])) for unit in ("chips", "pots")]
        lines.append([method.label, *(f"{each.mean:.2f} ± {each.half_width():.2f}" for each in cells), cells[0].count])
    page.table(["", "chips a hand", "pots a hand", "repetitions"], lines)


def _strategy_files(page: Page, parts: Mapping[str, Part]) -> None:
    page.heading("Its strategy files")
    page.text(FILES_TEXT)
    lines: list[list[Any]] = []
    for name, found in parts["strategy files"].figures.items():
        if found is None:
            lines.append([f"`{name}.json`", *["not measured: no copy of the file"] * 5])
            continue
        values = [f"{found[key]:.3f}" for key in ("exact", "document", "chips")]
        lines.append([f"`{name}.json`", found["states"], *values, f"{found['folds']:.0%}"])
    heads = ["file", "states", "exact, pots", "its best response, pots", "exact, chips", "folds to a player who always bets"]
    page.table(heads, lines)


def _nash_conv_table(page: Page, parts: Mapping[str, Part]) -> None:
    lines = []
    for suits in SPECS:
        for d, label in ((None, "UCT"), (0.1, "Smooth UCT, d = 0.1"), (0.002, "Smooth UCT, d = 0.002")):
            curves = nash_conv_curves(parts, suits, d)
            cells = [_cell(curves, at) for at in (10_000, 100_000, 500_000, 1_000_000, 10_000_000, 30_000_000)]
            lines.append([f"{label}, suits {suits}", *cells])
    page.table(["NashConv of the average policy", "10 k", "100 k", "500 k", "1 M", "10 M", "30 M"], lines)


def _cell(curves: Curves, episodes: int) -> str:
    """Return NashConv at the point nearest to a number of episodes, "" where there is none within a fifth."""
    place = int(np.argmin(np.abs(np.array(curves.points) - episodes)))
    if abs(curves.points[place] / episodes - 1) > 0.2:
        return ""
    found = estimate(curves.figures["average"][:, place])
    return f"{found.mean:.3f} ± {found.half_width():.3f}"
