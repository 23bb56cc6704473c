"""Parses every format of subtitles and transcripts into cues, removing markup and making safe repairs.

Formats: the SubRip text format as written by players; W3C WebVTT; the SSA v4 and ASS v4+ specifications; SBV as YouTube
and Google Meet write it; those of `marked_formats` and `plain_transcripts`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from longtake.errors import MediaError
from longtake.preprocess.media.cues import OPEN, TIME, Cue, Note, are_records, closed, seconds, tidy
from longtake.preprocess.media.marked_formats import parse_json3, parse_ttml
from longtake.preprocess.media.named_speakers import with_speakers
from longtake.preprocess.media.plain_transcripts import parse_transcript
from longtake.preprocess.media.subtitle_names import language_in
from longtake.preprocess.media.text_encodings import decoded

_TIMING = re.compile(rf"\s*(?P<start>-?{TIME})\s*(?:(?P<arrow>(?:-{{1,3}}|–|—)>)\s*(?P<end>-?{TIME})?(?:\s.*)?)?")
_ARROW = re.compile(r"\s*(?:-?\d.*)?-->")  # maybe of a malformed timing line
_SBV = re.compile(rf"\s*(?P<start>{TIME}),(?P<end>{TIME})\s*")
_ASS_SECTION = re.compile(r"^\[(?:script info|events|v4\+? styles)\]\s*$", re.IGNORECASE | re.MULTILINE)
_WEBVTT_BLOCK = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_ASS_FORMAT = "layer,start,end,style,name,marginl,marginr,marginv,effect,text"
_ASS_DRAWING = re.compile(r"\{[^}]*\\p[1-9][^}]*\}.*?(?=\{[^}]*\\p0|$)")
_DRAWN = re.compile(r"m(?:\s+-?\d+(?:\.\d+)?){2}(?:\s+(?:[mnlbspc]|-?\d+(?:\.\d+)?))*\s*")  # without its override code
_OVERRIDE = re.compile(r"\{\\[^}]*\}")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<\d[\d:.,]*>")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>", re.IGNORECASE)
_WEBEX = re.compile(r'\d+ "(.+)" \(\d+\)')  # the identifier of a cue, with who speaks
_STRAY = 0.01  # share of control characters in a text; binary data has more
_TOUCHING = 0.1  # seconds; the largest gap between the cues of one rolling caption
_READABLE = 0.5  # seconds; a shorter cue is a step of an animation


class _Format(NamedTuple):
    """A format: what its files are called, how its text looks, and what reads it."""

    suffixes: tuple[str, ...]
    fits: Callable[[str, str], object]  # the text, and the first line that isn't empty
    parse: Callable[[str, str, Note], Sequence[Cue]]  # the text, the file's name and what takes notes


def parse_subtitles(data: bytes, name: str, note: Note = lambda line: None, language: str | None = None) -> list[Cue]:
    """Parse a subtitle file or transcript by its content, not by its name.

    Cues are sorted by start, without the repetitions of rolling captions, and with the speakers that are named. A bad
    cue is repaired or left out with a note.

    Args:
        data: the file's bytes.
        name: the file's name, for messages.
        note: takes what is repaired or left out, with its line, in file order.
        language: which tells the encoding if it isn't Unicode; by default that of the name.

    Raises:
        MediaError: if nothing in it can be read as cues; the message names the file and, if it can, the line.
    """
    text, _ = decoded(data, language or language_in(name))
    if "\0" in text or sum(letter < " " and not letter.isspace() for letter in text) > _STRAY * len(text):
        raise MediaError(f"{name} isn't a subtitle file: it contains binary data.")
    lines = text.splitlines()
    head = next((line.strip() for line in lines if line.strip()), "")
    if not head:
        return []
    format = next(each for each in _FORMATS if each.fits(text, head))
    cues = format.parse(text, name, note)
    if are_records(cues):
        raise MediaError(f"{name} isn't speech: its lines are alike but for their numbers, as a camera's data are.")
    return with_speakers(unrolled(sorted(cues, key=lambda cue: (cue.start, cue.end))))


def unrolled(cues: list[Cue]) -> list[Cue]:
    """Drop from each cue the lines that the adjoining cue before it already showed.

    A cue repeated in full is kept (a refrain is sung twice) unless it overlaps the first, is too short to read, or is
    the rest of a longer rolling cue.
    """
    found: list[Cue] = []
    shown: list[str] = []
    shown_until = 0.0
    for cue in cues:
        lines = cue.text.split("\n")
        touching = bool(found) and cue.start - shown_until <= _TOUCHING and cue.speaker == found[-1].speaker
        limit = min(len(lines), len(shown)) if touching else 0
        repeated = next((count for count in range(limit, 0, -1) if shown[-count:] == lines[:count]), 0)
        again = repeated == len(lines) == len(shown)
        if (
            again
            and cue.start >= shown_until
            and min(cue.end - cue.start, found[-1].end - found[-1].start) >= _READABLE
        ):
            repeated = 0
        if repeated == len(lines):
            found[-1] = replace(found[-1], end=max(found[-1].end, cue.end))
        else:
            found.append(replace(cue, text="\n".join(lines[repeated:])))
        shown, shown_until = lines, cue.end
    return found


def ass_text(text: str) -> str:
    """The words of an ASS event: no override codes, no drawings, real line breaks."""
    text = re.sub(r"\{[^}]*\}", "", _ASS_DRAWING.sub("", text))
    return "" if _DRAWN.fullmatch(text) else tidy(re.sub(r"\\[Nn]", "\n", text).replace("\\h", " "))


class _Block(NamedTuple):
    """A timing line, with its number and the lines under it."""

    start: float
    end: float
    line: int
    body: list[str]
    speaker: str | None = None


def _parse_timed(text: str, name: str, note: Note) -> list[Cue]:
    """Cues of SubRip or WebVTT: a timing line, then text up to an empty line or the next timing line."""
    lines = text.splitlines()
    webvtt = text.lstrip().startswith("WEBVTT")
    blocks: list[_Block] = []
    inside = skipped = False  # in a cue; in something that is no cue, up to the next empty line
    refused = ""
    for number, line in enumerate(lines, start=1):
        if not line:
            inside = skipped = False
        elif inside and not (webvtt or blocks[-1].body or any(lines[number : number + 1])):
            blocks[-1].body.append(line)  # a time may be all that a cue of SubRip shows
        elif _begins_cue(line, inside):
            above = lines[number - 2].strip() if number > 1 else ""
            if inside and above.isdigit() and blocks[-1].body:
                blocks[-1].body.pop()
                note(f"line {number - 1} (read as a cue number: the blank line before it is missing)")
            block = _timed_block(line, number, note)
            refused = refused or f"{name}, line {number}: {line.strip()[:60]!r} isn't a cue time"
            inside, skipped = block is not None, block is None
            if block:
                named = _WEBEX.fullmatch(above)
                blocks.append(block._replace(speaker=named[1] if named else None))
        elif inside:
            blocks[-1].body.append(line)
        elif skipped or not line.strip() or line.strip().isdigit():
            continue
        elif webvtt and (number < len(lines) and _begins_cue(lines[number], False)):
            continue  # the name of the cue that follows
        elif webvtt and (not blocks or _WEBVTT_BLOCK.match(line)):
            skipped = True
        elif not blocks:
            refused = refused or f"{name}, line {number}: expected a cue time, found {line.strip()[:60]!r}"
            note(f"line {number} (left out: it stands before the first cue)")
            skipped = True
        else:
            blocks[-1].body.append(line)
            inside = True
            note(f"line {number} (read as part of the cue above, despite the blank line)")
    if refused and not blocks:
        raise MediaError(f"{refused}; write 00:00:01.000 --> 00:00:02.000.")
    return closed(cue for block in blocks for cue in _voices(block))


def _begins_cue(line: str, inside: bool) -> bool:
    """Whether a line is meant as a timing line; a time alone may also be the text of a cue."""
    timing = _TIMING.fullmatch(line)
    arrow = "-->" in line if not inside else _ARROW.match(line)
    return bool(arrow or (timing and (timing["arrow"] or not inside)))


def _timed_block(line: str, number: int, note: Note) -> _Block | None:
    """The block that a timing line begins; None if it can't be read."""
    timing = _TIMING.fullmatch(line)
    if not timing:
        note(f"line {number} (left out: {line.strip()[:40]!r} isn't a cue time)")
        return None
    start = _signed(timing["start"])
    if timing["end"] is None:
        note(f"line {number} (has no end: it lasts as long as it takes to say it)")
        return _Block(max(0.0, start), OPEN, number, [])
    start, end = _in_order(start, _signed(timing["end"]), number, note)
    if start < 0 and end <= 0:
        note(f"line {number} (left out: it ends before the video begins)")
        return None
    if start < 0:
        note(f"line {number} (begins before the video: cut)")
    return _Block(max(0.0, start), end, number, [])


