# ruff: noqa: T201
"""Search at the table against its own blueprint: winnings, times of answers, memory.

    python -m benchmarks.search limit-holdem-smooth-uct --seconds 0.4 --deals 10000 --out match.jsonl
    python -m benchmarks.search limit-holdem-smooth-uct --responses 100 --street 3
    python -m benchmarks.search limit-holdem-cfr-br --local-response 5000 --seconds 0.05 --out response.jsonl
    python -m benchmarks.search --calibrate limit-holdem-smooth-uct no-limit-holdem-mccfr

Every deal is played twice, with seats exchanged. The winnings are luck-adjusted (AIVAT), and compared with those of the
blueprint in the place of the search, with the same cards and the same random numbers: over both seats the blueprint wins
nothing against itself, so that the difference has the expectation of the winnings, and it is 0 where search changes nothing.
Deals come in tasks of 50 with seeds of their own, each saved as a line when it is done; the same command goes on where it
stopped, and another process may play other tasks (`--part 1/2`). With `--no-clock` searches are not cut short: results are
then the same on every machine.

With `--responses`, decisions of one street are sampled from hands of the blueprint against itself. At each, exact best
responses to the blueprint and to the solution of the search are computed from there on, with the ranges that the blueprint
leads to. What a best response wins there above the value of an equilibrium is what it exploits.

With `--local-response`, a local best response plays whole hands against the blueprint and against search, each deal in both
seats and with the same cards and random numbers. Searches are not cut short. Play is saved and goes on as above. At the end the
figure of the blueprint is measured with more deals (`--table-deals`), which its table makes cheap; that of search is the sum of
this figure and the mean difference of the pairs.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from math import hypot
from pathlib import Path
from random import Random
from time import perf_counter, process_time

import numpy as np
import psutil

from smoothcall.agents.fixed import Strategy
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.registry import Registry
from smoothcall.agents.view import View
from smoothcall.evaluation.aivat import aivat
from smoothcall.evaluation.local_best_response import local_best_response
from smoothcall.evaluation.local_responder import LocalResponder
from smoothcall.evaluation.match import played_hand
from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.games.betting import Betting
from smoothcall.games.notation import read_betting
from smoothcall.search.blueprint import Blueprint
from smoothcall.search.boards import Range
from smoothcall.search.budget import BOARD_SECONDS, NODE_SECONDS
from smoothcall.search.gadget import GadgetSolver
from smoothcall.search.player import SPREAD, SearchPlayer

TASK = 50  # deals
EQUILIBRIUM = {1: 20, 2: 60, 3: 400}  # iterations, by street, of the equilibria that responses are compared with


class Timed:
    """A player whose answers are timed."""

    def __init__(self, player: SearchPlayer, *, processor: bool) -> None:
        self.player, self.times = player, [[], [], [], []]  # seconds by street
        self.clock = process_time if processor else perf_counter

    def act(self, view: View) -> str:
        began = self.clock()
        move = self.player.act(view)
        self.times[view.street].append(round(self.clock() - began, 4))
        return move


def play(
    name: str,
    seconds: float,
    safe: bool,
    deals: int,
    out: Path,
    part: tuple[int, int],
    seed: int,
    clock: bool,
    processor: bool,
) -> None:
    policy = Registry().policy(name)
    rules, strategy = policy.game.rules, Strategy(policy)
    told = [aivat(policy.game, seat, {1 - seat: strategy}) for seat in range(2)]
    timed = Timed(SearchPlayer(policy, seconds=seconds, safe=safe, clock=clock), processor=processor)
    blueprint, stand_in = PolicyPlayer(policy), PolicyPlayer(policy)
    done = {json.loads(line)["task"] for line in out.read_text().splitlines()} if out.exists() else set()
    for task in range(part[0], -(-deals // TASK), part[1]):
        if task in done:
            continue
        won, adjusted, began = [], [], process_time()
        timed.times, timed.player.counts = [[], [], [], []], type(timed.player.counts)()
        for deal in range(TASK):
            cards = tuple(Random(f"{seed}/{task}/{deal}").sample(range(rules.deck.size), rules.deck.size))
            each, fair = [], []
            for seat in range(2):
                hands = []
                for player, random in ((timed, timed.player.random), (stand_in, stand_in.random)):
                    random.seed(f"{seed}/{task}/{deal}/{seat}/search")
                    blueprint.random.seed(f"{seed}/{task}/{deal}/{seat}/blueprint")
                    seats = [player, blueprint] if seat == 0 else [blueprint, player]
                    hands.append(played_hand(rules, seats, cards))
                each.append(float(hands[0].outcome.payoffs[seat]))
                values = [
                    told[seat].luck_adjusted(hand.hole[seat], hand.boards, hand.text) if differ else 0.0
                    for differ in [hands[0].text != hands[1].text]
                    for hand in hands
                ]
                fair.append(values[0] - values[1])
            won.append(sum(each) / 2)
            adjusted.append(sum(fair) / 2)
        line = {"task": task, "won": won, "adjusted": adjusted, "times": timed.times, "counts": dict(timed.player.counts)}
        line |= {"cpu": round(process_time() - began, 2), "memory_mb": psutil.Process().memory_info().rss // 1_000_000}
        with out.open("a") as file:
            file.write(json.dumps(line) + "\n")
        report(out, policy.game.blind)


def respond_locally(
    player: SearchPlayer,
    deals: int,
    out: Path,
    part: tuple[int, int],
    seed: int,
    start: int,
    table_deals: int,
) -> None:
    """Save and print what a local best response wins from the blueprint and from search."""
    policy = player.blueprint.policy
    game = policy.game
    responders = [LocalResponder(game, each, start_street=start) for each in (Strategy(policy), player)]
    done = {json.loads(line)["task"] for line in out.read_text().splitlines()} if out.exists() else set()
    for task in range(part[0], -(-deals // TASK), part[1]):
        if task in done:
            continue
        won, began = np.zeros((TASK, 2, 2)), process_time()  # by deal, opponent and the responder's seat
        player.counts.clear()
        for deal in range(TASK):
            cards = Random(f"{seed}/{task}/{deal}").sample(range(game.rules.deck.size), 9)
            for number, responder in enumerate(responders):
                for seat in range(2):
                    hole, random = tuple(cards[2 * seat : 2 * seat + 2]), Random(f"{seed}/{task}/{deal}/{seat}")
                    won[deal, number, seat] = responder.play(hole, tuple(cards[4:]), seat, random)
        line = {"task": task, "won": won.tolist(), "counts": dict(player.counts), "cpu": round(process_time() - began, 2)}
        with out.open("a") as file:
            file.write(json.dumps(line) + "\n")
        report_responses(out, game.blind)
    if table_deals:
        pairs = report_responses(out, game.blind)
        table = local_best_response(policy, deals=table_deals, seed=seed + 1, start_street=start).total
        found, half = (
            Estimate(share * table.mean + pairs.mean, hypot(share * table.error, pairs.error), pairs.count)
            for share in (1.0, 0.5)
        )
        print(
            f"blueprint by its table, {table.count:,} other deals: {table.mean:+.1f} ± {table.half_width():.1f} mbb/h; search: "
            f"{found.mean:+.1f} ± {found.half_width():.1f}, less half of the blueprint's: {half.mean:+.1f} ± "
            f"{half.half_width():.1f}"
        )


def report_responses(out: Path, blind: int) -> Estimate:
    """Print what is saved so far. Return the difference of search and blueprint."""
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    tally, counts = Tally(7), Counter()
    for line in lines:
        won = np.array(line["won"])
        mean = won.mean(axis=2)
        tally.add(np.column_stack([mean, mean[:, 1] - mean[:, 0], won.reshape(-1, 4)]))
        counts.update(line["counts"])
    found = tally.estimates(1000 / blind)
    said = [f"{each.mean:+.1f} ± {each.half_width():.1f}" for each in found]
    print(
        f"{tally.count:,} deals x 2 seats: local best response wins {said[0]} mbb/h from the blueprint "
        f"(seats {said[3]}, {said[4]}), {said[1]} from search ({said[5]}, {said[6]}), {said[2]} more (95 %); {dict(counts)}; "
        f"{sum(line['cpu'] for line in lines):.0f} s of processor time",
        flush=True,
    )
    return found[2]


def report(out: Path, blind: int) -> None:
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    tally = Tally(2)
    for line in lines:
        tally.add(np.column_stack([line["won"], line["adjusted"]]))
    raw, fair = tally.estimates(1000 / blind)
    times = [[each for line in lines for each in line["times"][street]] for street in range(4)]
    every = [each for street in times[1:] for each in street]
    counts = {key: sum(line["counts"].get(key, 0) for line in lines) for line in lines for key in line["counts"]}
    print(
        f"{2 * tally.count:,} hands: {fair.mean:+.1f} ± {fair.half_width():.1f} mbb/h less luck, {raw.mean:+.1f} ± "
        f"{raw.half_width():.1f} raw (95 %); answers in seconds, median and longest: "
        + ", ".join(
            f"{street} {np.median(each):.2f} {max(each):.2f}"
            for street, each in zip(("preflop", "flop", "turn", "river"), times, strict=True)
            if each
        )
        + f", searched streets {np.median(every) if every else 0:.2f}; {counts}; {sum(line['cpu'] for line in lines):.0f} s of "
        f"processor time; memory {lines[0]['memory_mb']} to {lines[-1]['memory_mb']} MB",
        flush=True,
    )


def sampled(blueprint: Blueprint, street: int, random: Random) -> View:
    """Return the view of a random seat at its first decision on a street, in a hand of the blueprint against itself."""
    size, seat = blueprint.rules.deck.size, random.randrange(2)
    while True:
        cards, state = random.sample(range(size), 9), Betting(blueprint.rules)
        boards = [(), tuple(cards[4:7]), tuple(cards[7:8]), tuple(cards[8:])]
        while not state.finished:
            board = tuple(card for each in boards[: state.street + 1] for card in each)
            hole = tuple(cards[2 * state.player : 2 * state.player + 2])
            if state.street == street and state.player == seat:
                return View(blueprint.rules, seat, hole, tuple(boards[: street + 1]), state.text)
            known, place = blueprint.move_probabilities(state.text, board), blueprint.place(hole)
            state.play(random.choices(list(known), [float(each[place]) for each in known.values()])[0])


def respond(name: str, seconds: float, safe: bool, count: int, street: int, seed: int) -> None:
    """Print what best responses from a street on exploit: the blueprint, the solution of a search."""
    player = SearchPlayer(Registry().policy(name), seconds=seconds, safe=safe, clock=False)
    blueprint, random, tally, chips = player.blueprint, Random(seed), Tally(3), 1000 / player.blueprint.game.blind
    while tally.count < count:
        view = sampled(blueprint, street, random)
        opponent, decision = 1 - view.seat, player.decide(view)
        if decision.solver is None:
            continue
        ranges = [Range(blueprint.every.hands, reach / reach.sum()) for reach in blueprint.reach(view.boards, view.text)]
        solvers = [decision.solver]
        for _ in range(2):
            state, board = read_betting(blueprint.rules, view.text), tuple(card for each in view.boards for card in each)
            solvers.append(GadgetSolver(blueprint.rules, state, board, ranges, blueprint.moves))
            blueprint.fill(solvers[-1], street)
        before, equilibrium = solvers[1:]
        mean = [float(before.root_values(view.seat) @ ranges[view.seat].weight)]
        equilibrium.start_from_average()
        equilibrium.run(EQUILIBRIUM[street])
        decision.solver.ranges = tuple(ranges)
        own, theirs = ranges[view.seat].weight, ranges[opponent].weight
        best = [float(each.root_values(opponent, best=True) @ theirs) for each in (before, decision.solver)]
        value = -float(equilibrium.root_values(view.seat, best=True) @ own)  # at most the value of an equilibrium
        decision.solver.average[opponent][:] = before.average[opponent]
        mean.append(float(decision.solver.root_values(view.seat) @ ranges[view.seat].weight))
        tally.add(np.array([[mean[1] - mean[0], best[0] - value, best[1] - value]]))
    won, left, found = tally.estimates(chips)
    gains = [f"{each.mean:+.0f} ± {each.half_width():.0f}" for each in (won, left, found)]
    about = f"{name}, {seconds:g} s, {count} decisions on street {street}, mbb each (95 %)"
    print(f"{about}: search against the blueprint {gains[0]}; best response to the blueprint {gains[1]}, to search {gains[2]}")


def calibrate(names: list[str]) -> None:
    """Print the processor time of an iteration beside that of the model."""
    cards = (51, 30, 20, 5, 10)
    for name in names:
        blueprint = Blueprint(Registry().policy(name))
        bets = ["r" if blueprint.rules.limit else "r20", "rr" if blueprint.rules.limit else "r20r100"]
        for betting in [f"{line}{bet}" for line in ("cc/cc/", "cc/cc/cc/") for bet in ("", *bets)]:
            boards = [(), cards[:3], cards[3:4], cards[4:5]][: betting.count("/") + 1]
            board = sum(boards, ())
            ranges = [Range(blueprint.every.hands, reach) for reach in blueprint.reach(boards, betting)]
            solver = GadgetSolver(blueprint.rules, read_betting(blueprint.rules, betting), board, ranges, blueprint.moves)
            blueprint.fill(solver, len(boards) - 1)
            solver.run(1)
            taken = []
            for _ in range(5):
                began = process_time()
                solver.run(3)
                taken.append((process_time() - began) / 3)
            sizes = [(len(level.boards), len(street.kind)) for level, street in zip(solver.levels, solver.streets, strict=True)]
            model = sum(NODE_SECONDS * number * nodes + BOARD_SECONDS * number for number, nodes in sizes)
            print(f"{name} {betting}: {sizes} {min(taken) * 1e3:.2f} ms, model {model * 1e3:.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+")
    parser.add_argument("--calibrate", action="store_true")
    parser.add_argument("--responses", type=int, default=0)
    parser.add_argument("--street", type=int, default=3)
    parser.add_argument("--local-response", type=int, default=0, metavar="DEALS")
    parser.add_argument("--start-street", type=int, default=0, help="the local best response checks and calls before it")
    parser.add_argument("--table-deals", type=int, default=200_000, help="against the blueprint's table alone; 0: none")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--spread", type=float, default=SPREAD, help="of the opponent's range, against a local best response")
    parser.add_argument("--unsafe", action="store_true")
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("search.jsonl"))
    parser.add_argument("--part", default="0/1", help="number of this process and of all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-clock", dest="clock", action="store_false")
    parser.add_argument("--processor", action="store_true", help="time answers in processor time")
    given = parser.parse_args()
    if given.responses:
        respond(given.names[0], given.seconds, not given.unsafe, given.responses, given.street, given.seed)
        return
    if given.calibrate:
        calibrate(given.names)
        return
    number, every = map(int, given.part.split("/"))
    if given.local_response:
        policy, how = Registry().policy(given.names[0]), {"safe": not given.unsafe, "spread": given.spread, "clock": False}
        player = SearchPlayer(policy, seconds=given.seconds, **how)
        respond_locally(
            player, given.local_response, given.out, (number, every), given.seed, given.start_street, given.table_deals
        )
        return
    how = (given.names[0], given.seconds, not given.unsafe, given.deals, given.out, (number, every), given.seed)
    play(*how, given.clock, given.processor)


if __name__ == "__main__":
    main()
