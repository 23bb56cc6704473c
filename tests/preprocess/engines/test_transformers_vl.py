"""Vision-language models in process, through their real loading code with random weights."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.media.clips import flat, noise
from helpers.models.tiny_qwen_vl import write_tiny_qwen_vl
from helpers.models.tiny_taggers import write_tiny_ast

from longtake.config import load
from longtake.errors import EngineError
from longtake.preprocess.engines.endpoints.caption_engine import PictureRefused, TimedJpeg
from longtake.preprocess.engines.engine_table import EngineTable
from longtake.preprocess.engines.transformers_vl import (
    TransformersPictures,
    missing_caption_model,
    missing_question_model,
)
from longtake.preprocess.media.frames import encode_jpeg
from longtake.settings import Settings

RED, NOISE = encode_jpeg(flat((20, 20, 180)), 90), encode_jpeg(noise(3, 320, 200), 90)


@pytest.fixture(scope="module", params=["qwen2_5_vl", "qwen3_vl"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_qwen_vl(tmp_path_factory.mktemp("vl"), request.param)


def settings(folder: Path | str, *more: str) -> Settings:
    named = [f"{section}.model={folder}" for section in ("captions", "visual_question")]
    return load(overrides=["engines.captions=transformers_vl", *named, *more])


def pictures(folder: Path) -> TransformersPictures:
    return TransformersPictures("visual_question", settings(folder).visual_question)


def written(engine: TransformersPictures, *parts: str | bytes) -> str:
    try:
        return engine.ask(parts, 24)
    except PictureRefused:  # noise may be no text
        return ""


@pytest.mark.nightly
def test_every_picture_has_a_place_for_each_of_its_patches(folder: Path) -> None:
    engine = pictures(folder)
    inputs = engine._inputs(["First:", RED, "second:", NOISE, "What <|image_pad|> is it?"])
    merged = engine._image_processor.merge_size**2
    patches = [int(grid.prod()) // merged for grid in inputs["image_grid_thw"]]
    assert len(patches) == 2
    assert int(inputs["mm_token_type_ids"].sum()) == sum(patches)
    assert inputs["pixel_values"].shape[0] == sum(patches) * merged
    _, tokenizer = engine._loaded
    text = tokenizer.decode(inputs["input_ids"][0], skip_special_tokens=True)
    assert text.index("First:") < text.index("second:") < text.index("What  is it?")


@pytest.mark.nightly
def test_what_is_written_depends_on_the_picture(folder: Path) -> None:
    engine = pictures(folder)
    replies = [written(engine, "What is it?", picture) for picture in (RED, NOISE, RED)]
    assert replies[0] == replies[2]
    assert replies[0] != replies[1]
    assert written(engine, "What is it?") not in replies


@pytest.mark.nightly
def test_both_capabilities_run_in_separate_processes(folder: Path) -> None:
    table = EngineTable(settings(folder))
    captions, questions = table.load("captions"), table.load("visual_question")
    try:
        assert captions.id.startswith(questions.id)
        with suppress(PictureRefused):  # random weights may repeat themselves
            assert captions.describe([TimedJpeg(0.0, NOISE)]).text
        assert questions.answer("What is it?", [TimedJpeg(1.0, NOISE)], 30.0)
    finally:
        captions.close()
        questions.close()


@pytest.mark.nightly
def test_another_model_has_another_id_and_a_copy_the_same(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert pictures(copy).model == pictures(folder).model
    (copy / "config.json").write_text((copy / "config.json").read_text() + "\n")
    assert pictures(copy).model != pictures(folder).model


@pytest.mark.nightly
def test_damaged_weights_are_one_sentence(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / "model.safetensors").write_bytes((copy / "model.safetensors").read_bytes()[:1000])
    with pytest.raises(EngineError, match=r"visual_question\.model=DIR") as caught:
        pictures(copy).ask(["What is it?", RED], 4)
    assert "\n" not in str(caught.value)


@pytest.mark.nightly
def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    assert "audio-spectrogram-transformer" in (missing_question_model(settings(write_tiny_ast(tmp_path))) or "")


@pytest.mark.parametrize("missing", [missing_caption_model, missing_question_model])
@pytest.mark.parametrize(
    ("more", "part"),
    [((), ".model=DIR"), (("captions.base_url=http://x", "visual_question.base_url=http://x"), "names an endpoint")],
)
def test_what_is_missing_is_named(missing: Callable[[Settings], str | None], more: tuple[str, ...], part: str) -> None:
    assert part in (missing(settings("nobody/no-model", *more)) or "")
