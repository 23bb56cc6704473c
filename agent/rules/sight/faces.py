"""Questions about who is in the picture: faces are compared with those that are enrolled in the library."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import Done, Move, called, evidence_from, on_each, trusted
from longtake.agent.rules.sight.seeing import asks_eyes, is_polar, nothing_seen, told, without_tools
from longtake.agent.rules.time.times import find_time
from longtake.memory.gallery import UNKNOWN
from longtake.memory.records import Evidence

TOOL = "detect_faces"
_FACE = " (face)"  # which the tool writes behind a name
_IN_PICTURE = (
    r"(?:in (?:the|this) (?:picture|video|clip|film|frame|shot|image|scene|view)|on (?:the )?screen"
    r"|(?:to be )?seen|shown|visible|appears?)"
)
_WHO = re.compile(
    rf"^\W*who(?:se face)?\b[^?]*\b{_IN_PICTURE}\b(?! to\b)"
    r"|^\W*who (?:is|are|was) (?:this|that|he|she|they)(?: (?:man|woman|person|people|boy|girl))?\W*$"
    r"|^\W*who (?:is|was) the (?:man|woman|person|boy|girl)\b(?! who (?:says|said)\b)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"^\W*(?:[Ii]s|[Dd]oes|[Dd]o|[Cc]an|[Ww]hen is|[Ww]hen does|[Ww]hen can) (?:you see |we see )?"
    rf"(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*) (?:ever |be |first )?(?:{_IN_PICTURE})\b"
)


def asks_face(orientation: Orientation) -> bool:
    """Whether a question asks who is in the picture, or after somebody there by name."""
    found = _WHO.search(orientation.question) or _NAMED.search(orientation.question)
    return found is not None and asks_eyes(orientation)


def find_faces(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The enrolled people whom the question means, and when; where no face tells, what is said or written."""
    if not called(done, TOOL):
        return on_each(orientation, TOOL)
    seen = [item for item in trusted(evidence_from(done, TOOL)) if not item.content.startswith(UNKNOWN)]
    match = _NAMED.search(orientation.question)
    meant = [item for item in seen if match is None or _is(item, match["name"])]
    if meant:
        return f"Yes: {told(meant, orientation)}" if is_polar(orientation.question) else told(meant, orientation)
    others = without_tools(done, TOOL)
    in_words = find_time(orientation, others) if orientation.kind == "when" else find_fact(orientation, others)
    if not isinstance(in_words, str) or not in_words.startswith(NOT_FOUND):
        return in_words
    strangers = "Faces are seen whom no enrolled one is." if evidence_from(done, TOOL) and not seen else ""
    return nothing_seen(done, TOOL, in_words.removeprefix(NOT_FOUND).strip(), strangers)


def _is(item: Evidence, name: str) -> bool:
    """Whether a face is that of somebody of whom the whole name or a part is given."""
    asked, known = name.casefold().split(), item.content.removesuffix(_FACE).casefold().split()
    return set(asked) <= set(known)
