"""Finds the subtitle files of a video by their names, reads their cues, and says which can't be used and why."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from longtake.console import counted, listed
from longtake.errors import MediaError
from longtake.memory.timespan import clock
from longtake.preprocess.media.cues import Cue, Note
from longtake.preprocess.media.media_files import has_media_name
from longtake.preprocess.media.plain_transcripts import has_times, names_speakers
from longtake.preprocess.media.subtitle_formats import SUFFIXES, is_transcript, parse_subtitles
from longtake.preprocess.media.subtitle_names import TrackName, plain, track_named, turned
from longtake.preprocess.media.text_encodings import decoded

_TEXT = ".txt"  # read if it is a transcript with names, and named if it has times; other texts are something else
_UNREAD = (".sub", ".idx", ".sup", ".smi", ".sami", ".stl", ".scc", ".srv1", ".srv2", ".srv3", ".usf")
_HEAD = 100_000  # bytes of a text in which a transcript shows
_MAX_NAMED = 10  # files that are named one by one
NO_WORDS = "it has no words"
_FOLDERS = frozenset("sub subs subtitle subtitles caption captions".split())
_ENDS = "._-([ "  # what may follow the name of a video
# What meetings add to the name of a recording, and not to that of its transcript: the view and size, or a word.
_ADDED = (
    re.compile(r"(?:_(?:as|avo|gallery|gvo|speaker|separate|\d+))*_\d{3,4}x\d{3,4}$", re.IGNORECASE),
    re.compile(r"[ _-]*(?:meeting )?recording$", re.IGNORECASE),
    re.compile(r"-\d{8}_\d{6}(?:utc)?-meeting recording$", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A subtitle file of a media file; `language` is an ISO 639 code, None if the name has none."""

    path: Path
    language: str | None


class _Found(NamedTuple):
    """A subtitle file, with what its name tells of the track, None if it isn't read; `place` puts them in order.

    `depth` is in how many folders it lies.
    """

    path: Path
    depth: int
    place: tuple[object, ...]
    track: TrackName | None


def find_sidecars(path: Path) -> list[Sidecar]:
    """The subtitle files of a media file, by name: `talk.srt`, `talk.en.vtt`, `talk (en).ass`, `Subs/2_English.srt`.

    What follows the name may only be a language and words such as `captions`: `talk_meta.vtt` or `talk-2.srt` is
    something else, and so is the sidecar of another media file with the longer name. They are in the order of what
    follows the name, so that renaming them together keeps it; forced and automatic ones come last.

    Raises:
        MediaError: if the folder can't be read.
    """
    taken = sorted((each for each in _found(path) if each.track), key=lambda each: each.place)
    return [Sidecar(each.path, each.track.language if each.track else None) for each in taken]


def takers(name: str, file: Path, media: Collection[str]) -> list[str]:
    """The names of the media files that would take a subtitle file or transcript if they lay in one folder.

    Args:
        name: of the subtitle file.
        file: where its bytes lie, under any name.
        media: the names of the media files.

    Raises:
        OSError: if `file` can't be read.
    """
    stem = plain(name).rpartition(".")[0]
    near = [path for path in map(Path, media) if any(_base_of(path, stem, exact=exact) for exact in (True, False))]
    found = [path.name for path in near if _Owners(path, near).takes(stem)]
    text = found and name.lower().endswith(_TEXT)
    return [] if text and not names_speakers(_read_text(file, file.stat().st_mtime_ns)) else found


def alone(files: Sequence[Path]) -> list[Path]:
    """Files without the subtitles of media files among them and without texts that are no transcripts.

    Subtitles are those of a media file in their folder, or in the one around it, with whose name theirs begins; all in
    a folder for subtitles beside media files are.
    """
    media: defaultdict[Path, set[str]] = defaultdict(set)
    for file in files:
        if not is_transcript(file):
            media[file.parent].update((_folded(file.stem), _folded(file.name)))

    def owned(file: Path) -> bool:
        name = _folded(file.name)
        begun = {name[:end] for end, letter in enumerate(name) if letter in _ENDS}
        folder = file.parent.name.casefold() in _FOLDERS
        return bool(begun & media[file.parent]) or bool(folder and media[file.parent.parent])

    return [
        file
        for file in files
        if not is_transcript(file)
        or not (
            owned(file) or (file.suffix.lower() == _TEXT and not has_times(_read_text(file, file.stat().st_mtime_ns)))
        )
    ]


def unread_subtitles(
    path: Path, named: Collection[str] = (), indexed: Callable[[Path], bool] = lambda _: False
) -> list[str]:
    """Sentences that name the subtitle files beside a media file that no media file there takes, and say what to do.

    They are the same for all media files of a folder.

    Args:
        path: of the media file.
        named: the names of files that are read although their names don't say so.
        indexed: whether a file is in the library by itself.

    Raises:
        MediaError: if the folder can't be read.
    """
    left = [each for each in _found(path) if each.track is None and each.path.name not in named]
    unread = [each for each in left if not indexed(each.path)]
    places = ["/".join(each.path.parts[-1 - each.depth :]) for each in unread]
    other = [place for place in places if place.lower().endswith(_UNREAD)]
    unnamed = [place for place in places if not place.lower().endswith(_UNREAD)]
    found = []
    if other:
        found.append(f"Not read: {listed(other, _MAX_NAMED)}. Convert to .srt; Longtake reads {', '.join(SUFFIXES)}.")
    if unnamed:
        found.append(
            f"Not read: {listed(unnamed, _MAX_NAMED)}. The subtitles of a video have its name, and perhaps a language "
            "(talk.en.srt): rename them, name them with --subtitles, or index them by themselves."
        )
    return found


