"""The simulated mode of the agentic track: a model lists the calls it would make and gets the gold results.

Each turn is asked twice, as in the released code of LongShOT. First the conversation so far and the tools: the model
lists the calls it would make. Then, whatever it listed, a new conversation holds the question, the gold calls
and the gold results, but nothing of the video, and the model answers. Calls are read from a fenced JSON object;
without one, from JSON anywhere in the reply or from lines of `TOOL_CALL: name(parameter="value")`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from longtake.agent.controllers.call_parsing.arguments import NOT_READ, read_json
from longtake.agent.controllers.call_parsing.text_tool_calls import calls_in_text
from longtake.evalharness.items import ParseStatus, Reply, ToolCall, Turn
from longtake.evalharness.prompts.prompt_set import PromptSet
from longtake.evalharness.scoring.spending import total
from longtake.evalharness.subjects.endpoint_model import EndpointModel
from longtake.evalharness.subjects.subject import Asked
from longtake.memory.records import Usage
from longtake.prompts import render

PROMPTS = "longtake.evalharness.suites.agentic_prompts"
_FENCE = re.compile(r"```(?:json)?\s*(\{.*?\})\s*```", re.DOTALL | re.IGNORECASE)
_LINE = re.compile(r"TOOL_CALL:\s*((\w+)\s*\(.*\))")


class Listed(NamedTuple):
    """The calls that a reply lists, and how they were parsed."""

    calls: tuple[ToolCall, ...]
    parse: ParseStatus


class Simulated:
    """A model that plans calls and answers from gold results."""

    def __init__(self, name: str, planner: EndpointModel, answerer: EndpointModel) -> None:
        """Nothing is sent yet.

        Args:
            name: in the run.
            planner: asked for the calls; its name says what it sees of the video.
            answerer: the same model without the video.
        """
        self.name = name
        self.at_once, self.at_most, self.indexes = planner.at_once, planner.at_most, planner.indexes
        self._planner, self._answerer = planner, answerer

    def reply(self, asked: Asked) -> Reply:
        """See `Subject`. `calls` are the listed ones, `text` is the final answer."""
        planned = self._planner.reply(_plan(asked))
        if planned.status != "ok":
            return planned
        listed = read_calls(planned.text)
        answer = self._answerer.reply(_answer(asked))
        return answer.model_copy(
            update={
                "planned": planned.text,
                "calls": listed.calls,
                "parse": listed.parse,
                "usage": total([planned.usage or Usage(), answer.usage or Usage()]),
            }
        )

    def expected(self, asked: Asked) -> Usage:
        """The options of both requests."""
        return total([self._planner.expected(_plan(asked)), self._answerer.expected(_answer(asked))])


def read_calls(text: str) -> Listed:
    """The calls in a reply: `ok` from a fence, `fallback` from elsewhere, `failed` where none can be read.

    An empty list means no calls; list items that aren't calls are skipped.
    """
    fenced = (read_json(match[1]) for match in _FENCE.finditer(text))
    ways: tuple[tuple[ParseStatus, Iterator[Any]], ...] = (("ok", fenced), ("fallback", _objects(text)))
    for parse, values in ways:
        for value in values:
            if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
                return Listed(tuple(_calls(value["tool_calls"])), parse)
    lines = [call for line in _LINE.finditer(text) for call in calls_in_text(line[1], {line[2]})[1]]
    calls = tuple(ToolCall(tool=call.name, arguments=call.arguments) for call in lines)
    return Listed(calls, "fallback" if calls else "failed")


def _objects(text: str) -> Iterator[Any]:
    """The JSON objects that begin at any brace of a text."""
    decoder = json.JSONDecoder(strict=False)
    for brace in re.finditer(r"\{", text):
        try:
            yield decoder.raw_decode(text, brace.start())[0]
        except NOT_READ:
            continue


def _calls(rows: list[Any]) -> Iterator[ToolCall]:
    for row in rows:
        if isinstance(row, dict) and isinstance(row.get("tool"), str):
            given = row.get("parameters")
            arguments = given.items() if isinstance(given, dict) else ()
            yield ToolCall(tool=row["tool"], arguments={name: value for name, value in arguments if value is not None})


def _plan(asked: Asked) -> Asked:
    """The prompt for a turn's calls: the tools and the earlier conversation."""
    return _put(asked, render(PROMPTS, "choose_calls", tools=asked.item.tools, question=asked.turn.question))


def _answer(asked: Asked) -> Asked:
    """The prompt for a turn's answer: the gold results alone, without the earlier conversation."""
    put = _put(asked, render(PROMPTS, "answer", calls=asked.turn.calls, question=asked.turn.question))
    alone = (asked.variant.prompts or PromptSet()).model_copy(update={"material": ""})
    return replace(put, history=(), variant=asked.variant.model_copy(update={"prompts": alone}))


def _put(asked: Asked, text: str) -> Asked:
    turns = list(asked.item.turns)
    turns[asked.number] = Turn(question=text)
    return replace(asked, item=asked.item.model_copy(update={"turns": tuple(turns)}))
