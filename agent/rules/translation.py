"""Questions that want what is said or written in another language.

The words as they are said or written are quoted with their moment; beside them stands what a tool makes of them, which
is told as its translation and proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import Orientation
from longtake.agent.rules.matching import must_hold
from longtake.agent.rules.moves import (
    READER,
    Call,
    Done,
    Move,
    called,
    cite,
    evidence_from,
    failures,
    not_found,
    on_each,
    trusted,
    within,
)
from longtake.agent.rules.reading import PLACES, pick_texts
from longtake.agent.rules.slides import slides_of
from longtake.agent.words import content_stems, coverage, cue, stems
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.language_names import language_of

SPEECH, TEXT = "translate_speech", "translate_text"
MOST_LINES = 8
MOSTLY = 0.5  # share of a slide's words that are in another language where the slide is
_LANGUAGE = r"(?P<language>[A-Z][a-z]+(?: [A-Z][a-z]+)?)"
_INTO = r"(?:into|to|in) [A-Z][a-z]+"
_MEAN = r"(?:[Tt]ranslat\w+|mean\w*|says?|said|reads?|stands? for|called|put|be|go)"
_WANTED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b[Tt]ranslat\w+\b.*?\b{_INTO}",
        rf"^\W*(?:[Ww]hat|[Hh]ow) .*\b{_MEAN}\b.*?\b{_INTO}(?: [A-Z][a-z]+)?\W*$",
        r"^\W*[Ii]n(?:to)? [A-Z][a-z]+(?: [A-Z][a-z]+)?, (?:what|how|please)\b",
        rf"^\W*[Ww]hat (?:is|was) (?:being )?(?:said|sung|spoken|written|shown)\b.*? {_INTO}(?: [A-Z][a-z]+)?\W*$",
        rf"^\W*(?:[Pp]lease )?(?:[Pp]ut|[Rr]ender|[Gg]ive|[Tt]ell|[Ee]xplain|[Ww]rite|[Ss]ay|[Rr]epeat)\b.*\b{_INTO}"
        r"(?: [A-Z][a-z]+)?(?:,? please)?\W*$",
    )
)
# Where the language stands that is wanted, the surest first; of several of a kind, it is the last.
_TARGETS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:[Tt]he|[Aa]n?) {_LANGUAGE} (?:translation|meaning|version|equivalent|words?)\b",
        rf"\b(?:into|to) {_LANGUAGE}",
        rf"\b[Ii]n {_LANGUAGE}",
    )
)
_LANGUAGES = re.compile(r"\b[A-Z][a-z]{3,}\b")
_WRITTEN = cue(
    "sign, signs, notice*, text, slide, screen, written, writing, poster, board, inscription, label, caption"
)
# What is wanted, and of what kind it is; the other words of a question say whose, or which.
_GENERAL = cue(
    "translat*, mean, means, meaning, say, says, said, speak, speaks, spoken, sentence*, line, lines, word, words, "
    "speech, version, equivalent, put, tell, tells, give, please, sung"
)


class _Wanted(NamedTuple):
    """The languages: into which, and from which where the question says so."""

    into: str
    source: str | None


class _Pair(NamedTuple):
    """A line as it is said or written, and in the other language."""

    line: Evidence
    translated: str


def asks_translation(orientation: Orientation) -> bool:
    """Whether a question names a language that it wants something in."""
    return _wanted(orientation.question) is not None


def translate(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Translate what is said, or what is written where the question speaks of that or quotes it."""
    wanted = _wanted(orientation.question)
    assert wanted is not None, "asked only where a language is wanted"
    if not called(done, READER):
        return on_each(orientation, READER)
    texts = within(trusted(evidence_from(done, READER)), orientation)
    quoted = orientation.quoted[0] if orientation.quoted else ""
    shown = any(quoted.casefold() in item.content.casefold() for item in texts)
    if quoted and not shown:
        return _translated_quotation(quoted, wanted, done)
    if quoted or _WRITTEN.search(orientation.question):
        return _written(orientation, wanted, texts, done)
    return _spoken(orientation, wanted, texts, done)


def _wanted(question: str) -> _Wanted | None:
    found = ([known for each in target.findall(question) if (known := _known(each))] for target in _TARGETS)
    targets = list(found)
    asks = targets[0] or any(pattern.search(question) for pattern in _WANTED)
    into = next((languages[-1] for languages in targets if languages), None)
    named = (_known(found) for found in _LANGUAGES.findall(question))
    source = next((language for language in named if language and language != into), None)
    return _Wanted(into, source) if asks and into else None


def _known(words: str) -> str | None:
    """Capitalised words that name a language; None where they do not, as "French Polynesia" does not."""
    return words if language_of(words) else None


def _translated_quotation(quoted: str, wanted: _Wanted, done: Sequence[Done]) -> Move:
    """A text that a question quotes itself, and no picture holds."""
    if not called(done, TEXT):
        return [Call(TEXT, {"text": quoted, "from_lang": wanted.source or "auto", "to_lang": wanted.into})]
    translated = str(done[-1].result.output.get("translated_text", ""))
    if not translated:
        return not_found(" ".join(failures(done)))
    return not_found(f"A translation proves nothing of the video ({_by(done)}): “{translated}”.")


