"""Which documents count: one small file that names the current revision of every video.

Replacing it is the moment a change becomes visible: documents and vectors are written before, the old ones
removed after.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from longtake.memory.layers import canonical_json, write_atomic


class Revision(BaseModel):
    """The current documents of a video: a hash of them, their number, and the vector space they lie in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    count: int
    space: str


def read_current(file: Path) -> dict[str, Revision]:
    """Revisions by video, in a fixed order; none when nothing was ever indexed.

    Raises:
        ValueError: when the file is damaged.
    """
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
        return {video: Revision.model_validate(revision) for video, revision in sorted(facts.items())}
    except FileNotFoundError:
        return {}
    except (AttributeError, ValidationError) as error:
        raise ValueError(f"{file} holds something else") from error


def write_current(file: Path, revisions: dict[str, Revision]) -> None:
    """Make these the current revisions, at once."""
    write_atomic(file, canonical_json({video: revision.model_dump() for video, revision in revisions.items()}) + "\n")


@dataclass(frozen=True, slots=True)
class Part:
    """The documents of one video and the place of the first among all."""

    video: str
    key: str
    space: str
    first: int
    count: int


class Corpus:
    """All current documents in one row: video after video, each in its own order."""

    def __init__(self, revisions: Mapping[str, Revision]) -> None:
        self.count = 0
        self.parts: list[Part] = []
        for video, revision in revisions.items():
            self.parts.append(Part(video, revision.key, revision.space, self.count, revision.count))
            self.count += revision.count
        self.id = content_hash(*(part.key for part in self.parts))

    def name(self, position: int) -> tuple[str, int]:
        """Revision and row of a position."""
        part = self.parts[bisect_right(self.parts, position, key=attrgetter("first")) - 1]
        return part.key, position - part.first


def content_hash(*parts: str) -> str:
    """Sixteen hex digits of strings in this order."""
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()
