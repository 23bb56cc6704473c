"""`bench loop`: asks questions of a recorded or replayed model, and tells what became of its answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Literal

import typer
from pydantic import Field

from longtake.agent.traces.trace import RecordedTrace
from longtake.api import Library
from longtake.benchmarks.clips.examples import read_lines
from longtake.benchmarks.loop.cassette import Player, Question, Recorder, moments_in, start_of
from longtake.benchmarks.loop.endpoint import Body, Role, listening
from longtake.benchmarks.reports import Notify, Report
from longtake.config import load, secret
from longtake.console import EXIT_FAILED, Session
from longtake.language.text import fold
from longtake.memory.records import Answer, Record
from longtake.memory.timespan import CLOCKED, clock, parse_time

Outcome = Literal["whole", "part lost", "lost", "wrong", "abstained"]
OUTCOMES: tuple[Outcome, ...] = ("whole", "part lost", "lost", "wrong", "abstained")
_FLAGGED = re.compile(r"[^.!?\n]*[.!?]?\s*(?:\[[^\]]*\]\s*)*\[(?:not shown|contradicted)\]")
_WORD = re.compile(r"[\w.,:]*\w%?")
_TIME = re.compile(r"\[(?:[^\[\]]*? )?(\d+:\d\d(?::\d\d)?(?:\.\d+)?)")
Videos = Annotated[Path, typer.Option(help="Folder that the paths of the videos begin in.")]
HERE = Path(".")
_NEAR = 1.5  # seconds within which a mark stands where the model put it


class Row(Record):
    """What became of one question; `moved` counts times that stand where the model put none."""

    id: str
    outcome: Outcome
    status: str
    rounds: int
    tokens: int
    first_tokens: int
    moved: int
    answer: str = Field(repr=False)


class Table(Report):
    """All questions, means over them, and how many had each outcome; the first message without a whole transcript."""

    rows: tuple[Row, ...]
    outcomes: dict[Outcome, int]
    mean_rounds: float
    mean_tokens: float
    mean_first_tokens: float

    @property
    def exit_code(self) -> int:
        """Failed if a right answer was lost in whole or part."""
        return EXIT_FAILED if self.outcomes["part lost"] + self.outcomes["lost"] else 0


def record(
    session: Session,
    notify: Notify,
    questions: Annotated[Path, typer.Argument(help="JSONL: id, video, question, options, parts, abstain.")],
    cassette: Annotated[Path, typer.Argument(help="File that the replies are written to.")],
    url: Annotated[str, typer.Option(help="OpenAI-compatible endpoint of the model; its key is in OPENAI_API_KEY.")],
    videos: Videos = HERE,
    model: Annotated[str, typer.Option(help="Name of the model.")] = "recorded",
) -> Table:
    """Ask questions and keep what the model replies, to a cassette; exits with 1 if a right answer is lost."""
    recorder = Recorder(url, secret("OPENAI_API_KEY"))
    with cassette.open("w", encoding="utf-8") as file:

        def keep(question: Question) -> None:
            file.write(f"{question.model_copy(update={'replies': tuple(recorder.replies)}).model_dump_json()}\n")
            file.flush()

        return run_loop(session.library_root, read_lines(questions, Question), recorder, videos, notify, model, keep)


def replay(
    session: Session,
    notify: Notify,
    cassette: Annotated[Path, typer.Argument(help="What `record` wrote.")],
    videos: Videos = HERE,
) -> Table:
    """Replay a cassette against the code of today; exits with 1 if a right answer is lost in whole or part."""
    return run_loop(session.library_root, read_lines(cassette, Question), Player(), videos, notify)


def run_loop(
    root: Path,
    questions: list[Question],
    model: Player | Recorder,
    videos: Path,
    notify: Notify,
    name: str = "recorded",
    keep: Callable[[Question], None] = lambda question: None,
) -> Table:
    """Ask every question.

    Args:
        root: of the library.
        questions: with their replies, if they are to be replayed.
        model: plays or records.
        videos: the folder that the paths of the questions' videos begin in.
        notify: is told of each answer.
        name: of the model, which tells its profile.
        keep: is called as soon as a question is answered.
    """
    rows: list[Row] = []
    with Library(root) as library:  # indexed before the model is there: a cassette holds what it says to questions
        for video in dict.fromkeys(question.video for question in questions):
            library.index(videos / video)
    with listening(model) as port:
        url = f"http://127.0.0.1:{port}"
        settings = load(
            overrides=(
                "controller.engine=openai",
                f"controller.base_url={url}/controller/v1",
                f"controller.model={name}",
                f"verification.base_url={url}/judge/v1",
                f"visual_question.base_url={url}/vision/v1",
                "visual_question.model=recorded",
                "budget.seconds=20000",
                *(f"{part}.timeout=3000" for part in ("controller", "verification", "visual_question", "tools")),
            )
        )
        with Library(root, settings) as library:
            for question in questions:
                model.load(question)
                answer = library.ask(str(videos / question.video), question.question, options=question.options)
                rows.append(_row(question, answer, library.workspace.library.trace_root, model.requests))
                keep(question)
                notify(f"{question.id}: {rows[-1].outcome}, {answer.status}: {answer.answer}")
    count = Counter(row.outcome for row in rows)
    return Table(
        rows=tuple(rows),
        outcomes={name: count[name] for name in OUTCOMES},
        mean_rounds=fmean(row.rounds for row in rows),
        mean_tokens=fmean(row.tokens for row in rows),
        mean_first_tokens=fmean(row.first_tokens for row in rows),
    )


def _row(question: Question, answer: Answer, traces: Path, requests: list[tuple[Role, Body]]) -> Row:
    drafts = _drafts(RecordedTrace(traces, answer.trace or "")) if answer.trace else []
    last = drafts[-1] if drafts else {}
    shown = {name: place for _, request in requests for name, place in moments_in(request).items()}
    places = [start_of(shown[name]) for name in _ids(json.dumps(last)) if name in shown]
    places += [parse_time(time) for time in CLOCKED.findall(last.get("text", ""))]
    marks = [parse_time(time) for time in _TIME.findall(answer.answer)]
    moved = [mark for mark in marks if drafts and not any(abs(mark - int(place)) <= _NEAR for place in places)]
    first: Body = next((request for role, request in requests if role == "controller"), {"messages": []})
    return Row(
        id=question.id,
        outcome=_outcome(question, answer, last),
        status=answer.status,
        rounds=answer.usage.rounds,
        tokens=answer.usage.input_tokens + answer.usage.output_tokens,
        first_tokens=_tokens(first),
        moved=len(moved),
        answer=answer.answer,
    )


def _ids(draft: str) -> list[str]:
    """The ids that a draft cites, also those inside a range."""
    ids = [f"m{number}" for number in re.findall(r"\bm(\d+)\b", draft)]
    for first, last in re.findall(r"\bm(\d+)\s*[-–—]\s*m(\d+)\b", draft):
        ids += [f"m{number}" for number in range(int(first), int(last))]
    return ids


def _outcome(question: Question, answer: Answer, draft: dict[str, Any]) -> Outcome:
    if question.abstain:
        return "abstained" if answer.status == "abstained" else "lost" if _right(question, draft) else "wrong"
    if draft.get("status") == "abstained":
        return "abstained"
    if not _right(question, draft):
        return "wrong"
    option = answer.option.letter if answer.option else ""
    published = f"{option} {_FLAGGED.sub(' ', answer.answer)}"
    kept = [_has(published, part) for part in question.parts]
    return "whole" if all(kept) else "part lost" if any(kept) else "lost"


def _right(question: Question, draft: dict[str, Any]) -> bool:
    if question.abstain:
        return draft.get("status") == "abstained"
    claims = " ".join(claim["text"] for claim in draft.get("claims", ()))
    return all(_has(f"{draft.get('option') or ''} {draft.get('text', '')} {claims}", part) for part in question.parts)


def _has(text: str, spellings: Iterable[str]) -> bool:
    """Whether a text has one of the spellings; a word may go on, as "stretch" does in "stretches"."""
    plain = _plain(text)
    return any(_plain(each).rstrip(" " if each[-1:].isalpha() else "") in plain for each in spellings)


def _plain(text: str) -> str:
    """The words and numbers of a text, with a space around each; times without leading zeros and decimals."""
    text = CLOCKED.sub(lambda match: clock(parse_time(match[0])), fold(text))
    return f" {' '.join(re.sub(r'[.,]0+$', '', word) for word in _WORD.findall(text))} "


def _drafts(trace: RecordedTrace) -> list[dict[str, Any]]:
    """The drafts that were judged, in order."""
    return [trace.blob(event["input"])["draft"] for event in trace.events() if event["type"] == "judge"]


def _tokens(request: Body) -> int:
    """Tokens of the first request, about four letters each, without a whole transcript."""
    text = json.dumps(request.get("tools", []))
    for message in request["messages"]:
        text += re.sub(r"Whole transcript:\n.*?\n\n", "", str(message.get("content") or ""), flags=re.DOTALL)
    return len(text) // 4
