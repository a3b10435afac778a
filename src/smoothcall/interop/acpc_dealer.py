"""A dealer of the ACPC protocol: its deals, the match, the log, and the seats of local players and of programs.

One seed and one game give the cards that the protocol's own dealer deals: MT19937 seeded with one number; the deck in order
of suits, then ranks; each card is `deck[number % cards left]`, whose place the last card takes; hole cards player by player,
then the whole board of every hand, whether it is played or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from smoothcall.agents.outside import close
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.registry import Registry
from smoothcall.agents.reseated import Reseated, reseated
from smoothcall.agents.view import NO_HABITS, Player, more_habits, view_of
from smoothcall.errors import PlayerFailed, UsageError
from smoothcall.evaluation.match import played_hand
from smoothcall.evaluation.policy_match import Stop, Watch, streams
from smoothcall.games.cards import Cards
from smoothcall.games.catalog import CATALOG
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.information.translation import rotated, seat_shift
from smoothcall.interop.acpc import State, decimal, read_game, write_state
from smoothcall.interop.acpc_wire import WAIT, Limits, Seat, Tell

TCP = "tcp"  # a seat that waits for a program
MAX_SEED = 2**32 - 1
_IN_LOGS = str.maketrans(":|\n", "---")  # names are parts of a line


@dataclass(frozen=True, slots=True)
class DealtMatch:
    """A match of the dealer; chips and names in seat order."""

    game: str
    names: tuple[str, ...]
    scores: tuple[Fraction, ...]
    hands: int  # that were played
    seed: int
    done: bool = True
    failure: str = ""  # why it ended early, where a program failed
    changed: tuple[int, ...] = ()  # invalid actions of each seat

    @property
    def line(self) -> str:
        """The last line of the log."""
        return f"SCORE:{'|'.join(map(decimal, self.scores))}:{'|'.join(self.names)}"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"scores": [float(score) for score in self.scores]}


def protocol_rules(source: str) -> PokerRules:
    """Return the rules of a `.game` file, or of a game of the catalogue, seats in the order of the protocol's positions."""
    if source.endswith(".game") or Path(source).is_file():
        return read_game(Path(source))
    rules = game(source).rules
    if not isinstance(rules, PokerRules):
        raise UsageError(f"{source} is no poker game (accepted: poker games, FILE.game)")
    return in_positions(rules)


def in_positions(rules: PokerRules) -> PokerRules:
    """Return a game with its seats in the order of the protocol's positions: position 0 acts first on the last street."""
    return replace(rotated(rules, rules.streets[-1].first), menu=None)


def dealt_cards(rules: PokerRules, seed: int) -> Iterator[Cards]:
    """Yield the cards of one hand after another: hole cards by position, then the board."""
    if not 0 <= seed <= MAX_SEED:
        raise UsageError(f"seed={seed} (accepted: 0 to {MAX_SEED})")
    suits, size = rules.deck.suit_count, rules.deck.size
    order = [rank * suits + suit for suit in range(suits) for rank in range(len(rules.deck.ranks))]
    needed = sum(street.hole * rules.seats + street.board for street in rules.streets)
    generator = np.random.RandomState(seed)  # the only one seeded as the protocol's
    while True:
        deck, cards = order.copy(), []
        for left, number in zip(
            range(size, 0, -1), generator.randint(0, 2**32, needed, dtype=np.uint32).tolist(), strict=False
        ):
            cards.append(deck[number % left])
            deck[number % left] = deck[left - 1]
        yield tuple(cards)


def log_header(name: str, source: str, hands: int, seed: int, limits: Limits) -> list[str]:
    """Return the comments that begin a log."""
    times = {"t_response": limits.response, "t_hand": limits.hand, "t_per_hand": limits.per_hand}
    about = f"# name/game/hands/seed {name} {source} {hands} {seed}"
    return [about, *(f"#--{key} {round(1000 * value)}" for key, value in times.items())]


