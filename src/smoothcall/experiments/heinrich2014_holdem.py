"""heinrich2014, limit Texas hold'em: games of two and three players in an abstraction by a grid of E[HS^2].

The opponents of the document are not available, except for two that it describes: Always-Raise and Probe. So its agents are
trained again and play each other, an agent trained by MCCFR, and the scripted players. Local and learned best responses, which
the document does not have, measure how exploitable they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.files import load
from smoothcall.agents.folders import GREEDY_FILE
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.scripted import Rule
from smoothcall.agents.view import Player
from smoothcall.errors import UsageError
from smoothcall.evaluation.local_best_response import local_best_response
from smoothcall.evaluation.match import match
from smoothcall.experiments.agents import AgentFolder, Tell, lower_bounds
from smoothcall.experiments.cross_table import CrossTable, cross_table, draw_table
from smoothcall.experiments.ledger import Page
from smoothcall.information.named_games import game
from smoothcall.kernels.solvers.uct import MIN_FOLD_VISITS
from smoothcall.kernels.tables import DECISION
from smoothcall.policy import Policy
from smoothcall.solvers import solver
from smoothcall.store.runs import Run

TITLE = "heinrich2014: Self-Play Monte-Carlo Tree Search in Computer Poker (limit Texas hold'em)"
SEED = 1


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent of the document, or the MCCFR agent that is compared with them."""

    label: str
    game: str
    solver: str
    options: dict[str, Any]
    published: str = ""  # winnings in the document's table

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
    """Sizes of trainings, matches and responses."""

    two: tuple[Agent, ...]
    episodes: int  # of each two-player agent
    three: int  # episodes of each three-player agent, at least; 0: none
    walks: int  # iterations of MCCFR
    hands: int  # of each pair
    deals: int  # of a local best response
    response: int  # episodes a seat of a learned response
    fold_values: int  # episodes of the comparison of exact and sampled fold values
    keep: bool = False  # whether agents are trained as runs and kept in the ledger


FULL = Size(TWO, 1_000_000_000, 200_000_000, 10_000_000, 1_000_000, 4_000, 10_000_000, 50_000_000, keep=True)
QUICK = Size((TWO[1], TWO[3]), 10_000_000, 10_000_000, 100_000, 100_000, 300, 500_000, 1_000_000)


def report(page: Page, size: Size, folder: Path, tell: Tell) -> None:
    """Add all sections to the page."""
    agents = AgentFolder(folder / "agents" if size.keep else None)
    _sizes(page)
    found = {agent.label: trained(agent, size.episodes, agents, tell) for agent in size.two}
    found[MCCFR.label] = trained(MCCFR, size.walks, agents, tell)
    forms = {label: _forms(*pair) for label, pair in found.items()}
    _two_players(page, size, forms, tell)
    _bounds(page, size, forms, tell)
    del found, forms
    _fold_values(page, size, tell)
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
        "E[HS^2] is exact, over all run-outs and opponents' hands, and divided by an even grid over [0, 1]. A bucket does not "
        "contain those of earlier streets (imperfect recall)."
    )


def trained(agent: Agent, iterations: int, folder: AgentFolder, tell: Tell) -> tuple[Policy, Policy]:
    """Return the average and the greedy policy of an agent: read from the folder, else trained.

    A run that is kept is saved under `runs/`, so that it can be interrupted.
    """
    if folder.path is None:
        tell(f"training {agent.label}")
        learner = solver(agent.solver, game(agent.game), seed=SEED, **agent.options)
        learner.run(iterations)
        return learner.policy(), learner.current_policy() if agent is not MCCFR else learner.policy().greedy()
    if not (folder.has(agent.file) and (agent is MCCFR or folder.has(f"{agent.file}-greedy"))):
        tell(f"training {agent.label}: {agent.command(iterations)}")
        _train_run(agent, iterations, folder)
    card = {"solver": {"name": agent.solver, "seed": SEED, "options": agent.options}}
    average = folder.find(agent.file, None, card, agent.command(iterations))
    assert average is not None
    if average.card.get("iterations", 0) < iterations:
        found = f"{average.card.get('iterations')} iterations, not {iterations}"
        raise UsageError(f"the agent {agent.file!r} in the ledger has {found}")
    if agent is MCCFR:
        return average, average.greedy()
    greedy = folder.find(f"{agent.file}-greedy", average.game, {}, agent.command(iterations))
    assert greedy is not None
    return average, greedy


