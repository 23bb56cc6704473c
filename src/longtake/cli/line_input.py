"""Reads lines: at a terminal with history and completion of names, else from standard input."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

_KEPT = 1_000  # lines of history


def read_lines(interactive: bool, folder: Path, names: Sequence[str]) -> Iterator[str]:
    """Lines without surrounding spaces, except empty ones, until the input ends.

    Bytes that aren't text become lone surrogates, as they do on a command line.

    Args:
        interactive: whether a person types them; Ctrl-C then drops the line.
        folder: keeps the history.
        names: complete what is typed, with Tab.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    if not interactive:
        yield from filter(None, map(str.strip, sys.stdin))
        return
    with suppress(ImportError):  # Python on Windows has no readline
        _complete(folder / "chat_history", names)
    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            return
        if line:
            yield line


def _complete(history: Path, names: Sequence[str]) -> None:
    import atexit
    import readline

    def completed(typed: str, number: int) -> str | None:
        found = [name for name in names if name.lower().startswith(typed.lower())]
        return found[number] if number < len(found) else None

    with suppress(OSError):
        readline.read_history_file(history)
    readline.set_history_length(_KEPT)
    readline.set_completer_delims(" ")
    readline.set_completer(completed)
    readline.parse_and_bind("tab: complete")
    atexit.register(_save, history)


def _save(history: Path) -> None:
    import readline

    with suppress(OSError):  # the library is read-only
        readline.write_history_file(history)
