"""Builds replies from the results of tools: counts, translations, calculations, summaries, notes and faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from longtake.agent.drafts.draft import Draft, DraftClaim
from longtake.agent.query.query import TOLD_IN_ORDER, Query, Target
from longtake.language.amounts import amounts
from longtake.language.text import comparable, same, within
from longtake.memory.records import Moment
from longtake.preprocess.engines.objects.objects_query import counting_of
from longtake.tools.core.result import ToolResult
from longtake.tools.vision.inspect_motion import FAULTS
from longtake.tools.vision.object_search import NOBODY

_COUNTED = 0.8  # chance that a count is right if its detector reports no doubt
_WORKED_OUT = 0.9  # the same for calculations, translations and notes
_DOUBTED = 0.3  # the same if the question may want something else
_SUMMED_UP = 0.6  # chance of a summary from which there is one
_ABOUT = 0.77  # the same if the question has a subject: what is in a thing reads much like what is in a video
MAX_FAULTS = 6


def made_reply(query: Query, results: Sequence[ToolResult], lines: Sequence[str] = ()) -> Draft | None:
    """The reply from the tools that were called for the target; None without one.

    A translation that is one of the lines found is none: that line is in the language asked for already.
    """
    changed = [
        result
        for result in results
        if not result.failure and not any(same(str(result.output.get("translated_text", "")), line) for line in lines)
    ]
    if query.target == "calculation":
        return _calculation(query, changed, lines)
    make = _BY_TARGET.get(query.target)
    return make(query, changed) if make else None


def _answered(claims: Sequence[tuple[str, Sequence[Moment]]], confidence: float) -> Draft | None:
    drafts = tuple(DraftClaim(text=text, moments=tuple(item.id for item in found)) for text, found in claims)
    return Draft(claims=drafts, confidence=round(confidence, 4)) if drafts else None


def _quoted(items: Sequence[Moment], confidence: float) -> Draft | None:
    return _answered([(f"“{item.text}”", [item]) for item in items], confidence)


def _of(results: Sequence[ToolResult], tool: str) -> list[ToolResult]:
    return [result for result in results if result.tool == tool]


def _target_chance(query: Query) -> float:
    """The chance that the question asks for the target at all."""
    return query.reading.targets[query.target]


def _summary(query: Query, results: Sequence[ToolResult]) -> Draft | None:
    """The best lines of each part, each once, in the order of the video."""
    told = query.scope.span or not query.words
    asked = sum(query.reading.targets[target] for target in (TOLD_IN_ORDER if told else ("summary",)))
    follows = query.refers_back and query.goes_on  # what a follow-up asks for is read from too few words
    sure = not follows and asked >= (_SUMMED_UP if told else _ABOUT)
    lines = summary_lines(_of(results, "summarize_segment")) if sure else {}
    return _answered([(f"“{text}”", [item]) for text, item in lines.items()], _WORKED_OUT * asked)


def summary_lines(results: Sequence[ToolResult]) -> dict[str, Moment]:
    """The lines that summaries of parts chose, each once, in the order of the parts."""
    lines: dict[str, Moment] = {}
    for result in results:
        for item in sorted(result.evidence, key=lambda item: item.span.start):
            text = " ".join(item.text.split())
            plain, others = comparable(text), [comparable(line) for line in lines]
            if not any(within(plain, other) or within(other, plain) for other in others):
                lines[text] = item
    return lines


def _count(query: Query, results: Sequence[ToolResult]) -> Draft | None:
    """A count, with its evidence."""
    for result in _of(results, "count_objects"):
        output = result.output
        if (count := output["count"]) and result.evidence:
            asked = min(query.reading.sources["picture"], query.reading.targets["count"])
            unsaid = not (query.scope.point or counting_of(query.question))
            if output.get("doubtful") or (
                unsaid and any(output.get(name, count) != count for name in ("in_all", "at_once"))
            ):
                asked *= _DOUBTED  # the question may mean the number at once or in total
            text = f"{'at least ' if output.get('at_least') else ''}{count}: “{result.evidence[-1].text}”"
            return _answered([(text, result.evidence)], output.get("confidence", _COUNTED) * asked)
    return None


def _absence(query: Query, results: Sequence[ToolResult]) -> Draft | None:
    """Every time when nobody is there, if that was looked for."""
    found = [each for each in _of(results, "object_detection") if set(each.output["object"]) == {NOBODY}]
    return _quoted([item for each in found for item in each.evidence], _COUNTED * query.reading.sources["picture"])


def _translation(query: Query, results: Sequence[ToolResult]) -> Draft | None:
    """The translation of speech, or of the best on-screen line."""
    spoken = [item for result in _of(results, "translate_speech") for item in result.evidence]
    written = [each.output["translated_text"] for each in _of(results, "translate_text")][:1]
    chance = _WORKED_OUT * _target_chance(query)
    return _quoted(spoken, chance) or _answered([(f"“{text}”", []) for text in written], chance)


def _calculation(query: Query, results: Sequence[ToolResult], lines: Sequence[str]) -> Draft | None:
    """The result of the expression in the question, else of the formula in the line closest to the question.

    It is doubted if that isn't the closest line of all, or if the question gives an amount that the line lacks.
    """
    if totals := [f"The result is {each.output['result']}" for each in _of(results, "calculator")]:
        return _answered([(total, []) for total in totals], _WORKED_OUT)
    read = [
        (formula, item)
        for result in _of(results, "extract_math_exp")
        for formula in result.output["expressions"]
        for item in result.evidence
        if "value" in formula and formula["seen"] in item.text
    ]
    for place, line in enumerate(lines):
        for formula, item in read:
            if item.text in line or formula["seen"] in line:
                other = {one.number for one in amounts(query.question)} - {one.number for one in amounts(line)}
                chance = _DOUBTED if place or other else _target_chance(query)
                return _answered([(f"“{item.text}”: the result is {formula['value']}", [item])], chance)
    return None


def _note(query: Query, results: Sequence[ToolResult]) -> Draft | None:
    """The best note, or the number of a new one."""
    for result in _of(results, "memory_tool"):
        output = result.output["output"]
        if isinstance(output, list) and output:
            return _answered([(f"“{output[0]['text']}”", [])], _WORKED_OUT)
        if isinstance(output, dict) and result.output["success"]:
            return Draft(text=f"Noted as number {output['id']}.", confidence=1.0)
    return None


def _faults(query: Query, results: Sequence[ToolResult]) -> Draft | None:
    """The faults of the footage; if there are none, what was examined and what can't be told."""
    inspected = _of(results, "inspect_motion")
    if not inspected:
        return None
    seen = [item for result in inspected for item in result.evidence if item.engine == FAULTS]
    if found := list({item.text: item for item in (*seen, *query.blank, *query.pieces)}.values()):
        return _quoted(found[:MAX_FAULTS], (1 + max(item.score for item in found)) / 2 * _target_chance(query))
    examined = ", ".join(dict.fromkeys(str(span) for result in inspected for span in result.looked_at))
    untold = dict.fromkeys(each for result in inspected for each in result.output["cannot_tell"])
    text = f"No fault found in {examined}." + (f" Not certain: {'; '.join(untold)}." if untold else "")
    return Draft(text=text, confidence=round(_WORKED_OUT * _target_chance(query), 4))


_BY_TARGET: Mapping[Target, Callable[[Query, Sequence[ToolResult]], Draft | None]] = {
    "summary": _summary,
    "count": _count,
    "time": _absence,
    "translation": _translation,
    "keep": _note,
    "recall": _note,
    "fault": _faults,
}
