"""What is put to models, and what they say.

Prompts are Markdown files with Jinja, rendered here. What comes from a video goes in as `{{ text | json }}`.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
# Some chat templates open the thinking in the prompt, so that only its end is in the reply.
_END_OF_THOUGHT = re.compile(r"\A.*</think>", re.DOTALL | re.IGNORECASE)


def render(package: str, name: str, **values: Any) -> str:
    """The prompt `name` of a package, filled; a value that is missing is an error."""
    return _template(package, name).render(**values).strip()


def without_thinking(reply: str) -> str:
    """What a model says, less what it thinks aloud; a thought that does not end is nothing said."""
    return _END_OF_THOUGHT.sub("", _THOUGHT.sub(" ", reply)).strip()


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
