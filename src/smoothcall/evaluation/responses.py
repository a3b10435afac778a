"""What responses win against an agent of hold'em: an exact one on a sample of flops, a local and a learned one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from smoothcall.evaluation.exact_response import ExactResponse, exact_response, store_of
from smoothcall.evaluation.learned_response import LearnedResponse, learned_response, read_episodes
from smoothcall.evaluation.local_best_response import LocalBestResponse, local_best_response, read_deals
from smoothcall.evaluation.policy_match import Stop
from smoothcall.policy import Policy
from smoothcall.tasks import HERE, Runner

RESPONSE_HANDS = 200_000  # hands that a learned response plays after learning


def respond(
    policy: Policy,
    *,
    greedy: bool = False,
    deals: int = 5_000,
    episodes: int = 20_000_000,
    flops: int = 0,
    seed: int = 0,
    threads: int = 2,
    watch: Callable[[float, str], None] | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> tuple[ExactResponse | None, LocalBestResponse | None, LearnedResponse]:
    """Return the exact response on so many flops (two players; None for 0), the local one (two players) and the learned one.

    The local best response plays `deals` deals; the learned response trains for `episodes` a seat. Values of flops are kept in
    the user's cache folder.
    """
    read_deals(deals)
    read_episodes(episodes)
    told, two = watch or (lambda fraction, text: None), policy.game.players == 2
    exact = local = None
    if flops and two:
        store = store_of(policy, None, greedy=greedy)
        exact = exact_response(
            policy, greedy=greedy, flops=flops, seed=seed, threads=threads, store=store, watch=told, stop=stop, runner=runner
        )

    def part(begin: float, share: float) -> Callable[[float], None]:
        return lambda done: told(begin + share * done, f"lower bounds, {begin + share * done:.0%}")

    taken, begin = policy.greedy() if greedy else policy, 0.5 if two else 0.0
    if two:
        local = local_best_response(taken, deals=deals, seed=seed, watch=part(0, begin), stop=stop, runner=runner)
    how: dict[str, Any] = {"seed": seed, "watch": part(begin, 1 - begin), "stop": stop, "runner": runner}
    return exact, local, learned_response(taken, episodes=episodes, hands=RESPONSE_HANDS, **how)
