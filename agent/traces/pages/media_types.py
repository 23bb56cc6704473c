"""Media types for browsers: content type, file extension, and whether browsers can play a file."""

from __future__ import annotations

from typing import NamedTuple

from longtake.preprocess.media.media import MediaInfo


class MediaType(NamedTuple):
    """A container's extension, and its types with and without video."""

    extension: str
    video: str
    audio: str


_MP4 = MediaType("mp4", "video/mp4", "audio/mp4")
_WEBM = MediaType("webm", "video/webm", "audio/webm")
_OTHER = MediaType("media", "application/octet-stream", "application/octet-stream")
# By FFmpeg's container names; a file may list several.
_TYPES = {
    "mp4": _MP4,
    "mov": _MP4,
    "matroska": MediaType("mkv", "video/x-matroska", "audio/x-matroska"),
    "webm": _WEBM,
    "avi": MediaType("avi", "video/x-msvideo", "video/x-msvideo"),
    "mpegts": MediaType("ts", "video/mp2t", "video/mp2t"),
    "mpeg": MediaType("mpg", "video/mpeg", "video/mpeg"),
    "flv": MediaType("flv", "video/x-flv", "video/x-flv"),
    "asf": MediaType("wmv", "video/x-ms-wmv", "audio/x-ms-wma"),
    "ogg": MediaType("ogg", "video/ogg", "audio/ogg"),
    "mp3": MediaType("mp3", "audio/mpeg", "audio/mpeg"),
    "wav": MediaType("wav", "audio/wav", "audio/wav"),
    "flac": MediaType("flac", "audio/flac", "audio/flac"),
    "aac": MediaType("aac", "audio/aac", "audio/aac"),
}
_WEB_PICTURES = frozenset({"vp8", "vp9", "av1", "libdav1d", "libvpx-vp9", "libvpx"})
_WEB_SOUNDS = frozenset({"opus", "libopus", "vorbis", "libvorbis"})
_PLAYED_PICTURES = _WEB_PICTURES | {"h264"}
_PLAYED_SOUNDS = _WEB_SOUNDS | {"aac", "mp3", "mp3float", "flac", "pcm_s16le", "pcm_u8"}
_PLAYED = frozenset({"mp4", "webm", "ogg", "mp3", "wav", "flac", "aac"})


def media_type(media: MediaInfo) -> MediaType:
    """The type of a probed file; unknown ones are plain bytes."""
    names = media.container.split(",")
    if "webm" in names and _codecs(media) <= _WEB_PICTURES | _WEB_SOUNDS:
        return _WEBM
    return next((_TYPES[name] for name in names if name in _TYPES), _OTHER)


def content_type(media: MediaInfo) -> str:
    """The file's `Content-Type`."""
    kind = media_type(media)
    return kind.video if media.video else kind.audio


def playable(media: MediaInfo) -> bool:
    """Whether current browsers can play both picture and sound (containers and codecs as listed by MDN)."""
    return (
        media_type(media).extension in _PLAYED
        and bool(media.used)
        and _codecs(media) <= _PLAYED_PICTURES | _PLAYED_SOUNDS
    )


def _codecs(media: MediaInfo) -> set[str]:
    """The codecs of the picture and of the first audio track."""
    return {*([media.video.codec] if media.video else []), *(track.codec for track in media.audio[:1])}
