"""The protocols of engines that describe pictures in words, and of those that answer questions about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, cast, get_args

from longtake.errors import EngineError

Kind = Literal["person", "thing", "place"]

_MANY = 20  # words of a text from which it is checked for repetition
_DISTINCT = 0.35  # share of the words that differ from each other, below which a model only repeats itself
_LONGEST, _LOOKS = 60, 100  # characters of a name, and of looks
_MOST = 5  # that are named in one part
_TEMPLATE = "name, or a few words"  # of the prompt, which some models repeat


class PictureRefused(EngineError):
    """The engine works, but has no description of these pictures."""


@dataclass(frozen=True, slots=True)
class TimedJpeg:
    """A frame as a JPEG file, and its time in seconds."""

    time: float
    jpeg: bytes


class NamedThing(NamedTuple):
    """A person, thing or place in a part of a video, as a model calls it, and what it looks like."""

    kind: Kind
    name: str
    looks: str


class Description(NamedTuple):
    """What a part of a video shows, in one line, and who and what is in it."""

    text: str
    named: tuple[NamedThing, ...] = ()


class CaptionEngine(Protocol):
    """A model that describes pictures."""

    at_once: int  # requests that may be under way together

    @property
    def id(self) -> str:
        """Model and version of its prompt."""
        ...

    def describe(
        self, stills: Sequence[TimedJpeg], said: str = "", shown: str = "", known: Sequence[str] = ()
    ) -> Description:
        """Describe a part of a video.

        Args:
            stills: pictures of it in order, at least one.
            said: the words that are spoken meanwhile.
            shown: the text on screen.
            known: who and what earlier parts show, so that it is called the same.

        Raises:
            PictureRefused: if the model doesn't describe these pictures; it may describe others.
            EngineError: if the model can't be used.
        """
        ...


def read_description(reply: str) -> Description:
    """A model's sentences, and its lines `kind | name | looks`.

    Raises:
        PictureRefused: if there is no sentence, or the model only repeats itself.
    """
    sentences, named = list[str](), list[NamedThing]()
    for line in reply.splitlines():
        kind, *rest = (" ".join(part.split()).strip("*_`- ") for part in line.split("|"))
        if not rest or kind.casefold() not in get_args(Kind):
            sentences.append(line)
        elif rest[0] and len(rest[0]) <= _LONGEST and not rest[0].startswith(_TEMPLATE):
            named.append(NamedThing(cast(Kind, kind.casefold()), rest[0], rest[1][:_LOOKS] if len(rest) > 1 else ""))
    text = " ".join(" ".join(sentences).split())
    words = re.findall(r"\w+", text.casefold())
    if not any(word.isalpha() for word in words):
        raise PictureRefused("the model wrote no description")
    if len(words) >= _MANY and len(set(words)) < _DISTINCT * len(words):
        raise PictureRefused("the model only repeats itself")
    return Description(text, tuple(dict.fromkeys(named))[:_MOST])


class VisualQuestionEngine(Protocol):
    """A model that answers in words."""

    @property
    def id(self) -> str:
        """The model's name."""
        ...

    def answer(self, prompt: str, pictures: Sequence[TimedJpeg], seconds: float) -> str:
        """The non-empty answer to a prompt about pictures in time order, each sent with its time.

        Raises:
            PictureRefused: if the model refuses these pictures or returns no text.
            EngineError: if the model can't be used.
        """
        ...
