"""The ledger of claims: what speaks against each, and the calls that found its evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from longtake.agent.verification.contradictions import contradicting
from longtake.language.words import numbers, words
from longtake.memory.records import Citation, Claim, Evidence, FoundBy
from longtake.tools.core.result import ToolResult

_TIME = re.compile(r"(?<![\w.:])(\d+(?:\.\d+)?)\s*s\b")
# Numbers that turn units into each other, beside the sign that does it: 60 and 3600 for times, 100 for shares.
_CONVERTED = re.compile(r"[*/]\s*(?:60|3600|100)\b(?!\.\d)|(?<![\d.])(?:60|3600|100)\s*\*")
# Tools whose output no video holds, and the argument that must be held by it for the output to prove anything.
_MAKERS = {"execute_code": "code", "translate_text": "text", "translate_speech": "", "memory_tool": ""}
_WEB = "web_search"
# The trace's steps that find evidence without a call: the facts of a recording, and the lines nearest to the question.
ORIENT, GATHER = "orient", "gather"


@dataclass(frozen=True)
class Made:
    """A call that was made in a run, and its result."""

    by: FoundBy
    result: ToolResult

    @cached_property
    def found(self) -> frozenset[Citation]:
        """Citations of what it found."""
        return frozenset(Citation.of(item) for item in self.result.evidence)

    @property
    def computed(self) -> str:
        """What the calculator worked out, such as `2 + 3 = 5`; empty for any other call, and where it failed."""
        if self.by.tool != "calculator" or self.result.failure:
            return ""
        return f"{self.by.arguments.get('expression', '')} = {self.result.output['result']}"

    @property
    def made(self) -> str:
        """What a tool worked out, printed or translated: the video holds none of it."""
        worked = self.by.tool in _MAKERS and not self.result.failure
        return " | ".join(_texts(self.result.output)) if worked else ""

    @property
    def made_of(self) -> str:
        """The text that it was made of; empty where that is the video's own, or the person's."""
        return str(self.by.arguments.get(_MAKERS.get(self.by.tool, ""), ""))


def _texts(output: Any) -> Iterator[str]:
    """The texts in what a tool gives back, however deep."""
    if isinstance(output, str):
        yield output
    elif isinstance(output, Mapping | list):
        for each in output.values() if isinstance(output, Mapping) else output:
            yield from _texts(each)


def calls_made(messages: Sequence[BaseMessage]) -> list[Made]:
    """The calls of a run, in order, with their results."""
    asked: dict[str | None, FoundBy] = {}
    made: list[Made] = []
    for message in messages:
        if isinstance(message, AIMessage):
            asked |= {
                call["id"]: FoundBy(tool=call["name"], call=call["id"], arguments=call["args"])
                for call in message.tool_calls
            }
        elif isinstance(message, ToolMessage):
            made.append(Made(asked[message.tool_call_id], ToolResult.model_validate(message.artifact)))
    return made


def pages_quoted(text: str, calls: Sequence[Made]) -> list[tuple[str, str]]:
    """What a text quotes word for word of web pages that a run found, each with the page's address, or its title."""
    pages = (page for call in calls if call.by.tool == _WEB for page in call.result.output.get("results", ()))
    return [(page["snippet"], page.get("url", page["title"])) for page in pages if f"“{page['snippet']}”" in text]


def attach_sources(
    claim: Claim, evidence: Sequence[Evidence], calls: Sequence[Made], gathered: Collection[Citation] = ()
) -> Claim:
    """A checked claim with what another modality says otherwise, and the calls that found all it cites.

    Evidence that no call found was gathered before the first call, or is a fact of the recording itself. What is known
    otherwise is not softened but struck.
    """
    otherwise = tuple(Citation.of(item) for item in contradicting(claim, evidence))
    proof = tuple(citation for citation in claim.citations if citation not in otherwise)
    doubtful = () if otherwise else claim.doubtful
    cited = (*proof, *otherwise, *doubtful)
    found = [call.by for call in calls if call.found.intersection(cited) or _works_out(call.computed, claim)]
    uncalled = frozenset(cited).difference(*(call.found for call in calls))
    found[:0] = [FoundBy(tool=GATHER)] * bool(uncalled.intersection(gathered))
    found[:0] = [FoundBy(tool=ORIENT)] * bool(uncalled.difference(gathered))
    told = {"citations": proof, "against": otherwise, "doubtful": doubtful, "found_by": tuple(found)}
    return claim.model_copy(update=told)


def grounded(calls: Sequence[Made], evidence: Sequence[Evidence], question: str) -> list[str]:
    """What was worked out of numbers that trusted evidence, its times, the question or an earlier result holds.

    A calculation of anything else would prove what was put into it.
    """
    known = numbers(question).union(*(numbers(item.content) for item in evidence if item.trusted))
    times = [edge for item in evidence if item.trusted for edge in (item.span.start, item.span.end, item.span.length)]
    found: list[str] = []
    for call in calls:
        working = str(call.by.arguments.get("expression", ""))
        text = _CONVERTED.sub(" ", _TIME.sub(lambda match: " " if _is_near(match[1], times) else match[0], working))
        if call.computed and numbers(text) <= known:
            found.append(call.computed)
            known |= numbers(str(call.result.output["result"]))
    return found


def made(calls: Sequence[Made], evidence: Sequence[Evidence]) -> list[str]:
    """What tools made of texts that trusted evidence holds: a translation of anything else would prove nothing."""
    held = {word for item in evidence if item.trusted for word in words(item.content)}
    return [call.made for call in calls if call.made and held.issuperset(words(call.made_of))]


def _is_near(written: str, times: Sequence[float]) -> bool:
    """Whether a number of seconds is one of these times, as exactly as it is written."""
    exact = 10.0 ** -len(written.partition(".")[2])
    return any(abs(float(written) - time) <= exact for time in times)


def _works_out(computed: str, claim: Claim) -> bool:
    """Whether a claim states the result of a calculation that its citations do not hold."""
    result = numbers(computed.rpartition("=")[2])
    told = {number for citation in claim.citations for number in numbers(citation.quote)}
    return bool(result) and result <= numbers(claim.text) - told
