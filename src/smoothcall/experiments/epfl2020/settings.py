"""Labels, published figures and sizes of the reproduction of epfl2020."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from smoothcall.agents.scripted import FINAL_POOL

TITLE = "epfl2020: Poker Agent, a Reinforcement Learning Approach (no-limit hold'em, 32 cards)"
SEED = 1

LEARNERS = {"MC": "monte-carlo", "DQC": "deep-q-continuous", "DQD": "deep-q-discrete", "CDQN": "clipped-double-dqn"}
LONGER = {"DQC": 2, "DQD": 2}  # trained for so many times the hands of the others
SCRIPTED = dict(zip(("AD", "MD", "BAD", "BMD"), FINAL_POOL, strict=True))
SIMPLE = ("random", "call", "check-fold", "raise")
EXACT = ("MC", "CDQN")  # whose exploitability is computed exactly in a game of few raises
EQUILIBRIUM = "EQ"
# Figs 5 and 6: mean gain / standard deviation, and win rate, of the row against the columns
COLUMNS = ("MC", "DQC", "DQD", "CDQN", "AD", "MD", "BAD", "BMD")
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
FIGURE_1 = (0.0311, 0.168, 2.6, 3.03, 4.62, 4.83, 23.5, 43.8, 17.4)  # per cent, from straight flush to high card


@dataclass(frozen=True, slots=True)
class Size:
    """Sizes of trainings, matches and responses."""

    game: str
    hands: int  # of a training
    walks: int  # iterations of MCCFR for the largest stack; trees of smaller stacks are smaller by half for every bet
    grid: str  # of the equilibrium
    freezeouts: int  # of a match
    local_deals: int  # of a local best response
    episodes: int  # a seat, of a response by UCT
    response_hands: int  # of a response by clipped double DQN
    match_hands: int  # of a match that measures a response
    exact: str  # the game of exact best responses; "": none
    spots: int  # states at which equities are estimated from rollouts
    options: dict[str, Any]  # of the learners
    full: bool  # whether agents are kept, and claims are judged


FULL = Size(
    game="no-limit-holdem-32",
    hands=10_000_000,
    walks=1_000_000,
    grid="20/20/20",
    freezeouts=20_000,
    local_deals=1_000,
    episodes=3_000_000,
    response_hands=2_000_000,
    match_hands=400_000,
    exact="no-limit-holdem-32:menu=x3,grid=20/20/20",
    spots=3_000,
    options={},
    full=True,
)
QUICK = Size(
    game="no-limit-holdem-32:stack=3000,menu=x1+x2",
    hands=40_000,
    walks=3_000,
    grid="10/10/10",
    freezeouts=400,
    local_deals=20,
    episodes=20_000,
    response_hands=20_000,
    match_hands=4_000,
    exact="",
    spots=100,
    options={"freezeouts": 256, "mirror": 20_000.0, "renew": 10_000.0, "fade": 10_000.0},
    full=False,
)


def hands(label: str, size: Size) -> int:
    """Return the number of hands an agent is trained for."""
    return size.hands * LONGER.get(label, 1)


def command(label: str, size: Size) -> str:
    """Return the command that trains an agent."""
    settings = "".join(f" --set {name}={value}" for name, value in size.options.items())
    return f"smoothcall train {size.game} {LEARNERS[label]} --iterations {hands(label, size):g} --seed {SEED}{settings}"
