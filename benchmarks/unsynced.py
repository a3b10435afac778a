"""A disk that loses everything it was not told to synchronise: `python -m benchmarks.unsynced`.

People play in this process while every write, truncation and synchronisation of the SQLite files is recorded. Then, for many
moments, the files are made again as a power failure at that moment may leave them: without the writes that were not yet
synchronised. Every action that had been acknowledged by then must be in them.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import sqlite3
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer

from smoothcall.app import App
from smoothcall.play.opponents import Agents

OPEN, DELETE = 40, 48  # bytes into `sqlite3_vfs`: the functions that open and delete a file
WRITE, TRUNCATE, SYNC = 3, 4, 5  # places of functions in `sqlite3_io_methods`, which has 19 pointers in version 3
POINTERS = 19
_Open = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_int)
)
_Delete = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)
_Write = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
_Truncate = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)
_Sync = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was done to a file."""

    name: str  # of the file
    offset: int = 0  # where bytes were written, or the size it was cut to
    written: bytes | None = None  # None: it was cut
    covers: int = 0  # a synchronisation: so many of the first steps, those of this file, are on the disk from here on
    deleted: bool = False  # taken as done at once


@dataclass(slots=True)
class Recorder:
    """Everything SQLite does to files below a folder, in order; a step is added when it is done.

    Threads synchronise one file while others write to it or to another. Only what had been done when a synchronisation began
    is taken as covered by it, and only once it has ended.
    """

    folder: Path
    steps: list[Step] = field(default_factory=list)
    _names: dict[int, str] = field(default_factory=dict)  # of open files, by their address
    _methods: dict[int, Any] = field(default_factory=dict)  # patched tables of functions, by the address of the original
    _kept: list[Any] = field(default_factory=list)  # callbacks that C code holds

    def after_opening(self, name: bytes, file: int) -> None:
        """Route writing, cutting and synchronising of a file through this recorder."""
        if not (shown := name.decode()).startswith(str(self.folder)):
            return
        self._names[file] = Path(shown).name
        place = ctypes.cast(file, ctypes.POINTER(ctypes.c_void_p))
        original = int(place[0] or 0)
        if original not in self._methods:
            self._methods[original] = self._patched(original)
        place[0] = ctypes.addressof(self._methods[original])

    def _patched(self, original: int) -> Any:
        table = (ctypes.c_void_p * POINTERS).from_buffer_copy(ctypes.string_at(original, 8 * POINTERS))
        really_write, really_cut, really_sync = _Write(table[WRITE]), _Truncate(table[TRUNCATE]), _Sync(table[SYNC])

        def write(file: int, source: int, size: int, offset: int) -> int:
            result = int(really_write(file, source, size, offset))
            self.steps.append(Step(self._names[file], offset, ctypes.string_at(source, size)))
            return result

        def cut(file: int, size: int) -> int:
            result = int(really_cut(file, size))
            self.steps.append(Step(self._names[file], size))
            return result

        def sync(file: int, how: int) -> int:
            before = len(self.steps)
            result = int(really_sync(file, how))
            self.steps.append(Step(self._names[file], covers=before))
            return result

        for place, made in ((WRITE, _Write(write)), (TRUNCATE, _Truncate(cut)), (SYNC, _Sync(sync))):
            self._kept.append(made)
            table[place] = ctypes.cast(made, ctypes.c_void_p).value
        return table

    def crash(self, moment: int, folder: Path, *, kept: Random | None = None) -> None:
        """Write the files as a power failure after so many steps leaves them. `kept`: some writes survive by chance."""
        files, covered = dict[str, bytearray](), Counter[str]()
        for step in self.steps[:moment]:
            covered[step.name] = max(covered[step.name], step.covers)
        for place, step in enumerate(self.steps[:moment]):
            if step.deleted:
                files.pop(step.name, None)
                continue
            found = files.setdefault(step.name, bytearray())
            safe = place < covered[step.name] or (kept is not None and kept.random() < 0.5)
            if step.covers or not safe:
                continue
            if step.written is None:
                del found[step.offset :]
            else:
                found.extend(bytes(max(0, step.offset + len(step.written) - len(found))))
                found[step.offset : step.offset + len(step.written)] = step.written
        for name, content in files.items():
            (folder / name).write_bytes(content)


