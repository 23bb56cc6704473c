"""Pictures to a Qwen2.5-VL (Bai et al. 2025) or Qwen3-VL through transformers: captions and questions, in process.

Pictures only, because the models' processors need torchvision for videos: the image processor and the tokenizer are
joined here.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from longtake.lazy import cached_property
from longtake.preprocess.engines.endpoints.caption_engine import PictureRefused
from longtake.preprocess.engines.endpoints.picture_endpoint import CaptionEndpoint, VisualQuestionEndpoint
from longtake.preprocess.engines.transformers_folders import ModelKind, plain, write_reply
from longtake.settings import EndpointSettings, Settings

_PICTURE = "<|image_pad|>"


class TransformersPictures:
    """Sends texts and pictures to a model that the first of them loads."""

    def __init__(self, section: str, own: EndpointSettings) -> None:
        """Prepare the model of a section of the settings; `missing_...` has checked it."""
        self._kind = _kind(section)
        self._name = own.model
        self._seconds = own.timeout
        self.model = f"transformers-vl/{self._kind.identity(own.model)}"

    def ask(self, parts: Sequence[str | bytes], max_tokens: int, seconds: float | None = None) -> str:
        """As `PictureEndpoint.ask`; loads the model first, which doesn't count towards the time.

        Raises:
            PictureRefused: if the model returns no text.
            EngineError: if it can't be loaded, or fails.
        """
        model, tokenizer = self._loaded
        inputs = self._inputs(parts).to(model.device)
        limit = min(seconds or self._seconds, self._seconds)
        reply = write_reply(self._kind, model, tokenizer, inputs, max_tokens, limit)
        if not reply:
            raise PictureRefused(f"The model {self._name} wrote no text.")
        return reply

    def _inputs(self, parts: Sequence[str | bytes]) -> Any:
        """The parts in order as one turn: tokens, with as many places for each picture as it has patches."""
        import torch  # pyright: ignore[reportMissingImports] - an extra
        from PIL import Image
        from transformers import BatchFeature  # pyright: ignore[reportMissingImports] - an extra

        _, tokenizer = self._loaded
        content = [
            {"type": "text", "text": plain(part, tokenizer)} if isinstance(part, str) else {"type": "image"}
            for part in parts
        ]
        prompt: str = tokenizer.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
        )
        pictures = [Image.open(io.BytesIO(part)).convert("RGB") for part in parts if isinstance(part, bytes)]
        seen = self._image_processor(images=pictures, return_tensors="pt") if pictures else {}
        head, *rest = prompt.split(_PICTURE)
        for grid, text in zip(seen.get("image_grid_thw", ()), rest, strict=True):
            head += _PICTURE * (int(grid.prod()) // self._image_processor.merge_size**2) + text
        tokens = tokenizer(head, return_tensors="pt", add_special_tokens=False)
        kinds = (tokens["input_ids"] == tokenizer.convert_tokens_to_ids(_PICTURE)).to(torch.int32)
        return BatchFeature({**tokens, **seen, "mm_token_type_ids": kinds})

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return self._kind.load(self._name)

    @cached_property
    def _image_processor(self) -> Any:
        from transformers import AutoImageProcessor  # pyright: ignore[reportMissingImports] - an extra

        return AutoImageProcessor.from_pretrained(self._kind.folder(self._name), local_files_only=True)


class TransformersCaptions(CaptionEndpoint):
    """Describes a few pictures at a time with the model of `settings.captions`."""

    CALLS: ClassVar[Mapping[str, float]] = {"describe": 900.0}

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, TransformersPictures("captions", settings.captions))


class TransformersVisualQuestions(VisualQuestionEndpoint):
    """Asks the model of `settings.visual_question`."""

    CALLS: ClassVar[Mapping[str, float]] = {"answer": 900.0}

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, TransformersPictures("visual_question", settings.visual_question))


def _missing(section: str, settings: Settings) -> str | None:
    """Why the model of a section can't be used, and what to do; None if it can. Nothing is loaded."""
    if getattr(settings, section).base_url:
        return f"{section}.base_url names an endpoint: leave it out to run a model here"
    return _kind(section).missing(settings)


missing_caption_model = partial(_missing, "captions")
missing_question_model = partial(_missing, "visual_question")


def _kind(section: str) -> ModelKind:
    return ModelKind(
        "Qwen2.5-VL or Qwen3-VL",
        ("qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe"),
        f"{section}.model",
        "pictures",
        "AutoModelForImageTextToText",
        "AutoTokenizer",
    )
