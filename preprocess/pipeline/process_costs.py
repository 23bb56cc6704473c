"""What this process and its engine processes have used so far; on systems without `/proc`, this process alone."""

from __future__ import annotations

import os
import time
from multiprocessing import active_children
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

_PROC = Path("/proc")


def core_seconds() -> float:
    """Seconds of processor time, of all threads."""
    ticks = os.sysconf("SC_CLK_TCK")
    # The command, in parentheses, may hold spaces; user and system time are the 14th and 15th value.
    values = (stat.rpartition(")")[2].split() for stat in _children("stat"))
    return time.process_time() + sum((int(each[11]) + int(each[12])) / ticks for each in values)


def most_memory() -> int:
    """Bytes: the sum of the most that each process has had resident."""
    lines = (line for status in _children("status") for line in status.splitlines() if line.startswith("VmHWM"))
    return 1024 * (getrusage(RUSAGE_SELF).ru_maxrss + sum(int(line.split()[1]) for line in lines))


def _children(file: str) -> list[str]:
    """The contents of a file in `/proc` of each engine process that runs."""
    found = (_PROC / str(child.pid) / file for child in active_children())
    return [path.read_text(encoding="ascii", errors="replace") for path in found if path.exists()]
