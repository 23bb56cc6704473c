"""Measures speech recognition and speakers, through the pipeline, on clips with a transcript or with labelled turns.

Each clip is indexed alone, without the subtitles beside it; one with subtitles inside it is left out.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longtake.benchmarks.clips.transcripts import transcript
from longtake.benchmarks.hour.reel import Notify, is_clip
from longtake.benchmarks.timing import Machine, load
from longtake.errors import MediaError
from longtake.memory.layers import Layer
from longtake.memory.records import Record
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

_FRAMES = 100  # per second; turns are compared frame by frame
_ENGINES = ("sounds", "speech", "speakers")  # all that is needed here
Grid = npt.NDArray[np.bool_]


class Turn(NamedTuple):
    """A labelled turn, in seconds."""

    start: float
    end: float
    speaker: str


class Words(Record):
    """`wrong` counts the words inserted, deleted and replaced; `trusted` is the share of the speech that is trusted."""

    said: int
    wrong: int
    trusted: float


class Diarization(Record):
    """Seconds, overlaps included and without a collar; the error rate is missed, false and confused over spoken."""

    speakers: int
    found: int
    spoken: float
    missed: float
    false: float
    confused: float

    @property
    def error(self) -> float:
        """The diarization error rate."""
        return (self.missed + self.false + self.confused) / self.spoken


class ClipSpeech(Record):
    """One clip; times are seconds."""

    clip: str
    engine: str | None
    duration: float
    seconds: float
    words: Words | None
    turns: Diarization | None


class SpeechAccuracy(Record):
    """The public shape of `bench speech --json`."""

    machine: Machine
    clips: tuple[ClipSpeech, ...]


def measure_speech(media: Path, settings: Settings, notify: Notify) -> SpeechAccuracy:
    """Index every clip that has a transcript or labelled turns; `notify` is the progress callback."""
    before = load()
    turns, found = _labelled_turns(media), []
    for clip in sorted(path for path in media.rglob("*") if is_clip(path)):
        try:
            about = probe(clip)
            said = " ".join(cue.text for cue in transcript(clip)) if about.audio and not about.subtitles else ""
        except MediaError:
            continue
        if said or clip.stem in turns:
            notify(clip.name)
            found.append(_measure(clip, media, said, turns.get(clip.stem, ()), settings))
    return SpeechAccuracy(machine=Machine.since(before), clips=tuple(found))


def show_speech(report: SpeechAccuracy) -> list[str]:
    """The report as lines of text."""
    lines = ["clip                                     words  wrong  trusted   speakers  found  error"]
    for clip in report.clips:
        words, turns = clip.words, clip.turns
        heard = f"{words.said:6} {words.wrong / words.said:6.0%} {words.trusted:8.0%}" if words else " " * 22
        who = f"{turns.speakers:10} {turns.found:6} {turns.error:6.0%}" if turns else ""
        lines.append(f"{clip.clip[-40:]:40} {heard} {who}".rstrip())
    heard_words = [clip.words for clip in report.clips if clip.words]
    labelled = [clip.turns for clip in report.clips if clip.turns]
    if said := sum(words.said for words in heard_words):
        lines.append(f"word error rate {sum(words.wrong for words in heard_words) / said:.1%} of {said} words")
    if spoken := sum(turns.spoken for turns in labelled):
        errors = {
            name: sum(getattr(turns, name) for turns in labelled) / spoken for name in ("missed", "false", "confused")
        }
        parts = ", ".join(f"{name} {share:.1%}" for name, share in errors.items())
        lines.append(f"diarization error rate {sum(errors.values()):.1%} ({parts}) of {spoken:.0f} s")
    return [*lines, str(report.machine)]


def word_errors(said: str, recognised: str) -> tuple[int, int]:
    """The number of words said, and of those to insert, delete or replace (Levenshtein)."""
    wanted, found = (re.findall(r"[\w']+", text.casefold()) for text in (said, recognised))
    costs = list(range(len(found) + 1))
    for row, word in enumerate(wanted, 1):
        above, costs = costs, [row]
        for column, other in enumerate(found, 1):
            costs.append(min(above[column] + 1, costs[-1] + 1, above[column - 1] + (word != other)))
    return len(wanted), costs[-1]


def _measure(clip: Path, media: Path, said: str, turns: Sequence[Turn], settings: Settings) -> ClipSpeech:
    off = {name: () for name in type(settings.engines).model_fields if name not in _ENGINES}
    only = settings.model_copy(update={"engines": settings.engines.model_copy(update=off)})
    with tempfile.TemporaryDirectory() as folder:
        alone = Path(shutil.copy(clip, folder))
        workspace = Workspace(Path(folder) / "library", only)
        started = time.perf_counter()
        video = workspace.add(alone).video
        seconds = time.perf_counter() - started
        speech, speakers = (workspace.library.layer(video, name) for name in ("speech", "speakers"))
        return ClipSpeech(
            clip=str(clip.relative_to(media)),
            engine=speech.engine if speech else None,
            duration=video.duration,
            seconds=seconds,
            words=_words(said, speech) if said else None,
            turns=_diarization(turns, speakers) if turns else None,
        )


def _words(said: str, speech: Layer | None) -> Words:
    items = list(speech.items()) if speech else []
    count, wrong = word_errors(said, " ".join(item["text"] for item in items))
    length = sum(item["end"] - item["start"] for item in items)
    trusted = sum(item["end"] - item["start"] for item in items if item["trusted"])
    return Words(said=count, wrong=wrong, trusted=trusted / length if length else 0.0)


def _labelled_turns(media: Path) -> dict[str, list[Turn]]:
    """The turns of all RTTM files (NIST's rich transcription time marks), by recording."""
    turns: defaultdict[str, list[Turn]] = defaultdict(list)
    for file in sorted(media.rglob("*.rttm")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("SPEAKER "):
                _, recording, _, start, length, _, _, speaker, *_ = line.split()
                turns[recording].append(Turn(float(start), float(start) + float(length), speaker))
    return turns


def _diarization(labelled: Sequence[Turn], speakers: Layer | None) -> Diarization:
    items = speakers.items() if speakers else ()
    found = [Turn(item["start"], item["end"], item["speaker"]) for item in items]
    size = round(max(turn.end for turn in (*labelled, *found)) * _FRAMES) + 1
    truth, guess = _grid(labelled, size), _grid(found, size)
    spoken, heard = truth.sum(axis=0), guess.sum(axis=0)
    right = _matched(truth, guess)
    return Diarization(
        speakers=len(truth),
        found=len(guess),
        spoken=float(spoken.sum()) / _FRAMES,
        missed=float(np.maximum(0, spoken - heard).sum()) / _FRAMES,
        false=float(np.maximum(0, heard - spoken).sum()) / _FRAMES,
        confused=float((np.minimum(spoken, heard) - right).sum()) / _FRAMES,
    )


def _grid(turns: Iterable[Turn], size: int) -> Grid:
    """Who speaks in which frame, (speakers, frames)."""
    listed = list(turns)
    names = sorted({turn.speaker for turn in listed})
    grid = np.zeros((len(names), size), bool)
    for turn in listed:
        grid[names.index(turn.speaker), round(turn.start * _FRAMES) : round(turn.end * _FRAMES)] = True
    return grid


def _matched(truth: Grid, guess: Grid) -> npt.NDArray[np.int_]:
    """For each frame, how many speakers are right under the best assignment, found greedily by time in common."""
    common = truth.astype(int) @ guess.T.astype(int)
    right = np.zeros(truth.shape[1], int)
    while common.size and common.max() > 0:
        one, other = np.unravel_index(common.argmax(), common.shape)
        right += truth[one] & guess[other]
        common[one, :] = common[:, other] = 0
    return right
