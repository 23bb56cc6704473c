"""Records where claims come from: the calls that found their evidence, and what contradicts them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from longtake.agent.verification.contradictions import contradicting
from longtake.language.words import numbers, words
from longtake.lazy import cached_property
from longtake.memory.records import Citation, Claim, Evidence, FoundBy
from longtake.tools.core.result import ToolResult

_TIME = re.compile(r"(?<![\w.:])(\d+(?:\.\d+)?)\s*s\b")
# Numbers that convert units, next to an operator: 60 and 3600 for times, 100 for shares.
_CONVERTED = re.compile(r"[*/]\s*(?:60|3600|100)\b(?!\.\d)|(?<![\d.])(?:60|3600|100)\s*\*")
# Tools whose output isn't in the video, and the argument that must be in it for the output to prove anything.
_MAKERS = {"execute_code": "code", "translate_text": "text", "translate_speech": "", "memory_tool": ""}
_WEB = "web_search"
# Steps of the trace that find evidence without a call: the facts about a recording, and the gathered lines.
ORIENT, GATHER = "orient", "gather"


@dataclass(frozen=True)
class Made:
    """A call of a run, and its result."""

    by: FoundBy
    result: ToolResult

    @cached_property
    def found(self) -> frozenset[Citation]:
        """Citations of its evidence."""
        return frozenset(Citation.of(item) for item in self.result.evidence)

    @property
    def computed(self) -> str:
        """What the calculator computed, such as `2 + 3 = 5`; empty for other calls and after a failure."""
        if self.by.tool != "calculator" or self.result.failure:
            return ""
        return f"{self.by.arguments.get('expression', '')} = {self.result.output['result']}"

    @property
    def made(self) -> str:
        """What a tool computed, printed or translated; it isn't in the video."""
        worked = self.by.tool in _MAKERS and not self.result.failure
        return " | ".join(_texts(self.result.output)) if worked else ""

    @property
    def made_of(self) -> str:
        """The text it was made from; empty if that comes from the video or the person."""
        return str(self.by.arguments.get(_MAKERS.get(self.by.tool, ""), ""))


def _texts(output: Any) -> Iterator[str]:
    """All texts in a tool's output, however deeply nested."""
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
    """The passages that a text quotes verbatim from web pages of the run, each with the page's address or title."""
    pages = (page for call in calls if call.by.tool == _WEB for page in call.result.output.get("results", ()))
    return [(page["snippet"], page.get("url", page["title"])) for page in pages if f"“{page['snippet']}”" in text]


def attach_sources(
    claim: Claim, evidence: Sequence[Evidence], calls: Sequence[Made], gathered: Collection[Citation] = ()
) -> Claim:
    """A checked claim with contradicting evidence from other modalities, and the calls that found what it cites.

    Evidence without a call was gathered before the first one, or is a fact about the recording. A claim that is known
    to be wrong is rejected, not softened.
    """
    otherwise = tuple(Citation.of(item) for item in contradicting(claim, evidence))
    proof = tuple(citation for citation in claim.citations if citation not in otherwise)
    doubtful = () if otherwise else claim.doubtful
    cited = (*proof, *otherwise, *doubtful)
    found = [call.by for call in calls if call.found.intersection(cited) or _works_out(call.computed, claim)]
    uncalled = frozenset(cited).difference(*(call.found for call in calls))
    found[:0] = [FoundBy(tool=GATHER)] * bool(uncalled.intersection(gathered))
    found[:0] = [FoundBy(tool=ORIENT)] * bool(uncalled.difference(gathered))
    update = {"citations": proof, "against": otherwise, "doubtful": doubtful, "found_by": tuple(found)}
    return claim.model_copy(update=update)


def grounded(calls: Sequence[Made], evidence: Sequence[Evidence], question: str) -> list[str]:
    """Calculations whose numbers come from trusted evidence, its times, the question or an earlier result.

    Any other calculation would only prove its own input.
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
    """What tools made from texts in trusted evidence. A translation of anything else would prove nothing."""
    trusted_words = {word for item in evidence if item.trusted for word in words(item.content)}
    return [call.made for call in calls if call.made and trusted_words.issuperset(words(call.made_of))]


def _is_near(written: str, times: Sequence[float]) -> bool:
    """Whether a number of seconds is one of these times, to its written precision."""
    exact = 10.0 ** -len(written.partition(".")[2])
    return any(abs(float(written) - time) <= exact for time in times)


def _works_out(computed: str, claim: Claim) -> bool:
    """Whether a claim states the result of a calculation that isn't in its citations."""
    result = numbers(computed.rpartition("=")[2])
    quoted = {number for citation in claim.citations for number in numbers(citation.quote)}
    return bool(result) and result <= numbers(claim.text) - quoted
