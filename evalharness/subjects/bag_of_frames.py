"""Bag of frames: an image-text encoder and no language model (Video-Oasis).

The 32 frames nearest to the question are chosen by cosine, and the answer is the option whose cosines with them have
the largest sum. Neither the order of the frames nor words can help. A specification is `bag-of-frames:ENGINE`, or
`bag-of-frames:ENGINE@MODEL` where the profile's `image_text.model` isn't meant.
"""

from __future__ import annotations

import numpy as np

from longtake.evalharness.items import Reply
from longtake.evalharness.subjects.model_spec import BAG_OF_FRAMES
from longtake.evalharness.subjects.naive_baselines import abstained, chosen
from longtake.evalharness.subjects.named_engine import named_engine
from longtake.evalharness.subjects.subject import Asked
from longtake.evalharness.views.frame_vectors import frame_vectors
from longtake.evalharness.views.view_table import view_named
from longtake.memory.search.search_index import Vectors
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.pictures.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.pipeline.workspace import Workspace

FRAMES = 32
_LONG_SIDE = 512  # pixels of the frames; encoders look at less


class BagOfFrames:
    """Compares the frames of the view `bag-of-frames` with the question and the options."""

    at_once = 1

    def __init__(self, name: str, workspace: Workspace) -> None:
        """Load the encoder.

        Raises:
            ConfigError: if there is no image-text engine of that name.
            EngineUnavailable: if it can't be used here.
            EngineError: if its model can't be used.
        """
        self.name, self._workspace = name, workspace
        engine, _, model = name.partition(":")[2].partition("@")
        settings = workspace.settings
        if model:
            chosen_model = settings.image_text.model_copy(update={"model": model})
            settings = settings.model_copy(update={"image_text": chosen_model})
        self._encoder: ImageTextEmbedding = named_engine(settings, "image_text_embedding", engine)
        # The video and clip of the last item, and its frames as vectors.
        self._held: tuple[tuple[str | None, TimeSpan | None], Vectors] | None = None

    def reply(self, asked: Asked) -> Reply:
        """The option nearest to the frames that are nearest to the question."""
        if not asked.options:
            return abstained()
        frames = self._frames(asked)
        question, *options = self._encoder.embed_texts([asked.turn.question, *asked.options])
        return chosen(asked, nearest_option(frames, question, np.array(options)))

    def _frames(self, asked: Asked) -> Vectors:
        """The frames of a video as vectors; items of one video are asked one after the other."""
        shown_of = asked.item.media, asked.item.clip
        if self._held is None or self._held[0] != shown_of:
            shown = view_named(BAG_OF_FRAMES).show(asked.item, self._workspace, _LONG_SIDE, asked.seed)
            self._held = shown_of, frame_vectors(self._encoder, shown.frames)
        return self._held[1]


def nearest_option(frames: Vectors, question: Vectors, options: Vectors) -> int:
    """The place of the option with the largest sum of cosines with the `FRAMES` frames nearest to the question.

    Args:
        frames: (frames, dimensions), rows of length 1, as the others.
        question: (dimensions,).
        options: (options, dimensions).
    """
    nearest = np.argsort(-(frames @ question), kind="stable")[:FRAMES]
    return int((options @ frames[nearest].T).sum(axis=1).argmax())
