"""Local best response (Lisy and Bowling 2017): a lower bound of exploitability where the exact value is out of reach.

The responder knows the agent's probabilities, and so at every decision how likely the agent holds each hand. It takes the
action that wins most if the agent folds to it with its own probabilities and both check and call from then on. That is a
legal strategy, which uses own and public cards only: its winnings are a **lower bound** of what a best response wins. An
agent that loses much is exploitable; one that loses nothing may still be.

The agent's cards add no variance. The agent acts with the mean probabilities of all hands it may hold, and a showdown pays
the mean over them: the expectation stays the same and the interval is much narrower.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from smoothcall import cache as store
from smoothcall.errors import UsageError
from smoothcall.evaluation.policy_match import MAX_HANDS, Stop, Watch, mbb, streams, watched_results
from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.games.cards import Deck
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.outcomes import every_outcome
from smoothcall.holdem.evaluator import evaluator
from smoothcall.holdem.hand_strength import RIVER, strengths
from smoothcall.holdem.suits import suit_permutations
from smoothcall.information.game import Game
from smoothcall.kernels.evaluation import local_best_response as kernels
from smoothcall.kernels.evaluation.hand_equities import SEATS, count_showdowns
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import CALL, Array
from smoothcall.options import number
from smoothcall.policy import Policy
from smoothcall.progress import report
from smoothcall.tasks import HERE, Job, Result, Runner, piece, pieces, task_seeds

BATCH = 64  # deals of a task
_CHUNK = 4096  # boards whose showdowns are counted between two reports of progress


@dataclass(frozen=True, slots=True)
class LocalBestResponse:
    """The responder's winnings in mbb/h: a lower bound of what a best response wins."""

    game: str
    seats: tuple[Estimate, Estimate]  # by the responder's seat
    total: Estimate  # the mean of the two seats
    deals: int
    seed: int
    greedy: bool  # the agent took its most likely actions
    start_street: int  # the responder checks and calls before it
    done: bool = True  # False where it was stopped

    def __str__(self) -> str:
        seats = ", ".join(
            f"{found.mean:+.1f} ± {found.half_width():.1f} in seat {seat}" for seat, found in enumerate(self.seats)
        )
        found = f"{self.total.mean:+.1f} ± {self.total.half_width():.1f} mbb/h (95 %, {self.deals:,} deals x 2 seats; {seats})"
        return f"local best response wins {found}: a lower bound of what a best response wins"

    def as_dict(self) -> dict[str, Any]:
        about = {"game": self.game, "deals": self.deals, "seed": self.seed, "greedy": self.greedy}
        about |= {"start_street": self.start_street, "done": self.done, "lower_bound": True}
        return {**about, "mbb": self.total.as_dict(), "seats_mbb": [found.as_dict() for found in self.seats]}


def read_deals(deals: float) -> int:
    """Return a number of deals; raise UsageError unless it is one."""
    count = number(deals, whole=True)
    if count is None or not 1 <= count <= MAX_HANDS:
        raise UsageError(f"deals={deals} (accepted: a whole number from 1 to {MAX_HANDS:.0e})")
    return int(count)


