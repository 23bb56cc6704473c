"""Errors a person can act on.

The command line prints the sentence and exits 1, without a traceback unless `--debug` is given.
Failures the controller can act on are values, not exceptions: see `longtake.tools.core.result`.
Anything else that escapes is a bug and keeps its traceback.
"""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EROFS, errno.EACCES, errno.EPERM}


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the most similar known one, else all of them."""
    names = list(known)
    close = get_close_matches(name, names, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(names)}."


class LongtakeError(Exception):
    """Base class. The message is one sentence that says what, where and what to do."""


class ConfigError(LongtakeError):
    """A setting, profile or name the user gave is missing or wrong."""


class MediaError(LongtakeError):
    """A media or subtitle file is missing, unreadable or not what it claims to be."""


class LibraryError(LongtakeError):
    """The library on disk lacks the requested item, or can't be written."""


class LibraryUnavailable(LibraryError):
    """The library's disk or database can't be used now; what was asked works once it can."""


class ThreadBusy(LongtakeError):
    """A thread is being answered, by this program or another."""


class PluginError(LongtakeError):
    """What an installed package adds can't be used."""


class EngineError(LongtakeError):
    """An engine or endpoint can't be used or has failed."""


class EngineUnavailable(EngineError):
    """None of the profile's engines can run here; the message says how to make one available."""


class Cancelled(LongtakeError):
    """The work was stopped from outside: Ctrl-C, a stop button or a budget that ran out."""


def unwritable(error: OSError, root: Path) -> LibraryUnavailable:
    """What to tell if a library's folder can't be written; `root` is named if the error names no file."""
    remedy = "Free some disk space" if error.errno in DISK_FULL else "Grant write permission"
    return LibraryUnavailable(
        f"Couldn't write {error.filename or root} ({error.strerror or error}). {remedy} or choose another library with "
        "--library, then try again; finished work is kept."
    )


@contextmanager
def told_if_unwritable(root: Path) -> Iterator[None]:
    """Raise the errors of a full or read-only disk as `LibraryUnavailable`."""
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_FULL | _FORBIDDEN:
            raise
        raise unwritable(error, root) from error