def _train_run(agent: Agent, iterations: int, folder: AgentFolder) -> None:
    at = Path("runs") / "heinrich2014" / agent.file
    if at.exists():
        run = Run.open(at)
    else:
        run = Run.create(at, agent.game, agent.solver, seed=SEED, options=agent.options, iterations=iterations)
    run.train()
    folder.save(agent.file, load(run.agent))
    if agent is not MCCFR:
        folder.save(f"{agent.file}-greedy", load(run.folder / GREEDY_FILE))


Forms = dict[str, Policy]  # by their names in FORMS


def _forms(average: Policy, greedy: Policy) -> Forms:
    return {"greedy": greedy, "average": average}


def _two_players(page: Page, size: Size, found: dict[str, Forms], tell: Tell) -> None:
    page.heading("Two players: cross table (Table 2)")
    page.text(
        f"{size.hands:,} hands a pair, every deal in both seatings, in mbb/h with 95 % intervals. The document's opponents "
        "were Sparbot and FellOmen2, which are not available; its figures have 68 % intervals. Its agents were frozen to the "
        f"action of highest value, as in the first table. Ours were trained for {size.episodes:,} episodes, the document's for "
        "about 7,000,000,000. The document's agents learn the value of a fold by folding; ours use the exact fold value "
        "(`folds=exact`; the effect is measured below)."
    )
    page.table(["", "published: Sparbot, FellOmen2"], [[agent.label, agent.published] for agent in size.two])
    for name, how in FORMS.items():
        tell(f"cross table, {how}")
        players: dict[str, Player] = {label: PolicyPlayer(forms[name]) for label, forms in found.items()}
        made = next(iter(found.values()))[name].game
        table = cross_table(made, players | _simple(), hands=size.hands, seed=SEED)
        page.picture(f"table-2-{name}", draw_table(table), f"Cross table, {how}: mbb/h of the row")
        page.data[f"table 2, {how}"] = table.as_dict()
        _sane(page, table, size, [agent.label for agent in size.two], how)
    shares = {label: {name: _best_folded(policy) for name, policy in forms.items()} for label, forms in found.items()}
    _folds(page, shares, judged=_long(size))


Folds = dict[str, dict[str, dict[str, float]]]  # by agent, form and class of hands


def _folds(page: Page, found: Folds, *, judged: bool, who: str = "") -> None:
    """Add a check for each form that no agent folds aces, and a table of how often each folds its best hands."""
    for name, how in FORMS.items():
        most, label = max((forms[name]["AA"], label) for label, forms in found.items())
        page.check(
            f"AA is never folded before the flop ({who}{how})",
            "(sanity)",
            f"at most {most:.2%} of the time, against any play of the others ({label})",
            passed=most == 0 if judged else None,
        )
    page.text("Largest probability of folding a hand before the flop, over all ways the others may play:")
    rows = [
        [label, name, *(f"{share:.2%}" for share in shares.values())]
        for label, forms in found.items()
        for name, shares in forms.items()
    ]
    page.table(["agent", "", *BEST], rows)
    page.data[f"{who}folded before the flop"] = found


def folded(policy: Policy, hand: str) -> float:
    """Return the largest probability of folding a class of hands before the flop, over all ways the others may play."""
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
    """Whether agents are trained long enough for a verdict."""
    return size.episodes >= 100_000_000


def _simple() -> dict[str, Player]:
    return {str(rule): BatchPlayer(rule) for rule in Rule}


def _sane(page: Page, table: CrossTable, size: Size, labels: list[str], how: str) -> None:
    against = [column for column in table.columns if column in set(Rule)]
    worst, name = min(
        (cell.interval()[0], f"{label} against {column}")
        for label in labels
        for column in against
        if (cell := table.cells[table.rows.index(label)][table.columns.index(column)]) is not None
    )
    page.check(
        f"Every agent beats the scripted players ({how})",
        "(sanity)",
        f"least lower end {worst:+.0f} mbb/h, {name}",
        passed=worst > 0 if _long(size) else None,
    )


