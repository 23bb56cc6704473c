"""Every item to every subject in every variant, once; what broke off goes on."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from threading import Lock

import pytest

from longtake.errors import ConfigError, EngineError, LibraryError, LibraryUnavailable, LongtakeError
from longtake.evalharness.items import Item, Reply, Turn, Variant
from longtake.evalharness.runs.predicting import predict
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.subjects.baselines import BlindGuess, chosen, longest_place, majority_place, random_place
from longtake.evalharness.subjects.subject import AskedTurn, Subject

OPTIONS = ("short", "quite a long one", "middling")


def item(number: int, turns: int = 1, gold: int = 0) -> Item:
    asked = tuple(
        Turn(question=f"question {n}", reference=f"reference {n}", options=OPTIONS, gold=gold) for n in range(turns)
    )
    return Item(suite="own", id=f"item-{number}", video=f"video-{number % 3}", format="choice", turns=asked)


def card(*subjects: str, variants: tuple[Variant, ...] = (Variant(),), seeds: tuple[int, ...] = (0,)) -> RunCard:
    return RunCard(suite="own", source="s", subjects=subjects, variants=variants, seeds=seeds, version="0")


class Recording:
    """Says the turn's number and keeps how it was asked; fails where it is told to."""

    name = "recording"

    def __init__(
        self, failing: tuple[str, ...] = (), at_once: int = 1, error: type[LongtakeError] = EngineError
    ) -> None:
        self.failing = failing
        self.error = error
        self.at_once = at_once
        self.asked: list[AskedTurn] = []
        self.most = self._now = 0
        self._lock = Lock()

    def reply(self, asked: AskedTurn) -> Reply:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            self.asked.append(asked)
        if self.at_once > 1:
            time.sleep(0.01)
        with self._lock:
            self._now -= 1
        if asked.item.id in self.failing:
            raise self.error("The endpoint is down.")
        return Reply(text=f"own {asked.number}")


def run(
    path: Path, subject: Subject, items: list[Item], which: RunCard | None = None, retry: bool = False
) -> list[str]:
    folder = RunFolder(path)
    which = which or card(subject.name)
    folder.begin(which)
    reported: list[str] = []
    predict(folder, which, items, [subject], reported.append, retry_errors=retry)
    return reported


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    subject = Recording()
    items = [item(number) for number in range(4)]
    run(tmp_path, subject, items[:2])
    run(tmp_path, subject, items)
    assert sorted(asked.item.id for asked in subject.asked) == [each.id for each in items]


def test_items_of_one_video_are_asked_one_after_the_other(tmp_path: Path) -> None:
    subject = Recording()
    run(tmp_path, subject, [item(number) for number in range(9)])
    videos = [asked.item.video for asked in subject.asked]
    assert videos == sorted(videos)


def test_every_variant_and_seed_is_asked(tmp_path: Path) -> None:
    subject = Recording()
    turned = Variant(name="turned", gold_at=2)
    run(tmp_path, subject, [item(0)], card("recording", variants=(Variant(), turned), seeds=(0, 1)))
    assert {(asked.variant.name, asked.seed) for asked in subject.asked} == {
        (name, seed) for name in ("original", "turned") for seed in (0, 1)
    }
    put = next(asked for asked in subject.asked if asked.variant == turned)
    assert put.options == ("middling", "quite a long one", "short")
    assert "A. middling\nB. quite a long one\nC. short" in put.text
    assert put.own(0) == 2


@pytest.mark.parametrize(("history", "second"), [("gold", "reference 0"), ("own", "own 0")])
def test_a_conversation_stands_on_the_references_or_on_its_own_replies(
    tmp_path: Path, history: str, second: str
) -> None:
    subject = Recording()
    variant = Variant.model_validate({"history": history})
    run(tmp_path, subject, [item(0, turns=2)], card("recording", variants=(variant,)))
    assert [asked.history for asked in subject.asked] == [(), (("question 0", second),)]


def test_separate_questions_are_asked_without_each_other(tmp_path: Path) -> None:
    subject = Recording()
    run(tmp_path, subject, [item(0, turns=3).model_copy(update={"separate": True})])
    assert [(asked.number, asked.history) for asked in subject.asked] == [(0, ()), (1, ()), (2, ())]


def test_an_error_is_kept_and_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    reported = run(tmp_path, Recording(failing=("item-1",)), [item(number) for number in range(3)])
    predictions = RunFolder(tmp_path).predictions(reported.append)
    assert reported == ["recording, item-1: The endpoint is down."]
    assert sorted(key.item for key, held in predictions.items() if held.replies[0].status == "error") == ["item-1"]
    assert len(predictions) == 3


