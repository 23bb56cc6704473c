"""Parses transcripts as plain text: a time, often a name, and what is said. LRC, the format of lyrics, is one too.

So write Teams, Google Meet, Otter, Rev, Fireflies, Whisper and YouTube when their text is copied or saved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from longtake.errors import MediaError
from longtake.preprocess.media.cues import OPEN, TIME, Cue, Note, closed, seconds, spoken_seconds, tidy
from longtake.preprocess.media.named_speakers import NAME, take_turns, with_speakers

_TIMES = rf"(?P<start>{TIME})(?:\s*(?:-{{1,3}}>|-|–|—|to)\s*(?P<end>{TIME}))?"
_SECONDS = r"\d{1,6}\.\d{1,3}"
_NAMED = rf"(?:\[(?P<quoted>[^\]]+)\]|(?P<name>{NAME}))"
# Where lines have their times: a transcript has the form that most of its lines fit, the first of equals.
_FORMS = (
    re.compile(rf"{_TIMES}(?P<rest>)"),  # 1:05, and text below
    re.compile(rf"[\[(<]{_TIMES}[\])>]\s*[-–—:]?\s*(?P<rest>.*)"),  # [00:01:05] Bob: text
    re.compile(rf"{_TIMES}(?:\s*[-–—|]\s+|\s+)(?P<rest>.+)"),  # 00:01:05 Bob: text
    # [65.0s -> 66.1s] text
    re.compile(rf"\[(?P<start>{_SECONDS})s?\s*-{{1,3}}>\s*(?P<end>{_SECONDS})s?\]\s*(?P<rest>.*)"),
    re.compile(rf"{_NAMED}:?\s*[\[(]{_TIMES}[\])]:?\s*(?P<rest>.*)"),  # Bob (1:05): text, or text below
    re.compile(rf"{_NAMED}(?:\s*[-–—|,]\s*|\s+){_TIMES}:?(?P<rest>)"),  # Bob  1:05, and text below
)
_FRAMES = re.compile(r"(\d\d)[:;](\d\d)[:;](\d\d)[:;]\d\d\b")  # how editors write times, of which frames are left out
_LRC_TAG = re.compile(r"\[(?:ti|ar|al|au|lr|by|re|ve|length|offset|tool|#)\s*:[^\]]*\]", re.IGNORECASE)
_LRC_TIME = re.compile(rf"\[{TIME}\]\s*")
_LRC_WORD = re.compile(rf"<{TIME}>\s?")
# What services add to a transcript.
_SERVICE = re.compile(
    r"Transcribed by https?://\S+|(?:Meeting|Transcription) ended after .*"
    r"|This editable transcript was computer generated.*|.* (?:started|stopped) transcription"
)
_FEW = 2  # names; of more, one comes back after another, unless they are titles
_SLOWEST = 2.0  # times as long as it takes to say it, for lines that share a time


@dataclass
class _Draft:
    """What follows a time: who says it, if that is on the same line, and the lines of text."""

    start: float
    end: float
    speaker: str | None
    line: int
    body: list[str]


def parse_transcript(lines: Sequence[str], name: str, note: Note) -> list[Cue]:
    """The cues of a plain text with times, by start; what has no end lasts until the next time at most.

    Raises:
        MediaError: if no line has a time.
    """
    drafts = _drafts(list(_numbered(lines)))
    if not drafts:
        raise MediaError(
            f"{name} has no times of a recording, so nothing in it could be cited: put one before each line, such as "
            "[00:01:05] Bob: I agree."
        )
    cues = [Cue(each.start, each.end, tidy("\n".join(each.body)), each.speaker, each.line) for each in drafts]
    return [cue for cue in closed(_placed(with_speakers(cues), note)) if cue.text]


def has_times(text: str) -> bool:
    """Whether a plain text may be a transcript: it has several lines with times."""
    return len(_cues(text)) > 1


def names_speakers(text: str) -> bool:
    """Whether a plain text is a transcript: it has times and the names of those who speak."""
    return any(cue.speaker for cue in _cues(text))


def _cues(text: str) -> list[Cue]:
    try:
        return parse_transcript(text.splitlines(), "", lambda _: None)
    except MediaError:
        return []


def _numbered(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, without those of services. A line of a song with several times comes as often."""
    for number, line in enumerate(lines, start=1):
        line = _LRC_WORD.sub("", line).replace("**", "").strip()  # bold in Markdown
        if _FRAMES.match(line.lstrip("[(<")):
            line = _FRAMES.sub(r"\1:\2:\3", line, count=2)  # a start and an end
        times = []
        rest = line
        while time := _LRC_TIME.match(rest):
            times.append(time.group())
            rest = rest[time.end() :]
        if len(times) > 1:
            yield from ((number, time + rest) for time in times)
        elif not _LRC_TAG.fullmatch(line) and not _SERVICE.fullmatch(line):
            yield number, line


def _drafts(lines: Sequence[tuple[int, str]]) -> list[_Draft]:
    form = max(_FORMS, key=lambda form: sum(bool(form.fullmatch(line)) for _, line in lines))
    drafts: list[_Draft] = []
    for number, line in lines:
        if head := form.fullmatch(line):
            found = head.groupdict()
            start, end = seconds(found["start"]), seconds(found["end"]) if found["end"] else OPEN
            speaker = found.get("quoted") or found.get("name")
            drafts.append(_Draft(start, OPEN if end < start else end, speaker, number, [found["rest"]]))
        elif drafts:
            drafts[-1].body.append(line)
    names = [each.speaker for each in drafts if each.speaker]
    if len(names) > _FEW and not take_turns(names):
        for each in drafts:
            each.body, each.speaker = [*filter(None, [each.speaker]), *each.body], None
    return drafts


def _placed(cues: Sequence[Cue], note: Note) -> list[Cue]:
    """Cues of which those that share a time follow each other until the next one, each as long as its text."""
    found: list[Cue] = []
    groups = [list(group) for _, group in groupby(cues, key=lambda cue: (cue.line, cue.start))]
    ends = [after[0].start for _, after in pairwise(groups)] + [float("inf")]
    for group, end in zip(groups, ends, strict=True):
        room = end if group[0].end == OPEN else group[0].end
        lengths = [spoken_seconds(cue.text) for cue in group]
        scale = min(_SLOWEST, max(0.0, room - group[0].start) / sum(lengths)) if end < float("inf") else 1.0
        at = group[0].start
        for cue, length in zip(group, lengths, strict=True):
            until = round(at + scale * length, 3)
            found.append(cue if len(group) == 1 else replace(cue, start=at, end=until))
            at = until
    if (shared := sum(len(group) for group in groups if len(group) > 1)) > 0:
        note(f"{shared} lines share a time with others (placed one after the other by their lengths)")
    return found
