"""The measurements of macmanus2019, part by part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from smoothcall.agents.scripted import Rule
from smoothcall.evaluation.exploitability import best_response, evaluate, exploitability, nash_conv
from smoothcall.experiments.curves import follow, spaced
from smoothcall.experiments.macmanus2019 import best_response as section_3_2
from smoothcall.experiments.macmanus2019.search import (
    AGAINST_RANDOM,
    ETA0,
    GAMMA,
    LADDER,
    LEDUC,
    METHODS,
    PROGRAM,
    SMOOTH,
    C,
    Method,
    PotGame,
    Setting,
    TreeSearch,
    settings_of,
)
from smoothcall.experiments.parts import Parts
from smoothcall.games.catalog import LEDUC as LEDUC_RULES
from smoothcall.games.catalog import LIMIT_HOLDEM, NO_LIMIT_HOLDEM
from smoothcall.games.rankings import CATEGORIES
from smoothcall.information.named_games import game
from smoothcall.information.tree import poker_size
from smoothcall.interop.macmanus2019 import information, parse, read_strategy
from smoothcall.kernels.tables import FOLD, Array
from smoothcall.policy import Policy
from smoothcall.solvers import Solver, solver

EPISODES = dict(zip((method.label for method in METHODS), (500_000, 500_000, 1_000_000, 1_000_000), strict=True))
WINDOW = 1_000  # episodes of a point of the reward curves, as in its program
FIRST = 10_000  # episodes at which its curves of exploitability begin, as in its program
THOUSANDS = (1, 2, 5, 10, 20, 30, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000)  # episodes of the points of the curves
LONGER = "three times the episodes"
SWEEP = (0.02, 0.05, 0.2, 0.5)  # of d, besides the two of the document
TRIED: dict[str, dict[str, Any]] = {  # changes of the search in its program that may explain Fig 4.6
    "eta_0 = 1, as in (2.11)": {"eta": 1.0},
    "gamma = 0": {"gamma": 0.0},
    "c = 9": {"c": 9.0},
    "c = 50, as in earlier versions of the program": {"c": 50.0},
    "no discount": {"discount": 1.0},
    "visits counted once": {"both_trees": False},
    LONGER: {},
}
OTHER_C = (9.0, 12.0, 24.0, 36.0)  # of UCT, tried for Heinrich's low of 0.8
SPECS = {"merged": "leduc", "apart": "leduc:suits=apart"}
FILES = (
    "Deterministic_200000_random", "Stochastic_200000_random", "Deterministic_10000000_self-play",
    "Stochastic_10000000_self-play",
)  # fmt: skip
REPOSITORY = "github.com/JamieMac96/leduc-holdem-using-pomcp"


@dataclass(frozen=True, slots=True)
class Size:
    shorter: int  # divisor of the document's episodes
    program: int  # repetitions of its three experiments as its program has them
    repetitions: int  # in Leduc hold'em
    steps: int  # repetitions of the settings between the text and the program
    changed: int  # repetitions of its program with other values of d, and with other changes
    short: int  # repetitions of Fig 4.1
    equal: int  # episodes of UCT beside Smooth UCT
    seeds: int
    long: int  # episodes of the long runs
    long_seeds: int
    long_apart: int  # seeds with suits told apart


FULL = Size(1, 200, 40, 20, 40, 100, 30_000_000, 10, 500_000_000, 5, 3)
QUICK = Size(10, 10, 4, 2, 2, 10, 1_000_000, 2, 5_000_000, 1, 1)


def measure(parts: Parts, size: Size, folder: Path) -> None:
    games = {setting.spec: PotGame.named(setting.spec) for setting in LADDER}
    for setting in LADDER:
        repetitions = {LEDUC: size.repetitions, PROGRAM: size.program}.get(setting, size.steps)
        for method in METHODS:
            episodes = EPISODES[method.label] // size.shorter
            points = points_to(episodes) if setting in (LEDUC, PROGRAM) else [episodes]
            _experiment(parts, games[setting.spec], setting, method, points, repetitions)
    for d in SWEEP:
        method = Method(f"Smooth UCT, d = {d:g}", d=d)
        _experiment(parts, games[PROGRAM.spec], PROGRAM, method, [1_000_000 // size.shorter], size.changed)
    about = settings_of(PROGRAM, SMOOTH, episodes=1_000_000 // size.shorter, repetitions=size.changed, tried=TRIED)
    parts.measure(TRIED_PART, about, partial(_tried, games[PROGRAM.spec], about["episodes"], size.changed))
    for setting in (LEDUC, PROGRAM):
        about = settings_of(setting, AGAINST_RANDOM, episodes=10_000, repetitions=size.short)
        parts.measure(f"cumulative reward: {setting.label}", about, partial(_cumulative, games, setting, size.short))
    best = {"games": sorted(games), "reward": "pot"}
    parts.measure("best response to a random player", best, lambda: {spec: _best(games[spec]) for spec in sorted(games)})
    for method in METHODS:
        episodes = EPISODES[method.label] // size.shorter
        own = {"game": "leduc", "reward": "chips", **_solver(method), "episodes": episodes, "repetitions": size.steps}
        parts.measure(solver_part(method), own, partial(_solved_in_pots, own))
    _heinrich(parts, size)
    parts.measure("notation", {"history": "1AhQhbcKsbrc"}, lambda: _notation("1AhQhbcKsbrc"))
    parts.measure("rules", {"game": LEDUC_RULES.name}, _rules)
    parts.measure("Texas hold'em", {"game": NO_LIMIT_HOLDEM.name}, _holdem_rules)
    parts.measure("limit hold'em", {"game": LIMIT_HOLDEM.name}, lambda: {"states": _game_states()})
    told = {"files": FILES, "repository": REPOSITORY}
    parts.measure("strategy files", told, lambda: _strategy_files(folder / "strategies", parts.tell))


TRIED_PART = f"{SMOOTH.label}: what was tried for Fig 4.6"


def part_name(setting: Setting, method: Method) -> str:
    return f"{method.label}: {setting.label}"


def points_to(episodes: int) -> list[int]:
    """Return the numbers of episodes at which a curve is measured."""
    return [1000 * point for point in THOUSANDS if 1000 * point < episodes] + [episodes]


# Experiments 1 to 3


def _experiment(parts: Parts, played: PotGame, setting: Setting, method: Method, points: list[int], repetitions: int) -> None:
    about = settings_of(setting, method, points=points, repetitions=repetitions)
    parts.measure(part_name(setting, method), about, lambda: _curves(played, setting, method, points, repetitions))


def _curves(played: PotGame, setting: Setting, method: Method, points: list[int], repetitions: int) -> dict[str, Any]:
    """Return [repetitions, points] of each figure, and the reward in every window, mean of the repetitions."""
    names = ("exact", "document", "stochastic", "folds", "reward")
    figures = {name: np.zeros((repetitions, len(points))) for name in names}
    rewards = np.zeros((repetitions, points[-1] // WINDOW))
    for repetition in range(repetitions):
        search = TreeSearch(played, setting, method, repetition)
        for index, point in enumerate(points):
            while search.episodes < point:
                before, some = search.earned, min(WINDOW, point - search.episodes)
                search.run(some)
                rewards[repetition, (search.episodes - 1) // WINDOW] = (search.earned - before) / some
            figures["reward"][repetition, index] = search.earned / point
            for name, found in _evaluated(played, search).items():
                figures[name][repetition, index] = found
    return {"points": points, **{name: figure.round(5) for name, figure in figures.items()}, "windows": rewards.mean(axis=0)}


def _tried(played: PotGame, episodes: int, repetitions: int) -> dict[str, list[float]]:
    """Return [repetitions] the exploitability by the document's best response with each change of the search."""
    found: dict[str, list[float]] = {}
    for name, changes in TRIED.items():
        for repetition in range(repetitions):
            search = TreeSearch(played, PROGRAM, SMOOTH, repetition, **changes)
            search.run(3 * episodes if name == LONGER else episodes)
            found.setdefault(name, []).append(section_3_2.exploitability(played, search.deterministic()))
    return found


