"""Measures whether search finds a question's evidence in an hour of video, and whether the answer holds the gold.

Each clip that a question is about appears once in an hour-long reel, with slides around it. The search covers what the
agent searches: every modality, within the time that the question names. The questions are about text and speech: those
of modality `ocr` and `subtitle`, and `speech` if the clip has a transcript. `longtake.bench.hour.shifting` adapts them
to the hour; those it can't adapt are left out and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longtake.agent.gathering.gatherer import SEARCHED
from longtake.agent.graph.agent import Agent
from longtake.agent.query.scope import read_scope
from longtake.bench.clips.clip_questions import ClipQuestion, load_questions
from longtake.bench.clips.transcripts import transcript
from longtake.bench.hour.reel import HOUR, Notify, Placed, Reel, is_clip, make_padded
from longtake.bench.hour.shifting import cannot_be_shifted, shifted
from longtake.bench.intervals import Share
from longtake.bench.watching import tenths_watcher
from longtake.errors import LongtakeError
from longtake.evalharness.scoring.grading import Grade, grade
from longtake.memory.records import Answer, Record
from longtake.memory.search.search_index import SearchFilter
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

BEST = 5  # events of a search
AIM_EVIDENCE, AIM_HELD = 0.85, 0.6
_WRITTEN, _SPOKEN = ("ocr", "subtitle"), "speech"


class Recalled(Record):
    """A question as asked about the reel, the rank of its evidence in the search, and the answer."""

    id: str
    modality: str
    question: str
    gold: str
    evidence: tuple[float, float]
    rank: int | None
    outcome: Grade
    answer: str


class RecallShares(Record):
    """The shares of questions with evidence among the five best events, and with an answer that holds the gold."""

    evidence: Share
    held: Share

    @classmethod
    def of(cls, asked: Sequence[Recalled]) -> RecallShares:
        """Count the shares."""
        return cls(
            evidence=Share.of(sum(item.rank is not None for item in asked), len(asked)),
            held=Share.of(sum(item.outcome == "held" for item in asked), len(asked)),
        )


class RecallReport(Record):
    """The public shape of `bench recall --json`; `left_out` gives the reason by question id."""

    seconds: float
    clips: int
    total: RecallShares
    by_modality: dict[str, RecallShares]
    left_out: dict[str, str]
    asked: tuple[Recalled, ...]


def measure_recall(
    settings: Settings, media: Path, folder: Path, notify: Notify, seconds: float = HOUR
) -> RecallReport:
    """Make the reel, index it, search and ask; failures count as wrong.

    Raises:
        MediaError: if the folder has no questions, or its clips don't fit into the seconds.
    """
    questions = load_questions(media)
    clips = [clip for clip in dict.fromkeys(question.media for question in questions) if is_clip(Path(clip))]
    reel = make_padded(media, folder, clips, notify, seconds)
    workspace = Workspace(folder / "library", settings)
    notify(f"indexing {reel.path.name}")
    video = workspace.add(reel.path, tenths_watcher(notify)).video
    chosen = [question for question in questions if _is_text_or_speech(media, question)]
    left_out = {question.id: why for question in chosen if (why := cannot_be_shifted(question))}
    agent = Agent(workspace)
    asked = []
    for question in place(chosen, reel, left_out):
        notify(f"asking {question.id}")
        asked.append(_recall(workspace, agent, reel, video.id, question))
    modalities = sorted({item.modality for item in asked})
    return RecallReport(
        seconds=reel.seconds,
        clips=len(clips),
        total=RecallShares.of(asked),
        by_modality={name: RecallShares.of([item for item in asked if item.modality == name]) for name in modalities},
        left_out=left_out,
        asked=tuple(asked),
    )


def show_recall(report: RecallReport) -> list[str]:
    """The report as lines to print."""
    lines = [f"{report.clips} clips in {report.seconds:g} s; shares with Wilson 95 % intervals"]
    for name, shares in {"all": report.total, **report.by_modality}.items():
        lines += [
            f"{name}",
            f"  evidence in the {BEST} best  {shares.evidence}",
            f"  gold in the answer      {shares.held}",
        ]
    lines.append(f"targets {AIM_EVIDENCE:g} and {AIM_HELD:g}; left out {len(report.left_out)}")
    lines += [f"  {name}: {why}" for name, why in report.left_out.items()]
    for item in report.asked:
        if item.rank is None or item.outcome != "held":
            place = "evidence not found" if item.rank is None else f"evidence at {item.rank}"
            lines += [f"\n{item.id} {place}, {item.outcome}", f"  ? {item.question}", f"  gold    {item.gold}"]
            lines += [f"  answer  {' '.join(item.answer.split())}"]
    return lines


def place(questions: Sequence[ClipQuestion], reel: Reel, left_out: dict[str, str]) -> list[ClipQuestion]:
    """The questions that aren't left out, shifted to the places of their clips in a reel that shows each once."""
    places: dict[str, Placed] = {placed.clip: placed for placed in reel.places}
    return [shifted(item, places[item.media].start) for item in questions if item.id not in left_out]


def part_named(question: str, video: str, seconds: float) -> SearchFilter:
    """What the agent would search in a video of this length: every modality, within the time the question names."""
    return SearchFilter(videos=(video,), modalities=SEARCHED, span=read_scope(question, seconds, ()).span)


def _is_text_or_speech(media: Path, question: ClipQuestion) -> bool:
    if question.modality == _SPOKEN:
        return bool(transcript(media / question.media))
    return question.modality in _WRITTEN and is_clip(Path(question.media))


def _recall(workspace: Workspace, agent: Agent, reel: Reel, video: str, question: ClipQuestion) -> Recalled:
    asked = question.question
    hits = retrieve(asked, part_named(asked, video, reel.seconds), BEST, workspace.engines, workspace.index)
    # A weak hit in the right place is there by chance.
    ranks = [rank for rank, hit in enumerate(hits, 1) if not hit.weak and hit.span.overlaps(question.evidence)]
    try:
        answer = agent.ask([str(reel.path)], asked)
    except LongtakeError as error:
        answer = Answer(question=asked, status="failed", answer="", error=str(error))
    return Recalled(
        id=question.id,
        modality=question.modality,
        question=asked,
        gold=question.answer,
        evidence=(round(question.evidence.start, 3), round(question.evidence.end, 3)),
        rank=min(ranks, default=None),
        outcome=grade(question.answer, answer, tolerance=question.tolerance_s, cited_times=question.kind != "duration"),
        answer=answer.answer or answer.error or "",
    )
