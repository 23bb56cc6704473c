"""The moments found for a question before the first round, and what a language model reads of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pydantic import Field

from longtake.agent.gathering.text_lines import CELLS
from longtake.agent.query.query import Query
from longtake.memory.records import Modality, Moment, Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.speaker_lines import named_once

if TYPE_CHECKING:
    from longtake.agent.graph.run_context import RunContext


class Found(Record):
    """A moment that was found, with its line: what is said around it, or text that is shown together."""

    evidence: Moment
    line: tuple[Moment, ...] = Field(description="The moment with its neighbours, in reading order.")
    around: tuple[Moment, ...] = Field(default=(), description="The line as a reader sees it, with more around it.")
    cosine: float = Field(default=0.0, description="Similarity to the question, in the moment's embedding space.")
    words: float = Field(default=0.0, description="BM25 of the question's words.")
    anchored: bool = Field(
        default=False,
        description="It is where the question's anchors say, or for a follow-up near what the last answer showed.",
    )

    @property
    def text(self) -> str:
        """The whole line."""
        return joined_text(self.line)

    @property
    def span(self) -> TimeSpan:
        """Seconds of the whole line if spoken; of the moment itself if shown."""
        if self.evidence.modality != "speech":
            return self.evidence.span
        return TimeSpan(start=self.line[0].span.start, end=max(item.span.end for item in self.line))

    @property
    def modality(self) -> Modality:
        """Of the moment."""
        return self.evidence.modality


class Briefing(Record):
    """What a language model reads before its first round."""

    moments: tuple[Moment, ...] = Field(default=(), description="The likeliest moments, best first.")
    transcript: tuple[Moment, ...] = Field(default=(), description="All passages, if the model has room for them.")
    likely: tuple[str, ...] = Field(default=(), description="The likeliest of them, by their own ids.")
    contents: tuple[str, ...] = Field(default=(), description="What the videos hold, line by line.")
    tools: tuple[str, ...] = Field(default=(), description="Names of the tools that work here.")
    missing: Mapping[str, str] = Field(default_factory=dict, description="What the other tools would need, by name.")


class Gathered(Record):
    """The evidence gathered before the first round."""

    found: tuple[Found, ...] = ()
    window: TimeSpan | None = Field(default=None, description="The scope that was searched; none means everywhere.")
    spot: Moment | None = Field(default=None, description="What the question's anchor names, if found.")
    widened: bool = Field(
        default=False, description="The scope itself was empty, so the seconds around it were searched."
    )
    briefing: Briefing | None = Field(default=None, description="For a language model.")

    @property
    def evidence(self) -> list[Moment]:
        """Every moment that was found and their lines, each once."""
        pieces = (item for found in self.found for item in (found.evidence, *found.line, *found.around))
        return list({item.id: item for item in pieces}.values())


Gatherer = Callable[[Query, "RunContext"], Gathered]


def joined_text(items: tuple[Moment, ...]) -> str:
    """Lines of speech as one text, word for word, each speaker named once; texts on screen separated."""
    if items[0].modality != "speech":
        return CELLS.join(" ".join(item.text.split()) for item in items)
    return " ".join(named_once(item.text for item in items))
