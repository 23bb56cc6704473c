"""`Query`: what is asked, where the answer may lie, and what kind of answer it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from pydantic import Field

from longtake.language.words import coverage
from longtake.memory.records import Citation, Evidence, Modality, Record
from longtake.memory.timespan import TimeSpan

Source = Literal["speech", "text", "sound", "picture", "shots", "motion", "file", "outside"]
Target = Literal[
    "quote",
    "list",
    "time",
    "duration",
    "count",
    "yesno",
    "choice",
    "order",
    "name",
    "number",
    "colour",
    "place",
    "description",
    "summary",
    "translation",
    "sum",
    "difference",
    "highest",
    "lowest",
    "calculation",
    "feeling",
    "code",
    "lookup",
    "keep",
    "recall",
]
Relation = Literal["after", "before", "while"]
SOURCES: tuple[Source, ...] = get_args(Source)
TARGETS: tuple[Target, ...] = get_args(Target)
# Where in the evidence a source is found.
MODALITY_OF: Mapping[Source, Modality] = {
    "speech": "speech",
    "text": "scene_text",
    "sound": "audio",
    "picture": "visual",
    "shots": "metadata",
    "motion": "visual",
    "file": "metadata",
}
# The layers of which each reads what a source holds; nothing reads the others into a layer.
LAYERS_OF: Mapping[Source, tuple[str, ...]] = {
    "speech": ("subtitles", "speech"),
    "text": ("scene_text",),
    "sound": ("sounds",),
}
LIKELY = 0.2  # probability from which a source is looked into beside the likeliest


class Reading(Record):
    """What the learned heads make of a question: a probability for every source and target, each summing to 1."""

    sources: Mapping[Source, float]
    targets: Mapping[Target, float]


class Anchor(Record):
    """Something else the question names, and how what is asked lies to it: after it, before it, while it lasts."""

    relation: Relation
    phrase: str


class Scope(Record):
    """The part of the video that a question names."""

    span: TimeSpan | None = None
    point: bool = Field(default=False, description="A single moment.")
    named: bool = Field(default=False, description="By a time, not only as a beginning or an end.")
    ordinal: int | None = Field(default=None, description="Which of several in their order: 0 the first, -1 the last.")
    anchors: tuple[Anchor, ...] = ()
    region: tuple[float, float, float, float] | None = Field(
        default=None, description="Left, top, width and height as shares of the picture."
    )


class Fact(Record):
    """A sentence that is known of a recording without any call, and what it can answer."""

    evidence: Evidence
    source: Source
    targets: tuple[Target, ...]


class Query(Record):
    """What every controller starts from."""

    question: str = Field(description="The question, with a follow-up's pronouns replaced where that is sure.")
    as_asked: str = Field(default="", description="The question in the person's own words, where they differ.")
    reading: Reading
    scope: Scope = Scope()
    words: tuple[str, ...] = Field(default=(), description="Stems of the words with content.")
    quoted: tuple[str, ...] = Field(default=(), description="Words in quotation marks, codes, telephone numbers.")
    options: tuple[str, ...] = ()
    videos: Mapping[str, float] = Field(default_factory=dict, description="Seconds of each open video, by id.")
    names: Mapping[str, str] = Field(default_factory=dict, description="File name of each open video, by id.")
    coverage: Mapping[str, float] = Field(default_factory=dict, description="Share of the timeline by layer.")
    facts: tuple[Fact, ...] = Field(default=(), description="What is known of the recordings themselves.")
    blank: tuple[Evidence, ...] = Field(default=(), description="Where the picture is empty.")
    lacks: Mapping[Source, str] = Field(default_factory=dict, description="Sources that no video has, and why not.")
    earlier: tuple[str, ...] = Field(default=(), description="Questions and answers of the thread, oldest first.")
    last: Citation | None = Field(default=None, description="Where the thread's last answer rests.")

    @property
    def own_words(self) -> str:
        """The question as the person wrote it."""
        return self.as_asked or self.question

    @property
    def target(self) -> Target:
        """The likeliest kind of answer."""
        return max(self.reading.targets, key=lambda name: self.reading.targets[name])

    @property
    def source(self) -> Source:
        """The likeliest source."""
        return max(self.reading.sources, key=lambda name: self.reading.sources[name])

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources to look into, likeliest first: the best, and those that are likely enough."""
        shares = self.reading.sources
        ranked = sorted(shares, key=lambda name: -shares[name])
        return tuple(name for name in ranked if name == ranked[0] or shares[name] >= LIKELY)

    def examined(self, source: Source) -> bool:
        """Whether a layer has read what the source holds, if only of a part of the timeline."""
        return any(self.coverage.get(layer) for layer in LAYERS_OF.get(source, ()))

    def chance(self, modality: Modality, *, measured: bool = False) -> float:
        """How likely the answer lies in a modality.

        Args:
            modality: of a piece of evidence.
            measured: what is visual was measured as movement or change: it names no thing that is seen.
        """
        shares = self.reading.sources
        if modality == "visual":
            return shares["motion"] + shares["shots"] if measured else shares["picture"]
        if modality == "metadata":  # where shots change
            return shares["shots"]
        return sum(share for name, share in shares.items() if MODALITY_OF.get(name) == modality)

    def chance_of(self, fact: Fact) -> float:
        """How likely a fact is what the question asks for."""
        chance = self.reading.sources[fact.source] * sum(self.reading.targets[target] for target in fact.targets)
        # That there is a sound track says nothing of music, dogs or sirens.
        elsewhere = fact.source == "sound" and coverage(self.words, fact.evidence.content) < 1
        return chance / 2 if elsewhere else chance
