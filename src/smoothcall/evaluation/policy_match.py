"""Matches: the same deals once for each seating of the players, so that nobody wins by cards or seat.

One deal with all its seatings is one sample. Here the players are policies and rules, whose moves are known beforehand as
probabilities: small games have an exact result, and hands are played by a kernel. `evaluation.match` seats anybody.
Players of one hold'em game may see the cards through different abstractions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from smoothcall.agents.fixed import Fixed, Rule, Strategy
from smoothcall.errors import UsageError
from smoothcall.evaluation.exploitability import expected_values
from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.information.game import Game
from smoothcall.kernels.evaluation.match import Line, play_deals
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.options import number
from smoothcall.policy import Policy

BATCH = 8192  # deals
ALL_SEATINGS = 5  # players; more of them only change places round the table
MOST = 10**12  # hands

Watch = Callable[[float], None]  # is told the fraction done
Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What each player won, in mbb/h: thousandths of a big blind, or of an ante where there are no blinds, a hand."""

    game: str
    names: tuple[str, ...]
    estimates: tuple[Estimate, ...]  # () where no hand was played
    exact: tuple[float, ...] | None  # the expected result, where it can be worked out
    deals: int
    seatings: int  # of each deal
    seed: int
    done: bool = True  # False where the match was stopped

    @property
    def hands(self) -> int:
        return self.deals * self.seatings

    def __str__(self) -> str:
        return "\n".join(map(self.line, range(len(self.names))))

    def line(self, player: int) -> str:
        """`A +123.4 ± 20.1 mbb/h (95 %, 10,000 deals x 2 seatings)`"""
        if not self.estimates:
            assert self.exact is not None
            return f"{self.names[player]} {self.exact[player]:+.1f} mbb/h (exact)"
        found = self.estimates[player]
        beside = f"; exact {self.exact[player]:+.1f}" if self.exact is not None else ""
        how = f"95 %, {self.deals:,} deals x {self.seatings} seatings"
        return f"{self.names[player]} {found.mean:+.1f} ± {found.half_width():.1f} mbb/h ({how}{beside})"

    def as_dict(self) -> dict[str, Any]:
        players = [
            {
                "name": name,
                "mbb": self.estimates[player].as_dict() if self.estimates else None,
                "exact_mbb": self.exact[player] if self.exact is not None else None,
            }
            for player, name in enumerate(self.names)
        ]
        about = {"game": self.game, "deals": self.deals, "seatings": self.seatings, "hands": self.hands}
        return {**about, "seed": self.seed, "done": self.done, "players": players}


def mbb(game: Game) -> float:
    """How many mbb a chip is."""
    return 1000.0 / game.blind


def seatings(players: int) -> Array:
    """[seatings, P] uint32: the player in each seat; every order, or the places round the table where those are too many."""
    if players <= ALL_SEATINGS:
        return np.array(list(permutations(range(players))), np.uint32)
    return np.array([np.roll(np.arange(players), -turn) for turn in range(players)], np.uint32)


