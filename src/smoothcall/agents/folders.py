"""Agent files on disk: those that come with the package, and the files and runs below a folder. Every file has an id.

leduc-cfr                   data/agents/leduc-cfr.agent, with the package
leduc-smooth-uct.1000       data/agents/leduc-smooth-uct.1000.agent: a snapshot after 1,000 iterations
mine                        <folder>/mine.agent
leduc                       <folder>/leduc/agent.agent, of a run
leduc.greedy                <folder>/leduc/greedy.agent, of a run
leduc.snapshots.1000        <folder>/leduc/snapshots/1000.agent, of a run
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from os import walk
from pathlib import Path

from smoothcall.files import is_text

BUILT_IN = Path(__file__).parents[1] / "data" / "agents"
CONFIG_FILE, AGENT_FILE, GREEDY_FILE, OPPONENT_FILE = "config.json", "agent.agent", "greedy.agent", "opponent.agent"
SNAPSHOTS = "snapshots"
LONGEST_ID = 400  # characters of a path below the folder
_SNAPSHOT = re.compile(r"(.+)\.([1-9][0-9]{0,18})")  # the stem of a built-in snapshot: agent id, iterations


@dataclass(frozen=True, slots=True)
class AgentFile:
    """An agent file by its id, with the snapshots of its training."""

    id: str  # [A-Za-z0-9._-]+
    path: Path
    kind: str  # "built-in", "file" or "run"
    label: str | None = None  # its path in the folder; None where its card has a name
    snapshots: Mapping[str, Path] = field(default_factory=dict)  # by id, in order of iterations


def built_in_agents() -> list[AgentFile]:
    found = {path.stem: path for path in BUILT_IN.glob("*.agent")}
    snapshots = sorted((m[1], int(m[2]), m[0]) for m in map(_SNAPSHOT.fullmatch, found) if m is not None)
    return [
        AgentFile(stem, found[stem], "built-in", None, {own: found[own] for of, _, own in snapshots if of == stem})
        for stem in sorted(found.keys() - {own for _, _, own in snapshots})
    ]


def agents_in(folder: Path, taken: Collection[str] = ()) -> tuple[list[AgentFile], list[str]]:
    """Return every agent file and run below a folder, with ids that are not `taken`, and the problems met.

    Links that lead out of the folder are left out.
    """
    folder = folder.resolve()
    found, problems, ids = list[AgentFile](), list[str](), set(taken)
    for at, folders, names in walk(folder):
        unreadable = [name for name in (*folders, *names) if not is_text(name)]
        problems += [f"{name!r}: its name is not UTF-8" for name in unreadable]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and is_text(name))
        names = [name for name in names if is_text(name)]
        place = Path(at)
        if len(place.relative_to(folder).as_posix()) > LONGEST_ID:
            problems.append(
                f"folder {place.name[:40]!r}: its path below the folder of agents is longer than {LONGEST_ID} characters"
            )
            folders[:] = []
            continue
        if CONFIG_FILE in names:
            folders[:] = [name for name in folders if name != SNAPSHOTS]
            where = place.relative_to(folder) if place != folder else Path(place.name)
            run = _agents_of_run(folder, place, where, _free_id(where, ids))
            if not run:
                problems.append(f"run {str(where)!r} has no agent yet")
            found += run
            names = [name for name in names if name not in (AGENT_FILE, GREEDY_FILE, OPPONENT_FILE)]
        ids |= {own for file in found for own in (file.id, *file.snapshots)}
        for name in sorted(names):
            path = place / name
            if path.suffix == ".agent" and not name.startswith(".") and path.resolve().is_relative_to(folder):
                where = path.relative_to(folder).with_suffix("")
                found.append(AgentFile(_free_id(where, ids), path, "file", where.as_posix()))
                ids.add(found[-1].id)
    return found, problems


def _agents_of_run(folder: Path, run: Path, where: Path, name: str) -> list[AgentFile]:
    """Return the agent of a run (its latest snapshot while it is not finished) and its greedy agent, where it has one."""
    inside = [
        path for path in (run / AGENT_FILE, run / GREEDY_FILE) if path.is_file() and path.resolve().is_relative_to(folder)
    ]
    kept = {at: path for at, path in snapshots_of(run).items() if path.resolve().is_relative_to(folder)}
    latest = inside[0] if inside and inside[0].name == AGENT_FILE else next(reversed(kept.values()), None)
    if latest is None:
        return []
    snapshots = {f"{name}.{SNAPSHOTS}.{at}": path for at, path in kept.items()}
    greedy = [
        AgentFile(f"{name}.{path.stem}", path, "run", f"{where.as_posix()}, greedy by value")
        for path in inside
        if path.name == GREEDY_FILE
    ]
    return [AgentFile(name, latest, "run", where.as_posix(), snapshots), *greedy]


def snapshots_of(run: Path) -> dict[int, Path]:
    """Return the snapshots that a run has kept, by iterations, in order."""
    files = {int(path.stem): path for path in (run / SNAPSHOTS).glob("*.agent") if re.fullmatch("[1-9][0-9]{0,18}", path.stem)}
    return dict(sorted(files.items()))


def _free_id(where: Path, taken: Collection[str]) -> str:
    stem = re.sub(r"[^A-Za-z0-9._-]", "-", ".".join(where.parts)).lstrip(".") or "agent"
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}"
    return name
