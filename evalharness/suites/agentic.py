"""The agentic track of LongShOT (v1): which tools a subject calls for a question, in what order, with what arguments.

The samples are those of LongShOTBench that have `tool_calls`. A `tools.json` beside them defines the tools: a
list of {name, inputs, outputs, description}. Without it they are Longtake's versions of the paper's sixteen. The
track has two modes. In the simulated one (`Simulated`) a model lists the calls it would make and is then
given the gold results. In the live one the agent calls its tools, and its trace holds the calls.

The rubric has the names and weights of the release. Each criterion is met as a whole or not at all, so one wrong
argument loses all of them. In the release a model judges every criterion; here only the final answer needs a judge.
Penalties have positive weights, as released: in the reading `repo` nobody can earn them, and a flawless answer stays
below 100. Beside it, everything is pooled over the turns with gold calls: F1 is twice the right calls over all calls
made and wanted, the share of arguments is over all gold arguments, order is the longest common subsequence over the
gold calls. A reply that is an error, or is missing, made no calls.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from longtake.errors import ConfigError
from longtake.evalharness.items import (
    Criterion,
    Heading,
    Item,
    Judgement,
    Prediction,
    PredictionKey,
    Reply,
    ToolCall,
    ToolDefinition,
    Turn,
)
from longtake.evalharness.judges.checks import abstains
from longtake.evalharness.judges.judging import Case, current
from longtake.evalharness.runs.journal import wrong_field
from longtake.evalharness.runs.predicting import failed
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.call_scores import TOLERANCE, Compared, compare_calls
from longtake.evalharness.scoring.choice_scores import MAX_UNJUDGED, CountedShare
from longtake.evalharness.scoring.estimates import Estimate, Observation, Rows, ratio, rows
from longtake.evalharness.scoring.rubric_scores import CriterionVerdict, Reading, sample_score
from longtake.evalharness.suites.longshot import load_longshot
from longtake.memory.records import Record

SUITE = "agentic"
TOOLS = "tools.json"
# Arguments of the requests to a model, which the release keeps out of the gold calls.
_OF_REQUESTS = frozenset({"video_id", "stream", "api_key", "model", "temperature", "max_tokens"})

# The parameters in the paper's table of tools. Ours take more, which no gold call has.
_PUBLISHED: Mapping[str, str] = {
    "transcribe_speech": "timestamp language?",
    "extract_scene_text": "timestamp language?",
    "count_objects": "timestamp object_query",
    "object_detection": "timestamp categories[]",
    "extract_math_exp": "timestamp language?",
    "calculator": "expression",
    "web_search": "query num_results?",
    "execute_code": "code language inputs?",
    "detect_audio_events": "timestamp",
    "detect_activities": "timestamp",
    "summarize_segment": "timestamp text length",
    "detect_faces": "timestamp",
    "cross_modal_search": "query modalities[] k?",
    "memory_tool": "func data",
    "translate_speech": "timestamp from_lang to_lang",
    "translate_text": "text from_lang to_lang",
}
FINAL = "final_answer_correctness"
_BONUS = 0.25  # weight of an optional parameter
NEAR = f"within {TOLERANCE:g} s"


def load_agentic(file: Path, media: Path | None, notify: Notify) -> list[Item]:
    """The samples of a file of LongShOTBench v1 that have tool calls, with the released rubric as their criteria.

    Only the live mode needs the folder of the videos.

    Raises:
        ConfigError: if no sample has calls, or a file cannot be read.
    """
    tools_file = file.parent / TOOLS
    tools = read_tools(tools_file) if tools_file.exists() else own_tools()
    items = load_longshot(file, media, notify)
    called = [agentic_item(item, tools) for item in items if item.format == "calls"]
    if not called:
        raise ConfigError(f"{file} holds no sample with tool_calls; give a file of LongShOTBench v1.")
    if len(called) < len(items):
        notify(f"{file}: {len(items) - len(called)} of {len(items)} samples have no tool_calls; they were left out.")
    return called


def agentic_item(item: Item, tools: Sequence[ToolDefinition]) -> Item:
    """An item of another suite with gold calls as one of the track; gold arguments that no tool takes are left out."""
    known = {name for tool in tools for name in tool.parameters} - _OF_REQUESTS
    turns = []
    for turn in item.turns:
        kept = [{name: value for name, value in call.arguments.items() if name in known} for call in turn.calls]
        calls = tuple(call.model_copy(update={"arguments": each}) for call, each in zip(turn.calls, kept, strict=True))
        turns.append(turn.model_copy(update={"calls": calls, "criteria": rubric(calls, tools)}))
    return item.model_copy(update={"suite": SUITE, "format": "calls", "tools": tuple(tools), "turns": tuple(turns)})


def read_tools(file: Path) -> tuple[ToolDefinition, ...]:
    """The tools of a `tools.json`; other fields of theirs are ignored.

    Raises:
        ConfigError: if it cannot be read or defines no tools.
    """
    try:
        return TypeAdapter(tuple[ToolDefinition, ...]).validate_json(file.read_bytes(), extra="ignore")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}; check its name.") from error
    except ValidationError as error:
        raise ConfigError(f"{file} defines no tools: {wrong_field(error)}; give LongShOT's {TOOLS}.") from error


def own_tools() -> tuple[ToolDefinition, ...]:
    """The paper's sixteen tools with the parameters that it publishes, and what ours do.

    That is the first clause of our descriptions, because what follows explains parameters, of which we have more.
    """
    from longtake.tools.catalogue import BUILT_IN
    from longtake.tools.core.registry import SPECS

    specs = [SPECS[function] for function in BUILT_IN if SPECS[function].group == "core"]
    return tuple(
        ToolDefinition(
            name=spec.name,
            inputs=tuple(_PUBLISHED[spec.name].split()),
            description=spec.description.splitlines()[0].partition(";")[0],
        )
        for spec in specs
    )


def agentic_cases(item: Item, prediction: Prediction) -> Iterator[Case]:
    """The judged parts of a prediction: the final answer of each turn with gold calls, as a whole."""
    for number, turn, reply in prediction.turns_of(item):
        if turn.calls:
            yield Case(item, number, reply, "whole")


def rubric(gold: Sequence[ToolCall], tools: Sequence[ToolDefinition]) -> tuple[Criterion, ...]:
    """The criteria of a turn; none if no tool is to be called.

    Parameters are counted whether or not a gold call gives them; unknown tools have none.
    """
    if not gold:
        return ()
    parameters = {tool.name: tool.parameters for tool in tools}
    needed = [required for call in gold for required in parameters.get(call.tool, {}).values()]
    return tuple(_criteria(len({call.tool for call in gold}), sum(needed), len(needed) - sum(needed)))


def verdicts(calls: Compared) -> Mapping[str, bool]:
    """Which criteria the calls meet, by name. A penalty is met when what it forbids was not done."""
    matched = {
        required: not calls.missed and all(each.matches for each in calls.arguments if each.required == required)
        for required in (True, False)
    }
    return {
        "tool_selection_accuracy": calls.gold.keys() == calls.made.keys(),
        "required_parameter_accuracy": matched[True],
        "optional_parameter_precision": matched[False],
        "sequence_logic": calls.in_order == calls.gold.total(),
        "efficiency_penalty": calls.made.total() <= calls.gold.total(),
        "wrong_tool_call": not calls.wrong,
    }


def _criteria(tools: int, required: int, optional: int) -> Iterator[Criterion]:
    yield Criterion(name="tool_selection_accuracy", description="Calls the right tools and no other.", weight=tools)
    if required:
        name = "required_parameter_accuracy"
        yield Criterion(name=name, description="All required arguments are right.", weight=required)
    if optional:
        name = "optional_parameter_precision"
        yield Criterion(name=name, description="All optional arguments are right.", weight=_BONUS * optional)
    yield Criterion(name="sequence_logic", description="The tools are called in the right order.", weight=1)
    yield Criterion(name=FINAL, description="The final answer is right and complete.", weight=3)
    efficient = "Must not make more calls than needed."
    yield Criterion(name="efficiency_penalty", description=efficient, weight=1, penalty=True)
    right = "Must not call unneeded tools."
    yield Criterion(name="wrong_tool_call", description=right, weight=2, penalty=True)


class AgenticScores(Record):
    """Scores of one subject, 0 to 100 with intervals; the rubric's in `paper` may go below 0."""

    reading: Reading
    headline: Estimate | None = Field(description="Of the rubric; none above 1 % of answers without a verdict.")
    overall: Estimate = Field(description="Of the rubric, pooled over the samples as a task is.")
    excluded: Estimate = Field(description="The same without samples in which a reply is an error or unread.")
    calls: Rows = Field(description="Selection, arguments and order.")
    tools: Rows = Field(description="F1 of the selection of each tool; 0 if gold never calls it.")
    parameters: Rows = Field(description="Gold arguments that match, by tool and parameter.")
    timestamps: Rows = Field(description="Of the gold timestamps: mean overlap, and how many are near.")
    criteria: Rows = Field(description="Turns that meet each criterion of the rubric.")
    wrong: CountedShare = Field(description="Share of the calls to tools that gold doesn't call in the turn.")
    superfluous: CountedShare = Field(description="Of the calls made, those beyond as many as gold makes of the tool.")
    missed: CountedShare = Field(description="Of the gold calls, those that were not made.")
    errors: CountedShare = Field(description="Of the samples, those that have an error, or no reply to a turn.")
    parse_failures: CountedShare = Field(description="Of the turns, those in whose reply no calls could be read.")
    unjudged: CountedShare = Field(description="Of the final answers, those without a verdict; they count as wrong.")
    unsure: CountedShare = Field(
        description="Of the final answers, those of whose verdict the judge was not sure; it counts."
    )


