"""Learned response: train UCT against a fixed agent, then play a match with it.

Each seat is trained alone while all others play the agent. The response sees cards through the agent's buckets. Its winnings
are a **lower bound** of what a best response wins: more episodes raise it, and a player who sees the cards themselves could
win more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from smoothcall.agents.fixed import Fixed, Strategy
from smoothcall.errors import UsageError
from smoothcall.evaluation.policy_match import Stop, Watch, deals_of, exact_values, mbb, sample, seatings, streams
from smoothcall.evaluation.statistics import Estimate
from smoothcall.games.matrix import MatrixGame
from smoothcall.options import number
from smoothcall.policy import Policy
from smoothcall.solvers import solver
from smoothcall.tasks import HERE, Job, Result, Runner

MAX_EPISODES = 10**12
CHUNK = 500_000  # episodes between two reports of progress
K = 0.5  # option `k` of UCT: the share of the remaining betting in the width of the confidence bounds


@dataclass(frozen=True, slots=True, eq=False)
class LearnedResponse:
    """The response's winnings in mbb/h: a lower bound of what a best response wins."""

    game: str
    total: Estimate  # the mean over all seats
    exact: float | None  # expected winnings, in games whose deals are listed
    episodes: int  # a seat; the fewest where training was stopped
    deals: int
    seatings: int  # of each deal
    seed: int
    greedy: bool  # the agent took its most likely actions
    response: Policy  # of every seat
    done: bool = True  # False where it was stopped

    @property
    def hands(self) -> int:
        return self.deals * self.seatings

    def __str__(self) -> str:
        beside = f"; exact {self.exact:+.1f}" if self.exact is not None else ""
        found = f"{self.total.mean:+.1f} ± {self.total.half_width():.1f} mbb/h"
        how = f"95 %, {self.deals:,} deals x {self.seatings} seatings{beside}"
        name = f"response learned in {self.episodes:,} episodes a seat"
        return f"{name} wins {found} ({how}): a lower bound of what a best response wins"

    def as_dict(self) -> dict[str, Any]:
        about = {"game": self.game, "episodes": self.episodes, "deals": self.deals, "seatings": self.seatings}
        about |= {"hands": self.hands, "seed": self.seed, "greedy": self.greedy, "done": self.done, "lower_bound": True}
        return {**about, "mbb": self.total.as_dict(), "exact_mbb": self.exact}


def read_episodes(episodes: float) -> int:
    """Return a number of episodes; raise UsageError unless it is one."""
    known = number(episodes, whole=True)
    if known is None or not 1 <= known <= MAX_EPISODES:
        raise UsageError(f"episodes={episodes} (accepted: a whole number from 1 to {MAX_EPISODES:.0e})")
    return int(known)


def learned_response(
    policy: Policy,
    *,
    episodes: int,
    hands: int,
    seed: int = 0,
    threads: int = 1,
    greedy: bool = False,
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> LearnedResponse:
    """Train for `episodes` episodes in each seat, then play `hands` hands, one learner against copies of the agent.

    `greedy` responds to the policy's most likely actions. `watch` is called with the fraction of the work done, where an
    episode counts as much as a hand. Where `stop` ends the training early, the match is played all the same.
    """
    game = policy.game
    known = read_episodes(episodes)
    episodes, deals, orders = int(known), deals_of(game, hands), len(seatings(game.players))
    agent = policy.greedy() if greedy else policy
    *learning, match = streams(seed, game.players + 1)
    work = episodes * game.players + deals * orders
    how = _Training(agent, episodes, threads, tuple(learning))
    response, least = agent, episodes
    if runner is HERE:
        for seat in range(game.players):
            tell = None if watch is None else lambda done, seat=seat: watch((episodes * seat + done) / work)
            trained, done = how.train(seat, tell, stop)
            response, least = response.replaced(seat, trained), min(least, done)
    else:
        job = Job("learned response", _Training, (agent, episodes, threads, tuple(learning)), _train_seat, game.players)
        for seat, (weights,) in enumerate(runner.run(job)):
            response = response.replaced(seat, Policy(game, weights))
            if watch is not None:
                watch(episodes * (seat + 1) / work)
    players: list[Fixed] = [Strategy(response), *[Strategy(agent)] * (game.players - 1)]
    played = None if watch is None else lambda fraction: watch(1 - (1 - fraction) * deals * orders / work)
    tally = sample(game, players, deals, seed=match, watch=played, stop=stop, runner=runner)
    exact = None if game.sampled else exact_values(game, players)[0] * mbb(game)
    total, count = tally.estimates(mbb(game))[0], tally.count
    done = least == episodes and count == deals
    return LearnedResponse(game.spec, total, exact, least, count, orders, seed, greedy, response, done)


@dataclass(frozen=True, slots=True)
class _Training:
    """The training of every seat against an agent."""

    agent: Policy
    episodes: int
    threads: int
    seeds: tuple[int, ...]  # by seat

    def train(self, seat: int, watch: Callable[[int], None] | None = None, stop: Stop | None = None) -> tuple[Policy, int]:
        """Return (the response in a seat, its episodes); `watch` is called with the episodes so far."""
        game = self.agent.game
        explore = {"explore": "constant"} if isinstance(game.rules, MatrixGame) else {"explore": "pot", "k": K}
        learner = solver("uct", game, seed=self.seeds[seat], threads=self.threads, against=self.agent, learner=seat, **explore)
        while learner.iterations < self.episodes and not (stop is not None and stop()):
            learner.run(min(CHUNK, self.episodes - learner.iterations))
            if watch is not None:
                watch(learner.iterations)
        return learner.current_policy(), learner.iterations


def _train_seat(training: _Training, seat: int) -> Result:
    return (training.train(seat)[0].weights,)
