"""Train the shipped agents: `python benchmarks/built_in_agents.py [ID...]`, about a quarter of an hour.

Each is a run of `smoothcall train` with the arguments below, saved under --runs and reused if it is complete. It is then
measured and saved in src/smoothcall/data/agents; `--measure` measures the matches of agents that are there already, whose
strategies stay as they are. Those of limit hold'em are from docs/ledger/heinrich2014-holdem, the learners
with 32 cards from docs/ledger/epfl2020, agents 1 to 3 of no-limit hold'em from docs/ledger/pricope2021.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import smoothcall as sc
from smoothcall.agents.folders import GREEDY_FILE, snapshots_of
from smoothcall.agents.scripted import Rule
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.evaluation.exact_response import exact_response, store_of
from smoothcall.kernels.tables import Array
from smoothcall.simulation.batch_policy import observes_habits
from smoothcall.store.runs import Run

ROOT = Path(__file__).parents[1]
AGENTS = ROOT / "src" / "smoothcall" / "data" / "agents"
LEDGER = ROOT / "docs" / "ledger"
HANDS = 1_000_000
HANDS_OF_THREE = 180_000  # played hand by hand
DEALS = 4_000  # of the local best responses
FLOPS = 12  # of most best responses with real cards; seed 0, other flops than those on which settings were chosen
FIRST_SNAPSHOT = 1000
POOLED = 5  # neighbouring buckets


@dataclass(frozen=True)
class Made:
    """A shipped agent and how it is trained."""

    name: str
    game: str
    solver: str
    iterations: int
    seed: int = 1
    options: dict[str, str] = field(default_factory=dict)
    keep: bool = False
    greedy: bool = False  # the run's greedy agent, by value
    threshold: float = 0.0  # less likely actions are left out
    parts: int = 0  # probabilities are rounded to multiples of 1 / parts; 0: they are not
    common: float = 1.0  # rows with this share of the players' own reach keep their probabilities, others one action
    file: str = ""  # in the ledger; "": trained by a run
    learned: str = ""  # description of a player that no solver trained
    flops: int = 0  # on which its best response with real cards is measured; 0: it is not

    @property
    def command(self) -> str:
        settings = "".join(f" --set {name}={value}" for name, value in self.options.items()) + " --keep" * self.keep
        return f"smoothcall train {self.game} {self.solver} --iterations {self.iterations:g} --seed {self.seed}{settings}"


RESPONDERS = {"responder_cells": "boards", "responder_grid": "6000/6000/40"}
SMOOTH = {"mixing": "greatest", "explore": "pot", "k": "0.5"}
MADE = {
    "kuhn-lp": Made("Exact equilibrium", "kuhn", "lp", 1),
    "kuhn-3p-cfr": Made("Discounted CFR", "kuhn-3p", "discounted-cfr", 200_000),
    "leduc-cfr": Made("CFR+", "leduc", "cfr+", 1_000_000),
    "leduc-smooth-uct": Made("Smooth UCT", "leduc", "smooth-uct", 10_000_000, keep=True),
    "leduc-smooth-uct-greedy": Made("Smooth UCT by value", "leduc", "smooth-uct", 10_000_000, greedy=True),
    "leduc-3p-cfr": Made("Discounted CFR", "leduc-3p", "discounted-cfr", 3000),
    "limit-holdem-smooth-uct": Made(
        "Smooth UCT", "limit-holdem", "smooth-uct", 10**9, options=SMOOTH,
        file="heinrich2014-holdem/agents/smooth-uct-s-k0.5.agent",
    ),
    "limit-holdem-smooth-uct-greedy": Made(
        "Smooth UCT by value", "limit-holdem", "smooth-uct", 10**9, options=SMOOTH,
        file="heinrich2014-holdem/agents/smooth-uct-s-k0.5-greedy.agent",
    ),
    "limit-holdem-cfr-br": Made(
        "CFR-BR", "limit-holdem:cells=textures,grid=1080/1080/720", "cfr-br", 9_856,
        options=RESPONDERS, parts=15, common=0.95, flops=FLOPS,
    ),
    "limit-holdem-3p-mccfr": Made(
        "Monte-Carlo CFR, three players", "limit-holdem-3p:cells=k-means,grid=50/50/20,raises=3/2/2/2", "mccfr", 5_000_000,
        threshold=0.1,
        learned="Monte-Carlo CFR, {iterations:,} iterations, seed {seed}. It learned a game with at most 3, 2, 2 and 2 bets "
        "and raises on the four streets and 50, 50 and 20 buckets of hands after the flop; further raises are translated. It "
        "leaves out actions below 10 %. "
        "Regret minimisation guarantees no equilibrium among three players",
    ),
    "no-limit-holdem-mccfr": Made("Monte-Carlo CFR", "no-limit-holdem", "mccfr", 30_000_000),
    "no-limit-holdem-cfr-br": Made(
        "CFR-BR", "no-limit-holdem:cells=textures,grid=1080/1080/720", "cfr-br", 9_856,
        options=RESPONDERS, parts=51, flops=FLOPS,
    ),
    **{
        f"no-limit-holdem-{depth}bb-cfr-br": Made(
            f"CFR-BR, {depth} big blinds", f"no-limit-holdem:cells=textures,grid={grid},menu=pot+all-in,{stakes}", "cfr-br",
            iterations, options=RESPONDERS, parts=15, common=0.95, flops=FLOPS,
        )
        for depth, stakes, grid, iterations in (
            (20, "stack=200", "1080/1080/720", 4096),
            (50, "stack=500", "1080/1080/720", 4096),
            (100, "stack=1000", "540/540/360", 4096),
            (200, "small_blind=50,stack=20000", "540/540/360", 4096),
        )
    },
    "no-limit-holdem-32-mccfr": Made("Monte-Carlo CFR", "no-limit-holdem-32:menu=x2+x4,grid=10/10/10", "mccfr", 1_000_000),
    **{
        f"no-limit-holdem-32-{solver}": Made(
            name, "no-limit-holdem-32", solver, 3_000_000, file=f"epfl2020/agents/{solver}-ours-1.agent"
        )
        for solver, name in (
            ("monte-carlo", "Monte-Carlo control"),
            ("deep-q-continuous", "Deep Q, continuous"),
            ("deep-q-discrete", "Deep Q, discrete"),
            ("clipped-double-dqn", "Clipped double DQN"),
        )
    },
    "no-limit-holdem-pricope-agent-1": Made(
        "Agent 1, expert system", "no-limit-holdem", "", 0, file="pricope2021/agents/agent-1.agent",
        learned="an expert system after Loki; its model of the opponent from 200,000 decisions",
    ),
    **{
        f"no-limit-holdem-pricope-{name}": Made(
            title, "no-limit-holdem", "nfsp-freezeouts", 0, file=f"pricope2021/agents/{name}.agent"
        )
        for name, title in (
            ("agent-2", "Agent 2, learned against agent 1"),
            ("agent-3-gp", "Agent 3, gradient play"),
            ("agent-3-dp", "Agent 3, discrete play"),
        )
    },
}  # fmt: skip


def make(name: str, runs: Path) -> None:
    made = MADE[name]
    snapshots: dict[int, Path] = {}
    if made.file:
        policy = sc.load(LEDGER / made.file)
    else:
        folder = runs / name
        if not folder.exists():
            Run.create(
                folder, made.game, made.solver, seed=made.seed, options=made.options, iterations=made.iterations, keep=made.keep
            )
        run = Run.open(folder)
        if not run.done or not run.agent.exists():
            run.train()
        policy = sc.load(folder / GREEDY_FILE if made.greedy else run.agent)
        snapshots = {at: path for at, path in snapshots_of(folder).items() if FIRST_SNAPSHOT <= at < made.iterations}
    results = policy.card.get("results", {})
    policy = policy.thresholded(made.threshold) if made.threshold else policy
    policy = simplified(policy, run.solver.tables()["average"], made.common) if made.common < 1 else policy
    policy = policy.rounded(made.parts) if made.parts else policy
    if policy.game.players == 2 or policy.game.sampled:
        results |= {"matches": matches(policy)}
    if policy.game.sampled and policy.game.players == 2:
        local = sc.local_best_response(policy, deals=DEALS, seed=1).total
        results["local_best_response"] = {"mean": local.mean, "half_width": local.half_width(), "deals": DEALS}
    if made.flops:
        found = exact_response(policy, flops=made.flops, store=store_of(policy, None, greedy=False))
        results["exact_response"] = {"mean": found.total, "half_width": found.half_width, "flops": found.flops}
        results["exact_response"] |= {"menu": menu} if (menu := policy.game.options.get("menu")) else {}
    policy.card |= {"name": made.name, "command": policy.card.get("command", made.command), "results": results}
    if made.learned:
        policy.card["learned"] = made.learned.format(iterations=made.iterations, seed=made.seed)
    if made.learned and made.file:
        policy.card["command"] = f"smoothcall reproduce {made.file.partition('/')[0]}"
    for figure in ("differences", "models", "curve"):  # shown in the ledger only
        policy.card.pop(figure, None)
    policy.save(AGENTS / f"{name}.agent")
    for at, path in snapshots.items():
        then = sc.load(path, policy.game)
        then.card |= {"name": f"{made.name} after {at:,}", "command": made.command}
        then.save(AGENTS / f"{name}.{at}.agent")
    typer.echo(f"{name}: {made.command}")
    typer.echo(f"  {json.dumps(results)}")
    typer.echo(f"  {sum(path.stat().st_size for path in AGENTS.glob(f'{name}*.agent')):,} bytes")


def measure(name: str) -> None:
    """Play a shipped agent's matches again and write them into its card."""
    path = AGENTS / f"{name}.agent"
    policy = sc.load(path)
    policy.card["results"]["matches"] = matches(policy)
    policy.save(path)
    typer.echo(f"{name}: {json.dumps(policy.card['results'])}")


