"""The sections of the hold'em page: cross tables, lower bounds, fold values, learning curves, abstractions, three players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from smoothcall.experiments.cross_table import draw_table
from smoothcall.experiments.heinrich2014.figures import read
from smoothcall.experiments.heinrich2014_holdem import agents as of
from smoothcall.experiments.heinrich2014_holdem import three_players
from smoothcall.experiments.heinrich2014_holdem.agents import AVERAGE, EPISODES, FORMS, GREEDY
from smoothcall.experiments.heinrich2014_holdem.measures import GRIDS, read_table
from smoothcall.experiments.heinrich2014_holdem.reading import bound, iterations_of, points_of
from smoothcall.experiments.parts import NotMeasured, Part
from smoothcall.store.curves import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from smoothcall.experiments.ledger import Page

CELLS = {
    "even": "even intervals of E[HS^2] (heinrich2014)",
    "mass": "equally frequent intervals of E[HS^2]",
    "k-means": "k-means of E[HS^2]",
    "equity": "even intervals of E[HS]",
    "histograms": "k-means of histograms of HS on the river, earth mover's distance",
}


def write(page: Page, parts: Mapping[str, Part]) -> None:
    for section in (_sizes, three_players.section, _two_players, _bounds, _exact_folds, _curves, _abstractions, _commands):
        try:
            section(page, parts)
        except NotMeasured as missing:
            page.text(f"Not measured at this size: {missing}.")


def _sizes(page: Page, parts: Mapping[str, Part]) -> None:
    found = parts["sizes"].figures
    page.heading("The abstractions (Table 1)")
    page.table(
        ["", "preflop", "flop", "turn", "river", "in use", "nodes of the action tree", "information states"],
        [
            [
                label,
                *found[label]["buckets"],
                "/".join(map(str, found[label]["used"])),
                f"{found[label]['nodes']:,}",
                f"{found[label]['states']:,}",
            ]
            for label in GRIDS
        ],
    )
    page.text(
        "E[HS^2] is exact, over all run-outs and opponents' hands, and divided by an even grid over [0, 1]. A bucket does not "
        "contain those of earlier streets (imperfect recall). Buckets are in use if they came up in "
        f"{parts['sizes'].settings['deals']:,} deals."
    )


def _two_players(page: Page, parts: Mapping[str, Part]) -> None:
    part = parts[f"table 2, {GREEDY}"]
    page.heading("Two players: cross table (Table 2)")
    page.text(
        f"{part.settings['hands']:,} hands a pair, every deal in both seatings, in mbb/h with 95 % intervals. The document's "
        "opponents were Sparbot and FellOmen2, which are not available; its figures have 68 % intervals. Its agents were "
        "frozen to the action of highest value, as in the first table. Ours were trained for "
        f"{iterations_of(part):,.0f} episodes, the document's for about {EPISODES:,.0f}. Both learn the value of a fold by "
        "folding. Intervals are those of the matches: each agent was trained once."
    )
    for form in FORMS:
        table = read_table(parts[f"table 2, {form}"].figures)
        page.picture(f"table-2-{form}", draw_table(table), f"Cross table, {form} policies: mbb/h of the row")
    page.text("Largest probability of folding a hand before the flop, over all ways the others may play:")
    three_players.folds(page, parts["folded before the flop"].figures)


def _measured_bounds(parts: Mapping[str, Part], labels: Iterator[str]) -> list[list[object]]:
    rows: list[list[object]] = []
    for label in labels:
        for form in FORMS:
            part = parts.get(f"bounds, {label}, {form}")
            if part is not None:
                figures = part.figures
                rows.append([label, form, *(read(figures[kind]).rounded if kind in figures else "" for kind in KINDS)])
    return rows


KINDS = ("local", "learned")
HEADS = ["agent", "", "lower bound: local best response", "lower bound: learned response"]


def _bounds(page: Page, parts: Mapping[str, Part]) -> None:
    found = [part.settings for name, part in parts.items() if name.startswith("bounds, ") and name.endswith(GREEDY)]
    if not found:
        raise NotMeasured("bounds")
    settings = found[0]
    page.heading("How exploitable are they?")
    page.text(
        "The document has no figure for this. Two **lower bounds** of what a best response wins, in mbb/h with 95 % intervals: "
        f"a local best response ({settings['deals']:,} deals in both seats), which tracks the agent's range exactly and looks "
        f"one action ahead, and UCT trained against the greedy agent for {settings['episodes']:,} episodes a seat in the same "
        "abstraction. Folding every hand loses 750. A best response may win far more: a lower bound that is not above 0 says "
        "nothing, and an agent with a smaller lower bound need not be less exploitable."
    )
    labels = [agent.label for agent in (*of.TWO, of.MCCFR)]
    page.table(HEADS, _measured_bounds(parts, iter(labels)))


def _exact_folds(page: Page, parts: Mapping[str, Part]) -> None:
    worth = {name: part for name, part in parts.items() if name.startswith("exact against sampled folds, ")}
    if not worth:
        return
    page.heading("Exact fold values (beyond the document)")
    page.text(
        "A fold loses the chips already paid. In the document its value is learned by sampling, like that of any other action, "
        "and each sampled fold stays in the average policy. With `folds=exact` the value is set from the start, every "
        "visit of a state counts as a visit of its fold, and no fold is played to learn its value. The same agents after "
        "equally many episodes, in mbb/h:"
    )
    page.table(
        ["agent", "episodes", *(f"exact wins against sampled, {form}" for form in FORMS)],
        [
            [name.split(", ", 1)[1], f"{iterations_of(part):,.0f}", *(read(part.figures[form]).rounded for form in FORMS)]
            for name, part in worth.items()
        ],
    )
    for form in FORMS:
        part = parts[f"exact folds, {form}"]
        caption = f"Exact fold values, {iterations_of(part):,.0f} episodes, {form} policies: mbb/h of the row"
        page.picture(f"exact-folds-{form}", draw_table(read_table(part.figures)), caption)
    page.table(HEADS, _measured_bounds(parts, (agent.label for agent in of.EXACT_TWO)))


def curve_of(parts: Mapping[str, Part], label: str) -> dict[str, list[Any]]:
    """Return iterations, seconds of CPU time and figures of an agent's learning curve, by ascending iterations.

    The seconds of a stretch are its iterations divided by the speed at its end; where that was not measured, the speed before.
    """
    found = points_of(parts, label)
    points, seconds, done, spent, speed = list(found), [], 0.0, 0.0, None
    for point in points:
        speed = found[point]["speed"] or speed
        spent += (point - done) / speed if speed else 0.0
        done = point
        seconds.append(spent)
    return {"iterations": points, "seconds": seconds, "figures": [found[point] for point in points]}


def _curves(page: Page, parts: Mapping[str, Part]) -> None:
    labels = [agent.label for agent in (*of.TWO, *of.EXACT_TWO, of.MCCFR)]
    curves = {label: curve for label in labels if (curve := curve_of(parts, label))["iterations"]}
    settings = next(part.settings for name, part in parts.items() if name.startswith("curve, "))
    page.heading("Learning curves beside MCCFR")
    page.text(
        "The document wished for a comparison of learning rates with MCCFR. Each agent on the way, seed 1, over iterations and "
        "over seconds of CPU time on one core (an iteration of MCCFR walks many nodes, an episode of tree search one "
        f"hand): what it wins against the average policy of the last MCCFR agent in {settings['hands']:,} hands, and a lower "
        "bound of what a best response wins of it, that of a local best response "
        f"({settings['deals']:,} deals). Of tree searches the greedy policy "
        "is drawn dashed."
    )
    page.picture(
        "curves", _draw_curves(curves), "Learning curves on two-player limit hold'em, coarse abstraction, 95 % intervals"
    )
    rows = []
    for label, curve in curves.items():
        for count, spent, figures in zip(*(curve[key] for key in ("iterations", "seconds", "figures")), strict=True):
            cells = [read(figures[form][kind]).rounded for form in FORMS for kind in ("won", "local")]
            rows.append([label, f"{count:,.0f}", f"{spent:,.1f}", *cells])
    heads = [f"{form}: {what}" for form in FORMS for what in ("against MCCFR", "lower bound (local best response)")]
    page.table(["agent", "iterations", "seconds", *heads], rows)


def _draw_curves(curves: Mapping[str, Mapping[str, list[Any]]]) -> Figure:
    figure = new_figure(2, 2, width=6.2)
    what = {"won": "mbb/h against the last MCCFR agent", "local": "lower bound: mbb/h of a local best response"}
    for place, (kind, title) in enumerate(what.items()):
        for axes, axis in zip(figure.axes[2 * place : 2 * place + 2], ("iterations", "seconds"), strict=True):
            for color, (label, curve) in enumerate(curves.items()):
                for form, style in ((AVERAGE, "-"), (GREEDY, "--")):
                    if label == of.MCCFR.label and form == GREEDY:
                        continue
                    found = [read(figures[form][kind]) for figures in curve["figures"]]
                    axes.errorbar(
                        curve[axis],
                        [each.mean for each in found],
                        yerr=[each.half_width() for each in found],
                        fmt=style,
                        marker="o",
                        markersize=3,
                        linewidth=1.2,
                        color=f"C{color}",
                        label=label if form == AVERAGE else None,
                    )
            axes.set(xscale="log", xlabel="iterations" if axis == "iterations" else "seconds of CPU time", title=title)
            axes.set_yscale("symlog", linthresh=100)
    figure.axes[0].legend(frameon=False, fontsize="small")
    return figure


def _abstractions(page: Page, parts: Mapping[str, Part]) -> None:
    part = parts.get(f"abstractions, {AVERAGE}")
    if part is None:
        return
    page.heading("Abstractions")
    page.text(
        f"{of.EXACT_TWO[3].label}, {iterations_of(part):,.0f} episodes in abstractions with 100 buckets on flop, turn and "
        "river each. The agents meet with the same cards, each seeing them through its own buckets. A second seed of the even "
        "grid shows how much two trainings differ."
    )
    page.table(["cells", "buckets"], list(CELLS.items()))
    for form in FORMS:
        table = read_table(parts[f"abstractions, {form}"].figures)
        page.picture(f"abstractions-{form}", draw_table(table), f"Abstractions, {form} policies: mbb/h of the row")
    bounds = [(label, each) for label in table.rows if (each := bound(parts, label, AVERAGE, "local")) is not None]
    if bounds:
        page.text(
            "Lower bounds of what a best response wins of the average policies, in mbb/h: a local best response in "
            f"{bounds[0][1].count:,} deals, in both seats. It sees the cards themselves, whatever the agent's buckets."
        )
        page.table(["cells", "lower bound"], [[label, each.rounded] for label, each in bounds])


def _commands(page: Page, parts: Mapping[str, Part]) -> None:
    page.heading("How the agents were made")
    commands: dict[str, None] = {}
    for part in parts.values():
        for command in (*part.settings.get("agents", ()), *filter(None, [part.settings.get("agent")])):
            commands[command] = None
    last: dict[str, str] = {}  # by the command without its length: the longest training
    for command in commands:
        head, _, tail = command.partition(" --iterations ")
        count, _, rest = tail.partition(" ")
        key = f"{head} {rest}"
        if key not in last or float(count) > float(last[key].split("--iterations ")[1].split()[0]):
            last[key] = command
    page.table(["command"], [[f"`{command}`"] for command in last.values()])
    page.text(
        "`smoothcall reproduce` reads the agents that it finds in this folder's `agents` and trains the others, as runs below "
        "`runs/heinrich2014` that can be stopped and resumed. In the repository are the agents of long trainings: MCCFR and "
        "those with exact fold values, of three players in the greedy form only. The others are trained again, each in minutes."
    )
