"""What every command shares: global options, output helpers and error handling."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from longtake.errors import LongtakeError
from longtake.lazy import cached_property

if TYPE_CHECKING:
    from longtake.settings import Settings

EXIT_FAILED = 1
EXIT_PARTIAL = 3
EXIT_INTERRUPTED = 130
_interrupted = threading.Event()
# Control characters except tab and line feed. A terminal obeys them, and names of files may contain them.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Session:
    """The options given before the command; settings are read on first use."""

    profile: str | None = None
    overrides: tuple[str, ...] = ()
    library: Path | None = None
    offline: bool = False
    debug: bool = False

    @cached_property
    def settings(self) -> Settings:
        """The settings of this call; if they say offline, outgoing connections are blocked from here on."""
        from longtake.config import load, user_file
        from longtake.offline import forbid_network

        settings = load(self.profile, self.overrides, offline=self.offline, user=user_file())
        if settings.offline:
            forbid_network()
        return settings

    @property
    def source(self) -> str:
        """The profile or file that the settings come from."""
        from longtake.config import user_file

        return self.profile or (str(user_file()) if user_file().is_file() else "embedded")

    @cached_property
    def library_root(self) -> Path:
        """Library folder of this call."""
        from longtake.config import default_library

        return (self.library or default_library()).expanduser().resolve()


def say(text: str = "") -> None:
    """Write a result for a person to standard output."""
    sys.stdout.write(harmless(text) + "\n")


def say_coloured(text: str, colours: Mapping[str, str]) -> None:
    """Write a result in which some words have a colour, on a terminal that shows colours."""
    if not sys.stdout.isatty():
        say(text)
        return
    from rich.console import Console
    from rich.text import Text

    shown = Text(harmless(text))
    for words, colour in colours.items():
        shown.highlight_words([words], colour)
    Console(highlight=False).print(shown, soft_wrap=True)


def harmless(text: str) -> str:
    """A text without characters that a terminal obeys."""
    return _OBEYED.sub("", text.encode(errors="replace").decode())  # file names can hold bytes that aren't UTF-8


def counted(number: int, thing: str) -> str:
    """`1 item`, `2 items`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def listed(things: Sequence[str], most: int) -> str:
    """The first of many things, and how many more there are."""
    more = len(things) - most
    return ", ".join(things[:most]) + (f" and {more} more" if more > 0 else "")


def sized(count: int) -> str:
    """Bytes as people read them: `1.5 GB`, `3.2 MB`."""
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def note(text: str) -> None:
    """Write a remark, a warning or progress to standard error."""
    sys.stderr.write(harmless(text) + "\n")


def say_json(value: Any) -> None:
    """Write one JSON document to standard output."""
    say(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def configure_logging(*, debug: bool) -> None:
    """Send log records to standard error: warnings, or everything Longtake logs with `--debug`."""
    form = "%(levelname)s %(name)s: %(message)s" if debug else "%(levelname)s: %(message)s"
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format=form)
    if debug:
        logging.getLogger("longtake").setLevel(logging.DEBUG)
    else:
        # They warn of each try to connect, and of terminals that don't tell the size of their characters.
        for name in ("psycopg.pool", "textual_image"):
            logging.getLogger(name).setLevel(logging.ERROR)


def keep_interrupts() -> None:
    """Record Ctrl-C as well as raising it: Python drops an exception raised inside a callback or destructor."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        _interrupted.set()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)


def raise_if_interrupted() -> None:
    """Raise `KeyboardInterrupt` if Ctrl-C was pressed; checked at every frame or chunk."""
    if _interrupted.is_set():
        raise KeyboardInterrupt


@contextmanager
def error_border(*, debug: bool) -> Iterator[None]:
    """Turn an error a person can act on into one sentence and exit code 1, and Ctrl-C into 130."""
    try:
        yield
    except LongtakeError as error:
        if debug:
            raise
        note(f"longtake: {error}")
        sys.exit(EXIT_FAILED)
    except SystemExit as leaving:
        # By now typer has silently turned Ctrl-C into this code.
        if leaving.code == EXIT_INTERRUPTED:
            note("longtake: stopped; finished work is kept.")
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(EXIT_FAILED)
    except (MemoryError, ImportError) as error:
        if debug or not _is_out_of_memory(error):
            raise
        note("longtake: There isn't enough memory: close other programs or raise the limit, and run it again.")
        sys.exit(EXIT_FAILED)
    except OSError as error:
        if debug:
            raise
        note(f"longtake: {error.filename or 'the output'} cannot be read or written: {error.strerror or error}.")
        # Buffered standard output can't be written either: exit without flushing it.
        os._exit(EXIT_FAILED)


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, which the loader of a package reports as if the package were broken."""
    return isinstance(error, MemoryError) or "failed to map segment" in str(error)
