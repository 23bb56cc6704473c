"""Writes the evidence pack of an answer: a zip file that proves it to people without Longtake or the video.

It contains `answer.md` for people and `answer.json` for programs; in `places/`, a still, a clip and its subtitles for
each cited place, or closest line of an uncertain answer; and the trace, as the page `trace.html` and as events and
blobs that `RecordedTrace(folder, "trace")` reads.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from longtake.agent.traces.pages.page import page_of
from longtake.agent.traces.trace import RecordedTrace, blob_text
from longtake.errors import LibraryError, MediaError
from longtake.exports.bundle_text import answer_text, subtitles_text
from longtake.exports.clip_export import clip_bytes
from longtake.exports.places import CitedPlace, places_of
from longtake.memory.conversations import Exchange
from longtake.memory.layers import canonical_json
from longtake.memory.library import LibraryStore
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.endpoints.chosen_frames import read_chosen
from longtake.preprocess.media.sources import media_at, source

MAX_PLACES = 20
MAX_CLIP_LENGTH = 30.0  # seconds
_STILL_BYTES = 500_000


def write_pack(target: Path, exchange: Exchange, library: LibraryStore) -> None:
    """Write the pack of a question and its answer; `answer.md` says what is missing because it no longer exists.

    Args:
        target: the new zip file.
        exchange: the question and its answer.
        library: has the videos and the trace.
    """
    answer = exchange.answer
    places = list(islice(places_of(answer, library), MAX_PLACES))
    missing: list[str] = []
    with ZipFile(target, "w", ZIP_DEFLATED) as pack:
        for place in places:
            try:
                _add_place(pack, place)
            except MediaError as error:
                missing.append(str(error))
        try:
            _add_trace(pack, RecordedTrace(library.trace_root, answer.trace or ""), library)
        except LibraryError as error:
            missing.append(str(error))
        pack.writestr("answer.json", answer.model_dump_json(indent=2))
        names = set(pack.namelist())
        pack.writestr("answer.md", answer_text(exchange, places, names, list(dict.fromkeys(missing))))


def _add_place(pack: ZipFile, place: CitedPlace) -> None:
    """Add subtitles, still and clip of a place; the subtitles first, which don't need the video file.

    Raises:
        MediaError: if the file can't be read or has been replaced: a clip of another file would prove nothing.
    """
    span = TimeSpan(start=place.span.start, end=min(place.span.end, place.span.start + MAX_CLIP_LENGTH))
    if words := place.video.items("subtitles", span) + place.video.items("speech", span):
        pack.writestr(place.file("srt"), subtitles_text(words, span))
    path = source(place.video.record)
    if path is None:
        raise MediaError(f"The file of {place.video.record.name} has been moved or changed since it was indexed.")
    media = media_at(path, place.video.library, place.video.record)
    if media.video:
        middle = (place.citations[0].start + place.citations[0].end) / 2
        for still in read_chosen(path, media, [middle], _STILL_BYTES, lambda: None):
            pack.writestr(place.file("jpg"), still.jpeg)
    if media.video or media.audio:
        pack.writestr(place.file("mp4"), clip_bytes(path, media, span))


def _add_trace(pack: ZipFile, trace: RecordedTrace, library: LibraryStore) -> None:
    """Add the run as a page with stills, its events, and every blob they name."""
    pack.writestr("trace.html", page_of(trace, library, lambda video: None))
    events = list(trace.events())
    pack.writestr("trace.jsonl", "".join(f"{canonical_json(event)}\n" for event in events))
    for digest in sorted({event[side] for event in events for side in ("input", "output")} - {None}):
        pack.writestr(f"blobs/{digest[:2]}/{digest}.json", blob_text(trace.blob(digest)))
