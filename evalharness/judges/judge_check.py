"""Measures how reliable judges are: against human labels, against each other, and a judge against itself.

Each comparison with a person names its reference, because that defines a false positive. With the judge as reference,
false positives and false negatives would swap; accuracy, F1 and kappa would not change. Types of errors that labels
name are counted, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, product
from statistics import fmean
from typing import Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from longtake.evalharness.items import ORIGINAL, Item, Judgement, Keyed, Prediction, PredictionKey
from longtake.evalharness.judges.judging import NO_REPLY, Case, CasesOf, Judge
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.estimates import grouped, quotient
from longtake.memory.records import Record

SELF_RUNS = 3  # of a judge that is compared with itself
Place = tuple[PredictionKey, int, str]
Verdicts = Mapping[Hashable, bool | None]


class Agreement(Record):
    """A judge compared with a reference; a positive verdict means that the criterion is met.

    A figure is None if there is nothing to divide by. The JSON has the figures next to the counts.
    """

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> Agreement:
        """Count pairs of the reference's verdict and the judge's."""
        counts = Counter(pairs)
        return cls(
            true_positive=counts[True, True],
            false_positive=counts[False, True],
            false_negative=counts[True, False],
            true_negative=counts[False, False],
        )

    @property
    def figures(self) -> Mapping[str, float | None]:
        """What follows from the counts, by name."""
        names = ("accuracy", "f1", "false_positive_rate", "false_negative_rate", "kappa")
        return {name: getattr(self, name) for name in names}

    @property
    def n(self) -> int:
        """Number of verdicts."""
        return self.true_positive + self.false_positive + self.false_negative + self.true_negative

    @property
    def accuracy(self) -> float | None:
        """Share of equal verdicts."""
        return quotient(self.true_positive + self.true_negative, self.n)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall of the positive verdict."""
        return quotient(2 * self.true_positive, 2 * self.true_positive + self.false_positive + self.false_negative)

    @property
    def false_positive_rate(self) -> float | None:
        """Share of the reference's negatives that the judge calls positive."""
        return quotient(self.false_positive, self.false_positive + self.true_negative)

    @property
    def false_negative_rate(self) -> float | None:
        """Share of the reference's positives that the judge calls negative."""
        return quotient(self.false_negative, self.false_negative + self.true_positive)

    @property
    def kappa(self) -> float | None:
        """Agreement beyond chance (Cohen 1960); None if chance alone explains everything."""
        if not self.n:
            return None
        judged, held = self.true_positive + self.false_positive, self.true_positive + self.false_negative
        chance = (judged * held + (self.n - judged) * (self.n - held)) / self.n**2
        observed = (self.true_positive + self.true_negative) / self.n
        return None if chance == 1 else (observed - chance) / (1 - chance)

    @model_serializer(mode="wrap")
    def _with_figures(self, counts: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {**counts(self), "n": self.n, **self.figures}


class Label(Keyed):
    """A person's verdict on one case of a run: a line of the label file."""

    variant: str = ORIGINAL
    turn: int = 0
    criterion: str = Field(default="", description="Name of the criterion; empty if the reply was judged as a whole.")
    met: bool = Field(description="Of a penalty: that what it forbids was not done.")
    annotator: str = ""
    error: str = Field(default="", description="Of which type a wrong reply is, in the person's words.")

    @model_validator(mode="after")
    def _only_a_wrong_reply_has_an_error(self) -> Self:
        if self.error and self.met:
            raise ValueError("a reply that meets what is asked has no error")
        return self


class JudgeCheck(Record):
    """A judge and a person on the same cases."""

    judge: str
    annotator: str
    reference: Literal["person"] = "person"
    agreement: Agreement
    unjudged: int = Field(description="Labelled cases without a verdict of the judge; they count in no figure.")

    def __str__(self) -> str:
        held = self.agreement
        return (
            f"{self.judge} and {self.annotator or 'the labels'}, reference: the {self.reference}; n {held.n}, "
            f"TP {held.true_positive}, FP {held.false_positive}, FN {held.false_negative}, TN {held.true_negative}; "
            f"{_in_words(held.figures)}; unjudged {self.unjudged}"
        )


class MeanAgreement(Record):
    """A judge and several people: the mean of what it has beside each of them."""

    judge: str
    annotators: int
    figures: Mapping[str, float | None] = Field(description="None where nobody has one.")

    def __str__(self) -> str:
        return f"{self.judge}, mean over {self.annotators} annotators: {_in_words(self.figures)}"


class SelfAgreement(Record):
    """How often repeated runs of one judge agree on the same cases."""

    runs: int
    cases: int
    same: float | None = Field(
        description="Share of the cases on which all runs agree. A missing verdict never agrees."
    )
    kappa: float | None = Field(description="Mean over pairs of runs; none if chance explains everything.")


class JudgePair(Record):
    """Two judges on the same replies."""

    first: str
    second: str
    n: int = Field(description="Cases that both decided.")
    same: float | None = Field(description="Share of these with the same verdict.")
    kappa: float | None = Field(description="None if chance explains everything.")
    only_first: int = Field(description="Cases that the first finds met and the second does not.")
    only_second: int
    undecided: int = Field(description="Cases that only one of the two decided; they are in no other figure.")

    def __str__(self) -> str:
        same, kappa = ("none" if share is None else f"{share:.4f}" for share in (self.same, self.kappa))
        return (
            f"{self.first} and {self.second}: n {self.n}, same verdict {same}, kappa {kappa}; "
            f"met for the first alone {self.only_first}, for the second alone {self.only_second}; "
            f"decided by one alone {self.undecided}"
        )


def check_judges(labels: Iterable[Label], judgements: Iterable[Judgement]) -> list[JudgeCheck]:
    """Compare each judge with each annotator, who is the reference. Judges without any verdict are skipped.

    The last judgement of a judge on a case counts. Empty replies need no judge and count in no figure.
    """
    by_judge: dict[str, dict[Place, bool | None]] = {}
    silent: set[Place] = set()
    for judgement in judgements:
        place = _place(judgement)
        by_judge.setdefault(judgement.judge, {})[place] = judgement.met
        (silent.add if judgement.reason == NO_REPLY else silent.discard)(place)
    by_annotator: dict[str, dict[Place, bool]] = {}
    for label in labels:
        if _place(label) in silent:
            continue
        by_annotator.setdefault(label.annotator, {})[_place(label)] = label.met
    checks: list[JudgeCheck] = []
    for (judge, verdicts), (annotator, held) in product(by_judge.items(), by_annotator.items()):
        if any(met is not None for met in verdicts.values()):
            pairs = [(met, verdict) for place, met in held.items() if (verdict := verdicts.get(place)) is not None]
            found, unjudged = Agreement.of(pairs), len(held) - len(pairs)
            checks.append(JudgeCheck(judge=judge, annotator=annotator, agreement=found, unjudged=unjudged))
    return checks


def mean_agreements(checks: Iterable[JudgeCheck]) -> list[MeanAgreement]:
    """The mean over annotators for each judge that met several."""
    by_judge = grouped((check.judge, check.agreement.figures) for check in checks)
    found: list[MeanAgreement] = []
    for judge, held in by_judge.items():
        known = {name: [value for each in held if (value := each[name]) is not None] for name in held[0]}
        means = {name: fmean(values) if values else None for name, values in known.items()}
        found += [MeanAgreement(judge=judge, annotators=len(held), figures=means)] if len(held) > 1 else []
    return found


def labelled_cases(
    labels: Sequence[Label],
    items: Mapping[str, Item],
    predictions: Iterable[Prediction],
    cases_of: CasesOf,
    notify: Notify,
) -> tuple[list[Label], list[Case]]:
    """The labels for cases of a run, and those of these cases in which something was said; others are reported."""
    wanted = set(map(_place, labels))
    found = {
        place: case
        for prediction in predictions
        if prediction.item in items
        for case in cases_of(items[prediction.item], prediction)
        if (place := (prediction.key, case.number, case.name)) in wanted
    }
    for label in (label for label in labels if _place(label) not in found):
        named = ", ".join(map(str, filter(None, (label.subject, label.item, label.criterion))))
        notify(f"The label of {named}, turn {label.turn} is of no case of the run; it was left out.")
    kept = [label for label in labels if _place(label) in found]
    return kept, [case for case in found.values() if not case.empty]


def judge_pairs(judgements: Iterable[Judgement]) -> list[JudgePair]:
    """Each two judges of a run against each other, those that never gave a verdict aside.

    The last judgement of a judge on a reply counts. Empty replies need no judge and are skipped.
    """
    by_judge: dict[str, dict[Hashable, bool | None]] = {}
    for held in judgements:
        if held.reason == NO_REPLY:
            continue
        by_judge.setdefault(held.judge, {})[held.key, held.turn, held.criterion, held.reply] = held.met
    heard = [judge for judge, found in by_judge.items() if any(met is not None for met in found.values())]
    return [_pair(one, other, by_judge[one], by_judge[other]) for one, other in combinations(heard, 2)]


def judge_again(judge_of: Callable[[int], Judge], repeated: Sequence[Case], notify: Notify) -> SelfAgreement:
    """Let a judge decide the same cases, none of them empty, several times; cases without a verdict are reported.

    `judge_of` makes the judge of each run, from 0: one with a cache needs the run's number.
    """
    runs: list[list[bool | None]] = []
    for judge in map(judge_of, range(SELF_RUNS)):
        with ThreadPoolExecutor(max_workers=judge.at_once) as pool:
            found = list(pool.map(judge.judge, repeated))
        for case, finding in zip(repeated, found, strict=True):
            if finding.error:
                notify(f"{judge.id}, {case.item.id}, {case.name or 'reply'}: {finding.error}")
        runs.append([finding.met for finding in found])
    return self_agreement(runs)


def self_agreement(runs: Sequence[Sequence[bool | None]]) -> SelfAgreement:
    """Agreement of a judge with itself: the verdicts of each run are on the same cases in the same order."""
    together = list(zip(*runs, strict=True))
    kappas = [
        Agreement.of((a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None).kappa
        for one, other in combinations(runs, 2)
    ]
    known = [kappa for kappa in kappas if kappa is not None]
    alike = sum(len(set(verdicts)) == 1 and verdicts[0] is not None for verdicts in together)
    return SelfAgreement(
        runs=len(runs),
        cases=len(together),
        same=quotient(alike, len(together)),
        kappa=quotient(sum(known), len(known)),
    )


def _pair(first: str, second: str, found: Verdicts, other: Verdicts) -> JudgePair:
    verdicts = [(found.get(case), other.get(case)) for case in found.keys() | other.keys()]
    held = Agreement.of((one, two) for one, two in verdicts if one is not None and two is not None)
    return JudgePair(
        first=first,
        second=second,
        n=held.n,
        same=held.accuracy,
        kappa=held.kappa,
        only_first=held.false_negative,
        only_second=held.false_positive,
        undecided=sum((one is None) != (two is None) for one, two in verdicts),
    )


def _in_words(figures: Mapping[str, float | None]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {'none' if figure is None else f'{figure:.4f}'}" for name, figure in figures.items()
    )


def _place(row: Label | Judgement) -> Place:
    return row.key, row.turn, row.criterion


class ErrorTypes(Record):
    """Of which types the wrong replies of a subject are, as in Figure 8 of Video-TT."""

    annotator: str
    subject: str
    task: str = Field(description="Of the items; empty: of all tasks together.")
    counts: Mapping[str, int] = Field(description="The most frequent first.")

    def __str__(self) -> str:
        n = sum(self.counts.values())
        shares = ", ".join(f"{error} {count} ({100 * count / n:.0f} %)" for error, count in self.counts.items())
        return f"{', '.join(filter(None, (self.subject, self.task, self.annotator)))}: of {n} wrong {shares}"


def error_types(labels: Sequence[Label], items: Mapping[str, Item]) -> list[ErrorTypes]:
    """How often each annotator found each type of error, by subject: in all tasks, and in each if there are several."""
    found: dict[tuple[str, str, str], Counter[str]] = {}
    several = len({items[label.item].task for label in labels if label.error}) > 1
    for label in labels:
        for task in (("", items[label.item].task) if several else ("",)) if label.error else ():
            found.setdefault((label.annotator, label.subject, task), Counter())[label.error] += 1
    return [
        ErrorTypes(annotator=annotator, subject=subject, task=task, counts=dict(counts.most_common()))
        for (annotator, subject, task), counts in sorted(found.items())
    ]
