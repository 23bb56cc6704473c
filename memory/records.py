"""Moments, claims and answers: what a run collects and returns."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from longtake.memory.timespan import TimeSpan

Modality = Literal["speech", "scene_text", "visual", "audio", "metadata"]
MODALITIES: tuple[Modality, ...] = ("speech", "scene_text", "visual", "audio", "metadata")
MOMENTS: tuple[Modality, ...] = ("speech", "scene_text", "visual", "audio")  # what a recording says and shows itself
Verdict = Literal["supported", "contradicted", "not_shown", "unchecked"]
VERDICTS: Mapping[Verdict, str] = {
    "supported": "supported",
    "contradicted": "contradicted",
    "not_shown": "not shown",
    "unchecked": "not checked",
}
WORDS_WIDTH = len("on-screen text")  # characters of the longest modality as people read it
Status = Literal["answered", "uncertain", "abstained", "partial", "failed"]


def display_name(name: str) -> str:
    """A modality, layer or tool as people read it: `on-screen text` for `scene_text`."""
    return name.replace("scene_text", "on-screen text").replace("_", " ")


class Record(BaseModel):
    """An immutable value that converts to and from JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Moment(Record):
    """What is said, shown or heard in some seconds of a video, as an engine found it."""

    video: str = Field(description="Library id.")
    span: TimeSpan
    modality: Modality
    text: str = Field(
        validation_alias=AliasChoices("text", "content"),  # `content` in traces and closer looks of version 0.1
        description="The words, or what a picture or sound is; empty for a picture that only its vector finds.",
    )
    score: float = Field(default=1.0, description="The engine's confidence, or the search score.")
    engine: str = Field(description="Id of the engine that found it.")
    layer: str = Field(default="", description="Key of its source layer; empty if found at question time.")
    box: tuple[float, float, float, float] | None = Field(
        default=None, description="Left, top, width and height as fractions of the picture."
    )
    frame: str | None = Field(default=None, description="File of the frame or clip, relative to the library.")
    trusted: bool = Field(default=True, description="An untrusted moment may lead to a place but never prove a claim.")

    @property
    def id(self) -> str:
        """Ten hex digits that identify text, place and engine: two cells of a table may have the same text."""
        times = (f"{self.span.start:.3f}", f"{self.span.end:.3f}")
        place = (",".join(f"{part:.3f}" for part in self.box),) if self.box else ()
        parts = (self.video, *times, self.modality, self.text, self.engine, *place)
        return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=5).hexdigest()


Evidence = Moment  # as the threads of version 0.1 call it


class Citation(Record):
    """A place in a video that a reader can jump to, and what is said or shown there."""

    video: str
    start: float
    end: float
    modality: Modality
    quote: str

    @classmethod
    def of(cls, moment: Moment) -> Citation:
        """Cite a moment in full."""
        span = moment.span
        return cls(
            video=moment.video,
            start=round(span.start, 3),
            end=round(span.end, 3),
            modality=moment.modality,
            quote=moment.text,
        )


class FoundBy(Record):
    """A step of the run that found evidence for a claim."""

    tool: str = Field(description="The tool's name; `orient` if the evidence was known before the first call.")
    call: str | None = Field(default=None, description="The call's id in the trace; none if no tool was called.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="As passed to the tool, after any repair.")


class Claim(Record):
    """One checkable statement of an answer and the evidence it rests on."""

    text: str
    verdict: Verdict
    reason: str = Field(default="", description="Why it isn't supported, or couldn't be checked.")
    citations: tuple[Citation, ...] = ()
    against: tuple[Citation, ...] = Field(default=(), description="The places that contradict it.")
    found_by: tuple[FoundBy, ...] = Field(default=(), description="The calls that found all of these citations.")

    @property
    def told(self) -> str:
        """The verdict, the statement, and the reason if there is one, on one line."""
        line = " ".join(f"{VERDICTS[self.verdict]}: {self.text}".split())
        return f"{line} ({' '.join(self.reason.split()).rstrip('.')})" if self.reason else line


class Closest(Record):
    """A line that may answer a question when nothing does with certainty."""

    text: str
    start: float
    end: float
    modality: Modality
    video: str

    @property
    def place(self) -> Citation:
        """Its place as a citation: somewhere to look, not proof."""
        return Citation(video=self.video, start=self.start, end=self.end, modality=self.modality, quote=self.text)


class Option(Record):
    """The chosen option of a multiple-choice question."""

    letter: str
    text: str
    supported: bool | None = Field(default=None, description="Whether the video proves it; none if that is unchecked.")

    @property
    def proof(self) -> str:
        """Whether it is proven, in words; empty if that is unchecked."""
        return "" if self.supported is None else "proven" if self.supported else "not proven"

    @property
    def told(self) -> str:
        """Letter and text, and whether it is proven."""
        return f"Option {self.letter}: {self.text}" + (f" ({self.proof})" if self.proof else "")


class Usage(Record):
    """What an answer cost."""

    rounds: int = 0
    tool_calls: int = 0
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = Field(default=0.0, description="None if a model was asked whose price isn't known.")


class Answer(Record):
    """What `ask` returns; its JSON is the public shape of `ask --json`."""

    question: str
    status: Status
    answer: str
    options: tuple[str, ...] = Field(default=(), description="What a multiple-choice question offered.")
    option: Option | None = None
    confidence: float | None = Field(
        default=None, description="Estimated probability that the answer is right; none if nothing was ranked."
    )
    closest: tuple[Closest, ...] = Field(
        default=(), description="For an uncertain answer: up to three closest lines, best first."
    )
    citations: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    citations_removed: int = Field(default=0, description="Citations of the draft that no evidence backs.")
    citation_precision: float | None = Field(
        default=None, description="Share of the draft's citations that evidence backs; none without citations."
    )
    citation_recall: float | None = Field(
        default=None,
        description="Share of the draft's claims with a citation that evidence backs; none without claims.",
    )
    coverage: dict[str, float] = Field(default_factory=dict, description="Share of the timeline each layer covers.")
    usage: Usage = Usage()
    offline: bool = Field(default=False, description="Whether every connection off this machine was blocked.")
    trace: str | None = Field(
        default=None, description="Run id; its events are in <library>/traces. None if no trace is kept."
    )
    error: str | None = None
    controller_error: str | None = Field(
        default=None, description="Why the controller failed on the way, if the run has an answer all the same."
    )

    @property
    def flagged(self) -> tuple[Claim, ...]:
        """The claims that the video contradicts or doesn't show, which the text marks."""
        return tuple(claim for claim in self.claims if claim.verdict in ("contradicted", "not_shown"))

    @property
    def places(self) -> tuple[Citation, ...]:
        """Where a reader can look: the citations and, for an uncertain answer, the closest lines; each once."""
        return tuple(dict.fromkeys((*self.citations, *(line.place for line in self.closest))))