def _signed(time: str) -> float:
    return -seconds(time[1:]) if time.startswith("-") else seconds(time)


def _voices(block: _Block) -> Iterator[Cue]:
    """The cues of a block, one for each voice in it."""
    text = "\n".join(block.body)
    edges = [found.start() for found in _VOICE.finditer(text)]
    for first, last in zip([0, *edges], [*edges, len(text)], strict=True):
        voice = _VOICE.match(text[first:last])
        words = tidy(html.unescape(_TAG.sub("", _OVERRIDE.sub("", text[first:last]))))
        if words:
            speaker = html.unescape(voice[1]).strip() if voice else block.speaker
            yield Cue(block.start, block.end, words, speaker, block.line)


def _parse_ass(text: str, name: str, note: Note) -> list[Cue]:
    """Cues of ASS or SSA, without the parts of a line that effects show again."""
    columns = _ASS_FORMAT.split(",")
    found: list[Cue] = []
    refused: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        kind, _, rest = line.partition(":")
        if kind.strip().lower() == "format" and "text" in rest.lower():
            columns = [column.strip().lower() for column in rest.split(",")]
        if kind.strip().lower() != "dialogue":
            continue
        fields = dict(zip(columns, rest.strip().split(",", len(columns) - 1), strict=False))
        times = [fields.get(column, "").strip() for column in ("start", "end")]
        if not ("text" in fields and all(re.fullmatch(TIME, time) for time in times)):
            note(f"line {number} (left out: it lacks a time or a column of its format line)")
            refused = refused or f"{name}, line {number}: {line.strip()[:60]!r}"
            continue
        start, end = _in_order(seconds(times[0]), seconds(times[1]), number, note)
        words = ass_text(fields["text"])
        if words:
            found.append(Cue(start, end, words, fields.get("name", "").strip() or None, number))
    if refused and not found:
        raise MediaError(f"{refused} is missing a time or a column of its format line.")
    return list(_once(found))


