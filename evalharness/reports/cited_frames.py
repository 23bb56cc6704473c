"""Pictures of the places that prove an answer, small enough to embed in a page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from longtake.console import raise_if_interrupted
from longtake.errors import MediaError
from longtake.evalharness.items import Item
from longtake.evalharness.runs.run_folder import Notify
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.engines.endpoints.chosen_frames import read_chosen
from longtake.preprocess.media.media import MediaInfo, probe
from longtake.prompts import data_url

MOST = 3  # of an item
ITEM_BYTES = 48_000
PAGE_BYTES = 8_000_000


class Still(NamedTuple):
    """A picture as a data URL, and the time it was shown at."""

    url: str
    time: str


class Stills:
    """The pictures of one page, up to its limit."""

    def __init__(self, notify: Notify, most_bytes: int = PAGE_BYTES) -> None:
        """Begin a page.

        Args:
            notify: called for each video that cannot be read.
            most_bytes: of all pictures together.
        """
        self._notify, self._left = notify, most_bytes
        self._media: dict[str, MediaInfo | None] = {}

    @property
    def full(self) -> bool:
        """Whether there is no room for the pictures of another item."""
        return self._left < ITEM_BYTES

    def of(self, item: Item, cited: Iterable[TimeSpan]) -> list[Still]:
        """The middles of the item's evidence and then of what was cited; none if the video is missing."""
        gold = [span for turn in item.turns for span in turn.evidence]
        times = list(dict.fromkeys(round((span.start + span.end) / 2, 1) for span in [*gold, *cited]))[:MOST]
        if item.media is None or not times or self.full:
            return []
        media = self._probed(item.media)
        if media is None or media.video is None:
            return []
        shown = read_chosen(Path(item.media), media, times, ITEM_BYTES, raise_if_interrupted)
        self._left -= sum(len(still.jpeg) for still in shown)
        return [Still(data_url("image/jpeg", one.jpeg), clock(one.time)) for one in shown]

    def _probed(self, path: str) -> MediaInfo | None:
        if path not in self._media:
            self._media[path] = None
            if Path(path).is_file():
                try:
                    self._media[path] = probe(Path(path))
                except MediaError as error:
                    self._notify(str(error))
        return self._media[path]
