"""Masks secrets that a model or tool repeats: endpoint keys, and credentials in URLs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from longtake.config import secret
from longtake.settings import Settings

# A user name alone is no secret: "https://acme.com\ninfo@acme.com" is two lines of a slide, "ssh://git@host" a URL.
_PASSWORD = re.compile(r"(?<=://)[^/\s:@\\\"'<>,;]*:[^/\s@\\\"'<>]+@")
_KEY_NAME = "api_key_env"  # the endpoint setting that names the variable of its key
_PLACEHOLDER = re.compile(
    r".{0,7}|[A-Za-z]{0,15}", re.DOTALL
)  # no real key: short or a plain word, it occurs in many texts


def keys_of(settings: Settings) -> frozenset[str]:
    """The values of the endpoints' key variables, verbatim and as escaped in JSON."""
    sections = [each for each in settings.model_dump().values() if isinstance(each, Mapping)]
    keys = {secret(str(each[_KEY_NAME])) or "" for each in sections if each.get(_KEY_NAME)}
    keys = {key for key in keys if not _PLACEHOLDER.fullmatch(key)}
    return frozenset(
        keys | {json.dumps(key, ensure_ascii=ascii_only)[1:-1] for key in keys for ascii_only in (True, False)}
    )


def without_secrets(value: Any, keys: Iterable[str]) -> Any:
    """A JSON value with these keys and all passwords masked in its strings; field names stay.

    A key that may be a part of words is masked only where it stands alone.
    """
    match value:
        case str():
            for key in filter(None, keys):
                # Inside words, a short key is letters of theirs: masking `x` would tell of `ma***_tokens`.
                before, after = (r"(?<!\w)", r"(?!\w)") if _PLACEHOLDER.fullmatch(key) else ("", "")
                value = re.sub(f"{before}{re.escape(key)}{after}", "***", value)
            return _PASSWORD.sub("***@", value)
        case Mapping():
            return {name: without_secrets(each, keys) for name, each in value.items()}
        case list() | tuple():
            return [without_secrets(each, keys) for each in value]
    return value
