"""Decides whether a reply notices that footage was altered, or only describes what it shows.

"A runner jumps over a hurdle" and "the batter is mixed" have the words of a cut and of mixed footage. So a sign may
name what it must be said of. It counts right in front of such a word ("shuffled frames"), or at most four words behind
one in the same clause, unless what lies between leads into what is shown ("the video shows a runner who jumps"), or the
word only names a place ("in this clip a man jumps"). A sign that names nothing counts anywhere. Behind a negation, none
counts in the rest of the sentence, unless a contrast follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from longtake.agent.drafts.statements import without_marks
from longtake.evalharness.items import Reply
from longtake.evalharness.judges.decision import Decision
from longtake.evalharness.scoring.grading import NEGATIONS, places
from longtake.evalharness.scoring.wording import Word, plain, words
from longtake.memory.records import Record

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|\b(?:but|however|although|though|except|instead|yet)\b", re.IGNORECASE)
_REACH = 4  # words between a sign and what it is said of
_SHOWING = re.compile(
    r"(?:show|depict|display|featur|captur|present|follow|start|begin|end)\w*|of|where|which|who|whose|as|while|when"
)
_INSIDE = frozenset({"in", "during", "throughout"})
_DARK = r"(?:blank|black(?:ed|ness)?|empty|dark(?:ness)?|featureless)"
_SCREEN = r"(?:video|clip|footage|recording|film|screen|frames?|pictures?|images?|display|it)"
# "The whole clip is completely black", "a black screen", "nothing is visible", "no actions can be seen".
_BLANK = re.compile(
    rf"\b{_SCREEN}\b(?:(?!\b(?:not|never)\b|n't)[^.!?]){{0,40}}\b{_DARK}\b"
    rf"|\b{_DARK}\W+(?:{_DARK}\W+)?(?:video|clip|footage|screen|frames|picture|images?|display)\b"
    r"|\b(?:nothing|none|no|not any(?:thing)?)\b[^.!?]{0,50}"
    r"\b(?:visible|shown|seen|see|displayed|depicted|appears?|happens?|occurs?|there|content)\b",
    re.IGNORECASE,
)


class Sign(Record):
    """Phrases that say that footage was altered; a list of texts in the place of one asks for all in one sentence."""

    any: tuple[str | tuple[str, ...], ...] = Field(min_length=1)
    of: tuple[str, ...] = Field(default=(), description="What they must be said of; without it, they count anywhere.")


class BlankCheck(Record):
    """The reply says that nothing is shown, and doesn't choose an option all the same."""

    kind: Literal["blank"]

    def outcome(self, said: str, reply: Reply) -> Decision:
        """See `decide`."""
        return Decision(reply.choice is None and any(map(_BLANK.search, _SENTENCE.split(without_marks(said)))))


class NoticesCheck(Record):
    """The reply has one of the signs; uncertain if it only has their words."""

    kind: Literal["notices"]
    signs: tuple[Sign, ...]
    expected: bool = True

    def outcome(self, said: str, reply: Reply) -> Decision:
        """See `decide`."""
        sentences = [words(plain(sentence)) for sentence in _SENTENCE.split(without_marks(said))]
        found = any(_has(sentence, sign) for sentence in sentences for sign in self.signs)
        worded = any(_has(sentence, Sign(any=sign.any)) for sentence in sentences for sign in self.signs)
        return Decision(found == self.expected, sure=found == worded)


def _has(sentence: Sequence[Word], sign: Sign) -> bool:
    """Whether a sentence has a phrase of a sign."""
    phrases = ([phrase] if isinstance(phrase, str) else phrase for phrase in sign.any)
    return any(all(any(_counted(sentence, part, sign.of)) for part in phrase) for phrase in phrases)


def _counted(sentence: Sequence[Word], phrase: str, of: Sequence[str]) -> Iterator[bool]:
    """For each place of a phrase in a sentence, whether it counts there."""
    wanted = [word.text for word in words(plain(phrase))]
    for start in places(sentence, wanted):
        behind = sentence[start + len(wanted) :][:1]
        denied = any(word.text in NEGATIONS for word in sentence[:start])
        yield not denied and (not of or any(word.text in of for word in behind) or _follows(sentence, start, of))


def _follows(sentence: Sequence[Word], start: int, of: Sequence[str]) -> bool:
    """Whether what begins here is said of one of these things, which stands before it."""
    for at in range(start - 1, max(-1, start - _REACH - 2), -1):
        if sentence[at + 1].starts_clause or _SHOWING.fullmatch(sentence[at].text):
            return False
        if sentence[at].text in of:
            return not any(word.text in _INSIDE for word in sentence[max(0, at - 2) : at])
    return False
