"""Errors that a person can act on.

The command line prints the sentence and exits 1, without a traceback unless `--debug` is given.
What the controller can act on is a value, not an exception: see `longtake.tools.core.result`.
Anything else that escapes is a bug and keeps its traceback.
"""


class LongtakeError(Exception):
    """Base class. The message is one sentence that says what, where and what to do."""


class ConfigError(LongtakeError):
    """A setting, profile or name given by the person is missing or wrong."""


class MediaError(LongtakeError):
    """A media or subtitle file is missing, unreadable or not what it claims to be."""


class LibraryError(LongtakeError):
    """The library on disk does not hold what was asked for, or cannot be written."""


class ThreadBusy(LongtakeError):
    """A thread is being answered, by this program or another."""


class EngineError(LongtakeError):
    """An engine or endpoint cannot be used or has failed."""


class EngineUnavailable(EngineError):
    """No engine of the profile can do it here; the message says what would make one available."""


class Cancelled(LongtakeError):
    """The work was stopped from outside: Ctrl-C, a stop button or a budget that ran out."""