def _found(path: Path) -> Iterator[_Found]:
    """The subtitle files beside a media file, but not those of others."""
    path = path.resolve()
    beside = _entries(path.parent)
    media = [each for each in beside if has_media_name(each) or each.suffix == path.suffix]
    owners = _Owners(path, [each for each in media if each.is_file()])
    for file in _files(beside):
        yield from owners.judged(file, 0)
    for folder in beside:
        if folder.name.casefold() in _FOLDERS and folder.is_dir():
            inside = _entries(folder)
            for file in _files(inside):
                yield from owners.judged(file, 1)
            for own in inside:
                if owners.own(own.name) and own.is_dir():
                    for file in _files(_entries(own)):
                        yield from owners.judged(file, 2)
        elif folder.is_dir():  # "Untertitel", "Legendas": what has the name of the media file there
            with suppress(MediaError):
                inside = _entries(folder)
                for file in _files(inside) if not any(map(has_media_name, inside)) else ():
                    if owners.names(file):
                        yield from owners.judged(file, 1)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        raise MediaError(f"The folder {folder} cannot be read: {error.strerror}.") from error


def _files(entries: Sequence[Path]) -> list[Path]:
    """The files with the names of subtitles or texts."""
    kinds = (*SUFFIXES, *_UNREAD, _TEXT)
    return [each for each in entries if each.suffix.lower() in kinds and each.is_file()]


class _Owners:
    """Tells whose a subtitle file is, among the media files of a folder."""

    def __init__(self, path: Path, media: Sequence[Path]) -> None:
        self._path = path
        self._others = [each for each in media if _folded(each.stem) != _folded(path.stem)]

    def own(self, name: str) -> bool:
        """Whether a folder is named like the media file."""
        return _folded(name) in (_folded(self._path.stem), _folded(self._path.name))

    def takes(self, stem: str) -> bool:
        """Whether a name is that of a track of the media file."""
        base, rest = self._base(stem)
        return bool(base and track_named(rest)) and not self._anothers(stem, base)

    def names(self, file: Path) -> bool:
        """Whether the name of a subtitle file begins with that of the media file."""
        return bool(self._base(plain(file.stem))[0])

    def judged(self, file: Path, depth: int) -> Iterator[_Found]:
        """A subtitle file as one that is read or isn't; nothing if it is another's, or a text and no transcript."""
        kind = file.suffix.lower()
        stem = plain(file.name[: -len(kind)])
        base, rest = self._base(stem)
        if self._anothers(stem, base):
            return
        track = track_named(rest) if base else None
        if not base and (depth == 2 or not self._others):
            rest = stem
            track = track_named(stem, alone=True)
        if kind in _UNREAD:
            track = None
        if kind == _TEXT:
            text = _read_text(file, file.stat().st_mtime_ns)
            if not (names_speakers(text) if base else has_times(text)):
                return
            track = track if base else None
        later = bool(track and track.later)
        yield _Found(file, depth, (later, depth, rest.casefold(), kind, file.name.startswith(self._path.name)), track)

    def _anothers(self, stem: str, base: int) -> bool:
        return any(_base_of(other, stem, exact=True) > base for other in self._others)

    def _base(self, stem: str) -> tuple[int, str]:
        """How much of a name is that of the media file, 0 if nothing or another could mean it, and what follows."""
        for name in (stem, turned(stem)):
            base = _base_of(self._path, name, exact=True)
            if not base:
                base = _base_of(self._path, name, exact=False)
                if any(_base_of(other, name, exact=False) == base for other in self._others):
                    base = 0
            if base:
                return base, name[base:]
        return 0, stem


def _base_of(media: Path, stem: str, *, exact: bool) -> int:
    """How many letters a name begins with that are those of a media file, or without what meetings add; 0 if none."""
    names = [media.name, media.stem] if exact else [added.sub("", media.stem) for added in _ADDED]
    if not exact:
        names.append(_ADDED[1].sub("", names[0]))
    lengths = (len(plain(name)) for name in names if name and _begins(stem, plain(name)))
    return max(lengths, default=0)


def _begins(stem: str, name: str) -> bool:
    return _folded(stem[: len(name)]) == _folded(name) and (len(stem) == len(name) or stem[len(name)] in _ENDS)


def _folded(name: str) -> str:
    return plain(name).casefold()


@lru_cache(maxsize=32)  # every media file of a folder asks
def _read_text(file: Path, modified: int) -> str:
    with suppress(OSError), file.open("rb") as stream:
        return decoded(stream.read(_HEAD))[0]
    return ""


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
