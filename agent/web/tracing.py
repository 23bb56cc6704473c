"""Routes of traces: what a run did, as it was written."""

from __future__ import annotations

import re

from fastapi import APIRouter
from fastapi.responses import FileResponse

from longtake.agent.web.refusals import Refusal
from longtake.agent.web.service import Served

_RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
_NONE = "The library holds no trace of this run."

router = APIRouter(prefix="/api/traces", tags=["traces"])


@router.get("/{run}.jsonl", response_class=FileResponse)
def events(run: str, service: Served) -> FileResponse:
    """The events of a run, one line each; also while it goes on."""
    file = service.library.trace_root / f"{run}.jsonl"
    if not _RUN.fullmatch(run) or not file.is_file():
        raise Refusal(404, _NONE)
    return FileResponse(file, media_type="application/jsonl")
