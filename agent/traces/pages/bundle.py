"""Bundles styles and modules of the page of `longtake serve` for a single-file page, which can't import any."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

# What only modules have: imports of others, and the word before what they export.
_MODULAR = re.compile(r'^(?:import [^;]*?"\./([\w.]+)";\n|export (?=const|let|class|function|async))', re.MULTILINE)
_STYLES = ("base.css", "stage.css", "chat.css", "trace.css")


@cache
def style() -> str:
    """The style sheets of the chat, and ours for a trace."""
    return "".join(_text(name) for name in _STYLES)


@cache
def script() -> str:
    """`trace.js` after everything it imports, each module once; they share one scope, so their names must differ."""
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        text = _text(name)
        modules[name] = ""
        for needed in _MODULAR.findall(text):
            if needed and needed not in modules:
                add(needed)
        del modules[name]
        modules[name] = _MODULAR.sub("", text)

    add("trace.js")
    return "".join(modules.values())


def script_hash() -> str:
    """The hash with which a security policy allows only this script (Content Security Policy, level 2)."""
    return f"sha256-{b64encode(sha256(script().encode()).digest()).decode()}"


def _text(name: str) -> str:
    """Our file of this name, or else that of the page of `longtake serve`."""
    own = files("longtake.agent.traces.pages") / name
    return (own if own.is_file() else files("longtake.web.page") / name).read_text(encoding="utf-8")
