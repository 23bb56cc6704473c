"""Adapts questions about a clip to a longer video that contains the clip.

Seconds count from the start of the video. So each time in the question and the gold (`21.4 s`, `between 1 and 2 s`)
becomes the time in the longer video; text in quotation marks and a gold that is a duration stay. A question can't be
adapted if it asks about the whole clip (a transcript, what comes first or last, its shots, how many speakers it has),
since the longer video has another answer, or if it contains a clock time (`0:12`), which may be a place or a text.
"""

from __future__ import annotations

import re

from longtake.bench.clips.clip_questions import ClipQuestion
from longtake.memory.timespan import TimeSpan

_NUMBER = r"\d+(?:\.\d+)?"
_DECADE = r"(?!(?:1\d|20)\d0s\b)"  # the 1980s
_JOINED = rf"{_NUMBER}(?:\s*(?:,|-|\bto\b|\band\b|\bor\b)\s*{_NUMBER})*"
_TIMES = re.compile(rf"(?P<quoted>[\"“][^\"”]*[\"”])|(?<![\w.:]){_DECADE}(?P<times>{_JOINED})(?=\s*s\b)")
_CLOCK = re.compile(r"(?<![\d:])\d{1,2}:\d\d(?::\d\d)?(?![\d:])")
_WHOLE = re.compile(
    r"\b(transcribe|first|second|third|last|anyone|speakers|how many shots|shot cuts|hard cuts|whole|entire"
    r"|each of the two channels|this (?:video|recording|clip))\b",
    re.IGNORECASE,
)


def cannot_be_shifted(question: ClipQuestion) -> str | None:
    """Why a question means nothing, or something else, in a longer video; None if it can be asked there."""
    if found := _WHOLE.search(question.question):
        return f"asks about the whole clip ({found[0].lower()})"
    if _CLOCK.search(question.question):
        return "contains a clock time"
    return None


def shifted(question: ClipQuestion, seconds: float) -> ClipQuestion:
    """The question, adapted to a video in which the clip starts at `seconds`."""
    span = TimeSpan(start=question.evidence.start + seconds, end=question.evidence.end + seconds)
    gold = question.answer if question.kind == "duration" else _moved(question.answer, seconds)
    return question.model_copy(
        update={"question": _moved(question.question, seconds), "answer": gold, "evidence": span}
    )


def _moved(text: str, seconds: float) -> str:
    def move(match: re.Match[str]) -> str:
        if match["quoted"]:
            return match["quoted"]
        return re.sub(_NUMBER, lambda number: f"{round(float(number[0]) + seconds, 3):.10g}", match["times"])

    return _TIMES.sub(move, text)
