"""OWLv2 (Minderer et al. 2023) through transformers: finds things by any name."""

from __future__ import annotations

from typing import Any

from longtake.lazy import cached_property
from longtake.preprocess.engines.objects.named_objects import NamedObjects
from longtake.preprocess.engines.transformers_folders import ModelKind

KIND = ModelKind("OWLv2", ("owlv2",), "objects.model", "objects", "owlv2-base")
_PROMPT = "a photo of a {}"  # the simplest of the authors' prompts


class Owlv2(NamedObjects):
    """Compares every patch of the picture with the name."""

    kind = KIND

    def detect(self, image: Any, name: str) -> tuple[list[list[float]], list[float]]:
        """See `NamedObjects`."""
        import torch  # pyright: ignore[reportMissingImports] - an extra

        model, processor = self._loaded
        inputs = processor(text=[[_PROMPT.format(name)]], images=image, return_tensors="pt").to(model.device)
        with torch.inference_mode():
            outputs = model(**inputs)
        [drawn] = processor.post_process_grounded_object_detection(
            outputs, threshold=self._min_confidence, target_sizes=[(image.height, image.width)]
        )
        return drawn["boxes"].tolist(), drawn["scores"].tolist()

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return KIND.load(self._name, "Owlv2ForObjectDetection", "Owlv2Processor")
