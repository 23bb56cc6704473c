"""Texts that browsers save as files."""

from __future__ import annotations

from pathlib import Path

from fastapi import Response


def attached(text: str, media_type: str, video: str, form: str) -> Response:
    """A text as a file that is named like a video, with another extension."""
    name = f"{Path(video).stem}.{form}".encode("ascii", "replace").decode().replace('"', "'").replace("?", "_")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)
