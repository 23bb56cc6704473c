"""Builds items as LongShOTBench was built (section 3 of its paper), from what the index has of videos.

Segments with one description each -> viewers and what they want -> tasks -> questions -> answers -> rubrics and tool
calls, with checks in between. Each step asks a model once for each video or item; see `stages`. An item that repeats
another, or whose segments don't show its answer, is left out; one that is answered without the video is marked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any
from zlib import crc32

from longtake.agent.controllers.call_parsing.arguments import fitted, read_json
from longtake.evalharness.building.built_item import BuiltCriterion, BuiltItem, BuiltTurn
from longtake.evalharness.building.material import PROMPTS, VideoMaterial, fused
from longtake.evalharness.building.replies import (
    Answers,
    Call,
    Calls,
    ConversationTurn,
    Guesses,
    Question,
    Questions,
    Rubrics,
    Scenarios,
    Tasks,
    Verdicts,
)
from longtake.evalharness.building.stages import Stages
from longtake.evalharness.items import ToolCall, ToolDefinition
from longtake.evalharness.suites.agentic import own_tools
from longtake.evalharness.suites.longshot import CATEGORIES
from longtake.language.words import content_stems, words
from longtake.memory.timespan import SpanError, clock, parse_span
from longtake.prompts import render
from longtake.tools.catalogue import BUILT_IN
from longtake.tools.compute.calculator import evaluate
from longtake.tools.core.result import ToolError
from longtake.tools.core.toolbox import Toolbox

SHORTEST = 2  # turns of a conversation
ALIKE = 0.8  # share of the words of two questions that are in both, from which one repeats the other
_TOOLBOX = Toolbox(BUILT_IN)
_SPECS = {spec.name: spec for spec in _TOOLBOX}
MEANINGS: Mapping[str, str] = {
    "entity_recognition": "who or what is there: people, things, places, texts, by their looks or names",
    "event_understanding": "what happens, who does it to whom, and how it ends",
    "temporal_reasoning": "what comes before, during or after something, how long it lasts, in what order",
    "audio_understanding": "what is heard: voices, their words and tone, music, other sounds",
    "causal_reasoning": "why something happens, and what follows from it",
    "quantitative_reasoning": "numbers that are said or shown: counts, prices, measures, and sums of them",
    "compositional_reasoning": "several facts from different moments put together into one conclusion",
    "comparative_analysis": "how two or more things, people or moments are alike and differ",
    "information_retrieval": "one particular detail in a long video",
    "summarization": "what a part or the whole is about, in its essential points",
    "instruction_extraction": "how something is done: the steps, tools and conditions, in order",
    "sentiment_analysis": "the mood or attitude that words, voices and faces openly show",
    "multimodal_synthesis": "what only pictures, speech and sound together tell",
    "cross_modal_verification": "whether what is said agrees with what is shown or heard",
    "audio_visual_alignment": "what is seen while something is heard, or the reverse",
    "motion_analysis": "how someone or something moves: direction, speed, manner",
}
# Levels of the single question and of the turns of the conversation. Of twenty questions, three are of level 1 or 2,
# five of 3, seven of 4 and five of 5: 15, 25, 35 and 25 percent, as section 3.2 of LongShOT wants.
Levels = tuple[int, tuple[int, int, int]]
LEVELS: tuple[Levels, ...] = ((4, (1, 3, 4)), (5, (2, 4, 5)), (3, (3, 4, 5)), (4, (2, 3, 4)), (5, (3, 4, 5)))


def without_repeats(items: Sequence[BuiltItem], stages: Stages) -> list[BuiltItem]:
    """The items without those that begin as an earlier one of their video does, or ask one thing twice."""
    kept: defaultdict[str, list[BuiltItem]] = defaultdict(list)
    for item in items:
        first = item.turns[0].question
        before = next((each for each in kept[item.video] if alike(each.turns[0].question, first)), None)
        if before:
            stages.drop(item.id, "duplicates", f"it asks what {before.id} asks: {first!r}")
        elif any(alike(one.question, other.question) for one, other in combinations(item.turns, 2)):
            stages.drop(item.id, "duplicates", "two of its turns ask the same")
        else:
            kept[item.video].append(item)
    return [item for each in kept.values() for item in each]


def alike(one: str, other: str) -> bool:
    """Whether two questions ask the same: by the words that carry content, or by all if there are none."""
    first, second = (set(content_stems(text) or words(text)) for text in (one, other))
    return len(first & second) >= ALIKE * len(first | second)


def supported(items: Sequence[BuiltItem], stages: Stages) -> list[BuiltItem]:
    """The items whose answers the model finds in what the index has of their segments."""
    prompts = {item.id: render(PROMPTS, "support", turns=item.turns) for item in items}
    found = verdicts(stages, "support", prompts, items)
    kept = list[BuiltItem | None]()
    for item in (item for item in items if item.id in found):
        turns = found[item.id].turns
        lacking = next((number for number, each in enumerate(turns) if not each.verdict), None)
        why = "" if lacking is None else f"isn't shown: {turns[lacking].reason}"
        kept.append(item if lacking is None else cut(item, lacking, stages, "support", why))
    return [item for item in kept if item]


def cut(item: BuiltItem, turn: int, stages: Stages, stage: str, why: str) -> BuiltItem | None:
    """The turns before one that can't stay, if they are still a conversation; what goes is noted.

    `turn` is its number, from 0, and `why` the end of a sentence about it.
    """
    rest = turn >= SHORTEST
    stages.drop(item.id, stage, f"turn {turn + 1} {why.rstrip('.')}{'; the turns before it stay' if rest else ''}")
    return item.with_turns(item.turns[:turn]) if rest else None


def marked_blind(items: Sequence[BuiltItem], stages: Stages) -> list[BuiltItem]:
    """The items, with a mark on every turn about which the model is right without the video."""
    prompts = {item.id: render(PROMPTS, "guesses", turns=item.turns) for item in items}
    lengths = {item.id: len(item.turns) for item in items}
    guesses = stages.ask("guesses", prompts, Guesses, lambda of, said: wrong_length(said.turns, lengths[of]))
    guessed = [item for item in items if item.id in guesses]
    prompts = {
        item.id: render(PROMPTS, "blind", turns=list(zip(item.turns, guesses[item.id].turns, strict=True)))
        for item in guessed
    }
    found = verdicts(stages, "blind", prompts, guessed)

    def marked(item: BuiltItem) -> BuiltItem:
        pairs = zip(item.turns, found[item.id].turns, strict=True)
        return item.with_turns([turn.model_copy(update={"blind": each.verdict}) for turn, each in pairs])

    return [marked(item) if item.id in found else item for item in items]


def verdicts(
    stages: Stages, stage: str, prompts: Mapping[str, str], items: Sequence[BuiltItem]
) -> Mapping[str, Verdicts]:
    """The verdicts of a stage on all turns of items."""
    lengths = {item.id: len(item.turns) for item in items}
    return stages.ask(stage, prompts, Verdicts, lambda of, said: wrong_length(said.turns, lengths[of]))


def wrong_length(turns: Sequence[object], wanted: int) -> str:
    """What is wrong if a reply isn't about each turn; else nothing."""
    return "" if len(turns) == wanted else f"it has {len(turns)} turns, and {wanted} are asked for"


