"""The page being written, with the agents it reports on and the matches between them."""

from __future__ import annotations

from dataclasses import dataclass

from smoothcall.evaluation.freezeouts import FreezeoutResult, play_freezeouts
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.agents import Tell
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.pricope2021.agents import Agents
from smoothcall.experiments.pricope2021.settings import SEED, Size
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.freezeouts import UNTIL_BROKE


@dataclass(frozen=True, slots=True)
class Report:
    """A page, the sizes of its experiments, and the trained agents."""

    page: Page
    size: Size
    game: Game
    agents: Agents
    tell: Tell

    @property
    def rules(self) -> PokerRules:
        assert isinstance(self.game.rules, PokerRules)
        return self.game.rules

    @property
    def stack(self) -> int:
        return self.rules.stack or 0

    @property
    def blind(self) -> int:
        return max(self.rules.blinds)

    def judged(self, passed: bool) -> bool | None:
        """Return the verdict on a claim; None in a quick run, which is too short for one."""
        return passed if self.size.full else None

    def play_freezeouts(self, one: str | BatchPolicy, other: str | BatchPolicy, freezeouts: int) -> FreezeoutResult:
        """Play freezeouts until one player is broke."""
        return self._play(one, other, freezeouts=freezeouts, length=UNTIL_BROKE)

    def play_hands(self, one: str | BatchPolicy, other: str | BatchPolicy, deals: int = 0) -> FreezeoutResult:
        """Play hands with full stacks: `deals` deals (by default `size.deals`), each in both seats."""
        return self._play(one, other, freezeouts=2 * (deals or self.size.deals), length=1)

    def _play(self, one: str | BatchPolicy, other: str | BatchPolicy, *, freezeouts: int, length: int) -> FreezeoutResult:
        players = [self.agents.players[each] if isinstance(each, str) else each for each in (one, other)]
        names = [each if isinstance(each, str) else type(each).__name__ for each in (one, other)]
        return play_freezeouts(
            self.rules,
            players,
            names=(names[0], names[1]),
            freezeouts=freezeouts,
            length=length,
            seed=SEED,
            abstraction=self.game.abstraction,
        )

    def mean_stack(self, result: FreezeoutResult) -> str:
        """Return the first player's average stack after a freezeout, with its interval."""
        return f"{self.stack + result.gain.mean:.1f} ± {result.gain.half_width():.1f}"

    def mbb(self, result: FreezeoutResult) -> str:
        return rounded(result.mbb(self.blind)) + " mbb/h"


def rounded(estimate: Estimate | None) -> str:
    return "x" if estimate is None else estimate.rounded
