"""An item for the reader of a report: the question, the evidence, each subject's reply, its steps and its verdicts.

Pictures of the places that prove an answer, and the events of traces, are small enough to lie in the page.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from longtake.agent.traces.trace import RecordedTrace
from longtake.console import raise_if_interrupted
from longtake.errors import LibraryError, MediaError
from longtake.evalharness.items import Item, Prediction, Reply, Turn, Variant
from longtake.evalharness.reports.run_scores import RunScores, SubjectScores, Value
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choices import LABELS
from longtake.language.text import shortened
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.engines.endpoints.chosen_frames import read_chosen
from longtake.preprocess.media.media import MediaInfo, probe
from longtake.prompts import data_url

MOST = 3  # of an item
ITEM_BYTES = 48_000
PAGE_BYTES = 8_000_000
MAX_EVENTS = 40  # of a trace
MAX_CHARACTERS = 400  # of a part of an event
PAGE_CHARACTERS = 4_000_000
_TRACE_CHARACTERS = 3 * MAX_EVENTS * MAX_CHARACTERS  # that a trace takes at most


class OpenedStill(NamedTuple):
    """A picture as a data URL, and the time it was shown at."""

    url: str
    time: str


class Stills:
    """The pictures of one page, up to its limit."""

    def __init__(self, notify: Notify, most_bytes: int = PAGE_BYTES) -> None:
        """Begin a page with at most so many bytes of pictures; videos that can't be read are reported."""
        self._notify, self._left = notify, most_bytes
        self._media: dict[str, MediaInfo | None] = {}

    @property
    def full(self) -> bool:
        """Whether there is no room for the pictures of another item."""
        return self._left < ITEM_BYTES

    def of(self, item: Item, cited: Iterable[TimeSpan]) -> list[OpenedStill]:
        """The middles of the item's evidence and then of what was cited; none if the video is missing."""
        gold = [span for turn in item.turns for span in turn.evidence]
        times = list(dict.fromkeys(round((span.start + span.end) / 2, 1) for span in [*gold, *cited]))[:MOST]
        if item.media is None or not times or self.full:
            return []
        media = self._probed(item.media)
        if media is None or media.video is None:
            return []
        shown = read_chosen(Path(item.media), media, times, ITEM_BYTES, raise_if_interrupted)
        self._left -= sum(len(still.jpeg) for still in shown)
        return [OpenedStill(data_url("image/jpeg", one.jpeg), clock(one.time)) for one in shown]

    def _probed(self, path: str) -> MediaInfo | None:
        if path not in self._media:
            self._media[path] = None
            if Path(path).is_file():
                try:
                    self._media[path] = probe(Path(path))
                except MediaError as error:
                    self._notify(str(error))
        return self._media[path]


class OpenedEvent(NamedTuple):
    """An event: its type, its seconds, and its parts by name, those that are long cut off."""

    kind: str
    seconds: float
    parts: list[tuple[str, str]]


class Excerpt(NamedTuple):
    """The first events of a trace, and how many there are in all."""

    events: list[OpenedEvent]
    in_all: int


class Traces:
    """The traces of one page, up to its limit."""

    def __init__(self, root: Path, notify: Notify, most_characters: int = PAGE_CHARACTERS) -> None:
        """Begin a page with at most so many characters of a library's traces; damaged ones are reported."""
        self._root, self._notify, self._left = root, notify, most_characters

    @property
    def full(self) -> bool:
        """Whether there is no room for another trace."""
        return self._left < _TRACE_CHARACTERS

    def of(self, run: str) -> Excerpt | None:
        """The trace of a run; None if the library has none, it is damaged, or the page is full."""
        if self.full or not (self._root / f"{run}.jsonl").is_file():
            return None
        try:
            recorded = RecordedTrace(self._root, run)
            events = list(recorded.events())
            shown = [
                OpenedEvent(one["type"], one["seconds"], list(_parts(recorded, one))) for one in events[:MAX_EVENTS]
            ]
        except LibraryError as error:
            self._notify(str(error))
            return None
        self._left -= sum(len(text) for event in shown for _, text in event.parts)
        return Excerpt(shown, len(events))


