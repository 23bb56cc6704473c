"""Options as benchmarks write them: labelled or not, inside the question, the right one as letter, index or text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from longtake.evalharness.scoring.choices import LABELS

AnswerAs = Literal["letter", "index", "number", "text"]
_MARK = re.compile(r"\(([A-Za-z])\)\s*|^[ \t]*([A-Za-z])[.):][ \t]+", re.MULTILINE)
_LABEL = re.compile(r"\s*(?:\(([A-Za-z])\)|([A-Za-z])[.):])\s*(?=\S)")
_LETTER = re.compile(r"\((?P<set>[A-Za-z])\)(?:\s.*)?|(?P<bare>[A-Za-z])(?:[.):].*)?", re.DOTALL)


def split_options(text: str) -> tuple[str, tuple[str, ...]]:
    """The question and its options, where they are marked (a), (b)... or, each on its line, A. or A).

    A mark counts only if its letter is the next one, so that a letter in parentheses alone isn't an option.
    """
    marks: list[re.Match[str]] = []
    for match in _MARK.finditer(text):
        if len(marks) < len(LABELS) and (match[1] or match[2]).upper() == LABELS[len(marks)]:
            marks.append(match)
    if len(marks) < 2:
        return text.strip(), ()
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    options = tuple(text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True))
    return text[: marks[0].start()].strip(), options


def without_labels(options: Sequence[str]) -> tuple[str, ...]:
    """The texts of options that are labelled A, B, C... in order; others as they are."""
    labels = [_LABEL.match(option) for option in options]
    letters = [(label[1] or label[2]).upper() if label else "" for label in labels]
    if letters != list(LABELS[: len(options)]):
        return tuple(options)
    return tuple(option[label.end() :].strip() for option, label in zip(options, labels, strict=True) if label)


def option_of(answer: str, options: Sequence[str], written: AnswerAs) -> int | None:
    """Which option an answer of the file names, from 0; None if it names none.

    Args:
        answer: as the file has it.
        options: their texts.
        written: as a letter ("b", "(b)", "B. the door"), as an index from 0, as a number
            from 1, or as the text of the option.
    """
    if written == "text":
        label = _LABEL.match(answer)
        for text in filter(None, (answer, label and answer[label.end() :])):  # the answer may have its label as well
            same = [place for place, option in enumerate(options) if option.casefold() == text.strip().casefold()]
            if len(same) == 1:
                return same[0]
        return None
    if written in ("index", "number"):
        place = int(answer) - (written == "number") if re.fullmatch(r"\d+", answer) else len(options)
    else:
        letter = _LETTER.fullmatch(answer)
        place = LABELS.index((letter["set"] or letter["bare"]).upper()) if letter else len(options)
    return place if 0 <= place < len(options) else None
