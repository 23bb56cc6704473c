"""The layer `subtitles`: subtitle files next to the video, and text tracks inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from av.error import FFmpegError
from av.subtitles.subtitle import AssSubtitle

from longtake.console import listed
from longtake.errors import MediaError
from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import file_id
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.clock import on_one_clock
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.coverage import warn_of_gaps
from longtake.preprocess.media.cues import Cue, are_records, spoken_seconds
from longtake.preprocess.media.language_codes import language_code
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.media.named_speakers import with_speakers
from longtake.preprocess.media.sidecars import Sidecar, find_sidecars, outside, sidecar_cues
from longtake.preprocess.media.stream_ends import SLACK, promised_end
from longtake.preprocess.media.subtitle_formats import ass_text, is_transcript, unrolled
from longtake.preprocess.media.subtitle_names import language_in

NAME = "subtitles"
PAUSE = 5.0  # seconds between cues; in a longer one something may be said that the subtitles leave out
_SLOWEST = 3.0  # times as long as it takes to say a cue; what is shown for longer says nothing of the rest of its time
_OUTSIDE = 0.05  # of the cues: with more after the end, they may be those of another recording
_DOUBTED = "; it may belong to another recording, so what is said is transcribed too"
_MAX_NAMED_CUES = 3  # problems with cues of a track that are reported one by one


@dataclass(frozen=True, slots=True)
class _Track:
    """Where cues come from: as items and as a person name it, and how they are read, with the second they reach to."""

    source: str
    language: str | None
    place: str
    read: Callable[[], tuple[list[Cue], float]]
    embedded: bool = False


class Subtitles:
    """Builds items {start, end, text, language, source}, with a speaker where the cue names one."""

    name = NAME
    capability = None

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer, which changes when a sidecar does, not when it is renamed with its video; none without subtitles.

        Raises:
            MediaError: if a sidecar cannot be read.
        """
        sidecars = _sidecars(job)
        if not (sidecars or job.media.subtitles):
            return ()
        inputs = {_label(number, sidecar): file_id(sidecar.path) for number, sidecar in enumerate(sidecars, 1)}
        return (LayerRecipe(NAME, version=7, engine="subtitles-1", inputs=inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Write the cues of every sidecar, then of every embedded track. A rejected track doesn't affect the others.

        Where there is sound, only what the cues can tell counts as covered: no long pauses between them, no cue for
        longer than somebody could say it, and nothing of a track that may belong to another recording.

        Raises:
            MediaError: if none can be read or all belong to other recordings; the message names file and line.
        """
        writer = writers[NAME]
        written: set[tuple[str, ...]] = set()
        refused: list[MediaError] = []
        reached = 0.0
        shown: list[TimeSpan] = []
        for track in _tracks(job):
            job.check_cancelled()
            try:
                cues, until = track.read()
            except MediaError as error:
                refused.append(error)
                continue
            late = outside(cues, job.media.duration)
            credible = track.embedded or len(late) <= _OUTSIDE * len(cues)
            texts = tuple(cue.text for cue in cues)
            # The same transcript in two formats, or next to the file and inside it, counts once.
            if texts not in written:
                _write(writer, cues, track.language, track.source, job.media.duration)
                if late:
                    named = [
                        f"the cue at {cue.start:.1f} s" if cue.line is None else f"line {cue.line}" for cue in late
                    ]
                    told = f"{track.place}: skipped, because it is outside the media: {listed(named, _MAX_NAMED_CUES)}"
                    job.warn(told if credible else told + _DOUBTED)
            written.add(texts)
            reached = max(reached, until)
            if credible:
                shown += map(_covered_span, cues)
        if refused and not written:
            raise refused[0]
        for refusal in refused:
            job.warn(f"{refusal} The other subtitles were read without it.")
        whole = TimeSpan(start=0.0, end=min(reached, job.media.duration))
        writer.cover(_between(shown, whole) if job.media.audio else [whole])


def _covered_span(cue: Cue) -> TimeSpan:
    """What a cue covers."""
    start = max(0.0, cue.start)
    return TimeSpan(start=start, end=max(start, min(cue.end, start + _SLOWEST * spoken_seconds(cue.text))))


def _between(shown: Sequence[TimeSpan], whole: TimeSpan) -> list[TimeSpan]:
    """The parts of a recording that cues cover, with the short pauses between them."""
    edges = [TimeSpan(start=at, end=at) for at in (whole.start, whole.end)]
    spans = (
        TimeSpan(start=min(each.start, whole.end), end=min(each.end, whole.end))
        for each in joined([*shown, *edges], PAUSE)
    )
    return [span for span in spans if span.length]


def _label(number: int, sidecar: Sidecar) -> str:
    """What items call a sidecar: its place and language, for a layer outlives the names of files."""
    return f"sidecar {number} ({sidecar.language})" if sidecar.language else f"sidecar {number}"


def _sidecars(job: IndexJob) -> list[Sidecar]:
    """The files that the user named, then those beside the video; a transcript by itself is its own."""
    named = [Sidecar(path, language_in(path.name)) for path in job.subtitles]
    own = Sidecar(job.path, language_in(job.path.name))
    return [*named, *([own] if is_transcript(job.path) else find_sidecars(job.path))]


def _tracks(job: IndexJob) -> Iterator[_Track]:
    """Every sidecar, then every embedded track."""
    for number, sidecar in enumerate(_sidecars(job), 1):
        yield _Track(_label(number, sidecar), sidecar.language, sidecar.path.name, partial(_read_sidecar, sidecar, job))
    for stream in job.media.subtitles:
        source = f"stream {stream.index}"
        read = partial(_read_embedded, stream.index, job)
        yield _Track(source, language_code(stream.language), f"{job.path.name}, {source}", read, embedded=True)


def _read_sidecar(sidecar: Sidecar, job: IndexJob) -> tuple[list[Cue], float]:
    notes: list[str] = []
    name = sidecar.path.name
    guesses: list[str] = []
    cues = sidecar_cues(sidecar, job.media.duration, notes.append, guesses.append)
    if notes:
        job.warn(f"{name} was repaired: {listed(notes, _MAX_NAMED_CUES)}")
    for guess in guesses:
        job.remark(f"{name} is not in UTF-8 and was read as {guess}: if that is wrong, save it as UTF-8.")
    return cues, job.media.duration


def _read_embedded(index: int, job: IndexJob) -> tuple[list[Cue], float]:
    cues, end = _decoded(job.path, job.media, index)
    if are_records(cues):
        raise MediaError(f"The text track of stream {index} isn't speech: its lines are alike but for their numbers.")
    promised = promised_end(job.path, job.media, index)
    whole = end >= promised - SLACK
    warn_of_gaps([TimeSpan(start=0.0, end=end)], f"subtitle track of stream {index}", promised, job.warn)
    return cues, job.media.duration if whole else end


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
            for packet in on_one_clock(container.demux(container.streams[index]), media.marks):
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
    return with_speakers(unrolled(sorted(shown, key=lambda cue: (cue.start, cue.end)))), last


def _event_cue(event: AssSubtitle, start: float, end: float) -> Cue:
    """FFmpeg hands every text format over as ASS: read order, layer, style, name, three margins, effect, text."""
    fields = event.ass.decode("utf-8", errors="replace").split(",", 8)
    return Cue(start, end, ass_text(fields[-1]), fields[3].strip() or None if len(fields) == 9 else None)


def _write(writer: LayerWriter, cues: list[Cue], language: str | None, source: str, duration: float) -> None:
    """Add the cues that lie within the media."""
    for cue in cues:
        start, end = max(0.0, cue.start), min(cue.end, duration)
        if end < start or cue.end < 0:
            continue
        item = {"start": round(start, 3), "end": round(end, 3), "text": " ".join(cue.text.split("\n"))}
        item |= {"language": language, "source": source}
        writer.add(item if cue.speaker is None else item | {"speaker": cue.speaker})
