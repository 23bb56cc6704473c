"""The layer of who and what is in the picture of every second: what is followed, kept and left alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.data.written_layers import write_keyframes, write_layer
from helpers.media.clips import Picture, flat, write_clip
from helpers.models.colour_detector import ColourDetector

from longtake.config import load
from longtake.errors import Cancelled
from longtake.memory.building import build_layers
from longtake.memory.layers import Layer, LayerStore
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.built_in_engines import EngineEntry
from longtake.preprocess.engines.engine_table import ENGINES
from longtake.preprocess.layers.detections import Detections
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.frames import encode_jpeg
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.pipeline.workspace import Workspace

MEDIA = MediaInfo("mp4", 12.0, 0.0, None, (), ())
RED, BLUE, GREY, DARK = (0, 0, 230), (230, 0, 0), (128, 128, 128), (40, 40, 40)


@pytest.fixture
def detector(monkeypatch: pytest.MonkeyPatch) -> type[ColourDetector]:
    """The detector in use; it has seen nothing yet."""
    entry = EngineEntry("helpers.models.colour_detector:ColourDetector", "colours")
    monkeypatch.setitem(ENGINES, "detections", {"nanodet": entry})
    monkeypatch.setattr(ColourDetector, "shown", 0)
    return ColourDetector


def scene(*patches: tuple[tuple[int, int, int], int], ground: tuple[int, int, int] = GREY) -> Picture:
    """Patches of a fifth of the height and a tenth of the width, each with its colour and place across."""
    picture = flat(ground)
    for colour, left in patches:
        picture[60:96, left : left + 32] = colour
    return picture


def job_for(keyframes: Layer) -> IndexJob:
    settings = load()
    return IndexJob(Path("a.mp4"), MEDIA, settings, EngineTable(settings), {"keyframes": keyframes})


def build(store: LayerStore, job: IndexJob) -> Layer:
    [recipe] = Detections().recipes(job)
    with build_layers(store.root, [recipe]) as building:
        Detections().build(replace(job, chunks=building.chunks), building.writers)
    layer = store.get("detections", recipe.key)
    assert layer
    return layer


def test_each_is_followed_through_its_shot(store: LayerStore, detector: type[ColourDetector]) -> None:
    walk = [(RED, 40), (RED, 70), (RED, 100)]
    dog = (BLUE, 200)
    pictures = [scene(), *(scene(each, dog) for each in walk), scene(dog), scene(), *[scene((RED, 100))] * 3, scene()]
    layer = build(store, job_for(write_keyframes(store, pictures, [(0, 6), (6, 10)])))
    items = list(layer.items())
    assert [(item["start"], item["end"], item["name"], item["trusted"]) for item in items] == [
        (1.5, 5, "dog", False),
        (1.5, 4, "person", True),
        (6.5, 9, "person", True),
    ]
    boxes = items[1]["boxes"]
    assert [time for time, *_ in boxes] == [1.5, 2.5, 3.5]
    assert [box for _, *box in boxes] == [
        pytest.approx((left / 320, 1 / 3, 0.1, 0.2), abs=0.02) for left in (40, 70, 100)
    ]
    assert all(len(str(share)) <= len("0.1234") for box in boxes for share in box[1:])
    assert [item["confidence"] for item in items] == [0.8] * 3
    assert layer.share(10) == 1


def test_a_picture_that_is_held_is_searched_once(store: LayerStore, detector: type[ColourDetector]) -> None:
    held = [scene((RED, 40))] * 5 + [scene((RED, 200))] * 3
    [first, second] = build(store, job_for(write_keyframes(store, held, [(0, 8)]))).items()
    assert detector.shown == 2
    assert [len(first["boxes"]), len(second["boxes"])] == [5, 3]
    assert (first["end"], second["end"]) == (5, 8)


def test_a_shot_without_a_picture_of_its_seconds_has_its_own(store: LayerStore, detector: type[ColourDetector]) -> None:
    file = encode_jpeg(scene((RED, 40)), 90)
    brief = {"kind": "shot", "time": 3.3, "start": 3.1, "end": 3.9, "file": "brief.jpg"}
    [item] = build(store, job_for(write_layer(store, "keyframes", brief, files={"brief.jpg": file}))).items()
    assert (item["start"], item["end"]) == (3.3, 3.9)


def flickering(seconds: int) -> list[Picture]:
    """A person who stays, before a ground that changes every second."""
    return [scene((RED, 40), ground=GREY if second % 2 else DARK) for second in range(seconds)]


def test_work_that_was_stopped_goes_on_where_it_was(store: LayerStore, detector: type[ColourDetector]) -> None:
    job = job_for(write_keyframes(store, flickering(100), [(0, 100)]))

    def stop() -> None:
        if detector.shown == 80:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        build(store, replace(job, check_cancelled=stop))
    shares: list[float] = []
    [item] = build(store, replace(job, progress=shares.append)).items()
    assert (item["end"], len(item["boxes"])) == (100, 100)
    assert 100 < detector.shown < 180
    assert shares[-1] == 1


def test_nothing_is_asked_without_an_engine_or_pictures(store: LayerStore) -> None:
    keyframes = write_keyframes(store, flickering(2), [(0, 2)])
    assert not Detections().recipes(job_for(keyframes))
    assert not Detections().recipes(replace(job_for(keyframes), layers={}))


def clip(folder: Path) -> Path:
    return write_clip(folder / "walk.mp4", (scene((RED, 40 + number)) for number in range(75)))


def test_a_user_without_the_model_is_told_nothing(tmp_path: Path) -> None:
    report = Workspace(tmp_path / "library", load()).add(clip(tmp_path))
    assert "detections" not in {layer.name for layer in report.layers}


def test_it_is_built_with_the_other_layers(tmp_path: Path, detector: type[ColourDetector]) -> None:
    workspace = Workspace(tmp_path / "library", load())
    report = workspace.add(clip(tmp_path))
    layer = workspace.library.layer(report.video, "detections")
    assert layer
    assert [item["name"] for item in layer.items()] == ["person"]
    assert not [each for each in workspace.add(tmp_path / "walk.mp4").layers if not each.reused and each.key]


@pytest.mark.nightly
def test_people_of_real_footage_are_trusted_and_other_things_are_not(
    nanodet: Path, media: Path, tmp_path: Path
) -> None:
    settings = load(overrides=["engines.scene_text=[]", "engines.text_embedding=[]", "engines.sounds=[]"])
    workspace = Workspace(tmp_path / "library", settings)
    layer = workspace.library.layer(workspace.add(media / "sam2" / "01_dog.mp4").video, "detections")
    assert layer
    assert layer.engine.startswith("nanodet-")
    items = list(layer.items())
    assert {"person", "dog"} <= {item["name"] for item in items}
    assert {item["name"] for item in items if item["trusted"]} == {"person"}
    assert all(0 <= item["start"] < item["end"] <= 9.8 for item in items)


@pytest.mark.usefixtures("detector")
def test_a_damaged_picture_costs_only_itself(store: LayerStore) -> None:
    keyframes = write_keyframes(store, [scene((RED, 20 + 80 * second)) for second in range(4)], [(0, 4)])
    (keyframes.path / "00001.jpg").write_bytes(b"no picture")
    times = {box[0] for item in build(store, job_for(keyframes)).items() for box in item["boxes"]}
    assert times == {0.5, 2.5, 3.5}
