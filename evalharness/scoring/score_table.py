"""The third stage of a run: the scores of each subject, from the run's files, in the common form of all reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from pydantic import Field

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Judgement, Prediction
from longtake.evalharness.judges.judging import which_judge
from longtake.evalharness.runs.journal import Latest, OnDisk
from longtake.evalharness.runs.run_folder import Notify, RunCard, RunFolder
from longtake.evalharness.scoring.choice_scores import MAX_UNJUDGED, NONE, CountedShare
from longtake.evalharness.scoring.estimates import Estimate, Rows
from longtake.evalharness.scoring.rubric_scores import Reading
from longtake.evalharness.scoring.spending import in_words, total, used
from longtake.evalharness.subjects.model_spec import asked_in, count_asked
from longtake.evalharness.suites.suite_table import Scored, Suite, reading_of, suite_named
from longtake.memory.records import Record, Usage

R = TypeVar("R", Prediction, Judgement)
_REFUSED = "refused"  # a rate of every suite: replies that begin with a refusal to answer
_SINGULAR = {
    "headlines": "test",
    "categories": "category",
    "tasks": "task",
    "unknown_tasks": "task that is no part of the headline",
    "modalities": "modality",
    "parity_modalities": "modality, audio as visual as in the released code",
    "durations": "duration",
    "difficulties": "difficulty",
}


class _OfSeed(Mapping[str, Sequence[R]]):
    """The records of each item for one seed, read on demand."""

    def __init__(self, held: Mapping[str, Sequence[R]], seed: int) -> None:
        self._held: Mapping[str, Sequence[R]] = held
        self._seed = seed

    def __getitem__(self, item: str) -> Sequence[R]:
        return [record for record in self._held[item] if record.seed == self._seed]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


def by_seed(suite: Suite, scored: Scored, reading: Reading, seeds: Sequence[int]) -> Rows:
    """The headline of each seed, or where that is withheld its overall score; nothing if there is one seed."""
    if len(seeds) < 2:
        return {}
    alone = [replace(scored, said=_OfSeed(scored.said, seed), found=_OfSeed(scored.found, seed)) for seed in seeds]
    scores = [suite.score(each, reading).model_dump(include={"headline", "overall"}) for each in alone]
    return {
        f"seed {seed}": Estimate.model_validate(each["headline"] or each["overall"])
        for seed, each in zip(seeds, scores, strict=True)
    }


class ScoreTable(Record):
    """What a suite's scorer found of one subject; values are 0 to 100."""

    suite: str
    subject: str
    reading: str = Field(description="repo, paper, signed or strict.")
    headline: Estimate | None = Field(description="None if it is withheld, or there are `headlines`.")
    headlines: Rows = Field(default_factory=dict, description="Instead of one: those of tests that aren't pooled.")
    unranked: str = Field(default="", description="Why there is no headline; empty if there is one.")
    overall: Estimate = Field(description="Of all that was asked, whatever is missing.")
    excluded: Estimate = Field(description="The headline without the items that failed.")
    groups: Mapping[str, Rows] = Field(description="Tables by what their rows are.")
    rates: Mapping[str, CountedShare] = Field(description="How often something went wrong, by what it was.")
    spent: Usage = Field(default=Usage(), description="What all replies took.")
    judging: Usage = Field(default=Usage(), description="What all verdicts took, those of replaced replies, too.")
    notes: tuple[str, ...] = ()


def score_table(suite: str, subject: str, reading: str, scores: Record, unmade: CountedShare = NONE) -> ScoreTable:
    """The table of a scorer's result: its mappings of estimates are the groups, its shares the rates.

    It has a `headline`, an `overall`, and an `excluded` or `without_failures` next to them. Predictions may be unmade.
    """
    fields = {name: getattr(scores, name) for name in type(scores).model_fields}
    rates = {name.replace("_", " "): value for name, value in fields.items() if isinstance(value, CountedShare)}
    rates |= {**fields.pop("counts", {}), **dict(_counted(fields))}
    withheld = _withheld(rates.get("unjudged", NONE))
    headline: Estimate | None = fields["headline"]
    headlines: Rows = {} if withheld else fields.get("headlines", {})
    unranked = "" if headlines else withheld
    if not (unranked or headlines) and (headline is None or headline.value is None):
        unranked = fields.get("note") or "nothing that it was asked counts in the headline."
    return ScoreTable(
        suite=suite,
        subject=subject,
        reading=reading,
        headline=headline,
        headlines=headlines,
        unranked=unranked,
        overall=fields["overall"],
        excluded=fields["excluded"] if "excluded" in fields else fields["without_failures"],
        groups={name: rows for name, rows in _groups(fields) if rows},
        rates=rates,
        notes=tuple(_notes(fields, withheld, unmade)),
    )


