"""docs/scaling.md and its picture, made from the data of `benchmarks/scaling.py` and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from smoothcall import files
from smoothcall.cluster.team import CELLS, FIRST, LEAST_REGRETS, REGRET_SHARE
from smoothcall.evaluation.statistics import Tally
from smoothcall.experiments.ledger import table
from smoothcall.experiments.parts import Part
from smoothcall.store.curves import new_figure, png

MACHINES = (1, 8, 64, 512)
BANDWIDTH = 1.25e9  # bytes a second: a network of 10 Gbit/s
# (game, rows, actions, bytes of a number): three players at the abstraction of the catalogue; heads-up with 200 big blinds
GOALS = {"limit-holdem-3p": (120_000_000, 3, 4), "no-limit, 200 big blinds (2 billion rows assumed)": (2_000_000_000, 5, 4)}

HEAD = """# Scaling

Made by `python benchmarks/scaling.py --page` from [the data](scaling/data.json) that `python benchmarks/scaling.py` measured.
[Clusters](cluster.md) explains teams of workers: rounds, steps and exchanges.

## What staleness costs

K workers are simulated in one process. The tables are those of a cluster, bit for bit. All of them play the same number of
episodes in all; between two exchanges each worker plays E of them on tables that miss what the others have learned. NashConv is
that of the average policy, the mean over seeds."""

REGRETS = """## Regrets: the mean of the changes, not their sum

All workers correct the same mistakes, so the sum of their corrections overshoots. In the table, changes of regrets are divided
by the number of workers that changed the row, to the power 0 (sums), 1/2, and 1 (means). Averages are always added."""

MODEL = """## A model, and what it predicts

A round takes E episodes of a worker, then the exchange: every worker compares its tables with those it started from, sends the
rows that differ to the others and to the process that trains, receives those of all, and adds them up. The process that trains
adds them up while the next round is played. With t seconds an episode, x seconds for comparing and merging, m bytes that a step
sends, K workers and a network of B bytes a second in each direction:

    seconds a round = E t + x + K m / B

t, x and m are measured below, on one machine. x is taken in proportion to the rows of the table, once a round, although merging
is done once for every worker; m in proportion to the episodes, although it grows less. Nothing was measured on more than one
machine, and the model counts episodes: what staleness costs is above."""

OTHERS = """## How others did it

| program | machines | work |
| --- | --- | --- |
| Cepheus (Bowling et al. 2015) | 200 nodes of 24 cores, 32 GB and 1 TB of disk | 68.5 days; the game cut into subgames |
| Pluribus (Brown and Sandholm 2019) | one server of 64 cores, less than 512 GB | 8 days, 12,400 core hours, about $144 |
| Slumbot (Jackson 2013) | figures not known to us | distributed by subgames |

Cepheus was bound by memory and therefore cut the game; Pluribus took a table that fits one large server. These figures are from
the literature as we remember it. The model says the same of this program: one machine with many cores and threads first, a few
machines next, and shards where the table does not fit."""

HOLDEM_TEXT = """In limit hold'em (grid S) the local best response is measured, a lower bound (mbb/h; 95 % intervals over
deals; one seed of learning). Here the number of exchanges in the whole run is given, instead of E."""

SHARDS = """## Shards

