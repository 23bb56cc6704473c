"""The records of a run: items, variants, predictions and judgements.

A run is a table of item x variant x subject x seed. An item is a conversation about one video; most have one turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from sys import intern
from typing import Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from longtake.evalharness.prompts.prompt_set import PromptSet
from longtake.memory.records import Record, Usage
from longtake.memory.timespan import TimeSpan
from longtake.prompts import without_thinking

Format = Literal["choice", "open", "rubric", "calls"]
History = Literal["gold", "own"]
Protocol = Literal["paper", "repo"]  # for a suite whose paper and released code differ
ORIGINAL = "original"
ALL_TURNS = -1  # in place of the number of a turn: all replies of an item together


class Criterion(Record):
    """One line of a rubric. A penalty is "met" if the reply avoided what it forbids."""

    name: str
    description: str
    weight: float = Field(description="The weight in the file. Penalties usually have a negative one.")
    penalty: bool = False
    check: Mapping[str, Any] | None = Field(default=None, description="How a program can decide it; see `checks`.")


class ToolDefinition(Record):
    """A tool that a subject may call, in the format of LongShOT's `tools.json`."""

    name: str
    inputs: tuple[str, ...] = Field(description="Parameters; `?` after a name marks an optional one, `[]` a list.")
    outputs: Any = ""
    description: str = ""

    @property
    def parameters(self) -> Mapping[str, bool]:
        """Whether each parameter is required. As in the released code, lists, timestamps and languages are optional."""
        return {
            written.rstrip("?[]"): not written.endswith(("?", "[]"))
            and not written.startswith(("timestamp", "language"))
            for written in self.inputs
        }


class ToolCall(Record):
    """A tool call: a gold call with its result, or a call by a subject."""

    tool: str
    arguments: Mapping[str, Any]
    result: str = ""


class Turn(Record):
    """One question of a conversation, with its reference answer."""

    question: str
    reference: str = Field(default="", description="The answer in words.")
    options: tuple[str, ...] = ()
    gold: int | None = Field(default=None, description="Index of the right option, from 0.")
    instruction: str = Field(default="", description="How to answer, after the question and its options.")
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


class Heading(NamedTuple):
    """What tables need of an item: they are held for all items at once, and so without turns."""

    video: str
    task: str
    format: Format
    seconds: float | None
    tags: Mapping[str, str]


class Item(Record):
    """A conversation about one video."""

    suite: str
    id: str = Field(description="Unique in its suite.")
    video: str = Field(description="Id of the video. Items of one video aren't independent observations.")
    media: str | None = Field(default=None, description="Path of the file; None if it is missing.")
    task: str = ""
    format: Format
    turns: tuple[Turn, ...] = Field(min_length=1)
    clip: TimeSpan | None = Field(default=None, description="The part that it is about, if nothing else is shown.")
    seconds: float | None = Field(default=None, description="Length of the video, or of the clip.")
    tools: tuple[ToolDefinition, ...] = Field(
        default=(), description="The tools that may be called, if calls are scored."
    )
    tags: Mapping[str, str] = Field(default_factory=dict, description="Scores are broken down by these.")
    guess: bool | None = Field(
        default=True, description="Whether a model is told to give the likeliest answer, or to abstain; None: neither."
    )
    separate: bool = Field(default=False, description="Whether each turn is asked without the others.")
    temperature: float | None = Field(
        default=None, description="At which the suite asks models, unless a subject says otherwise."
    )
    max_tokens: int | None = Field(default=None, description="Of a model's reply, unless a subject says otherwise.")

    @property
    def heading(self) -> Heading:
        """What tables need of it. Many items have the same video, task and tags: these are shared."""
        tags = {intern(tag): intern(text) for tag, text in self.tags.items()}
        return Heading(intern(self.video), intern(self.task), self.format, self.seconds, tags)


