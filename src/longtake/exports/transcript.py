"""What is said or written in a video, as text for people and as subtitle files."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from longtake.errors import LibraryError
from longtake.language.text import ends_sentence
from longtake.memory.layers import Layer
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.timespan import clock

Track = Literal["speech", "text"]
Format = Literal["readable", "txt", "srt", "vtt"]
_LAYERS: Mapping[Track, tuple[str, ...]] = {"speech": ("subtitles", "speech"), "text": ("scene_text",)}
_LONGEST, _PAUSE = 12.0, 2.0  # seconds of a line that was heard, and of silence within it
_WHAT: Mapping[Track, str] = {"speech": "transcript", "text": "on-screen text"}


class TimedLine(NamedTuple):
    """Words with their times in seconds; `trusted` is False if a recogniser may have misheard them."""

    start: float
    end: float
    text: str
    speaker: str | None = None
    trusted: bool = True


def transcript(library: LibraryStore, video: VideoRecord, track: Track = "speech") -> list[TimedLine]:
    """What is said, from subtitles or a recogniser, or the text on screen: the lines in the order of their times.

    Raises:
        LibraryError: if the video has no such layer.
    """
    layers = _layers(library, video, track)
    if not layers:
        raise LibraryError(f"{video.name} has no {_WHAT[track]}: `longtake doctor` says what reads it.")
    items = [item for layer in layers for item in layer.items() if item["text"].strip()]
    if track == "text":
        together: dict[tuple[float, float], list[Mapping[str, Any]]] = {}
        for item in items:  # by their first appearance, in reading order
            together.setdefault(_times(item), []).append(item)
        return [_screen(shown) for shown in together.values()]
    items.sort(key=_times)
    turns = _turns(library.layer(video, "speakers"))
    heard = [item for item in items if "words" in item]
    lines = [_spoken(item, turns) for item in items if "words" not in item]
    lines += [line for words in _stretches(heard, turns) for line in _sentences(words)]
    return sorted(lines, key=lambda line: line[:2])


def read_by(library: LibraryStore, video: VideoRecord, track: Track = "speech") -> str | None:
    """Where the lines of a track come from: `subtitles (en)`, the engine that heard or read them; None without."""
    layers = _layers(library, video, track)
    used = [layer for layer in layers if layer.count] or layers[:1]
    return " and ".join(map(_source, used)) or None


def rendered(lines: Sequence[TimedLine], form: Format) -> str:
    """The lines as text to read (with times), as text alone, as SubRip, or as WebVTT (W3C WebVTT, 4)."""
    if form == "vtt":
        return "WEBVTT\n" + "".join(f"\n{_cue_times(line)}\n{_voice(line)}{_escaped(line.text)}\n" for line in lines)
    if form == "srt":
        return "\n".join(
            f"{number}\n{_cue_times(line).replace('.', ',')}\n{_said_by(line)}{line.text}\n"
            for number, line in enumerate(lines, start=1)
        )
    timed = form == "readable"
    return "".join(
        f"{clock(line.start) + '  ' if timed else ''}{_said_by(line)}{' · '.join(line.text.splitlines())}"
        f"{'  (uncertain)' if timed and not line.trusted else ''}\n"
        for line in lines
    )


def _layers(library: LibraryStore, video: VideoRecord, track: Track) -> list[Layer]:
    return [found for name in _LAYERS[track] if (found := library.layer(video, name))]


def _source(layer: Layer) -> str:
    if layer.name != "subtitles":
        return layer.engine
    languages = dict.fromkeys(item["language"] for item in layer.items() if item["language"])
    return f"subtitles ({', '.join(languages)})" if languages else "subtitles"


def _times(item: Mapping[str, Any]) -> tuple[float, float]:
    return item["start"], item["end"]


def _screen(items: Sequence[Mapping[str, Any]]) -> TimedLine:
    """The texts that are shown together, one a line."""
    return TimedLine(items[0]["start"], items[0]["end"], "\n".join(" ".join(item["text"].split()) for item in items))


def _spoken(item: Mapping[str, Any], turns: Sequence[tuple[float, float, str]]) -> TimedLine:
    start, end = _times(item)
    shared = [(min(end, to) - max(start, since), name) for since, to, name in turns if since < end and start < to]
    speaker = max(shared)[1] if shared else None
    return TimedLine(start, end, " ".join(item["text"].split()), speaker, item.get("trusted", True))


def _turns(layer: Layer | None) -> list[tuple[float, float, str]]:
    """Who speaks when. Voices without a name are numbered; a single one needs no number."""
    items = list(layer.items()) if layer else []
    single = len({item["speaker"] for item in items}) == 1
    named = ((item, item["speaker"].isdigit()) for item in items)
    return [
        (item["start"], item["end"], f"Speaker {item['speaker']}" if numbered else item["speaker"])
        for item, numbered in named
        if not (numbered and single)
    ]


class _Word(NamedTuple):
    """A word as it was heard, with the space before it, if any; `key` is the same for words of one line."""

    start: float
    end: float
    text: str
    key: tuple[str | None, bool]


def _stretches(items: Sequence[Mapping[str, Any]], turns: Sequence[tuple[float, float, str]]) -> list[list[_Word]]:
    """The words that were heard, parted where the speaker or the certainty changes, and by pauses."""
    stretches: list[list[_Word]] = []
    for item in items:
        at = 0
        for start, end, text, _ in item["words"]:
            found = item["text"].find(text, at)
            space = "" if at and found == at else " "  # there are none between words of some languages
            at = found + len(text) if found >= 0 else at
            speaker = next((name for since, to, name in turns if since <= (start + end) / 2 < to), None)
            word = _Word(start, end, space + text, (speaker, item.get("trusted", True)))
            before = stretches[-1][-1] if stretches else None
            if before is None or before.key != word.key or start - before.end > _PAUSE:
                stretches.append([])
            stretches[-1].append(word)
    return stretches


def _sentences(words: Sequence[_Word]) -> Iterator[TimedLine]:
    """Lines that end with a sentence; one that is too long is parted at its longest pauses."""
    begun = 0
    for number, word in enumerate(words, 1):
        if number == len(words) or ends_sentence(word.text):
            yield from _short(words[begun:number])
            begun = number


def _short(words: Sequence[_Word]) -> Iterator[TimedLine]:
    if words[-1].end - words[0].start <= _LONGEST or len(words) == 1:
        speaker, trusted = words[0].key
        yield TimedLine(words[0].start, words[-1].end, "".join(word.text for word in words).strip(), speaker, trusted)
        return
    inner = range(max(1, len(words) // 4), max(2, len(words) - len(words) // 4))  # no part of a few words alone
    at = max(inner, key=lambda each: words[each].start - words[each - 1].end)
    yield from _short(words[:at])
    yield from _short(words[at:])


def _said_by(line: TimedLine) -> str:
    return f"{line.speaker}: " if line.speaker else ""


def _voice(line: TimedLine) -> str:
    return f"<v {_escaped(line.speaker)}>" if line.speaker else ""


def _escaped(text: str) -> str:
    """Text of a cue, which can't have empty lines."""
    return html.escape("\n".join(filter(None, map(str.strip, text.splitlines()))), quote=False)


def _cue_times(line: TimedLine) -> str:
    return f"{clock(line.start, decimals=3)} --> {clock(line.end, decimals=3)}"
