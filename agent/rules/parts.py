"""Questions of several parts: each is planned on its own, at its own place, and what they come to is joined."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.claims import NOT_FOUND
from longtake.agent.follow_up import resolve
from longtake.agent.named_spans import named_span
from longtake.agent.orientation import Orientation
from longtake.agent.rules.days import asks_days_agree
from longtake.agent.rules.matching import key_terms
from longtake.agent.rules.moves import not_found
from longtake.agent.rules.time.anchor import anchored
from longtake.agent.words import content_stems

# Means nothing alone: "does the camera pan, and which way?".
_WHICH_WAY = re.compile(r"(?:and )?(?:in |to )?(?:which|what) (?:way|direction|side)\W*", re.IGNORECASE)


def parts_of(orientation: Orientation) -> list[Orientation]:
    """The parts of a question, each with its own kind, senses, time and words; the question itself when it has one.

    A part that names nothing of its own ("and what is shown?") is asked at the place of its neighbour.
    """
    texts = _of_content(orientation.parts)
    if len(texts) < 2 or asks_days_agree(orientation):
        return [orientation]
    parts: list[Orientation] = []
    for text in texts:
        part = _part(resolve(text, [earlier.question for earlier in parts]), orientation)
        if parts and _is_bare(part):
            part = part.model_copy(update={"span": parts[-1].span, "point": parts[-1].point})
        parts.append(part)
    return [_placed(part, parts[1:]) if number == 0 else part for number, part in enumerate(parts)]


def join_drafts(parts: Sequence[Orientation], drafts: Sequence[str]) -> str:
    """The drafts of all parts in one; a part without an answer is named after those that have one."""
    if len(drafts) == 1:
        return drafts[0]
    answered = [draft for draft in drafts if not draft.startswith(NOT_FOUND)]
    answers = [draft for number, draft in enumerate(answered) if not any(draft in other for other in answered[:number])]
    open_parts = [
        f"“{part.question.strip(' ?')}?”: {draft.removeprefix(NOT_FOUND).strip()}"
        for part, draft in zip(parts, drafts, strict=True)
        if draft.startswith(NOT_FOUND)
    ]
    return " ".join([*answers, *([not_found(" ".join(open_parts))] if open_parts else [])])


def _of_content(texts: Sequence[str]) -> list[str]:
    """The parts, each with what follows it and means nothing alone: "which title appears and when?"."""
    whole: list[str] = []
    for text in texts:
        if whole and (not content_stems(text) or _WHICH_WAY.fullmatch(text)):
            whole[-1] = f"{whole[-1]} and {text}"
        else:
            whole.append(text)
    return whole


def _part(text: str, orientation: Orientation) -> Orientation:
    longest = max(orientation.videos.values(), default=0.0)
    span, point = named_span(text, longest, ())
    if span is None and re.search(r"\b(?:shot|scene)\b", text):
        span = orientation.span  # which shot that is, the question has been asked as a whole
    return orientation.reworded(text).model_copy(update={"span": span, "point": point})


def _is_bare(part: Orientation) -> bool:
    """Whether a part names neither a place nor anything that could be looked for."""
    return part.span is None and not part.quoted and anchored(part) is None and not key_terms(part.question)


def _placed(part: Orientation, later: Sequence[Orientation]) -> Orientation:
    """The first part at the place that the last one names for both: "what is said and what is shown after the bang"."""
    if not _is_bare(part):
        return part
    place = next((other for other in later if not _is_bare(other)), part)
    anchor = anchored(place)
    if anchor and not key_terms(anchor.main):
        tail = place.question[place.question.index(anchor.main) + len(anchor.main) :]
        return _part(part.question.rstrip(" ?") + tail, part)
    return part.model_copy(update={"span": place.span, "point": place.point})
