"""How speech goes on after words that a question quotes: the rest of their line, and of their sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.facts import to_the_end
from longtake.agent.rules.moves import LISTENER, cite, evidence_from, on_each, quote, trusted
from longtake.agent.rules.steps import Steps
from longtake.agent.rules.time.places import veiled
from longtake.memory.records import Evidence

SOON = 10.0  # seconds within which the next line follows words that end theirs
_GOES_ON = re.compile(
    r"\b(?:go(?:es)? on|continues?|continued|carr(?:y|ies) on|complete|finish)\b|"
    r"\b(?:said|say|says|spoken|words?|sentence|speaker|voice)\b[^?]*\b(?:after|follow\w*|next|then|come)\b|"
    r"\b(?:after|follow\w*|next|then)\b[^?]*\b(?:said|say|says|spoken|words?|sentence|speaker|voice)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:steps?|slides?|shown|written|sounds?|heard|when|who|why|where|how (?:many|long)|react\w*|mean(?:s|t)?)\b"
    r"|(?<!\bwhat )(?<!\bwords )\bdo\b",
    re.IGNORECASE,
)
_ENOUGH = re.compile(r"(?:\S+\s+){8,}?\S*[.!?](?=\s|$)")  # the sentences that end after so many words


def asks_to_go_on(orientation: Orientation) -> bool:
    """Whether a question asks how speech goes on after the words that it quotes."""
    hidden = veiled(orientation.question)
    return len(orientation.quoted) == 1 and bool(_GOES_ON.search(hidden)) and not _OTHERWISE.search(hidden)


def go_on(orientation: Orientation) -> Steps[str]:
    """The words that follow in the one line that holds the quotation; empty where no line, or several, do."""
    done = yield on_each(orientation, LISTENER)
    lines = sorted(trusted(evidence_from(done, LISTENER)), key=lambda line: (line.video, line.span.start))
    quoted = re.compile(r"\W+".join(map(re.escape, re.findall(r"\w+", orientation.quoted[0]))) + r"\b", re.IGNORECASE)
    held = [(line, match) for line in lines if (match := quoted.search(line.content))]
    if len({line.content for line, _ in held}) != 1:
        return ""
    line, match = held[0]
    rest = line.content[match.end() :].lstrip(' ,;:.!?”"')
    if not rest:
        return quote(_next(line, lines), orientation)
    enough = _ENOUGH.match(rest)
    more = [] if enough else to_the_end(line, lines)[1:]
    return f"“{enough[0] if enough else rest}” {cite(line, orientation)} {quote(more, orientation)}".strip()


def _next(line: Evidence, lines: Sequence[Evidence]) -> list[Evidence]:
    """The sentence that begins after a line, if that is soon."""
    later = [other for other in lines if other.video == line.video and other.span.start >= line.span.end]
    soon = [other for other in later if other.span.start - line.span.end <= SOON]
    return to_the_end(soon[0], lines) if soon else []
