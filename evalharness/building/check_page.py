"""The items that a person should check as one page: what is decided there is saved as a file for `--decisions`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from longtake.evalharness.building.built_item import BuiltItem, Priority
from longtake.evalharness.building.replies import MOST_CRITERIA
from longtake.evalharness.reports.template import page


def check_page(items: Sequence[BuiltItem], folder: Path) -> Iterator[str]:
    """The page in pieces. It needs no server and asks for nothing from elsewhere."""
    return page(
        "review.html",
        part="built_item.html",
        title=f"Review of {folder.resolve().name}",
        how="Accept an item as it stands, change its texts before you accept it, or drop it with a reason. A criterion "
        "without a description goes.",
        command=f"longtake eval build review {folder}",
        folder=str(folder.resolve()),
        items=items,
        addresses={item.id: _address(item) for item in items},
        categories=get_args(Priority),
        most=MOST_CRITERIA,
    )


def _address(item: BuiltItem) -> str:
    """The video from the first moment that an answer names."""
    spans = item.turns[0].spans
    return f"{Path(item.path).absolute().as_uri()}#t={spans[0].start if spans else 0:g}"
