"""Routes of the page's settings: what is switched on, and how much of the disk is used."""

from __future__ import annotations

from fastapi import APIRouter

from longtake.web.service import Served
from longtake.web.storage import Storage, storage_of
from longtake.web.switches import Switchable, Switches

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
