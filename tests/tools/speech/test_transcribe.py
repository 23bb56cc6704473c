"""`transcribe_speech` by what a video has: subtitles, what was recognised, both, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers.data.layers import new_layer

from longtake.config import load
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import VideoRecord
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

SECONDS = 20.0
Items = Iterable[Mapping[str, Any]]


def cue(start: float, text: str, language: str | None = "en-US", source: str = "sidecar 1 (en-US)") -> dict[str, Any]:
    return {"start": start, "end": start + 2, "text": text, "language": language, "source": source}


def recognised(start: float, text: str, *, trusted: bool = True) -> dict[str, Any]:
    words = [[start, start + 2, text, 0.8]]
    item = {"start": start, "end": start + 2, "text": text, "language": "en", "words": words}
    return item | {"confidence": 0.8, "trusted": trusted}


WRITTEN = [cue(1, "Hello."), cue(5, "Bye."), cue(1, "Bonjour.", "fr", "sidecar 2 (fr)")]
HEARD = [recognised(1, "hello"), recognised(12, "by", trusted=False)]


def opened(folder: Path, *settings: str, **layers: Items) -> ToolContext:
    """A video of `SECONDS` with these layers; the recogniser covers all but the last five."""
    workspace = Workspace(folder, load("embedded", settings))
    store = workspace.library.layers("v1")
    keys = {}
    for name, items in layers.items():
        recipe = LayerRecipe(name, 1, f"{name}-engine")
        with new_layer(store, recipe) as writer:
            for item in items:
                writer.add(item)
            writer.cover([TimeSpan(start=0, end=SECONDS - 5 if name == "speech" else SECONDS)])
        keys[name] = recipe.key
    record = VideoRecord(id="v1", name="talk.mp4", path="talk.mp4", size=1, modified=1, duration=SECONDS, layers=keys)
    handle = VideoHandle(record, workspace.library)
    return ToolContext({"v1": handle}, workspace.engines, workspace.index, workspace.settings, Budget(60))


def transcribe(context: ToolContext, *span: float, **arguments: str) -> ToolResult:
    return Toolbox(ALL_TOOLS).call("transcribe_speech", {"timestamp": list(span), **arguments}, context)


def test_what_somebody_wrote_is_completed_by_what_was_recognised_between(tmp_path: Path) -> None:
    result = transcribe(opened(tmp_path, subtitles=WRITTEN, speech=[recognised(3, "well")]), 0, 20)
    assert result.output["transcript"] == "Hello. well Bye."
    assert [(item.engine, item.score) for item in result.evidence] == [
        ("subtitles-engine", 1.0),
        ("speech-engine", 0.8),
        ("subtitles-engine", 1.0),
    ]


@pytest.mark.parametrize(
    ("language", "transcript", "noted"),
    [
        ("en", "Hello. Bye.", ""),
        ("en-us", "Hello. Bye.", ""),
        ("fr", "Bonjour.", ""),
        ("de", "Hello. Bye.", "there are no words in 'de'; these are in en-US"),
    ],
)
def test_one_track_is_read_in_the_language_asked_for(
    language: str, transcript: str, noted: str, tmp_path: Path
) -> None:
    result = transcribe(opened(tmp_path, subtitles=WRITTEN), 0, 20, language=language)
    assert result.output["transcript"] == transcript
    assert "; ".join(result.notes) == noted


@pytest.mark.parametrize("written", [{}, {"subtitles": []}], ids=["no subtitles", "empty subtitles"])
def test_what_was_recognised_stands_in_for_subtitles(written: dict[str, Items], tmp_path: Path) -> None:
    result = transcribe(opened(tmp_path, speech=HEARD, **written), 0, 20)
    assert result.output == {"transcript": "hello by", "timestamp": [0, 20]}
    assert [(item.text, item.span.start, item.score) for item in result.evidence] == [
        ("hello", 1, 0.8),
        ("by", 12, 0.8),
    ]
    assert result.looked_at == (TimeSpan(start=0, end=15),)
    assert "only 15.0 of 20.0 s of it were examined" in result.notes


def test_what_is_missing_of_the_sound_is_said_where_speech_was_not_examined(tmp_path: Path) -> None:
    context = opened(tmp_path, speech=HEARD, sounds=[])
    missing, video = "the sound between 15.0 s and 20.0 s is missing", context.video
    video.library.layers(video.id).record_run("sounds", video.record.layers["sounds"], {"left_out": [missing]})
    assert missing in transcribe(context, 0, 20).notes
    assert missing not in transcribe(context, 0, 5).notes


def test_doubtful_words_are_marked_and_said(tmp_path: Path) -> None:
    context = opened(tmp_path, speech=HEARD)
    whole = transcribe(context, 0, 20)
    assert [item.trusted for item in whole.evidence] == [True, False]
    assert any("prove nothing" in note for note in whole.notes)
    assert transcribe(context, 0, 5).notes == ()


@pytest.mark.parametrize(
    ("layers", "noted"),
    [
        ({"speech": HEARD}, "the recogniser heard no words in 00:00:05-00:00:10"),
        ({"speech": []}, "the recogniser heard no words in 00:00:05-00:00:10"),
        ({"subtitles": []}, "the subtitles have no words in 00:00:05-00:00:10"),
    ],
)
def test_where_nobody_speaks_it_says_who_listened(layers: dict[str, Items], noted: str, tmp_path: Path) -> None:
    result = transcribe(opened(tmp_path, **layers), 5, 10)
    assert result.failure is None
    assert (result.evidence, result.notes) == ((), (noted,))


VOICES = [{"start": 0.0, "end": 4.0, "kind": "speech", "level_db": -20.0, "confidence": 0.9}]


@pytest.mark.parametrize(
    ("span", "layers", "message"),
    [
        ((0, 5), {}, "The video has no subtitles and no engine here turns speech into words."),
        ((0, 5), {"sounds": VOICES}, "Voices are heard in 00:00:00-00:00:05, but the video has no subtitles and"),
        ((6, 9), {"sounds": VOICES}, "No voice is heard in 00:00:06-00:00:09, but the video has no subtitles and"),
    ],
)
def test_without_words_it_says_what_would_supply_them(
    span: tuple[float, float], layers: dict[str, Items], message: str, tmp_path: Path
) -> None:
    settings = ("engines.speech=[faster_whisper]", f"speech.model={tmp_path}")
    failure = transcribe(opened(tmp_path, *settings, **layers), *span).failure
    assert failure
    assert failure.kind == "unavailable"
    assert failure.message.startswith(message)
    assert "index it again" in failure.remedy
    assert f"faster_whisper: {tmp_path} has no model.bin" in failure.remedy


def test_a_recogniser_that_was_not_there_yet_is_named(tmp_path: Path) -> None:
    failure = transcribe(opened(tmp_path, "engines.speech=[pocketsphinx]"), 0, 5).failure
    assert failure
    assert failure.message == "The video has no subtitles and its speech wasn't recognised."
    assert "index it again, which also runs pocketsphinx" in failure.remedy
    failure = transcribe(opened(tmp_path / "none", "engines.speech=[]"), 0, 5).failure
    assert failure
    assert "none is named in engines.speech" in failure.remedy
