"""The coach reviews a finished hand: the EV of each move against these opponents, the EV loss, and what others would do.

In games whose deals are listed, EVs are exact (`evaluation.action_values`): the mean over everything that the person could
not see. So they are in hold'em for two on turn and river (`evaluation.decision_values`); before, cards are sampled. What an
equilibrium does is solved from the turn on (`evaluation.solved_decisions`). At other tables of hold'em the coach reports how
likely the opponent's own strategy makes each move in the person's place. A review depends only on what the person has seen,
so it reveals nothing about cards that were never shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from smoothcall.agents.batch_player import BatchPlayer, batch_player_of
from smoothcall.agents.fixed import Fixed, Strategy
from smoothcall.agents.view import view_of_betting
from smoothcall.errors import UsageError
from smoothcall.evaluation.action_values import ActionValues, action_values
from smoothcall.evaluation.aivat import decisions, game_of, verify_cards, verify_seats, why_not
from smoothcall.evaluation.decision_values import WORK, DecisionValues, HoldemDecisions
from smoothcall.evaluation.policy_match import table_notes
from smoothcall.evaluation.solved_decisions import WORK as SOLVED_WORK
from smoothcall.evaluation.solved_decisions import SolvedDecision, solved_decisions
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
    ev: float | None  # if the person plays a best response afterwards; before the flop, as the opponent's strategy would
    ev_loss: float | None  # EV of the best move less EV of this one
    equilibrium: float | None  # its probability in an equilibrium
    agent: float | None  # its probability in the opponent's strategy, in the person's place
    half_width: float | None = None  # of the 95 % interval of the EV; None where it is exact
    ev_loss_half_width: float | None = None  # of that of the EV loss
    solved_ev_loss: float | None = None  # where both sides play the solved equilibrium; from the turn on in hold'em


@dataclass(frozen=True, slots=True)
class RangeCell:
    """A class of starting hands in the opponent's range."""

    label: str  # "AKs"
    share: float  # of the range
    kept: float  # the mean weight of its hands, as a share of the class with the greatest


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of the person."""

    street: int
    betting: str  # before it
    key: str  # of the information state
    chosen: str  # the letter of the move that was made
    moves: tuple[MoveAdvice, ...]  # fold, check or call, raises from small to large
    label: str = ""  # what the explorer calls the person's cards at this spot of the opponent's strategy; "" without one
    equity: float | None = None  # of the person's hand against the opponent's range, in hold'em for two
    equity_half_width: float | None = None  # of its 95 % interval; None where it is exact
    pot_odds: float | None = None  # the equity that a call needs; None with nothing to call
    samples: int = 0  # boards behind the EVs; 0 where they are exact
    grid: tuple[tuple[RangeCell, ...], ...] = ()  # the opponent's range: suited hands above the diagonal, offsuit below
    exploitability: float | None = None  # of the solved equilibrium, as a share of the pot
    note: str = ""  # why a figure is missing

    @property
    def ev_loss(self) -> float | None:
        return next(move.ev_loss for move in self.moves if move.letter == self.chosen)


@dataclass(frozen=True, slots=True)
class Review:
    decisions: tuple[Decision, ...]
    ev_loss: float | None  # chips, summed over all decisions
    note: str  # explains the figures to people
    more: bool = False  # whether a longer computation has more to say


KEPT = 8  # reviews in memory
LONGER = 12  # times the work of a first review, in a longer one


class Coach:
    """Reviews a person's hands against fixed opponents; `others` maps every other seat to its player."""

    def __init__(
        self,
        game: Game,
        seat: int,
        others: Mapping[int, Fixed],
        equilibrium: Policy | None = None,
        *,
        work: float = 1.0,
        solve: bool = True,
    ) -> None:
        """`work`: of the usual number of sampled boards; `solve`: what an equilibrium does, in hold'em for two."""
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
        self._batch_player = _batch_player(self.agent)
        self.work, self.solve = work, solve
        self.on_ranges = self.game.abstraction is not None and game.players == 2 and self.agent is not None
        self._known: dict[tuple[Cards, tuple[Cards, ...], str, bool], Review] = {}  # reviews on ranges, latest last

    @property
    def note(self) -> str:
        """What a review explains; of a batch policy in hold'em, the first one, which is not on ranges."""
        if self.on_ranges and self._batch_player is None:
            return self.note_on_ranges
        if self.exact:
            return "EVs are exact: chips per hand against these opponents if you play a best response from then on."
        if self.agent is None:
            return "These opponents play by fixed rules: there is no strategy to compare your moves with."
        several = "the first opponent's" if len(self.others) > 1 else "your opponent's"
        return f"Percentages show what {several} strategy would do in your place."

    @property
    def note_on_ranges(self) -> str:
        return (
            "EVs are chips won in the whole hand against your opponent's strategy. From the flop on you play a best "
            "response after the move; before the flop you go on as your opponent's strategy would. Turn and river are "
            "exact; where cards are sampled, the 95 % interval is given."
            + "".join(f" {line}." for line in table_notes(["Your opponent"], [self.agent.policy if self.agent else None]))
        )

    def review(
        self,
        hole: Cards,
        boards: Sequence[Cards],
        betting: str,
        *,
        longer: bool = False,
        check: Callable[[], None] | None = None,
    ) -> Review:
        """Review a finished hand from what the person saw; `boards` has one item per street, the first empty.

        `longer`: in hold'em, sample LONGER times as many boards and solve the turn too; a batch policy is tabulated only then,
        which takes seconds. `check` is called from time to time and may raise to stop.
        """
        rules = self.game.rules
        assert isinstance(rules, PokerRules)
        verify_cards(rules, hole, boards, betting)
        if self.on_ranges and (longer or self._batch_player is None):
            given = (tuple(hole), tuple(map(tuple, boards)), betting, longer)
            known = self._known.get(given)
            if known is None:
                known = self._known[given] = self._review_on_ranges(*given, check or (lambda: None))
                if len(self._known) > KEPT:
                    self._known.pop(next(iter(self._known)), None)
            return known
        listed = action_values(self.game, self.seat, self.others) if self.exact else None
        found = tuple(
            self._decision(state, hole, boards[: state.street + 1], chosen, listed)
            for state, chosen in decisions(rules, self.seat, betting)
        )
        lost = [decision.ev_loss for decision in found]
        total = None if listed is None else sum(each for each in lost if each is not None)
        return Review(found, total, self.note, more=self.on_ranges and bool(found))

    def _review_on_ranges(
        self, hole: Cards, boards: tuple[Cards, ...], betting: str, longer: bool, check: Callable[[], None]
    ) -> Review:
        assert self.agent is not None
        work = self.work * (LONGER if longer else 1)
        values = HoldemDecisions(self.game, self.seat, self.agent, work=int(work * WORK))
        valued = values.review(hole, boards, betting, check=check)
        check()
        about = (self.game, self.seat, values.policy, hole, boards, betting)
        how: dict[str, Any] = {"work": int(work * SOLVED_WORK), "all_streets": longer, "check": check}
        solved = solved_decisions(*about, **how) if self.solve else {}
        found = tuple(self._on_ranges(each, hole, boards, solved.get(each.state.text)) for each in valued)
        lost = [decision.ev_loss for decision in found]
        more = not longer and any(each.samples or (each.street >= 2 and each.exploitability is None) for each in found)
        total = sum(each for each in lost if each is not None) if any(each is not None for each in lost) else None
        return Review(found, total, self.note_on_ranges if found else "", more)

    def _on_ranges(
        self, valued: DecisionValues, hole: Cards, boards: Sequence[Cards], solved: SolvedDecision | None
    ) -> Decision:
        state, names = valued.state, self.game.rules.deck.names  # type: ignore[union-attr]
        spot = (hole, boards[: state.street + 1], state.text)
        agent = self._agent_shares(state, hole, spot[1]) or {}
        key = f"{'/'.join(names(cards) for cards in (hole, *spot[1]) if cards)}:{state.text}"
        moves, samples = [], 0
        best = max(solved.evs.values()) if solved is not None else 0.0
        for letter in _in_order({*(letter for letter in state.slots if letter), *valued.actions, *agent, valued.chosen}):
            known = valued.actions.get(letter)
            sampled = known is not None and not known.ev.exact
            samples = max(samples, known.ev.count if known is not None else 0)
            moves.append(
                MoveAdvice(
                    letter,
                    move_name(state, letter),
                    None if known is None else known.ev.mean,
                    None if known is None else known.loss.mean,
                    None if solved is None else solved.shares.get(letter, 0.0),
                    agent.get(letter, 0.0),
                    known.ev.half_width() if known is not None and sampled else None,
                    known.loss.half_width() if known is not None and sampled else None,
                    None if solved is None or letter not in solved.evs else best - solved.evs[letter],
                )
            )
        return Decision(
            street=state.street,
            betting=state.text,
            key=key,
            chosen=valued.chosen,
            moves=tuple(moves),
            label=label_at(self.agent.policy.game, *spot) if self.agent is not None else "",
            equity=valued.equity.mean,
            equity_half_width=None if valued.equity.exact else valued.equity.half_width(),
            pot_odds=valued.pot_odds,
            samples=samples,
            grid=self._grid(valued),
            exploitability=None if solved is None else solved.exploitability,
            note=valued.note,
        )

    def _grid(self, valued: DecisionValues) -> tuple[tuple[RangeCell, ...], ...]:
        """Return the opponent's range by classes of hands, highest ranks first."""
        known = self.game.abstraction
        assert known is not None
        total = np.bincount(known.cards.preflop, valued.reach, len(known.classes))
        count = np.bincount(known.cards.preflop, valued.reach > 0, len(known.classes))
        mean = total / np.maximum(count, 1)
        cells = {
            name: RangeCell(name, float(total[n] / total.sum()), float(mean[n] / mean.max()))
            for n, name in enumerate(known.classes)
        }
        ranks = known.deck.ranks[::-1]
        return tuple(tuple(cells[_class(ranks, row, column)] for column in range(len(ranks))) for row in range(len(ranks)))

    def _decision(
        self, state: Betting, hole: Cards, boards: Sequence[Cards], chosen: str, known: ActionValues | None
    ) -> Decision:
        spot, names = (hole, boards, state.text), self.game.rules.deck.names  # type: ignore[union-attr]
        agent, equilibrium = self._agent_shares(state, hole, boards), _shares(self.equilibrium, *spot)
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
            for letter in _in_order(letters)
        )
        label = "" if self.agent is None else label_at(self.agent.policy.game, *spot)
        return Decision(state.street, state.text, key, chosen, moves, label)

    def _agent_shares(self, state: Betting, hole: Cards, boards: Sequence[Cards]) -> dict[str, float] | None:
        """Return the agent's probability of each move. A batch policy answers for these cards, and is not tabulated."""
        if self._batch_player is None:
            return _shares(self.agent, hole, boards, state.text)
        shown = [hole if place == self.seat else () for place in range(self.game.players)]
        return self._batch_player.moves(view_of_betting(state, self.seat, shown, boards))


def _batch_player(player: Strategy | None) -> BatchPlayer | None:
    """Return the player of a hold'em batch policy that observes the hand; None for any other."""
    found = None if player is None or not player.policy.game.sampled else batch_player_of(player.policy, greedy=player.greedy)
    return found if found is not None and found.observes else None


def _shares(player: Strategy | None, hole: Cards, boards: Sequence[Cards], betting: str) -> dict[str, float] | None:
    """Return a strategy's probability of each move with these cards, None without a strategy."""
    if player is None:
        return None
    row = row_like(player.policy.game, hole, boards, betting)
    if row is None:
        return {"c": 1.0}
    return {letter: float(probability) for letter, probability in player.moves(betting, row).items()}


def _in_order(letters: set[str]) -> list[str]:
    """Return moves in the order of a review: fold, check or call, raises from small to large."""
    return sorted(letters, key=lambda letter: ("fcr".index(letter[0]), int(letter[1:] or 0)))


def _class(ranks: str, row: int, column: int) -> str:
    """Return the class of a place in a grid of starting hands."""
    if row == column:
        return ranks[row] * 2
    return f"{ranks[row]}{ranks[column]}s" if row < column else f"{ranks[column]}{ranks[row]}o"
