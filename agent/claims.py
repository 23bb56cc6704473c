"""From a draft to claims: which statements it makes, which moments they cite, and whether the evidence holds them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from longtake.agent.words import NEGATION, content_stems, coverage, fold, numbers, stem, stems, words
from longtake.memory.records import Citation, Citing, Claim, Evidence, Verdict
from longtake.memory.timespan import TIME, TimeSpan, clock, parse_time

NOT_FOUND = "NOT FOUND:"
HELD = 0.5  # share of a claim's content words that its evidence must hold
MOST_PROOFS = 6  # pieces of evidence behind one citation: a row of a table is read as several
COMPUTED_WORDS = "answer result value equals"  # what a claim may call what was computed
SLACK = 1.0  # seconds by which a citation may miss its evidence: clocks are written in whole seconds
_ABSTENTION = re.compile(r"\W*not found\b[\W_]*", re.IGNORECASE)
# The letter of an option, as a draft begins with it.
LETTER = re.compile(r"\s*(?:answer\s*:?\s*)?\(?([A-J])(?:[.):]\s*|\s*$)", re.IGNORECASE)
_UNIT = r"(?:\s*s(?:ec(?:onds?)?)?)?"
_PLACE = re.compile(rf"(?:(.+?)\s+(?=\d+:))?({TIME}){_UNIT}(?:\s*(?:-|–|—|\bto\b)\s*({TIME}){_UNIT})?", re.IGNORECASE)
_BRACKET = re.compile(r"\s*\[([^\[\]]+)\]")
_SENTENCE = re.compile(
    r"(?<=[.!?])\s+(?=[^\[\s])|(?<=[。！？])\s*(?=[^\[\s])|(?<=\])\s+(?=[^\[\s])|(?<=\];)\s+|\s*\n+(?!\s*\[)"
)
# What is never split and holds no citation: quotations, and the stop of an abbreviation.
_WHOLE = re.compile(r"“[^”]*”|\"[^\"\n]*\"|\b(?:Dr|Mr|Mrs|Ms|Prof|St|No|vs|approx|e\.g|i\.e)\.")
_MOMENT = re.compile(
    r"(\d+(?:\.\d+)?)(?=(?:\s*(?:[-–]|to|and)\s*\d+(?:\.\d+)?)?\s*s(?:ec(?:onds?)?)?\b)|((?:\d+:)?\d{1,3}:\d{2}(?:\.\d+)?)"
)
_OPPOSITES = tuple(
    pair.split("/")
    for pair in (
        "on/off up/down rose/fell rises/falls rise/fall rising/falling more/less increased/decreased "
        "increases/decreases open/closed opened/closed opens/closes before/after first/last left/right "
        "won/lost accepted/rejected true/false bought/sold cheaper/dearer faster/slower higher/lower "
        "larger/smaller alive/dead always/never"
    ).split()
)
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Checked:
    """The claims of a draft, and how it cites."""

    claims: tuple[Claim, ...]
    citing: Citing

    @property
    def removed(self) -> int:
        """Citations that no evidence of the run backs."""
        return self.citing.citations - self.citing.backed


@dataclass(frozen=True, slots=True)
class Place:
    """What one citation points at: a span and, where it names one, a video."""

    span: TimeSpan
    video: str | None


def check_draft(
    draft: str, evidence: Sequence[Evidence], computed: Sequence[str] = (), names: Mapping[str, str] | None = None
) -> Checked:
    """Split a draft into claims and check each against the evidence of the run.

    Args:
        draft: text with citations like `[00:14:07]` or `[talk.mp4 00:14:07]`.
        evidence: everything the run collected.
        computed: what was calculated, such as `2 + 3 = 5`, which may stand in a claim beside what the evidence says.
        names: file name of each open video, by library id.
    """
    claims: list[Claim] = []
    citations = removed = with_citation = 0
    for sentence in _sentences(draft):
        text = plain_text(sentence)
        cited, missing = _resolve(sentence, evidence, names or {})
        citations += sum(len(places) for _, places in _citations(sentence))
        removed += missing
        if content_stems(text):
            claims.append(_check(text, cited, evidence, computed))
            with_citation += bool(cited)
    citing = Citing(citations=citations, backed=citations - removed, claims=len(claims), cited=with_citation)
    return Checked(tuple(claims), citing)


def abstention(draft: str) -> str | None:
    """An abstention in its one spelling, `NOT FOUND: why`; None when the draft answers."""
    match = _ABSTENTION.match(draft)
    return f"{NOT_FOUND} {draft[match.end() :].strip()}".strip() if match else None


def without(draft: str, claims: Collection[str]) -> str:
    """A draft without the sentences that make these claims."""
    return " ".join(sentence for sentence in _sentences(draft) if plain_text(sentence) not in claims)


def plain_text(draft: str) -> str:
    """A draft without its citations."""
    kept, end = "", 0
    for match, _ in _citations(draft):
        kept, end = kept + draft[end : match.start()], match.end()
    return re.sub(r"\s+([.,;!?])", r"\1", kept + draft[end:]).strip()


def with_citations(claims: Sequence[Claim], names: Mapping[str, str] | None = None) -> str:
    """The supported claims as text again, each followed by its moments, with their video when several are open."""
    told = names if names and len(names) > 1 else {}
    return " ".join(f"{claim.text} {_marks(claim, told)}".strip() for claim in claims if claim.verdict == "supported")


def _marks(claim: Claim, names: Mapping[str, str]) -> str:
    marks = [
        f"[{names.get(citation.video, '')} {clock(citation.start)}]".replace("[ ", "[")
        for citation in claim.citations[:3]
    ]
    return "".join(dict.fromkeys(marks))


def _masked(text: str) -> str:
    """The text with all that must stay whole blotted out, letter for letter."""
    return _WHOLE.sub(lambda match: "_" * len(match[0]), text)


def _sentences(draft: str) -> list[str]:
    """The sentences of a draft, each with its citations."""
    draft = _BULLET.sub("", draft)
    edges = [0, *(edge for match in _SENTENCE.finditer(_masked(draft)) for edge in match.span()), len(draft)]
    return [part for start, end in zip(edges[::2], edges[1::2], strict=True) if (part := draft[start:end].strip())]


def _citations(text: str) -> Iterator[tuple[re.Match[str], list[Place]]]:
    """The citations of a text outside its quotations; one pair of brackets may hold several places."""
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
    return TimeSpan(start=max(0.0, start - SLACK), end=end + SLACK)


def _resolve(sentence: str, evidence: Sequence[Evidence], names: Mapping[str, str]) -> tuple[list[Evidence], int]:
    """Evidence behind a sentence's citations, as few pieces as hold its words; and how many citations have none."""
    found: list[Evidence] = []
    missing = 0
    text = plain_text(sentence)
    wanted = content_stems(text)
    for place in (place for _, places in _citations(sentence) for place in places):
        near = [item for item in evidence if _backs(item, place, text, names)]
        missing += not near
        found += [item for item in _fewest(wanted, near) if item not in found]
    return found, missing