class ScoredRun(NamedTuple):
    """What is scored of a run, and in which reading."""

    card: RunCard
    suite: Suite
    reading: Reading
    items: Latest[str, Item]
    subjects: Mapping[str, Scored]


class SubjectScore(NamedTuple):
    """The scores of a subject by its suite, the same as a table, and the scores of each seed."""

    scores: Record
    table: ScoreTable
    seeds: Rows

    @property
    def fields(self) -> dict[str, Any]:
        """As JSON has it."""
        more = self.table.model_dump(mode="json", include={"spent", "judging", "notes"})
        more["refused"] = self.table.rates[_REFUSED].model_dump()
        if self.seeds:
            more["seeds"] = {name: row.model_dump() for name, row in self.seeds.items()}
        return self.scores.model_dump(mode="json", exclude={"note"}) | more


def subject_score(run: ScoredRun, name: str) -> SubjectScore:
    """Score a subject. With several seeds, its table lists them and their range."""
    card, suite, reading, scored = run.card, run.suite, run.reading, run.subjects[name]
    scores, seeds = suite.score(scored, reading), by_seed(suite, scored, reading, card.seeds)
    table = score_table(card.suite, name, reading, scores, scored.unmade)
    refused, spent = _heard(scored.predictions)
    judging = total(found.usage for found in scored.judgements if found.usage)
    rates = {**table.rates, _REFUSED: refused}
    table = table.model_copy(update={"rates": rates, "spent": spent, "judging": judging})
    if seeds:
        values, notes = [row.value for row in seeds.values() if row.value is not None], table.notes
        if len(values) > 1:
            spread = f"Over {len(values)} seeds the score is between {min(values):.1f} and {max(values):.1f}."
            notes = (*notes, spread)
        table = table.model_copy(update={"groups": {**table.groups, "seed": seeds}, "notes": notes})
    return SubjectScore(scores, table, seeds)


def _heard(predictions: Iterable[Prediction]) -> tuple[CountedShare, Usage]:
    """How many of the replies are refusals, and what all took."""
    usages, refused, replies = list[Usage](), 0, 0
    for prediction in predictions:
        usages += used(prediction)
        refused += sum(reply.parse == "refused" for reply in prediction.replies)
        replies += len(prediction.replies)
    return CountedShare(count=refused, n=replies), total(usages)


def scored_run(folder: RunFolder, reading: str | None, notify: Notify, judge: str | None = None) -> ScoredRun:
    """What is scored of each subject: the items that it was asked, and what is left to ask.

    Without a reading it is that of the run's protocol. If there are several judges, one must be named.

    Raises:
        ConfigError: if the folder holds no run, nothing was predicted, the suite has no such reading, or it is not
            clear which judge is meant.
    """
    card = folder.card()
    suite, chosen = suite_named(card.suite), reading_of(card, reading)
    items, said = folder.items_by_id(notify), folder.said(notify)
    if not said:
        raise ConfigError(f"{folder.path} has no predictions yet; run `longtake eval run` with --out {folder.path}.")
    verdicts = Counter(one.judge for one in folder.judgements(notify) if one.decided)
    found = folder.found(which_judge(verdicts, judge, folder.path))
    subjects = {name: _scored(name, card, items, said.get(name), found.get(name, {})) for name in card.subjects}
    return ScoredRun(card, suite, chosen, items, subjects)


