"""Routes of the page's settings: what is switched on, and how much of the disk is used."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from fastapi import APIRouter
from pydantic import Field

from longtake.memory.library import LibraryStore
from longtake.memory.records import Record
from longtake.web.service import Served
from longtake.web.switches import Switchable, Switches
from longtake.web.uploads import Uploads


class VideoStorage(Record):
    """What a video uses, in bytes."""

    id: str
    name: str
    index: int = Field(description="Its layers: what was read, heard and seen in it.")
    file: int = Field(description="Its file if it was uploaded; 0 if the library doesn't store it.")


class Storage(Record):
    """What the library uses, in bytes."""

    videos: tuple[VideoStorage, ...]
    search: int = Field(description="The search index.")
    chats: int = Field(description="Chats, notes and closer looks.")
    traces: int = Field(description="The steps of every answer.")
    unfinished: int = Field(description="Uploads that aren't complete.")
    total: int
    free: int = Field(description="Free on the library's disk.")


def storage_of(library: LibraryStore, uploads: Uploads) -> Storage:
    """Measure the library; reads the size of every file in it."""
    videos = []
    for video in library.videos():
        file = uploads.file(video.id)
        index, stored = _size(library.layers(video.id).root.parent), _size(file) if file else 0
        videos.append(VideoStorage(id=video.id, name=video.name, index=index, file=stored))
    parts = {
        "search": _size(library.index_root),
        "chats": sum(_size(file) for file in library.root.glob(f"{library.memory_file.name}*")),
        "traces": _size(library.trace_root),
        "unfinished": _size(uploads.unfinished),
    }
    total = sum(parts.values()) + sum(video.index + video.file for video in videos)
    free = shutil.disk_usage(library.root).free
    return Storage(videos=tuple(videos), **parts, total=total, free=free)


def _size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder; 0 for what is gone, perhaps since it was listed."""
    if not path.is_dir():
        return _bytes(path)
    return sum(_bytes(Path(folder, name)) for folder, _, names in os.walk(path) for name in names)


def _bytes(file: Path) -> int:
    try:
        return file.lstat().st_size
    except FileNotFoundError:
        return 0


router = APIRouter(prefix="/api", tags=["settings"])


@router.get("/settings")
def show_settings(service: Served) -> Switchable:
    """The switches, and what they switch. They take away from the settings that the server was started with."""
    return service.switches.shown()


@router.put("/settings")
def change_settings(body: Switches, service: Served) -> Switchable:
    """Switch engines and tools off or on, and choose the language and the track of speech.

    Work under way goes on as it was.
    """
    service.switches.switch(body)
    return service.switches.shown()


@router.get("/storage")
def show_storage(service: Served) -> Storage:
    """How much of the disk the library uses."""
    return storage_of(service.library, service.uploads)
