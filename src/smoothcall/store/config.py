"""The configuration of a run, `config.json`: everything needed to start the run again, versions of libraries included."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from smoothcall import files
from smoothcall.agents.folders import CONFIG_FILE
from smoothcall.agents.registry import Registry
from smoothcall.agents.suffixes import split_name
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.files import field, optional
from smoothcall.information.game import Game
from smoothcall.options import Value
from smoothcall.solvers import Solver, solver_class

FORMAT = 1
VERSIONS = ("smoothcall", "numpy", "numba")
NETWORKS = ("jax", "equinox", "optax")  # libraries of the solvers in `smoothcall.learners`


def new_config(
    built: Solver,
    options: Mapping[str, object],
    *,
    iterations: int | None,
    seconds: float | None,
    keep: bool,
    tensorboard: bool,
) -> dict[str, Any]:
    """Return the configuration of a new run. `options` are those given: an agent among them is named as it was given."""
    kept = {name: value if isinstance(value, Value) else str(options[name]) for name, value in built.options.items()}
    learns_networks = type(built).__module__.startswith("smoothcall.learners.")
    versions = {name: version(name) for name in VERSIONS + (NETWORKS if learns_networks else ())}
    return {
        "format": FORMAT,
        "game": {"name": built.game.name, "options": built.game.options},
        "solver": {"name": built.name, "seed": built.seed, "threads": built.threads, "options": kept},
        "iterations": iterations,
        "seconds": seconds,
        "keep": keep,
        "tensorboard": tensorboard,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions | {"python": platform.python_version()},
    }


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration of a run folder, its fields checked."""
    path = folder / CONFIG_FILE
    if not path.is_file():
        raise UsageError(f"{str(folder)!r} is not a run folder (accepted: one made by `smoothcall train`)")
    try:
        config: dict[str, Any] = files.parse_json(CONFIG_FILE, files.read_bytes(path, "run", files.MAX_JSON_BYTES))
        form = field(config, "format", int, low=1)
        if form > FORMAT:
            raise UsageError(f"{str(folder)!r} is a run of format {form}; this version reads up to {FORMAT}")
        for part in (field(config, "game", dict), field(config, "solver", dict)):
            field(part, "name", str)
            field(part, "options", dict)
        field(config["solver"], "seed", int)
        field(config["solver"], "threads", int)
        if config["solver"]["options"].keys() & {"seed", "threads"}:
            raise DamagedFile("'options' of the solver name its seed or threads")
        verify_length(optional(config, "iterations", int), optional(config, "seconds", float))
        with files.parsing("created"):
            datetime.fromisoformat(field(config, "created", str)).timestamp()
        field(config, "versions", dict)
        for name in ("keep", "tensorboard"):
            optional(config, name, bool)
        optional(config, "workers", int, low=1)
        optional(config, "shards", int, low=1)
    except DamagedFile as error:
        raise UsageError(f"{str(folder)!r} is not a run folder, or a damaged one ({error})") from None
    return config | {"iterations": config.get("iterations"), "seconds": config.get("seconds")}


def verify_length(iterations: int | None, seconds: float | None) -> None:
    if iterations is not None and iterations < 1:
        raise UsageError(f"iterations={iterations} (accepted: a whole number of at least 1)")
    if seconds is not None and not 0 < seconds < math.inf:
        raise UsageError(f"seconds={seconds:g} (accepted: a number above 0)")


def read_opponents(name: str, played: Game, options: Mapping[str, object], registry: Registry) -> dict[str, object]:
    """Return a solver's options, names of the registry resolved where the solver takes an agent as an object."""
    declared, found = solver_class(name).OPTIONS, dict(options)
    for option in declared.keys() & found.keys():
        given, about = found[option], declared[option]
        if about.objects and isinstance(given, str | Path) and str(given) not in about.choices:
            found[option] = registry.policy(str(given), played)
    return found


def suffix_of(name: str) -> str:
    """Return the options at the end of an agent's name: ":greedy" of "leduc.agent:greedy"."""
    return name[len(split_name(name)[0]) :]
