"""Asks the questions of a file with a recorded or replayed model, and counts what became of its right answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from longtake.agent.drafts.cited import CLOCKED
from longtake.agent.traces.trace import RecordedTrace
from longtake.api import Library
from longtake.benchmarks.loop.cassette import Body, Player, Question, Recorder, Role, listening, moments_in
from longtake.config import load
from longtake.language.text import fold
from longtake.memory.records import Answer, Record
from longtake.memory.timespan import clock, parse_time

Outcome = Literal["whole", "part lost", "lost", "wrong", "abstained"]
OUTCOMES: tuple[Outcome, ...] = ("whole", "part lost", "lost", "wrong", "abstained")
_FLAGGED = re.compile(r"[^.!?\n]*[.!?]?\s*(?:\[[^\]]*\]\s*)*\[(?:not shown|contradicted)\]")
_WORD = re.compile(r"[\w.,:]*\w%?")
_TIME = re.compile(r"\[(?:[^\[\]]*? )?(\d+:\d\d(?::\d\d)?(?:\.\d+)?)")
_NEAR = 1.5  # seconds within which a mark stands where the model put it


class Row(Record):
    """What became of one question."""

    id: str
    outcome: Outcome
    status: str
    rounds: int
    calls: int
    tokens: int
    first_tokens: int
    tool_tokens: int
    wasted: int
    marks: int
    moved: int
    answer: str


class Table(Record):
    """All questions."""

    rows: tuple[Row, ...]


def run_loop(
    root: Path,
    questions: list[Question],
    model: Player | Recorder,
    videos: Path,
    say: Callable[[str], None],
    name: str = "recorded",
    keep: Callable[[Question], None] = lambda question: None,
) -> Table:
    """Ask every question.

    Args:
        root: of the library.
        questions: with their replies, if they are to be replayed.
        model: plays or records.
        videos: the folder that the paths of the questions' videos begin in.
        say: is told of each answer.
        name: of the model, which tells its profile.
        keep: is given each question with what was replied, as soon as it is answered.
    """
    rows: list[Row] = []
    with Library(root) as library:  # indexed before the model is there: a cassette holds what it says to questions
        for video in dict.fromkeys(question.video for question in questions):
            library.index(videos / video)
    with listening(model) as url:
        settings = load(
            overrides=(
                "controller.engine=openai",
                f"controller.base_url={url}/controller/v1",
                f"controller.model={name}",
                f"verification.base_url={url}/judge/v1",
                f"visual_question.base_url={url}/vision/v1",
                "visual_question.model=recorded",
                "budget.seconds=20000",
                "controller.timeout=3000",
                "verification.timeout=3000",
                "visual_question.timeout=3000",
                "tools.timeout=3000",
            )
        )
        with Library(root, settings) as library:
            for question in questions:
                model.load(question)
                answer = library.ask(str(videos / question.video), question.question, options=question.options)
                row = _row(question, answer, library.workspace.library.trace_root, model.requests)
                rows.append(row)
                if isinstance(model, Recorder):
                    keep(question.model_copy(update={"replies": tuple(model.replies)}))
                say(f"{row.id}: {row.outcome}, {row.status}: {row.answer}")
    return Table(rows=tuple(rows))


def show_loop(table: Table) -> list[str]:
    """The table as lines."""
    count = Counter(row.outcome for row in table.rows)
    lines = [f"{'id':<12}{'outcome':<11}{'status':<11}{'rounds':>6}{'calls':>6}{'tokens':>8}{'first':>7}{'wasted':>7}"]
    for row in table.rows:
        lines.append(
            f"{row.id:<12}{row.outcome:<11}{row.status:<11}{row.rounds:>6}{row.calls:>6}{row.tokens:>8}"
            f"{row.first_tokens:>7}{row.wasted:>7}"
        )
    total = max(1, len(table.rows))
    lines += [
        "",
        f"{len(table.rows)} questions: " + ", ".join(f"{count[name]} {name}" for name in OUTCOMES),
        f"marks: {sum(row.marks for row in table.rows)}, moved: {sum(row.moved for row in table.rows)}",
        f"wasted rounds: {sum(row.wasted for row in table.rows)}",
        f"mean: {sum(row.rounds for row in table.rows) / total:.1f} rounds, "
        f"{sum(row.calls for row in table.rows) / total:.1f} calls, "
        f"{sum(row.tokens for row in table.rows) / total:,.0f} tokens, first message "
        f"{sum(row.first_tokens for row in table.rows) / total:,.0f} with tools and without a whole transcript",
    ]
    return lines


def _row(question: Question, answer: Answer, traces: Path, requests: list[tuple[Role, Body]]) -> Row:
    drafts = _drafts(RecordedTrace(traces, answer.trace or "")) if answer.trace else []
    last = drafts[-1] if drafts else {}
    shown = {name: place for _, request in requests for name, place in moments_in(request).items()}
    places = [_start(shown[name]) for name in _ids(json.dumps(last)) if name in shown]
    places += [parse_time(time) for time in CLOCKED.findall(last.get("text", ""))]
    marks = [parse_time(time) for time in _TIME.findall(answer.answer)]
    moved = [mark for mark in marks if drafts and not any(abs(mark - int(place)) <= _NEAR for place in places)]
    first: Body = next((request for role, request in requests if role == "controller"), {"messages": []})
    sent_back = [draft for draft in drafts[:-1] if _right(question, draft)]
    return Row(
        id=question.id,
        outcome=_outcome(question, answer, last),
        status=answer.status,
        rounds=answer.usage.rounds,
        calls=answer.usage.tool_calls,
        tokens=answer.usage.input_tokens + answer.usage.output_tokens,
        first_tokens=_tokens(first),
        tool_tokens=len(json.dumps(first.get("tools", []))) // 4,
        wasted=len(sent_back),
        marks=len(marks),
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


def _start(place: str) -> float:
    found = re.search(r"(\d[\d:.]*)-", place)
    return parse_time(found[1]) if found else 0.0


def _tokens(request: Body) -> int:
    """Tokens of the first request, about four letters each, without a whole transcript."""
    text = json.dumps(request.get("tools", []))
    for message in request["messages"]:
        text += re.sub(r"Whole transcript:\n.*?\n\n", "", str(message.get("content") or ""), flags=re.DOTALL)
    return len(text) // 4
