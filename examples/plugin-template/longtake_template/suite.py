"""A suite: a table of questions, each with a short answer and a video."""

from pathlib import Path

from longtake.evalharness.items import Item, Protocol, Turn
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choice_scores import SubjectAnswers, by, open_outcome, summarise
from longtake.evalharness.scoring.rubric_scores import Reading
from longtake.evalharness.suites.benchmark_rows import Row, read_rows
from longtake.evalharness.suites.loading import Videos, items_of
from longtake.evalharness.suites.suite_table import Scored, Suite
from longtake.memory.records import Record


def load(data: Path, media: Path | None, protocol: Protocol, notify: Notify) -> list[Item]:
    """Make one item per row. Unusable rows are reported and skipped."""
    videos = Videos(media, notify)

    def item(row: Row) -> Item:
        video, turn = row.needed("video"), Turn(question=row.needed("question"), reference=row.needed("answer"))
        found = videos.find(video, row, "video")
        return Item(suite="word-answers", id=str(row.line), video=video, media=found, format="open", turns=(turn,))

    return items_of(read_rows(data, notify), item, notify, "line")


def score(run: Scored, reading: Reading) -> Record:
    """Compute the share of replies that the judge accepts, with a table by video."""
    answers = SubjectAnswers(run.predictions, run.judgements)
    outcomes = [open_outcome(item, run.variants[0], answers, seed) for seed in answers.seeds for item in run.items]
    return summarise(outcomes, {"video": by(outcomes, lambda item: item.video)})


SUITE = Suite(load=load, score=score, readings=("repo",))
