"""Writes pairs of claims about videos with a vision-language model (REVEAL, section 7.1), for a person to confirm.

One request per video and category. What `claims.csv` has already isn't asked again, so that a stopped command goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, ValidationError

from longtake.errors import LibraryUnavailable, LongtakeError
from longtake.evalharness.items import Item, Turn, Variant
from longtake.evalharness.runs.journal import write_file
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.stress.stress_test import SUITE
from longtake.evalharness.subjects.subject import AskedTurn, Subject
from longtake.evalharness.suites.benchmark_rows import csv_text, read_rows
from longtake.language.text import parse_json
from longtake.memory.records import Record
from longtake.prompts import render

PROMPTS = "longtake.evalharness.stress.prompts"
FILE = "claims.csv"
COLUMNS = ("video", "category", "claim", "false", "confirmed")
# What the false statement of each of the paper's categories changes.
CATEGORIES: Mapping[str, str] = {
    "temporal reordering": "it swaps the order of two actions that follow each other",
    "action substitution": "it replaces an action, or its direction, with one that looks alike",
    "state reversal": "it turns a process round, such as taking out for putting in",
    "attribute modification": "it changes one property of a thing, such as its colour, material or size",
}


class WrittenClaims(Record):
    """A true statement and a false one."""

    true: str = Field(min_length=1)
    false: str = Field(min_length=1)


class Pairs(Record):
    """A model's reply."""

    pairs: tuple[WrittenClaims, ...] = Field(min_length=1)


class Claimed(Record):
    """The outcome."""

    file: str
    written: int
    kept: int = Field(description="Rows that were there before.")
    confirmed: int = Field(description="Of these, those that a person confirmed.")
    rejected: int


class _ClaimRow(NamedTuple):
    """A line of the table."""

    video: str
    category: str
    claim: str
    false: str
    confirmed: str


def write_claims(
    folder: Path,
    videos: Sequence[Path],
    subject: Subject,
    notify: Notify,
    count: int,
    advance: Callable[[int, int], None],
) -> Claimed:
    """Add pairs of claims about each video and category that the table of a folder doesn't have yet.

    `count` is of the pairs of a request: 3 make the paper's 12 a video. `advance` is called with the number of requests
    made and of all to be made.

    Raises:
        ConfigError: if an existing table can't be read.
        LibraryError: if the folder can't be written to.
    """
    file = folder / FILE
    rows = (
        [_ClaimRow(*(row.text(column) for column in COLUMNS)) for row in read_rows(file, notify)]
        if file.exists()
        else []
    )
    kept, decided = len(rows), Counter(row.confirmed.lower() for row in rows)
    done = {(row.video, row.category) for row in rows}
    left = [(video, category) for video in videos for category in CATEGORIES if (video.name, category) not in done]
    advance(0, len(left))
    for number, (video, category) in enumerate(left, 1):
        try:
            pairs = _asked(subject, video, category, count)
        except LibraryUnavailable:
            raise
        except (LongtakeError, ValueError) as error:
            what = "the reply has no pairs of claims" if isinstance(error, ValueError) else str(error)
            notify(f"{video.name}, {category}: {what}; give the same command again to ask again.")
        else:
            rows += [_ClaimRow(video.name, category, pair.true, pair.false, "") for pair in pairs]
            write_file(file, csv_text([COLUMNS, *rows]))
        advance(number, len(left))
    written = len(rows) - kept
    return Claimed(file=str(file), written=written, kept=kept, confirmed=decided["yes"], rejected=decided["no"])


def _asked(subject: Subject, video: Path, category: str, count: int) -> Sequence[WrittenClaims]:
    """The pairs that a model writes.

    Raises:
        LongtakeError: if it can't be asked.
        ValueError: if its reply has none.
    """
    prompt = render(PROMPTS, "claims", count=count, change=CATEGORIES[category])
    item = Item(
        suite=SUITE, id=f"claims/{video.stem}/{category}", video=video.stem, media=str(video), format="open",
        turns=(Turn(question=prompt),), guess=None,
    )  # fmt: skip
    text = subject.reply(AskedTurn(item, 0, Variant(), 0, ())).spoken
    try:
        return Pairs.model_validate(parse_json(text[text.find("{") : text.rfind("}") + 1])).pairs[:count]
    except ValidationError as error:
        raise ValueError(str(error)) from error