def _backs(item: Evidence, place: Place, text: str, names: Mapping[str, str]) -> bool:
    if not item.span.overlaps(place.span):
        return False
    if place.video and not _is_named(item.video, place.video, names):
        return False
    wanted, stated = content_stems(text), numbers(text)
    shared = stated & numbers(item.content)
    # Facts of a whole recording lie under every moment of it, and an empty picture under whatever is said meanwhile:
    # what backs a citation has something to do with its sentence.
    if item.modality == "metadata":
        return coverage(wanted, item.content) >= HELD or (bool(stated) and shared == stated)
    return not wanted or bool(shared) or coverage(wanted, item.content) > 0


def _is_named(video: str, written: str, names: Mapping[str, str]) -> bool:
    name = names.get(video, video)
    return written.casefold() in {video.casefold(), name.casefold(), PurePath(name).stem.casefold()}


def _fewest(wanted: Sequence[str], near: Sequence[Evidence]) -> list[Evidence]:
    """The best piece, and further ones while each holds a wanted word that none before it holds."""
    ranked = sorted(near, key=lambda item: (not item.trusted, -coverage(wanted, item.content), item.span.length))
    chosen, open_terms = ranked[:1], set(wanted) - (stems(ranked[0].content) if ranked else set())
    for item in ranked[1:]:
        gained = open_terms & stems(item.content)
        if gained and len(chosen) < MOST_PROOFS:
            chosen.append(item)
            open_terms -= gained
    return chosen


