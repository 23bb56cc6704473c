"""What `gather` hands on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pydantic import Field

from longtake.agent.language.picture_rows import CELLS
from longtake.agent.query.query import Query
from longtake.memory.records import Evidence, Modality, Record
from longtake.memory.timespan import TimeSpan

if TYPE_CHECKING:
    from longtake.agent.graph.run_context import RunContext


class Found(Record):
    """A document that was found, in the line it stands in: a few cues of speech, or what a picture shows together."""

    evidence: Evidence
    line: tuple[Evidence, ...] = Field(description="The document with its neighbours, in reading order.")
    cosine: float = Field(default=0.0, description="With the question, in the space the document was embedded in.")
    words: float = Field(default=0.0, description="BM25 of the question's words.")
    spoken: TimeSpan | None = Field(default=None, description="When what the question quotes is said, to the word.")
    anchored: bool = Field(default=False, description="It lies to the anchors as the question says.")

    @property
    def text(self) -> str:
        """The whole line."""
        return joined_text(self.line)

    @property
    def span(self) -> TimeSpan:
        """Seconds of the whole line where it is spoken; where it is shown, of the document itself."""
        if self.evidence.modality != "speech":
            return self.evidence.span
        return TimeSpan(start=self.line[0].span.start, end=max(item.span.end for item in self.line))

    @property
    def modality(self) -> Modality:
        """Of the document."""
        return self.evidence.modality


class Gathered(Record):
    """The evidence before the first round."""

    found: tuple[Found, ...] = ()
    window: TimeSpan | None = Field(default=None, description="The scope in which it was looked for; none: everywhere.")
    spot: Evidence | None = Field(default=None, description="What else the question names, where it was found.")
    widened: bool = Field(default=False, description="Nothing lay in the scope itself, so the seconds around it count.")

    @property
    def evidence(self) -> list[Evidence]:
        """Every document that was found and the lines they stand in, each once."""
        pieces = (item for found in self.found for item in (found.evidence, *found.line))
        return list({item.key: item for item in pieces}.values())


Gatherer = Callable[[Query, "RunContext"], Gathered]


def joined_text(items: tuple[Evidence, ...]) -> str:
    """Lines of speech as one text, word for word; texts of a picture apart, each once."""
    texts = [" ".join(item.content.split()) for item in items]
    return " ".join(texts) if items[0].modality == "speech" else CELLS.join(dict.fromkeys(texts))
