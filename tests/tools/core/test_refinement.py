"""Closer looks are taken once, kept, and found by search."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.media.clips import Picture, flat, write_clip, written
from helpers.servers.openai_server import openai_server, says

from longtake.config import load
from longtake.memory.closer_readings import VERSIONS
from longtake.memory.layers import LayerRecipe
from longtake.memory.search.index import Index
from longtake.memory.search.store import NAME
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.text_engines import TextEmbedding
from longtake.preprocess.pipeline.index_sync import make_readings_findable
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.refinement import answered_before, keep_reading
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

pytestmark = pytest.mark.slow

LIGHT = ("engines.sounds=[]", "engines.speech=[]", "engines.captions=[]")
SPAN = TimeSpan(start=1, end=2)
RECIPE = LayerRecipe("scene_text", VERSIONS["scene_text"], "reader")
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
    return [item.text for item in Toolbox(ALL_TOOLS).call("cross_modal_search", arguments, context).evidence]


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
    closer = {item.text: item for item in read(opened(place), 1.5, 3).evidence}
    found = Toolbox(ALL_TOOLS).call("cross_modal_search", {"query": BETWEEN, "modalities": []}, opened(place))
    [item] = [item for item in found.evidence if BETWEEN in item.text]
    assert item.id == closer[f"TICKET {BETWEEN}"].id
    assert search(opened(place), BETWEEN, "speech") == []
    assert f"TICKET {BETWEEN}" in search(opened(place), BETWEEN, "scene_text")


def test_an_equal_search_finds_what_was_read_closely_meanwhile(place: Workspace) -> None:
    toolbox, context = Toolbox(ALL_TOOLS), opened(place)
    asked = {"query": BETWEEN, "modalities": ["scene_text"]}
    before = toolbox.call("cross_modal_search", asked, context)
    toolbox.call("extract_scene_text", {"timestamp": [1.5, 3]}, context)
    after = toolbox.call("cross_modal_search", asked, context)
    assert f"TICKET {BETWEEN}" not in [item.text for item in before.evidence]
    assert f"TICKET {BETWEEN}" in [item.text for item in after.evidence]
    assert not after.cached


def test_what_the_layers_hold_is_not_found_twice(place: Workspace) -> None:
    before = search(opened(place), "7010")
    read(opened(place), 1.5, 3)
    read(opened(place), 1.6, 2.4)
    found = search(opened(place), "ticket")
    assert sorted(found) == sorted(set(found))
    assert before[0] in found


def test_a_lost_index_gets_the_readings_back(place: Workspace) -> None:
    read(opened(place), 1.5, 3)
    (place.library.index_root / NAME).unlink()
    fresh = Workspace(place.library.root, place.settings)
    fresh.restore(fresh.library.videos())
    assert f"TICKET {BETWEEN}" in search(opened(fresh), BETWEEN)


def test_other_layers_leave_old_readings_out_of_search(place: Workspace, indexed: Path) -> None:
    read(opened(place), 1.5, 3)
    other = Workspace(place.library.root, load(overrides=[*LIGHT, "scene_text.min_confidence=0.75"]))
    other.add(indexed / "counter.mp4")
    assert f"TICKET {BETWEEN}" not in search(opened(other), BETWEEN)
    assert read(opened(other, path="/gone/counter.mp4"), 1.5, 3).notes[0].startswith("not read again")


def test_a_look_leaves_the_index_alone_and_a_search_brings_it_up_once(place: Workspace) -> None:
    index = place.library.index_root / NAME
    before = index.read_bytes()
    read(opened(place), 1.5, 3)
    read(opened(place), 3, 4)
    assert index.read_bytes() == before
    assert f"TICKET {BETWEEN}" in search(opened(place), BETWEEN)
    written = index.stat()
    assert search(opened(place), "ticket")
    assert index.stat() == written


def test_what_an_earlier_version_of_the_code_read_is_not_found(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(opened(place), 1.5, 3)
    assert f"TICKET {BETWEEN}" in search(opened(place), BETWEEN)
    raised = {**VERSIONS, "scene_text": VERSIONS["scene_text"] + 1}
    for module in ("memory.closer_readings", "tools.vision.extract_scene_text"):
        monkeypatch.setattr(f"longtake.{module}.VERSIONS", raised)
    assert f"TICKET {BETWEEN}" not in search(opened(place), BETWEEN)
    assert read(opened(place), 1.5, 3).notes == ()
    assert f"TICKET {BETWEEN}" in search(opened(place), BETWEEN)


def test_each_text_is_embedded_once(place: Workspace) -> None:
    read(opened(place), 1.5, 3)
    [record] = place.library.videos()
    [kept] = place.library.closer_readings.current(record.id, record.layers)
    assert len(kept.texts) < len(kept.found)
    engine: TextEmbedding = place.engines.load("text_embedding")
    vectors = np.frombuffer(kept.vectors, np.float32).reshape(len(kept.texts), -1)
    np.testing.assert_allclose(vectors, engine.embed(kept.texts), atol=1e-5)


def test_running_text_is_reported_as_far_as_it_was_read_and_not_kept(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = opened(place)
    monkeypatch.setattr("longtake.tools.vision.extract_scene_text.MAX_FRAMES", 13)
    monkeypatch.setattr("longtake.tools.vision.extract_scene_text.FRAMES", 1)
    result = read(context, 1.6, 3)
    (note,) = result.notes
    assert note.endswith("until 00:00:02.08")
    assert [(span.start, span.end) for span in result.looked_at] == [(1.6, 2.08)]
    [last] = [item for item in result.evidence if item.text == "TICKET 7010" and not item.layer]
    assert (last.span.start, last.span.end) == (2.0, 2.08)
    assert place.library.closer_readings.current(context.video.id, context.video.record.layers) == []


def make_the_file_unusable(place: Workspace) -> None:
    place.library.memory_file.unlink(missing_ok=True)
    place.library.memory_file.mkdir()


def make_the_locks_unusable(place: Workspace) -> None:
    shutil.rmtree(place.library.root / "locks")
    (place.library.root / "locks").write_text("no folder")


@pytest.mark.parametrize("hinder", [make_the_file_unusable, make_the_locks_unusable])
def test_a_library_that_cannot_be_written_still_answers(place: Workspace, hinder: Callable[[Workspace], None]) -> None:
    hinder(place)
    result = read(opened(place), 1.5, 3)
    assert f"TICKET {BETWEEN}" in result.output["texts"]
    [note] = result.notes
    assert note.startswith("not stored")


def make_the_index_unwritable(place: Workspace) -> None:
    (place.library.index_root / "write.lock").unlink()
    (place.library.index_root / "write.lock").mkdir()


@pytest.mark.parametrize("hinder", [make_the_file_unusable, make_the_locks_unusable, make_the_index_unwritable])
def test_where_looks_cannot_be_made_findable_the_layers_are_searched(
    place: Workspace, hinder: Callable[[Workspace], None]
) -> None:
    read(opened(place), 1.5, 3)
    hinder(place)
    arguments = {"query": "ticket", "modalities": []}
    result = Toolbox(ALL_TOOLS).call("cross_modal_search", arguments, opened(place))
    assert result.evidence
    [note] = result.notes
    assert "closer looks" in note


def test_while_a_video_is_being_indexed_looks_are_neither_kept_nor_made_findable(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("preprocess.pipeline.index_sync", "tools.core.refinement"):
        monkeypatch.setattr(f"longtake.{module}.LOCK_SECONDS", 0)
    read(opened(place), 1.5, 3)
    context = opened(place)
    with place.library.lock(context.video.id):
        [note] = read(context, 3, 4).notes
        assert note.startswith("not stored")
        assert "counter.mp4" in note
        assert f"TICKET {BETWEEN}" not in search(context, BETWEEN)
    assert f"TICKET {BETWEEN}" in search(context, BETWEEN)


def test_what_another_file_shows_is_not_kept(place: Workspace, indexed: Path, tmp_path: Path) -> None:
    copy = tmp_path / "counter.mp4"
    shutil.copyfile(indexed / "counter.mp4", copy)
    os.utime(copy, (1, 1))
    result = read(opened(place, path=str(copy)), 1.5, 3)
    assert f"TICKET {BETWEEN}" in result.output["texts"]
    (note,) = result.notes
    assert note.startswith("not stored")
    assert "counter.mp4" in note
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
    assert again.notes[: len(first.notes)] == first.notes
    assert "asked before" in again.notes[-1]
    assert [item.text for item in first.evidence] == [said]
    assert [item.text for item in other.evidence] != [said]


def test_what_a_model_said_is_found_by_the_same_question_only_and_with_it(place: Workspace) -> None:
    asked, said = "What stands beside the ticket counter?", "A brass submarine model stands beside the ticket counter."
    with openai_server([says(f"00:00:01.00-00:00:03.00 {said}")]) as server:
        named = (f"visual_question.base_url={server.url}", "visual_question.model=seer")
        context = replace(opened(place, load(overrides=[*LIGHT, *named])), question="Which ship is on show?")
        watch(context, asked, 0, 4)
    assert not any("submarine" in line for line in search(opened(place), "brass submarine model"))
    assert not any("submarine" in line for line in search(opened(place), "Who sells the tickets?"))
    for question in ("What is standing beside the ticket counter?", "Which ship is on show?"):
        [item] = answered_before(opened(place), [question])
        assert item.text == f"asked “{asked}”, a model said: {said}"
        assert (item.span.start, item.span.end) == (1, 3)
        assert item.text in search(opened(place), question)
    own = replace(opened(place), question="Which ship is on show?")
    assert any("submarine" in line for line in search(own, "brass ship"))
    assert not search(own, "brass ship", "speech")


def test_a_bare_answer_says_nothing_without_its_question_and_is_not_kept(place: Workspace) -> None:
    with openai_server([says("Yes."), says("CANNOT TELL: it is dark."), says("No.")]) as server:
        named = (f"visual_question.base_url={server.url}", "visual_question.model=seer")
        context = opened(place, load(overrides=[*LIGHT, *named]))
        answers = [watch(context, "Is it dark?", 0, 4).evidence for _ in range(3)]
    assert [[item.text for item in answer] for answer in answers] == [["Yes."], [], ["No."]]
    assert place.library.closer_readings.current(context.video.id, context.video.record.layers) == []


def test_a_video_that_is_deleted_during_a_look_leaves_nothing(place: Workspace) -> None:
    context = opened(place)
    lock = place.library.lock(context.video.id)
    with lock, ThreadPoolExecutor(1) as others:
        keeping = others.submit(keep_reading, context, RECIPE, SPAN, ())
        assert not wait([keeping], timeout=0.5).done
        place.library.delete(context.video.record)
        lock.release()
        assert keeping.result() == ()
    assert place.library.closer_readings.current(context.video.id, context.video.record.layers) == []


def test_a_video_that_is_deleted_during_a_search_does_not_come_back(place: Workspace) -> None:
    context = opened(place)
    record = context.video.record
    assert keep_reading(context, RECIPE, SPAN, ()) == ()
    lock = place.library.lock(record.id)
    with lock, ThreadPoolExecutor(1) as others:
        searching = others.submit(make_readings_findable, record, place.library, place.index)
        assert not wait([searching], timeout=0.5).done
        Index(place.library.index_root).delete(record.id)
        place.library.delete(record)
        lock.release()
        assert searching.result() == ()
    assert Index(place.library.index_root).spaces() == frozenset()
    assert not Index(place.library.index_root).holds(record.id)
