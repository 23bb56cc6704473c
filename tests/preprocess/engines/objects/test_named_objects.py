"""Detectors that find things by name, through their real loading code, with random weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.media.clips import Picture, noise
from helpers.models.tiny_grounding_dino import write_tiny_grounding_dino
from helpers.models.tiny_owlv2 import write_tiny_owlv2

from longtake.config import load
from longtake.errors import EngineError
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.objects.object_engine import FoundObject, ObjectEngine
from longtake.preprocess.engines.objects.objects_query import parse_query
from longtake.settings import Settings

WIDE = noise(2, 160, 80)
CUP = parse_query("two moving red cups")
WRITERS: dict[str, Callable[[Path], Path]] = {"owlv2": write_tiny_owlv2, "grounding_dino": write_tiny_grounding_dino}
Model = tuple[str, Path]


@pytest.fixture(scope="module", params=WRITERS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """The name of an engine, and the folder of a model for it."""
    return request.param, WRITERS[request.param](tmp_path_factory.mktemp(request.param))


def settings(folder: Path | str, confidence: float = 0.0) -> Settings:
    return load(overrides=[f"objects.model={folder}", f"objects.min_confidence={confidence}"])


def found(model: Model, picture: Picture = WIDE, confidence: float = 0.0) -> list[FoundObject]:
    """What the model finds, in a process of its own, as ever."""
    table = EngineTable(settings(model[1], confidence))
    assert table.report("objects").engine == model[0]
    engine: ObjectEngine = table.load("objects")
    return engine.find(picture, CUP)


@pytest.mark.nightly
def test_boxes_of_owlv2_lie_on_a_square_that_the_picture_fills_in_part(tmp_path: Path) -> None:
    folder = write_tiny_owlv2(tmp_path)
    import torch  # pyright: ignore[reportMissingImports] - an extra
    from PIL import Image
    from transformers import Owlv2ForObjectDetection, Owlv2Processor  # pyright: ignore[reportMissingImports]

    processor: Any = Owlv2Processor.from_pretrained(folder)
    model: Any = Owlv2ForObjectDetection.from_pretrained(folder)
    rgb = Image.fromarray(np.ascontiguousarray(WIDE[..., ::-1]))
    inputs = processor(text=[["a photo of a red cup"]], images=rgb, return_tensors="pt")
    with torch.inference_mode():
        outputs = model(**inputs)
    scores = torch.sigmoid(outputs.logits[0, :, 0])
    corner = outputs.pred_boxes[0, :, 1] - outputs.pred_boxes[0, :, 3] / 2
    best = int((scores - 1.0 * (corner >= 0.5)).argmax())  # the lower half of the square is no picture
    x, y, width, height = (float(share) for share in outputs.pred_boxes[0, best])
    # The picture is twice as wide as high: its height is half of the square's.
    left, right = max(0.0, x - width / 2), min(1.0, x + width / 2)
    top, bottom = max(0.0, 2 * (y - height / 2)), min(1.0, 2 * (y + height / 2))
    first = max(found(("owlv2", folder)), key=lambda each: each.confidence)
    assert first.name == "red cup"
    assert first.confidence == pytest.approx(float(scores[best]), abs=0.001)
    assert first.box == pytest.approx((left, top, right - left, bottom - top), abs=0.001)


@pytest.mark.nightly
def test_boxes_lie_in_the_picture_and_only_sure_ones_are_kept(model: Model) -> None:
    every = found(model)
    assert every
    assert {each.name for each in every} == {"red cup"}
    for left, top, width, height in (each.box for each in every):
        assert 0 <= left <= left + width <= 1.0001
        assert 0 <= top <= top + height <= 1.0001
    assert found(model) == every
    middle = sorted(each.confidence for each in every)[len(every) // 2]
    assert all(each.confidence >= middle - 0.001 for each in found(model, confidence=middle))


@pytest.mark.nightly
def test_a_damaged_model_says_what_to_do(model: Model, tmp_path: Path) -> None:
    for file in model[1].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:500])
    with pytest.raises(EngineError, match=r" .* objects\.model=DIR"):
        found((model[0], tmp_path))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("given", "said"), [("FOLDER", "has no config.json"), ("someone/none", "longtake models pull")]
)
def test_a_named_model_that_is_missing_is_reported_and_not_replaced(given: str, said: str, tmp_path: Path) -> None:
    WRITERS["owlv2"](tmp_path / "skips where torch is missing")
    report = EngineTable(settings(given.replace("FOLDER", str(tmp_path)))).report("objects")
    assert report.engine is None
    assert all(said in report.reasons[name] for name in WRITERS)