def _once(cues: Sequence[Cue]) -> Iterator[Cue]:
    """Cues that are no part of another at the same time: no syllables of a song, no glow around a line."""
    shown: list[Cue] = []
    for cue in sorted(cues, key=lambda cue: (cue.start, -cue.end, -len(cue.text))):
        shown = [other for other in shown if other.end > cue.start]
        if not any(cue.end <= other.end and cue.speaker == other.speaker and cue.text in other.text for other in shown):
            yield cue
        shown.append(cue)


def _parse_sbv(text: str, name: str, note: Note) -> list[Cue]:
    """Cues of SBV: a line with start and end, then text."""
    blocks: list[_Block] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if timing := _SBV.fullmatch(line):
            start, end = _in_order(seconds(timing["start"]), seconds(timing["end"]), number, note)
            blocks.append(_Block(start, end, number, []))
        elif blocks:
            blocks[-1].body.append(line.replace("[br]", "\n"))
        elif line.strip():
            note(f"line {number} (left out: it stands before the first cue)")
    return [cue for block in blocks for cue in _voices(block)]


def _in_order(start: float, end: float, line: int, note: Note) -> tuple[float, float]:
    if end < start:
        note(f"line {line} (ends before it starts: times swapped)")
    return min(start, end), max(start, end)


# The first that fits the text reads it; one without a sign of any is a plain transcript, or none.
_FORMATS = (
    _Format((".json3",), lambda text, head: head.startswith("{"), parse_json3),
    _Format((".ttml", ".dfxp"), lambda text, head: head.startswith("<") and "<tt" in text, parse_ttml),
    _Format((".ass", ".ssa"), lambda text, head: _ASS_SECTION.search(text), _parse_ass),
    _Format(
        (".srt", ".vtt"),
        lambda text, head: (
            head.startswith("WEBVTT") or (head.isdigit() and "-->" in text) or any(map(_ARROW.match, text.splitlines()))
        ),
        _parse_timed,
    ),
    _Format((".sbv",), lambda text, head: any(map(_SBV.fullmatch, text.splitlines())), _parse_sbv),
    _Format(
        (".lrc",), lambda text, head: True, lambda text, name, note: parse_transcript(text.splitlines(), name, note)
    ),
)
SUFFIXES = tuple(suffix for format in _FORMATS for suffix in format.suffixes)


def is_transcript(path: Path) -> bool:
    """Whether a path has the name of a subtitle file or a text, which may be indexed by itself."""
    return path.suffix.lower() in (*SUFFIXES, ".txt")
