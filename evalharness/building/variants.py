"""Drafts the four further ways of asking a question, from what models replied wrongly (Video-TT, section 3.3).

Its annotators wrote misleading questions and options from the wrong replies of three models. Here a language model
writes them, for a person to correct: the table is in the form of the suite `video-tt`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from pydantic import Field

from longtake.errors import ConfigError
from longtake.evalharness.building.material import PROMPTS
from longtake.evalharness.building.replies import StageReply, Text
from longtake.evalharness.building.stages import Stages
from longtake.evalharness.items import Item
from longtake.evalharness.reports.run_scores import RunScores
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.suites.loading import split_options
from longtake.evalharness.suites.video_tt import CHOICE, PRIMARY, WAYS
from longtake.prompts import render

COLUMNS = ("video_id", "question_id", "question_type", "capability", "question", "question_prompt", "answer")
_OPTIONS = 3  # beside the right one


class Led(StageReply):
    """A question and its answer."""

    question: Text
    answer: Text


class Variants(StageReply):
    """The further ways of asking a question."""

    paraphrased: Led
    correctly_led: Led
    wrongly_led: Led
    options: tuple[Text, ...] = Field(min_length=_OPTIONS, max_length=_OPTIONS)


def variants(run: RunScores, stages: Stages) -> list[tuple[str, ...]]:
    """The rows of the open questions that some model answered wrongly from the frames, each in five ways.

    The run is one of `eval check`; where questions are asked in several ways, the primary ones count.

    Raises:
        ConfigError: if no open question has a wrong reply.
    """
    open_ = [item for item in run.items if item.format == "open" and item.tags.get("way", PRIMARY) == PRIMARY]
    wrong = {item.id: replies for item in open_ if (replies := list(dict.fromkeys(_wrong(run, item))))}
    if not wrong:
        raise ConfigError("No open question has a reply that was judged wrong, so there is nothing to expand.")
    items = {item.id: item for item in open_ if item.id in wrong}
    prompts = {
        name: render(
            PROMPTS, "variants", question=turn.question, answer=turn.reference, wrong=wrong[name], count=_OPTIONS
        )
        for name, item in items.items()
        for turn in item.turns
    }
    found = stages.ask("variants", prompts, Variants, lambda of, said: _fault(items[of], said))
    return [row for name, said in found.items() for row in _rows(items[name], said)]


def _wrong(run: RunScores, item: Item) -> Iterator[str]:
    """What models replied wrongly in the condition that is scored."""
    for subject in run.subjects:
        for made in subject.predictions.get(item.id, ()):
            if made.variant == run.card.variants[0].name and subject.prediction_values[made.key] == 0:
                yield from (reply.spoken for reply in made.replies if reply.status == "ok" and reply.spoken)


def _fault(item: Item, said: Variants) -> str:
    """What is wrong with a reply; nothing if its options can be told apart and read back."""
    options = (*said.options, item.turns[0].reference)
    if len({option.casefold() for option in options}) < len(options):
        return "two of the options are the same, or one is the right answer"
    return "" if split_options(_listed("?", options))[1] == options else "an option has several lines"


def _rows(item: Item, said: Variants) -> Iterator[tuple[str, ...]]:
    turn = item.turns[0]
    options = list(said.options)
    place = Random(item.id).randint(0, len(options))
    options.insert(place, turn.reference)
    asked = (
        Led(question=turn.question, answer=turn.reference),
        *(said.paraphrased, said.correctly_led, said.wrongly_led),
        Led(question=_listed(turn.question, options), answer=LABELS[place]),
    )
    for way, led in zip(WAYS, asked, strict=True):
        prompt = "" if way == CHOICE else turn.instruction
        yield item.video, item.id.removesuffix(f"/{PRIMARY}"), way, item.task, led.question, prompt, led.answer


def _listed(question: str, options: Sequence[str]) -> str:
    return "\n".join([question, *(f"{LABELS[place]}. {option}" for place, option in enumerate(options))])
