"""The layer `sections`: the parts of a video by topic, scene and slide. They are its chapters everywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice, pairwise
from typing import Any, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.errors import LibraryError
from longtake.language.terms import content_words
from longtake.language.text import as_sentence, comparable, shortened, within, without_bullet
from longtake.memory.building import LayerWriter
from longtake.memory.layers import Layer, LayerRecipe
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.records import Moment
from longtake.memory.search.search_types import Vectors
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.slide_titles import SlideTitle, slide_titles
from longtake.preprocess.analysis.spoken_sentences import spoken_sentences
from longtake.preprocess.layers.layer_moments import SOURCES, WORDED, moments_of
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.layers.text_vectors import load_vectors

_ENOUGH = 5  # words of a line that says something by itself
NAME = "sections"
MAX_TITLE_LENGTH = 100  # characters; YouTube shows no more of a chapter's title
NONE = (
    "{name} has no chapters: it is shorter than a minute, has one topic, or was indexed before chapters were kept; "
    "`longtake index` adds them then."
)
_SHORTEST_VIDEO = 60.0  # seconds; a shorter one is watched, not browsed
_SHORTEST = 10.0  # seconds of a section
_LONGEST = 300.0  # the same, if there are words; more of a very long video
MOST = 25  # sections, so that those of a long video can still be taken in
_CONTEXT = 5.0  # seconds before and after a line that tell what it is about
_ALIKE = 0.02  # mean squared distance from their mean, below which pictures, or lines, differ by chance
_PRICE = 0.03  # of a section, as a share of the whole spread
_RANDOM = 0.7  # of few lines, even alike ones fall into groups: times the logarithm of their number over it
_AT_CUT = 0.5  # share of that price at a change of shot
_AT_TITLE = 0.0  # and where the title of a slide or card begins
_APART = 1.0  # seconds between two places where a section may begin
_FINEST = 2000  # of these places, and of moments whose pictures are compared: memory grows with the square
_SLIDE = 0.5  # share of a section for which a title stands that is a slide's; others may be a sign in the picture
_EARLY = 0.25  # share of a section in which its slide's title begins
_TYPICAL = 3  # lines of a section: its title, if it has no slide, and two that tell about it
_LETTERS = 3  # that a title has at least
_BINS = [8, 4, 4]  # of hue, saturation and brightness
_INPUTS = ("subtitles", "speech", "scene_text", "captions", "shots", "keyframes")

Floats = npt.NDArray[np.floating[Any]]


class Section(NamedTuple):
    """A section, in seconds from the start of the video."""

    start: float
    end: float
    title: str
    card: bool = False  # whether the title is read in the picture
    slide: bool = False  # and stands there for most of the section
    text: str = ""  # two lines about it: the model's, or its most typical ones


class Sections:
    """Divides a video where topic, scene or slide change; items are {start, end, title, card, slide, text}.

    Dynamic programming finds the change points of what is said and shown: the least spread within sections plus a price
    for each (kernel change-point detection: Arlot, Celisse and Harchaoui, 2019). What is compared are vectors of lines,
    and histograms of colours. A title is one in the picture, or else the section's most typical line.
    """

    name = NAME
    capability = None
    version = 7

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer if the video is long enough and has lines or pictures."""
        inputs = {name: job.layers[name].key for name in _INPUTS if name in job.layers}
        embedded = job.layers.get("text_vectors")
        if job.media.duration < _SHORTEST_VIDEO or not (embedded or "keyframes" in inputs):
            return ()
        # Not the vectors' key: that of entities is in it, whose names the user may change.
        settings = {"vectors": embedded.engine if embedded else None}
        return (LayerRecipe(self.name, self.version, "longtake/sections", settings, inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Write the sections, from the start of the video to its end; none for a video of one."""
        duration, layers = job.media.duration, job.layers
        lines = worded_lines("", layers)
        texts = layers.get("scene_text")
        titles = slide_titles(texts.items(), duration) if texts else []
        cuts = [float(item["start"]) for item in layers["shots"].items()] if "shots" in layers else []
        edges, shares = _edges(lines, cuts, titles, duration)
        spreads = [_spread(vectors, times, edges) for times, vectors in _compared(job, lines)]
        starts = _starts(spreads, edges, shares, len(lines), len(cuts), duration)
        writer = writers[self.name]
        for number, (start, end) in enumerate(pairwise([*starts, duration]), 1):
            if len(starts) > 1:
                inside = [line for line in lines if start <= line.start < end]
                card = _card(TimeSpan(start=start, end=end), titles)
                typical = _typical(inside, lines)
                title = title_of(card.text) if card else next(map(title_of, typical), f"Scene {number}")
                others = (
                    line
                    for line in sorted(typical, key=typical.__getitem__)
                    if not within(comparable(line), comparable(title))
                )
                text = " … ".join(map(as_sentence, others))  # "it" of one isn't that of the other
                span = {"start": round(start, 3), "end": round(end, 3)}
                slide = card is not None and min(end, card.end) - card.start >= _SLIDE * (end - start)
                writer.add(span | {"title": title, "card": card is not None, "slide": slide, "text": text})
        for name in _INPUTS:
            if name in layers:
                writer.cover(layers[name].covered)
                break


def sections_of(library: LibraryStore, video: VideoRecord) -> list[Section]:
    """The sections of a video from its start to its end; none if it is short, of one topic, or not yet divided.

    Raises:
        LibraryError: if the layer is damaged.
    """
    layer = library.layer(video, NAME)
    sections = [Section(**item) for item in layer.items()] if layer else []
    told = {item["start"]: item for item in _outline(library, video) if not item.get("whole")}
    return [as_told(section, told.get(section.start, {})) for section in sections]


def overview_of(library: LibraryStore, video: VideoRecord) -> str:
    """What the language model says the video is about, in three sentences; empty if it wasn't asked."""
    return next((str(item["text"]) for item in _outline(library, video) if item.get("whole")), "")


def _outline(library: LibraryStore, video: VideoRecord) -> list[dict[str, Any]]:
    """The items of the layer `outline` for the sections in use; none if it is damaged: it costs only itself."""
    with suppress(LibraryError):
        outline = library.layer(video, "outline")
        if outline and outline.inputs.get(NAME) == video.layers.get(NAME):
            return list(outline.items())
    return []


def as_told(section: Section, told: Mapping[str, Any]) -> Section:
    """A section with what the model tells of it; a slide keeps its own title."""
    title = section.title if section.slide else told.get("title") or section.title
    return section._replace(title=title, text=told.get("text") or section.text)


def title_of(text: str) -> str:
    """A text as a title: on one line, cut if it is long."""
    return shortened(" ".join(without_bullet(text).split()), MAX_TITLE_LENGTH)


def _edges(
    lines: Sequence[WordedLine], cuts: Sequence[float], titles: Sequence[SlideTitle], duration: float
) -> tuple[list[float], Floats]:
    """The seconds at which a section may begin, and the share of the price there.

    That is where a title, a shot or a line begins, unless it cuts a spoken line in two.
    """
    spoken = [line for line in lines if line.moment.modality == "speech"]
    begun = np.array([line.start for line in spoken])
    ended = np.sort([line.moment.span.end for line in spoken])
    shares = dict.fromkeys((line.start for line in lines), 1.0) | dict.fromkeys(cuts, _AT_CUT)
    shares |= dict.fromkeys((title.start for title in titles), _AT_TITLE)
    apart = max(_APART, duration / _FINEST)
    edges, kept = [0.0], [0.0]
    for at in sorted(shares):
        spoken_over = np.searchsorted(begun, at) > np.searchsorted(ended, at, side="right")
        if at >= duration or (shares[at] > _AT_TITLE and spoken_over):
            continue
        if at - edges[-1] >= apart:
            edges.append(at)
            kept.append(shares[at])
        elif len(edges) > 1 and shares[at] < kept[-1]:  # a title that is read just after the cut to its slide
            kept[-1] = shares[at]
    return edges, np.array(kept)


def _compared(job: IndexJob, lines: Sequence[WordedLine]) -> list[tuple[Floats, Floats]]:
    """What is compared, if it differs: as times, (moments,), and vectors, (moments, dimensions), of length 1."""
    step = max(1.0, job.media.duration / _FINEST)
    found = []
    if lines:
        held: Floats = np.zeros((int(job.media.duration / step) + 1, len(lines[0].vector)))
        for line in lines:
            first = int(line.start / step)
            held[first : max(first + 1, round(line.moment.span.end / step))] += line.vector
        held = _with_context(held, round(_CONTEXT / step))
        lengths = np.linalg.norm(held, axis=1)
        there = lengths > 0
        found.append((np.flatnonzero(there) * step, held[there] / lengths[there, None]))
    if keyframes := job.layers.get("keyframes"):
        items = [item for item in keyframes.items() if item["kind"] == "second"]
        items = items[:: max(1, len(items) // _FINEST)]
        colours = [_colours(keyframes, item["file"]) for item in items]
        if colours:
            found.append((np.array([float(item["time"]) for item in items]), np.stack(colours)))
    return [(times, vectors) for times, vectors in found if 1 - np.sum(vectors.mean(axis=0) ** 2) >= _ALIKE]


def _with_context(held: Floats, around: int) -> Floats:
    """Of each moment, the sum of the moments up to so many before and after it."""
    sums = np.pad(held, ((around + 1, around), (0, 0))).cumsum(axis=0)
    context: Floats = sums[2 * around + 1 :] - sums[: -2 * around - 1]
    return context


def _colours(keyframes: Layer, file: str) -> Floats:
    """The square root of a picture's histogram: a vector of length 1 (Bhattacharyya, 1943)."""
    picture = cv2.imread(str(keyframes.path / file), cv2.IMREAD_REDUCED_COLOR_4)
    if picture is None:
        return np.zeros(int(np.prod(_BINS)))
    ranges = [0, 180, 0, 256, 0, 256]
    counts = cv2.calcHist([cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)], [0, 1, 2], None, _BINS, ranges).ravel()
    colours: Floats = np.sqrt(counts / counts.sum())
    return colours


def _spread(vectors: Floats, times: Floats, edges: Sequence[float]) -> Floats:
    """How far the vectors between two edges are from their mean, as a share of the whole: (edges + 1, edges + 1).

    Of vectors of length 1, that is their number minus the squared length of their sum over their number.
    """
    places = np.searchsorted(edges, times, side="right")
    sums = np.zeros((len(edges) + 1, vectors.shape[1]))
    np.add.at(sums, places, vectors)
    sums = sums.cumsum(axis=0)
    counts = np.bincount(places, minlength=len(edges) + 1).cumsum()
    squares = (sums**2).sum(axis=1)
    lengths = squares[:, None] + squares[None, :] - 2 * sums @ sums.T
    numbers = np.abs(counts[:, None] - counts[None, :])
    spread = np.round(numbers - lengths / np.maximum(1, numbers), 6)  # equal vectors have exactly none
    share: Floats = spread / spread[0, -1]
    return share


def _starts(
    spreads: Sequence[Floats], edges: Sequence[float], shares: Floats, lines: int, cuts: int, duration: float
) -> list[float]:
    """Where sections begin, the first at 0. With words, none is long, even if they are all of one thing."""
    if not spreads:
        return [0.0]
    spread, bounds = np.mean(spreads, axis=0), np.array([*edges, duration])
    count = max(2, lines + cuts)
    price = max(_PRICE, _RANDOM * np.log(count) / count)
    return _change_points(spread, bounds, price * shares, _LONGEST if lines else np.inf)


def _change_points(spread: Floats, bounds: Floats, prices: Floats, longest: float) -> list[float]:
    """The bounds, from the first to the one before the last, of the least spread within sections plus their prices."""
    shortest = max(_SHORTEST, bounds[-1] / MOST)
    longest = max(longest, 2 * shortest)
    best = np.full(len(bounds), np.inf)
    best[0] = 0.0
    before = np.zeros(len(bounds), int)
    for end in range(1, len(bounds)):
        totals = best[:end] + spread[:end, end] + prices[:end]
        lengths = bounds[end] - bounds[:end]
        totals[lengths > longest] += 1.0  # more than all spread together, so only if there is no edge to end it at
        totals[lengths < shortest] = np.inf
        before[end] = totals.argmin()
        best[end] = totals[before[end]]
    starts, place = list[float](), len(bounds) - 1
    while place:
        place = before[place]
        starts.append(float(bounds[place]))
    return starts[::-1]


def _card(part: TimeSpan, titles: Sequence[SlideTitle]) -> SlideTitle | None:
    """The title that stands longest from the beginning of a section: that of a slide, of a card, or a sign."""
    early = [title for title in titles if part.start - _APART <= title.start < part.start + _EARLY * part.length]
    return max(early, key=lambda title: title.end - title.start, default=None)


def _typical(inside: Sequence[WordedLine], overall: Sequence[WordedLine]) -> dict[str, float]:
    """The most typical lines and sentences of a section and when they start, best first; none without words."""
    worded = [line for line in by_sentence(inside) if len(re.findall(r"[^\W\d_]", line.text)) >= _LETTERS]
    short = [line for line in worded if len(line.text) <= MAX_TITLE_LENGTH] or worded
    typical = most_typical(short, typical_of(short, overall)) if short else []
    starts: dict[str, float] = {}
    for line in typical:
        starts.setdefault(" ".join(without_bullet(line.text).split()), line.start)
    return dict(islice(starts.items(), _TYPICAL))


class WordedLine(NamedTuple):
    """A line that is said, shown or described, and its vector of length 1."""

    moment: Moment
    vector: Vectors

    @property
    def start(self) -> float:
        """When the line starts, in seconds."""
        return self.moment.span.start

    @property
    def text(self) -> str:
        """What is said, shown or described."""
        return self.moment.text


def worded_lines(video_id: str, layers: Mapping[str, Layer]) -> list[WordedLine]:
    """Trusted lines of speech, on-screen text and captions in order of time; empty if the video has no text vectors.

    Args:
        video_id: of the video.
        layers: those in use, by name.

    Raises:
        LibraryError: if a layer is damaged.
    """
    sources = {name: layers[name] for name in SOURCES if name in layers}
    vectors: Vectors | tuple[()] = ()
    if embedded := layers.get("text_vectors"):
        with suppress(FileNotFoundError):  # another one has taken its place meanwhile
            vectors = load_vectors(embedded)
    moments = moments_of(video_id, sources)
    if len(moments) != len(vectors):  # embedded by a version that made different moments
        return []
    worded = {layers[name].key for name in WORDED if name in layers}
    lines = [WordedLine(*each) for each in zip(moments, vectors, strict=True)]
    kept = [line for line in lines if line.moment.layer in worded and line.moment.trusted and line.vector.any()]
    return sorted(kept, key=lambda line: line.start)


def by_sentence(lines: Sequence[WordedLine]) -> list[WordedLine]:
    """The lines, with whole sentences for the cues of speech; one has the vectors of its cues, by their shares."""
    cues: list[WordedLine] = []
    sentences: list[WordedLine] = []
    for line in lines:
        (cues if line.moment.modality == "speech" else sentences).append(line)
    for sentence in spoken_sentences([line.moment for line in cues]):
        shares = [sentence.span.shared(line.moment.span) for line in cues]
        vector: Vectors = np.sum([share * line.vector for share, line in zip(shares, cues, strict=True)], axis=0)
        length = float(np.linalg.norm(vector))
        if length:
            sentences.append(WordedLine(sentence, vector / length))
    return sorted(sentences, key=lambda line: line.start)


def typical_of(lines: Sequence[WordedLine], overall: Sequence[WordedLine]) -> Vectors:
    """Towards what lines have in common, and away from what the lines of the whole video have in common."""
    return _direction(lines) - _direction(overall)


def most_typical(lines: Sequence[WordedLine], typical: Vectors) -> list[WordedLine]:
    """The lines, best first; a single word or a date says little by itself."""

    def score(line: WordedLine) -> float:
        words = sum(word.isalpha() for word in content_words(line.text))
        return float(line.vector @ typical) * min(1.0, words / _ENOUGH)

    return sorted(lines, key=score, reverse=True)


def _direction(lines: Sequence[WordedLine]) -> Vectors:
    total = np.sum([line.vector for line in lines], axis=0)
    direction: Vectors = total / max(1e-9, float(np.linalg.norm(total)))
    return direction
