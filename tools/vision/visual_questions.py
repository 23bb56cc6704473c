"""Asks a vision-language model about frames of a video, and reads its replies as data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np

from longtake.errors import EngineError, LibraryError
from longtake.language.text import parse_json
from longtake.memory.layers import Layer
from longtake.memory.records import Moment
from longtake.memory.search.search_types import Vectors
from longtake.memory.timespan import TimeSpan, clock, joined
from longtake.preprocess.engines.endpoints.caption_engine import PictureRefused, TimedJpeg, VisualQuestionEngine
from longtake.preprocess.engines.endpoints.chosen_frames import choose_times, read_chosen
from longtake.preprocess.engines.objects.objects_query import kinds_named
from longtake.preprocess.engines.pictures.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.engines.text.text_engines import Box
from longtake.preprocess.layers.frame_vectors import FILE
from longtake.preprocess.layers.speaker_lines import words_said
from longtake.preprocess.media.frames import encode_jpeg
from longtake.prompts import render
from longtake.settings import MAX_PICTURES
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.timed_lines import MOST, PictureReply, TimedStatement, read_reply


def similar_pictures(context: ToolContext, question: str) -> list[float]:
    """The times of a video's pictures that match the words of a question, the most similar first.

    None without image-text vectors or the engine that made them, or if they can't be used: it is no error.
    """
    with suppress(EngineError, LibraryError):
        layer = context.video.layer("frame_vectors")
        engines: list[ImageTextEmbedding] = context.engines.load_each("image_text_embedding")
        for engine in engines:
            if question and layer and engine.id == layer.engine:
                return _ranked(layer, engine, question)
    return []


def sightings(context: ToolContext, question: str, span: TimeSpan) -> list[float]:
    """The times in a span at which detected things that a question names are seen best.

    First each thing once, the clearest and largest ahead, then each again.
    """
    with suppress(LibraryError):
        items = context.video.items("detections", span)
        kinds = kinds_named(question, {item["name"] for item in items})
        seen = [each for item in items if item["name"] in kinds for each in _sightings(item, span)]
        return [time for _, _, time in sorted(seen)]
    return []


def _ranked(layer: Layer, engine: ImageTextEmbedding, question: str) -> list[float]:
    layer.check()
    vectors: Vectors = np.load(layer.path / FILE, allow_pickle=False)
    scores = vectors @ engine.embed_texts([question])[0]
    times = np.array([item["time"] for item in layer.items()])
    best_first = np.argsort(-scores, kind="stable")
    found: list[float] = times[best_first[scores[best_first] > engine.floor]].tolist()
    return found


def _sightings(item: Mapping[str, Any], span: TimeSpan) -> Iterator[tuple[int, float, float]]:
    """For each time a thing was seen in a span: how often larger, how well with the sign turned, and when."""
    inside = [box for box in item["boxes"] if span.start <= box[0] < span.end]
    inside.sort(key=lambda box: -box[3] * box[4])
    for place, (time, _, _, width, height) in enumerate(inside):
        yield place, -item["confidence"] * width * height, time


_PROMPTS = "longtake.tools.prompts"
_MEGABYTE = 1_000_000
_WORDS = 2_000  # characters of what is said that a model is told
_FEW = 4  # pictures that even a model with little room takes
_TOO_MUCH = re.compile(r"context|token|too (?:many|large|long)|maximum|at most|exceed|limit", re.IGNORECASE)
_MAX_THINGS = 200
_SQUARE = 1000  # pixels; in such a picture, pixels and thousandths are the same
_QUALITY = 85
_LARGEST = 1.05  # of a box's sides: models round pictures up to whole patches
_EMPTY = ("black", "white", "blank")  # kinds of the layer `still`


class ShownFrames(NamedTuple):
    """What a model was shown: the frames, the spans they are from, in order, and a part of each if only that."""

    pictures: list[TimedJpeg]
    spans: tuple[TimeSpan, ...]
    crop: Box | None = None
    point: float | None = None  # the moment that is meant

    @property
    def where(self) -> str:
        """The number of frames and the spans in words."""
        return f"{len(self.pictures)} frames of {', '.join(map(str, self.spans))}"


@dataclass(frozen=True, slots=True)
class LocatedThing:
    """An object that a model locates in a picture; `box` is left, top, width and height as shares of the picture."""

    label: str
    box: Box


def read_pictures(
    context: ToolContext,
    spans: Sequence[TimeSpan],
    count: int | None = None,
    *,
    asked: str = "",
    crop: Box | None = None,
    point: float | None = None,
) -> ShownFrames:
    """The frames of spans for a model: up to half of them for its question, the rest by `choose_times`, none blank.

    Args:
        context: the context of the open video.
        spans: where to look; a longer one gets more pictures, but fewer a second.
        count: how many pictures; by default as many as are needed, within the limit of the settings.
        asked: what the model is asked about them, in words.
        crop: the part of each frame to show, as shares of the picture.
        point: the moment that is meant.

    Raises:
        MediaError: if the file is missing or has no picture.
    """
    settings = context.settings.visual_question
    most = min(MAX_PICTURES, max(1, count or settings.pictures))
    apart = joined(spans)[:most]
    similar, sections = similar_pictures(context, asked), _sections(context)
    times: list[float] = []
    for span, share in zip(apart, _shares([span.length for span in apart], most), strict=True):
        still = context.video.items("still", span)
        blank = [TimeSpan(start=item["start"], end=item["end"]) for item in still if item["kind"] in _EMPTY]
        changes = context.video.items("changes", span)
        items = context.video.items("shots", span)
        shots = [TimeSpan(start=item["start"], end=item["end"]) for item in items if not _is_blank(item, blank)]
        times += choose_times(
            span,
            changes,
            share,
            asked=[similar, sightings(context, asked, span)],
            blank=blank,
            shots=shots,
            sections=[section for section in sections if section.overlaps(span)],
            exact=count is not None,
        )
    if point is not None and times:
        nearest = min(range(len(times)), key=lambda place: abs(times[place] - point))
        times[nearest] = point
    path, media = context.video.media()
    room = round(settings.megabytes * _MEGABYTE)
    return ShownFrames(read_chosen(path, media, times, room, context.budget.check, crop), apart, crop, point)


def _sections(context: ToolContext) -> list[TimeSpan]:
    with suppress(LibraryError):  # a damaged layer costs the even share of its sections alone
        return [TimeSpan(start=item["start"], end=item["end"]) for item in context.video.items("sections")]
    return []


def _is_blank(shot: Mapping[str, Any], blank: Sequence[TimeSpan]) -> bool:
    """Whether the middle of a shot shows nothing."""
    middle = (shot["start"] + shot["end"]) / 2
    return any(span.start <= middle < span.end for span in blank)


def _shares(lengths: Sequence[float], most: int) -> list[int]:
    """How many pictures go to each span: at least one, and twice as many to one that is four times as long."""
    weights = [max(0.1, length) ** 0.5 for length in lengths]
    shares = [1] * len(lengths)
    for _ in range(most - len(lengths)):
        neediest = max(range(len(lengths)), key=lambda place: weights[place] / shares[place])
        shares[neediest] += 1
    return shares


def ask_about(context: ToolContext, question: str, shown: ShownFrames) -> tuple[PictureReply, ShownFrames]:
    """A model's answer to a question about pictures, and those that it was shown in the end.

    Raises:
        EngineError: if no model is available, or it fails.
    """
    return _ask_and_read(context, "watch", shown, question=question)


def ask_for_activities(context: ToolContext, shown: ShownFrames) -> tuple[PictureReply, ShownFrames]:
    """The actions that a model names in pictures; as `ask_about`."""
    return _ask_and_read(context, "activities", shown)


def ask_to_count(context: ToolContext, things: str, shown: ShownFrames) -> tuple[str, ShownFrames]:
    """A model's reply about how many of some things pictures show, unread; as `ask_about`."""
    return _reply(context, "count", shown, things=things)


