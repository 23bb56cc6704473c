"""Which documents count: one small file that names the current revision of every video, and of closer looks at it.

Replacing it is the moment a change becomes visible: documents and vectors are written before, the old ones
removed after.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from longtake.memory.layers import canonical_json, write_atomic

_REFINED = "+refined"  # no id of a video ends so


class Revision(BaseModel):
    """The current documents of an entry: a hash of them, their number, and which of them lie in which vector space.

    `terms` is the version of `memory.terms` that they were taken apart by.
    `spaces` gives, by the id of an embedding, the first row and the number of rows that it embedded.
    `made_of` says of what closer looks found which of it this is, and is None of a video's layers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    terms: int = 1
    count: int
    spaces: dict[str, tuple[int, int]]
    made_of: str | None = None


def is_refined(name: str) -> bool:
    """Whether an entry is that of a video's closer looks."""
    return name.endswith(_REFINED)


def entry(video: str, *, refined: bool = False) -> str:
    """The name under which the documents of a video's layers, or of closer looks at it, have their revision."""
    return video + _REFINED if refined else video


def video_of(entry: str) -> str:
    """The video that an entry belongs to."""
    return entry.removesuffix(_REFINED)


def read_current(file: Path) -> dict[str, Revision]:
    """Revisions by entry, in a fixed order; none when nothing was ever indexed.

    Raises:
        ValueError: when the file is damaged.
    """
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
        return {name: Revision.model_validate(revision) for name, revision in sorted(facts.items())}
    except FileNotFoundError:
        return {}
    except (AttributeError, ValidationError) as error:
        raise ValueError(f"{file} holds something else") from error


def write_current(file: Path, revisions: dict[str, Revision]) -> None:
    """Make these the current revisions, at once."""
    write_atomic(
        file,
        canonical_json({name: revision.model_dump(exclude_none=True) for name, revision in revisions.items()}) + "\n",
    )
