"""Writes what a browser shows as pictures of the documentation."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image

from longtake.benchmarks.browser import wait_until
from longtake.memory.records import Record

PHONE = {"width": 390, "height": 844}


class Picture(Record):
    """A picture that was written, with the name of its file in the folder; width and height in pixels."""

    file: str
    width: int
    height: int
    bytes: int


def play_proof(page: Any) -> None:
    """Play the first citation until its picture is there, and stop."""
    page.locator(".answer .chip").first.click()
    settle(page)


def settle(page: Any, players: str = "video") -> None:
    """Wait until these players show the second that they were sent to, and stop them."""
    shown = "video.currentTime > 0 && !video.seeking && video.readyState > 2"
    wait_until(page, f"[...document.querySelectorAll('{players}')].every(video => {shown})")
    page.evaluate(f"document.querySelectorAll('{players}').forEach(video => video.pause())")


def save(page: Any, out: Path, name: str) -> Picture:
    """Write what the page shows, in 128 colours: a third of the bytes, and no difference to the eye."""
    file = out / name
    page.mouse.move(0, 0)  # a line under the pointer looks chosen
    page.wait_for_load_state("networkidle")
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shown.quantize(128).save(file, optimize=True)
    return Picture(file=name, width=shown.width, height=shown.height, bytes=file.stat().st_size)
