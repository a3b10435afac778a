"""What bahuguna2018 published: its settings and every figure that it prints."""

from __future__ import annotations

from dataclasses import dataclass

ITERATIONS, TRIALS = 10_000_000, 10
RPS_ITERATIONS = 1_000
EPSILON = 0.01  # its goal in all games, Section 1.1
TOLERANCE = {"kuhn": 0.01, "kuhn-3p": 0.03}  # Section 5.2
POINTS = 40  # evaluations and timings of a trial, log-spaced
GAMES = {"kuhn": "two players", "kuhn-3p": "three players"}

RPS = (  # Table 2.1: utilities of players 1 and 2, rows and columns R P S
    ((0, 0), (-1, 1), (1, -1)),
    ((1, -1), (0, 0), (-1, 1)),
    ((-1, 1), (1, -1), (0, 0)),
)
REGRETS = (0, 1, 2)  # (3.2) to (3.4): of R, P and S, after R was played against P
POTS = {"pp": 2, "pbp": 3, "pbb": 4, "bp": 3, "bb": 4}  # Section 2.3.2: the pot at each ending of the two-player game
DEALS = {"kuhn": 6, "kuhn-3p": 24}
DECISIONS = {"kuhn": 4, "kuhn-3p": 12}  # the former in Table 5.1
ENDINGS = {"kuhn": 5, "kuhn-3p": 13}  # the former in Section 2.3.2
HISTORIES = {  # Table 5.1: the decision nodes of each player, depth first; p pass, b bet
    "kuhn": (("", "pb"), ("p", "b")),
    "kuhn-3p": (("", "ppb", "pbp", "pbb"), ("p", "ppbp", "ppbb", "b"), ("pp", "pb", "bp", "bb")),
}

PLAIN, PRUNED = "plain", "pruned"  # what all forms learn, without and with pruning

NODES = {"kuhn": 9e7, "kuhn-3p": 2.5e8}  # Table 7.1, without pruning
NODES_PRUNED = {  # Table 7.1: nodes reached and their reduction in %
    ("recursive", "kuhn"): (6.76e7, -24.9),
    ("recursive", "kuhn-3p"): (1.61e8, -35.7),
    ("iterative", "kuhn"): (6.70e7, -25.5),
    ("iterative", "kuhn-3p"): (1.62e8, -35.1),
}
CALIBRATED = 6.76  # nodes of an iteration, to which the unpublished threshold is fitted: recursive, two players

SECONDS = {  # Table 7.3
    "kuhn": {"recursive": 60.9, "recursive, pruned": 54.2, "iterative, pruned": 44.9, "optimised, pruned": 24.0},
    "kuhn-3p": {"recursive": 193.2, "recursive, pruned": 138.6, "iterative, pruned": 135.9, "optimised, pruned": 64.2},
}
SPEEDUPS = {  # Table 7.3, in % of the speed of the recursive form without pruning
    "kuhn": {"recursive, pruned": 12.4, "iterative, pruned": 35.6, "optimised, pruned": 154.1},
    "kuhn-3p": {"recursive, pruned": 39.4, "iterative, pruned": 42.2, "optimised, pruned": 201.0},
}
SPEEDUPS_ITERATIVE = {"kuhn": 87.5, "kuhn-3p": 111.7}  # of the optimised over the iterative form, Section 7.2.1
THREAD_SECONDS = {"kuhn": (44.9, 80.3), "kuhn-3p": (135.9, 175.7)}  # Table 7.2: one thread, several
THREAD_SPEEDUPS = {"kuhn": -44.0, "kuhn-3p": -22.7}  # Table 7.2, in %


@dataclass(frozen=True, slots=True)
class Size:
    iterations: int  # of a trial
    trials: int
    sample: int  # iterations of each form that are timed at each of POINTS points of a trial
    batches: int  # of timings of which the fastest counts
    few: int  # trials by which the threshold is fitted
    others: int  # trials at other thresholds
    together: int  # iterations of all forms side by side, without samples
    external_iterations: int
    rps_iterations: int  # beyond the document's RPS_ITERATIONS
    larger_iterations: int  # of a trial of Leduc hold'em


FULL = Size(
    ITERATIONS,
    TRIALS,
    sample=10_000,
    batches=100,
    few=1,
    others=5,
    together=2_000_000,
    external_iterations=300_000,
    rps_iterations=1_000_000,
    larger_iterations=100_000,
)
QUICK = Size(
    300_000,
    3,
    sample=1_000,
    batches=20,
    few=1,
    others=1,
    together=100_000,
    external_iterations=30_000,
    rps_iterations=20_000,
    larger_iterations=20_000,
)
