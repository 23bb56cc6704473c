"""PocketSphinx (github.com/cmusphinx/pocketsphinx): English speech without a downloaded model.

In real recordings about half of its words are wrong, so they may lead to a place but prove nothing. Its posteriors
reflect this: over 254 words of 11 recordings, their mean is 0.45, and 46 % of the words are right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, ClassVar

from longtake.lazy import cached_property
from longtake.preprocess.engines.audio.speech_engine import RATE, SpeechSegment, Word
from longtake.preprocess.media.audio import Samples
from longtake.settings import Settings

_FRAMES = 100  # per second
_PAUSE_MS = 300  # between two utterances
_MAX_UTTERANCE = 20.0  # seconds; the search grows with its length
_PADDING_MS = 200
_FILLER = re.compile(r"[<\[+].*")  # <s>, <sil>, [NOISE], ++BREATH++
_VARIANT = re.compile(r"\(\d+\)$")  # been(2) is the second pronunciation of been


class PocketSphinx:
    """Recognises English with the model bundled in the package; Silero's detector finds the utterances."""

    CALLS: ClassVar[Mapping[str, float]] = {"recognise": 600.0}

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""
        self.id = f"pocketsphinx-{version('pocketsphinx')}/en-us"

    def detects_language(self) -> bool:
        """See `SpeechEngine`."""
        return False

    def recognise(self, samples: Samples, start: float, language: str | None) -> list[SpeechSegment]:
        """See `SpeechEngine`; always assumes English."""
        found = (
            self._segment(samples[first:last], start + first / RATE, start + len(samples) / RATE)
            for first, last in _utterances(samples)
        )
        return [segment for segment in found if segment]

    def _segment(self, samples: Samples, start: float, end: float) -> SpeechSegment | None:
        self._decoder.start_utt()
        self._decoder.process_raw((samples * 32767).astype("<i2").tobytes(), full_utt=True)
        self._decoder.end_utt()
        words = tuple(_words(self._decoder.seg() or (), start, end))
        if not words:
            return None
        confidence = sum(word.probability for word in words) / len(words)
        return SpeechSegment(words, " ".join(word.text for word in words), "en", confidence, trusted=False)

    @cached_property
    def _decoder(self) -> Any:
        from pocketsphinx import Decoder

        # Normalised over each utterance: with a running mean, earlier sound would change the result.
        return Decoder(cmn="batch", samprate=RATE, loglevel="FATAL")


def _utterances(samples: Samples) -> Iterator[tuple[int, int]]:
    """First and last sample of each utterance."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(
        min_silence_duration_ms=_PAUSE_MS, max_speech_duration_s=_MAX_UTTERANCE, speech_pad_ms=_PADDING_MS
    )
    for utterance in get_speech_timestamps(samples, options):
        yield utterance["start"], utterance["end"]


def _words(found: Any, start: float, end: float) -> Iterator[Word]:
    for segment in found:
        if not _FILLER.match(segment.word):
            text = _VARIANT.sub("", segment.word)
            begun, ended = start + segment.start_frame / _FRAMES, start + (segment.end_frame + 1) / _FRAMES
            yield Word(begun, min(ended, end), text, min(1.0, float(segment.prob)))
