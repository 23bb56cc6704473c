"""The one place that opens media files for reading."""

from __future__ import annotations

from pathlib import Path

import av
import av.error
from av.container import InputContainer

from longtake.errors import MediaError

# Formats whose data lie in other files or on a network, and `tty`, which renders any text as a terminal's screen.
_REFUSED = {"concat", "dash", "hls", "image2", "mlv", "rtp", "rtsp", "sap", "sdp", "tty", "vobsub"}
_TAKEN = sorted(name for name in av.formats_available - _REFUSED if not name.endswith("_pipe"))  # pipes: still pictures
# FFmpeg checks both before it follows anything that a file says.
_OPTIONS = {"format_whitelist": ",".join(_TAKEN), "protocol_whitelist": "file"}


def open_media(path: Path) -> InputContainer:
    """Open a file whose own bytes are picture or sound; what names other files is refused before they are touched.

    Raises:
        MediaError: when the file is missing, or is not a media file.
    """
    try:
        # Absolute, for FFmpeg takes what stands before a colon for a protocol.
        container: InputContainer = av.open(str(path.absolute()), metadata_errors="replace", options=_OPTIONS)
    except av.error.ArgumentError as error:
        raise MediaError(
            f"{path} is not a media file (text, playlists and still pictures are none); give a video or audio file."
        ) from error
    except av.error.InvalidDataError as error:
        raise MediaError(
            f"{path} is not a media file that can be read ({error.strerror}); check that it is complete and plays."
        ) from error
    except (av.error.FFmpegError, OSError) as error:
        raise MediaError(
            f"{path} cannot be opened: {error.strerror}; check its name and that you may read it."
        ) from error
    return container
