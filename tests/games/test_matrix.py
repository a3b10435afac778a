import numpy as np
import pytest

from smoothcall.errors import UsageError
from smoothcall.games.catalog import RPS
from smoothcall.games.matrix import MatrixGame, zero_sum


def test_what_one_wins_the_other_loses() -> None:
    game = zero_sum("pennies", ("H", "T"), [[1, -1], [-1, 1]])
    assert game.seats == 2
    assert not game.payoffs.sum(axis=-1).any()
    assert game.payoffs[0, 1].tolist() == [-1, 1]


def test_rock_paper_scissors() -> None:
    rock, paper, scissors = range(3)
    assert RPS.payoffs[paper, rock, 0] == RPS.payoffs[rock, scissors, 0] == RPS.payoffs[scissors, paper, 0] == 1
    assert (RPS.payoffs[..., 0] == -RPS.payoffs[..., 0].T).all()


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((2, 3, 2), "pay-offs of shape (2, 3, 2) do not fit 2 actions"),
        ((2, 2, 3), "pay-offs of shape (2, 2, 3) do not fit 2 actions"),
        ((2, 1), "pay-offs of shape (2, 1) do not fit 2 actions"),
    ],
)
def test_wrong_shapes(shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(UsageError) as error:
        MatrixGame("odd", ("H", "T"), np.zeros(shape))
    assert message in str(error.value)


def test_payoffs_are_numbers() -> None:
    with pytest.raises(UsageError, match="pay-offs must be finite numbers"):
        zero_sum("odd", ("H", "T"), [[1, float("nan")], [0, 0]])
