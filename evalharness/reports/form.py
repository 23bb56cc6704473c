"""A page on which a person answers the questions of a set: what is saved there is a file for `replies:FILE`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from urllib.parse import quote

from longtake.evalharness.items import Item
from longtake.evalharness.reports.template import page
from longtake.evalharness.scoring.choices import LABELS


def drawn(items: Sequence[Item], count: int | None, seed: int) -> list[Item]:
    """Questions for a person, in random order; none about a video again before all videos had one.

    People with the same seed get the same questions; without a count, all.
    """
    asked, before = Counter[str](), dict[str, int]()
    shuffled = Random(seed).sample(items, len(items))
    for item in shuffled:
        before[item.id] = asked[item.video]
        asked[item.video] += 1
    return sorted(shuffled, key=lambda item: before[item.id])[:count]


def form_page(items: Sequence[Item], out: Path) -> Iterator[str]:
    """The page in pieces. It needs no server, shows no right answer, and finds the videos from where it lies."""
    return page(
        "form.html", title=out.stem, items=items, labels=LABELS, videos={item.id: _address(item, out) for item in items}
    )


def _address(item: Item, out: Path) -> str:
    span = f"#t={item.clip.start:g},{item.clip.end:g}" if item.clip else ""
    return f"{quote(Path(os.path.relpath(item.media or '', out.parent)).as_posix())}{span}"
