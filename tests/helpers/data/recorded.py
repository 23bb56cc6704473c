"""Runs of a scripted controller, recorded, and copies of their traces in a library of their own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from helpers.asking import ask_endpoint
from helpers.servers.openai_server import Reply, doubts, says

from longtake.agent.traces.fork import fork
from longtake.agent.traces.lenient_run import LenientRun
from longtake.agent.traces.trace import RecordedTrace
from longtake.memory.library import LibraryStore
from longtake.preprocess.pipeline.workspace import Workspace

COST = "What does the blue kettle cost?"
PRICE = "The blue kettle costs 249 dollars [00:00:04]."
LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
SEARCH = ("cross_modal_search", {"query": ["the price"], "modalities": []})
# A call that is mended, one of no tool, one that is answered from the cache, and a draft whose Napoleon is sent back.
EVENTFUL = (
    says("I look for the price.", SEARCH, ("transcribe_speach", {"timestamp": [3, 7]})),
    says(None, LISTEN, ("nonsense", {"a": 1})),
    says(None, LISTEN),
    says(f"{PRICE} Napoleon bought it."),
    says(PRICE),
)
PRICES = ("controller.price.input=2", "controller.price.output=8")


def recorded(
    workspace: Workspace, *script: Reply, settings: tuple[str, ...] = PRICES, question: str = COST
) -> LenientRun:
    """Ask a question of a controller that replies as scripted, and read the run back."""
    asked = ask_endpoint(workspace, script, *settings, question=question, judge=doubts("Napoleon"))
    return LenientRun(RecordedTrace(workspace.library.trace_root, asked.answer.trace or ""))


def forked(workspace: Workspace, run: LenientRun, tool: str, **changes: Any) -> LenientRun:
    """The run that goes on with the extractive controller from the first call of a tool, with other arguments."""
    step = next(call.step for call in run.calls if call.data["tool"] == tool)
    answer = fork(run.trace, step, changes, workspace)
    return LenientRun(RecordedTrace(workspace.library.trace_root, answer.trace or ""))


def alone(folder: Path, *runs: LenientRun) -> LibraryStore:
    """A library that holds the traces of these runs, and no video."""
    library = LibraryStore(folder)
    shutil.copytree(runs[0].trace.root / "blobs", library.trace_root / "blobs")
    for run in runs:
        shutil.copy2(run.trace.root / f"{run.id}.jsonl", library.trace_root)
    return library


def lines_of(run: LenientRun) -> list[str]:
    """The lines of a trace."""
    return (run.trace.root / f"{run.id}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)


def rewritten(run: LenientRun, folder: Path, lines: list[str]) -> LenientRun:
    """The run again, of a copy whose trace holds these lines."""
    library = alone(folder, run)
    (library.trace_root / f"{run.id}.jsonl").write_text("".join(lines), encoding="utf-8")
    return LenientRun(RecordedTrace(library.trace_root, run.id))
