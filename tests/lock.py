"""Renew `requirements.lock` and the bill of materials: `python -m tests.lock` and `python -m tests.lock --bill FILE`.

The lock names every package that `make` installs, the build requirement included, with the SHA-256 of each of its files as the
package index of this machine's pip publishes them. Versions are those of `constraints.txt`. The bill of materials lists what is
installed, in CycloneDX's JSON format.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution, distributions
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
LOCK, CONSTRAINTS = ROOT / "requirements.lock", ROOT / "constraints.txt"
HEADER = "# Every package that `make` installs, with the SHA-256 of its files. To renew: python -m tests.lock\n"
_LINK = re.compile(r'href="([^"#]+)#sha256=([0-9a-f]{64})"')


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str) -> dict[str, str]:
    """Return the versions of a constraints file or a lock, by canonical name."""
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, re.MULTILINE)
    return {canonical(name): version for name, version in found}


def resolved() -> dict[str, str]:
    """Return the versions that pip would install for development, and for building."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--dry-run",
            "--ignore-installed",
            "--report",
            str(report),
        ]
        subprocess.run([*command, "--constraint", str(CONSTRAINTS), f"{ROOT}[dev]", "setuptools"], check=True)
        installed = json.loads(report.read_text())["install"]
    named = {canonical(each["metadata"]["name"]): each["metadata"]["version"] for each in installed}
    del named["smoothcall"]
    return dict(sorted(named.items()))


def index() -> str:
    """Return the address of the package index that pip uses."""
    asked = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
    if asked.returncode == 0:
        return asked.stdout.strip()
    from pip._internal.models.index import PyPI

    return str(PyPI.simple_url)


def hashes(name: str, version: str, at: str) -> list[str]:
    """Return the SHA-256 of every file of a version."""
    with urlopen(urljoin(at.rstrip("/") + "/", f"{name}/")) as answer:
        page = answer.read().decode()
    wanted = re.compile(rf"{re.sub('-', '[-_.]+', name)}-{re.escape(version)}(-[^/]*\.whl|\.tar\.gz|\.zip)", re.IGNORECASE)
    files = {unquote(address.rsplit("/", 1)[-1]): digest for address, digest in _LINK.findall(page)}
    found = sorted({digest for file, digest in files.items() if wanted.fullmatch(file)})
    if not found:
        raise SystemExit(f"the index has no hashes for {name} {version}")
    return found


def lock_text(versions: Mapping[str, str], digests: Mapping[str, list[str]]) -> str:
    lines = [HEADER]
    for name, version in versions.items():
        lines.append(" \\\n    ".join([f"{name}=={version}", *(f"--hash=sha256:{digest}" for digest in digests[name])]) + "\n")
    return "".join(lines)


def bill() -> dict[str, Any]:
    """Return the bill of materials of this environment (CycloneDX 1.5); hashes are those of the lock."""
    locked = dict(
        re.findall(r"^([A-Za-z0-9._-]+)==\S+((?: \\\n {4}--hash=sha256:[0-9a-f]{64})+)", LOCK.read_text(), re.MULTILINE)
    )
    own = distribution("smoothcall")
    components = []
    for each in sorted(distributions(), key=lambda each: canonical(each.metadata["Name"])):
        name, version = canonical(each.metadata["Name"]), each.version
        if name == "smoothcall":
            continue
        digests = re.findall(r"sha256:([0-9a-f]{64})", locked.get(name, ""))
        license = each.metadata.get("License-Expression") or each.metadata.get("License") or "unknown"
        components.append(
            {
                "type": "library",
                "name": name,
                "version": version,
                "purl": f"pkg:pypi/{name}@{version}",
                "licenses": [{"license": {"name": license.splitlines()[0][:100]}}],
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in digests],
            }
        )
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "smoothcall", "version": own.version}},
        "components": components,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bill", type=Path, metavar="FILE", help="Write the bill of materials instead.")
    given = parser.parse_args()
    if given.bill is not None:
        given.bill.write_text(json.dumps(bill(), indent=1) + "\n")
        return
    versions, at = resolved(), index()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda each: hashes(*each, at), versions.items()))
    LOCK.write_text(lock_text(versions, dict(zip(versions, found, strict=True))))


if __name__ == "__main__":
    main()
