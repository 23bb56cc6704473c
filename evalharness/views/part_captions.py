"""Summary: captions of equal parts of a video, in order, instead of the video.

They are kept in the library: each is made once for all models, runs and restarts.

As in Video-Oasis, a part is an eighth of the video, and its caption is made of sixteen frames.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from pydantic import Field, ValidationError

from longtake.errors import EngineUnavailable, LibraryError
from longtake.evalharness.items import Item
from longtake.evalharness.runs.journal import write_file
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.evalharness.views.frame_views import CHUNKS, FRAMES, part_frames
from longtake.evalharness.views.view import Shown, View, media_of
from longtake.memory.library import file_id
from longtake.memory.records import Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.endpoints.caption_engine import CaptionEngine
from longtake.preprocess.pipeline.workspace import Workspace

_LONG_SIDE = 512  # pixels of the frames that are described


class CaptionRecipe(Record):
    """What a caption is of, and by whom."""

    video: str = Field(description="A hash of the file's content.")
    clip: TimeSpan | None
    number: int = Field(description="From 1.")
    of: int = CHUNKS
    frames: int = FRAMES
    long_side: int = _LONG_SIDE
    model: str = Field(description="Name of the model, and a hash of its prompts.")


class PartCaption(Record):
    """A caption as it is kept."""

    part: CaptionRecipe
    text: str


class PartCaptions:
    """The captions of a library."""

    def __init__(self, workspace: Workspace) -> None:
        """Choose the model that describes.

        Raises:
            NothingToShow: if there is none.
            EngineError: if the settings name one that can't be used.
        """
        try:
            self._engine: CaptionEngine = workspace.engines.load("captions")
        except EngineUnavailable as error:
            raise NothingToShow(f"A summary needs a model that describes pictures. {error}") from error
        self._folder = workspace.library.root / "part-captions"

    def of(self, item: Item) -> tuple[str, ...]:
        """The captions of the parts in order; those that are missing are made, several at once.

        Raises:
            NothingToShow: if the video is missing, or a part shows no frame.
            EngineError: if the model can't be used; captions made so far are kept.
            LibraryError: if one can't be kept.
        """
        with ThreadPoolExecutor(self._engine.at_once) as pool:
            return tuple(pool.map(lambda part: self._kept(part) or self._made(item, part), self._parts(item)))

    def missing(self, items: Iterable[Item]) -> int:
        """How many captions of these items' videos aren't made yet."""
        parts = {self._file(part): part for item in items if item.media for part in self._parts(item)}
        return sum(self._kept(part) is None for part in parts.values())

    def _parts(self, item: Item) -> list[CaptionRecipe]:
        path = media_of(item)
        video = _content(path, path.stat().st_mtime_ns)
        model = self._engine.id
        return [
            CaptionRecipe(video=video, clip=item.clip, number=number, model=model) for number in range(1, CHUNKS + 1)
        ]

    def _kept(self, part: CaptionRecipe) -> str | None:
        try:
            return PartCaption.model_validate_json(self._file(part).read_bytes()).text
        except (FileNotFoundError, ValidationError):
            return None
        except OSError as error:
            raise LibraryError(f"{self._file(part)} can't be read: {error.strerror}.") from error

    def _made(self, item: Item, part: CaptionRecipe) -> str:
        frames = part_frames(item, part.number, _LONG_SIDE)
        text = self._engine.describe(frames).text
        write_file(self._file(part), PartCaption(part=part, text=text).model_dump_json())
        return text

    def _file(self, part: CaptionRecipe) -> Path:
        digest = hashlib.blake2b(part.model_dump_json().encode(), digest_size=20).hexdigest()
        return self._folder / digest[:2] / f"{digest}.json"


class SummaryView(View):
    """Show the captions. The paper's captioner is CARE; here it is the model of the profile's captions."""

    name: ClassVar[str] = "summary"

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """One caption for each part."""
        return Shown(captions=PartCaptions(workspace).of(item))


@lru_cache(maxsize=64)
def _content(path: Path, modified: int) -> str:
    """The hash of a file; it is read once as long as it doesn't change."""
    return file_id(path)