def _bounds(page: Page, size: Size, found: dict[str, Forms], tell: Tell) -> None:
    page.heading("How exploitable are they?")
    page.text(
        "The document has no figure for this. Two lower bounds of what a best response wins, in mbb/h with 95 % intervals: a "
        f"local best response ({size.deals:,} deals in both seats), which tracks the agent's range exactly and looks one "
        f"action ahead, and UCT trained against the frozen agent for {size.response:,} episodes a seat in the same "
        "abstraction. Folding every hand loses 750."
    )
    rows, data = [], {}
    for label, forms in found.items():
        for how, policy in forms.items():
            tell(f"best responses to {label}, {how}")
            bounds = lower_bounds(policy, deals=size.deals, episodes=size.response, hands=size.hands, seed=SEED)
            rows.append([label, how, *bounds.cells])
            data[f"{label}, {how}"] = bounds.as_dict()
    page.table(["agent", "", "local best response wins at least", "learned response wins at least"], rows)
    page.data["best responses"] = data


def _fold_values(page: Page, size: Size, tell: Tell) -> None:
    page.heading("Exact and sampled fold values")
    page.text(
        "A fold loses the chips already paid. In the document its value is learned by sampling, like that of any other action, "
        "and each sampled fold stays in the average policy. With `folds=exact` the value is set from the start, and every "
        f"visit of a state counts as a visit of its fold. {SMOOTH.label}, seed {SEED}, {size.fold_values:,} episodes each, in "
        "mbb/h with 95 % intervals:"
    )
    learned: dict[str, Forms] = {}
    for folds in ("exact", "sampled"):
        tell(f"{SMOOTH.label}, folds {folds}")
        learner = solver(SMOOTH.solver, game(SMOOTH.game), seed=SEED, **SMOOTH.options | {"folds": folds})
        learner.run(size.fold_values)
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
    page.data["folds exact and sampled"] = data


def _three_players(page: Page, size: Size, folder: AgentFolder, tell: Tell) -> None:
    page.heading("Three players (Table 3)")
    page.text(
        f"Against Always-Raise and Probe, every deal in all six seatings. Trained for {size.three:,} episodes (the document: "
        "about 12,000,000,000). In the document, states with fewer than 10,000 visits follow the average policy only. Ours "
        "have too few episodes for that, since most states would never reach 10,000 visits, and select by upper confidence "
        "bounds from the start. Against these opponents hands reach states that self-play rarely visited. At states where some "
        "action was never sampled the greedy policies call, and no policy folds at states with fewer than "
        f"{MIN_FOLD_VISITS} visits. The document does not say what its agents do there. The first rule was added after these "
        "matches were lost without it, so the figures measure its effect against these two players and say nothing about "
        "other opponents; the second prevents that one lost hand makes an agent fold aces."
    )
    rows, data, shares = [], {}, Folds()
    for agent, form, policy in _three(size, folder, tell):
        label = f"{agent.label}, {form}"
        shares.setdefault(agent.label, {})[form] = _best_folded(policy)
        for hands in (30_000, max(30_000, size.hands)):
            players: list[Player] = [PolicyPlayer(policy), *(BatchPlayer(Rule(name)) for name in (RAISER, PROBE))]
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


def _three(size: Size, folder: AgentFolder, tell: Tell) -> Iterator[tuple[Agent, str, Policy]]:
    """Yield the three-player agents one by one: training one takes gigabytes."""
    for agent in THREE:
        average, greedy = trained(agent, size.three, folder, tell)
        for form, policy in _forms(average, greedy).items():
            yield agent, form, policy


def _commands(page: Page, size: Size) -> None:
    page.heading("How the agents were made")
    agents = [(agent, size.episodes) for agent in size.two] + [(MCCFR, size.walks)]
    agents += [(agent, size.three) for agent in THREE] if size.three else []
    page.table(["agent", "command"], [[agent.label, f"`{agent.command(count)}`"] for agent, count in agents])
    if size.keep:
        page.text(
            "The two-player agents are in this folder's `agents`; `smoothcall reproduce` reads those that it finds and trains "
            "the others. Of the three-player agents only the greedy ones are in the repository: the others are too large."
        )
