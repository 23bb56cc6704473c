"""Fills the templates of pages."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from longtake.console import counted
from longtake.evalharness.reports.drawing import forest_of, key, scatter
from longtake.memory.timespan import clock
from longtake.prompts import templates


def page(name: str, **values: Any) -> Iterator[str]:
    """A template filled, in pieces; what comes from a run or a video is escaped."""
    return _environment().get_template(name).generate(**values)


@cache
def _environment() -> Environment:
    environment = templates("longtake.evalharness.reports", "pages")
    environment.globals |= {"forest_of": forest_of, "scatter": scatter, "key": key, "clock": clock, "counted": counted}
    environment.filters["breakable"] = breakable
    environment.globals |= {"script": script, "script_hash": script_hash}
    return environment


@cache
def script() -> str:
    """The script of a report."""
    return (files("longtake.evalharness.reports.pages") / "report.js").read_text(encoding="utf-8")


def breakable(name: str) -> Markup:
    """A name that may go on in another line after its punctuation, before it breaks within a word."""
    return Markup(re.sub(r"(?<=[_:/@.-])(?=\w)", "<wbr>", str(escape(name))))


def script_hash() -> str:
    """The hash by which the page's policy allows its script, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()
