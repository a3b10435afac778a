"""Programs that end with the program that started them, also when that is killed."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def start(command: Sequence[str | Path], *, end: signal.Signals = signal.SIGKILL, **options: Any) -> subprocess.Popen[bytes]:
    """Start a program. It gets the signal `end` when the thread that started it ends, however it ends.

    The program `setpriv` of Linux asks for that signal and then becomes the program. (Where it is missing, nothing does. A
    `preexec_fn` would have to fork, which JAX forbids a process with its threads.)
    """
    asking = [found, "--pdeathsig", end.name.removeprefix("SIG")] if (found := shutil.which("setpriv")) else []
    return subprocess.Popen([*asking, *map(str, command)], **options)
