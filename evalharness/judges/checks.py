"""Decides criteria by program, with a small vocabulary in `Criterion.check`.

A criterion is met if its check is true. This includes penalties: "must not say blue" is `{kind: says, not: [blue]}`.

{kind: number, value: 5, tolerance: 0}        the reply states a number this close to the value
{kind: time, start: 27, end: 40, tolerance: 1}  it states a time there, or cites one where it states none in words
{kind: says, any: [...], not: [...]}          it says one of `any` (all, where that is empty) and nothing of `not`
{kind: abstains, expected: true}              it says that it cannot tell; false: it does not
{kind: option, value: 2}                      it chooses this option, from 0
{kind: cites, start: 27, end: 40, tolerance: 0}  it cites a moment there
{kind: order, things: [...], not: [...]}      it names all of these, in this order, and nothing of `not`
{kind: notices, any: [...], expected: true}   it says one of `any`, even while abstaining, and chooses no option
{kind: calls, tool: ..., arguments: {...}}    a call of this tool was made with at least these arguments

A phrase is a text; a list of texts in its place asks for all of them. Words are compared as `grading` does: a phrase
behind a negation is not said, numbers count by value, and `6` does not stand in `16`. Arguments are compared as
`call_scores` does. Seconds are those of the video.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from longtake.agent.drafts.draft import abstains as starts_abstaining
from longtake.agent.drafts.statements import without_marks
from longtake.errors import ConfigError
from longtake.evalharness.items import Criterion, Reply
from longtake.evalharness.runs.journal import wrong_field
from longtake.evalharness.scoring.call_scores import compare_argument
from longtake.evalharness.scoring.grading import MAX_GUESSES, Gold, StatedTime, holds, plain, take_times, word_texts
from longtake.language.abstaining import declines
from longtake.memory.records import Answer, Record
from longtake.memory.timespan import TimeSpan

Phrase = str | tuple[str, ...]
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_GUESSES = re.compile(r"\b(?:but|however|although|probably|likely|perhaps|guess|assum\w+|still)\b", re.IGNORECASE)


class CheckOutcome(NamedTuple):
    """Whether a check is true, and whether that is certain."""

    met: bool
    sure: bool = True


class NumberCheck(Record):
    """The reply states a number; certain if it states no other."""

    kind: Literal["number"]
    value: float
    tolerance: float = Field(default=0.0, ge=0)

    def outcome(self, said: str, reply: Reply) -> CheckOutcome:
        """See `decide`."""
        # The different numbers in order, without times and citations.
        counted = take_times(plain(without_marks(said)), short_clock=False)[1]
        stated = list(dict.fromkeys(filter(_NUMBER.fullmatch, word_texts(counted))))
        near = [number for number in stated if abs(float(number) - self.value) <= self.tolerance + 1e-9]
        met = len(stated) <= MAX_GUESSES and any(says(said, number) for number in near)
        return CheckOutcome(met, sure=not met or len(near) == len(stated))


class TimeCheck(Record):
    """The reply states a time; if its words have none, its citations count."""

    kind: Literal["time"]
    start: float = Field(ge=0)
    end: float | None = None
    tolerance: float = Field(default=1.0, ge=0)

    def outcome(self, said: str, reply: Reply) -> CheckOutcome:
        """See `decide`."""
        stated = take_times(plain(without_marks(said)), short_clock=True)[0]
        marked = take_times(plain(said), short_clock=True)[0]
        cited = [StatedTime(span.start) for span in reply.cited]
        named = stated or marked or cited
        first, last = self.start - self.tolerance, (self.end or self.start) + self.tolerance
        held = [time for time in named if first <= time.start and (time.end or time.start) <= last]
        return CheckOutcome(bool(held) and len(set(named)) <= MAX_GUESSES, sure=len(held) in (0, len(named)))


class SaysCheck(Record):
    """The reply contains a phrase and avoids others."""

    kind: Literal["says"]
    any: tuple[Phrase, ...] = ()
    without: tuple[Phrase, ...] = Field(default=(), alias="not")

    def outcome(self, said: str, reply: Reply) -> CheckOutcome:
        """See `decide`."""
        wanted = not self.any or any(says_all(said, phrase) for phrase in self.any)
        return CheckOutcome(wanted and not any(says_all(said, phrase) for phrase in self.without))


class NoticesCheck(Record):
    """The reply remarks on the video with one of these phrases, and doesn't choose an option all the same."""

    kind: Literal["notices"]
    any: tuple[Phrase, ...]
    expected: bool = True

    def outcome(self, said: str, reply: Reply) -> CheckOutcome:
        """See `decide`."""
        found = reply.choice is None and any(says_all(said, phrase) for phrase in self.any)
        return CheckOutcome(found == self.expected)


