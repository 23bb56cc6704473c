"""What to do next, by the kind of the question: call tools, or draft the answer from what they found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import Kind, Orientation
from longtake.agent.rules.attempts import ATTEMPTS, LOOKUPS, OF_DENIALS, tried
from longtake.agent.rules.calculation import calculate
from longtake.agent.rules.choice import choose_option, option_of
from longtake.agent.rules.denial import denies
from longtake.agent.rules.errands.kept import keep_answer, question_kept
from longtake.agent.rules.everything import find_all
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import (
    LISTENER,
    READER,
    Done,
    Move,
    cite,
    doubtful,
    evidence_from,
    failures,
    not_found,
    on_each,
    quote,
    trusted,
)
from longtake.agent.rules.parts import join_drafts, parts_of
from longtake.agent.rules.reading import pick_texts
from longtake.agent.rules.routes import ERRANDS, ROUTES, route_of
from longtake.agent.rules.sight.looking import empty_picture, look, mention_empty, say_empty
from longtake.agent.rules.sounds import explains_sound, pick_sounds
from longtake.agent.rules.steps import Plan, Steps, ask, play, together
from longtake.agent.rules.summary import summarise_lines
from longtake.agent.rules.time.anchor import anchored, at_anchor
from longtake.agent.rules.time.durations import find_length, lasting
from longtake.agent.rules.time.times import find_time
from longtake.agent.rules.word_counts import count_words
from longtake.memory.records import Evidence

MOST_QUOTED = 12
NEAREST = 2
UNSEEN: tuple[Kind, ...] = ("hear", "transcribe", "metadata", "summarise")  # kinds that no picture answers


def next_move(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The next calls, or a draft."""
    if not re.search(r"[a-z]", orientation.question.casefold()):
        return not_found("The embedded controller reads questions in English only; a language model reads others.")
    kept = question_kept(orientation)
    if kept:
        return play(keep_answer(orientation, _joined(kept)), done)
    errand = route_of(orientation, ERRANDS)
    if errand:
        return errand(orientation, done)
    return play(_chosen(orientation) if orientation.options else _joined(orientation), done)


def _chosen(orientation: Orientation) -> Steps[str]:
    """The option that is read or said; else the one that the answer to the open question holds."""
    if not denies(orientation.question):
        known = yield from tried(LOOKUPS, orientation)
        told = option_of(known, orientation.options)
        if told or known.startswith(NOT_FOUND):
            return told or known
    draft = yield from ask(choose_option, orientation)
    if not draft.startswith(NOT_FOUND) or denies(orientation.question):
        return draft
    answer = yield from _joined(orientation.model_copy(update={"options": ()}))
    return option_of(answer, orientation.options) or draft


def _joined(orientation: Orientation) -> Steps[str]:
    """The drafts of all parts of a question."""
    parts = parts_of(orientation)
    drafts = yield from together([_answered(part) for part in parts])
    return join_drafts(parts, drafts)


def _answered(orientation: Orientation) -> Steps[str]:
    """The draft of a question of one part: its place is found first, then what it asks for there."""
    draft = yield from tried(OF_DENIALS if denies(orientation.question) else ATTEMPTS, orientation)
    if draft:
        return draft
    anchor = anchored(orientation)
    placed = (yield from at_anchor(anchor, orientation)) if anchor else orientation
    if isinstance(placed, str):
        return placed
    draft = yield from (find_length(placed) if lasting(placed) else ask(_plan(placed), placed))
    unanswered = draft.startswith(NOT_FOUND) and placed.kind not in UNSEEN
    return mention_empty(draft, placed) if unanswered else draft


def _plan(orientation: Orientation) -> Plan:
    """The way to answer: the route that the question asks for, else by its kind.

    Of what is not so, a search finds the lines that say it; what is heard or seen is none of it.
    """
    if orientation.kind == "metadata":
        return _metadata
    if denies(orientation.question):
        return find_time if orientation.kind == "when" else find_fact
    route = route_of(orientation, ROUTES)
    if route:
        return route
    if orientation.exhaustive and orientation.kind in ("fact", "read", "look"):
        return find_all
    return PLANS[orientation.kind]


def _metadata(orientation: Orientation, done: Sequence[Done]) -> Move:
    asked = orientation.question.casefold()
    cues = {
        r"how long|length|duration": r"\blong\b",
        r"resolution|frame rate|fps|codec|format|size": r"^The picture|^There is no picture",
        r"sound|audio": r"sound",
        r"shots?|cuts?|fades?|dissolves?": r"\bshots?\b",
    }
    wanted = [fact for cue, fact in cues.items() if re.search(cue, asked)]
    found = [item for fact in wanted for item in orientation.facts if re.search(fact, item.content)]
    if not found:
        return not_found("This is not known of the recording.")
    change = re.search(r"\b(fade|dissolve)s?\b", asked)
    if change and not any(change[1] in item.content for item in found):
        return not_found(f"No {change[1]} is known among the changes from shot to shot.")
    return " ".join(f"{item.content} {cite(item, orientation)}" for item in dict.fromkeys(found))


def _transcribe(orientation: Orientation, done: Sequence[Done]) -> Move:
    if not done:
        return on_each(orientation, LISTENER)
    found = evidence_from(done, LISTENER)
    if orientation.point and orientation.span:
        at = [item for item in found if item.span.overlaps(orientation.span)]
        found = at or found
    found = _beside_anchor(orientation, found)
    end = re.search(r"\b(?:said|spoken|sung) (first|last)\W*$", orientation.question, re.IGNORECASE)
    if end:
        found = sorted(found, key=lambda item: item.span.start)
        found = found[:1] if end[1].casefold() == "first" else found[-1:]
    if trusted(found):
        return quote(trusted(found), orientation)
    return not_found(" ".join(doubtful(found, orientation) or failures(done)) or "Nobody speaks there.")


def _beside_anchor(orientation: Orientation, found: list[Evidence]) -> list[Evidence]:
    """What is said right after, or right before, an anchor: the nearest lines, not all that the span holds."""
    if orientation.relation in ("after", "as soon as"):
        return found[:NEAREST]
    return found[-NEAREST:] if orientation.relation == "before" else found


def _read(orientation: Orientation, done: Sequence[Done]) -> Move:
    if not done:
        return on_each(orientation, READER)
    found = pick_texts(orientation, trusted(evidence_from(done, READER)))
    if found:
        return quote(found[:MOST_QUOTED], orientation)
    empty = empty_picture(orientation)
    if empty:
        return not_found(say_empty(empty))
    return find_fact(orientation, done)


def _hear(orientation: Orientation, done: Sequence[Done]) -> Move:
    if orientation.span is None and explains_sound(orientation.question):
        return find_fact(orientation, done)
    if not done:
        return on_each(orientation, "detect_audio_events")
    return pick_sounds(orientation, done)


PLANS: dict[Kind, Plan] = {
    "metadata": _metadata,
    "summarise": summarise_lines,
    "transcribe": _transcribe,
    "read": _read,
    "hear": _hear,
    "look": look,
    "when": find_time,
    "count": count_words,
    "calculate": calculate,
    "fact": find_fact,
}
