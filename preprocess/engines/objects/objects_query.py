"""What a query for objects asks: its number, colour, shape, movement, and the word for the thing itself."""

from __future__ import annotations

import re
from collections.abc import Iterable

from longtake.preprocess.engines.objects.object_engine import Counting, ObjectQuery
from longtake.preprocess.engines.objects.objects_colours import COLOURS

_COLOURS = {name: name for name in COLOURS} | {
    "gray": "grey",
    "silver": "grey",
    "crimson": "red",
    "scarlet": "red",
    "turquoise": "cyan",
    "teal": "cyan",
    "violet": "purple",
    "magenta": "pink",
}
_SHAPES = {
    "circle": "circle",
    "circular": "circle",
    "disc": "circle",
    "disk": "circle",
    "dot": "circle",
    "round": "circle",
    "square": "square",
    "rectangle": "rectangle",
    "rectangular": "rectangle",
    "oblong": "rectangle",
    "triangle": "triangle",
    "triangular": "triangle",
}
_NUMBERS = {word: number for number, word in enumerate("zero one two three four five six seven eight nine ten".split())}
_SINGULAR = {"people": "person", "men": "man", "women": "woman", "children": "child", "mice": "mouse", "buses": "bus"}
_SINGULAR |= {"feet": "foot", "knives": "knife"} | dict.fromkeys(
    "human humans somebody someone anybody anyone visitor visitors individual individuals".split(), "person"
)
_NOBODY = "nobody"
_PERSON, _WHO = "person", ("who", "whom", "whose")
_PEOPLE = frozenset("person man woman child boy girl face individual visitor".split())
# Other names of COCO's kinds of things (Lin et al. 2014).
SYNONYMS = {
    "bike": "bicycle",
    "motorbike": "motorcycle",
    "plane": "airplane",
    "aeroplane": "airplane",
    "hydrant": "fire hydrant",
    "bag": "handbag",
    "skis": "ski",
    "ball": "sports ball",
    "football": "sports ball",
    "bat": "baseball bat",
    "racket": "tennis racket",
    "mug": "cup",
    "doughnut": "donut",
    "sofa": "couch",
    "plant": "potted plant",
    "table": "dining table",
    "television": "tv",
    "computer mouse": "mouse",
    "phone": "cell phone",
    "mobile phone": "cell phone",
    "smartphone": "cell phone",
    "fridge": "refrigerator",
    "scissor": "scissors",
    "hairdryer": "hair drier",
}
_ANYTHING = frozenset("thing object shape item figure region area blob patch something anything".split())
_MOVING = frozenset("moving move moves movement passing pass passes crossing cross crosses".split())
_EMPTY = frozenset(
    "a an the of all any every each some how many number count is are was were there that which what do does and in on "
    "at to by through past across over picture screen frame view scene video image visible seen shown appear appears "
    "appearing".split()
)
_AT_ONCE = re.compile(r"\bat (?:once|a time|the same time|any (?:one )?time)\b|\bsimultaneous(?:ly)?\b|\bper frame\b")
# Those who come are counted as they come, also where each has left before the next.
_COMING = frozenset("come comes came coming arrive arrives arrived enter enters entered visit visits visited".split())
_OVER_TIME = re.compile(
    rf"\b(?:different|distinct|unique|altogether|overall|in total|over time|{'|'.join(sorted(_COMING))})\b"
)
_NO_ONE = re.compile(r"\bno[ -]one\b")


def parse_query(text: str) -> ObjectQuery:
    """Take a query apart; plural and singular mean the same.

    Raises:
        ValueError: if it names nothing to look for.
    """
    rest = _AT_ONCE.sub(" ", _OVER_TIME.sub(" ", _NO_ONE.sub(_NOBODY, text.lower())))
    return _parsed(re.findall(r"[^\W_]+(?:['-][^\W_]+)*", rest), counting_of(text), text)


def counting_of(text: str) -> Counting:
    """Whether a text says that things are counted at once, or over time; "" if it says neither."""
    if _AT_ONCE.search(text.lower()):
        return "at_once"
    return "over_time" if _OVER_TIME.search(text.lower()) else ""


def knows_word(word: str) -> bool:
    """Whether a word names something that untrained engines find: people, faces, colours, shapes, movement."""
    single = _singular(word)
    people = single in _PEOPLE or word in ("different", "distinct", "unique", _NOBODY)
    return people or word in _COLOURS or single in _SHAPES or word in _MOVING


def kinds_named(text: str, kinds: Iterable[str]) -> frozenset[str]:
    """Which of these kinds of things a text names; plural and singular mean the same, and a man is a person."""
    known = set(kinds)
    names = {_singulars(other): kind for other, kind in SYNONYMS.items() if kind in known}
    names |= {_singulars(kind): kind for kind in known}
    longest_first = sorted(map(re.escape, names), key=len, reverse=True)  # a hot dog is no dog
    found = re.findall(rf"\b(?:{'|'.join(longest_first)})\b", _singulars(text)) if names else []
    return frozenset(names[name] for name in found)


def _singulars(text: str) -> str:
    singles = map(_singular, re.findall(r"[^\W_]+", text.lower()))
    return " ".join(_PERSON if single in _PEOPLE or single in _WHO else single for single in singles)


def _parsed(words: list[str], counting: Counting, text: str) -> ObjectQuery:
    colour = shape = ""
    number: int | None = None
    moving = anything = absent = False
    things: list[str] = []
    for word in words:
        single = _singular(word)
        if word in _EMPTY:
            continue
        if number is None and not things and (word in _NUMBERS or word.isdecimal()):
            number = _NUMBERS[word] if word in _NUMBERS else int(word)
        elif word in _COLOURS and not colour:
            colour = _COLOURS[word]
        elif single in _SHAPES and not shape:
            shape = _SHAPES[single]
        elif word in _MOVING:
            moving = True
        elif single in _ANYTHING:
            anything = True
        elif word == _NOBODY:
            absent = True
        else:
            things.append(word)
    if not (colour or shape or moving or anything or absent or things):
        raise ValueError(f"{text!r} names nothing to look for")
    things[-1:] = map(_singular, things[-1:])
    if absent:  # "nobody at the table": where people would be isn't a thing to look for
        things = ["person"]
    return ObjectQuery(colour, shape, " ".join(things), moving, number, counting, absent)


def _singular(word: str) -> str:
    if word in _SINGULAR:
        return _SINGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
