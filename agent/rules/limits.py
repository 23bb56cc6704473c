"""Questions that no rule is sure of: an abstention says why, where words found would only look like an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import POLAR, Orientation
from longtake.agent.rules.moves import Done, Move, not_found

_LIMITS = (
    (
        re.compile(
            r"^\W*(?:thanks?(?: you)?(?: very much| a lot)?|hello|hi|hey|okay|ok|great|good|bye|goodbye)\W*$", re.I
        ),
        "That asks nothing: ask what is said, written, heard or shown in the video.",
    ),
    (
        re.compile(
            rf"{POLAR}.*\b(?:agree|agrees|match|matches|differ|differs|contradict|contradicts|the same)\b.*"
            r"\b(?:what is (?:said|shown|written)|what [\w ]+ says|speech)",
            re.IGNORECASE,
        ),
        "Of what is shown and what is said, rules compare only days; ask for each alone.",
    ),
)


def asks_too_much(orientation: Orientation) -> bool:
    """Whether a question is one that no rule answers."""
    return _reason(orientation.question) is not None


def abstain(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The abstention that says why."""
    return not_found(_reason(orientation.question) or "")


def _reason(question: str) -> str | None:
    return next((reason for pattern, reason in _LIMITS if pattern.search(question)), None)