def _scored(
    name: str,
    card: RunCard,
    items: Latest[str, Item],
    said: OnDisk[str, Prediction] | None,
    found: Mapping[str, Sequence[Judgement]],
) -> Scored:
    """One subject: an item that lacks a prediction waits, whatever the others of it say."""
    lacking, due = dict[str, int](), 0
    for item in items.values():
        wanted = count_asked(name, card, [item])
        due += wanted
        if (missing := wanted - (said.count(item.id) if said else 0)) > 0:
            lacking[item.id] = missing
    return Scored(
        items=(items.only(lambda each: each not in lacking) if lacking else items).values(),
        variants=asked_in(name, card),
        said=said or {},
        found=found,
        unasked=items.only(lacking.__contains__).values(),
        unmade=CountedShare(count=sum(lacking.values()), n=due),
    )


def _withheld(unjudged: CountedShare) -> str:
    """Why no headline may be given; empty if one may."""
    if unjudged.value <= MAX_UNJUDGED:
        return ""
    missing = f"{unjudged.count} of {unjudged.n} verdicts are missing ({100 * unjudged.value:.1f} %)"
    return f"{missing}, and more than {100 * MAX_UNJUDGED:g} % is too much for one."


def _notes(fields: Mapping[str, Any], withheld: str, unmade: CountedShare) -> Iterator[str]:
    if unmade.count:
        yield (
            f"{unmade.count} of {unmade.n} predictions are not made yet, and their items are left out; the same "
            "`longtake eval run` goes on."
        )
    for name, rows in _groups(fields):
        if name == _SINGULAR["unknown_tasks"] and rows:
            yield f"{name}: {', '.join(rows)}"
    if withheld:
        yield f"No headline: {withheld}"
    if fields.get("note"):
        yield fields["note"] if fields.get("headlines") else f"No headline: {fields['note']}"


def _groups(fields: Mapping[str, Any]) -> Iterator[tuple[str, Rows]]:
    for field, value in fields.items():
        if not isinstance(value, Mapping) or field == "headlines":
            continue
        name = _SINGULAR.get(field, field)
        if any(isinstance(rows, Mapping) for rows in value.values()):
            for inner, rows in value.items():
                if not _are_counts(rows):
                    yield (inner if field == "groups" else f"{name}, {inner}"), rows
        else:
            yield name, value


def _counted(fields: Mapping[str, Any]) -> Iterator[tuple[str, CountedShare]]:
    """Mappings of counts as shares of their sum, each named by what is counted and of what."""
    for value in fields.values():
        for inner, counts in value.items() if isinstance(value, Mapping) else ():
            if isinstance(counts, Mapping) and _are_counts(counts):
                for name, count in counts.items():
                    yield f"{name}, where an {inner} is due", CountedShare(count=count, n=sum(counts.values()))


def _are_counts(rows: Mapping[str, Any]) -> bool:
    return bool(rows) and all(isinstance(row, int) for row in rows.values())


def score_run(
    folder: RunFolder, reading: str | None, notify: Notify, judge: str | None = None
) -> dict[str, SubjectScore]:
    """The scores of every subject; see `scored_run`."""
    run = scored_run(folder, reading, notify, judge)
    return {name: subject_score(run, name) for name in run.subjects}


def show_scores(found: Mapping[str, SubjectScore]) -> Iterator[str]:
    """The scores as text: each subject with its notes and tables."""
    for name, one in found.items():
        fields = one.fields
        yield name
        yield from (f"  {note}" for note in fields.pop("notes"))
        del fields["spent"], fields["judging"]
        yield from _lines(fields, "  ")
        yield f"  {'cost':<28} {in_words(one.table.spent)}"
        yield f"  {'cost of judging':<28} {in_words(one.table.judging)}"


def _lines(fields: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in fields.items():
        if isinstance(value, Mapping) and "videos" in value:
            yield f"{indent}{key:<28} {Estimate.model_validate(value)}"
        elif isinstance(value, Mapping) and set(value) == {"count", "n"}:
            yield f"{indent}{key:<28} {value['count']} of {value['n']}"
        elif isinstance(value, Mapping):
            if not value:
                continue
            yield f"{indent}{key}"
            yield from _lines(value, indent + "  ")
        elif value is not None:
            yield f"{indent}{key:<28} {value}"