def _check(text: str, cited: Sequence[Evidence], evidence: Sequence[Evidence], computed: Sequence[str]) -> Claim:
    proof = [item for item in cited if item.trusted]
    if not cited:
        wanted = content_stems(text)
        trusted = [item for item in evidence if item.trusted and coverage(wanted, item.content) >= HELD]
        proof = sorted(trusted, key=lambda item: -coverage(wanted, item.content))[:2]
    verdict = _verdict(text, proof, computed)
    return Claim(text=text, verdict=verdict, citations=tuple(dict.fromkeys(Citation.of(item) for item in proof)))


def _verdict(text: str, proof: Sequence[Evidence], computed: Sequence[str]) -> Verdict:
    """Whether the proof holds a claim, judged by its words.

    Supported: half the words, every number and every name are held, and neither side negates what the other says.
    Contradicted: the words are held, but with another number or the opposite word.
    """
    quoted = " ".join(item.content for item in proof)
    held = " ".join([quoted, *computed, *([COMPUTED_WORDS] if computed else [])])
    said = [stem for stem in content_stems(text) if not any(letter.isdigit() for letter in stem)]
    # When something happened may be written in many ways; "one" is mostly a word for a thing, not a count.
    counted = _MOMENT.sub(lambda match: "" if _is_time_of(match, proof) else match[0], text)
    stated = numbers(re.sub(r"\bone\b", "", counted, flags=re.IGNORECASE))
    words_held = not said or _is_quoted(text, quoted) or coverage(said, held) >= HELD
    if not (proof or (computed and stated)) or not words_held:
        return "unverified"
    if not _is_quoted(text, quoted):
        if _is_opposite(text, quoted):
            return "contradicted"
        if _names(text) - stems(held) or bool(NEGATION.search(text)) != bool(NEGATION.search(quoted)):
            return "unverified"
    if stated <= numbers(held) | _counts(text, proof):
        return "supported"
    return "contradicted" if said and numbers(quoted) - stated else "unverified"


def _is_opposite(text: str, quoted: str) -> bool:
    """Whether a claim uses the opposite of a word of its proof, and not that word itself."""
    claimed, held = set(words(text)), set(words(quoted))
    pairs = [*_OPPOSITES, *((other, one) for one, other in _OPPOSITES)]
    return any(one in claimed and one not in held and other in held and other not in claimed for one, other in pairs)


def _names(text: str) -> set[str]:
    """Stems of the capitalised words of a claim, but for the first of a sentence, which every sentence has."""
    return {stem(fold(name)) for name in re.findall(r"(?<=[\w,;:] )([A-Z][a-z]+)", text)}


def _is_quoted(text: str, quoted: str) -> bool:
    """Whether a claim quotes its evidence letter for letter; what it says around it is only how, when and where."""
    terms = re.findall(r"“([^”]+)”", text)
    return bool(terms) and all(term.strip() in quoted for term in terms)


def _is_time_of(written: re.Match[str], proof: Sequence[Evidence]) -> bool:
    """Whether a time says when the evidence begins or ends, or how long it lasts, as exactly as it is written."""
    text = written[1] or written[2]
    decimals = len(text.partition(".")[2])
    times = [time for item in proof for time in (item.span.start, item.span.end, item.span.length)]
    return any(abs(parse_time(text) - time) <= 10**-decimals + 1e-6 for time in times)


def _counts(text: str, proof: Sequence[Evidence]) -> set[str]:
    """How often each quoted term of a claim occurs in its proof."""
    terms = [
        re.compile(rf"(?<!\w){re.escape(term)}(?!\w)", re.IGNORECASE)
        for term in re.findall(r"[“\"]([^”\"]+)[”\"]", text)
    ]
    return {str(sum(len(term.findall(item.content)) for item in proof)) for term in terms}
