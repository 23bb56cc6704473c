"""Detectors that find things by any name, through transformers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import cv2

from longtake.lazy import cached_property
from longtake.preprocess.engines.objects.object_engine import FoundObject, ObjectQuery, box_of
from longtake.preprocess.engines.transformers_folders import ModelKind
from longtake.preprocess.media.frames import Picture
from longtake.settings import Settings

_SAME = 0.5  # intersection over union above which two boxes are one thing


class NamedObjects(ABC):
    """Finds things by name in one picture at a time, with a model of `settings.objects`."""

    CALLS: ClassVar[Mapping[str, float]] = {"find": 600.0}  # the first loads the model
    max_pictures = 12
    kind: ClassVar[ModelKind]

    def __init__(self, settings: Settings) -> None:
        """Load nothing yet."""
        self._name = settings.objects.model
        self._min_confidence = settings.objects.min_confidence
        self.id = f"{self.kind.title.lower().replace(' ', '-')}-{self.kind.identity(self._name)}"

    @abstractmethod
    def prompt(self, name: str) -> Any:
        """The texts that the processor is given, to find things of this name."""

    def more_for_boxes(self, inputs: Any) -> dict[str, Any]:
        """What the processor needs, besides the usual, to read the boxes in the model's output for these inputs."""
        return {}

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The model and its processor."""
        return self.kind.load(self._name)

    def cannot(self, query: ObjectQuery) -> str | None:
        """See `ObjectEngine`: any name works."""
        return None

    def find(self, picture: Picture, query: ObjectQuery) -> list[FoundObject]:
        """See `ObjectEngine`."""
        import torch  # pyright: ignore[reportMissingImports] - an extra
        from PIL import Image

        model, processor = self._loaded
        height, width = picture.shape[:2]
        image = Image.fromarray(picture[..., ::-1])
        inputs = processor(text=self.prompt(query.name), images=image, return_tensors="pt").to(model.device)
        with torch.inference_mode():
            outputs = model(**inputs)
        [drawn] = processor.post_process_grounded_object_detection(
            outputs, threshold=self._min_confidence, target_sizes=[(height, width)], **self.more_for_boxes(inputs)
        )
        corners, scores = drawn["boxes"].tolist(), drawn["scores"].tolist()  # left, top, right and bottom in pixels
        boxes = [(left, top, right - left, bottom - top) for left, top, right, bottom in corners]
        kept = cv2.dnn.NMSBoxes(boxes, scores, self._min_confidence, _SAME) if boxes else []
        found = [_clipped_box(query.name, corners[number], scores[number], width, height) for number in kept]
        return [each for each in found if each.box[2] * each.box[3] > 0]  # the rest are outside the picture


class Owlv2(NamedObjects):
    """OWLv2 (Minderer et al. 2023): compares every patch of the picture with the name."""

    kind = ModelKind(
        "OWLv2", ("owlv2",), "objects.model", "objects", "Owlv2ForObjectDetection", "Owlv2Processor", "owlv2-base"
    )

    def prompt(self, name: str) -> Any:
        """The simplest of the prompts of its authors."""
        return [[f"a photo of a {name}"]]


class GroundingDino(NamedObjects):
    """Grounding DINO (Liu et al. 2023): reads the name together with the picture."""

    kind = ModelKind(
        "Grounding DINO",
        ("grounding-dino",),
        "objects.model",
        "objects",
        "GroundingDinoForObjectDetection",
        "GroundingDinoProcessor",
        "grounding-dino-tiny",
    )

    def prompt(self, name: str) -> Any:
        """The form of its authors: lower case, with a full stop."""
        return f"{name.lower()}."

    def more_for_boxes(self, inputs: Any) -> dict[str, Any]:
        """The words; with one name, which of them a box belongs to doesn't matter."""
        return {"input_ids": inputs["input_ids"], "text_threshold": 0.0}


def _clipped_box(name: str, corners: list[float], score: float, width: int, height: int) -> FoundObject:
    """One box, clipped to the picture: the model may see a padded square, and its boxes extend beyond the picture."""
    left, right = (min(max(corners[side], 0.0), width) for side in (0, 2))
    top, bottom = (min(max(corners[side], 0.0), height) for side in (1, 3))
    return FoundObject(name, box_of((left, top, right - left, bottom - top), (height, width)), round(score, 3))
