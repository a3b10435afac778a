"""The parts of a reproduction as independent tasks, for a cluster.

`measure` of an experiment is called without measuring anything, which lists the parts that are missing. Each of them is a task:
the worker calls `measure` again and measures this part only. Where a part's figures are needed to go on, the list ends, and
`measure` is called again when they are there. The page's folder must be the same for all machines.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from smoothcall.experiments.parts import Measurements, NotMeasured, Part, Parts
from smoothcall.store.runs import Busy
from smoothcall.tasks import Job, Result, Runner

WAIT = 1.0  # seconds until a run that another process trains is asked for again


class _Figures:
    """Stands for the figures of a part that is not measured yet. Whoever looks at them raises NotMeasured."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, key: object) -> Any:
        raise NotMeasured(self._name)

    def __iter__(self) -> Any:
        raise NotMeasured(self._name)

    def __getattr__(self, name: str) -> Any:
        raise NotMeasured(self._name)


class _Listed(Parts):
    """Parts that are listed and not measured."""

    missing: dict[str, None]

    def measure(self, name: str, settings: Mapping[str, Any], measured: Callable[[], Any]) -> Any:
        self._seen.append(name)
        if (kept := self.kept(name, settings)) is not None:
            return kept.figures
        self.missing[name] = None
        return _Figures(name)


class _Measured(Exception):
    """The wanted part has been measured."""


class _Only(Parts):
    """Parts of which one is measured and not saved."""

    wanted: str
    found: Part

    def measure(self, name: str, settings: Mapping[str, Any], measured: Callable[[], Any]) -> Any:
        if name == self.wanted:
            self.found = self.measured_now(settings, measured)
            raise _Measured
        kept = self.kept(name, settings)
        return _Figures(name) if kept is None else kept.figures


@dataclass(frozen=True, slots=True)
class _Missing:
    """What the tasks of a reproduction share."""

    measure: Callable[[Parts, Any, Path], None]
    size: Any
    file: str  # the page's data
    known: dict[str, Part]
    names: tuple[str, ...]
    place: str  # folder in which the command was called


def _measure_part(missing: _Missing, number: int) -> Result:
    """Measure one part. Return (its JSON as bytes,)."""
    os.chdir(missing.place)
    parts = _Only(Path(missing.file), "", lambda line: None)
    parts.parts, parts.wanted = Measurements(missing.known), missing.names[number]
    while True:
        try:
            missing.measure(parts, missing.size, parts.file.parent)
        except _Measured:
            return (np.frombuffer(json.dumps(asdict(parts.found)).encode(), np.uint8),)
        except Busy:  # another part needs the same agent, and trains it just now
            time.sleep(WAIT)
        else:
            raise NotMeasured(parts.wanted)


def measure_parts(measure: Callable[[Parts, Any, Path], None], parts: Parts, size: Any, runner: Runner) -> None:
    """Measure all missing parts of a page on a cluster, and save each in the page's data."""
    known = Measurements({} if parts.again else parts.parts)
    while True:
        listed = _Listed(parts.file, parts.command, parts.tell)
        listed.parts, listed.missing = known, {}
        try:
            measure(listed, size, parts.file.parent)
            complete = True
        except NotMeasured:
            complete = False
        names = tuple(listed.missing)
        given = (measure, size, str(parts.file.resolve()), dict(known), names, str(Path.cwd()))
        job = Job("reproduction", _Missing, given, _measure_part, len(names))
        for name, (data,) in zip(names, runner.run(job), strict=True):
            parts.tell(name)
            parts.parts[name] = known[name] = Part(**json.loads(data.tobytes()))
            parts.save()
        if complete:
            parts.seen(listed)
            return
