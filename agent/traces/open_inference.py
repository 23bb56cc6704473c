"""OpenInference attributes, which Phoenix and other viewers show: the kind of a span, its input and its output.

The names are those of github.com/Arize-ai/openinference. Viewers derive messages, tools and token counts from the GenAI
attributes, but neither the input and output of the agent and its tools, nor anything of the other steps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

Kind = Literal["AGENT", "LLM", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR"]
_MAX_DOCUMENTS = 20


def shown(kind: Kind, given: Any = None, made: Any = None) -> dict[str, Any]:
    """The attributes of a span.

    Args:
        kind: how viewers draw it.
        given: its input, text or JSON; None if it has none.
        made: its output, likewise.
    """
    return {"openinference.span.kind": kind, **_value("input", given), **_value("output", made)}


def documents(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The first of the documents that a search found, each with its place in the video."""
    attributes: dict[str, Any] = {}
    for number, each in enumerate(found[:_MAX_DOCUMENTS]):
        evidence, name = each["evidence"], f"retrieval.documents.{number}.document"
        place = {"video": evidence["video"], "modality": evidence["modality"], **evidence["span"]}
        attributes |= {f"{name}.content": evidence["content"], f"{name}.metadata": json.dumps(place)}
        if each["cosine"] is not None:
            attributes[f"{name}.score"] = each["cosine"]
    return attributes


def _value(side: Literal["input", "output"], value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    plain = isinstance(value, str)
    return {
        f"{side}.value": value if plain else json.dumps(value, ensure_ascii=False),
        f"{side}.mime_type": "text/plain" if plain else "application/json",
    }