def simplified(policy: sc.Policy, average: Array, common: float) -> sc.Policy:
    """Return the policy with one action at rows beyond those with the share `common` of the players' own reach: a smaller file.

    It is the likeliest of POOLED neighbouring buckets together, weighed by their reach. Rows before the flop, and buckets that
    are never reached, stay as they are.
    """
    tree, reach = policy.game.tree, average.sum(axis=1, dtype=np.float64)
    order = np.argsort(-reach, kind="stable")
    rare = np.zeros(len(reach), np.bool_)
    rare[order[np.searchsorted(np.cumsum(reach[order]), common * reach.sum()) :]] = True
    table = policy.weights.copy()
    for node in np.flatnonzero((tree.first_row >= 0) & (tree.round > 0)):
        begin, count = tree.first_row[node], policy.game.buckets[tree.round[node]]
        pooled = average[begin : begin + count].reshape(-1, POOLED, average.shape[1]).sum(axis=1)
        known = np.repeat(pooled.any(axis=1), POOLED) & rare[begin : begin + count]
        chosen = np.zeros_like(pooled, np.uint8)
        chosen[np.arange(len(pooled)), pooled.argmax(axis=1)] = policy.scale
        table[begin : begin + count][known] = np.repeat(chosen, POOLED, axis=0)[known]
    return sc.Policy(policy.game, table, policy.card)


