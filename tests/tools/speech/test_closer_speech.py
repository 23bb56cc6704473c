"""A short span is heard again by a larger model, once; the words are noise, since the models are untrained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.sound import write_sound
from helpers.media.speech import read_samples
from helpers.models.tiny_whisper import write_tiny_whisper

from longtake.config import load
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.audio.speech_engine import RATE
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

pytestmark = pytest.mark.nightly

LIGHT = ("engines.sounds=[]", "engines.captions=[]")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("whisper")
    return write_tiny_whisper(folder / "small", seed=0), write_tiny_whisper(folder / "large", seed=1)


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory, media: Path) -> Path:
    """A sentence, a pause, and the sentence again from 63 s on."""
    sentence = read_samples(media / "pocketsphinx/sense_and_sensibility_01_austen_64kb-0880.wav")
    pause = np.zeros(60 * RATE, np.float32)
    return write_sound(tmp_path_factory.mktemp("talk") / "talk.wav", np.concatenate([sentence, pause, sentence]))


@pytest.fixture
def library(tmp_path: Path, talk: Path, models: tuple[Path, Path]) -> Path:
    Workspace(tmp_path / "library", load(overrides=(*LIGHT, f"speech.model={models[0]}"))).add(talk)
    return tmp_path / "library"


def opened(library: Path, *settings: str, **changes: object) -> ToolContext:
    place = Workspace(library, load(overrides=(*LIGHT, *settings)))
    [record] = place.library.videos()
    handle = VideoHandle(record.model_copy(update=changes), place.library)
    return ToolContext({record.id: handle}, EngineTable(place.settings), place.index, place.settings, Budget(60))


def heard(context: ToolContext, *span: float) -> ToolResult:
    return Toolbox(ALL_TOOLS).call("transcribe_speech", {"timestamp": list(span)}, context)


def engines(result: ToolResult) -> set[str]:
    return {item.engine for item in result.evidence}


def test_a_short_span_is_heard_by_the_larger_model_and_a_long_one_is_not(
    library: Path, models: tuple[Path, Path]
) -> None:
    small, large = (f"speech.model={models[0]}", f"speech.closer_model={models[1]}")
    layer = heard(opened(library, small), 60, 65)
    closer = heard(opened(library, small, large), 60, 65)
    assert layer.failure is closer.failure is None
    assert len(engines(layer)) == len(engines(closer)) == 1
    assert engines(closer) != engines(layer)
    assert all(item.span.end >= 60 and item.span.start <= 65 for item in closer.evidence)
    assert closer.looked_at[0].length == 5
    assert engines(heard(opened(library, small, large), 0, 65)) == engines(layer)


def test_what_was_heard_closely_is_not_heard_again_and_is_found_by_search(
    library: Path, models: tuple[Path, Path]
) -> None:
    large = f"speech.closer_model={models[1]}"
    first = heard(opened(library, large), 60, 65)
    assert first.notes == ()
    gone = opened(library, large, path="/gone/talk.wav")
    again = heard(gone, 60, 65)
    (note,) = again.notes
    assert note.endswith("before, in 00:01:00-00:01:05")
    assert [item.id for item in again.evidence] == [item.id for item in first.evidence]
    query = {"query": first.output["transcript"][:200], "modalities": ["speech"], "k": 5}
    found = Toolbox(ALL_TOOLS).call("cross_modal_search", query, gone)
    assert engines(first) <= engines(found)


def test_words_that_somebody_wrote_down_are_not_heard_again(
    tmp_path: Path, talk: Path, models: tuple[Path, Path]
) -> None:
    spoken = tmp_path / talk.name
    spoken.write_bytes(talk.read_bytes())
    spoken.with_suffix(".srt").write_text("1\n00:01:02,000 --> 00:01:04,000\nHe had leisure.\n")
    Workspace(tmp_path / "library", load(overrides=LIGHT)).add(spoken)
    result = heard(opened(tmp_path / "library", f"speech.closer_model={models[1]}"), 60, 65)
    assert result.output["transcript"] == "He had leisure."


def test_a_file_that_is_gone_leaves_what_the_layer_heard_and_a_note(library: Path, models: tuple[Path, Path]) -> None:
    result = heard(opened(library, f"speech.closer_model={models[1]}", path="/gone/talk.wav"), 60, 65)
    assert result.evidence
    assert result.notes[0].startswith("not transcribed again")


def test_a_folder_without_a_model_is_reported_with_the_name_of_the_setting(tmp_path: Path) -> None:
    report = EngineTable(load(overrides=(f"speech.closer_model={tmp_path}",))).report("closer_speech")
    assert report.engine is None
    assert "give the folder of one with --set speech.closer_model=DIR" in report.reasons["faster_whisper"]
