"""Parses the option that a reply chooses.

In order of preference: structured output, a boxed label, a label that is said to be the answer, a label that stands
alone, and the text of one option. Nothing is ever guessed: a reply that names no option, or several, has no choice, and
one that says it cannot tell is an abstention. One that begins by refusing to answer is a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from longtake.evalharness.items import ParseStatus
from longtake.evalharness.scoring.grading import plain, word_texts
from longtake.language.abstaining import declines, refuses
from longtake.language.text import parse_json
from longtake.prompts import without_thinking

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_KEYS = ("answer", "choice", "option", "final_answer", "label")
_BOXED = re.compile(r"\\boxed\{\s*(?:\\(?:text|mathrm|textbf)\{)?\s*\(?([^{}()]+?)\)?\s*\}")
_BUT = re.compile(r"\b(?:but|however)\b", re.IGNORECASE)  # behind "I cannot tell": what is answered all the same
_BOXED_TWICE = re.compile(r"\}\s*(?:,|/|,?\s*or|,?\s*and)\s*\$*\s*\\boxed\{[^{}]*\}\W*$", re.IGNORECASE)
_DENIED = re.compile(
    r"[)\]\"'*.:]*\s*(?:is|was|seems|looks|would be|can)\s*(?:n't|not\b|incorrect|wrong|false|ruled out|too\b)"
)
_NEGATED = re.compile(r"\b(?:not|isn't|never|cannot be|can't be|rule out|except)\s*$", re.IGNORECASE)
# The same around the text of an option, as `word_texts` leaves it.
_NO = (
    r"(?:not|no|never|neither|nor|(?:is|was|are|were|do|does|did|can)nt|cannot|ruled? out|except|rather than"
    r"|instead of)(?: (?:be|see|show|in|on|at|any))?"
)
_IS_OUT = r"(?:(?:is|was) (?:not|incorrect|wrong|false|ruled out)|(?:is|was)nt|can be ruled out)"
_ANSWERS_NO = re.compile(r"\bno\b(?![ \t]+\w)", re.IGNORECASE)  # rather than "no door"
# What introduces the label that is the answer, up to the label itself.
_SAYS = (
    r"(?:final answer|answer|(?:correct|right|best) (?:choice|option|answer|one)|(?:i|we)(?:'d| would| will|'ll)? "
    r"(?:choose|pick|select|go with|say|answer)"
    r"|(?:i'm|i am|we're|we are) (?:choosing|picking|going with)|(?:my|the) (?:choice|pick|option)"
    r"|it(?: is|'s| must be))"
)
_BETWEEN = (
    r"\W*(?:(?:is|must be|should be|would be|as|likely|probably|definitely|clearly|therefore|thus|option|choice"
    r"|letter)\W+)*"
)
_SO = r"(?:so|thus|hence|therefore)\W+"

# What may not follow a label: B-roll, C++, D's and A/V are words.
_END = r"(?![\w+#]|[-‐'’]\w)"
_WORDS = {ord(word): None for word in "ai"}  # labels that are words in lower case


class ChosenOption(NamedTuple):
    """The option chosen, from 0, and how it was read."""

    option: int | None
    status: ParseStatus


def read_choice(reply: str, options: Sequence[str]) -> ChosenOption:
    """The choice of a reply.

    It may hold thinking. The options are as they were put, labelled A, B, C...; an open question has none.
    """
    text = without_thinking(reply)
    refused = refuses(text)
    if not options:
        return ChosenOption(None, "refused" if refused else "none")
    if not text:
        return ChosenOption(None, "failed")
    labels = LABELS[: len(options)]
    for read in (_structured, _boxed, _said, _alone):
        found = read(text, labels)
        if found is not None:
            return ChosenOption(labels.index(found), "ok")
    cannot, named = refused or declines(text), _by_text(text, options)
    if cannot and (refused or named is None or not declines(options[named])):
        but = _BUT.search(text, cannot.end())
        named = _by_text(text[but.end() :], options) if but else None
    if named is not None:
        return ChosenOption(named, "fallback")
    return ChosenOption(None, "refused" if refused else "abstained" if cannot else "failed")


def _structured(text: str, labels: str) -> str | None:
    """The label of the last JSON object that gives an answer."""
    said = [answer for match in re.finditer(r"\{[^{}]*\}", text) if (answer := _answer(match[0])) is not None]
    return _label(said[-1], labels) if said else None


def _answer(written: str) -> str | None:
    try:
        value: Any = parse_json(written)
    except ValueError:
        return None
    held = {key.casefold(): found for key, found in value.items()}
    return next((str(held[key]) for key in _KEYS if held.get(key) is not None), None)


def _boxed(text: str, labels: str) -> str | None:
    found = [] if _BOXED_TWICE.search(text) else _BOXED.findall(text)
    return _label(found[-1], labels) if found else None


def _said(text: str, labels: str) -> str | None:
    """The label that is last said to be the answer; what is called the final answer counts more than all else."""
    mark = rf"(?:\*\*|[\"'“‘(\[`])*([{labels}{labels.lower()}]){_END}"
    said = re.compile(rf"\b{_SAYS}\b{_BETWEEN}{mark}", re.IGNORECASE)
    instead = re.compile(
        rf"\b{_SAYS}\b\W*(?:is|'s)?\W*not\W+(?:option\W+)?\(?[{labels}]\)?\W+but\W+(?:rather\W+)?{mark}", re.IGNORECASE
    )
    correct = re.compile(
        rf"(?:\b(?:option|choice)\s+|^\W*|\(|\b{_SO}){mark}\W*(?:option )?(?:is|seems) (?:(?:the|my) )?"
        r"(?:correct|right|best|(?:final )?answer)",
        re.IGNORECASE,
    )
    so = re.compile(rf"\b{_SO}(?:option\s+)?{mark}(?=[)\]\"'*]*(?:[.!]|$))", re.IGNORECASE)
    found = [(m.start(1), m[0], m[1]) for p in (said, instead, correct, so) for m in p.finditer(text)]
    found = [
        row
        for row in found
        if _is_label(text, row[0])
        and not _NEGATED.search(text[: row[0]].rstrip("(*\"' "))
        and not _DENIED.match(text, row[0] + 1)
    ]
    final = [row for row in found if re.match(r"final", row[1], re.IGNORECASE)]
    chosen = max(final or found, default=None)
    return chosen[2].upper() if chosen and chosen[0] not in _joined(text, labels) else None


def _alone(text: str, labels: str) -> str | None:
    """The label that is the whole reply, its first or last line, or how it begins, or the only one in parentheses."""
    bare = re.fullmatch(rf"\W*(?:[Oo]ption\s+)?\(?([{labels}{labels.lower()}])[^\w+#]*", text)
    if bare:
        return bare[1].upper()
    line = rf"[^\w\n]*([{labels}])[^\w+#\n]*"
    if edge := re.match(rf"{line}\n", text) or re.search(rf"\n{line}\Z", text):
        return edge[1] if len(set(re.findall(rf"^{line}$", text, re.MULTILINE))) == 1 else None
    joined = _joined(text, labels)
    first = re.match(rf"[\s*\"'(\[]*([{labels}])[)\].:*]+(?:\s|$)", text)
    marked = list(re.finditer(rf"\(([{labels}])\)", text))
    others = set(re.findall(rf"(?:^|\n)[\s*\"'(\[]*([{labels}])[)\].:*]+\s", text)) | {m[1] for m in marked}
    for one in [first] if first else marked:
        if others <= {one[1]} and one.start(1) not in joined and not _DENIED.match(text, one.end(1)):
            return one[1]
    return None


def _joined(text: str, labels: str) -> set[int]:
    """The positions of labels named with others, as in "B or C" and "A/B", but not in "B, A is too early"."""
    label = rf"([{labels}{labels.lower().translate(_WORDS)}]){_END}"
    link = r"[)\]\"'*]*\s*\(?(?:(?P<either>,?\s*or\b|/)|,?\s*and\b|,|&)\s*(?:option\s+|choice\s+)?[\"'(\[*]*"
    pairs = re.finditer(rf"(?<!\w){label}(?={link}{label}(?P<ends>[)\]\"'*]*\s*(?:[.,;/]|$|and\b|or\b))?)", text)
    return {place for m in pairs if m["either"] or m["ends"] is not None for place in (m.start(1), m.start(3))}


def _by_text(text: str, options: Sequence[str]) -> int | None:
    """The only option whose words are in the reply and not denied; the longest of options that contain each other."""
    said = f" {' '.join(word_texts(plain(text)))} "
    held = [(place, " ".join(word_texts(plain(option)))) for place, option in enumerate(options)]
    named = [(place, spelled) for place, spelled in held if spelled and f" {spelled} " in _undenied(said, spelled)]
    named = [(place, spelled) for place, spelled in named if spelled != "no" or _ANSWERS_NO.search(text)]
    longest = [place for place, one in named if not any(one != other and one in other for _, other in named)]
    return longest[0] if len(longest) == 1 else None


def _undenied(said: str, option: str) -> str:
    """A reply without the parts that reject an option."""
    option = re.escape(option)
    return re.sub(rf"(?<= )(?:{_NO} {option}|{option} {_IS_OUT})(?= )", "", said)


def _label(text: str, labels: str) -> str | None:
    match = re.fullmatch(
        rf"\W*(?:option\s+)?([{labels}{labels.lower()}])(?:[.):]\s.*|[^\w+#]*)", text.strip(), re.DOTALL
    )
    return match[1].upper() if match else None


def _is_label(text: str, place: int) -> bool:
    """Whether a letter is a label rather than a word: "a dog" and "I" are words."""
    letter, rest = text[place], text[place + 1 :]
    if letter == "A":
        return not re.match(r"\s+(?!(?:because|since|as|is|and|but)\b)[a-z]", rest)
    if letter in "aI":
        return not re.match(r"\s+[a-z]", rest)
    return letter.isupper() or not re.match(r"\s*\w", rest)
