"""Converts an answer to a chat completion, whole or in chunks, with its citations as annotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from longtake.memory.records import Answer, Citation, Record
from longtake.memory.timespan import TimeSpan, clock
from longtake.web.openai.openai_messages import MODEL


class UrlCitation(Record):
    """The target of a citation, and its place in the text."""

    url: str = Field(description="longtake://ID#t=START,END")
    title: str
    start_index: int
    end_index: int


class Annotation(Record):
    """A citation, or a closest line of an uncertain answer."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class CompletionMessage(Record):
    """The message of the answer."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: tuple[Annotation, ...]


class Choice(Record):
    """The one reply."""

    index: Literal[0] = 0
    message: CompletionMessage
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class CompletionUsage(Record):
    """The controller's tokens; the extractive controller uses none."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Completion(Record):
    """A complete chat completion."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int = Field(description="Seconds since the epoch.")
    model: Literal["longtake"] = MODEL
    choices: tuple[Choice]
    usage: CompletionUsage
    longtake: Answer = Field(description="The full answer: status, claims, verdicts, closest lines, coverage, cost.")


def completion(answer: Answer, names: Mapping[str, str], head: Mapping[str, Any]) -> Completion:
    """A complete chat completion.

    Args:
        answer: the agent's answer.
        names: the videos' names, by id.
        head: id and time of the completion.
    """
    reply = CompletionMessage(content=answer.answer, annotations=cited(answer, names, answer.answer))
    return Completion(**head, choices=(Choice(message=reply),), usage=usage(answer), longtake=answer)


def chunk(head: Mapping[str, Any], delta: Mapping[str, Any], *, end: bool = False) -> dict[str, Any]:
    """A chunk of a stream."""
    choice = {"index": 0, "delta": dict(delta), "logprobs": None, "finish_reason": "stop" if end else None}
    return {**head, "object": "chat.completion.chunk", "model": MODEL, "choices": [choice]}


def usage_chunk(head: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    """The chunk after the last, for clients that asked for the usage."""
    return {
        **head,
        "object": "chat.completion.chunk",
        "model": MODEL,
        "choices": [],
        "usage": usage(answer).model_dump(),
    }


def usage(answer: Answer) -> CompletionUsage:
    """The tokens an answer used."""
    read, written = answer.usage.input_tokens, answer.usage.output_tokens
    return CompletionUsage(prompt_tokens=read, completion_tokens=written, total_tokens=read + written)


def cited(answer: Answer, names: Mapping[str, str], text: str) -> tuple[Annotation, ...]:
    """The citations, each with the last place of its mark in a text, or the whole text if that has no mark.

    An uncertain answer's closest lines are included; their mark is the time stated in the text.

    Args:
        answer: with its citations.
        names: the videos' names, by id.
        text: what is sent of the answer: a stream may have sent an earlier draft too.
    """
    unsure = answer.status == "uncertain"
    return tuple(_annotation(citation, text, names, bare=unsure) for citation in answer.places)


def _annotation(citation: Citation, text: str, names: Mapping[str, str], *, bare: bool) -> Annotation:
    name, at = names.get(citation.video, citation.video), clock(citation.start)
    marks = [mark for mark in (f"[{name} {at}]", f"[{at}]", *([at] if bare else [])) if mark in text]
    start = text.rindex(marks[0]) if marks else 0
    place = UrlCitation(
        url=f"longtake://{citation.video}#t={_seconds(citation.start)},{_seconds(citation.end)}",
        title=f"{name}, {TimeSpan(start=citation.start, end=citation.end)}",
        start_index=start,
        end_index=start + len(marks[0]) if marks else len(text),
    )
    return Annotation(url_citation=place)


def _seconds(time: float) -> str:
    """Seconds in media fragment syntax (W3C Media Fragments, 4.2.1)."""
    return f"{time:.3f}".rstrip("0").rstrip(".")
