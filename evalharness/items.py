"""What is asked and what comes of it: items, variants, predictions and judgements, as they stand in a run's files.

A run is a table of item x variant x subject x seed. An item is a conversation about one video; most have one turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from longtake.memory.records import Record, Usage
from longtake.memory.timespan import TimeSpan
from longtake.prompts import without_thinking

Format = Literal["choice", "open", "rubric", "calls"]
History = Literal["gold", "own"]
Protocol = Literal["paper", "repo"]  # of a suite whose paper and released code differ
ORIGINAL = "original"


class Criterion(Record):
    """One line of a rubric; of a penalty, "met" means that what it forbids was not done."""

    name: str
    description: str
    weight: float = Field(description="As the file has it: penalties usually carry a negative one.")
    penalty: bool = False
    check: Mapping[str, Any] | None = Field(default=None, description="How a program can tell; see `checks`.")


class ToolDefinition(Record):
    """A tool that a subject may call, as LongShOT's `tools.json` writes it."""

    name: str
    inputs: tuple[str, ...] = Field(description="Parameters; `?` behind a name marks an optional one, `[]` a list.")
    outputs: Any = ""
    description: str = ""

    @property
    def parameters(self) -> Mapping[str, bool]:
        """Whether each parameter is required: as in the released code lists, timestamps and languages are not."""
        return {
            written.rstrip("?[]"): not written.endswith(("?", "[]"))
            and not written.startswith(("timestamp", "language"))
            for written in self.inputs
        }


class ToolCall(Record):
    """A call of a tool: the gold one with what it returned, or one that a subject made."""

    tool: str
    arguments: Mapping[str, Any]
    result: str = ""


class Turn(Record):
    """One question of a conversation and what is known of the right answer."""

    question: str
    reference: str = Field(default="", description="The answer in words.")
    options: tuple[str, ...] = ()
    gold: int | None = Field(default=None, description="Which option is right, from 0.")
    criteria: tuple[Criterion, ...] = ()
    calls: tuple[ToolCall, ...] = Field(default=(), description="The gold tool calls, in order.")
    evidence: tuple[TimeSpan, ...] = ()
    modalities: tuple[str, ...] = ()
    difficulty: int | None = Field(default=None, description="1 to 5.")
    tags: Mapping[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _gold_is_an_option(self) -> Self:
        if self.gold is not None and not 0 <= self.gold < len(self.options):
            raise ValueError(f"gold {self.gold} is none of its {len(self.options)} options")
        return self


class Item(Record):
    """A conversation about one video."""

    suite: str
    id: str = Field(description="Unique in its suite.")
    video: str = Field(description="Id of the video: items of one video are no independent observations.")
    media: str | None = Field(default=None, description="Path of the file; None where it is not there.")
    task: str = ""
    format: Format
    turns: tuple[Turn, ...] = Field(min_length=1)
    seconds: float | None = Field(default=None, description="Length of the video.")
    tools: tuple[ToolDefinition, ...] = Field(default=(), description="That may be called, where calls are scored.")
    tags: Mapping[str, str] = Field(default_factory=dict, description="What scores are broken down by.")


class Variant(Record):
    """A way to put an item: in another order of options, at another frame rate, with another history."""

    name: str = ORIGINAL
    gold_at: int | None = Field(
        default=None, description="The place, from 0, at which the right option is put: it changes places with another."
    )
    history: History = "gold"
    fps: float | None = Field(default=None, description="Frames a second for subjects that are fed frames.")
    most_frames: int | None = None

    def applies(self, item: Item) -> bool:
        """Whether an item is asked in it: where the right option is moved, only if there is such another place."""
        return self.gold_at is None or any(
            turn.gold not in (None, self.gold_at) and self.gold_at < len(turn.options) for turn in item.turns
        )

    def order_of(self, turn: Turn) -> tuple[int, ...]:
        """The option of a turn, by its own number, that stands at each place."""
        order = list(range(len(turn.options)))
        if self.gold_at is not None and turn.gold is not None and self.gold_at < len(order):
            order[turn.gold], order[self.gold_at] = self.gold_at, turn.gold
        return tuple(order)


class PredictionKey(NamedTuple):
    """What makes a prediction one of its kind in a run."""

    item: str
    variant: str
    subject: str
    seed: int


ReplyStatus = Literal["ok", "error", "timeout", "no_media"]
ParseStatus = Literal["ok", "fallback", "uncertain", "abstained", "failed", "none"]


class Reply(Record):
    """What a subject said to one turn, whole, and what was read from it."""

    text: str
    status: ReplyStatus = "ok"
    error: str | None = None
    choice: int | None = Field(default=None, description="The option chosen, in the item's own order, from 0.")
    parse: ParseStatus = Field(default="none", description="How the choice was read; none where nothing is chosen.")
    abstained: bool = False
    uncertain: bool = Field(default=False, description="Whether it only names what may be the answer, and says so.")
    calls: tuple[ToolCall, ...] = ()
    planned: str = Field(default="", description="What was said when only calls were asked for; `text` is the answer.")
    cited: tuple[TimeSpan, ...] = ()
    usage: Usage | None = None
    trace: str | None = None

    @property
    def spoken(self) -> str:
        """The text without what was thought aloud."""
        return without_thinking(self.text)


class Prediction(Record):
    """The replies of a subject to all turns of an item; an error counts as a wrong answer."""

    item: str
    variant: str
    subject: str
    seed: int = 0
    replies: tuple[Reply, ...]
    seconds: float

    @property
    def key(self) -> PredictionKey:
        """What it is the prediction of."""
        return PredictionKey(self.item, self.variant, self.subject, self.seed)

    def turns_of(self, item: Item) -> Iterator[tuple[int, Turn, Reply]]:
        """The turns of its item by number, each with its reply; where there is none, nothing was said."""
        replies = [*self.replies, *[Reply(text="")] * len(item.turns)]
        return ((number, turn, replies[number]) for number, turn in enumerate(item.turns))


class Judgement(Record):
    """What a judge found of one criterion of one reply."""

    item: str
    variant: str
    subject: str
    seed: int = 0
    turn: int
    criterion: str = Field(description="Its name; empty where the reply was judged as a whole.")
    judge: str = Field(description="Id of the judge: its model, and a hash of its prompt and parameters.")
    met: bool | None = Field(description="None where the judge gave no verdict.")
    sure: bool = True
    points: float | None = Field(default=None, description="Where the judge grades on a scale.")
    reason: str = ""
    error: str | None = None
    cached: bool = False
    seconds: float | None = Field(default=None, description="How long a model took, where one was asked.")
    reply: str = Field(default="", description="Hash of the reply: one that was asked for anew is judged anew.")

    @property
    def decided(self) -> bool:
        """Whether there is a verdict, or a grade."""
        return self.met is not None or self.points is not None

    @property
    def key(self) -> PredictionKey:
        """The prediction that it is of."""
        return PredictionKey(self.item, self.variant, self.subject, self.seed)
