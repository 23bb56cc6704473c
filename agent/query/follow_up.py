"""Resolves "he", "it", "that slide" and titles of sections in the questions of a thread, by rules.

A pronoun stands for the name or thing that the previous question was about. "That slide" or "then" is the moment that
proves the last answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from longtake.agent.query.query import Scope
from longtake.agent.query.scope import BE, QUOTATION
from longtake.language.text import words_of
from longtake.language.words import words
from longtake.memory.records import Citation
from longtake.memory.timespan import TimeSpan, clock

_PRONOUN = re.compile(r"\b(?:(his|their|its|her(?=\s+[a-z]))|he|she|they|it|him|them)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"\b(?:(?:this|that|the same) (?:person|man|woman|lady|gentleman)|he or she|she or he"
    r"|(his or her|her or his|the person(?=['’]s)))(['’]s)?\b",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"^\W*(?:and|what about|how about|and what about)\s+(?:the|his|her|its|their)\s+(?P<noun>job|work|role|position|"
    r"profession|occupation|price|cost|(?:(?:tele)?phone )?number|name|date|day|age|address|title)\W*$",
    re.IGNORECASE,
)
# Their pronouns stand for nothing that one earlier question was about.
_IMPERSONAL = re.compile(
    r"\bit (?:is|was) (?:said|shown|written|true|possible)\b|\bis it (?:true|possible)\b"
    r"|\b(?:they|them) all\b|\ball of them\b|\bthey\b[^?]*\b(?:together|altogether|in total|in all)\b",
    re.IGNORECASE,
)
_POINTS_AT = re.compile(
    r"\b(?:that|this|the same) (?:slide|moment|scene|shot|place|part|time|point)\b"
    r"|(?<!\bare )(?<!\bis )(?<!\bwere )(?<!\bwas )\b(?:there|then)\s*\??$"
    r"|\b(after|before) (?:that|this)\W*$",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)")
# "What is the video about?" names nothing that "he" could stand for.
_THING = re.compile(
    r"\b(?:the|a|an|this|that|my|our)\s+(?!(?:video|clip|recording|film|movie|footage|file|talk|lecture|song|audio"
    r"|beginning|end|start)\b)((?:[a-z][\w-]*\s?){1,3})",
    re.IGNORECASE,
)
_WHO = frozenset({"who", "whom", "whose"})
_ASKING = _WHO | {"when", "why", "where", "how"}  # one of these alone asks it of what was asked before
_LEADING = frozenset("and but so ok exactly".split())
_SOMEBODY = frozenset({"he", "she", "him", "his", "her"})
_AUXILIARIES = frozenset("do does did will would can could should must has have had".split())
_BREAKS = BE | frozenset(
    "of in on at by for from to with and or that which who when while".split()
)  # end a noun phrase


def resolve(question: str, earlier: Sequence[str]) -> str:
    """The question with its pronouns replaced by what earlier questions were about, if that is clear.

    Args:
        question: as asked.
        earlier: the earlier questions of the thread, oldest first.
    """
    asks = set(words(question)) - _LEADING
    if earlier and asks <= _ASKING and len(asks) == 1:
        return f"{question.rstrip(' ?')}? {earlier[-1]}"
    before, thing = next(((each, thing) for each in reversed(earlier) if (thing := subject_of(each))), ("", None))
    attribute = _ATTRIBUTE.match(question)
    if thing and attribute:
        return f"What is the {attribute['noun']} of {thing}?"
    # One capitalised word may be a place: "Where is Oslo?" "Who is this man?"
    if thing and thing[0].isupper() and (" " in thing or _WHO & set(words(before))):
        question = _PERSON.sub(lambda match: f"{thing}'s" if match[1] or match[2] else str(thing), question)
    # "Who owns the club?" "Where does he live?": he is the answer, not the club, whereas "Who is Tom?" names him.
    first, second, *_ = *words(before), "", ""
    answers = first == "who" and second not in BE and _SOMEBODY & set(words(question))
    if not thing or answers or _IMPERSONAL.search(question):
        return question
    return _PRONOUN.sub(lambda match: f"{thing}'s" if match[1] else str(thing), question, count=1)


def subject_of(question: str) -> str | None:
    """What a question is about: the name in it, else its first noun phrase with an article; None without either."""
    name = _NAME.search(question)
    if name:
        return name[0]
    thing = _THING.search(question)
    if not thing:
        return None
    phrase = thing[1].split()
    named = [*phrase[:1], *takewhile(lambda word: word not in _BREAKS, phrase[1:])]
    # "What does the blue kettle cost": after an auxiliary the last word is the verb.
    ends_there = not question[thing.end() :].strip(" ?")
    if len(named) > 1 and ends_there and _AUXILIARIES & set(words(question[: thing.start()])):
        named.pop()
    return f"the {' '.join(named)}"


def with_times(question: str, sections: Mapping[str, TimeSpan]) -> str:
    """The question with the times of a section in place of its title, where that stands in quotation marks."""
    times = {
        words_of(title): f"{clock(span.start, decimals=1)} to {clock(span.end, decimals=1)}"
        for title, span in sections.items()
    }
    return QUOTATION.sub(lambda match: times.get(words_of(match[1] or match[2]), match[0]), question)


def beside_last(question: str, last: Citation | None, duration: float) -> Scope | None:
    """The scope of "and after that?": what follows or precedes the last answer's evidence; None for other questions."""
    beside = _POINTS_AT.search(question)
    if last is None or beside is None or beside[1] is None:
        return None
    if beside[1].casefold() == "before":
        return Scope(span=TimeSpan(start=0.0, end=last.start), named=True, ordinal=-1)
    return Scope(span=TimeSpan(start=min(last.end, duration), end=duration), named=True, ordinal=0)


def pointed_at(question: str, last: Citation | None) -> TimeSpan | None:
    """The span of "that slide" or "then": the last answer's evidence; None if the question has no such reference."""
    pointing = _POINTS_AT.search(question)
    if last is None or pointing is None or pointing[1]:
        return None
    return TimeSpan(start=last.start, end=last.end)
