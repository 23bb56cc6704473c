"""Counts the functions and files that a question, a video and an evaluated item walk through.

It is the size of what somebody must read to follow them. Each command runs in this process, and every function of
Longtake that is entered counts once; what runs when a module is imported doesn't count.
"""

from __future__ import annotations

import io
import shlex
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from pydantic import Field

import longtake
from longtake.benchmarks.reports import Notify, Report
from longtake.memory.records import Record
from longtake.preprocess.demo.make import make_demo

_HOME = Path(longtake.__file__).parent
_CARD = """
name: walks
file: questions.csv
videos: .
fields: {id: number, question: question, options: [a, b], answer: right, video: clip}
format: choice
answer: letter
"""
_QUESTIONS = "number,question,a,b,right,clip\nq1,Which phone extension is given?,1234,4417,B,demo\n"
_AIMS = {"ask": 45, "index": 50, "evaluate": 80}  # files


class Walk(Record):
    """What one kind of work enters; `names` are paths in the package, with the number of functions of each."""

    functions: int
    files: int
    target: int
    names: dict[str, int] = Field(repr=False)


class Walks(Report):
    """By the kind of work."""

    walks: dict[str, Walk]


def measure_walks(notify: Notify) -> Walks:
    """Count the functions and files that a question, a video and an evaluated item walk through."""
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as place:
        folder = Path(place)
        video, run = make_demo(folder), folder / "run"
        (folder / "card.yaml").write_text(_CARD, encoding="utf-8")
        (folder / "questions.csv").write_text(_QUESTIONS, encoding="utf-8")
        work = {
            "index": [f"index {video}"],
            "ask": ["ask demo.mp4 'Which phone extension is given?'"],
            "evaluate": [
                f"eval run {folder / 'card.yaml'} --suite own --subject agent --out {run}",
                f"eval score {run}",
            ],
        }
        walks = {}
        for name, commands in work.items():
            notify(name)
            walks[name] = _walk(_AIMS[name], [f"--library {folder / 'library'} {command}" for command in commands])
        return Walks(walks=walks)


def _walk(target: int, commands: Sequence[str]) -> Walk:
    from longtake.cli.main import app

    with _entered() as codes, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        for command in commands:
            app(shlex.split(command), standalone_mode=False)
    places = [Path(code.co_filename) for code in codes if not code.co_name.startswith("<")]
    files = Counter(str(place.relative_to(_HOME)) for place in places if place.is_relative_to(_HOME))
    return Walk(functions=sum(files.values()), files=len(files), target=target, names=dict(sorted(files.items())))


@contextmanager
def _entered() -> Iterator[set[CodeType]]:
    """The code of every function that any thread enters until the block ends."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_flags & 0x2:  # CO_NEWLOCALS: functions
            codes.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield codes
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
