"""Collects candidates for the answer: gathered documents, facts about the recording and findings of tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from longtake.agent.gathering.gathered import Found, Gathered, joined_text
from longtake.agent.gathering.text_lines import Lines
from longtake.agent.query.query import Fact, Query
from longtake.language.text import comparable
from longtake.memory.records import Closest, Evidence, Modality
from longtake.memory.search.search_index import Vectors
from longtake.memory.timespan import TimeSpan
from longtake.tools.core.result import ToolResult

Embed = Callable[[Sequence[str]], Vectors]
MEASURING = frozenset({"detect_activities", "inspect_motion", "find_moments"})
MAX_EMBEDDED = 80  # findings of tools that are compared with the question


@dataclass(frozen=True, slots=True)
class Candidate:
    """One piece of evidence with its line and its similarity to the question.

    Attributes:
        score: of the reranker, how well the line answers the question, if it was read.
    """

    evidence: Evidence
    line: tuple[Evidence, ...]
    cosine: float = 0.0
    words: float = 0.0
    anchored: bool = False
    tool: str = ""
    fact: Fact | None = None
    spoken: TimeSpan | None = None
    score: float | None = None

    @property
    def text(self) -> str:
        """The whole line."""
        return joined_text(self.line)

    @property
    def span(self) -> TimeSpan:
        """Seconds of the line."""
        return Found(evidence=self.evidence, line=self.line).span

    @property
    def modality(self) -> Modality:
        """Of the evidence."""
        return self.evidence.modality

    @property
    def measured(self) -> bool:
        """Whether it is a measured movement or change, without a model that recognises objects."""
        return self.tool in MEASURING or (not self.tool and self.evidence.engine.startswith("longtake/"))

    def chance(self, query: Query) -> float:
        """How likely its modality has the answer."""
        if self.fact is not None:
            return query.chance_of(self.fact)
        return query.chance(self.modality, measured=self.measured or self.tool == "orient")

    @property
    def closest(self) -> Closest:
        """The form in which it is shown as a closest line."""
        span = self.spoken or self.span
        return Closest(
            text=self.text,
            start=round(span.start, 3),
            end=round(span.end, 3),
            modality=self.modality,
            video=self.evidence.video,
        )


def candidates_of(query: Query, gathered: Gathered, results: Sequence[ToolResult], embed: Embed) -> list[Candidate]:
    """Every candidate once. A tool's new reading replaces the same document from search."""
    # Facts about the whole recording don't apply to a part of it.
    part = gathered.window is not None
    told = [fact for fact in query.facts if fact.source != "speech" or query.tells(fact)]
    facts = {fact.evidence.id: fact for fact in told if fact.source == "file" or not part}
    known_before = [*(fact.evidence for fact in facts.values()), *query.blank]
    loose = [*_of_tools(results), *((item, "orient") for item in known_before)][-MAX_EMBEDDED:]
    known = {item.key: tool for item, tool in loose}
    gathered_ones = [
        Candidate(
            found.evidence,
            (found.evidence,) if found.evidence.id in facts else found.line,
            found.cosine,
            found.words,
            found.anchored,
            known.get(found.evidence.key, ""),
            facts.get(found.evidence.id),
            spoken=found.spoken,
        )
        for found in gathered.found
    ]
    gathered_keys = {each.evidence.key for each in gathered_ones}
    fresh = [(item, tool) for item, tool in loose if item.key not in gathered_keys]
    lines = _lines([item for item, _ in fresh])
    of_tools = [
        Candidate(item, line, tool=tool, fact=facts.get(item.id))
        for (item, tool), line in zip(fresh, lines, strict=True)
    ]
    return _compared(query.question, [*of_tools, *gathered_ones], embed)


def _compared(question: str, candidates: Sequence[Candidate], embed: Embed) -> list[Candidate]:
    """The candidates, of which those that search gave no similarity get that of their own text."""
    unlike = [each for each in candidates if not each.cosine]
    asked, *texts = embed([question, *(each.evidence.content for each in unlike)])
    cosines = {id(each): round(float(text @ asked), 4) for each, text in zip(unlike, texts, strict=True)}
    return [replace(each, cosine=cosines.get(id(each), each.cosine)) for each in candidates]


def distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Drop candidates whose line is contained word for word in a better one of the same modality, at any time."""
    kept: list[Candidate] = []
    for candidate in candidates:
        plain = comparable(candidate.text)
        if not any(plain in comparable(other.text) and other.modality == candidate.modality for other in kept):
            kept.append(candidate)
    return kept


def _of_tools(results: Sequence[ToolResult]) -> list[tuple[Evidence, str]]:
    return [(item, result.tool) for result in results if not result.failure for item in result.evidence if item.video]


def _lines(items: Sequence[Evidence]) -> list[tuple[Evidence, ...]]:
    """Join texts that a tool read at one moment into lines."""
    lines = Lines(items)
    return [lines.line_of(item) for item in items]
