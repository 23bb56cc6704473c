"""Checks that killed indexing resumes and builds the same layers as an undisturbed run.

A run begins with a new library. `longtake index` is started, killed with SIGKILL at a random moment together with its
child processes, and started again, until it finishes. Half of the runs kill once in every step that works in chunks,
between the start of the step and its usual length; the others kill anywhere.

A run is identical if every file of every layer in use has the same bytes as in the undisturbed run. A chunk is redone
if it was finished at a kill and the next process built it again.
"""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longtake.bench.hour.killing import Indexing, Moment, step_of
from longtake.bench.hour.reel import Notify, make_loop
from longtake.bench.intervals import Share
from longtake.bench.processes import longtake, run
from longtake.bench.timing import Machine, load
from longtake.console import Session
from longtake.errors import EngineError
from longtake.memory.library import Library
from longtake.memory.records import Record

SECONDS = 240.0  # of video
CHUNK = "visual_pass.chunk_seconds=10"  # so that a short video has enough chunks
KILLS = 20


class Kill(Record):
    """One kill: its run, the seconds after the process started, the step, and the chunks finished by then."""

    run: int
    after: float
    step: str
    finished_chunks: int


class ResumeReport(Record):
    """The public shape of `bench resume --json`; `differing` names the files that differ, by run number."""

    machine: Machine
    video_seconds: float
    undisturbed_seconds: float
    kills: tuple[Kill, ...]
    by_step: dict[str, int]
    identical_runs: Share
    differing: dict[int, tuple[str, ...]]
    redone_chunks: Share


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A run without kills: its seconds, those of each step that works in chunks, and a digest per file."""

    seconds: float
    steps: dict[str, float]
    digests: dict[str, str]


def measure_resume(
    session: Session,
    media: Path,
    folder: Path,
    notify: Notify,
    *,
    seconds: float = SECONDS,
    kills: int = KILLS,
    seed: int,
) -> ResumeReport:
    """Index a video undisturbed, then kill indexing at random moments until there are enough kills.

    Raises:
        EngineError: if indexing fails by itself, or finishes too soon to be killed.
    """
    reel = make_loop(media, folder, notify, seconds)
    chunked = Session(session.profile, (*session.overrides, CHUNK), offline=session.offline)
    before = load()
    notify("indexing undisturbed")
    with tempfile.TemporaryDirectory(dir=folder) as library:
        usual = index_undisturbed(chunked, Path(library), reel.path)
    killed: list[Kill] = []
    differing: list[tuple[str, ...]] = []
    redone = finished = 0
    plans = _plans(usual, random.Random(seed))
    while len(killed) < kills:
        if len(differing) >= 2 * kills:
            raise EngineError(f"Indexing {reel.path.name} finishes too soon to be killed; give more --seconds.")
        with tempfile.TemporaryDirectory(dir=folder) as library:
            number = len(differing) + 1
            indexing = Indexing(longtake(chunked, Path(library), "index", str(reel.path), "--json"), Path(library))
            for moment in next(plans)[: kills - len(killed)]:
                kill = indexing.kill_at(moment)
                if kill is None:
                    break
                killed.append(Kill(run=number, after=kill.after, step=kill.step, finished_chunks=kill.finished))
                notify(f"kill {len(killed)} of {kills}: {kill.step}, {kill.after:.1f} s after the start")
            indexing.finish()
            differing.append(differences(digests(Path(library)), usual.digests))
            redone, finished = redone + indexing.redone, finished + indexing.finished
    return ResumeReport(
        machine=Machine.since(before),
        video_seconds=reel.seconds,
        undisturbed_seconds=usual.seconds,
        kills=tuple(killed),
        by_step=dict.fromkeys(usual.steps, 0) | Counter(kill.step for kill in killed),
        identical_runs=Share.of(differing.count(()), len(differing)),
        differing={number: files for number, files in enumerate(differing, 1) if files},
        redone_chunks=Share.of(redone, finished),
    )


def show_resume(report: ResumeReport) -> list[str]:
    """The report as lines to print."""
    return [
        str(report.machine),
        f"one video of {report.video_seconds:g} s, indexed in {report.undisturbed_seconds:.1f} s undisturbed",
        f"kills            {len(report.kills)}",
        *(f"  {step:<14} {count}" for step, count in report.by_step.items()),
        f"runs identical   {report.identical_runs}",
        *(f"  run {number}: {file} differs" for number, files in report.differing.items() for file in files),
        f"chunks redone    {report.redone_chunks if report.redone_chunks.n else 'none finished at a kill'}",
    ]


def index_undisturbed(session: Session, library: Path, video: Path) -> Undisturbed:
    """Index a video in one go into a new library."""
    done: dict[str, Any] = json.loads(run(longtake(session, library, "index", str(video), "--json"), None))
    opened = Library(library)
    store = opened.layers(done["video"])
    steps: dict[str, float] = {}
    for layer in done["layers"]:
        if layer["key"] and store.run(layer["name"], layer["key"]).get("chunks_made"):
            steps[step_of(layer["name"])] = layer["seconds"]
    return Undisturbed(done["seconds"], steps, digests(library))


def digests(library: Path) -> dict[str, str]:
    """A digest of every file of every layer in use, by its path in the library."""
    opened = Library(library)
    folders = [
        opened.layers(video.id).root / name / key for video in opened.videos() for name, key in video.layers.items()
    ]
    files = [file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()]
    return {
        str(file.relative_to(library)): hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest() for file in files
    }


def differences(files: Mapping[str, str], others: Mapping[str, str]) -> tuple[str, ...]:
    """The paths whose digests differ, or that only one side has."""
    return tuple(sorted({path for path, _ in files.items() ^ others.items()}))


def _plans(usual: Undisturbed, chance: random.Random) -> Iterator[list[Moment]]:
    """The moments of each run: alternately one in every step that works in chunks, and anywhere."""
    while True:
        yield [Moment(step, chance.uniform(0, seconds)) for step, seconds in usual.steps.items()]
        yield [Moment(None, chance.uniform(0, usual.seconds / 2)) for _ in usual.steps]
