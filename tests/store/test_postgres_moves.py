"""One statement for the moves of many: each gets its own answer, and nobody waits for what another has locked."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest

from smoothcall.errors import Conflict, Forbidden
from smoothcall.store.gathering import Pending
from smoothcall.store.histories import Histories
from smoothcall.store.postgres_moves import UNFINISHED
from tests.conftest import PATIENCE
from tests.databases import postgres
from tests.store.test_histories import THEN, _begun, _ending, _table


def _saved(hand: int, betting: str, after: int) -> dict[str, Any]:
    return {"hand": hand, "after": after, "betting": betting, "moves": after + 1, **UNFINISHED}


def _answers(carry_out: Any, *asked: Any) -> list[Any]:
    """Return the answers to a group."""
    group = [Pending[Any, Any](each, PATIENCE) for each in asked]
    carry_out(group)
    return [each.result for each in group]


def test_one_statement_carries_out_the_moves_of_many() -> None:
    with postgres() as url:
        histories = Histories(url)
        moves = histories._moves
        assert moves is not None
        rows = [_table(histories, f"t{place}") for place in range(4)]
        first, second, third, fourth = (histories.add_table(row, _begun()) for row in rows)
        with psycopg.connect(url) as other:
            other.execute("SELECT id FROM hands WHERE id = %s FOR UPDATE", [third.id])
            asked = [_saved(first.id, "c", 0), _saved(first.id, "r", 0), _saved(second.id, "c", 1), _saved(third.id, "c", 0)]
            last = {**_saved(fourth.id, "cc", 0), "moves": 2, **{name: getattr(_ending(), name) for name in UNFINISHED}}
            assert _answers(moves._save, *asked, last) == [True, False, False, False, True]  # twice, stale, locked
        assert [histories.last_hand(f"t{place}").betting for place in range(4)] == ["c", "", "", "cc"]
        found = histories.last_hand("t3")
        assert (found.ended, found.payoffs, found.won, found.marks) == (THEN, ("1", "-1"), 1.0, {"vpip": True})
        with pytest.raises(Conflict):
            histories.save(second.id, "c", 2, after=1, ending=None)
        histories.save(third.id, "c", 1, after=0, ending=None)

        assert histories.add_hand(rows[3], _begun(2)).number == 2
        with pytest.raises(Conflict):
            histories.add_hand(rows[3], _begun(2))
        histories.save(first.id, "cc", 2, after=1, ending=_ending())
        histories.close_table("t0", THEN)
        with pytest.raises(Forbidden):
            histories.add_hand(rows[0], _begun(2))
        assert _answers(moves._read_sign_ins, "nobody") == [None]
        histories.close()


def test_a_move_waits_for_a_row_that_another_has_locked() -> None:
    with postgres() as url:
        histories, outcomes = Histories(url), list[str]()
        hand = histories.add_table(_table(histories), _begun())

        def move() -> None:
            histories.save(hand.id, "c", 1, after=0, ending=None)
            outcomes.append("saved")

        with psycopg.connect(url) as other, psycopg.connect(url, autocommit=True) as third:
            other.execute("SELECT id FROM hands WHERE id = %s FOR UPDATE", [hand.id])
            thread = threading.Thread(target=move)
            thread.start()
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE%'"
            while thread.is_alive() and third.execute(waiting).fetchone() == (0,):
                pass
            assert outcomes == []
            other.rollback()
        thread.join()
        assert outcomes == ["saved"]
        histories.close()
