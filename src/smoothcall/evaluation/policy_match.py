"""Duplicate matches of policies and scripted rules: every deal is played once in each seating of the players.

One deal with all its seatings is one sample. The players' moves are known as probabilities, so small games have an exact result
and hands are played by a kernel. `evaluation.match` seats any player. Players of one hold'em game may see the cards through
different abstractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import Any

import numpy as np

from smoothcall.agents.fixed import Fixed, Rule, Strategy
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.evaluation.exploitability import expected_values
from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.information.game import Game
from smoothcall.information.sample_hands import SAMPLES
from smoothcall.kernels.evaluation.match import Lineup, play_deals
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array, read_only
from smoothcall.options import number
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import ignores_observations, sees_cards
from smoothcall.tasks import HERE, Job, Result, Runner, piece, pieces, task_seeds

BATCH = 8192  # deals of a task
ALL_SEATINGS = 5  # players; with more of them only rotations of the table are played
MAX_HANDS = 10**12

Watch = Callable[[float], None]  # is told the fraction done
Stop = Callable[[], bool]


class Engine(StrEnum):
    """What played a match."""

    EXACT = "exact"  # expected values over all deals; no hand was played
    KERNEL = "kernel"  # hands between tables of probabilities
    BATCH = "batch"  # many hands at once, batch policies answering from observations
    BY_HAND = "hand by hand"  # `Player.act`, move by move


@dataclass(frozen=True, slots=True)
class MatchResult:
    """Winnings of each player in mbb/h: thousandths of a big blind (of an ante where there are no blinds) a hand."""

    game: str
    names: tuple[str, ...]
    estimates: tuple[Estimate, ...]  # () where no hand was played
    exact: tuple[float, ...] | None  # the expected result, where it can be computed
    deals: int
    seatings: int  # of each deal
    seed: int
    done: bool = True  # False where the match was stopped
    engine: Engine = Engine.KERNEL
    notes: tuple[str, ...] = ()  # where a player was replaced by its table
    failure: str = ""  # why the match ended early, where a player from outside failed

    @property
    def hands(self) -> int:
        return self.deals * self.seatings

    def __str__(self) -> str:
        return "\n".join([*map(self.line, range(len(self.names))), f"engine: {self.engine}", *self.notes])

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
        about |= {"engine": str(self.engine), "notes": list(self.notes)}
        about |= {"failure": self.failure} if self.failure else {}
        return {**about, "seed": self.seed, "done": self.done, "players": players}


def table_notes(names: Sequence[str], policies: Sequence[Policy | None]) -> tuple[str, ...]:
    """Say which players are replaced by their tables: those that play from observations, each once."""
    found = dict[str, None]()
    for name, policy in zip(names, policies, strict=True):
        if isinstance(policy, TabulatedPolicy) and not ignores_observations(policy.batch_policy):
            cards = sees_cards(policy.batch_policy)
            how = f"mean over {SAMPLES} sample hands per bucket" if cards else "the equity in the middle of each bucket"
            found[f"{name} plays its table: {how}"] = None
    return tuple(found)


def batches(tally: Tally, count: int, size: int, watch: Watch | None, stop: Stop | None) -> Iterator[int]:
    """Yield sizes of batches until the caller has added `count` samples to a tally, or `stop()` is true after a batch."""
    while tally.count < count:
        yield min(size, count - tally.count)
        if watch is not None:
            watch(tally.count / count)
        if stop is not None and stop():
            return


def watched_results(runner: Runner, job: Job, watch: Watch | None, stop: Stop | None) -> Iterator[Result]:
    """Yield the results of a job until it is done, or until `stop()` is true after a task."""
    results = runner.run(job)
    try:
        for done, result in enumerate(results, 1):
            yield result
            if watch is not None:
                watch(done / job.count)
            if done < job.count and stop is not None and stop():
                return
    finally:
        results.close()


def mbb(game: Game) -> float:
    """Return the value of a chip in mbb."""
    return 1000.0 / game.blind


def seatings(players: int) -> Array:
    """Return [seatings, P] uint32, the player in each seat: every order, or only rotations above ALL_SEATINGS players."""
    if players <= ALL_SEATINGS:
        return np.array(list(permutations(range(players))), np.uint32)
    return np.array([np.roll(np.arange(players), -turn) for turn in range(players)], np.uint32)


def deals_of(game: Game, hands: int) -> int:
    """Return the number of deals that make at least `hands` hands."""
    known = number(hands, whole=True)
    if known is None or not 1 <= known <= MAX_HANDS:
        raise UsageError(f"hands={hands} (accepted: a whole number from 1 to {MAX_HANDS:.0e})")
    return -(-int(known) // len(seatings(game.players)))


def streams(seed: int, count: int) -> list[int]:
    """Return `count` independent seeds derived from one."""
    known = number(seed, whole=True)
    if known is None or known < 0:
        raise UsageError(f"option seed={seed} (accepted: a whole number of at least 0)")
    return [int(state) for state in np.random.SeedSequence(int(known)).generate_state(count, np.uint64)]


def verify_players(game: Game, names: Sequence[object]) -> None:
    if len(names) != game.players:
        raise UsageError(f"{len(names)} players for {game.spec} (accepted: {game.players})")


def exact_values(game: Game, players: Sequence[Fixed]) -> tuple[float, ...]:
    """Return each player's expected chips a hand over all deals and seatings."""
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
    game: Game,
    players: Sequence[Fixed],
    deals: int,
    *,
    seed: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> Tally:
    """Play `deals` deals; tally what each player wins, in chips a hand, averaged over each deal's seatings."""
    _verify(game, players)
    streams(seed, 1)  # verifies the seed
    job = Job("match", _Hands, (game, tuple(players), deals, int(seed)), _play_hands, pieces(deals, BATCH))
    tally = Tally(game.players)
    for (won,) in watched_results(runner, job, watch, stop):
        tally.add(won)
    return tally