def local_best_response(
    policy: Policy,
    *,
    deals: int,
    seed: int = 0,
    greedy: bool = False,
    start_street: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> LocalBestResponse:
    """Play `deals` deals against a policy of a two-player poker game, each once in either seat.

    `greedy` plays against the policy's most likely actions. Before `start_street` (0: preflop) the responder checks and
    calls; every start gives a lower bound, and which is highest depends on the agent.
    """
    game = policy.game
    start_street, deals = read_start(game, start_street), read_deals(deals)
    streams(seed, 1)  # verifies the seed
    tally = Tally(3)
    given = (policy.greedy() if greedy else policy, start_street, deals, int(seed))
    for (won,) in watched_results(
        runner, Job("local best response", _Response, given, _respond, pieces(deals, BATCH)), watch, stop
    ):
        tally.add(np.column_stack([won, won.mean(axis=1)]))
    first, second, total = tally.estimates(mbb(game))
    done = tally.count == deals
    return LocalBestResponse(game.spec, (first, second), total, tally.count, seed, greedy, start_street, done)


class _Response:
    """What the tasks of a local best response share."""

    def __init__(self, policy: Policy, start_street: int, deals: int, seed: int) -> None:
        self.game, self.start_street, self.deals, self.seed = policy.game, start_street, deals, seed
        self.against = against(policy.game, policy.weights, policy.scale, start_street)


def _respond(response: _Response, number: int) -> Result:
    """Return ([n, 2] winnings in either seat,) of a task's deals."""
    game, generator = response.game, seeded(task_seeds(response.seed, number, 1)[0])[0]
    won = np.empty((piece(response.deals, BATCH, number), SEATS))
    if game.abstraction is None:
        kernels.respond_listed(game.walk, game.deals.weight, _shares(game), response.against, generator, won)
    else:
        scores = _before_flop(game, response.start_street)
        kernels.respond_cards(game.walk, game.abstraction.cards, scores, response.against, generator, won)
    return (won,)


def read_start(game: Game, start_street: int) -> int:
    """Return the first street where a responder chooses; raise UsageError where it is none, or cannot play the game."""
    if isinstance(game.rules, MatrixGame):
        raise UsageError(f"a local best response plays poker, not {game.spec}")
    if game.players != SEATS:
        raise UsageError(f"{game.spec} has {game.players} players (accepted for a local best response: 2)")
    if not game.rules.checks:
        raise UsageError(f"a local best response checks, which {game.spec} does not allow")
    start, last = number(start_street, whole=True), len(game.buckets) - 1
    if start is None or not 0 <= start <= last:
        raise UsageError(f"start_street={start_street} (accepted: a whole number from 0 to {last})")
    return int(start)


def against(game: Game, weights: Array, scale: float, start_street: int) -> kernels.Against:
    """Return what the kernels know of an agent with weights[rows, A], and of the stakes of its game."""
    orders = every_outcome(game.players)[1] if game.sampled else game.deals.outcomes[1]
    better = [int(np.argmax(orders[:, seat] - orders[:, 1 - seat])) for seat in range(SEATS)]
    payoff = game.settled[1]
    stake = np.stack([payoff[:, [better[1 - seat], better[seat]], seat] for seat in range(SEATS)], axis=1)
    return kernels.Against(weights, scale, stake, _check_down(game), start_street)


def _check_down(game: Game) -> Array:
    """Return [N] int32: the ending where everybody checks and calls from a node on."""
    tree = game.tree
    down = np.arange(tree.nodes, dtype=np.int32)
    for begin, end in list(pairwise(tree.levels))[::-1]:
        after = tree.child[begin:end, CALL]
        down[begin:end] = np.where(after >= 0, down[after], down[begin:end])
    return down


def _shares(game: Game) -> Array:
    """Return [2, D]: each seat's share of the pot at a showdown."""
    ahead = np.sign(game.deals.strength[:, 0] - game.deals.strength[:, 1])
    return np.stack([(1 + ahead) / 2, (1 - ahead) / 2])


def _before_flop(game: Game, start_street: int) -> Array:
    """Return `preflop_scores`, or an empty table where the responder does not choose before the flop."""
    assert game.abstraction is not None
    scores = preflop_scores(game.abstraction.deck) if start_street == 0 else np.zeros((0, 0), np.int32)
    scores.flags.writeable = False  # in both cases: kernels are compiled once for writeable and once for read-only arrays
    return scores


@cache
def preflop_scores(deck: Deck) -> Array:
    """Return [hands, hands] int32: the boards on which the row's hand beats the column's, less those on which it loses.

    Exact, over all boards; 0 for hands that share a card. Counted on one board of each class under permutations of suits,
    then averaged over the permutations. Kept in the cache folder.
    """
    tables = strengths(deck)
    boards, number, hands = tables.boards[RIVER].board, tables.boards[RIVER].number, tables.hand

    def build() -> Array:
        count = len(boards)
        score = np.zeros((deck.size * (deck.size - 1) // 2,) * 2, np.int32)
        for start in range(0, count, _CHUNK):
            piece = np.s_[start : start + _CHUNK]
            count_showdowns(evaluator(deck), boards[piece], number[piece], score)
            report(f"showdowns of any two hands of {deck.size} cards", min(1.0, (start + _CHUNK) / count))
        score -= score.T
        high, low = np.tril_indices(deck.size, -1)
        total = np.zeros(score.shape, np.int64)
        for renamed in suit_permutations(deck):
            moved = hands[renamed[high], renamed[low]]
            total += score[np.ix_(moved, moved)]
        held = np.zeros((len(high), deck.size), np.int8)
        held[np.arange(len(high)), high] = held[np.arange(len(high)), low] = 1
        apart = held @ held.T == 0
        return np.where(apart, total // 24, 0).astype(np.int32)

    return store.table(f"showdowns-{deck.size}", build)
