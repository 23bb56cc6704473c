"""Longtake answers questions about hour-long videos and shows the seconds that prove each answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from longtake.api import Answer, IndexReport, Library, LongtakeError, Settings, Video, ask, index, load_settings

__version__ = "0.1.0"
__all__ = ["Answer", "IndexReport", "Library", "LongtakeError", "Settings", "Video", "ask", "index", "load_settings"]


def __getattr__(name: str) -> object:
    """Import public names on first use, so that `import longtake` and `longtake --help` stay fast."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from longtake import api

    return getattr(api, name)
