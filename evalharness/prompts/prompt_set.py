"""A prompt set: how subjects are shown a video and asked, and how judges are asked.

The published sets lie beside this file as `SUITE.yaml`. They have the parts of their source in its order, with its form
of reply and its scale, in our words. Whoever needs its exact words gives a file with them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from jinja2 import TemplateError
from pydantic import Field, ValidationError

from longtake.config import parse_yaml
from longtake.errors import ConfigError
from longtake.evalharness.runs.journal import wrong_field
from longtake.memory.records import Record
from longtake.prompts import compiled, render_text

OWN = "longtake"
Part = Literal["material", "frame", "question"]
Source = Literal["paper", "repo"]
_FOLDER = files("longtake.evalharness.prompts")


class JudgePrompt(Record):
    """How a judge is asked."""

    text: str = Field(min_length=1, description="A template; `case` is the decision, see `Case`.")
    system: str = Field(default="", description="A system message before it.")
    field: str = Field(min_length=1, description="The field of the JSON reply that has the verdict.")
    violated: bool = Field(
        default=False, description="Whether `true` says that what a penalty forbids was done, not that it was avoided."
    )


class PromptSet(Record):
    """Templates in Jinja. What a set lacks is asked in Longtake's words.

    Templates for subjects know `question`; `options`, pairs of a letter and a text; `instruction`, how to answer as a
    row of the benchmark says; `frames`, their number; `timed`; `video`, whether it is sent as a file; `words`, the
    transcript; `captions` of parts; `guess`. `frame` knows only `number` and `time`.
    """

    name: str = ""
    hash: str = Field(default="", description="Twelve hex digits of the templates.")
    sources: tuple[Source, ...] = Field(default=(), description="What a published set follows.")
    note: str = Field(default="", description="What it follows, and how it differs from that.")
    material: str | None = Field(default=None, description="What a subject is told before the frames.")
    frame: str | None = Field(default=None, description="The text before each frame.")
    question: str | None = Field(default=None, description="The question with its options.")
    judge_temperature: float = Field(default=0.0, ge=0, description="At which judges are asked.")
    judges: Mapping[str, JudgePrompt] = Field(default_factory=dict, description="By what is asked; see `Asks`.")

    def part(self, part: Part, **values: Any) -> str | None:
        """A part of what a subject is told; None if the set lacks it."""
        template: str | None = getattr(self, part)
        return None if template is None else render_text(template, **values)


def prompts_named(name: str | None, suite: str, protocol: str) -> PromptSet | None:
    """A prompt set; None is Longtake's own.

    Without a name it is the published set of the protocol, paper or repo, if there is one.

    Raises:
        ConfigError: if there is no such set, or a field or template of the file is wrong.
    """
    if name == OWN:
        return None
    file = _FOLDER / f"{suite}.yaml"
    published = _read(file.read_text(encoding="utf-8"), suite) if file.is_file() else PromptSet()
    if (name or protocol) in published.sources:
        return published.model_copy(update={"name": name or protocol})
    if name is None:
        return None
    if name in get_args(Source):
        known = ", ".join([*published.sources, OWN])
        raise ConfigError(f"There are no prompts {name!r} for {suite}: choose {known} or a YAML file.")
    try:
        return _read(Path(name).read_text(encoding="utf-8"), name)
    except OSError as error:
        raise ConfigError(
            f"--prompts {name} is none of longtake, paper and repo, and can't be read as a file: {error.strerror}."
        ) from error


def _read(text: str, name: str) -> PromptSet:
    try:
        found = PromptSet.model_validate(parse_yaml(text))
        for template in (found.material, found.frame, found.question, *(each.text for each in found.judges.values())):
            compiled(template or "")
    except ValidationError as error:
        raise ConfigError(f"--prompts {name}, {wrong_field(error)}: correct this field.") from error
    except TemplateError as error:
        raise ConfigError(f"--prompts {name} has a template that can't be read: {error}. Correct it.") from error
    except ValueError as error:
        raise ConfigError(f"--prompts {name} is not valid YAML: {error}. Correct it.") from error
    digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    return found.model_copy(update={"name": name, "hash": digest})
