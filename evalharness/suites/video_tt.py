"""Video-TT: a thousand videos under 65 s, each with one question asked in five ways; and its scores.

A row holds video_id, question, question_prompt (how to answer), answer, capability, duration in seconds and, in most
releases, question_type; otherwise the name of the file tells which of the five ways its questions are asked. The five
are items of one group, the video; in sets with several questions about one, question_id tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from longtake.evalharness.items import Heading, Item, Judgement, Prediction, Protocol, Turn, Variant
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choice_scores import (
    ChoiceOutcome,
    ChoiceScores,
    ScoredReply,
    SubjectAnswers,
    accuracy,
    beside_chance,
    by,
    observation,
    outcomes_of,
    summarise,
)
from longtake.evalharness.scoring.estimates import Estimate, Observation, grouped, macro, ratio
from longtake.evalharness.suites.benchmark_rows import SUFFIXES, Row, read_rows
from longtake.evalharness.suites.loading import Videos, choice_turn, items_of, split_options

SUITE = "video-tt"
PRIMARY, CHOICE = "primary", "multiple choice"
WAYS = (PRIMARY, "paraphrased", "correctly led", "wrongly led", CHOICE)
VARIANT = Variant(most_frames=80)  # the only one: the questions as they are
CHOICE_TOKENS, OPEN_TOKENS = 16, 50  # of a reply, in the released code
# What tells the way, in a question type or in the name of a split; older releases call the primary one non-leading.
_MARKS = {
    "paraphrase": "paraphrased",
    "correctly": "correctly led",
    "correct leading": "correctly led",
    "wrong": "wrongly led",
    "multiple": CHOICE,
    "primary": PRIMARY,
    "no leading": PRIMARY,
    "non leading": PRIMARY,
}


# What tells the level of a capability in its name. The paper sorts by element, event and plot; where a name has none of
# these words, the level is that of the examples in its supplement, and of professional knowledge our reading.
_LEVELS = {
    "element": "element",
    "positional": "element",
    "event": "event",
    "displacement": "event",
    "plot": "plot",
    "causality": "plot",
    "character": "plot",
    "professional": "plot",
}
Ways = Mapping[str, list[ChoiceOutcome]]


def level_of(capability: str) -> str:
    """What a question of a capability is about: element, event or plot; empty of an unknown capability."""
    spelled = capability.lower()
    return next((level for mark, level in _LEVELS.items() if mark in spelled), "")


class Threshold(NamedTuple):
    """From how many of five points an open answer counts as right."""

    points: float = 3.0
    reached: bool = True  # whether reaching them is enough

    def accepts(self, said: ScoredReply) -> bool | None:
        """Whether the points of a reply are enough; None without points."""
        if said.points is None:
            return None
        return said.points > self.points or (self.reached and said.points == self.points)

    def __str__(self) -> str:
        return f"{'at least' if self.reached else 'more than'} {self.points:g}"


# The appendix of the paper and the released code against the body of the paper.
THRESHOLDS: dict[Protocol, Threshold] = {"repo": Threshold(3.0, True), "paper": Threshold(3.0, False)}


def load_video_tt(source: Path, media: Path | None, notify: Notify) -> list[Item]:
    """The questions of a file, or of all files of a folder, as items.

    Videos are `<video_id>.mp4` or in another container. Skipped rows and missing videos are reported.

    Raises:
        ConfigError: if a file cannot be read, or there is no question.
    """
    files = sorted(file for file in source.iterdir() if file.suffix in SUFFIXES) if source.is_dir() else [source]
    videos = Videos(media, notify)
    rows = chain.from_iterable(read_rows(file, notify) for file in files)
    lacking = f"{source} holds no question of Video-TT; give its splits as JSON, JSONL or CSV (`Dataset.to_json`)."
    return items_of(rows, lambda row: _item(row, videos), notify, "video_id", lacking)


def _item(row: Row, videos: Videos) -> Item:
    video, question, way = row.needed("video_id"), row.needed("question"), _way(row)
    own = row.text("question_id")
    if way == CHOICE:
        turn = choice_turn(row, *split_options(question), "question", "answer", "letter")
    else:
        turn = Turn(question=question, reference=row.needed("answer"))
    return Item(
        suite=SUITE,
        id=f"{own or video}/{way}",
        video=video,
        media=videos.find(video, row, "video_id"),
        task=row.text("capability"),
        format="choice" if way == CHOICE else "open",
        turns=(turn.model_copy(update={"instruction": row.text("question_prompt")}),),
        seconds=_seconds(row),
        tags={"way": way} | ({"question": own} if own else {}),
        max_tokens=CHOICE_TOKENS if way == CHOICE else OPEN_TOKENS,
    )


def _way(row: Row) -> str:
    """The way of asking: as the row says, or else its file; a split without a name of its own is multiple-choice."""
    said = row.text("question_type")
    spelled = (said or row.file.stem).lower().replace("-", " ").replace("_", " ")
    found = next((way for mark, way in _MARKS.items() if mark in spelled), None)
    if found:
        return found
    if not said and split_options(row.text("question"))[1]:
        return CHOICE
    raise row.bad("question_type", f"{said or row.file.name} is none of {', '.join(WAYS)}")


def _seconds(row: Row) -> float | None:
    try:
        return float(row.text("duration"))
    except ValueError:
        return None


def score_video_tt(
    items: Collection[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement], threshold: Threshold
) -> ChoiceScores:
    """Score one subject; the headline is the plain mean of the five accuracies, where all five ways were asked.

    The threshold says from how many points an open answer is right; the mean and the robustness score stand next to it
    for both readings of the paper.
    """
    answers = SubjectAnswers(predictions, judgements)
    outcomes = outcomes_of(items, [VARIANT], answers, threshold.accepts)
    ways = _by_way(outcomes)
    read = {str(other): _by_way(outcomes_of(items, [VARIANT], answers, other.accepts)) for other in THRESHOLDS.values()}
    lacking = [way for way in WAYS if way not in ways]
    capabilities = {f"capability, {way}": by(found, lambda item: item.task) for way, found in ways.items()}
    return summarise(
        outcomes,
        {
            "way": {way: accuracy(found) for way, found in ways.items()},
            "robustness": {"RB": robustness(ways)},
            "points, mean of five": {name: _mean_of_five(found) for name, found in read.items()},
            "points, RB": {name: robustness(found) for name, found in read.items()},
            "multiple choice": beside_chance(ways.get(CHOICE, ())),
            "level": by(outcomes, lambda item: level_of(item.task)),
            "level, RB": robustness_by(outcomes, lambda item: level_of(item.task)),
            "capability": by(outcomes, lambda item: item.task),
            "capability, RB": robustness_by(outcomes, lambda item: item.task),
            **capabilities,
        },
        headline=lambda found: _mean_of_five(_by_way(found)),
        note=f"it is a mean of five, and no question is {', '.join(lacking)}." if lacking else None,
    )


def robustness(ways: Ways) -> Estimate:
    """RB: of the questions that are answered rightly in the primary way, the share with all five right.

    Questions that lack one of the five have no part in it; None if no primary one is answered rightly.
    """
    right: dict[tuple[str, str, int], dict[str, float]] = {}
    for way, outcomes in ways.items():
        for outcome in outcomes:
            item = outcome.item
            right.setdefault((item.video, item.tags.get("question", ""), outcome.seed), {})[way] = outcome.right
    whole = [(video, found) for (video, _, _), found in right.items() if len(found) == len(WAYS)]
    return ratio(Observation(float(all(found.values())), float(found[PRIMARY]), video) for video, found in whole)


def robustness_by(outcomes: Iterable[ChoiceOutcome], key: Callable[[Heading], str]) -> dict[str, Estimate]:
    """RB of each group of questions, in the order of first appearance; questions without a key are in none."""
    groups = grouped((name, outcome) for outcome in outcomes if (name := key(outcome.item)))
    return {name: robustness(_by_way(group)) for name, group in groups.items()}


def _mean_of_five(ways: Ways) -> Estimate:
    """Without a value where one of the five is missing: the mean of the others would be another figure."""
    return macro([[list(map(observation, found))] for found in ways.values()] if len(ways) == len(WAYS) else [])


def _by_way(outcomes: Iterable[ChoiceOutcome]) -> dict[str, list[ChoiceOutcome]]:
    ways: dict[str, list[ChoiceOutcome]] = {way: [] for way in WAYS}
    for outcome in outcomes:
        ways[outcome.item.tags["way"]].append(outcome)
    return {way: found for way, found in ways.items() if found}
