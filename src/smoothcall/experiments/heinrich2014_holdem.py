"""heinrich2014, its half on Texas hold'em: limit games of two and three players, learned through a grid of E[HS^2].

The opponents of the document cannot be had, except for two that it describes: Always-Raise and Probe. So its agents are
trained again and play each other, an agent learned by MCCFR, and the simple players; and they are measured by what it had
no means for, local best responses and learned ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smoothcall.agents.files import load
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.rule_players import SIMPLE
from smoothcall.agents.view import Player
from smoothcall.errors import UsageError
from smoothcall.evaluation.learned_response import learned_response
from smoothcall.evaluation.local_best_response import local_best_response
from smoothcall.evaluation.match import match
from smoothcall.experiments.cross_table import CrossTable, cross_table, draw_table
from smoothcall.experiments.ledger import Page
from smoothcall.information.named_games import game
from smoothcall.kernels.solvers.uct import FEW
from smoothcall.kernels.tables import DECISION
from smoothcall.policy import Policy
from smoothcall.solvers import solver
from smoothcall.store.runs import GREEDY, Run

TITLE = "heinrich2014: Self-Play Monte-Carlo Tree Search in Computer Poker (limit Texas hold'em)"
SEED = 1


@dataclass(frozen=True, slots=True)
class Agent:
    """One of the document's agents, or the one beside them. A label of the document, a game, a solver with its options."""

    label: str
    game: str
    solver: str
    options: dict[str, Any]
    published: str = ""  # its winnings in the document's table

    @property
    def file(self) -> str:
        return self.label.lower().replace(", ", "-").replace(" ", "-").replace("=", "")

    def command(self, iterations: int) -> str:
        settings = "".join(f" --set {name}={value}" for name, value in self.options.items())
        return f"smoothcall train {self.game} {self.solver} --iterations {iterations:g} --seed {SEED}{settings}"


def _agent(label: str, played: str, k: float, published: str = "") -> Agent:
    smooth = label.startswith("Smooth")
    options = ({"mixing": "greatest"} if smooth else {}) | {"explore": "pot", "k": k, "folds": "exact"}
    return Agent(label, played, "smooth-uct" if smooth else "uct", options, published)


TWO = (
    _agent("UCT S, k=1", "limit-holdem:grid=S", 1, "72 ± 21, -47 ± 20"),
    _agent("UCT S, k=0.5", "limit-holdem:grid=S", 0.5, "54 ± 21, 26 ± 21"),
    _agent("Smooth UCT S, k=1", "limit-holdem:grid=S", 1, "51 ± 20, 7 ± 21"),
    _agent("Smooth UCT S, k=0.5", "limit-holdem:grid=S", 0.5, "56 ± 20, -41 ± 20"),
    _agent("UCT L, k=0.5", "limit-holdem:grid=L", 0.5, "60 ± 20, -17 ± 21"),
    _agent("Smooth UCT L, k=0.5", "limit-holdem:grid=L", 0.5, "18 ± 19, 32 ± 21"),
)
THREE = (
    _agent("UCT 3p", "limit-holdem-3p", 0.5, "760 ± 77"),
    _agent("Smooth UCT 3p", "limit-holdem-3p", 0.5, "910 ± 78"),
)
SMOOTH = TWO[3]
MCCFR = Agent("MCCFR S", "limit-holdem:grid=S", "mccfr", {})
RAISER, PROBE = "always-raise", "probe"
BEST = ("AA", "KK", "QQ", "AKs")
FORMS = {"greedy": "greedy", "average": "average policies"}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    two: tuple[Agent, ...]
    episodes: int  # of each two-player agent
    three: int  # episodes of each three-player agent, at least; 0: none
    walks: int  # iterations of MCCFR
    hands: int  # of each pair
    deals: int  # of the local best responses
    response: int  # episodes a seat of the learned ones
    worth: int  # episodes of the comparison of folds known and tried
    keep: bool = False  # whether agents are trained as runs and kept


FULL = Size(TWO, 1_000_000_000, 200_000_000, 10_000_000, 1_000_000, 4_000, 10_000_000, 50_000_000, keep=True)
QUICK = Size((TWO[1], TWO[3]), 10_000_000, 10_000_000, 100_000, 100_000, 300, 500_000, 1_000_000)


