"""Sizes known beforehand: counted by hand, by OpenSpiel, or in the papers."""

from __future__ import annotations

import numpy as np
import pytest

import smoothcall as sc
from tests.conftest import built


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("spec", "nodes", "deals", "states"),
    [
        ("rps", 1 + 3 + 9, 1, 2),
        ("kuhn", 9, 6, 12),  # bahuguna2018: 9 nodes; 6 information states a player
        ("kuhn-3p", 25, 24, 48),  # bahuguna2018: 25 nodes; Szafron et al. 2013: 16 observations a player
        ("leduc", 85, 24, 288),  # 144 a player with suits merged (ivan-alles/poker-acpc)
        ("leduc:suits=apart", 85, 120, 936),  # OpenSpiel: 936
    ],
)
def test_sizes(spec: str, nodes: int, deals: int, states: int) -> None:
    game = built(spec)
    assert len(game.tree.kind) == nodes
    assert game.deals.count == deals
    assert game.tree.rows == states
    assert len(game.information_states()) == states


def test_leduc_weights_are_exact() -> None:
    """Of 120 deals, those of three ranks stand for 8 each, those with a pair for 4: 6 x 8 + 18 x 4 = 120."""
    weights = built("leduc").deals.weight
    assert sorted(np.round(weights * 120, 12)) == [4.0] * 18 + [8.0] * 6


def test_leduc_terminal_histories_match_openspiel() -> None:
    """OpenSpiel's Leduc has 5,520 terminal histories with suits told apart: folds before the board have no board card."""
    game = built("leduc:suits=apart")
    early = np.count_nonzero(game.tree.round[game.tree.endings] == 0)
    late = np.count_nonzero(game.tree.round[game.tree.endings] == 1)
    assert early * 30 + late * 120 == 5520


def test_keys_are_those_of_the_documentation() -> None:
    assert built("rps").information_states() == [":", ":"]
    assert built("kuhn").information_states(0) == ["J:", "Q:", "K:", "J:cr", "Q:cr", "K:cr"]
    assert "K/Q:crrc/r" in built("leduc").information_states(1)
    assert "K/Q:crrc/" in built("leduc").information_states(0)
    assert "Kh/Qs:crrc/r" in built("leduc:suits=apart").information_states(1)
    assert "A:ccrf" in built("kuhn-3p").information_states(1)


def test_wrong_keys_and_players() -> None:
    game = built("leduc")
    with pytest.raises(sc.UsageError, match="'K/Z:crrc/r' cannot occur in leduc"):
        game.rows("K/Z:crrc/r")
    with pytest.raises(sc.UsageError, match="player 0 has no information state 'K/Q:crrc/r'"):
        game.rows("K/Q:crrc/r", 0)
    with pytest.raises(sc.UsageError, match=r"player 2 \(accepted: 0 to 1\)"):
        game.information_states(2)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("leduk", "unknown game 'leduk'; did you mean 'leduc'"),
        ("kuhn:pot=3", "pot=3 of kuhn"),
        ("kuhn:pot=0", "pot=0"),
        ("kuhn:pot=many", "pot=many"),
        ("kuhn:pott=2", "unknown option of kuhn 'pott'; did you mean 'pot'"),
        ("kuhn:pot", "name=value"),
        ("kuhn:suits=apart", "unknown option of kuhn 'suits'"),
        ("leduc:suits=some", "suits=some"),
    ],
)
def test_wrong_games(spec: str, message: str) -> None:
    with pytest.raises(sc.UsageError) as caught:
        sc.game(spec)
    assert message in str(caught.value)


def test_options_in_the_name_and_as_arguments_are_the_same() -> None:
    assert sc.game("kuhn:pot=8").spec == sc.game("kuhn", pot=8).spec == "kuhn:pot=8"
    assert sc.game("kuhn", pot=2).spec == "kuhn"
    assert sc.game("kuhn:pot=8").tree.paid[0].tolist() == [4, 4]


def test_forgetful_buckets_are_refused() -> None:
    """Full-width algorithms need players who remember: a board that hides the own card is told, not miscounted."""
    from dataclasses import replace

    game = sc.game("leduc")
    deals = game.deals
    forgetful = deals.bucket.copy()
    forgetful[:, :, 1] = forgetful[:, :, 1] % 3
    game.__dict__["deals"] = replace(deals, bucket=forgetful, labels=(deals.labels[0], deals.labels[1][:3]))
    with pytest.raises(sc.UsageError, match="perfect recall"):
        _ = game.form
