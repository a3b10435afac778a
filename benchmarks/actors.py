"""Actors that play for a learner with networks: learning by their number, and speed.

python -m benchmarks.actors learning      NashConv of NFSP on Leduc at equal episodes, simulated in one process
python -m benchmarks.actors speed         processor time and moves a second, without actors and with actors on local:2
"""

from __future__ import annotations

import time
from typing import Annotated

import numpy as np
import psutil
import typer

import smoothcall as sc
from smoothcall.cluster.actors import ActorHost, ActorTeam
from smoothcall.cluster.connection import connected
from smoothcall.cluster.hosts import ClusterHosts
from smoothcall.evaluation.exploitability import evaluate
from smoothcall.evaluation.statistics import Tally
from smoothcall.learners.experience import TurnLearner

app = typer.Typer(add_completion=False)


def learner(game: str, name: str, seed: int) -> TurnLearner:
    made = sc.solver(name, sc.game(game), seed=seed)
    assert isinstance(made, TurnLearner)
    return made


@app.command()
def learning(
    episodes: Annotated[int, typer.Option(help="Of all workers together.")] = 500_000,
    seeds: int = 5,
    teams: Annotated[str, typer.Option(help="Workers:turns of a round; 0: a learner alone.")] = "0:1,1:1,2:4,4:4,2:16,8:16",
) -> None:
    """Print NashConv of the average policy: mean over seeds with its 95 % interval."""
    typer.echo("| workers | turns of a round | moves in a round | NashConv | ± |\n| --- | --- | --- | --- | --- |")
    for team in teams.split(","):
        workers, turns = map(int, team.split(":"))
        found = Tally(1)
        for seed in range(seeds):
            made = learner("leduc", "nfsp", seed)
            if workers:
                made.team = ActorTeam(made, workers, turns=turns)
            made.run(episodes)
            found.add(np.array([[evaluate(made.game, made.policy()).nash_conv]]))
        (estimate,) = found.estimates()
        moves = max(1, workers) * turns * made.options["hands"]
        typer.echo(f"| {workers or 'none'} | {turns} | {moves:,} | {estimate.mean:.4f} | {estimate.half_width():.4f} |")


@app.command()
def speed(
    game: str = "leduc",
    solver: str = "nfsp",
    episodes: int = 200_000,
    repeats: int = 3,
    turns: Annotated[str, typer.Option(help="Turns of a round, each measured.")] = "4,16,64",
    workers: int = 2,
) -> None:
    """Print seconds by the clock and of processor time, of the learner and of all processes, a learner alone first."""
    heads = ["workers", "turns of a round", "episodes a second", "processor s, learner", "processor s, actors"]
    typer.echo(f"| {' | '.join(heads)} |\n{'| --- ' * len(heads)}|")
    with connected(f"local:{workers}") as ray:
        for _ in range(repeats):
            _print_speed("none", "1", learner(game, solver, 1), episodes, [])
            for each in map(int, turns.split(",")):
                made = learner(game, solver, 1)
                team = ActorTeam(made, workers, turns=each)
                hosts = ClusterHosts(ray, made, workers, kind=ActorHost)
                made.team, team.hosts = team, hosts
                team.play_ahead()
                _print_speed(str(workers), str(each), made, episodes, hosts.processes)
                team.close()
                hosts.close()


def _print_speed(workers: str, turns: str, made: TurnLearner, episodes: int, processes: list[int]) -> None:
    made.run(max(1, episodes // 10))  # compiles, and starts the processes
    before, began = _spent(processes), time.monotonic()
    start, mine = made.episodes, time.process_time()
    made.run(episodes)
    took, spent = time.monotonic() - began, _spent(processes) - before
    speed = (made.episodes - start) / took
    typer.echo(f"| {workers} | {turns} | {speed:,.0f} | {time.process_time() - mine:.2f} | {spent:.2f} |")


def _spent(processes: list[int]) -> float:
    times = [psutil.Process(process).cpu_times() for process in processes]
    return sum(each.user + each.system for each in times)


if __name__ == "__main__":
    app()
