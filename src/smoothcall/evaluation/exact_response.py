"""The exact value of a best response to an agent of two-player hold'em: every board and every hand, nothing sampled.

The agent sees cards through its buckets. The responder sees its own cards and the board and has perfect recall, so with every
action allowed its value is the agent's exact **exploitability**. Where the betting is too large for that, the responder may be
restricted to some action slots while the agent keeps all of its own. The value of such a response is exact too, and a
**lower bound** of what a best response wins: more slots never win less.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.evaluation.policy_match import Stop, Watch, mbb
from smoothcall.games.cards import Deck
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.outcomes import every_outcome
from smoothcall.holdem.suits import suit_permutations
from smoothcall.information.game import Game
from smoothcall.kernels.evaluation import exact_response as kernels
from smoothcall.kernels.evaluation.board_views import DIGITS, BoardViews, SuitPermutations, ViewScratch
from smoothcall.kernels.evaluation.range_values import LANES
from smoothcall.kernels.holdem.boards import SHIFT, list_classes
from smoothcall.kernels.holdem.buckets import Cards
from smoothcall.kernels.tables import FOLD, SHOWDOWN, Array
from smoothcall.memory import verify_memory
from smoothcall.options import number
from smoothcall.policy import Policy

SEATS = 2
LARGEST = "largest"  # names the largest legal raise, whatever its slot
MAX_WORK = 10**13  # steps on the river x boards x hands that a board leaves: three hours on two cores
THREADS = 2
PART_STEPS = 64  # steps of the river's betting that are walked over all rivers before the next ones


@dataclass(frozen=True, slots=True)
class ExactResponse:
    """The responder's winnings in mbb/h; None where the walk was stopped."""

    game: str
    seats: tuple[float, float] | None  # by the responder's seat
    total: float | None  # the mean of both seats
    slots: tuple[str, ...]  # actions of the responder
    every_slot: bool  # no action is left out: the total is the agent's exploitability
    steps: int  # of the betting, summed over both seats of the responder
    boards: int  # of five cards walked, one of each class under permutations of suits
    greedy: bool  # the agent took its most likely actions
    done: bool = True  # False where it was stopped

    def __str__(self) -> str:
        if self.seats is None or self.total is None:
            return f"stopped after {self.boards:,} boards: the exact response has no value yet"
        seats = ", ".join(f"{found:+.3f} in seat {seat}" for seat, found in enumerate(self.seats))
        name = "best response" if self.every_slot else f"best response with {', '.join(self.slots)}"
        bound = "exact" if self.every_slot else "exact, a lower bound of what a best response with every action wins"
        return f"{name} wins {self.total:+.3f} mbb/h ({seats}; {self.boards:,} boards): {bound}"

    def as_dict(self) -> dict[str, Any]:
        about = {"game": self.game, "slots": list(self.slots), "steps": self.steps, "boards": self.boards}
        about |= {"greedy": self.greedy, "done": self.done, "lower_bound": not self.every_slot}
        return {**about, "mbb": self.total, "seats_mbb": None if self.seats is None else list(self.seats)}


