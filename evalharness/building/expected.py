"""`longtake eval build --dry-run`: what a build will ask of its models.

Replies that are there already are followed as in a build. What depends on a reply that is lacking is counted at its
most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path

from longtake.console import counted
from longtake.errors import LongtakeError
from longtake.evalharness.building.card import UNKNOWN, StageCost, cost_of
from longtake.evalharness.building.longshot import build
from longtake.evalharness.building.material import TOGETHER, VideoMaterial, room_of
from longtake.evalharness.building.replies import MOST_SCENARIOS, MOST_TASKS
from longtake.evalharness.building.stages import STAGES, Check, R, StageRecord, Stages
from longtake.memory.records import Record
from longtake.models.profiles import known_price
from longtake.preprocess.pipeline.model_costs import ModelCost, model_costs
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

_TASKS = MOST_SCENARIOS * MOST_TASKS  # of a video, at most; each has two items
_AFTER_ITEM = ("support", "guesses", "blind", "rubrics", "calls")
# Requests that depend on one reply of a stage, at most.
_BELOW: Mapping[str, Mapping[str, int]] = {
    "scenarios": {"tasks": 1, "questions": _TASKS, **dict.fromkeys(("answers", *_AFTER_ITEM), 2 * _TASKS)},
    "tasks": {"questions": _TASKS, **dict.fromkeys(("answers", *_AFTER_ITEM), 2 * _TASKS)},
    "questions": dict.fromkeys(("answers", *_AFTER_ITEM), 2),
    "answers": dict.fromkeys(_AFTER_ITEM, 1),
    "support": dict.fromkeys(_AFTER_ITEM[1:], 1),
    "guesses": {"blind": 1},
    "rubrics": {"calls": 1},
}
_WHOLE = ("tasks", "questions", "answers")  # stages that are told the whole video
# Tokens, about: of a prompt without a video, of a reply, of a segment before and after its description.
_PROMPT, _NOTES, _DESCRIPTION, _LETTERS = 700, 150, 60, 4
_REPLY = {"fusion": _DESCRIPTION * TOGETHER, "questions": 300, "answers": 250, "rubrics": 400, "calls": 250}
_SHORT_REPLY = 120


class ExpectedBuild(Record):
    """What a build will ask, about; `calls` is by stage of the language model."""

    calls: Mapping[str, int]
    input_tokens: int
    output_tokens: int
    cost: float | None
    indexing: tuple[ModelCost, ...]

    @property
    def pictures(self) -> int:
        """Pictures that are described as the videos are indexed."""
        return sum(each.pictures for each in self.indexing)


class Foreseen(Stages):
    """Asks nothing, and counts what would be asked."""

    def __init__(self, folder: Path, settings: Settings, *, retry_errors: bool) -> None:
        """Take the arguments of `Stages`; a build tells what is wrong with earlier replies."""
        super().__init__(folder, settings, lambda sentence: None, retry_errors=retry_errors)
        self.calls = Counter[str]()
        self.given = 0  # tokens
        self.whole = 0  # tokens of the video that is foreseen

    def expect(self, stage: str, count: int, tokens: int = 0) -> None:
        """Count requests, each with so many tokens of a video, and all that depend on them."""
        self.calls[stage] += count
        self.given += count * (_PROMPT + tokens)
        self._expect_below(stage, count)

    def _made(
        self, stage: str, lacking: Mapping[str, str], prompts: Mapping[str, str], kind: type[R], check: Check[R]
    ) -> dict[str, StageRecord | LongtakeError]:
        self.calls[stage] += len(lacking)
        self.given += sum(len(prompts[of]) for of in lacking) // _LETTERS
        self._expect_below(stage, len(lacking))
        return {}

    def _expect_below(self, stage: str, count: int) -> None:
        for below, each in _BELOW.get(stage, {}).items():
            self.calls[below] += each * count
            self.given += each * count * (_PROMPT + (self.whole if below in _WHOLE else 0))


def expected(
    stages: Path, indexed: Sequence[VideoMaterial], others: Sequence[float], workspace: Workspace, *, retry_errors: bool
) -> ExpectedBuild:
    """What a build will ask. Nothing is asked or written.

    Videos are in the library already (`indexed`), or will be indexed first: of these, the lengths in seconds.

    Raises:
        ConfigError: if no model is set, or it may not be asked.
    """
    settings = workspace.settings
    room, foreseen = room_of(settings), Foreseen(stages, settings, retry_errors=retry_errors)
    for each in indexed:
        foreseen.whole = min(room, sum(map(len, each.texts))) // _LETTERS
        build([each], foreseen, room)
    for duration in others:
        segments = ceil(duration / settings.captions.every)
        foreseen.whole = min(room // _LETTERS, segments * _DESCRIPTION)
        foreseen.expect("fusion", ceil(segments / TOGETHER), TOGETHER * _NOTES)
        foreseen.expect("scenarios", 1, foreseen.whole)
    written = sum(count * _REPLY.get(stage, _SHORT_REPLY) for stage, count in foreseen.calls.items())
    spent = StageCost(calls=foreseen.calls.total(), input_tokens=foreseen.given, output_tokens=written)
    return ExpectedBuild(
        calls={stage: foreseen.calls[stage] for stage in STAGES},
        input_tokens=foreseen.given,
        output_tokens=written,
        cost=cost_of([spent], known_price(settings.controller)),
        indexing=model_costs(workspace.library, settings, workspace.engines, others) if others else (),
    )


def show_expected(found: ExpectedBuild) -> list[str]:
    """The estimate as lines to print."""
    calls = sum(found.calls.values())
    if not calls:
        return ["Every reply is there already: nothing would be asked."]
    cost = UNKNOWN if found.cost is None else f"{found.cost:.4g}"
    by_stage = ", ".join(f"{stage} {count}" for stage, count in found.calls.items() if count)
    return [
        *(f"indexing, {each.text}" for each in found.indexing),
        f"at most {counted(calls, 'request')} to the language model and {counted(found.pictures, 'picture')}, about "
        f"{found.input_tokens:,} tokens in and {found.output_tokens:,} out; cost {cost}",
        f"by stage: {by_stage}",
    ]
