"""Little memory: the address space of a process is limited."""

from __future__ import annotations

import os
import random
import resource
from collections.abc import Generator
from functools import partial

from longtake.benchmarks.faults.ground import Ground, Trial, finish

_LEAST, _MOST = 200, 4000  # megabytes of address space; imports alone need some 1,500
# Each thread of a numerical library reserves address space, and some crash where they get none.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def memory(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Limit the memory of `index`; it may crash inside a library, but the same command with memory must finish."""
    while True:
        with ground.place() as library:
            megabytes = chance.randint(_LEAST, _MOST)
            limits, environment = partial(_limit_memory, megabytes * 1_000_000), os.environ | _ONE_THREAD
            ended = finish(ground.index(library), limits=limits, environment=environment)
            bad = "" if ended.code < 0 else ended.bad_failure()  # native code may end the process by a signal
            lost = finish(ground.index(library)).failure() or ground.unsound(library)
            problem = "; ".join(filter(None, (bad, lost)))
        how = "done" if not ended.failure() else "refused" if ended.code > 0 else f"signal {-ended.code}"
        yield Trial(did=f"index with {megabytes} MB ({how})", problem=problem)


def _limit_memory(room: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
