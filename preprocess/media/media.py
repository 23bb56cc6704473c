"""Probes a media file: its streams, its length and the start of its clock."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

import av
import av.error
from av.audio.stream import AudioStream as AvAudio
from av.stream import Disposition
from av.video.stream import VideoStream as AvVideo

from longtake.errors import MediaError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.clock import ClockMark, read_timeline
from longtake.preprocess.media.container import begins_again, is_joined, open_media
from longtake.preprocess.media.media_files import name_problem, readable
from longtake.preprocess.media.ogg_links import OggLink, read_links
from longtake.preprocess.media.stream_ends import ORDINARY_FPS, bounds
from longtake.preprocess.media.subtitle_formats import is_transcript, parse_subtitles
from longtake.preprocess.media.subtitle_names import language_in

TEXT_SUBTITLES = frozenset({"ass", "mov_text", "srt", "ssa", "subrip", "text", "webvtt"})
MAX_PIXELS = 16_384 * 8_192  # of a picture; a few bytes of a header can ask for any amount of memory
TRANSCRIPT = "transcript"  # the container of a transcript by itself
MAX_TRANSCRIPT = 50_000_000  # bytes
_FIRST_ALONE = frozenset({"flv", "wav"})  # formats of which FFmpeg reads the first recording alone
_SAME = 1.0  # seconds by which the end of the packets may differ from that of the header
_ROLES = (
    (Disposition.comment, "commentary"),
    (Disposition.visual_impaired, "for the visually impaired"),
    (Disposition.descriptions, "for the visually impaired"),
    (Disposition.hearing_impaired, "for the hearing impaired"),
)
# By stems that languages share, from English to Polish and Russian, and the words of those that have others.
_TITLED = (
    (
        r"audio.?des[ck]r|\bdescri(bed|ptive)\b|visual(ly)?.?impair|(?-i:\b(AD|DVS)\b)|hörfilm|syns?tolk|тифло"
        r"|音声(解説|ガイド)|口述影像|화면\s?해설",
        "for the visually impaired",
    ),
    (r"[ck]omm?ent|комм?ент|コメンタリー|解説|评论|評論|코멘터리|해설", "commentary"),
    (r"hearing.?impair|hard.of.hearing|hörgeschädigt|malentendant", "for the hearing impaired"),
)
# Before the word for a role: "without the commentary", "ohne Audiokommentar".
_WITHOUT = re.compile(r"\b(without|no|not|ohne|sans|sin|senza|sem|zonder|bez|без)\W+(\w+\W+)?\w*$", re.IGNORECASE)
_KINDS = {"video": "picture", "audio": "sound"}
_HANDLER = re.compile(r"handler|^(core media|mainconcept|gpac|l-smash)|@", re.IGNORECASE)  # names of programs
_FIRST_PACKETS = 500  # give up on a picture that doesn't decode within these


@dataclass(frozen=True, slots=True)
class VideoStream:
    """The video stream as displayed: size after rotation (degrees counterclockwise), with square pixels."""

    index: int
    codec: str
    width: int
    height: int
    fps: float
    rotation: int


@dataclass(frozen=True, slots=True)
class AudioStream:
    """One audio track; `role` is what it is for, unless it is the ordinary sound.

    `speech` is the share of what was listened to in which somebody speaks, if it was measured.
    """

    index: int
    codec: str
    rate: int
    channels: int
    language: str | None
    title: str | None = None
    role: str | None = None
    default: bool = False
    speech: float | None = None


@dataclass(frozen=True, slots=True)
class SubtitleStream:
    """One embedded subtitle track of a text format."""

    index: int
    codec: str
    language: str | None


@dataclass(frozen=True, slots=True)
class UnreadStream:
    """A stream that isn't read; `why` completes "It isn't read:"."""

    index: int
    kind: str
    codec: str | None
    language: str | None
    title: str | None
    why: str


_JOINED = UnreadStream(-1, "recording", None, None, None, "it was joined to the end of the first; save it by itself")


