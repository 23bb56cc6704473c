"""The marks by which a chat template tells a system prompt from what a video says."""

from __future__ import annotations

from collections.abc import Iterable


def harmless(text: str, marks: Iterable[str]) -> str:
    """The text with a blank inside every mark: what a video shows or says never opens a message or a call."""
    for mark in marks:
        text = text.replace(mark, f"{mark[0]} {mark[1:]}")
    return text
