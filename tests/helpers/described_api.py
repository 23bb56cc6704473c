"""Every answer of the server, held against what its /openapi.json says of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx
from jsonschema import Draft202012Validator


def checked_against(described: dict[str, Any]) -> Callable[[httpx.Response], None]:
    """A hook of httpx that fails where an answer is not as the document says; the page's own files are not in it."""
    operations = [
        (_matcher(path), method.upper(), operation)
        for path, item in sorted(described["paths"].items(), key=lambda each: -len(each[0]))
        for method, operation in item.items()
    ]

    def check(response: httpx.Response) -> None:
        request, path = response.request, response.request.url.path
        operation = next(
            (one for at, method, one in operations if at.fullmatch(path) and method == request.method), None
        )
        if operation is None:
            return
        what = f"{request.method} {path}: {response.status_code}"
        status = str(response.status_code)
        expected = operation["responses"].get(status) or operation["responses"].get(f"{status[0]}XX")
        assert expected is not None, f"{what} is not described"
        media_type = response.headers.get("Content-Type", "").partition(";")[0]
        content = expected.get("content", {})
        if not content:
            return
        kind = next((each for each in content if re.fullmatch(each.replace("*", ".*"), media_type)), None)
        assert kind is not None, f"{what} is {media_type}, not {' or '.join(content)}"
        if kind == "application/json" and request.method != "HEAD":
            response.read()
            schema = {**content[kind]["schema"], "components": described["components"]}
            Draft202012Validator(schema).validate(response.json())

    return check


def _matcher(path: str) -> re.Pattern[str]:
    """What matches the addresses of a path; the name of a thread may hold slashes."""
    pattern = re.escape(path).replace(r"\{thread\}", ".+")
    return re.compile(re.sub(r"\\{\w+\\}", "[^/]+", pattern))