@dataclass(frozen=True, slots=True)
class MediaInfo:
    """Streams and times. `origin` is the container time, in seconds, of the first presented frame or sample.

    `track` is the index of the audio stream that is read, by default the one a player would play. `restarts` are the
    seconds at which the file's clock starts again, and `marks` puts it right (`clock`), or `links` (`ogg_links`); in
    `pauses` nothing was recorded. Only `survey` finds them.
    """

    container: str
    duration: float
    origin: float
    video: VideoStream | None
    audio: tuple[AudioStream, ...]
    subtitles: tuple[SubtitleStream, ...]
    unread: tuple[UnreadStream, ...] = ()
    track: int | None = None
    restarts: tuple[float, ...] = ()
    pauses: tuple[TimeSpan, ...] = ()
    marks: tuple[ClockMark, ...] = ()
    links: tuple[OggLink, ...] = ()

    @property
    def sound(self) -> AudioStream | None:
        """The audio track that is read; None without any."""
        named = [stream for stream in self.audio if stream.index == self.track]
        return next(iter([*named, *played_first(self.audio)]), None)

    @property
    def from_the_middle(self) -> bool:
        """Whether this is a part of a stream as MP4 or Ogg: FFmpeg takes the time of the end for the length."""
        return self.container.startswith(("mov", "ogg")) and self.origin >= _SAME

    @property
    def recipe(self) -> dict[str, object]:
        """What decides how the packets of this file become layers, for a recipe; nothing for an ordinary file."""
        odd: dict[str, object] = {
            "restarts": list(self.restarts),
            "pauses": [[pause.start, pause.end] for pause in self.pauses],
        }
        return {name: times for name, times in odd.items() if times}

    @property
    def sound_recipe(self) -> dict[str, object]:
        """The same for the layers of the sound; of more than two channels, the centre counts most (`read_audio`)."""
        if self.sound is None:
            return self.recipe
        track = {"track": self.sound.index} if len(self.audio) > 1 else {}
        surround = {"mixed": "centre first"} if self.sound.channels > 2 else {}
        return self.recipe | track | surround

    @property
    def used(self) -> tuple[int, ...]:
        """Indices of the picture and of all sound."""
        return (*([self.video.index] if self.video else []), *(stream.index for stream in self.audio))


def played_first(tracks: Sequence[AudioStream]) -> list[AudioStream]:
    """Audio tracks in the order in which they count: those with a role last, otherwise the default one first."""
    return sorted(tracks, key=lambda stream: (stream.role is not None, not stream.default))


def survey(path: Path) -> MediaInfo:
    """Like `probe`, and read through the packets, because only they show where a clock restarts and the file ends.

    Raises:
        MediaError: as `probe`.
    """
    media = probe(path)
    if media.container.startswith("mov") and is_joined(path):
        media = replace(media, unread=(*media.unread, _JOINED))
    if not media.used or (media.container.startswith("mov") and not media.from_the_middle):
        return media  # the index of MP4 has the time of every packet
    sound_alone = not media.video and len(media.audio) == 1
    if media.container == "ogg" and sound_alone and (links := read_links(path)):
        end = links[-1].time + links[-1].length
        return replace(media, duration=round(end, 3), restarts=tuple(each.time for each in links[1:]), links=links)
    timeline = read_timeline(path, media.used)
    if timeline is None:
        return media
    if media.container in _FIRST_ALONE and begins_again(path, timeline.size):
        media = replace(media, unread=(*media.unread, _JOINED))
    duration = round(timeline.end - media.origin, 3)
    restarts = tuple(round(time - media.origin, 3) for time in timeline.restarts)
    pauses = tuple(
        TimeSpan(start=round(max(0.0, start - media.origin), 3), end=round(end - media.origin, 3))
        for start, end in (timeline.pauses if media.video else ())
        if end > media.origin
    )
    if not restarts and abs(duration - media.duration) <= _SAME:
        return replace(media, pauses=pauses)
    return replace(media, duration=duration, restarts=restarts, pauses=pauses, marks=timeline.marks)


def probe(path: Path, name: str | None = None) -> MediaInfo:
    """Read a file's streams. Decodes the first video frame, because only that has the rotation.

    A transcript by itself has no streams; it is as long as its words.

    Args:
        path: the file.
        name: what it is called, if its path doesn't tell.

    Raises:
        MediaError: if the file is missing, empty, a folder, or has neither picture, sound nor words.
    """
    _check_file(path)
    if is_transcript(Path(name) if name else path):
        return _transcript(path, name or str(path))
    try:
        with open_media(path) as container:
            return _describe(container, path)
    except av.error.FFmpegError as error:
        raise MediaError(
            f"{path} isn't a video or audio file, or is damaged ({error.strerror}); check that it plays."
        ) from error


def _check_file(path: Path) -> None:
    if problem := name_problem(path):
        raise MediaError(f"{readable(path)} can't be used, because {problem}.")
    try:
        status = path.stat()
    except OSError as error:
        raise MediaError(f"Couldn't read {path}: {error.strerror}. Check the name and your read permission.") from error
    if path.is_dir():
        raise MediaError(f"{path} is a folder; choose a video file in it.")
    if status.st_size == 0:
        raise MediaError(f"{path} is empty; copy or record it again.")


def _transcript(path: Path, name: str) -> MediaInfo:
    if path.stat().st_size > MAX_TRANSCRIPT:
        raise MediaError(f"{name} is too large for a transcript (at most {MAX_TRANSCRIPT // 1_000_000} MB).")
    cues = parse_subtitles(path.read_bytes(), name, language=language_in(Path(name).name))
    if not cues:
        raise MediaError(f"{name} has no words; choose another file.")
    return MediaInfo(TRANSCRIPT, max(cue.end for cue in cues), 0.0, None, (), ())


