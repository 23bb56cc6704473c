"""Frames as vectors of an image-text encoder."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from longtake.memory.search.search_index import Vectors
from longtake.preprocess.engines.endpoints.visual_question import TimedJpeg
from longtake.preprocess.engines.pictures.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.media.frames import Picture

_BATCH = 64


def frame_vectors(encoder: ImageTextEmbedding, frames: Sequence[TimedJpeg]) -> Vectors:
    """One row of length 1 for each frame: (frames, dimensions).

    Raises:
        EngineError: if the model can't be loaded.
    """
    batches = (frames[start : start + _BATCH] for start in range(0, len(frames), _BATCH))
    return np.concatenate([encoder.embed_images([_picture(frame) for frame in batch]) for batch in batches])


def _picture(frame: TimedJpeg) -> Picture:
    return np.asarray(cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
