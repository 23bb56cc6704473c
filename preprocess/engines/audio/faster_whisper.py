"""Whisper (Radford et al. 2022) in CTranslate2, by faster-whisper: with voice activity detection and word times."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

from longtake.config import Settings
from longtake.errors import ConfigError, EngineError
from longtake.preprocess.engines.audio.speech_engine import RATE, SpeechSegment, Word
from longtake.preprocess.media.audio import Samples

# Decodings that Whisper's own reference gives up and samples anew (Radford et al. 2022, section 4.5).
_MAX_REPETITIVE = 2.4  # size of the text over its size when compressed
_LEAST_LOG_PROBABILITY = -1.0  # mean over the tokens

_FILES = ("model.bin", "config.json", "tokenizer.json")
_SIZES = {
    "tiny": "75 MB",
    "base": "145 MB",
    "small": "480 MB",
    "medium": "1.5 GB",
    "turbo": "1.6 GB",
    "large-v3": "3.1 GB",
}
_HASHED = 1 << 20  # bytes at either end of the weights that tell two models apart


class FasterWhisper:
    """Recognises speech in about a hundred languages.

    Decoding takes the likeliest words only. The reference samples when that fails, which would give other words in
    every run; here what it would have sampled anew is kept and not trusted.

    The id names the model, not the device: precision differs between processors in a few words an hour, and a library
    is not recognised again because it was moved.
    """

    CALLS: ClassVar[Mapping[str, float]] = {"recognise": 1800.0}  # the first may download gigabytes

    option = "speech.model"  # the setting that names the model

    def __init__(self, settings: Settings) -> None:
        self._name = _named(settings, self.option) or ""
        self._may_fetch = settings.speech.fetch and not settings.offline
        self.id = f"faster-whisper-{version('faster-whisper')}/{_identity(self._name)}"

    def recognise(self, samples: Samples, start: float, language: str | None) -> list[SpeechSegment]:
        """See `SpeechEngine`; a language that Whisper does not know is a `ConfigError`."""
        if language is not None and language not in self._model.supported_languages:
            raise ConfigError(
                f"speech.language: the model {self._name} does not know {language!r}; leave it out to have it detected."
            )
        segments, about = self._model.transcribe(
            samples,
            language=language,
            temperature=0.0,
            condition_on_previous_text=False,  # what was misheard once is not heard again
            word_timestamps=True,
            vad_filter=True,
        )
        end = start + len(samples) / RATE
        return [_segment(segment, start, end, about.language) for segment in segments if segment.words]

    @cached_property
    def _model(self) -> Any:
        from ctranslate2 import get_cuda_device_count
        from faster_whisper import WhisperModel

        device, precision = ("cuda", "float16") if get_cuda_device_count() else ("cpu", "int8")
        folder = _folder(self._name)
        local = folder is not None or not self._may_fetch or _cached(self._name)
        try:
            return WhisperModel(
                str(folder or self._name), device=device, compute_type=precision, local_files_only=local
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise EngineError(
                f"The Whisper model {self._name} cannot be loaded ({_first_line(error)}): give the "
                f"name or the folder of another with --set {self.option}=NAME."
            ) from error


class CloserWhisper(FasterWhisper):
    """The larger model, which hears short spans again."""

    CALLS: ClassVar[Mapping[str, float]] = FasterWhisper.CALLS
    option = "speech.closer_model"


def missing_model(settings: Settings) -> str | None:
    """Why the model that the settings name cannot be used, with what to do; None when it can. Loads nothing."""
    return _missing(settings, FasterWhisper.option)


def missing_closer_model(settings: Settings) -> str | None:
    """The same of the larger model."""
    if settings.speech.closer_model is None:
        return "no larger Whisper is named: --set speech.closer_model=DIR"
    return _missing(settings, CloserWhisper.option)


def _missing(settings: Settings, option: str) -> str | None:
    name = _named(settings, option) or ""
    folder = _folder(name)
    if folder is not None:
        absent = [file for file in _FILES if not (folder / file).is_file()]
        wrong = f"is no Whisper model for CTranslate2: give the folder of one with --set {option}=DIR"
        return f"{name} holds no {absent[0]}, so it {wrong}" if absent else None
    try:
        on_disk = _cached(name)
    except ValueError:
        return f"{name} is neither a folder nor the name of a Whisper model: --set {option}=small is one"
    if on_disk or (settings.speech.fetch and not settings.offline):
        return None
    if settings.offline:
        return f"no Whisper model on disk: give its folder with --set {option}=DIR; --offline forbids to download one"
    size = f" ({_SIZES[name]})" if name in _SIZES else ""
    return (
        f"no Whisper model on disk: give its folder with --set {option}=DIR, or --set speech.fetch=true to download "
        f"`{name}`{size}"
    )


def _named(settings: Settings, option: str) -> str | None:
    return settings.speech.closer_model if option == CloserWhisper.option else settings.speech.model


def _cached(name: str) -> bool:
    """Whether a named model lies whole in the Hugging Face cache.

    Raises:
        ValueError: when no model can have that name.
    """
    from faster_whisper.utils import download_model

    try:
        folder = Path(download_model(name, local_files_only=True))
    except FileNotFoundError:
        return False
    return all((folder / file).is_file() for file in _FILES)


def _folder(name: str) -> Path | None:
    path = Path(name).expanduser()
    return path if path.is_dir() else None


def _identity(name: str) -> str:
    """A model's name, or eight bytes of hash of what lies in its folder: two at different places may be the same."""
    folder = _folder(name)
    if folder is None:
        return name
    content = hashlib.blake2b(digest_size=8)
    for file in sorted(folder / name for name in _FILES if (folder / name).is_file()):
        with file.open("rb") as stream:
            content.update(stream.read(_HASHED))
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _HASHED))
            content.update(stream.read())
    return content.hexdigest()


def _segment(segment: Any, start: float, end: float, language: str) -> SpeechSegment:
    words = []
    for word in segment.words:
        begun = min(start + float(word.start), end)
        ended = min(max(begun, start + float(word.end)), end)
        words.append(Word(begun, ended, word.word.strip(), float(word.probability)))
    certain = segment.avg_logprob >= _LEAST_LOG_PROBABILITY and segment.compression_ratio <= _MAX_REPETITIVE
    confidence = sum(word.probability for word in words) / len(words)
    return SpeechSegment(tuple(words), segment.text.strip(), language, confidence, certain)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
