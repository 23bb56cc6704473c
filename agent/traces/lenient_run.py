"""Finds the run a user means, and reads it from its trace, even if that is torn, incomplete or of another schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from longtake.agent.traces.trace import JUDGE, SCHEMA, RecordedTrace
from longtake.errors import LibraryError
from longtake.language.text import parse_json
from longtake.lazy import cached_property
from longtake.memory.library import ID_DIGITS
from longtake.memory.records import Answer, Record, Usage
from longtake.models.profiles import profile_named
from longtake.settings import PriceSettings

_PLACE = re.compile(r"call-\d+-(\d+)")
_TOKENS = ("input_tokens", "output_tokens")

RunStatus = Literal["answered", "uncertain", "abstained", "partial", "failed", "interrupted", "unfinished"]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
VideoId = Annotated[str, Field(pattern=rf"^[0-9a-f]{{{ID_DIGITS}}}$")]  # it becomes part of a path
Read = TypeVar("Read", bound=BaseModel)


class Lenient(BaseModel):
    """Part of a trace that another version may have written: unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class TraceEvent(Lenient):
    """One line of a trace, as `longtake.agent.traces.trace` describes it."""

    v: int = 0
    step: int
    parent: int | None = None
    type: str
    started: float = 0.0
    seconds: float = 0.0
    data: Mapping[str, Any] = Field(default_factory=dict)
    input: Digest | None = None
    output: Digest | None = None
    spans: tuple[tuple[str, float, float], ...] = ()
    evidence: tuple[str, ...] = ()
    usage: Mapping[str, float] = Field(default_factory=dict)


class RecordedQuestion(Lenient):
    """The question of a run, and the ids of its videos."""

    question: str = ""
    options: tuple[str, ...] = ()
    videos: tuple[VideoId, ...] = ()


class KnownVideos(Lenient):
    """What the run knew of its videos, by id."""

    names: Mapping[str, str] = Field(default_factory=dict)
    videos: Mapping[str, float] = Field(default_factory=dict, description="Seconds.")


class ForkOrigin(Lenient):
    """The call of another run that a run was forked from."""

    run: str
    step: int
    set: Mapping[str, Any] = Field(default_factory=dict, description="The changed arguments.")


class Controller(Lenient):
    """The settings of the planning model that are read back."""

    engine: str = ""
    model: str | None = None
    price: PriceSettings | None = None


class RecordedJudge(Lenient):
    """The settings of the model that judges that are read back."""

    model: str | None = None


class RunSettings(Lenient):
    """The settings of a run that are read back; none is secret."""

    controller: Controller = Controller()
    verification: RecordedJudge = RecordedJudge()


class RunSummary(Record):
    """A run in one line."""

    run: str
    asked: float = Field(description="Seconds since the epoch.")
    question: str
    status: RunStatus
    usage: Usage
    forked_from: ForkOrigin | None = None


