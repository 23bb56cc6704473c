"""Reads what is said in a clip from the files next to it and the tracks inside it."""

from __future__ import annotations

from pathlib import Path

from longtake.preprocess.layers.subtitles import embedded_cues
from longtake.preprocess.media.cues import Cue
from longtake.preprocess.media.media import probe
from longtake.preprocess.media.sidecars import find_sidecars
from longtake.preprocess.media.subtitle_formats import parse_subtitles


def transcript(clip: Path) -> list[Cue]:
    """The cues, in seconds, of a clip's first sidecar, or else its STM file, subtitle track or text file.

    STM is NIST's segment time mark: file, channel, speaker, start, end and words on a line. A plain `.txt` has no
    times: it becomes one cue as long as the clip. One with tabs is a list of labels, not a transcript.

    Raises:
        MediaError: if one of them can't be read.
    """
    for sidecar in find_sidecars(clip):
        return parse_subtitles(sidecar.path.read_bytes(), sidecar.path.name)
    marked, plain = clip.with_suffix(".stm"), clip.with_suffix(".txt")
    if marked.is_file():
        return [_marked(line) for line in marked.read_text(encoding="utf-8").splitlines() if line.strip()]
    media = probe(clip)
    for track in media.subtitles:
        return list(embedded_cues(clip, media, track.index))
    words = plain.read_text(encoding="utf-8") if plain.is_file() else ""
    return [Cue(0.0, media.duration, " ".join(words.split()))] if words.strip() and "\t" not in words else []


def _marked(line: str) -> Cue:
    _, _, speaker, start, end, words = line.split(maxsplit=5)
    return Cue(float(start), float(end), words, speaker)
