"""`Query`: what a question asks, where the answer may be, and what kind of answer it is; and its options.

A multiple-choice question that was typed as one text is split only where there surely is a list of options: letters
from A or numbers from 1, at least two, in their order. On lines of their own they follow any question; within a line
they follow a question mark or a colon, or are capitals, at least three, each with a parenthesis: "Is it A) red B) ...".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from pydantic import Field

from longtake.agent.drafts.draft import LETTERS
from longtake.language.text import as_question
from longtake.language.words import coverage
from longtake.memory.records import Citation, Modality, Moment, Record
from longtake.memory.timespan import TimeSpan

_MARK = re.compile(
    r"(?:(?P<line>^[ \t>*-]*)|(?<=\s))\(?(?P<mark>[A-Ja-j]|\d{1,2})(?P<end>[.)])[ \t]+(?=\S)", re.MULTILINE
)
_SURELY = 3  # options within a line that count as such even without a question mark
_ASKS = ("?", "？", ":", "：")


def split_options(text: str) -> tuple[str, tuple[str, ...]]:
    """The question and its options; the text as it is and none, if it lists no options.

    Args:
        text: a question as it was typed.
    """
    plain = "\n".join(line.rstrip() for line in text.splitlines())
    marks = list(_MARK.finditer(plain))
    for usable, of_lines in (([mark for mark in marks if mark["line"] is not None], True), (marks, False)):
        for place in range(len(usable)):
            found = _split(plain, usable[place:], of_lines=of_lines)
            if found and _plausible(*found):
                return found
    return text, ()


def _split(text: str, marks: Sequence[re.Match[str]], *, of_lines: bool) -> tuple[str, tuple[str, ...]] | None:
    """The question and the options that begin at the first of these marks."""
    own = list[re.Match[str]]()
    for mark in marks:
        if (mark["end"], _marks_in_order(mark["mark"])) == (marks[0]["end"], _marks_in_order(marks[0]["mark"])):
            own += [mark] if _marks_in_order(mark["mark"])[len(own) :][:1] == [mark["mark"]] else []
    asked = text[: marks[0].start()].strip()
    asks = asked.rstrip("\"”')]*_ ").endswith(_ASKS)
    if len(own) < 2 or own[0] is not marks[0]:
        return None
    # Numbered lines may as well be several tasks, and letters parts of a sentence.
    surely = not own[0]["mark"].isdecimal() if of_lines else own[0]["mark"].isupper() and own[0]["end"] == ")"
    if not asks and not (surely and (of_lines or len(own) >= _SURELY)):
        return None
    ends = [*(mark.start() for mark in own[1:]), len(text)]
    parts = [text[mark.end() : end].strip() for mark, end in zip(own, ends, strict=True)]
    if of_lines:  # what follows the options after a blank line belongs to the question
        parts[-1], _, after = parts[-1].partition("\n\n")
        return "\n".join(filter(None, (asked, after.strip()))), tuple(" ".join(part.split()) for part in parts)
    if own[0]["end"] == "." and any(part.casefold().endswith((" or", " and")) for part in parts):
        return None  # "Who is it? A. Smith or B. Jones"
    return asked, tuple(part.removesuffix(" or").removesuffix(" and").rstrip(" ,;") for part in parts)


def _marks_in_order(mark: str) -> list[str]:
    """The marks in the style of one, in order."""
    if mark.isdecimal():
        return [str(number) for number in range(1, len(LETTERS) + 1)]
    return list(LETTERS if mark.isupper() else LETTERS.lower())


def _plausible(question: str, options: tuple[str, ...]) -> bool:
    several = 2 <= len(options) <= len(LETTERS) and len(set(options)) == len(options)
    return several and bool(question) and all(options) and not any(option.endswith(("?", "？")) for option in options)


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
    "fault",
    "readout",
]
Relation = Literal["after", "before", "while"]
SOURCES: tuple[Source, ...] = get_args(Source)
TARGETS: tuple[Target, ...] = get_args(Target)
# The modality of the moments of each source.
MODALITY_OF: Mapping[Source, Modality] = {
    "speech": "speech",
    "text": "scene_text",
    "sound": "audio",
    "picture": "visual",
    "shots": "metadata",
    "motion": "visual",
    "file": "metadata",
}
# The layers that read a source completely. Other sources have no such layer.
LAYERS_OF: Mapping[Source, tuple[str, ...]] = {
    "speech": ("subtitles", "speech"),
    "text": ("scene_text",),
    "sound": ("sounds",),
}
# Lines in the order of the video answer what happens in a part of it, even if a list or a description is wanted.
TOLD_IN_ORDER: tuple[Target, ...] = ("summary", "list", "order", "description")
ANSWERED = "\nA: "  # between a question of the thread and its answer
LIKELY = 0.2  # probability from which a source is searched in addition to the likeliest


class Reading(Record):
    """The output of the learned heads: a probability for every source and target, each summing to 1."""

    sources: Mapping[Source, float]
    targets: Mapping[Target, float]

    @property
    def source(self) -> Source:
        """The likeliest source."""
        return max(self.sources, key=lambda name: self.sources[name])

    @property
    def target(self) -> Target:
        """The likeliest kind of answer."""
        return max(self.targets, key=lambda name: self.targets[name])


class Anchor(Record):
    """Something that the question uses as a reference: the answer comes after it, before it or during it."""

    relation: Relation
    phrase: str


class Scope(Record):
    """The part of the video that a question names."""

    span: TimeSpan | None = None
    point: bool = Field(default=False, description="Whether it is a single moment.")
    named: bool = Field(default=False, description="Whether a time or a shot names it, not just a beginning or an end.")
    ordinal: int | None = Field(default=None, description="The position in a sequence: 0 is the first, -1 the last.")
    anchors: tuple[Anchor, ...] = ()
    region: tuple[float, float, float, float] | None = Field(
        default=None, description="Left, top, width and height as shares of the picture."
    )


class Fact(Record):
    """A fact about a recording that is known without a call, and what it can answer."""

    evidence: Moment
    source: Source
    targets: tuple[Target, ...]
    told: bool = Field(default=True, description="False if it says that the recording doesn't tell.")


class Query(Record):
    """The question as data. Every controller starts from it."""

    question: str = Field(
        description="The question with its mark: a follow-up with the one before it, quoted titles as times."
    )
    as_asked: str = Field(default="", description="The question as written; empty if it is the same.")
    reading: Reading
    scope: Scope = Scope()
    words: tuple[str, ...] = Field(default=(), description="Stems of the content words.")
    instead: tuple[str, ...] = Field(
        default=(), description="Of these, what a follow-up is about in place of what the earlier question was about."
    )
    quoted: tuple[str, ...] = Field(default=(), description="Text in quotation marks, and codes.")
    said: str = Field(default="", description="What a question that asks who says it is about.")
    speakers: tuple[str, ...] = Field(default=(), description="Names of those who speak in the open videos.")
    options: tuple[str, ...] = ()
    videos: Mapping[str, float] = Field(default_factory=dict, description="Seconds of each open video, by id.")
    names: Mapping[str, str] = Field(default_factory=dict, description="File name of each open video, by id.")
    coverage: Mapping[str, float] = Field(default_factory=dict, description="Share of the timeline by layer.")
    facts: tuple[Fact, ...] = Field(default=(), description="Facts about the recordings.")
    blank: tuple[Moment, ...] = Field(default=(), description="Spans in which the picture is blank.")
    pieces: tuple[Moment, ...] = Field(default=(), description="Spans whose frames each show a piece of a picture.")
    lacks: Mapping[Source, str] = Field(default_factory=dict, description="Sources that no video has, and why.")
    earlier: tuple[str, ...] = Field(default=(), description="Questions and answers of the thread, oldest first.")
    last: Citation | None = Field(default=None, description="The first place that the thread's last answer showed.")
    refers_back: bool = Field(default=False, description="Whether it refers back to what was asked before.")

    @property
    def own_words(self) -> str:
        """The question as written."""
        return self.as_asked or self.question

    @property
    def goes_on(self) -> bool:
        """Whether the question says more than was written: the one before it, or times for a title."""
        return self.question != as_question(self.own_words)

    @property
    def target(self) -> Target:
        """The likeliest kind of answer: what names neither things nor seconds asks for a summary."""
        names = self.words or self.options or self.scope.named or self.source not in ("speech", "text", "picture")
        return "summary" if not names and self.reading.target in TOLD_IN_ORDER else self.reading.target

    @property
    def source(self) -> Source:
        """The likeliest source."""
        return self.reading.source

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources to search, likeliest first: the best one and all that are likely enough."""
        shares = self.reading.sources
        ranked = sorted(shares, key=lambda name: -shares[name])
        return tuple(name for name in ranked if name == ranked[0] or shares[name] >= LIKELY)

    def examined(self, source: Source) -> bool:
        """Whether a layer has read the source, at least for a part of the timeline."""
        return any(self.coverage.get(layer) for layer in LAYERS_OF.get(source, ()))

    def chance(self, modality: Modality, *, measured: bool = False) -> float:
        """How likely a modality has the answer.

        Without a picture, what reads as a question about one most likely asks what is said.

        Args:
            modality: that of a moment.
            measured: for a visual moment, whether it is a measured movement or change that names no object.
        """
        shares = self.reading.sources
        if modality == "speech" and "picture" in self.lacks:
            return shares["speech"] + shares["picture"]
        if modality == "visual":
            return shares["motion"] + shares["shots"] if measured else shares["picture"]
        if modality == "metadata":  # changes of shot
            return shares["shots"]
        return sum(share for name, share in shares.items() if MODALITY_OF.get(name) == modality)

    def chance_of(self, fact: Fact) -> float:
        """How likely a fact answers the question."""
        chance = self.reading.sources[fact.source] * sum(self.reading.targets[target] for target in fact.targets)
        return chance if self.tells(fact) else chance / 2

    def asks_for(self, fact: Fact) -> bool:
        """Whether a fact is what the question most likely asks for."""
        return self.source == fact.source and self.target in fact.targets and self.tells(fact)

    def tells(self, fact: Fact) -> bool:
        """Whether a fact is about what is asked: that there is sound, or who speaks, says nothing of dogs or sirens."""
        told = fact.source not in ("sound", "speech") or coverage(self.words, fact.evidence.text) == 1
        return told or not self.words
