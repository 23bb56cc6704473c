"""Finds the recordings, or links, that are joined in a chained Ogg file (RFC 3533).

FFmpeg decodes all of them as the first says: with another sampling rate or block size it loses the rest, or its times.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from longtake.errors import MediaError
from longtake.preprocess.media.clock import read_timeline
from longtake.preprocess.media.container import open_media
from longtake.remote import RemoteFile

_FIRST_PAGE = re.compile(rb"OggS\x00\x02.{20}(.)", re.DOTALL)  # of a stream; the last byte counts its segments
_CHUNK = 1 << 20  # bytes
_HEADER = 282  # bytes of the longest header of a page


@dataclass(frozen=True, slots=True)
class OggLink:
    """A recording within a file: its bytes, from `first` up to `last`, and where it lies.

    `time` and `length` are in seconds, `time` from the media's origin; `origin` is the time it says itself there.
    """

    first: int
    last: int
    time: float
    length: float
    origin: float


def read_links(path: Path) -> tuple[OggLink, ...]:
    """The recordings of a chained file of sound that can be read, one after the other; none of another file.

    Raises:
        OSError: if the file can't be read.
    """
    parts, time, found = () if isinstance(path, RemoteFile) else _link_bytes(path), 0.0, list[OggLink]()
    for within in parts if len(parts) > 1 else ():
        with suppress(MediaError):
            with open_media(path, within) as container:
                sounds = [(each.index, each.start_time, each.time_base) for each in container.streams.audio]
            for index, start, tick in sounds[:1]:
                origin, timeline = float((start or 0) * (tick or 0)), read_timeline(path, [index], within)
                if timeline and timeline.end > origin:
                    found.append(OggLink(*within, round(time, 3), timeline.end - origin, origin))
                    time += timeline.end - origin
    return tuple(found)


def _link_bytes(path: Path) -> Sequence[tuple[int, int]]:
    """The first byte of each recording of an Ogg file, and the one after it."""
    pages: dict[int, int] = {}  # where pages that begin a stream lie, and where the next page does
    size = 0
    with path.open("rb") as file:
        before = b""
        while chunk := file.read(_CHUNK):
            data = before + chunk
            for page in _FIRST_PAGE.finditer(data):
                place = size - len(before) + page.start()
                pages[place] = place + len(page[0]) + page[1][0] + sum(data[page.end() : page.end() + page[1][0]])
            before = data[-_HEADER:]
            size += len(chunk)
    # The streams of one recording begin together.
    firsts = [place for place in sorted(pages) if place not in pages.values()]
    return list(pairwise([*firsts, size]))
