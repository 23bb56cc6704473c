"""Fetches the video of a page by its address, with yt-dlp."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longtake.errors import ConfigError, EngineUnavailable, MediaError
from longtake.preprocess.engines.web.public_web import public_connections

INSTALL = "pip install 'longtake[links]'"
_PUBLIC_FORMAT = (
    "bv*[height<=1080][protocol^=http]+ba[protocol^=http]/b[height<=1080][protocol^=http]/b[protocol^=http]"
)
_FORMAT = "bv*[height<=1080]+ba/b[height<=1080]/b"  # larger pictures take time and read no better


def is_link(text: str) -> bool:
    """Whether a text is the address of a page or file."""
    return text.casefold().startswith(("http://", "https://"))


def fetch(
    link: str,
    folder: Path,
    *,
    offline: bool,
    progress: Callable[[float | None], None],
    check: Callable[[], None],
    public: bool = False,
    largest: float = math.inf,
) -> Path:
    """Save the video of a page, and its subtitles if there are any, in a folder; an interrupted download resumes.

    Args:
        link: an address.
        folder: made if it doesn't exist.
        offline: refuse.
        progress: called with the share that is done, None while unknown.
        check: called often; what it raises ends the download.
        public: connect to public addresses only.
        largest: bytes to save at most. A server needn't say how many it sends, so they are counted.

    Raises:
        ConfigError: offline.
        EngineUnavailable: without yt-dlp.
        MediaError: if there is no video, it can't be fetched, or it is too large.
    """
    if offline:
        raise ConfigError(f"{link} can't be fetched offline: download the file elsewhere and give its path.")
    if not find_spec("yt_dlp"):
        raise EngineUnavailable(f"Fetching {link} needs yt-dlp: {INSTALL}")
    from yt_dlp.utils import DownloadError

    sizes: dict[str, int] = {}  # bytes by file: picture and sound may come apart

    def advance(state: dict[str, Any]) -> None:
        check()
        sizes[state["filename"]] = max(state.get("downloaded_bytes") or 0, state.get("total_bytes") or 0)
        if sum(sizes.values()) > largest:
            raise MediaError(
                f"{link} leads to more than {largest / 1e9:g} GB, which is too large to fetch here. Download the file "
                "elsewhere, and add it from a folder."
            )
        total = state.get("total_bytes") or state.get("total_bytes_estimate")
        progress(state.get("downloaded_bytes", 0) / total if total else None)

    options: Any = {
        "paths": {"home": str(folder)},
        "outtmpl": "%(title).150B [%(id).40B].%(ext)s",
        "format": _PUBLIC_FORMAT if public else _FORMAT,
        "proxy": "" if public else None,  # a proxy would connect to any address
        "noplaylist": True,
        "writesubtitles": True,
        "progress_hooks": [advance],
        "quiet": True,
        "no_warnings": True,
        "noprogress": True,
        "logger": _Silent(),
    }
    try:
        with public_connections() if public else nullcontext(), _downloader(options, public=public) as downloader:
            found = downloader.extract_info(link)
            files = [Path(each["filepath"]) for each in found.get("requested_downloads") or ()]
    except DownloadError as error:
        reason = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).removeprefix("ERROR: ").splitlines()[0]
        reason = reason.partition(" (caused by ")[0]
        raise MediaError(f"{link} can't be fetched: {reason}") from error
    if not files:
        raise MediaError(f"{link} leads to no single video. Give the address of one.")
    return files[0]


def _downloader(options: Any, *, public: bool) -> Any:
    from yt_dlp import YoutubeDL

    class Public(YoutubeDL):  # type: ignore[misc]  # it has no types
        """Sends every request from this process and thread, where `public_connections` sees it."""

        def build_request_director(self, handlers: Any, preferences: Any = None) -> Any:
            return super().build_request_director([each for each in handlers if each.RH_KEY == "Urllib"], preferences)

    return (Public if public else YoutubeDL)(options)


class _Silent:
    """yt-dlp's messages come as exceptions too."""

    def debug(self, message: str) -> None:
        pass

    info = warning = error = debug
