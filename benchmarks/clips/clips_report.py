"""The figures of `bench clips`: outcomes by modality and kind, their cost, and what missed answers were lacking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import Field

from longtake.benchmarks.clips.clips_answers import GradedAnswer
from longtake.benchmarks.clips.clips_sources import SourceTally, Where, show_sources
from longtake.benchmarks.clips.failure_analysis import GROUPS
from longtake.benchmarks.intervals import Share
from longtake.evalharness.scoring.grading import GRADES, Grade
from longtake.memory.records import Record

_ANSWERED: tuple[Grade, ...] = ("held", "wrong")


class Spent(Record):
    """Means over some questions; null if there are none."""

    n: int
    rounds: float | None
    tool_calls: float | None

    @classmethod
    def of(cls, graded: Sequence[GradedAnswer]) -> Spent:
        """The mean cost of a question."""
        n = len(graded)
        if n == 0:
            return cls(n=0, rounds=None, tool_calls=None)
        rounds, calls = sum(item.rounds for item in graded), sum(item.tool_calls for item in graded)
        return cls(n=n, rounds=round(rounds / n, 2), tool_calls=round(calls / n, 2))

    def __str__(self) -> str:
        return f"{self.rounds} rounds, {self.tool_calls} tool calls" if self.n else "none"


class Tally(Record):
    """Figures of one group of questions; shares with their Wilson 95 % interval.

    `wrong` means wrong with confidence: uncertain and partial answers have their own outcomes.
    """

    n: int
    outcomes: dict[Grade, Share]
    wrong_of_answered: Share = Field(description="Of those answered, held or wrong.")
    evidence_hit: Share = Field(description="Of those answered, held or wrong.")
    spent: Spent
    spent_on_answered: Spent

    @classmethod
    def of(cls, graded: Sequence[GradedAnswer]) -> Tally:
        """Count the outcomes of some questions."""
        counts: dict[Grade, int] = {name: sum(item.outcome == name for item in graded) for name in GRADES}
        answered = [item for item in graded if item.outcome in _ANSWERED]
        return cls(
            n=len(graded),
            outcomes={name: Share.of(count, len(graded)) for name, count in counts.items()},
            wrong_of_answered=Share.of(counts["wrong"], len(answered)),
            evidence_hit=Share.of(sum(item.evidence_hit for item in answered), len(answered)),
            spent=Spent.of(graded),
            spent_on_answered=Spent.of(answered),
        )


class ClipsReport(Record):
    """The public shape of `bench clips --json`."""

    controller: str
    clips: int
    total: Tally
    by_modality: dict[str, Tally]
    by_kind: dict[str, Tally]
    by_source: dict[Where, SourceTally]
    answers: tuple[GradedAnswer, ...]


def show_clips(report: ClipsReport) -> list[str]:
    """The report as lines to print, with the wrong and failed answers, and what missed answers were lacking."""
    lines = [
        f"controller {report.controller}, {report.clips} clips, {report.total.n} questions, each asked once",
        "shares with Wilson 95 % intervals, means per question",
    ]
    modalities = report.by_modality if len(report.by_modality) > 1 else {}
    for name, tally in {"all": report.total, **modalities}.items():
        lines += [f"{name} (n={tally.n})", *_rows(tally)]
    lines += ["\nby kind", *(f"  {kind:<29} {_counts(tally)}" for kind, tally in report.by_kind.items())]
    lines += show_sources(report.by_source)
    for item in report.answers:
        if item.outcome in ("wrong", "failed"):
            lines += [f"\n{item.outcome} {item.name} ({item.media})", f"  ? {item.question}", f"  gold    {item.gold}"]
            lines.append(f"  answer  {' '.join(item.answer.split()) or item.error}")
    return lines + _show_needed(report.answers)


def _rows(tally: Tally) -> list[str]:
    return [
        *(f"  {outcome:<18} {share}" for outcome, share in tally.outcomes.items()),
        f"  {'wrong of answered':<18} {tally.wrong_of_answered}",
        f"  {'evidence hit':<18} {tally.evidence_hit}",
        f"  {'spent':<18} {tally.spent}; on those answered {tally.spent_on_answered}",
    ]


def _counts(tally: Tally) -> str:
    return ", ".join(f"{share.count} {outcome}" for outcome, share in tally.outcomes.items() if share.count)


def _show_needed(answers: Iterable[GradedAnswer]) -> list[str]:
    missed = [(item, item.needed) for item in answers if item.needed]
    if not missed:
        return []
    groups = Counter(needed.group for _, needed in missed)
    absent: dict[str, str] = {}
    for name, reason in (pair for _, needed in missed for pair in needed.missing.items()):
        absent.setdefault(name, reason)
    lines = [f"\nnot answered right, by what was lacking (n={len(missed)})"]
    lines += [f"  {group:<28} {groups[group]}" for group in GROUPS]
    for item, needed in sorted(missed, key=lambda pair: GROUPS.index(pair[1].group)):
        lines.append(f"{item.name} {item.outcome}, {item.modality} {item.kind}: {needed}")
    return lines + [f"not available: {name}: {reason}" for name, reason in absent.items()]
