"""What to do next, by the kind of the question: call tools, or draft the answer from what they found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import Kind, Orientation
from longtake.agent.rules.anchor import anchored, at_anchor
from longtake.agent.rules.choice import choose_option
from longtake.agent.rules.counting import TOOL as COUNTER
from longtake.agent.rules.counting import asks_ever_seen, count_seen, counts_by_eye, look_everywhere
from longtake.agent.rules.durations import elapsed, find_elapsed, find_length, lasting
from longtake.agent.rules.everything import add_up, find_all, is_total
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.movement import asks_happenings, tell_happenings
from longtake.agent.rules.moves import (
    Call,
    Done,
    Move,
    called,
    cite,
    doubtful,
    evidence_from,
    failures,
    not_found,
    on_each,
    quote,
    trusted,
)
from longtake.agent.rules.order import compared, find_order
from longtake.agent.rules.parts import join_drafts, parts_of
from longtake.agent.rules.reading import arithmetic_in, pick_texts
from longtake.agent.rules.routes import ERRANDS, ROUTES, route_of
from longtake.agent.rules.seeing import without_tools
from longtake.agent.rules.sounds import pick_sounds
from longtake.agent.rules.steps import Plan, Steps, ask, play, together
from longtake.agent.rules.times import find_time
from longtake.agent.rules.watching import TOOL as WATCH
from longtake.agent.rules.watching import watch_calls, watched
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

MOST_QUOTED = 12
NEAREST = 2
UNSEEN: tuple[Kind, ...] = ("hear", "transcribe", "metadata", "summarise")  # kinds that no picture answers
EMPTY = 0.9  # share of the time asked about that must be without a picture
EYES = "the engines here read text, hear sounds, and measure colour, camera and movement, but name no thing or action"


def next_move(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The next calls, or a draft."""
    if not re.search(r"[a-z]", orientation.question.casefold()):
        return not_found("The embedded controller reads questions in English only; a language model reads others.")
    errand = route_of(orientation, ERRANDS)
    if errand:
        return errand(orientation, done)
    if orientation.options:
        return choose_option(orientation, done)
    return play(_joined(orientation), done)


def _joined(orientation: Orientation) -> Steps[str]:
    """The drafts of all parts of a question."""
    parts = parts_of(orientation)
    drafts = yield from together([_answered(part) for part in parts])
    return join_drafts(parts, drafts)


def _answered(orientation: Orientation) -> Steps[str]:
    """The draft of a question of one part: its place is found first, then what it asks for there."""
    compares = compared(orientation.question)
    if compares:
        return (yield from find_order(compares, orientation))
    passes = elapsed(orientation.question)
    if passes:
        return (yield from find_elapsed(passes, orientation))
    anchor = anchored(orientation)
    placed = (yield from at_anchor(anchor, orientation)) if anchor else orientation
    if isinstance(placed, str):
        return placed
    draft = yield from (find_length(placed) if lasting(placed) else ask(_plan(placed), placed))
    unanswered = draft.startswith(NOT_FOUND) and placed.kind not in UNSEEN
    return _mention_empty(draft, placed) if unanswered else draft


def _plan(orientation: Orientation) -> Plan:
    """The way to answer: by what the question wants where it wants everything, else by its kind."""
    if is_total(orientation.question):
        return add_up
    if asks_ever_seen(orientation):
        return look_everywhere
    route = route_of(orientation, ROUTES)
    if route:
        return route
    if counts_by_eye(orientation):
        return _counted
    if orientation.exhaustive and orientation.kind in ("fact", "read", "look"):
        return find_all
    return PLANS[orientation.kind]


def _counted(orientation: Orientation, done: Sequence[Done]) -> Move:
    """What is said or written of the number comes first; where that is nothing, the picture is counted."""
    if called(done, COUNTER):
        return count_seen(orientation, done)
    told = find_fact(orientation, done, senses=("speech", "scene_text"))
    return count_seen(orientation, done) if isinstance(told, str) and told.startswith(NOT_FOUND) else told


def _metadata(orientation: Orientation, done: Sequence[Done]) -> Move:
    asked = orientation.question.casefold()
    cues = {
        r"how long|length|duration": r"\blong\b",
        r"resolution|frame rate|fps|codec|format|size": r"^The picture|^There is no picture",
        r"sound|audio": r"sound",
        r"shots?|cuts?": r"\bshots?\b",
    }
    wanted = [fact for cue, fact in cues.items() if re.search(cue, asked)]
    found = [item for fact in wanted for item in orientation.facts if re.search(fact, item.content)]
    if not found:
        return not_found("This is not known of the recording.")
    return " ".join(f"{item.content} {cite(item, orientation)}" for item in dict.fromkeys(found))


def _summarise(orientation: Orientation, done: Sequence[Done]) -> Move:
    if not done:
        return on_each(orientation, "summarize_segment", text="", length="medium")
    found = evidence_from(done, "summarize_segment")
    if trusted(found):
        return quote(trusted(found)[:MOST_QUOTED], orientation)
    return not_found(" ".join(doubtful(found, orientation) or failures(done)))


