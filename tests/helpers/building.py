"""`longtake eval build longshot` with a scripted model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from helpers.command import Done, longtake
from helpers.models.builder import form_of
from helpers.servers.openai_server import Endpoint


def model_at(endpoint: Endpoint, model: str = "scripted") -> tuple[str, ...]:
    """The options that name the model of an endpoint."""
    settings = {"engine": "openai", "base_url": endpoint.url, "model": model}
    given = [f"controller.{name}={value}" for name, value in settings.items()]
    return tuple(word for setting in (*given, "engines.speakers=[]") for word in ("--set", setting))


def build(endpoint: Endpoint, library: Path, *arguments: object, model: str = "scripted") -> Done:
    """Build a set; one request at a time, so that a test knows their order."""
    command = ("eval", "build", "longshot", *arguments, "--at-once", 1)
    return longtake(*model_at(endpoint, model), *command, library=library)


def asked_of(endpoint: Endpoint) -> list[str]:
    """The forms of the replies that an endpoint was asked for, in order; not for the outline of a video."""
    return [form_of(request) for request in endpoint.requests if "response_format" in request]


def rows(file: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
