"""The layer `subtitles`: subtitle files next to the video, and text tracks inside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from av.error import FFmpegError
from av.subtitles.subtitle import AssSubtitle

from longtake.errors import MediaError
from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import file_id
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.coverage import SLACK, promised_end, warn_of_gaps
from longtake.preprocess.media.language_codes import language_code
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.media.subtitle_formats import (
    SUFFIXES,
    Cue,
    ass_text,
    guessed_encoding,
    parse_subtitles,
    unrolled,
)

NAME = "subtitles"
_MAX_NAMED_CUES = 3  # problems with cues of a track that are reported one by one

_NAME = re.compile(r"([^\W\d_a-z](?:[^\W\d_]|[.'’-])*(?: [^\W_](?:\w|[.'’-])*){0,3}):\s")  # before what somebody says
_OFTEN, _DIFFERENT = 2, 2  # cues that begin with a name from which it is a speaker's, and speakers
_SHARE = 0.15  # of the cues that begin so

# Words that name a track of speech; chapters, metadata or descriptions are not speech.
_SPEECH_WORDS = frozenset(
    (
        "caption",
        "captions",
        "subtitle",
        "subtitles",
        "sub",
        "subs",
        "cc",
        "sdh",
        "forced",
        "default",
        "auto",
        "transcript",
    )
)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A subtitle file next to a media file; `language` is an ISO 639 code, None if the name has none."""

    path: Path
    language: str | None


@dataclass(frozen=True, slots=True)
class _Track:
    """Where cues come from: as items and as a person name it, and how they are read, with the second they reach to."""

    source: str
    language: str | None
    place: str
    read: Callable[[], tuple[list[Cue], float]]


class Subtitles:
    """Builds items {start, end, text, language, source}, with a speaker where the cue names one."""

    name = NAME
    capability = None

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer, which changes when a sidecar does, not when it is renamed with its video; none without subtitles.

        Raises:
            MediaError: if a sidecar cannot be read.
        """
        sidecars = find_sidecars(job.path)
        if not (sidecars or job.media.subtitles):
            return ()
        inputs = {_label(number, sidecar): file_id(sidecar.path) for number, sidecar in enumerate(sidecars, 1)}
        return (LayerRecipe(NAME, version=4, engine="subtitles-1", inputs=inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Write the cues of every sidecar, then of every embedded track. A rejected track doesn't affect the others.

        Raises:
            MediaError: if none can be read; the message names file and line.
        """
        writer = writers[NAME]
        written: set[tuple[str, ...]] = set()
        refused: list[MediaError] = []
        reached = 0.0
        for track in _tracks(job):
            job.check_cancelled()
            try:
                cues, until = track.read()
                cues = with_speakers(cues)
            except MediaError as error:
                refused.append(error)
                continue
            texts = tuple(cue.text for cue in cues)
            if (
                texts not in written
            ):  # the same transcript in two formats, or next to the file and inside it, counts once
                outside = _write(writer, cues, track.language, track.source, job.media.duration)
                if outside:
                    job.warn(f"{track.place}: skipped, because it is outside the media: {_listed(outside)}")
            written.add(texts)
            reached = max(reached, until)
        if refused and not written:
            raise refused[0]
        for refusal in refused:
            job.warn(f"{refusal} The other subtitles were read without it.")
        writer.cover([TimeSpan(start=0.0, end=min(reached, job.media.duration))])


def with_speakers(cues: Sequence[Cue]) -> list[Cue]:
    """Cues with the speakers whose names stand before a colon, without those names in the text.

    They are names if several different ones stand there, each more than once, and before enough of the cues.
    """
    begun = [_NAME.match(cue.text) for cue in cues]
    often = Counter(found[1] for found in begun if found)
    names = {name for name, count in often.items() if count >= _OFTEN}
    if len(names) < _DIFFERENT or sum(often[name] for name in names) < _SHARE * len(cues):
        return list(cues)
    return [
        replace(cue, speaker=found[1], text=cue.text[found.end() :])
        if found and cue.speaker is None and found[1] in names
        else cue
        for cue, found in zip(cues, begun, strict=True)
    ]


def _label(number: int, sidecar: Sidecar) -> str:
    """What items call a sidecar: its place and language, for a layer outlives the names of files."""
    return f"sidecar {number} ({sidecar.language})" if sidecar.language else f"sidecar {number}"


def _tracks(job: IndexJob) -> Iterator[_Track]:
    """Every sidecar, then every embedded track."""
    for number, sidecar in enumerate(find_sidecars(job.path), 1):
        yield _Track(_label(number, sidecar), sidecar.language, sidecar.path.name, partial(_read_sidecar, sidecar, job))
    for stream in job.media.subtitles:
        source = f"stream {stream.index}"
        read = partial(_read_embedded, stream.index, job)
        yield _Track(source, language_code(stream.language), f"{job.path.name}, {source}", read)


def _read_sidecar(sidecar: Sidecar, job: IndexJob) -> tuple[list[Cue], float]:
    try:
        data = sidecar.path.read_bytes()
    except OSError as error:
        raise MediaError(f"{sidecar.path} cannot be read: {error.strerror}; check that you may read it.") from error
    repairs: list[str] = []
    cues = parse_subtitles(data, sidecar.path.name, repairs.append)
    if repairs:
        job.warn(f"{sidecar.path.name} was repaired: {_listed(repairs)}")
    guess = guessed_encoding(data)
    if guess:
        job.warn(f"{sidecar.path.name} is not in UTF-8 and was read as {guess}: if that is wrong, save it as UTF-8.")
    return cues, job.media.duration


