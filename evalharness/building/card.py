"""The card of a set: what it was built from, by which models, at what cost, and what is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import Field

from longtake import __version__
from longtake.console import counted
from longtake.evalharness.building.built_item import BuiltItem
from longtake.evalharness.building.checking import CheckedSet, Decided
from longtake.evalharness.building.material import PROMPTS, VideoMaterial
from longtake.evalharness.building.stages import STAGES, Dropped, StageRecord, Stages
from longtake.evalharness.reports.document import markdown_table
from longtake.evalharness.reports.grid import Grid
from longtake.evalharness.suites.longshot import CATEGORIES
from longtake.memory.records import Record
from longtake.memory.timespan import clock
from longtake.models.profiles import known_price
from longtake.prompts import prompts_hash
from longtake.settings import PriceSettings, Settings

UNKNOWN = "unknown"
COSTS_A_PART = ("fusion", "guesses", "blind", "calls")  # stages whose useless replies leave the item
# Share of the questions at each level, section 3.2 of the paper.
PAPER_MIX = {1: "up to 15 %, with 2", 2: "up to 15 %, with 1", 3: "25 to 30 %", 4: "35 to 40 %", 5: "25 to 30 %"}


class CardVideo(Record):
    """A video of a set."""

    video: str
    seconds: float
    segments: int
    engines: Mapping[str, str] = Field(description="By layer of the index, what made it.")


class StageCost(Record):
    """What one stage asked of the language model, all its runs together."""

    calls: int
    input_tokens: int | None = Field(description="None if the endpoint didn't tell.")
    output_tokens: int | None

    @classmethod
    def of(cls, records: Iterable[StageRecord]) -> StageCost:
        """What the records of a stage took."""
        every = list(records)
        return cls(
            calls=sum(each.calls for each in every),
            input_tokens=_sum(each.input_tokens for each in every),
            output_tokens=_sum(each.output_tokens for each in every),
        )


class BuildCard(Record):
    """How a set was built."""

    videos: tuple[CardVideo, ...]
    model: str
    prompts: str = Field(description="Hash of the prompts.")
    spent: Mapping[str, StageCost] = Field(description="By stage.")
    cost: float | None = Field(description="None if a price or the tokens aren't known.")
    version: str = Field(description="Of Longtake.")


class SetCard(Record):
    """What is in a set, as `card.json` has it."""

    building: BuildCard
    items: int
    turns: int
    agentic: int = Field(description="Items that have gold tool calls too.")
    tasks: Mapping[str, int] = Field(description="Items by task.")
    categories: Mapping[str, int]
    difficulties: Mapping[int, int] = Field(description="Turns by level.")
    modalities: Mapping[str, int] = Field(description="Turns by modality; one with several counts in each.")
    blind: int = Field(description="Turns that the model answered without the video.")
    decisions: Mapping[Decided, int] = Field(description="Items that a person has decided about, by decision.")
    dropped: Mapping[str, int] = Field(description="What was left out, by stage; `dropped.jsonl` says why.")
    partly: Mapping[str, int] = Field(description="What stays without a part, such as its last turns, by stage.")
    examples: Mapping[str, str] = Field(description="By stage, why the first of these was left out.")

    @property
    def checked(self) -> int:
        """Items that a person has decided about."""
        return sum(self.decisions.values())


def cost_of(spent: Iterable[StageCost], price: PriceSettings | None) -> float | None:
    """The cost of all stages at a price per million tokens; None if one isn't known."""
    every = list(spent)
    given, written = _sum(each.input_tokens for each in every), _sum(each.output_tokens for each in every)
    if price is None or given is None or written is None:
        return None
    return price.of({"input_tokens": given, "output_tokens": written})


def building_of(materials: Sequence[VideoMaterial], stages: Stages, settings: Settings) -> BuildCard:
    """How a set was built: by whom, from what, and at what cost, all runs on its folder together."""
    records = {stage: list(stages.records(stage)) for stage in STAGES}
    spent = {stage: StageCost.of(found) for stage, found in records.items() if found}
    return BuildCard(
        videos=tuple(
            CardVideo(video=each.video, seconds=each.duration, segments=len(each.segments), engines=each.engines)
            for each in materials
        ),
        model=settings.controller.model or "",
        prompts=prompts_hash(PROMPTS),
        spent=spent,
        cost=cost_of(spent.values(), known_price(settings.controller)),
        version=__version__,
    )