def deals_of(game: Game, hands: int) -> int:
    """How many deals come to at least so many hands."""
    known = number(hands, whole=True)
    if known is None or not 1 <= known <= MOST:
        raise UsageError(f"hands={hands} (accepted: a whole number from 1 to {MOST:.0e})")
    return -(-int(known) // len(seatings(game.players)))


def streams(seed: int, count: int) -> list[int]:
    """Seeds that have nothing to do with one another, of one seed."""
    known = number(seed, whole=True)
    if known is None or known < 0:
        raise UsageError(f"option seed={seed} (accepted: a whole number of at least 0)")
    return [int(state) for state in np.random.SeedSequence(int(known)).generate_state(count, np.uint64)]


def verify_players(game: Game, names: Sequence[object]) -> None:
    if len(names) != game.players:
        raise UsageError(f"{len(names)} players for {game.spec} (accepted: {game.players})")


def exact_values(game: Game, players: Sequence[Fixed]) -> tuple[float, ...]:
    """Each player's expected chips a hand over all deals and seatings."""
    _verify(game, players)
    tables = [table_of(game, player) for player in players]
    orders = seatings(game.players)
    total = np.zeros(game.players)
    for order in orders:
        table = np.empty(game.legal.shape)
        for seat, player in enumerate(order):
            mine = game.row_player == seat
            table[mine] = tables[player][mine]
        total[order] += expected_values(game, Policy(game, table))
    return tuple((total / len(orders)).tolist())


def sample(
    game: Game, players: Sequence[Fixed], deals: int, *, seed: int = 0, watch: Watch | None = None, stop: Stop | None = None
) -> Tally:
    """What the players win in so many deals, in chips a hand, averaged over each deal's seatings."""
    _verify(game, players)
    shuffle, moves = streams(seed, 2)
    seen = _abstractions(game, players)
    dealers, generator = [eyes.dealer(shuffle) for eyes in seen], seeded(moves)[0]  # the same cards for everybody's eyes
    line, tally = _line(game, players, seen), Tally(game.players)
    while tally.count < deals:
        count = min(BATCH, deals - tally.count)
        dealt = [dealer.deal(count) for dealer in dealers]
        won = np.empty((count, game.players))
        play_deals(game.walk, np.stack([bucket for bucket, _ in dealt]), dealt[0][1], line, generator, won)
        tally.add(won)
        if watch is not None:
            watch(tally.count / deals)
        if stop is not None and stop():
            break
    return tally


def _verify(game: Game, players: Sequence[Fixed]) -> None:
    verify_players(game, players)
    for player in players:
        if isinstance(player, Rule):
            player.verify_game(game.rules)
        else:
            verify_policy(game, player.policy)


def verify_policy(game: Game, policy: Policy) -> None:
    """Who plays other rules cannot take part; who sees the cards of the same ones through another abstraction can."""
    if not (game.sampled and policy.game.sampled and policy.game.rules == game.rules):
        policy.verify_game(game)


def _abstractions(game: Game, players: Sequence[Fixed]) -> list[Game]:
    """The game as each player's policy sees it, those that see it alike once. Rules need no eyes."""
    seen = [player.policy.game for player in players if isinstance(player, Strategy)]
    return list({each.fingerprint: each for each in seen}.values()) or [game]


def table_of(game: Game, player: Fixed) -> Array:
    """[rows, A] probabilities."""
    if isinstance(player, Rule):
        return player.probabilities(game.legal)
    return (player.policy.greedy() if player.greedy else player.policy).table


def _line(game: Game, players: Sequence[Fixed], seen: Sequence[Game]) -> Line:
    """The players as the kernel takes them; who plays twice is kept once."""
    slots = len(game.actions)
    sets = (np.arange(1 << slots)[:, None] >> np.arange(slots)) & 1 == 1
    rules = [player for player in dict.fromkeys(players) if isinstance(player, Rule)]
    policies = list({id(player.policy): player.policy for player in players if isinstance(player, Strategy)}.values())
    source = [
        -1 - rules.index(player) if isinstance(player, Rule) else [id(p) for p in policies].index(id(player.policy))
        for player in players
    ]
    prints = [each.fingerprint for each in seen]
    eyes = [prints.index(player.policy.game.fingerprint) if isinstance(player, Strategy) else 0 for player in players]
    alike = len({policy.scale for policy in policies}) == 1
    return Line(
        tables=tuple(policy.weights if alike else policy.table for policy in policies) or (np.zeros((0, slots)),),
        scale=policies[0].scale if alike else 1.0,
        rules=np.array([rule.probabilities(sets) for rule in rules]).reshape(-1, 1 << slots, slots),
        source=np.array(source, np.int8),
        eyes=np.array(eyes, np.uint32),
        first_row=seen[0].tree.first_row[None] if len(seen) == 1 else np.stack([each.tree.first_row for each in seen]),
        greedy=np.array([isinstance(player, Strategy) and player.greedy for player in players]),
        seating=seatings(game.players),
    )
