"""`smoothcall evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smoothcall.cli.arguments import Agent, AgentGame, AsJson, Cluster, Seed, app, whole
from smoothcall.cli.output import STOPPED, ProgressLine, figure, print_json, print_table, say
from smoothcall.errors import UsageError

FLOPS = 20  # drawn for the exact best response unless another number is given

Slots = Annotated[
    str | None, typer.Option(metavar="A,B,...", help="With --exact: the actions the responder may use, such as f,c,x4.")
]
Control = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...", help="With --exact --flops: walk all flops with these actions first, to narrow the interval."
    ),
]

if TYPE_CHECKING:
    from smoothcall.results import EvaluationReport, ExactResponseReport, LowerBounds


def evaluate(
    agent: Agent,
    greedy: Annotated[bool, typer.Option("--greedy", help="Evaluate the most likely action instead of the mixture.")] = False,
    of: AgentGame = None,
    deals: Annotated[int, typer.Option(parser=whole, metavar="N", help="Hold'em: deals of the local best response.")] = 5_000,
    episodes: Annotated[
        int, typer.Option(parser=whole, metavar="N", help="Hold'em: episodes a seat of the learned response.")
    ] = 20_000_000,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Hold'em for two: the exact best response alone, over every flop unless --flops is given."
        ),
    ] = False,
    flops: Annotated[
        int | None,
        typer.Option(
            parser=whole, metavar="N", help="Hold'em for two: flops drawn for the exact best response; 0: none [default: 20]."
        ),
    ] = None,
    slots: Slots = None,
    control: Control = None,
    threads: Annotated[int, typer.Option(parser=whole, metavar="N", help="Threads of the exact best response, 1 or 2.")] = 2,
    seed: Seed = 0,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Say exactly how good an agent is: NashConv, exploitability, values, and epsilon, the most a player gains by deviating.

    Hold'em, in mbb/h with intervals: what an exact best response wins on a sample of flops (two players), then lower bounds
    by a local best response and by a learned one. Flops are kept as they are done, and not computed twice.

    Examples: smoothcall evaluate runs/leduc-cfr+; smoothcall evaluate holdem.agent --episodes 1e8
    """
    for option in (slots, control):
        if option is not None and not exact:
            raise UsageError(f"{option} are actions of an exact best response (accepted: with --exact)")
    report: EvaluationReport | LowerBounds | ExactResponseReport
    with ProgressLine(f"evaluating {Path(agent).name}") as line:
        user = app(cluster)
        policy = user.agent(agent, of)
        if not policy.game.sampled:
            report = user.evaluate(policy, greedy=greedy)
        else:
            how: dict[str, Any] = {"greedy": greedy, "seed": seed, "threads": threads, "watch": line.step, "stop": line.stopped}
            if exact:
                report = user.exact_response(policy, flops=flops, slots=slots, control=control, **how)
            else:
                many = FLOPS if flops is None else flops
                report = user.lower_bounds(policy, deals=deals, episodes=episodes, flops=many, **how)
    if as_json:
        print_json(report.as_dict())
    else:
        _print_report(report)
    if not report.done:
        raise typer.Exit(STOPPED)


def _print_report(report: EvaluationReport | LowerBounds | ExactResponseReport) -> None:
    from smoothcall.results import EvaluationReport

    threshold = report.card.get("threshold")
    how = " (greedy)" if report.greedy else f" (threshold {threshold:g})" if threshold else ""
    if isinstance(report, EvaluationReport):
        say(f"{report.game}{how}, in chips a hand")
        _print_evaluation(report)
    else:
        say(f"{report.game}{how}")
        say(str(report))
    for note in report.notes:
        say(f"note: {note}")
    if not report.done:
        say("(stopped)")


def _print_evaluation(report: EvaluationReport) -> None:
    rows = [
        ["NashConv", figure(report.nash_conv)],
        ["exploitability (NashConv / players)", figure(report.exploitability)],
        ["epsilon (largest gain of one player)", figure(report.epsilon)],
    ]
    if (distance := report.equilibrium) is not None:
        divergence = distance.kullback_leibler
        rows.append(["mean squared error to the closest equilibrium", figure(distance.squared_error)])
        rows.append(["Kullback-Leibler divergence to the closest", "infinite" if divergence is None else figure(divergence)])
        rows.append(["probability of dominated actions, summed", figure(distance.dominated_error)])
    print_table(["", ""], rows)
    players = zip(report.values, report.best_response_values, report.epsilons, strict=True)
    print_table(
        ["player", "value", "best response", "gain"],
        [[number, *map(figure, figures)] for number, figures in enumerate(players)],
    )
