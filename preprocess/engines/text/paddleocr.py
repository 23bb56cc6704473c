"""Text recognition with PaddleOCR (Cui et al. 2025, "PaddleOCR 3.0 technical report"): any PP-OCR models.

The package downloads models for itself unless it is given folders, so it always is. Models in ONNX run in ONNX Runtime;
those in Paddle's own format also need the package paddlepaddle.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np
import numpy.typing as npt
import yaml

from longtake.errors import EngineError, first_line
from longtake.lazy import cached_property
from longtake.models.folder import installed
from longtake.preprocess.engines.text.line_reader import LineReader, LineReading, Picture
from longtake.preprocess.engines.transformers_folders import content_id
from longtake.settings import Settings

_PULL = "fetch both with `longtake models pull pp-ocrv6-detection pp-ocrv6-recognition`"
_CONFIG, _ONNX, _PADDLE = "inference.yml", "inference.onnx", "inference.pdiparams"
_KINDS = {"detection": "det", "recognition": "rec"}  # how the names of models end
_BATCH = 8  # lines


class PaddleOcr(LineReader):
    """Reads with a model that finds lines and one that recognises them."""

    CALLS: ClassVar[Mapping[str, float]] = {"read": 300.0, "read_all": 2400.0, "read_region": 60.0}

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._folders = _folders(settings)
        files = [_weights(folder) for folder in self._folders.values() if folder]
        self.id = f"paddleocr-{version('paddleocr')}/{content_id(files)}-{self.long_side}"

    def lines(self, picture: Picture, long_side: int) -> list[tuple[npt.NDArray[np.floating], LineReading]]:
        """See `LineReader`."""
        [found] = self._detection.predict(picture, limit_side_len=long_side, limit_type="max")
        places = [np.asarray(corners, np.float32) for corners in found["dt_polys"]]
        return list(zip(places, self.recognise([_straightened(picture, place) for place in places]), strict=True))

    def recognise(self, crops: Sequence[Picture]) -> list[LineReading]:
        """See `LineReader`."""
        found = self._recognition.predict(list(crops), batch_size=_BATCH) if crops else []
        return [LineReading(line["rec_text"], float(line["rec_score"])) for line in found]

    @cached_property
    def _detection(self) -> Any:
        return _load("TextDetection", self._folders["detection"])

    @cached_property
    def _recognition(self) -> Any:
        return _load("TextRecognition", self._folders["recognition"])


def missing_models(settings: Settings) -> str | None:
    """Why PaddleOCR can't be used here, and what to do; None if it can. Loads nothing."""
    for kind, folder in _folders(settings).items():
        remedy = f"{_PULL}, or give a folder with --set scene_text.{kind}=DIR"
        if folder is None:
            return f"no model for {kind} on disk: {remedy}"
        if not (folder / _CONFIG).is_file() or not _weights(folder).is_file():
            return f"{folder} has no {_CONFIG} with {_ONNX} or {_PADDLE}: {remedy}"
        if not _name(folder).endswith(_KINDS[kind]):
            return f"{folder} isn't a model for {kind} ({_name(folder) or 'no name'}): {remedy}"
    return None


def _folders(settings: Settings) -> dict[str, Path | None]:
    """The folder of each kind of model: the one in the settings, or else the best one that was fetched."""
    named = {"detection": settings.scene_text.detection, "recognition": settings.scene_text.recognition}
    fetched = {
        kind: next((each.folder for each in installed("on-screen text") if each.model.name.endswith(kind)), None)
        for kind in named
    }
    return {kind: Path(name).expanduser() if name else fetched[kind] for kind, name in named.items()}


def _weights(folder: Path) -> Path:
    return folder / _ONNX if (folder / _ONNX).is_file() else folder / _PADDLE


def _name(folder: Path) -> str:
    """The name of a model's architecture, which its configuration states."""
    try:
        return str(yaml.safe_load((folder / _CONFIG).read_text(encoding="utf-8"))["Global"]["model_name"])
    except (OSError, ValueError, yaml.YAMLError, LookupError, TypeError):
        return ""


def _load(kind: str, folder: Path | None) -> Any:
    """A model of PaddleOCR.

    Raises:
        EngineError: if it can't be loaded.
    """
    assert folder, "the engine table checks `missing_models` first"
    os.environ["PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK"] = "True"  # it would try to reach the hubs
    paddleocr: Any = import_module("paddleocr")
    runtime = "onnxruntime" if _weights(folder).name == _ONNX else None
    try:
        return getattr(paddleocr, kind)(model_name=_name(folder), model_dir=str(folder), engine=runtime)
    except Exception as error:  # each of its parts and runtimes has errors of its own
        raise EngineError(f"PaddleOCR couldn't load {folder} ({first_line(error)}): {_PULL}.") from error


def _straightened(picture: Picture, corners: npt.NDArray[np.float32]) -> Picture:
    """The line between four corners, from the top left clockwise, as an upright picture."""
    width = max(1, round(float(max(np.linalg.norm(corners[0] - corners[1]), np.linalg.norm(corners[3] - corners[2])))))
    height = max(1, round(float(max(np.linalg.norm(corners[0] - corners[3]), np.linalg.norm(corners[1] - corners[2])))))
    upright = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    turn = cv2.getPerspectiveTransform(corners, upright)
    return np.asarray(cv2.warpPerspective(picture, turn, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)
