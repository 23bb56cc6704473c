"""Errors of the disk, as a person is told of them."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from longtake.errors import LibraryUnavailable, MediaError, wrap_disk_errors

LIBRARY = Path("/library")


@pytest.mark.parametrize(
    ("number", "file", "kind", "said"),
    [
        (errno.ENOSPC, "/library/traces/run.jsonl", LibraryUnavailable, "Free some disk space"),
        (errno.ENOSPC, None, LibraryUnavailable, "/library"),
        (errno.EROFS, b"/library/locks", LibraryUnavailable, "writable"),
        (errno.EACCES, "/elsewhere/talk.mp4", MediaError, "/elsewhere/talk.mp4"),
        (errno.ECONNRESET, None, OSError, "reset"),
    ],
)
def test_what_is_told_says_where_and_what_to_do(
    number: int, file: str | bytes | None, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said), wrap_disk_errors(LIBRARY):
        raise OSError(number, "reset" if number == errno.ECONNRESET else "no", file)