class _CallsTurn(NamedTuple):
    """The outcome of a turn with gold calls."""

    video: str
    calls: Compared
    verdicts: tuple[CriterionVerdict, ...]
    unread: bool  # whether no calls could be read in the reply
    unsure: bool  # whether the judge was not sure of the final answer

    @property
    def answered(self) -> bool | None:
        """Whether the final answer is right; None without a verdict."""
        return next(verdict.met for verdict in self.verdicts if verdict.criterion.name == FINAL)


class _Sample(NamedTuple):
    """The outcome of a sample."""

    item: Heading
    turns: tuple[_CallsTurn, ...]
    failed: bool

    @property
    def unread(self) -> bool:
        """Whether the calls of some reply could not be read."""
        return any(turn.unread for turn in self.turns)


def score_agentic(
    items: Collection[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement], reading: Reading
) -> AgenticScores:
    """Score one subject in one variant; each seed makes a sample of every item; one not asked counts as an error."""
    samples = _samples(items, list(predictions), judgements)
    turns = [turn for sample in samples for turn in sample.turns]
    compared = [turn.calls for turn in turns]
    made, wanted = sum(calls.made.total() for calls in compared), sum(calls.gold.total() for calls in compared)
    overall = _rubric(samples, reading)
    unjudged = CountedShare(count=sum(turn.answered is None for turn in turns), n=len(turns))
    return AgenticScores(
        reading=reading,
        headline=overall if unjudged.value <= MAX_UNJUDGED else None,
        overall=overall,
        excluded=_rubric([sample for sample in samples if not (sample.failed or sample.unread)], reading),
        **_tables(turns),
        wrong=CountedShare(count=sum(calls.wrong for calls in compared), n=made),
        superfluous=CountedShare(count=sum(calls.superfluous for calls in compared), n=made),
        missed=CountedShare(count=sum(calls.missed for calls in compared), n=wanted),
        errors=CountedShare(count=sum(sample.failed for sample in samples), n=len(samples)),
        parse_failures=CountedShare(count=sum(turn.unread for turn in turns), n=len(turns)),
        unjudged=unjudged,
        unsure=CountedShare(count=sum(turn.unsure for turn in turns), n=len(turns)),
    )


