"""Labels, trainings and sizes of the reproduction of Pricope 2021."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TITLE = "Deep Reinforcement Learning from Self-Play in No-Limit Texas Hold'em (Pricope 2021)"
SEED = 1
ETA = 0.1
BUILT_IN = Path(__file__).parents[2] / "data" / "agents" / "no-limit-holdem-mccfr.agent"  # by MCCFR, for full stacks

# Agent 3 with the paper's returns (of games) and unit of Q (chips), and variants of it
GP, DP = "Agent 3 GP", "Agent 3 DP"
GP_HAND, DP_HAND = "Agent 3 GP, returns of hands", "Agent 3 DP, returns of hands"
GP_DIAGONAL = "Agent 3 GP, diagonal"
RAW = "Agent 3 GP, raw inputs"
IMAGES, IMAGES_RAW = "Agent 3 GP, images", "Agent 3 GP, images, raw inputs"
LONG_GP, LONG_DP = "Agent 3 GP, 1 M games", "Agent 3 DP, 1 M games"  # returns of hands, Q in stacks
TWO, TWO_RANDOM, TWO_HANDS = "Agent 2", "Agent 2, from Random", "Agent 2, single hands"
TWO_CALLED = "Agent 2, called"  # learns against agent 1 that calls in place of a quarter of its actions
ONE, ONE_BAYES, ONE_NETWORK, ONE_HONEST = "Agent 1", "Agent 1, naive Bayes", "Agent 1, network", "Agent 1, honest opponents"
MCCFR = "MCCFR"
RANDOM, CALL, HEURISTIC = "Random", "Call", "HeuristicMC"
GENERIC = {RANDOM: "mostly-calls", CALL: "call", HEURISTIC: "heuristic-mc"}  # label -> scripted player
AGENT_1 = {ONE: "agent-1", ONE_BAYES: "agent-1-bayes", ONE_NETWORK: "agent-1-network", ONE_HONEST: "agent-1-honest"}  # files

GRADIENT = {"rho": 0.92}
HANDS = {"episode": "hand"}
MATRICES = ("columns", "diagonal")
UNITS = ("chips", "stacks")


@dataclass(frozen=True, slots=True)
class Training:
    """Training of an agent by `nfsp-freezeouts`, once for each seed."""

    file: str  # name of its agent files
    freezeouts: int
    options: dict[str, Any] = field(default_factory=dict)  # `against` may be the label of an agent
    snapshots: tuple[int, ...] = ()  # freezeouts after which the agent is saved as it is then
    seeds: tuple[int, ...] = (SEED,)
    until: int = 0  # freezeouts after which trainings of other seeds than the first end; 0: as the first

    @property
    def points(self) -> tuple[int, ...]:
        return (*self.snapshots, self.freezeouts)

    def points_of(self, seed: int) -> tuple[int, ...]:
        """Return the freezeouts after which agents of a seed are saved."""
        return tuple(at for at in self.points if seed == SEED or not self.until or at <= self.until)

    def agent_file(self, seed: int, freezeouts: int) -> str:
        other = "" if seed == SEED else f"-seed-{seed}"
        return f"{self.file}{other}" + ("" if freezeouts == self.freezeouts else f".{freezeouts}")


@dataclass(frozen=True, slots=True)
class Size:
    """Sizes of trainings, matches and responses."""

    game: str
    trainings: dict[str, Training]
    compared: int  # freezeouts after which variants are compared, with all seeds
    decisions: int  # that opponent models learn from
    walks: int  # iterations of MCCFR in hands with full stacks; 0: the agent that comes with the package
    freezeouts: int  # of a match
    expert_freezeouts: int  # of a match with agent 1, which is slow
    image_freezeouts: int  # of a match of networks on images, which are slow
    deals: int  # of a match of hands with full stacks; each deal is played in both seats
    slow_deals: int  # of a match played hand by hand
    exploited: tuple[str, ...]  # agents against which best responses are learned
    local_deals: int  # of a local best response
    episodes: int  # a seat, of a response by UCT
    response_freezeouts: int  # of a response by deep Q-learning
    full: bool  # whether agents are kept


SEEDS = (1, 2, 3)
TABLE_POINTS = (50_000, 60_000, 100_000)  # the paper's 6, 11, 17 and 45 hours
_PAPER = 150_000
_ON_IMAGES: dict[str, Any] = {"snapshots": (1_500, 5_000, 10_000), "seeds": SEEDS[:2]}
_VARIANT: dict[str, Any] = {"snapshots": TABLE_POINTS[:1], "seeds": SEEDS, "until": TABLE_POINTS[0]}
_AGENT_2: dict[str, Any] = {"against": ONE, "episode": "hand", "resample": "hand", "eta": 0.5}
FULL = Size(
    game="no-limit-holdem",
    trainings={
        GP: Training("agent-3-gp-game", _PAPER, GRADIENT, TABLE_POINTS, SEEDS),
        DP: Training("agent-3-dp-game", _PAPER, {}, TABLE_POINTS, SEEDS),
        GP_HAND: Training("agent-3-gp-hand", _PAPER, GRADIENT | HANDS, **_VARIANT),
        DP_HAND: Training("agent-3-dp-hand", _PAPER, HANDS, **_VARIANT),
        GP_DIAGONAL: Training("agent-3-gp-diagonal", _PAPER, GRADIENT | {"matrix": "diagonal"}, **_VARIANT),
        RAW: Training("agent-3-gp-raw", _PAPER, GRADIENT | {"metrics": False}, **_VARIANT),
        LONG_GP: Training("agent-3-gp", 1_000_000, GRADIENT | HANDS | {"unit": "stacks"}, (150_000,)),
        LONG_DP: Training("agent-3-dp", 1_000_000, HANDS, (150_000,)),
        TWO: Training("agent-2", 75_000, _AGENT_2, (), SEEDS),
        TWO_CALLED: Training("agent-2-called", 75_000, _AGENT_2 | {"calls": 0.25}, (), SEEDS),
        TWO_RANDOM: Training("agent-2-random", 300_000, {"against": "mostly-calls", "length": 1, "episode": "hand"}),
        TWO_HANDS: Training("agent-2-hands", 300_000, {"against": ONE_HONEST, "length": 1, "episode": "hand"}),
        IMAGES: Training("agent-3-gp-images", 20_000, GRADIENT | {"inputs": "images"}, **_ON_IMAGES),
        IMAGES_RAW: Training("agent-3-gp-images-raw", 20_000, GRADIENT | {"inputs": "images", "metrics": False}, **_ON_IMAGES),
    },
    compared=TABLE_POINTS[0],
    decisions=200_000,
    walks=0,
    freezeouts=10_000,
    expert_freezeouts=4_000,
    image_freezeouts=1_000,
    deals=4_000,
    slow_deals=1_000,
    exploited=(GP, MCCFR),
    local_deals=1_000,
    episodes=1_000_000,
    response_freezeouts=25_000,
    full=True,
)
_TINY = {"hands": 64, "batch": 16, "every": 256, "hidden": 8, "transitions": 2000, "moves": 2000}
QUICK = Size(
    game="no-limit-holdem:stack=20,grid=5/5/5",
    trainings={
        GP: Training("gp", 1000, GRADIENT | _TINY, (400, 700), (1, 2)),
        DP: Training("dp", 1000, _TINY, (400, 700), (1, 2)),
        RAW: Training("raw", 1000, GRADIENT | _TINY | {"metrics": False}, (400,)),
        TWO: Training("two", 100, _TINY | {"against": ONE, "episode": "hand", "resample": "hand"}),
        TWO_RANDOM: Training("two-random", 200, _TINY | {"against": "mostly-calls", "length": 1}),
    },
    compared=400,
    decisions=2_000,
    walks=2_000,
    freezeouts=50,
    expert_freezeouts=10,
    image_freezeouts=10,
    deals=100,
    slow_deals=4,
    exploited=(GP, MCCFR),
    local_deals=6,
    episodes=1_000,
    response_freezeouts=50,
    full=False,
)


def command(label: str, size: Size, seed: int = SEED, freezeouts: int = 0) -> str:
    """Return the command that trains an agent."""
    training = size.trainings[label]
    settings = {
        name: f"docs/ledger/pricope2021/agents/{AGENT_1[value]}.agent" if value in AGENT_1 else value
        for name, value in training.options.items()
    }
    chosen = "".join(f" --set {name}={str(value).lower()}" for name, value in settings.items())
    return (
        f"smoothcall train {size.game} nfsp-freezeouts --iterations {freezeouts or training.freezeouts:g}{chosen} --seed {seed}"
    )
