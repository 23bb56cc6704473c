"""The figures of `bench clips` by where the answer is: what was offered, and whether the question was read right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from pydantic import Field

from longtake.agent.query.query import Source
from longtake.agent.query.reader import Reader
from longtake.benchmarks.clips.clips_answers import GradedAnswer
from longtake.benchmarks.intervals import Share
from longtake.evalharness.scoring.grading import Grade
from longtake.memory.records import Record

Offer = Literal[
    "right",
    "right among the closest",
    "uncertain without",
    "wrong and sure",
    "partial",
    "abstained",
    "failed",
]
OFFERS: tuple[Offer, ...] = get_args(Offer)
Where = Literal["said or written", "sound", "picture", "all"]
PLACES: tuple[Where, ...] = get_args(Where)
_WHERE: Mapping[str, Where] = {
    "speech": "said or written",
    "subtitle": "said or written",
    "ocr": "said or written",
    "audio": "sound",
}
# The sources that a question should be read as asking, by the modality of its gold.
_FITTING: Mapping[str, tuple[Source, ...]] = {
    "ocr": ("text",),
    "speech": ("speech",),
    "subtitle": ("speech",),
    "audio": ("sound",),
}
_SEEN: tuple[Source, ...] = ("picture", "shots", "motion", "file")
_OFFERS: Mapping[Grade, Offer] = {
    "held": "right",
    "wrong": "wrong and sure",
    "uncertain": "uncertain without",
    "partial": "partial",
    "abstained": "abstained",
    "failed": "failed",
}


class SourceTally(Record):
    """Figures of the questions answered from one kind of place; shares with their Wilson 95 % interval."""

    n: int
    offers: dict[Offer, Share]
    nothing_offered: Share = Field(
        description="Abstained, or uncertain without a line, among questions with something in scope."
    )
    sources_right: Share

    @classmethod
    def of(cls, graded: Sequence[GradedAnswer]) -> SourceTally:
        """Count what was offered."""
        made = [offer_of(item) for item in graded]
        in_scope = [item for item in graded if item.in_scope]
        return cls(
            n=len(graded),
            offers={name: Share.of(made.count(name), len(graded)) for name in OFFERS},
            nothing_offered=Share.of(sum(_offers_nothing(item) for item in in_scope), len(in_scope)),
            sources_right=Share.of(sum(item.sources_right for item in graded), len(graded)),
        )


def reads_right(reader: Reader, question: str, modality: str) -> bool:
    """Whether the likeliest source fits the modality of the gold."""
    return reader.read(question).source in _FITTING.get(modality, _SEEN)


def offer_of(item: GradedAnswer) -> Offer:
    """What the user was given."""
    return "right among the closest" if item.closest_hold else _OFFERS[item.outcome]


def by_source(graded: Sequence[GradedAnswer]) -> dict[Where, SourceTally]:
    """A tally for every place an answer may be in, and for all of them."""
    return {
        place: SourceTally.of(
            [item for item in graded if place == "all" or _WHERE.get(item.modality, "picture") == place]
        )
        for place in PLACES
    }


def show_sources(tallies: Mapping[Where, SourceTally]) -> list[str]:
    """The tallies as lines to print; places without questions are left out."""
    lines = ["\nby where the answer is"]
    for place, tally in tallies.items():
        if not tally.n:
            continue
        lines.append(f"{place} (n={tally.n})")
        lines += [
            f"  {offer:<24} {share}" for offer, share in tally.offers.items() if share.count or offer != "partial"
        ]
        lines.append(f"  {'nothing, though in scope':<24} {tally.nothing_offered}")
        lines.append(f"  {'sources right':<24} {tally.sources_right}")
    return lines


def _offers_nothing(item: GradedAnswer) -> bool:
    """Whether a finished run offered neither an answer nor a line."""
    return item.outcome == "abstained" or (item.outcome == "uncertain" and not item.closest)
