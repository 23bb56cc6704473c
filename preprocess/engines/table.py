"""Which engine supplies which capability; an engine's module is imported when it is first used."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from longtake.config import EngineSettings, Settings
from longtake.errors import ConfigError, EngineError


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an engine lives, what it is, and the packages it needs (and the extra that installs them)."""

    target: str
    summary: str
    packages: tuple[str, ...] = ()
    extra: str = ""

    def missing(self) -> str | None:
        """Why the engine cannot be used here, with what to do; None when it can."""
        absent = [name for name in self.packages if find_spec(name) is None]
        if not absent:
            return None
        install = f"pip install 'longtake[{self.extra}]'" if self.extra else "pip install longtake"
        return f"{', '.join(absent)} not installed: {install}"


ENGINES: Mapping[str, Mapping[str, Entry]] = {
    "shots": {
        "content": Entry(
            "longtake.preprocess.engines.shots:ContentShots", "PySceneDetect's content detector", ("scenedetect",)
        ),
    },
    "speech": {
        "subtitles": Entry(
            "longtake.preprocess.engines.speech:SubtitleSpeech", "subtitles beside the file or inside it"
        ),
    },
    "scene_text": {
        "rapidocr": Entry(
            "longtake.preprocess.engines.rapidocr:RapidOcr", "PP-OCR in ONNX", ("rapidocr", "onnxruntime")
        ),
    },
    "sounds": {
        "spectral": Entry(
            "longtake.preprocess.engines.spectral_sounds:SpectralSounds",
            "voice activity (Silero) and spectral events",
            ("faster_whisper", "onnxruntime"),
        ),
    },
    "text_embedding": {
        "wordllama": Entry(
            "longtake.preprocess.engines.wordllama:WordLlamaEmbedding", "static word vectors, 256-d", ("wordllama",)
        ),
    },
    "summary": {
        "textrank": Entry("longtake.preprocess.engines.textrank:TextRank", "extractive, graph ranking over sentences"),
    },
}


@dataclass(frozen=True, slots=True)
class CapabilityReport:
    """What `doctor` says of one capability."""

    capability: str
    engine: str | None
    summary: str
    reasons: Mapping[str, str] = field(default_factory=dict)


class EngineTable:
    """The engines of one run: chosen by the profile's order, loaded once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._loaded: dict[str, Any] = {}
        self._loading = threading.Lock()
        for capability in EngineSettings.model_fields:
            for name in self._wanted(capability):
                if name not in ENGINES[capability]:
                    raise ConfigError(_unknown(capability, name))

    def report(self, capability: str) -> CapabilityReport:
        """The engine a capability would use now, and why the ones before it cannot be used."""
        reasons: dict[str, str] = {}
        for name in self._wanted(capability):
            entry = ENGINES[capability][name]
            reason = entry.missing()
            if reason is None:
                return CapabilityReport(capability, name, entry.summary, reasons)
            reasons[name] = reason
        return CapabilityReport(capability, None, "", reasons)

    def reports(self) -> list[CapabilityReport]:
        """One report for each capability."""
        return [self.report(capability) for capability in ENGINES]

    def load(self, capability: str) -> Any:
        """The engine of a capability, made on first use; calls at once wait for the same one.

        Raises:
            EngineError: when none of the profile's engines can be used here.
        """
        with self._loading:
            if capability not in self._loaded:
                self._loaded[capability] = self._make(capability)
            return self._loaded[capability]

    def _make(self, capability: str) -> Any:
        report = self.report(capability)
        if report.engine is None:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in report.reasons.items())
            raise EngineError(f"No engine for {capability}: {reasons or 'the profile names none'}.")
        module, _, attribute = ENGINES[capability][report.engine].target.partition(":")
        return getattr(import_module(module), attribute)(self.settings)

    def _wanted(self, capability: str) -> tuple[str, ...]:
        wanted: tuple[str, ...] = getattr(self.settings.engines, capability)
        return wanted


def _unknown(capability: str, name: str) -> str:
    known = ENGINES[capability]
    close = get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"engines.{capability}: no engine {name!r}.{hint} Known: {', '.join(known)}."
