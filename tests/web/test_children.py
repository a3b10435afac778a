"""Programs that tests start end with them, even if the tests are killed."""

from __future__ import annotations

import subprocess
import sys
import time

import psutil

STARTS = """
import subprocess, sys, time
from benchmarks.children import start
child = start([sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"], stdout=subprocess.PIPE)
child.stdout.readline()  # it runs
print(child.pid, flush=True)
time.sleep(600)
"""


def test_a_program_ends_with_the_one_that_started_it() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTS], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    for _ in range(6000):  # a guard against hanging
        if not child.is_running() or child.status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.01)
    raise AssertionError("it goes on")