def _parts(recorded: RecordedTrace, event: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The facts of an event and what it was given and gave, those that there are."""
    if event["data"]:
        yield "facts", _cut(event["data"])
    for name in ("input", "output"):
        if digest := event[name]:
            yield name, _cut(recorded.blob(digest))


def as_json(value: object) -> str:
    """As JSON, with letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def _cut(value: Any) -> str:
    text = value if isinstance(value, str) else as_json(value)
    return shortened(text, MAX_CHARACTERS)


class JudgedCriterion(NamedTuple):
    """A criterion and the verdict on it."""

    criterion: str
    weight: str
    verdict: str
    reason: str


class OpenedReply(NamedTuple):
    """A reply to one turn, and all that is known of it."""

    number: int
    reply: Reply
    outcome: str
    verdicts: list[JudgedCriterion]
    calls: list[str]
    trace: Excerpt | None  # of those that this library has


class OpenedPrediction(NamedTuple):
    """A prediction: its heading and its replies."""

    series: int
    heading: str
    replies: list[OpenedReply]


class Opened(NamedTuple):
    """An item with everything that came of it."""

    item: Item
    values: list[Value]  # of the subjects in order: their scores
    turns: list[tuple[Turn, list[tuple[str, str, bool]]]]  # with the options: label, text, whether it is right
    stills: list[OpenedStill]
    predictions: list[OpenedPrediction]


def opened(run: RunScores, stills: Stills, traces: Traces) -> Iterator[Opened]:
    """The items of a run, one after the other."""
    for item in run.items:
        predictions = [
            (series, subject, prediction, run.variant_of(prediction))
            for series, subject in enumerate(run.subjects)
            for prediction in subject.predictions.get(item.id, ())
        ]
        cited = [span for _, _, made, _ in predictions for reply in made.replies for span in reply.cited]
        yield Opened(
            item,
            [subject.values[item.id] for subject in run.subjects],
            [
                (turn, [(LABELS[place], option, place == turn.gold) for place, option in enumerate(turn.options)])
                for turn in item.turns
            ],
            stills.of(item, cited),
            [_opened(*asked, item, traces) for asked in predictions],
        )


def score_in_words(value: Value) -> str:
    """The score of an item for a reader."""
    return "no score" if value is None else f"{100 * value:.0f} %"


def _opened(
    series: int, subject: SubjectScores, prediction: Prediction, variant: Variant, item: Item, traces: Traces
) -> OpenedPrediction:
    value = score_in_words(subject.prediction_values[prediction.key])
    asked = [prediction.variant] if len(subject.card.variants) > 1 else []
    asked += [f"seed {prediction.seed}"] if len(subject.card.seeds) > 1 else []
    heading = f"{', '.join((subject.name, *asked))}: {value}, {prediction.seconds:.1f} s"
    replies = [
        OpenedReply(
            number,
            reply,
            _outcome(reply, turn, variant.texts_of(turn, item.id)),
            _verdicts(subject, item, prediction, number),
            [
                f"{call.tool}({', '.join(f'{name}={as_json(value)}' for name, value in call.arguments.items())})"
                for call in reply.calls
            ],
            traces.of(reply.trace) if reply.trace else None,
        )
        for number, (turn, reply) in enumerate(zip(item.turns, prediction.replies, strict=False))
    ]
    return OpenedPrediction(series, heading, replies)


def _outcome(reply: Reply, turn: Turn, options: Sequence[str]) -> str:
    """What came of a reply, given the options as they were worded for it."""
    if reply.status != "ok":
        return f"{reply.status.replace('_', ' ')}: {reply.error or 'no reason was given'}"
    chosen = bool(options) and reply.choice is not None and reply.parse == "ok"
    if reply.parse == "refused":
        return "refused"
    if not chosen and (reply.abstained or reply.parse == "abstained"):
        return "abstained"
    if not chosen and reply.uncertain:
        return "uncertain"
    if not options:
        return "answered"
    if reply.choice is None:
        return "no option could be read"
    right = "right" if reply.choice == turn.gold else "wrong"
    return f"chose {LABELS[reply.choice]} ({options[reply.choice]}), {right}"


def _verdicts(subject: SubjectScores, item: Item, prediction: Prediction, number: int) -> list[JudgedCriterion]:
    held = subject.verdicts(prediction, number)
    named = {criterion.name: criterion for criterion in item.turns[number].criteria}
    found: list[JudgedCriterion] = []
    for name in dict.fromkeys([*named, *held]):
        judged, criterion = held.get(name), named.get(name)
        met = judged.met if judged else None
        words = ("not done", "done") if criterion and criterion.penalty else ("met", "not met")
        verdict = "no verdict" if met is None else words[not met]
        if judged and judged.points is not None:
            verdict += f", {judged.points:g} points"
        if judged and not judged.sure:
            verdict += ", not sure"
        found.append(
            JudgedCriterion(
                criterion.description if criterion else name or "The reply as a whole",
                f"{criterion.weight:g}{', penalty' if criterion.penalty else ''}" if criterion else "",
                verdict,
                " ".join(filter(None, (judged.reason, judged.error, f"[{judged.judge}]"))) if judged else "",
            )
        )
    return found
