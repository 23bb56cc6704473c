"""Exports a chat: as Markdown, or as one HTML file that contains clips of what its answers cite.

The HTML file needs neither Longtake nor the videos, and loads nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from jinja2 import Template

from longtake import __version__
from longtake.agent.traces.pages.page_videos import kept_still
from longtake.console import counted
from longtake.errors import LibraryError, MediaError
from longtake.exports.bundle_text import claim_lines, plain, span_text
from longtake.exports.clip_export import clip_bytes
from longtake.exports.places import CitedPlace, places_of
from longtake.memory.conversations import Conversation, Exchange
from longtake.memory.library import LibraryStore
from longtake.memory.records import Answer, display_name
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.sources import media_at, source
from longtake.prompts import data_url, templates

MAX_CLIPS = 30
MAX_CLIP_LENGTH = 15.0  # seconds
MAX_MEDIA = 32_000_000  # characters of clips and stills, which are written as base64
_STILL_WIDTH = 640  # pixels


class ShownPlace(NamedTuple):
    """A cited place with its clip and its still as `data:` URLs, where they exist and fit."""

    place: CitedPlace
    clip: str | None
    still: str | None


def chat_markdown(chat: Conversation, exchanges: Sequence[Exchange], library: LibraryStore) -> str:
    """The questions, answers and cited places of a chat; text from videos is escaped."""
    parts = [f"# {plain(chat.title or 'Chat')}"]
    for exchange in exchanges:
        answer = exchange.answer
        parts.append(f"## {plain(answer.question)}")
        parts += [plain(line) for line in (answer.error or answer.answer).splitlines() if line.strip()]
        if answer.option:
            parts.append(plain(answer.option.told))
        if answer.flagged:
            parts.append("\n".join(line for claim in answer.flagged for line in claim_lines(claim)))
        if answer.places:
            title = "Closest lines, which prove nothing:" if answer.status == "uncertain" else "Cited:"
            parts += [title, "\n".join(_cited_lines(answer, library))]
        parts.append(f"*{_asked(exchange)}*")
    return "\n\n".join([*parts, f"Longtake {__version__}"]) + "\n"


def chat_html(chat: Conversation, exchanges: Sequence[Exchange], library: LibraryStore) -> str:
    """The same as a page with a clip or at least a still of each place; the page says which don't fit or are gone."""
    media = _Media(library)
    turns = [
        (exchange, _asked(exchange), [media.of(place) for place in places_of(exchange.answer, library)])
        for exchange in exchanges
    ]
    remark = media.remark()
    return _template().render(chat=chat, turns=turns, remark=remark, version=__version__)


class _Media:
    """The clips and stills of one file, up to its limits."""

    def __init__(self, library: LibraryStore) -> None:
        self._library = library
        self._left = MAX_MEDIA
        self._clips = 0
        self._too_many = 0
        self._gone = 0

    def of(self, place: CitedPlace) -> ShownPlace:
        """A place with its still and clip; the still comes first, because it is small and needs no video file."""
        still = self._still(place)
        return ShownPlace(place, self._clip(place), still)

    def remark(self) -> str:
        """What the file contains, and what it lacks."""
        said = [f"This file contains {counted(self._clips, 'clip')} of at most {MAX_CLIP_LENGTH:g} seconds."]
        if self._too_many:
            limit = f"it takes {MAX_CLIPS} clips and {MAX_MEDIA // 1_000_000} MB at most"
            said.append(f"It lacks the clips of {counted(self._too_many, 'other place')}: {limit}.")
        if self._gone:
            said.append(f"It lacks the clips of {counted(self._gone, 'place')} whose file is gone or has changed.")
        return " ".join(said)

    def _still(self, place: CitedPlace) -> str | None:
        middle = (place.citations[0].start + place.citations[0].end) / 2
        try:
            jpeg = kept_still(self._library, place.video.record, middle, _STILL_WIDTH)
        except LibraryError:  # the layer is damaged: the words are still worth having
            return None
        return self._fitting("image/jpeg", jpeg) if jpeg else None

    def _clip(self, place: CitedPlace) -> str | None:
        if self._clips == MAX_CLIPS or not self._left:
            self._too_many += 1
            return None
        path = source(place.video.record)
        if path is None:
            self._gone += 1
            return None
        span = TimeSpan(start=place.span.start, end=min(place.span.end, place.span.start + MAX_CLIP_LENGTH))
        try:
            url = self._fitting("video/mp4", clip_bytes(path, media_at(path, self._library, place.video.record), span))
        except MediaError:
            self._gone += 1
            return None
        self._clips += url is not None
        self._too_many += url is None
        return url

    def _fitting(self, kind: str, content: bytes) -> str | None:
        url = data_url(kind, content)
        if len(url) > self._left:
            return None
        self._left -= len(url)
        return url


def _cited_lines(answer: Answer, library: LibraryStore) -> list[str]:
    names = {cited.video: video.name for cited in answer.places if (video := library.get(cited.video))}
    return [
        f"- {plain(names.get(cited.video, 'a deleted video'))}, {span_text(cited)} "
        f"{display_name(cited.modality)}: “{plain(cited.quote)}”"
        for cited in answer.places
    ]


def _asked(exchange: Exchange) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(exchange.asked))
    return f"{exchange.answer.status}, asked {when} UTC"


@cache
def _template() -> Template:
    environment = templates("longtake.exports")
    environment.globals |= {"span": span_text, "display_name": display_name}
    return environment.get_template("chat.html")
