"""How questions are worded. Half of the wordings are seen by nobody who works on the agent, so that they measure it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Literal

import yaml
from pydantic import TypeAdapter

Wording = Literal["seen", "unseen"]
WORDINGS: tuple[Wording, ...] = ("seen", "unseen")
Wordings = Mapping[str, tuple[str, ...]]
_READ: TypeAdapter[Wordings] = TypeAdapter(Mapping[str, tuple[str, ...]])


def read_wordings(half: Wording) -> Wordings:
    """The wordings of one half, by the kind of question; their slots are facts, as in `questions.yaml`."""
    text = (files("longtake.evalharness.scripted") / f"{half}_wordings.yaml").read_text(encoding="utf-8")
    return _READ.validate_python(yaml.safe_load(text))
