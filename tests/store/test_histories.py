"""The database: what is written stays, what is stale is refused, and both kinds of database keep the same contract."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest
import sqlalchemy as sql

from smoothcall.errors import Conflict, StorageError, UsageError
from smoothcall.store import schema
from smoothcall.store.deadlines import within
from smoothcall.store.histories import Histories
from smoothcall.store.records import Begun, Ending, Filter, TableRow
from tests.databases import postgres

THEN = datetime(2026, 1, 2, 3, 4, 5)
DECK = (2, 0, 1)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'folder' / 'hands.sqlite'}"
    else:
        with postgres() as found:
            yield found


def _table(histories: Histories, id: str = "t", game: str = "kuhn", opponents: tuple[str, ...] = ("probe",)) -> TableRow:
    person = histories.person("token") or histories.add_person("token", THEN)
    return TableRow(id, person, game, opponents, "seed", THEN)


def _ending(won: float = 1.0, reason: str = "showdown", ended: datetime = THEN) -> Ending:
    return Ending(ended, reason, (f"{won:g}", f"{-won:g}"), won, {"vpip": True})


def _begun(number: int = 1, ending: Ending | None = None) -> Begun:
    return Begun(number, 0, DECK, "", 0, THEN, ending)


def test_what_is_written_is_there_for_the_next(url: str) -> None:
    first = Histories(url)
    row = _table(first)
    hand = first.add_table(row, _begun())
    first.save(hand.id, "cr", 2, after=0, ending=None)
    first.save(hand.id, "crc", 3, after=2, ending=_ending())
    first.add_hand(row, Begun(2, 1, DECK, "c", 1, THEN))
    first.close()
    again = Histories(url)
    assert again.person("token") == row.person
    assert again.person("another") is None
    assert again.table("t") == row
    assert again.table("u") is None
    assert [found.id for found in again.tables(row.person, 10)] == ["t"]
    last = again.last_hand("t")
    assert (last.number, last.seat, last.deck, last.betting, last.moves, last.ended) == (2, 1, DECK, "c", 1, None)
    done = again.hand(hand.id)
    assert done is not None
    assert (done.betting, done.reason, done.payoffs, done.won, done.marks) == (
        "crc",
        "showdown",
        ("1", "-1"),
        1.0,
        {"vpip": True},
    )
    assert [own for own, *_ in again.finished("t")] == [0]
    assert again.opponents_in_hand(row.person) == [("t", "probe")]
    again.close()


def test_stale_moves_and_second_hands_are_refused(url: str) -> None:
    histories = Histories(url)
    row = _table(histories)
    hand = histories.add_table(row, _begun())
    histories.save(hand.id, "c", 1, after=0, ending=None)
    with pytest.raises(Conflict):
        histories.save(hand.id, "r", 1, after=0, ending=None)
    histories.add_hand(row, _begun(2))
    with pytest.raises(Conflict):
        histories.add_hand(row, _begun(2))
    histories.save(hand.id, "cc", 2, after=1, ending=_ending())
    with pytest.raises(Conflict):  # over is over
        histories.save(hand.id, "ccc", 3, after=2, ending=None)
    found = histories.hand(hand.id)
    assert found is not None
    assert found.betting == "cc"
    histories.close()


def test_of_two_writers_one_wins(url: str) -> None:
    histories = Histories(url)
    hand = histories.add_table(_table(histories), _begun())
    wins, barrier = [], threading.Barrier(8)

    def write(letter: str) -> None:
        barrier.wait()
        try:
            histories.save(hand.id, letter, 1, after=0, ending=None)
            wins.append(letter)
        except Conflict:
            pass

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = histories.hand(hand.id)
    assert found is not None
    assert wins == [found.betting]
    histories.close()


def test_filters(url: str) -> None:
    histories = Histories(url)
    for id, game, opponents in (("t", "kuhn", ("probe",)), ("u", "leduc", ("leduc-cfr:greedy",)), ("v", "kuhn", ("a_b",))):
        row = _table(histories, id, game, opponents)
        histories.add_table(row, _begun())
        for number, (won, reason) in enumerate([(1, "fold"), (-2, "showdown"), (0, "showdown")], 2):
            ended = datetime(2026, 1, number, 23, 59)
            histories.add_hand(row, _begun(number, _ending(won, reason, ended)))
    person = histories.person("token")
    assert person is not None

    def found(**chosen: object) -> list[tuple[str, int]]:
        return [(row.table, row.number) for row in histories.hands(person, Filter(**chosen))]  # type: ignore[arg-type]

    assert len(found()) == 9
    assert {table for table, _ in found(game="kuhn")} == {"t", "v"}
    assert found(table="u") == [("u", 4), ("u", 3), ("u", 2)]
    assert {table for table, _ in found(opponent="leduc-cfr:greedy")} == {"u"}
    assert found(opponent="leduc-cfr") == []
    assert {table for table, _ in found(opponent="a_b")} == {"v"}
    assert found(opponent="axb") == []
    assert {number for _, number in found(result="won")} == {2}
    assert {number for _, number in found(result="lost")} == {3}
    assert {number for _, number in found(showdown=False)} == {2}
    assert {number for _, number in found(showdown=True)} == {3, 4}
    assert {number for _, number in found(since=date(2026, 1, 3))} == {3, 4}
    assert {number for _, number in found(until=date(2026, 1, 3))} == {2, 3}
    assert len(found(since=date.min, until=date.max)) == 9
    assert {table for table, _ in found(opponent="x", player_ids=("probe", "a_b"))} == {"t", "v"}
    assert len(histories.hands(person, Filter(), limit=4, offset=7)) == 2
    assert histories.count(person, Filter(game="kuhn")) == 6
    assert histories.count(person + 1, Filter()) == 0
    with pytest.raises(UsageError, match="accepted: won, lost"):
        found(result="drawn")
    histories.close()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "accepted: sqlite:///FILE"),
        ("mysql://somebody:secret@host/name", "accepted: sqlite:///FILE"),
        ("sqlite:////proc/none/hands.sqlite", "database"),
        ("postgresql://somebody:secret@127.0.0.1:1/name", "cannot be opened"),
    ],
)
def test_databases_that_cannot_be_opened(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        Histories(url)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "hands.sqlite").write_text("a diary\n" * 100)
    with pytest.raises(UsageError, match="cannot be opened"):
        Histories(f"sqlite:///{tmp_path / 'hands.sqlite'}")
    assert (tmp_path / "hands.sqlite").read_text() == "a diary\n" * 100


def test_tokens_are_kept_as_digests(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite"
    histories = Histories(f"sqlite:///{path}")
    histories.add_person("a-token-that-must-not-be-found", THEN)
    histories.close()
    assert b"a-token-that-must-not-be-found" not in path.read_bytes()


def test_a_database_that_somebody_else_holds(tmp_path: Path) -> None:
    """Nothing is changed, and it is said; afterwards all is well."""
    path = tmp_path / "hands.sqlite"
    histories = Histories(f"sqlite:///{path}")
    hand = histories.add_table(_table(histories), _begun())
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for write in (
            lambda: histories.save(hand.id, "c", 1, after=0, ending=None),
            lambda: histories.add_person("another", THEN),
        ):
            with pytest.raises(StorageError, match="nothing was changed"), within(0.05):
                write()
        assert histories.last_hand("t") == hand  # readers go on
        other.execute("ROLLBACK")
    histories.save(hand.id, "c", 1, after=0, ending=None)
    histories.close()


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite"
    Histories(f"sqlite:///{path}").close()
    assert path.stat().st_mode & 0o077 == 0


def test_matches_keep_their_stacks(url: str) -> None:
    histories = Histories(url)
    row = replace(_table(histories), freezeouts=3)
    histories.add_table(row, replace(_begun(ending=_ending(2)), stacks=(3, 3)))
    assert histories.table("t") == row
    assert histories.last_hand("t").stacks == (3, 3)
    assert histories.finished("t") == [(0, [2, -2], (3, 3), _ending(2).marks)]
    for number, (seat, stacks, won) in enumerate(
        [(1, (1, 5), -1.0), (0, (3, 3), -3.0), (1, (3, 3), 3.0), (0, (3, 3), -1.0)], 2
    ):
        histories.add_hand(row, Begun(number, seat, DECK, "", 0, THEN, _ending(won), stacks))
    found = histories.finished("t")
    assert [(seat, stacks) for seat, _, stacks, _ in found] == [(0, (3, 3)), (1, (1, 5)), (0, (3, 3)), (1, (3, 3)), (0, (3, 3))]
    assert [payoffs[seat] for seat, payoffs, _, _ in found] == [2, 1, -3, -3, -1]
    other = _table(histories, "u")
    histories.add_table(other, _begun(ending=_ending(1)))
    assert histories.table("u") == other
    assert histories.last_hand("u").stacks is None
    assert [stacks for _, _, stacks, _ in histories.finished("u")] == [None]
    histories.close()


@pytest.mark.parametrize("form", [schema.FORMAT - 1, schema.FORMAT + 1, 99])
def test_a_database_of_another_format_is_refused_and_left_alone(url: str, form: int) -> None:
    first = Histories(url)
    with first._engine.begin() as connection:
        connection.execute(sql.text(f"UPDATE about SET format = {form}"))
        connection.execute(sql.text("DROP TABLE hands"))
    first.close()
    with pytest.raises(UsageError, match=f"has the format {form}; this version reads {schema.FORMAT}"):
        Histories(url)
    engine = sql.create_engine(first._engine.url)
    assert sorted(sql.inspect(engine).get_table_names()) == sorted(set(schema.Base.metadata.tables) - {"hands"})
    engine.dispose()


def test_a_database_that_was_only_begun_is_finished(url: str) -> None:
    first = Histories(url)
    with first._engine.begin() as connection:
        connection.execute(sql.text("DELETE FROM about"))
        connection.execute(sql.text("DROP TABLE hands"))
    first.close()
    for _ in range(2):
        again = Histories(url)
        assert again.count(1, Filter()) == 0
        again.close()


def test_lists_are_json(url: str) -> None:
    """Other programs can query them."""
    histories = Histories(url)
    histories.add_table(_table(histories, opponents=("probe", "leduc-cfr")), _begun(ending=_ending()))
    with histories._engine.begin() as connection:
        backend = histories._engine.url.get_backend_name()
        second = "opponents ->> 1" if backend == "postgresql" else "json_extract(opponents, '$[1]')"
        assert connection.execute(sql.text(f"SELECT {second} FROM tables")).scalar() == "leduc-cfr"
        assert connection.execute(sql.text("SELECT count(*) FROM hands WHERE stacks IS NULL")).scalar() == 1
    histories.close()


def test_settings_and_closed_tables(url: str) -> None:
    first = Histories(url)
    row = _table(first)
    assert first.settings(row.person) == {}
    first.set_settings(row.person, {"deck": "two"})
    for id in ("t", "u"):
        hand = first.add_table(replace(row, id=id, cash=id == "u"), _begun())
        if id == "t":
            first.save(hand.id, "crc", 3, after=hand.moves, ending=_ending())
    first.close_table("t", THEN)
    first.close()
    again = Histories(url)
    assert again.settings(row.person) == {"deck": "two"}
    assert [(table.id, table.cash) for table in again.tables(row.person, 9)] == [("u", True)]
    assert again.table("t") == replace(row, closed=THEN)
    again.close()