def _written(orientation: Orientation, wanted: _Wanted, texts: Sequence[Evidence], done: Sequence[Done]) -> Move:
    """What stands in the other language, of the one slide that is meant."""
    if any(cue(place).search(orientation.question) for place in PLACES):
        texts = pick_texts(orientation, texts)
    lines = [item for slide in slides_of(texts) for item in slide]
    if not lines:
        return not_found(" ".join(failures(done)) or "It cannot be told which text is meant.")
    if not called(done, TEXT):
        text = "\n".join(" ".join(item.content.split()) for item in lines)
        return [Call(TEXT, {"text": text, "from_lang": "auto", "to_lang": wanted.into})]
    if failures(done):
        return not_found(" ".join(failures(done)))
    output = done[-1].result.output
    translated = str(output.get("translated_text", "")).splitlines()
    if wanted.source and output.get("from_lang") not in (wanted.source, wanted.into):
        return not_found(f"Nothing is written there in {wanted.source} that can be told.")
    slides = _foreign_slides(lines, translated)
    if orientation.quoted:
        slides = [slide for slide in slides if _is_titled(slide, orientation.quoted[0])]
    if len(slides) != 1:
        many = f"several places: {''.join(cite(slide[0].line, orientation) for slide in slides)}" if slides else "none"
        return not_found(f"Writing in another language than {wanted.into} was found in {many}.")
    untitled = [pair for pair in slides[0] if pair.line.content not in orientation.quoted]
    return _told_pairs(untitled or slides[0], orientation, done)


def _foreign_slides(lines: Sequence[Evidence], translated: Sequence[str]) -> list[list[_Pair]]:
    """Of the slides that mostly are in another language, the lines that are."""
    pairs = [_Pair(line, other) for line, other in zip(lines, translated, strict=False) if _differs(line, other)]
    found = (
        (slide, [pair for pair in pairs if any(pair.line is item for item in slide)]) for slide in slides_of(lines)
    )
    return [
        foreign
        for slide, foreign in found
        if foreign and _letters([pair.line for pair in foreign]) >= MOSTLY * _letters(slide)
    ]


def _is_titled(slide: Sequence[_Pair], quoted: str) -> bool:
    return any(quoted.casefold() in pair.line.content.casefold() for pair in slide)


def _letters(lines: Sequence[Evidence]) -> int:
    return sum(len(item.content) for item in lines)


def _differs(line: Evidence, translated: str) -> bool:
    return content_stems(line.content) != content_stems(translated)


def _spoken(orientation: Orientation, wanted: _Wanted, texts: Sequence[Evidence], done: Sequence[Done]) -> Move:
    """What is said in the other language, by whom the question names where it names somebody."""
    if not called(done, SPEECH):
        return on_each(orientation, SPEECH, from_lang=wanted.source or "auto", to_lang=wanted.into)
    found = evidence_from(done, SPEECH)
    pairs = [
        _Pair(line, other.content)
        for line in trusted(found)
        for other in found
        if other.engine.endswith(f" of {line.engine}") and other.span == line.span and _differs(line, other.content)
    ]
    places = _places(orientation.question, texts)
    if places is None:
        return not_found("Who that is cannot be told from what is written.")
    meant = [pair for pair in pairs if not places or any(pair.line.span.overlaps(place) for place in places)]
    if not meant or len(meant) > MOST_LINES:
        reason = "Nothing" if not meant else "More than can be told in short"
        return not_found(" ".join(failures(done)) or f"{reason} is said there in another language than {wanted.into}.")
    return _told_pairs(meant, orientation, done)


def _places(question: str, texts: Sequence[Evidence]) -> list[TimeSpan] | None:
    """Where the slides stand that name whom a question names; empty where it names nobody, None where no slide does."""
    plain = _GENERAL.sub(" ", _LANGUAGES.sub(lambda match: " " if language_of(match[0]) else match[0], question))
    terms, names = content_stems(plain), must_hold(f"who {plain[:1].lower()}{plain[1:]}")
    held = [item.span for slide in slides_of(texts) for item in slide if terms and coverage(terms, item.content) == 1.0]
    if held or not names:
        return held
    slides = [slide for slide in slides_of(texts) if names <= stems(" ".join(item.content for item in slide))]
    return [item.span for slide in slides for item in slide] or None


def _told_pairs(pairs: Sequence[_Pair], orientation: Orientation, done: Sequence[Done]) -> str:
    *others, last = (f"“{pair.line.content.strip()}” is “{pair.translated}”" for pair in pairs)
    told = [*others, f"{last}, {_by(done)}"]
    return " ".join(f"{each} {cite(pair.line, orientation)}." for each, pair in zip(told, pairs, strict=True))


def _by(done: Sequence[Done]) -> str:
    """Who translated, and how surely, as the tool notes it."""
    notes = (note for step in done if step.call.name in (SPEECH, TEXT) for note in step.result.notes)
    return next((note.partition(":")[0] for note in notes if note.startswith("translated by")), "unchanged")
