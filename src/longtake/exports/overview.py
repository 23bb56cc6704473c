"""What a video is about, to begin with: its summary, and questions that it answers."""

from __future__ import annotations

from longtake.agent.controllers.extractive.made import summary_lines
from longtake.agent.controllers.extractive.planning import summary_calls
from longtake.agent.query.scope import QUOTATION
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.layers.sections import Section, sections_of
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox
from longtake.tools.speech.summarize_segment import summarize_segment

QUESTIONS = 3
_WORDS = 12  # of a title that reads well in a question


def summary_of(workspace: Workspace, video: VideoRecord, seconds: float) -> list[Moment]:
    """The lines that `longtake summary` quotes without a language model, by start.

    Args:
        workspace: its engines choose the lines.
        video: one whose lines are read; none are found in others.
        seconds: after which the rest is left out.
    """
    handle = VideoHandle(video, workspace.library)
    context = ToolContext({video.id: handle}, workspace.engines, workspace.index, workspace.settings, Budget(seconds))
    toolbox = Toolbox([summarize_segment])
    calls = summary_calls(TimeSpan(start=0.0, end=video.duration))
    results = [toolbox.call(call.name, call.arguments, context) for call in calls]
    return list(summary_lines([result for result in results if not result.failure]).values())


def suggested_questions(library: LibraryStore, video: VideoRecord) -> list[str]:
    """Up to three questions about parts of the video, in their order.

    They are about those with words of their own: slides and what a model has titled first, then the longest.

    Raises:
        LibraryError: if the layer of sections is damaged.
    """
    told = "outline" in video.layers
    worded = [each for each in sections_of(library, video) if each.text]
    asked = sorted(worded, key=lambda each: (not (each.slide or told), each.start - each.end))[:QUESTIONS]
    return [f"Give me a summary of {_called(each)}." for each in sorted(asked)]


def _called(section: Section) -> str:
    """A section by its title, or by its times if it has none that reads well in a question."""
    if len(section.title.split()) <= _WORDS and not QUOTATION.search(section.title):
        return f"the chapter “{section.title}”"
    return f"{clock(section.start)} to {clock(section.end)}"