def _samples(
    items: Collection[Item], predictions: Sequence[Prediction], judgements: Iterable[Judgement]
) -> list[_Sample]:
    said = {(prediction.item, prediction.seed): prediction for prediction in predictions}
    found = {(one.key, one.turn): (one.met, one.sure) for one in current(judgements, predictions)}
    seeds = sorted({seed for _, seed in said}) or [0]
    return [_sample(item, said.get((item.id, seed)), found) for seed in seeds for item in items]


def _sample(
    item: Item, prediction: Prediction | None, found: Mapping[tuple[PredictionKey, int], tuple[bool | None, bool]]
) -> _Sample:
    replies = list(prediction.replies) if prediction else []
    lacking = prediction is None or len(replies) < len(item.turns) or failed(prediction)
    replies += [Reply(text="", status="error")] * (len(item.turns) - len(replies))
    turns: list[_CallsTurn] = []
    for number, (turn, reply) in enumerate(zip(item.turns, replies, strict=True)):
        if turn.calls:
            met, sure = found.get((prediction.key, number), (None, True)) if prediction else (None, True)
            turns.append(_turn(item, turn, reply, met, sure))
    return _Sample(item.heading, tuple(turns), lacking)


def _turn(item: Item, turn: Turn, reply: Reply, answered: bool | None, sure: bool) -> _CallsTurn:
    """The outcome of a turn. The calls of an erroneous reply don't count, and an empty answer is wrong.

    So is an uncertain one, unless an abstention is due.
    """
    failed_reply = reply.status != "ok"
    unsure = reply.uncertain and not abstains(turn.reference).met
    calls = compare_calls(turn.calls, () if failed_reply else reply.calls, item.tools)
    met = {**verdicts(calls), FINAL: False if failed_reply or unsure or not reply.spoken else answered}
    return _CallsTurn(
        video=item.video,
        calls=calls,
        verdicts=tuple(CriterionVerdict(criterion, met[criterion.name]) for criterion in turn.criteria),
        unread=reply.parse == "failed",
        unsure=not sure,
    )


