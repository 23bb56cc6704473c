"""An engine by its name, whatever the profile prefers."""

from __future__ import annotations

from typing import Any

from longtake.preprocess.engines import EngineTable
from longtake.settings import Settings


def named_engine(settings: Settings, capability: str, name: str) -> Any:
    """The engine `name` of a capability.

    Raises:
        ConfigError: if there is none of that name.
        EngineUnavailable: if it can't be used here.
        EngineError: if the settings name a model that it can't use.
    """
    engines = settings.engines.model_copy(update={capability: (name,)})
    return EngineTable(settings.model_copy(update={"engines": engines})).load(capability)