def matches(policy: sc.Policy) -> dict[str, Any]:
    """Return its winnings against each scripted player in mbb/h, exact in small games.

    With three players two of them are the same scripted player, and every raise of the rules is allowed.
    """
    found = {}
    for opponent in Rule if policy.game.players == 3 else ():
        result = sc.match(sc.game(policy.game.name), [policy, opponent, opponent], hands=HANDS_OF_THREE, seed=1)
        won = result.estimates[0]
        found[f"2 x {opponent}"] = {"mean": won.mean, "half_width": won.half_width(), "hands": result.hands}
    for opponent in Rule if policy.game.players == 2 else ():
        hands = HANDS // 5 if isinstance(policy, TabulatedPolicy) else HANDS
        if isinstance(policy, TabulatedPolicy) and observes_habits(policy.batch_policy):
            hands = HANDS // 50  # it plays hand by hand
        result = sc.match(policy.game, [policy, opponent], hands=hands if policy.game.sampled else None, seed=1)
        if result.exact is not None:
            found[opponent] = {"mean": result.exact[0], "half_width": 0.0, "hands": 0}
        else:
            won = result.estimates[0]
            found[opponent] = {"mean": won.mean, "half_width": won.half_width(), "hands": result.hands}
    return found


def main(
    names: Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="All without any.")] = None,
    runs: Annotated[Path, typer.Option(help="Folder of the runs.")] = Path("runs") / "built-in",
    again: Annotated[bool, typer.Option("--measure", help="Only play the matches again; train nothing.")] = False,
) -> None:
    AGENTS.mkdir(exist_ok=True)
    for name in names or MADE:
        if again:
            measure(name)
        else:
            make(name, runs)


if __name__ == "__main__":
    typer.run(main)
