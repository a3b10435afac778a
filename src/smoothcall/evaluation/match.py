"""Duplicate matches of any players, for Python, the command line and the page.

Players whose moves are known as probabilities meet in a kernel (`evaluation.policy_match`); batch policies that see cards
answer for many hands at once (`evaluation.freezeouts`); all others play hand by hand, among them batch policies that depend on
what the opponent did in earlier hands and policies that learned another bet menu. Every engine deals each hand once in each
seating: the same cards to the same seats, the players changing places.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import cast

import numpy as np

from smoothcall.agents.batch_player import BatchPlayer, observes_cards_of
from smoothcall.agents.batch_wrappers import Greedy
from smoothcall.agents.fixed import Fixed, Strategy
from smoothcall.agents.outside import Watcher, close
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.registry import SCRIPTED_PLAYERS, Games, Kind, Registry, ResolvedName, named_policy
from smoothcall.agents.scripted import Rule
from smoothcall.agents.stack_policies import PolicyByStack
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import NO_HABITS, Habits, Player, more_habits, view_of, view_of_matrix
from smoothcall.errors import PlayerFailed, UsageError
from smoothcall.evaluation.freezeouts import sample_hands
from smoothcall.evaluation.policy_match import (
    Engine,
    MatchResult,
    Stop,
    Watch,
    batches,
    deals_of,
    exact_values,
    mbb,
    sample,
    seatings,
    streams,
    table_notes,
    verify_players,
    verify_policy,
)
from smoothcall.evaluation.statistics import Tally
from smoothcall.games.cards import Cards
from smoothcall.games.catalog import NO_LIMIT_HOLDEM, NO_LIMIT_HOLDEM_32
from smoothcall.games.hand import Hand
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.rules import PokerRules
from smoothcall.information.extensive import ExtensiveGame
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.information.translation import same_table
from smoothcall.policy import Policy
from smoothcall.search.player import SearchPlayer, search_player
from smoothcall.simulation.batch_policy import BatchPolicy, ignores_observations, observes_habits, sees_cards
from smoothcall.tasks import HERE, Runner

SAMPLED_HANDS = 100_000  # default in games without an exact result

Contender = Player | Policy | BatchPolicy | str


def match(
    of: Game,
    players: Sequence[Contender],
    *,
    names: Sequence[str] | None = None,
    hands: int | None = None,
    seed: int = 0,
    by_hand: bool = False,
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> MatchResult:
    """Play at least `hands` hands; without a number, return the exact result, or play SAMPLED_HANDS where deals are sampled.

    A player is a `Player`, a policy, a batch policy, or a name of the registry. `by_hand` plays move by move whatever they are.
    A match that is stopped, or in which a player fails, returns the result so far. One seed gives one result, as long as
    players that are asked hand by hand draw from generators of the same state. Hands played move by move are not distributed:
    they depend on those before.
    """
    verify_players(of, players)
    if isinstance(of, ExtensiveGame) and (hands is not None or by_hand):
        raise UsageError(f"hands of {of.spec}, given as a tree, are not played (accepted: no number, the exact result)")
    names = names or [_name(player) for player in players]
    seated = [_seated(of, player) for player in players]
    fixed = None if by_hand else _fixed(of, seated)
    hands = SAMPLED_HANDS if hands is None and fixed is not None and of.sampled else hands
    deals = 0 if hands is None else deals_of(of, hands)
    exact = tuple(mbb(of) * value for value in exact_values(of, fixed)) if fixed is not None and not of.sampled else None
    if exact is None and hands is None:
        raise UsageError(f"these players have no exact result in {of.spec}: say how many hands to play")
    batch = None if by_hand else _batch_policies(of, seated)
    tally, failure = Tally(of.players), ""
    if not deals:
        engine = Engine.EXACT
    elif batch is not None:
        engine, tally = Engine.BATCH, sample_hands(*batch, deals, seed=seed, watch=watch, stop=stop, runner=runner)
    elif fixed is not None:
        engine, tally = Engine.KERNEL, sample(of, fixed, deals, seed=seed, watch=watch, stop=stop, runner=runner)
    else:
        engine, failure = Engine.BY_HAND, _tallied(of, seated, deals, tally, seed=seed, watch=watch, stop=stop)
    tables = [player.policy if isinstance(player, Strategy) else None for player in fixed or ()]
    return MatchResult(
        game=of.spec,
        names=tuple(names),
        estimates=tally.estimates(mbb(of)) if deals else (),
        exact=exact,
        deals=tally.count,
        seatings=len(seatings(of.players)),
        seed=seed,
        done=tally.count == deals,
        engine=engine,
        notes=table_notes(names, tables) if engine in (Engine.EXACT, Engine.KERNEL) else _search_notes(names, seated),
        failure=failure,
    )


def play_match(
    names: Sequence[str],
    *,
    registry: Registry | None = None,
    of: str | None = None,
    hands: int | None = None,
    seed: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> MatchResult:
    """Play a match of players named as in `agents.registry`."""
    played, players = seat(names, registry=registry, of=of, seed=seed)
    try:
        return match(played, players, names=names, hands=hands, seed=seed, watch=watch, stop=stop, runner=runner)
    finally:
        for player in players:
            close(player)


def seat(
    names: Sequence[str], *, registry: Registry | None = None, of: str | None = None, seed: int = 0
) -> tuple[Game, list[Player]]:
    """Return the game and its players by their names in the registry.

    The game is `of`, or that of the first agent. Agents of one game share its tables; a file is read once.
    """
    registry = registry or Registry(searcher=search_player)
    entries = [registry.resolve(name) for name in names]
    played = game(of) if of is not None else None
    policies: dict[str, Policy] = {}  # by the name without what stands behind it
    for entry in entries:
        if entry.path is None or entry.base in policies:
            continue
        found = registry.read(entry, None if played is None or played.sampled else played)
        if played is None:
            played = found.game
        if not observes_cards_of(found, played.rules) and not is_translated(found, played):
            if found.game.players != played.players:
                raise UsageError(f"{entry.name} plays {found.game.spec}, not {played.spec}")
            verify_policy(played, found)
        twin = next((policy.game for policy in policies.values() if policy.game.fingerprint == found.game.fingerprint), None)
        policies[entry.base] = found.within(twin) if twin is not None else found
    if played is None:
        raise _no_game(entries)
    for entry in entries:
        if _needs_table(entry) and entry.base not in policies:
            policies[entry.base] = named_policy(played, entry.base)
    players: list[Player] = []
    for entry, own in zip(entries, streams(seed, len(entries)), strict=True):
        if entry.base in policies:
            players.append(registry.policy_player(policies[entry.base], entry, Random(own)))
        else:
            players.append(registry.player(entry.name, played, Random(own)))
    return played, players


def _needs_table(entry: ResolvedName) -> bool:
    """Return whether a scripted player observes the hand: where the kernel plays hands, its table stands in for it."""
    if entry.kind is not Kind.SCRIPTED:
        return False
    player = SCRIPTED_PLAYERS[entry.base]
    return player.games in (Games.EQUITY, Games.CARDS) and player.seat is None


def _no_game(entries: Sequence[ResolvedName]) -> UsageError:
    needs = {SCRIPTED_PLAYERS[entry.base].games for entry in entries if _needs_table(entry)}
    example = NO_LIMIT_HOLDEM_32 if Games.EQUITY in needs else NO_LIMIT_HOLDEM
    which = f"games such as {example.name}" if needs else "any game"
    return UsageError(f"{', '.join(entry.name for entry in entries)} play {which}: say which one")


def play_hand(rules: PokerRules, seats: Sequence[Player], cards: Cards) -> tuple[float, ...]:
    """Play a hand dealt from the front of `cards`; return the chips that each seat wins."""
    outcome = played_hand(rules, seats, cards).outcome
    assert outcome is not None
    return tuple(map(float, outcome.payoffs))


def played_hand(rules: PokerRules, seats: Sequence[Player], cards: Cards, habits: Sequence[Habits] = ()) -> Hand:
    """Return a finished hand dealt from the front of `cards`; habits[seats] at a table of two are those of earlier hands.

    A `Watcher` sees every state that someone is to move in, and the end.
    """
    hand, dealt = Hand(rules), 0
    watchers = [(seat, player) for seat, player in enumerate(seats) if isinstance(player, Watcher)]

    def known(seat: int) -> Habits:
        return habits[1 - seat] if habits else NO_HABITS

    while True:
        if (due := hand.due) is not None:
            hand.deal(cards[dealt : dealt + due.count])
            dealt += due.count
            continue
        for seat, watcher in watchers:
            watcher.watch(view_of(hand, seat, known(seat)))
        if hand.outcome is not None:
            return hand
        assert hand.player is not None
        hand.play(seats[hand.player].act(view_of(hand, hand.player, known(hand.player))))


def play_matrix(rules: MatrixGame, seats: Sequence[Player]) -> tuple[float, ...]:
    """Play a one-shot game; return what each seat wins."""
    moves = [player.act(view_of_matrix(rules, seat)) for seat, player in enumerate(seats)]
    payoffs: list[float] = rules.payoffs[tuple(map(rules.actions.index, moves))].tolist()
    return tuple(payoffs)


def _tallied(
    of: Game, players: list[Player], deals: int, tally: Tally, *, seed: int, watch: Watch | None, stop: Stop | None
) -> str:
    """Play hand by hand; return why the match ended early, "" unless a player failed. What was counted is kept."""
    try:
        _by_hand(of, players, deals, tally, seed=seed, watch=watch, stop=stop)
    except PlayerFailed as error:
        if not tally.count:
            raise
        return str(error)
    except KeyboardInterrupt:  # of a player that waited for something when `stop` said so
        if not tally.count or stop is None or not stop():
            raise
    return ""


def _by_hand(
    of: Game, players: Sequence[Player], deals: int, tally: Tally, *, seed: int, watch: Watch | None, stop: Stop | None
) -> None:
    """Play hand by hand. At a table of two each player knows what the other did in the earlier hands of the match."""
    random, orders = Random(streams(seed, 1)[0]), seatings(of.players)
    habits = [NO_HABITS] * of.players if of.players == 2 else []
    for _ in batches(tally, deals, 1, watch, stop):
        won = np.zeros(of.players)
        if isinstance(of.rules, PokerRules):
            cards = tuple(random.sample(range(of.rules.deck.size), of.rules.deck.size))
        for order in orders:
            seats = [players[player] for player in order]
            if isinstance(of.rules, MatrixGame):
                won[order] += play_matrix(of.rules, seats)
                continue
            hand = played_hand(of.rules, seats, cards, [habits[player] for player in order] if habits else ())
            assert hand.outcome is not None
            won[order] += [float(net) for net in hand.outcome.payoffs]
            habits = [more_habits(known, hand, list(order).index(player)) for player, known in enumerate(habits)]
        tally.add(won[None, :] / len(orders))


def is_translated(policy: Policy, of: Game) -> bool:
    """Return whether a hold'em policy learned another bet menu than that of a game: its player translates raises."""
    own = policy.game
    differs = own.sampled and of.sampled and own.rules != of.rules and not isinstance(policy, TabulatedPolicy)
    return differs and same_table(own.rules, of.rules)


