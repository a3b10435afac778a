"""A player of the registry at a dealer of the ACPC protocol."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from smoothcall.agents.outside import Watcher
from smoothcall.agents.view import NO_HABITS, Habits, Player, View, more_habits, view_of_betting
from smoothcall.errors import PlayerFailed, UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.hand import settled
from smoothcall.games.rules import PokerRules
from smoothcall.interop.acpc import MatchState, read_match_state
from smoothcall.interop.acpc_wire import VERSION, Lines, Tell

CONNECT = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class ClientReport:
    """A match at a dealer, as its client saw it."""

    game: str
    hands: int  # that were finished
    decisions: int
    chips: float  # won in all
    first: float  # seconds from the first match state that asked for a move to the answer
    failure: str = ""
    stopped: bool = False  # by Ctrl-C

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Client:
    """Plays one match. `rules`: of the dealer's game, seats in the order of its positions."""

    def __init__(self, player: Player, rules: PokerRules) -> None:
        self.player, self.rules = player, rules
        self.hands, self.decisions, self.chips, self.first = 0, 0, 0.0, 0.0
        self._habits: Habits = NO_HABITS  # of the opponent at a table of two
        self._over = True  # whether the last state was the end of a hand

    def play(self, host: str, port: int, tell: Tell | None = None) -> ClientReport:
        """Connect and play until the dealer hangs up, or until Ctrl-C."""
        try:
            connection = socket.create_connection((host, port), timeout=CONNECT)
        except (OSError, OverflowError, UnicodeError) as error:
            raise PlayerFailed(f"there is no dealer at {host}:{port}: {getattr(error, 'strerror', None) or error}") from None
        connection.settimeout(None)
        lines, failure, stopped = Lines(connection, tell), "", False
        try:
            lines.send("VERSION:" + ".".join(map(str, VERSION)))
            self._talk(lines)
        except PlayerFailed as error:
            if not self.hands:
                raise
            failure = str(error)
        except KeyboardInterrupt:
            stopped = True
        finally:
            lines.close()
        return ClientReport(self.rules.name, self.hands, self.decisions, self.chips, self.first, failure, stopped)

    def _talk(self, lines: Lines) -> None:
        while (line := lines.receive()) is not None:
            start = time.monotonic()
            try:
                state = read_match_state(self.rules, line)
            except UsageError as error:
                raise PlayerFailed(f"the dealer sent what is no state of {self.rules.name}: {error}") from None
            letter = self._answer(state)
            if letter is not None:
                if not self.decisions:
                    self.first = time.monotonic() - start
                self.decisions += 1
                lines.send(f"{line}:{letter}")
        if not self._over:
            raise PlayerFailed(f"the dealer hung up in hand {self.hands}")
        if not self.hands:
            raise PlayerFailed("the dealer hung up before the first hand")

    def _answer(self, state: MatchState) -> str | None:
        """Return the move, None where another player is to act."""
        betting, seat = state.betting, state.seat
        view = view_of_betting(betting, seat, state.hole, state.boards, self._habits)
        self._over = betting.finished
        if betting.finished:
            view = self._finish(view, betting, state.hole, state.board)
        if isinstance(self.player, Watcher):
            self.player.watch(view)
        return self.player.act(view) if betting.player == seat else None

    def _finish(self, view: View, state: Betting, hole: Sequence[Cards], board: Cards) -> View:
        """Count a finished hand; return its view with the pay-offs, where all cards of the showdown are shown."""
        self.hands += 1
        if self.rules.seats == 2:
            self._habits = more_habits(self._habits, state, 1 - view.seat)
        if state.alive_count > 1 and not all(cards for cards, alive in zip(hole, state.alive, strict=True) if alive):
            raise PlayerFailed(f"the dealer sent a showdown without cards in hand {self.hands - 1}")
        outcome = settled(state, hole, board)
        self.chips += float(outcome.payoffs[view.seat])
        return replace(view, payoffs=outcome.payoffs)
