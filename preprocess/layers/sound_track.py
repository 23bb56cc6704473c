"""Chooses the sound track that is read, of several: the one with speech, by Silero on samples of each.

A recorder writes the desktop and the microphone as two tracks, and the first may be silent; a film has other languages,
a commentary and a description for the visually impaired, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.sounds.spectral_features import RATE
from longtake.preprocess.engines.sounds.spectral_voices import spoken_seconds
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.language_names import language_of
from longtake.preprocess.media.media import AudioStream, MediaInfo, played_first

_SAMPLES, _SECONDS = 12, 10.0  # spans listened to in each track, spread over it
_SOME = 0.5  # share of the most speech of a track that another one must have to be as good


def with_track(path: Path, media: MediaInfo, wanted: str | None, check_cancelled: Callable[[], None]) -> MediaInfo:
    """The media facts with the track to read, and the share of speech in each track if it was measured.

    Args:
        path: the file.
        media: its facts.
        wanted: the setting `speech.track`; a file that has no such track is listened to.
        check_cancelled: raises an error to stop.

    Raises:
        MediaError: if the file can't be opened.
    """
    if len(media.audio) < 2:
        return media
    if found := wanted_track(media, wanted):
        return replace(media, track=found.index)
    # A remark may lie between the samples, so tracks without speech are heard whole, unless another has some.
    for sampled in (True, False):
        spans = list(_spans(media.duration)) if sampled else [TimeSpan(start=0.0, end=media.duration)]
        heard = {each.index: _speech(path, media, each, spans, check_cancelled) for each in media.audio}
        if any(heard.values()):
            break
    audio = tuple(replace(each, speech=round(heard[each.index], 3)) for each in media.audio)
    return replace(media, audio=audio, track=_best(audio).index)


def wanted_track(media: MediaInfo, wanted: str | None) -> AudioStream | None:
    """The track of a number from 1 on, a language or a title; None if there is none."""
    if not wanted:
        return None
    if wanted.isdecimal():
        return dict(enumerate(media.audio, 1)).get(int(wanted))
    language = language_of(wanted)
    played = played_first(media.audio)
    titled = (each for each in played if wanted.casefold() in (each.title or "").casefold())
    spoken = (each for each in played if language and each.language and language_of(each.language) == language)
    return next(spoken, None) or next(titled, None)


def _best(tracks: tuple[AudioStream, ...]) -> AudioStream:
    """Of the tracks with much speech the one a player would play; one with a role only if no other has speech."""
    ordinary = [each for each in tracks if each.role is None and each.speech]
    speaking = ordinary or [each for each in tracks if each.speech]
    most = max((each.speech or 0.0 for each in speaking), default=0.0)
    return played_first([each for each in speaking if (each.speech or 0.0) >= _SOME * most] or tracks)[0]


def _spans(duration: float) -> Iterator[TimeSpan]:
    if duration <= _SAMPLES * _SECONDS:
        yield TimeSpan(start=0.0, end=duration)
        return
    for number in range(_SAMPLES):
        start = (duration - _SECONDS) * number / (_SAMPLES - 1)
        yield TimeSpan(start=start, end=start + _SECONDS)


def _speech(
    path: Path, media: MediaInfo, track: AudioStream, spans: list[TimeSpan], check_cancelled: Callable[[], None]
) -> float:
    """The share of some spans of a track in which somebody speaks."""
    heard = replace(media, track=track.index)
    spoken = 0.0
    for span in spans:
        for block in read_audio(path, heard, rate=RATE, span=span, check_cancelled=check_cancelled):
            spoken += spoken_seconds(block.samples)
    return spoken / max(sum(span.length for span in spans), 1e-9)
