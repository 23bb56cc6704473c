"""Prompts are files; this renders them, and their hash goes into the trace."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template


def render(name: str, **values: Any) -> str:
    """The prompt `name`, filled; a value that is missing is an error."""
    return _template(name).render(**values).strip()


def prompt_hash(name: str) -> str:
    """Twelve hex digits of the prompt's file."""
    return hashlib.blake2b(_source(name).encode(), digest_size=6).hexdigest()


@cache
def _template(name: str) -> Template:
    return Environment(undefined=StrictUndefined).from_string(_source(name))


@cache
def _source(name: str) -> str:
    return (files("longtake.agent.prompts") / f"{name}.md").read_text(encoding="utf-8")
