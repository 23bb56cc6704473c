"""The tools of one run: checks the controller's arguments, keeps time, caches, and turns every failure into a value."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from longtake.errors import Cancelled, LongtakeError
from longtake.tools.context import ToolContext
from longtake.tools.registry import SPECS, ToolSpec
from longtake.tools.result import FailureKind, ToolError, ToolFailure, ToolResult


class Toolbox:
    """An ordinary object for one run; a subset of the tools is just a shorter list."""

    def __init__(self, functions: Iterable[Callable[..., ToolResult]]) -> None:
        self._specs = {SPECS[function].name: SPECS[function] for function in functions}
        self._cache: dict[str, ToolResult] = {}

    def __iter__(self) -> Iterator[ToolSpec]:
        return iter(self._specs.values())

    def __contains__(self, name: object) -> bool:
        return name in self._specs

    def schemas(self, videos: tuple[str, ...]) -> list[dict[str, Any]]:
        """Every tool as chat models are told about it."""
        return [spec.as_openai(videos) for spec in self]

    def call(self, name: str, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Run one tool; never raises. Equal calls on the same videos are answered from the cache."""
        started = time.perf_counter()
        result = self._call(name, dict(arguments), context)
        return result.model_copy(update={"tool": name, "seconds": round(time.perf_counter() - started, 4)})

    def _call(self, name: str, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        spec = self._specs.get(name)
        if spec is None:
            return _failed("bad_arguments", f"There is no tool {name!r}.{_hint(name, self._specs)}")
        try:
            context = _choose_video(context, arguments)
            checked = spec.arguments.model_validate(arguments)
        except ToolError as error:
            return ToolResult(tool=name, failure=error.failure)
        except ValidationError as error:
            return _failed("bad_arguments", f"{name}: {_problems(error, spec)}")
        key = self._key(spec, arguments, context)
        if key in self._cache:
            return self._cache[key].model_copy(update={"cached": True})
        values = {field: getattr(checked, field) for field in type(checked).model_fields}
        result = _timed(lambda: spec.function(context, **values), context)
        if result.failure is None:
            self._cache[key] = result
        return result

    def _key(self, spec: ToolSpec, arguments: Mapping[str, Any], context: ToolContext) -> str:
        engines = {capability: context.engines.report(capability).engine for capability in spec.capabilities}
        videos = {handle.id: dict(handle.record.layers) for handle in context.videos.values()}
        return json.dumps([spec.name, context.chosen, videos, engines, arguments], sort_keys=True, default=str)


def _choose_video(context: ToolContext, arguments: dict[str, Any]) -> ToolContext:
    if len(context.videos) < 2 or "video" not in arguments:
        return context
    wanted = str(arguments.pop("video"))
    for handle in context.videos.values():
        if wanted in (handle.id, handle.record.name):
            return context.about(handle.id)
    raise ToolError("bad_arguments", f"video: {wanted!r} is not open.{_hint(wanted, context.videos)}")


def _timed(run: Callable[[], ToolResult], context: ToolContext) -> ToolResult:
    """Run in a thread with the shorter of the tool's and the question's time; a late result is thrown away."""
    limit = min(context.settings.tools.timeout, context.budget.left)
    future: Future[ToolResult] = Future()
    threading.Thread(target=lambda: future.set_result(_guarded(run)), daemon=True).start()
    try:
        return future.result(timeout=limit)
    except FutureTimeout:
        return _failed("timeout", f"No result within {limit:.0f} s.", "Ask for a shorter span, or raise tools.timeout.")


def _guarded(run: Callable[[], ToolResult]) -> ToolResult:
    try:
        return run()
    except ToolError as error:
        return ToolResult(tool="", failure=error.failure)
    except Cancelled as error:
        return _failed("timeout", str(error))
    except LongtakeError as error:
        return _failed("unavailable", str(error))
    except Exception as error:  # noqa: BLE001 - a tool's bug or a library's crash must not end the run
        return _failed("engine_failed", f"{type(error).__name__}: {error}")


def _failed(kind: FailureKind, message: str, remedy: str = "") -> ToolResult:
    return ToolResult(tool="", failure=ToolFailure(kind=kind, message=message, remedy=remedy))


def _hint(name: str, known: Iterable[str]) -> str:
    names = list(known)
    close = get_close_matches(name, names, n=1)
    return f" Did you mean {close[0]!r}?" if close else f" Known: {', '.join(names)}."


def _problems(error: ValidationError, spec: ToolSpec) -> str:
    texts = []
    for item in error.errors():
        field = ".".join(str(part) for part in item["loc"])
        if item["type"] == "extra_forbidden":
            texts.append(f"there is no argument {field!r}.{_hint(field, spec.arguments.model_fields)}")
        elif item["type"] == "missing":
            texts.append(f"the argument {field!r} is missing.")
        else:
            texts.append(f"{field}: {item['msg']}.{_enum_hint(item)}")
    return " ".join(dict.fromkeys(texts))


def _enum_hint(item: Any) -> str:
    if item["type"] not in ("literal_error", "enum"):
        return ""
    close = get_close_matches(str(item["input"]), [part.strip("' ") for part in item["ctx"]["expected"].replace(" or ", ",").split(",")], n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