def with_calls(items: Sequence[BuiltItem], stages: Stages) -> list[BuiltItem]:
    """The items with gold calls; those for which no reply is usable stay without."""
    tools = {tool.name: tool for tool in own_tools()}
    asked = {item.id: item for item in items}

    def check(of: str, said: Calls) -> str:
        item = asked[of]
        faults = (wrong_call(call, tools, item.duration) for turn in said.turns for call in turn.calls)
        return wrong_length(said.turns, len(item.turns)) or next(filter(None, faults), "")

    told = [_told(tool) for tool in tools.values()]
    prompts = {
        item.id: render(PROMPTS, "calls", turns=item.turns, tools=told, length=clock(item.duration)) for item in items
    }
    found = stages.ask("calls", prompts, Calls, check)
    return [
        item.with_turns(
            [
                turn.model_copy(update={"calls": tuple(gold_call(call, tools[call.tool]) for call in said.calls)})
                for turn, said in zip(item.turns, found[item.id].turns, strict=True)
            ]
        )
        if item.id in found
        else item
        for item in items
    ]


def wrong_call(call: Call, tools: Mapping[str, ToolDefinition], duration: float) -> str:
    """What is wrong with a call; nothing if our tool takes it and its time is in the video.

    `tools` are by name, with the inputs that a gold call may have; `duration` is in seconds.
    """
    if call.tool not in tools:
        return f"there is no tool {call.tool}"
    if unknown := {argument.name for argument in call.arguments} - tools[call.tool].parameters.keys():
        return f"{call.tool} has no input {min(unknown)}"
    try:
        arguments = gold_call(call, tools[call.tool]).arguments
        _TOOLBOX.check(call.tool, arguments, {})
        if "timestamp" in arguments:
            parse_span(arguments["timestamp"], window=0.0, duration=duration)
    except (ToolError, SpanError) as error:
        return str(error)
    return ""


def gold_call(call: Call, tool: ToolDefinition) -> ToolCall:
    """The call, with its values as the tool takes them. What a calculator returns is computed.

    Raises:
        ToolError: if that can't be.
    """
    written: dict[str, Any] = {argument.name: argument.value for argument in call.arguments}
    for name, text in written.items():
        if f"{name}[]" in tool.inputs and read_json(text) is None:
            written[name] = [part.strip() for part in text.split(",")]
    arguments, _ = fitted(written, _SPECS[call.tool].schema())
    expression = arguments.get("expression")
    result = str(evaluate(str(expression))) if call.tool == "calculator" and expression else call.returns
    return ToolCall(tool=call.tool, arguments=arguments, result=result)


def _told(tool: ToolDefinition) -> dict[str, Any]:
    """A tool as a model is told of it: what it is for, and the types of its inputs."""
    properties = _SPECS[tool.name].schema()["properties"]
    return {
        "tool": tool.name,
        "does": tool.description,
        "inputs": {name: properties[name] for name in tool.parameters},
    }


def levels_of(video: str, place: int) -> Levels:
    """The levels for the task at a place of a video. Each video begins elsewhere, so that few videos have all."""
    return LEVELS[(crc32(video.encode()) + place) % len(LEVELS)]


def build(materials: Sequence[VideoMaterial], stages: Stages, room: int) -> list[BuiltItem]:
    """The items of a set. What is left out is in `stages.dropped`; `room` is letters of a video for one request.

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


def _asked(videos: Mapping[str, VideoMaterial], told: Mapping[str, object], stages: Stages) -> list[BuiltItem]:
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
    items: Sequence[BuiltItem], videos: Mapping[str, VideoMaterial], told: Mapping[str, object], stages: Stages
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
        video, item = videos[asked[of].video], asked.get(of)
        lacking = next((number for number, turn in enumerate(said.turns) if not turn.answerable), None)
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
