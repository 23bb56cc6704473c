"""The items of a report in script files beside its page, which loads them when they are opened.

`report/items.js` lists the items, and `report/1.js`, `report/2.js` ... have what is inside a few of them each. They are
scripts because a page that is opened from a disk may load scripts, but no other files.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from longtake.errors import LibraryError
from longtake.evalharness.reports.openable import Opened
from longtake.evalharness.reports.template import page

FOLDER = "report"
_ITEMS = 12  # in a file: with pictures and traces, a file stays near a megabyte


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """An empty folder that takes the place of `folder` when the block ends, unless it fails.

    Raises:
        LibraryError: if it cannot be written.
    """
    part = folder.with_name(f"{folder.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        yield part
        shutil.rmtree(folder, ignore_errors=True)
        part.replace(folder)
    except OSError as error:
        raise LibraryError(
            f"{folder} cannot be written: {error.strerror}; make room or choose another place."
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_items(folder: Path, items: Iterable[Opened], subjects: list[str]) -> None:
    """Write the script files of a report into a folder; a few items are held at a time."""
    waiting = iter(items)
    with (folder / "items.js").open("w", encoding="utf-8") as listed:
        listed.write("report.items([")
        for number, group in enumerate(iter(lambda: list(islice(waiting, _ITEMS)), []), 1):
            inside = _json([body_of(one, subjects) for one in group])
            (folder / f"{number}.js").write_text(f"report.inside({number}, {inside});\n", encoding="utf-8")
            rows = [_json(_row(one, number, place)) for place, one in enumerate(group)]
            listed.write(", " * (number > 1) + ", ".join(rows))
        listed.write("]);\n")


def body_of(one: Opened, subjects: list[str]) -> str:
    """The HTML inside an item; what comes from a run or a video is escaped."""
    return "".join(page("item.html", one=one, subjects=subjects))


def _row(one: Opened, file: int, place: int) -> dict[str, Any]:
    """What the list shows, filters and sorts by; `values` are the scores of the subjects, or null."""
    return {
        "id": one.item.id,
        "question": one.item.turns[0].question,
        "task": one.item.task,
        "video": one.item.video,
        "values": one.values,
        "file": file,
        "place": place,
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
