"""From a draft to claims: which statements it makes, which moments they cite, and whether the evidence holds them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longtake.agent.words import content_stems, coverage, numbers, stems
from longtake.memory.records import Citation, Claim, Evidence, Verdict
from longtake.memory.timespan import TIME, TimeSpan, clock, parse_time

NOT_FOUND = "NOT FOUND:"
HELD = 0.5  # share of a claim's content words that its evidence must hold
MOST_PROOFS = 6  # pieces of evidence behind one citation: a row of a table is read as several
SLACK = 1.0  # seconds by which a citation may miss its evidence: clocks are written in whole seconds
# The letter of an option, as a draft begins with it.
LETTER = re.compile(r"\s*(?:answer\s*:?\s*)?\(?([A-J])(?:[.):]\s*|\s*$)", re.IGNORECASE)
_CITATION = re.compile(rf"\s*\[(?:(\S+)\s+)?({TIME})(?:\s*[-–]\s*({TIME}))?\]")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=[^\[\s])|(?<=\])[.;]?\s+(?=[^\[\s])|\n+")
_QUOTE = re.compile(r"“[^”]*”")


@dataclass(frozen=True, slots=True)
class Checked:
    """The claims of a draft, and how many of its citations no evidence of the run backs."""

    claims: tuple[Claim, ...]
    removed: int


def check_draft(draft: str, evidence: Sequence[Evidence], computed: Sequence[str] = ()) -> Checked:
    """Split a draft into claims and check each against the evidence of the run.

    Args:
        draft: text with citations like `[00:14:07]`.
        evidence: everything the run collected.
        computed: results of the calculator, which may stand in a claim beside what the evidence says.
    """
    claims: list[Claim] = []
    removed = 0
    for sentence in _sentences(draft):
        if not content_stems(plain_text(sentence)) and not _CITATION.search(sentence):
            continue
        cited, missing = _resolve(sentence, evidence)
        removed += missing
        claims.append(_check(plain_text(sentence), cited, evidence, computed))
    return Checked(tuple(claims), removed)


def _sentences(draft: str) -> list[str]:
    """The sentences of a draft, each with its citations; what stands in quotation marks is never split."""
    masked = _QUOTE.sub(lambda match: "“" + "_" * (len(match[0]) - 2) + "”", draft)
    edges = [0, *(edge for match in _SENTENCE.finditer(masked) for edge in match.span()), len(draft)]
    return [part for start, end in zip(edges[::2], edges[1::2], strict=True) if (part := draft[start:end].strip())]


def plain_text(draft: str) -> str:
    """A draft without its citations."""
    return re.sub(r"\s+([.,;!?])", r"\1", _CITATION.sub("", draft)).strip()


def with_citations(claims: Sequence[Claim]) -> str:
    """The supported claims as text again, each followed by its moments."""
    return " ".join(f"{claim.text} {''.join(_marks(claim))}".strip() for claim in claims if claim.verdict == "supported")


def _marks(claim: Claim) -> list[str]:
    return list(dict.fromkeys(f"[{clock(citation.start)}]" for citation in claim.citations[:3]))


def _resolve(sentence: str, evidence: Sequence[Evidence]) -> tuple[list[Evidence], int]:
    """Evidence behind the citations of a sentence, as few pieces as hold its words; and how many citations have none."""
    found: list[Evidence] = []
    missing = 0
    wanted = content_stems(plain_text(sentence))
    for _, start, end in _CITATION.findall(sentence):
        first = parse_time(start)
        cited = TimeSpan(start=max(0.0, first - SLACK), end=max(first, parse_time(end) if end else first) + SLACK)
        near = [item for item in evidence if item.span.overlaps(cited)]
        missing += not near
        found += [item for item in _fewest(wanted, near) if item not in found]
    return found, missing


def _fewest(wanted: Sequence[str], near: Sequence[Evidence]) -> list[Evidence]:
    """The best piece, and further ones while each holds a wanted word that none before it holds."""
    ranked = sorted(near, key=lambda item: (-coverage(wanted, item.content), item.span.length))
    chosen, open_terms = ranked[:1], set(wanted) - (stems(ranked[0].content) if ranked else set())
    for item in ranked[1:]:
        gained = open_terms & stems(item.content)
        if gained and len(chosen) < MOST_PROOFS:
            chosen.append(item)
            open_terms -= gained
    return chosen


def _check(text: str, cited: list[Evidence], evidence: Sequence[Evidence], computed: Sequence[str]) -> Claim:
    wanted = content_stems(text)
    if not cited:
        ranked = sorted(evidence, key=lambda item: -coverage(wanted, item.content))
        cited = [item for item in ranked[:2] if coverage(wanted, item.content) >= HELD]
    proof = [item for item in cited if item.trusted]
    held = " ".join([item.content for item in proof] + [_times(item) for item in proof])
    words_held = coverage(wanted, " ".join([held, *computed])) >= HELD
    numbers_held = numbers(text) <= numbers(held) | {number for result in computed for number in numbers(result)}
    verdict: Verdict = "supported" if proof and words_held and numbers_held else "unverified"
    return Claim(text=text, verdict=verdict, citations=tuple(dict.fromkeys(Citation.of(item) for item in cited)))


def _times(item: Evidence) -> str:
    """The ways a claim may write when something happened."""
    span = item.span
    spellings = [f"{second:.{digits}f}" for second in (span.start, span.end, span.length) for digits in (0, 1, 2)]
    return " ".join([*spellings, *(clock(second, decimals=digits) for second in (span.start, span.end) for digits in (0, 1))])
