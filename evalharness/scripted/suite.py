"""The suite as a folder: videos with their truth, and `items.jsonl` with the questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from longtake.errors import ConfigError
from longtake.evalharness.items import Item
from longtake.evalharness.runs.journal import write_file
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scripted.encoding import write_video
from longtake.evalharness.scripted.grammar import write_script
from longtake.evalharness.scripted.questions import items_of
from longtake.evalharness.scripted.voices import Recording
from longtake.evalharness.scripted.wordings import Wording, Wordings
from longtake.evalharness.suites import loading
from longtake.evalharness.suites.benchmark_rows import read_rows
from longtake.evalharness.suites.longshot.longshot_rows import parsed
from longtake.memory.records import Record

ITEMS = "items.jsonl"


class Written(Record):
    """The outcome of writing a suite."""

    items: str
    videos: int
    asked: int
    turns: int
    seconds: float


def write_suite(
    folder: Path,
    numbers: range,
    seed: int,
    wordings: Mapping[Wording, Wordings],
    *,
    recordings: Sequence[Recording] = (),
    stills: Sequence[Path] = (),
    notify: Callable[[str], None],
) -> Written:
    """Write videos and items to a folder. Existing videos are kept.

    Args:
        folder: created if missing.
        numbers: of the videos in the suite of the seed.
        seed: the same one gives the same truth and the same items.
        wordings: of the questions, in one half or both.
        recordings: of speech, for some of the videos.
        stills: photographs of people, for some of the videos.
        notify: called for each video before it is made.

    Raises:
        EngineUnavailable: if espeak-ng is not installed.
        LibraryError: if the folder cannot be written to.
    """
    items: list[Item] = []
    seconds = 0.0
    for number in numbers:
        notify(f"Making video {number - numbers.start + 1} of {len(numbers)}")
        script = write_script(seed, number, recordings, stills)
        write_video(script, folder)
        made = items_of(script, wordings)
        items += made
        seconds += made[0].seconds or 0.0
    write_file(folder / ITEMS, "".join(item.model_dump_json() + "\n" for item in items))
    return Written(
        items=str(folder / ITEMS),
        videos=len(numbers),
        asked=len(items),
        turns=sum(len(item.turns) for item in items),
        seconds=round(seconds, 2),
    )


def load_scripted(file: Path, media: Path | None, notify: Notify) -> list[Item]:
    """The items of a suite.

    Args:
        file: `items.jsonl`, or its folder.
        media: folder of the videos, where that is another one.
        notify: called with file, line and field for each row that was left out, and once for each video that
            is missing.

    Raises:
        ConfigError: if the file can't be read or has no items.
    """
    file = file / ITEMS if file.is_dir() else file
    folder = media or file.parent
    items = loading.items_of(read_rows(file, notify), lambda row: parsed(Item, row), notify, "id")
    if not items:
        raise ConfigError(f"{file} has no items. Make them with `longtake eval scripted`.")
    missing = {item.video for item in items if not (folder / str(item.media)).is_file()}
    for video in sorted(missing):
        notify(f"{folder / video}.mp4 is missing; its items stay, without a video.")
    return [
        item.model_copy(update={"media": None if item.video in missing else str(folder / str(item.media))})
        for item in items
    ]
