"""Routes of videos that the server fetches or makes: by a link, and the demo video."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from longtake.memory.records import Record
from longtake.preprocess.demo.make import make_demo
from longtake.web.links import FetchState
from longtake.web.service import Served
from longtake.web.videos import VideoDetails, shown

router = APIRouter(prefix="/api", tags=["videos"])


class Link(Record):
    """The address of a page with a video."""

    link: str = Field(min_length=1, max_length=2_000)


class LinkList(Record):
    """Whether links are fetched here, and those that are under way."""

    allowed: bool
    links: tuple[FetchState, ...]


@router.get("/links")
def list_links(service: Served) -> LinkList:
    """Whether links are fetched here, and those that are under way."""
    return LinkList(allowed=service.links.problem is None, links=service.links.all())


@router.post("/links", status_code=202)
def add_link(link: Link, service: Served) -> FetchState:
    """Fetch the video of a page, with its subtitles, and index it."""
    return service.links.add(link.link.strip())


@router.get("/links/{link_id}")
def show_link(link_id: str, service: Served) -> FetchState:
    """How far a link is, and the id of its video in the end."""
    return service.links.get(link_id)


@router.delete("/links/{link_id}", status_code=204)
def delete_link(link_id: str, service: Served) -> None:
    """Stop fetching a link."""
    service.links.cancel(link_id)


@router.post("/demo", status_code=202)
def add_demo(service: Served) -> VideoDetails:
    """Make the demo video, which takes some seconds, and index it."""
    return shown(service, service.add(make_demo(service.library.root / "demo")))
