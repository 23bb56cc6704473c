"""Questions that want what is said or written in another language. A translation proves nothing: it is told as such."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, Move, called, evidence_from, failures, not_found, on_each, trusted
from longtake.agent.rules.reading import MOST_TEXTS, pick_texts
from longtake.memory.records import Evidence
from longtake.preprocess.language_names import language_of

SPEECH, TEXT, READER = "translate_speech", "translate_text", "extract_scene_text"
_LANGUAGE = r"(?P<{}>[A-Z][a-z]+(?: [A-Z][a-z]+)?)"
_INTO = rf"(?:into|to|in) {_LANGUAGE.format('into')}"
_WANTED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^\W*(?:[Pp]lease |[Cc]an you |[Cc]ould you )?[Tt]ranslate\b.*?\b{_INTO}",
        rf"^\W*(?:[Ww]hat|[Hh]ow) .*\b(?:translat\w+|mean|means|say)\b.*?\b{_INTO}\W*$",
        rf"^\W*[Ii]n {_LANGUAGE.format('into')}, (?:what|how)\b",
        rf"^\W*[Ww]hat (?:is|was) (?:being )?(?:said|sung|spoken|written|shown)\b.*? in {_LANGUAGE.format('into')}\W*$",
    )
)
_LANGUAGES = re.compile(r"\b[A-Z][a-z]{3,}\b")
_ABOUT = re.compile(r"\b(?:translat\w+|means?|say|says)\b", re.IGNORECASE)  # what is wanted, not which text
_FROM = re.compile(rf"\b(?:from|the) {_LANGUAGE.format('source')}")


class _Wanted(NamedTuple):
    """The languages: into which, and from which where the question says so."""

    into: str
    source: str | None


def asks_translation(orientation: Orientation) -> bool:
    """Whether a question names a language that it wants something in."""
    return _wanted(orientation.question) is not None


def translate(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Translate what is said, or what is written where the question speaks of that or quotes it."""
    wanted = _wanted(orientation.question)
    assert wanted is not None, "asked only where a language is wanted"
    if wanted.source is None:
        source = "English" if wanted.into == "Spanish" else "Spanish"
        return not_found(f"Say also which language it is in, as in “translate … from {source} into {wanted.into}”.")
    languages = {"from_lang": wanted.source, "to_lang": wanted.into}
    if called(done, SPEECH) or called(done, TEXT):
        return _told(done)
    if orientation.quoted:
        return [Call(TEXT, {"text": " ".join(orientation.quoted), **languages})]
    if "scene_text" not in orientation.modalities:
        return on_each(orientation, SPEECH, **languages)
    if not called(done, READER):
        return on_each(orientation, READER)
    texts = _texts(orientation, trusted(evidence_from(done, READER)))
    if not texts:
        return not_found(" ".join(failures(done)) or "It cannot be told which text is meant.")
    return [Call(TEXT, {"text": "\n".join(item.content for item in texts), **languages})]


def _wanted(question: str) -> _Wanted | None:
    match = next(filter(None, (pattern.search(question) for pattern in _WANTED)), None)
    into = _known(match["into"]) if match else None
    source = next(filter(None, (_known(found) for found in _FROM.findall(question))), None)
    return _Wanted(into, source) if into else None


def _known(words: str) -> str | None:
    """Capitalised words that name a language; None where they do not, as "French Polynesia" does not."""
    return words if language_of(words) else None


def _texts(orientation: Orientation, found: Sequence[Evidence]) -> Sequence[Evidence]:
    """The texts that the question means; all where it names a time and they are few."""
    plain = _ABOUT.sub(
        " ", _LANGUAGES.sub(lambda match: " " if language_of(match[0]) else match[0], orientation.question)
    )
    meant = pick_texts(orientation.model_copy(update={"question": plain}), found)
    return meant or (found if orientation.span and len(found) <= MOST_TEXTS else ())


def _told(done: Sequence[Done]) -> str:
    results = [step.result for step in done if step.call.name in (SPEECH, TEXT)]
    output = [
        str(result.output.get(key, "")) for result in results for key in ("translated_transcript", "translated_text")
    ]
    translated = "; ".join(line for text in output for line in text.splitlines() if line.strip())
    if not translated:
        return not_found(" ".join(failures(done)) or " ".join(note for result in results for note in result.notes))
    engine = next(
        (note for result in results for note in result.notes if note.startswith("translated by")), "unchanged"
    )
    return not_found(f"A translation proves nothing of the video ({engine}): “{translated}”.")
