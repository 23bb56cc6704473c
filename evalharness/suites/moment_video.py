"""Loads Moment-Video: a thousand questions, open and multiple-choice, about events of a few frames.

The annotation file is a JSON list (or a CSV of the same columns): Category, Subclass, Index, QuestionType (TO, TC, AD
or TR), AnswerType (open or closed), Question (with its options as "(a) ...") and Answer ("(b)" where closed). The video
is `Category/Subclass/Index.mp4`. Where paper and released code differ, `paper` and `repo` name the two readings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Prediction, Protocol, Turn, Variant
from longtake.evalharness.judges.judge import Case
from longtake.evalharness.judges.judging import cases
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choice_scores import choice_state, rotations
from longtake.evalharness.suites.answer_options import option_of, split_options
from longtake.evalharness.suites.benchmark_rows import Row, read_rows
from longtake.evalharness.suites.loading import Videos, choice_turn, items_of

SUITE = "moment-video"
TASKS = ("TO", "TC", "AD", "TR")
RATES = (1.0, 5.0, 8.0, 16.0)  # frames a second of the ablation
MAIN_RATE, MAIN_FRAMES = 1.0, 64
# Most frames above the main rate: of the paper for open models, and of the released launch script. Both name them for
# 8 frames a second only; the other rates are given the same.
DENSE_FRAMES: dict[Protocol, int] = {"paper": 32, "repo": 110}
_FORMS: dict[str, Literal["open", "choice"]] = {"open": "open", "closed": "choice"}


def load_moment_video(file: Path, media: Path | None, notify: Notify) -> list[Item]:
    """The questions of a file as items.

    Args:
        file: the annotation file.
        media: folder of the videos; None: no videos.
        notify: called with file, line and field for each skipped or corrected row, and for each video
            that is missing or cannot be read.

    Raises:
        ConfigError: if the file cannot be read or holds no question.
    """
    videos = Videos(media, notify)
    items = items_of(read_rows(file, notify), lambda row: _item(row, videos, notify), notify, "Index")
    if not items:
        raise ConfigError(f"{file} holds no question of Moment-Video; give its annotation file.")
    return items


def moment_variants(
    items: Sequence[Item], protocol: Protocol, rates: Iterable[float] = (MAIN_RATE,)
) -> tuple[Variant, ...]:
    """The variants of a run: at each frame rate, the right option at every place once.

    Args:
        items: of the run.
        protocol: whose cap on the frames holds above the main rate.
        rates: frames a second, for subjects that are fed frames: `RATES` for the ablation.
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
