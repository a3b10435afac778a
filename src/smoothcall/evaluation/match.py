"""Matches of anybody with anybody, for Python, the command line and the page.

Players whose moves are known as probabilities meet in a kernel (`evaluation.policy_match`); others play hand by hand. Both deal each
hand once for each seating: the same cards to the same seats, the players changing places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from smoothcall.agents.batch_player import observes_cards_of
from smoothcall.agents.batch_policy import Greedy, Ruled
from smoothcall.agents.fixed import Fixed
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.rule_players import SIMPLE, MostlyCalls, RulePlayer
from smoothcall.agents.scripted import RULES
from smoothcall.agents.serialization import CARD_PLAYERS
from smoothcall.agents.stack_policies import Tabled
from smoothcall.agents.tabulated import TabulatedPolicy, scripted_policy
from smoothcall.agents.view import Player, view_of, view_of_matrix
from smoothcall.errors import UsageError, unknown
from smoothcall.evaluation.freezeouts import sample_hands
from smoothcall.evaluation.policy_match import (
    MatchResult,
    Stop,
    Watch,
    deals_of,
    exact_values,
    mbb,
    sample,
    seatings,
    streams,
    verify_players,
    verify_policy,
)
from smoothcall.evaluation.statistics import Tally
from smoothcall.games.cards import Cards
from smoothcall.games.catalog import NO_LIMIT_HOLDEM, NO_LIMIT_HOLDEM_32
from smoothcall.games.hand import Hand
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy, sees_cards

SAMPLED_HANDS = 100_000  # where no number is given and there is no exact result
GREEDY, THRESHOLD = ":greedy", ":threshold="
SCRIPTED = tuple(name for name in RULES if name not in SIMPLE)  # who need a game whose players see positions
CARD_NAMES = tuple(name for name in CARD_PLAYERS if name not in (*SIMPLE, *SCRIPTED))  # who look at cards, in no-limit hold'em
NAMED = (*SIMPLE, MostlyCalls.NAME, *SCRIPTED, *CARD_NAMES)
ACCEPTED = (
    *NAMED,
    f"an agent file or the folder of a run, with {GREEDY} behind it for its most likely actions, {THRESHOLD}0.05 without those "
    "below 5 %",
)

Load = Callable[[Path, str | None], Policy]  # an agent by its file or folder; of the game named, where one is


def match(
    of: Game,
    players: Sequence[Player | Policy | str],
    *,
    names: Sequence[str] | None = None,
    hands: int | None = None,
    seed: int = 0,
    by_hand: bool = False,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> MatchResult:
    """At least so many hands; without a number, the exact result, or SAMPLED_HANDS where deals are drawn.

    A player is anybody who can `act`, a policy, or the name of a simple player or scripted player. `by_hand` plays as if nothing were
    known of them. Batch policies that look at cards answer for many hands at once, together with tables of the same game. A match that
    is stopped gives the result so far. The same seed gives the same result, as long as the players draw from generators of the
    same state or meet in the kernel.
    """
    verify_players(of, players)
    names = names or [_name(player) for player in players]
    seated = [_seated(of, player) for player in players]
    fixed = None if by_hand else _fixed(of, seated)
    hands = SAMPLED_HANDS if hands is None and fixed is not None and of.sampled else hands
    deals = 0 if hands is None else deals_of(of, hands)
    exact = tuple(mbb(of) * value for value in exact_values(of, fixed)) if fixed is not None and not of.sampled else None
    if exact is None and hands is None:
        raise UsageError(f"these players have no exact result in {of.spec}: say how many hands to play")
    tally, looking = Tally(of.players), None if by_hand else _looking(of, seated)
    if deals and looking is not None:
        tally = sample_hands(*looking, deals, seed=seed, watch=watch, stop=stop)
    elif deals and fixed is not None:
        tally = sample(of, fixed, deals, seed=seed, watch=watch, stop=stop)
    elif deals:
        tally = _by_hand(of, seated, deals, seed=seed, watch=watch, stop=stop)
    return MatchResult(
        game=of.spec,
        names=tuple(names),
        estimates=tally.estimates(mbb(of)) if deals else (),
        exact=exact,
        deals=tally.count,
        seatings=len(seatings(of.players)),
        seed=seed,
        done=tally.count == deals,
    )


def play_match(
    entries: Sequence[str],
    *,
    load: Load,
    of: str | None = None,
    hands: int | None = None,
    seed: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """A match of named players, as data: see `seat` for the names."""
    played, players = seat(entries, load=load, of=of, seed=seed)
    result = match(played, players, names=entries, hands=hands, seed=seed, watch=watch, stop=stop)
    return {**result.as_dict(), "lines": str(result).splitlines()}


def seat(entries: Sequence[str], *, load: Load, of: str | None = None, seed: int = 0) -> tuple[Game, list[Player]]:
    """The players that texts name, and the game they play: the one named, or that of the agents.

    A text is a simple player, a scripted player, or an agent's path, `:greedy` or `:threshold=0.05` behind it.
    """
    policies: dict[Path, Policy] = {}
    played = game(of) if of is not None else None
    for text in entries:
        path, _ = apart(text.removesuffix(GREEDY))
        if text in NAMED or path in policies:
            continue
        if not path.exists():
            raise unknown("player", text, ACCEPTED)
        found = load(path, None if played is None or played.sampled else played.spec)
        if played is None:
            played = found.game
        if not observes_cards_of(found, played.rules):
            if found.game.players != played.players:
                raise UsageError(f"{text} plays {found.game.spec}, not {played.spec}")
            verify_policy(played, found)
        twin = next((policy.game for policy in policies.values() if policy.game.fingerprint == found.game.fingerprint), None)
        policies[path] = found.within(twin) if twin is not None else found  # tables are kept once
    batch_policies = [text for text in dict.fromkeys(entries) if text in (*SCRIPTED, *CARD_NAMES)]
    if played is None:
        kind = NO_LIMIT_HOLDEM_32 if any(text in SCRIPTED for text in batch_policies) else NO_LIMIT_HOLDEM
        which = f"games such as {kind.name}" if batch_policies else "any game"
        raise UsageError(f"{', '.join(entries)} play {which}: say which one")
    policies |= {Path(text): named_policy(played, text) for text in batch_policies}
    players: list[Player] = []
    for text, own in zip(entries, streams(seed, len(entries)), strict=True):
        if text in SIMPLE or text == MostlyCalls.NAME:
            players.append(SIMPLE.get(text, MostlyCalls)(Random(own)))
        else:
            path, share = apart(text.removesuffix(GREEDY))
            policy = policies[path] if share is None else policies[path].thresholded(share)
            players.append(PolicyPlayer(policy, greedy=text.endswith(GREEDY), random=Random(own)))
    return played, players


def named_policy(played: Game, text: str) -> TabulatedPolicy:
    """One of SCRIPTED or CARD_NAMES, in a game; those who look at cards have learned no-limit hold'em for two."""
    if text in SCRIPTED:
        return scripted_policy(played, text)
    return TabulatedPolicy(game(two_of(played)), CARD_PLAYERS[text]())


