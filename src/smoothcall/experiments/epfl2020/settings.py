"""Parameters of epfl2020, its figures, and the sizes of the reproduction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from smoothcall.agents.scripted import FINAL_POOL, FIRST_POOL

TITLE = "epfl2020: Poker Agent, a Reinforcement Learning Approach (no-limit hold'em, 32 cards)"
SEED = 1
SOURCES = (
    "Fig 1",
    "Fig 2",
    "Figs 3 and 4",
    "Figs 5 and 6",
    "Section 2",
    "Section 3.1",
    "Section 4.2",
    "Section 4.3.4",
    "Section 6.1",
    "Section 7",
    "Section 8",
    "Section 8.1",
)


@dataclass(frozen=True, slots=True)
class Learner:
    """A learning algorithm with its options; agents are kept as file-seed.agent."""

    solver: str
    file: str
    options: dict[str, Any] = field(default_factory=dict)
    alpha: dict[str, float] = field(default_factory=dict)  # the weight of E1, where the learner has one

    def with_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options of a training."""
        return {**options, **self.options, **self.alpha}


PAPER = ("MC", "DQC", "DQD", "CDQN")  # the agents of the document
OURS = tuple(f"{label}'" for label in PAPER)  # trained against scripted players until the end; DQC' also has our loss
AS_WRITTEN: dict[str, Any] = {"pool": "final", "share": 1.0}  # the final scripted players, then copies only
TO_THE_END: dict[str, Any] = {"pool": "all", "share": 0.5}  # both pools, half of the freezeouts also in mirror training
_FILES = {"MC": "monte-carlo", "DQC": "deep-q-continuous", "DQD": "deep-q-discrete", "CDQN": "clipped-double-dqn"}
_OUR_LOSS: dict[str, Any] = {"loss": "logistic", "alpha": 0.02}
ALPHA = {"DQC": {"alpha": 0.5}, "DQD": {"alpha": 0.02}}  # not printed; see the page
LEARNERS = {label: Learner(file, file, AS_WRITTEN, ALPHA.get(label, {})) for label, file in _FILES.items()} | {
    f"{label}'": Learner(file, f"{file}-ours", TO_THE_END | (_OUR_LOSS if label == "DQC" else {}))
    for label, file in _FILES.items()
}
SCRIPTED = dict(zip(("AD", "MD", "BAD", "BMD"), FINAL_POOL, strict=True))
FIRST = tuple(name for name in FIRST_POOL if name not in FINAL_POOL)  # the players of the first pool that were left out later
COMBINED, MCCFR = "COMB", "MCCFR"
EXACT = ("MC", "CDQN")  # whose exploitability is computed exactly in a game of few raises
PUBLISHED_GAMES = 40
ROLLOUTS = 100  # games simulated for an estimate of the equity
WITH_ALPHA = ("DQC",)  # learners whose alpha is varied
# Figs 5 and 6: mean gain / standard deviation, and win rate, of the row against the columns
COLUMNS = (*PAPER, *SCRIPTED)
GAINS = {
    "MC": "x 500/560 0/268 3037.5/1442 337.5/466 312.5/730 -62.5/672 -187.5/730",
    "DQC": "-500/560 x 0/328 -2625/1421 125/243 37.5/342 -37.5/303 -62.5/604",
    "DQD": "0/268 0/328 x -2612.5/1571 -225/248 -462.5/466 -487.5/236 -587.5/333",
    "CDQN": "-3037.5/1442 2625/1421 2612.5/1571 x -875/2024 -1100/2077 -50/1278 -737.5/2024",
}
WINS = {
    "MC": "x 1 0.5 0.975 0.725 0.65 0.35 0.3",
    "DQC": "0 x 0.5 0.075 0.625 0.5625 0.4625 0.4825",
    "DQD": "0.5 0.5 x 0 0.275 0.225 0.0625 0.0675",
    "CDQN": "0.025 0.925 1 x 0.4125 0.3875 0.525 0.4625",
}
FIGURE_1 = {
    "straight flush": "0.0311",
    "four of a kind": "0.168",
    "full house": "2.6",
    "flush": "3.03",
    "straight": "4.62",
    "three of a kind": "4.83",
    "two pair": "23.5",
    "pair": "43.8",
    "high card": "17.4",
}  # per cent

RULES = {"players": 2, "suits": 4, "ranks": 8, "stack": 10_000, "UNIT_BET": 1_000, "blinds": [500, 500], "raises": [1, 2, 3, 4]}
LAYERS = {
    "DQC": [[6, 16], [16, 16], [16, 16], [16, 1]],
    "DQD": [[6, 16], [16, 16], [16, 16], [16, 6]],
    "CDQN": [[10, 16], [16, 16], [16, 16], [16, 6]],
}  # [inputs, outputs] of the networks in Sections 4.2 and 4.3.4


@dataclass(frozen=True, slots=True)
class Size:
    """Sizes of trainings, matches and responses."""

    game: str
    seeds: int  # trainings of each learner
    hands: int  # of a training
    ours: tuple[str, ...]  # agents of the document that are also trained with our changes
    our_seeds: int  # trainings of each of these
    freezeouts: int  # of a match, for each seed
    rollout_freezeouts: int  # of a match with equities from rollouts
    choice_hands: int  # from which the combined player learns its choice
    alphas: tuple[float, ...]  # weights of E1 that are compared
    alpha_hands: int  # of a training for that
    alpha_seeds: int  # trainings with each of them
    alpha_freezeouts: int  # of a match of theirs
    walks: int  # iterations of MCCFR for the largest stack; trees of smaller stacks are smaller by half for every bet; 0: none
    grid: str  # of MCCFR
    local_deals: int  # of a local best response; 0: no lower bounds
    episodes: int  # a seat, of a response by UCT
    response_hands: int  # of a response by clipped double DQN
    match_hands: int  # of a match that measures a response
    exact: str  # the game of exact best responses; "": none
    spots: int  # states at which equities are estimated from rollouts
    exact_spots: int  # states at which exact equities are enumerated
    options: dict[str, Any]  # of the learners
    full: bool  # whether runs are kept in the folder `runs`


FULL = Size(
    game="no-limit-holdem-32",
    seeds=5,
    hands=3_000_000,
    ours=PAPER,
    our_seeds=3,
    freezeouts=10_000,
    rollout_freezeouts=1_000,
    choice_hands=1_000_000,
    alphas=(0.02, 0.5, 1.0),
    alpha_hands=250_000,
    alpha_seeds=3,
    alpha_freezeouts=2_000,
    walks=30_000,
    grid="20/20/20",
    local_deals=2_000,
    episodes=100_000,
    response_hands=100_000,
    match_hands=100_000,
    exact="no-limit-holdem-32:menu=x3,grid=20/20/20",
    spots=3_000,
    exact_spots=100,
    options={"mirror": 1_500_000.0},
    full=True,
)
QUICK = Size(
    game="no-limit-holdem-32:stack=3000,menu=x1+x2+all-in",
    seeds=2,
    hands=20_000,
    ours=("DQC",),
    our_seeds=1,
    freezeouts=200,
    rollout_freezeouts=20,
    choice_hands=20_000,
    alphas=(0.5,),
    alpha_hands=5_000,
    alpha_seeds=1,
    alpha_freezeouts=20,
    walks=2_000,
    grid="10/10/10",
    local_deals=10,
    episodes=10_000,
    response_hands=10_000,
    match_hands=2_000,
    exact="",
    spots=50,
    exact_spots=5,
    options={"freezeouts": 256, "mirror": 10_000.0, "renew": 5_000.0, "fade": 10_000.0},
    full=False,
)
