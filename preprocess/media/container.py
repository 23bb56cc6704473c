"""Opens media files for reading, in one place."""

from __future__ import annotations

import os
import re
from pathlib import Path

import av
import av.error
from av.container import InputContainer

from longtake.errors import MediaError
from longtake.preprocess.media.media_files import moves
from longtake.preprocess.media.subtitle_formats import is_transcript
from longtake.remote import RemoteFile

# Formats that read other files or the network, and `tty`, which renders any text as a terminal screen.
_REFUSED = {"concat", "dash", "hls", "image2", "mlv", "rtp", "rtsp", "sap", "sdp", "tty", "vobsub"}
_ALLOWED = sorted(name for name in av.formats_available - _REFUSED if not name.endswith("_pipe"))  # pipes are images
# FFmpeg checks both before it follows any reference in a file.
_OPTIONS = {"format_whitelist": ",".join(_ALLOWED), "protocol_whitelist": "file"}
_HEAD = 8  # bytes of the size and kind of a part of an MP4 file
_BEGINNING = re.compile(rb"RIFF.{4}WAVE|FLV\x01[\0-\5]\0\0\0\x09", re.DOTALL)
_BETWEEN = 1 << 16  # bytes that may lie between two recordings: tags, for example
_PART = {"protocol_whitelist": "file,subfile"}


def open_media(path: Path, within: tuple[int, int] | None = None) -> InputContainer:
    """Open a file that itself contains video or audio; files that refer to others are refused before those are read.

    Args:
        path: the file.
        within: the part of a local file to read as a file of its own: its first byte, and the one after it.

    Raises:
        MediaError: if the file is missing, or isn't a media file.
    """
    if is_transcript(path):
        raise MediaError(f"{path} isn't a video or audio file: a transcript has no picture and no sound.")
    try:
        # Absolute, because FFmpeg treats anything before a colon as a protocol.
        file = path.open("rb") if isinstance(path, RemoteFile) else str(path.absolute())
        options = _OPTIONS
        if within:
            file, options = "subfile,,start,{},end,{},,:{}".format(*within, file), _OPTIONS | _PART
        container: InputContainer = av.open(file, metadata_errors="replace", options=options)
    except av.error.ArgumentError as error:
        if path.suffix.lower() == ".webp" and moves(path):
            remedy = "Animated WebP can't be decoded: convert it to MP4 or GIF."
        else:
            remedy = "Text files, playlists and images can't be used."
        raise MediaError(f"{path} isn't a video or audio file. {remedy}") from error
    except av.error.InvalidDataError as error:
        raise MediaError(
            f"{path} isn't a video or audio file, or is damaged ({error.strerror}); check that it plays."
        ) from error
    except (av.error.FFmpegError, OSError) as error:
        raise MediaError(f"Couldn't open {path}: {error.strerror}. Check the name and your read permission.") from error
    return container


def is_joined(path: Path) -> bool:
    """Whether another film was joined to the end of an MP4 file: FFmpeg and players read the first one only.

    Of a file in fragments they read all.

    Raises:
        OSError: if the file can't be read.
    """
    begun = False
    with path.open("rb") as file:
        while len(head := file.read(_HEAD)) == _HEAD:
            size, kind = int.from_bytes(head[:4]), head[4:]
            if kind == b"moof" or (begun and kind == b"ftyp"):
                return kind == b"ftyp"
            begun = begun or kind == b"ftyp"
            rest = int.from_bytes(file.read(_HEAD)) - 2 * _HEAD if size == 1 else size - _HEAD
            if rest < 0:  # it goes to the end, or is damaged
                return False
            file.seek(rest, os.SEEK_CUR)
    return False


def begins_again(path: Path, end: int) -> bool:
    """Whether another WAV or FLV file begins shortly after a position in bytes: it was joined to the first.

    Raises:
        OSError: if the file can't be read.
    """
    with path.open("rb") as file:
        file.seek(end)
        return _BEGINNING.search(file.read(_BETWEEN)) is not None
