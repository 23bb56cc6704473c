"""Damages copies of the demo's library, and counts how often a question that subtitles answer is still answered.

Every copy has one damage: a flipped byte, a cut or a block of zeros, at a random place of a random file. Each folder is
as likely as any other, so that the many pictures don't hide the rest. Half of the questions name the file, which
completes a video first; the others name the video, as if the file weren't there. Each is asked in a process of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from longtake.api import Library
from longtake.bench.hour.reel import Notify
from longtake.bench.intervals import Share
from longtake.memory.records import Record
from longtake.preprocess.demo.make import VIDEO, make_demo
from longtake.settings import Settings

QUESTION, GOLD = "How fast was the wind?", "130 kilometres"
DAMAGES = ("flip", "cut", "zero")
_BLOCK = 512  # most bytes of zeros
_SECONDS = 120.0  # for one question
_PRELOADED = [
    "longtake.agent.graph.agent",
    "longtake.preprocess.pipeline.pipeline",
    "longtake.memory.search.hybrid_search",
]


class Fault(Record):
    """A question that wasn't answered right, or not silently: `place` is the first damaged byte of `size`."""

    file: str
    damage: str
    place: int
    size: int
    asked: str
    outcome: str
    said: str
    noise: str


class FaultsReport(Record):
    """The public shape of `bench faults --json`; `noisy` counts questions that wrote to standard error."""

    right: Share
    outcomes: dict[str, int]
    noisy: int
    faults: tuple[Fault, ...]


def measure_faults(settings: Settings, notify: Notify, copies: int, seed: int) -> FaultsReport:
    """Index the demo video and ask about damaged copies of its library.

    Args:
        settings: of the library.
        notify: progress callback.
        copies: how many.
        seed: of the damages.
    """
    outcomes: Counter[str] = Counter()
    faults: list[Fault] = []
    with tempfile.TemporaryDirectory(prefix="longtake-faults-") as folder:
        notify("indexing the demo video")
        sound, copy, video = Path(folder) / "sound", Path(folder) / "copy", make_demo(Path(folder))
        with Library(sound, settings) as library:
            library.ask(video, QUESTION)
        shutil.rmtree(library.workspace.library.trace_root)  # no question reads a trace
        for number, (file, damage, place) in enumerate(_places(sound, copies, random.Random(seed))):
            shutil.copytree(sound, copy)
            damage_file(copy / file.relative_to(sound), damage, place)
            asked = ("name", "file")[number % 2]
            outcome, said, noise = _asked(copy, settings, VIDEO if asked == "name" else str(video))
            shutil.rmtree(copy)
            outcomes[outcome] += 1
            if outcome != "right" or noise:
                faults.append(
                    Fault(
                        file=str(file.relative_to(sound)),
                        damage=damage,
                        place=place,
                        size=file.stat().st_size,
                        asked=asked,
                        outcome=outcome,
                        said=said,
                        noise=noise,
                    )
                )
                notify(_line(faults[-1]))
            notify(f"{number + 1} of {copies}: {dict(outcomes)}")
    return FaultsReport(
        right=Share.of(outcomes["right"], copies),
        outcomes=dict(outcomes),
        noisy=sum(bool(fault.noise) for fault in faults),
        faults=tuple(faults),
    )


def show_faults(report: FaultsReport) -> list[str]:
    """The report as lines to print."""
    return [
        f"right            {report.right}",
        *(f"{outcome:<16} {count}" for outcome, count in report.outcomes.items() if outcome != "right"),
        f"wrote to standard error: {report.noisy}",
        *(f"  {_line(each)}" for each in report.faults),
    ]


def _line(fault: Fault) -> str:
    where = f"{fault.file}, {fault.damage} at {fault.place} of {fault.size}"
    return f"{fault.outcome}, asked by {fault.asked}: {where}: {fault.said} {fault.noise[:300]}".rstrip()


def damage_file(file: Path, damage: str, place: int) -> None:
    """Flip the byte at `place`, set up to a block from there to zero, or cut the file there."""
    content = bytearray(file.read_bytes())
    if damage == "flip":
        content[place] ^= 1 << place % 8
    elif damage == "cut":
        del content[place:]
    else:
        zeros = min(_BLOCK, len(content) - place)
        content[place : place + zeros] = bytes(zeros)
    file.write_bytes(content)


def _places(root: Path, count: int, chance: random.Random) -> Iterator[tuple[Path, str, int]]:
    """Files, damages and places."""
    folders: defaultdict[Path, list[Path]] = defaultdict(list)
    for file in sorted(root.rglob("*")):
        if file.is_file() and file.stat().st_size:
            folders[file.parent].append(file)
    for number in range(count):
        file = chance.choice(folders[chance.choice(list(folders))])
        yield file, DAMAGES[number // 2 % len(DAMAGES)], chance.randrange(file.stat().st_size)


def _asked(library: Path, settings: Settings, video: str) -> tuple[str, str, str]:
    """What becomes of the question: the outcome, what was said, and what standard error got."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(_PRELOADED)
    receiving, sending = processes.Pipe(duplex=False)
    with tempfile.NamedTemporaryFile("r", errors="replace") as noise, receiving:
        child = processes.Process(target=_ask, args=(library, settings, video, noise.name, sending))
        child.start()
        sending.close()
        try:
            outcome, said = receiving.recv() if receiving.poll(_SECONDS) else ("hung", "")
        except EOFError:
            child.join()
            outcome, said = "crashed", f"exit code {child.exitcode}"
        child.kill()
        child.join()
        return outcome, said, noise.read().strip()


def _ask(library: Path, settings: Settings, video: str, noise: str, answered: Connection) -> None:
    os.dup2(os.open(noise, os.O_WRONLY), 2)
    try:
        with Library(library, settings) as opened:
            answer = opened.ask(video, QUESTION)
    except Exception as error:  # noqa: BLE001 - every kind is an outcome
        answered.send(("failed", f"{type(error).__name__}: {error}"))
    else:
        right = answer.status == "answered" and GOLD in answer.answer
        outcome = "right" if right else answer.status if answer.status != "answered" else "wrong"
        answered.send((outcome, answer.error or answer.answer))
