"""Questions that no rule is sure of: an abstention says why, where words found would only look like an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.agreement import asks_agreement
from longtake.agent.rules.moves import Done, Move, not_found

_NO_QUESTION = re.compile(
    r"^\W*(?:thanks?(?: you)?(?: very much| a lot)?|hello|hi|hey|okay|ok|great|good|bye|goodbye)\W*$", re.IGNORECASE
)


def asks_too_much(orientation: Orientation) -> bool:
    """Whether a question is one that no rule answers."""
    return _reason(orientation.question) is not None


def abstain(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The abstention that says why."""
    return not_found(_reason(orientation.question) or "")


def _reason(question: str) -> str | None:
    if _NO_QUESTION.match(question):
        return "That asks nothing: ask what is said, written, heard or shown in the video."
    if asks_agreement(question):
        return "Of what is shown and what is said, rules compare only days; ask for each alone."
    return None
