"""Grounding DINO (Liu et al. 2023) through transformers: finds things by any name."""

from __future__ import annotations

from typing import Any

from longtake.lazy import cached_property
from longtake.preprocess.engines.objects.named_objects import NamedObjects
from longtake.preprocess.engines.transformers_folders import ModelKind

KIND = ModelKind("Grounding DINO", ("grounding-dino",), "objects.model", "objects", "grounding-dino-tiny")


class GroundingDino(NamedObjects):
    """Reads the name together with the picture."""

    kind = KIND

    def detect(self, image: Any, name: str) -> tuple[list[list[float]], list[float]]:
        """See `NamedObjects`."""
        import torch  # pyright: ignore[reportMissingImports] - an extra

        model, processor = self._loaded
        prompt = f"{name.lower()}."  # the authors' form: lower case, with a full stop
        inputs = processor(text=prompt, images=image, return_tensors="pt").to(model.device)
        with torch.inference_mode():
            outputs = model(**inputs)
        [drawn] = processor.post_process_grounded_object_detection(
            outputs,
            inputs["input_ids"],
            threshold=self._min_confidence,
            text_threshold=0.0,  # one name: which of its words a box belongs to doesn't matter
            target_sizes=[(image.height, image.width)],
        )
        return drawn["boxes"].tolist(), drawn["scores"].tolist()

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return KIND.load(self._name, "GroundingDinoForObjectDetection", "GroundingDinoProcessor")
