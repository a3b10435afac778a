"""The one object behind the command line, the page and the tests: everything a user can ask for, as data."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smoothcall import files
from smoothcall.errors import UsageError, unknown
from smoothcall.evaluation.exploitability import evaluate
from smoothcall.experiments import EXPERIMENTS, reproduce
from smoothcall.games.catalog import CATALOG
from smoothcall.information.named_games import game, options_of
from smoothcall.options import Option
from smoothcall.policy import Policy, load
from smoothcall.solvers import SOLVERS
from smoothcall.store.runs import Progress, Run, free_folder, read_config, read_metrics

if TYPE_CHECKING:  # needs the packages of the extra `web`
    from smoothcall.play.service import PlayService

Watch = Callable[[Progress], None]
_NAMES = str.maketrans({":": "-", ",": "-", "=": "", "/": "-"})  # of folders, from those of games
Stop = Callable[[], bool]


def data_folder() -> Path:
    """Where hands that people played are kept: $SMOOTHCALL_DATA, else smoothcall in the user's data folder."""
    named = os.environ.get("SMOOTHCALL_DATA")
    return Path(named) if named else Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "smoothcall"


class App:
    """Answers are plain dictionaries that JSON can hold; wrong input raises UsageError before anything is written."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path()  # where runs and ledgers go unless said otherwise

    def games(self) -> list[dict[str, Any]]:
        answer = []
        for name, entry in CATALOG.items():
            made = game(name)
            nodes, deals, states = made.size
            answer.append(
                {
                    "name": name,
                    "summary": entry.summary,
                    "players": made.players,
                    "nodes": nodes,
                    "deals": deals,
                    "information_states": states,
                    "options": _describe(options_of(name)),
                }
            )
        return answer

    def solvers(self) -> list[dict[str, Any]]:
        return [
            {
                "name": name,
                "summary": registered.summary,
                "threads": registered.load().THREADS,
                "options": _describe(registered.load().OPTIONS),
            }
            for name, registered in SOLVERS.items()
        ]

    def train(
        self,
        game_spec: str,
        solver_name: str,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        threads: int = 1,
        options: Mapping[str, object] | None = None,
        keep: bool = False,
        tensorboard: bool = False,
        out: Path | None = None,
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> dict[str, Any]:
        stem = f"{game(game_spec).spec}-{solver_name}".translate(_NAMES)
        run = Run.create(
            out or free_folder(self.folder / "runs", stem),
            game_spec,
            solver_name,
            seed=seed,
            threads=threads,
            options=options,
            iterations=iterations,
            seconds=seconds,
            keep=keep,
            tensorboard=tensorboard,
        )
        run.train(watch=watch, stop=stop)
        return _report(run)

    def resume(
        self, folder: Path, *, iterations: int | None = None, watch: Watch | None = None, stop: Stop | None = None
    ) -> dict[str, Any]:
        run = Run.open(folder)
        run.train(iterations=iterations, watch=watch, stop=stop)
        return _report(run)

    def agent(self, path: Path, of: str | None = None) -> Policy:
        """An agent by its file, or by the folder of the run that made it; of a certain game where one is named.

        A `.json` file is a strategy of player 1 in the form of macmanus2019. `:threshold=0.05` behind either leaves out what is
        less likely than that.
        """
        from smoothcall.evaluation.match import apart

        path, share = apart(str(path))
        policy = self._read(path, of)
        return policy if share is None else policy.thresholded(share)

    def _read(self, path: Path, of: str | None) -> Policy:
        if path.suffix == ".json" and path.is_file():
            from smoothcall.interop.macmanus2019 import read_strategy

            return read_strategy(path, game(of or "leduc:suits=apart"))
        if path.is_dir():
            read_config(path)
            if not (path / "agent.agent").exists():
                raise UsageError(f"run {str(path)!r} has no agent yet (finish it with `smoothcall resume`)")
            path = path / "agent.agent"
        return load(path, game(of) if of else None)

    def evaluate(
        self,
        path: Path,
        *,
        of: str | None = None,
        greedy: bool = False,
        deals: int = 5_000,
        episodes: int = 20_000_000,
        exact: bool = False,
        slots: str | None = None,
        seed: int = 0,
        watch: Callable[[float], None] | None = None,
        stop: Stop | None = None,
    ) -> dict[str, Any]:
        """How good an agent is: exactly, or in games whose deals are drawn by lower bounds of what a best response wins.

        Those play `deals` deals (local best response, two players) and learn for `episodes` a seat (learned response).
        With `exact`, an exact best response there, which may be restricted to some action `slots` (`f,c,x4`).
        """
        from smoothcall.evaluation.equilibria import dominated_error, equilibrium_distance

        policy = self.agent(path, of)
        if slots is not None and not exact:
            raise UsageError("slots are those of an exact best response (accepted: with --exact)")
        if exact and policy.game.sampled:
            return _exact(policy, greedy, slots, watch or (lambda fraction: None), stop)
        policy = policy.greedy() if greedy else policy
        if policy.game.sampled:
            return _bounds(policy, greedy, deals, episodes, seed, watch or (lambda fraction: None), stop)
        found = evaluate(policy.game, policy)
        answer: dict[str, Any] = {
            "game": policy.game.spec,
            "greedy": greedy,
            "nash_conv": found.nash_conv,
            "exploitability": found.exploitability,
            "epsilon": found.epsilon,
            "values": found.values,
            "best_response_values": found.best_response_values,
            "epsilons": found.epsilons,
            "card": policy.card,
        }
        try:
            distance = equilibrium_distance(policy.game, policy)
        except UsageError:  # no equilibria are known in closed form
            return answer
        finite = distance.kullback_leibler if distance.kullback_leibler < float("inf") else None
        answer["equilibrium"] = {"squared_error": distance.squared_error, "kullback_leibler": finite}
        answer["dominated_error"] = dominated_error(policy.game, policy)
        return answer

    def show(self, path: Path, key: str | None = None, *, of: str | None = None) -> dict[str, Any]:
        policy = self.agent(path, of)
        made = policy.game
        rows = made.rows(key) if key is not None else range(made.buckets[0] if made.sampled else made.tree.rows)
        return {"game": made.spec, "actions": list(made.actions), "states": [_state(policy, row) for row in rows]}

    def match(
        self,
        players: Sequence[str],
        *,
        hands: int | None = None,
        freezeouts: int | None = None,
        rollouts: int | None = None,
        seed: int = 0,
        of: str | None = None,
        picture: Path | None = None,
        watch: Callable[[float], None] | None = None,
        stop: Stop | None = None,
    ) -> dict[str, Any]:
        """Play a match: `players` are names of simple players, agent files or folders of runs, `:greedy` or
        `:threshold=0.05` behind them.

        With a picture, everybody against everybody, two by two. With `freezeouts`, so many games of ten hands instead;
        there equities are exact, or estimated from so many `rollouts`.
        """
        from smoothcall.evaluation.freezeout_match import play_freezeout_match
        from smoothcall.evaluation.match import play_match
        from smoothcall.experiments.cross_table import play_cross_table

        if freezeouts is not None:
            if hands is not None or picture is not None:
                raise UsageError("give a number of hands or a table, or a number of freezeouts, not both")
            return play_freezeout_match(
                players, freezeouts, load=self.agent, of=of, seed=seed, rollouts=rollouts or 0, watch=watch, stop=stop
            )
        if rollouts is not None:
            raise UsageError(
                f"rollouts={rollouts}: positions are estimated in freezeouts only (accepted: with a number of freezeouts)"
            )
        if picture is not None:
            return play_cross_table(players, picture, load=self.agent, of=of, hands=hands, seed=seed, watch=watch, stop=stop)
        return play_match(players, load=self.agent, of=of, hands=hands, seed=seed, watch=watch, stop=stop)

    def plot(self, folders: Sequence[Path], out: Path, *, x: str = "iterations") -> dict[str, Any]:
        from smoothcall.store.curves import AXES, draw_curves

        if x not in AXES:
            raise unknown("axis", x, AXES)
        if not out.parent.is_dir():
            raise UsageError(f"cannot write {str(out)!r}: there is no folder {str(out.parent)!r}")
        configs = [read_config(folder) for folder in folders]
        labels = [f"{config['game']['name']} {config['solver']['name']}" for config in configs]
        if len(set(labels)) < len(labels):
            labels = [f"{label} ({folder.name})" for label, folder in zip(labels, folders, strict=True)]
        curves = [(label, read_metrics(folder)) for label, folder in zip(labels, folders, strict=True)]
        for folder, (_, metrics) in zip(folders, curves, strict=True):
            if not metrics:
                raise UsageError(f"run {str(folder)!r} has no evaluations yet (go on with it: resume)")
        files.write(out, draw_curves(curves, x))
        return {"picture": str(out), "runs": [str(folder) for folder in folders]}

    def experiments(self) -> list[dict[str, Any]]:
        return [{"name": name, "summary": summary} for name, summary in EXPERIMENTS.items()]

    def reproduce(
        self, name: str, *, quick: bool = False, out: Path | None = None, tell: Callable[[str], None] | None = None
    ) -> dict[str, Any]:
        return reproduce(name, quick=quick, out=out or self.folder / "docs" / "ledger", tell=tell or (lambda line: None))

    def play_service(self, database: str | None = None, agents: Path | None = None) -> PlayService:
        """Tables for people to play at, their hands in a database (a file in `data_folder` unless a URL is given).

        Opponents are the built-in agents and those found in a folder: the runs, unless another is named.
        """
        from smoothcall.play.opponents import Agents
        from smoothcall.play.service import PlayService
        from smoothcall.store.histories import Histories

        if agents is not None and not agents.is_dir():
            raise UsageError(f"there is no folder of agents {str(agents)!r}")
        runs = self.folder / "runs"
        agents = runs if agents is None and runs.is_dir() else agents
        url = database or f"sqlite:///{data_folder() / 'hands.sqlite'}"
        return PlayService(Histories(url), Agents(agents))

    def bench(
        self,
        names: Sequence[str] = (),
        *,
        repeats: int = 5,
        peers: bool = False,
        tell: Callable[[str], None] | None = None,
    ) -> dict[str, Any]:
        """Peers are measured right after the figure they are compared with."""
        from smoothcall.experiments.peers import compare, missing
        from smoothcall.experiments.speed import measure

        tell = tell or (lambda line: None)
        for line in missing(names) if peers else ():
            tell(line)
        figures = []
        for figure in measure(names, repeats=repeats, tell=tell):
            found = compare(figure, repeats=repeats, tell=tell) if peers else {}
            figures.append({**figure.as_dict(), "peers": found})
        return {"figures": figures}


def _bounds(
    policy: Policy, greedy: bool, deals: int, episodes: int, seed: int, watch: Callable[[float], None], stop: Stop | None
) -> dict[str, Any]:
    from smoothcall.evaluation.learned_response import learned_response
    from smoothcall.evaluation.local_best_response import local_best_response

    answer: dict[str, Any] = {"game": policy.game.spec, "greedy": greedy, "lines": [], "card": policy.card}
    pair = policy.game.players == 2
    if pair:
        local = local_best_response(policy, deals=deals, seed=seed, watch=lambda done: watch(done / 2), stop=stop)
        answer |= {"local_best_response": local.as_dict(), "lines": [str(local)]}
    rest = 0.5 if pair else 1.0
    learned = learned_response(
        policy, episodes=episodes, hands=200_000, seed=seed, watch=lambda done: watch(1 - rest + rest * done), stop=stop
    )
    done = learned.done and (not pair or local.done)
    return {**answer, "learned_response": learned.as_dict(), "lines": [*answer["lines"], str(learned)], "done": done}


def _exact(
    policy: Policy, greedy: bool, slots: str | None, watch: Callable[[float], None], stop: Stop | None
) -> dict[str, Any]:
    from smoothcall.evaluation.exact_response import exact_response

    chosen = None if slots is None else slots.split(",")
    found = exact_response(policy, slots=chosen, greedy=greedy, watch=watch, stop=stop)
    answer = {"game": policy.game.spec, "greedy": greedy, "lines": [str(found)], "card": policy.card, "done": found.done}
    return {**answer, "exact_response": found.as_dict()}


def _state(policy: Policy, row: int) -> dict[str, Any]:
    """An information state: probabilities by letter, and the letter of each of the game's action slots that it has."""
    made, node = policy.game, policy.game.node_of(row)
    children = made.tree.children(node)
    return {
        "player": int(made.tree.player[node]),
        "key": made.key(row),
        "probabilities": policy.at(row),
        "letters": {made.actions[made.tree.slot[child]]: letter for letter, child in children.items()},
    }


def _describe(options: Mapping[str, Option]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "default": str(option.default).lower() if option.type is bool or option.default is None else str(option.default),
            "accepted": option.accepted,
            "help": option.help,
        }
        for name, option in options.items()
    ]


def _report(run: Run) -> dict[str, Any]:
    """What a run came to."""
    metric = run.evaluation()
    return {
        "folder": str(run.folder),
        "agent": str(run.agent),
        "curve": None if run.curve is None else str(run.curve),
        "game": run.game.spec,
        "solver": run.solver.name,
        "done": run.done,
        "iterations": metric.iterations,
        "seconds": run.seconds,
        "nodes": metric.nodes,
        "nash_conv": metric.nash_conv,
        "exploitability": metric.exploitability,
        "values": metric.values,
        "epsilons": metric.epsilons,
        "freezeouts": metric.freezeouts,
        "note": run.solver.THREADS if run.solver.threads > 1 else "",
    }
