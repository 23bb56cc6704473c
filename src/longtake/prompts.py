"""Prompts are Markdown files with Jinja, rendered here. What comes from a video goes in as `{{ text | json }}`."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template


def render(package: str, name: str, **values: Any) -> str:
    """The prompt `name` of a package, filled; a value that is missing is an error."""
    return _template(package, name).render(**values).strip()


@cache
def prompts_hash(*packages: str) -> str:
    """Twelve hex digits over all prompts of some packages."""
    digest = hashlib.blake2b(digest_size=6)
    for package in packages:
        for file in sorted(files(package).iterdir(), key=lambda file: file.name):
            if file.name.endswith(".md"):
                digest.update(f"{package}/{file.name}\0{file.read_text(encoding='utf-8')}\0".encode())
    return digest.hexdigest()


@cache
def _template(package: str, name: str) -> Template:
    environment = Environment(undefined=StrictUndefined)
    # Jinja's own `tojson` is made for web pages: it writes letters outside ASCII, and & and <, as escapes.
    # A missing value raises when it is made a string.
    environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False, default=str)
    return environment.from_string((files(package) / f"{name}.md").read_text(encoding="utf-8"))
