"""Reports how complete a run is and what is damaged, without changing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import Field

from longtake.console import counted
from longtake.errors import MediaError
from longtake.evalharness.items import Item
from longtake.evalharness.judges.judging import undecided
from longtake.evalharness.runs.predicting import failed
from longtake.evalharness.runs.run_folder import Loading, RunFolder
from longtake.evalharness.subjects.model_spec import count_asked
from longtake.evalharness.suites.suite_table import cases_of_run
from longtake.memory.records import Record
from longtake.preprocess.media.media import probe

MAX_NAMED = 5


class SubjectState(Record):
    """The progress and errors of a subject."""

    subject: str
    expected: int = Field(description="Number of predictions in the complete run.")
    made: int
    errors: int = Field(description="Predictions with a reply that is an error; `--retry-errors` asks them again.")
    unjudged: int = Field(description="Cases that no judge has decided for the reply as it stands.")


class Completeness(Record):
    """The content of a run, and what is missing."""

    run: str
    suite: str
    items: int
    missing_videos: tuple[str, ...] = Field(description="None of an imported run: there is nobody to be shown them.")
    unreadable_videos: tuple[str, ...] = Field(description="A sentence each.")
    loading: Loading
    damaged: tuple[str, ...] = Field(description="Lines of its files that cannot be read, a sentence each.")
    subjects: tuple[SubjectState, ...]

    @property
    def complete(self) -> bool:
        """Whether nothing is missing, failed or damaged."""
        short = any(each.made < each.expected or each.errors or each.unjudged for each in self.subjects)
        lacking = self.missing_videos or self.unreadable_videos or self.loading.remarks or self.damaged
        return not (lacking or short)


def completeness(folder: RunFolder) -> Completeness:
    """Read all files of a run.

    Raises:
        ConfigError: if the folder has no run, or one of an unknown suite.
    """
    card = folder.card()
    damaged = list[str]()
    items = folder.items_by_id(damaged.append)
    made, errors = Counter[str](), Counter[str]()
    for prediction in folder.predictions(damaged.append).values():
        if prediction.item in items:
            made[prediction.subject] += 1
            errors[prediction.subject] += failed(prediction)
    missing = [] if card.imported else [item.video for item in items.values() if _is_missing(item)]
    unjudged = undecided(folder, items, damaged.append, cases_of_run(card))
    return Completeness(
        run=str(folder.path),
        suite=card.suite,
        items=len(items),
        missing_videos=tuple(dict.fromkeys(missing)),
        unreadable_videos=tuple(_unreadable(items.values())),
        loading=folder.loading(),
        subjects=tuple(
            SubjectState(
                subject=name,
                expected=count_asked(name, card, items.values()),
                made=made[name],
                errors=errors[name],
                unjudged=unjudged[name],
            )
            for name in card.subjects
        ),
        damaged=tuple(dict.fromkeys(damaged)),
    )


def show_completeness(held: Completeness) -> list[str]:
    """What there is, for a person, then what is lacking and what to do about it."""
    lines = [f"{held.run}: {held.suite}, {counted(held.items, 'item')}"]
    for each in held.subjects:
        lines.append(f"  {each.subject}: {each.made} of {counted(each.expected, 'prediction')}")
        if each.made < each.expected:
            lines.append("    continue with the same `longtake eval run` command")
        if each.errors:
            lines.append(f"    {counted(each.errors, 'error')}: `longtake eval run ... --retry-errors` asks again")
        if each.unjudged:
            lines.append(f"    {counted(each.unjudged, 'verdict')} missing: longtake eval judge {held.run}")
    if held.missing_videos:
        more = len(held.missing_videos) - MAX_NAMED
        named = ", ".join(held.missing_videos[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
        lines.append(
            f"  not there: {named}; give the same `longtake eval run` command with --media, the folder of the videos, "
            "and --retry-errors"
        )
    if held.unreadable_videos:
        lines += [f"  {sentence}" for sentence in held.unreadable_videos]
        lines.append("    replace them; the same `longtake eval run` command with --retry-errors asks again")
    if held.loading.remarks:
        more = held.loading.remarks - MAX_NAMED
        lines.append(f"  when the items were loaded: {counted(held.loading.remarks, 'remark')}")
        lines += [f"    {sentence}" for sentence in held.loading.first[:MAX_NAMED]]
        lines += [f"    and {more} more, in {held.run}/loading.json"] if more > 0 else []
        lines.append("    the same `longtake eval run` command adds what was corrected")
    lines += [f"  {line}" for line in held.damaged]
    if held.damaged:
        lines.append("    the same `longtake eval run` and `judge` commands set damaged lines aside and redo them")
    return lines


def _is_missing(item: Item) -> bool:
    return item.media is None or not Path(item.media).is_file()


def _unreadable(items: Iterable[Item]) -> Iterator[str]:
    """A sentence for each video that is there and cannot be read."""
    for media in dict.fromkeys(item.media for item in items if not _is_missing(item)):
        try:
            probe(Path(media or ""))
        except MediaError as error:
            yield str(error)
