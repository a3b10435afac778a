"""Databases that fail: what is said, what is in the log, and that nothing is acknowledged that was not kept."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from shutil import copyfile
from time import monotonic, sleep

import psycopg
import pytest
import sqlalchemy as sql

from smoothcall.errors import Conflict, StorageError, UsageError
from smoothcall.store import checkpoints
from smoothcall.store.deadlines import LIMIT, Stopped, check_stopped, remaining, stoppable, within
from smoothcall.store.gathering import NotInTime
from smoothcall.store.group_commit import CommitFailed, GroupCommit
from smoothcall.store.histories import Histories
from smoothcall.store.postgres import connect
from tests.conftest import PATIENCE
from tests.databases import postgres
from tests.store.test_histories import DECK, _begun, _table


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hands.sqlite"


@pytest.fixture
def histories(path: Path) -> Iterator[Histories]:
    made = Histories(f"sqlite:///{path}")
    yield made
    made.close()


def verify_no_secret(log: str) -> None:
    for secret in ("token", str(list(DECK)), ", ".join(map(str, DECK)), "seed", "127.0.0.1", "parameters: ["):
        assert secret not in log, secret


# PostgreSQL


def test_a_read_only_postgresql_is_a_storage_error_without_secrets(caplog: pytest.LogCaptureFixture) -> None:
    with postgres() as url:
        histories = Histories(url)
        row = _table(histories)
        hand = histories.add_table(row, _begun())
        with histories._engine.begin() as connection:
            alter = f'ALTER DATABASE "{sql.make_url(url).database}" SET default_transaction_read_only = on'
            connection.execute(sql.text(alter))
        histories._engine.dispose()  # new connections are read-only
        for write in (
            lambda: histories.save(hand.id, "c", 1, after=0, ending=None),
            lambda: histories.add_table(_table(histories, "u"), _begun()),
            lambda: histories.add_hand(row, _begun(2)),
        ):
            with pytest.raises(StorageError, match="nothing was changed"):
                write()
        assert histories.last_hand("t") == hand
        histories.close()
    assert "ReadOnlySqlTransaction" in caplog.text
    verify_no_secret(caplog.text)


@pytest.mark.parametrize(("what", "said"), [("move", "did not confirm"), ("look", "nothing was changed")])
def test_a_frozen_postgresql_is_given_up_at_the_deadline(caplog: pytest.LogCaptureFixture, what: str, said: str) -> None:
    with postgres() as url:
        histories = Histories(url)
        hand = histories.add_table(_table(histories), _begun())
        with histories._engine.connect() as connection:
            process = connection.execute(sql.text("SELECT pg_backend_pid()")).scalar()
        assert isinstance(process, int)
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(StorageError, match=said), within(0.3):
                histories.save(hand.id, "c", 1, after=0, ending=None) if what == "move" else histories.last_hand("t")
        finally:
            os.kill(process, signal.SIGCONT)
        with within(60):  # on a connection of its own, however busy the machine is
            assert histories.last_hand("t").moves in (0, 1)
        histories.close()
    verify_no_secret(caplog.text)


def test_connections_that_postgresql_has_closed_are_replaced() -> None:
    """The server is not asked whether they are open: a move is one statement."""
    ended = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'played'"
    with postgres() as url:
        histories, statements = Histories(f"{url}?application_name=played"), list[str]()
        hand = histories.add_table(_table(histories), _begun())
        sql.event.listen(histories._engine, "before_cursor_execute", lambda c, cursor, text, *rest: statements.append(text))
        histories.save(hand.id, "c", 1, after=0, ending=None)
        with psycopg.connect(url) as other:
            assert other.execute(ended).fetchone() == (True,)
        histories.save(hand.id, "cc", 2, after=1, ending=None)
        assert histories.last_hand("t").moves == 2
        assert [text.split()[0] for text in statements] == ["WITH", "WITH", "SELECT"]
        histories.close()


def test_connecting_to_a_frozen_postgresql_is_given_up_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The port is open, but nobody speaks. Time passes when it is asked for, a tenth of a second each time."""
    now, asked = [0.0], []

    def clock() -> float:
        now[0] += 0.1
        return now[0]

    monkeypatch.setattr("smoothcall.store.deadlines.monotonic", clock)
    monkeypatch.setattr("smoothcall.store.postgres.monotonic", lambda: asked.append(clock()) or asked[-1])
    with socket.create_server(("127.0.0.1", 0)) as silent, within(1.0):
        engine = sql.create_engine(f"postgresql+psycopg://nobody@127.0.0.1:{silent.getsockname()[1]}/none")
        sql.event.listen(engine, "do_connect", connect)
        with pytest.raises(sql.exc.OperationalError, match="did not answer in time"):
            engine.connect()
    assert 1.0 <= now[0] < 2.0, "psycopg would wait for two seconds"


