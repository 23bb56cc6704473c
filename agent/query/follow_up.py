"""Resolves "he", "it" and "that slide" in follow-up questions of a thread, by rules.

A pronoun stands for the name or thing that the previous question was about. "That slide" or "then" is the moment that
proves the last answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.query.query import Scope
from longtake.memory.records import Citation
from longtake.memory.timespan import TimeSpan

_PRONOUN = re.compile(r"\b(?:he|she|they|it|him|them)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:his|their|its)\b|\bher\b(?=\s+[a-z])", re.IGNORECASE)
_PERSON = r"(?:this|that|the same) (?:person|man|woman|lady|gentleman)|he or she|she or he"
_OF_PERSON = re.compile(rf"\b(?:(?:{_PERSON}|the person)['’]s|his or her|her or his)\b", re.IGNORECASE)
_THE_PERSON = re.compile(rf"\b(?:{_PERSON})\b", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"^\W*(?:and|what about|how about|and what about)\s+(?:the|his|her|its|their)\s+(?P<noun>job|work|role|position|"
    r"profession|occupation|price|cost|(?:(?:tele)?phone )?number|name|date|day|age|address|title)\W*$",
    re.IGNORECASE,
)
_ALL_OF_THEM = re.compile(
    r"\b(?:they|them) all\b|\ball of them\b|\bthey\b[^?]*\b(?:together|altogether|in total|in all)\b", re.IGNORECASE
)
_POINTS_AT = re.compile(
    r"\b(?:that|this|the same) (?:slide|moment|scene|shot|place|part|time|point)\b"
    r"|(?<!\bare )(?<!\bis )(?<!\bwere )(?<!\bwas )\b(?:there|then)\s*\??$",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\b(after|before) (?:that|this)\W*$", re.IGNORECASE)
_DUMMY = re.compile(
    r"\bit (?:is|was) (?:said|shown|written|true|possible)\b|\bis it (?:true|possible)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)")
_THING = re.compile(r"\b(?:the|a|an|this|that|my|our)\s+((?:[a-z][\w-]*\s?){1,3})", re.IGNORECASE)
# "What is the video about?" names nothing that "he" could stand for.
_RECORDING = re.compile(
    r"(?:video|clip|recording|film|movie|footage|file|talk|lecture|song|audio|beginning|end|start)\b"
)
# "Who owns the club?" "Where does he live?": he is the answer, not the club, whereas "Who is Tom?" names him.
_ANSWERS_WHO = re.compile(r"^\W*who\s+(?!is\b|are\b|was\b|were\b)", re.IGNORECASE)
_SOMEBODY = re.compile(r"\b(?:he|she|him|his|her)\b", re.IGNORECASE)
_ASKED_WITH_DO = re.compile(r"\b(?:do|does|did|will|would|can|could|should|must|has|have|had)\b", re.IGNORECASE)
_BREAKS = re.compile(r"\s+(?:of|in|on|at|by|for|from|to|with|and|or|is|are|was|were|that|which|who|when|while)\b.*")


def resolve(question: str, earlier: Sequence[str]) -> str:
    """The question with its pronouns replaced by what earlier questions were about, if that is clear.

    Args:
        question: as asked.
        earlier: the earlier questions of the thread, oldest first.
    """
    before, thing = next(((each, thing) for each in reversed(earlier) if (thing := subject_of(each))), ("", None))
    attribute = _ATTRIBUTE.match(question)
    if thing and attribute:
        return f"What is the {attribute['noun']} of {thing}?"
    # One capitalised word may be a place: "Where is Oslo?" "Who is this man?"
    if thing and thing[0].isupper() and (" " in thing or _ASKS_WHO.search(before)):
        question = _THE_PERSON.sub(thing, _OF_PERSON.sub(f"{thing}'s", question))
    if (
        not thing
        or _DUMMY.search(question)
        or _ALL_OF_THEM.search(question)
        or (_ANSWERS_WHO.search(before) and _SOMEBODY.search(question))
        or not (_PRONOUN.search(question) or _POSSESSIVE.search(question))
    ):
        return question
    named = _POSSESSIVE.sub(f"{thing}'s", question)
    return _PRONOUN.sub(thing, named, count=1)


def subject_of(question: str) -> str | None:
    """What a question is about: the name in it, else its first noun phrase with an article; None without either."""
    name = _NAME.search(question)
    if name:
        return name[0]
    thing = next((each for each in _THING.finditer(question) if not _RECORDING.match(each[1])), None)
    if not thing:
        return None
    words = _BREAKS.sub("", thing[1].strip()).split()
    # "What does the blue kettle cost": after an auxiliary the last word is the verb.
    ends_there = not question[thing.end() :].strip(" ?")
    if len(words) > 1 and ends_there and _ASKED_WITH_DO.search(question[: thing.start()]):
        words.pop()
    return f"the {' '.join(words)}"


def beside_last(question: str, last: Citation | None, duration: float) -> Scope | None:
    """The scope of "and after that?": what follows or precedes the last answer's evidence; None for other questions."""
    beside = _BESIDE.search(question)
    if last is None or beside is None:
        return None
    if beside[1].casefold() == "before":
        return Scope(span=TimeSpan(start=0.0, end=last.start), named=True, ordinal=-1)
    return Scope(span=TimeSpan(start=min(last.end, duration), end=duration), named=True, ordinal=0)


def pointed_at(question: str, last: Citation | None) -> TimeSpan | None:
    """The span of "that slide" or "then": the last answer's evidence; None if the question has no such reference."""
    if last is None or not _POINTS_AT.search(question):
        return None
    return TimeSpan(start=last.start, end=last.end)
