"""The coach reviews a finished hand: the EV of each move against these opponents, the EV loss, and what others would do.

In games whose deals are listed, EVs are exact (`evaluation.action_values`): the mean over everything that the person could
not see. In hold'em the coach reports how likely the opponent's own strategy makes each move in the person's place. A review
depends only on what the person has seen, so it reveals nothing about cards that were never shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from smoothcall.agents.fixed import Fixed, Strategy
from smoothcall.errors import UsageError
from smoothcall.evaluation.action_values import ActionValues, action_values
from smoothcall.evaluation.aivat import decisions, game_of, verify_cards, verify_seats, why_not
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.notation import move_name
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.translation import row_like, same_table
from smoothcall.play.explorer import label_at
from smoothcall.policy import Policy


@dataclass(frozen=True, slots=True)
class MoveAdvice:
    """A legal move. EVs are in chips per hand; None where a figure is unknown."""

    letter: str
    name: str  # "Fold", "Check", "Call 10", "Bet 10", "Raise to 40"
    ev: float | None  # if the person plays a best response afterwards
    ev_loss: float | None  # EV of the best move less EV of this one
    equilibrium: float | None  # its probability in an equilibrium
    agent: float | None  # its probability in the opponent's strategy, in the person's place


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of the person."""

    street: int
    betting: str  # before it
    key: str  # of the information state
    chosen: str  # the letter of the move that was made
    moves: tuple[MoveAdvice, ...]  # fold, check or call, raises from small to large
    label: str = ""  # what the explorer calls the person's cards at this spot of the opponent's strategy; "" without one

    @property
    def ev_loss(self) -> float | None:
        return next(move.ev_loss for move in self.moves if move.letter == self.chosen)


@dataclass(frozen=True, slots=True)
class Review:
    decisions: tuple[Decision, ...]
    ev_loss: float | None  # chips, summed over all decisions
    note: str  # explains the figures to people


class Coach:
    """Reviews a person's hands against fixed opponents; `others` maps every other seat to its player."""

    def __init__(self, game: Game, seat: int, others: Mapping[int, Fixed], equilibrium: Policy | None = None) -> None:
        if not isinstance(game.rules, PokerRules):
            raise UsageError(f"the coach knows poker, not {game.spec}")
        verify_seats(game, seat, others)
        if equilibrium is not None and not same_table(equilibrium.game.rules, game.rules):
            raise UsageError(f"this policy plays {equilibrium.game.spec}, not {game.spec}")
        self.game, self.seat, self.others = game_of(game, others), seat, dict(others)
        self.equilibrium = None if equilibrium is None else Strategy(equilibrium)
        self.exact = not game.sampled and not why_not(game, others)
        round_table = [others[(seat + place) % game.players] for place in range(1, game.players)]
        self.agent = next((player for player in round_table if isinstance(player, Strategy)), None)

    @property
    def note(self) -> str:
        if self.exact:
            return "EVs are exact: chips per hand against these opponents if you play a best response from then on."
        if self.agent is None:
            return "These opponents play by fixed rules: there is no strategy to compare your moves with."
        several = "the first opponent's" if len(self.others) > 1 else "your opponent's"
        return f"Percentages show what {several} strategy would do in your place."

    def review(self, hole: Cards, boards: Sequence[Cards], betting: str) -> Review:
        """Review a finished hand from what the person saw; `boards` has one item per street, the first empty."""
        rules = self.game.rules
        assert isinstance(rules, PokerRules)
        verify_cards(rules, hole, boards, betting)
        known = action_values(self.game, self.seat, self.others) if self.exact else None
        found = tuple(
            self._decision(state, hole, boards[: state.street + 1], chosen, known)
            for state, chosen in decisions(rules, self.seat, betting)
        )
        lost = [decision.ev_loss for decision in found]
        return Review(found, None if known is None else sum(each for each in lost if each is not None), self.note)

    def _decision(
        self, state: Betting, hole: Cards, boards: Sequence[Cards], chosen: str, known: ActionValues | None
    ) -> Decision:
        spot, names = (hole, boards, state.text), self.game.rules.deck.names  # type: ignore[union-attr]
        agent, equilibrium = _shares(self.agent, *spot), _shares(self.equilibrium, *spot)
        letters = {letter for letter in (*state.slots, *(agent or ()), chosen) if letter is not None}
        key = f"{'/'.join(names(cards) for cards in (hole, *boards) if cards)}:{state.text}"
        ev: dict[str, float] = {}
        if known is not None:
            row = self.game.row_of(*spot)
            key = self.game.key(row)
            ev = {letter: float(known.table[row, self.game.actions.index(letter)]) for letter in letters}
        moves = tuple(
            MoveAdvice(
                letter,
                move_name(state, letter),
                ev.get(letter),
                max(ev.values()) - ev[letter] if ev else None,
                None if equilibrium is None else equilibrium.get(letter, 0.0),
                None if agent is None else agent.get(letter, 0.0),
            )
            for letter in sorted(letters, key=lambda letter: ("fcr".index(letter[0]), int(letter[1:] or 0)))
        )
        label = "" if self.agent is None else label_at(self.agent.policy.game, *spot)
        return Decision(state.street, state.text, key, chosen, moves, label)


def _shares(player: Strategy | None, hole: Cards, boards: Sequence[Cards], betting: str) -> dict[str, float] | None:
    """Return a strategy's probability of each move with these cards, None without a strategy."""
    if player is None:
        return None
    row = row_like(player.policy.game, hole, boards, betting)
    if row is None:
        return {"c": 1.0}
    return {letter: float(probability) for letter, probability in player.moves(betting, row).items()}
