"""AST (Gong et al. 2021) through transformers: names everyday sounds with the labels of AudioSet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from longtake.lazy import cached_property
from longtake.preprocess.engines.sounds.spectral_features import RATE, Array
from longtake.preprocess.engines.sounds.tagged_sounds import TaggedSounds
from longtake.preprocess.engines.transformers_folders import ModelKind, read_config
from longtake.preprocess.media.audio import Samples
from longtake.settings import Settings

KIND = ModelKind("AST", ("audio-spectrogram-transformer",), "sounds.model", "sounds", "ast-audioset")


class AstSounds(TaggedSounds):
    """The embedded engine and an AST; several labels may be sure at once."""

    kind = KIND

    def read_labels(self, settings: Settings) -> tuple[str, ...]:
        """The labels in the model's config.json."""
        folder = KIND.folder(settings.sounds.model)
        names = read_config(folder).get("id2label", {}) if folder else {}
        return tuple(names[number] for number in sorted(names, key=int))

    def tag(self, clips: Sequence[Samples]) -> Array:
        """See `TaggedSounds`."""
        import torch  # pyright: ignore[reportMissingImports] - an extra

        model, extractor = self._loaded
        inputs = extractor(list(clips), sampling_rate=RATE, return_tensors="pt").to(model.device)
        with torch.inference_mode():
            return np.asarray(torch.sigmoid(model(**inputs).logits).cpu().numpy(), np.float64)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return KIND.load(self._name, "ASTForAudioClassification", "ASTFeatureExtractor")
