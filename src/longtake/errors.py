"""Errors a person can act on.

The command line prints the sentence and exits 1, without a traceback unless `--debug` is given.
Failures the controller can act on are values, not exceptions: see `longtake.tools.core.result`.
Anything else that escapes is a bug and keeps its traceback.
"""


class LongtakeError(Exception):
    """Base class. The message is one sentence that says what, where and what to do."""


class ConfigError(LongtakeError):
    """A setting, profile or name the user gave is missing or wrong."""


class MediaError(LongtakeError):
    """A media or subtitle file is missing, unreadable or not what it claims to be."""


class LibraryError(LongtakeError):
    """The library on disk lacks the requested item, or can't be written."""


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
