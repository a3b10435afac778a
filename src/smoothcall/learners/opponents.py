"""Fixed opponents of learners in freezeouts."""

from __future__ import annotations

from smoothcall.agents.stack_policies import PolicyByStack
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.information.game import Game
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy, sees_cards


def freezeout_opponent(opponent: Policy | BatchPolicy, game: Game, *, length: int, with_cards: bool) -> BatchPolicy:
    """Return an opponent as a batch policy in freezeouts of `length` hands; `with_cards`: whether observations have cards.

    A tabular policy knows hands with full stacks only, so it plays freezeouts of one hand.
    """
    if isinstance(opponent, Policy):
        if opponent.game.rules != game.rules:
            raise UsageError(f"an opponent that plays {opponent.game.spec}, not {game.spec}")
        if not isinstance(opponent, TabulatedPolicy):
            if length != 1:
                raise UsageError(
                    "an opponent that knows hands with full stacks only (accepted: length=1, or an agent that plays freezeouts)"
                )
            return PolicyByStack.whole(opponent)
        opponent = opponent.batch_policy
    if not hasattr(opponent, "probabilities"):
        raise UsageError(f"an opponent of type {type(opponent).__name__} (accepted: a Policy or BatchPolicy)")
    if sees_cards(opponent) and not with_cards:
        raise UsageError("an opponent that looks at cards (accepted here: opponents that look at equities)")
    return opponent
