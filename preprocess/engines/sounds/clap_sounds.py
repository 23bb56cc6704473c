"""CLAP (Wu et al. 2023) through transformers: recognises sounds by any names, without training for them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import yaml

from longtake.lazy import cached_property
from longtake.preprocess.engines.sounds.spectral_features import Array
from longtake.preprocess.engines.sounds.tagged_sounds import TaggedSounds
from longtake.preprocess.engines.transformers_folders import ModelKind
from longtake.preprocess.media.audio import Samples
from longtake.settings import Settings

KIND = ModelKind("CLAP", ("clap",), "sounds.model", "sounds", "clap")
_PROMPT = "This is a sound of {}."  # the authors' prompt for recognition


class ClapSounds(TaggedSounds):
    """The embedded engine and a CLAP, which chooses one of the names for each stretch."""

    kind = KIND
    rate = 48_000

    def read_labels(self, settings: Settings) -> tuple[str, ...]:
        """The names in the settings, or else those in `configs/sounds.yaml`."""
        listed = (files("longtake.configs") / "sounds.yaml").read_text(encoding="utf-8")
        return settings.sounds.names or tuple(yaml.safe_load(listed))

    def tag(self, clips: Sequence[Samples]) -> Array:
        """See `TaggedSounds`; the confidences of a clip sum to 1."""
        import torch  # pyright: ignore[reportMissingImports] - an extra

        model, processor = self._loaded
        prompts = [_PROMPT.format(label) for label in self.labels]
        inputs = processor(
            text=prompts, audio=list(clips), sampling_rate=self.rate, padding=True, return_tensors="pt"
        ).to(model.device)
        with torch.inference_mode():
            return np.asarray(model(**inputs).logits_per_audio.softmax(dim=-1).cpu().numpy(), np.float64)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return KIND.load(self._name, "ClapModel", "ClapProcessor")
