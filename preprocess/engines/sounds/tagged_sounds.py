"""Adds the sounds that a tagging model of transformers names to what the embedded engine finds.

A tagger hears clips of eight seconds, four seconds apart. A sound is in a part of four seconds if both of the clips
that contain it have the sound, so times are good to about four seconds.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import yaml
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler

from longtake.lazy import cached_property
from longtake.preprocess.engines.sounds.sound_engine import Measures, SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import LEVEL_STEP, RATE, Array, Features, decibels, join
from longtake.preprocess.engines.sounds.spectral_levels import SILENCE_DB
from longtake.preprocess.engines.sounds.spectral_runs import event_over, overlap, runs_of
from longtake.preprocess.engines.sounds.spectral_sounds import SpectralSounds
from longtake.preprocess.engines.transformers_folders import ModelKind, read_config
from longtake.preprocess.media.audio import TOUCHING, AudioBlock, Samples
from longtake.settings import Settings

PART = 4  # seconds
_PROMPT = "This is a sound of {}."  # the prompt of CLAP's authors for recognition
Measured = npt.NDArray[np.floating[Any]]


class TaggedSounds(SpectralSounds, ABC):
    """The embedded engine with a tagger. Its id changes with the model's files, its labels and the limit."""

    CALLS: ClassVar[Mapping[str, float]] = {"measure": 600.0}
    kind: ClassVar[ModelKind]

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._name = settings.sounds.model
        self._min_confidence = settings.sounds.min_confidence
        self.labels = self.read_labels(settings)
        facts = (self.kind.identity(self._name), *self.labels, str(self._min_confidence))
        digest = hashlib.blake2b("\n".join(facts).encode(), digest_size=8).hexdigest()
        self.id = f"{SpectralSounds.id}+{self.kind.title.lower()}/{digest}"

    @abstractmethod
    def read_labels(self, settings: Settings) -> tuple[str, ...]:
        """The names of the sounds, without loading the model."""

    @abstractmethod
    def tag(self, clips: Sequence[Samples]) -> Array:
        """The confidence of each label, 0 to 1, of shape (clips, labels); `clips` are at `rate`.

        Raises:
            EngineError: if the model can't be loaded.
        """

    def measure(self, block: AudioBlock, previous: AudioBlock | None) -> Measures:
        """The measures of the embedded engine, and the labels of each part."""
        follows = previous is not None and abs(block.start - previous.end) <= TOUCHING
        length = PART * block.rate
        before = previous.samples[-length:] if previous is not None and follows else block.samples[:0]
        samples = np.concatenate([before, block.samples])
        starts = np.arange(0, len(block.samples), length)
        clips = [samples[max(0, len(before) + start - length) : len(before) + start + length] for start in starts]
        audible = [bool(decibels((clip.astype(np.float64) ** 2).mean()) > SILENCE_DB) for clip in clips]
        tags = np.zeros((len(clips), len(self.labels)), np.float16)
        if any(audible):
            tags[audible] = self.tag([clip for clip, heard in zip(clips, audible, strict=True) if heard])
        plain = super().measure(_resampled(block), _resampled(previous) if previous else None)
        times = block.start + starts / block.rate
        ends = np.minimum(times + PART, block.end)
        return {**plain, "tags": tags, "tag_times": np.stack([times, ends], axis=1)}

    def detect(self, measured: Sequence[Measures]) -> list[SoundEvent]:
        """Events of a whole track, by start; a sound that both find under one name is the embedded engine's."""
        found = super().detect(measured)
        if not measured:
            return found
        features = join(measured)
        times = np.concatenate([measures["tag_times"] for measures in measured])
        tags = np.concatenate([measures["tags"] for measures in measured])
        gaps = np.flatnonzero(times[1:, 0] - times[:-1, 1] > TOUCHING) + 1
        for stretch in np.split(np.arange(len(times)), gaps):
            named = self._tagged_events(features, times[stretch], tags[stretch])
            found += [event for event in named if not _is_known(event, found)]
        return sorted(found, key=lambda event: (event.start, event.end, event.kind))

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The model and its processor."""
        return self.kind.load(self._name)

    def _tagged_events(self, features: Features, times: Measured, tags: Measured) -> list[SoundEvent]:
        """The tagged events of a stretch without a gap."""
        both = np.minimum(tags, np.concatenate([tags[1:], tags[-1:]]))  # the last part has only one clip
        sure = both >= self._min_confidence
        return [
            event_over(
                features,
                self.labels[label],
                (round(times[start, 0] / LEVEL_STEP), round(times[end - 1, 1] / LEVEL_STEP)),
                LEVEL_STEP,
                float(both[start:end, label].max()),
            )
            for label in np.flatnonzero(sure.any(axis=0))
            for start, end in runs_of(sure[:, label])
        ]


class AstSounds(TaggedSounds):
    """AST (Gong et al. 2021) names everyday sounds with the labels of AudioSet; several may be sure at once."""

    kind = ModelKind(
        "AST",
        ("audio-spectrogram-transformer",),
        "sounds.model",
        "sounds",
        "ASTForAudioClassification",
        "ASTFeatureExtractor",
        "ast-audioset",
    )

    def read_labels(self, settings: Settings) -> tuple[str, ...]:
        """The labels in the model's config.json."""
        folder = self.kind.folder(settings.sounds.model)
        names = read_config(folder).get("id2label", {}) if folder else {}
        return tuple(names[number] for number in sorted(names, key=int))

    def tag(self, clips: Sequence[Samples]) -> Array:
        """See `TaggedSounds`."""
        import torch  # pyright: ignore[reportMissingImports] - an extra

        model, extractor = self._loaded
        inputs = extractor(list(clips), sampling_rate=RATE, return_tensors="pt").to(model.device)
        with torch.inference_mode():
            return np.asarray(torch.sigmoid(model(**inputs).logits).cpu().numpy(), np.float64)


class ClapSounds(TaggedSounds):
    """CLAP (Wu et al. 2023) chooses one of any names for each stretch, without training for them."""

    kind = ModelKind("CLAP", ("clap",), "sounds.model", "sounds", "ClapModel", "ClapProcessor", "clap")
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


def _is_known(event: SoundEvent, found: Sequence[SoundEvent]) -> bool:
    return any(one.kind.casefold() == event.kind.casefold() and overlap(one, event) > 0 for one in found)


def _resampled(block: AudioBlock) -> AudioBlock:
    """A block at the rate of the embedded engine."""
    if block.rate == RATE:
        return block
    frame = AudioFrame.from_ndarray(np.ascontiguousarray(block.samples[None]), format="fltp", layout="mono")
    frame.sample_rate = block.rate
    resampler = AudioResampler(format="fltp", layout="mono", rate=RATE)
    frames: list[Any] = [*resampler.resample(frame), *resampler.resample(None)]
    samples = np.concatenate([each.to_ndarray()[0] for each in frames])
    return AudioBlock(block.start, samples[: round(len(block.samples) * RATE / block.rate)], RATE)