def _describe(container: Any, path: Path) -> MediaInfo:
    video = _shown(container.streams.video)
    width, height = (video.codec_context.width, video.codec_context.height) if video else (0, 0)
    if width * height > MAX_PIXELS:
        raise MediaError(
            f"{path} says that its pictures have {width} x {height} pixels, too many to decode (at most "
            f"{MAX_PIXELS:,}): scale it down, or check that it plays."
        )
    # A stream without a decoder has no codec context and can't be used.
    audio = [stream for stream in container.streams.audio if stream.codec_context and stream.codec_context.sample_rate]
    used: list[AvVideo | AvAudio] = [*([video] if video else []), *audio]
    if not used:
        raise MediaError(f"{path} has no video or audio that can be decoded; choose another file.")
    subtitles = [
        SubtitleStream(stream.index, stream.codec_context.name, _language(stream))
        for stream in container.streams.subtitles
        if stream.codec_context and stream.codec_context.name in TEXT_SUBTITLES
    ]
    read = {stream.index for stream in [*used, *subtitles]}
    origin, end = bounds(container, used, path)
    if video is None and end <= origin:
        raise MediaError(f"{path} has a header but no sound; copy or record it again.")
    return MediaInfo(
        container=container.format.name,
        duration=round(max(0.0, end - origin), 3),
        origin=round(origin, 6),
        video=_describe_video(path, video) if video else None,
        audio=tuple(_describe_audio(stream) for stream in audio),
        subtitles=tuple(subtitles),
        unread=tuple(_unread(stream) for stream in container.streams if stream.index not in read),
    )


def _shown(streams: Sequence[AvVideo]) -> AvVideo | None:
    """The stream a player would show: cover art is not a video."""
    moving = [
        stream
        for stream in streams
        if stream.codec_context and stream.codec_context.width and not stream.disposition & Disposition.attached_pic
    ]
    return next((stream for stream in moving if stream.disposition & Disposition.default), next(iter(moving), None))


def _describe_audio(stream: AvAudio) -> AudioStream:
    context, title = stream.codec_context, _title(stream)
    default = bool(stream.disposition & Disposition.default)
    rate, channels, language = context.sample_rate, context.channels, _language(stream)
    return AudioStream(stream.index, context.name, rate, channels, language, title, _role(stream, title), default)


def _role(stream: AvAudio, title: str | None) -> str | None:
    """What a track is for, by its flags or else by its title, which many programs write instead."""
    flagged = (role for flag, role in _ROLES if stream.disposition & flag)
    written = normalize("NFC", title or "")
    named = ((re.search(word, written, re.IGNORECASE), role) for word, role in _TITLED)
    titled = (role for found, role in named if found and not _WITHOUT.search(written[: found.start()]))
    return next(flagged, None) or next(titled, None)


def _unread(stream: Any) -> UnreadStream:
    context = stream.codec_context
    kind, why = "data", "Longtake reads pictures, sound and text"
    if stream.disposition & Disposition.attached_pic:
        kind, why = "cover", "it is a still picture beside the recording"
    elif stream.type in ("video", "audio") and not context:
        kind, why = _KINDS[stream.type], "there is no decoder for it"
    elif stream.type == "video":
        kind, why = "picture", "only one picture is read, the one that players show"
    elif stream.type == "audio":
        kind, why = "sound", "it has no samples"
    elif stream.type == "subtitle":
        kind, why = "subtitles", "these are pictures of text; put the text next to the file as NAME.srt"
    elif stream.type == "attachment":
        kind = "attachment"
    named = stream.metadata.get("filename")
    return UnreadStream(
        stream.index, kind, context.name if context else None, _language(stream), _title(stream) or named, why
    )


def _title(stream: Any) -> str | None:
    """The title of a stream; an MP4 file has it as the name of a handler, which most programs fill in themselves."""
    names = (stream.metadata.get(key, "").strip() for key in ("title", "handler_name", "name"))
    return next((name for name in names if name and not _HANDLER.search(name)), None)


def _describe_video(path: Path, stream: AvVideo) -> VideoStream:
    context = stream.codec_context
    aspect = stream.sample_aspect_ratio
    width = round(context.width * float(aspect)) if aspect else context.width
    height = context.height
    turned, apart = _first_picture(path, stream.index)
    rotation = round(turned / 90) * 90 % 360
    if rotation in (90, 270):
        width, height = height, width
    fps = 1 / apart if apart else float(stream.average_rate or stream.guessed_rate or ORDINARY_FPS)
    return VideoStream(stream.index, context.name, width, height, round(fps, 3), rotation)


def _first_picture(path: Path, index: int) -> tuple[int, float]:
    """How a picture is turned, in degrees, and the seconds of a frame in a stream without times, or else 0."""
    # Reopen: the current container may be at its end, and raw streams can't be rewound.
    apart = 0.0
    with open_media(path) as container:
        for count, packet in enumerate(container.demux(container.streams[index])):
            if packet.pts is None and packet.dts is None and packet.size:
                apart = apart or float((packet.duration or 0) * (packet.time_base or 0))
            else:
                apart = 0.0
            try:
                for frame in packet.decode():
                    return int(getattr(frame, "rotation", 0)), apart
            except av.error.FFmpegError:
                continue
            if count > _FIRST_PACKETS:
                break
    return 0, apart


def _language(stream: Any) -> str | None:
    language = stream.language
    return None if language in (None, "", "und") else str(language)
