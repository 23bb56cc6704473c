"""Collects candidates for the answer: gathered moments, facts about the recording and findings of tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from longtake.agent.gathering.gathered import Found, Gathered, joined_text
from longtake.agent.gathering.text_lines import Lines
from longtake.agent.query.query import Fact, Query
from longtake.language.text import comparable, within
from longtake.language.words import coverage
from longtake.memory.records import Closest, Modality
from longtake.memory.search.search_types import Vectors
from longtake.tools.core.result import ToolResult

Embed = Callable[[Sequence[str]], Vectors]
WORDED: tuple[Modality, ...] = ("speech", "scene_text")
MEASURING = frozenset({"detect_activities", "inspect_motion", "find_moments", "orient"})
MAX_EMBEDDED = 80  # findings of tools that are compared with the question


class Candidate(Found):
    """A moment that may answer, and where it comes from.

    Attributes:
        tool: that found it; "orient" for what is known before any call, empty for what only search found.
        fact: about the recording, if it is one.
        score: of the reranker, how well the line answers the question, if it was read.
    """

    tool: str = ""
    fact: Fact | None = None
    score: float | None = None

    @property
    def measured(self) -> bool:
        """Whether it is a measured movement or change, without a model that recognises objects."""
        return self.tool in MEASURING or (not self.tool and self.evidence.engine.startswith("longtake/"))

    def chance(self, query: Query) -> float:
        """How likely its modality has the answer."""
        if self.fact is not None:
            return query.chance_of(self.fact)
        return query.chance(self.modality, measured=self.measured)

    @property
    def closest(self) -> Closest:
        """The form in which it is shown as a closest line."""
        shown = self.around or self.line
        spoken = self.modality == "speech"  # what is shown with a text may stay longer
        return Closest(
            text=joined_text(shown),
            start=round(self.span.start, 3),
            end=round(max(item.span.end for item in shown) if spoken else self.span.end, 3),
            modality=self.modality,
            video=self.evidence.video,
        )


def candidates_of(query: Query, gathered: Gathered, results: Sequence[ToolResult], embed: Embed) -> list[Candidate]:
    """Every candidate once: what search found, with the tool that found the same moment, and what only tools found.

    A follow-up such as "And the lamp?" is answered by lines about the lamp, if there are any.
    """
    # Facts about the whole recording don't apply to a part of it.
    told = [fact for fact in query.facts if query.tells(fact) or (fact.source == "sound" and _shares(query, fact))]
    facts = {fact.evidence.id: fact for fact in told if fact.source == "file" or gathered.window is None}
    found = [(item, result.tool) for result in results if not result.failure for item in result.evidence if item.video]
    known = [(item, "orient") for item in (*(fact.evidence for fact in facts.values()), *query.blank)]
    loose = [*found, *known][-MAX_EMBEDDED:]
    tool_of = {item.id: tool for item, tool in loose}
    searched = [
        Candidate(**dict(each), tool=tool_of.get(each.evidence.id, ""), fact=facts.get(each.evidence.id))
        for each in gathered.found
    ]
    keys = {each.evidence.id for each in searched}
    fresh = [(item, tool) for item, tool in loose if item.id not in keys]
    lines = Lines([item for item, _ in fresh])
    every = [
        *(
            Candidate(evidence=item, line=lines.line_of(item), tool=tool, fact=facts.get(item.id))
            for item, tool in fresh
        ),
        *searched,
    ]
    about = [each for each in every if coverage(query.instead, each.text) == 1]
    candidates = about or every
    # What search gave no similarity gets that of its own text.
    unlike = [each for each in candidates if not each.cosine]
    asked, *texts = embed([query.question, *(each.evidence.text for each in unlike)])
    cosines = {id(each): round(float(text @ asked), 4) for each, text in zip(unlike, texts, strict=True)}
    return [each.model_copy(update={"cosine": cosines.get(id(each), each.cosine)}) for each in candidates]


def _shares(query: Query, fact: Fact) -> bool:
    """Whether a fact has a word of the question: that there is sound is no answer to whether there is music."""
    return coverage(query.words, fact.evidence.text) > 0


def distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Drop candidates whose line is contained word for word in a better one of the same modality, at any time."""
    kept: list[Candidate] = []
    for candidate in candidates:
        plain = comparable(candidate.text)
        if not any(within(plain, comparable(other.text)) and other.modality == candidate.modality for other in kept):
            kept.append(candidate)
    return kept