def _read_embedded(index: int, job: IndexJob) -> tuple[list[Cue], float]:
    cues, end = _decoded(job.path, job.media, index)
    promised = promised_end(job.path, job.media, index)
    whole = end >= promised - SLACK
    warn_of_gaps([TimeSpan(start=0.0, end=end)], f"subtitle track of stream {index}", promised, job.warn)
    return cues, job.media.duration if whole else end


def find_sidecars(path: Path) -> list[Sidecar]:
    """Subtitle files of a media file in its folder, by name: `talk.srt`, `talk.en.vtt`, `talk_captions_pt-BR.ass`.

    What follows the name may only be a language and words such as `captions`: `talk_meta.vtt` or `talk-2.srt` is
    something else, and so is the sidecar of another media file with the longer name.
    """
    try:
        names = sorted(entry.name for entry in path.resolve().parent.iterdir() if entry.is_file())
    except OSError as error:
        raise MediaError(f"The folder of {path} cannot be read: {error.strerror}.") from error
    others = {Path(name).stem.casefold() for name in names if Path(name).suffix.lower() not in SUFFIXES}
    found: list[tuple[str, bool, Sidecar]] = []
    for name in names:
        stem = Path(name).stem
        if Path(name).suffix.lower() not in SUFFIXES:
            continue
        if stem.casefold() in others - {path.stem.casefold(), path.name.casefold()}:
            continue
        for base in (path.name, path.stem):
            if stem.casefold().startswith(base.casefold()):
                speech, language = _read_name(stem[len(base) :])
                if speech:
                    sidecar = Sidecar(path.resolve().parent / name, language)
                    found.append((name[len(base) :].casefold(), base == path.stem, sidecar))
                    break
    # By what follows the media file's name, so that renaming them together keeps their order.
    return [sidecar for _, _, sidecar in sorted(found, key=lambda item: item[:2])]


def embedded_cues(path: Path, media: MediaInfo, index: int) -> list[Cue]:
    """Cues of one embedded text track, by start, in seconds from the media's origin.

    Raises:
        MediaError: if the track cannot be decoded.
    """
    return _decoded(path, media, index)[0]


def _decoded(path: Path, media: MediaInfo, index: int) -> tuple[list[Cue], float]:
    """The cues of an embedded track, and when the last thing in it ends, which may be a pause."""
    cues, last = [], 0.0
    try:
        with open_media(path) as container:
            for packet in container.demux(container.streams[index]):
                if packet.pts is None or packet.time_base is None:
                    continue
                start = float(packet.pts * packet.time_base) - media.origin
                end = start + float((packet.duration or 0) * packet.time_base)
                last = max(last, end)
                for event in packet.decode():
                    if isinstance(event, AssSubtitle):
                        cues.append(_event_cue(event, start, end))
    except (FFmpegError, OSError) as error:
        raise MediaError(f"{path}: subtitle stream {index} cannot be decoded: {error.strerror}.") from error
    shown = (cue for cue in cues if cue.text)
    return unrolled(sorted(shown, key=lambda cue: (cue.start, cue.end))), last


def _event_cue(event: AssSubtitle, start: float, end: float) -> Cue:
    """FFmpeg hands every text format over as ASS: read order, layer, style, name, three margins, effect, text."""
    fields = event.ass.decode("utf-8", errors="replace").split(",", 8)
    return Cue(start, end, ass_text(fields[-1]), fields[3].strip() or None if len(fields) == 9 else None)


def _read_name(rest: str) -> tuple[bool, str | None]:
    """Whether what follows the media file's name marks a track of speech, and in which language."""
    language: str | None = None
    tokens = re.split(r"[._-]", rest)
    if tokens[0]:
        return False, None
    for token in tokens[1:]:
        code = language_code(token)
        region = language_code(f"{language}-{token}") if language and not token.islower() else None
        if region:
            language = region
        elif code and language is None:
            language = code
        elif token.lower() not in _SPEECH_WORDS:
            return False, None
    return True, language


def _write(writer: LayerWriter, cues: list[Cue], language: str | None, source: str, duration: float) -> list[str]:
    """Add the cues that lie within the media; where those stand that do not."""
    outside = []
    for cue in cues:
        start, end = max(0.0, cue.start), min(cue.end, duration)
        if end < start or cue.end < 0:
            outside.append(f"the cue at {cue.start:.1f} s" if cue.line is None else f"line {cue.line}")
            continue
        item = {"start": round(start, 3), "end": round(end, 3), "text": " ".join(cue.text.split("\n"))}
        item |= {"language": language, "source": source}
        writer.add(item if cue.speaker is None else item | {"speaker": cue.speaker})
    return outside


def _listed(found: Sequence[str]) -> str:
    """The first of many things, and how many more there are."""
    more = len(found) - _MAX_NAMED_CUES
    return ", ".join(found[:_MAX_NAMED_CUES]) + (f" and {more} more" if more > 0 else "")
