"""Reviews of hands from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from smoothcall.agents.fixed import Strategy
from smoothcall.agents.registry import Registry
from smoothcall.errors import UsageError
from smoothcall.evaluation.action_values import action_values
from smoothcall.play.review import review_hands
from tests.test_cli import call  # noqa: F401

LOG = """# hands of Leduc
STATE:0:rf:Ah|Qs:1|-1:hero|other
STATE:1:rc/rf:Qh|As/Ks:3|-3:other|hero
STATE:2:rf:Qh|Ks:1|-1:other|hero
STATE:3:crf:Ah|Qs:-1|1:hero|other
STATE:4:rf:Ah|Qs:1|-1:one|two
"""

ONE = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [50, 200]
players = ["a", "hero"]
actions = ["d dh p1 AhKh", "d dh p2 7c7d", "p2 f"]
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "some.log"
    path.write_text(LOG)
    return path


def test_decisions_cost_what_the_values_say(log: Path) -> None:
    """ACPC's A, K, Q are our K, Q, J; hand 3 folds a king to one bet, which is the worst decision."""
    found = review_hands([log], "hero", "leduc-cfr", Registry())
    assert (found.hands, found.decisions) == (4, 6)
    assert found.skipped == {"hero is not in the hand": 1}
    first = found.worst[0]
    assert (first.hand, first.key, first.chosen) == ("some.log 3", "K:cr", "Fold")
    policy = Registry().policy("leduc-cfr")
    values = action_values(policy.game, 0, {1: Strategy(policy)}).table
    row = policy.game.rows("K:cr")[0]
    assert first.ev_loss == pytest.approx(values[row, 1:].max() - values[row, 0])
    assert first.link.startswith("/explore/leduc-cfr?at=cr&cards=")
    assert found.ev_loss == pytest.approx(sum(each.ev_loss or 0 for each in found.worst))
    losses = [each.ev_loss or 0 for each in found.worst]
    assert losses == sorted(losses, reverse=True)
    assert all(loss >= -1e-9 for loss in losses)


def test_the_command(log: Path, call: Any) -> None:  # noqa: F811
    result = call("review", str(log), "--hero", "hero", "--by", "leduc-cfr", "--worst", "2")
    assert result.code == 0
    assert "4 hands, 6 decisions" in result.out
    assert "1 hands skipped: hero is not in the hand" in result.err
    assert len(json.loads(call("review", str(log), "--hero", "hero", "--by", "leduc-cfr", "--json").out)["worst"]) == 6


def test_players_who_are_not_in_the_file(log: Path, call: Any) -> None:  # noqa: F811
    result = call("review", str(log), "--hero", "Hero", "--by", "leduc-cfr")
    assert (result.code, result.out) == (2, "")
    assert result.err == ("smoothcall: 'Hero' plays in none of the hands (accepted: 'hero', 'other', 'one', 'two')\n")


def test_hands_that_are_all_skipped(tmp_path: Path, call: Any) -> None:  # noqa: F811
    (tmp_path / "one.phh").write_text(ONE)
    for words in ([], ["--json"]):
        result = call("review", "one.phh", "--hero", "hero", "--by", "leduc-cfr", *words)
        assert result.code == 1
        assert bool(result.out) == bool(words)
        assert result.err.splitlines() == [
            "1 hands skipped: the rules are not those of leduc",
            "smoothcall: no hand of hero was reviewed",
        ]


def test_logs_that_are_cut_off_and_logs_in_folders(log: Path) -> None:
    """A dealer that was killed leaves half a line; the hands before it are reviewed."""
    log.write_text(LOG + "STATE:5:rc/r")
    found = review_hands([log.parent], "hero", "leduc-cfr", Registry())
    assert (found.hands, found.decisions) == (4, 6)
    assert found.skipped == {"hero is not in the hand": 1, "some.log has lines that are no hand of leduc": 1}


def test_what_cannot_be_reviewed(log: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is scripted"):
        review_hands([log], "hero", "probe", Registry())
    with pytest.raises(UsageError, match="line 2: "):
        review_hands([log], "hero", "kuhn-lp", Registry())
    (tmp_path / "empty.phhs").write_text("")
    with pytest.raises(UsageError, match="there are no hands"):
        review_hands([tmp_path / "empty.phhs"], "hero", "leduc-cfr", Registry())
    (tmp_path / "one.phh").write_text(ONE)
    assert review_hands([tmp_path / "one.phh"], "hero", "leduc-cfr", Registry()).skipped == {
        "the rules are not those of leduc": 1
    }
