"""When something is said, written or heard."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from longtake.agent.orientation import Orientation
from longtake.agent.rules.denial import denies
from longtake.agent.rules.facts import accepted, find_fact
from longtake.agent.rules.moves import (
    LISTENER,
    READER,
    Call,
    Done,
    Move,
    called,
    cite,
    doubtful,
    evidence_from,
    not_found,
    on_each,
    on_video,
    read_around,
    trusted,
    within,
)
from longtake.agent.rules.sight.seeing import asks_eyes, nothing_seen, told
from longtake.agent.rules.sight.shapes import COUNTER
from longtake.agent.rules.sounds import asked_kinds, pick_sounds
from longtake.agent.words import cue
from longtake.memory.records import Citation, Evidence
from longtake.memory.timespan import clock

SHOWN = {"speech": "is said", "scene_text": "is shown", "audio": "is heard"}
RESULTS = 10
MOST = 3
MOST_SEEN = 6
FOUND_BY = {"speech": LISTENER, "scene_text": READER, "audio": "detect_audio_events"}
_WHEN_THAT = re.compile(
    r"^\W*(?:and )?when (?:exactly )?(?:is|was|does|did) (?:that|it|this)"
    r"(?: (?:happen|shown|said|heard|seen|mentioned|appear|start|begin))?\W*$",
    re.IGNORECASE,
)
_THING = r"(?:the |an? |any )?(?P<thing>[\w' -]+?)"
_SEEN = tuple(
    re.compile(rf"^\W*(?:when|at (?:what|which) (?:times?|point|moment)s?) {form}\W*$", re.IGNORECASE)
    for form in (
        rf"(?:is|are|was|were|do|does|did|can) {_THING}\s+(?:first |last |ever )?(?:to )?(?:be )?"
        r"(?:shown|seen|visible|appears?|on (?:the )?screen|in (?:the )?(?:picture|view|shot))",
        rf"(?:do|does|can|could|did) (?:we|you|one) (?:first |last )?see {_THING}",
    )
)
_PERSON = r"(?:person|people|persons|somebody|someone|human being)"
# A photograph of a person is known by the face.
_PORTRAIT = re.compile(
    rf"(?:photo(?:graph)?|picture|portrait|image|snapshot)s? of (?:an? |some |the )?(?:{_PERSON}|face)|portraits?"
    rf"|(?:an? |the )?{_PERSON}'s (?:face|photo(?:graph)?|portrait|picture)|faces? of (?:an? |the )?{_PERSON}",
    re.IGNORECASE,
)
# Words that ask for a time of the video, not for a date it tells of.
_IN_VIDEO = cue(
    "said, say, spoken, mention*, talk*, discuss*, explain*, introduc*, present*, come up, comes up, show, shows, "
    "shown, appear*, see, seen, visible, hear, heard, read, displayed, video, start*, begin*, end, ends"
)
ALIKE = 0.7
FRAME = 0.1  # seconds; a text that stands no longer is one step of a running code
CLOSE_READING = 2.0  # seconds read frame by frame around the nearest text, when a code is looked for


def find_time(orientation: Orientation, done: Sequence[Done]) -> Move:
    """When something is said, shown or heard in the video; or, of an event the video tells of, the date it tells."""
    if orientation.last and _WHEN_THAT.match(orientation.own_words):
        return _when_that(orientation.last, orientation, done)
    denial = denies(orientation.question)
    if asked_kinds(orientation.question) and not orientation.quoted and not denial:
        return pick_sounds(orientation, done) if done else on_each(orientation, "detect_audio_events")
    if orientation.quoted:
        return _when_quoted(orientation, done)
    if not _IN_VIDEO.search(orientation.question):
        return find_fact(orientation, done)
    if not called(done, "cross_modal_search"):
        return [_search(_what(orientation.question), orientation)]
    what = orientation.model_copy(update={"parts": (_what(orientation.question),)})
    found = within(evidence_from(done, "cross_modal_search", READER), orientation)
    in_words = accepted(what, found)
    forms = (form.match(orientation.question) for form in _SEEN)
    thing = None if in_words or denial else next(filter(None, forms), None)
    if thing and thing["thing"].islower() and asks_eyes(orientation):  # not a person's name
        return _when_seen(thing["thing"], orientation, done)
    return _lasting(in_words, orientation)


def _when_that(last: Citation, orientation: Orientation, done: Sequence[Done]) -> Move:
    """When that is what the last answer rests on: it is looked for again at its place."""
    tool = FOUND_BY.get(last.modality)
    if tool is None or last.video not in orientation.videos:
        return not_found("It cannot be told again when that is.")
    if not called(done, tool):
        around = [max(0.0, last.start - FRAME), min(last.end + FRAME, orientation.videos[last.video])]
        return [on_video(orientation, last.video, tool, timestamp=around)]
    same = [item for item in trusted(evidence_from(done, tool)) if item.content == last.quote]
    return _lasting(same[:1], orientation)


def _when_seen(thing: str, orientation: Orientation, done: Sequence[Done]) -> Move:
    """When the picture shows a thing that the engines know: each stretch once, however many of it there are."""
    if not called(done, COUNTER):
        seen = "face" if _PORTRAIT.fullmatch(thing) else thing
        return on_each(orientation, COUNTER, object_query=f"different {seen}")
    found = sorted(trusted(evidence_from(done, COUNTER)), key=lambda item: item.span.start)
    stretches = {(item.video, clock(item.span.start), clock(item.span.end)): item for item in reversed(found)}
    if not found or len(stretches) > MOST_SEEN:
        many = [f"There are {len(stretches)} stretches, more than can be told one by one."] if found else []
        return nothing_seen(done, COUNTER, *many)
    return told(reversed(stretches.values()), orientation)


def _when_quoted(orientation: Orientation, done: Sequence[Done]) -> Move:
    """When the very words stand there; a code that runs past is read frame by frame where it is nearest."""
    if not called(done, "cross_modal_search"):
        return [_search(" ".join(orientation.quoted), orientation)]
    found = within(evidence_from(done, "cross_modal_search", READER), orientation)
    exact = [item for item in found if any(_quotes(item, marked) for marked in orientation.quoted)]
    if not exact and "speech" not in orientation.modalities:
        if not called(done, READER):
            return on_each(orientation, READER)
        nearest = _nearest(orientation.quoted[0], found)
        read = sum(step.call.name == READER for step in done)
        if nearest and read == len(orientation.videos):
            return [read_around(nearest, orientation, CLOSE_READING)]
    return _lasting(exact or _around(orientation.quoted[0], found), orientation)


def _search(query: str, orientation: Orientation) -> Call:
    senses = [sense for sense in orientation.modalities if sense in SHOWN] or ["speech", "scene_text"]
    return Call("cross_modal_search", {"query": query, "modalities": senses, "k": RESULTS})


def _what(question: str) -> str:
    asked = r"^\s*(?:at (?:what|which) times?|(?:since )?when)\b(?:\s+(?:of the video|does|do|did|is|are|was|were))*"
    return re.sub(asked, "", question, flags=re.IGNORECASE)


def _quotes(item: Evidence, marked: str) -> bool:
    return _plain(marked) in _plain(item.content)


def _nearest(marked: str, found: Sequence[Evidence]) -> Evidence | None:
    """The text on the screen most like the one looked for; of a running code, which passes it, the last one before."""
    texts = [item for item in found if item.modality == "scene_text"]
    passed, _ = _running(marked, texts)
    if passed:
        return passed
    best = max(texts, key=lambda item: _likeness(marked, item.content), default=None)
    return best if best and _likeness(marked, best.content) >= ALIKE else None


def _running(marked: str, texts: Sequence[Evidence]) -> tuple[Evidence | None, Evidence | None]:
    """The last text before the one looked for and the first after it, of those that differ in their digits alone."""
    alike = [item for item in texts if _shape(item.content) == _shape(marked) != _plain(marked)]
    before = [item for item in alike if _plain(item.content) < _plain(marked)]
    after = [item for item in alike if _plain(item.content) > _plain(marked)]
    # Of the same text, the one read most closely.
    last = max(before, key=lambda item: (_plain(item.content), -item.span.length), default=None)
    return last, min(after, key=lambda item: (_plain(item.content), item.span.length), default=None)


def _around(marked: str, found: Sequence[Evidence]) -> list[Evidence]:
    """The two texts of a running code between which it leaps over the one looked for; none where it does not."""
    before, after = _running(marked, [item for item in found if item.modality == "scene_text"])
    if before is None or after is None or before.video != after.video or before.span.length > FRAME:
        return []
    return [before, after] if abs(after.span.start - before.span.end) <= FRAME else []


def _shape(text: str) -> str:
    """A text with all its digits alike: two of one shape are in the order of their numbers."""
    return re.sub(r"\d", "0", _plain(text))


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, _plain(one), _plain(other), autojunk=False).ratio()


def _plain(text: str) -> str:
    return re.sub(r"[^\w:$€£.]+", " ", text.casefold()).strip(" .")


def _lasting(found: Sequence[Evidence], orientation: Orientation) -> Move:
    """From when to when each of the best pieces lasts."""
    if trusted(found):
        return " ".join(_from_to(item, orientation) for item in trusted(found)[:MOST])
    return not_found(" ".join(doubtful(found, orientation)) or "Nothing said or written tells when this is.")


def _from_to(item: Evidence, orientation: Orientation) -> str:
    span = item.span
    clocks = f"from {clock(span.start, decimals=1)} to {clock(span.end, decimals=1)}"
    how = SHOWN.get(item.modality, "is found")
    return f"“{item.content.strip()}” {how} {clocks} ({span.start:.2f}-{span.end:.2f} s) {cite(item, orientation)}."
