"""Processor time of the coach: `python -m benchmarks.coach [AGENT...] [--hands N] [--longer]`.

Hands are played by random moves against the agent, without folds, so that most of them reach the river. The first review of a
process also loads compiled kernels.
"""

from __future__ import annotations

import argparse
from random import Random
from time import process_time

import typer

from smoothcall.agents.fixed import Strategy
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.registry import Registry
from smoothcall.agents.view import view_of
from smoothcall.games.hand import Hand, deal_hand
from smoothcall.games.rules import PokerRules
from smoothcall.play.coach import Coach
from smoothcall.policy import Policy

AGENTS = ["no-limit-holdem-mccfr", "limit-holdem-smooth-uct"]


def played(policy: Policy, seat: int, random: Random) -> Hand:
    assert isinstance(policy.game.rules, PokerRules)
    hand, opponent = deal_hand(policy.game.rules, random.randrange(10**9)), PolicyPlayer(policy, random=random)
    while not hand.finished:
        letters = [letter for letter in hand.slots if letter and letter != "f"]
        hand.play(random.choice(letters) if hand.player == seat else opponent.act(view_of(hand, 1 - seat)))
        hand.deal_random(random)
    return hand


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="*", default=AGENTS)
    parser.add_argument("--hands", type=int, default=10)
    parser.add_argument("--longer", action="store_true")
    chosen = parser.parse_args()
    for name in chosen.agents:
        policy, random, spent = Registry().policy(name), Random(1), list[float]()
        assert policy.game.abstraction is not None
        policy.game.abstraction.read_tables()  # as a table at which the agent plays has done
        for _ in range(chosen.hands):
            seat = random.randrange(2)
            hand = played(policy, seat, random)
            seen = (hand.hole[seat], hand.boards[: hand.text.count("/") + 1], hand.text)
            began = process_time()
            Coach(policy.game, seat, {1 - seat: Strategy(policy)}).review(*seen, longer=chosen.longer)
            spent.append(process_time() - began)
        first, rest = spent[0], sorted(spent[1:])
        typer.echo(
            f"{name}: first {first:.2f} s, then median {rest[len(rest) // 2]:.2f} s, most {rest[-1]:.2f} s ({len(spent)} hands)"
        )


if __name__ == "__main__":
    main()
