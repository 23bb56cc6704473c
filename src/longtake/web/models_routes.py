"""Routes that say which models are in use, and whether the one that answers is there."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from longtake.web.models import ModelsInUse, ModelState
from longtake.web.service import Served

router = APIRouter(prefix="/api/models", tags=["models"])


@router.get("")
def models_in_use(service: Served) -> ModelsInUse:
    """The controllers that a question may choose between, and the engine of each capability."""
    return service.models.in_use()


@router.get("/state")
def model_state(
    service: Served,
    model: Annotated[
        str | None, Query(max_length=300, description="A controller that /api/models lists; by default the usual one.")
    ] = None,
) -> ModelState:
    """Whether a controller can answer now: a server is asked for its list of models, at most every few seconds."""
    return service.models.state(model)
