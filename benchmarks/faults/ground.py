"""Where faults are tried: the demo video, libraries with it, and what has to hold after every fault.

After a fault the same command must come to its end, a question that subtitles answer must be answered right and
silently, and `longtake doctor` must find nothing wrong with the library.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from longtake.benchmarks.processes import MAX_SECONDS, longtake, run
from longtake.benchmarks.reports import timed
from longtake.console import EXIT_FAILED, EXIT_PARTIAL, Session
from longtake.memory.library import LibraryStore
from longtake.preprocess.demo.make import SUBTITLES, VIDEO, make_demo
from longtake.preprocess.pipeline.library_check import check_library
from longtake.settings import Settings

QUESTION = "How fast was the wind?"
_GOLD = ("130 kilometres", "130 km")  # as the subtitles spell it, and as it is read without them

# The demo video is in it, has been asked about, or is there beside another video but not in the search index.
State = Literal["nothing", "sound", "talked", "both"]


class Trial(NamedTuple):
    """One fault: what was done, and what went wrong; an empty `problem` means that all was right."""

    did: str
    problem: str = ""

    def __str__(self) -> str:
        return f"{self.did}: {self.problem}" if self.problem else self.did


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit code (minus a signal's number), and what it wrote."""

    code: int
    output: str
    errors: str

    def failure(self) -> str:
        """Why it didn't do its work, or nothing."""
        return "" if self.code in (0, EXIT_PARTIAL) else f"exit code {self.code}: {self.errors.strip()[-300:]}"

    def failed_before_kill(self) -> str:
        """Why it failed before SIGKILL ended it, or nothing."""
        return "" if self.code == -signal.SIGKILL else self.failure()

    def bad_failure(self) -> str:
        """What is wrong with the way it failed, or nothing: one sentence on one line and exit code 1 are right."""
        lines = self.errors.strip().splitlines()
        told = len(lines) == 1 and lines[0].startswith("longtake: ")
        if not self.failure() or (self.code == EXIT_FAILED and told):
            return ""
        return "a crash" if self.code < 0 else f"no sentence, {self.failure()}"


@dataclass(frozen=True, slots=True)
class Ground:
    """The demo video and a copy of it, and the seconds that indexing it and asking took."""

    session: Session
    folder: Path
    video: Path
    index_seconds: float = 0.0
    ask_seconds: float = 0.0

    @property
    def other(self) -> Path:
        """The demo video with a byte that no player reads, which makes another file of it."""
        return self.folder / "other.mp4"

    def command(self, library: Path, *arguments: str) -> list[str]:
        """A `longtake` command on a library."""
        return longtake(self.session, library, *arguments)

    def index(self, library: Path, video: Path | None = None) -> list[str]:
        """The command that indexes a video, or else the demo video."""
        return self.command(library, "index", str(video or self.video), "--json")

    def ask(self, library: Path, *options: str) -> list[str]:
        """The command that asks the question about the indexed video."""
        return self.command(library, "ask", VIDEO, QUESTION, "--json", *options)

    @contextmanager
    def copy(self, state: State) -> Iterator[Path]:
        """A copy of a library in a state, which is made once."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            if state != "nothing":
                shutil.copytree(self.library(state), Path(folder) / "library")
            yield Path(folder) / "library"

    def library(self, state: State) -> Path:
        """The library in a state, which nothing may change."""
        library = self.folder / state
        if library.exists():
            return library
        if state == "sound":
            run(self.index(library))
            return library
        shutil.copytree(self.library("sound"), library)
        if state == "talked":
            run(self.ask(library, "--thread", "talk"))
        else:
            self.other.write_bytes(self.video.read_bytes() + b"\0")
            shutil.copy(self.video.with_name(SUBTITLES), self.other.with_suffix(".en.vtt"))
            run(self.index(library, self.other))
            shutil.rmtree(library / "index")
        return library

    def unsound(self, library: Path) -> str:
        """What is wrong with a library: the question isn't answered right, or a check finds a problem."""
        wrong = misanswer(finish(self.ask(library)))
        return wrong or "; ".join(check_library(library, Settings()).problems)

    def unlike(self, library: Path) -> str:
        """How the layers of a library differ from those of the sound one."""
        files, others = _layer_files(library), _layer_files(self.library("sound"))
        differing = sorted({path for path, _ in files.items() ^ others.items()})
        return f"{len(differing)} files of layers differ, such as {differing[0]}" if differing else ""


class Kind(NamedTuple):
    """A kind of fault.

    `attempt` is given the ground, a library, chance and the number of the trial; it returns None if the fault came too
    late. `on` is the state of the library, and `checked` whether it must be sound in the end.
    """

    attempt: Callable[[Ground, Path, random.Random, int], Trial | None]
    on: State
    checked: bool = True


@contextmanager
def make_ground(session: Session) -> Iterator[Ground]:
    """Make and index the demo video in a temporary folder.

    Raises:
        EngineError: if indexing or asking fails without any fault.
    """
    with tempfile.TemporaryDirectory(prefix="longtake-faults-") as temporary:
        folder = Path(temporary)
        ground = Ground(session, folder, make_demo(folder / "demo"))
        index_seconds = timed(partial(ground.library, "sound"))
        yield Ground(
            session, folder, ground.video, index_seconds, timed(partial(run, ground.ask(ground.library("sound"))))
        )


def finish(
    command: Sequence[str],
    kill_after: float | None = None,
    limits: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a command to its end, or kill it with its child processes after some seconds.

    Args:
        command: to run.
        kill_after: seconds; without them, one that takes longer than `MAX_SECONDS` hangs and is killed too.
        limits: called in the process before it starts.
        environment: of the process, beside this one's.
    """
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=limits,
        env=os.environ | dict(environment or {}),
    )
    try:
        output, errors = process.communicate(timeout=MAX_SECONDS if kill_after is None else kill_after)
    except subprocess.TimeoutExpired:
        kill(process)
        output, errors = process.communicate()
    return Ended(process.returncode, output, errors)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a process that leads its session, with all of its child processes."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def is_right(answer: str) -> bool:
    """Whether it answers the question."""
    return any(each in answer for each in _GOLD)


def misanswer(ended: Ended, *, may_refuse: bool = False) -> str:
    """What is wrong with the answer of `ask --json`, or nothing; a refusal says why."""
    if not ended.output:
        return ended.bad_failure() if may_refuse else f"no answer, {ended.failure()}"
    answer = json.loads(ended.output)
    if may_refuse and ended.code == EXIT_FAILED and answer["status"] == "failed" and answer["error"]:
        return ""
    if answer["status"] != "answered" or not is_right(answer["answer"]):
        return f"{answer['status']}: {answer['error'] or answer['answer']}"
    return f"standard error got: {ended.errors.strip()[:300]}" if ended.errors.strip() else ""


def _layer_files(library: Path) -> dict[str, bytes]:
    """The content of every file of every layer in use, by its path in the library."""
    opened = LibraryStore(library)
    folders = [
        opened.layers(video.id).root / name / key for video in opened.videos() for name, key in video.layers.items()
    ]
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return {str(file.relative_to(library)): file.read_bytes() for file in files}
