"""Closer looks are taken once, kept, and found by search."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.clips import Picture, flat, write_clip, written
from helpers.openai_server import openai_server, says

from longtake.config import Settings, load
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.context import Budget, ToolContext, VideoHandle
from longtake.tools.result import ToolResult
from longtake.tools.toolbox import Toolbox

LIGHT = ("engines.sounds=[]", "engines.speech=[]", "engines.captions=[]")
BETWEEN = "7012"  # on the screen for a fifth of a second that the index does not read


def counter() -> Iterator[Picture]:
    """Four seconds of a number that grows by one five times a second, from 7000."""
    for number in range(100):
        yield written(flat((90, 40, 20), 480, 270), f"TICKET {7000 + number // 5}", (60, 150), 1.6)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("counter")
    write_clip(folder / "counter.mp4", counter())
    Workspace(folder / "library", load(overrides=LIGHT)).add(folder / "counter.mp4")
    return folder


@pytest.fixture
def place(indexed: Path, tmp_path: Path) -> Workspace:
    """A copy of the library in which nothing was looked at closely yet."""
    shutil.copytree(indexed / "library", tmp_path / "library")
    return Workspace(tmp_path / "library", load(overrides=LIGHT))


def opened(place: Workspace, settings: Settings | None = None, **changes: object) -> ToolContext:
    [record] = place.library.videos()
    handle = VideoHandle(record.model_copy(update=changes), place.library)
    settings = settings or place.settings
    return ToolContext({record.id: handle}, EngineTable(settings), place.index, settings, Budget(60))


def read(context: ToolContext, *span: float) -> ToolResult:
    """What a run of its own reads."""
    return Toolbox(ALL_TOOLS).call("extract_scene_text", {"timestamp": list(span)}, context)


def search(context: ToolContext, query: str, *modalities: str) -> list[str]:
    arguments = {"query": query, "modalities": list(modalities), "k": 9}
    return [item.content for item in Toolbox(ALL_TOOLS).call("cross_modal_search", arguments, context).evidence]


def test_what_was_read_closely_is_not_read_again_and_is_the_same(place: Workspace) -> None:
    first = read(opened(place), 1.5, 3)
    again = read(opened(place, path="/gone/counter.mp4"), 1.5, 3)
    assert first.notes == ()
    assert again.notes == ("read closely before, in 00:00:01-00:00:03",)
    assert [item.model_dump_json() for item in again.evidence] == [item.model_dump_json() for item in first.evidence]
    assert f"TICKET {BETWEEN}" in again.output["texts"]


def test_the_greater_part_of_a_span_is_taken_from_its_reading_and_a_smaller_is_read_again(place: Workspace) -> None:
    whole = read(opened(place), 1.5, 3)
    gone = opened(place, path="/gone/counter.mp4")
    part = read(gone, 1.5, 2.5)
    assert part.notes == ("read closely before, in 00:00:01-00:00:03",)
    assert "TICKET 7014" not in part.output["texts"]
    closer = {item.id for item in part.evidence if not item.layer}
    assert closer
    assert closer < {item.id for item in whole.evidence}
    for smaller in ((1.5, 2), (2, 2)):
        [note] = read(gone, *smaller).notes
        assert note.startswith("not read again from the file")


def test_another_setting_of_the_engine_reads_anew(place: Workspace) -> None:
    read(opened(place), 2, 2.6)
    for setting in ("scene_text.min_confidence=0.75", "scene_text.long_side=640"):
        changed = load(overrides=[*LIGHT, setting])
        [note] = read(opened(place, changed, path="/gone/counter.mp4"), 2, 2.6).notes
        assert note.startswith("not read again from the file")


def test_search_finds_what_was_read_closely(place: Workspace) -> None:
    assert f"TICKET {BETWEEN}" not in search(opened(place), BETWEEN)
    closer = {item.content: item for item in read(opened(place), 1.5, 3).evidence}
    found = Toolbox(ALL_TOOLS).call("cross_modal_search", {"query": BETWEEN, "modalities": []}, opened(place))
    [item] = [item for item in found.evidence if BETWEEN in item.content]
    assert item.id == closer[f"TICKET {BETWEEN}"].id
    assert search(opened(place), BETWEEN, "speech") == []
    assert f"TICKET {BETWEEN}" in search(opened(place), BETWEEN, "scene_text")


def test_what_the_layers_hold_is_not_found_twice(place: Workspace) -> None:
    before = search(opened(place), "7010")
    read(opened(place), 1.5, 3)
    read(opened(place), 1.6, 2.4)
    found = search(opened(place), "ticket")
    assert sorted(found) == sorted(set(found))
    assert before[0] in found


def test_a_lost_index_gets_the_readings_back(place: Workspace) -> None:
    read(opened(place), 1.5, 3)
    (place.library.index_root / "revisions.json").unlink()
    fresh = Workspace(place.library.root, place.settings)
    fresh.restore(fresh.library.videos())
    assert f"TICKET {BETWEEN}" in search(opened(fresh), BETWEEN)


def test_other_layers_leave_old_readings_out_of_search(place: Workspace, indexed: Path) -> None:
    read(opened(place), 1.5, 3)
    other = Workspace(place.library.root, load(overrides=[*LIGHT, "scene_text.min_confidence=0.75"]))
    other.add(indexed / "counter.mp4")
    assert f"TICKET {BETWEEN}" not in search(opened(other), BETWEEN)
    assert read(opened(other, path="/gone/counter.mp4"), 1.5, 3).notes[0].startswith("not read again")


def make_the_file_unusable(place: Workspace) -> None:
    place.library.memory_file.unlink(missing_ok=True)
    place.library.memory_file.mkdir()


def make_the_index_unwritable(place: Workspace) -> None:
    (place.library.index_root / "write.lock").unlink()
    (place.library.index_root / "write.lock").mkdir()


@pytest.mark.parametrize("hinder", [make_the_file_unusable, make_the_index_unwritable])
def test_a_library_that_cannot_be_written_still_answers(place: Workspace, hinder: Callable[[Workspace], None]) -> None:
    hinder(place)
    result = read(opened(place), 1.5, 3)
    assert f"TICKET {BETWEEN}" in result.output["texts"]
    [note] = result.notes
    assert note.startswith("not kept for later questions: The ")


def test_what_another_file_shows_is_not_kept(place: Workspace, indexed: Path, tmp_path: Path) -> None:
    copy = tmp_path / "counter.mp4"
    shutil.copyfile(indexed / "counter.mp4", copy)
    os.utime(copy, (1, 1))
    result = read(opened(place, path=str(copy)), 1.5, 3)
    assert f"TICKET {BETWEEN}" in result.output["texts"]
    assert result.notes == ("not kept for later questions: counter.mp4 has changed since it was indexed",)
    assert f"TICKET {BETWEEN}" not in search(opened(place), BETWEEN)


def watch(context: ToolContext, question: str, *span: float) -> ToolResult:
    return Toolbox(ALL_TOOLS).call("watch_segment", {"timestamp": list(span), "question": question}, context)


def test_what_a_model_saw_is_asked_once_and_found(place: Workspace) -> None:
    said = "A brass submarine model stands beside the ticket counter."
    with openai_server([says(said), says("Something else stands on a shelf there.")]) as server:
        named = (f"visual_question.base_url={server.url}", "visual_question.model=seer")
        context = opened(place, load(overrides=[*LIGHT, *named]))
        first = watch(context, "What stands there?", 0, 4)
        again = watch(context, "What stands there?", 0, 4)
        assert len(server.requests) == 1
        other = watch(context, "What stands on the shelf?", 0, 4)
        assert len(server.requests) == 2
    assert (again.output, again.evidence) == (first.output, first.evidence)
    assert again.notes == (*first.notes, "it was asked before: its answer was kept")
    assert other.output["answer"] != said
    assert said in search(opened(place), "submarine", "visual")


def test_a_bare_answer_says_nothing_without_its_question_and_is_not_kept(place: Workspace) -> None:
    with openai_server([says("Yes."), says("CANNOT TELL: it is dark."), says("No.")]) as server:
        named = (f"visual_question.base_url={server.url}", "visual_question.model=seer")
        context = opened(place, load(overrides=[*LIGHT, *named]))
        answers = [watch(context, "Is it dark?", 0, 4).output["answer"] for _ in range(3)]
    assert answers == ["Yes.", "", "No."]
    assert place.library.refined.readings(context.video.id, context.video.record.layers) == []


def test_a_deleted_video_gets_nothing_kept(place: Workspace) -> None:
    context = opened(place)
    record = context.video.record
    (place.library.root / "videos" / record.id / "video.json").unlink()
    assert read(context, 2, 2.6).notes == ()
    assert place.library.refined.readings(record.id, record.layers) == []
