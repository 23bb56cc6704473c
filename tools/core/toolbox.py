"""The tools of one run: checks arguments, limits time, caches results and turns every failure into a value."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from longtake.errors import Cancelled, EngineError, LongtakeError, did_you_mean
from longtake.tools.core.registry import SPECS, ToolSpec
from longtake.tools.core.result import FailureKind, ToolError, ToolFailure, ToolResult
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle

POLL = 0.1  # seconds between two checks for cancellation


class Toolbox:
    """The tools of one run, with their cache. For a subset of tools, pass a shorter list."""

    def __init__(self, functions: Iterable[Callable[..., ToolResult]]) -> None:
        self._specs = {SPECS[function].name: SPECS[function] for function in functions}
        self._cache: dict[str, ToolResult] = {}

    def __iter__(self) -> Iterator[ToolSpec]:
        return iter(self._specs.values())

    def __contains__(self, name: object) -> bool:
        return name in self._specs

    def schemas(self, videos: tuple[str, ...]) -> list[dict[str, Any]]:
        """Every tool in the format of chat models; built once for the same tools and videos."""
        return _schemas(tuple(self), videos)

    def call(self, name: str, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Run one tool. Never raises. Repeated calls on the same videos are answered from the cache."""
        started = time.perf_counter()
        result = self._call(name, arguments, context)
        return result.model_copy(update={"tool": name, "seconds": round(time.perf_counter() - started, 4)})

    def check(
        self, name: str, arguments: Mapping[str, Any], videos: Mapping[str, VideoHandle]
    ) -> tuple[ToolSpec, BaseModel, str | None]:
        """The tool of a call, its parsed arguments, and the id of the video that they name, if any.

        Raises:
            ToolError: if there is no such tool or the arguments are wrong.
        """
        spec = self._specs.get(name)
        if spec is None:
            raise ToolError("bad_arguments", f"There is no tool {name!r}. {did_you_mean(name, self._specs)}")
        given = dict(arguments)
        chosen = _chosen_video(videos, given)
        try:
            return spec, spec.arguments.model_validate(_as_lists(given, spec)), chosen
        except ValidationError as error:
            raise ToolError("bad_arguments", f"{name}: {problems(error, spec.arguments)}") from error

    def _call(self, name: str, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            spec, checked, chosen = self.check(name, arguments, context.videos)
        except ToolError as error:
            return ToolResult(tool=name, failure=error.failure)
        context = context.about(chosen) if chosen else context
        key = self._key(spec, checked, context)
        if key in self._cache:
            return self._cache[key].model_copy(update={"cached": True})
        result = _timed(spec, checked, context)
        if spec.cached and result.failure is None:
            self._cache[key] = result
        return result

    def _key(self, spec: ToolSpec, arguments: BaseModel, context: ToolContext) -> str:
        engines = {capability: context.engines.report(capability).engine for capability in spec.capabilities}
        videos = {handle.id: dict(handle.record.layers) for handle in context.videos.values()}
        return json.dumps([spec.name, context.chosen, videos, engines, arguments.model_dump()], sort_keys=True)


@lru_cache(maxsize=16)  # a run needs them in every round
def _schemas(specs: tuple[ToolSpec, ...], videos: tuple[str, ...]) -> list[dict[str, Any]]:
    return [spec.as_openai(videos) for spec in specs]


def _chosen_video(videos: Mapping[str, VideoHandle], arguments: dict[str, Any]) -> str | None:
    """Take the video out of a call's arguments and return its id; None if the call names none."""
    if len(videos) < 2 or "video" not in arguments:
        return None
    wanted = str(arguments.pop("video"))
    meant = [handle.id for handle in videos.values() if wanted in (handle.id, handle.record.name)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise ToolError("bad_arguments", f"video: {wanted!r} matches several open videos: {', '.join(meant)}.")
    names = [name for handle in videos.values() for name in (handle.id, handle.record.name)]
    raise ToolError("bad_arguments", f"video: {wanted!r} is not open. {did_you_mean(wanted, names)}")


def _timed(spec: ToolSpec, arguments: BaseModel, context: ToolContext) -> ToolResult:
    """Run in a thread with the shorter time limit of tool and question. A late result is dropped.

    The thread sees the same deadline in its context's budget and ends itself at the next frame or chunk.
    """
    limit = context.settings.tools.timeout
    budget = context.budget.share(limit)
    future: Future[ToolResult] = Future()
    run = threading.Thread(target=lambda: future.set_result(_guarded(spec, arguments, context, budget)), daemon=True)
    try:
        budget.check()
        run.start()
        while True:
            try:
                return future.result(timeout=min(POLL, budget.left))
            except FutureTimeout:
                budget.check()
    except Cancelled as error:
        return _out_of_time(error, context)


def _guarded(spec: ToolSpec, arguments: BaseModel, context: ToolContext, budget: Budget) -> ToolResult:
    """Run within the call's budget. The context keeps the question's budget, which tells whose time ran out."""
    given = {name: getattr(arguments, name) for name in type(arguments).model_fields}
    try:
        result = spec.function(replace(context, budget=budget), **given)
        if isinstance(result, ToolResult):
            return result
        return _failed("engine_failed", f"{spec.name} returned {type(result).__name__} instead of a ToolResult.")
    except ToolError as error:
        return ToolResult(tool=spec.name, failure=error.failure)
    except Cancelled as error:
        return _out_of_time(error, context)
    except EngineError as error:
        reports = [context.engines.report(capability) for capability in spec.capabilities]
        # A model that the settings name and that can't be used is a failure, not an absence.
        absent = any(report.engine is None and not report.unmet for report in reports)
        remedy = "`longtake doctor` says which engines work here and what would add others."
        return _failed("unavailable" if absent else "engine_failed", str(error), remedy)
    except LongtakeError as error:
        return _failed("unavailable", str(error))
    except Exception as error:  # noqa: BLE001 - a bug in a tool or library must not end the run
        return _failed("engine_failed", f"{type(error).__name__}: {error}")


def _out_of_time(error: Cancelled, context: ToolContext) -> ToolResult:
    """The failure for a time-out; the remedy depends on whose time ran out."""
    if context.budget.stopped or not context.budget.left:
        return _failed("timeout", str(error), "Ask again with a larger budget.seconds.")
    limit = context.settings.tools.timeout
    return _failed("timeout", f"No result within {limit:g} s.", "Ask for a shorter span, or raise tools.timeout.")


def _as_lists(arguments: Mapping[str, Any], spec: ToolSpec) -> dict[str, Any]:
    """The arguments, with a single text turned into a list if a list is expected."""
    fields = spec.arguments.model_fields
    lists = {name for name, field in fields.items() if get_origin(field.annotation) in (list, tuple)}
    return {name: [value] if name in lists and isinstance(value, str) else value for name, value in arguments.items()}


def _failed(kind: FailureKind, message: str, remedy: str = "") -> ToolResult:
    return ToolResult(tool="", failure=ToolFailure(kind=kind, message=message, remedy=remedy))


def problems(error: ValidationError, arguments: type[BaseModel]) -> str:
    """One sentence for each wrong argument of a call."""
    by_argument: dict[str, list[ErrorDetails]] = {}
    for item in error.errors():
        by_argument.setdefault(str(item["loc"][0]), []).append(item)
    return " ".join(_problem(name, items, arguments) for name, items in by_argument.items())


def _problem(name: str, items: list[ErrorDetails], arguments: type[BaseModel]) -> str:
    first = items[0]
    if first["type"] == "extra_forbidden":
        return f"There is no argument {name!r}. {did_you_mean(name, arguments.model_fields)}"
    if first["type"] == "missing":
        return f"The argument {name!r} is missing."
    if len({item["loc"] for item in items if item["loc"][1:]}) > 1:  # one error per member of a union
        return f"{name}: {first['input']!r} can't be read. {arguments.model_fields[name].description}"
    return f"{name}: {first['msg']}, not {first['input']!r}.{_enum_hint(first)}"


def _enum_hint(item: ErrorDetails) -> str:
    if item["type"] != "literal_error":
        return ""
    known = re.findall(r"'([^']*)'", item.get("ctx", {})["expected"])
    given = str(item["input"])
    close = get_close_matches(given, known, n=1) or [name for name in known if given and given in name]
    return f" Did you mean {close[0]!r}?" if close else ""
