"""The moments that a language model is shown: passages of speech, texts that stand together, pictures, sounds.

Layers and tools hold single cues and single cells. A model reads whole passages and whole slides, each once, under a
short id such as `m12`, which it cites. A tool's result is one line for each moment, then what else it says.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from statistics import median_low
from typing import TYPE_CHECKING, Any

from longtake.agent.gathering.text_lines import CELLS, ROWS, by_row, replaces
from longtake.language.text import ends_sentence, words_of
from longtake.memory.records import Modality, Moment
from longtake.memory.timespan import CLOCKED, TimeSpan, clock
from longtake.preprocess.layers.entities import ENGINE as ENTITIES
from longtake.preprocess.layers.speaker_lines import SPEAKERS, named_once
from longtake.tools.core.frames import is_frame
from longtake.tools.core.result import ToolResult

if TYPE_CHECKING:
    from longtake.memory.search.index import Index

KINDS: Mapping[Modality, str] = {
    "speech": "said",
    "scene_text": "on screen",
    "visual": "picture",
    "audio": "sound",
    "metadata": "recording",
}
_KIND_BY_ENGINE = {ENTITIES: "entity", SPEAKERS: "recording"}
# What is in nearly every recording and says nothing: the beginnings of texts about sounds and brief changes.
GENERIC = ("speech", "silence", "loud sound", "quiet", "flash: ", "something small appears")
_PAUSE = 1.5  # seconds of silence that end a passage
_FEW, _MANY = 12, 40  # words of a passage from which it ends with a sentence, and from which it ends anyway
_LONGEST = 20.0  # seconds of a passage
_TAKEN = 0.5  # share of a cue that another track may cover before the cue counts as said already
_TOGETHER = 0.5  # share of a text's time for which another one must be there to stand with it
_LASTING = 4.0  # times as long as a text another one may last to stand with it; a logo stays through all slides
_FORMS = 12  # texts that are replaced while another one stands; a clock has more
_NEAR = 100  # texts that are shown while another one stands; a logo has more
_BRIEF = 1.0  # seconds of a moment whose times are given in hundredths
_CHARACTERS = 700  # of one moment of on-screen text
_REACH, _BESIDE = 15.0, 4  # seconds around a moment in which its neighbours lie, and how many of each kind
_ALIKE = 1.0  # seconds between two pictures with the same description that are one moment


class VideoMoments:
    """The moments of one video as a model reads them: whole passages, slides, pictures and sounds."""

    def __init__(self, single: Sequence[Moment], speakers: Collection[str] = ()) -> None:
        """Take all moments of a video as the index has them, and the names that stand before what is said.

        Args:
            single: cues and cells, in the order of the video's layers.
            speakers: names of those who speak.
        """
        ordered = sorted(single, key=lambda item: item.span.start)
        self.texts = [item for item in ordered if item.modality == "scene_text"]
        self._starts = [item.span.start for item in self.texts]
        self._longest = max((item.span.length for item in self.texts), default=0.0)
        said = [item for item in single if item.modality == "speech" and item.engine != SPEAKERS]
        self.passages = _passages(said, speakers)
        told = [item for item in ordered if not item.text.startswith(GENERIC)]
        self.pictures = _merged_alike([item for item in told if item.modality == "visual"])
        self._sounds = [item for item in told if item.modality == "audio"]

    def around(self, item: Moment) -> Moment:
        """The passage or slide that a cue or cell belongs to; itself if it belongs to none."""
        if item.modality == "scene_text":
            return self._standing_with(item)
        for moment in self.passages if item.modality == "speech" else self.pictures:
            if holds(moment, item):
                return moment
        return item

    def reply_to(self, moment: Moment) -> list[Moment]:
        """The passage after one in which something is asked; none after others."""
        if moment not in self.passages or "?" not in moment.text:
            return []
        place = self.passages.index(moment) + 1
        return self.passages[place : place + 1]

    def forms(self, moment: Moment) -> list[Moment]:
        """The slides with the texts that replace each other while an on-screen text stands; none of a running clock."""
        if moment.modality != "scene_text":
            return []
        near = [each for each in self.texts if each.span.overlaps(moment.span)]
        if len(near) > _NEAR:
            return []
        replaced = [each for each in near if any(replaces(each, other) for other in near)]
        return [*map(self._standing_with, replaced)] if len(replaced) <= _FORMS else []

    def at(self, span: TimeSpan) -> list[Moment]:
        """What is said, shown, seen and heard in a span."""
        lines = (*self.passages, *self.pictures, *self._sounds)
        texts = (each for each in self.texts if each.span.overlaps(span))
        slides: dict[str, list[Moment]] = {}
        for moment in map(self._standing_with, texts):
            slides.setdefault(moment.text, []).append(moment)
        return [*(each for each in lines if each.span.overlaps(span)), *map(_slide, slides.values())]

    def beside(self, moment: Moment) -> list[Moment]:
        """What is said just before and after a moment and meanwhile, and what else is shown or heard meanwhile."""
        near: list[Moment] = []
        for line, reach in ((self.passages, _REACH), (self.pictures, _REACH), (self._sounds, 0.0)):
            window = moment.span.widened(reach, reach, float("inf"))
            there = [each for each in line if each.span.overlaps(window)]
            near += sorted(there, key=lambda each: each.span.apart(moment.span))[:_BESIDE]
        texts = [each for each in self.texts if each.span.overlaps(moment.span)]
        # A logo is there throughout; what is shown for a shorter time is the slide.
        return [*near, self._standing_with(min(texts, key=lambda each: each.span.length))] if texts else near

    def _standing_with(self, item: Moment) -> Moment:
        """The slide around a text: what is shown with it, row by row. If not all fits, the nearest rows stay."""
        # Search returns texts without their places in the picture. What isn't in a layer stands alone.
        own = [each for each in self.texts if each.text == item.text and each.span == item.span]
        if not own:
            return item
        item = own[0]
        first = bisect_left(self._starts, item.span.start - self._longest)
        most = max(item.span.length * _LASTING, 1.0)
        near = [each for each in self.texts[first:] if each.span.overlaps(item.span)]
        texts = [
            each
            for each in near
            if each.span.length <= most
            and each.span.shared(item.span) >= _TOGETHER * item.span.length
            and not any(replaces(each, other) for other in near)
        ]
        rows = sorted(by_row(texts), key=lambda row: _top(row[0]))
        nearest = sorted(
            range(len(rows)), key=lambda place: (item not in rows[place], _rows_apart(rows[place][0], item))
        )
        characters, kept = 0, list[int]()
        for place in nearest:
            characters += sum(len(cell.text) + len(CELLS) for cell in rows[place])
            if kept and characters > _CHARACTERS:
                break
            kept.append(place)
        cells = [[" ".join(cell.text.split()) for cell in rows[place]] for place in sorted(kept)]
        text = ROWS.join(dict.fromkeys(map(CELLS.join, cells)))
        return _one([cell for place in kept for cell in rows[place]], text, item.span)


class LibraryMoments:
    """The moments of each open video, built when they are first asked for."""

    def __init__(self, index: Index, speakers: Mapping[str, Collection[str]]) -> None:
        """Take the index that holds them, and the names of those who speak, by video."""
        self._index, self._speakers = index, speakers
        self._built: dict[str, VideoMoments] = {}

    def __call__(self, video: str) -> VideoMoments:
        """The moments of one video."""
        if video not in self._built:
            known = (item for item in self._index.moments(video) if item.text)  # not pictures without words
            self._built[video] = VideoMoments(list(known), self._speakers.get(video, ()))
        return self._built[video]


def key_of(span: TimeSpan) -> str:
    """The name of a span under which a trace has the moments that are there."""
    return f"{span.start:g}-{span.end:g}"


MomentsOf = Callable[[str], VideoMoments]


def shown(items: Iterable[Moment], known: Mapping[str, Moment], of: MomentsOf) -> dict[str, Moment]:
    """The passages and slides around cues and cells, by id: known ones keep theirs, the others get the next ones.

    Args:
        items: single or whole moments, in the order in which they get their ids.
        known: all moments of the run so far.
        of: the moments of a video.
    """
    every, found = dict(known), dict[str, Moment]()
    for item in items:
        identity = _held_by(item, every)
        if identity is None:
            moment = of(item.video).around(item) if item.video else item
            identity = _held_by(moment, every) or f"m{_last(every) + 1}"
            every.setdefault(identity, moment)
        found[identity] = every[identity]
    return found


def _last(moments: Mapping[str, Moment]) -> int:
    """The highest number of an id."""
    return max((int(identity[1:]) for identity in moments if identity[1:].isdecimal()), default=0)


def _held_by(item: Moment, moments: Mapping[str, Moment]) -> str | None:
    return next((identity for identity, moment in moments.items() if holds(moment, item)), None)


def line_of(identity: str, moment: Moment, names: Mapping[str, str]) -> str:
    """A moment in one line: id, video if there are several, start and end, kind, text."""
    name = f"{' '.join(names[moment.video].split())} " if len(names) > 1 and moment.video in names else ""
    doubt = "" if moment.trusted else " (recognised poorly)"
    decimals = 1 if moment.span.length >= _BRIEF else 2
    start, end = (clock(edge, decimals=decimals).removeprefix("00:") for edge in (moment.span.start, moment.span.end))
    when = f"[{name}{start}-{end}]"
    kind = _KIND_BY_ENGINE.get(moment.engine, KINDS[moment.modality])
    return f"{identity} {when} {kind}{doubt}: {' '.join(moment.text.split())}"


def holds(moment: Moment, item: Moment) -> bool:
    """Whether a moment has all that another one says, at its time."""
    if moment.frame or item.frame:
        return moment.frame == item.frame
    if (moment.video, moment.modality) != (item.video, item.modality) or not _near(moment.span, item.span):
        return False
    said = words_of(moment.text)
    unnamed = item.text.partition(": ")[2] if item.modality == "speech" else ""  # a passage names its speaker once
    return words_of(item.text) in said or (bool(unnamed) and words_of(unnamed) in said)


def _near(one: TimeSpan, other: TimeSpan) -> bool:
    return one.overlaps(other) or abs(one.start - other.start) < 0.05


def _top(item: Moment) -> float:
    return item.box[1] if item.box else 0.0


def _rows_apart(one: Moment, other: Moment) -> float:
    return abs(_top(one) - _top(other))


def _passages(cues: Sequence[Moment], speakers: Collection[str]) -> list[Moment]:
    """Speech as passages of one speaker that don't overlap. Where several tracks say the same, the first one counts."""
    taken: list[Moment] = []
    for _, track in groupby(cues, key=lambda cue: (cue.layer, cue.engine)):
        own = sorted(track, key=lambda cue: cue.span.start)
        spans = [cue.span for cue in taken]
        free = [cue for cue in own if sum(cue.span.shared(span) for span in spans) <= _TAKEN * cue.span.length]
        taken += free if spans else _without_echo(own)
    taken.sort(key=lambda cue: cue.span.start)
    groups: list[list[Moment]] = []
    who = ""
    for cue in taken:
        name = _speaker(cue, speakers)
        if groups and name in ("", who) and _belongs(groups[-1], cue):
            groups[-1].append(cue)
        else:
            groups.append([cue])
            who = name
    return [_one(group, " ".join(named_once(cue.text for cue in group))) for group in groups]


