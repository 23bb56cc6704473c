"""Converts an answer to a chat completion, whole or in chunks, with its citations as annotations.

A stream tells the text as it is written, then what the check of it has found: it can't take back what it has sent. A
second draft follows the first one under a heading, and statements that the video doesn't show, which the text of the
whole answer marks, are listed at the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from longtake.agent.drafts.draft import ANSWER
from longtake.agent.drafts.publishing import FLAGS, marks
from longtake.memory.records import Answer, Citation, Record
from longtake.memory.timespan import TimeSpan, clock
from longtake.web.event_feed import FeedEvent
from longtake.web.openai.openai_messages import MODEL

CORRECTED = "Corrected after a check against the video:"
IN_FULL = "The answer in full:"
CHECKED = "After a check against the video:"
HELD = 160  # characters of a text that are kept until it is clear that it is no remark before a call of tools
_REST = 300  # characters at most that may be added to a text; else the answer follows in full
_MARK = re.compile(r"\s*\[[^\[\]]*\d:\d\d[^\[\]]*\]")
_FLAG = re.compile(rf"\s*(?:{'|'.join(map(re.escape, FLAGS.values()))})")


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


class Streamed:
    """The text that a stream has sent."""

    def __init__(self) -> None:
        self.text = ""
        self._number = 0  # of the draft that is being written
        self._draft = ""
        self._sent = ""  # of the last draft that was sent
        self._begun = self._judged = False

    def take(self, event: FeedEvent) -> str:
        """What to send after an event of the run."""
        if event.kind == "text":
            if event.data["draft"] != self._number:
                self._number, self._draft, self._begun = event.data["draft"], "", False
            self._draft += event.data["text"]
            return self._send() if len(self._draft) > HELD else ""
        if event.kind != "step":
            return ""
        step = event.data
        self._judged = self._judged or step["type"] == "judge"
        if step["type"] != "model" or step.get("tool"):
            return ""
        if any(call["tool"] != ANSWER for call in step.get("calls", ())):
            self._draft = "" if not self._begun else self._draft
            return ""
        return self._send()

    def end(self, answer: Answer, names: Mapping[str, str]) -> str:
        """What to send last, with the names of several videos."""
        rest = answer.answer if not self.text else self._rest(answer, names)
        self.text += rest
        return rest

    def _send(self) -> str:
        """What isn't sent yet of the draft."""
        if not self._draft:
            return ""
        lead = ""
        if not self._begun:
            self._sent = ""
            lead = "" if not self.text else f"\n\n{CORRECTED}\n\n" if self._judged else "\n\n"
        piece = lead + self._draft[len(self._sent) :]
        self._begun, self._judged, self._sent = True, self._judged and not lead, self._draft
        self.text += piece
        return piece

    def _rest(self, answer: Answer, names: Mapping[str, str]) -> str:
        whole, sent = _bare(answer.answer), _bare(self._sent)
        if not whole.startswith(sent) or len(whole) - len(sent) > _REST:
            judged = self._judged and not answer.controller_error
            return f"\n\n{CORRECTED if judged else IN_FULL}\n\n{answer.answer}"
        missing = [mark.strip() for mark in _MARK.findall(answer.answer) if mark.strip() not in self._sent]
        times = f" {''.join(dict.fromkeys(missing))}" if missing else ""
        flagged = [f"\n- {claim.told}{marks(claim.against, names)}" for claim in answer.flagged]
        return f"{times}{whole[len(sent) :]}" + (f"\n\n{CHECKED}{''.join(flagged)}" if flagged else "")


def _bare(text: str) -> str:
    """A text without times, flags and line breaks."""
    return " ".join(_MARK.sub("", _FLAG.sub("", text)).split())