[Shards](cluster.md#tables-larger-than-one-machine) divide a table among processes. Rows after the flop are learned hand by
hand, without staleness. The trunk learns once a round. NashConv on Leduc, whose trunk every hand passes, at equal iterations,
with 95 % intervals over seeds; 0 shards is the solver that is not divided:"""

SHARD_MODEL = """In a round of E hands of each process, a process deals E hands and plays about as many to their end. A hand
that reaches the flop travels there and back:

    seconds a round = E t + 2 E h b / B + L

h is the number of journeys an iteration, b the bytes of one, L the time for the calls of a round. Tables are not compared as a
whole, and no process sees all hands, so nothing but L grows with the table or the number of machines. h, b and the time of a
divided solver in one process, compared with one that is not divided, are measured in limit hold'em by processor time. L is
taken as four calls a process of 0.7 ms each, which was measured once for planning:"""

GOALS_TEXT = """## What to rent

Prices are assumptions, not quotations: list prices on demand of large clouds as we remember them from 2024, about $0.05 an
hour for a core with 4 GB of memory, $0.007 an hour for another GB, and nothing for traffic between machines of one zone. Check
them before renting. t is that of one thread in limit hold'em, as measured above. In larger tables it is taken to be three times
that, because rows come from memory and not from a cache; that factor was not measured. Threads of one machine are taken to
learn without loss; [threads](threads.md) says where they do. How many episodes a goal needs is our guess:"""


def _money(cores: float, gigabytes: float, hours: float) -> str:
    return f"${(0.05 * cores + 0.007 * max(0.0, gigabytes - 4 * cores)) * hours:,.0f}"


def interval(figures: Any, digits: int = 4) -> str:
    """Return the mean with its 95 % interval over seeds."""
    tally = Tally(1)
    tally.add(np.array(figures)[:, None])
    found = tally.estimates()[0]
    return f"{found.mean:,.{digits}f} ± {found.half_width():,.{digits}f}"


def write(parts: Mapping[str, Part], docs: Path) -> None:
    """Write what has been measured so far."""
    text, lines = [HEAD], [name for name in parts if ", every " in name]
    shown = [name for name in lines if "power" not in name or name.endswith("power 1")]
    games = dict.fromkeys(name.partition(",")[0] for name in shown)
    text += [_picture(parts, [name for name in shown if name.startswith(f"{game},")], game, docs) for game in games]
    text += [_grid(parts, shown)]
    if holdem := [name for name in parts if name.startswith("limit-holdem, ")]:
        text += [HOLDEM_TEXT, _holdem_picture(parts, holdem, docs), _holdem(parts, holdem)]
    text += [REGRETS, _grid(parts, [name for name in lines if "leduc, mccfr" in name])]
    if rules := [name for name in parts if name.startswith("rule")]:
        text += ["## The rule", _rule_text(parts[rules[0]]), _rules(parts, rules)]
    if rules := sorted(name for name in parts if name.startswith("hold'em rule")):
        text += [_holdem_rules(parts, rules)]
    if known := [name for name in parts if name.startswith("throughput")]:
        text += [_throughput(parts, known)]
    if known := [name for name in parts if name.startswith("costs")]:
        text += [MODEL, _measured(parts, known), _predictions(parts)]
    text += _shards(parts, docs)
    if "costs, limit-holdem" in parts:
        text += [GOALS_TEXT, _goals(parts)]
    text += _faults(docs)
    files.write_text(docs / "scaling.md", "\n\n".join([*text, OTHERS]) + "\n")


def _picture(parts: Mapping[str, Part], names: list[str], game: str, docs: Path) -> str:
    """Draw NashConv over the number of workers, a line for each solver and E, and return the link to the picture."""
    figure = new_figure()
    for name in names:
        found = parts[name].figures
        label = name.partition(", ")[2].removesuffix(", power 1")
        figure.axes[0].plot(
            [int(k) for k in found], [np.mean(each) for each in found.values()], "o-", markersize=3, label=label
        )
    figure.axes[0].set(
        xscale="log", yscale="log", xlabel="workers K", ylabel="NashConv", title=f"{game}, equal episodes in all"
    )
    figure.axes[0].legend(fontsize=6)
    file = "workers.png" if game == "leduc" else f"workers-{game}.png"
    files.write(docs / "scaling" / file, png(figure))
    return f"![NashConv of {game} over workers, at equal episodes](scaling/{file})"


def _holdem_picture(parts: Mapping[str, Part], names: list[str], docs: Path) -> str:
    """Draw lower bounds over the number of workers, a line for each solver and number of exchanges."""
    figure, lines = new_figure(), dict[str, list[tuple[int, float, float]]]()
    for name in names:
        solver, workers, exchanges = name.removeprefix("limit-holdem, ").split(", ")
        found, count = parts[name].figures, int(workers.split()[0])
        for each in (exchanges,) if count > 1 else ("4 exchanges", "64 exchanges"):
            lines.setdefault(f"{solver}, {each}", []).append((count, found["mbb"], found["half"]))
    for label, points in lines.items():
        x, y, half = zip(*sorted(points), strict=True)
        figure.axes[0].errorbar(x, y, yerr=half, fmt="o-", markersize=3, capsize=2, label=label)
    figure.axes[0].set(xscale="log", xlabel="workers K", ylabel="local best response, mbb/h", title="limit hold'em S")
    figure.axes[0].legend(fontsize=6)
    files.write(docs / "scaling" / "workers-limit-holdem.png", png(figure))
    return "![Lower bounds in limit hold'em over workers](scaling/workers-limit-holdem.png)"


def _holdem(parts: Mapping[str, Part], names: list[str]) -> str:
    rows = []
    for name in names:
        found = parts[name].figures
        bound = f"{found['mbb']:,.0f} ± {found['half']:,.0f}"
        label = name.removeprefix("limit-holdem, ")
        rows.append([label, f"{parts[name].settings['iterations']:,}", bound, f"{found['bytes'] / 1e6:.2f}"])
    return table(["solver, workers, exchanges", "episodes", "lower bound, mbb/h", "MB a worker sends at an exchange"], rows)


def _holdem_rules(parts: Mapping[str, Part], names: list[str]) -> str:
    rows = [
        [name.removeprefix("hold'em rule, "), f"{parts[name].settings['iterations']:,}", interval(parts[name].figures, 0)]
        for name in names
    ]
    deals = parts[names[0]].settings["deals"]
    note = (
        f"Limit hold'em (grid S): the local best response against each policy over the same {deals:,} deals, mbb/h, with 95 % "
        "intervals over five seeds of learning:"
    )
    return f"{note}\n\n" + table(["", "iterations", "lower bound, mbb/h"], rows)


def _throughput(parts: Mapping[str, Part], names: list[str]) -> str:
    settings, rows = parts[names[0]].settings, []
    for name in names:
        found, rounds = parts[name].figures, parts[name].settings["exchange"]
        clock = {who: float(np.median(each["seconds"])) for who, each in found.items()}
        spent = {
            who: float(
                np.median([max(workers, default=0) + here for workers, here in zip(each["workers"], each["here"], strict=True)])
            )
            for who, each in found.items()
        }
        for label, taken in (("by the clock", clock), ("processor time, longest path", spent)):
            rows.append(
                [f"{rounds:,}" if rounds else "the rule", label, f"{parts[name].settings['repeats']}"]
                + [f"{taken[who]:.2f}" for who in ("alone", "1", "2")]
                + [f"**{taken['1'] / taken['2']:.2f}**", f"{taken['alone'] / taken['2']:.2f}"]
            )
    heads = ["iterations of a worker in a round", "seconds", "repeats", "no cluster", "one worker", "two workers"]
    text = (
        f"## Throughput of two workers\n\nSmooth UCT on limit hold'em, {settings['iterations']:,} episodes after the first "
        f"{settings['start']:,}, on a local cluster on two cores. A solver without a cluster, one worker and two workers take "
        "turns; medians over repeats. The longest path is the processor time of the worker that took longest and all of the "
        "process that trains, although it merges while the workers play. Transfers between machines are not in it."
    )
    return f"{text}\n\n" + table([*heads, "two, times one", "two, times no cluster"], rows)


def _shards(parts: Mapping[str, Part], docs: Path) -> list[str]:
    """Return what is known of shards: learning, the model, and the run whose table does not fit a node."""
    text = []
    if known := [name for name in parts if name.startswith("shards, ")]:
        rows = [
            [name.removeprefix("shards, "), f"{parts[name].settings['iterations']:,}", interval(parts[name].figures)]
            for name in known
        ]
        text += [SHARDS, table(["solver, shards", "iterations", "NashConv"], rows)]
    if known := [name for name in parts if name.startswith("shard costs")]:
        rows = []
        for name in known:
            found = parts[name].figures
            ratio = found["divided"] / found["whole"]
            rows.append([name.removeprefix("shard costs, "), f"{found['travel']:.2f}", f"{found['bytes']:.0f}", f"{ratio:.2f}"])
        heads = ["limit hold'em, three shards", "h, journeys an iteration", "b, bytes there", "time, times a whole solver's"]
        text += [SHARD_MODEL, table(heads, rows), _shard_predictions(parts)]
    if (file := docs / "scaling" / "shards.json").exists():
        text.append(_limited(json.loads(file.read_text())))
    return text


def _shard_predictions(parts: Mapping[str, Part]) -> str:
    if not {"costs, limit-holdem", "shard costs, smooth-uct"} <= parts.keys():
        return ""
    cost, found = parts["costs, limit-holdem"].figures, parts["shard costs, smooth-uct"].figures
    hands, calls, rows = 1 << 16, 4 * 0.0007, []
    learning = hands * cost["seconds an episode"] * found["divided"] / found["whole"]
    network = 2 * hands * found["travel"] * found["bytes"] / BANDWIDTH
    for game, (size, actions, width) in GOALS.items():
        for machines in MACHINES[1:]:
            waiting = calls * machines
            whole = hands * cost["seconds an episode"] * machines / (learning + network + waiting)
            memory = size * (3 * actions + 2) * width / machines / 1e9
            times = [f"{1e3 * each:,.0f}" for each in (learning, network, waiting)]
            rows.append([game, machines, f"{memory:,.2g} GB", f"{' + '.join(times)} ms", f"{whole:.1f}"])
    heads = ["game", "machines", "table of a process", "E t + network + calls", "episodes, times one machine without shards"]
    note = (
        "Predicted for Smooth UCT, one thread a machine, 65,536 hands of a process in a round, a network of 10 Gbit/s; calls "
        "are made by one process, one after another. Every shard needs a line of its own: three-player limit hold'em has 87 "
        "lines, so 512 machines are out of reach of this division there:"
    )
    return f"{note}\n\n{table(heads, rows)}"


def _limited(found: Mapping[str, Any]) -> str:
    """Return what the run of `benchmarks/shard_memory.py` showed."""
    processes = found["processes, GB"]
    rows = [[place, f"{rows:,}", *(f"{each[name]:.2f}" for name in ("limit", "data", "most resident"))]
            for place, (rows, each) in enumerate(zip(found["rows of the shards"], processes, strict=True))]  # fmt: skip
    note = (
        f"A run whose table does not fit a node (`python benchmarks/shard_memory.py`): {found['game']}, {found['solver']}, "
        f"{found['information states']:,} information states, a table of {found['table, GB']:.2f} GB. Every process of the "
        f"three local nodes may have {processes[0]['limit']:.2f} GB of data (`RLIMIT_DATA`). A solver that is not divided is "
        f"refused there: `{found['the whole table']}`. In three shards {found['iterations']:,} episodes were learned, with a "
        f"stop and a resume between, in {found['seconds of learning']:,.0f} s on a busy machine. The agent file has "
        f"{found['agent file, MB']:.0f} MB and won {found['match']['mbb']:+,.0f} ± "
        f"{found['match']['half']:,.0f} mbb/h in a "
        f"match of {found['match']['hands']:,} hands against two players who always call:"
    )
    return f"{note}\n\n" + table(["shard", "rows", "limit, GB", "data, GB", "most resident, GB"], rows)


def _goals(parts: Mapping[str, Part]) -> str:
    """Return cores, hours and dollars for three goals."""
    seconds = parts["costs, limit-holdem"].figures["seconds an episode"]
    rows = []
    for goal, episodes, slower, memory, cores in (
        ("limit hold'em for two (grid S), Smooth UCT, 10 billion episodes, one machine", 1e10, 1, 1, 16),
        ("three-player limit hold'em (120 million rows), Smooth UCT, 10 billion episodes, one machine", 1e10, 3, 8, 32),
        ("the same in three shards on three small machines, one thread each, 1 billion episodes", 1e9, 3, 12, 3),
        ("no-limit, 200 big blinds (2 billion rows assumed), Smooth UCT, 100 billion episodes, one machine", 1e11, 3, 150, 64),
    ):
        hours = episodes * seconds * slower / cores / 3600
        rows.append([goal, f"{memory} GB", cores, f"{hours:,.1f}", _money(cores, memory, hours)])
    return table(["goal", "memory", "cores", "hours", "about"], rows)


def _faults(docs: Path) -> list[str]:
    if not (file := docs / "scaling" / "faults.json").exists():
        return []
    known = json.loads(file.read_text())
    rows = [
        [name, each["times"], each.get("equal to an undisturbed team", each.get("refused", "")), each.get("processes lost", ""),
         each.get("steps replayed", ""), each.get("longest, seconds", "")]
        for name, each in known.items()
    ]  # fmt: skip
    note = (
        "## Faults\n\nMade by `python benchmarks/cluster_faults.py` ([data](scaling/faults.json)): processes are killed or "
        "stopped in the middle of trainings on three local nodes. A training is right where it ended by itself, its tables are "
        "equal bit for bit to those of a training that nothing happened to, and the visits of the first state equal the "
        "episodes counted (another version: where it is refused). The machine was busy: seconds are the longest from the fault "
        "to the end."
    )
    heads = ["fault", "times", "right", "processes lost", "steps replayed", "seconds"]
    return [f"{note}\n\n" + table(heads, rows)]


def _grid(parts: Mapping[str, Part], names: list[str]) -> str:
    workers = sorted({int(each) for name in names for each in parts[name].figures})
    rows = []
    for name in names:
        part = parts[name]
        cells = [f"{np.mean(part.figures[str(each)]):.3f}" if str(each) in part.figures else "" for each in workers]
        rows.append([name, f"{part.settings['iterations']:,}", part.settings["seeds"], *cells])
    return table(["game, solver, E", "episodes", "seeds", *(f"K = {each}" for each in workers)], rows)


def _rule_text(part: Part) -> str:
    return (
        f"Tree search: the first worker learns alone until 1/{part.settings['share']} of the episodes so far is a round that "
        "pays, then rounds are that long. In large tables exchanges cost more, because they compare all cells: a worker's "
        f"part of a round has an episode for every {CELLS} cells at least, and the first round of all workers is 1/{FIRST} of "
        f"the episodes so far, or less. MCCFR: 1/{REGRET_SHARE} of the iterations so far, between {LEAST_REGRETS:,} and "
        f"{part.settings['regrets']:,} of a worker, from the start; regrets learned alone before would weigh more than those "
        "learned together, and long rounds at the start learn little. NashConv on Leduc at equal iterations, with 95 % "
        "intervals over seeds:"
    )


def _rules(parts: Mapping[str, Part], names: list[str]) -> str:
    rows = [
        [name.removeprefix("rule, "), f"{parts[name].settings['iterations']:,}", interval(parts[name].figures)]
        for name in names
    ]
    return table(["", "iterations", "NashConv"], rows)


def _measured(parts: Mapping[str, Part], names: list[str]) -> str:
    heads = ["game", "rows", "t, microseconds", "x, milliseconds", "episodes a step", "m, bytes"]
    rows = []
    for name in names:
        found = parts[name].figures
        times = [f"{1e6 * found['seconds an episode']:.2f}", f"{1e3 * found['seconds an exchange']:.2f}"]
        counts = [f"{found[each]:,.0f}" for each in ("episodes a step", "bytes a step")]
        rows.append([name.removeprefix("costs, "), f"{found['rows']:,}", *times, *counts])
    return "Measured by processor time, Smooth UCT on one thread:\n\n" + table(heads, rows)


def _predictions(parts: Mapping[str, Part]) -> str:
    if "costs, limit-holdem" not in parts:
        return ""
    found, episodes = parts["costs, limit-holdem"].figures, 1 << 22  # the longest step
    seconds = episodes * found["seconds an episode"]
    sent = episodes * found["bytes a step"] / found["episodes a step"] / _row(3, 8)  # rows
    rows = []
    for game, (size, actions, width) in GOALS.items():
        changed, memory = min(sent, size) * _row(actions, width), 2 * size * 2 * actions * width
        for machines in MACHINES:
            compare = size / found["rows"] * found["seconds an exchange"] if machines > 1 else 0.0
            network = machines * changed / BANDWIDTH if machines > 1 else 0.0
            share = seconds / (seconds + compare + network)
            cells = [f"{changed / 1e9:.2g} GB", f"{memory / 1e9:,.0f} GB", f"{seconds:.0f} + {compare:,.0f} + {network:,.0f} s"]
            rows.append([game, machines, *cells, f"{share:.0%}", f"{machines * share:.1f}"])
    heads = ["game", "machines", "m", "tables of a process", "E t + x + network", "learning", "episodes, times one machine"]
    note = (
        "Predicted for one thread a machine, steps of 4,194,304 episodes, t and m an episode as in limit hold'em, a network of "
        "10 Gbit/s. Comparing whole tables is too slow for large ones, and the changes of all workers are too much for one of "
        "many machines: both goals need one large machine with threads, or shards:"
    )
    return f"{note}\n\n{table(heads, rows)}"


def _row(actions: int, width: int) -> int:
    """Return the bytes of a row in an exchange: its number for visits and for means, and the two."""
    return 8 + 2 * actions * width