def two_of(played: Game) -> str:
    """The game for two of which this may be a table for more."""
    options = {name: value for name, value in played.options.items() if name != "seats"}
    settings = ",".join(f"{name}={value}" for name, value in options.items())
    return f"{played.name}:{settings}" if settings else played.name


def apart(text: str) -> tuple[Path, str | None]:
    """`runs/leduc:threshold=0.05` is (runs/leduc, "0.05"); without a threshold, (the path, None)."""
    path, found, share = text.rpartition(THRESHOLD)
    return (Path(path), share) if found else (Path(text), None)


def play_hand(rules: PokerRules, seats: Sequence[Player], cards: Cards) -> tuple[float, ...]:
    """What each seat wins in a hand dealt from the front of `cards`, in chips."""
    hand, dealt = Hand(rules), 0
    while (outcome := hand.outcome) is None:
        if (due := hand.due) is not None:
            hand.deal(cards[dealt : dealt + due.count])
            dealt += due.count
        else:
            assert hand.player is not None
            hand.play(seats[hand.player].act(view_of(hand, hand.player)))
    return tuple(map(float, outcome.payoffs))


def _play_matrix(rules: MatrixGame, seats: Sequence[Player]) -> tuple[float, ...]:
    moves = [player.act(view_of_matrix(rules, seat)) for seat, player in enumerate(seats)]
    payoffs: list[float] = rules.payoffs[tuple(map(rules.actions.index, moves))].tolist()
    return tuple(payoffs)


