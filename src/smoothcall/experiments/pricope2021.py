"""Deep Reinforcement Learning from Self-Play in No-Limit Texas Hold'em (Pricope 2021): three agents, and what they are worth.

What the paper does not have is added: an equilibrium of the same game as a yardstick, lower bounds of exploitability, and
gradient play on Leduc hold'em, where exploitability is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import numpy as np

from smoothcall.agents.expert import Expert
from smoothcall.agents.files import load
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.rule_players import MostlyCalls
from smoothcall.agents.serialization import CARD_PLAYERS
from smoothcall.agents.stack_policies import Tabled
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import Player
from smoothcall.errors import UsageError
from smoothcall.evaluation.freezeouts import FreezeoutResult, play_freezeouts
from smoothcall.evaluation.learned_response import filed, learned_response
from smoothcall.evaluation.local_best_response import local_best_response
from smoothcall.evaluation.match import match
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments import gradient_play
from smoothcall.experiments.cross_table import CrossTable, draw_table
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.nfsp import read
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.kernels.simulation.freezeouts import INPUTS
from smoothcall.learners import learning
from smoothcall.learners.nfsp_freezeouts import GAMES, FreezeoutNFSP
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.freezeouts import UNTIL_BROKE
from smoothcall.simulation.stack_trees import stack_trees
from smoothcall.solvers import solver
from smoothcall.store.curves import new_figure, png

TITLE = "Deep Reinforcement Learning from Self-Play in No-Limit Texas Hold'em (Pricope 2021)"
SEED = 1
ETA = 0.1
BUILT_IN = Path(__file__).parents[1] / "data" / "agents" / "no-limit-holdem-mccfr.agent"  # the equilibrium for full stacks

GP, DP, RAW = "Agent 3 GP", "Agent 3 DP", "Agent 3 GP, no hand-made inputs"
PICTURE, SHORT = "Agent 3 GP, pictures", "Agent 3 GP, as short"
TWO, TWO_RANDOM, EQUILIBRIUM = "Agent 2", "Agent 2, from Random", "Equilibrium"
ONE, ONE_NETWORK = "Agent 1", "Agent 1 with the network"
MAIN = (GP, DP, RAW, TWO, TWO_RANDOM, ONE)
GENERIC = {"Random": "mostly-calls", "Call": "call", "HeuristicMC": "heuristic-mc"}
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

# What the paper prints
TABLE_1 = (
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
class Learns:
    """Somebody who learns by `nfsp-freezeouts`."""

    games: int
    options: dict[str, Any] = field(default_factory=dict)
    moments: tuple[int, ...] = ()  # games after which it is kept as it is then


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    game: str
    learners: dict[str, Learns]
    known: int  # decisions that opponent models learn from
    walks: int  # iterations of MCCFR for stacks just below full ones; fewer for smaller ones, in proportion to their trees
    hands: int  # of matches, every deal in both seats: twice as many are played
    by_hand: int  # the same, of matches in which raises are of any size
    games: int  # of matches in games
    short: tuple[int, int, int]  # games of the paper's matches: its table's two, and those against agent 1
    exploited: tuple[str, ...]  # agents against which best responses are learned
    deals: int  # of the local best responses
    episodes: int  # a seat, of the responses by UCT
    response: int  # games of those by deep Q-learning
    keep: bool


MOMENTS = (10_000, 50_000, 150_000, 500_000)
FULL = Size(
    game="no-limit-holdem",
    learners={
        GP: Learns(1_000_000, {"rho": 0.92}, MOMENTS),
        DP: Learns(1_000_000, {}, MOMENTS),
        RAW: Learns(150_000, {"rho": 0.92, "metrics": False}),
        PICTURE: Learns(1_000, {"rho": 0.92, "shown": "picture"}),
        SHORT: Learns(1_000, {"rho": 0.92}),
        TWO: Learns(300_000, {"against": ONE, "length": 1}),
        TWO_RANDOM: Learns(300_000, {"against": "mostly-calls", "length": 1}),
    },
    known=200_000,
    walks=1_000_000,
    hands=20_000,
    by_hand=20_000,
    games=20_000,
    short=(250, 1000, 130),
    exploited=(GP, DP, TWO, ONE, EQUILIBRIUM),
    deals=4_000,
    episodes=3_000_000,
    response=300_000,
    keep=True,
)
_TINY = {"hands": 32, "batch": 16, "every": 64, "hidden": 8, "transitions": 2000, "moves": 2000}
QUICK = Size(
    game="no-limit-holdem:stack=20,grid=5/5/5",
    learners={
        GP: Learns(600, {"rho": 0.92, **_TINY}, (500,)),
        DP: Learns(500, _TINY),
        RAW: Learns(500, {"rho": 0.92, "metrics": False, **_TINY}),
        TWO: Learns(200, {"against": ONE, "length": 1, **_TINY}),
        TWO_RANDOM: Learns(200, {"against": "mostly-calls", "length": 1, **_TINY}),
    },
    known=2_000,
    walks=2_000,
    hands=200,
    by_hand=10,
    games=50,
    short=(10, 20, 10),
    exploited=(GP, EQUILIBRIUM),
    deals=10,
    episodes=2_000,
    response=100,
    keep=False,
)


def run(*, quick: bool, out: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    name, size = ("pricope2021-quick", QUICK) if quick else ("pricope2021", FULL)
    page = Page(name, TITLE, "smoothcall reproduce pricope2021" + (" --quick" if quick else ""))
    study = Study(page, size, game(size.game), out / name / "agents" if size.keep else None, tell)
    study.introduce()
    study.train()
    study.figures_2_and_3()
    study.inputs()
    study.table_1()
    study.figures_4_and_5()
    study.cross_table()
    study.exploitable()
    page.data["curves"] = gradient_play.leduc(page, quick=quick, kept=read(out / name / "data.json"), tell=tell)
    study.commands()
    return page.write(out)


class Study:
    """The page while it is written, and the agents it speaks of."""

    def __init__(self, page: Page, size: Size, made: Game, folder: Path | None, tell: Callable[[str], None]) -> None:
        assert isinstance(made.rules, PokerRules)
        self.page, self.size, self.game, self.folder, self.tell = page, size, made, folder, tell
        self.rules, self.stack, self.blind = made.rules, made.rules.stack or 0, max(made.rules.blinds)
        self.policies: dict[str, TabulatedPolicy] = {}
        self.moments: dict[str, dict[int, TabulatedPolicy]] = {}
        self.batch_policies: dict[str, BatchPolicy] = {}

    @property
    def long(self) -> bool:
        return self.size.keep

    def introduce(self) -> None:
        self.page.text(
            f"Heads-up no-limit hold'em, stacks of {self.stack}, blinds {' and '.join(map(str, self.rules.blinds))}; agents "
            f"choose among {len(self.game.actions)} actions (fold, call, {', '.join(self.game.actions[2:])}) and see what "
            "others bet as it is. They play as the paper's do, *greedy + average*: the move of the highest value with the "
            f"chance {ETA:g}, else the average policy. A *game* goes on, chips kept from hand to hand and seats changing, "
            f"until one is broke (at most {UNTIL_BROKE} hands). mbb/h are thousandths of a big blind a hand. Every deal is "
            "played in both places, and intervals are of 95 %. Random calls 3 times of 5 and else raises or folds; HeuristicMC "
            "goes by 100 simulated games."
        )

    # Who plays

    def train(self) -> None:
        self._agent_1()
        for label in self.size.learners:
            self._learn(label)
        policies = self._equilibrium()
        self.batch_policies = {
            **{label: self.policies[label].batch_policy for label in MAIN},
            EQUILIBRIUM: Tabled(stack_trees(self.rules), policies),
            **{label: CARD_PLAYERS[name]() for label, name in GENERIC.items()},
        }
        self.full: Policy = policies[self.stack]

    def _file(self, name: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{name}.agent"

    def _kept(self, name: str, card: Mapping[str, Any]) -> TabulatedPolicy | None:
        """An agent that lies in the folder and says of itself what it should; None where there is none."""
        file = self._file(name)
        if file is None or not file.exists():
            return None
        found = load(file, self.game)
        wrong = {key: found.card.get(key) for key, value in card.items() if found.card.get(key) != value}
        if not isinstance(found, TabulatedPolicy) or wrong:
            raise UsageError(f"the agent {file.name!r} in the ledger was made otherwise: {wrong} instead of {dict(card)}")
        return found

    def _keep(self, name: str, policy: Policy) -> None:
        file = self._file(name)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            policy.save(file)

    def _agent_1(self) -> None:
        page, size = self.page, self.size
        policy = self._kept(FILES[ONE], {"decisions": size.known})
        if policy is None:
            self.tell(f"opponent models, from {size.known:,} decisions")
            made = learning("opponent_model", "agent 1")
            found = made.train_models(self.game, SEED, known=size.known, held_out=size.known // 4, epochs=1)
            about = {"decisions": size.known, "models": {n: vars(q) | {"said": str(q)} for n, q in found.quality.items()}}
            policy = TabulatedPolicy(self.game, Expert(found.naive_bayes), {"name": ONE, **about})
            looking = TabulatedPolicy(self.game, Expert(found.network), {"name": ONE_NETWORK, **about})
            self._keep(FILES[ONE], policy)
            self._keep(FILES[ONE_NETWORK], looking)
        else:
            looking = self._kept(FILES[ONE_NETWORK], {"decisions": size.known}) or policy
        self.policies[ONE], self.looking = policy, looking.batch_policy
        page.heading("Agent 1: opponent models")
        page.text(
            "Both say which fifth of all hands the other's cards are in, from what is public: naive Bayes from a dozen coarse "
            "features of the betting, the network from the picture of the board and the betting. Held-out hands are of another "
            "seed; the base rate is to name the most frequent class of the street."
        )
        page.text(
            "Agent 1 in the tables below has naive Bayes: with the network it plays about as well, and takes much longer."
        )
        models = policy.card["models"]
        page.table(["model", "on held-out hands"], [[name, each["said"]] for name, each in models.items()])
        for name, each in models.items():
            page.check(
                f"Agent 1: {name} beats the base rate",
                "(no figure)",
                f"accuracy {each['accuracy']:.1%}, by {each['margin']:+.1%} ± {each['half_width']:.1%}",
                passed=each["margin"] > each["half_width"] if self.long else None,
            )

    def _learn(self, label: str) -> None:
        """An agent and its moments: read where they lie in the folder, else learned."""
        learns = self.size.learners[label]
        kept = {at: self._kept(f"{FILES[label]}.{at}", {"iterations": at}) for at in learns.moments}
        last = self._kept(FILES[label], {"iterations": learns.games, "command": self.command(label)})
        if last is not None and None not in kept.values():
            self.policies[label], self.moments[label] = last, {at: found for at, found in kept.items() if found is not None}
            return
        self.tell(f"training {label}: {self.command(label)}")
        options = dict(learns.options)
        if options.get("against") == ONE:
            with filed(self.policies[ONE]) as path:
                learner = solver("nfsp-freezeouts", self.game, seed=SEED, **options | {"against": str(path)})
        else:
            learner = solver("nfsp-freezeouts", self.game, seed=SEED, **options)
        assert isinstance(learner, FreezeoutNFSP)
        learner.prepare()
        spent, found = 0.0, {}
        for at in (*learns.moments, learns.games):
            started = perf_counter()
            learner.run(at - learner.iterations)
            spent += perf_counter() - started
            policy = learner.policy()
            assert isinstance(policy, TabulatedPolicy)
            policy.card["solver"]["options"] = {**policy.card["solver"]["options"], **options}
            policy.card |= {"name": label, "command": self.command(label), "seconds": round(spent, 1)}
            policy.card |= {"hands": int(learner.earned[2]), "differences": np.round(learner.differences(), 1).tolist()}
            found[at] = policy
            self._keep(FILES[label] if at == learns.games else f"{FILES[label]}.{at}", policy)
        self.policies[label] = found.pop(learns.games)
        self.moments[label] = found

    def command(self, label: str) -> str:
        learns = self.size.learners[label]
        against = f"docs/ledger/pricope2021/agents/{FILES[ONE]}.agent"
        settings = {name: against if value == ONE else value for name, value in learns.options.items()}
        chosen = "".join(f" --set {name}={str(value).lower()}" for name, value in settings.items())
        return f"smoothcall train {self.size.game} nfsp-freezeouts --iterations {learns.games:g}{chosen} --seed {SEED}"

    def _equilibrium(self) -> dict[int, Policy]:
        """By stack: what MCCFR learned of hands with such stacks."""
        found: dict[int, Policy] = {}
        rows = self.game.tree.rows
        for stack in range(1, self.stack + 1):
            of = Game(replace(self.rules, stack=stack), grid="/".join(map(str, self.game.buckets[1:])))
            named = game(self.game.name, **{**self.game.options, "stack": stack}) if stack > self.blind else of
            file = self._file(f"equilibrium/mccfr-{stack}")
            if self.long and stack == self.stack:
                found[stack] = load(BUILT_IN, named)
                continue
            if file is not None and file.exists() and stack > self.blind:
                found[stack] = load(file, named)
                continue
            walks = max(self.size.walks * named.tree.rows // rows, min(self.size.walks, 20_000))
            if self.long and stack % 10 == 0:
                self.tell(f"the equilibrium for stacks of {stack}: {walks:,} iterations")
            if not len(named.tree.decisions):
                continue  # all is in from the start
            learner = solver("mccfr", named, seed=SEED)
            learner.run(walks)
            found[stack] = learner.policy()
            if stack > self.blind:
                self._keep(f"equilibrium/mccfr-{stack}", found[stack])
        return found

    # What they play

    def play(self, one: str | BatchPolicy, other: str | BatchPolicy, *, games: int = 0, deals: int = 0) -> FreezeoutResult:
        """So many games, or without a number hands with full stacks: so many deals, in both seats."""
        pair = [self.batch_policies[each] if isinstance(each, str) else each for each in (one, other)]
        names = tuple(each if isinstance(each, str) else type(each).__name__ for each in (one, other))
        return play_freezeouts(
            self.rules,
            pair,
            names=(names[0], names[1]),
            freezeouts=games or 2 * (deals or self.size.hands),
            length=UNTIL_BROKE if games else 1,
            seed=SEED,
            abstraction=self.game.abstraction,
        )

    def figures_2_and_3(self) -> None:
        page = self.page
        page.heading("Two copies of an agent (Figs 2 and 3)")
        figure = new_figure()
        axes = figure.axes[0]
        rows = []
        for label in (GP, DP, RAW):
            differences = np.array(self.policies[label].card["differences"])
            games = GAMES * np.arange(1, len(differences) + 1)
            shown = max(1, len(differences) // 300)  # means of so many, as many points as the paper has
            cut = len(differences) // shown * shown
            axes.plot(games[:cut:shown], differences[:cut].reshape(-1, shown).mean(axis=1), label=label, linewidth=0.8)
            quarter = max(1, len(differences) // 4)
            policy = self.policies[label]
            rows.append(
                [
                    label,
                    f"{policy.card['iterations']:,}",
                    f"{policy.card['hands']:,}",
                    f"{differences[:quarter].mean():.0f}",
                    f"{differences[-quarter:].mean():.0f}",
                    f"{policy.card['hands'] / max(policy.card['seconds'], 1e-9):,.0f}",
                ]
            )
            page.data[f"differences {label}"] = differences.tolist()
        axes.set(xlabel="games", ylabel=f"|difference| in mbb/h, by {GAMES} games")
        axes.legend()
        page.picture("differences", png(figure), "How much more one of two copies won than the other, while they learned")
        page.table(["", "games", "hands", "mean of the first quarter", "of the last quarter", "hands a second"], rows)
        expected = self._chance_difference()
        page.text(
            "The paper reads a fall to 0 to 20 mbb/h as convergence to an equilibrium. Two copies of one and the same player "
            f"differ too: of {GAMES} games between {GP} and itself the mean |difference| is {expected:.0f} mbb/h, by chance "
            "alone. A difference below that says nothing, and one that stays at it says only that neither copy exploits the "
            "other."
        )

    def _chance_difference(self) -> float:
        """What chance alone makes of the difference of two equals, in mbb/h."""
        result = self.play(GP, GP, games=max(GAMES // 5, 50))
        hands = GAMES * result.hands / result.freezeouts
        return float(2 * np.sqrt(2 / np.pi) * result.deviation * np.sqrt(GAMES) / hands / self.blind * 1000)

    def inputs(self) -> None:
        """Few numbers and pictures, learned from alike."""
        page, size = self.page, self.size
        shown = [label for label in (PICTURE, SHORT) if label in self.policies]
        if len(shown) < 2:
            return
        self.tell("pictures and numbers")
        page.heading("Pictures and numbers")
        page.text(
            f"The same agent after {size.learners[SHORT].games:,} games, its networks shown the paper's pictures (four "
            f"convolutions, two poolings, a dense layer) or the {INPUTS} numbers with the same information. "
            f"mbb/h in {size.hands // 10:,} deals, in both seats."
        )
        rows = []
        for label in shown:
            policy = self.policies[label]
            against = [self.play(policy.batch_policy, other, deals=size.hands // 10).mbb(self.blind) for other in GENERIC]
            speed = policy.card["hands"] / max(policy.card["seconds"], 1e-9)
            rows.append([label, f"{speed:,.0f}", *map(self._said, against)])
        page.table(["", "hands a second while learning", *(f"against {other}" for other in GENERIC)], rows)

    def table_1(self) -> None:
        page, size = self.page, self.size
        self.tell("table 1")
        page.heading("Agent 3 against agent 2 (Table 1)")
        page.table(["published", "hours trained", "games", "average stack", "mbb/h"], [[*map(str, line)] for line in TABLE_1])
        rows, data = [], []
        for label in (GP, DP):
            every = {**self.moments[label], size.learners[label].games: self.policies[label]}
            for at, policy in every.items():
                for eta in (0.0, ETA):
                    batch_policy = replace(policy.batch_policy, eta=eta)  # type: ignore[type-var]
                    line: list[object] = [label, "average" if not eta else "greedy + average", f"{at:,}"]
                    line.append(f"{policy.card['seconds'] / 60:.0f}")
                    for games in (*size.short[:2], size.games):
                        result = self.play(batch_policy, TWO, games=games)
                        line += [self._stack(result), self._mbb(result)]
                        data.append({"agent": label, "eta": eta, "trained": at, **result.as_dict()})
                    rows.append(line)
        line = [EQUILIBRIUM, "", "", ""]
        for games in (*size.short[:2], size.games):
            result = self.play(EQUILIBRIUM, TWO, games=games)
            line += [self._stack(result), self._mbb(result)]
        rows.append(line)
        page.table(
            [
                "ours",
                "plays",
                "games trained",
                "minutes",
                *(f"{what}, {n:,} games" for n in (*size.short[:2], size.games) for what in ("average stack", "mbb/h")),
            ],
            rows,
        )
        page.data["table 1"] = data
        last = {label: self.play(label, TWO, games=size.games).mbb(self.blind) for label in (GP, DP)}
        apart = Estimate(last[GP].mean - last[DP].mean, float(np.hypot(last[GP].error, last[DP].error)), last[GP].count)
        page.check(
            "Agent 3 beats agent 2 (Table 1)",
            "GP 248 to 361, DP 193 to 319 mbb/h",
            ", ".join(f"{label} {self._said(each)}" for label, each in last.items()),
            passed=min(each.interval()[0] for each in last.values()) > 0 if self.long else None,
        )
        page.check(
            "Gradient play does better against agent 2 than discrete play (Table 1)",
            "361 against 234 mbb/h after 45 hours",
            f"GP less DP {self._said(apart)}, one training each",
            passed=apart.interval()[0] > 0 if self.long else None,
        )

    def figures_4_and_5(self) -> None:
        page, size = self.page, self.size
        self.tell("figures 4 and 5")
        page.heading("Against Random (Figs 4 and 5), and agent 3 against agent 1")
        rows, actions = [], []
        players = [*MAIN, EQUILIBRIUM, "HeuristicMC", "Call"]
        stacks = {}
        for label in players:
            short, long = (self.play(label, "Random", games=games) for games in (size.short[0], size.games))
            stacks[label] = short
            rows.append([label, self._stack(short), self._stack(long), f"{long.wins:.1%}", self._mbb(long)])
            actions.append([label, *(f"{share:.1%}" for share in short.actions[0])])
        heads = ["against Random", f"average stack, {size.short[0]} games", f"{size.games:,} games", "games won", "mbb/h"]
        page.table(heads, rows)
        page.table([f"moves in the {size.short[0]} games", "fold", "check or call", *self.game.actions[2:]], actions)
        figure = new_figure()
        place = np.arange(len(players))
        figure.axes[0].barh(
            place,
            [self.stack + stacks[label].gain.mean for label in players],
            xerr=[stacks[label].gain.half_width() for label in players],
        )
        figure.axes[0].set(yticks=place, xlabel="average stack after 250 games against Random")
        figure.axes[0].set_yticklabels(players)
        figure.axes[0].invert_yaxis()
        page.picture("against-random", png(figure), "Average stack against Random over 250 games, with 95 % intervals")
        page.check(
            "Average stack against Random over 250 games (Fig 4)",
            "GP almost 180",
            ", ".join(f"{label} {self._stack(stacks[label])}" for label in (GP, DP)),
            passed=stacks[GP].gain.interval()[1] > 75 if self.long else None,
        )
        raises = {label: sum(stacks[label].actions[0][2:]) for label in (GP, DP)}
        all_in = {label: stacks[label].actions[0][-1] for label in (GP, DP)}
        page.check(
            "GP is the more aggressive of the two (Fig 5)",
            "GP between calls and raises, DP mainly calls and rarely goes all-in",
            ", ".join(f"{label} raises in {raises[label]:.0%} of its moves, {all_in[label]:.0%} all-in" for label in raises),
            passed=raises[GP] > raises[DP] if self.long else None,
        )
        few, many = (self.play(GP, ONE, games=games) for games in (size.short[2], size.games))
        page.check(
            "Agent 3 GP against agent 1",
            "130 games: 88.46 % won, average stack 175",
            f"{few.freezeouts} games: {few.wins:.1%} won, average stack {self._stack(few)}; {many.freezeouts:,} games: "
            f"{many.wins:.1%}, {self._stack(many)}, {self._mbb(many)}",
            passed=many.gain.interval()[0] > 0 if self.long else None,
        )
        spread = self.play(GP, DP).deviation / self.blind * 1000
        page.text(
            "The human freezeout of the paper (10 games, 56 hands, 7-3 and 241.07 mbb/h for the agent) is a form on the page: "
            "`smoothcall play`, No-limit Texas hold'em, *a match of 10 games* against agent 3. It says the score and mbb/h "
            f"with an interval. A hand between {GP} and {DP} deviates by {spread:.0f} mbb: the interval of 56 hands reaches "
            f"{1.96 * spread / np.sqrt(56):.0f} mbb/h to each side, and 241 is no evidence of skill."
        )
        page.data["against random"] = {label: result.as_dict() for label, result in stacks.items()}

    def cross_table(self) -> None:
        page, size = self.page, self.size
        self.tell("everybody against everybody")
        page.heading("Everybody against everybody, hands with full stacks")
        found: dict[tuple[str, str], Estimate] = {}
        data = []
        for one, other in combinations(self.batch_policies, 2):
            result = self.play(one, other)
            found[one, other] = result.mbb(self.blind)
            found[other, one] = found[one, other].scaled(-1)
            data.append(result.as_dict())
        page.text(f"mbb/h of the row against the column, {size.hands:,} deals each, every deal in both seats.")
        rows = [[row, *(self._said(found.get((row, column))) for column in self.batch_policies)] for row in self.batch_policies]
        page.table(["", *self.batch_policies], rows)
        cells = tuple(tuple(found.get((row, column)) for column in self.batch_policies) for row in self.batch_policies)
        table = CrossTable(self.game.spec, tuple(self.batch_policies), tuple(self.batch_policies), cells, ())
        page.picture("cross-table", draw_table(table), f"mbb/h of the row against the column, {size.hands:,} deals each")
        page.data["hands"] = data
        deals = max(size.hands // 10, 2)
        looking = {other: self.play(self.looking, other, deals=deals).mbb(self.blind) for other in (*GENERIC, ONE)}
        said = ", ".join(f"{self._said(each)} against {other}" for other, each in looking.items())
        page.text(f"{ONE_NETWORK}, {deals:,} deals: {said}.")
        for label in (GP, DP):
            against = {other: found[label, other] for other in GENERIC}
            alone = replace(self.policies[label].batch_policy, eta=0.0)  # type: ignore[type-var]
            average = {other: self.play(alone, other).mbb(self.blind) for other in GENERIC}
            page.check(
                f"{label} beats Random, Call and HeuristicMC, {size.hands:,} duplicate hands",
                "(wins)",
                f"{self._each(against)} (the average policy alone: {self._each(average)})",
                passed=min(each.interval()[0] for each in against.values()) > 0 if self.long else None,
            )
        page.check(
            "Agent 2 beats agent 1",
            "learned to",
            f"{self._said(found[TWO, ONE])} mbb/h",
            passed=found[TWO, ONE].interval()[0] > 0 if self.long else None,
        )
        least, name = min(
            (found[EQUILIBRIUM, other].interval()[1], other) for other in self.batch_policies if other != EQUILIBRIUM
        )
        page.check(
            "The equilibrium agent loses to none of them",
            "(not in the paper)",
            f"least upper end {least:+.0f} mbb/h, against {name}",
            passed=least > 0 if self.long else None,
        )
        self._any_amount()

    def _any_amount(self) -> None:
        """Random as it is at a real table: its raises are of any size."""
        rows = []
        for label in (GP, DP):
            self.tell(f"{label} against Random with raises of any size")
            players: list[Player] = [PolicyPlayer(self.policies[label], random=Random(SEED)), MostlyCalls(Random(SEED + 1))]
            result = match(self.game, players, names=[label, "Random"], hands=2 * self.size.by_hand, seed=SEED, by_hand=True)
            rows.append([label, self._said(result.estimates[0])])
        self.page.text(
            f"In the table Random raises by an action of the menu. At a real table it raises by any amount; "
            f"{self.size.by_hand:,} deals, every deal in both seats, hand by hand:"
        )
        self.page.table(["against Random, any amount", "mbb/h"], rows)

    def exploitable(self) -> None:
        page, size = self.page, self.size
        page.heading("How exploitable are they?")
        page.text(
            "The paper could not say. Hands with full stacks against the frozen agent, in mbb/h: lower bounds of what a best "
            f"response wins. A local best response ({size.deals:,} deals in both seats) and UCT ({size.episodes:,} episodes a "
            "seat) play the agent as a table, what it does on average with the hands of a bucket; deep Q-learning "
            f"(`nfsp-freezeouts` with eta=1, {size.response:,} hands) plays the agent itself. Folding every hand loses 750."
        )
        rows, data = [], {}
        options = {name: value for name, value in size.learners[DP].options.items() if name not in ("rho", "against")}
        policies: dict[str, Policy] = {**self.policies, EQUILIBRIUM: self.full}
        for label in size.exploited:
            self.tell(f"responses to {label}")
            policy = policies[label]
            local = local_best_response(policy, deals=size.deals, seed=SEED)
            learned = learned_response(policy, episodes=size.episodes, hands=2 * size.hands, seed=SEED)
            with filed(policy) as path:
                learner = solver(
                    "nfsp-freezeouts", self.game, seed=SEED, **options | {"against": str(path), "length": 1, "eta": 1.0}
                )
            assert isinstance(learner, FreezeoutNFSP)
            learner.run(size.response)
            deep = self.play(learner.batch_policy(eta=1.0), label).mbb(self.blind)
            rows.append([label, *(self._said(each) for each in (local.total, learned.total, deep))])
            data[label] = {"local": local.as_dict(), "learned": learned.as_dict(), "deep": deep.as_dict()}
        page.table(["agent", "local best response", "UCT", "deep Q-learning"], rows)
        page.data["responses"] = data

    def commands(self) -> None:
        page, size = self.page, self.size
        page.heading("How the agents were made")
        page.table(
            ["agent", "command", "hands", "seconds"],
            [
                [label, f"`{self.command(label)}`", f"{policy.card['hands']:,}", f"{policy.card['seconds']:,.0f}"]
                for label, policy in self.policies.items()
                if label in size.learners
            ],
        )
        page.text(
            f"Agent 1 and its models are made by this page, from {size.known:,} decisions (seed {SEED}). Eta, rho, memories, "
            "batches of 256 every 64 moves and the target network of 1,000 updates are the paper's; learning rates (Adam, "
            "0.001), networks and exploration, of which it says nothing or nothing that can be repeated, are the defaults of "
            f"`nfsp-freezeouts`. Networks see {INPUTS} numbers with the information of the paper's 17 x 17 x 9 picture; "
            f"{PICTURE}, sees the picture. Where all is in before the river, rewards are means over 32 run-outs of the board. "
            f"{EQUILIBRIUM} is the agent `no-limit-holdem-mccfr` that comes with the package (`smoothcall train "
            f"no-limit-holdem mccfr --iterations 3e+07 --seed 1`); for other stacks `stack=...` and {size.walks:,} "
            "iterations, fewer in proportion to their trees. `smoothcall reproduce` reads agents that lie in this folder's "
            "`agents` and trains the others; those of the equilibrium are too large to be kept in the repository."
        )

    # In words

    def _each(self, found: Mapping[str, Estimate]) -> str:
        return ", ".join(f"{other} {self._said(each)}" for other, each in found.items())

    def _stack(self, result: FreezeoutResult) -> str:
        return f"{self.stack + result.gain.mean:.1f} ± {result.gain.half_width():.1f}"

    def _mbb(self, result: FreezeoutResult) -> str:
        return self._said(result.mbb(self.blind)) + " mbb/h"

    @staticmethod
    def _said(estimate: Estimate | None) -> str:
        return "x" if estimate is None else estimate.rounded
