"""The names of subjects on the command line; see `subject_table` and `model_spec` for their meaning.

A subject is given as its specification, or as NAME=SPEC: then NAME stands for it in tables and files. Without a name
the specification is the name, less the prices, which are settings.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NAMES = (
    "agent",
    "agent:PROFILE",
    "retrieval",
    "transcript",
    "random",
    "majority",
    "longest",
    "replies:FILE",
    "lexical",
    "embedding:ENGINE",
    "likelihood:FILE",
    "bag-of-frames:ENGINE",
)
MODELS = ("model:NAME@URL", "single-frame:NAME@URL", "question-only:NAME@URL", "simulated:NAME@URL")
_NAMED = re.compile(r"([^=:?@/\\]+)=(.+)")
_PRICE = re.compile(r"(?<=[?&])(?:input|output)_price=[^&]*&?")


class NamedSubject(NamedTuple):
    """A subject's name in a run, and its specification."""

    name: str
    spec: str


def named(given: str) -> NamedSubject:
    """The subject that the command line gives."""
    match = _NAMED.fullmatch(given)
    return NamedSubject(match[1].strip(), match[2]) if match else NamedSubject(without_prices(given), given)


def without_prices(spec: str) -> str:
    """A specification without its prices."""
    return _PRICE.sub("", spec).rstrip("?&") if "_price=" in spec else spec
