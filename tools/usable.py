"""Tells which tools can find something with these settings, engines and videos, and what the others would need.

A language model that is offered a tool which can't work here wastes a round on it. Nothing is loaded for this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from longtake.preprocess.engines import EngineTable
from longtake.settings import Settings
from longtake.tools.catalogue import offered_tools
from longtake.tools.core.registry import SPECS, Tool, ToolSpec
from longtake.tools.core.tool_context import VideoHandle

_UNTRAINED = {None, "opencv", "cascades"}  # no engine for objects or people, or one that knows no names of things
_FORMULA = re.compile(r"[√∑∫]|[\d)\w]\s*[=^]\s*[-\d(\w]|\d\s*[+*/×÷]\s*\d")
_WORDS = ("subtitles", "speech")


class Situation(NamedTuple):
    """What is there: the engines, the open videos, and whether the question belongs to a conversation."""

    engines: EngineTable
    videos: Sequence[VideoHandle]
    conversation: bool
    sees: bool = False  # whether the controller sees pictures itself

    def able(self, capability: str) -> bool:
        """Whether an engine of a capability can be used."""
        return self.engines.report(capability).engine is not None

    def holds(self, *layers: str) -> bool:
        """Whether a video has anything in one of these layers."""
        found = (video.layer(name) for video in self.videos for name in layers)
        return any(layer is not None and layer.count for layer in found)

    def examined(self, layer: str) -> bool:
        """Whether a video has a layer, which may be empty."""
        return any(video.layer(layer) is not None for video in self.videos)

    def items(self, layer: str) -> list[dict[str, Any]]:
        """The items of a layer of all videos."""
        return [item for video in self.videos for item in video.items(layer)]


Needs = Callable[[Situation], str]


def usable(
    settings: Settings,
    engines: EngineTable,
    videos: Sequence[VideoHandle],
    *,
    conversation: bool = False,
    sees: bool = False,
) -> tuple[tuple[Tool, ...], dict[str, str]]:
    """The tools that a language model can use here, and what each of the others would need, in a few words.

    Tools that the settings switch off are in neither.

    Args:
        settings: of the run.
        engines: of the run.
        videos: the open videos.
        conversation: whether the question belongs to one, whose later questions find its notes.
        sees: whether the model sees pictures itself.

    Raises:
        ConfigError: if the settings name a tool that doesn't exist.
    """
    here = Situation(engines, videos, conversation, sees)
    needs = {tool: _need(SPECS[tool], here) for tool in offered_tools(settings)}
    able = tuple(tool for tool, need in needs.items() if not need)
    return able, {SPECS[tool].name: need for tool, need in needs.items() if need}


def _need(spec: ToolSpec, here: Situation) -> str:
    if need := _NEEDS.get(spec.name):
        return need(here)
    if missing := [capability for capability in spec.capabilities if not here.able(capability)]:
        return f"an engine for {' and '.join(missing)}"
    return ""


def _picture(here: Situation) -> str:
    return "" if here.examined("motion") else "a video with a picture"


def _model(here: Situation) -> str:
    return "" if here.able("visual_question") else "a vision-language model"


def _detector(here: Situation) -> str:
    """OpenCV tells colours, movement and faces apart, which wastes a round more often than it helps."""
    engines = {here.engines.report(capability).engine for capability in ("objects", "people")}
    return "" if engines - _UNTRAINED or here.examined("detections") else "an object detector"


def _missing_for_counts(here: Situation) -> str:
    needed = _detector(here) and _model(here)
    return _picture(here) or (f"an object detector or {needed}" if needed else "")


def _actions(here: Situation) -> str:
    described = here.holds("captions") or not _model(here)
    return _picture(here) or ("" if described else "a vision-language model")


def _words(here: Situation) -> str:
    return "" if here.holds(*_WORDS) or here.able("closer_speech") else "subtitles or speech recognition"


def _written(here: Situation) -> str:
    return _picture(here) or ("" if here.examined("scene_text") else "an engine for on-screen text")


def _formulas(here: Situation) -> str:
    return "" if any(_FORMULA.search(item["text"]) for item in here.items("scene_text")) else "formulas on screen"


def _pieces(here: Situation) -> str:
    shown = any(item["kind"] == "pieces" for item in here.items("still"))
    return "" if shown else "frames that each show only a piece of the picture"


def _translation(here: Situation) -> str:
    return "" if here.able("translation") else "an engine for translation"


_NEEDS: Mapping[str, Needs] = {
    "calculator": lambda here: "",
    "cross_modal_search": lambda here: "",
    "browse": lambda here: (
        "" if here.holds("sections", *_WORDS, "scene_text", "captions") else "speech or on-screen text"
    ),
    "transcribe_speech": _words,
    "translate_speech": lambda here: _words(here) or _translation(here),
    "translate_text": _translation,
    "extract_scene_text": _written,
    "extract_math_exp": lambda here: _written(here) or _formulas(here),
    "integrate_frames": lambda here: _written(here) or _pieces(here),
    "count_objects": _missing_for_counts,
    # A vision-language model that answers questions says where things are, too.
    "object_detection": lambda here: _picture(here) or _detector(here),
    "watch_segment": lambda here: _picture(here) or ("" if here.sees else _model(here)),
    "detect_activities": _actions,
    "inspect_motion": _picture,
    "find_moments": lambda here: _picture(here) or ("" if here.holds("moments") else "brief changes of the picture"),
    "detect_faces": lambda here: _picture(here) or ("" if here.able("faces") else "an engine for faces"),
    "detect_audio_events": lambda here: "" if here.examined("sounds") else "a video with sound",
    "summarize_segment": lambda here: (
        "" if here.holds(*_WORDS, "scene_text", "captions") else "speech, on-screen text or descriptions"
    ),
    "memory_tool": lambda here: "" if here.conversation else "a conversation",
}
