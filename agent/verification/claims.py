"""Turns a draft into claims: its statements, the moments they cite, and whether the evidence supports them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from longtake.agent.controllers.reply import Reply
from longtake.agent.verification.verdicts import HELD, NOTHING_ELSE, Grounds, is_paraphrase, verdict_of
from longtake.agent.verification.verifier import BY_WORDS, Verifier
from longtake.language.text import as_sentence
from longtake.language.words import content_stems, coverage, numbers, stems
from longtake.memory.records import Citation, Citing, Claim, Evidence
from longtake.memory.timespan import TIME, TimeSpan, parse_time

NOT_FOUND = "NOT FOUND:"
MAX_PROOFS = 6  # pieces of evidence behind one citation: OCR reads a table row in several pieces
SLACK = 1.0  # seconds by which a citation in whole seconds may be off
FINE = 0.15  # the same for a citation with decimals
_ABSTENTION = re.compile(r"[\s*_#>(\[]*not found\b[\s:.,;!*_)\]–—-]*", re.IGNORECASE)
# The letter of an option at the start of a draft.
LETTER = re.compile(r"\s*(?:answer\s*:?\s*)?\(?([A-J])(?:[.):]\s*|\s*$)", re.IGNORECASE)
_UNIT = r"(?:\s*s(?:ec(?:onds?)?)?)?"
_PLACE = re.compile(rf"(?:(.+?)\s+(?=\d+:))?({TIME}){_UNIT}(?:\s*(?:-|–|—|\bto\b)\s*({TIME}){_UNIT})?", re.IGNORECASE)
_BRACKET = re.compile(r"\s*\[([^\[\]]+)\]")
_SENTENCE = re.compile(
    r"(?<=[.!?])\s+(?=[^\[\s])|(?<=[。！？])\s*(?=[^\[\s])|(?<=\])\s+(?=[^\[\s])|(?<=\];)\s+|\s*\n+(?!\s*\[)"
)
# Never split, and never a citation: quotations and the full stop of an abbreviation.
_WHOLE = re.compile(r"“[^”]*”|\"[^\"\n]*\"|\b(?:Dr|Mr|Mrs|Ms|Prof|St|No|vs|approx|e\.g|i\.e)\.")
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Checked:
    """The claims of a draft, and its citations."""

    claims: tuple[Claim, ...]
    citing: Citing

    @property
    def removed(self) -> int:
        """Citations without evidence in the run."""
        return self.citing.citations - self.citing.backed


@dataclass(frozen=True, slots=True)
class Place:
    """The target of one citation: a span and, if named, a video."""

    span: TimeSpan
    video: str | None


def check_draft(
    draft: str,
    evidence: Sequence[Evidence],
    grounds: Grounds = NOTHING_ELSE,
    names: Mapping[str, str] | None = None,
    verifier: Verifier = BY_WORDS,
) -> Checked:
    """Split a draft into claims and check each against the evidence of the run.

    Args:
        draft: text with citations like `[00:14:07]` or `[talk.mp4 00:14:07]`.
        evidence: everything the run collected.
        grounds: other support for a claim: calculations, texts made by tools, the question.
        names: file name of each open video, by library id.
        verifier: judges each claim.
    """
    claims: list[Claim] = []
    citations = removed = with_citation = 0
    for sentence in _sentences(draft):
        text = plain_text(sentence)
        cited, missing = _resolve(sentence, evidence, names or {})
        citations += sum(len(places) for _, places in _citations(sentence))
        removed += missing
        if content_stems(text):
            claims.append(_check(text, cited, evidence, grounds, verifier))
            with_citation += bool(cited)
    citing = Citing(citations=citations, backed=citations - removed, claims=len(claims), cited=with_citation)
    return Checked(tuple(claims), citing)


def abstention(draft: str) -> str | None:
    """An abstention in its standard form, `NOT FOUND: why`; None if the draft answers."""
    match = _ABSTENTION.match(draft)
    return f"{NOT_FOUND} {draft[match.end() :].strip()}".strip() if match else None


def split_gap(draft: str) -> tuple[str, str]:
    """The answering part of a draft, and the part about what was not found (may be empty)."""
    edge = _masked(draft).find(f" {NOT_FOUND} ")
    return (draft, "") if edge < 0 else (draft[:edge], draft[edge + len(NOT_FOUND) + 2 :].strip())


def open_parts(gap: str, question: str) -> str:
    """The parts of a question that a draft quotes as not found. Anything else it says about them is unproven."""
    asked = stems(question)
    named = [part for part in re.findall(r"“([^”]+)”", gap) if set(content_stems(part)) <= asked]
    if not gap:
        return ""
    if not named:
        return "I couldn't find everything you asked for."
    return as_sentence(f"Not found: {', '.join(f'“{part}”' for part in named)}")


def plain_text(draft: str) -> str:
    """A draft without its citations."""
    kept, end = "", 0
    for match, _ in _citations(draft):
        kept, end = kept + draft[end : match.start()], match.end()
    return re.sub(r"\s+([.,;!?])", r"\1", kept + draft[end:]).strip()


def _masked(text: str) -> str:
    """The text with everything that must stay whole masked, character by character."""
    return _WHOLE.sub(lambda match: "_" * len(match[0]), text)


def _sentences(draft: str) -> list[str]:
    """The sentences of a draft, each with its citations."""
    draft = _BULLET.sub("", draft)
    edges = [0, *(edge for match in _SENTENCE.finditer(_masked(draft)) for edge in match.span()), len(draft)]
    return [part for start, end in zip(edges[::2], edges[1::2], strict=True) if (part := draft[start:end].strip())]


def _citations(text: str) -> Iterator[tuple[re.Match[str], list[Place]]]:
    """The citations of a text outside quotations. One pair of brackets may contain several."""
    for match in _BRACKET.finditer(_masked(text)):
        places = [_PLACE.fullmatch(part.strip()) for part in re.split(r"[,;]\s+|;", match[1])]
        if all(places):
            named: str | None = None
            found: list[Place] = []
            for place in filter(None, places):
                named = place[1] or named
                found.append(Place(_span(place[2], place[3] or place[2]), named))
            yield match, found


def _span(one: str, other: str) -> TimeSpan:
    start, end = sorted((parse_time(one), parse_time(other)))
    slack = FINE if "." in one or "." in other else SLACK
    return TimeSpan(start=max(0.0, start - slack), end=end + slack)


def _resolve(sentence: str, evidence: Sequence[Evidence], names: Mapping[str, str]) -> tuple[list[Evidence], int]:
    """The fewest pieces of evidence behind a sentence's citations that contain its words, and the number of citations
    without evidence.
    """
    found: list[Evidence] = []
    missing = 0
    text = plain_text(sentence)
    wanted = content_stems(text)
    for place in (place for _, places in _citations(sentence) for place in places):
        near = [item for item in evidence if _backs(item, place, text, names)]
        missing += not near
        found += [item for item in _fewest(wanted, near, text) if item not in found]
    return found, missing


def _backs(item: Evidence, place: Place, text: str, names: Mapping[str, str]) -> bool:
    if not item.span.overlaps(place.span):
        return False
    if place.video and not _is_named(item.video, place.video, names):
        return False
    wanted, stated = content_stems(text), numbers(text)
    shared = stated & numbers(item.content)
    # Facts about a whole recording are evidence at every moment, and an empty picture during any speech,
    # so evidence behind a citation must share words with its sentence.
    if item.modality == "metadata":
        held = coverage(wanted, item.content)
        spoken = [term for term in wanted if term.isalpha()]
        return held >= HELD or (bool(stated) and shared == stated and (held > 0 or not spoken))
    return not wanted or bool(shared) or coverage(wanted, item.content) > 0


def _is_named(video: str, written: str, names: Mapping[str, str]) -> bool:
    name = names.get(video, video)
    return written.casefold() in {video.casefold(), name.casefold(), PurePath(name).stem.casefold()}


def _fewest(wanted: Sequence[str], near: Sequence[Evidence], text: str) -> list[Evidence]:
    """The best piece, and further ones as long as each adds a word."""

    def rank(item: Evidence) -> tuple[bool, float, bool, float]:
        return not item.trusted, -coverage(wanted, item.content), item.content not in text, item.span.length

    ranked = sorted(near, key=rank)
    chosen, open_terms = ranked[:1], set(wanted) - (stems(ranked[0].content) if ranked else set())
    for item in ranked[1:]:
        gained = open_terms & stems(item.content)
        if gained and len(chosen) < MAX_PROOFS:
            chosen.append(item)
            open_terms -= gained
    return chosen


def check_reply(reply: Reply, evidence: Sequence[Evidence], grounds: Grounds, verifier: Verifier = BY_WORDS) -> Checked:
    """Check claims that a controller provides as data, each against the evidence it names."""
    known = {item.id: item for item in evidence}
    claims: list[Claim] = []
    backed = 0
    for draft in reply.claims:
        cited = [known[name] for name in draft.evidence if name in known]
        backed += bool(cited)
        claims.append(_check(draft.text, cited, (), grounds, verifier))
    citing = Citing(citations=backed, backed=backed, claims=len(claims), cited=backed)
    return Checked(tuple(claims), citing)


def _check(
    text: str, cited: Sequence[Evidence], evidence: Sequence[Evidence], grounds: Grounds, verifier: Verifier
) -> Claim:
    proof = [item for item in cited if item.trusted]
    if not cited:
        wanted = content_stems(text)
        trusted = [item for item in evidence if item.trusted and coverage(wanted, item.content) >= HELD]
        proof = sorted(trusted, key=lambda item: -coverage(wanted, item.content))[:2]
    verdict = verifier.verify(text, proof, grounds)
    doubtful = _softens(text, cited, grounds) if verdict == "unverified" else []
    return Claim(text=text, verdict=verdict, citations=_cite(proof), doubtful=_cite(doubtful))


def _softens(text: str, cited: Sequence[Evidence], grounds: Grounds) -> list[Evidence]:
    """Why an unverified claim isn't rejected: its evidence was recognised poorly, or says the same in other words."""
    poorly = [item for item in cited if item.video and not item.trusted]
    if poorly and verdict_of(text, cited, grounds) == "supported":
        return poorly
    proof = [item for item in cited if item.trusted]
    return proof if is_paraphrase(text, proof, grounds) else []


def _cite(items: Sequence[Evidence]) -> tuple[Citation, ...]:
    return tuple(dict.fromkeys(Citation.of(item) for item in items))
