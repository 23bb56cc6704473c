"""What this machine can carry, and where a model of PyTorch runs fastest on it."""

from __future__ import annotations

import logging
import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)


def placed(model: Any, name: str) -> Any:
    """A model, ready to run: on the GPU if there is one with room for it, else on the CPU."""
    import torch  # pyright: ignore[reportMissingImports] - an extra

    if torch.cuda.is_available():
        try:
            return model.eval().to("cuda")
        except RuntimeError as error:  # out of memory, for example
            [problem, *_] = str(error).splitlines() or [type(error).__name__]
            log.warning("%s can't use the GPU and runs on the CPU, which is slower (%s).", name, problem)
    return model.eval().to("cpu")


_GROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container
_SHARE = 0.6  # of the memory, that one model may take


@dataclass(frozen=True)
class Machine:
    """Cores, bytes of memory, and the name and bytes of the GPU."""

    cores: int
    memory: int
    gpu: str | None
    gpu_memory: int

    def carries(self, memory: int) -> bool:
        """Whether a model that needs so many bytes fits."""
        return memory <= max(self.memory * _SHARE, self.gpu_memory * 0.9)


def usable_cores() -> int:
    """Cores that this process may use: no more than `OMP_NUM_THREADS`, which Ray sets for each of its workers."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(KeyError, ValueError):
        allowed = min(allowed, int(os.environ["OMP_NUM_THREADS"]))
    return max(1, allowed)


def this_machine() -> Machine:
    """Look at this machine; a GPU counts if `nvidia-smi` shows it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # no container, or one without a limit
        memory = min(memory, int(_GROUP_LIMIT.read_text()))
    name, gpu_memory = _gpu()
    return Machine(os.cpu_count() or 1, memory, name, gpu_memory)


def _gpu() -> tuple[str | None, int]:
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        shown = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout
        name, _, mebibytes = shown.splitlines()[0].rpartition(", ")
        return name, int(mebibytes) << 20
    except (OSError, subprocess.SubprocessError, LookupError, ValueError):
        return None, 0
