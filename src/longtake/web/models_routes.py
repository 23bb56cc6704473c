"""The route that says which models are in use."""

from __future__ import annotations

from fastapi import APIRouter

from longtake.web.models import ModelsInUse
from longtake.web.service import Served

router = APIRouter(prefix="/api/models", tags=["models"])


@router.get("")
def models_in_use(service: Served) -> ModelsInUse:
    """The controllers that a question may choose between, and the engine of each capability."""
    return service.models.in_use()