def test_a_library_that_is_out_of_reach_ends_the_run_and_is_no_error_of_the_subject(tmp_path: Path) -> None:
    items = [item(number) for number in range(3)]
    with pytest.raises(LibraryUnavailable):
        run(tmp_path, Recording(failing=("item-1",), error=LibraryUnavailable), items)
    assert run(tmp_path, Recording(), items) == []
    assert len(RunFolder(tmp_path).predictions(print)) == 3


def test_errors_are_asked_again_only_on_demand(tmp_path: Path) -> None:
    items = [item(0), item(1)]
    run(tmp_path, Recording(failing=("item-1",)), items)
    again = Recording()
    assert run(tmp_path, again, items) == ["1 error from before; --retry-errors asks again."]
    assert again.asked == []
    assert run(tmp_path, again, items, retry=True) == []
    assert [asked.item.id for asked in again.asked] == ["item-1"]
    assert all(held.replies[0].status == "ok" for held in RunFolder(tmp_path).predictions(print).values())


def test_a_subject_is_asked_no_more_at_once_than_it_takes(tmp_path: Path) -> None:
    subject = Recording(at_once=3)
    run(tmp_path, subject, [item(number) for number in range(12)])
    assert subject.most == 3
    assert len(RunFolder(tmp_path).predictions(print)) == 12


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    RunFolder(tmp_path).begin(card("random"))
    with pytest.raises(ConfigError, match=r"holds another run \(different: seeds\)"):
        RunFolder(tmp_path).begin(card("random", seeds=(1,)))


def test_a_subject_is_added_to_a_run_and_what_it_held_stays(tmp_path: Path) -> None:
    items, first = [item(0), item(1)], Recording()
    run(tmp_path, first, items, card("recording").model_copy(update={"settings": {"recording": "a"}}))
    written = RunFolder(tmp_path).predictions_file.read_bytes()
    run(
        tmp_path,
        BlindGuess("longest", longest_place),
        items,
        card("longest").model_copy(update={"settings": {"longest": "b"}}),
    )
    held = RunFolder(tmp_path)
    assert held.predictions_file.read_bytes().startswith(written)
    assert (held.card().subjects, held.card().settings) == (
        ("recording", "longest"),
        {"recording": "a", "longest": "b"},
    )
    assert len(first.asked) == 2
    assert len(held.predictions(print)) == 4
    with pytest.raises(ConfigError, match=r"different: settings of recording"):
        held.begin(card("recording").model_copy(update={"settings": {"recording": "c"}}))


def test_an_item_that_was_changed_since_it_was_asked_is_refused_and_one_whose_video_moved_is_not(
    tmp_path: Path,
) -> None:
    folder = RunFolder(tmp_path)
    folder.keep_items([item(1), item(2)])
    written = folder.items_file.read_bytes()
    with pytest.raises(ConfigError, match=r"The item item-2 differs from the one that .* asked; choose another --out"):
        folder.keep_items([item(3), item(2, gold=1)])
    assert folder.items_file.read_bytes() == written
    folder.keep_items([item(1).model_copy(update={"media": "/elsewhere/1.mp4", "seconds": 9.5}), item(3)])
    assert [held.id for held in folder.items(print)] == ["item-1", "item-2", "item-3"]


def test_a_folder_without_a_run_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"run\.json"):
        RunFolder(tmp_path).card()


def test_two_processes_do_not_work_on_one_folder(tmp_path: Path) -> None:
    other = (
        "import sys\nfrom pathlib import Path\nfrom longtake.evalharness.runs.run_folder import RunFolder\n"
        "with RunFolder(Path(sys.argv[1])).locked():\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", other, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(LibraryError, match="Another process"), RunFolder(tmp_path).locked():
            pass
        process.communicate("")
    with RunFolder(tmp_path).locked():
        pass


def test_blind_baselines_choose_without_looking() -> None:
    asked = AskedTurn(item(0), 0, Variant(gold_at=2), 0, ())
    longest, drawn = BlindGuess("longest", longest_place), BlindGuess("random", random_place)
    majority = BlindGuess("majority", majority_place([item(0, gold=2), item(1, gold=2), item(2)]))
    assert longest.reply(asked).choice == 1
    assert majority.reply(asked) == chosen(asked, 2)
    assert {drawn.reply(AskedTurn(item(number), 0, Variant(), 0, ())).choice for number in range(30)} == {0, 1, 2}
    assert drawn.reply(asked) == drawn.reply(asked)
