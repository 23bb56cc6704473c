"""Routes of traces: the events of a run, and its page."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse, HTMLResponse

from longtake.agent.traces.lenient_run import RUN
from longtake.agent.traces.pages.page import page_of
from longtake.agent.traces.trace import RecordedTrace
from longtake.web.http.described import content
from longtake.web.http.refusals import Refusal
from longtake.web.service import Served, Service

_NONE = "The library has no trace of this run."

_EVENTS = content("application/jsonl", what="The events.")
_PAGE = content("text/html", what="The page.")

router = APIRouter(prefix="/api/traces", tags=["traces"])


@router.get("/{run}.jsonl", response_class=Response, responses=_EVENTS)
def events(run: str, service: Served) -> FileResponse:
    """The events of a run, one per line, even while it is running."""
    return FileResponse(_file(run, service), media_type="application/jsonl")


@router.get("/{run}", response_class=Response, responses=_PAGE)
def page(run: str, service: Served) -> HTMLResponse:
    """The run as a page with the player, what each call looked at and the steps, even while it is running."""
    _file(run, service)
    trace = RecordedTrace(service.library.trace_root, run)
    return HTMLResponse(page_of(trace, service.library, lambda video: f"/api/videos/{video.id}/file"))


def _file(run: str, service: Service) -> Path:
    """The trace of a run; only a well-formed id reaches the disk."""
    file = service.library.trace_root / f"{run}.jsonl"
    if not RUN.fullmatch(run) or not file.is_file():
        raise Refusal(404, _NONE)
    return file
