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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import longtake
from longtake.benchmarks.hour.reel import Notify
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
    """What one kind of work enters; `files` are paths in the package, with the number of functions of each."""

    name: str
    functions: int
    files: dict[str, int]


class Walks(Record):
    """The public shape of `bench walks --json`."""

    walks: tuple[Walk, ...]


def measure_walks(notify: Notify) -> Walks:
    """Index the demo video, ask about it without a language model, and evaluate one question with options about it."""
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
        walks = []
        for name, commands in work.items():
            notify(name)
            walks.append(_walk(name, [f"--library {folder / 'library'} {command}" for command in commands]))
        return Walks(walks=tuple(walks))


def show_walks(report: Walks) -> list[str]:
    """The counts as lines to print."""
    return [
        f"{walk.name:9}{walk.functions:4} functions in {len(walk.files):3} files, target {_AIMS[walk.name]}"
        for walk in report.walks
    ]


def _walk(name: str, commands: Sequence[str]) -> Walk:
    from longtake.cli.main import app

    with _entered() as codes, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        for command in commands:
            app(shlex.split(command), standalone_mode=False)
    files: dict[str, int] = {}
    for code in codes:
        file = Path(code.co_filename)
        if file.is_relative_to(_HOME) and not code.co_name.startswith("<"):
            name_of_file = str(file.relative_to(_HOME))
            files[name_of_file] = files.get(name_of_file, 0) + 1
    return Walk(name=name, functions=sum(files.values()), files=dict(sorted(files.items())))


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
