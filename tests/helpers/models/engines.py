"""Engines that do as they are told, to be run in a process of their own."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from longtake.errors import EngineError
from longtake.settings import Settings


class Obedient:
    """Answers, hangs, dies or fails; counts its processes in a file."""

    CALLS: ClassVar[Mapping[str, float]] = {"process": 5, "die_until": 5, "hang_until": 1.0, "fail": 5, "refuse": 5}
    id = "obedient-1"

    def __init__(self, settings: Settings) -> None:
        self.offline = settings.offline

    def process(self) -> int:
        return os.getpid()

    def die_until(self, marks: Path, wanted: int) -> int:
        if _mark(marks) < wanted:
            os._exit(7)
        return os.getpid()

    def hang_until(self, marks: Path, wanted: int) -> int:
        if _mark(marks) < wanted:
            time.sleep(600)
        return os.getpid()

    def fail(self, what: str) -> None:
        raise ValueError(what)

    def refuse(self, what: str) -> None:
        raise EngineError(what)

    def here(self) -> int:
        return os.getpid()


def _mark(marks: Path) -> int:
    """Which try this is, from 1."""
    with marks.open("a") as stream:
        stream.write("x")
    return len(marks.read_text())