def _speaker(cue: Moment, speakers: Collection[str]) -> str:
    """Who says a cue; empty if it has no known name."""
    name, colon, _ = cue.text.partition(": ")
    return name if colon and name in speakers else ""


def _without_echo(cues: Sequence[Moment]) -> list[Moment]:
    """The cues of one layer, whose tracks in other languages overlap the first one."""
    kept: list[Moment] = []
    for cue in cues:
        if not kept or kept[-1].span.shared(cue.span) <= _TAKEN * cue.span.length or not cue.span.length:
            kept.append(cue)
    return kept


def _belongs(group: Sequence[Moment], cue: Moment) -> bool:
    last = group[-1]
    count = sum(len(each.text.split()) for each in group)
    if cue.span.start - last.span.end > _PAUSE or cue.span.end - group[0].span.start > _LONGEST or count >= _MANY:
        return False
    return not (count >= _FEW and ends_sentence(last.text)) and cue.trusted == last.trusted


def _slide(same: Sequence[Moment]) -> Moment:
    """One moment of a slide that was found by several of its texts, one of which may stay over several slides."""
    start, end = (median_low(each) for each in zip(*((one.span.start, one.span.end) for one in same), strict=True))
    return _one(same[:1], same[0].text, TimeSpan(start=start, end=end))