def _evaluated(played: PotGame, search: TreeSearch) -> dict[str, float]:
    """Return the figures of a search, in pots: of its deterministic strategy, the exact exploitability, that of the document's
    best response, and how often it folds to bets; and the exact exploitability of its stochastic strategy."""
    chosen = search.deterministic()
    policy = Policy.from_weights(played, chosen)
    return {
        "exact": exploitability(played, policy),
        "document": section_3_2.exploitability(played, chosen),
        "stochastic": exploitability(played, search.stochastic()),
        "folds": fold_share(played, policy.table),
    }


def fold_share(played: PotGame, table: Array) -> float:
    """Return how often an agent folds to a player who always bets and raises, mean of both seats. table[rows, A]"""
    tree, raises, total = played.tree, Rule.ALWAYS_RAISE.among(played.legal), 0.0
    for seat in (0, 1):
        reach = np.zeros((tree.nodes, played.deals.count))
        reach[0] = played.deals.weight
        for node in tree.decisions:
            moves = section_3_2.moves_at(played, table if tree.player[node] == seat else raises, node)
            for slot in np.flatnonzero(tree.child[node] >= 0):
                reach[tree.child[node, slot]] = reach[node] * moves[:, slot]
        ends = tree.endings[(tree.kind[tree.endings] == FOLD) & (tree.player[tree.parent[tree.endings]] == seat)]
        total += float(reach[ends].sum())
    return total / 2