class LenientRun:
    """A run, as far as its trace can be read; `WholeRun` needs a complete one.

    `problems` has a sentence for each part that can't be read; it grows as more is read.
    """

    def __init__(self, trace: RecordedTrace) -> None:
        """Read the events.

        Raises:
            LibraryError: when the trace can't be read at all.
        """
        self.trace = trace
        self.id = trace.run
        self.problems: list[str] = []
        self.events = tuple(self._events())

    def of(self, kind: str) -> list[TraceEvent]:
        """The events of a type, in the order they were written."""
        return [event for event in self.events if event.type == kind]

    @cached_property
    def calls(self) -> tuple[TraceEvent, ...]:
        """The tool calls in the order they were requested; those of one round may end in any order."""
        return tuple(sorted(self.of("tool"), key=lambda event: (event.parent or 0, _place(event), event.step)))

    @cached_property
    def rounds(self) -> tuple[TraceEvent, ...]:
        """The controller's replies, except those to tools."""
        return tuple(event for event in self.of("model") if "tool" not in event.data)

    @property
    def started(self) -> float:
        """When the question was asked, in seconds since the epoch."""
        return self.events[0].started if self.events else 0.0

    @cached_property
    def asked(self) -> RecordedQuestion:
        """What was asked; without a question if the run recorded none."""
        return next((self.read(event.input, RecordedQuestion) for event in self.of("run")), None) or RecordedQuestion()

    @cached_property
    def known(self) -> KnownVideos:
        """What was known of the videos."""
        return next((self.read(event.output, KnownVideos) for event in self.of("orient")), None) or KnownVideos()

    @cached_property
    def forked_from(self) -> ForkOrigin | None:
        """What it was forked from, if it is a fork."""
        origin = next((event.data.get("forked_from") for event in self.of("run")), None)
        try:
            return None if origin is None else ForkOrigin.model_validate(origin)
        except ValidationError:
            self._note(f"The origin of the fork {self.id} can't be read, and isn't shown.")
            return None

    @cached_property
    def settings(self) -> RunSettings:
        """The settings it ran with."""
        return next((self.read(event.output, RunSettings) for event in self.of("run")), None) or RunSettings()

    @cached_property
    def answer(self) -> Answer | None:
        """Its answer, if it has one."""
        return next((self.read(event.output, Answer) for event in self.of("answer")), None)

    @property
    def status(self) -> RunStatus:
        """How it ended; `unfinished` while it is running, or if it was killed."""
        for event in reversed(self.events):
            if event.type == "answer":
                status = event.data.get("status")
                return status if status in ("uncertain", "abstained", "partial", "failed") else "answered"
            if event.type == "error":
                return "interrupted" if event.data.get("error") == "interrupted" else "failed"
        return "unfinished"

    @cached_property
    def usage(self) -> Usage:
        """What it spent, according to its events."""
        spent = tokens_in([event.usage for event in self.of("model")])
        return Usage(
            rounds=len(self.rounds),
            tool_calls=len(self.calls),
            seconds=round(max((event.started + event.seconds for event in self.events), default=0.0) - self.started, 3),
            **spent,
            cost=round(sum(map(self.cost, self.of("model"))), 6),
        )

    @property
    def summary(self) -> RunSummary:
        """The run in one line."""
        return RunSummary(
            run=self.id,
            asked=self.started,
            question=self.asked.question,
            status=self.status,
            usage=self.usage,
            forked_from=self.forked_from,
        )

    def cost(self, event: TraceEvent) -> float:
        """What the tokens of a model's reply cost: the judge's, or else the controller's."""
        settings = self.settings
        judge = settings.verification.model if event.data.get("tool") == JUDGE else None
        price = profile_named(judge).price if judge else settings.controller.price
        return (price or profile_named(settings.controller.model).price).of(event.usage)

    def blob(self, digest: str | None) -> Any:
        """A recorded input or output; None if there is none, or if it can't be read, which is noted as a problem."""
        try:
            return self.trace.blob(digest) if digest else None
        except (LibraryError, ValueError) as error:
            self._note(str(error))
            return None

    def read(self, digest: str | None, model: type[Read]) -> Read | None:
        """A blob as a record; None as for `blob`, or if it isn't such a record."""
        value = self.blob(digest)
        try:
            return None if value is None else model.model_validate(value)
        except ValidationError:
            self._note(f"The blob {digest} of {self.id} isn't in this version's format, and isn't shown.")
            return None

    def _events(self) -> list[TraceEvent]:
        path = self.trace.root / f"{self.id}.jsonl"
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError as error:
            raise LibraryError(f"{path} cannot be read: {error.strerror}.") from error
        events: list[TraceEvent] = []
        for number, line in enumerate(lines[:-1], start=1):
            event = _read_event(line)
            if event and all(event.step > earlier.step for earlier in events[-1:]):
                events.append(event)
            else:
                self._note(f"Line {number} of {path} isn't an event, and is skipped.")
        if lines[-1]:
            self._note(f"The last line of {path} is cut off: the run is still going, or was killed.")
        if others := {event.v for event in events} - {SCHEMA}:
            schemas = ", ".join(map(str, sorted(others)))
            self._note(f"{self.id} has schema {schemas}, not {SCHEMA}: parts this version doesn't know aren't shown.")
        return events

    def _note(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


def tokens_in(usages: Sequence[Mapping[str, float]]) -> dict[str, int]:
    """The total `input_tokens` and `output_tokens` of some replies."""
    return {kind: int(sum(usage.get(kind, 0) for usage in usages)) for kind in _TOKENS}


def _read_event(line: str) -> TraceEvent | None:
    try:
        return TraceEvent.model_validate(parse_json(line))
    except ValueError:  # invalid JSON or fields
        return None


def _place(event: TraceEvent) -> int:
    """The place of a call within its round."""
    match = _PLACE.fullmatch(str(event.data.get("call")))
    return int(match[1]) if match else 0


RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
LAST = "last"
_SECOND = 15  # characters of an id that give its starting second
_NAMED = 3  # maximum matching runs named in an error


def run_ids(root: Path) -> list[str]:
    """The runs in a trace folder, newest first; those of the same second by last write."""
    files = [file for file in root.glob("*.jsonl") if RUN.fullmatch(file.stem)]
    newest = sorted(files, key=lambda file: (file.stem[:_SECOND], file.stat().st_mtime_ns), reverse=True)
    return [file.stem for file in newest]


def no_traces(root: Path) -> str:
    """What to say of a folder without traces."""
    return f"There are no traces in {root} yet: `longtake ask` writes one."


def find_run(root: Path, reference: str) -> LenientRun:
    """The run with this id or id prefix, or the `last` one.

    Raises:
        LibraryError: when no run matches, or several do.
    """
    ids = run_ids(root)
    matches = ids[:1] if reference == LAST else [run for run in ids if run.startswith(reference)]
    if not ids:
        raise LibraryError(no_traces(root))
    if not matches:
        raise LibraryError(f"No trace in {root} begins with {reference!r}: `longtake trace list` lists them.")
    if len(matches) > 1:
        examples = ", ".join(matches[:_NAMED])
        raise LibraryError(f"{reference!r} matches {len(matches)} traces, such as {examples}: give more characters.")
    return LenientRun(RecordedTrace(root, matches[0]))
