"""Errors a person can act on.

The command line prints the sentence and exits 1, without a traceback unless `--debug` is given.
Failures the controller can act on are values, not exceptions: see `longtake.tools.core.result`.
Anything else that escapes is a bug and keeps its traceback.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_REMEDIES = {
    **dict.fromkeys(DISK_FULL, "Free some disk space"),
    **dict.fromkeys((errno.EACCES, errno.EPERM), "Grant permission"),
    errno.EROFS: "Mount its disk writable",
}


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
    """The library lacks the requested item, or a file of it is damaged."""


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


def first_line(error: BaseException) -> str:
    """What an error says, without more lines and the full stop."""
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__


def file_error(error: OSError, root: Path) -> LibraryUnavailable | MediaError:
    """What to tell about a file of the library with this root, or about a media file elsewhere.

    `root` is named if the error names no file.
    """
    file = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else str(root)
    remedy = _REMEDIES.get(error.errno or 0, "Check the disk")
    sentence = f"{file} can't be read or written ({error.strerror or error}). {remedy}"
    if Path(file).is_relative_to(root):
        return LibraryUnavailable(f"{sentence} or choose another library.")
    return MediaError(f"{sentence}.")


@contextmanager
def wrap_disk_errors(root: Path) -> Iterator[None]:
    """Convert the errors of a full, read-only or forbidden disk to those of `file_error`; raise others as they are."""
    try:
        yield
    except OSError as error:
        if error.errno not in _REMEDIES:
            raise
        raise file_error(error, root) from error
