"""OWLv2 (Minderer et al. 2023) through transformers: finds things by any name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import cv2

from longtake.config import Settings
from longtake.errors import EngineError
from longtake.preprocess.engines.objects.object_engine import FoundObject, ObjectQuery, box_of
from longtake.preprocess.engines.torchvision_import import make_importable
from longtake.preprocess.media.frames import Picture

_FILES = ("config.json", "model.safetensors")
_PROMPT = "a photo of a {}"  # the simplest of the authors' prompts
_SAME = 0.5  # intersection over union above which two boxes are one thing


class Owlv2:
    """Finds things by name in one picture at a time."""

    CALLS: ClassVar[Mapping[str, float]] = {"find": 1800.0}  # the first may download the model
    max_pictures = 12

    def __init__(self, settings: Settings) -> None:
        self._name = settings.objects.model
        self._may_fetch = settings.objects.fetch and not settings.offline
        self._min_confidence = settings.objects.min_confidence
        folder = _folder(self._name)
        self.id = f"owlv2/{folder.name if folder else self._name}"

    def cannot(self, query: ObjectQuery) -> str | None:
        """See `ObjectEngine`: any name works."""
        return None

    def find(self, picture: Picture, query: ObjectQuery) -> list[FoundObject]:
        """See `ObjectEngine`."""
        import torch  # pyright: ignore[reportMissingImports] - an extra
        from PIL import Image

        height, width = picture.shape[:2]
        model, processor = self._loaded
        rgb = Image.fromarray(picture[..., ::-1])
        inputs = processor(text=[[_PROMPT.format(query.name)]], images=rgb, return_tensors="pt").to(model.device)
        with torch.inference_mode():
            outputs = model(**inputs)
        [drawn] = processor.post_process_grounded_object_detection(
            outputs, threshold=self._min_confidence, target_sizes=[(height, width)]
        )
        corners, scores = drawn["boxes"].tolist(), drawn["scores"].tolist()
        boxes = [(left, top, right - left, bottom - top) for left, top, right, bottom in corners]
        kept = cv2.dnn.NMSBoxes(boxes, scores, self._min_confidence, _SAME) if boxes else []
        found = [_found(query.name, corners[number], scores[number], width, height) for number in kept]
        return [each for each in found if each.box[2] * each.box[3] > 0]  # the rest are outside the picture

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The model and its processor."""
        import torch  # pyright: ignore[reportMissingImports] - an extra

        make_importable()
        from transformers import Owlv2ForObjectDetection, Owlv2Processor  # pyright: ignore[reportMissingImports]

        options: dict[str, Any] = {"local_files_only": not self._may_fetch}
        try:
            processor = Owlv2Processor.from_pretrained(self._name, **options)
            model: Any = Owlv2ForObjectDetection.from_pretrained(self._name, **options)
        except (OSError, RuntimeError, ValueError) as error:
            [problem, *_] = str(error).strip().splitlines() or [type(error).__name__]
            raise EngineError(
                f"Couldn't load the OWLv2 model {self._name} ({problem.rstrip('.')}): "
                "give the name or folder of another with --set objects.model=NAME."
            ) from error
        return model.eval().to("cuda" if torch.cuda.is_available() else "cpu"), processor


def missing_model(settings: Settings) -> str | None:
    """Why the model in the settings can't be used, and what to do; None if it can. Loads nothing."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    name = settings.objects.model
    folder = _folder(name)
    if folder:
        absent = [file for file in _FILES if not (folder / file).is_file()]
        remedy = "isn't an OWLv2 model: give the folder of one with --set objects.model=DIR"
        return f"{name} has no {absent[0]}, so it {remedy}" if absent else None
    try:
        on_disk = all(isinstance(try_to_load_from_cache(name, file), str) for file in _FILES)
    except HFValidationError:
        return f"{name} is neither a folder nor the name of a model: give one with --set objects.model=NAME"
    if on_disk or (settings.objects.fetch and not settings.offline):
        return None
    if settings.offline:
        return "no OWLv2 model on disk: give its folder with --set objects.model=DIR; --offline forbids downloads"
    return (
        "no OWLv2 model on disk: give its folder with --set objects.model=DIR, or --set objects.fetch=true to download "
        f"`{name}`"
    )


def _folder(name: str) -> Path | None:
    path = Path(name).expanduser()
    return path if path.is_dir() else None


def _found(name: str, corners: list[float], score: float, width: int, height: int) -> FoundObject:
    """One box, clipped to the picture: the model sees a padded square, and its boxes may extend beyond the picture."""
    left, right = (min(max(corners[side], 0.0), width) for side in (0, 2))
    top, bottom = (min(max(corners[side], 0.0), height) for side in (1, 3))
    return FoundObject(name, box_of((left, top, right - left, bottom - top), (height, width)), round(score, 3))
