"""Secrets are not shown to whom a page or a comparison is sent: keys of endpoints, and passwords in addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping

from longtake.agent.traces.recorded import LenientRun
from longtake.config import secret

_USER = re.compile(r"(?<=://)[^/\s@\"'<>]+@")  # the user and password of an address
_KEY_NAME = "api_key_env"  # the setting of an endpoint that names the variable of its key
_SHORTEST_KEY = 8  # characters; what is shorter is a placeholder, and stands in many words


def without_passwords(text: str) -> str:
    """Text whose addresses are without user and password."""
    return _USER.sub("***@", text)


def without_secrets(text: str, run: LenientRun) -> str:
    """Text without these, and without the values of the variables that hold the keys of the run's endpoints."""
    settings = next((run.blob(event.output) for event in run.of("run")), None)
    sections = settings.values() if isinstance(settings, Mapping) else ()
    for variable in {str(each[_KEY_NAME]) for each in sections if isinstance(each, Mapping) and _KEY_NAME in each}:
        key = secret(variable)
        if key and len(key) >= _SHORTEST_KEY:
            text = text.replace(key, "***")
    return without_passwords(text)