def _rubric(samples: Iterable[_Sample], reading: Reading) -> Estimate:
    scores = [
        sample_score(sample.item, [verdict for turn in sample.turns for verdict in turn.verdicts], reading)
        for sample in samples
    ]
    return ratio(score.observation for score in scores)


def _tables(turns: Iterable[_CallsTurn]) -> dict[str, Rows]:
    """The rows of which anything could be earned, by table."""
    calls, tools, parameters, timestamps, criteria = (list[tuple[str, Observation]]() for _ in range(5))
    for turn in turns:
        done, video = turn.calls, turn.video
        hits, gold, made = done.hits.total(), done.gold.total(), done.made.total()
        calls += [
            ("selection F1", Observation(2 * hits, gold + made, video)),
            ("selection precision", Observation(hits, made, video)),
            ("selection recall", Observation(hits, gold, video)),
            ("order", Observation(done.in_order, gold, video)),
        ]
        tools += [
            (tool, Observation(2 * done.hits[tool], done.gold[tool] + done.made[tool], video))
            for tool in done.gold | done.made
        ]
        for argument in done.arguments:
            matches, spans = Observation(argument.matches, 1, video), argument.spans
            calls.append(("required arguments" if argument.required else "optional arguments", matches))
            parameters.append((f"{argument.tool} {argument.name}", matches))
            if spans:
                timestamps.append(("overlap", Observation(spans.overlap, 1, video)))
                timestamps.append((NEAR, Observation(spans.near, 1, video)))
        criteria += [(one.criterion.name, Observation(bool(one.met), 1, video)) for one in turn.verdicts]
    found = {
        "calls": rows(calls),
        "tools": rows(sorted(tools)),
        "parameters": rows(sorted(parameters)),
        "timestamps": rows(timestamps),
        "criteria": rows(criteria),
    }
    return {name: {row: each for row, each in table.items() if each.value is not None} for name, table in found.items()}
