"""Reads the cues of a subtitle file for a recording, and says why one can't be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longtake.console import counted
from longtake.errors import MediaError
from longtake.memory.timespan import clock
from longtake.preprocess.media.cues import Cue, Note
from longtake.preprocess.media.sidecars import Sidecar
from longtake.preprocess.media.subtitle_formats import parse_subtitles
from longtake.preprocess.media.text_encodings import decoded

NO_WORDS = "it has no words"


def sidecar_cues(sidecar: Sidecar, duration: float, note: Note, guessed: Callable[[str], None]) -> list[Cue]:
    """The cues of a subtitle file, by start.

    Args:
        sidecar: the file.
        duration: of the recording, in seconds.
        note: takes what is repaired or left out.
        guessed: takes the encoding if that had to be guessed.

    Raises:
        MediaError: if it can't be read, or most of it lies after the end: it was made for another recording.
    """
    try:
        data = sidecar.path.read_bytes()
    except OSError as error:
        raise MediaError(f"{sidecar.path} cannot be read: {error.strerror}; check that you may read it.") from error
    cues = parse_subtitles(data, sidecar.path.name, note, sidecar.language)
    _, guess = decoded(data, sidecar.language)
    if guess:
        guessed(guess)
    late = outside(cues, duration)
    if 2 * len(late) > len(cues):
        raise MediaError(
            f"{sidecar.path.name} belongs to another recording: {len(late)} of its {counted(len(cues), 'cue')} lie "
            f"after the end, {clock(duration)}."
        )
    return cues


def outside(cues: Sequence[Cue], duration: float) -> list[Cue]:
    """The cues that lie after the end of a recording of `duration` seconds, or before its start."""
    return [cue for cue in cues if min(cue.end, duration) < cue.start or cue.end < 0]


def problem_of(sidecar: Sidecar, duration: float) -> str | None:
    """Why nothing of a subtitle file is used for a recording of `duration` seconds; None if something is."""
    try:
        cues = sidecar_cues(sidecar, duration, lambda _: None, lambda _: None)
    except MediaError as error:
        said = str(error).rstrip(".").removeprefix(sidecar.path.name)
        return f"it{said}" if said.startswith(" ") else said.removeprefix(", ")
    return None if cues else NO_WORDS
