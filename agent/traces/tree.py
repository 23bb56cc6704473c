"""Shows a run as a tree in the terminal."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.text import Text
from rich.tree import Tree

from longtake.agent.traces.lenient_run import ForkOrigin, LenientRun, RunSummary
from longtake.agent.traces.steps import TraceStep, steps_of
from longtake.console import counted
from longtake.language.text import shortened
from longtake.memory.records import Answer, Citation, display_name
from longtake.memory.timespan import TimeSpan

_SHOWN = 5  # maximum findings of a call
_LINE = 160  # maximum characters of a text
_REASON = 600  # of an error with its remedy, or a claim with its reason
_STYLES = {"contradicted": "red", "not_shown": "yellow"}


def tree_of(run: LenientRun) -> Tree:
    """A run as a Rich tree; text from videos and models is never markup or a terminal command."""
    tree = Tree(Text(f"{run.id}  {receipt(run.summary)}", "bold"), guide_style="dim")
    tree.add(Text(one_line(run.asked.question) or "(unreadable question)"))
    if run.forked_from:
        tree.add(Text(origin(run.forked_from)))
    names = run.known.names if len(run.asked.videos) > 1 else {}
    for step in steps_of(run):
        _add(tree, step, names)
    if run.answer:
        _add_answer(tree, run.answer, names)
    for problem in run.problems:
        tree.add(Text(problem, "red"))
    return tree


def receipt(summary: RunSummary) -> str:
    """How a run ended, and its cost."""
    usage = summary.usage
    parts = [
        f"{summary.status} in {usage.seconds:.2f} s",
        time.strftime("%Y-%m-%d %H:%M", time.localtime(summary.asked)),
        counted(usage.rounds, "round"),
        counted(usage.tool_calls, "tool call"),
        f"{usage.input_tokens + usage.output_tokens:,} tokens",
        f"{usage.cost:g} cost",
    ]
    return ", ".join(parts)


def origin(forked_from: ForkOrigin) -> str:
    """The call a run was forked from, and the changed arguments."""
    changed = f", with {named(forked_from.set)}" if forked_from.set else ""
    return one_line(f"Forked from {forked_from.run} at step {forked_from.step}{changed}")


def one_line(text: str, limit: int = _LINE) -> str:
    """Text on one line, cut to `limit` characters, without control characters."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return shortened(line, limit)


def named(arguments: Mapping[str, Any]) -> str:
    """Arguments as written in a program."""
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())


def _add(tree: Tree, step: TraceStep, names: Mapping[str, str]) -> None:
    branch = tree.add(_headline(step))
    for line in _details(step, names):
        branch.add(line)
    for below in step.steps:
        _add(branch, below, names)


def _headline(step: TraceStep) -> Text:
    line = Text(f"{step.step} ", "dim")
    if step.type == "tool":
        line.append(step.tool or "", "bold")
        line.append(f"({one_line(named(step.arguments))})")
    elif step.calls:
        line.append(f"model calls {', '.join(step.calls)}")
    else:
        line.append(f"{step.type}{f' for {step.tool}' if step.tool else ''}")
        line.append(f": {one_line(step.text)}" if step.text else "")
    line.append(f"  +{step.at:.2f} s, {step.seconds:.3f} s", "dim")
    if step.input_tokens or step.output_tokens:
        line.append(f", {step.input_tokens:,} + {step.output_tokens:,} tokens, {step.cost:g} cost", "dim")
    line.append("  cached" if step.cached else "", "green")
    return line


def _details(step: TraceStep, names: Mapping[str, str]) -> Iterator[Text]:
    if step.calls and step.text:
        yield Text(f"says {one_line(step.text)}", "italic")
    if step.sent:
        yield Text(one_line(f"sent as {step.sent['tool']}({json.dumps(step.sent['arguments'], ensure_ascii=False)})"))
    for repair in step.repairs:
        yield Text(f"repaired: {one_line(repair)}", "yellow")
    for remark in step.notes:
        yield Text(f"note: {one_line(remark)}", "dim")
    if step.failure:
        yield Text(f"failed: {one_line(step.failure, _REASON)}", "red")
    if step.spans:
        yield Text(f"looked at {_spans(step, names)}", "dim")
    yield from _citations(step.evidence, names)


def _spans(step: TraceStep, names: Mapping[str, str]) -> str:
    shown = [
        f"{_of(video, names)}{TimeSpan(start=start, end=end)}"
        for video, start, end in step.spans[:_SHOWN]
        if 0 <= start <= end
    ]
    more = len(step.spans) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _citations(found: Iterable[Citation], names: Mapping[str, str]) -> Iterator[Text]:
    found = list(found)
    for citation in found[:_SHOWN]:
        yield Text(f"{_of(citation.video, names)}{place(citation)}  {one_line(citation.quote)}", "cyan")
    if len(found) > _SHOWN:
        yield Text(f"and {len(found) - _SHOWN} more", "cyan")


def place(citation: Citation) -> str:
    """Time and modality."""
    return f"{TimeSpan(start=citation.start, end=citation.end)}  {display_name(citation.modality)}"


def _of(video: str, names: Mapping[str, str]) -> str:
    """The name of a video, to put before a place in it if there are several videos."""
    return f"{one_line(names.get(video, video))} " if names else ""


def _add_answer(tree: Tree, answer: Answer, names: Mapping[str, str]) -> None:
    branch = tree.add(Text(one_line(answer.error or answer.answer, 1_000), "bold"))
    if answer.option:
        branch.add(Text(one_line(answer.option.told)))
    for claim in answer.claims:
        stated = branch.add(Text(one_line(claim.told, _REASON), _STYLES.get(claim.verdict, "")))
        for line in _citations(claim.citations, names):
            stated.add(line)
        for line in _citations(claim.against, names):
            stated.add(Text("against ", "red").append_text(line))
    if answer.closest:
        closest = branch.add(Text("closest:"))
        for line in _citations((line.place for line in answer.closest), names):
            closest.add(line)
