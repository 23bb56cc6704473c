"""Routes of who and what a video shows, names and lets speak."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field, StringConstraints

from longtake.memory.entity_names import MAX_NAME_LENGTH
from longtake.memory.records import Record
from longtake.preprocess.layers.entities import MOST, Entity, entities_of
from longtake.web.http.cached import cached, tag_of
from longtake.web.http.described import UNCHANGED
from longtake.web.service import Served

OldName = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
NewName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_NAME_LENGTH, pattern=r"^$|[^\W_]")]

router = APIRouter(prefix="/api/videos", tags=["videos"])


class EntityPlace(Record):
    """Where something is; times are seconds."""

    start: float
    end: float


class EntityLine(Record):
    """Who or what a video is about."""

    name: str
    kind: str = Field(description="person, thing, place, or name if only its name is known.")
    aliases: tuple[str, ...] = Field(description="Its other names.")
    looks: str = Field(description="What it looks like; may be empty.")
    found: tuple[str, ...] = Field(description="How: speaks, described, detected, named.")
    spans: tuple[EntityPlace, ...] = Field(description="Where it is; of what is only named, where it is named.")
    trusted: bool = Field(description="Whether its engine was sure of it.")


class EntityList(Record):
    """Who and what a video is about, what has the most time first."""

    entities: tuple[EntityLine, ...] = Field(description="Empty while nothing has been found.")


class NewNames(BaseModel):
    """Other names of entities."""

    names: dict[OldName, NewName] = Field(
        min_length=1,
        max_length=MOST,
        description="By the names that they have. One that another entity has joins the two; an empty one takes the "
        "entity out.",
    )


@router.get("/{video_id}/entities", response_model=EntityList, responses=UNCHANGED)
def list_entities(video_id: str, request: Request, service: Served) -> Response:
    """Who and what a video shows, names and lets speak."""
    video = service.video(video_id)

    def make() -> bytes:
        return _listed(entities_of(service.library, video)).model_dump_json().encode()

    return cached(request, tag_of(video.id, video.layers.get("entities")), "application/json", make)


@router.patch("/{video_id}/entities")
def rename_entities(video_id: str, given: NewNames, service: Served) -> EntityList:
    """Correct names of entities, also in the video's index; not while it is being indexed."""
    video = service.rename(service.video(video_id), given.names)
    return _listed(entities_of(service.library, video))


def _listed(entities: Iterable[Entity]) -> EntityList:
    return EntityList(entities=tuple(map(_line, entities)))


def _line(entity: Entity) -> EntityLine:
    spans = [{"start": start, "end": end} for start, end in entity.spans]
    return EntityLine.model_validate(entity._asdict() | {"spans": spans})
