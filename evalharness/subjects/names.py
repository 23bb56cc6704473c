"""The names of subjects on the command line; see `subject_table` and `model_spec` for their meaning.

A subject is given as its specification, or as NAME=SPEC: then NAME stands for it in tables and files. Without a name
the specification is the name, less the prices, which are settings.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from longtake.errors import ConfigError

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


def one_of(names: Collection[str], start: str, option: str) -> str:
    """The one of these names that is given whole or by how it begins.

    Raises:
        ConfigError: if none or several begin so.
    """
    found = [start] if start in names else [name for name in names if name.startswith(start)]
    if len(found) == 1:
        return found[0]
    fault = "several subjects" if found else "no subject"
    raise ConfigError(f"{option} {start} names {fault}; name one of {', '.join(found or names)}.")