def test_a_lost_postgresql_is_not_named_to_people() -> None:
    with postgres() as url:
        histories = Histories(url)
        histories._engine.dispose()
        bad = sql.create_engine(sql.make_url(url).set(drivername="postgresql+psycopg", port=1))
        histories._engine, histories._sessions = bad, sql.orm.sessionmaker(bad)
        with pytest.raises(StorageError) as caught:
            histories.person("somebody")
        assert "127.0.0.1" not in str(caught.value)
        assert "port" not in str(caught.value)


# SQLite


@pytest.mark.parametrize("how", ["deleted", "replaced", "log deleted"])
def test_a_file_that_is_gone_is_noticed(histories: Histories, path: Path, how: str) -> None:
    hand = histories.add_table(_table(histories), _begun())
    if how == "log deleted":
        Path(f"{path}-wal").unlink()
    else:
        path.unlink()
    if how == "replaced":
        sqlite3.connect(path).close()
        path.touch()
    with pytest.raises(StorageError):
        histories.save(hand.id, "c", 1, after=0, ending=None)
    if how != "log deleted":
        with pytest.raises(StorageError):
            histories.last_hand("t")


def test_the_log_stays_where_it_is_when_connections_are_closed(histories: Histories, path: Path) -> None:
    """SQLite would delete it with the last connection, and a commit that was seen afterwards would count as lost."""
    hand = histories.add_table(_table(histories), _begun())
    assert histories._group is not None
    histories._group._drop()
    histories._engine.dispose()
    assert Path(f"{path}-wal").exists()
    histories.save(hand.id, "c", 1, after=0, ending=None)