def exact_response(
    policy: Policy,
    *,
    slots: Sequence[str] | None = None,
    greedy: bool = False,
    threads: int = THREADS,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> ExactResponse:
    """Return the value of a best response to a policy of two-player hold'em, among strategies that use these action slots.

    `slots` are names of the game's actions (`f`, `c` and the raises of its menu) or `largest`, the largest legal raise;
    None allows every action. `greedy` evaluates the policy's most likely actions.
    """
    game = policy.game
    _verify_game(game)
    allowed, names = _read_slots(game, slots)
    workers = _read_threads(threads)
    cards, deck = game.abstraction.cards, game.abstraction.deck  # type: ignore[union-attr]
    flops, flop_count = list_classes(cards.flop_index, 3, int(cards.flop_index.max() >> SHIFT) + 1)
    _verify_work(game, allowed, len(flops))
    betting, suits = _betting(game, allowed), _suits(deck)
    taken = policy.greedy() if greedy else policy
    agent = kernels.Agent(taken.weights, taken.scale)
    verify_memory((workers + 2) * _bytes(betting, cards), f"a best response in {game.spec}")

    scratch, spare = _scratch(betting, cards), [_scratch(betting, cards) for _ in range(workers)]
    scratch.reach[:SEATS], scratch.reached[:SEATS] = 1.0, True
    kernels.walk_before_flop(betting, agent, cards, False, scratch)
    on_flop = np.s_[betting.street[1] : betting.street[2]]

    def walk(kind: int) -> tuple[Array, int]:
        own = spare.pop()
        own.reach[on_flop], own.reached[on_flop] = scratch.reach[on_flop], scratch.reached[on_flop]
        boards = kernels.walk_flop(betting, agent, cards, suits, flops[kind], own)
        found = own.value[on_flop] * float(flop_count[kind])
        spare.append(own)
        return found, boards

    total, walked, done = np.zeros_like(scratch.value[on_flop]), 0, False
    with ThreadPoolExecutor(workers) as pool:
        for told, found in enumerate([pool.submit(walk, kind) for kind in range(len(flops))], 1):
            value, boards = found.result()
            total, walked, done = total + value, walked + boards, told == len(flops)
            if watch is not None:
                watch(told / len(flops))
            if not done and stop is not None and stop():
                pool.shutdown(cancel_futures=True)
                break
    about = (names, bool(allowed[game.tree.child >= 0].all()), len(betting.kind), walked, greedy)
    if not done:
        return ExactResponse(game.spec, None, None, *about, done=False)
    scratch.value[on_flop] = total
    kernels.average_flops(betting, suits, len(cards.hand), scratch)
    kernels.walk_before_flop(betting, agent, cards, True, scratch)
    deals = comb(len(cards.hand), 2) * comb(len(cards.hand) - 2, 2)
    first, second = (float(scratch.value[seat].sum()) / deals * mbb(game) for seat in range(SEATS))
    return ExactResponse(game.spec, (first, second), (first + second) / 2, *about)


def _verify_game(game: Game) -> None:
    if isinstance(game.rules, MatrixGame) or game.abstraction is None:
        raise UsageError(f"an exact response by walking boards plays hold'em, not {game.spec} (see exploitability)")
    if game.players != SEATS:
        raise UsageError(f"{game.spec} has {game.players} players (accepted for an exact response: {SEATS})")


def _read_threads(threads: int) -> int:
    known = number(threads, whole=True)
    if known is None or not 1 <= known <= THREADS:
        raise UsageError(f"threads={threads} (accepted: 1 to {THREADS})")
    return int(known)


def _read_slots(game: Game, slots: Sequence[str] | None) -> tuple[Array, tuple[str, ...]]:
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
        raise UsageError(f"slots={said} (accepted: some of {', '.join(accepted)}, each once)")
    allowed = legal & np.array([name in names for name in tree.actions])
    if LARGEST in names:
        raises = legal[:, 2:]
        total = np.where(raises, tree.paid.max(axis=1)[tree.child[:, 2:]], -1)
        some = np.flatnonzero(raises.any(axis=1))
        allowed[some, 2 + total[some].argmax(axis=1)] = True
    return allowed, names


def _reachable(game: Game, allowed: Array, seat: int) -> Array:
    """Return [N] bool: the nodes that the responder in this seat can reach. Refuse slots that leave it without an action."""
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
        raise UsageError(f"slots leave nothing to do after {tree.betting(node)!r} in {game.spec} (accepted there: {moves})")
    return found


def _verify_work(game: Game, allowed: Array, flops: int) -> None:
    """Refuse more than MAX_WORK: steps on the river (with earlier all-ins) on every board for every hand."""
    tree, size = game.tree, game.rules.deck.size  # type: ignore[union-attr]
    on_river = (tree.round == kernels.RIVER) | (tree.kind == SHOWDOWN)
    steps = sum(int((_reachable(game, allowed, seat) & on_river).sum()) for seat in range(SEATS))
    work = steps * flops * (size - 3) * (size - 4) * comb(size - 5, 2)
    if work > MAX_WORK:
        boards = flops * (size - 3) * (size - 4)
        raise UsageError(
            f"an exact response in {game.spec} values {work:.2g} hands, {steps:,} endings and decisions of the river on "
            f"{boards:,} boards (accepted: at most {MAX_WORK:.0e}; fewer slots, such as f,c,{LARGEST}, or a smaller menu)"
        )


def _stakes(game: Game) -> tuple[Array, Array]:
    """Return ([N] index of endings, [endings, 2] float64: chips that each seat wins there with the better cards)."""
    index, payoff = game.settled
    orders = every_outcome(SEATS)[1]
    better = [int(np.argmax(orders[:, seat] - orders[:, 1 - seat])) for seat in range(SEATS)]
    return index, np.stack([payoff[:, better[seat], seat] for seat in range(SEATS)], axis=1)


def _betting(game: Game, allowed: Array) -> kernels.Betting:
    """Return the betting that the responder may meet, cut at the streets. The first two entries are its two seats."""
    tree, (index, stakes) = game.tree, _stakes(game)
    steps, starts, streets = list[tuple[int, int, int, int, float, int]](), list[int](), [0]
    entries = [(seat, 0) for seat in range(SEATS)]  # (the responder's seat, node)
    for street in range(kernels.STREETS):
        later = list[tuple[int, int]]()
        first = streets[-1] + len(entries)  # of the entries of the next street
        for seat, root in entries:
            starts.append(len(steps))
            stack = [(root, 0, -1, 0)]
            while stack:
                node, depth, row, slot = stack.pop()
                kind, entry, stake, player = int(tree.kind[node]), 0, 0.0, int(tree.player[node])
                if kind == FOLD or (kind == SHOWDOWN and street == kernels.RIVER):
                    what, stake = kernels.FOLDED if kind == FOLD else kernels.SHOWN_DOWN, float(stakes[index[node], seat])
                elif kind == SHOWDOWN or tree.round[node] > street:
                    what, entry = kernels.NEXT_STREET, first + len(later)
                    later.append((seat, node))
                else:
                    what = kernels.RESPONDER if player == seat else kernels.AGENT
                    for action in range(len(tree.actions) - 1, -1, -1):
                        if allowed[node, action] if player == seat else tree.child[node, action] >= 0:
                            came = int(tree.first_row[node]) if player != seat else -1
                            stack.append((int(tree.child[node, action]), depth + 1, came, action))
                steps.append((what, depth, row, slot, stake, entry))
        streets.append(first)
        entries = later
    assert not entries
    kinds, depths, rows, slots, staked, entered = zip(*steps, strict=True)
    starts.append(len(steps))
    return kernels.Betting(
        kind=np.array(kinds, np.int8),
        depth=np.array(depths, np.uint32),
        after=_after(depths),
        row=np.array(rows, np.int32),
        slot=np.array(slots, np.uint32),
        stake=np.array(staked),
        entry=np.array(entered, np.uint32),
        start=np.array(starts, np.uint32),
        street=np.array(streets, np.int64),
        part=_parts(starts, streets[kernels.RIVER]),
    )


def _after(depths: Sequence[int]) -> Array:
    """Return [S] uint32: the next step that is not deeper."""
    after, open_steps = np.full(len(depths), len(depths), np.uint32), list[int]()
    for step, depth in enumerate(depths):
        while open_steps and depths[open_steps[-1]] >= depth:
            after[open_steps.pop()] = step
        open_steps.append(step)
    return after


def _parts(starts: Sequence[int], first: int) -> Array:
    """Return the first entries of the river's parts, each of at least PART_STEPS steps."""
    parts, last = [first], len(starts) - 1
    for entry in range(first + 1, last):
        if starts[entry] - starts[parts[-1]] >= PART_STEPS:
            parts.append(entry)
    return np.array([*parts, last], np.int64)


@cache
def _suits(deck: Deck) -> SuitPermutations:
    """Return every permutation of suits, the identity first."""
    card = suit_permutations(deck)
    high, low = np.tril_indices(deck.size, -1)
    one, other = card[:, high], card[:, low]
    top, bottom = np.maximum(one, other), np.minimum(one, other)
    hand = np.ascontiguousarray(top * (top - 1) // 2 + bottom)
    return SuitPermutations(card.astype(np.uint32), hand.astype(np.uint32))


def _bytes(betting: kernels.Betting, cards: Cards) -> int:
    """Estimate the memory of one thread's buffers."""
    return 16 * len(betting.start) * len(cards.preflop)


def _scratch(betting: kernels.Betting, cards: Cards) -> kernels.Scratch:
    entries, hands, depth = len(betting.start) - 1, len(cards.preflop), int(betting.depth.max()) + 1
    steps = betting.start[betting.part]
    lanes = [
        max(int((betting.kind[begin:end] == kind).sum()) for begin, end in pairwise(steps)) // LANES + 1
        for kind in (kernels.FOLDED, kernels.SHOWN_DOWN)
    ]
    return kernels.Scratch(
        reach=np.zeros((entries, hands)),
        value=np.zeros((entries, hands)),
        reached=np.zeros(entries, np.bool_),
        early=_views(kernels.STREETS - 1, hands),
        rivers=_views(len(cards.hand), hands),
        path_kind=np.zeros(depth, np.int64),
        path_from=np.zeros(depth, np.int64),
        path_reach=np.zeros((depth, hands)),
        path_value=np.zeros((depth, hands)),
        lane=np.zeros(len(betting.kind), np.int32),
        folds=np.zeros((lanes[0], hands, LANES)),
        showdowns=np.zeros((lanes[1], hands, LANES)),
        card_reach=np.zeros((len(cards.hand), LANES)),
        hand_value=np.zeros((hands, LANES)),
        views=ViewScratch(
            free=np.zeros(hands, np.bool_),
            bucket=np.zeros(hands, np.int32),
            strength=np.zeros(hands, np.uint16),
            order=np.zeros(hands, np.uint32),
            other_order=np.zeros(hands, np.uint32),
            digits=np.zeros(DIGITS + 1, np.int64),
        ),
    )


def _views(boards: int, hands: int) -> BoardViews:
    hand, bucket, low, high, tie_end = (np.zeros((boards, hands), np.uint32) for _ in range(5))
    return BoardViews(np.zeros(boards, np.int64), hand, bucket, low, high, tie_end, np.zeros(boards))
