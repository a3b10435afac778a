"""Files: written whole or not at all, with the user's permissions; read with limits on size and type."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smoothcall import files
from smoothcall.errors import DamagedFile, UsageError


def test_umask_is_respected_and_left_alone(tmp_path: Path) -> None:
    """In a process of its own, where the umask may be set and may not be set again."""
    script = (
        "import os, pathlib, sys\n"
        "from smoothcall import files\n"
        "os.umask(0o027)\n"
        "os.umask = lambda mask: sys.exit('the umask was changed')\n"
        "files.write_text(pathlib.Path(sys.argv[1]), 'text')\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "new")], check=True)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_folder_is_locked_for_one_at_a_time(tmp_path: Path) -> None:
    with files.locked(tmp_path) as first:
        with files.locked(tmp_path, wait=False) as second:
            assert (first, second) == (True, False)
        with files.locked(tmp_path, wait=False) as third:  # what was refused has not taken the lock away
            assert not third
    with files.locked(tmp_path, wait=False) as later:
        assert later


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    files.write_text(path, "old")
    with pytest.raises(TypeError), files.written(path) as file:
        file.write("no bytes")  # type: ignore[arg-type]
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_sizes_are_checked_before_reading(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole: nothing is on the disk
    with pytest.raises(DamagedFile, match="1,099,511,627,776 bytes"):
        files.read_bytes(path, "log")


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="no regular file"):
        files.read_bytes(tmp_path / "pipe", "log")
    with pytest.raises(UsageError, match="no regular file"):
        files.read_bytes(Path("/dev/zero"), "log")
    with pytest.raises(UsageError, match="is a folder, not a log"):
        files.read_bytes(tmp_path, "log")
    with pytest.raises(UsageError, match="there is no log"):
        files.read_bytes(tmp_path / "none", "log")
    with pytest.raises(UsageError, match="cannot read the log"):
        files.read_bytes(tmp_path / "nul\0", "log")


@pytest.mark.parametrize(
    "text",
    ["", "{", "NaN", "[Infinity]", "1e999", '{"a": -Infinity}', "9" * 5000, "[" * 5000, "[" * 40 + "]" * 40, '{"a":' * 100_000],
    ids=lambda text: text[:12],
)
def test_json_that_is_refused(text: str) -> None:
    with pytest.raises(DamagedFile, match="card"):
        files.parse_json("card", text)


def test_json_that_is_not_text() -> None:
    with pytest.raises(DamagedFile, match="card"):
        files.parse_json("card", b"\xff\xfe\xfd")


@pytest.mark.parametrize(
    ("table", "kind", "message"),
    [
        ({}, int, "'it' is missing"),
        ([], int, r"\[\] where a dictionary with 'it' is expected"),
        ({"it": "5"}, int, "'it' is '5' (accepted: a whole number)"),
        ({"it": 5.0}, int, "a whole number"),
        ({"it": True}, int, "a whole number"),
        ({"it": True}, float, "a number"),
        ({"it": 1}, bool, "true, false"),
        ({"it": 10**30}, int, "a whole number"),
        ({"it": 10**400}, float, "a number"),
        ({"it": None}, str, "a text"),
        ({"it": ["x" * 1000]}, str, r"xxx... "),
    ],
)
def test_fields_of_another_type(table: Any, kind: type[Any], message: str) -> None:
    with pytest.raises(DamagedFile) as caught:
        files.field(table, "it", kind)
    assert message.replace("\\", "") in str(caught.value)


def test_fields() -> None:
    table = {"whole": 3, "half": 0.5, "text": "a", "none": None}
    assert (files.field(table, "whole", int), files.field(table, "whole", float), files.field(table, "half", float)) == (
        3,
        3.0,
        0.5,
    )
    assert files.field(table, "text", str) == "a"
    assert files.field(table, "other", int, 7) == 7
    assert files.optional(table, "none", int) is files.optional(table, "other", int) is None
    with pytest.raises(DamagedFile, match="of at least 4"):
        files.field(table, "whole", int, low=4)


def npy(array: Any) -> bytes:
    data = io.BytesIO()
    np.save(data, array)
    return data.getvalue()


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.array(5), np.zeros((0, 3)),
        np.array([True, False]), np.arange(3, dtype=">i4"), np.arange(3, dtype=np.uint8), np.float32([1.5]),
    ],
    ids=lambda array: f"{array.dtype.str}{array.shape}",
)  # fmt: skip
def test_arrays_are_read_as_numpy_reads_them(array: Any) -> None:
    data = npy(array)
    found = files.read_npy(io.BytesIO(data), len(data))
    np.testing.assert_array_equal(found, array)
    assert (found.shape, found.dtype) == (array.shape, array.dtype.newbyteorder("="))


def header(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff", b"\x93NUMPY\x03\x00" + b"\0" * 100,
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,"),  # NumPy's reader: TokenError
        header("{[]: 1}"), header("[" * 5000), header("{'descr': '<f3', 'fortran_order': False, 'shape': (0,), }\n"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999999,), }\n") + b"\0" * 80,
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 999999999999999999, 999999999999999999), }\n"),
        npy(np.array(["text"])), npy(np.zeros(3, [("a", "f8")])), npy(np.zeros(9))[:-1], npy(np.zeros(9)) + b"x",
    ],
    ids=range(14),
)  # fmt: skip
def test_arrays_that_are_refused(data: bytes) -> None:
    with pytest.raises(DamagedFile):
        files.read_npy(io.BytesIO(data), len(data))


def archive(path: Path, entries: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", how) as made:
        for name, data in entries.items():
            made.writestr(name, data)


@pytest.mark.parametrize("how", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_archives_compressed_in_another_way(how: int, tmp_path: Path) -> None:
    path = tmp_path / "some.zip"
    archive(path, {"card.json": json.dumps({"name": "x" * 1000}).encode()}, how)
    with files.opened(path, "agent file") as file, pytest.raises(DamagedFile, match=r"accepted: stored, deflated"):
        files.Archive(file).json("card.json")


def test_large_entries_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "some.zip"
    archive(path, {"card.json": b" " * (files.MAX_JSON_BYTES + 1), "table.npy": npy(np.zeros(100_000))})
    with files.opened(path, "agent file") as file:
        found = files.Archive(file)
        with pytest.raises(DamagedFile, match=r"card.json' has 4,194,305 bytes \(accepted: at most 4,194,304\)"):
            found.json("card.json")
        with pytest.raises(DamagedFile, match="accepted: at most 100,000"):
            found.array("table", 100_000)
        assert found.array("table", 1_000_000).shape == (100_000,)
        with pytest.raises(DamagedFile, match="'other' is missing"):
            found.json("other")


def test_an_entry_that_claims_more_than_it_can_hold(tmp_path: Path) -> None:
    path = tmp_path / "some.zip"
    archive(path, {"table.npy": npy(np.zeros(1))})
    with zipfile.ZipFile(path) as made:
        at = made.start_dir
    data = bytearray(path.read_bytes())
    data[at + 24 : at + 28] = struct.pack("<I", 1 << 30)  # the size in the central directory
    path.write_bytes(data)
    with files.opened(path, "agent file") as file, pytest.raises(DamagedFile, match="1,073,741,824 bytes"):
        files.Archive(file).array("table", 1 << 40)


def test_programming_errors_are_not_damaged_files() -> None:
    for error in (TypeError, AttributeError, KeyError, IndexError, AssertionError, NameError, RuntimeError):
        with pytest.raises(error), files.parsing("file"):
            raise error