def locate_things(context: ToolContext, kinds: Sequence[str], picture: TimedJpeg) -> list[LocatedThing]:
    """Where a model locates objects of some kinds in a picture. Other objects in its reply are dropped.

    Models write boxes in shares, in thousandths or in pixels. The picture is sent in a square of 1000 pixels, in which
    the latter two are the same.

    Raises:
        EngineError: if no model is available, or it fails.
    """
    square, shares = _squared(picture.jpeg)
    shown = ShownFrames([TimedJpeg(picture.time, square)], ())
    text, _ = _reply(context, "boxes", shown, kinds=list(kinds))
    by_name = {kind.casefold(): kind for kind in kinds}
    found = list[LocatedThing]()
    for item in _listed(text):
        label = by_name.get(str(item.get("label", "")).casefold(), kinds[0] if len(kinds) == 1 else None)
        box = _box(item, shares)
        if label is not None and box is not None:
            found.append(LocatedThing(label, box))
    return found[:_MAX_THINGS]


def seen_by(context: ToolContext, engine: VisualQuestionEngine, said: Sequence[TimedStatement]) -> tuple[Moment, ...]:
    """What a model said, each statement as evidence at its own time."""
    return tuple(
        Moment(video=context.video.id, span=span, modality="visual", text=text, engine=engine.id)
        for span, text, _ in said
    )