class AbstainsCheck(Record):
    """The reply abstains without guessing. A subject that marks its reply as uncertain abstains, too."""

    kind: Literal["abstains"]
    expected: bool = True

    def outcome(self, said: str, reply: Reply) -> CheckOutcome:
        """See `decide`."""
        found = CheckOutcome(True) if reply.abstained or reply.uncertain else abstains(said)
        return CheckOutcome(found.met == self.expected, found.sure)


class OptionCheck(Record):
    """The reply chooses an option."""

    kind: Literal["option"]
    value: int = Field(ge=0)

    def outcome(self, said: str, reply: Reply) -> CheckOutcome:
        """See `decide`."""
        return CheckOutcome(reply.choice == self.value)


class CitesCheck(Record):
    """The reply cites a moment of a span."""

    kind: Literal["cites"]
    start: float = Field(ge=0)
    end: float = Field(ge=0)
    tolerance: float = Field(default=0.0, ge=0)

    def outcome(self, said: str, reply: Reply) -> CheckOutcome:
        """See `decide`."""
        there = TimeSpan(start=max(0.0, self.start - self.tolerance), end=self.end + self.tolerance)
        return CheckOutcome(any(span.overlaps(there) for span in reply.cited))


class OrderCheck(Record):
    """The reply names things in an order and avoids others; uncertain if its words may reverse the order."""

    kind: Literal["order"]
    things: tuple[str, ...] = Field(min_length=2)
    without: tuple[Phrase, ...] = Field(default=(), alias="not")

    def outcome(self, said: str, reply: Reply) -> CheckOutcome:
        """See `decide`."""
        text = spelled(without_marks(said))
        places = [text.find(spelled(thing)) for thing in self.things]
        turned = re.search(r"\b(?:after|before|preced\w+|follow(?:s|ed) by|earlier|later)\b", said, re.IGNORECASE)
        named = min(places) >= 0 and all(says(said, thing) for thing in self.things)
        named = named and not any(says_all(said, phrase) for phrase in self.without)
        return CheckOutcome(named and places == sorted(places), sure=not (named and turned))


class CallsCheck(Record):
    """A tool was called."""

    kind: Literal["calls"]
    tool: str
    arguments: Mapping[str, Any] = Field(default_factory=dict)

    def outcome(self, said: str, reply: Reply) -> CheckOutcome:
        """See `decide`."""
        made = (call.arguments for call in reply.calls if call.tool == self.tool)
        wanted = self.arguments.items()
        return CheckOutcome(
            any(all(compare_argument(name, value, one.get(name))[0] for name, value in wanted) for one in made)
        )


Check = Annotated[
    NumberCheck
    | TimeCheck
    | SaysCheck
    | AbstainsCheck
    | OptionCheck
    | CitesCheck
    | OrderCheck
    | NoticesCheck
    | CallsCheck,
    Field(discriminator="kind"),
]
_CHECK: TypeAdapter[Check] = TypeAdapter(Check)


def decide(criterion: Criterion, said: str, reply: Reply) -> CheckOutcome:
    """Decide a criterion that has a check; `said` is the reply without thinking, but with citations.

    Raises:
        ConfigError: if the check isn't in the vocabulary.
    """
    try:
        check = _CHECK.validate_python(criterion.check)
    except ValidationError as error:
        raise ConfigError(
            f"Criterion {criterion.name!r}: its check is wrong ({wrong_field(error)}); mend it in the items."
        ) from error
    if reply.abstained and not criterion.penalty and not isinstance(check, AbstainsCheck | NoticesCheck):
        return CheckOutcome(met=False)  # what it names while explaining an abstention isn't an answer
    return check.outcome(said, reply)


def says(said: str, phrase: str) -> bool:
    """Whether a reply has the words of a phrase together and not after a negation."""
    wanted = word_texts(plain(phrase))
    answer = Answer(question="", status="answered", answer=said)
    return bool(wanted) and holds(Gold((wanted,), ()), answer, 0.0, cited_times=False)


def says_all(said: str, phrase: Phrase) -> bool:
    """Whether a reply has a phrase, or each phrase of a list."""
    return all(says(said, part) for part in ((phrase,) if isinstance(phrase, str) else phrase))


def abstains(said: str) -> CheckOutcome:
    """Whether a reply starts with an abstention and doesn't guess in the same sentence.

    Uncertain if there is more text, because the rest may still answer.
    """
    if starts_abstaining(said):
        return CheckOutcome(True)
    first, *rest = re.split(r"(?<=[.!?,;:])\s+", without_marks(said).replace("’", "'"))
    met = bool(declines(first)) and not _GUESSES.search(re.split(r"(?<=[.!?])\s+", said)[0])
    return CheckOutcome(met, sure=not (met and rest))


def spelled(text: str) -> str:
    """The normalised words of a text, with a space around each."""
    return f" {' '.join(word_texts(plain(text)))} "
