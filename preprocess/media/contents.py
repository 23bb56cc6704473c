"""Tells what a file holds and what of it is read: one place for the command line, the page and the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from longtake.memory.records import Record
from longtake.memory.timespan import clock
from longtake.preprocess.media.language_codes import language_code
from longtake.preprocess.media.language_names import language_name
from longtake.preprocess.media.media import AudioStream, MediaInfo

_NAMED = 5  # restarts, or pauses


class FilePart(Record):
    """A part of a file, such as `sound 2`, what it is and what is done with it."""

    name: str
    about: str
    outcome: str
    noted: bool  # whether `index` tells of it: it isn't read whole, isn't the only one of its kind, or has gaps

    @property
    def text(self) -> str:
        """All of it in one line."""
        return f"{self.name:<13}  {f'{self.about}: ' if self.about else ''}{self.outcome}"


def contents(
    media: MediaInfo,
    sidecars: Mapping[str, str | None] = MappingProxyType({}),
    outcomes: Mapping[int, str] = MappingProxyType({}),
    *,
    ahead: bool = False,
) -> list[FilePart]:
    """Every stream of a file, the subtitle files beside it, and where its clock starts again or nothing was recorded.

    Args:
        media: the file.
        sidecars: by the names of the subtitle files, why nothing of them is read, None if something is.
        outcomes: by the index of a stream that isn't wholly read, or doesn't last as long as the file, what was read.
        ahead: whether the file isn't indexed yet: nothing of it has been read.
    """
    parts = [*_streams(media, outcomes), *(_sidecar(name, problem) for name, problem in sidecars.items())]
    return [*(map(_to_come, parts) if ahead else parts), *_clock(media)]


def no_track(media: MediaInfo, wanted: str) -> str:
    """What to say where a file has no such track as the setting names."""
    there = (
        f"{n} ({_about(each.codec, each.language, each.title, each.role)})" for n, each in enumerate(media.audio, 1)
    )
    return (
        f"there is no sound track {wanted!r}, which the setting speech.track asks for; there are {', '.join(there)}. "
        "Give a number, a language or a title"
    )


def _streams(media: MediaInfo, outcomes: Mapping[int, str]) -> Iterator[FilePart]:
    if media.video:
        about = f"{media.video.codec}, {media.video.width} x {media.video.height}"
        index = media.video.index
        yield FilePart(name="picture 1", about=about, outcome=outcomes.get(index, "read"), noted=index in outcomes)
    several = len(media.audio) > 1
    for number, track in enumerate(media.audio, 1):
        about = _about(track.codec, track.language, track.title, track.role)
        outcome, noted = _heard(media, number, track, outcomes), several or track.index in outcomes
        yield FilePart(name=f"sound {number}", about=about, outcome=outcome, noted=noted)
    for number, text in enumerate(media.subtitles, 1):
        about, outcome = _about(text.codec, text.language), outcomes.get(text.index, "read")
        yield FilePart(name=f"subtitles {number}", about=about, outcome=outcome, noted=text.index in outcomes)
    numbers = {"recording": 1, "picture": int(media.video is not None)}
    numbers |= {"sound": len(media.audio), "subtitles": len(media.subtitles)}
    for stream in media.unread:
        number = numbers[stream.kind] = numbers.get(stream.kind, 0) + 1
        about = "" if stream.kind == "recording" else _about(stream.codec, stream.language, stream.title)
        yield FilePart(name=f"{stream.kind} {number}", about=about, outcome=f"not read: {stream.why}", noted=True)


def _heard(media: MediaInfo, number: int, track: AudioStream, outcomes: Mapping[int, str]) -> str:
    share = "" if track.speech is None else f"speech in {track.speech:.0%} of what was listened to"
    if media.sound == track:
        return f"{outcomes.get(track.index, 'read')}{f', {share}' if share and len(media.audio) > 1 else ''}"
    return f"not read{f', {share}' if share else ''}; speech.track={number} chooses it"


def _sidecar(name: str, problem: str | None) -> FilePart:
    outcome = f"not read: {problem}" if problem else "read"
    return FilePart(name="beside it", about=name, outcome=outcome, noted=False)


def _to_come(part: FilePart) -> FilePart:
    will = "won't be" if part.outcome.startswith("not ") else "will be"
    return part.model_copy(update={"outcome": f"{will} {part.outcome.removeprefix('not ')}"})


def _clock(media: MediaInfo) -> Iterator[FilePart]:
    if media.restarts:
        named = _named([clock(time, decimals=1) for time in media.restarts])
        outcome = f"starts again at {named}; what follows is placed after what came before"
        yield FilePart(name="clock", about="", outcome=outcome, noted=True)
    if media.pauses:
        spans = [f"{clock(each.start, decimals=1)}-{clock(each.end, decimals=1)}" for each in media.pauses]
        yield FilePart(name="pause", about="", outcome=f"no picture and no sound in {_named(spans)}", noted=False)


def _named(times: Sequence[str]) -> str:
    more = len(times) - _NAMED
    return f"{', '.join(times[:_NAMED])}{f' and {more} more' if more > 0 else ''}"


def _about(codec: str | None, language: str | None, title: str | None = None, role: str | None = None) -> str:
    parts = (
        codec or "unknown",
        language and language_name(language_code(language) or language),
        title and f"“{title}”",
        role,
    )
    return ", ".join(part for part in parts if part)
