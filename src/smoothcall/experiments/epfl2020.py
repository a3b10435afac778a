"""epfl2020, Poker Agent: four learners and the scripted players they learned against, no-limit hold'em with 32 cards.

What the paper could not say is added: how exploitable the agents are, and how an equilibrium of the same game fares among them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from smoothcall.agents.batch_policy import Table
from smoothcall.agents.files import load
from smoothcall.agents.fixed import Strategy
from smoothcall.agents.scripted import FINAL_POOL, Scripted
from smoothcall.agents.stack_policies import Tabled
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.evaluation.exact_response import exact_response
from smoothcall.evaluation.freezeouts import FreezeoutResult, play_freezeouts
from smoothcall.evaluation.learned_response import filed, learned_response
from smoothcall.evaluation.local_best_response import local_best_response
from smoothcall.evaluation.policy_match import deals_of, mbb, sample
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.cross_table import CrossTable, draw_table
from smoothcall.experiments.curves import spaced
from smoothcall.experiments.ledger import Page
from smoothcall.games.cards import SHORT, STANDARD
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.equity import category_frequencies
from smoothcall.holdem.equity_table import simulation_error
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.learners.freezeout_learner import FreezeoutLearner
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.stack_trees import stack_trees
from smoothcall.solvers import solver
from smoothcall.store.curves import new_figure, png

TITLE = "epfl2020: Poker Agent, a Reinforcement Learning Approach (no-limit hold'em, 32 cards)"
SEED = 1

LEARNERS = {"MC": "monte-carlo", "DQC": "deep-q-continuous", "DQD": "deep-q-discrete", "CDQN": "clipped-double-dqn"}
LONGER = {"DQC": 2, "DQD": 2}  # times as many hands as the others
SCRIPTED = dict(zip(("AD", "MD", "BAD", "BMD"), FINAL_POOL, strict=True))
SIMPLE = ("random", "call", "check-fold", "raise")
EXACT = ("MC", "CDQN")  # whose exploitability is worked out where few raises are listed
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
    """How much is done."""

    game: str
    hands: int  # each learner learns
    walks: int  # iterations of MCCFR for the largest stack; smaller ones have trees smaller by half for every bet
    grid: str  # of the equilibrium
    freezeouts: int
    deals: int  # of the local best responses
    episodes: int  # a seat, of the responses by UCT
    response: int  # hands of those by deep Q-learning
    matched: int  # hands of the matches that measure responses
    exact: str  # the game in which exact best responses are found; none where it is empty
    spots: int  # where equities are simulated
    options: dict[str, Any]
    keep: bool


FULL = Size(
    game="no-limit-holdem-32",
    hands=10_000_000,
    walks=1_000_000,
    grid="20/20/20",
    freezeouts=20_000,
    deals=1_000,
    episodes=3_000_000,
    response=2_000_000,
    matched=400_000,
    exact="no-limit-holdem-32:menu=x3,grid=20/20/20",
    spots=3_000,
    options={},
    keep=True,
)
QUICK = Size(
    game="no-limit-holdem-32:stack=3000,menu=x1+x2",
    hands=40_000,
    walks=3_000,
    grid="10/10/10",
    freezeouts=400,
    deals=20,
    episodes=20_000,
    response=20_000,
    matched=4_000,
    exact="",
    spots=100,
    options={"freezeouts": 256, "mirror": 20_000.0, "renew": 10_000.0, "fade": 10_000.0},
    keep=False,
)


def run(*, quick: bool, out: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    name, size = ("epfl2020-quick", QUICK) if quick else ("epfl2020", FULL)
    page = Page(name, TITLE, "smoothcall reproduce epfl2020" + (" --quick" if quick else ""))
    made = game(size.game)
    assert isinstance(made.rules, PokerRules)
    agents = out / name / "agents" if size.keep else None
    _frequencies(page)
    _equities(page, size, tell)
    learned = {label: trained(label, made, size, agents, tell) for label in LEARNERS}
    _curves(page, learned)
    policies = equilibrium(made, size, agents, tell)
    table = Table.of(made.rules)
    batch_policies: dict[str, BatchPolicy] = {label: policy.batch_policy for label, policy in learned.items()}
    batch_policies |= {EQUILIBRIUM: Tabled(stack_trees(made.rules), policies)}
    batch_policies |= {label: Scripted(rule, table) for label, rule in SCRIPTED.items()}
    results = _tables(page, made.rules, batch_policies, size, tell)
    _claims(page, made.rules, batch_policies, results, size, tell)
    _habits(page, made, results)
    _exploitable(page, {**learned, EQUILIBRIUM: policies[made.rules.stack or 0]}, size, tell)
    _commands(page, size)
    return page.write(out)


def _frequencies(page: Page) -> None:
    page.heading("What hands are made of (Fig 1)")
    decks = {deck.size: category_frequencies(deck) for deck in (STANDARD, SHORT)}
    rows = [
        [category, f"{published} %", *(f"{float(found[category]):.4%}" for found in decks.values())]
        for category, published in zip(reversed(list(decks[52])), FIGURE_1, strict=True)
    ]
    page.table(["seven cards make", "published (52 cards)", "52 cards", "32 cards"], rows)
    page.text(
        "Exact. The paper prints the frequencies of 52 cards, and orders its look-ups by them; with its own 32 cards high "
        "cards are rarer than four of a kind, and straights more frequent than pairs."
    )
    nearest = max(
        abs(float(decks[52][category]) * 100 - published) / published
        for category, published in zip(reversed(list(decks[52])), FIGURE_1, strict=True)
    )
    page.check(
        "Frequencies of hands, 52 cards (Fig 1)", "to 2 or 3 digits", f"within {nearest:.1%} of each", passed=nearest < 0.01
    )


def _equities(page: Page, size: Size, tell: Callable[[str], None]) -> None:
    tell("equities, exact and simulated")
    page.heading("Equity: exact, and by 100 simulated games (section 3.1)")
    rows = []
    for street, name in enumerate(("before the flop", "flop", "turn", "river")):
        found = simulation_error(SHORT, street, spots=size.spots, seed=SEED)
        rows.append([name, f"{found.deviation:.3f}", f"{found.error:.3f}", f"{found.bias:+.4f}", f"{found.apart:.3f}"])
    page.table(
        ["", "deviation of repeated estimates", "mean distance from the exact one", "bias", "deviation between spots"], rows
    )
    page.text(
        "The paper says 0.05 before the flop to 0.2 after the river. A share of 100 games cannot deviate by more than "
        "sqrt(p (1 - p) / 100), 0.05 at the most; 0.2 and more is how equities differ from spot to spot. Here equities are "
        "exact everywhere: with 32 cards all of them fit in a table that is made in two seconds."
    )


def trained(label: str, made: Game, size: Size, folder: Path | None, tell: Callable[[str], None]) -> TabulatedPolicy:
    """An agent: read where it lies trained in the folder, else learned, its learning curve in its card."""
    file, hands = None if folder is None else folder / f"{LEARNERS[label]}.agent", _hands(label, size)
    if file is not None and file.exists():
        found = load(file, made)
        about = found.card.get("solver", {})
        if not isinstance(found, TabulatedPolicy) or (about.get("name"), about.get("seed")) != (LEARNERS[label], SEED):
            raise UsageError(f"the agent {file.name!r} in the ledger was not made by: {_command(label, size)}")
        if found.card.get("iterations") != hands:
            raise UsageError(f"the agent {file.name!r} in the ledger has {found.card.get('iterations')} hands, not {hands}")
        return found
    tell(f"training {label}: {_command(label, size)}")
    learner = solver(LEARNERS[label], made, seed=SEED, **size.options)
    assert isinstance(learner, FreezeoutLearner)
    before, curve = learner.earned.copy(), []
    for point in spaced(max(1, hands // 200), hands, 40):
        learner.run(point - learner.iterations)
        won, ended = learner.earned - before
        if ended:
            curve.append([point, won / ended])
            before = learner.earned.copy()
    policy = learner.policy()
    assert isinstance(policy, TabulatedPolicy)
    policy.card |= {"curve": curve}
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        policy.save(file)
    return policy


def _hands(label: str, size: Size) -> int:
    return size.hands * LONGER.get(label, 1)


def _command(label: str, size: Size) -> str:
    settings = "".join(f" --set {name}={value}" for name, value in size.options.items())
    return f"smoothcall train {size.game} {LEARNERS[label]} --iterations {_hands(label, size):g} --seed {SEED}{settings}"


def equilibrium(made: Game, size: Size, folder: Path | None, tell: Callable[[str], None]) -> dict[int, Policy]:
    """By stack: what MCCFR learned of hands with such stacks."""
    assert isinstance(made.rules, PokerRules)
    full, unit = made.rules.stack or 0, stack_trees(made.rules).unit
    found = {}
    for stack in range(2 * unit, full + unit, unit):
        file = None if folder is None else folder / "equilibrium" / f"mccfr-{stack}.agent"
        of = game(made.name, **{**made.options, "stack": stack, "grid": size.grid})
        if file is not None and file.exists():
            found[stack] = load(file, of)
            continue
        walks = min(size.walks, max(2 * size.walks // 2 ** ((full - stack) // (4 * unit)), size.walks // 4))
        tell(f"training the equilibrium for stacks of {stack:,}: {_walk_command(of, walks)}")
        learner = solver("mccfr", of, seed=SEED)
        learner.run(walks)
        found[stack] = learner.policy()
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            found[stack].save(file)
    return found


def _walk_command(of: Game, walks: int) -> str:
    return f"smoothcall train {of.spec} mccfr --iterations {walks:g} --seed {SEED}"


def _curves(page: Page, learned: dict[str, TabulatedPolicy]) -> None:
    page.heading("Learning")
    figure = new_figure()
    axes = figure.axes[0]
    for label, policy in learned.items():
        hands, gain = np.array(policy.card["curve"]).T
        axes.plot(hands, gain, label=label)
    options = next(iter(learned.values())).card["solver"]["options"]
    axes.axvline(options["mirror"], color="grey", linestyle=":", linewidth=1)
    axes.set(xscale="log", xlabel="hands", ylabel="chips a freezeout of ten hands, exploration included")
    axes.legend()
    page.picture("learning", png(figure), "What the learners won while they learned; mirror training begins at the dotted line")
    page.text(
        "First against the scripted players of both pools, drawn anew for each freezeout; from the dotted line on, "
        f"{options['share']:.0%} of the freezeouts against a frozen copy that is renewed every {options['renew']:,.0f} hands, "
        "from which nobody can win much: the curves fall there."
    )


def _tables(
    page: Page, rules: PokerRules, batch_policies: dict[str, BatchPolicy], size: Size, tell: Callable[[str], None]
) -> dict[tuple[str, str], FreezeoutResult]:
    page.heading("Everybody against everybody (Figs 5 and 6)")
    page.text(
        "Games of ten hands from 10,000 chips, chips kept from hand to hand. Mean gain of the row / standard deviation of a "
        f"game, in chips, and share of games won (even ones count half). {EQUILIBRIUM} is what MCCFR learned of the same game, "
        "one policy for each stack that may be left."
    )
    page.table(["published: gain", *COLUMNS], [[label, *line.split()] for label, line in GAINS.items()])
    page.table(["published: won", *COLUMNS], [[label, *line.split()] for label, line in WINS.items()])
    found: dict[tuple[str, str], FreezeoutResult] = {}
    for freezeouts in (40, size.freezeouts):
        for one, other in combinations(batch_policies, 2):
            pair = [batch_policies[one], batch_policies[other]]
            found[one, other] = play_freezeouts(rules, pair, names=(one, other), freezeouts=freezeouts, seed=SEED)
        tell(f"everybody against everybody, {freezeouts:,} games")
        rows = [label for label in batch_policies if label not in SCRIPTED]
        page.text(f"Ours, {freezeouts:,} games, every deal in both places:")
        page.table(
            ["gain", *batch_policies], [[row, *(_gain(found, row, column) for column in batch_policies)] for row in rows]
        )
        page.table(["won", *batch_policies], [[row, *(_won(found, row, column) for column in batch_policies)] for row in rows])
        page.data[f"{freezeouts} games"] = [result.as_dict() for result in found.values()]
    cells = tuple(tuple(_estimate(found, row, column) for column in batch_policies) for row in batch_policies)
    table = CrossTable(rules.name, tuple(batch_policies), tuple(batch_policies), cells, (), unit="chips a game of ten hands")
    page.picture(
        "cross-table", draw_table(table), f"Chips a game of the row against the column, {size.freezeouts:,} games each"
    )
    return found


def _estimate(found: dict[tuple[str, str], FreezeoutResult], row: str, column: str) -> Estimate | None:
    if (row, column) in found:
        return found[row, column].gain
    if (column, row) in found:
        gain = found[column, row].gain
        return Estimate(-gain.mean, gain.error, gain.count)
    return None


def _gain(found: dict[tuple[str, str], FreezeoutResult], row: str, column: str) -> str:
    gain = _estimate(found, row, column)
    result = found.get((row, column)) or found.get((column, row))
    return "x" if gain is None or result is None else f"{gain.rounded} / {result.deviation:.0f}"


def _won(found: dict[tuple[str, str], FreezeoutResult], row: str, column: str) -> str:
    if (row, column) in found:
        return f"{found[row, column].wins:.3f}"
    return f"{1 - found[column, row].wins:.3f}" if (column, row) in found else "x"


def _claims(
    page: Page,
    rules: PokerRules,
    batch_policies: dict[str, BatchPolicy],
    results: dict[tuple[str, str], FreezeoutResult],
    size: Size,
    tell: Callable[[str], None],
) -> None:
    tell("the simple opponents")
    table, rows, worst = Table.of(rules), [], (np.inf, "")
    agents = [*LEARNERS, EQUILIBRIUM]
    for label in agents:
        line: list[object] = [label]
        for rule in SIMPLE:
            pair = [batch_policies[label], Scripted(rule, table)]
            won = play_freezeouts(rules, pair, names=(label, rule), freezeouts=size.freezeouts, seed=SEED + 1).gain
            line.append(won.rounded)
            if label in LEARNERS:
                worst = min(worst, (won.interval()[0], f"{label} against {rule}"))
        rows.append(line)
    page.heading("Against the simplest")
    page.table(["chips a game", *SIMPLE], rows)
    long = size.keep
    page.check(
        "Every trained agent beats Random, Call, CheckFold and Raise",
        "(sanity)",
        f"least lower end {worst[0]:+.0f} chips a game, {worst[1]}",
        passed=worst[0] > 0 if long else None,
    )
    against = [_estimate(results, "CDQN", dummy) for dummy in SCRIPTED]
    mean = float(np.mean([each.mean for each in against if each is not None]))
    error = float(np.sqrt(sum(each.error**2 for each in against if each is not None))) / len(against)
    page.check(
        "CDQN, after mirror training, against the mean of the four final scripted players",
        "-690.6",
        f"{mean:+.0f} ± {1.96 * error:.0f} chips a game",
        passed=mean > 0 if long else None,
    )
    least, name = min(
        (
            (found.interval()[1], label)
            for label in batch_policies
            if (found := _estimate(results, EQUILIBRIUM, label)) is not None
        ),
        key=lambda pair: pair[0],
    )
    page.check(
        "The equilibrium agent loses to none of them",
        "(not in the paper)",
        f"least upper end {least:+.0f} chips a game, against {name}",
        passed=least > 0 if long else None,
    )
    positive = [
        label
        for label in LEARNERS
        if all((_estimate(results, label, other) or _NONE).mean > 0 for other in batch_policies if other != label)
    ]
    page.check(
        "No learner has a positive gain against everybody",
        "none has",
        f"{', '.join(positive) or 'none'} of ours has",
        passed=not positive if long else None,
    )


_NONE = Estimate(np.inf, 0.0, 0)


def _habits(page: Page, made: Game, results: dict[tuple[str, str], FreezeoutResult]) -> None:
    page.heading("How they play (section 8.1)")
    total: dict[str, Any] = {}
    for (one, other), result in results.items():
        for label, share in zip((one, other), result.actions, strict=True):
            total.setdefault(label, []).append(share)
    names = ["fold", "check or call", *(f"raise by {item[1:]}" for item in made.actions[2:])]
    shares = {label: np.mean(each, axis=0) for label, each in total.items()}
    page.table(["share of moves", *names], [[label, *(f"{part:.1%}" for part in share)] for label, share in shares.items()])
    raises, calls = shares["MC"][2:].sum(), shares["MC"][1]
    page.text(
        f"The paper saw its Monte-Carlo agent rarely call, fold or raise instead, and bet big. Ours checks or calls in "
        f"{calls:.0%} of its moves, folds in {shares['MC'][0]:.0%} and raises in {raises:.0%}, "
        f"{shares['MC'][4:].sum() / max(raises, 1e-9):.0%} of the raises being by three bets or more."
    )
    page.data["actions"] = {label: share.tolist() for label, share in shares.items()}


def _exploitable(page: Page, policies: dict[str, Policy], size: Size, tell: Callable[[str], None]) -> None:
    page.heading("How exploitable are they?")
    page.text(
        "The paper could not say. Hands with full stacks against the frozen agent, in mbb/h (thousandths of 500 chips a hand) "
        f"with 95 % intervals: lower bounds of what a best response wins. A local best response ({size.deals:,} deals in both "
        f"seats); UCT, {size.episodes:,} episodes a seat; clipped double DQN, {size.response:,} hands. Folding every hand "
        "loses 1000."
    )
    rows, data = [], {}
    for label, policy in policies.items():
        tell(f"responses to {label}")
        local = local_best_response(policy, deals=size.deals, seed=SEED)
        learned = learned_response(policy, episodes=size.episodes, hands=size.matched, seed=SEED)
        deep = deep_response(policy, size)
        rows.append([label, *(one.rounded for one in (local.total, learned.total, deep))])
        data[label] = {"local": local.as_dict(), "learned": learned.as_dict(), "deep": deep.as_dict()}
    page.table(["agent", "local best response", "UCT", "clipped double DQN"], rows)
    page.data["responses"] = data
    if size.exact:
        _exact(page, policies, size, tell)


def _exact(page: Page, policies: dict[str, Policy], size: Size, tell: Callable[[str], None]) -> None:
    """Best responses over every deal, where few enough raises are listed."""
    small = game(size.exact)
    assert isinstance(small.rules, PokerRules)
    nodes = small.size[0]
    page.text(
        f"Exact, where the only raise is by three bets (`{small.spec}`: {nodes:,} nodes of the action tree): what a best "
        "response wins that sees its own cards and the whole board, over every deal; some minutes each, so of two agents "
        f"and the equilibrium. The agents are the same; {EQUILIBRIUM} is learned anew: `{_walk_command(small, size.walks)}`."
    )
    learner = solver("mccfr", small, seed=SEED)
    learner.run(size.walks)
    found: dict[str, Policy] = {}
    for label in EXACT:
        batch_policy: Any = policies[label].batch_policy  # type: ignore[attr-defined]
        found[label] = TabulatedPolicy(small, replace(batch_policy, table=Table.of(small.rules)))
    found[EQUILIBRIUM] = learner.policy()
    rows, data = [], {}
    for label in found:
        tell(f"exact best response to {label}")
        response = exact_response(found[label])
        rows.append([label, *(f"{value:+.1f}" for value in (response.total or 0.0, *(response.seats or ())))])
        data[label] = response.as_dict()
    page.table(["agent", "a best response wins, mbb/h", "as seat 0", "as seat 1"], rows)
    page.data["exact"] = data


def deep_response(policy: Policy, size: Size) -> Estimate:
    """What clipped double DQN wins of a frozen agent after learning against it, in mbb/h."""
    options = {name: value for name, value in size.options.items() if name in ("freezeouts", "fade")}
    with filed(policy) as path:
        learner = solver("clipped-double-dqn", policy.game, seed=SEED, against=str(path), length=1, mirror=1e15, **options)
    learner.run(size.response)
    tally = sample(policy.game, [Strategy(learner.policy()), Strategy(policy)], deals_of(policy.game, size.matched), seed=SEED)
    return tally.estimates(mbb(policy.game))[0]


def _commands(page: Page, size: Size) -> None:
    page.heading("How the agents were made")
    page.table(["agent", "command"], [[label, f"`{_command(label, size)}`"] for label in LEARNERS])
    page.text(
        f"{EQUILIBRIUM}: `{_walk_command(game(size.game, grid=size.grid), size.walks)}` for full stacks, and with "
        "stack=... and fewer for smaller ones, whose trees are smaller. `smoothcall reproduce` reads agents that lie in this "
        "folder's `agents` and trains the others; those of the equilibrium are too large to be kept in the repository."
    )
