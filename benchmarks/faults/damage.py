"""Damages copies of the demo's library, and asks each a question that subtitles answer.

Every copy has one damage: a flipped byte, a cut or a block of zeros, at a random place of a random file. Each folder is
as likely as any other, so that the many pictures don't hide the rest. Half of the questions name the file, which
completes a video first; the others name the video, as if the file weren't there.
"""

from __future__ import annotations

import random
import re
import shutil
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from longtake.benchmarks.faults.ground import QUESTION, Ground, Trial, finish, misanswer

DAMAGES = ("flip", "cut", "zero")
_BLOCK = 512  # most bytes of zeros
_TOLD = re.compile("WARNING: The search index .* is built again from the layers, because it is damaged: .*")


def damage(ground: Ground, library: Path, chance: random.Random, number: int) -> Trial:
    """Damage the library at one place and ask; the answer must be right; only a damaged index is told."""
    shutil.rmtree(library / "traces", ignore_errors=True)  # no question reads a trace
    folders: defaultdict[Path, list[Path]] = defaultdict(list)
    for each in sorted(library.rglob("*")):
        if each.is_file() and each.stat().st_size:
            folders[each.parent].append(each)
    file = chance.choice(folders[chance.choice(list(folders))])
    size, how = file.stat().st_size, DAMAGES[number // 2 % len(DAMAGES)]
    place = chance.randrange(size)
    damage_file(file, how, place)
    by_file = number % 2 == 1
    by_name = ground.ask(library)
    ended = finish(ground.command(library, "ask", str(ground.video), QUESTION, "--json") if by_file else by_name)
    if _TOLD.fullmatch(ended.errors.strip()):
        ended = replace(ended, errors="")
    where = f"{file.relative_to(library)}, {how} at {place} of {size}"
    return Trial(f"{where}, asked by {'file' if by_file else 'name'}", misanswer(ended))


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