def _cumulative(games: dict[str, PotGame], setting: Setting, repetitions: int) -> dict[str, Any]:
    """Return the cumulative reward of player 1 against a random player every 100 episodes, [repetitions, points]."""
    points = list(range(100, 10_001, 100))
    found = np.zeros((repetitions, len(points)))
    for repetition in range(repetitions):
        search = TreeSearch(games[setting.spec], setting, AGAINST_RANDOM, repetition)
        for index, point in enumerate(points):
            search.run(point - search.episodes)
            found[repetition, index] = search.earned
    return {"points": points, "reward": found}


def _best(played: PotGame) -> float:
    """Return what a best response wins from a random player, mean of both seats, in pots."""
    uniform = Policy.uniform(played)
    return sum(best_response(played, uniform, seat).value for seat in (0, 1)) / 2


# The solvers of this project, for chips


def solver_part(method: Method) -> str:
    return f"{method.label}: solver for chips, evaluated in pots"


def _solver(method: Method) -> dict[str, Any]:
    """Return the settings of the solver of a method."""
    smooth = {} if method.d is None else {"gamma": GAMMA, "eta0": ETA0, "d": method.d}
    options = {"c": C, "folds": "sampled", "against": method.against, **smooth}
    return {"solver": "uct" if method.d is None else "smooth-uct", "options": options}


def _solved_in_pots(about: dict[str, Any]) -> dict[str, Any]:
    """Return the exploitability of the greedy policy, [repetitions], in chips and in pots.

    Against a random player one solver learns in each seat.
    """
    made, pots = game(about["game"]), PotGame.named(about["game"])
    found: dict[str, list[float]] = {"chips": [], "pots": []}
    for repetition in range(about["repetitions"]):
        seats = (0,) if about["options"]["against"] == "self" else (0, 1)
        policies = []
        for seat in seats:
            learner = solver(about["solver"], made, seed=2 * repetition + seat, learner=seat, **about["options"])
            learner.run(about["episodes"])
            policies.append(learner.current_policy())
        policy = policies[0] if len(policies) == 1 else policies[0].replaced(1, policies[1])
        found["chips"].append(exploitability(made, policy))
        found["pots"].append(exploitability(pots, Policy(pots, policy.table)))
    return found


# Heinrich's figures: NashConv in chips


