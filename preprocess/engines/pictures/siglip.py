"""SigLIP (Zhai et al. 2023) and SigLIP 2 (Tschannen et al. 2025) through transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from longtake.lazy import cached_property
from longtake.memory.search.search_types import Vectors
from longtake.preprocess.engines.pictures.unit_rows import unit_rows
from longtake.preprocess.engines.transformers_folders import ModelKind, read_config
from longtake.preprocess.media.frames import Picture
from longtake.settings import Settings

KIND = ModelKind(
    "SigLIP",
    ("siglip", "siglip2"),
    "image_text.model",
    "image-text vectors",
    "AutoModel",
    "AutoProcessor",
    "siglip2-base",
)
_BATCH = 16  # pictures


class Siglip:
    """The model's own projections of pictures and texts."""

    def __init__(self, settings: Settings) -> None:
        """Load nothing yet; `KIND.missing` has checked the folder."""
        self._name = settings.image_text.model
        self.floor = settings.image_text.floor
        self.id = f"siglip-{KIND.identity(self._name)}"

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector."""
        folder = KIND.folder(self._name)
        sides = read_config(folder) if folder else {}
        text = sides.get("text_config", {})
        return int(text.get("projection_size") or text.get("hidden_size") or 768)  # of the base size

    def embed_images(self, pictures: Sequence[Picture]) -> Vectors:
        """See `ImageTextEmbedding`."""
        from PIL import Image

        model, processor = self._loaded
        rows = [np.zeros((0, self.dimensions), np.float32)]
        for start in range(0, len(pictures), _BATCH):
            images = [Image.fromarray(picture[..., ::-1]) for picture in pictures[start : start + _BATCH]]
            inputs = processor.image_processor(images=images, return_tensors="pt")
            rows.append(self._rows(model.get_image_features, inputs))
        return np.concatenate(rows)

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """See `ImageTextEmbedding`; the model knows every text, if only by its letters."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        model, processor = self._loaded
        longest = model.config.text_config.max_position_embeddings
        lower = [text.lower() for text in texts]  # as in training
        inputs = processor.tokenizer(
            lower, padding="max_length", max_length=longest, truncation=True, return_tensors="pt"
        )
        inputs.pop("attention_mask", None)  # trained without one
        return self._rows(model.get_text_features, inputs)

    def _rows(self, features: Any, inputs: Any) -> Vectors:
        import torch  # pyright: ignore[reportMissingImports] - an extra

        with torch.inference_mode():
            found = features(**inputs.to(self._loaded[0].device))
        pooled = getattr(found, "pooler_output", found)  # older releases return the vectors themselves
        return unit_rows(pooled.float().cpu().numpy())

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return KIND.load(self._name)
