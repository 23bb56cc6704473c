"""OWLv2 through its real loading code, with random weights; and what is said where it cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.media.clips import Picture, noise
from helpers.models.tiny_owlv2 import write_tiny_owlv2

from longtake.config import Settings, load
from longtake.errors import EngineError
from longtake.preprocess.engines.objects.object_engine import FoundObject
from longtake.preprocess.engines.objects.objects_query import parse_query
from longtake.preprocess.engines.objects.owlv2 import Owlv2, missing_model
from longtake.preprocess.engines.process import engine_process

WIDE = noise(2, 160, 80)
CUP = parse_query("two moving red cups")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_owlv2(tmp_path_factory.mktemp("owlv2"))


def settings(folder: Path | str, confidence: float = 0.0) -> Settings:
    return load(overrides=[f"objects.model={folder}", f"objects.min_confidence={confidence}"])


def found(folder: Path, picture: Picture = WIDE, confidence: float = 0.0) -> list[FoundObject]:
    return Owlv2(settings(folder, confidence)).find(picture, CUP)


@pytest.mark.slow
def test_boxes_are_those_of_the_model_on_a_square_that_the_picture_fills_in_part(folder: Path) -> None:
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
    first = max(found(folder), key=lambda each: each.confidence)
    assert first.name == "red cup"
    assert first.confidence == pytest.approx(float(scores[best]), abs=0.001)
    assert first.box == pytest.approx((left, top, right - left, bottom - top), abs=0.001)


@pytest.mark.slow
def test_boxes_lie_in_the_picture_and_only_sure_ones_are_kept(folder: Path) -> None:
    every = found(folder)
    assert every
    for left, top, width, height in (each.box for each in every):
        assert 0 <= left <= left + width <= 1.0001
        assert 0 <= top <= top + height <= 1.0001
    middle = sorted(each.confidence for each in every)[len(every) // 2]
    sure = found(folder, confidence=middle)
    assert 0 < len(sure) < len(every)
    assert all(each.confidence >= middle - 0.001 for each in sure)


@pytest.mark.slow
def test_it_runs_in_a_process_of_its_own(folder: Path) -> None:
    engine = engine_process("longtake.preprocess.engines.objects.owlv2:Owlv2", settings(folder))
    try:
        assert engine.find(WIDE, CUP) == found(folder)
        assert engine.id == f"owlv2/{folder.name}"
        assert engine.cannot(CUP) is None
    finally:
        engine.close()


@pytest.mark.slow
def test_a_damaged_model_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "config.json").write_text("{")
    assert missing_model(settings(tmp_path)) is None
    with pytest.raises(EngineError, match=r" .* objects\.model=NAME"):
        found(tmp_path)


def test_a_folder_without_a_model_says_what_is_missing(tmp_path: Path) -> None:
    assert "has no config.json" in (missing_model(settings(tmp_path)) or "")


@pytest.mark.parametrize(
    ("name", "overrides", "offline", "said"),
    [
        ("someone/no-such-model", [], False, "objects.fetch=true"),
        ("someone/no-such-model", ["objects.fetch=true"], False, None),
        ("someone/no-such-model", ["objects.fetch=true"], True, "--offline forbids"),
        ("no//model", ["objects.fetch=true"], False, "neither a folder nor the name"),
    ],
)
def test_a_model_by_name_is_fetched_only_when_asked(
    name: str, overrides: list[str], offline: bool, said: str | None
) -> None:
    missing = missing_model(load(overrides=[f"objects.model={name}", *overrides], offline=offline))
    assert missing is None if said is None else said in (missing or "")
