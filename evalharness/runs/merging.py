"""The parts of a run: which items are a shard's, and how the folders of shards, or of other subjects, are joined.

Everything is written in the order of a run that asked it all by itself, so that the scores are the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

from longtake.console import counted
from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Judgement, Prediction, PredictionKey
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.predicting import failed
from longtake.evalharness.runs.run_folder import Notify, RunCard, RunFolder, as_asked
from longtake.memory.records import Record

_ELSEWHERE = ("source",)  # the same questions may lie in another place on another machine


def of_shard(text: str, items: Sequence[Item], whole: Sequence[Item]) -> list[Item]:
    """The items of the part that, for example, `2/5` means: the second of five.

    All items of the suite decide which part a video belongs to, whatever limit there is.

    Raises:
        ConfigError: if it is no part.
    """
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise ConfigError(f"--shard {text} isn't a part; write --shard 2/5 for the second of five.")
    own = set(sorted({item.video for item in whole})[int(number) - 1 :: int(of)])
    return [item for item in items if item.video in own]


class Merged(Record):
    """The public shape of `eval merge --json`."""

    runs: int
    subjects: tuple[str, ...]
    items: int
    predictions: int
    judgements: int

    def __str__(self) -> str:
        return (
            f"{counted(self.runs, 'run')} joined: {counted(len(self.subjects), 'subject')}, "
            f"{counted(self.items, 'item')}, {counted(self.predictions, 'prediction')}, "
            f"{counted(self.judgements, 'verdict')}"
        )


class _Held(NamedTuple):
    """What one folder has. Its records stay on disk."""

    folder: RunFolder
    items: Mapping[str, Item]
    predictions: Mapping[PredictionKey, Prediction]
    judgements: Mapping[str, Mapping[str, Sequence[Judgement]]]  # by subject and item


def merge(runs: Sequence[RunFolder], out: RunFolder, notify: Notify) -> Merged:
    """Join runs of the same suite, items and settings in a new folder.

    Of a prediction that several runs made, one without an error counts, and its verdicts come from the same run.

    Raises:
        ConfigError: if the runs don't belong together, two say something different of the same item, or `out` has a
            run.
        LibraryError: if `out` can't be written to.
    """
    if len(runs) < 2:
        raise ConfigError("Give two or more run folders to join.")
    if out.begun:
        raise ConfigError(f"{out.path} holds a run already; choose another --out.")
    held = [_Held(run, run.items_by_id(notify), run.predictions(notify), run.found(None)) for run in runs]
    card = _card_of(runs)
    for other in held[1:]:
        _check_items(held[0], other)
    owners = _owners(held)
    keys = sorted(owners, key=_order(card, held[0].items.values()))
    with out.locked():
        out.begin(card)
        out.keep_loading(runs[0].loading().first)
        # With the first known place of each video.
        out.keep_items(
            [
                next((run.items[item.id] for run in held if run.items[item.id].media), item)
                for item in held[0].items.values()
            ]
        )
        with Journal(out.predictions_file) as journal:
            for key in keys:
                journal.append(owners[key].predictions[key])
        verdicts = 0
        with Journal(out.judgements_file) as journal:
            for key in keys:
                for judgement in owners[key].judgements.get(key.subject, {}).get(key.item, ()):
                    if judgement.key == key:
                        journal.append(judgement)
                        verdicts += 1
    return Merged(
        runs=len(runs), subjects=card.subjects, items=len(held[0].items), predictions=len(keys), judgements=verdicts
    )


def _card_of(runs: Sequence[RunFolder]) -> RunCard:
    first, *others = cards = [run.card() for run in runs]
    for run, card in zip(runs[1:], others, strict=True):
        if differing := first.differing(card, _ELSEWHERE):
            raise ConfigError(
                f"{runs[0].path} and {run.path} are no parts of one run (different: {', '.join(differing)})."
            )
    return reduce(RunCard.with_subjects_of, cards)


def _check_items(first: _Held, other: _Held) -> None:
    where = f"{first.folder.path} and {other.folder.path}"
    if unshared := first.items.keys() ^ other.items.keys():
        raise ConfigError(f"{where} have other items, such as {min(unshared)}; join runs of the same questions.")
    for name, item in first.items.items():
        if as_asked(item) != as_asked(other.items[name]):
            raise ConfigError(f"{where} asked the item {name} differently; join runs of the same questions.")


def _owners(held: Sequence[_Held]) -> dict[PredictionKey, _Held]:
    """The run whose prediction counts, by its key."""
    owners: dict[PredictionKey, _Held] = {}
    for run in held:
        for key, prediction in run.predictions.items():
            owner = owners.setdefault(key, run)
            if owner is run or failed(prediction):
                continue
            earlier = owner.predictions[key]
            if failed(earlier):
                owners[key] = run
            elif [reply.text for reply in earlier.replies] != [reply.text for reply in prediction.replies]:
                raise ConfigError(
                    f"{owner.folder.path} and {run.folder.path} have different replies of {key.subject} to {key.item}; "
                    "join only runs that asked different items or subjects."
                )
    return owners


def _order(card: RunCard, items: Iterable[Item]) -> Callable[[PredictionKey], list[int]]:
    """The place of a prediction in a run that asked everything by itself: as `predicting.rows` goes."""
    by_video = [item.id for item in sorted(items, key=lambda item: item.video)]
    known = (card.subjects, by_video, [variant.name for variant in card.variants], card.seeds)
    places: list[dict[Any, int]] = [{name: place for place, name in enumerate(names)} for names in known]

    def place(key: PredictionKey) -> list[int]:
        parts = (key.subject, key.item, key.variant, key.seed)
        return [held.get(part, len(by_video)) for held, part in zip(places, parts, strict=True)]

    return place
