"""Renders prompts, cleans up replies, and renders HTML pages.

Prompts are Markdown files with Jinja. Text from a video goes in as `{{ text | json }}`. In pages text is escaped, and a
missing value is an error.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template


def templates(package: str, folder: str = ".") -> Environment:
    """The templates in a folder of a package; add to its `globals` what they call."""
    return Environment(
        loader=PackageLoader(package, folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def data_url(kind: str, content: bytes) -> str:
    """A file of a media type, such as `image/jpeg`, as an address that contains it."""
    return f"data:{kind};base64,{b64encode(content).decode()}"


_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
# Some chat templates open the thinking in the prompt, so the reply contains only its end.
_END_OF_THOUGHT = re.compile(r"\A.*</think>", re.DOTALL | re.IGNORECASE)


def render(package: str, name: str, /, **values: Any) -> str:
    """Render the prompt `name` of a package; a missing value is an error."""
    return render_text(prompt_text(package, name), **values)


@cache
def prompt_text(package: str, name: str) -> str:
    """The template of a prompt."""
    return (files(package) / f"{name}.md").read_text(encoding="utf-8")


def without_thinking(reply: str) -> str:
    """A reply without the model's thinking; thinking that never ends takes up the rest of the reply."""
    return _END_OF_THOUGHT.sub("", _THOUGHT.sub(" ", reply)).strip()


@cache
def prompts_hash(*packages: str) -> str:
    """Hash of all prompts of these packages, as twelve hex digits."""
    digest = hashlib.blake2b(digest_size=6)
    for package in packages:
        for file in sorted(files(package).iterdir(), key=lambda file: file.name):
            if file.name.endswith(".md"):
                digest.update(f"{package}/{file.name}\0{file.read_text(encoding='utf-8')}\0".encode())
    return digest.hexdigest()


@cache
def compiled(text: str) -> Template:
    """A template; `{{ value | json }}` writes a value as JSON.

    Raises:
        TemplateError: if it can't be read.
    """
    environment = Environment(undefined=StrictUndefined)
    # Jinja's own `tojson` is made for web pages: it escapes non-ASCII letters, & and <.
    # `default=str` makes a missing value raise.
    environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False, default=str)
    return environment.from_string(text)


def render_text(text: str, /, **values: Any) -> str:
    """Render a prompt that is given as text; a missing value is an error."""
    return compiled(text).render(**values).strip()
