"""An answer as a chat completion gives it, whole or in chunks, with its citations as annotations; and errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longtake.agent.web.openai_messages import MODEL
from longtake.memory.records import Answer, Citation
from longtake.memory.timespan import TimeSpan, clock


def completion(answer: Answer, names: Mapping[str, str], head: Mapping[str, Any]) -> dict[str, Any]:
    """A whole chat completion.

    Args:
        answer: of the agent; beside the message it stands whole, under `longtake`.
        names: of the videos, by id.
        head: id and time of the completion.
    """
    message = {
        "role": "assistant",
        "content": answer.answer,
        "refusal": None,
        "annotations": cited(answer, names),
    }
    return {
        **head,
        "object": "chat.completion",
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": usage(answer),
        "longtake": answer.model_dump(mode="json"),
    }


def chunk(head: Mapping[str, Any], delta: Mapping[str, Any], *, end: bool = False) -> dict[str, Any]:
    """A chunk of a stream, which adds to the message."""
    choice = {"index": 0, "delta": dict(delta), "logprobs": None, "finish_reason": "stop" if end else None}
    return {**head, "object": "chat.completion.chunk", "model": MODEL, "choices": [choice]}


def usage_chunk(head: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    """The chunk after the last, for those who asked what it cost."""
    return {**head, "object": "chat.completion.chunk", "model": MODEL, "choices": [], "usage": usage(answer)}


def usage(answer: Answer) -> dict[str, int]:
    """The tokens of the controller; rules use none."""
    read, written = answer.usage.input_tokens, answer.usage.output_tokens
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def cited(answer: Answer, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The citations, each with the place of its mark in the text, or of the whole text where it has none of its own."""
    return [_annotation(citation, answer.answer, names) for citation in answer.citations]


def _annotation(citation: Citation, text: str, names: Mapping[str, str]) -> dict[str, Any]:
    name, at = names.get(citation.video, citation.video), clock(citation.start)
    marks = [mark for mark in (f"[{name} {at}]", f"[{at}]") if mark in text]
    start = text.index(marks[0]) if marks else 0
    place = {
        "url": f"longtake://{citation.video}#t={_seconds(citation.start)},{_seconds(citation.end)}",
        "title": f"{name}, {TimeSpan(start=citation.start, end=citation.end)}",
        "start_index": start,
        "end_index": start + len(marks[0]) if marks else len(text),
    }
    return {"type": "url_citation", "url_citation": place}


def _seconds(time: float) -> str:
    """Seconds as a media fragment has them (W3C Media Fragments, 4.2.1)."""
    return f"{time:.3f}".rstrip("0").rstrip(".")
