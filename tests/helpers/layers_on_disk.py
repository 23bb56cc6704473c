"""What a library has on disk: the chunks of unfinished builds, and the bytes of layers."""

from __future__ import annotations

import contextlib
from pathlib import Path

from longtake.memory.library import LibraryStore


def chunks_in(root: Path) -> dict[str, int]:
    """Chunks of unfinished builds, with their inodes: a chunk that is made again has another."""
    found = {}
    for file in root.glob("videos/*/layers/.building/*/chunks/[!.]*"):
        with contextlib.suppress(FileNotFoundError):
            found[str(file)] = file.stat().st_ino
    return found


def in_use(root: Path) -> dict[str, bytes]:
    """Every file of every layer in use."""
    library = LibraryStore(root)
    files = {}
    for video in library.videos():
        for name, key in video.layers.items():
            folder = library.layers(video.id).root / name / key
            files |= {f"{name}/{f.relative_to(folder)}": f.read_bytes() for f in folder.rglob("*") if f.is_file()}
    return files