def _merged_alike(items: Sequence[Moment]) -> list[Moment]:
    """Pictures in order; the same description of one still is one moment."""
    merged: list[Moment] = []
    for item in items:
        last = merged[-1] if merged else None
        if last and last.text == item.text and item.span.start - last.span.end <= _ALIKE:
            merged[-1] = _one([last, item], item.text)
        else:
            merged.append(item)
    return merged


def _one(items: Sequence[Moment], text: str, span: TimeSpan | None = None) -> Moment:
    """Several moments as one."""
    span = span or TimeSpan(start=items[0].span.start, end=max(item.span.end for item in items))
    trusted = all(item.trusted for item in items)
    box = items[0].box if len(items) == 1 else None
    return items[0].model_copy(update={"text": text, "span": span, "trusted": trusted, "box": box})


_PLACES = ("timestamp", "frames")  # fields of an output that say again where something is
_SHORT = 80  # characters of a text of the output from which it counts as said by the moments if they have its words
_SAID = 0.9  # share of those words


def shown_result(
    result: ToolResult,
    found: Mapping[str, Moment],
    known: Mapping[str, Moment],
    names: Mapping[str, str],
    room: int,
) -> tuple[str, set[str]]:
    """The text of a result, at most about `room` characters, and the ids that stand in it; what doesn't fit is said.

    Args:
        result: of the call.
        found: its moments by id, the best first, or in order of time.
        known: the moments that the model has seen already, by id.
        names: file names of the open videos, by library id.
        room: characters.
    """
    if result.failure:
        return " ".join(filter(None, ("FAILED:", result.failure.message, result.failure.remedy))), set()
    pictures = [name for name, item in found.items() if is_frame(item)]
    moments = [(name, item) for name, item in found.items() if name not in pictures]
    lines = {name: f"{name} (above)" if name in known else line_of(name, item, names) for name, item in moments}
    said = " ".join(item.text for item in found.values())
    facts = facts_beside(result.output, said)
    ending = [json.dumps(facts, ensure_ascii=False)] if facts else []
    ending += [f"({note})" for note in result.notes]
    ending += [f"(Pictures follow: {', '.join(pictures)}.)"] if pictures else []
    left = room - sum(map(len, ending))
    kept: list[tuple[str, Moment]] = []
    for name, item in moments:
        left -= len(lines[name]) + 1
        if kept and left < 0:
            left_out = min((each for _, each in moments[len(kept) :]), key=lambda each: each.span.start)
            first = clock(left_out.span.start)
            ending.append(f"({len(kept)} of {len(moments)} moments shown; the first left out is at {first}.)")
            break
        kept.append((name, item))
    kept.sort(key=lambda pair: (pair[1].video, pair[1].span.start, -pair[1].span.end))
    if ending and len(ending[0]) > room:
        ending[0] = f"{ending[0][:room]}… (too long to show completely)"
    printed = {*pictures, *(name for name, _ in kept)}
    return "\n".join([*(lines[name] for name, _ in kept), *ending]) or "Nothing was found.", printed


def facts_beside(output: Mapping[str, Any], said: str) -> dict[str, Any]:
    """The fields of an output that its moments don't have.

    Args:
        output: of a tool.
        said: what its moments say; without any, everything counts but where it is.
    """
    if not said:
        return {
            name: value for name, value in output.items() if name not in _PLACES and value not in (None, "", [], {})
        }
    return {
        name: value
        for name, value in output.items()
        if isinstance(value, bool | int | float) or (isinstance(value, str) and not _is_said(value, said))
    }


def _is_said(text: str, said: str) -> bool:
    text = CLOCKED.sub("", text)  # which each moment has, too
    words = set(words_of(text).split())
    known = words.intersection(words_of(said).split())
    return text in said or (len(text) > _SHORT and len(known) >= _SAID * len(words))
