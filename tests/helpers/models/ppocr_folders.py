"""The models of PP-OCR that come with RapidOCR, as the folders that PaddleOCR reads."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import onnxruntime
import yaml

_DETECTION = {
    "PreProcess": {
        "transform_ops": [
            {"DetResizeForTest": {"resize_long": 960}},
            {"NormalizeImage": {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "scale": "1./255."}},
            {"ToCHWImage": None},
        ]
    },
    "PostProcess": {"name": "DBPostProcess", "thresh": 0.3, "box_thresh": 0.5, "unclip_ratio": 1.6},
}
_RECOGNITION: dict[str, Any] = {
    "PreProcess": {"transform_ops": [{"RecResizeImg": {"image_shape": [3, 48, 320]}}]},
    "PostProcess": {"name": "CTCLabelDecode"},
}


def write_ppocr_folders(root: Path) -> tuple[Path, Path]:
    """Write the folders of the models for detection and recognition."""
    models = Path(str(distribution("rapidocr").locate_file("rapidocr/models")))
    weights = models / "PP-OCRv6_rec_small.onnx"
    characters = onnxruntime.InferenceSession(str(weights)).get_modelmeta().custom_metadata_map["character"]
    recognition = {
        **_RECOGNITION,
        "PostProcess": {**_RECOGNITION["PostProcess"], "character_dict": characters.split("\n")},
    }
    return (
        _write(root / "detection", "PP-OCRv6_small_det", models / "PP-OCRv6_det_small.onnx", _DETECTION),
        _write(root / "recognition", "PP-OCRv6_small_rec", weights, recognition),
    )


def _write(folder: Path, name: str, weights: Path, config: dict[str, Any]) -> Path:
    folder.mkdir(parents=True)
    (folder / "inference.onnx").write_bytes(weights.read_bytes())
    described = {"Global": {"model_name": name}, **config}
    (folder / "inference.yml").write_text(yaml.safe_dump(described, allow_unicode=True), encoding="utf-8")
    return folder
