"""The page about the agent of the LongShOT paper says what the profile and the tools are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from longtake.config import load
from longtake.evalharness.suites.agentic import own_tools
from longtake.preprocess.engines import EngineTable
from longtake.tools.catalogue import BUILT_IN
from longtake.tools.core.registry import SPECS

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "longshot-agent.md").read_text(encoding="utf-8")
PINNED = {
    "scene_text": "paddleocr",
    "speech": "faster_whisper",
    "closer_speech": "faster_whisper",
    "audio_question": "audio_flamingo",
    "image_text_embedding": "siglip",
}


def test_the_table_has_the_sixteen_tools_with_their_parameters() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|([^|]*)\|", PAGE, re.MULTILINE)
    tools = own_tools()
    assert [name for name, _, _ in rows] == [tool.name for tool in tools]
    specs = {spec.name: spec for spec in (SPECS[function] for function in BUILT_IN)}
    for (name, paper, added), tool in zip(rows, tools, strict=True):
        assert paper.replace("[]", "").replace("k?", "k").split(", ") == [
            each.replace("[]", "").replace("k?", "k") for each in tool.inputs
        ]
        more = set(specs[name].arguments.model_fields) - tool.parameters.keys()
        assert set(re.findall(r"`(\w+)\?`", added)) == more
    others = [spec.name for spec in specs.values() if spec.group == "extras"]
    assert all(f"`{name}`" in PAGE.partition("Five more are ours")[2] for name in others)
    assert len(others) == 5


@pytest.mark.parametrize(("capability", "engine"), PINNED.items())
def test_the_profile_takes_the_papers_engine_or_names_it_as_missing(capability: str, engine: str) -> None:
    settings = load("longshot", ["speech.fetch=false"])
    assert getattr(settings.engines, capability) == (engine,)
    report = EngineTable(settings).report(capability)
    assert report.engine == engine or list(report.reasons) == [engine]
    assert f"`engines.{capability}: [{engine}]`" in PAGE or capability.endswith("speech")


def test_speech_is_light_first_and_large_where_it_matters() -> None:
    speech = load("longshot").speech
    assert (speech.model, speech.closer_model, speech.fetch) == ("small", "large-v3", True)
    assert "`speech.model: small`" in PAGE
    assert "`speech.closer_model: large-v3`" in PAGE
