"""A video itself as part of a request, in the form that vLLM and Longtake's own endpoint read (`video_url`)."""

from __future__ import annotations

import base64
from mimetypes import guess_type
from pathlib import Path

from longtake.errors import MediaError

MAX_BYTES = 64_000_000  # of a video inside a request, which is a third larger and held several times in memory


def video_url(path: Path, *, in_request: bool) -> str:
    """The URL of a video: a data URL with all of it, or a file URL, which only a server on this machine can read.

    Raises:
        MediaError: if it cannot be read, or is too large for a request.
    """
    if not in_request:
        return path.resolve().as_uri()
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise MediaError(
                f"{path} has {size / 1e6:.0f} MB; at most {MAX_BYTES / 1e6:.0f} MB fit in a request. Use video=file if "
                "the server may read the file itself, or frames=N."
            )
        content = base64.b64encode(path.read_bytes()).decode("ascii")
    except OSError as error:
        raise MediaError(f"{path} cannot be read: {error.strerror}.") from error
    kind = guess_type(path.name)[0] or "video/mp4"
    return f"data:{kind};base64,{content}"
