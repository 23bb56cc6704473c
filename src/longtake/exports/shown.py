"""The records of the public API that show themselves in notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import PrivateAttr

from longtake.memory import records
from longtake.memory.library import LibraryStore, VideoRecord


class Answer(records.Answer):
    """What `ask` returns. A notebook shows it with a player for each cited place."""

    _library: Path | None = PrivateAttr(default=None)

    @classmethod
    def of(cls, answer: records.Answer, library: Path) -> Self:
        """An answer with the folder of its library; one read from JSON has none, and shows no pictures."""
        shown = cls(**dict(answer))
        shown._library = library
        return shown

    def _repr_html_(self) -> str:
        from longtake.exports.notebook import answer_html

        return answer_html(self, LibraryStore(self._library) if self._library else None)


class Video(VideoRecord):
    """A video of the library. A notebook shows it with a still."""

    _library: Path | None = PrivateAttr(default=None)

    @classmethod
    def of(cls, video: VideoRecord, library: Path) -> Self:
        """A video with the folder of its library."""
        shown = cls(**dict(video))
        shown._library = library
        return shown

    def _repr_html_(self) -> str:
        from longtake.exports.notebook import video_html

        return video_html(self, LibraryStore(self._library) if self._library else None)
