"""A model that builds items: it replies in the form that is asked for, from what the prompt holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from helpers.servers.openai_server import Reply, says

Made = dict[str, Any]


def prompt_of(request: Mapping[str, Any]) -> str:
    """The first message of a request."""
    content = request["messages"][0]["content"]
    return content if isinstance(content, str) else str(content[0]["text"])


def form_of(request: Mapping[str, Any]) -> str:
    """The name of the form that is asked for."""
    return str(request["response_format"]["json_schema"]["name"])


def builds(**other: Callable[[str], Made | str | None]) -> Callable[[dict[str, Any]], Reply]:
    """A model that replies to every stage; for a form that is named, with what is made of the prompt instead.

    What is made may be text that isn't JSON; None leaves the usual reply.
    """

    def reply(request: dict[str, Any]) -> Reply:
        if "response_format" not in request:  # the outline of a video that is indexed
            return says("A talk\nSomebody talks.")
        form, prompt = form_of(request), prompt_of(request)
        made = other[form](prompt) if form in other else None
        said = _USUAL[form](prompt) if made is None else made
        return says(said if isinstance(said, str) else json.dumps(said), usage=(100, 20))

    return reply


def segments_in(prompt: str) -> list[int]:
    """The numbers of the segments that a prompt tells of."""
    return [int(number) for number in re.findall(r'^\{"segment": (\d+)', prompt, re.MULTILINE)]


def turns_in(prompt: str) -> list[str]:
    """The questions that a prompt tells of."""
    return [json.loads(text) for text in re.findall(r'^\d+\. (?:Question: )?("(?:[^"\\]|\\.)*")', prompt, re.MULTILINE)]


def _questions(prompt: str) -> Made:
    (task,) = re.findall(r"of the kind (\w+):", prompt)
    (single,) = re.findall(r"of difficulty (\d)", prompt)
    levels = re.findall(r"difficulties are (\d), (\d), (\d)", prompt)[0]
    roles = ("opener", "deepener", "synthesizer")
    return {
        "single": {"question": f"Which {task} is alone?", "difficulty": int(single), "modalities": ["speech"]},
        "conversation": [
            {"question": f"What of {task} {role}?", "difficulty": int(level), "modalities": ["visual"], "role": role}
            for level, role in zip(levels, roles, strict=True)
        ],
    }


def _rubrics(prompt: str) -> Made:
    rubric = [
        {"name": "the_fact", "description": "States the fact.", "category": "high_priority"},
        {"name": "a_detail", "description": "Names the place.", "category": "low_priority"},
        {"name": "factual_error", "description": "Must not name another.", "category": "penalty"},
    ]
    return {"turns": [{"criteria": rubric} for _ in turns_in(prompt)]}


def _calls(prompt: str) -> Made:
    span = {"name": "timestamp", "value": "00:00:01-00:00:03"}
    call = {"tool": "transcribe_speech", "arguments": [span], "returns": "some words"}
    return {"turns": [{"calls": [call]} for _ in turns_in(prompt)]}


_USUAL: Mapping[str, Callable[[str], Made]] = {
    "fused": lambda prompt: {
        "segments": [{"segment": number, "text": f"Scene {number}."} for number in segments_in(prompt)]
    },
    "scenarios": lambda prompt: {"scenarios": [{"viewer": "A buyer", "wants": "the price"}]},
    "tasks": lambda prompt: {"scenarios": [{"scenario": 1, "tasks": ["information_retrieval", "summarization"]}]},
    "questions": _questions,
    "answers": lambda prompt: {
        "turns": [{"answerable": True, "answer": f"Answer to {each}", "segments": [0]} for each in turns_in(prompt)]
    },
    "verdicts": lambda prompt: {
        "turns": [{"reason": "as it stands", "verdict": "Notes:" in prompt} for _ in turns_in(prompt)]
    },
    "guesses": lambda prompt: {"turns": [{"answer": "A guess."} for _ in turns_in(prompt)]},
    "rubrics": _rubrics,
    "calls": _calls,
}
