"""Labels, published figures and sizes of the reproduction of Pricope 2021."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TITLE = "Deep Reinforcement Learning from Self-Play in No-Limit Texas Hold'em (Pricope 2021)"
SEED = 1
ETA = 0.1
BUILT_IN = Path(__file__).parents[2] / "data" / "agents" / "no-limit-holdem-mccfr.agent"  # the equilibrium for full stacks

GP, DP, RAW = "Agent 3 GP", "Agent 3 DP", "Agent 3 GP, no hand-made inputs"
PICTURE, SHORT = "Agent 3 GP, pictures", "Agent 3 GP, as short"
TWO, TWO_RANDOM, EQUILIBRIUM = "Agent 2", "Agent 2, from Random", "Equilibrium"
ONE, ONE_NETWORK = "Agent 1", "Agent 1 with the network"
MAIN = (GP, DP, RAW, TWO, TWO_RANDOM, ONE)
GENERIC = {"Random": "mostly-calls", "Call": "call", "HeuristicMC": "heuristic-mc"}  # label -> scripted player
FILES = {
    GP: "agent-3-gp",
    DP: "agent-3-dp",
    RAW: "agent-3-gp-raw",
    PICTURE: "agent-3-gp-pictures",
    SHORT: "agent-3-gp-short",
    TWO: "agent-2",
    TWO_RANDOM: "agent-2-random",
    ONE: "agent-1",
    ONE_NETWORK: "agent-1-network",
}

TABLE_1 = (  # as published: agent, hours trained, games, average stack, mbb/h
    ("Agent3GP", 6, 250, 117.83, 263.37),
    ("Agent3GP", 11, 250, 117.48, 318.51),
    ("Agent3GP", 17, 250, 117.1, 338.82),
    ("Agent3GP", 45, 250, 110.0, 340.18),
    ("Agent3DP", 11, 250, 120.71, 318.93),
    ("Agent3DP", 17, 250, 115.43, 309.82),
    ("Agent3DP", 45, 250, 99.2, 192.55),
    ("Agent3GP", 6, 1000, 118.45, 248.35),
    ("Agent3GP", 17, 1000, 116.54, 356.17),
    ("Agent3GP", 45, 1000, 111.9, 361.08),
    ("Agent3DP", 11, 1000, 116.42, 299.03),
    ("Agent3DP", 45, 1000, 102.3, 234.22),
)


@dataclass(frozen=True, slots=True)
class Training:
    """Training of an agent by `nfsp-freezeouts`."""

    freezeouts: int
    options: dict[str, Any] = field(default_factory=dict)  # `against` may be the label of an agent
    snapshots: tuple[int, ...] = ()  # freezeouts after which the agent is saved as it is then


@dataclass(frozen=True, slots=True)
class Size:
    """Sizes of trainings, matches and responses."""

    game: str
    trainings: dict[str, Training]
    decisions: int  # that opponent models learn from
    walks: int  # iterations of MCCFR for stacks just below full ones; fewer for smaller ones, in proportion to their trees
    deals: int  # of a match of hands with full stacks; each deal is played in both seats
    slow_deals: int  # of a match played hand by hand, where raises are of any size
    freezeouts: int  # of a match
    published: tuple[int, int, int]  # freezeouts of the paper's matches: two of Table 1, and the one against agent 1
    exploited: tuple[str, ...]  # agents against which best responses are learned
    local_deals: int  # of a local best response
    episodes: int  # a seat, of a response by UCT
    response_hands: int  # of a response by deep Q-learning
    full: bool  # whether agents are kept, and claims are judged


SNAPSHOTS = (10_000, 50_000, 150_000, 500_000)
FULL = Size(
    game="no-limit-holdem",
    trainings={
        GP: Training(1_000_000, {"rho": 0.92}, SNAPSHOTS),
        DP: Training(1_000_000, {}, SNAPSHOTS),
        RAW: Training(150_000, {"rho": 0.92, "metrics": False}),
        PICTURE: Training(1_000, {"rho": 0.92, "inputs": "images"}),
        SHORT: Training(1_000, {"rho": 0.92}),
        TWO: Training(300_000, {"against": ONE, "length": 1}),
        TWO_RANDOM: Training(300_000, {"against": "mostly-calls", "length": 1}),
    },
    decisions=200_000,
    walks=1_000_000,
    deals=20_000,
    slow_deals=20_000,
    freezeouts=20_000,
    published=(250, 1000, 130),
    exploited=(GP, DP, TWO, ONE, EQUILIBRIUM),
    local_deals=4_000,
    episodes=3_000_000,
    response_hands=300_000,
    full=True,
)
_TINY = {"hands": 32, "batch": 16, "every": 64, "hidden": 8, "transitions": 2000, "moves": 2000}
QUICK = Size(
    game="no-limit-holdem:stack=20,grid=5/5/5",
    trainings={
        GP: Training(600, {"rho": 0.92, **_TINY}, (500,)),
        DP: Training(500, _TINY),
        RAW: Training(500, {"rho": 0.92, "metrics": False, **_TINY}),
        TWO: Training(200, {"against": ONE, "length": 1, **_TINY}),
        TWO_RANDOM: Training(200, {"against": "mostly-calls", "length": 1, **_TINY}),
    },
    decisions=2_000,
    walks=2_000,
    deals=200,
    slow_deals=10,
    freezeouts=50,
    published=(10, 20, 10),
    exploited=(GP, EQUILIBRIUM),
    local_deals=10,
    episodes=2_000,
    response_hands=100,
    full=False,
)


def command(label: str, size: Size) -> str:
    """Return the command that trains an agent."""
    training = size.trainings[label]
    agent_1 = f"docs/ledger/pricope2021/agents/{FILES[ONE]}.agent"
    settings = {name: agent_1 if value == ONE else value for name, value in training.options.items()}
    chosen = "".join(f" --set {name}={str(value).lower()}" for name, value in settings.items())
    return f"smoothcall train {size.game} nfsp-freezeouts --iterations {training.freezeouts:g}{chosen} --seed {SEED}"
