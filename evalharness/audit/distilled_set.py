"""Writes the distilled subset as a question set of one's own: questions, card, a list of what went, and a README."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from longtake.console import counted
from longtake.evalharness.audit.audit_replies import short_name
from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.audit.review import WHY
from longtake.evalharness.items import Item
from longtake.evalharness.runs.journal import write_file
from longtake.evalharness.suites.benchmark_rows import csv_text
from longtake.evalharness.suites.own_set import CardFields

QUESTIONS, CARD, REMOVED, README = "questions.jsonl", "card.yaml", "removed.csv", "README.md"
CATEGORY = "category"


def write_distilled(state: AuditState, folder: Path) -> tuple[Path, ...]:
    """Write the files of the subset.

    Raises:
        LibraryError: if the folder can't be written to.
    """
    items = [state.replies.items[name] for name in state.remaining]
    root = _root(items)
    rows = [_row(item, root, state.categories) for item in items]
    texts = {
        QUESTIONS: "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows),
        CARD: yaml.safe_dump(_card(state.name, root, rows), sort_keys=False),
        REMOVED: _removed(state),
        README: "\n".join(_readme(state)) + "\n",
    }
    for name, text in texts.items():
        write_file(folder / name, text)
    return tuple(folder / name for name in texts)


def _root(items: list[Item]) -> Path | None:
    """The folder that has all videos; None if one is missing."""
    paths = [item.media for item in items]
    known = [os.path.dirname(os.path.abspath(path)) for path in paths if path]
    return Path(os.path.commonpath(known)) if known and len(known) == len(paths) else None


def _row(item: Item, root: Path | None, categories: Mapping[str, str]) -> dict[str, Any]:
    turn = item.turns[0]
    video = os.path.relpath(os.path.abspath(item.media), root) if root and item.media else item.video
    own = {"id", "question", "options", "answer", "video", "task", "evidence", "clip", CATEGORY}
    row: dict[str, Any] = {
        "id": item.id,
        "video": video,
        "question": turn.question,
        "options": list(turn.options),
        "answer": turn.gold,
        "task": item.task,
    }
    if turn.evidence:
        row["evidence"] = [[span.start, span.end] for span in turn.evidence]
    if item.clip:
        row["clip"] = [item.clip.start, item.clip.end]
    row |= {tag: text for tag, text in item.tags.items() if tag not in own}
    return row | {CATEGORY: categories.get(item.id, "")}


def _card(name: str, root: Path | None, rows: list[dict[str, Any]]) -> dict[str, Any]:
    columns = dict.fromkeys(column for row in rows for column in row)
    tags = [column for column in columns if column not in CardFields.model_fields]
    fields = {each: each for each in ("id", "question", "options", "answer", "video", "task")}
    fields |= {each: each for each in ("evidence", "clip") if each in columns}
    card: dict[str, Any] = {"name": f"{name}-distilled", "file": QUESTIONS}
    if root:
        card["videos"] = str(root)
    return card | {"fields": {**fields, "tags": tags}, "format": "choice", "answer": "index"}


def _removed(state: AuditState) -> str:
    rows = [("item", "why", "tests", "decision", "note", "question")]
    for one in state.distilled.removed:
        question = state.replies.items[one.item].turns[0].question
        rows.append((one.item, one.why, " ".join(one.tests), one.decision, one.note, question))
    return csv_text(rows)


def _readme(state: AuditState) -> Iterator[str]:
    flow = state.distilled.flow
    acted = " + ".join(f"{count} ({reason})" for reason, count in flow.acted_on.items()) or "0"
    yield from (f"# {state.name}, distilled", "")
    yield f"{flow.remaining} of the {flow.items} multiple-choice questions remain. Ask them with"
    yield from ("", "```console", f"$ longtake eval run {CARD} --suite own --subject agent --out RUN", "```", "")
    models = ", ".join(map(short_name, state.replies.subjects))
    yield f"An audit with {models} removed {counted(flow.removed, 'question')}:"
    yield f"{flow.shortcuts} shortcuts - {flow.restored} restored by review + {acted} = {flow.removed}."
    agreeing = counted(state.scores.shortcuts.level, "model")
    yield f"A shortcut is a question that {agreeing} of one test solved, or all of a test with fewer."
    yield from ("`removed.csv` names each removed question, why it went, and what the reviewer said.", "")
    yield from ("| why | questions | |", "|---|---|---|")
    for test, each in state.scores.shortcuts.tests.items():
        yield f"| shortcut: {test} | {each.total} | {each.unique} of them by no other test |"
    for reason, count in flow.flagged.items():
        done = flow.restored if reason == "order-free" else flow.acted_on.get(reason, 0)
        word = "restored" if reason == "order-free" else "acted on"
        yield f"| {reason} | {count} | {WHY[reason]}; {flow.reviewed.get(reason, 0)} reviewed, {done} {word} |"
    if later := [one.item for one in state.distilled.removed if one.decision == "rewrite"]:
        yield from ("", f"To be rewritten: {', '.join(later)}.")
