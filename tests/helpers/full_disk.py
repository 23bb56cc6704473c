"""A disk without room."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

# For processes in which files can't grow: Python doesn't see that it wrote the bytecode of a module only in part, and
# couldn't import the module any more.
NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """Until the block is left no file can grow beyond `room` bytes; of more, what fits is written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with patch.dict(os.environ, NO_BYTECODE), patch.object(sys, "dont_write_bytecode", new=True):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
