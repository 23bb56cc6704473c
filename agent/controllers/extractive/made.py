"""Builds replies from the results of tools: sums, translations, counts, summaries and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.legible import legible
from longtake.agent.controllers.extractive.planning import formulas_of
from longtake.agent.controllers.extractive.programs import listings
from longtake.agent.controllers.extractive.reply import DraftClaim, Reply
from longtake.agent.controllers.extractive.values import extreme, values_for
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.query.query import TOLD_IN_ORDER, Query, Target
from longtake.language.amounts import amounts
from longtake.language.text import comparable, same
from longtake.language.words import content_stems
from longtake.memory.records import Evidence
from longtake.preprocess.engines.objects.objects_query import counting_of
from longtake.tools.core.result import ToolResult
from longtake.tools.vision.inspect_motion import FAULTS
from longtake.tools.vision.object_search import NOBODY

_COUNTED = 0.8  # chance that a count is right if its detector reports no doubt
_WORKED_OUT = 0.9  # the same for calculations, translations and notes
_DOUBTED = 0.3  # the same if the question may want something else
_READ_OUT = 0.6  # chance of on-screen text from which it is read out
_SUMMED_UP = 0.6  # chance of a summary from which there is one
MAX_FAULTS = 6
_MAX_OUTPUT_LENGTH = 300  # characters of a program's output


@dataclass(frozen=True, slots=True)
class Finds:
    """The input for replies: the successful results, and the candidates, best first."""

    query: Query
    gathered: Gathered
    results: Sequence[ToolResult]
    ranked: Sequence[Candidate]

    def of(self, *names: str) -> list[ToolResult]:
        """The results of some tools."""
        return [result for result in self.results if result.tool in names]


Make = Callable[[Finds], Reply | None]


def made_reply(
    query: Query, gathered: Gathered, results: Sequence[ToolResult], ranked: Sequence[Candidate]
) -> Reply | None:
    """The reply from the tools that were called for the target; None without one."""
    make = _BY_TARGET.get(query.target)
    finds = Finds(query, gathered, [result for result in results if not result.failure], ranked)
    return make(finds) if make else None


def _answered(claims: Sequence[tuple[str, Sequence[Evidence]]], confidence: float) -> Reply | None:
    drafts = tuple(DraftClaim(text=text, evidence=tuple(item.id for item in found)) for text, found in claims)
    return Reply(outcome="answered", claims=drafts, confidence=round(confidence, 4)) if drafts else None


def _asked(finds: Finds) -> float:
    """The chance that the question asks for the target at all."""
    return finds.query.reading.targets[finds.query.target]


def _summary(finds: Finds) -> Reply | None:
    """The best lines of each part, each once, in the order of the video."""
    lines = summary_lines(finds.of("summarize_segment"))
    told = finds.query.scope.span or not finds.query.words
    asked = sum(finds.query.reading.targets[target] for target in (TOLD_IN_ORDER if told else ("summary",)))
    if asked < _SUMMED_UP:
        return None
    return _answered([(f"“{text}”", [item]) for text, item in lines.items()], _WORKED_OUT * asked)


def summary_lines(results: Sequence[ToolResult]) -> dict[str, Evidence]:
    """The lines that summaries of parts chose, each once, in the order of the parts."""
    lines: dict[str, Evidence] = {}
    for result in results:
        for item in sorted(result.evidence, key=lambda item: item.span.start):
            text = " ".join(item.content.split())
            plain, others = comparable(text), [comparable(line) for line in lines]
            if not any(plain in other or other in plain for other in others):
                lines[text] = item
    return lines


def _count(finds: Finds) -> Reply | None:
    """A count, with its evidence."""
    reading = finds.query.reading
    for result in finds.of("count_objects"):
        count = result.output["count"]
        if count and result.evidence:
            least = "at least " if result.output.get("at_least") else ""
            text = f"{least}{count}: “{result.evidence[-1].content}”"
            asked = min(reading.sources["picture"], reading.targets["count"])
            others = {result.output.get(name, count) for name in ("in_all", "at_once")}
            unsaid = not (finds.query.scope.point or counting_of(finds.query.question))
            if result.output.get("doubtful") or (unsaid and others != {count}):
                asked *= _DOUBTED  # the question may mean the number at once or in total
            return _answered([(text, result.evidence)], result.output.get("confidence", _COUNTED) * asked)
    return None


def _absence(finds: Finds) -> Reply | None:
    """Every time when nobody is there, if that was looked for."""
    for result in finds.of("object_detection"):
        if set(result.output["object"]) == {NOBODY}:
            seen = finds.query.reading.sources["picture"]
            return _answered([(f"“{item.content}”", [item]) for item in result.evidence], _COUNTED * seen)
    return None


def _translation(finds: Finds) -> Reply | None:
    """The translation of speech, or of the best on-screen line that was in another language."""
    spoken = [(f"“{item.content}”", [item]) for result in finds.of("translate_speech") for item in result.evidence]
    if spoken:
        return _answered(spoken, _WORKED_OUT * _asked(finds))
    for result in finds.of("translate_text"):
        text = result.output["translated_text"]
        if not any(same(text, each.text) for each in finds.ranked):
            return _answered([(f"“{text}”", [])], _WORKED_OUT * _asked(finds))
    return None


def _calculation(finds: Finds) -> Reply | None:
    """The result, with the formula from the screen if it was read there.

    It is the answer if the question contains the formula, or the formula's line is the best candidate.
    """
    formulas = formulas_of(finds.results, finds.ranked)
    read = [item for result in finds.of("extract_math_exp") for item in result.evidence]
    seen = [item for item in read if formulas and formulas[0]["seen"] in item.content][:1]
    for result in finds.of("calculator"):
        total = f"the result is {result.output['result']}"
        if not formulas:
            return _answered([(total.capitalize(), [])], _WORKED_OUT)
        if any(item.content in each.text for item in seen for each in finds.ranked[:1]) and not _unused(finds, seen):
            return _answered([(f"“{seen[0].content}”: {total}", seen)], _asked(finds))
    return None


def _worked_out(finds: Finds) -> Reply | None:
    """The sum or difference of the values found, each with its line."""
    values = values_for(finds.query, finds.ranked)
    for result in finds.of("calculator"):
        proof = [item for value in values for item in value.line.line]
        lines = " and ".join(f"“{value.line.text}”" for value in values)
        chance = _DOUBTED if _unused(finds, proof) or _named_elsewhere(finds, lines) else _asked(finds)
        return _answered([(f"{lines}: the result is {result.output['result']}", proof)], chance)
    return None


def _extreme(finds: Finds) -> Reply | None:
    """The line with the highest or lowest of the values found."""
    value = extreme(finds.query, finds.ranked)
    if value is None:
        return None
    return _answered([(f"“{value.line.text}”", list(value.line.line))], _asked(finds))


def _unused(finds: Finds, proof: Sequence[Evidence]) -> bool:
    """Whether the question gives an amount that is in no line, and so asks for another calculation."""
    held = {amount.number for item in proof for amount in amounts(item.content)}
    return bool({amount.number for amount in amounts(finds.query.question)} - held)


def _named_elsewhere(finds: Finds, lines: str) -> bool:
    """Whether a word of the question that these lines lack stands with another amount, which may be the one meant."""
    left = set(finds.query.words).difference(content_stems(lines))
    return any(left.intersection(content_stems(line.text)) and amounts(line.text) for line in finds.ranked)


def _printed(finds: Finds) -> Reply | None:
    """The output of a program on screen."""
    texts = [item for result in finds.of("extract_scene_text") for item in result.evidence]
    shown = listings(texts)
    for result in finds.of("execute_code"):
        printed = result.output["stdout"].strip()
        if shown and not result.output["stderr"] and 0 < len(printed) <= _MAX_OUTPUT_LENGTH:
            lines = ", ".join(f"“{line.strip()}”" for line in printed.splitlines())
            sure = _DOUBTED if _unused(finds, shown[0].lines) else _WORKED_OUT
            return _answered([(f"It prints {lines}", shown[0].lines)], sure)
    return None


def _note(finds: Finds) -> Reply | None:
    for result in finds.of("memory_tool"):
        output = result.output["output"]
        if isinstance(output, list) and output:
            return _answered([(f"“{output[0]['text']}”", [])], _WORKED_OUT)
        if isinstance(output, dict) and result.output["success"]:
            return Reply(outcome="answered", reason=f"Noted as number {output['id']}.", confidence=1.0)
    return None


def _written(finds: Finds) -> Reply | None:
    """What is written, all of it, if the video has few texts or one that stands out."""
    texts, chance = legible(finds.query, finds.gathered, finds.ranked)
    return _answered([(f"“{item.content}”", [item]) for item in texts], chance) if chance >= _READ_OUT else None


def _faults(finds: Finds) -> Reply | None:
    """The faults of the footage; if there are none, what was examined and what can't be told."""
    inspected = finds.of("inspect_motion")
    if not inspected:
        return None
    found = {item.content: item for result in inspected for item in result.evidence if item.engine == FAULTS}
    found |= {item.content: item for item in (*finds.query.blank, *finds.query.pieces)}
    if found:
        texts = [(f"“{text}”", [item]) for text, item in found.items()][:MAX_FAULTS]
        surest = max(item.score for item in found.values())
        return _answered(texts, (1 + surest) / 2 * _asked(finds))
    seen = ", ".join(dict.fromkeys(str(span) for result in inspected for span in result.looked_at))
    untold = dict.fromkeys(each for result in inspected for each in result.output["cannot_tell"])
    reason = f"No fault found in {seen}." + (f" Not certain: {'; '.join(untold)}." if untold else "")
    return Reply(outcome="answered", reason=reason, confidence=round(_WORKED_OUT * _asked(finds), 4))


_BY_TARGET: Mapping[Target, Make] = {
    "readout": _written,
    "summary": _summary,
    "count": _count,
    "time": _absence,
    "translation": _translation,
    "sum": _worked_out,
    "difference": _worked_out,
    "highest": _extreme,
    "lowest": _extreme,
    "calculation": _calculation,
    "code": _printed,
    "keep": _note,
    "recall": _note,
    "fault": _faults,
}
