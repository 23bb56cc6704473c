"""A run of six choices about three videos, put to two subjects, as it lies on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from helpers.media.clips import flat, write_clip

from longtake.evalharness.items import Criterion, Item, Judgement, Prediction, Reply, ToolCall, Turn, Variant
from longtake.evalharness.judges.judging import reply_hash
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.memory.records import Usage
from longtake.memory.timespan import TimeSpan

RIGHT, WRONG, UNSURE, ABSTAINS, FAILS = "right", "wrong", "unsure", "abstains", "fails"
Said = Mapping[str, Sequence[str]]
Write = Callable[..., RunFolder]

SAID = {"sharp": (RIGHT, RIGHT, RIGHT, RIGHT, ABSTAINS, FAILS), "dull": (RIGHT, WRONG, WRONG, WRONG, RIGHT, WRONG)}


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds of red and two of blue (BGR)."""
    path = tmp_path_factory.mktemp("clip") / "colours.mp4"
    return write_clip(path, [flat((0, 0, 255))] * 50 + [flat((255, 0, 0))] * 50)


@pytest.fixture
def choices(tmp_path: Path, clip: Path) -> Write:
    """Writes a run of six choices; each of `said` is what a subject did with them."""

    def write(said: Said = SAID, name: str = "run", variants: Sequence[Variant] = (Variant(),)) -> RunFolder:
        items = [_choice(number, clip) for number in range(6)]
        predictions = [
            Prediction(
                item=item.id, variant=variant.name, subject=subject, replies=(_reply(item, did, variant),), seconds=0.5
            )
            for subject, done in said.items()
            for item, did in zip(items, done, strict=True)
            for variant in variants
            if variant.applies(item)
        ]
        return _write(tmp_path / name, "own", items, predictions, [], variants)

    return write


@pytest.fixture
def rubric(tmp_path: Path) -> Write:
    """Writes a run of one LongShOT sample of two turns for each row of verdicts; None is a missing one."""

    def write(*rows: tuple[bool | None, bool | None], task: str = "summarization") -> RunFolder:
        items = [_sample(number, task) for number in range(len(rows))]
        made, found = [], []
        for item, verdicts in zip(items, rows, strict=True):
            replies = tuple(Reply(text=f"It says {number} & <more>.") for number in range(2))
            made.append(Prediction(item=item.id, variant="original", subject="agent", replies=replies, seconds=1.0))
            for turn, met in enumerate(verdicts):
                found.append(
                    Judgement(
                        item=item.id,
                        variant="original",
                        subject="agent",
                        turn=turn,
                        criterion="fact",
                        judge="rules",
                        met=met,
                        reason="It is said.",
                        reply=reply_hash(replies[turn]),
                    )
                )
        return _write(tmp_path / "rubric", "longshot", items, made, found, (Variant(),))

    return write


def _write(
    path: Path,
    suite: str,
    items: list[Item],
    predictions: Sequence[Prediction],
    judgements: Sequence[Judgement],
    variants: Sequence[Variant],
) -> RunFolder:
    folder = RunFolder(path)
    subjects = tuple(dict.fromkeys(prediction.subject for prediction in predictions))
    folder.begin(RunCard(suite=suite, source="x", subjects=subjects, variants=tuple(variants), version="1"))
    folder.keep_items(items)
    with Journal(folder.predictions_file) as journal:
        for prediction in predictions:
            journal.append(prediction)
    with Journal(folder.judgements_file) as journal:
        for judgement in judgements:
            journal.append(judgement)
    return folder


def _choice(number: int, clip: Path) -> Item:
    turn = Turn(
        question=f"Which gate is number {number}, <b>A</b> or another?",
        options=("Gate 4", "Gate 5", "Gate 6"),
        gold=number % 3,
        evidence=(TimeSpan(start=2.5, end=3.5),),
    )
    return Item(
        suite="own",
        id=f"q{number}",
        video=f"video {number // 2}",
        media=str(clip),
        task="who" if number % 2 else "when",
        format="choice",
        turns=(turn,),
        seconds=4.0,
        tags={"wording": "unseen" if number < 2 else "seen"},
    )


def _reply(item: Item, did: str, variant: Variant) -> Reply:
    gold = item.turns[0].gold or 0
    usage = Usage(tool_calls=1, input_tokens=90, output_tokens=10)
    if did == FAILS:
        return Reply(text="", status="error", error="The server is down.")
    if did == UNSURE:
        return Reply(text="I'm not sure. Closest: Gate 4", parse="uncertain", uncertain=True, usage=usage)
    if did == ABSTAINS:
        return Reply(text="NOT FOUND", parse="abstained", abstained=True, usage=usage)
    place = gold if did == RIGHT else (gold + 1) % 3
    call = ToolCall(tool="search_speech", arguments={"query": "gate"})
    label = "ABC"[variant.order_of(item.turns[0]).index(place)]
    return Reply(text=label, choice=place, parse="ok", calls=(call,), usage=usage, trace="20260101-000000-ab")


def _sample(number: int, task: str) -> Item:
    criterion = Criterion(name="fact", description="Says the fact.", weight=5)
    turns = tuple(Turn(question=f"Is it {turn}?", reference="Yes.", criteria=(criterion,)) for turn in range(2))
    return Item(suite="longshot", id=f"s{number}", video=f"v{number}", task=task, format="rubric", turns=turns)
