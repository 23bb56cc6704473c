"""Any model of OpenCLIP (open_clip_torch) in a folder: CLIP, SigLIP and others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from longtake.errors import EngineError, first_line
from longtake.lazy import cached_property
from longtake.memory.search.search_types import Vectors
from longtake.models.machine import placed
from longtake.preprocess.engines.pictures.unit_rows import unit_rows
from longtake.preprocess.engines.transformers_folders import content_id, make_importable, model_folder
from longtake.preprocess.media.frames import Picture
from longtake.settings import Settings

_CONFIG = "open_clip_config.json"
_WEIGHTS = ("open_clip_model.safetensors", "model.safetensors")
_BATCH = 16  # pictures
_REMEDY = "give the folder of an OpenCLIP model with --set image_text.model=DIR"


class OpenClip:
    """The model's own projections of pictures and texts."""

    def __init__(self, settings: Settings) -> None:
        """Load nothing yet; `missing_model` has checked the folder."""
        self._folder = _folder(settings) or Path()
        self.floor = settings.image_text.floor
        self.id = f"open-clip-{content_id(_parts(self._folder))}"

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(_read_description(self._folder)["embed_dim"])

    def embed_images(self, pictures: Sequence[Picture]) -> Vectors:
        """See `ImageTextEmbedding`."""
        import torch  # pyright: ignore[reportMissingImports] - an extra
        from PIL import Image

        model, prepare, _ = self._loaded
        rows = [np.zeros((0, self.dimensions), np.float32)]
        for start in range(0, len(pictures), _BATCH):
            images = [prepare(Image.fromarray(picture[..., ::-1])) for picture in pictures[start : start + _BATCH]]
            rows.append(self._rows(model.encode_image, torch.stack(images)))
        return np.concatenate(rows)

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """See `ImageTextEmbedding`; the model knows every text, if only by its letters."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        model, _, tokenize = self._loaded
        return self._rows(model.encode_text, tokenize(list(texts)))

    def _rows(self, encode: Any, inputs: Any) -> Vectors:
        import torch  # pyright: ignore[reportMissingImports] - an extra

        with torch.inference_mode():
            device = next(self._loaded[0].parameters()).device
            return unit_rows(encode(inputs.to(device)).float().cpu().numpy())

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any]:
        """The model, the preparation of a picture, and the tokenizer."""
        make_importable()
        open_clip: Any = import_module("open_clip")
        from safetensors import SafetensorError  # pyright: ignore[reportMissingImports] - an extra

        name = f"local-dir:{self._folder}"
        try:
            model, prepare = open_clip.create_model_from_pretrained(name, device="cpu")
            tokenizer = open_clip.get_tokenizer(name)
        except (OSError, RuntimeError, ValueError, KeyError, TypeError, AssertionError, SafetensorError) as error:
            raise EngineError(
                f"Couldn't load the OpenCLIP model in {self._folder} ({first_line(error)}): {_REMEDY}."
            ) from error
        return placed(model, "The OpenCLIP model"), prepare, tokenizer


def missing_model(settings: Settings) -> str | None:
    """Why no OpenCLIP model can be used, and what to do; None if one can. Loads nothing."""
    folder = _folder(settings)
    if folder is None:
        return f"no OpenCLIP model on disk: {_REMEDY}"
    if "embed_dim" not in _read_description(folder):
        return f"{folder} has no {_CONFIG} of a model: {_REMEDY}"
    if not any((folder / name).is_file() for name in _WEIGHTS):
        return f"{folder} has no {_WEIGHTS[0]}: {_REMEDY}"
    return None


def _folder(settings: Settings) -> Path | None:
    return model_folder(settings.image_text.model) if settings.image_text.model else None


def _read_description(folder: Path) -> dict[str, Any]:
    """The description of the model; empty if it can't be read."""
    try:
        found = json.loads((folder / _CONFIG).read_bytes())["model_cfg"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _parts(folder: Path) -> list[Path]:
    return [file for name in (_CONFIG, *_WEIGHTS) if (file := folder / name).is_file()]
