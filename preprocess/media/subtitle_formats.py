"""Parses SubRip, WebVTT and ASS/SSA files into cues, removing markup and making safe repairs.

Formats: the SubRip text format as written by players; W3C WebVTT; the SSA v4 and ASS v4+ specifications.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from charset_normalizer import from_bytes

from longtake.errors import MediaError

SUFFIXES = (".srt", ".vtt", ".ass", ".ssa")

_CLOCK = r"(?:(\d{1,4}):)?(\d{1,3}):(\d{1,2})(?:[.,](\d{1,3}))?"
_TIMING = re.compile(rf"\s*{_CLOCK}\s*-{{1,2}}>\s*{_CLOCK}(?:\s.*)?")
_ARROW = re.compile(r"\s*\d.*-->")  # a malformed timing line
_ASS_SECTION = re.compile(r"^\[(?:script info|events|v4\+? styles)\]\s*$", re.IGNORECASE | re.MULTILINE)
_WEBVTT_BLOCK = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_ASS_FORMAT = "layer,start,end,style,name,marginl,marginr,marginv,effect,text"
_ASS_DRAWING = re.compile(r"\{[^}]*\\p[1-9][^}]*\}.*?(?=\{[^}]*\\p0|$)")
_OVERRIDE = re.compile(r"\{\\[^}]*\}")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<\d[\d:.,]*>")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>", re.IGNORECASE)
_TOUCHING = 0.1  # seconds; the largest gap between the cues of one rolling caption
_WESTERN = ("Latin", "Control", "Punctuation")  # words in the alphabet names of Western text
_READABLE = 0.5  # seconds; a shorter cue is a step of an animation


@dataclass(frozen=True, slots=True)
class Cue:
    """Words and when they are shown, in seconds; `text` may have several lines.

    `line` is the file's line with the times, None for a cue that doesn't come from a text file.
    """

    start: float
    end: float
    text: str
    speaker: str | None = None
    line: int | None = field(default=None, compare=False)


def _ignore(_: str) -> None:
    """Ignore a repair."""


def parse_subtitles(data: bytes, name: str, repaired: Callable[[str], None] = _ignore) -> list[Cue]:
    """Parse a subtitle file by its content; cues are sorted by start, without the repetitions of rolling captions.

    Args:
        data: the file's bytes, in UTF-8, UTF-16 or a Western single-byte encoding.
        name: the file's name for error messages.
        repaired: takes each repair, with its line, in file order.

    Raises:
        MediaError: if it isn't a subtitle file or a line can't be read; the message names file and line.
    """
    lines = _decode(data, name).splitlines()
    head = next((line.strip() for line in lines if line.strip()), "")
    if not head:
        return []
    if _ASS_SECTION.search("\n".join(lines)):
        cues = list(_ass_cues(lines, name, repaired))
    else:
        cues = list(_timed_cues(lines, name, repaired, webvtt=head.startswith("WEBVTT")))
    return unrolled(sorted(cues, key=lambda cue: (cue.start, cue.end)))


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
    text = _ASS_DRAWING.sub("", text)
    text = re.sub(r"\{[^}]*\}", "", text)
    return _tidy(re.sub(r"\\[Nn]", "\n", text).replace("\\h", " "))


def guessed_encoding(data: bytes) -> str | None:
    """The encoding of a non-Unicode file, guessed from its letters; None if it is Unicode."""
    try:
        data.decode(_unicode_encoding(data))
    except UnicodeDecodeError:
        best = from_bytes(data).best()
        # Among encodings of Latin letters the guess is poor, and cp1252 is by far the most common.
        if best is not None and not all(any(word in name for word in _WESTERN) for name in best.alphabets):
            return best.encoding
        return "cp1252" if not set(data) & {0x81, 0x8D, 0x8F, 0x90, 0x9D} else "latin-1"
    return None


def _decode(data: bytes, name: str) -> str:
    text = data.decode(guessed_encoding(data) or _unicode_encoding(data))
    if "\0" in text:
        raise MediaError(f"{name} isn't a subtitle file: it contains binary data.")
    return text


def _unicode_encoding(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if not any(data[0:8:2]):  # the times at the top of a file are ASCII in every language
        return "utf-16-be"
    return "utf-16-le" if not any(data[1:8:2]) else "utf-8-sig"


def _timed_cues(lines: list[str], name: str, repaired: Callable[[str], None], *, webvtt: bool) -> Iterator[Cue]:
    """Cues of SubRip or WebVTT: a timing line, then text up to a blank line or the next timing line."""
    drafts: list[tuple[float, float, int, list[str]]] = []
    inside = comment = False
    numbered = 0  # the last line that contained only a cue number
    for number, line in enumerate(lines, start=1):
        timing = _TIMING.fullmatch(line)
        if not line.strip():
            inside = comment = False
        elif comment:
            continue
        elif timing:
            if inside and drafts[-1][3] and drafts[-1][3][-1].strip().isdigit():
                drafts[-1][3].pop()
                repaired(f"line {number - 1} (read as a cue number: the blank line before it is missing)")
            start, end = _in_order(_seconds(*timing.groups()[:4]), _seconds(*timing.groups()[4:]), number, repaired)
            drafts.append((start, end, number, []))
            inside = True
        elif _ARROW.match(line):
            shown = line.strip()[:60]
            raise MediaError(f"{name}, line {number}: {shown!r} isn't a cue time; write 00:00:01.000 --> 00:00:02.000.")
        elif inside:
            drafts[-1][3].append(line)
        elif webvtt:
            comment = bool(_WEBVTT_BLOCK.match(line))
        elif line.strip().isdigit():
            numbered = number
        elif not drafts or numbered == number - 1:
            raise MediaError(f"{name}, line {number}: expected a cue time, found {line.strip()[:60]!r}.")
        else:
            drafts[-1][3].append(line)
            repaired(f"line {number} (read as part of the cue above, despite the blank line)")
    if not (drafts or webvtt):
        raise MediaError(f"{name} isn't a subtitle file: it has no cues.")
    for start, end, number, body in drafts:
        text = "\n".join(body)
        voice = _VOICE.search(text)
        words = _tidy(html.unescape(_TAG.sub("", _OVERRIDE.sub("", text))))
        if words:
            yield Cue(start, end, words, html.unescape(voice[1]).strip() if voice else None, number)


def _ass_cues(lines: list[str], name: str, repaired: Callable[[str], None]) -> Iterator[Cue]:
    columns = _ASS_FORMAT.split(",")
    for number, line in enumerate(lines, start=1):
        kind, _, rest = line.partition(":")
        if kind.strip().lower() == "format" and "text" in rest.lower():
            columns = [column.strip().lower() for column in rest.split(",")]
        if kind.strip().lower() != "dialogue":
            continue
        fields = dict(zip(columns, rest.strip().split(",", len(columns) - 1), strict=False))
        times = [re.fullmatch(_CLOCK, fields.get(column, "").strip()) for column in ("start", "end")]
        if not (times[0] and times[1] and "text" in fields):
            raise MediaError(
                f"{name}, line {number}: {line.strip()[:60]!r} is missing a time or a column of its format line."
            )
        start, end = _in_order(_seconds(*times[0].groups()), _seconds(*times[1].groups()), number, repaired)
        words = ass_text(fields["text"])
        if words:
            yield Cue(start, end, words, fields.get("name", "").strip() or None, number)


def _in_order(start: float, end: float, line: int, repaired: Callable[[str], None]) -> tuple[float, float]:
    if end < start:
        repaired(f"line {line} (ends before it starts: times swapped)")
    return min(start, end), max(start, end)


def _seconds(hours: str | None, minutes: str, seconds: str, fraction: str | None) -> float:
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return round(whole + float(f"0.{fraction or 0}"), 3)


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