@contextmanager
def recording(folder: Path) -> Iterator[Recorder]:
    """Record what SQLite does to files in a folder that are opened in this block."""
    library = ctypes.CDLL(ctypes.util.find_library("sqlite3"))
    library.sqlite3_vfs_find.restype = ctypes.c_void_p
    vfs = library.sqlite3_vfs_find(None)
    places = [ctypes.c_void_p.from_address(vfs + offset) for offset in (OPEN, DELETE)]
    originals, recorder = [int(place.value or 0) for place in places], Recorder(folder)
    really_open, really_delete = _Open(originals[0]), _Delete(originals[1])

    def opened(vfs: int, name: int | None, file: int, flags: int, out: Any) -> int:
        result = int(really_open(vfs, name, file, flags, out))  # SQLite keeps this pointer: it must be the one it gave
        if result == sqlite3.SQLITE_OK and name:
            recorder.after_opening(ctypes.string_at(name), file)
        return result

    def deleted(vfs: int, name: bytes, sync: int) -> int:
        if name.decode().startswith(str(folder)):
            recorder.steps.append(Step(Path(name.decode()).name, deleted=True))
        return int(really_delete(vfs, name, sync))

    recorder._kept += [_Open(opened), _Delete(deleted)]
    for place, ours in zip(places, recorder._kept[-2:], strict=True):
        place.value = ctypes.cast(ours, ctypes.c_void_p).value
    try:
        yield recorder
    finally:
        for place, original in zip(places, originals, strict=True):
            place.value = original


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A move that was answered: the hand's betting then, and how many steps had been recorded."""

    hand: int
    betting: str
    moment: int


def play(folder: Path, synchronous: str, people: int, actions: int) -> tuple[Recorder, list[Acknowledged]]:
    """Let people play at once; return what was done to the files, and what was acknowledged."""
    answered: list[Acknowledged] = []
    with recording(folder) as recorder:
        service = App().play_service(f"sqlite:///{folder}/hands.sqlite", Agents(), synchronous=synchronous)
        persons = [service.person(service.newcomer()) for _ in range(people)]

        def one(person: int) -> None:
            random, table = Random(person), service.open_table(person, "leduc", ["always-call"])
            for _ in range(actions // people):
                if table.hand.over:
                    table = service.next_hand(person, table.id, hand=table.hand.number)
                else:
                    letter = random.choice(table.hand.choices).letter
                    table = service.act(person, table.id, letter, hand=table.hand.number, move=table.hand.move)
                answered.append(Acknowledged(table.hand.id, table.hand.betting, len(recorder.steps)))

        threads = [threading.Thread(target=one, args=[person]) for person in persons]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done = len(recorder.steps)
        service.close()
    recorder.steps = recorder.steps[:done]  # before the service was closed in good order
    return recorder, answered


def lost_at(recorder: Recorder, answered: list[Acknowledged], moment: int, folder: Path, kept: Random | None) -> int:
    """Return how many acknowledged actions are missing after a power failure at a moment."""
    recorder.crash(moment, folder, kept=kept)
    with sqlite3.connect(folder / "hands.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        made = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'hands'").fetchone() == (1,)
        rows = dict(connection.execute("SELECT id, betting FROM hands").fetchall() if made else ())
    connection.close()
    return sum(
        not rows.get(each.hand, "-").startswith(each.betting) for each in answered if each.moment <= moment
    )  # a hand may have gone on since


def measure(synchronous: str, *, people: int, actions: int, failures: int) -> tuple[int, Counter[str]]:
    """Return (actions acknowledged, what was lost in all power failures)."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        played, folder = Path(name) / "played", Path(name)
        played.mkdir()
        recorder, answered = play(played, synchronous, people, actions)
        random, first = Random(1), min(each.moment for each in answered)
        for number in range(failures):
            left = folder / f"after {number}"
            left.mkdir()
            moment = random.randint(first, len(recorder.steps))
            lost = lost_at(recorder, answered, moment, left, Random(number) if number % 2 else None)
            found.update({"failures": 1, "lost": lost, "failures with a loss": lost > 0})
            found["acknowledged before"] += sum(each.moment <= moment for each in answered)
    return len(answered), found


def main(actions: Annotated[int, typer.Option(min=10)] = 3000, failures: Annotated[int, typer.Option(min=1)] = 200) -> None:
    for synchronous in ("full", "normal"):
        answered, found = measure(synchronous, people=8, actions=actions, failures=failures)
        typer.echo(
            f"synchronous={synchronous}: {answered:,} actions of 8 people, {found['failures']} power failures: "
            f"{found['lost']:,} of {found['acknowledged before']:,} acknowledged actions lost, "
            f"in {found['failures with a loss']} of the failures"
        )


if __name__ == "__main__":
    typer.run(main)
