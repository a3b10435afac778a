"""What `make` installs is named with hashes: the lock is complete and agrees with the pinned versions."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version

from tests.lock import CONSTRAINTS, LOCK, ROOT, bill, canonical, lock_text, pins


def test_every_package_has_hashes_and_the_pinned_version() -> None:
    text = LOCK.read_text()
    entries = re.split(r"\n(?=[a-z0-9])", text.partition("\n")[2].strip())
    locked, pinned = pins(text), pins(CONSTRAINTS.read_text())
    assert len(entries) == len(locked) > 80
    for entry in entries:
        first, *digests = entry.split(" \\\n    ")
        assert re.fullmatch(r"[a-z0-9-]+==[A-Za-z0-9.+!]+", first), first
        assert digests
        assert all(re.fullmatch("--hash=sha256:[0-9a-f]{64}", digest) for digest in digests), first
    assert {name: version for name, version in locked.items() if name != "setuptools"}.items() <= pinned.items()
    assert "://" not in text


def test_the_lock_has_what_is_needed_and_what_builds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    asked = project["project"]["dependencies"] + extras["web"] + extras["postgres"] + extras["neural"] + extras["dev"]
    names = {canonical(re.split(r"[<>=\[ ]", each)[0]) for each in [*asked, *project["build-system"]["requires"]]}
    locked = pins(LOCK.read_text())
    assert names - {"smoothcall"} <= locked.keys()
    assert "future" not in locked  # of eval7 only
    assert int(locked["setuptools"].partition(".")[0]) >= 77
    assert "--require-hashes" in (ROOT / "Makefile").read_text()


def test_the_bill_of_materials_names_what_is_installed() -> None:
    made = bill()
    assert (made["bomFormat"], made["metadata"]["component"]["name"]) == ("CycloneDX", "smoothcall")
    parts = {each["name"]: each for each in made["components"]}
    assert parts["numpy"]["version"] == version("numpy")
    assert parts["numpy"]["purl"] == f"pkg:pypi/numpy@{version('numpy')}"
    assert parts["numpy"]["hashes"]


def test_the_form_of_the_lock() -> None:
    text = lock_text({"one": "1.0"}, {"one": ["a" * 64, "b" * 64]})
    assert pins(text) == {"one": "1.0"}
    assert text.endswith(f"one==1.0 \\\n    --hash=sha256:{'a' * 64} \\\n    --hash=sha256:{'b' * 64}\n")
