"""The videos of a run for its page: addresses, timeline lanes, and stills of what was looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from longtake.agent.traces.pages.kept_stills import kept_still
from longtake.agent.traces.pages.media_types import playable
from longtake.agent.traces.pages.timeline import lanes_of
from longtake.agent.traces.recorded import LenientRun
from longtake.agent.traces.tree import one_line
from longtake.errors import LongtakeError
from longtake.memory.library import Library, VideoRecord
from longtake.page_templates import data_url
from longtake.preprocess.media.sources import media_of, source

STILL_BYTES = 2_000_000  # for all stills of a page, as JPEG
_WIDTH = 480  # pixels of a still
_SPREAD = 24  # stills spread over a video, besides those of places cited or looked at
_INTO = 1.0  # seconds into a place at which its still is taken: content may fade in
_MAX_TEXT = 300  # characters of an item on a lane


def videos_of(
    run: LenientRun, library: Library | None, address: Callable[[VideoRecord], str | None]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The videos of a run for its page, and a sentence for each one that isn't fully available."""
    shown: list[dict[str, Any]] = []
    remarks: list[str] = []
    for video_id in run.asked.videos:
        name = run.known.names.get(video_id, video_id)
        video: dict[str, Any] = {"id": video_id, "name": name, "duration": run.known.videos.get(video_id, 0.0)}
        video |= {"width": None, "playable": False, "file": None, "lanes": [], "stills": []}
        try:
            record = library.get(video_id) if library else None
            if library and record:
                share = STILL_BYTES // len(run.asked.videos)
                video |= _from_library(run, library, record, share, address)
            else:
                remarks.append(f"{name} isn't in the library: its pictures and timeline aren't shown.")
        except LongtakeError as error:
            remarks.append(str(error))
        shown.append(video)
    return shown, remarks


def _from_library(
    run: LenientRun,
    library: Library,
    video: VideoRecord,
    most_bytes: int,
    address: Callable[[VideoRecord], str | None],
) -> dict[str, Any]:
    """A video's data from the library."""
    media = media_of(library, video)
    plays = media is not None and playable(media) and source(video) is not None
    where = address(video) if plays else None
    lanes = lanes_of(library, video).model_dump()["lanes"]
    for item in (item for lane in lanes for item in lane["items"]):
        item["text"] = one_line(item["text"], _MAX_TEXT)
    stills = list(_stills(run, library, video, most_bytes))
    return {
        "name": video.name,
        "duration": video.duration,
        "width": _WIDTH if stills or (media and media.video) else None,
        "playable": where is not None,
        "file": where,
        "lanes": lanes,
        "stills": stills,
    }


def _stills(run: LenientRun, library: Library, video: VideoRecord, most_bytes: int) -> Iterator[dict[str, Any]]:
    """Stills as data URLs, most important first, as long as there is room."""
    left = most_bytes
    for at in dict.fromkeys(float(int(time)) for time in _times(run, video)):
        jpeg = kept_still(library, video, at, _WIDTH)
        if jpeg is None or len(jpeg) > left:
            return
        left -= len(jpeg)
        yield {"at": at, "url": data_url("image/jpeg", jpeg)}


def _times(run: LenientRun, video: VideoRecord) -> Iterator[float]:
    """Seconds for stills: cited or closest places, then spread over the video, then places looked at."""
    cited = run.answer.places if run.answer else ()
    places = [(each.video, each.start, each.end) for each in cited]
    looked = [span for call in run.calls for span in call.spans]
    yield from (start + min(_INTO, (end - start) / 2) for of, start, end in places if of == video.id)
    yield from (video.duration * (number + 0.5) / _SPREAD for number in range(_SPREAD))
    yield from (start + min(_INTO, (end - start) / 2) for of, start, end in looked if of == video.id)