def _fixed(of: Game, players: Sequence[Player]) -> list[Fixed] | None:
    """Return the players as the kernel takes them; None where one has no table for this game's rules."""
    found = list[Fixed]()
    for player in players:
        if isinstance(player, BatchPlayer) and isinstance(player.batch_policy, Rule) and not player.greedy:
            found.append(player.batch_policy)
        elif isinstance(player, PolicyPlayer) and not observes_cards_of(player.fixed.policy, of.rules):
            policy = player.fixed.policy
            if is_translated(policy, of):
                return None
            if isinstance(policy, TabulatedPolicy) and observes_habits(policy.batch_policy):
                return None  # its table is for an unknown opponent
            found.append(player.fixed)
        else:
            return None
    return found


def _batch_policies(of: Game, players: Sequence[Player]) -> tuple[Game, list[BatchPolicy]] | None:
    """Return (game, batch policies) where one of two players sees cards and both can answer for many hands at once.

    Tables among them must have the game's rules and one abstraction: the game is theirs.
    """
    policies = [player.fixed.policy for player in players if isinstance(player, PolicyPlayer)]
    tables = [policy for policy in policies if not isinstance(policy, TabulatedPolicy)]
    with_cards = [policy for policy in policies if isinstance(policy, TabulatedPolicy) and sees_cards(policy.batch_policy)]
    if of.players != 2 or not with_cards or len(with_cards) + len(tables) < len(policies):
        return None
    played = tables[0].game if tables else of
    if any(policy.game.rules != of.rules for policy in policies) or len({policy.game.fingerprint for policy in tables}) > 1:
        return None
    batch_policies: list[BatchPolicy] = []
    for player in players:
        if isinstance(player, BatchPlayer) and not player.observes:
            batch_policy, greedy = player.batch_policy, player.greedy
        elif isinstance(player, PolicyPlayer):
            policy, greedy = player.fixed.policy, player.fixed.greedy
            if isinstance(policy, TabulatedPolicy):
                batch_policy = policy.batch_policy
            else:
                batch_policy = PolicyByStack.whole(policy, full_stacks=True)
        else:
            return None
        batch_policies.append(Greedy(batch_policy) if greedy else batch_policy)
    return played, batch_policies


def _search_notes(names: Sequence[str], players: Sequence[Player]) -> tuple[str, ...]:
    """Say how decisions of players that search were answered."""
    return tuple(
        f"{name} {note}"
        for name, player in zip(names, players, strict=True)
        if isinstance(player, SearchPlayer)
        for note in player.notes
    )


def _seated(of: Game, player: Contender) -> Player:
    if isinstance(player, Policy):
        return PolicyPlayer(player)
    if isinstance(player, str) and not isinstance(player, Rule):
        return Registry(searcher=search_player).player(player, of)
    if hasattr(player, "act"):
        return cast(Player, player)
    if not hasattr(player, "probabilities"):
        raise UsageError(f"{player!r} cannot play (accepted: a policy, a player with `act`, a batch policy, a name)")
    batch_policy: BatchPolicy = player
    return BatchPlayer(batch_policy) if ignores_observations(batch_policy) else PolicyPlayer(TabulatedPolicy(of, batch_policy))


def _name(player: Contender) -> str:
    if isinstance(player, str):
        return str(player)
    if isinstance(player, BatchPlayer) and isinstance(player.batch_policy, Rule):
        return str(player.batch_policy)
    return type(player).__name__