def run(*, quick: bool, out: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    name = "heinrich2014-holdem-quick" if quick else "heinrich2014-holdem"
    page = Page(name, TITLE, "smoothcall reproduce heinrich2014-holdem" + (" --quick" if quick else ""))
    report(page, QUICK if quick else FULL, out, tell)
    return page.write(out)


def report(page: Page, size: Size, out: Path, tell: Callable[[str], None]) -> None:
    """Everything the page says, at this size."""
    agents = out / page.name / "agents" if size.keep else None
    _sizes(page)
    found = {agent.label: _trained(agent, size.episodes, agents, tell) for agent in size.two}
    found[MCCFR.label] = _trained(MCCFR, size.walks, agents, tell)
    forms = {label: _forms(*pair) for label, pair in found.items()}
    _two_players(page, size, forms, tell)
    _bounds(page, size, forms, tell)
    del found, forms
    _worth(page, size, tell)
    if size.three:
        _three_players(page, size, agents, tell)
    _commands(page, size)


def _sizes(page: Page) -> None:
    page.heading("The abstractions (Table 1)")
    rows = []
    for label, played in (("2p S", "limit-holdem:grid=S"), ("2p L", "limit-holdem:grid=L"), ("3p", "limit-holdem-3p")):
        made = game(played)
        nodes, _, states = made.size
        rows.append([label, *made.buckets, f"{nodes:,}", f"{states:,}"])
    page.table(["", "preflop", "flop", "turn", "river", "nodes of the action tree", "information states"], rows)
    page.text(
        "E[HS^2] is exact, over all run-outs and opponents' hands, and divided by an even grid over [0, 1]. Players forget "
        "the buckets of earlier streets."
    )


def _trained(agent: Agent, iterations: int, folder: Path | None, tell: Callable[[str], None]) -> tuple[Policy, Policy]:
    """(average policy, greedy policy) of an agent: read where it lies trained in the folder, else learned."""
    if folder is None:
        tell(f"training {agent.label}")
        learner = solver(agent.solver, game(agent.game), seed=SEED, **agent.options)
        learner.run(iterations)
        return learner.policy(), learner.current_policy() if agent is not MCCFR else learner.policy().greedy()
    average, greedy = folder / f"{agent.file}.agent", folder / f"{agent.file}-greedy.agent"
    if not (average.exists() and (greedy.exists() or agent is MCCFR)):
        tell(f"training {agent.label}: {agent.command(iterations)}")
        at = Path("runs") / "heinrich2014" / agent.file
        made = (
            Run.open(at)
            if at.exists()
            else Run.create(at, agent.game, agent.solver, seed=SEED, options=agent.options, iterations=iterations)
        )
        made.train()
        folder.mkdir(parents=True, exist_ok=True)
        load(made.agent).save(average)
        if agent is not MCCFR:
            load(made.folder / GREEDY).save(greedy)
    policy = load(average)
    _verify(agent, policy, iterations)
    return policy, load(greedy, policy.game) if agent is not MCCFR else policy.greedy()


def _verify(agent: Agent, policy: Policy, iterations: int) -> None:
    """An agent that lies there must be the one that would be trained."""
    about = policy.card.get("solver", {})
    options = {name: about.get("options", {}).get(name) for name in agent.options}
    if (about.get("name"), about.get("seed"), options) != (agent.solver, SEED, agent.options):
        raise UsageError(f"the agent {agent.file!r} in the ledger was not made by: {agent.command(iterations)}")
    if policy.card.get("iterations", 0) < iterations:
        raise UsageError(f"the agent {agent.file!r} in the ledger has {policy.card.get('iterations')} iterations")


Forms = dict[str, Policy]  # by their names in FORMS


def _forms(average: Policy, greedy: Policy) -> Forms:
    return {"greedy": greedy, "average": average}


def _two_players(page: Page, size: Size, found: dict[str, Forms], tell: Callable[[str], None]) -> None:
    page.heading("Two players: everybody against everybody (Table 2)")
    page.text(
        f"{size.hands:,} hands a pair, every deal in both seatings, in mbb/h with 95 % intervals. The document played Sparbot "
        "and FellOmen2, which cannot be had; its figures (68 % intervals) stand beside. It froze its agents to the action of "
        f"the highest value, as the first table does. Ours were trained for {size.episodes:,} episodes, the document's for "
        "about 7,000,000,000. The document's agents learn what a fold costs by folding; ours know it (`folds=exact`, what that "
        "is worth: below)."
    )
    page.table(["", "published: Sparbot, FellOmen2"], [[agent.label, agent.published] for agent in size.two])
    for name, how in FORMS.items():
        tell(f"everybody against everybody, {how}")
        players: dict[str, Player] = {label: PolicyPlayer(forms[name]) for label, forms in found.items()}
        made = next(iter(found.values()))[name].game
        table = cross_table(made, players | _simple(), hands=size.hands, seed=SEED)
        page.picture(f"table-2-{name}", draw_table(table), f"Everybody against everybody, {how}: mbb/h of the row")
        page.data[f"table 2, {how}"] = table.as_dict()
        _sane(page, table, size, [agent.label for agent in size.two], how)
    shares = {label: {name: _best_folded(policy) for name, policy in forms.items()} for label, forms in found.items()}
    _folds(page, shares, judged=_long(size))


Folds = dict[str, dict[str, dict[str, float]]]  # by agent, form and class of hands


def _folds(page: Page, found: Folds, *, judged: bool, who: str = "") -> None:
    """A check for each form that no agent folds aces, and the figures of all of them."""
    for name, how in FORMS.items():
        most, label = max((forms[name]["AA"], label) for label, forms in found.items())
        page.check(
            f"AA is never folded before the flop ({who}{how})",
            "(sanity)",
            f"at most {most:.2%} of the time, whatever the others do ({label})",
            passed=most == 0 if judged else None,
        )
    page.text("How often hands are folded before the flop, at most, if the others choose their moves to that end:")
    rows = [
        [label, name, *(f"{share:.2%}" for share in shares.values())]
        for label, forms in found.items()
        for name, shares in forms.items()
    ]
    page.table(["agent", "", *BEST], rows)
    page.data[f"{who}folded before the flop"] = found


def folded(policy: Policy, hand: str) -> float:
    """How often a class of hands is folded before the flop, at most, if the others choose their moves to that end."""
    tree, abstraction = policy.game.tree, policy.game.abstraction
    assert abstraction is not None
    bucket = abstraction.classes.index(hand)

    def worst(node: int, seat: int) -> float:
        if tree.kind[node] != DECISION or tree.round[node] > 0:
            return 0.0
        children = tree.children(node)
        below = {
            letter: 1.0 if letter == "f" and tree.player[node] == seat else worst(child, seat)
            for letter, child in children.items()
        }
        if tree.player[node] != seat:
            return max(below.values())
        probabilities = policy.weights[int(tree.first_row[node]) + bucket] / policy.scale
        return sum(float(probabilities[tree.slot[child]]) * below[letter] for letter, child in children.items())

    return max(worst(0, seat) for seat in range(tree.players))


def _best_folded(policy: Policy) -> dict[str, float]:
    return {hand: folded(policy, hand) for hand in BEST}


def _long(size: Size) -> bool:
    """Whether agents are trained long enough to be judged."""
    return size.episodes >= 100_000_000


def _simple() -> dict[str, Player]:
    return {name: made() for name, made in SIMPLE.items()}


def _sane(page: Page, table: CrossTable, size: Size, labels: list[str], how: str) -> None:
    against = [column for column in table.columns if column in SIMPLE]
    worst, name = min(
        (cell.interval()[0], f"{label} against {column}")
        for label in labels
        for column in against
        if (cell := table.cells[table.rows.index(label)][table.columns.index(column)]) is not None
    )
    page.check(
        f"Every agent beats the simple players ({how})",
        "(sanity)",
        f"least lower end {worst:+.0f} mbb/h, {name}",
        passed=worst > 0 if _long(size) else None,
    )


def _bounds(page: Page, size: Size, found: dict[str, Forms], tell: Callable[[str], None]) -> None:
    page.heading("How exploitable are they?")
    page.text(
        "The document could not say. Two lower bounds of what a best response wins, in mbb/h with 95 % intervals: a local best "
        f"response ({size.deals:,} deals in both seats), which tracks the agent's range exactly and then looks one move ahead, "
        f"and UCT trained against the frozen agent for {size.response:,} episodes a seat in the same abstraction. Folding "
        "every hand loses 750."
    )
    rows, data = [], {}
    for label, forms in found.items():
        for how, policy in forms.items():
            tell(f"best responses to {label}, {how}")
            local = local_best_response(policy, deals=size.deals, seed=SEED)
            learned = learned_response(policy, episodes=size.response, hands=size.hands, seed=SEED)
            rows.append([label, how, local.total.rounded, learned.total.rounded])
            data[f"{label}, {how}"] = {"local": local.as_dict(), "learned": learned.as_dict()}
    page.table(["agent", "", "local best response wins at least", "learned response wins at least"], rows)
    page.data["best responses"] = data


def _worth(page: Page, size: Size, tell: Callable[[str], None]) -> None:
    page.heading("What it is worth to know what a fold costs")
    page.text(
        "Who folds loses what he has paid. In the document a fold is tried like any other action, until its value is learned, "
        "and each try stays in the average. With `folds=exact` its value is there from the start, and every visit of a state "
        f"counts as one of its fold. {SMOOTH.label}, seed {SEED}, {size.worth:,} episodes each way, in mbb/h with 95 % "
        "intervals:"
    )
    learned: dict[str, Forms] = {}
    for folds in ("exact", "sampled"):
        tell(f"{SMOOTH.label}, folds {folds}")
        learner = solver(SMOOTH.solver, game(SMOOTH.game), seed=SEED, **SMOOTH.options | {"folds": folds})
        learner.run(size.worth)
        learned[folds] = _forms(learner.policy(), learner.current_policy())
    rows: dict[str, list[str]] = {folds: [] for folds in learned}
    data: dict[str, Any] = {}
    for how in FORMS:
        players: list[Player] = [PolicyPlayer(forms[how]) for forms in learned.values()]
        result = match(learned["exact"][how].game, players, names=list(learned), hands=size.hands, seed=SEED)
        for folds, won in zip(learned, result.estimates, strict=True):
            rows[folds].append(won.rounded)
        data[f"match, {how}"] = result.as_dict()
    for folds, forms in learned.items():
        local, shares = local_best_response(forms["average"], deals=size.deals, seed=SEED), _best_folded(forms["average"])
        rows[folds] += [local.total.rounded, f"{shares['AA']:.2%}"]
        data[folds] = {"local": local.as_dict(), "folded": shares}
    against = [f"wins against the other, {how}" for how in FORMS]
    page.table(
        ["folds", *against, "a local best response to its average wins at least", "its average folds AA, at most"],
        [[folds, *row] for folds, row in rows.items()],
    )
    page.data["folds known and tried"] = data


def _three_players(page: Page, size: Size, folder: Path | None, tell: Callable[[str], None]) -> None:
    page.heading("Three players (Table 3)")
    page.text(
        f"Against Always-Raise and Probe, every deal in all six seatings. Trained for {size.three:,} episodes (the document: "
        "about 12,000,000,000). The document lets states with fewer than 10,000 visits play their average policy only; ours "
        "has too few episodes for that, most states would never get there, and selects by bounds from the start. Against such "
        "opponents hands go where self-play seldom went; there, where some action was never tried, the greedy policies call, "
        f"and no policy folds at states with fewer than {FEW} visits. The document does not say what its agents do there. "
        "The first rule was made after these very matches were lost without it, so the figures show what it is worth against "
        "these two and are no test against opponents nobody had in batch policy; the second so that one lost hand does not fold aces."
    )
    rows, data, shares = [], {}, Folds()
    for agent, form, policy in _three(size, folder, tell):
        label = f"{agent.label}, {form}"
        shares.setdefault(agent.label, {})[form] = _best_folded(policy)
        for hands in (30_000, max(30_000, size.hands)):
            players: list[Player] = [PolicyPlayer(policy), *(SIMPLE[name]() for name in (RAISER, PROBE))]
            result = match(policy.game, players, names=[label, RAISER, PROBE], hands=hands, seed=SEED)
            won = result.estimates[0]
            low, high = won.interval(0.68)
            trained = f"{policy.card.get('iterations', size.three):,}"
            rows.append([label, trained, f"{hands:,}", f"{won.mean:+.0f} ± {(high - low) / 2:.0f}", agent.published])
            data[f"{label}, {hands} hands"] = result.as_dict()
        if form == "greedy":
            page.check(
                f"{agent.label} (greedy) beats Always-Raise and Probe by more than 500 mbb/h",
                agent.published,
                f"{won.mean:.0f} ± {won.half_width():.0f} (95 %)",
                passed=won.interval()[0] > 500 if size.three >= 100_000_000 else None,
            )
    page.table(["agent", "episodes", "hands", "mbb/h (68 %)", "published, greedy (68 %)"], rows)
    page.data["table 3"] = data
    _folds(page, shares, judged=size.three >= 100_000_000, who="three players, ")


def _three(size: Size, folder: Path | None, tell: Callable[[str], None]) -> Iterator[tuple[Agent, str, Policy]]:
    """The three-player agents one after the other: each needs gigabytes while it is trained."""
    for agent in THREE:
        average, greedy = _trained(agent, size.three, folder, tell)
        for form, policy in _forms(average, greedy).items():
            yield agent, form, policy


def _commands(page: Page, size: Size) -> None:
    page.heading("How the agents were made")
    agents = [(agent, size.episodes) for agent in size.two] + [(MCCFR, size.walks)]
    agents += [(agent, size.three) for agent in THREE] if size.three else []
    page.table(["agent", "command"], [[agent.label, f"`{agent.command(count)}`"] for agent, count in agents])
    if size.keep:
        page.text(
            "The two-player agents lie in this folder's `agents`; `smoothcall reproduce` reads those that are there and trains "
            "the others. Of those for three players only the greedy ones are in the repository: the others are too large."
        )
