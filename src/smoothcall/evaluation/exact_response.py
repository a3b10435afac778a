"""The exact value of a best response to an agent of two-player hold'em: real cards, every hand, on every flop or on a sample.

The agent sees cards through its buckets. The responder sees its own cards and the board and has perfect recall, so with every
action allowed its value is the agent's exact **exploitability**. The responder may be restricted to some action slots while
the agent keeps all of its own; the value of such a response is a **lower bound** of what a best response wins.

A computation over all flops takes hours of processor time. A **sample** draws flops in proportion to how often they come and
estimates a lower bound that is near (`flop_sample`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise, product, takewhile
from math import comb
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.evaluation.flop_sample import estimate, textures
from smoothcall.evaluation.flop_store import FlopStore
from smoothcall.evaluation.flop_sum import FlopSum
from smoothcall.evaluation.local_best_response import preflop_scores
from smoothcall.evaluation.policy_match import Stop, mbb
from smoothcall.folders import cache_folder
from smoothcall.games.matrix import MatrixGame
from smoothcall.information.game import Game
from smoothcall.kernels.holdem.boards import SHIFT, list_classes
from smoothcall.kernels.tables import Array
from smoothcall.options import number
from smoothcall.policy import Policy
from smoothcall.search.policy_response import PolicyResponse
from smoothcall.tasks import HERE, Job, Result, Runner

SEATS = 2
LARGEST = "largest"  # names the largest legal raise, whatever its slot
THREADS = 2
SLOTS, CONTROL = "slots", "control"  # options that name actions
CHECK_DOWN = {"values": "check-down"}

Watch = Callable[[float, str], None]  # is told the fraction done, and how long the rest will take


@dataclass(frozen=True, slots=True)
class ExactResponse:
    """The responder's winnings in mbb/h; None where too few flops were walked before a stop."""

    game: str
    seats: tuple[float, float] | None  # by the responder's seat
    total: float | None  # the mean of both seats
    half_width: float | None  # of the 95 % interval of a sample; 0 over all flops
    upper: float | None  # of a sample: the winnings of choices made and valued on the same flops, which are too high on average
    slots: tuple[str, ...]  # actions of the responder
    every_slot: bool  # no action is left out: the total is the agent's exploitability
    nodes: int  # of the betting, summed over both seats of the responder
    flops: int  # drawn; all of them, each with its images, where nothing is sampled
    walked: int  # flops, one of each class under permutations of suits
    boards: int  # of five cards
    sampled: bool
    greedy: bool  # the agent took its most likely actions
    control: tuple[str, ...] = ()  # actions of the response walked on all flops whose values are control variates
    done: bool = True  # False where it was stopped

    def __str__(self) -> str:
        if self.seats is None or self.total is None:
            return f"stopped after {self.walked:,} flops: the exact response has no value yet"
        seats = ", ".join(f"{found:+.3f} in seat {seat}" for seat, found in enumerate(self.seats))
        name = "best response" if self.every_slot else f"best response with {', '.join(self.slots)}"
        bound = "exact" if self.every_slot else "exact, a lower bound of what a best response with every action wins"
        if self.sampled:
            about = f"{self.flops:,} flops drawn, {self.walked:,} of them different"
            about += f", all with {', '.join(self.control)}" if self.control else ""
            same = f"{self.upper:+.1f} where choices are valued on the flops they are made on"
            bound = f"95 % interval ± {self.half_width:.1f}; {same}"
        else:
            about = f"{self.walked:,} flops, {self.boards:,} boards"
        return f"{name} wins {self.total:+.3f} mbb/h ({seats}; {about}): {bound}"

    def as_dict(self) -> dict[str, Any]:
        about = {"game": self.game, "slots": list(self.slots), "nodes": self.nodes, "flops": self.flops, "walked": self.walked}
        about |= {"boards": self.boards, "greedy": self.greedy, "done": self.done}
        about |= {"sampled": self.sampled, "lower_bound": not self.every_slot or self.sampled}
        about |= {"control": list(self.control)} if self.control else {}
        seats = None if self.seats is None else list(self.seats)
        return {**about, "mbb": self.total, "half_width": self.half_width, "upper": self.upper, "seats_mbb": seats}