class Variant(Record):
    """A way to ask an item: with another order or wording of options, another frame rate or another history."""

    name: str = ORIGINAL
    gold_at: int | None = Field(
        default=None, description="The position, from 0, of the right option, which swaps places with another."
    )
    replaced: Literal["right", "wrong"] | None = Field(
        default=None, description="Which option has `replacement` as its text; the item draws one of the wrong ones."
    )
    replacement: str = Field(default="", description="Text that says that none of the other options is right.")
    history: History = "gold"
    fps: float | None = Field(default=None, description="Frames per second for subjects that receive frames.")
    most_frames: int | None = None
    view: str | None = Field(default=None, description="What is shown instead of the video, by its name; see `views`.")
    with_evidence: bool = Field(default=False, description="Only for items that say which part shows the answer.")
    only: tuple[str, ...] | None = Field(default=None, description="The only subjects asked, if not all are.")
    prompts: PromptSet | None = Field(default=None, description="How models are asked; None is in Longtake's words.")

    def applies(self, item: Item) -> bool:
        """Whether an item has what the variant needs: an option to replace, another place for it, or spans."""
        if self.with_evidence and not any(turn.evidence for turn in item.turns):
            return False
        if self.replaced and all(turn.gold is None for turn in item.turns):
            return False
        return self.gold_at is None or any(
            turn.gold not in (None, self.gold_at) and self.gold_at < len(turn.options) for turn in item.turns
        )

    def order_of(self, turn: Turn) -> tuple[int, ...]:
        """The original index of the option at each position."""
        order = list(range(len(turn.options)))
        if self.gold_at is not None and turn.gold is not None and self.gold_at < len(order):
            order[turn.gold], order[self.gold_at] = self.gold_at, turn.gold
        return tuple(order)

    def texts_of(self, turn: Turn, item: str) -> tuple[str, ...]:
        """The options of a turn of an item, given its id, as they are worded; in their original order."""
        if self.replaced is None or turn.gold is None:
            return turn.options
        wrong = [place for place in range(len(turn.options)) if place != turn.gold]
        place = turn.gold if self.replaced == "right" else Random(f"{item}/{turn.question}").choice(wrong)
        return (*turn.options[:place], self.replacement, *turn.options[place + 1 :])


class PredictionKey(NamedTuple):
    """The key of a prediction in a run."""

    item: str
    variant: str
    subject: str
    seed: int


ReplyStatus = Literal["ok", "error", "timeout", "no_media"]
ParseStatus = Literal["ok", "fallback", "uncertain", "abstained", "refused", "failed", "none"]


class Reply(Record):
    """A subject's complete reply to one turn, and what was parsed from it."""

    text: str
    status: ReplyStatus = "ok"
    error: str | None = None
    choice: int | None = Field(default=None, description="Index of the chosen option in the item's order, from 0.")
    parse: ParseStatus = Field(default="none", description="How the choice was parsed; none if nothing was chosen.")
    abstained: bool = False
    uncertain: bool = Field(default=False, description="Whether the reply marks its answer as uncertain.")
    confidence: float | None = Field(default=None, description="The subject's own, from 0 to 1, if it gives one.")
    calls: tuple[ToolCall, ...] = ()
    planned: str = Field(
        default="", description="What came before the answer: the text of a step that asked for calls, or reasoning."
    )
    cited: tuple[TimeSpan, ...] = ()
    usage: Usage | None = None
    trace: str | None = None

    @property
    def spoken(self) -> str:
        """The text without the model's thinking."""
        return without_thinking(self.text)


class Keyed(Record):
    """Something about one prediction of a run, with the key of that prediction."""

    item: str
    variant: str
    subject: str
    seed: int = 0

    @property
    def key(self) -> PredictionKey:
        """The key of the prediction."""
        return PredictionKey(self.item, self.variant, self.subject, self.seed)


class Prediction(Keyed):
    """The replies of a subject to all turns of an item. An error counts as a wrong answer."""

    replies: tuple[Reply, ...]
    seconds: float

    @property
    def together(self) -> Reply:
        """All replies as one. It has failed, abstained or isn't sure only if that is true of each."""
        said = [reply for reply in self.replies if reply.status == "ok"]
        if len(self.replies) < 2 or not said:
            return next(iter(self.replies), Reply(text=""))
        sure = [reply.confidence for reply in said if reply.confidence is not None]
        return Reply(
            text="\n\n".join(reply.spoken for reply in said),
            abstained=all(reply.abstained for reply in said),
            uncertain=all(reply.uncertain for reply in said),
            confidence=max(sure, default=None),
        )

    def turns_of(self, item: Item) -> Iterator[tuple[int, Turn, Reply]]:
        """The turns of its item by number, each with its reply; a missing reply counts as empty."""
        replies = [*self.replies, *[Reply(text="")] * len(item.turns)]
        return ((number, turn, replies[number]) for number, turn in enumerate(item.turns))


class Judgement(Keyed):
    """A judge's verdict on one criterion of one reply."""

    turn: int = Field(description="From 0; -1 if all replies of the item were judged together.")
    criterion: str = Field(description="Name of the criterion; empty if the reply was judged as a whole.")
    judge: str = Field(description="Id of the judge: its model, its prompt set unless it is ours, and a hash.")
    met: bool | None = Field(description="None without a verdict.")
    sure: bool = True
    points: float | None = Field(default=None, description="Set if the judge grades on a scale.")
    reason: str = ""
    error: str | None = None
    cached: bool = False
    seconds: float | None = Field(default=None, description="Seconds that a model took, if one was asked.")
    usage: Usage | None = Field(default=None, description="What a model took, if one was asked.")
    reply: str = Field(default="", description="Hash of the reply: a new reply is judged again.")

    @property
    def decided(self) -> bool:
        """Whether there is a verdict, or a grade."""
        return self.met is not None or self.points is not None
