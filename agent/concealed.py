"""Secrets are never kept: keys of endpoints, and passwords in addresses, that a model or a tool repeats."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from longtake.config import Settings, secret

_USER = re.compile(r"(?<=://)[^/\s@\"'<>]+@")  # the user and password of an address
_KEY_NAME = "api_key_env"  # the setting of an endpoint that names the variable of its key
_SHORTEST_KEY = 8  # characters; what is shorter is a placeholder, and stands in many words


def keys_of(settings: Settings) -> frozenset[str]:
    """The values of the variables that hold the keys of the endpoints."""
    sections = [each for each in settings.model_dump().values() if isinstance(each, Mapping)]
    keys = {secret(str(each[_KEY_NAME])) for each in sections if each.get(_KEY_NAME)}
    return frozenset(key for key in keys if key and len(key) >= _SHORTEST_KEY)


def without_passwords(text: str) -> str:
    """Text whose addresses are without user and password."""
    return _USER.sub("***@", text)


def without_secrets(document: str, keys: Iterable[str]) -> str:
    """A JSON document without these keys, and without users and passwords of addresses."""
    for key in keys:
        for ascii_only in (True, False):
            document = document.replace(json.dumps(key, ensure_ascii=ascii_only)[1:-1], "***")
    return without_passwords(document)