class _Hands:
    """What the tasks of a match share."""

    def __init__(self, game: Game, players: Sequence[Fixed], deals: int, seed: int) -> None:
        self.game, self.deals, self.seed = game, deals, seed
        self.games = _abstractions(game, players)
        self.lineup = lineup_of(game, players, self.games)


def _play_hands(match: _Hands, number: int) -> Result:
    """Return ([n, P] winnings,) of a task's deals."""
    shuffle, moves = task_seeds(match.seed, number, 2)
    count = piece(match.deals, BATCH, number)
    dealt = [each.dealer(shuffle).deal(count) for each in match.games]  # one seed: the same cards for all
    won = np.empty((count, match.game.players))
    buckets = np.stack([bucket for bucket, _ in dealt])
    play_deals(match.game.walk, buckets, dealt[0][1], match.lineup, seeded(moves)[0], won)
    return (won,)


def _verify(game: Game, players: Sequence[Fixed]) -> None:
    verify_players(game, players)
    for player in players:
        if isinstance(player, Rule):
            player.verify_game(game.rules)
        else:
            verify_policy(game, player.policy)


def verify_policy(game: Game, policy: Policy) -> None:
    """Raise UsageError for a policy of other rules; one of the same rules may have another abstraction."""
    if not (game.sampled and policy.game.sampled and policy.game.rules == game.rules):
        policy.verify_game(game)


def _abstractions(game: Game, players: Sequence[Fixed]) -> list[Game]:
    """Return the distinct games of the policies, by fingerprint. Rules ignore cards."""
    games = [player.policy.game for player in players if isinstance(player, Strategy)]
    return list({each.fingerprint: each for each in games}.values()) or [game]


def table_of(game: Game, player: Fixed) -> Array:
    """Return [rows, A] probabilities."""
    if isinstance(player, Rule):
        return player.among(game.legal)
    return (player.policy.greedy() if player.greedy else player.policy).table


def lineup_of(game: Game, players: Sequence[Fixed], games: Sequence[Game]) -> Lineup:
    """Return the players as the kernel takes them; a table that plays twice is kept once. `games`: of their policies."""
    slots = len(game.actions)
    sets = (np.arange(1 << slots)[:, None] >> np.arange(slots)) & 1 == 1
    rules = [player for player in dict.fromkeys(players) if isinstance(player, Rule)]
    policies = list({id(player.policy): player.policy for player in players if isinstance(player, Strategy)}.values())
    source = [
        -1 - rules.index(player) if isinstance(player, Rule) else [id(p) for p in policies].index(id(player.policy))
        for player in players
    ]
    prints = [each.fingerprint for each in games]
    abstraction = [prints.index(player.policy.game.fingerprint) if isinstance(player, Strategy) else 0 for player in players]
    alike = len({policy.scale for policy in policies}) == 1
    tables = [policy.weights if alike else policy.table for policy in policies] or [np.zeros((0, slots))]
    first_rows = games[0].tree.first_row[None] if len(games) == 1 else np.stack([each.tree.first_row for each in games])
    return Lineup(
        tables=tuple(read_only(table) for table in tables),  # Numba compiles kernels for writeable arrays apart
        scale=policies[0].scale if alike else 1.0,
        rules=np.array([rule.among(sets) for rule in rules]).reshape(-1, 1 << slots, slots),
        source=np.array(source, np.int8),
        abstraction=np.array(abstraction, np.uint32),
        first_row=read_only(first_rows),
        greedy=np.array([isinstance(player, Strategy) and player.greedy for player in players]),
        seating=seatings(game.players),
    )