def card_of(building: BuildCard, found: CheckedSet, dropped: Sequence[Dropped]) -> SetCard:
    """The card of a set, after people looked at its items; some were dropped by the build, and some by them."""
    turns = [turn for item in found.items for turn in item.turns]
    kept = {item.id for item in found.items}
    # What lost a part first, and went at a later stage or by a decision, counts there alone.
    gone = {each.of: each.stage for each in dropped if not (each.of in kept or each.stage in COSTS_A_PART)}
    counted_here = [each for each in dropped if each.stage == gone.get(each.of, each.stage)]
    tasks = Counter(item.task for item in found.items)
    examples = dict[str, str]()
    for each in counted_here:
        examples.setdefault(each.stage, f"{each.of}: {each.why}")
    return SetCard(
        building=building,
        items=len(found.items),
        turns=len(turns),
        agentic=sum(has_calls(item) for item in found.items),
        tasks={task: tasks[task] for named in CATEGORIES.values() for task in named},
        categories={name: sum(tasks[task] for task in named) for name, named in CATEGORIES.items()},
        difficulties={level: sum(turn.difficulty == level for turn in turns) for level in range(1, 6)},
        modalities=dict(sorted(Counter(name for turn in turns for name in turn.modalities).items())),
        blind=sum(turn.blind for turn in turns),
        decisions=found.decisions,
        dropped=Counter(gone.values()),
        partly=Counter(each.stage for each in counted_here if each.of not in gone),
        examples=examples,
    )


def has_calls(item: BuiltItem) -> bool:
    """Whether an item has a variant with gold tool calls."""
    return any(turn.calls for turn in item.turns)


def card_markdown(card: SetCard) -> str:
    """The card for people to read."""
    building = card.building
    cost = UNKNOWN if building.cost is None else f"{building.cost:g}"
    checked = "No person has checked them yet."
    if card.checked:
        accepted, corrected, dropped = (card.decisions[name] for name in ("accept", "correct", "drop"))
        checked = f"People have checked {card.checked}: {accepted} accepted, {corrected} corrected, {dropped} dropped."
    lines = [
        "# Card of the set",
        "",
        f"{counted(card.items, 'item')} with {counted(card.turns, 'question')} about "
        f"{counted(len(building.videos), 'video')}; {card.agentic} of the items have gold tool calls too, in "
        "`agentic.jsonl`.",
        checked,
        f"The model answered {card.blind} of the questions without the video; `answerable_blind` marks them.",
        "",
        f"Built by Longtake {building.version} with {building.model}, prompts {building.prompts}. Cost: {cost}.",
        "Pictures were described when the videos were indexed; what that took isn't in the table of calls.",
    ]
    for grid in _grids(card):
        lines += ["", f"## {grid.title}", "", *markdown_table(grid)]
    return "\n".join(lines) + "\n"


def _grids(card: SetCard) -> Iterator[Grid]:
    category = {task: name for name, named in CATEGORIES.items() for task in named}
    yield Grid(
        "Videos",
        ("video", "length", "segments", "made by"),
        tuple(
            (
                each.video,
                clock(each.seconds),
                str(each.segments),
                ", ".join(f"{layer}: {engine}" for layer, engine in each.engines.items()),
            )
            for each in card.building.videos
        ),
    )
    tasks = tuple((category[task], task, str(count)) for task, count in card.tasks.items() if count)
    yield Grid("Tasks", ("category", "task", "items"), tasks)
    yield Grid(
        "Difficulty",
        ("level", "questions", "share", "in the paper"),
        tuple(
            (str(level), str(count), f"{100 * count / max(1, card.turns):.0f} %", PAPER_MIX[level])
            for level, count in card.difficulties.items()
        ),
    )
    modalities = tuple((name, str(count)) for name, count in card.modalities.items())
    yield Grid("Modalities", ("modality", "questions"), modalities)
    yield Grid(
        "Left out",
        ("stage", "left out", "kept in part", "for example"),
        tuple(
            (stage, str(card.dropped.get(stage, 0)), str(card.partly.get(stage, 0)), why)
            for stage, why in card.examples.items()
        ),
        "`dropped.jsonl` has them all.",
    )
    yield Grid(
        "Calls of the language model",
        ("stage", "calls", "tokens in", "tokens out"),
        tuple(
            (name, str(each.calls), _shown(each.input_tokens), _shown(each.output_tokens))
            for name, each in card.building.spent.items()
        ),
    )


def _shown(tokens: int | None) -> str:
    return UNKNOWN if tokens is None else f"{tokens:,}"


def _sum(numbers: Iterable[int | None]) -> int | None:
    """The sum; None if a number is None."""
    every = list(numbers)
    known = [number for number in every if number is not None]
    return sum(known) if len(known) == len(every) else None
