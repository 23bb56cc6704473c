"""Text recognition with RapidOCR: PP-OCRv6 detection and recognition in ONNX (github.com/RapidAI/RapidOCR).

The models come in the package's wheel: nothing is downloaded. The orientation model is off, because video is rarely
upside down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from longtake.models.machine import usable_cores
from longtake.preprocess.engines.text.line_reader import LineReader, LineReading, Picture
from longtake.settings import Settings

_AT_ONCE = 4  # pictures at most, so that one reader doesn't take over a large machine


class RapidOcr(LineReader):
    """Reads printed text in many scripts, at the size in the settings."""

    CALLS: ClassVar[Mapping[str, float]] = {"read": 120.0, "read_all": 960.0, "read_region": 30.0}
    at_once = min(_AT_ONCE, usable_cores())

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.id = f"rapidocr-{version('rapidocr')}/pp-ocrv6-{self.long_side}"

    def lines(self, picture: Picture, long_side: int) -> list[tuple[npt.NDArray[np.floating], LineReading]]:
        """See `LineReader`."""
        found = _reader(long_side)(picture)
        if found.boxes is None:
            return []
        return [
            (corners, LineReading(text, float(confidence)))
            for corners, text, confidence in zip(found.boxes, found.txts, found.scores, strict=True)
        ]

    def recognise(self, crops: Sequence[Picture]) -> list[LineReading]:
        """See `LineReader`."""
        result = _reader(self.long_side).recognize_txt(list(crops))
        return [LineReading(text, float(score)) for text, score in zip(result.txts, result.scores, strict=True)]


@lru_cache(maxsize=4)
def _reader(long_side: int) -> Any:
    """RapidOCR for one size, with its models loaded on first use; several threads can share it."""
    from rapidocr import RapidOCR  # takes most of a second, so don't import it just for the engine's id

    return RapidOCR(
        params={
            "Global.use_cls": False,
            "Global.text_score": 0.0,  # filtering comes later, after the second look at doubtful readings
            "Global.log_level": "error",
            "Det.limit_type": "max",
            "Det.limit_side_len": long_side,
            # Threads of its own would spin while they wait, which takes as long again; pictures run beside each other.
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        }
    )
