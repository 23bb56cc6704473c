"""Forms the answer: what a tool made, an option, else the best line if it is likely enough, else the closest lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from longtake.agent.controllers.extractive.candidates import WORDED, Candidate, distinct
from longtake.agent.controllers.extractive.made import made_reply
from longtake.agent.controllers.extractive.no_answer import (
    Findings,
    any_near,
    blindness,
    failed,
    foreign,
    not_said,
    reason,
    touched,
)
from longtake.agent.controllers.extractive.option_choice import OptionChoice, by_claim, by_order, choose, declining
from longtake.agent.controllers.extractive.ranking import Ranked, confidence, has_name, most_telling, sure_from
from longtake.agent.controllers.extractive.settling import affirmed, mentions, speaker_of, times
from longtake.agent.controllers.extractive.values import worked_out
from longtake.agent.drafts.draft import LETTERS, NOTHING, Draft, DraftClaim
from longtake.agent.fitted import load_scores
from longtake.agent.gathering.moments import GENERIC
from longtake.agent.query.query import MODALITY_OF, TOLD_IN_ORDER, Fact, Query, Source
from longtake.errors import EngineError
from longtake.language.text import as_question, as_sentence, comparable, within
from longtake.language.words import NEGATION, stems, unsaid, words
from longtake.memory.records import Closest, Modality
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.layers.speaker_lines import SPEAKERS

CLOSEST = 3
MAX_LISTED = 8
_FEW = 3  # lines in a scope, up to which all are quoted
_LISTED = 0.5  # share of the best chance that other lines of a list need
_IMPOSSIBLE = 0.02  # chance of a modality below which its lines aren't offered
_NAME = 40  # characters of a speaker's name at most
_CORRECTION = 2  # cues: "No, nine is cola." "Lemonade is seven."
# With these, speakers begin to correct themselves: the editing terms of Shriberg (1994).
_EDITS = ("no ", "sorry ", "wait ", "hold on ", "hang on ", "i mean ", "actually ", "or rather ")
_SPEAKS = stems("speaks speaker talks")
_SOUNDS = stems("sound sounds noise noises")
_OF_NAMED = frozenset({"time", "duration", "count", "yesno"})  # targets of questions that name a sound
_MANY = frozenset({"list", "order"})
_WHERE: Mapping[Modality, str] = {
    "speech": "words spoken",
    "scene_text": "on-screen text",
    "audio": "sound",
    "visual": "picture",
    "metadata": "fact about the recording",
}


def form(findings: Findings) -> Draft:
    """The answer to a question, with claims that quote their evidence, and the closest lines."""
    query = findings.query
    telling = [pair for pair in findings.ranked if _may_tell(findings, pair[0])]
    # What has the very words comes first, and of that what is said or shown as the question asks.
    lines = sorted(telling, key=lambda pair: -pair[0].chance(query) if mentions(query, pair[0]) else 1.0)
    worded = [each for each, _ in lines if each.modality in WORDED and query.source in ("speech", "text")]
    nearest = _nearest(worded or [each for each, _ in lines])
    blind = blindness(findings, lines)
    if query.options and (chosen := _by_options(findings, nearest, blind)):
        return chosen
    texts = [each.text for each, _ in lines]
    if made := made_reply(query, findings.results, texts) or worked_out(query, [each for each, _ in lines]):
        return _weighed(made, findings, nearest)
    if not lines:
        return _abstained(reason(findings))
    if failed(findings):
        claim = _claim(query, lines[0][0])
        return Draft(status="uncertain", text=reason(findings), claims=(claim,), closest=nearest)
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
    missing = "" if reads or touched(query, [best]) else query.lacks.get(query.source, "")
    untold = best.text if best.fact is not None and not best.fact.told else ""
    if _lacks_name(query, best):
        known, untold = False, next((each.evidence.text for each in query.facts if not each.told), "")
    if not known and not any_near(findings, lines):
        if missing:
            return _abstained(missing, nearest, trust)
        if refused := not_said(findings):
            return _abstained(refused, (), trust)
    alone = query.target not in _MANY and not every
    quoted = every or _chosen(query, lines)
    return Draft(
        status="answered" if known else "uncertain",
        text="" if known else untold or missing or foreign(findings),
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
        return _abstained(blind or reason(findings), nearest).model_copy(update={"option": none})
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
    text = after[0].text if after else ""
    name, colon, said = text.partition(": ")
    begins = " ".join(words(said if colon and len(name) <= _NAME else text)) + " "
    corrected = begins.removeprefix("oh ").startswith(_EDITS)
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
        return reranker.score(as_question(query.own_words), [line.text])[0] < load_scores().unrelated
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
