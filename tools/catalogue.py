"""Lists every tool: first those of the paper in its order, then the extras, then those of other packages."""

import logging
from typing import Any

from longtake.errors import ConfigError, did_you_mean
from longtake.plugins import Table, usable
from longtake.settings import Settings
from longtake.tools.compute.calculator import calculator
from longtake.tools.compute.execute_code import execute_code
from longtake.tools.compute.math_expressions import extract_math_exp
from longtake.tools.core.registry import SPECS, Tool
from longtake.tools.retrieval.browse import browse
from longtake.tools.retrieval.cross_modal_search import cross_modal_search
from longtake.tools.retrieval.memory import memory_tool
from longtake.tools.retrieval.web_search import web_search
from longtake.tools.speech.audio_events import detect_audio_events
from longtake.tools.speech.summarize_segment import summarize_segment
from longtake.tools.speech.transcribe import transcribe_speech
from longtake.tools.speech.translate import translate_speech, translate_text
from longtake.tools.vision.count_objects import count_objects
from longtake.tools.vision.detect_activities import detect_activities
from longtake.tools.vision.detect_faces import detect_faces
from longtake.tools.vision.extract_scene_text import extract_scene_text
from longtake.tools.vision.find_moments import find_moments
from longtake.tools.vision.inspect_motion import inspect_motion
from longtake.tools.vision.integrate_frames import integrate_frames
from longtake.tools.vision.object_detection import object_detection
from longtake.tools.vision.watch_segment import watch_segment

BUILT_IN: tuple[Tool, ...] = (
    transcribe_speech,
    extract_scene_text,
    count_objects,
    object_detection,
    extract_math_exp,
    calculator,
    web_search,
    detect_audio_events,
    execute_code,
    detect_activities,
    summarize_segment,
    detect_faces,
    cross_modal_search,
    memory_tool,
    translate_speech,
    translate_text,
    inspect_motion,
    find_moments,
    integrate_frames,
    watch_segment,
    browse,
)


def _checked_tool(name: str, declared: Any) -> Tool:
    """Check a tool that a package declares."""
    spec = SPECS.get(declared)
    if spec is None or spec.name != name:
        raise TypeError(f"{name} isn't a function of that name with @tool")
    if spec.group != "extras":
        raise ValueError('tools of other packages belong to the group "extras"')
    return spec.function


TOOLS = Table("tools", {SPECS[function].name: function for function in BUILT_IN}, _checked_tool)
ALL_TOOLS = tuple(usable(TOOLS, logging.getLogger(__name__).warning))


def offered_tools(settings: Settings) -> tuple[Tool, ...]:
    """The tools for a question: all but those that the settings switch off.

    Raises:
        ConfigError: if the settings name a tool that doesn't exist.
    """
    names = {SPECS[function].name: function for function in ALL_TOOLS}
    for name in settings.tools.off:
        if name not in names:
            raise ConfigError(f"tools.off: there is no tool {name!r}. {did_you_mean(name, names)}")
    return tuple(function for name, function in names.items() if name not in settings.tools.off)
