"""Damages copies of the demo's library, and asks each a question that subtitles answer.

Every copy has one damage: a flipped byte, a cut or a block of zeros, at a random place of a random file. Each folder is
as likely as any other, so that the many pictures don't hide the rest. Half of the questions name the file, which
completes a video first; the others name the video, as if the file weren't there. Each is asked in a process of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from longtake.api import Library
from longtake.benchmarks.faults.ground import QUESTION, Ground, Trial, is_right
from longtake.benchmarks.processes import MAX_SECONDS
from longtake.preprocess.demo.make import VIDEO
from longtake.settings import Settings

DAMAGES = ("flip", "cut", "zero")
_BLOCK = 512  # most bytes of zeros
_TOLD = re.compile("The search index .* is built again from the layers, because it is damaged: .*")
_PRELOADED = [
    "longtake.agent.graph.agent",
    "longtake.preprocess.pipeline.pipeline",
    "longtake.memory.search.index",
]


def damage(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Damage a copy of the library at one place and ask; the answer must be right; only a damaged index is told."""
    with ground.place() as untraced:
        shutil.copytree(ground.sound, untraced, ignore=shutil.ignore_patterns("traces"))  # no question reads a trace
        for number, (file, how, place) in enumerate(_places(untraced, chance)):
            asked = ("name", "file")[number % 2]
            with ground.place() as library:
                shutil.copytree(untraced, library)
                damage_file(library / file.relative_to(untraced), how, place)
                problem = _asked(library, ground.session.settings, VIDEO if asked == "name" else str(ground.video))
            where = f"{file.relative_to(untraced)}, {how} at {place} of {file.stat().st_size}"
            yield Trial(did=f"{where}, asked by {asked}", problem=problem)


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


def _places(root: Path, chance: random.Random) -> Iterator[tuple[Path, str, int]]:
    """Files, damages and places, without an end."""
    folders: defaultdict[Path, list[Path]] = defaultdict(list)
    for file in sorted(root.rglob("*")):
        if file.is_file() and file.stat().st_size:
            folders[file.parent].append(file)
    number = 0
    while True:
        file = chance.choice(folders[chance.choice(list(folders))])
        yield file, DAMAGES[number // 2 % len(DAMAGES)], chance.randrange(file.stat().st_size)
        number += 1


def _asked(library: Path, settings: Settings, video: str) -> str:
    """Ask in a process of its own; returns what is wrong with the answer, or nothing."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(_PRELOADED)
    receiving, sending = processes.Pipe(duplex=False)
    with tempfile.NamedTemporaryFile("r", errors="replace") as noise, receiving:
        child = processes.Process(target=_ask, args=(library, settings, video, noise.name, sending))
        child.start()
        sending.close()
        try:
            problem: str = receiving.recv() if receiving.poll(MAX_SECONDS) else "it hung"
        except EOFError:
            child.join()
            problem = f"it crashed, exit code {child.exitcode}"
        child.kill()
        child.join()
        said = noise.read().strip()[:300]
        return problem or (f"standard error got: {said}" if said and not _TOLD.fullmatch(said) else "")


def _ask(library: Path, settings: Settings, video: str, noise: str, answered: Connection) -> None:
    os.dup2(os.open(noise, os.O_WRONLY), 2)
    try:
        with Library(library, settings) as opened:
            answer = opened.ask(video, QUESTION)
    except Exception as error:  # noqa: BLE001 - every kind is an outcome
        answered.send(f"{type(error).__name__}: {error}")
    else:
        right = answer.status == "answered" and is_right(answer.answer)
        answered.send("" if right else f"{answer.status}: {answer.error or answer.answer}")