def _transcribe(orientation: Orientation, done: Sequence[Done]) -> Move:
    if not done:
        return on_each(orientation, "transcribe_speech")
    found = evidence_from(done, "transcribe_speech")
    if orientation.point and orientation.span:
        at = [item for item in found if item.span.overlaps(orientation.span)]
        found = at or found
    found = _beside_anchor(orientation, found)
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
        return on_each(orientation, "extract_scene_text")
    found = pick_texts(orientation, trusted(evidence_from(done, "extract_scene_text")))
    if found:
        return quote(found[:MOST_QUOTED], orientation)
    empty = _empty_picture(orientation)
    if empty:
        return not_found(_say_empty(empty))
    return find_fact(orientation, done, senses=("scene_text", "speech"))


def _hear(orientation: Orientation, done: Sequence[Done]) -> Move:
    if not done:
        return on_each(orientation, "detect_audio_events")
    return pick_sounds(orientation, done)


def _look(orientation: Orientation, done: Sequence[Done]) -> Move:
    empty = _empty_picture(orientation)
    if empty:
        return not_found(_say_empty(empty))
    seen = watched(orientation, done)
    if seen:
        return seen
    told = find_fact(
        orientation,
        without_tools(done, WATCH),
        senses=("speech", "scene_text"),
        otherwise=f"No evidence in words, and {EYES}.",
    )
    if isinstance(told, list):
        return told + watch_calls(orientation, done)
    happens = told.startswith(NOT_FOUND) and asks_happenings(orientation)
    return tell_happenings(orientation, done) if happens else told


def _mention_empty(draft: str, orientation: Orientation) -> str:
    """An abstention that also says that there was no picture to look at, where that is so."""
    empty = _empty_picture(orientation)
    if empty is None or _say_empty(empty) in draft:
        return draft
    return not_found(f"{_say_empty(empty)} {draft.removeprefix(NOT_FOUND).strip()}")


def _say_empty(empty: Evidence) -> str:
    return f"The picture is empty there: {empty.content.rpartition(': ')[2]} over {empty.span}."


def _empty_picture(orientation: Orientation) -> Evidence | None:
    """Where the picture is empty, when in every video that is so for nearly all of the time the question is about."""
    found: list[Evidence] = []
    for video, seconds in orientation.videos.items():
        about = orientation.span or TimeSpan(start=0.0, end=seconds)
        empty = [item for item in orientation.blank if item.video == video and item.span.overlaps(about)]
        covered = sum(min(item.span.end, about.end) - max(item.span.start, about.start) for item in empty)
        if not empty or covered < EMPTY * about.length:
            return None
        found += empty
    return found[0]


def _count(orientation: Orientation, done: Sequence[Done]) -> Move:
    if not done:
        return on_each(orientation, "transcribe_speech") + on_each(orientation, "extract_scene_text")
    wanted = orientation.quoted
    if not wanted:
        return not_found(f"Only words can be counted here (put them in quotation marks), and {EYES}.")
    tools = ("extract_scene_text",) if "scene_text" in orientation.modalities else ("transcribe_speech",)
    found = evidence_from(done, *tools) or evidence_from(done, "transcribe_speech", "extract_scene_text")
    term = re.compile(rf"(?<!\w){re.escape(wanted[0])}(?!\w)", re.IGNORECASE)
    holding = [item for item in found if term.search(item.content)]
    if not all(item.trusted for item in found):
        places = doubtful(holding, orientation)
        return not_found(" ".join(["Words cannot be counted where some are recognised poorly.", *places]))
    if not holding:
        return not_found(f"“{wanted[0]}” does not occur in {len(found)} pieces of text.")
    times = sum(len(term.findall(item.content)) for item in holding)
    marks = "".join(cite(item, orientation) for item in holding[:MOST_QUOTED])
    return f"“{wanted[0]}” occurs {times} times {marks}"


def _calculate(orientation: Orientation, done: Sequence[Done]) -> Move:
    if called(done, "calculator"):
        return _worked_out(orientation, done)
    own = arithmetic_in(orientation.question)
    if own:
        return [Call("calculator", {"expression": own})]
    if not called(done, "extract_scene_text"):
        return on_each(orientation, "extract_scene_text")
    read = trusted(evidence_from(done, "extract_scene_text"))
    sums = [(item, text) for item in read if (text := arithmetic_in(item.content))]
    if sums:
        return [Call("calculator", {"expression": text}) for _, text in sums[:1]]
    return find_fact(orientation, done, senses=("scene_text", "speech"))


def _worked_out(orientation: Orientation, done: Sequence[Done]) -> Move:
    last = next(step for step in reversed(done) if step.call.name == "calculator")
    if last.result.failure:
        return not_found(last.result.failure.message)
    expression = str(last.call.arguments["expression"])
    read = trusted(evidence_from(done, "extract_scene_text"))
    shown = [item for item in read if arithmetic_in(item.content) == expression]
    mark = cite(shown[0], orientation) if shown else ""
    return f"{expression} = {last.result.output['result']} {mark}".strip()


def _fact(orientation: Orientation, done: Sequence[Done]) -> Move:
    return find_fact(orientation, done, senses=("speech", "scene_text"))


PLANS: dict[Kind, Plan] = {
    "metadata": _metadata,
    "summarise": _summarise,
    "transcribe": _transcribe,
    "read": _read,
    "hear": _hear,
    "look": _look,
    "when": find_time,
    "count": _count,
    "calculate": _calculate,
    "fact": _fact,
}