def deal_match(
    rules: PokerRules,
    players: Sequence[Player],
    names: Sequence[str],
    hands: int,
    *,
    seed: int = 0,
    log: Callable[[str], None] | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> DealtMatch:
    """Play a match; `players` in seat order, who move on by one position each hand. `log` gets a line as each hand ends."""
    seats, log = rules.seats, log or (lambda line: None)
    if len(players) != seats or len(names) != seats:
        raise UsageError(f"{len(players)} players for {rules.name} (accepted: {seats})")
    if hands < 1:
        raise UsageError(f"hands={hands} (accepted: 1 or more)")
    scores, played, failure = [Fraction(0)] * seats, 0, ""
    habits = [NO_HABITS] * seats
    for number, cards in enumerate(islice(dealt_cards(rules, seed), hands)):
        order = [(position + number) % seats for position in range(seats)]
        known = [habits[seat] for seat in order] if seats == 2 else []
        try:
            hand = played_hand(rules, [players[seat] for seat in order], cards, known)
        except PlayerFailed as error:
            failure = str(error)
            break
        except KeyboardInterrupt:
            if stop is None or not stop():
                raise
            break
        assert hand.outcome is not None
        for position, seat in enumerate(order):
            scores[seat] += hand.outcome.payoffs[position]
            habits[seat] = more_habits(habits[seat], hand, position)
        log(write_state(State(number, hand, names=tuple(names[seat] for seat in order))))
        played += 1
        if watch is not None:
            watch(played / hands)
        if stop is not None and stop():
            break
    changed = tuple(getattr(player, "changed", 0) for player in players)
    result = DealtMatch(rules.name, tuple(names), tuple(scores), played, seed, played == hands, failure, changed)
    if result.done:
        log(result.line)
    return result


def local_player(name: str, registry: Registry, random: Random, table: PokerRules | None = None) -> tuple[Player, PokerRules]:
    """Return a player of the registry and the table it sits at, seats in the order of the protocol's positions.

    Without a table, an agent's own game is played. Tables of policies are read here, so that no move of a match waits for them.
    """
    entry = registry.resolve(name)
    if entry.path is None:
        if table is None:
            raise UsageError(f"{name} plays {registry.games_of(entry)}: say which one")
        of, first = _own_game(table)
        return _warmed(reseated(registry.player(name, of, random), table, first), table, random), table
    policy = registry.read(entry)
    own = policy.game.rules
    if not isinstance(own, PokerRules):
        raise UsageError(f"{name} plays {policy.game.spec} (accepted: agents of poker games)")
    table = table or in_positions(own)
    shift = seat_shift(own, table)
    if shift is None:
        raise UsageError(f"{name} plays {policy.game.spec}, whose rules are not those of {table.name}")
    return _warmed(reseated(registry.policy_player(policy, entry, random), table, shift), table, random), table


def _own_game(table: PokerRules) -> tuple[Game, int]:
    """Return the game of the catalogue with a table's rules, else the table itself, and the table's seat that is seat 0."""
    blinds = [blind for blind in table.blinds if blind]
    amounts = {"stack": table.stack, "small_blind": min(blinds), "seats": table.seats} if table.stack and blinds else {}
    for name, entry in CATALOG.items():
        options = {option: value for option, value in amounts.items() if option in entry.options}
        try:
            of = game(name, **options)
        except UsageError:  # an amount out of range
            continue
        shift = seat_shift(of.rules, table)
        if shift is not None:
            return of, shift
    return Game(table), 0


def _warmed(player: Player, table: PokerRules, random: Random) -> Player:
    """Let a policy's player move once on every street of every seat; the moves that it draws later are the same."""
    if not isinstance(player.player if isinstance(player, Reseated) else player, PolicyPlayer):
        return player
    state = random.getstate()
    for seat in range(table.seats):
        hand, cards = Hand(table), iter(range(table.deck.size))
        while hand.outcome is None:
            if (due := hand.due) is not None:
                hand.deal(tuple(next(cards) for _ in range(due.count)))
                continue
            if hand.player == seat:
                player.act(view_of(hand, seat))
            hand.play("c" if hand.can_call() else "f")
    random.setstate(state)
    return player


def open_address(address: str, of: Game, random: Random, *, tell: Tell | None = None, stop: Stop | None = None) -> Player:
    """Return the program that connects to `acpc://HOST:PORT` as a player of a game; wait until it does."""
    host, colon, port = address.partition("://")[2].rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdecimal():
        raise UsageError(f"{address!r} (accepted: acpc://HOST:PORT, such as acpc://127.0.0.1:18791)")
    if not isinstance(of.rules, PokerRules):
        raise UsageError(f"{address} plays poker games, not {of.spec}")
    seat = Seat(host, int(port))
    if tell is not None:
        tell(f"waiting for a program at {host} {seat.port}, for {WAIT:g} s at most")
    program = seat.wait(address, Limits(), seconds=WAIT, tell=tell, stop=stop)
    return Reseated(program, replace(of.rules, menu=None), of.rules.streets[-1].first)


def deal(
    source: str,
    names: Sequence[str],
    registry: Registry,
    *,
    hands: int,
    seed: int = 0,
    ports: Sequence[int] = (),
    host: str = "127.0.0.1",
    limits: Limits | None = None,
    wait: float = WAIT,
    log: Callable[[str], None] | None = None,
    name: str = "match",
    tell: Tell | None = None,
    hear: Tell | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> DealtMatch:
    """Deal a match between players of the registry and programs, whose seats are named `tcp`.

    `tell` hears what a user should know, `hear` every line on the wire.
    """
    rules = protocol_rules(source)
    if len(names) != rules.seats:
        raise UsageError(f"{len(names)} players for {rules.name} (accepted: {rules.seats})")
    if len(ports) not in (0, names.count(TCP)):
        raise UsageError(f"{len(ports)} ports (accepted: none, or one for each of {names.count(TCP)} seats named {TCP})")
    limits = replace(limits or Limits(), hands=hands)
    left, waiting, players = list(ports), dict[int, Seat](), dict[int, Player]()
    shown = [f"p{number + 1}" if each == TCP else each.translate(_IN_LOGS) for number, each in enumerate(names)]
    try:
        for number, each in enumerate(names):
            if each == TCP:
                waiting[number] = Seat(host, left.pop(0) if left else 0)
                (tell or (lambda line: None))(f"seat {number + 1} waits at {host} {waiting[number].port}")
        for number, (each, own) in enumerate(zip(names, streams(seed, len(names)), strict=True)):
            if each != TCP:
                players[number] = local_player(each, registry, Random(own), rules)[0]
        for number, seat in waiting.items():
            players[number] = seat.wait(shown[number], limits, seconds=wait, tell=tell, hear=hear, stop=stop)
        for line in log_header(name, source, hands, seed, limits):
            (log or (lambda line: None))(line)
        order = [players[number] for number in range(len(names))]
        return deal_match(rules, order, shown, hands, seed=seed, log=log, watch=watch, stop=stop)
    finally:
        for player in players.values():
            close(player)
        for seat in waiting.values():
            seat.close()
