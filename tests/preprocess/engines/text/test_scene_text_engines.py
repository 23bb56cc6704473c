"""What every engine reads in drawn pictures and in real ones."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from helpers.models.ppocr_folders import write_ppocr_folders
from PIL import Image, ImageDraw, ImageFont

from longtake.config import load
from longtake.errors import EngineError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.line_reader import LineReader
from longtake.preprocess.engines.text.paddleocr import PaddleOcr, missing_models
from longtake.preprocess.engines.text.rapidocr import RapidOcr
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe
from longtake.settings import Settings

Picture = npt.NDArray[np.uint8]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_ppocr_folders(tmp_path_factory.mktemp("ppocr"))


@pytest.fixture(scope="module", params=["rapidocr", pytest.param("paddleocr", marks=pytest.mark.paddle)])
def settings(request: pytest.FixtureRequest, folders: tuple[Path, Path]) -> Settings:
    if request.param == "rapidocr":
        return Settings()
    pytest.importorskip("paddleocr", reason="PaddleOCR is not installed: pip install 'longtake[paddle]'")
    detection, recognition = folders
    return load(overrides=[f"scene_text.detection={detection}", f"scene_text.recognition={recognition}"])


def engine_of(settings: Settings) -> LineReader:
    return PaddleOcr(settings) if settings.scene_text.detection else RapidOcr(settings)


@pytest.fixture(scope="module")
def engine(settings: Settings) -> LineReader:
    return engine_of(settings)


def drawn(text: str, *, ink: int = 255, paper: int = 0, scale: float = 2.0) -> Picture:
    picture = np.full((360, 640, 3), paper, np.uint8)
    cv2.putText(picture, text, (60, 200), cv2.FONT_HERSHEY_SIMPLEX, scale, (ink, ink, ink), 4, cv2.LINE_AA)
    return picture


def test_a_text_is_read_with_its_spaces_and_where_it_stands(engine: LineReader) -> None:
    [found] = engine.read(drawn("Exit 27 left"))
    left, top, width, height = found.box
    assert found.text == "Exit 27 left"
    assert found.confidence > 0.9
    # The baseline starts at (60, 200) of 640 x 360.
    assert left < 70 / 640 < left + width
    assert top < 190 / 360 < top + height


def test_pale_lettering_is_found(engine: LineReader) -> None:
    [found] = engine.read(drawn("Exit 27", ink=134, paper=128))
    assert found.text.replace(" ", "") == "Exit27"


def test_blank_and_tiny_pictures_hold_nothing(engine: LineReader) -> None:
    assert engine.read(np.zeros((360, 640, 3), np.uint8)) == []
    assert engine.read(np.zeros((4, 4, 3), np.uint8)) == []


def test_a_lone_letter_is_dropped_and_a_lone_digit_kept(engine: LineReader) -> None:
    assert engine.read(drawn("X", scale=4)) == []
    assert [found.text for found in engine.read(drawn("7", scale=4))] == ["7"]


def test_the_same_picture_reads_the_same_twice(engine: LineReader) -> None:
    picture = drawn("Platform 9")
    assert engine.read(picture) == engine.read(picture)


def test_many_pictures_read_as_each_alone_does(engine: LineReader) -> None:
    pictures = [drawn(f"Exit {number} left") for number in range(21, 26)]
    assert engine.read_all(pictures) == [engine.read(picture) for picture in pictures]
    assert engine.read_all([]) == []


def test_readings_below_the_least_confidence_are_left_out(settings: Settings) -> None:
    certain = settings.scene_text.model_copy(update={"min_confidence": 1.0})
    strict = engine_of(settings.model_copy(update={"scene_text": certain}))
    noise = np.random.default_rng(7).normal(0, 60, (360, 640, 3))
    picture = np.clip(drawn("Exit 27", scale=0.6) + noise, 0, 255).astype(np.uint8)
    assert strict.read(picture) == []


@pytest.mark.slow
def test_small_print_on_a_photograph_takes_a_thorough_reading(engine: LineReader, media: Path) -> None:
    clip = media / "shared-assets" / "flower.mp4"
    moment = TimeSpan(start=2.0, end=2.0)
    [frame] = read_frames(clip, probe(clip), moment, lambda: None)
    photograph = Image.fromarray(cv2.resize(frame.bgr(), (1920, 1080)))
    text = "The parking permit costs 4711 per year"
    ImageDraw.Draw(photograph).text((600, 500), text, font=ImageFont.load_default(12), fill=(255, 255, 255))
    picture = np.asarray(photograph)
    assert engine.read(picture) == []
    assert [found.text for found in engine.read(picture, 1280)] == [text]


def test_a_thorough_reading_keeps_what_only_the_smaller_size_finds(engine: LineReader) -> None:
    picture = np.full((1080, 1920, 3), 255, np.uint8)
    cv2.putText(picture, "small print 4711", (800, 900), cv2.FONT_HERSHEY_SIMPLEX, 0.55, (0, 0, 0), 1, cv2.LINE_AA)
    assert [found.text for found in engine.read(picture, 1280)] == ["small print 4711"]


def test_a_known_region_is_read_without_looking_for_it(engine: LineReader) -> None:
    [found] = engine.read(drawn("00:00:21:12", scale=1.5))
    region = engine.read_region(drawn("00:00:21:13", scale=1.5), found.box)
    assert (region.text, region.box) == ("00:00:21:13", found.box)
    assert engine.read_region(np.zeros((360, 640, 3), np.uint8), found.box).text == ""
    assert engine.read_region(drawn("x"), (1.0, 1.0, 0.0, 0.0)).confidence == 0.0


def test_a_sign_with_two_columns_of_other_scripts_beside_it_is_read(engine: LineReader, media: Path) -> None:
    picture = np.asarray(cv2.imread(str(media / "EasyOCR" / "french.jpg")), np.uint8)
    found = {each.text for each in engine.read(picture)}
    assert {"Palais du LOUVRE", "LES ARTS DÉCORATIFS", "Musée du LOUVRE", "Théâtre", "du PALAIS-ROYAL"} <= found


def turned(degrees: float) -> Picture:
    across = cv2.getRotationMatrix2D((320, 180), degrees, 1.0)
    return np.asarray(cv2.warpAffine(drawn("Exit 27 left"), across, (640, 360)), np.uint8)


@pytest.mark.parametrize("degrees", [-15, 12])
def test_a_slanted_line_is_read(engine: LineReader, degrees: float) -> None:
    assert [found.text for found in engine.read(turned(degrees))] == ["Exit 27 left"]


@pytest.mark.nightly
@pytest.mark.parametrize("damage", ["none", "swapped", "no weights", "no configuration", "nothing"])
def test_what_paddleocr_lacks_is_named(damage: str, tmp_path: Path) -> None:
    detection, recognition = write_ppocr_folders(tmp_path)
    if damage == "swapped":
        detection, recognition = recognition, detection
    elif damage == "no weights":
        (detection / "inference.onnx").unlink()
    elif damage == "no configuration":
        (detection / "inference.yml").unlink()
    elif damage == "nothing":
        detection = tmp_path / "elsewhere"
    settings = load(overrides=[f"scene_text.detection={detection}", f"scene_text.recognition={recognition}"])
    reason = missing_models(settings)
    assert reason is None if damage == "none" else str(detection) in str(reason)


@pytest.mark.paddle
def test_a_damaged_model_of_paddleocr_is_named(tmp_path: Path) -> None:
    pytest.importorskip("paddleocr", reason="PaddleOCR is not installed: pip install 'longtake[paddle]'")
    detection, recognition = write_ppocr_folders(tmp_path)
    (detection / "inference.onnx").write_bytes(b"no model")
    settings = load(overrides=[f"scene_text.detection={detection}", f"scene_text.recognition={recognition}"])
    with pytest.raises(EngineError, match=str(detection)):
        PaddleOcr(settings).read(drawn("Exit"))
