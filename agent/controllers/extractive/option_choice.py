"""Chooses the option of a multiple-choice question that is closest to the found lines."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from longtake.agent.controllers.extractive.candidates import Candidate, Embed, distinct
from longtake.agent.controllers.extractive.option_nearness import nearest
from longtake.agent.controllers.extractive.settling import affirmed, stated_in
from longtake.language.abstaining import cannot_tell
from longtake.language.words import NEGATION, TELLING, content_stems, coverage, stem, stems, words
from longtake.memory.records import Option

_TRUTHS = (("true", "false"), ("yes", "no"), ("correct", "incorrect"), ("right", "wrong"))
_FEWEST = 3  # options, of which one is left over
_LINES = 24  # ranked candidates that are compared with the options
_HELD = 0.5  # weight of shared words, relative to embedding similarity
_CHANCE = 0.5  # weight of a line's chance
_ASKED = 1.0  # weight of the question's own words and phrases in a line


def declining(options: Sequence[str]) -> Option | None:
    """The option that the question can't be answered, if there is one."""
    return next((option_at(options, number) for number, text in enumerate(options) if cannot_tell(text)), None)


def choose(
    options: Sequence[str], ranked: Sequence[tuple[Candidate, float]], embed: Embed, question: str = ""
) -> tuple[Option, Candidate, bool] | None:
    """The likeliest option, its line, and whether the line settles it; None without lines.

    A line counts more the more stems of the question it has, and the longer a phrase of it: of several things, one
    moves from left to right.

    No line says that a question can't be answered, so such an option is never the likeliest.
    """
    lines = distinct(candidate for candidate, _ in ranked)[:_LINES]
    numbers = [number for number, text in enumerate(options) if not cannot_tell(text)]
    if not lines or not numbers:
        return None
    number, line, sure = _closest([options[number] for number in numbers], lines, ranked, embed, question)
    return option_at(options, numbers[number]), line, sure


def left_over(
    question: str, options: Sequence[str], ranked: Sequence[tuple[Candidate, float]]
) -> tuple[Option, Candidate] | None:
    """The option that a question with a denial leaves ("which of these is not ..."), and the line that says the others.

    One line must say every option but this one, of three or more; None otherwise.
    """
    numbers = [number for number, text in enumerate(options) if not cannot_tell(text)]
    if len(numbers) < _FEWEST or not _denies(question):
        return None
    for line, _ in ranked:
        unsaid = [number for number in numbers if not _says(line.text, options[number])]
        if len(unsaid) == 1:
            return option_at(options, unsaid[0]), line
    return None


def by_claim(
    question: str, options: Sequence[str], ranked: Sequence[tuple[Candidate, float]]
) -> tuple[Option, Candidate] | None:
    """The option that says whether what a question claims is true, and the likeliest line that decides it.

    None if the options aren't a yes and a no, nothing is claimed, or the lines decide nothing or contradict each other.
    """
    said = {" ".join(words(text)): number for number, text in enumerate(options) if not cannot_tell(text)}
    sides = next(((said[yes], said[no]) for yes, no in _TRUTHS if said.keys() == {yes, no}), None)
    claim = stated_in(question)
    if sides is None or not claim:
        return None
    decided = [(true, line) for line, _ in ranked if (true := affirmed(claim, line.text)) is not None]
    if len({true for true, _ in decided}) != 1:
        return None
    true, line = decided[0]
    return option_at(options, sides[not true]), line


def _denies(question: str) -> bool:
    """Whether a question denies something: a "no" at its end, as in "how many voted no?", denies nothing."""
    return any(words(question[denial.end() :]) for denial in NEGATION.finditer(question))


def option_at(options: Sequence[str], number: int) -> Option:
    """An option with its letter."""
    return Option(letter="ABCDEFGHIJ"[number], text=options[number])


def _closest(
    options: Sequence[str],
    lines: Sequence[Candidate],
    ranked: Sequence[tuple[Candidate, float]],
    embed: Embed,
    question: str,
) -> tuple[int, Candidate, bool]:
    """The number of the option closest to a line, the line, and whether it settles it.

    It does if it says that option and nothing of another, or if `nearest` says so of several.
    """
    chances = {id(candidate): chance for candidate, chance in ranked}
    vectors = embed([*options, *(each.text for each in lines)])
    likeness = vectors[: len(options)] @ vectors[len(options) :].T
    own = telling_stems(options)
    shared = set(own[0]).intersection(*own[1:])
    shared_words = np.array([[coverage(set(each) - shared, line.text) for line in lines] for each in own])
    chance = np.array([chances[id(line)] for line in lines])
    fits = np.array([_fits(question, line.text) for line in lines])
    scores = likeness + _HELD * shared_words + _CHANCE * chance + _ASKED * fits
    number, place = divmod(int(np.argmax(scores)), scores.shape[1])
    line = lines[place].text
    if near := nearest(question, line, options, embed):
        return near[0], lines[place], near[1]
    grammar = [set(each) - set(content_stems(option)) - shared for option, each in zip(options, own, strict=True)]
    stated = [
        option for option, few in zip(options, grammar, strict=True) if _says(line, option) and few <= stems(line)
    ]
    others = {word for each in own for word in each} - set(own[number]) - shared
    hinted = {word for word in others & stems(line) if word.isalpha()}  # a number alone may count anything
    return number, lines[place], stated == [options[number]] and not hinted


def _says(line: str, option: str) -> bool:
    """Whether a line says an option, in whatever order it names things."""
    return affirmed(option, line, in_order=False) is True


def _fits(question: str, line: str) -> float:
    """Share of the content of a question that a line has, and of its words in the longest phrase that both share."""
    asked, said = ([stem(word) for word in words(text)] for text in (question, line))
    phrase = SequenceMatcher(None, asked, said, autojunk=False).find_longest_match().size
    content = [word for word in content_stems(question) if word not in TELLING]
    return coverage(content, line) + phrase / max(1, len(asked))


def telling_stems(options: Sequence[str]) -> list[list[str]]:
    """The stems that tell each option: those of content, and all of them where that alone would leave two the same.

    "Tilt up" and "tilt down" have the same content; only a word of grammar tells them apart.
    """
    content = [content_stems(option) for option in options]
    same = [sum(set(one) == set(other) for other in content) > 1 for one in content]
    return [
        [stem(word) for word in words(option)] if alike else one
        for option, one, alike in zip(options, content, same, strict=True)
    ]
