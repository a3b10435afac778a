"""The sections of the Kuhn page: learning curves, pots and schedules, the comparison with CFR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from smoothcall.experiments.heinrich2014 import comparison
from smoothcall.experiments.heinrich2014.figures import draw, mean, read
from smoothcall.experiments.heinrich2014.kuhn import (
    AGENTS,
    CALLED,
    EVERY,
    FACTORS,
    MEASURES,
    POTS,
    RARE,
    SLOW,
    SMOOTH,
    STANDARD,
    SWEPT,
    UCT,
    VARIANTS,
    calls_name,
    curves_name,
    sweep_name,
    variant_name,
)
from smoothcall.store.curves import AXES, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from smoothcall.experiments.ledger import Page
    from smoothcall.experiments.parts import Part


def write(page: Page, parts: Mapping[str, Part]) -> None:
    settings = parts[curves_name(2, 1.0)].settings
    page.heading("What is measured")
    page.text(
        f"{settings['runs']} runs (seeds 0 to {settings['runs'] - 1}) of {settings['episodes']:,} episodes, measured every "
        f"{EVERY:,}: SQ-ERR is the mean squared error of the average policy to the closest equilibrium, DOM-ERR the sum of the "
        "probabilities of dominated actions. UCT with c = 2, Smooth UCT with c = 1.75 and mixing schedules (3), the largest "
        "probability of the average policy, and (4), 0.9 * 10000 / (10000 + sqrt N). The value of a fold is learned by "
        "folding. The document's figures survive only as pictures: their number of episodes and their values are not known, so "
        "its statements about them are tested and not its values."
    )
    page.text(
        "The equilibria of a larger pot differ: player 1 always bets K, calls are more frequent, and player 2 may bet "
        "Q behind (`evaluation/equilibria.py`); each policy is compared with the closest of the game it was learned in. "
        "Betting Q behind is weakly dominated after iterated elimination and counts in DOM-ERR, although some equilibria with "
        "a larger pot do it."
    )
    _curves(page, parts)
    _pots(page, parts)
    _comparison(page, parts)


def _curves(page: Page, parts: Mapping[str, Part]) -> None:
    page.heading("Initial pot of 2 (Figure 1)")
    _picture(page, "pot-2", "initial pot of 2", parts[curves_name(2, 1.0)].figures)
    page.heading("Initial pot of 8 (Figure 2)")
    page.text("With c as stated, then with c scaled with the pot:")
    _picture(page, "pot-8", "initial pot of 8, c as stated", parts[curves_name(8, 1.0)].figures)
    _picture(page, "pot-8-scaled", "initial pot of 8, c x 4", parts[curves_name(8, 4.0)].figures)


def _picture(page: Page, name: str, about: str, found: Mapping[str, Any]) -> None:
    figure = new_figure(3, width=4.8)
    for axes, (measure, title) in zip(figure.axes, MEASURES.items(), strict=True):
        for label, curve in found.items():
            draw(axes, curve["points"], curve[measure], label)
        axes.set(xscale="log", yscale="log", xlabel="episodes", title=title)
    figure.axes[0].legend(frameon=False, fontsize="small")
    runs = len(next(iter(found.values()))["squared"]["last"])
    page.picture(name, figure, f"Kuhn poker with an {about}: mean and range of {runs} runs")
    page.table(
        ["after the last episode", *MEASURES.values()],
        [[label, *(f"{mean(curve[measure]['last']).mean:.2g}" for measure in MEASURES)] for label, curve in found.items()],
    )


def _pots(page: Page, parts: Mapping[str, Part]) -> None:
    settings = parts[variant_name(STANDARD, 1.0)].settings
    page.heading("Pots and mixing schedules")
    page.text(
        f"{settings['seeds']} seeds of {settings['episodes']:,} episodes each, errors after the last episode with 95 % "
        "intervals. The document does not say whether it scaled the exploration constant with the pot; with a pot of P all "
        "pay-offs but the bet are P / 2 times as large. Both readings are shown. Rates are powers of ten over the last decade "
        "of episodes. NashConv may rise while SQ-ERR falls: SQ-ERR gives all information states the same weight, also those "
        "that are hardly reached, and a larger pot makes the same difference of a frequent call cost more chips."
    )
    rows = []
    for pot, factor in VARIANTS:
        found = parts[variant_name(pot, factor)].figures
        for label in AGENTS:
            about = [pot, f"{AGENTS[label][1] * factor:g}", label, *(_cell(found[label][name]) for name in MEASURES)]
            rates = [f"{read(found[label]['rates'][name]).mean:+.2f}" for name in ("squared", "nash_conv")]
            rows.append([*about, *rates, _stuck(found[label])])
    heads = ["pot", "c", "agent", *MEASURES.values(), "rate of SQ-ERR", "rate of NashConv", "runs that do not explore"]
    page.table(heads, rows)
    page.picture("pots", _by_pot(parts), f"Errors by initial pot: mean of {settings['seeds']} seeds")
    _calls(page, parts)
    page.heading("Exploration and the pot")
    swept = parts[sweep_name(FACTORS[0])].settings
    page.text(
        f"Errors with a pot of {SWEPT} by exploration constant, {swept['seeds']} seeds of {swept['episodes']:,} episodes. A "
        f"run does not explore where some information state was visited in fewer than {RARE:.2%} of its episodes. With a "
        "small c player 1 may always bet Q, which is dominated, or never bet K, because early returns said so and the bounds "
        "are too narrow to try the other action again; the states behind it keep the policy of their first visits. Such runs "
        "make up the error there. Schedule (4), which leaves a tenth of the selections to the average policy, has fewer of "
        "them than (3). With a large c the actions tried to explore make up DOM-ERR."
    )
    heads = [f"{title}, {label}" for title in ("SQ-ERR", "DOM-ERR") for label in AGENTS]
    page.table(
        ["c x", *heads, *(f"runs that do not explore, {label}" for label in AGENTS)],
        [
            [
                f"{factor:g}",
                *(_cell(found[label][name]) for name in ("squared", "dominated") for label in AGENTS),
                *(_stuck(found[label]) for label in AGENTS),
            ]
            for factor in FACTORS
            if (found := parts[sweep_name(factor)].figures)
        ],
    )


def _calls(page: Page, parts: Mapping[str, Part]) -> None:
    asked = parts[calls_name(STANDARD)].settings
    page.text(
        "NashConv with c scaled with the pot: Q must call a bet so often that a bet with J wins nothing. What it lacks, J "
        f"wins of the whole pot. Calls of Smooth UCT (3) after {asked['episodes']:,} episodes, {asked['seeds']} seeds, and of "
        "the closest equilibrium:"
    )
    heads = [f"{key}, {whose}" for key in CALLED for whose in ("ours", "equilibrium")]
    page.table(
        ["pot", *heads, "NashConv"],
        [
            [
                pot,
                *(_cell(parts[calls_name(pot)].figures[head]) for head in heads),
                _cell(parts[variant_name(pot, pot / STANDARD)].figures[SMOOTH]["nash_conv"]),
            ]
            for pot in POTS
        ],
    )


def _cell(data: Mapping[str, Any]) -> str:
    found = read(data)
    return f"{found.mean:.2g} ± {found.half_width():.1g}"


def _stuck(data: Mapping[str, Any]) -> str:
    found = read(data["stuck"])
    return f"{round(found.mean * found.count)} of {found.count}"


def _by_pot(parts: Mapping[str, Part]) -> Figure:
    figure = new_figure(2, width=5.5)
    for axes, measure in zip(figure.axes, ("squared", "dominated"), strict=True):
        for label in (UCT, SMOOTH, SLOW):
            for scaled, style in ((False, "-"), (True, "--")):
                found = [
                    read(parts[variant_name(pot, pot / STANDARD if scaled else 1.0)].figures[label][measure]) for pot in POTS
                ]
                axes.errorbar(
                    POTS,
                    [each.mean for each in found],
                    yerr=[each.half_width() for each in found],
                    fmt=style,
                    marker="o",
                    markersize=3,
                    color=f"C{list(AGENTS).index(label)}",
                    label=f"{label}, c scaled" if scaled else label,
                )
        axes.set(xscale="log", yscale="log", xlabel="initial pot", title=MEASURES[measure])
        axes.set_xticks(POTS, [str(pot) for pot in POTS])
        axes.tick_params(axis="x", which="minor", labelbottom=False)
    figure.axes[0].legend(frameon=False, fontsize="small")
    return figure


def _comparison(page: Page, parts: Mapping[str, Part]) -> None:
    page.heading("Comparison of tree search with CFR")
    page.text(
        f"NashConv over CPU time on one core and over nodes: a node is one node of the action tree for one deal. CFR+ and XFP "
        "visit all nodes in every iteration; the others sample. Tree search on Leduc uses "
        f"c = {comparison.LEDUC_C:g}. Evaluations and compilation are not counted."
    )
    figure = new_figure(2, 2, width=6.2)
    rows = []
    for place, name in enumerate(comparison.GAMES):
        for label in comparison.COMPARED:
            found = parts[f"{name}, {label}"].figures
            for axes, axis in zip(figure.axes[2 * place : 2 * place + 2], ("seconds", "nodes"), strict=True):
                draw(axes, found[axis], found["nash_conv"], label)
                axes.set(xscale="log", yscale="log", xlabel=AXES[axis], ylabel="NashConv", title=name)
            last = mean(found["nash_conv"]["last"])
            end = f"{last.mean:.2g} ± {last.half_width():.1g}" if last.count > 1 else f"{last.mean:.2g}"
            rows.append(
                [name, label, last.count, f"{found['iterations'][-1]:,}", f"{found['nodes'][-1]:.3g}",
                 f"{found['seconds'][-1]:.3g}", end]
            )  # fmt: skip
    figure.axes[0].legend(frameon=False, fontsize="small")
    page.picture("comparison", figure, "NashConv over CPU time (left) and nodes visited (right): mean and range of the seeds")
    page.table(["game", "solver", "seeds", "iterations", "nodes", "seconds", "NashConv"], rows)
