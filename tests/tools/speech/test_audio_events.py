"""Sounds in words: what a sound is like is said, what made it is not; and questions about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.models.tiny_flamingo import write_tiny_flamingo

from longtake.config import load
from longtake.preprocess.engines import EngineTable
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox
from longtake.tools.speech.audio_events import describe


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"kind": "siren"}, "siren-like sound"),
        ({"kind": "applause"}, "applause-like sound"),
        ({"kind": "quiet"}, "quiet"),
        ({"kind": "tone", "hz": 525}, "tone of 525 Hz"),
    ],
)
def test_a_sound_is_described_by_what_it_is_like(item: dict[str, object], words: str) -> None:
    assert describe(item) == words


ASKED = {"timestamp": [2, 6], "question": "What is it?"}


@pytest.mark.nightly
def test_an_answer_is_evidence_of_the_segment_that_was_heard(
    toolbox: Toolbox, talk: ToolContext, tmp_path: Path
) -> None:
    engines = EngineTable(load(overrides=[f"audio_question.model={write_tiny_flamingo(tmp_path)}"]))
    result = toolbox.call("detect_audio_events", ASKED, replace(talk, engines=engines))
    answer, *sounds = result.evidence
    assert answer.engine.startswith("audio-flamingo-3/")
    assert (answer.span.start, answer.span.end, answer.modality) == (2, 6, "audio")
    assert answer.text in result.output["description"]
    assert sounds == list(toolbox.call("detect_audio_events", {"timestamp": [2, 6]}, talk).evidence)


@pytest.mark.nightly
def test_a_model_that_fails_leaves_the_sounds_that_were_found(
    toolbox: Toolbox, talk: ToolContext, tmp_path: Path
) -> None:
    weights = write_tiny_flamingo(tmp_path) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    engines = EngineTable(load(overrides=[f"audio_question.model={tmp_path}"]))
    result = toolbox.call("detect_audio_events", ASKED, replace(talk, engines=engines))
    assert result.evidence
    assert str(tmp_path) in "; ".join(result.notes)


def test_without_a_model_a_question_finds_the_sounds(toolbox: Toolbox, talk: ToolContext) -> None:
    plain = toolbox.call("detect_audio_events", {"timestamp": [2, 6]}, talk)
    asked = toolbox.call("detect_audio_events", ASKED, talk)
    assert (asked.evidence, asked.output) == (plain.evidence, plain.output)
