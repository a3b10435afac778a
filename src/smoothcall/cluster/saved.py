"""Results of finished tasks on disk, so that a job that was killed goes on with those that are missing.

Every job has a folder, named by a digest of all that its results depend on; it is deleted when the job is done.
"""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path
from shutil import rmtree

import numpy as np

from smoothcall import files
from smoothcall.cluster.version import this_version
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.folders import data_folder
from smoothcall.tasks import Job, Result


def job_key(job: Job) -> str:
    """Return a digest of a job: its functions, what it is given, and the version of the program."""
    try:
        given = pickle.dumps(job.given)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise UsageError(f"this {job.name} cannot be sent to other processes ({files.reason(error)})") from None
    names = [f"{each.__module__}.{each.__qualname__}" for each in (job.prepare, job.work)]
    about = "\n".join([job.name, *names, str(job.count), this_version()])
    return hashlib.sha256(about.encode() + given).hexdigest()[:32]


class SavedResults:
    """The finished tasks of a job."""

    def __init__(self, job: Job, parent: Path | None = None) -> None:
        self.folder = (parent or data_folder() / "tasks") / job_key(job)
        self.folder.mkdir(parents=True, exist_ok=True)

    def _file(self, number: int) -> Path:
        return self.folder / f"{number}.npz"

    def save(self, number: int, result: Result) -> None:
        with files.written(self._file(number)) as file:
            np.savez(file, allow_pickle=False, **{str(place): array for place, array in enumerate(result)})

    def read(self, number: int) -> Result | None:
        """Return the result of a task; None where it is not finished, or its file is damaged."""
        path = self._file(number)
        if not path.exists():
            return None
        try:
            with files.opened(path, "result") as file:
                archive, size = files.Archive(file), path.stat().st_size
                return tuple(archive.array(str(place), size) for place in range(len(archive.arrays)))
        except DamagedFile:
            return None

    def delete(self) -> None:
        rmtree(self.folder, ignore_errors=True)
