"""Builds items as LongShOTBench was built (section 3 of its paper), from what the index has of videos.

Segments with one description each -> viewers and what they want -> tasks -> questions -> answers -> rubrics and tool
calls, with checks in between. Each step asks a model once for each video or item; see `stages`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longtake.evalharness.building.built_item import BuiltCriterion, BuiltItem, BuiltTurn
from longtake.evalharness.building.checks import SHORTEST, cut, marked_blind, supported, without_repeats, wrong_length
from longtake.evalharness.building.gold_calls import with_calls
from longtake.evalharness.building.material import PROMPTS, Material, fused
from longtake.evalharness.building.replies import (
    Answers,
    ConversationTurn,
    Question,
    Questions,
    Rubrics,
    Scenarios,
    Tasks,
)
from longtake.evalharness.building.stages import Stages
from longtake.evalharness.building.tasks import MEANINGS, Levels, levels_of
from longtake.evalharness.suites.longshot.longshot_tasks import CATEGORIES
from longtake.memory.timespan import clock
from longtake.prompts import render


def build(materials: Sequence[Material], stages: Stages, room: int) -> list[BuiltItem]:
    """The items of a set. What is left out is in `stages.dropped`.

    Args:
        materials: the videos.
        stages: ask the model.
        room: letters of a video that it may be told in one request.

    Raises:
        EngineError: if the endpoint fails several times in a row, or fails and leaves no item.
        LibraryError: if the folder of the stages can't be written to.
    """
    videos = {each.video: each for each in fused(materials, stages)}
    told = {video: each.told(room) for video, each in videos.items()}
    for video, each in videos.items():
        if (most := each.longest(room)) < max(map(len, each.texts)):
            stages.notify(
                f"{video}: the model is told {most} letters of each segment, so that the video fits half its context; "
                "raise controller.context if the model reads more."
            )
    items = without_repeats(_asked(videos, told, stages), stages)
    items = supported(_answered(items, videos, told, stages), stages)
    items = _with_rubrics(marked_blind(items, stages), stages)
    if not items and stages.failure:
        raise stages.failure
    return with_calls(items, stages)


def _asked(videos: Mapping[str, Material], told: Mapping[str, object], stages: Stages) -> list[BuiltItem]:
    """Questions: for each task of each scenario a single one and a conversation."""
    scenarios = stages.ask(
        "scenarios",
        {
            video: render(PROMPTS, "scenarios", length=clock(each.duration), segments=told[video])
            for video, each in videos.items()
        },
        Scenarios,
    )
    tasks = stages.ask(
        "tasks",
        {
            video: render(
                PROMPTS,
                "tasks",
                segments=told[video],
                scenarios=[scenario.text for scenario in each.scenarios],
                categories=CATEGORIES,
                meanings=MEANINGS,
            )
            for video, each in scenarios.items()
        },
        Tasks,
        lambda of, said: _wrong_numbers(said, len(scenarios[of].scenarios)),
    )
    prompts, drafts, levels = dict[str, str](), dict[str, BuiltItem](), dict[str, Levels]()
    for video, mapped in tasks.items():
        pairs = [(each.scenario, place, task) for each in mapped.scenarios for place, task in enumerate(each.tasks)]
        for number, (scenario, place, task) in enumerate(pairs):
            scenario_id = f"{video}_s{scenario - 1}"
            draft = BuiltItem(
                id=f"{scenario_id}_t{place}",
                video=video,
                path=str(videos[video].path),
                duration=videos[video].duration,
                scenario=scenarios[video].scenarios[scenario - 1].text,
                scenario_id=scenario_id,
                task=task,
                task_id=f"{scenario_id}_t{place}",
                turns=(),
            )
            single, conversation = levels_of(video, number)
            drafts[draft.id], levels[draft.id] = draft, (single, conversation)
            prompts[draft.id] = render(
                PROMPTS,
                "questions",
                segments=told[video],
                scenario=draft.scenario,
                task=task,
                meaning=MEANINGS[task],
                single=single,
                conversation=conversation,
            )
    found = stages.ask("questions", prompts, Questions, lambda of, said: _too_hard(said, levels[of]))
    return [
        drafts[of].model_copy(update={"id": f"{of}_{kind}", "turns": tuple(map(_turn, turns))})
        for of, said in found.items()
        for kind, turns in (("single", (said.single,)), ("conversation", said.conversation))
    ]


def _wrong_numbers(said: Tasks, count: int) -> str:
    numbers = sorted(each.scenario for each in said.scenarios)
    return "" if numbers == [*range(1, count + 1)] else f"it must have each of the scenarios 1 to {count} once"


def _too_hard(said: Questions, levels: Levels) -> str:
    """What is wrong if a question claims a higher level than was asked for; a lower one may be its true level."""
    single, (first, middle, last) = levels
    wanted = (single, first, last) if len(said.conversation) == SHORTEST else (single, first, middle, last)
    for question, level in zip((said.single, *said.conversation), wanted, strict=True):
        if question.difficulty > level:
            return f"{question.question!r} has difficulty {question.difficulty}, and {level} is asked for"
    return ""


def _turn(asked: Question) -> BuiltTurn:
    return BuiltTurn(
        question=asked.question,
        difficulty=asked.difficulty,
        modalities=tuple(dict.fromkeys(asked.modalities)),
        role=asked.role if isinstance(asked, ConversationTurn) else None,
    )


def _answered(
    items: Sequence[BuiltItem], videos: Mapping[str, Material], told: Mapping[str, object], stages: Stages
) -> list[BuiltItem]:
    """The items with their answers, without those that have a turn which can't be answered."""
    asked = {item.id: item for item in items}

    def check(of: str, said: Answers) -> str:
        known = {number for number, text in enumerate(videos[asked[of].video].texts) if text}
        unknown = {number for turn in said.turns for number in turn.segments} - known
        return f"there is no segment {min(unknown)}" if unknown else wrong_length(said.turns, len(asked[of].turns))

    prompts = {item.id: render(PROMPTS, "answers", segments=told[item.video], turns=item.turns) for item in items}
    answered = []
    for of, said in stages.ask("answers", prompts, Answers, check).items():
        video = videos[asked[of].video]
        lacking = next((number for number, turn in enumerate(said.turns) if not turn.answerable), None)
        item: BuiltItem | None = asked[of]
        if lacking is not None:
            why = f"can't be answered from the video: {said.turns[lacking].answer}"
            item = cut(asked[of], lacking, stages, "answers", why)
        if item is None:
            continue
        turns = [
            turn.model_copy(
                update={
                    "answer": found.answer.strip(),
                    "segments": (numbers := tuple(sorted(set(found.segments)))),
                    "spans": tuple(map(video.span, numbers)),
                    "evidence": tuple(map(video.evidence, numbers)),
                }
            )
            for turn, found in zip(item.turns, said.turns, strict=False)  # a conversation may be cut
        ]
        answered.append(item.with_turns(turns))
    return answered


def _with_rubrics(items: Sequence[BuiltItem], stages: Stages) -> list[BuiltItem]:
    """The items with their rubrics."""
    asked = {item.id: item for item in items}
    prompts = {item.id: render(PROMPTS, "rubrics", turns=item.turns) for item in items}
    found = stages.ask("rubrics", prompts, Rubrics, lambda of, said: wrong_length(said.turns, len(asked[of].turns)))
    return [
        asked[of].with_turns(
            [
                turn.model_copy(
                    update={"criteria": tuple(BuiltCriterion(**dict(criterion)) for criterion in rubric.criteria)}
                )
                for turn, rubric in zip(asked[of].turns, said.turns, strict=True)
            ]
        )
        for of, said in found.items()
    ]