def exact_response(
    policy: Policy,
    *,
    slots: str | Sequence[str] | None = None,
    greedy: bool = False,
    flops: int | None = None,
    control: str | Sequence[str] | None = None,
    seed: int = 0,
    threads: int = THREADS,
    double: bool = False,
    store: Path | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> ExactResponse:
    """Return the value of a best response to a policy of two-player hold'em, among strategies that use these action slots.

    `slots` are names of the game's actions (`f`, `c` and the raises of its menu) or `largest`, the largest legal raise;
    None allows every action, a text is split at commas. `greedy` evaluates the policy's most likely actions. `flops`: draw so
    many instead of walking all. `control`: a response that keeps to these actions after the first street is walked on all flops
    too; its values, whose mean is then known, replace check-down values as control variates. Values of flops are added to the
    file `store` as they are found, and read from it; over all flops, it is their sum that is kept in a small file, with the
    ending `.sum`.
    `double`: 64-bit numbers.
    """
    game = policy.game
    _verify_game(game)
    allowed, names = _read_slots(game, slots, SLOTS)
    workers, wanted = _read_whole("threads", threads, 1, THREADS), _read_flops(flops)
    random = np.random.default_rng(_read_seed(seed))
    limited, limits = _read_control(game, allowed, control, wanted)
    for seat, (option, some) in product(range(SEATS), ((SLOTS, allowed), (CONTROL, limited))):
        _verify_reachable(game, some, seat, option)
    cards = game.abstraction.cards  # type: ignore[union-attr]
    classes, count = list_classes(cards.flop_index, 3, int(cards.flop_index.max() >> SHIFT) + 1)
    taken = policy.greedy() if greedy else policy
    response = PolicyResponse(taken, allowed, double=double, threads=workers)
    shape = (sum(response.entries), int(cards.preflop.max()) + 1)
    about = {"game": game.spec, "policy": sha256(taken.weights.tobytes()).hexdigest(), "slots": list(names)}
    every_slot = bool(allowed[game.tree.child >= 0].all())
    how = {"game": game.spec, "slots": names, "every_slot": every_slot, "nodes": response.nodes, "greedy": greedy}
    walk = _Walk(runner, response, (taken, allowed, double), classes, watch, stop)
    share = count / comb(response.rules.deck.size, 3)
    if wanted is None:
        return _over_all(walk, FlopSum(_beside(store, ".sum"), about, share, shape), int(count.sum()), how)
    drawn = random.choice(len(classes), wanted, p=count / count.sum()).tolist()
    kept = FlopStore(store, about, shape)
    checked = _CheckDown(walk, FlopStore(_beside(store, ".check-down"), about | CHECK_DOWN, shape))
    controls = _limited(checked, limited, limits, store, about, share) if limits else checked
    return _over_sample(walk, kept, controls, drawn, count, how)


def _beside(store: Path | None, suffix: str) -> Path | None:
    return None if store is None else store.with_suffix(suffix)


def store_of(policy: Policy, slots: Sequence[str] | None, *, greedy: bool) -> Path:
    """Return the file in the user's cache folder where values of flops of an agent and a response are kept."""
    taken = policy.greedy() if greedy else policy
    about = f"{policy.game.spec} {slots} {sha256(taken.weights.tobytes()).hexdigest()}"
    folder = cache_folder() / "responses"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{sha256(about.encode()).hexdigest()[:20]}.flops"


@dataclass(frozen=True, slots=True)
class _Tasks:
    """What the tasks of one process share."""

    response: PolicyResponse
    flops: Array  # [tasks, 3]


def _prepare(policy: Policy, allowed: Array, double: bool, flops: Array) -> _Tasks:
    return _Tasks(PolicyResponse(policy, allowed, double=double), flops)


def _walk_flop(tasks: _Tasks, number: int) -> Result:
    values, boards = tasks.response.flop_values(tuple(tasks.flops[number].tolist()))
    return values, np.array(boards)


@dataclass(frozen=True, slots=True)
class _Walk:
    """How flops are walked that are not known yet."""

    runner: Runner
    response: PolicyResponse
    about: tuple[Policy, Array, bool]  # of the response
    classes: Array  # [flops, 3]
    watch: Watch | None
    stop: Stop | None

    def __call__(self, kept: FlopStore | FlopSum, missing: Sequence[int]) -> bool:
        """Find the values of flops that are not known yet; return whether all are."""
        flops = self.classes[list(missing)]
        job = Job("exact response", _prepare, (*self.about, flops), _walk_flop, len(missing))
        if self.runner is HERE:  # the flops of one process are walked by threads that share each
            job = replace(job, prepare=lambda *given: _Tasks(self.response, flops))
        began, before = perf_counter(), kept.known
        results = self.runner.run(job)
        try:
            for place, (values, boards) in enumerate(results, 1):
                kept.add(missing[place - 1], values, int(boards))
                if self.watch is not None:
                    left, every = (perf_counter() - began) / place * (len(missing) - place), before + len(missing)
                    self.watch((before + place) / every, f"{before + place:,} of {every:,} flops, {_duration(left)} left")
                if place < len(missing) and self.stop is not None and self.stop():
                    return False
        finally:
            results.close()
        return True


def _duration(seconds: float) -> str:
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{seconds:.0f} s" if seconds < 90 else f"{minutes} min" if not hours else f"{hours} h {minutes} min"


def _over_all(walk: _Walk, kept: FlopSum, flops: int, how: dict[str, Any]) -> ExactResponse:
    done, figures = walk(kept, kept.missing), dict[str, Any](seats=None, total=None, half_width=None)
    if done:
        first, second = (walk.response.respond(kept.total[None])[0][:, 0] * mbb(walk.response.game)).tolist()
        figures = {"seats": (first, second), "total": (first + second) / 2, "half_width": 0.0}
    sizes: dict[str, Any] = {"flops": flops, "walked": kept.known, "boards": kept.boards}
    return ExactResponse(**figures, upper=None, **sizes, sampled=False, done=done, **how)


class _Controls(NamedTuple):
    """Control variates of a sample of flops: values of the ways into the flop, whose mean is known."""

    values: Array  # [F, entries, C]
    mean: Array  # [entries, C] over all flops
    slots: tuple[str, ...] = ()  # of the response that they are values of


@dataclass(frozen=True, slots=True)
class _CheckDown:
    """What ways into the flop are worth if nobody bets any more."""

    walk: _Walk
    kept: FlopStore
    slots: tuple[str, ...] = ()

    def __call__(self, flops: Sequence[int]) -> _Controls:
        response = self.walk.response
        for flop in dict.fromkeys(flops):
            if flop not in self.kept.values:
                self.kept.add(flop, response.check_down_values(tuple(self.walk.classes[flop].tolist())), 0)
        values = np.stack([self.kept.values[flop] for flop in flops])
        return _Controls(values, response.mean_check_down(preflop_scores(response.rules.deck)))


@dataclass(frozen=True, slots=True)
class _Limited:
    """What ways into the flop are worth to a responder with fewer actions; check-down values after a stop."""

    walk: _Walk
    total: FlopSum
    kept: FlopStore
    slots: tuple[str, ...]
    otherwise: _CheckDown

    def __call__(self, flops: Sequence[int]) -> _Controls:
        missing = [flop for flop in dict.fromkeys(flops) if flop not in self.kept.values]
        if not self.walk(self.kept, missing) or not self.walk(self.total, self.total.missing):
            return self.otherwise(flops)
        return _Controls(np.stack([self.kept.values[flop] for flop in flops]), self.total.total, self.slots)


def _limited(
    checked: _CheckDown, allowed: Array, slots: tuple[str, ...], store: Path | None, about: dict[str, Any], share: Array
) -> _Limited:
    """Return the values of a responder with these actions, in files beside that of the response."""
    (policy, _, double), walk = checked.walk.about, checked.walk
    response = PolicyResponse(policy, allowed, double=double, threads=walk.response.threads)
    shape = (sum(response.entries), int(response.classes.max()) + 1)
    text = f"with {', '.join(slots)} after the first street"
    name, known = sha256(text.encode()).hexdigest()[:8], about | {"values": text}
    total, kept = (
        FlopSum(_beside(store, f".{name}.sum"), known, share, shape),
        FlopStore(_beside(store, f".{name}.flops"), known, shape),
    )
    return _Limited(replace(walk, response=response, about=(policy, allowed, double)), total, kept, slots, checked)


def _over_sample(
    walk: _Walk, kept: FlopStore, controls: _CheckDown | _Limited, drawn: list[int], count: Array, how: dict[str, Any]
) -> ExactResponse:
    """Return the response on flops drawn[F], numbers of classes.

    After a stop, the first ones are used, up to one that was not walked: what is left out does not depend on values.
    """
    todo, response = list(dict.fromkeys(drawn)), walk.response
    done = walk(kept, [flop for flop in todo if flop not in kept.values])
    ready = list(takewhile(kept.values.__contains__, drawn))
    figures = dict[str, Any](seats=None, total=None, half_width=None, upper=None)
    if len(set(ready)) > 1:
        values, control = np.stack([kept.values[flop] for flop in ready]), controls(ready)
        texture = textures(walk.classes, count, response.rules.deck)[ready]
        won = estimate(response, values, control.values, control.mean, texture, ready, mbb(response.game))
        done = done and control.slots == controls.slots
        figures = {"seats": won.seats, "total": won.found.mean, "half_width": won.found.half_width()}
        figures |= {"upper": won.upper, "control": control.slots}
    walked = [flop for flop in todo if flop in kept.values]
    sizes: dict[str, Any] = {"flops": len(ready), "walked": len(walked), "boards": sum(kept.boards[flop] for flop in walked)}
    return ExactResponse(**figures, **sizes, sampled=True, done=done, **how)


def _verify_game(game: Game) -> None:
    if isinstance(game.rules, MatrixGame) or game.abstraction is None:
        raise UsageError(f"an exact response by walking boards plays hold'em, not {game.spec} (see exploitability)")
    if game.players != SEATS:
        raise UsageError(f"{game.spec} has {game.players} players (accepted for an exact response: {SEATS})")


def _read_whole(name: str, value: float, low: int, high: int) -> int:
    known = number(value, whole=True)
    if known is None or not low <= known <= high:
        raise UsageError(f"{name}={value} (accepted: {low} to {high})")
    return int(known)


def _read_seed(seed: int) -> int:
    known = number(seed, whole=True)
    if known is None or known < 0:
        raise UsageError(f"seed={seed} (accepted: a whole number of at least 0)")
    return int(known)


def _read_flops(flops: int | None) -> int | None:
    return None if flops is None else _read_whole("flops", flops, 2, 10**6)


def _read_slots(game: Game, slots: str | Sequence[str] | None, option: str) -> tuple[Array, tuple[str, ...]]:
    """Return ([N, A] bool: the actions allowed to the responder at each node, their names)."""
    tree = game.tree
    legal = tree.child >= 0
    if slots is None:
        return legal, tree.actions
    names = tuple(slots.split(",") if isinstance(slots, str) else slots)
    accepted = [*tree.actions, LARGEST]
    wrong = [name for name in names if name not in accepted]
    if wrong or not names or len(set(names)) < len(names):
        said = ", ".join(map(str, wrong or names)) or "none"
        raise UsageError(f"{option}={said} (accepted: some of {', '.join(accepted)}, each once)")
    allowed = legal & np.array([name in names for name in tree.actions])
    if LARGEST in names:
        raises = legal[:, 2:]
        total = np.where(raises, tree.paid.max(axis=1)[tree.child[:, 2:]], -1)
        some = np.flatnonzero(raises.any(axis=1))
        allowed[some, 2 + total[some].argmax(axis=1)] = True
    return allowed, names


def _read_control(
    game: Game, allowed: Array, control: str | Sequence[str] | None, flops: int | None
) -> tuple[Array, tuple[str, ...]]:
    """Return ([N, A] bool: the actions allowed to the responder whose values are control variates, their names)."""
    if control is None:
        return allowed, ()
    if flops is None:
        raise UsageError(f"{CONTROL} (accepted: with a number of flops, which are drawn)")
    limited, names = _read_slots(game, control, CONTROL)
    return np.where((game.tree.round > 0)[:, None], limited, allowed), names


def _verify_reachable(game: Game, allowed: Array, seat: int, option: str) -> None:
    """Refuse slots that leave the responder in a seat without an action at a node that it can reach."""
    tree = game.tree
    found = np.zeros(tree.nodes, np.bool_)
    found[0] = True
    for begin, end in list(pairwise(tree.levels))[1:]:
        parent, slot = tree.parent[begin:end], tree.slot[begin:end]
        found[begin:end] = found[parent] & ((tree.player[parent] != seat) | allowed[parent, slot])
    stuck = np.flatnonzero(found & (tree.player == seat) & ~allowed.any(axis=1))
    if len(stuck):
        node = int(stuck[0])
        moves = ", ".join(name for name, child in zip(tree.actions, tree.child[node], strict=True) if child >= 0)
        place = f"after {tree.betting(node)!r} in {game.spec}"
        raise UsageError(f"nothing to do {place} with these actions of {option} (accepted there: {moves})")
