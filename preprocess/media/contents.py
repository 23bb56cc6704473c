"""Tells what a file holds and what of it is read: one place for the command line, the page and the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from longtake.memory.records import Record
from longtake.memory.timespan import clock
from longtake.preprocess.media.language_codes import language_code
from longtake.preprocess.media.language_names import language_name
from longtake.preprocess.media.media import AudioStream, MediaInfo

_NAMED = 5  # restarts


class FilePart(Record):
    """A part of a file, such as `sound 2`, what it is and what is done with it."""

    name: str
    about: str
    outcome: str
    noted: bool  # whether it isn't read, or isn't the only one of its kind

    @property
    def text(self) -> str:
        """All of it in one line."""
        return f"{self.name:<13}  {f'{self.about}: ' if self.about else ''}{self.outcome}"


def contents(
    media: MediaInfo,
    sidecars: Mapping[str, str | None] = MappingProxyType({}),
    unread: Mapping[int, str] = MappingProxyType({}),
    *,
    ahead: bool = False,
) -> list[FilePart]:
    """Every stream of a file, the subtitle files beside it, and where its clock starts again.

    Args:
        media: the file.
        sidecars: by the names of the subtitle files, why nothing of them is read, None if something is.
        unread: by the index of a text track that isn't wholly read, what is done with it.
        ahead: whether the file isn't indexed yet: nothing of it has been read.
    """
    parts = [*_streams(media, unread), *(_sidecar(name, problem) for name, problem in sidecars.items())]
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


def _streams(media: MediaInfo, unread: Mapping[int, str]) -> Iterator[FilePart]:
    if media.video:
        about = f"{media.video.codec}, {media.video.width} x {media.video.height}"
        yield FilePart(name="picture 1", about=about, outcome="read", noted=False)
    several = len(media.audio) > 1
    for number, track in enumerate(media.audio, 1):
        about = _about(track.codec, track.language, track.title, track.role)
        yield FilePart(name=f"sound {number}", about=about, outcome=_heard(media, number, track), noted=several)
    for number, text in enumerate(media.subtitles, 1):
        about, outcome = _about(text.codec, text.language), unread.get(text.index, "read")
        yield FilePart(name=f"subtitles {number}", about=about, outcome=outcome, noted=text.index in unread)
    numbers = {"film": 1, "picture": int(media.video is not None)}
    numbers |= {"sound": len(media.audio), "subtitles": len(media.subtitles)}
    for stream in media.unread:
        number = numbers[stream.kind] = numbers.get(stream.kind, 0) + 1
        about = _about(stream.codec, stream.language, stream.title)
        yield FilePart(name=f"{stream.kind} {number}", about=about, outcome=f"not read: {stream.why}", noted=True)


def _heard(media: MediaInfo, number: int, track: AudioStream) -> str:
    share = "" if track.speech is None else f"speech in {track.speech:.0%} of what was listened to"
    if media.sound == track:
        return f"read{f', {share}' if share and len(media.audio) > 1 else ''}"
    return f"not read{f', {share}' if share else ''}; speech.track={number} chooses it"


def _sidecar(name: str, problem: str | None) -> FilePart:
    outcome = f"not read: {problem}" if problem else "read"
    return FilePart(name="beside it", about=name, outcome=outcome, noted=False)


def _to_come(part: FilePart) -> FilePart:
    will = "won't be" if part.outcome.startswith("not ") else "will be"
    return part.model_copy(update={"outcome": f"{will} {part.outcome.removeprefix('not ')}"})


def _clock(media: MediaInfo) -> Iterator[FilePart]:
    if media.restarts:
        times = ", ".join(clock(time, decimals=1) for time in media.restarts[:_NAMED])
        more = len(media.restarts) - _NAMED
        named = f"{times}{f' and {more} more times' if more > 0 else ''}"
        outcome = f"starts again at {named}; what follows is placed after what came before"
        yield FilePart(name="clock", about="", outcome=outcome, noted=True)


def _about(codec: str | None, language: str | None, title: str | None = None, role: str | None = None) -> str:
    parts = (
        codec or "unknown",
        language and language_name(language_code(language) or language),
        title and f"“{title}”",
        role,
    )
    return ", ".join(part for part in parts if part)