def _ask_and_read(
    context: ToolContext, prompt: str, shown: ShownFrames, **given: Any
) -> tuple[PictureReply, ShownFrames]:
    said, seen = _reply(context, prompt, shown, **given)
    return read_reply(said, shown.spans), seen


def _reply(context: ToolContext, prompt: str, shown: ShownFrames, **given: Any) -> tuple[str, ShownFrames]:
    """A model's reply; if it has no room for the pictures, to every other one of them."""
    engine: VisualQuestionEngine = context.engines.load("visual_question")
    known = {
        "most": MOST,
        "part": shown.crop is not None,
        "moment": None if shown.point is None else clock(shown.point, decimals=2),
        "asked": context.question,
        "words": _words(context, shown.spans),
    }
    text = render(_PROMPTS, prompt, **known, **given)
    while True:
        context.budget.check()
        try:
            return engine.answer(text, shown.pictures, context.budget.left), shown
        except PictureRefused as error:
            if len(shown.pictures) <= _FEW or not _TOO_MUCH.search(str(error)):
                raise
            shown = shown._replace(pictures=shown.pictures[::2])


def _words(context: ToolContext, spans: Sequence[TimeSpan]) -> list[str]:
    """What is said in spans, line by line with times; of much, lines that are evenly spread."""
    lines = [
        f"{clock(item['start'], decimals=1)}-{clock(item['end'], decimals=1)} {' '.join(item['text'].split())}"
        for span in spans
        for item in words_said(context.video.items)
        if span.overlaps(TimeSpan(start=item["start"], end=item["end"]))
    ]
    keep = -(-sum(map(len, lines)) // _WORDS)
    return lines[:: max(1, keep)]


def _squared(jpeg: bytes) -> tuple[bytes, tuple[float, float]]:
    """A picture in the left top of a square, and the shares of the square's width and height that it takes."""
    picture = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    height, width = picture.shape[:2]
    scale = _SQUARE / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    square = np.full((_SQUARE, _SQUARE, 3), 128, np.uint8)
    square[: size[1], : size[0]] = cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR)
    return encode_jpeg(square, _QUALITY), (size[0] / _SQUARE, size[1] / _SQUARE)


def _listed(text: str) -> Iterator[dict[str, Any]]:
    """The objects of the JSON list in a reply, which may be surrounded by text; none without a list."""
    start, end = text.find("["), text.rfind("]")
    with suppress(ValueError, RecursionError):
        listed = parse_json(text[start : end + 1])
        yield from (item for item in listed if isinstance(item, dict))


def _box(item: Mapping[str, Any], shares: tuple[float, float]) -> Box | None:
    """A box in a square, as left, top, width and height in shares of the picture that takes these shares of it."""
    upright = item.get("box_2d")  # Gemini's name, with the vertical first
    corners = upright or item.get("box") or item.get("bbox_2d") or item.get("bbox")
    match corners:
        case [int() | float(), int() | float(), int() | float(), int() | float()]:
            unit = 1 if max(corners) <= 1 else _SQUARE
            sides = [float(corner) / unit for corner in corners]
            left, top, right, bottom = [sides[1], sides[0], sides[3], sides[2]] if upright else sides
            left, right = left / shares[0], min(1.0, right / shares[0])
            top, bottom = top / shares[1], min(1.0, bottom / shares[1])
            if 0 <= left < right and 0 <= top < bottom and max(corners) <= _LARGEST * unit:
                return (round(left, 4), round(top, 4), round(right - left, 4), round(bottom - top, 4))
    return None
