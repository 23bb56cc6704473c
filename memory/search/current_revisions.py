"""The current revision of every video's documents, and of its closer looks, in one small file.

Replacing that file makes a change visible: new documents and vectors are written first, the old ones removed
afterwards.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from longtake.language.text import parse_json
from longtake.memory.layers import canonical_json, content_key, write_atomic

_REFINED = "+refined"  # no video id ends like this


class Revision(BaseModel):
    """The current documents of an entry: their hash, their count and their vector spaces.

    `terms` is the version of `memory.terms` that split them into terms.
    `spaces` maps the id of an embedding to the first row and the number of rows that it embedded.
    `made_of` is the key of the closer looks that the documents come from, or None if they come from a video's layers.
    `merged` is the segment that holds the documents beside those of other entries, the row of the first one there, and
    the segment's number of rows; None if they have a segment of their own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    terms: int = 1
    count: int
    spaces: dict[str, tuple[int, int]]
    made_of: str | None = None
    merged: tuple[str, int, int] | None = None

    def folder(self, entry: str) -> str:
        """The name of the segment that holds the documents of this entry."""
        return self.merged[0] if self.merged else f"{entry}-{self.key}"


def is_refined(name: str) -> bool:
    """Whether an entry belongs to a video's closer looks."""
    return name.endswith(_REFINED)


def entry(video: str, *, refined: bool = False) -> str:
    """The entry name for the documents of a video's layers, or of closer looks at it."""
    return video + _REFINED if refined else video


def video_of(entry: str) -> str:
    """The video that an entry belongs to."""
    return entry.removesuffix(_REFINED)


def read_current(file: Path) -> dict[str, Revision]:
    """Revisions by entry, in a fixed order; empty if nothing was ever indexed.

    Raises:
        ValueError: if the file is damaged.
    """
    try:
        content, _, digest = file.read_text(encoding="utf-8").partition("\n")
        if digest and digest.strip() != content_key(content):  # an earlier version wrote none
            raise ValueError(f"{file} has changed since it was written")
        facts = parse_json(content)
        return {name: Revision.model_validate(revision) for name, revision in sorted(facts.items())}
    except FileNotFoundError:
        return {}
    except (AttributeError, ValidationError) as error:
        raise ValueError(f"{file} doesn't hold revisions") from error


def write_current(file: Path, revisions: dict[str, Revision]) -> None:
    """Make these the current revisions, atomically: a line of JSON and its digest."""
    content = canonical_json({name: revision.model_dump(exclude_none=True) for name, revision in revisions.items()})
    write_atomic(file, f"{content}\n{content_key(content)}\n")