def test_commits_are_moved_into_the_database_while_others_go_on(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its log, a copy of the file has them; the log is short enough for SQLite to leave it alone."""
    monkeypatch.setattr(checkpoints, "PAUSE", 0.01)
    histories, copy = Histories(f"sqlite:///{path}"), tmp_path / "copy.sqlite"
    histories.add_table(_table(histories), _begun())
    ends = monotonic() + PATIENCE
    found = 0
    while not found and monotonic() < ends:
        sleep(0.01)
        copyfile(path, copy)
        with closing(sqlite3.connect(copy)) as alone, suppress(sqlite3.DatabaseError):  # copied in the middle of a change
            found = alone.execute("SELECT count(*) FROM tables").fetchone()[0]
    assert found == 1
    assert histories._group is not None
    histories.close()
    assert not histories._group._checkpoints._thread.is_alive()


@pytest.mark.parametrize(("named", "level"), [("full", 2), ("normal", 1)])
def test_commits_are_synchronised_as_asked(path: Path, named: str, level: int) -> None:
    histories = Histories(f"sqlite:///{path}", synchronous=named)
    with histories._engine.connect() as connection:
        assert connection.execute(sql.text("PRAGMA synchronous")).scalar() == level
    histories.close()
    with pytest.raises(UsageError, match="accepted: full, normal"):
        Histories(f"sqlite:///{path}", synchronous="off")


def test_many_threads_share_commits(histories: Histories) -> None:
    """Each gets its own answer: of two changes of one hand, one is a conflict, and it undoes nothing else."""
    row = _table(histories)
    hands = [histories.add_table(_table(histories, f"t{place}"), _begun()) for place in range(12)]
    outcomes: list[str] = []
    ready = threading.Barrier(24)

    def move(hand: int) -> None:
        ready.wait()
        try:
            histories.save(hand, "c", 1, after=0, ending=None)
            outcomes.append("saved")
        except Conflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=move, args=[hands[place // 2].id]) for place in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict"] * 12 + ["saved"] * 12
    assert {histories.last_hand(f"t{place}").moves for place in range(12)} == {1}
    assert histories.tables(row.person, 99)


# The thread that commits


class Held:
    """A change that waits until it is let go, so that others gather behind it."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self, connection: sql.Connection) -> str:
        self.begun.set()
        self.go.wait()
        return "held"


def test_a_group_is_one_transaction_and_failures_stay_alone(path: Path) -> None:
    engine = sql.create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False})
    commits: list[str] = []
    sql.event.listen(engine, "before_cursor_execute", lambda c, cursor, text, *rest: commits.append(text))
    group, held = GroupCommit(engine), Held()
    group.run(lambda connection: connection.execute(sql.text("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")))
    results: dict[str, object] = {}

    def ask(name: str, text: str) -> threading.Thread:
        def call() -> None:
            try:
                results[name] = group.run(lambda connection: connection.execute(sql.text(text)).rowcount)
            except Exception as error:
                results[name] = type(error).__name__

        thread = threading.Thread(target=call)
        thread.start()
        return thread

    with within(60):
        first = threading.Thread(target=lambda: results.update(held=group.run(held)))
    first.start()
    held.begun.wait()
    asked = [ask("one", "INSERT INTO numbers VALUES (1)"), ask("two", "INSERT INTO numbers VALUES (2)")]
    while group._changes._queue.qsize() < 2:
        pass
    asked.append(ask("again", "INSERT INTO numbers VALUES (1)"))
    while group._changes._queue.qsize() < 3:
        pass
    before = len(commits)
    held.go.set()
    for thread in (first, *asked):
        thread.join()
    assert results == {"held": "held", "one": 1, "two": 1, "again": "IntegrityError"}
    assert commits[before:].count("COMMIT") == 3  # the held one, and, because one of the three behind it failed, each by itself
    before = len(commits)
    ask("broken", "INSERT INTO nothing VALUES (1)").join()
    assert results["broken"] == "OperationalError"
    ask("three", "INSERT INTO numbers VALUES (3)").join()
    with engine.connect() as connection:
        assert connection.execute(sql.text("SELECT n FROM numbers ORDER BY n")).scalars().all() == [1, 2, 3]
    group.close()
    engine.dispose()


def test_a_change_that_is_not_begun_in_time_never_is(path: Path) -> None:
    engine = sql.create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False})
    group, held, late = GroupCommit(engine), Held(), []
    first = threading.Thread(target=lambda: group.run(held))
    first.start()
    held.begun.wait()
    with pytest.raises(NotInTime) as caught, within(0.0):
        group.run(lambda connection: late.append(1))
    assert not caught.value.begun
    held.go.set()
    first.join()
    assert group.run(lambda connection: "after") == "after"
    assert late == []
    group.close()
    engine.dispose()


def test_a_commit_that_fails_is_told_apart(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    histories = Histories(f"sqlite:///{path}")
    row = _table(histories)

    def fail(call: object) -> None:
        raise CommitFailed from OSError("disk full")

    assert histories._group is not None
    monkeypatch.setattr(histories._group, "run", fail)
    with pytest.raises(StorageError, match="did not confirm"):
        histories.add_table(row, _begun())
    histories.close()


# Deadlines


def test_inner_deadlines_are_never_later(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("smoothcall.store.deadlines.monotonic", lambda: now[0])
    assert remaining() == LIMIT
    with within(5):
        with within(60):
            assert remaining() == 5
        with within(1):
            assert remaining() == 1
        now[0] += 7
        assert remaining() == 0
    assert remaining() == LIMIT


def test_work_that_nobody_waits_for_stops() -> None:
    check_stopped()
    gone = [False]
    with stoppable(lambda: gone[0]):
        check_stopped()
        gone[0] = True
        with pytest.raises(Stopped):
            check_stopped()
    check_stopped()
