"""Compares two runs of the same question: calls added, removed and changed, and whether the answer changed.

The calls are aligned as sequences (Needleman and Wunsch, 1970): only calls of the same tool are paired, preferably
those with more equal arguments; unpaired calls were added ("came") or removed ("went").
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, Literal

from pydantic import Field

from longtake.agent.traces.lenient_run import LenientRun, RunSummary
from longtake.agent.traces.steps import TraceStep, every, steps_of
from longtake.agent.traces.tree import named, one_line, place, receipt
from longtake.errors import LibraryError
from longtake.language.text import comparable
from longtake.memory.records import Citation, Record

Change = Literal["same", "changed", "came", "went"]
_SIGNS: dict[Change, str] = {"same": "=", "changed": "~", "came": "+", "went": "-"}


class PairedCalls(Record):
    """A call in both runs, or in one of them."""

    change: Change
    before: TraceStep | None
    after: TraceStep | None


class Diff(Record):
    """How a run differs from an earlier one."""

    before: RunSummary
    after: RunSummary
    videos_changed: bool
    settings: dict[str, tuple[str, str]] = Field(description="Settings that differ, before and after, as JSON.")
    calls: tuple[PairedCalls, ...]
    answer_changed: bool
    answers: tuple[str, str]
    cited_before: tuple[Citation, ...] = Field(description="Cited before, and not after.")
    cited_after: tuple[Citation, ...] = Field(description="Cited after, and not before.")
    problems: tuple[str, ...]


def diff_of(before: LenientRun, after: LenientRun) -> Diff:
    """Compare a run with an earlier one.

    Raises:
        LibraryError: when the two were asked different questions.
    """
    asked = [comparable(run.asked.question) for run in (before, after)]
    if asked[0] != asked[1] or before.asked.options != after.asked.options:
        raise LibraryError(
            f"{before.id} was asked “{one_line(before.asked.question)}” and {after.id} "
            f"“{one_line(after.asked.question)}”: only runs of one question, with the same options, can be compared."
        )
    first, last = ([step for step in every(steps_of(run)) if step.type == "tool"] for run in (before, after))
    answers = [_answer_text(run) for run in (before, after)]
    cited = [run.answer.citations if run.answer else () for run in (before, after)]
    return Diff(
        before=before.summary,
        after=after.summary,
        videos_changed=before.asked.videos != after.asked.videos,
        settings=_settings(before, after),
        calls=tuple(_aligned(first, last)),
        answer_changed=answers[0] != answers[1] or before.status != after.status,
        answers=(answers[0], answers[1]),
        cited_before=tuple(each for each in cited[0] if each not in cited[1]),
        cited_after=tuple(each for each in cited[1] if each not in cited[0]),
        problems=(*before.problems, *after.problems),
    )


def _aligned(first: Sequence[TraceStep], last: Sequence[TraceStep]) -> list[PairedCalls]:
    """The calls of both runs, paired for the highest total similarity."""
    best = [[0.0] * (len(last) + 1) for _ in range(len(first) + 1)]
    for i in reversed(range(len(first))):
        for j in reversed(range(len(last))):
            paired = best[i + 1][j + 1] + _likeness(first[i], last[j])
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: list[PairedCalls] = []
    i = j = 0
    while i < len(first) or j < len(last):
        one, other = first[i : i + 1], last[j : j + 1]
        if one and other and best[i][j] == best[i + 1][j + 1] + _likeness(one[0], other[0]):
            pairs.append(PairedCalls(change=_change(one[0], other[0]), before=one[0], after=other[0]))
            i, j = i + 1, j + 1
        elif one and (not other or best[i][j] == best[i + 1][j]):
            pairs.append(PairedCalls(change="went", before=one[0], after=None))
            i += 1
        else:
            pairs.append(PairedCalls(change="came", before=None, after=other[0]))
            j += 1
    return pairs


def _likeness(one: TraceStep, other: TraceStep) -> float:
    """The score of pairing two calls: an equal pair is worth more than two similar pairs."""
    if one.tool != other.tool:
        return -inf
    if one.arguments == other.arguments:
        return 4.0
    names = one.arguments.keys() & other.arguments.keys()
    equal: int = sum(one.arguments[name] == other.arguments[name] for name in names)
    return 1.0 + equal / (1 + max(len(one.arguments), len(other.arguments)))


def _change(one: TraceStep, other: TraceStep) -> Change:
    results = [(step.arguments, step.output, step.evidence, step.failure) for step in (one, other)]
    return "same" if results[0] == results[1] else "changed"


def _answer_text(run: LenientRun) -> str:
    """A run's answer, or why it has none."""
    if run.answer is None:
        return next((str(event.data.get("error")) for event in run.of("error")), "")
    option = f"{run.answer.option.letter}. " if run.answer.option else ""
    return option + " ".join(run.answer.answer.split())


def _settings(before: LenientRun, after: LenientRun) -> dict[str, tuple[str, str]]:
    blobs = [next((run.blob(event.output) for event in run.of("run")), None) for run in (before, after)]
    one, other = (dict(_flat(blob)) for blob in blobs)
    return {
        name: (one.get(name, ""), other.get(name, ""))
        for name in sorted({*one} | {*other})
        if one.get(name) != other.get(name)
    }


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The leaves of nested settings, by their dotted names."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif name:
        yield name, json.dumps(value, ensure_ascii=False)


def lines_of(diff: Diff) -> Iterator[str]:
    """A comparison as lines for a person."""
    yield f"- {diff.before.run}  {receipt(diff.before)}"
    yield f"+ {diff.after.run}  {receipt(diff.after)}"
    yield one_line(diff.after.question)
    if diff.videos_changed:
        yield "The two runs are about different videos."
    for name, (one, other) in diff.settings.items():
        yield f"~ {name}: {one or 'missing'} -> {other or 'missing'}"
    for pair in diff.calls:
        yield _line(pair)
    first, second = diff.answers
    yield f"The answer {'changed' if diff.answer_changed else 'is the same'}:"
    yield from (f"- {one_line(first)}", f"+ {one_line(second)}") if diff.answer_changed else (f"= {one_line(second)}",)
    for sign, citations in (("-", diff.cited_before), ("+", diff.cited_after)):
        yield from (f"{sign} cited: {place(citation)}  {one_line(citation.quote)}" for citation in citations)
    yield from diff.problems


def _line(pair: PairedCalls) -> str:
    one, other = pair.before, pair.after
    shown = other or one
    if shown is None:
        return ""
    line = f"{_SIGNS[pair.change]} {shown.tool}({one_line(named(shown.arguments))})"
    if one is None or other is None or pair.change == "same":
        return f"{line}, {len(shown.evidence)} found"
    if one.arguments != other.arguments:
        line += f", before: ({one_line(named(one.arguments))})"
    return f"{line}, {_outcome(one)} -> {_outcome(other)}"


def _outcome(step: TraceStep) -> str:
    return f"failed ({one_line(step.failure)})" if step.failure else f"{len(step.evidence)} found"