def _by_hand(of: Game, players: Sequence[Player], deals: int, *, seed: int, watch: Watch | None, stop: Stop | None) -> Tally:
    random, orders, tally = Random(streams(seed, 1)[0]), seatings(of.players), Tally(of.players)
    while tally.count < deals:
        won = np.zeros(of.players)
        if isinstance(of.rules, PokerRules):
            cards = tuple(random.sample(range(of.rules.deck.size), of.rules.deck.size))
        for order in orders:
            seats = [players[player] for player in order]
            won[order] += (
                _play_matrix(of.rules, seats) if isinstance(of.rules, MatrixGame) else play_hand(of.rules, seats, cards)
            )
        tally.add(won[None, :] / len(orders))
        if watch is not None:
            watch(tally.count / deals)
        if stop is not None and stop():
            break
    return tally


def _fixed(of: Game, players: Sequence[Player]) -> list[Fixed] | None:
    """The players as probabilities; None where one of them is more than that, or looks at hands of a larger table."""
    found: list[Fixed] = [
        player.fixed
        for player in players
        if isinstance(player, RulePlayer)
        or (isinstance(player, PolicyPlayer) and not observes_cards_of(player.fixed.policy, of.rules))
    ]
    return found if len(found) == len(players) else None


def _looking(of: Game, players: Sequence[Player]) -> tuple[Game, list[BatchPolicy]] | None:
    """(the game, the players as batch policies) where at least one looks at cards and all can answer for many hands at once.

    Tables among them must be of the same raises, and see the cards alike: the game is theirs.
    """
    policies = [player.fixed.policy for player in players if isinstance(player, PolicyPlayer)]
    tables = [policy for policy in policies if not isinstance(policy, TabulatedPolicy)]
    wide = [policy for policy in policies if isinstance(policy, TabulatedPolicy) and sees_cards(policy.batch_policy)]
    if of.players != 2 or not wide or len(wide) + len(tables) < len(policies):
        return None
    played = tables[0].game if tables else of
    if any(policy.game.rules != of.rules for policy in policies) or len({policy.game.fingerprint for policy in tables}) > 1:
        return None
    batch_policies: list[BatchPolicy] = []
    for player in players:
        if isinstance(player, RulePlayer):
            batch_policies.append(Ruled(player.fixed.probabilities))
        elif isinstance(player, PolicyPlayer):
            policy = player.fixed.policy
            batch_policy = policy.batch_policy if isinstance(policy, TabulatedPolicy) else Tabled.whole(policy)
            batch_policies.append(Greedy(batch_policy) if player.fixed.greedy else batch_policy)
        else:
            return None
    return played, batch_policies


def _seated(of: Game, player: Player | Policy | str) -> Player:
    if isinstance(player, Policy):
        return PolicyPlayer(player)
    if isinstance(player, str):
        if player in (*SCRIPTED, *CARD_NAMES):
            return PolicyPlayer(named_policy(of, player))
        if player not in NAMED:
            raise unknown("player", player, NAMED)
        return SIMPLE.get(player, MostlyCalls)()
    if not hasattr(player, "act"):
        named = ", ".join(NAMED)
        raise UsageError(f"{player!r} cannot play (accepted: a policy, a player with `act`, {named})")
    return player


def _name(player: Player | Policy | str) -> str:
    if isinstance(player, str):
        return player
    return str(player.fixed) if isinstance(player, RulePlayer) else type(player).__name__
