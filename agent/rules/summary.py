"""Summaries: of a video of slides, its parts in order; of one part, its points and what is said meanwhile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from longtake.agent.orientation import POLAR, Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import (
    LISTENER,
    Done,
    Move,
    cite,
    doubtful,
    evidence_from,
    failures,
    not_found,
    on_each,
    on_video,
    quote,
    trusted,
)
from longtake.agent.rules.outline import Slide, read_outline, titled
from longtake.agent.rules.steps import Steps, ask
from longtake.agent.rules.time.places import veiled
from longtake.agent.words import content_stems, cue, stems
from longtake.memory.records import Evidence

SUMMARISER = "summarize_segment"
MOST_QUOTED = 12
MOST_PARTS = 12  # of a video; where there are more, those that stand longest
MOST_POINTS = 5  # of a slide, that is named with its title
MOST_SAID = 3  # sentences about one part
FEWEST_SLIDES = 3
LEAST_SHOWN = 1 / 3  # of the timeline that the slides of a video stand, for it to be a video of slides
_ASKS = re.compile(
    r"\bsummar\w+|\bsum(?:med|ming)? (?:\w+ ){0,4}?up\b|\brecap\w*|\b(?:overview|synopsis|gist|nutshell|essence)\b"
    r"|\bmain (?:points?|topics?|ideas?|subjects?)\b|\bin (?:short|brief|a few (?:words|sentences))\b|\bbriefly\b"
    r"|\bwhat\b[^?]*\babout\b(?:,? (?:overall|all in all))?\W*$"
    r"|\b(?:what|which)\b[^?]*\b(?:discussed|talked about|came up|come up|(?:deals?|dealt) with)\b"
    r"|^\W*(?:(?:what|which|list|name|give|tell|describe|and)\b\W*"
    r"(?:(?:me|us|are|is|were|was|all|the|main|its)\b\W*)*)?"
    r"(?:topics?|subjects?|matters?|themes?|contents?)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    rf"(?!\W*(?:can|could) you\b){POLAR}|\b(?:how (?:many|much|long|often)|who|whom|whose|when)\b", re.IGNORECASE
)
_IN_VIDEO = re.compile(
    r"^[^?]*\b(?:happens|happening|goes on|going on|learn|cover\w*|describe|content|contents|about)\b",
    re.IGNORECASE,
)
_ABOUT_REQUEST = cue(
    "summar*, sum, summed, summing, recap*, overview, synopsis, gist, nutshell, essence, main, mainly, mostly, "
    "chiefly, point, points, topic, topics, subject, subjects, theme, themes, matter, matters, idea, ideas, outline, "
    "short, brief, briefly, quick, quickly, concise, few, whole, entire, complete, content, contents, part, parts, "
    "section, sections, bit, passage, chapter, segment, deal, deals, dealt, cover, covers, covered, treat, treats, "
    "treated, overall, key, want, write, written, describe, description, reported, said, discussed, talked, talk, "
    "sentence, sentences, paragraph, paragraphs, word, words, me, us, slide, slides, happens, happening, going, "
    "goes, learn, came, come, comes, up, two, three, one, keep, be, shown, shows"
)
_OF_VIDEO = cue("video, videos, recording, film, clip, talk, lecture, presentation, movie, footage, speech")


def asks_summary(orientation: Orientation) -> bool:
    """Whether a question asks what a video, or a part of it that is named, is about."""
    question = orientation.question
    of_video = _OF_VIDEO.search(question) and _IN_VIDEO.search(question) and not _topic(question)
    asked = bool(_ASKS.search(question) or of_video) and not _OTHERWISE.search(veiled(question))
    return asked and orientation.span is None and not orientation.options


def summarise(orientation: Orientation) -> Steps[str]:
    """The summary of the whole or of the part that a slide names; empty where a question may ask for something else."""
    topic = _topic(orientation.question)
    if not topic and orientation.kind != "summarise" and not _OF_VIDEO.search(orientation.question):
        return ""
    slides = yield from read_outline(orientation)
    if topic:
        meant = titled(topic, slides)
        return (yield from _of_part(meant[0], orientation)) if len(meant) == 1 else ""
    if len(slides) < FEWEST_SLIDES or _shown(slides) < LEAST_SHOWN * sum(orientation.videos.values()):
        return (yield from ask(summarise_lines, orientation))
    return (yield from _of_whole(slides, orientation))


def summarise_lines(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The lines of what is said and written that stand for the whole of it; of a topic, those that speak of it."""
    topic = _topic(orientation.question)
    if topic and orientation.span is None:
        return find_fact(orientation.reworded(f"What is said about {' '.join(topic)}?"), done)
    if not done:
        return on_each(orientation, SUMMARISER, text="", length="medium")
    found = evidence_from(done, SUMMARISER)
    if trusted(found):
        return quote(trusted(found)[:MOST_QUOTED], orientation)
    return not_found(" ".join(doubtful(found, orientation) or failures(done)))


def _topic(question: str) -> list[str]:
    """Stems of what a summary is asked of; none where that is the video."""
    return content_stems(_OF_VIDEO.sub(" ", _ABOUT_REQUEST.sub(" ", question)))


def _shown(slides: Iterable[Slide]) -> float:
    return sum(slide.span.length for slide in slides)


def _of_whole(slides: Sequence[Slide], orientation: Orientation) -> Steps[str]:
    """The titles in order, each with a sentence that is said while its slide stands."""
    opening, *rest = slides
    longest = sorted(rest, key=lambda slide: -slide.span.length)[:MOST_PARTS]
    done = yield on_each(orientation, LISTENER)
    said = trusted(evidence_from(done, LISTENER))
    parts = [_titled("First", opening, orientation, points=True)]
    for slide in (slide for slide in rest if slide in longest):
        parts += [_titled("Then", slide, orientation), _spoken(_said_meanwhile(slide, said)[:1], orientation)]
    return " ".join(filter(None, parts))


def _of_part(slide: Slide, orientation: Orientation) -> Steps[str]:
    """The title with its points, and the sentences that stand for what is said while they are shown."""
    place = [round(slide.span.start, 3), round(slide.span.end, 3)]
    done = yield [on_video(orientation, slide.title.video, SUMMARISER, timestamp=place, text="", length="long")]
    said = [item for item in trusted(evidence_from(done, SUMMARISER)) if item.modality == "speech"]
    chosen = sorted(_said_meanwhile(slide, said)[:MOST_SAID], key=lambda item: item.span.start)
    return f"{_titled('', slide, orientation, points=True)} {_spoken(chosen, orientation)}".strip()


def _said_meanwhile(slide: Slide, said: Sequence[Evidence]) -> list[Evidence]:
    """What is said while a slide stands; first what speaks of what is written on it."""
    wanted = {stem for item in (slide.title, *slide.lines) for stem in stems(item.content)}
    there = [item for item in said if item.video == slide.title.video]
    begun = [item for item in there if slide.span.start <= item.span.start < slide.span.end]
    return sorted(begun, key=lambda item: -len(wanted & set(content_stems(item.content))))


def _titled(first: str, slide: Slide, orientation: Orientation, *, points: bool = False) -> str:
    lines = slide.lines[:MOST_POINTS] if points else ()
    told = ", ".join(f"“{item.content}”" for item in (slide.title, *lines))
    return f"{first} {told} {cite(slide.title, orientation)}".strip()


def _spoken(said: Sequence[Evidence], orientation: Orientation) -> str:
    return " ".join(f"Said: {quote([item], orientation)}" for item in said)
