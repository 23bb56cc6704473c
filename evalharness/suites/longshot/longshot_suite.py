"""Loads LongShOTBench: open questions about long videos, asked in conversations and graded by rubrics.

The loader reads the JSONL file of any release. A penalty is worded as a prohibition ("Must not ..."):
a reply meets it by not doing it.
"""

from __future__ import annotations

from pathlib import Path

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.suites.benchmark_rows import Row, read_rows
from longtake.evalharness.suites.loading import Videos, items_of
from longtake.evalharness.suites.longshot.longshot_rows import Exchange, Sample
from longtake.evalharness.suites.longshot.longshot_tasks import task_of

SUITE = "longshot"
TEMPERATURE = 0.1  # at which the released code asks models


def load_longshot(file: Path, media: Path | None, notify: Notify) -> list[Item]:
    """Read the samples of a file as items.

    Args:
        file: JSONL of v1, v1 with tools, v2 or a clean export.
        media: folder of the videos, each at any depth as `<video_id>.mp4` or in another container; None: no videos.
        notify: called with file, line and field for each skipped line, and once for each video
            that is missing or cannot be read.

    Raises:
        ConfigError: if the file cannot be read or holds no sample.
    """
    videos = Videos(media, notify)
    found: dict[str, tuple[str | None, float | None]] = {}

    def make(row: Row) -> Item:
        item = longshot_item(Sample.of(row))
        if item.video not in found:
            path = videos.find(item.video, row, "video_id")
            found[item.video] = path, videos.seconds(path, row, "video_id")
        path, seconds = found[item.video]
        return item.model_copy(update={"media": path, "seconds": item.seconds or seconds})

    items = items_of(read_rows(file, notify), make, notify, "sample_id")
    if not items:
        raise ConfigError(f"{file} holds no sample of LongShOTBench; give its JSONL file.")
    return items


def longshot_item(sample: Sample) -> Item:
    """The item of a sample, without its video; an older task name becomes the current one."""
    turns = tuple(_turn(exchange) for exchange in sample.exchanges)
    task = task_of(sample.task)
    return Item(
        suite=SUITE,
        id=sample.sample_id,
        video=sample.video_id,
        task=task,
        format="calls" if any(turn.calls for turn in turns) else "rubric",
        turns=turns,
        seconds=sample.duration if sample.duration > 0 else None,
        tags={"task_in_file": sample.task} if sample.task != task else {},
        temperature=TEMPERATURE,
    )


def _turn(exchange: Exchange) -> Turn:
    asked = exchange.asked
    return Turn(
        question=asked.content,
        reference=exchange.reference,
        criteria=tuple(row.criterion(name) for name, row in exchange.criteria.items()),
        calls=exchange.calls,
        modalities=asked.modalities,
        difficulty=asked.difficulty,
        tags={"conversation_role": asked.conversation_role} if asked.conversation_role else {},
    )