def _heinrich(parts: Parts, size: Size) -> None:
    for suits in SPECS:
        for name, d in (("uct", None), ("smooth-uct", 0.1), ("smooth-uct", 0.002)):
            points = spaced(1_000, 1_000_000 // size.shorter if d == 0.1 else size.equal)
            points = sorted({*points, 500_000 // size.shorter, 1_000_000 // size.shorter} & {*range(points[-1] + 1)})
            about = _about(suits, name, d) | {"points": points, "seeds": size.seeds}
            parts.measure(nash_conv_part(suits, d), about, partial(_followed, about))
        for c in OTHER_C:
            about = _about(suits, "uct", None) | {"points": spaced(1_000, 2_500_000 // size.shorter), "seeds": size.seeds}
            about["options"] |= {"c": c}
            parts.measure(f"{nash_conv_part(suits, None)}, c = {c:g}", about, partial(_followed, about))
    for suits, seeds in (("merged", size.long_seeds), ("apart", size.long_apart)):
        for name, d in (("smooth-uct", 0.002), ("uct", None)):
            for seed in range(seeds):
                about = _about(suits, name, d) | {"points": spaced(1_000, size.long, 50), "seed": seed}
                parts.measure(f"{long_part(suits, d)}{seed}", about, partial(_long, about))


def long_part(suits: str, d: float | None) -> str:
    """Return the name of the long runs up to the seed."""
    return f"long {'UCT' if d is None else f'Smooth UCT, d = {d:g}'}, suits {suits}, seed "


def nash_conv_part(suits: str, d: float | None) -> str:
    return f"NashConv, suits {suits}: {'UCT' if d is None else f'Smooth UCT, d = {d:g}'}"


def _about(suits: str, name: str, d: float | None) -> dict[str, Any]:
    smooth = {} if d is None else {"gamma": GAMMA, "eta0": ETA0, "d": d}
    return {"game": SPECS[suits], "solver": name, "options": {"c": C, "folds": "sampled", **smooth}}


def _build(about: dict[str, Any]) -> Callable[[int], Solver]:
    made = game(about["game"])
    return lambda seed: solver(about["solver"], made, seed=seed, **about["options"])


def _both(spec: str) -> dict[str, Callable[[Any], float]]:
    made = game(spec)
    return {
        "average": lambda learner: nash_conv(made, learner.policy()),
        "greedy": lambda learner: nash_conv(made, learner.current_policy()),
    }


def _followed(about: dict[str, Any]) -> dict[str, Any]:
    """Return the curves of all seeds, [seeds, points] each."""
    return follow(_build(about), about["seeds"], about["points"], _both(about["game"])).as_data()


def _long(about: dict[str, Any]) -> dict[str, Any]:
    """Return the curve of one seed, NashConv of the average policy [points]."""
    build, average = _build(about), {"average": _both(about["game"])["average"]}
    curves = follow(lambda _: build(about["seed"]), 1, about["points"], average)
    return {"points": curves.points, "average": curves.figures["average"][0]}


# Its examples, and its strategy files


def _notation(text: str) -> dict[str, Any]:
    """Return the parts of a history, and what each player knows of its beginning."""
    history, early = parse(text), parse("1AhQhbc")
    return {
        "parts": [str(history.first), "".join(history.cards), history.moves[0], history.board, history.moves[1]],
        "information": {str(player): str(information(early, player)) for player in (1, -1)},
    }


def _rules() -> dict[str, Any]:
    """Return what Section 2.3.4 says of Leduc hold'em, from our rules."""
    streets, deck = LEDUC_RULES.streets, LEDUC_RULES.deck
    return {
        "cards": deck.size,
        "suits": len(deck.suits),
        "ranks": len(deck.ranks),
        "rounds": len(streets),
        "ante": LEDUC_RULES.ante(0),
        "bets": [street.bet for street in streets],
        "bets a round": [street.max_raises for street in streets],
    }


def _holdem_rules() -> dict[str, Any]:
    """Return what Sections 2.3.1 to 2.3.3 say of Texas hold'em, from our rules. The royal flush is a kind of its own."""
    streets, (small, big) = NO_LIMIT_HOLDEM.streets, NO_LIMIT_HOLDEM.blinds
    return {
        "rounds": len(streets),
        "private": sum(street.hole for street in streets),
        "public": [street.board for street in streets],
        "big blind by small": big / small,
        "all-in": not NO_LIMIT_HOLDEM.limit,
        "kinds": len(CATEGORIES) + 1,
    }


def _game_states() -> int:
    """Return the number of decisions of limit hold'em over all deals, cards of different suits being different."""
    decisions = poker_size(LIMIT_HOLDEM)[1]
    deals, left, total = comb(52, 2) * comb(50, 2), 48, 0
    for street, count in zip(LIMIT_HOLDEM.streets, decisions, strict=True):
        deals, left = deals * comb(left, street.board), left - street.board
        total += deals * count
    return total


def _strategy_files(folder: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return the figures of each strategy file in a folder; None for files that are not there."""
    found: dict[str, Any] = {}
    for name in FILES:
        path = folder / f"{name}.json"
        if not path.exists():
            tell(f"{path} is not there: get it from {REPOSITORY} to evaluate it")
            found[name] = None
            continue
        chips = read_strategy(path)
        pots = PotGame.named(chips.game.spec)
        table = chips.table
        found[name] = {
            "states": len(table),
            "exact": exploitability(pots, Policy(pots, table)),
            "document": section_3_2.exploitability(pots, table),
            "chips": evaluate(chips.game, chips).exploitability,
            "folds": fold_share(pots, table),
        }
    return found
