"""Moment-Video: a thousand questions, open and multiple-choice, about events of a few frames; and its scores.

The annotation file is a JSON list (or a CSV of the same columns): Category, Subclass, Index, QuestionType (TO, TC, AD
or TR), AnswerType (open or closed), Question (with its options as "(a) ...") and Answer ("(b)" where closed). The video
is `Category/Subclass/Index.mp4`. Where paper and released code differ, `paper` and `repo` name the two readings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from longtake.evalharness.items import Heading, Item, Judgement, Prediction, Protocol, Turn, Variant
from longtake.evalharness.judges.judging import Case, cases
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choice_scores import (
    ChoiceOutcome,
    ChoiceScores,
    SubjectAnswers,
    accuracy,
    beside_chance,
    by,
    by_tag,
    choice_outcome,
    choice_state,
    in_orders,
    open_outcome,
    rotations,
    summarise,
)
from longtake.evalharness.scoring.estimates import Rows
from longtake.evalharness.suites.benchmark_rows import Row, read_rows
from longtake.evalharness.suites.loading import Videos, choice_turn, items_of, option_of, split_options

SUITE = "moment-video"
TASKS = ("TO", "TC", "AD", "TR")
RATES = (1.0, 5.0, 8.0, 16.0)  # frames a second of the ablation
MAIN_RATE, MAIN_FRAMES = 1.0, 64
# Most frames above the main rate: of the paper for open models, and of the released launch script. Both name them for
# 8 frames a second only; the other rates are given the same.
DENSE_FRAMES: dict[Protocol, int] = {"paper": 32, "repo": 110}
_FORMS: dict[str, Literal["open", "choice"]] = {"open": "open", "closed": "choice"}
# Upper edges of the duration buckets in seconds; the paper leaves open where an edge belongs: here to the shorter one.
_BUCKETS = {"up to 5 s": 5.0, "5-10 s": 10.0, "10-20 s": 20.0, "20-60 s": 60.0, "1-3 min": 180.0}
_LONGEST = "over 3 min"


def load_moment_video(file: Path, media: Path | None, notify: Notify) -> list[Item]:
    """The questions of a file as items.

    Skipped and corrected rows are reported, and videos that are missing or can't be read.

    Raises:
        ConfigError: if the file cannot be read or holds no question.
    """
    videos, lacking = Videos(media, notify), f"{file} holds no question of Moment-Video; give its annotation file."
    return items_of(read_rows(file, notify), lambda row: _item(row, videos, notify), notify, "Index", lacking)


def moment_variants(
    items: Sequence[Item], protocol: Protocol, rates: Iterable[float] = (MAIN_RATE,)
) -> tuple[Variant, ...]:
    """The variants of a run: at each frame rate, the right option at every place once.

    Above the main rate, the protocol's cap on the frames holds. `RATES` are those of the ablation.
    """
    bases = (
        Variant(fps=rate, most_frames=MAIN_FRAMES)
        if rate == MAIN_RATE
        else Variant(name=f"{rate:g}fps", fps=rate, most_frames=DENSE_FRAMES[protocol])
        for rate in rates
    )
    return tuple(variant for base in bases for variant in rotations(base, items))


def moment_cases(item: Item, prediction: Prediction, protocol: Protocol) -> Iterator[Case]:
    """The cases for the judge: whether an open reply says what the reference says.

    In `repo` the judge sees no question, and a choice that gave no label is left to it as well.
    """
    yield from cases(item, prediction, with_question=protocol == "paper")
    reply = prediction.replies[0]
    if item.format == "choice" and protocol == "repo" and choice_state(reply, by_text=False) == "unread":
        yield Case(item, 0, reply, "whole")


def _item(row: Row, videos: Videos, notify: Notify) -> Item:
    domain, subclass, index = (row.needed(name) for name in ("Category", "Subclass", "Index"))
    video = f"{domain}/{subclass}/{index}"
    form = _form(row, notify)
    if form == "choice":
        turn = choice_turn(row, *split_options(row.needed("Question")), "Question", "Answer", "letter")
    else:
        turn = Turn(question=row.needed("Question"), reference=row.needed("Answer"))
    task = row.needed("QuestionType").upper()
    if task not in TASKS:
        notify(f"{row.place('QuestionType')}: {task} is none of {', '.join(TASKS)}; it is taken as a task of its own.")
    media = videos.find(video, row, "Index")
    return Item(
        suite=SUITE,
        id=video,
        video=video,
        media=media,
        task=task,
        format=form,
        turns=(turn,),
        seconds=videos.seconds(media, row, "Index"),
        tags={"domain": domain, "subclass": f"{domain}/{subclass}"},
    )


def _form(row: Row, notify: Notify) -> Literal["open", "choice"]:
    """What the row says; where it says neither, as one of the release does, its answer tells: an option, or words."""
    said = row.text("AnswerType")
    form = _FORMS.get(said.lower())
    if form is None:
        options = split_options(row.text("Question"))[1]
        form = "open" if option_of(row.text("Answer"), options, "letter") is None else "choice"
        notify(f"{row.place('AnswerType')}: {said!r} is neither open nor closed; by its Answer it is taken as {form}.")
    return form


def score_moment_video(
    items: Collection[Item],
    variants: Sequence[Variant],
    predictions: Iterable[Prediction],
    judgements: Iterable[Judgement],
    protocol: Protocol,
) -> ChoiceScores:
    """Score one subject; the tables are of the first frame rate of the run, beside which the others stand.

    A choice is right where it is right in every order that the variants put it in. In `paper` the text of an option
    stands for its label; in `repo` a choice without a label in some order is decided by the judge.
    """
    answers = SubjectAnswers(predictions, judgements)

    def found(some: Iterable[Item], orders: Sequence[Variant]) -> list[ChoiceOutcome]:
        return [_outcome(item, orders, answers, seed, protocol) for seed in answers.seeds for item in some]

    bases = [variant for variant in variants if variant.gold_at is None]
    named = [f"{one.fps:g} fps, at most {one.most_frames} frames" if one.fps else one.name for one in bases]
    rates = {name: found(items, in_orders(base, variants)) for name, base in zip(named, bases, strict=True)}
    outcomes = rates[named[0]]
    as_written = found([item for item in items if item.format == "choice"], bases[:1])
    return summarise(
        outcomes,
        {
            "answer type": by(outcomes, lambda item: item.format),
            "task": by(outcomes, lambda item: item.task),
            "domain": by_tag(outcomes, "domain"),
            "subclass": by_tag(outcomes, "subclass"),
            "duration": by(sorted(outcomes, key=lambda outcome: outcome.item.seconds or 0.0), length_row),
            "multiple choice": beside_chance(outcomes, "in every order")
            | beside_chance(as_written, "in the given order"),
            **(_by_rate(rates) if len(rates) > 1 else {}),
        },
    )


def _by_rate(rates: Mapping[str, Sequence[ChoiceOutcome]]) -> dict[str, Rows]:
    """The score at each frame rate: of all, and of each task and domain, the rates of one below each other."""
    keys: dict[str, Callable[[Heading], str]] = {
        "task": lambda item: item.task,
        "domain": lambda item: item.tags["domain"],
    }
    tables: dict[str, Rows] = {"frame rate": {rate: accuracy(found) for rate, found in rates.items()}}
    for name, key in keys.items():
        found = {rate.partition(",")[0]: by(outcomes, key) for rate, outcomes in rates.items()}
        names = dict.fromkeys(row for rows in found.values() for row in rows)
        tables[f"{name} and frame rate"] = {
            f"{row}, {rate}": rows[row] for row in names for rate, rows in found.items() if row in rows
        }
    return tables


def length_row(item: Heading) -> str:
    """The duration row of an item's video; empty if its length is not known."""
    seconds = item.seconds
    if seconds is None:
        return ""
    return next((name for name, edge in _BUCKETS.items() if seconds <= edge), _LONGEST)


def _outcome(
    item: Item, orders: Sequence[Variant], answers: SubjectAnswers, seed: int, protocol: Protocol
) -> ChoiceOutcome:
    if item.format == "open":
        return open_outcome(item, orders[0], answers, seed)
    outcome = choice_outcome(item, orders, answers, seed, by_text=protocol == "paper")
    if outcome.state != "unread" or protocol == "paper":
        return outcome
    # The released code stops at the first order that gave no label and hands the item to the judge.
    stopped = next(
        order
        for order in orders
        if order.applies(item) and choice_state(answers.said(item, order, seed), by_text=False) == "unread"
    )
    judged = open_outcome(item, stopped, answers, seed)
    return outcome._replace(right=judged.right, state=judged.state, left_to_judge=True, unsure=judged.unsure)
