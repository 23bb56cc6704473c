"""A video of eight seconds that says, shows and sounds a little: what a question can be asked about quickly."""

from __future__ import annotations

from pathlib import Path

from helpers.media.clips import flat, write_clip, written

SPOKEN = "Welcome to the workshop. The blue kettle costs 249 dollars."
SHOWN = "ROOM 4417"
SUBTITLES = """WEBVTT

00:00:00.500 --> 00:00:02.000
Welcome to the workshop.

00:00:04.000 --> 00:00:06.000
The blue kettle costs 249 dollars.
"""


def write_small_video(path: Path) -> Path:
    """A slide with `SHOWN` for four seconds, then a red picture; a tone throughout; `SPOKEN` in a .vtt beside it."""
    slide = written(flat((60, 30, 10), 640, 360), SHOWN, place=(120, 190), scale=2.0)
    red = flat((20, 20, 180), 640, 360)
    write_clip(path, [slide] * 20 + [red] * 20, times=lambda number: number / 5, sound_seconds=8.0)
    path.with_suffix(".vtt").write_text(SUBTITLES, encoding="utf-8")
    return path
